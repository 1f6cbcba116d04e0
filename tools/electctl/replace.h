/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace: a file becomes another one in one moment: readers see the old text or the new one, never
 * a piece.
 */
#ifndef ELECTCTL_REPLACE_H
#define ELECTCTL_REPLACE_H

enum { REPLACE_PATH = 4096 };

struct replacement {
	int fd; /* of the new file, its owner's only: for more rights and what else it is to have */
	char path[REPLACE_PATH], name[REPLACE_PATH];
};

/* The new text, whole, beside the file, under a hidden name without its ending. 0 or -errno. */
int replace_begin(const char *path, const char *text, struct replacement *ret);
/* In its place. 0 or -errno; the old file is then what it was. */
int replace_end(struct replacement *r);
/* Instead of that. */
void replace_drop(struct replacement *r);

#endif
