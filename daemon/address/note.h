/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note: a file in the runtime folder with the addresses that this instance may have added, one a
 * line, for the next electd-address. While the program runs, it has a lock on the file, so that
 * other instances see which addresses are in use.
 */
#ifndef ELECTD_ADDRESS_NOTE_H
#define ELECTD_ADDRESS_NOTE_H

#include "message.h"

enum { NOTE_MAX = 64, NOTE_NAME_SIZE = 80 };

struct note {
	const char *dir;
	char name[NOTE_NAME_SIZE]; /* of the file: "electd" or "electd@NAME" */
	int fd;			   /* -1: there is no file */
};

/*
 * Opens and locks the file, and makes it if it is missing. 0 or -errno; -EAGAIN: another
 * electd-address of this instance runs.
 */
int note_open(struct note *n, const char *dir, const char *instance);
void note_close(struct note *n);
/*
 * Returns a descriptor; until it is closed, no other instance is between note_is_taken() and
 * note_write(). -errno: no lock.
 */
int note_lock(const struct note *n);

/* Returns how many addresses the file has; others are left out. */
unsigned note_read(const struct note *n, struct elect_address ret[NOTE_MAX]);
/* 0 or -errno. */
int note_write(struct note *n, const struct elect_address *list, unsigned count);

/* Returns whether another instance that runs has noted the address: *ret_name. */
bool note_is_taken(
	const struct note *n, const struct elect_address *address, char ret_name[NOTE_NAME_SIZE]);

#endif
