/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start: Down, in no group (algorithm.md 4.1; slide 37, Recovery).
 *
 * Listen before acting: a host that hears a coordinator waits for its invitation, so a restart
 * re-forms nothing. Where nobody leads, the best of those who say Hello invites the others.
 */
#include "invitation.h"

#include <string.h>

/* Back to listening, with what the host knows of itself, but of no group. */
void start_listen(struct elect *e)
{
	static const struct elect_group none;

	e->established = false;
	elect_enter(e, ELECT_DOWN);
	elect_group_change(e, &none);
	e->list_group = none;
	e->leader_group = none;
	e->list_version = 0;
	e->digest = 0;
	roster_clear(&e->up);
	e->others_count = 0;
	e->foreign_count = 0;
	e->forward.used = false;
	e->yield_until_us = 0;
	e->lead_from_us = 0;
	e->quorum_missed = false;
	memset(&e->down, 0, sizeof(e->down));
	e->down.since_us = e->now_us;
	elect_timer_in(e, TIMER_HELLO, rng_below(&e->rng, elect_beacons(e, 1) / 2));
	elect_timer_in(e, TIMER_START, e->config.start_hold_us);
}

void start_begin(struct elect *e, const struct elect_start *start)
{
	e->config = start->config;
	e->rng.state = start->seed;
	e->session = start->session;
	e->since_us = e->now_us;
	e->incarnation = start->incarnation;
	e->base = start->reserved + (start->reserved ? rng_below(&e->rng, START_SPREAD) : 0);
	e->floor = start->floor;
	e->counter = start->floor >> 24;
	e->held = start->held;
	e->reserved = start->reserved;
	e->lost = start->state_lost;
	e->state_lost = start->state_lost && start->reserved == 0;
	elect_because(e, ELECT_REASON_START, &e->config.id);
	start_listen(e);
	elect_persist(e);
}

static bool counted(const struct elect *e, const struct elect_id *id)
{
	for (unsigned i = 0; i < e->down.count; i++)
		if (elect_id_equal(&e->down.ids[i], id))
			return true;
	return false;
}

void start_on_hello(struct elect *e, const struct elect_msg *m)
{
	struct elect_standing mine;

	if (counted(e, &m->sender) || e->down.count == ELECT_HOSTS_MAX - 1)
		return;
	e->down.ids[e->down.count++] = m->sender;
	elect_standing(e, &mine);
	if (elect_standing_compare(&m->standing, &mine) > 0)
		e->down.better++;
}

/* However much is heard: nobody waits for an invitation longer than this. */
uint64_t start_patience_us(const struct elect *e)
{
	return e->down.since_us + e->config.start_hold_us + elect_beacons(e, HELLO_WAIT_BEACONS);
}

/*
 * Wait to be invited by the best coordinator heard, as long as it is heard; not by one I would not
 * follow (M12).
 */
void start_on_coordinator(struct elect *e, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;
	bool waiting = e->down.awaited.family != 0;
	bool silent = e->down.awaited_us + elect_beacons(e, 2) < e->now_us;
	bool same = waiting && elect_id_equal(&e->down.awaited_standing.id, &s->id);

	if (e->leaving != ELECT_PURPOSE_NONE || (elect_may_lead(e) && !s->may_lead))
		return;
	if (waiting && !same && !silent && elect_standing_compare(s, &e->down.awaited_standing) < 0)
		return;
	e->down.awaited = m->from;
	e->down.awaited_standing = *s;
	e->down.awaited_us = e->now_us;
	if (same)
		return;
	elect_timer_in(e, TIMER_HELLO, rng_below(&e->rng, HELLO_SPREAD_US));
	if (!waiting)
		elect_timer(e, TIMER_START, start_patience_us(e));
}

void start_on_timer_hello(struct elect *e)
{
	bool awaiting = e->down.awaited.family != 0;

	if (e->leaving != ELECT_PURPOSE_NONE)
		return;
	if (awaiting || !e->down.said || e->down.better == 0)
		elect_send(e, ELECT_HELLO, awaiting ? &e->down.awaited : NULL);
	e->down.said = true;
	elect_timer_in(e, TIMER_HELLO, rng_jitter(&e->rng, elect_beacons(e, 1)));
}

/* From here on others can be heard: listen as after a start. */
void start_on_carrier(struct elect *e)
{
	e->down.since_us = e->now_us;
	if (e->leaving == ELECT_PURPOSE_NONE && e->down.awaited.family == 0)
		elect_timer_in(e, TIMER_START, e->config.start_hold_us);
}

/* Nobody came. The best acts at once, the one of rank r after r steps, if still needed. */
void start_on_timer_start(struct elect *e)
{
	unsigned steps = e->down.better < STEPS_MAX ? e->down.better : STEPS_MAX;

	if (e->leaving != ELECT_PURPOSE_NONE)
		return;
	/* Nobody could hear, and nobody be heard. */
	if (e->link_down && !e->config.leads_without_carrier) {
		elect_timer_in(e, TIMER_START, e->config.start_hold_us);
		return;
	}
	if (!e->down.ranked && steps > 0) {
		e->down.ranked = true;
		elect_timer_in(e, TIMER_START, steps * CHECK_STEP_US);
		return;
	}
	elect_base_settle(e);
	if (!elect_can_form(e)) {
		elect_timer_in(e, TIMER_START, CHECK_STEP_US);
		return;
	}
	elect_because(e, ELECT_REASON_START, &e->config.id);
	merge_begin(e, ELECT_INVITE_MERGE, ELECT_LOSS_SILENCE, NULL, 0, e->down.count);
}
