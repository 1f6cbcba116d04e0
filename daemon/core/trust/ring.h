/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring: the keys of one host, in order: all are accepted, and the first seals what is sent
 * (keys.md). This module also decides what a mode makes of a key file, for the daemon and the
 * simulator.
 *
 * Reads no file, logs nothing, and leaves no key on the stack. The owner of a ring or of a key file
 * guards its memory and wipes it.
 */
#ifndef ELECTD_CORE_TRUST_RING_H
#define ELECTD_CORE_TRUST_RING_H

#include "core/elect_msg.h"

enum {
	RING_KEY_SIZE = 32,
	RING_SECRET_SIZE = 32,
	RING_FILE_MAX = ELECT_KEYS_MAX - 1, /* lines of a key file */
	/*
	 * Bytes of the stack that are wiped after keys were made. libsodium's BLAKE2b leaves what
	 * it hashes in its frames. They are at most 3300 bytes deep, with what the dynamic linker
	 * saves at a first call. libsodium wipes the key of a keyed hash itself.
	 */
	RING_STACK = 4096,
};

/* A key, derived from a secret for one domain. */
struct ring_key {
	struct elect_key told; /* what others may know of it */
	uint8_t key[RING_KEY_SIZE];
};

struct ring {
	unsigned count; /* at least 1; no id twice */
	struct ring_key keys[ELECT_KEYS_MAX];
};

struct ring_line {
	uint8_t id; /* 1 - 255 */
	uint8_t secret[RING_SECRET_SIZE];
};

/* A key file, as it was read: its lines in order, no id twice. Count 0: there is no file. */
struct ring_file {
	unsigned count;
	struct ring_line lines[RING_FILE_MAX];
};

enum ring_mode { RING_AUTO, RING_ENFORCE, RING_PERMISSIVE, RING_RECEIVE_ONLY, RING_MODES };

const char *ring_mode_name(enum ring_mode mode); /* as in auth.mode */
/* False: there is no such mode. */
bool ring_mode_read(const char *word, enum ring_mode *ret_mode);

/*
 * Without a file: the built-in key alone; ENFORCE fails with -ENOKEY. With a file: AUTO and ENFORCE
 * take its lines; PERMISSIVE its lines, then the built-in key; RECEIVE_ONLY the built-in key, then
 * its lines.
 */
int ring_make(struct ring *ret_ring, enum ring_mode mode, const char *domain,
	const struct ring_file *file);

/* NULL: there is no key of that number, and datagrams under it are not judged. */
const struct ring_key *ring_find(const struct ring *r, uint8_t id);
/* Does the ring have that very key, not only one of the same number? */
bool ring_has(const struct ring *r, const struct ring_key *key);
bool ring_equal(const struct ring *a, const struct ring *b);
/* Ids and names of the keys, without their bytes. */
void ring_told(const struct ring *r, struct elect_keys *ret_keys);

#endif
