/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: the way from the root folder to a file, name by name and link by link, each folder on
 * it looked at. The kernel would follow links as well, but would not say through which folders.
 * Opens nothing for reading; knows nothing of hooks. Only for vet.c.
 */
#ifndef ELECTD_HOOKD_SCRIPT_WALK_H
#define ELECTD_HOOKD_SCRIPT_WALK_H

#include "vet.h"

#include <sys/stat.h>

/* It goes on after a fault: what is in a badly owned folder is still to be listed. */
struct vet_walk {
	int fd;			     /* O_PATH of where it stands */
	struct stat st;		     /* of that */
	char at[PATH_MAX];	     /* the same as a path without links; "/" is the empty one */
	char rest[PATH_MAX];	     /* still to go */
	unsigned links;		     /* followed so far */
	char reason[VET_REASON_MAX]; /* the first fault on the way; empty: none */
};

/* From the root folder to `path`. 0 or -errno: it stands where it came to. Close it in any case. */
int vet_walk_path(struct vet_walk *w, const char *path);
/* On to `name` from a folder that was reached before. The same. */
int vet_walk_from(struct vet_walk *w, const struct vet_walk *folder, const char *name);
void vet_walk_close(struct vet_walk *w);

/* Sets `reason`, unless there is one: the first fault is the one that is told. */
__attribute__((format(printf, 3, 4))) void vet_refuse(
	char reason[VET_REASON_MAX], const char *path, const char *format, ...);
/* Refuses what is not root's own, and each mode in `forbidden`. */
struct vet_forbidden {
	mode_t bits;
	const char *words;
};
void vet_judge(char reason[VET_REASON_MAX], const char *path, const struct stat *st,
	const struct vet_forbidden *forbidden, size_t count);

/*
 * Refuses a file, open as `fd` with O_PATH, that others than root could have written, that may not
 * run, or whose interpreter is such a file or stands in such a folder.
 */
void vet_file(char reason[VET_REASON_MAX], const char *path, const struct stat *st, int fd);

#endif
