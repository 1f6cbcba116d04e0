/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: actions and timers of a host, for every file of the core.
 */
#include "algorithm.h"

#include <assert.h>
#include <string.h>

/* ---- actions --------------------------------------------------------------------------------- */

struct elect_action *out_action(struct elect *e, enum elect_action_type type)
{
	struct elect_action *a;

	assert(e->out->count < ELECT_ACTIONS_MAX);
	a = &e->out->items[e->out->count++];
	a->type = type;
	return a;
}

struct elect_send *out_send(struct elect *e, enum elect_msg_type type, const struct elect_id *to)
{
	struct elect_send *s = &out_action(e, ELECT_ACTION_SEND)->send;

	memset(s, 0, sizeof(*s));
	s->type = type;
	s->group = e->group;
	if (to)
		s->to = *to;
	return s;
}

struct elect_send *out_reply(
	struct elect *e, enum elect_msg_type type, const struct elect_msg *request)
{
	struct elect_send *s = out_send(e, type, &request->sender);

	s->suspect = request->probe;
	s->echo = request->transaction;
	return s;
}

/* ---- timers ---------------------------------------------------------------------------------- */

#define IN(state) (1u << ELECT_##state)
#define ANY	  ((1u << ELECT_STATES) - 1)

/* The states in which the frame's timers may run. */
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

uint64_t pace_repeat_us(const struct elect *e)
{
	return moment_at_most(REPEAT_US, pace_beacons(e, 1) / 2);
}

uint64_t pace_window_us(const struct elect *e, uint64_t us)
{
	return us / REPEAT_US * pace_repeat_us(e);
}

uint64_t pace_probe_us(const struct elect *e)
{
	return moment_at_most(PROBE_US, e->config.timings.dead_after_us / 10);
}

uint64_t pace_late_us(const struct elect *e)
{
	return moment_at_most(LATE_US, pace_beacons(e, 1) / 4);
}

unsigned timers_next(const struct elect *e)
{
	unsigned best = 0;

	for (unsigned t = 1; t < TIMERS; t++)
		if (e->timers[t] < e->timers[best])
			best = t;
	return best;
}
