/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vet: finds the hook scripts, and decides which of them root may run (electd-hooks(7)).
 *
 * A file in a later folder overrides one of the same name; a link to /dev/null masks it. A file is
 * opened before it is checked: the file that was checked is the file that runs, whatever its name
 * leads to later. It runs nothing and changes nothing; electctl shows the same list to users.
 */
#ifndef ELECTD_HOOKD_SCRIPT_VET_H
#define ELECTD_HOOKD_SCRIPT_VET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	VET_SCRIPTS_MAX = 64, /* names, without those that are masked */
	VET_NAME_MAX = 63,    /* characters of a name, [A-Za-z0-9._-] */
	VET_REASON_MAX = 160,
};

struct vet_script {
	char name[VET_NAME_MAX + 1];
	char path[PATH_MAX];	     /* the folder entry that counts */
	int fd;			     /* O_PATH of the file itself; -1: refused or masked */
	bool masked;		     /* a link to /dev/null, which is meant not to run */
	bool older;		     /* from an older list, because the present file cannot run */
	char reason[VET_REASON_MAX]; /* why the script is refused; empty: it runs */
};

/* All zero: an empty list. */
struct vet_list {
	unsigned count, room;
	struct vet_script *scripts; /* sorted by name, the order in which they run */
};

/* The three folders, NULL at the end. */
extern const char *const vet_folders[];

/*
 * Reads `folders` (absolute paths, NULL at the end, later ones override). A folder that does not
 * exist is empty. 0; -errno: a folder cannot be read; -E2BIG: too many scripts. `ret_folder` is the
 * first folder that failed. ret_list is always valid, and vet_close() frees it. After an error it
 * has the scripts that could be read, which is enough for a demotion only.
 */
int vet_open(const char *const *folders, struct vet_list *ret_list, const char **ret_folder);
/*
 * Gives `list` each script of `older` that may run, if its own one is missing or refused, but not
 * if it is masked. An older file that may not run any more is left out (another user can write to
 * it now, or it is not executable). Empties `older`. 0 or -ENOMEM: some are missing.
 */
int vet_take_over(struct vet_list *list, struct vet_list *older);
/* The same, but no file is checked: vet_take_over() checks them later. */
int vet_keep(struct vet_list *list, struct vet_list *older);
/* Copies the list, with descriptors of its own. 0, or -errno: ret_copy is empty. */
int vet_copy(const struct vet_list *list, struct vet_list *ret_copy);
void vet_close(struct vet_list *list);

#endif
