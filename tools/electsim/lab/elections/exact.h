/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exact: plays one election on reliable FIFO links among hosts that do not fail: the environment in
 * which message counts are checked against theory. No acknowledgements, heartbeats or watchdogs.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_EXACT_H
#define ELECTSIM_LAB_ELECTIONS_EXACT_H

#include "lab.h"

#define EXACT_NEVER UINT64_MAX

enum { EXACT_DELAY_MAX = 10, EXACT_TYPES = 8 };

/* One run. Times are in rounds, or in units of delay if `random` is set. */
struct exact_order {
	const struct lab_algorithm *algorithm;
	unsigned count;
	uint16_t ids[LAB_HOSTS_MAX];	/* by place: 0 .. count - 1, each once */
	uint64_t starts[LAB_HOSTS_MAX]; /* when start() is called, or EXACT_NEVER */
	bool dead[LAB_HOSTS_MAX];	/* takes no part; messages to it are counted */
	bool literal;			/* play the slide's version, without the corrections */
	bool random;			/* delays of 1 .. EXACT_DELAY_MAX; else rounds */
	unsigned again;			/* number of further elections, one after the other */
	uint64_t seed;			/* of the delays and the algorithm's draws */
	/* A test may change a message before the host reads it; false: lose it. NULL: no change. */
	bool (*comes)(void *user, unsigned to, struct lab_msg *m);
	void (*reports)(void *user, unsigned host, const char *text); /* NULL: ignored */
	void *user;
};

struct exact_result {
	const char *broken; /* the property of 4.1 that does not hold; NULL: all hold */
	uint64_t messages, sent[EXACT_TYPES];
	uint64_t ids;	   /* carried in all messages together */
	uint64_t ticks;	   /* calls of begin() and timer() */
	uint64_t time;	   /* from the start of the best starter until the last message came */
	unsigned phases;   /* different distances probed */
	unsigned starters; /* hosts that start() brought out of the state of rest */
	uint16_t best;	   /* the best id of the starters */
	unsigned wins;	   /* how often a host elected itself */
	uint16_t elected[LAB_HOSTS_MAX]; /* by place, in the last election; LAB_NONE */
};

struct exact;
struct exact *exact_new(void);
void exact_free(struct exact *x);
void exact_play(struct exact *x, const struct exact_order *order, struct exact_result *ret);
/* Returns the host at that place, as the last play left it. */
const struct lab_host *exact_host(const struct exact *x, unsigned place);

#endif
