/* SPDX-License-Identifier: Apache-2.0 */
/*
 * down: in no group (slide 23, Recovery): listen, greet, then hold an election.
 *
 * The slides begin at once. Here a host hears counters first. If many hosts start together, a host
 * that has heard a higher one waits a step; otherwise each host would call all others.
 */
#include "bully.h"

#include <string.h>

void down_listen(struct elect *e)
{
	following_bound(e);
	bully_phase(e, PHASE_NONE, 0);
	group_leave(e);
	timers_stop(e, TIMER_ASKERS);
	memset(own(e), 0, sizeof(*own(e)));
	timers_set_in(e, TIMER_GREET, rng_below(&e->rng, pace_beacons(e, 1) / 2));
	timers_set_in(e, TIMER_START, e->config.start_hold_us);
}

void down_on_carrier(struct elect *e)
{
	if (!role_leaves(e) && own(e)->phase == PHASE_NONE)
		timers_set_in(e, TIMER_START, e->config.start_hold_us);
}

/* Returns whether the host may not act yet. */
bool down_held(const struct elect *e)
{
	return e->state == ELECT_DOWN && !own(e)->down.acted;
}

/* All higher hosts together cause one step of delay, because none of them is verified. */
void down_heard(struct elect *e, const struct elect_standing *s)
{
	own(e)->down.heard += own(e)->down.heard < ELECT_HOSTS_MAX;
	own(e)->down.better |= order_above_me(e, s);
}

void down_on_timer_greet(struct elect *e)
{
	if (!role_leaves(e))
		bully_ask_say(e);
}

/* Look again after so many beacons, whatever the host waits for. */
void down_wait(struct elect *e, unsigned beacons)
{
	timers_set_in(e, TIMER_START, pace_beacons(e, beacons));
}

void down_on_timer_start(struct elect *e)
{
	if (role_leaves(e))
		return;
	/* without a carrier no host could hear or be heard */
	if (e->link_down && !e->config.leads_without_carrier) {
		timers_set_in(e, TIMER_START, e->config.start_hold_us);
		return;
	}
	if (own(e)->down.better && !own(e)->down.waited) {
		own(e)->down.waited = true;
		timers_set_in(e, TIMER_START, moment_at_most(START_STEP_US, pace_beacons(e, 1)));
		return;
	}
	own(e)->down.acted = true;
	counter_settle_base(e);
	bully_ask_begin(e);
}

/*
 * A coordinator is there. One above takes this host in, if it answers; one below is asked to yield,
 * or there is an election (slide 20: a host that recovers bullies).
 */
void down_on_beacon(struct elect *e, const struct elect_msg *m)
{
	struct bully_heard *h = order_heard(e, m);

	if (role_leaves(e))
		return;
	if (order_above_me(e, &m->standing)) {
		coordinator_answer_stranger(e, m);
		if (own(e)->phase == PHASE_ASK)
			phase_wait(e);
		return;
	}
	if (down_held(e) || own(e)->phase != PHASE_NONE)
		return;
	if (order_leads(e, h)) {
		coordinator_ask_to_yield(e, h);
		down_wait(e, FRESH_BEACONS + 1);
	} else {
		bully_ask_begin(e);
	}
}
