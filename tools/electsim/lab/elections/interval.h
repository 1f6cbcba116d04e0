/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: of a host that watches all others, as both omegas do: how long it waits before it
 * judges, and how often its beat is sent meanwhile. It judges nobody.
 */
#ifndef ELECTSIM_LAB_ELECTIONS_INTERVAL_H
#define ELECTSIM_LAB_ELECTIONS_INTERVAL_H

#include "lab.h"

#define INTERVAL_FIRST_US (LAB_DEAD_US / 2)
#define INTERVAL_STEP_US  (LAB_BEACON_US / 2)
/* The seed's grows without end, and says itself that nobody can use that. */
#define INTERVAL_MAX_US (8 * INTERVAL_FIRST_US)

enum { INTERVAL_OVER, INTERVAL_AGAIN }; /* its timers */

struct interval {
	uint64_t us;
	unsigned sent; /* beats of the present one */
};

void interval_begin(struct interval *i);
void interval_grow(struct interval *i);
/* The next one: casts the beat, and sets both timers. */
void interval_next(struct lab_host *h, struct interval *i, const struct lab_msg *beat);
/* INTERVAL_AGAIN: casts it once more. */
void interval_again(struct lab_host *h, struct interval *i, const struct lab_msg *beat);

#endif
