/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stranger: authentic sessions that have not proven themselves, unverified peers: when each is
 * challenged, what of it is kept meanwhile, and which are unresponsive (unresponsive.h).
 *
 * The datagrams of an unverified peer change nothing. At most the peer is asked to prove itself, by
 * a Challenge: one a beacon, and one more a beacon, soon after, for a coordinator or inviter that
 * this host is about to follow. A peer that is listed gets one more for each datagram that it
 * repeats, for 100 ms. None is longer than the datagram that causes it. The newest datagram of each
 * peer is kept, and acted on when the answer has come and shows that it was sent just now.
 *
 * All peers together cause 50 Challenges a second of either kind. When these are used up they wait
 * for their turn (unresponsive_turn()): who was never asked goes first, so that recordings, which
 * never answer, delay nobody for long. Hosts that were never asked have 50 a second more, and 256
 * at once: one that was started a moment ago knows no recording.
 *
 * After four Challenges in a row without an answer, each for a beacon, a session is taken for
 * unresponsive: for 2 s, then 4, 8 … 60 s. Until then its datagrams are dropped by their header
 * alone, which is what makes a flood of them cheap. It may be alive and hear nothing of us, so one
 * Challenge of it a beacon is still looked at, and whatever proves it ends all of this.
 */
#ifndef ELECTD_CORE_TRUST_UNVERIFIED_H
#define ELECTD_CORE_TRUST_UNVERIFIED_H

#include "unresponsive.h"
#include "core/wire/wire.h"

enum {
	UNVERIFIED_MAX = 128,
	UNVERIFIED_CHALLENGES_PER_S = 50, /* of each pool */
	UNVERIFIED_NEW_AT_ONCE = 256,	  /* of that of new hosts; of the others a second's */
	UNVERIFIED_AGAIN_US = 15000,	  /* the second one to who is to be followed */
	UNVERIFIED_REPEATS_US = 100000,	  /* ... further ones to a listed one: an accept window */
	UNVERIFIED_KEPT_US = 1000000,	  /* older: its answer came too late to act on it */
	UNVERIFIED_EXCHANGE_US = 50000,	  /* who was asked so lately keeps its place */
	UNVERIFIED_WAIT_BEACONS = 2,	  /* who waits, and was silent so long, waits no more */
};

/* A pool pays for Challenges. The first two are their kinds, too: ordinary, and to a peer that is
   about to be followed. */
enum unverified_pool {
	UNVERIFIED_ORDINARY,
	UNVERIFIED_FOLLOWED,
	UNVERIFIED_NEW,	  /* of a host that was never asked */
	UNVERIFIED_KNOWN, /* of a session that is no unverified peer */
	UNVERIFIED_POOLS
};

/* To whom a Challenge goes. */
enum unverified_whose {
	UNVERIFIED_OF_ANY,
	UNVERIFIED_LEADS,  /* it is to be followed */
	UNVERIFIED_LISTED, /* its session is known */
};

struct unverified_peer {
	struct unresponsive_who who; /* the same session under another key is another one */
	uint64_t last_us;	     /* when it was met, or asked last */
	bool asked;		     /* ... the latter */
	uint64_t due_us;	     /* a Challenge is on its way; ELECT_NEVER: none is */
	bool waits;		     /* ... for a pool */
	uint64_t turn;		     /* when it was met last */
};

/* The newest datagram of an unverified peer. */
struct unverified_kept {
	struct elect_ways ways; /* by which it came: one a link, the first first */
	uint64_t at_us;		/* when it came */
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

struct unverified {
	uint64_t beacon_us;
	uint64_t full_us[UNVERIFIED_POOLS]; /* token buckets: when each is full again */
	unsigned count;
	struct unverified_peer list[UNVERIFIED_MAX];
	struct unverified_kept
		kept[UNVERIFIED_MAX]; /* beside it, so that a search touches little */
	struct unresponsive unresponsive;
};

/* Nothing known; untouched beyond the counts. The seed is secret (unresponsive.h). */
void unverified_clear(struct unverified *s, uint64_t seed);

/* The index of a session among those that have a place, or -1. */
int unverified_find(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* The index of a session among those that were asked, with a place or without; or -1. */
int unverified_asked(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* Is the session of that index unresponsive? */
bool unverified_is_unresponsive(const struct unverified *s, uint64_t now_us, int asked);

/* Is a Challenge of one that is looked at now? Say so afterwards, once its tag was good. */
bool unverified_may_speak(const struct unverified *s, uint64_t now_us, int asked);
void unverified_spoke(struct unverified *s, uint64_t now_us, int asked);

/*
 * A datagram of it came and is kept. It is to be challenged at `due_us`, or earlier if that was
 * said before. Its index, or -1: those of all places are asked just now, or go first.
 */
int unverified_meet(struct unverified *s, uint64_t now_us, uint64_t due_us,
	const struct elect_msg *m, const struct elect_way *way, const uint8_t *bytes, size_t size);

/* The index of a session whose Challenge is due by now, of several the one whose turn it is; or -1.
 */
int unverified_due(const struct unverified *s, uint64_t now_us);
/* When the next one is, or ELECT_NEVER. */
uint64_t unverified_next_us(const struct unverified *s);

/*
 * True: its Challenge may be sent, and is counted. False: it is no longer due, or waits until a
 * pool can pay.
 */
bool unverified_ask(struct unverified *s, uint64_t now_us, int at, enum unverified_whose whose);

/* A Challenge to a known session: recordings cannot use that pool up. False: too many. */
bool unverified_pay(struct unverified *s, uint64_t now_us);

/* A Challenge was sent to a session without a place: it is unresponsive, too, after some in vain.
 */
void unverified_note_asked(
	struct unverified *s, uint64_t now_us, const struct unresponsive_who *who);

/* The session is verified, whether it has a place or not: no unverified peer any more. */
void unverified_forget(
	struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* That key is accepted no more. */
void unverified_forget_key(struct unverified *s, uint8_t key_id);

#endif
