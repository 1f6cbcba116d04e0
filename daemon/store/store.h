/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: keeps what a host must remember across restarts (counter.md, State on disk).
 *
 * The file `state` has two slots of 4 KiB. A save goes to the older slot and is confirmed only
 * after fdatasync(); when loading, the newest valid slot wins. After the start, one writer thread
 * does all writing. A newer image replaces a waiting one, and an eventfd reports results, so
 * store_save() never waits. This module must not decide what the numbers mean, and must never
 * silently start at zero.
 */
#ifndef ELECTD_STORE_STORE_H
#define ELECTD_STORE_STORE_H

#include "core/elect.h"

enum {
	STORE_SLOT_SIZE = 4096,
	STORE_FILE_SIZE = 2 * STORE_SLOT_SIZE,
	STORE_VERSION = 1,
	STORE_ERROR_MAX = 1024,
	STORE_DAMAGED_MAX = 9, /* files set aside; a start that needs one more is refused */
	STORE_CLOSE_MS = 2000, /* longest wait of store_close() for the disk */
	STORE_LOOK_MS = 2000,  /* interval of checks that the file is still there */
};

/* The remembered values; `floor` is the minimum token (elect_token()). */
struct store_image {
	uint64_t incarnation, reserved, floor;
	bool held;
};

/* A message for a user, without control characters and newlines. */
struct store_error {
	char text[STORE_ERROR_MAX];
};

/* Result of store_open(). */
struct store_found {
	struct store_image image; /* zero if `first`; nothing reserved if `lost`; this start has
				     incarnation + 1 */
	bool first;		  /* there was no state file: the first start here */
	bool lost;		  /* there was one, but a useless one; stays set for good: the
				     core avoids numbers that this host may have used before. The
				     caller reports `words` prominently until a save reserves
				     counters */
	bool slot_bad;		  /* one of two slots was bad, the other was used; see `words` */
	struct store_error words; /* reason of `lost` or `slot_bad`, and where the old file is;
				     else empty */
};

struct store_result {
	bool ok;
	bool asked;		  /* by store_save(); else the writer has checked the file itself */
	bool anew;		  /* the file was gone or changed, and was created again */
	struct store_image image; /* on the disk now, or what could not be written */
	int error;		  /* -errno if not ok */
	const char *doing;	  /* "writing", "syncing" ... if not ok */
};

struct store;

/*
 * Opens the state of host `id` in `dir`, locks it, and starts the writer. A first start, or one
 * without usable state, creates the whole file. A damaged file, or one of another host (a cloned
 * disk), is kept as state.damaged, state.damaged.2 ...
 *
 * Returns 0, or -errno with ret_error: -EBUSY if another daemon uses the state (the message names
 * its process), -EPROTONOSUPPORT if the file is of a newer electd, else the error of the system
 * (not writable, disk full). The caller then saves the new incarnation at once, by store_save().
 */
int store_open(struct store **ret_store, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error);

/* Hands an image to the writer; it replaces one that still waits. Never blocks. */
void store_save(struct store *store, const struct store_image *image);

/* A descriptor that is readable when store_result() has something. Belongs to the store. */
int store_fd(const struct store *store);

/*
 * Takes the result of a finished save; false: there is none yet. The next image is written only
 * after this result was taken, so no result is lost. An image that was replaced has no result. A
 * file that vanished or was restored from an old copy is noticed within STORE_LOOK_MS and created
 * again, which also has a result, without a call of store_save().
 */
bool store_result(struct store *store, struct store_result *ret_result);

/*
 * Finishes the writes handed over, waits at most STORE_CLOSE_MS, and frees the store. 0; -EIO and
 * the like: the last image is not on the disk; -ETIMEDOUT: the disk hangs, and writer and lock are
 * left to the end of the process. NULL is allowed.
 */
int store_close(struct store *store);

/* ---- one slot, pure; for load, tests, fuzzers ----------------------------------------------- */

struct store_slot {
	uint64_t generation;
	struct elect_id id;
	struct store_image image;
	bool lost; /* an earlier state was lost */
};

void store_encode(const struct store_slot *slot, uint8_t ret_bytes[STORE_SLOT_SIZE]);
/*
 * 0; -EBADMSG: no slot, damaged or half written; -EPROTONOSUPPORT: intact, but of another version.
 * Changes ret_slot only on success.
 */
int store_decode(const uint8_t *bytes, size_t size, struct store_slot *ret_slot);
/* Is generation `a` newer than `b`? Generations wrap around. */
bool store_newer(uint64_t a, uint64_t b);

#endif
