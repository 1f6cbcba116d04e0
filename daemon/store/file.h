/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: the state file itself: lock, load, create whole, keep damaged ones, write a slot.
 * Blocking; store.c calls it before the loop runs and from its writer thread, nobody else may.
 */
#ifndef ELECTD_STORE_FILE_H
#define ELECTD_STORE_FILE_H

#include "store.h"

#include <sys/types.h>

enum {
	STORE_LOCK_SIZE = 16, /* always as long, so that a full disk can take the next pid */
	STORE_PATH_MAX = 1024,
};

struct store_file {
	char dir[STORE_PATH_MAX];
	struct elect_id id;
	int dir_fd, lock_fd, fd; /* -1: not open */
	uint64_t generation;	 /* newest one on the disk or tried */
	unsigned next;		 /* slot for the next write: the one that is not the newest valid */
	bool lost;		 /* see struct store_slot */
	/* What was last read or written there; not known after a write that failed. */
	uint8_t slots[2][STORE_SLOT_SIZE];
	bool slot_known[2];
};

/* As store_open(). On failure everything is closed again. */
int store_file_open(struct store_file *f, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error);
void store_file_close(struct store_file *f);

/*
 * Brings an image to the disk: into the older slot, then fdatasync(). After an error the slot is
 * written anew once before it is synced again: the kernel may have dropped what it could not
 * write, and a second fdatasync() alone would call that a success. The other slot is untouched
 * until one write is confirmed. Looks at the file first, as store_file_keep() does. 0 or -errno,
 * with ret_doing; ret_anew as there.
 */
int store_file_write(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing);

/*
 * Is the file still where it was, and as it was left? If the folder or the file is gone, was
 * replaced or restored from an old copy, it is made anew with `image`, what this host knows:
 * ret_anew. 0, or -errno with ret_doing: -EBUSY when another daemon has the place.
 */
int store_file_keep(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing);

#endif
