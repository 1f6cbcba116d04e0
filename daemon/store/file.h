/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: the state file itself: locks, loads and creates it, keeps damaged ones, writes a slot. All
 * functions block; only store.c may call them, before the loop runs and from its writer thread.
 */
#ifndef ELECTD_STORE_FILE_H
#define ELECTD_STORE_FILE_H

#include "store.h"

#include <sys/types.h>

enum {
	STORE_LOCK_SIZE = 16, /* constant, so that a full disk can take the next pid */
	STORE_PATH_MAX = 1024,
};

struct store_file {
	char dir[STORE_PATH_MAX];
	struct elect_id id;
	int dir_fd, lock_fd, fd; /* -1: not open */
	uint64_t generation;	 /* newest on the disk, or tried */
	unsigned next;		 /* slot for the next write, not the newest valid one */
	bool lost;		 /* see struct store_slot */
	/* The bytes last read or written there; not known after a write that failed. */
	uint8_t slots[2][STORE_SLOT_SIZE];
	bool slot_known[2];
};

/* See store_open(). On failure everything is closed again. */
int store_file_open(struct store_file *f, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error);
void store_file_close(struct store_file *f);

/*
 * Writes an image into the older slot, then calls fdatasync(). After an error the slot is written
 * once more before it is synced again: the kernel may have dropped what it could not write, and a
 * second fdatasync() alone would report success. The other slot is untouched until one write is
 * confirmed. Checks the file first by store_file_keep(), which sets ret_anew. Returns 0, or -errno
 * with ret_doing.
 */
int store_file_write(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing);

/*
 * Checks that the file is still in its place and as it was left. If the folder or the file is gone,
 * was replaced or restored from an old copy, it is created again with `image`, which this host
 * knows, and ret_anew is true. Returns 0, or -errno with ret_doing; -EBUSY: another daemon has the
 * place.
 */
int store_file_keep(struct store_file *f, const struct store_image *image, bool *ret_anew,
	const char **ret_doing);

#endif
