/* SPDX-License-Identifier: Apache-2.0 */
/*
 * election: the elections that hosts can use. This table joins the two halves of electsim: the
 * judge of the product can play an election of the laboratory, and the laboratory electd's. Neither
 * half includes a header of the other. elections.c has the rows.
 */
#ifndef ELECTSIM_WORLD_ELECTION_H
#define ELECTSIM_WORLD_ELECTION_H

#include "sim.h"

enum { ELECTIONS_MAX = 16 };

struct calm;

struct election {
	const char *name;  /* in options and stories */
	const char *title; /* author and year */
	/* One of these two; the other is NULL. */
	const struct elect_algorithm *framed; /* on the frame of electd */
	const struct lab_algorithm *lab;      /* on the transport of the laboratory */
	bool eventual;	  /* hosts agree eventually, and send messages for ever */
	bool lowest_wins; /* the best host has the lowest index, else the highest */
	unsigned hosts_max;
	/* Makes all hosts of an empty LAN use it; `literal`: as on its slide, with its gaps. */
	void (*begin)(struct sim *s, const struct election *e, bool literal);

	/* ---- of the laboratory */
	const char *faults; /* troubles that its hosts support: names of `electsim faults` */
	/* Asserts the promises that hold after the troubles of a run (calm.h). */
	void (*calm)(struct sim *s, struct calm *c);

	/* ---- on the frame of electd */
	/* every arrival and departure starts an election; the highest host leads if it can */
	bool reelects;
	/* Messages at which a trouble may strike; messages that push a counter. */
	const enum elect_msg_type *steps, *pushes;
	unsigned steps_count, pushes_count;
};

/* The first row is electd's own. */
const struct election *elections_list(unsigned *ret_count);
const struct election *election_named(const char *name); /* NULL: none */
/* Finds the row of `algorithm`; NULL: electd's own. */
const struct election *election_framed(const struct elect_algorithm *algorithm);

#endif
