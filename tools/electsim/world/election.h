/* SPDX-License-Identifier: Apache-2.0 */
/*
 * election: what hosts can elect by. This is the seam between the two halves of electsim: the judge
 * of the product plays an election of the laboratory, and the laboratory plays electd's, by a row
 * of this table. Neither includes a header of the other. elections.c has the rows.
 */
#ifndef ELECTSIM_WORLD_ELECTION_H
#define ELECTSIM_WORLD_ELECTION_H

#include "sim.h"

enum { ELECTIONS_MAX = 16 };

struct calm;

struct election {
	const char *name;  /* as options and stories have it */
	const char *title; /* who described it, and when */
	/* One of these two; the other is NULL. */
	const struct elect_algorithm *framed; /* on the frame of electd */
	const struct lab_algorithm *lab;      /* on the road of the laboratory */
	bool eventual;	  /* it agrees eventually, and sends messages for ever */
	bool lowest_wins; /* the best host is the first, else the last */
	unsigned hosts_max;
	/* All hosts of an empty LAN elect by it; `literal`: as its slide has it, with its gaps. */
	void (*begin)(struct sim *s, const struct election *e, bool literal);

	/* ---- of the laboratory */
	const char *faults; /* troubles that its hosts can have: names of `electsim faults` */
	/* This function asserts the promises that hold after the troubles of a run (calm.h). */
	void (*calm)(struct sim *s, struct calm *c);

	/* ---- on the frame of electd */
	bool reelects; /* all elect when a host comes or goes; the highest leads when it can */
	/* A trouble may strike at a message of these types; an insider pushes the counter by those.
	 */
	const enum elect_msg_type *steps, *pushes;
	unsigned steps_count, pushes_count;
};

/* The first is electd's own. */
const struct election *elections_list(unsigned *ret_count);
const struct election *election_named(const char *name); /* NULL: none */
/* The row of the algorithm in struct elect_config, where NULL means electd's own. */
const struct election *election_framed(const struct elect_algorithm *algorithm);

#endif
