/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vet: which hook scripts there are, and which of them root may run (electd-hooks(7)).
 *
 * Later folders override by file name, a link to /dev/null masks. What is found is opened while it
 * is checked: the file that was checked is the file that runs, whatever its name points to later.
 * Runs nothing, changes nothing; electctl shows the same list to people.
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
	char path[PATH_MAX];	     /* the folder's entry that counts */
	int fd;			     /* O_PATH of the file itself; -1: refused or masked */
	bool masked;		     /* a link to /dev/null: wanted so */
	bool older;		     /* of an older list: the present one cannot run */
	char reason[VET_REASON_MAX]; /* why it is refused; empty: it runs */
};

/* All zero: an empty one. */
struct vet_list {
	unsigned count, room;
	struct vet_script *scripts; /* in the order in which they run: by name */
};

/* The three folders, NULL at the end. */
extern const char *const vet_folders[];

/*
 * Reads `folders` (absolute paths, NULL at the end, later ones override). A folder that does not
 * exist is empty. 0, or -errno when a folder cannot be read, or -E2BIG; `ret_folder` is the first
 * that failed. ret_list is always valid, and emptied by vet_close(): after an error it has what
 * could be read, which is enough for nothing but a demotion.
 */
int vet_open(const char *const *folders, struct vet_list *ret_list, const char **ret_folder);
/*
 * Gives `list` each script of `older` that may run, where its own is missing or refused: not where
 * it is masked, and not if the older file itself may not run any more (somebody else can write to
 * it now, it is not executable). Empties `older`. 0 or -ENOMEM: not all of them.
 */
int vet_take_over(struct vet_list *list, struct vet_list *older);
/* The same, but no file is looked at: vet_take_over() judges them later. */
int vet_keep(struct vet_list *list, struct vet_list *older);
/* With descriptors of its own. 0 or -errno: ret_copy is empty. */
int vet_copy(const struct vet_list *list, struct vet_list *ret_copy);
void vet_close(struct vet_list *list);

#endif
