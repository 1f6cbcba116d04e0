/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks: which scripts electd-hookd would run, and the results of their last runs. The folders are
 * read here, with electd-hookd's code; the results come from electd.
 */
#ifndef ELECTCTL_VERBS_HOOKS_HOOKS_H
#define ELECTCTL_VERBS_HOOKS_HOOKS_H

#include "electctl/ask.h"
#include "hookd/script/vet.h"

/* `hooks list` for these folders (vet_folders, or a test's). */
enum electctl_exit hooks_list(const struct options *o, const char *const *folders);

/* `hooks test`: what would run for `event`; with o->run, runs it. electctl/verbs/hooks/test.c */
enum electctl_exit hooks_test(
	const struct options *o, const char *const *folders, const char *event);

/*
 * Checks the scripts in `folders`. The caller frees the list with hooks_free(), also after an
 * error. electctl/verbs/hooks/folders.c
 */
enum electctl_exit hooks_read(
	const struct options *o, const char *const *folders, struct vet_list **ret_list);
void hooks_free(struct vet_list *list);

/* {"name", "state", "path", "reason"}; state: "runs", "refused" or "masked". */
json_t *hooks_script(const struct vet_script *script);
bool hooks_refused(const struct vet_script *script);

/*
 * Runs the script and waits for its end: {"result", "status", "runtime_ms"} as in a report of
 * hookd; NULL: it was not started. electctl/verbs/hooks/run.c
 */
json_t *hooks_run(const struct vet_script *script, char *const *environment, const char *input,
	const char *event, const char *domain);

/* Prints an array of such objects, each with "last", as a table. electctl/verbs/hooks/table.c */
void hooks_print(const struct options *o, const json_t *hooks);

#endif
