/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings: the faults that doctor has found, in words, each with a command that repairs it. This
 * is only the table: the judges decide which rows are true of this host.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FINDINGS_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

enum finding {
#define FINDING(id, name, weight, words, remedy) FOUND_##id,
#define UNLOOKED(id, what, why)
#include "finding_list.h"
	FINDINGS
};

enum found_unlooked {
#define FINDING(id, name, weight, words, remedy)
#define UNLOOKED(id, what, why) UNLOOKED_##id,
#include "finding_list.h"
	UNLOOKED_ROWS
};

enum { FINDINGS_TEXT_MAX = 1024, FINDINGS_ARGUMENTS = 6 };

/*
 * Adds {"name", "weight" ("fault", "hint"), "words", "remedy"} to the array. After `id` follow the
 * texts for its row, and NULL. A finding that is in the array already, word for word, is not added.
 */
void found(json_t *findings, enum finding id, ...) __attribute__((sentinel));
/* Adds a problem that electd reports, by its name, with its text. */
void found_problem(json_t *findings, const char *name, const char *words);
bool found_any(const json_t *findings, enum finding id);
/* True if one of the findings is a fault. */
bool found_fault(const json_t *findings);

/* Adds {"what", "why"}. */
void found_unlooked(json_t *list, enum found_unlooked id);

/*
 * Rewrites the text under `key` in each row: the names of electd's unit, files and socket become
 * those of electd@INSTANCE. "": no change.
 */
void findings_for_instance(json_t *list, const char *key, const char *instance);

/* The rows with unfilled arguments, for the tests. */
const char *finding_name(enum finding id);
const char *finding_words(enum finding id);
const char *finding_remedy(enum finding id);

#endif
