/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unresponsive: the sessions that were challenged and have not answered: how often, when, and how
 * long each is unresponsive. It remembers far more of them than the few places of unverified.h.
 *
 * One table has two kinds of entries. The entry of a session, by (id, key, session), says whether
 * its datagrams are dropped by their header. It concerns that session alone, so nobody can use it
 * against another start of the host. The entry of a host, by (id, key), says when any session of
 * the host was asked last, and which session was the newest by incarnation. It drops nothing and
 * only orders who is asked next.
 *
 * A Challenge makes an entry, so there are no more entries than Challenges, and a search touches
 * one row of eight. In a full row the entry that matters least long is replaced: its session is
 * heard again, and is asked after sessions that were never asked.
 */
#ifndef ELECTD_CORE_TRUST_UNRESPONSIVE_H
#define ELECTD_CORE_TRUST_UNRESPONSIVE_H

#include "core/elect_msg.h"

enum {
	UNRESPONSIVE_ROW = 8,
	UNRESPONSIVE_ROWS = 512,
	UNRESPONSIVE_MAX = UNRESPONSIVE_ROW * UNRESPONSIVE_ROWS,
	UNRESPONSIVE_CHALLENGES = 4, /* in a row without an answer, each for a beacon */
	UNRESPONSIVE_US = 2000000,   /* the first time; each next time twice as long */
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
	struct unresponsive_who who; /* of a host: with the incarnation of its newest session */
	uint64_t newest;	     /* of a host: its newest session */
	uint64_t asked_us[2];	     /* by kind of Challenge (unverified.h); 0: never */
	uint64_t from_us, until_us;  /* span in which it is unresponsive */
	uint64_t next_us;	     /* length of the next such span */
	uint64_t looked_us;	     /* when a Challenge of it was judged in that span */
	uint8_t row;		     /* unanswered Challenges in a row since the last span */
	uint8_t vain;		     /* unanswered Challenges, at most UNRESPONSIVE_CHALLENGES */
};

struct unresponsive {
	uint64_t seed;
	unsigned count;
	uint16_t rows[UNRESPONSIVE_ROWS]
		     [UNRESPONSIVE_ROW];		  /* 0: free; else an index and one more */
	struct unresponsive_entry list[UNRESPONSIVE_MAX]; /* memory beyond the count is untouched */
};

/* Forgets all. The seed must be secret: a sender that knows it could fill one row. */
void unresponsive_clear(struct unresponsive *u, uint64_t seed);

/* The index of a session, or -1. */
int unresponsive_find(
	const struct unresponsive *u, const struct elect_id *id, uint64_t session, uint8_t key_id);

/* Are the datagrams of that session dropped by their header now? */
bool unresponsive_is(const struct unresponsive *u, uint64_t now_us, int at);

/*
 * Notes a Challenge of that kind to a session. It is `counted` if it is the first one within a
 * beacon. The session has a beacon to answer even the last one before it is unresponsive.
 */
void unresponsive_asked(struct unresponsive *u, uint64_t now_us, const struct unresponsive_who *who,
	unsigned kind, bool counted, uint64_t beacon_us);

/*
 * The turn of a session; lower goes first. 0: its host was never asked. Else the number of vain
 * Challenges to the session, plus one if it is not the newest start of its host; if these are
 * equal, the session goes first whose host was asked longest ago.
 */
uint64_t unresponsive_turn(const struct unresponsive *u, const struct unresponsive_who *who);

/* Is that the turn of a session that is the newest start of its host, and was not asked in vain? */
bool unresponsive_turn_is_newest(uint64_t turn);

/* Forgets a session, because it has answered. */
void unresponsive_forget(struct unresponsive *u, int at);

/* Forgets the entries of a key that is no longer accepted. */
void unresponsive_forget_key(struct unresponsive *u, uint8_t key_id);

#endif
