/* SPDX-License-Identifier: Apache-2.0 */
/* phase: the phase of a host's own election. ask.c and candidate.c decide which phase is next. */
#include "bully.h"

/* The only way to change the phase: what the last phase waited for ends with it. */
void bully_phase(struct elect *e, enum bully_phase phase, uint64_t us)
{
	own(e)->phase = phase;
	timers_stop(e, TIMER_REPEAT);
	timers_stop(e, TIMER_WINDOW);
	if (phase != PHASE_NONE)
		timers_set_in(e, TIMER_WINDOW, us);
}

/*
 * If datagrams are lost, one window is too short for many hosts to answer: it grows with each
 * failed election. Not for a leader: its quorum lasts for three short windows (role_steady()).
 */
uint64_t phase_window_us(const struct elect *e)
{
	unsigned tries = own(e)->tries < WINDOW_GROWS ? own(e)->tries : WINDOW_GROWS;

	return pace_window_us(e, WINDOW_US) << (role_leads(e) ? 0 : tries);
}

/* The host is in Election or Reorganizing, of one group, for so long that it waits no more (L2). */
static bool stint_over(const struct elect *e)
{
	bool in_one = e->state == ELECT_ELECTION || e->state == ELECT_REORGANIZING;

	return in_one && !role_leads(e) && e->now_us - own(e)->stint_us >= STINT_US;
}

/* A host above is up: it acts, or this host asks again (C2). */
void phase_wait(struct elect *e)
{
	uint64_t window = pace_window_us(e, WINDOW_US);

	if (stint_over(e)) {
		because_group(e, ELECT_REASON_START, &e->config.id); /* once more */
		down_listen(e);
		return;
	}
	bully_phase(e, PHASE_WAIT, pace_window_us(e, WAIT_US) + rng_below(&e->rng, window));
}

static bool told_goodbye(const struct elect *e)
{
	enum elect_loss loss = e->watch.loss;

	return e->watch.gone &&
		(loss == ELECT_LOSS_STOP || loss == ELECT_LOSS_RESIGN || loss == ELECT_LOSS_CRASH);
}

/* Enters Election for a new group; keeps what the last group was for role_begin(). */
void phase_enter_election(struct elect *e, const struct elect_group *group)
{
	struct bully_own *o = own(e);

	if (e->state == ELECT_NORMAL)
		o->origin = (struct bully_origin){ .old_count = e->up.count,
			.merged = group_coordinates(e),
			.told_goodbye = told_goodbye(e) };
	else if (e->state == ELECT_DOWN)
		o->origin = (struct bully_origin){ .merged = true };
	/* this host led the group, and no other host has called an election since */
	o->origin.has_led = self_is(e, &group->coordinator) &&
		(e->state == ELECT_NORMAL ? e->watch.led : o->origin.has_led);
	following_bound(e);
	state_enter(e, ELECT_ELECTION);
	group_change(e, group);
	e->assembly.count = 0;
	o->stint_us = e->now_us;
}

/*
 * The host above has not acted: it is gone again, or far ahead. A member must not stay in a group
 * without a coordinator because of that (L3).
 */
static void waited(struct elect *e)
{
	own(e)->watch.halted = false;
	bully_phase(e, PHASE_NONE, 0);
	if (group_is_member(e) && member_silent(e)) {
		member_because(e);
		down_listen(e);
	} else {
		bully_ask_begin(e);
	}
}

void phase_on_timer_repeat(struct elect *e)
{
	if (own(e)->phase == PHASE_ASK)
		bully_ask_say(e);
	else
		candidate_say(e);
}

void phase_on_timer_window(struct elect *e)
{
	switch (own(e)->phase) {
	case PHASE_ASK:
		candidate_call(e);
		break;
	case PHASE_WAIT:
		waited(e);
		break;
	case PHASE_CALL:
	case PHASE_SET:
	case PHASE_NEW:
		candidate_window(e);
		break;
	case PHASE_NONE:
	case PHASES:
		break;
	}
}
