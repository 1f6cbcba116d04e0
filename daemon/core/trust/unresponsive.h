/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unresponsive: sessions that were asked to prove themselves and have not, apart from the few
 * places of unverified peers (unverified.h): how often, when, and how long each is unresponsive.
 *
 * Two kinds of entries are in one table. A session's, by (id, key, session), says whether its
 * datagrams are dropped by their header. It is of that session alone: nobody can use it against
 * another start of the host. A host's, by (id, key), says when any session of it was asked last and
 * which was the newest, by incarnation; it drops nothing and only orders who is asked next.
 *
 * An entry begins with a Challenge, so no more are made than Challenges are sent, and a search
 * touches one row of eight. In a full row the entry that matters least long makes room: its session
 * is heard again, and asked, after those that never were.
 */
#ifndef ELECTD_CORE_TRUST_UNRESPONSIVE_H
#define ELECTD_CORE_TRUST_UNRESPONSIVE_H

#include "core/elect_msg.h"

enum {
	UNRESPONSIVE_ROW = 8,
	UNRESPONSIVE_ROWS = 512,
	UNRESPONSIVE_MAX = UNRESPONSIVE_ROW * UNRESPONSIVE_ROWS,
	UNRESPONSIVE_CHALLENGES = 4, /* in a row without an answer, each for a beacon */
	UNRESPONSIVE_US = 2000000,   /* the first time; then twice as long each time, up to ... */
	UNRESPONSIVE_US_MAX = 60000000,
};

/* A session, as one key shows it. */
struct unresponsive_who {
	struct elect_id id;
	uint64_t session; /* 0: the host */
	uint64_t incarnation;
	uint8_t key_id;
};

struct unresponsive_entry {
	struct unresponsive_who who; /* a host's: with the incarnation of its newest session */
	uint64_t newest;	     /* a host's: that session */
	uint64_t asked_us[2];	     /* of either kind (unverified.h); 0: never */
	uint64_t from_us, until_us;  /* it is unresponsive */
	uint64_t next_us;	     /* how long the next time */
	uint64_t looked_us;	     /* at a Challenge of it, while unresponsive */
	uint8_t row;		     /* of Challenges without an answer, since it was so last */
	uint8_t vain;		     /* ... since it is known, as far as it is counted */
};

struct unresponsive {
	uint64_t seed;
	unsigned count;
	uint16_t rows[UNRESPONSIVE_ROWS]
		     [UNRESPONSIVE_ROW];		  /* 0: free; else an index, and one more */
	struct unresponsive_entry list[UNRESPONSIVE_MAX]; /* untouched beyond the count */
};

/* None is known. The seed is one that no sender knows: who knew it could fill one row. */
void unresponsive_clear(struct unresponsive *u, uint64_t seed);

/* The index of a session, or -1. */
int unresponsive_find(
	const struct unresponsive *u, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* Is it dropped by its header now? */
bool unresponsive_is(const struct unresponsive *u, uint64_t now_us, int at);

/*
 * A Challenge of that kind is sent to it, the first within a beacon if it is `counted`. What was
 * counted last has a beacon's time to be answered, too.
 */
void unresponsive_asked(struct unresponsive *u, uint64_t now_us, const struct unresponsive_who *who,
	unsigned kind, bool counted, uint64_t beacon_us);

/*
 * Whose turn is it? Less goes first: 0, of a host that was never asked; then by the number of vain
 * Challenges to the session, one more if it is not the newest start of its host; and of equal ones
 * that whose host was asked longest ago.
 */
uint64_t unresponsive_turn(const struct unresponsive *u, const struct unresponsive_who *who);

/* Is that the turn of a host's newest start, which was never asked? */
bool unresponsive_turn_is_newest(uint64_t turn);

/* The session has answered. */
void unresponsive_forget(struct unresponsive *u, int at);

/* The key is accepted no more. */
void unresponsive_forget_key(struct unresponsive *u, uint8_t key_id);

#endif
