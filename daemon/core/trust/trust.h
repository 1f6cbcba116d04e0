/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust: which datagrams are believed (trust.md sections 2 and 3; messages.md, "Who is proven
 * when").
 *
 * A tag shows that a holder of the key made the datagram, for the path on which it came. The state
 * and the windows of its session (session.h) show that it is fresh: the session has answered a
 * request of this host, and what it sent before that answer, or twice, is refused. Needs neither
 * clock steps nor disk.
 *
 * Each host has a place for each key with three sessions: the one that answered last (`proven`),
 * the one before it, and a candidate that has not answered. A verified host vouches for the
 * sessions that it lists: datagrams may be sent to them, and they are challenged before they are
 * believed. What one key has verified counts for that key alone, and goes with it. Tables are
 * bounded and filled by authentic datagrams only. A new host takes the place of an unverified one,
 * else of the host that was silent for longest.
 *
 * A recording without the key changes nothing: its session is verified and has reported higher
 * sequences, or is an unverified peer (unverified.h), which is challenged and cannot answer. What a
 * holder of the key forges in a living session lasts until the next answer of that session.
 */
#ifndef ELECTD_CORE_TRUST_TRUST_H
#define ELECTD_CORE_TRUST_TRUST_H

#include "core/elect.h"
#include "core/places.h"
#include "core/rng.h"
#include "ring.h"
#include "session.h"
#include "unverified.h"
#include "core/wire/wire.h"

enum {
	TRUST_PEERS_MAX = 2 * ELECT_HOSTS_MAX, /* while keys change a host has two places */
	TRUST_KEY_SIZE = RING_SECRET_SIZE,
	TRUST_DOMAIN_MAX = 63,
	TRUST_OPEN_MAX = 256, /* open transactions; the oldest is forgotten */
	/* A datagram to all may arrive so much later than a report of its sequence, which answers
	   it: its hearers ask within 20 ms. Twice as much for the older mark. */
	TRUST_RECENT_US = 50000,
	/* A verified session is told of a later start so often; then that start is forgotten, for
	   an insider may have made it up. */
	TRUST_TELLS = 3,
	TRUST_TELL_US = 60000000, /* an older start of a known host is told so once in it */
	/* Transactions of Challenges, apart: at the rates of unverified.h all stay open so long. */
	TRUST_CHALLENGES_MAX = 1408,
	TRUST_WILLS_MAX = 2048,	   /* words of wills that were heard; the oldest is forgotten */
	TRUST_SILENT_US = 1000000, /* a session unheard for so long yields to an older incarnation,
				      a proven host to a new one when the table is full */
};
/* A host as one key shows it. */
struct trust_peer {
	struct elect_id id;
	uint8_t key_id;
	bool seen;			/* it has proven itself here, by a key of that number */
	bool member;			/* it was on our list, since it has this place */
	struct trust_session proven;	/* verified, or it was until its last will was heard */
	struct trust_session candidate; /* authentic or vouched for; the proven stays in force */
	struct trust_session former;	/* verified before the present one */
	uint64_t incarnation;		/* the highest that was ever proven */
	uint64_t told_us[2];		/* when it was told so last: unproven, proven; 0: never */
	unsigned told;			/* ... so often, proven */
};

struct trust_open_transaction {
	struct elect_transaction transaction;
	uint64_t since_us; /* ELECT_NEVER: it was answered */
};

/* How a datagram came. */
struct trust_arrival {
	struct elect_address from;
	bool own;      /* an address of this host */
	unsigned link; /* an index */
};

/* The judgement of a datagram. */
struct trust_proof {
	bool proven;	   /* believed: its session is verified, and its space open */
	uint64_t asked_us; /* when the request of ours that it answers was sent; 0: of none */
	bool alone;	   /* that request was a Challenge to one host */
	struct elect_heard behind; /* it is to be told this, which was heard; session 0: nothing */
	uint64_t will;		   /* of a word of a will: the first bytes of its tag; else 0 */
};

_Static_assert(TRUST_CHALLENGES_MAX >= UNVERIFIED_NEW_AT_ONCE +
			(UNVERIFIED_POOLS - 1) * UNVERIFIED_CHALLENGES_PER_S +
			UNVERIFIED_POOLS * UNVERIFIED_CHALLENGES_PER_S * (TRUST_OPEN_US / 1000000),
	"no flood pushes an open Challenge out");

struct trust {
	struct ring ring; /* unless `place` has it: trust_ring() */
	uint32_t domain_hash;
	struct elect_id self;
	uint64_t session;
	uint64_t sequences[2]; /* last used, to one and to all */
	struct trust_sent {
		uint64_t us; /* when a sequence was used last */
		struct trust_mark {
			uint64_t us, below; /* then the highest sequence was this one */
		} marks[2]; /* an older one, and one at least TRUST_RECENT_US younger */
	} sent[2];	    /* to one and to all */
	struct rng rng;
	uint64_t opened, challenged; /* of `open` and `challenges`: all that ever were */
	uint64_t wills_count;	     /* of `wills`: all that ever were heard */
	unsigned peers_count;
	struct places places;			  /* of peers: several of one host, by their keys */
	struct trust_peer peers[TRUST_PEERS_MAX]; /* untouched beyond the count */
	/* Untouched until used; the newest takes the place of the oldest. */
	struct trust_open_transaction open[TRUST_OPEN_MAX];
	struct trust_open_transaction challenges[TRUST_CHALLENGES_MAX];
	struct unverified unverified; /* the same */
	/* Tags: a will that its session has withdrawn by an answer is not believed again. */
	uint64_t wills[TRUST_WILLS_MAX]; /* the same */
	struct ring *place; /* trust_keep_at(), which trust_init() leaves as it is; NULL: none */
};

/*
 * Before trust_init(): the ring is kept there from then on, in memory that the caller guards, and
 * wipes at the end. Else it is a part of `t`, which is too large to be guarded.
 */
static inline void trust_keep_at(struct trust *t, struct ring *place)
{
	t->place = place;
}

static inline const struct ring *trust_ring(const struct trust *t)
{
	return t->place ? t->place : &t->ring;
}

/* The ring is copied. NULL: the domain's built-in key alone. */
void trust_init(struct trust *t, const char *domain, const struct ring *ring,
	const struct elect_id *self, uint64_t session, uint64_t seed);

/*
 * Other keys from here on. What only those that are gone have proven is forgotten; fills in the
 * sessions that are not known to live any more, at most TRUST_PEERS_MAX. How many.
 */
unsigned trust_set_ring(struct trust *t, const struct ring *ring, struct elect_session *ret_lost);

/* The key that is sent. */
static inline uint8_t trust_key_id(const struct trust *t)
{
	return trust_ring(t)->keys[0].told.id;
}

/* Is what is sealed by the key of that number to be judged? Else it is other_keys'. */
static inline bool trust_has_key(const struct trust *t, uint8_t key_id)
{
	return ring_find(trust_ring(t), key_id);
}

/* Its index in `peers`, as that key shows it, or -1. */
int trust_find(const struct trust *t, const struct elect_id *id, uint8_t key_id);

/* All that is known of a host, by any key: the first index, and the next behind one; or -1. */
int trust_first(const struct trust *t, const struct elect_id *id);
int trust_next(const struct trust *t, int at);

/*
 * Is this session of `id` known to live, by that key, or by any? Of several sessions that keys have
 * proven the one that was proven last is.
 */
bool trust_proven_by(
	const struct trust *t, const struct elect_id *id, uint64_t session, uint8_t key_id);
bool trust_proven(const struct trust *t, const struct elect_id *id, uint64_t session);

/*
 * Judges a datagram and changes nothing. WIRE_OK: authentic and not seen; WIRE_DUPLICATE: a copy of
 * a believed one, the first that came by this link. An answer that echoes no open request is
 * WIRE_ANSWER_UNASKED; one to a Challenge to one host is judged without a window. A datagram with
 * our own id, and another session or an address that is not ours, is judged like any other's.
 */
enum wire_verdict trust_open(const struct trust *t, uint64_t now_us,
	const struct trust_arrival *arrival, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header, struct trust_proof *ret_proof);

/*
 * The datagram was judged WIRE_OK and its fields are valid: remembers it. `tops` is what it
 * reports; to_one 0: nothing. An answer verifies its session. Fills in whether the datagram is
 * believed. WIRE_OK, or with nothing changed: WIRE_FIELDS_BAD, tops that no honest session reports;
 * WIRE_TABLE_FULL.
 */
enum wire_verdict trust_remember(struct trust *t, uint64_t now_us, unsigned link,
	const struct wire_header *h, const struct elect_tops *tops, struct trust_proof *proof);

/* A datagram that was judged WIRE_DUPLICATE. */
void trust_saw(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h);

/* Is one that was kept until its session was verified to be acted on now? Then it counts as seen.
 */
bool trust_takes(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h);

/*
 * Is it authentic, and not our own? Nothing is changed, whatever it says: it came by a family that
 * is not used.
 */
enum wire_verdict trust_overhear(const struct trust *t, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header);

/* This authentic datagram was judged WIRE_REPLAYED (session_refused()). */
void trust_refused(struct trust *t, const struct wire_header *h);

/*
 * Is the session of this authentic datagram to be challenged, because its sequence is not above
 * what the window had seen a beacon ago (session_suspects())? Its window may be the work of a
 * forged sequence, or its process was put back to an earlier state: ret_heard names what was heard
 * of it. Most of such datagrams are recordings.
 */
bool trust_suspects(const struct trust *t, uint64_t now_us, const struct wire_header *h,
	struct elect_heard *ret_heard);

/* Its Challenge is sent now. */
void trust_asked(struct trust *t, uint64_t now_us, const struct wire_header *h);

/* Is a Challenge open that trust_suspects() has caused to the session of this datagram? */
bool trust_awaits_answer(const struct trust *t, uint64_t now_us, const struct wire_header *h);

/* Has the session surely used sequences that this process of it has not? */
bool trust_put_back(const struct trust *t, const struct elect_heard *heard);

/* Were sequences of this session heard that it cannot pass over? */
bool trust_used_up(const struct trust *t, const struct elect_heard *heard);

/* Sequences up to the tops that were heard may be forged: this process uses none of them. */
void trust_pass_over_heard(struct trust *t, const struct elect_heard *heard);

/*
 * This process was put back to an earlier state: another session, from its first sequence on; no
 * host is proven, for what they have said since would be new here. `seed` is chance that no earlier
 * state has.
 */
void trust_begin_anew(struct trust *t, uint64_t session, uint64_t seed);

/* A fresh transaction for a request, open for TRUST_OPEN_US. */
void trust_request(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction);

/* The same for a Challenge. */
void trust_challenge(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction);

/* Next sequence number of one of the two spaces. */
uint64_t trust_sequence(struct trust *t, bool to_all);

/* The last sequence of that space was used now. */
void trust_sent(struct trust *t, uint64_t now_us, bool to_all);

/*
 * The next datagram to one host reports tops. Its receiver believes SESSION_RECENT sequences up to
 * its own, however old they are: of these only such are left that were used just now, or never.
 */
void trust_pass_over(struct trust *t, uint64_t now_us);

/* The highest sequences that this session has used; to_one is 0 before the first. */
void trust_tops(const struct trust *t, uint64_t now_us, struct elect_tops *ret_tops);

/*
 * Writes the tag of the key that the header names, one of the ring, over `size` bytes (tag
 * included) as they will be seen coming from `source`.
 */
void trust_seal(
	const struct trust *t, uint8_t *bytes, size_t size, const struct elect_address *source);

/*
 * The highest incarnation known of a host by that key, to be told to this older one of it, now; 0:
 * nothing to tell, or told lately. Once a minute each to what is proven and to all that is not,
 * which must be of a key file: else anybody could have one host answer another. Counts as told.
 */
uint64_t trust_outlived(struct trust *t, uint64_t now_us, const struct elect_id *id,
	uint64_t incarnation, uint8_t key_id, bool proven);

/*
 * A host that is proven by that key vouches that this session of `id` lives (a list, a forwarded
 * invitation): nobody vouches for more than what he was believed by. Ignored when a session of a
 * higher incarnation is proven already. Datagrams may be sent to such a session; what it sends is
 * believed when it has answered a Challenge.
 */
void trust_vouch(struct trust *t, uint64_t now_us, const struct elect_session *who,
	uint64_t incarnation, uint8_t key_id);
bool trust_vouched(const struct trust *t, const struct elect_id *id, uint64_t session);

/* Is this session vouched for, or verified by any key, or was it until its last will? */
bool trust_knows(const struct trust *t, const struct elect_id *id, uint64_t session);

#endif
