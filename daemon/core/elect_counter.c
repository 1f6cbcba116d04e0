/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect_counter: counters, and the reserve of them on disk (algorithm.md 4.7, trust.md 5).
 *
 * No group id is used twice, across crashes too, and no election waits for a disk: blocks are
 * reserved ahead of need.
 */
#include "elect_state.h"

/* ---- counters and the disk (algorithm.md 4.7) --------------------------------------------------
 */

static uint64_t counter_top(const struct elect *e)
{
	return e->counter > e->base ? e->counter : e->base;
}

/*
 * A host whose state was lost does not know which counters it used. It keeps its own a random
 * step above everything it hears, in this life and in later ones, beginning when it has listened.
 */
void elect_base_settle(struct elect *e)
{
	if (!e->lost || (e->settled && e->counter <= e->base))
		return;
	e->settled = true;
	e->base = counter_top(e) + 1 + rng_below(&e->rng, STATE_LOST_SPREAD);
	elect_reserve(e);
}

bool elect_can_form(const struct elect *e)
{
	return counter_top(e) < e->usable && counter_top(e) + 1 < ELECT_COUNTER_LIMIT;
}

/*
 * A reserve may be used once a later write, too, is on the disk: then both slots carry at least
 * as much, and losing either gives no counter twice.
 */
void elect_reserve(struct elect *e)
{
	if ((!e->lost || e->settled) && counter_top(e) + RESERVE_MARGIN > e->usable)
		elect_persist(e);
}

void elect_persist(struct elect *e)
{
	uint64_t wanted = counter_top(e) + RESERVE_BLOCK;
	bool enough = counter_top(e) + RESERVE_MARGIN <= e->reserved;

	if (e->persisting) {
		e->persist_again = true;
		return;
	}
	e->persisting = true;
	e->persist_again = false;
	elect_push(e, ELECT_ACTION_PERSIST)->persist = (struct elect_persisted){
		.reserved = e->lost && !e->settled ? e->reserved
			: enough		   ? e->reserved
						   : wanted,
		.floor = e->floor,
		.held = e->held,
	};
}

void elect_floor_raise(struct elect *e)
{
	if (elect_token(&e->group) <= e->floor)
		return;
	e->floor = elect_token(&e->group);
	elect_persist(e);
}

void elect_persisted(struct elect *e, const struct elect_persisted *p)
{
	e->persisting = false;
	if (!p->ok) {
		e->persist_failed = true;
		elect_because(e, ELECT_REASON_STATE_FILE, &e->config.id);
		elect_timer_in(e, TIMER_PERSIST, PERSIST_RETRY_US);
		return;
	}
	e->persist_failed = false;
	e->usable = e->reserved;
	e->reserved = p->reserved;
	if (e->persist_again || p->floor != e->floor || p->held != e->held)
		elect_persist(e);
	else
		elect_reserve(e);
}

void elect_counter_refused(struct elect *e)
{
	e->counter_refused_us = e->now_us;
}
