/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_file: the state file itself: lock, load, create whole, keep damaged ones, write a slot.
 * Blocking; store.c calls it before the loop runs and from its writer thread, nobody else may.
 */
#ifndef ELECTD_STORE_FILE_H
#define ELECTD_STORE_FILE_H

#include "store.h"

struct store_file {
	const char *dir; /* for words, while opening only */
	struct elect_id id;
	int dir_fd, lock_fd, fd; /* -1: not open */
	uint64_t generation;	 /* newest one on the disk or tried */
	unsigned next;		 /* slot for the next write: the one that is not the newest valid */
	bool lost;		 /* see struct store_slot */
};

/* As store_open(). On failure everything is closed again. */
int store_file_open(struct store_file *f, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error);
void store_file_close(struct store_file *f);

/*
 * Brings an image to the disk: into the older slot, then fdatasync(). After an error the slot is
 * written anew once before it is synced again: the kernel may have dropped what it could not
 * write, and a second fdatasync() alone would call that a success. The other slot is untouched
 * until one write is confirmed. 0 or -errno, with ret_doing.
 */
int store_file_write(struct store_file *f, const struct store_image *image, const char **ret_doing);

#endif
