/* SPDX-License-Identifier: Apache-2.0 */
/* replace: replaces a file atomically: readers see the old text or the new one, never a part. */
#ifndef ELECTCTL_REPLACE_H
#define ELECTCTL_REPLACE_H

enum { REPLACE_PATH = 4096 };

struct replacement {
	int fd; /* of the new file, mode 0600: the caller may change mode and owner, and sync it */
	char path[REPLACE_PATH], name[REPLACE_PATH];
};

/* Writes the new text next to the file, under a hidden name without its suffix. 0 or -errno. */
int replace_begin(const char *path, const char *text, struct replacement *ret);
/* Moves the new file into place. 0 or -errno; after an error the old file is unchanged. */
int replace_end(struct replacement *r);
/* Discards the new file; called instead of replace_end(). */
void replace_drop(struct replacement *r);

#endif
