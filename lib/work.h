/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work: what a program that follows the leader may do, and which calls to electd it owes. Pure.
 *
 *	work_event(), _silent(), _back(), _gone()	what happens
 *	work_next()					the program takes an event
 *	work_may_act()					the program asks before an act
 *	work_released()					the program has ended its work
 *	work_owes(), work_lets_go()			what is due then
 *
 * The rules:
 * - A program begins to act only while this host leads, does not hand over, and knows that it is
 *   followed; and only under the token of the last event that the program has taken. Unless it has
 *   rank ADDRESS, it also waits while electd reports that those holders come first.
 * - After `release` nothing is done under that token any more, whatever electd reports later, as
 *   long as the role has not ended.
 * - A release is answered when the program does not act: at once, or when it has ended its work.
 * - Connections that have ended are kept while the program acts, because a copy of electd that
 *   holds the other end takes an open connection for unfinished work (electd-protocol(7), LAST
 *   WILL).
 * - Events wait in a short queue. Each carries the complete state, so the oldest may be left out;
 *   the next one is then a snapshot.
 */
#ifndef ELECTD_LIB_WORK_H
#define ELECTD_LIB_WORK_H

#include "lib/electd.h"
#include "lib/event.h"

enum { WORK_QUEUE_MAX = 16 };

struct work {
	bool holds;
	bool early; /* it has rank ADDRESS */
	bool waits; /* for rank ADDRESS, which begins */
	/* The last report of electd on this connection. */
	struct electd_event state;
	bool connected;
	bool leads, may_begin;
	uint64_t until_ms, ending_ms; /* while it led the last time; 0: not known */
	bool asked;		      /* for a release that was not answered, ... */
	uint64_t release;	      /* ... with this number */
	uint64_t over;		      /* no act any more under this token; 0: none */
	/* Acts of the program. */
	uint64_t taken; /* token of the last event taken, if this host led; else 0 */
	bool acts;
	uint64_t acts_with; /* this token */
	bool lets_go;
	/* Events that wait for the program. */
	unsigned first, count;
	bool left_out;
	struct electd_event queue[WORK_QUEUE_MAX];
};

/* `early`: it has rank ADDRESS. */
void work_init(struct work *w, bool holds, bool early);

/* An event was heard. Only after holder_take() has accepted it. */
void work_event(struct work *w, const struct event *event);
/* The last event does not count any more; counts again. */
void work_silent(struct work *w);
void work_back(struct work *w);
/* The connection has ended. `error`: a positive errno; `words`: a detail, or NULL. */
void work_gone(struct work *w, int error, const char *words);
/* A report was refused. */
void work_refused(struct work *w, int error, const char *words);

/* Returns whether there was an event. ret->size says how much of it the program knows. */
bool work_next(struct work *w, struct electd_event *ret);

/* `counts`: the last event still counts, and everything that waits was read. */
bool work_may_act(struct work *w, bool counts, uint64_t *ret_token);

void work_released(struct work *w);

/* Returns the number with which Release must be called now; 0: none. Each is returned once. */
uint64_t work_owes(struct work *w);
/* Returns whether ended connections must be closed now. */
bool work_lets_go(struct work *w);

#endif
