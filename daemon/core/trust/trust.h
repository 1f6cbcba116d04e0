/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust: decides which datagrams are believed (trust.md sections 2 and 3; messages.md, "Which
 * sessions are verified").
 *
 * The tag of a datagram shows that a holder of the key made it, for the path on which it came. The
 * state and the windows of its session (session.h) show that it is fresh: a session is verified
 * when it has answered a request of this host, and a datagram that it sent before that answer, or
 * that was seen already, is refused. This depends on neither the wall clock nor the disk.
 *
 * Each host has one place for each key, with three sessions: the one that answered last (`proven`),
 * the one before it, and a candidate that has not answered. A verified host vouches for the
 * sessions that it lists: datagrams may be sent to such a session, and it is challenged before it
 * is believed. A key verifies sessions for itself alone; if a key is removed, all that it has
 * verified is forgotten. The tables are bounded, and only authentic datagrams fill them. A new host
 * takes the place of an unverified one, else of the host that was silent for longest.
 *
 * A recording played by a sender without the key changes nothing. Either its session is verified
 * and has reported higher sequences, or the session is an unverified peer (unverified.h), which
 * is challenged and cannot answer. A datagram that a holder of the key forges in a living session
 * has an effect until the next answer of that session.
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
	TRUST_PEERS_MAX = 2 * ELECT_HOSTS_MAX, /* while keys change, a host has two places */
	TRUST_KEY_SIZE = RING_SECRET_SIZE,
	TRUST_DOMAIN_MAX = 63,
	TRUST_OPEN_MAX = 256, /* open transactions; a new one replaces the oldest */
	/*
	 * A datagram to all that is younger than this counts as recent in a report of tops. So may
	 * one that is up to three times as old, because only two marks are kept. Such a report may
	 * answer a Challenge that the datagram has caused, which its receivers send within 20 ms.
	 */
	TRUST_RECENT_US = 50000,
	/* A verified session is informed of a later start of its host so often. Then that start is
	   forgotten, because an insider may have made it up. */
	TRUST_TELLS = 3,
	TRUST_TELL_US = 60000000, /* least time between two such reports */
	/* Transactions of Challenges have a table of their own. At the rates of unverified.h it
	   holds all that are sent within TRUST_OPEN_US. */
	TRUST_CHALLENGES_MAX = 1408,
	TRUST_WILLS_MAX = 2048, /* remembered messages of wills; a new one replaces the oldest */
	/*
	 * A session that was silent for this long yields: the present one to a session of the same
	 * incarnation that is vouched for, a vouched one to another candidate, and a verified host
	 * to a new one if the table is full.
	 */
	TRUST_SILENT_US = 1000000,
};
/* A host as one key shows it. */
struct trust_peer {
	struct elect_id id;
	uint8_t key_id;
	bool seen;			/* a session of it was verified by a key of that number */
	bool member;			/* has been a member since this entry was made */
	struct trust_session proven;	/* verified, or it was until its last will was heard */
	struct trust_session candidate; /* authentic or vouched for; `proven` stays in force */
	struct trust_session former;	/* verified before the present one */
	uint64_t incarnation;		/* the highest that was ever verified */
	uint64_t told_us[2];		/* [verified]: last report of a later start; 0: never */
	unsigned told;			/* number of reports to verified sessions */
};

struct trust_open_transaction {
	struct elect_transaction transaction;
	uint64_t since_us; /* when it was sent; ELECT_NEVER: answered */
};

struct trust_arrival {
	struct elect_address from;
	bool own;      /* `from` is an address of this host */
	unsigned link; /* index of the link */
};

/* The judgement of a datagram. */
struct trust_proof {
	bool proven;	   /* believed: session verified, space open (or a will: trust.c) */
	uint64_t asked_us; /* when our request that it answers was sent; 0: it answers none */
	bool alone;	   /* that request was a Challenge to one host */
	struct elect_heard behind; /* one more Challenge reports this; session 0: nothing */
	uint64_t will; /* of a message of a will: its name, the same on each link; else 0 */
};

_Static_assert(TRUST_CHALLENGES_MAX >= UNVERIFIED_NEW_AT_ONCE +
			(UNVERIFIED_POOLS - 1) * UNVERIFIED_CHALLENGES_PER_S +
			UNVERIFIED_POOLS * UNVERIFIED_CHALLENGES_PER_S * (TRUST_OPEN_US / 1000000),
	"no flood pushes an open Challenge out");

struct trust {
	struct ring ring; /* unused if `place` is set: see trust_ring() */
	uint32_t domain_hash;
	struct elect_id self;
	uint64_t session;
	uint64_t sequences[2]; /* last used, to one and to all */
	struct trust_sent {
		uint64_t us; /* when a sequence was used last */
		struct trust_mark {
			uint64_t us, below; /* sequences up to `below` are older than `us` */
		} marks[2]; /* [1] is at least TRUST_RECENT_US younger; equal after a pause */
	} sent[2];	    /* to one and to all */
	struct rng rng;
	uint64_t opened, challenged; /* number ever put into `open` and `challenges` */
	uint64_t wills_count;	     /* number ever put into `wills` */
	unsigned peers_count;
	struct places places;			  /* by id: a host has one place for each key */
	struct trust_peer peers[TRUST_PEERS_MAX]; /* memory beyond the count is untouched */
	/* Circular: a new entry replaces the oldest. Their memory is untouched until it is used. */
	struct trust_open_transaction open[TRUST_OPEN_MAX];
	struct trust_open_transaction challenges[TRUST_CHALLENGES_MAX];
	struct unverified unverified; /* likewise untouched */
	/* Names: a will that its session has withdrawn by an answer is not believed again. */
	uint64_t wills[TRUST_WILLS_MAX]; /* circular, too */
	struct ring *place; /* set by trust_keep_at(), kept by trust_init(); NULL: none */
};

/*
 * To be called before trust_init(): the ring is kept in `place` from then on, in memory that the
 * caller guards and wipes at the end. Without this call the ring is a part of `t`, which is too
 * large to be guarded.
 */
static inline void trust_keep_at(struct trust *t, struct ring *place)
{
	t->place = place;
}

static inline const struct ring *trust_ring(const struct trust *t)
{
	return t->place ? t->place : &t->ring;
}

/* Copies the ring. NULL: the domain's built-in key alone. */
void trust_init(struct trust *t, const char *domain, const struct ring *ring,
	const struct elect_id *self, uint64_t session, uint64_t seed);

/*
 * Replaces the keys. All that only the removed keys have verified is forgotten. Fills in the
 * sessions that no key verifies any more, at most TRUST_PEERS_MAX, and returns their number.
 */
unsigned trust_set_ring(struct trust *t, const struct ring *ring, struct elect_session *ret_lost);

/* The id of the key that seals what this host sends. */
static inline uint8_t trust_key_id(const struct trust *t)
{
	return trust_ring(t)->keys[0].told.id;
}

/* Is a datagram under a key of that number judged? If not, other_keys.h handles it. */
static inline bool trust_has_key(const struct trust *t, uint8_t key_id)
{
	return ring_find(trust_ring(t), key_id);
}

/* The index in `peers` of that host under that key, or -1. */
int trust_find(const struct trust *t, const struct elect_id *id, uint8_t key_id);

/* The places of a host under all keys: the first index, and the next one after `at`; or -1. */
int trust_first(const struct trust *t, const struct elect_id *id);
int trust_next(const struct trust *t, int at);

/*
 * Is this session of `id` verified, by that key or by any key? If keys have verified several
 * sessions of a host, only the session verified last is.
 */
bool trust_proven_by(
	const struct trust *t, const struct elect_id *id, uint64_t session, uint8_t key_id);
bool trust_proven(const struct trust *t, const struct elect_id *id, uint64_t session);

/* The same for any key, and all that the session sends is believed: both its spaces are open. */
bool trust_hears(const struct trust *t, const struct elect_id *id, uint64_t session);

/*
 * Judges a datagram and changes nothing. WIRE_OK: authentic and not seen before. WIRE_DUPLICATE: a
 * copy of a believed datagram, the first copy on this link. WIRE_ANSWER_UNASKED: an answer that
 * echoes no open request. An answer to a Challenge to one host is judged without a window. A
 * datagram with our own id, but with another session or from an address that is not ours, is judged
 * like that of any other host.
 */
enum wire_verdict trust_open(const struct trust *t, uint64_t now_us,
	const struct trust_arrival *arrival, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header, struct trust_proof *ret_proof);

/*
 * Remembers a datagram that was judged WIRE_OK and whose fields are valid. `tops` is what it
 * reports; to_one 0: nothing. An answer verifies its session. Fills in whether the datagram is
 * believed. Returns WIRE_OK; or, with nothing changed, WIRE_FIELDS_BAD if no honest session reports
 * such tops, or WIRE_TABLE_FULL.
 */
enum wire_verdict trust_remember(struct trust *t, uint64_t now_us, unsigned link,
	const struct wire_header *h, const struct elect_tops *tops, struct trust_proof *proof);

/* Remembers a datagram that was judged WIRE_DUPLICATE. */
void trust_saw(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h);

/* Is a kept datagram acted on, now that its session is verified? Then it is noted as seen. */
bool trust_takes(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h);

/*
 * Judges a datagram that came by an address family that is not used: WIRE_OK if it is authentic and
 * not our own. Changes nothing.
 */
enum wire_verdict trust_overhear(const struct trust *t, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header);

/* Notes an authentic datagram that was judged WIRE_REPLAYED (session_refused()). */
void trust_refused(struct trust *t, const struct wire_header *h);

/*
 * Is the session of this refused, authentic datagram to be challenged (session_suspects())? Most
 * such datagrams are recordings. But a forged sequence may have moved the window, or the process of
 * the session was put back to an earlier state. ret_heard is what the Challenge reports to it.
 */
bool trust_suspects(const struct trust *t, uint64_t now_us, const struct wire_header *h,
	struct elect_heard *ret_heard);

/* Notes that the Challenge which trust_suspects() asks for is sent now. */
void trust_asked(struct trust *t, uint64_t now_us, const struct wire_header *h);

/* Is such a Challenge to the session of this datagram open? */
bool trust_awaits_answer(const struct trust *t, uint64_t now_us, const struct wire_header *h);

/*
 * Does `heard` show that our session has used sequences which this process has not used, so that
 * the process was put back to an earlier state?
 */
bool trust_put_back(const struct trust *t, const struct elect_heard *heard);

/* Does `heard` name sequences of our session so high that this process cannot pass them over? */
bool trust_used_up(const struct trust *t, const struct elect_heard *heard);

/* Passes over the sequences up to the tops in `heard`, because they may be forged. */
void trust_pass_over_heard(struct trust *t, const struct elect_heard *heard);

/*
 * Begins another session, at its first sequence, because this process was put back to an earlier
 * state. No host is verified any more: the old windows would accept recordings of what was sent
 * since that state. `seed` is random and must not be a part of that state.
 */
void trust_begin_anew(struct trust *t, uint64_t session, uint64_t seed);

/* Makes a fresh transaction for a request, open for TRUST_OPEN_US. */
void trust_request(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction);

/* The same for a Challenge. */
void trust_challenge(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction);

/* Takes the next sequence number of one of the two spaces. */
uint64_t trust_sequence(struct trust *t, bool to_all);

/* Notes that the last sequence of that space is used now. */
void trust_sent(struct trust *t, uint64_t now_us, bool to_all);

/*
 * To be called before a datagram to one host that reports tops. Its receiver still believes the
 * SESSION_RECENT sequences up to its own, however old they are. This skips sequences, so that all
 * of those were used just now or never.
 */
void trust_pass_over(struct trust *t, uint64_t now_us);

/* The highest sequences that this session has used; to_one is 0 before the first. */
void trust_tops(const struct trust *t, uint64_t now_us, struct elect_tops *ret_tops);

/*
 * Writes the tag into the last bytes of a datagram of `size` bytes, by the key of the ring that its
 * header names. `source` is the address from which the receiver will see it come.
 */
void trust_seal(
	const struct trust *t, uint8_t *bytes, size_t size, const struct elect_address *source);

/*
 * Is an older start of host `id` to be informed of the highest incarnation that this key knows?
 * Returns that incarnation, and counts the report; else 0. Verified sessions and all others are
 * informed once per TRUST_TELL_US each; the others only under a key of a key file, because
 * otherwise anybody could make one host send to another.
 */
uint64_t trust_outlived(struct trust *t, uint64_t now_us, const struct elect_id *id,
	uint64_t incarnation, uint8_t key_id, bool proven);

/*
 * Notes that a host which is verified by that key vouches that this session of `id` lives, in a
 * membership list or a forwarded Invitation. A host vouches only under the key that has verified
 * it. Ignored if the present session has a higher incarnation, or the same one and was not silent
 * for TRUST_SILENT_US. Datagrams may be sent to the session; what it sends is believed when it has
 * answered a Challenge.
 */
void trust_vouch(struct trust *t, uint64_t now_us, const struct elect_session *who,
	uint64_t incarnation, uint8_t key_id);
bool trust_vouched(const struct trust *t, const struct elect_id *id, uint64_t session);

/* Is this session vouched for, verified by any key, or was it verified until its last will? */
bool trust_knows(const struct trust *t, const struct elect_id *id, uint64_t session);

#endif
