/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unverified: the unverified peers, which are authentic sessions that have not answered a request
 * of this host. Decides when each is challenged, keeps its newest datagram until it answers, and
 * knows which sessions are unresponsive (unresponsive.h).
 *
 * The datagrams of an unverified peer change nothing; at most they cause a Challenge to it, one a
 * beacon. A coordinator or inviter that this host is about to follow, and a listed peer, get a
 * second one soon after the first. A listed peer gets one more for each datagram that it repeats
 * within 100 ms. No Challenge is longer than the datagram that causes it. The newest datagram of a
 * peer is acted on when the answer has come and shows that the datagram was sent just now.
 *
 * All peers together cause at most 50 Challenges of each of these kinds a second. Above that, peers
 * wait for their turn (unresponsive_turn()). A peer that was never asked goes first, so recordings,
 * which never answer, delay nobody for long. Hosts that were never asked have 50 more a second, and
 * 256 at once, because a host that was just started has not asked any recorded session before.
 *
 * After four Challenges in a row without an answer, each for a beacon, a session is unresponsive:
 * for 2 s, then 4, 8 … 60 s. During that time its datagrams are dropped by their header alone, so a
 * flood of them is cheap. The session may be alive and hear nothing of this host, so one Challenge
 * of it a beacon is still judged. Any proof that it lives ends all of this.
 */
#ifndef ELECTD_CORE_TRUST_UNVERIFIED_H
#define ELECTD_CORE_TRUST_UNVERIFIED_H

#include "unresponsive.h"
#include "core/wire/wire.h"

enum {
	UNVERIFIED_MAX = 128,
	UNVERIFIED_CHALLENGES_PER_S = 50, /* of each pool */
	UNVERIFIED_NEW_AT_ONCE = 256,	  /* of the new hosts' pool; others: a second's worth */
	UNVERIFIED_AGAIN_US = 15000,	/* delay of the second Challenge to a peer to be followed */
	UNVERIFIED_REPEATS_US = 100000, /* for further ones to a listed peer: an accept window */
	UNVERIFIED_KEPT_US = 1000000,	/* a kept datagram is not acted on if it is older */
	UNVERIFIED_EXCHANGE_US = 50000, /* a peer that was asked within this time keeps its place */
	UNVERIFIED_WAIT_BEACONS = 2,	/* a waiting peer silent for this long waits no more */
};

/*
 * Pools that pay for Challenges. The first two are also the two kinds of Challenges: ordinary, and
 * to a peer that is about to be followed or is listed.
 */
enum unverified_pool {
	UNVERIFIED_ORDINARY,
	UNVERIFIED_FOLLOWED,
	UNVERIFIED_NEW,	  /* to hosts that were never asked */
	UNVERIFIED_KNOWN, /* to sessions that are not unverified peers (recheck.h, successors.h);
			     repeats to listed peers */
	UNVERIFIED_POOLS
};

/* The receiver of a Challenge. */
enum unverified_whose {
	UNVERIFIED_OF_ANY,
	UNVERIFIED_LEADS,  /* this host is about to follow it */
	UNVERIFIED_LISTED, /* its session is known */
};

struct unverified_peer {
	struct unresponsive_who who; /* the same session under another key is another peer */
	uint64_t last_us;	     /* when it got its place, or was asked last */
	bool asked;		     /* last_us is when it was asked */
	uint64_t due_us;	     /* when a Challenge to it is due; ELECT_NEVER: none is */
	bool waits;		     /* that Challenge waits for a pool */
	uint64_t turn;		     /* unresponsive_turn() when its last datagram came */
};

/* The newest datagram of an unverified peer. */
struct unverified_kept {
	struct elect_ways ways; /* paths on which it came: one a link, in order of arrival */
	uint64_t at_us;		/* when it came */
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

struct unverified {
	uint64_t beacon_us;
	uint64_t full_us[UNVERIFIED_POOLS]; /* token buckets: when each is full again */
	unsigned count;
	struct unverified_peer list[UNVERIFIED_MAX];
	struct unverified_kept kept[UNVERIFIED_MAX]; /* apart from `list`, to keep a search small */
	struct unresponsive unresponsive;
};

/* Forgets all; memory beyond the counts is untouched. The seed must be secret (unresponsive.h). */
void unverified_clear(struct unverified *s, uint64_t seed);

/* The index in `list` of a session that has a place, or -1. */
int unverified_find(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* The index in `unresponsive` of a session that was asked, with a place or without; or -1. */
int unverified_asked(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* Is the session of that index unresponsive? */
bool unverified_is_unresponsive(const struct unverified *s, uint64_t now_us, int asked);

/*
 * Is a Challenge of an unresponsive session judged now? unverified_spoke() notes one whose tag was
 * good.
 */
bool unverified_may_speak(const struct unverified *s, uint64_t now_us, int asked);
void unverified_spoke(struct unverified *s, uint64_t now_us, int asked);

/*
 * Keeps a datagram of that peer, and challenges the peer at `due_us`, or at an earlier time that
 * was set before. Returns its index; or -1 if it gets no place, because it was asked within a
 * beacon, or the peers in all places were asked just now or go first.
 */
int unverified_meet(struct unverified *s, uint64_t now_us, uint64_t due_us,
	const struct elect_msg *m, const struct elect_way *way, const uint8_t *bytes, size_t size);

/* The index of a peer whose Challenge is due by now, and whose turn is first; or -1. */
int unverified_due(const struct unverified *s, uint64_t now_us);
/* When the next Challenge is due, or ELECT_NEVER. */
uint64_t unverified_next_us(const struct unverified *s);

/* True: the Challenge may be sent, and its pool has paid. False: it is not due, or has to wait. */
bool unverified_ask(struct unverified *s, uint64_t now_us, int at, enum unverified_whose whose);

/* Pays for a Challenge to a known session; peers that are not listed cannot use that pool up. */
bool unverified_pay(struct unverified *s, uint64_t now_us);

/* Notes a Challenge to a session without a place. After some in vain it is unresponsive, too. */
void unverified_note_asked(
	struct unverified *s, uint64_t now_us, const struct unresponsive_who *who);

/* The session is verified, with a place or without: it is no unverified peer any more. */
void unverified_forget(
	struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* Forgets the peers of a key that is no longer accepted. */
void unverified_forget_key(struct unverified *s, uint8_t key_id);

#endif
