/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers: when each timer of a host is due, and in which states it may run.
 */
#include "algorithm.h"

#include <assert.h>

#define IN(state) (1u << ELECT_##state)
#define ANY	  ((1u << ELECT_STATES) - 1)

static const uint8_t states[TIMERS] = {
	[TIMER_LEAD] = IN(NORMAL),
	[TIMER_QUORUM] = IN(NORMAL),
	[TIMER_YIELD] = ANY,
	[TIMER_GOODBYE] = ANY,
	[TIMER_BARRED] = ANY,
	[TIMER_PERSIST] = ANY,
};

unsigned timers_states(const struct elect *e, unsigned timer)
{
	return timer < TIMERS_OWN ? e->algorithm->timer_states[timer] : states[timer];
}

void timers_set(struct elect *e, unsigned timer, uint64_t at_us)
{
	assert(timers_states(e, timer) & 1u << e->state);
	e->timers[timer] = at_us;
}

void timers_set_in(struct elect *e, unsigned timer, uint64_t us)
{
	timers_set(e, timer, e->now_us + us);
}

void timers_stop(struct elect *e, unsigned timer)
{
	e->timers[timer] = ELECT_NEVER;
}

bool timers_running(const struct elect *e, unsigned timer)
{
	return e->timers[timer] != ELECT_NEVER;
}

void timers_set_earlier(struct elect *e, unsigned timer, uint64_t at_us)
{
	if (e->timers[timer] > at_us)
		timers_set(e, timer, at_us);
}

unsigned timers_next(const struct elect *e)
{
	unsigned best = 0;

	for (unsigned t = 1; t < TIMERS; t++)
		if (e->timers[t] < e->timers[best])
			best = t;
	return best;
}
