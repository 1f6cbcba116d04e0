/* SPDX-License-Identifier: Apache-2.0 */
/* rows: an algorithm's costs by formula and as played, for one number of hosts. Prints nothing. */
#ifndef ELECTSIM_LAB_EXACT_ROWS_H
#define ELECTSIM_LAB_EXACT_ROWS_H

#include "electsim/lab/elections/exact.h"

enum {
	ROWS_ALL_UP_TO = 7, /* with so many every arrangement is played */
	ROWS_SAMPLES = 300, /* arrangements played of more hosts */
};

struct rows_span {
	double least, mean, most;
};

/* The figures of one row of costs(). */
struct rows_figures {
	unsigned runs; /* 0: nothing to play */
	struct rows_span formula, measured;
	bool held;
	const char *broken;	  /* the property that did not hold; NULL: the cost */
	struct exact_order order; /* the first run that broke, if not `held` */
};

/* Measures all rows of costs() among `count` hosts; `seed` determines all samples. */
void rows_measure(struct exact *x, const struct lab_algorithm *a, unsigned count, uint64_t seed,
	bool literal, struct rows_figures ret[LAB_COSTS_MAX]);

#endif
