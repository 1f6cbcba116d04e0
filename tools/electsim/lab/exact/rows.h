/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows: what an algorithm costs by its formula and what it costs in fact, a row and a number of
 * hosts at a time. Prints nothing.
 */
#ifndef ELECTSIM_LAB_EXACT_ROWS_H
#define ELECTSIM_LAB_EXACT_ROWS_H

#include "electsim/lab/elections/exact.h"

enum {
	ROWS_ALL_UP_TO = 7, /* hosts of which every arrangement is played */
	ROWS_SAMPLES = 300, /* of more hosts */
};

struct rows_span {
	double least, mean, most;
};

/* One row of costs(). */
struct rows_figures {
	unsigned runs; /* 0: nothing to be played */
	struct rows_span formula, measured;
	bool held;
	const char *broken;	  /* the property that did not hold; NULL: it is the cost, if any */
	struct exact_order order; /* the first that broke, if not `held` */
};

/* All rows of an algorithm among so many hosts, in the order of its costs(). */
void rows_measure(struct exact *x, const struct lab_algorithm *a, unsigned count, uint64_t seed,
	bool literal, struct rows_figures ret[LAB_COSTS_MAX]);

#endif
