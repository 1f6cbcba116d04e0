/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: what a host must remember across restarts (trust.md section 5).
 *
 * One file `state` of two slots of 4 KiB. A save goes to the older slot and is confirmed only
 * after fdatasync(); the newest valid slot wins when loading. One writer thread does all writing
 * after start, the newest image wins, an eventfd tells the loop: store_save() never waits.
 * It must not decide what the numbers mean, and never start at zero silently.
 */
#ifndef ELECTD_STORE_STORE_H
#define ELECTD_STORE_STORE_H

#include "core/elect.h"

enum {
	STORE_SLOT_SIZE = 4096,
	STORE_FILE_SIZE = 2 * STORE_SLOT_SIZE,
	STORE_VERSION = 1,
	STORE_ERROR_MAX = 1024,
	STORE_DAMAGED_MAX = 9, /* files kept aside; with one more the start is refused */
	STORE_CLOSE_MS = 2000, /* how long store_close() waits for the disk */
	STORE_LOOK_MS = 2000,  /* between two looks whether the file is still there */
};

/* What is remembered; `floor` is a token (elect_token()). */
struct store_image {
	uint64_t incarnation, reserved, floor;
	bool held;
};

/* Words for a person, without control characters, without a newline. */
struct store_error {
	char text[STORE_ERROR_MAX];
};

/* What store_open() found. */
struct store_found {
	struct store_image image; /* zero when first, nothing reserved when lost; this start
				     is incarnation + 1 */
	bool first;		  /* no state file: the first start here */
	bool lost;		  /* there was one, of no use. Stays so for good: the core keeps
				     away from what this host may have used before. Be loud,
				     see words, until a save that reserves counters */
	bool slot_bad;		  /* one slot of two was bad, the other was taken, see words */
	struct store_error words; /* why lost or slot_bad, where the old file went; else empty */
};

struct store_result {
	bool ok;
	bool asked;		  /* by store_save(); else the writer has looked by itself */
	bool anew;		  /* the file was gone or not what it had been: made anew */
	struct store_image image; /* what is on the disk now, or could not be brought there */
	int error;		  /* -errno when not ok */
	const char *doing;	  /* "writing", "syncing" when not ok */
};

struct store;

/*
 * Opens the state of host `id` in `dir`, locks it, and starts the writer. A first
 * start, or one without usable state, creates the file whole. A damaged file, or one of another
 * host (a cloned disk), is kept as state.damaged, state.damaged.2 ...
 * 0, or -errno with ret_error: -EBUSY another daemon uses it (words say who), -EPROTONOSUPPORT
 * the file is of a newer electd, else what the system said (not writable, disk full).
 * The caller saves the new incarnation at once, by store_save().
 */
int store_open(struct store **ret_store, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error);

/* Hands an image to the writer; one that still waits is replaced. Never blocks. */
void store_save(struct store *store, const struct store_image *image);

/* Readable when store_result() has something. Belongs to the store. */
int store_fd(const struct store *store);

/*
 * Takes the result of a finished save; false: none (yet). The next image is not written before
 * this one's result was taken, so no result is lost. An image that was replaced has none.
 * A file that vanished, or was restored from an old copy, is noticed within STORE_LOOK_MS and made
 * anew: that has a result too, which nobody has asked for.
 */
bool store_result(struct store *store, struct store_result *ret_result);

/*
 * Finishes what was handed over, waits at most STORE_CLOSE_MS. 0; -EIO and the like: the last
 * image is not on the disk; -ETIMEDOUT: the disk hangs, the writer and the lock are left to the
 * end of the process. NULL is allowed.
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
 * 0; -EBADMSG: no slot, damaged or torn; -EPROTONOSUPPORT: whole, but of another version.
 * ret_slot is changed only on success.
 */
int store_decode(const uint8_t *bytes, size_t size, struct store_slot *ret_slot);
/* Generations wrap: is a newer than b? */
bool store_newer(uint64_t a, uint64_t b);

#endif
