/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: how long an omega waits before it judges the others, and how often it sends its beat.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_INTERVAL_H
#define ELECTSIM_LAB_ELECTIONS_INTERVAL_H

#include "lab.h"

#define INTERVAL_FIRST_US (LAB_DEAD_US / 2)
#define INTERVAL_STEP_US  (LAB_BEACON_US / 2)
/* The paper's interval grows without end; S003 itself notes that this is not usable. */
#define INTERVAL_MAX_US (8 * INTERVAL_FIRST_US)

enum { INTERVAL_OVER, INTERVAL_AGAIN }; /* timers of the algorithm */

struct interval {
	uint64_t us;
	unsigned sent; /* beats sent in the present interval */
};

void interval_begin(struct interval *i);
void interval_grow(struct interval *i);
/* Begins the next interval: casts the beat and sets both timers. */
void interval_next(struct lab_host *h, struct interval *i, const struct lab_msg *beat);
/* The timer INTERVAL_AGAIN ran out: casts the beat once more. */
void interval_again(struct lab_host *h, struct interval *i, const struct lab_msg *beat);

#endif
