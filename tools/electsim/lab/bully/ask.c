/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask: asks whether a host above is up (slides 23 and 25).
 *
 * AYUp to all begins an election: a host that hears no answer from above becomes the candidate.
 * AYUp to the coordinator alone asks whether it is alive (Check_Coordinator).
 */
#include "bully.h"

/* A coordinator in its demotion and a host that leaves begin none; a halted host may (L2). */
bool bully_ask_may(const struct elect *e)
{
	bool demotes = role_demotes(e) && group_at_work(e);

	return !role_leaves(e) && !demotes;
}

void bully_ask_begin(struct elect *e)
{
	if (own(e)->phase != PHASE_NONE || !bully_ask_may(e))
		return;
	bully_phase(e, PHASE_ASK, phase_window_us(e));
	bully_ask_say(e);
}

void bully_ask_say(struct elect *e)
{
	out_send(e, ELECT_AYUP, NULL);
	if (own(e)->phase == PHASE_ASK)
		timers_set_in(e, TIMER_REPEAT, pace_repeat_us(e));
}

/* ---- AYUp ----------------------------------------------------------------------------------- */

static void schedule(struct elect *e)
{
	timers_stop(e, TIMER_ASKERS);
	for (unsigned i = 0; i < own(e)->askers_count; i++)
		timers_set_earlier(e, TIMER_ASKERS, own(e)->askers[i].due_us);
}

/* Many hosts may answer the same asker: at random moments, because its socket buffer is small. */
void bully_ask_answer(struct elect *e, const struct elect_msg *m)
{
	uint64_t wait = rng_below(&e->rng, order_spread_us(e, 0) + 1);
	struct bully_own *o = own(e);
	unsigned at = 0;

	while (at < o->askers_count && !elect_id_equal(&o->askers[at].id, &m->sender))
		at++;
	if (at == ASKERS_MAX) {
		out_reply(e, ELECT_AYUP_ANSWER, m);
		return;
	}
	if (at == o->askers_count) {
		o->askers_count++;
		o->askers[at] = (struct bully_asker){ .id = m->sender, .due_us = e->now_us + wait };
	}
	o->askers[at].transaction = m->transaction;
	schedule(e);
}

void bully_ask_on_timer_askers(struct elect *e)
{
	struct bully_own *o = own(e);
	unsigned sent = 0;

	for (unsigned i = 0; i < o->askers_count && sent < ANSWERS_A_STEP;) {
		if (o->askers[i].due_us > e->now_us) {
			i++;
			continue;
		}
		out_send(e, ELECT_AYUP_ANSWER, &o->askers[i].id)->echo = o->askers[i].transaction;
		o->askers[i] = o->askers[--o->askers_count];
		sent++;
	}
	schedule(e);
	if (timers_running(e, TIMER_ASKERS) && e->timers[TIMER_ASKERS] <= e->now_us)
		timers_set(e, TIMER_ASKERS, e->now_us + 1);
}

/* A member asks this coordinator whether it is alive, whichever of the two is above. */
static bool checks_me(const struct elect *e, const struct elect_msg *m)
{
	return group_at_work(e) && !m->sequence && roster_find(&e->up, &m->sender) >= 0;
}

/* C1: nothing on the slides makes the hosts above act: each would wait for its own suspicion. */
static void act_too(struct elect *e)
{
	uint64_t silent_us = e->watch.heard_us + pace_beacons(e, NUDGE_BEACONS);

	if (group_is_member(e) && own(e)->phase == PHASE_NONE && e->now_us >= silent_us)
		bully_ask_begin(e);
}

void bully_ask_on_ayup(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN) {
		down_heard(e, &m->standing);
		return;
	}
	if (checks_me(e, m)) {
		out_reply(e, ELECT_AYUP_ANSWER, m);
		return;
	}
	if (order_above_me(e, &m->standing) || member_spoken_for(e, &m->standing))
		return;
	bully_ask_answer(e, m);
	if (group_at_work(e))
		coordinator_show(e);
	act_too(e);
}

/* ---- the answer to AYUp --------------------------------------------------------------------- */

/* Returns false if the sender coordinates this host's group no more, or not yet again. */
static bool still_mine(const struct elect *e, const struct elect_msg *m)
{
	return m->state == ELECT_NORMAL && elect_group_equal(&m->group, &e->group);
}

static void coordinator_answered(struct elect *e, const struct elect_msg *m)
{
	if (still_mine(e, m))
		member_heard(e);
	else
		following_disowned(e, m);
}

void bully_ask_on_answer(struct elect *e, const struct elect_msg *m)
{
	bool mine = group_is_member(e) && elect_id_equal(&m->sender, &e->group.coordinator);
	enum bully_phase phase = own(e)->phase;

	if (mine)
		coordinator_answered(e, m);
	if (mine && still_mine(e, m))
		return;
	if (!order_above_me(e, &m->standing))
		return;
	/* a leader finishes the election it began, and is asked to yield in its group */
	if (role_leads(e) && e->state != ELECT_NORMAL)
		return;
	if (phase == PHASE_ASK || phase == PHASE_CALL)
		phase_wait(e);
}
