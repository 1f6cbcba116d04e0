/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: follows the path from the root folder to a file, name by name and link by link, and judges
 * each folder on it. The kernel would follow links as well, but would not report the folders on the
 * path. It opens nothing for reading, and knows nothing of hooks. Only for vet.c and file.c.
 */
#ifndef ELECTD_HOOKD_SCRIPT_WALK_H
#define ELECTD_HOOKD_SCRIPT_WALK_H

#include "vet.h"

#include <sys/stat.h>

/* A walk goes on after a fault, because the files of an unsafe folder are still listed. */
struct vet_walk {
	int fd;			     /* O_PATH of the place that was reached */
	struct stat st;		     /* status of that place */
	char at[PATH_MAX];	     /* path of that place, without links; empty: "/" */
	char rest[PATH_MAX];	     /* the names that follow */
	unsigned links;		     /* links followed so far */
	char reason[VET_REASON_MAX]; /* the first fault on the path; empty: none */
};

/* Walks from "/" to `path`. 0 or -errno: the walk is where it stopped. Close it in any case. */
int vet_walk_path(struct vet_walk *w, const char *path);
/* Walks to `name` from a folder that was reached before, like vet_walk_path(). */
int vet_walk_from(struct vet_walk *w, const struct vet_walk *folder, const char *name);
void vet_walk_close(struct vet_walk *w);

/* Sets `reason`, unless there is one: only the first fault is reported. */
__attribute__((format(printf, 3, 4))) void vet_refuse(
	char reason[VET_REASON_MAX], const char *path, const char *format, ...);
/* Refuses a file that does not belong to root, and each mode in `forbidden`. */
struct vet_forbidden {
	mode_t bits;
	const char *words;
};
void vet_judge(char reason[VET_REASON_MAX], const char *path, const struct stat *st,
	const struct vet_forbidden *forbidden, size_t count);

/*
 * Refuses a file, open as `fd` with O_PATH, that a user other than root could have written, that
 * cannot run, or whose interpreter is such a file or is in a folder that such a user can write to.
 */
void vet_file(char reason[VET_REASON_MAX], const char *path, const struct stat *st, int fd);

#endif
