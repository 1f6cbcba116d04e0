/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member: a member watches its coordinator, and answers it (slide 23, Check_Coordinator).
 *
 * The coordinator is heard by a beacon of the group, or by its answer to this member. After 1.5
 * beacons of silence it is suspected, and the first two in succession ask it. After dead_after it
 * is dead; the rank of a host is then how long it leaves the election to the hosts above it.
 */
#include "bully.h"

#include <string.h>

static unsigned turn_rank(const struct elect *e)
{
	return following_rank(e, order_rank(e));
}

/* How long this host leaves to those above. Ranks above STEPS_MAX are many, and wait longer. */
uint64_t member_turn_us(const struct elect *e)
{
	unsigned rank = turn_rank(e);
	uint64_t more = 0;

	if (rank > STEPS_MAX)
		more = (uint64_t)(rank - STEPS_MAX) * RANK_MORE_US;
	return following_steps_us(e, rank) + moment_at_most(more, RANK_MORE_MAX_US);
}

bool member_suspects(const struct elect *e)
{
	return following_suspects(e) || own(e)->phase != PHASE_NONE;
}

/* A living coordinator above the host that asks or calls answers for all its members. */
bool member_spoken_for(const struct elect *e, const struct elect_standing *s)
{
	return group_is_member(e) && !member_suspects(e) &&
		order_above(&own(e)->watch.coordinator, s);
}

/* The coordinator is dead, by its silence or by a report. */
bool member_silent(const struct elect *e)
{
	return e->watch.gone || e->now_us >= pace_silence_until(e, e->watch.heard_us);
}

static bool below_me(const struct elect *e)
{
	return !order_above_me(e, &own(e)->watch.coordinator);
}

/* Ends what was concluded from silence, but not an election against the coordinator. */
static void heard(struct elect *e)
{
	enum bully_phase phase = own(e)->phase;

	if ((phase == PHASE_ASK || phase == PHASE_WAIT) && !below_me(e))
		bully_phase(e, PHASE_NONE, 0);
	following_heard(e);
}

/* An answer to the coordinator states that it was just heard; the coordinator relies on that. */
void member_heard(struct elect *e)
{
	if (!e->watch.gone)
		heard(e);
}

/* Enters Normal as a member. The routine answers are staggered by rank. */
void member_begin(struct elect *e)
{
	uint64_t period = pace_beacons(e, ROUTINE_BEACONS);
	unsigned rank = order_rank(e) + 1;

	heard(e);
	timers_set_in(e, TIMER_ROUTINE, period / 2 + period * rank / (e->up.count + 1));
}

/* ---- the coordinator's silence -------------------------------------------------------------- */

/* Records why the member leaves its group. */
void member_because(struct elect *e)
{
	if (e->watch.gone)
		because_group(e, e->watch.gone_reason, &e->group.coordinator);
	else if (e->now_us < following_suspect_at(e))
		because_group(e, ELECT_REASON_MERGED, &e->group.coordinator);
	else if (e->link_down)
		because_group(e, ELECT_REASON_CARRIER_LOST, &e->config.id);
	else
		because_group(e, ELECT_REASON_COORDINATOR_SILENT, &e->group.coordinator);
}

void member_probe(struct elect *e)
{
	out_send(e, ELECT_AYUP, &e->group.coordinator)->suspect = true;
}

void member_on_timer_watch(struct elect *e)
{
	if (!group_is_member(e))
		return;
	switch (following_look(e, turn_rank(e))) {
	case FOLLOWING_WAITS:
		break;
	case FOLLOWING_ASKS:
		member_probe(e);
		break;
	case FOLLOWING_ACTS:
		timers_set_in(e, TIMER_WATCH, pace_beacons(e, 1));
		bully_ask_begin(e);
		break;
	}
}

void member_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	following_on_goodbye(e, m, ELECT_REASON_COORDINATOR_RESIGNED);
}

/* ---- the coordinator's beacons -------------------------------------------------------------- */

static void answer_in(struct elect *e, uint64_t us)
{
	timers_set_earlier(e, TIMER_YES, e->now_us + us);
}

/* At once if it asks all or has a quorum; soon if its list differs: it may be in transit. */
static void answer(struct elect *e, const struct elect_msg *m)
{
	uint64_t half = pace_window_us(e, WINDOW_US) / 2;

	if (m->probe || m->quorum > 1)
		answer_in(e, rng_below(&e->rng, order_spread_us(e, 0) + 1));
	else if (m->list_version > e->list_version || m->digest != e->digest)
		answer_in(e, half + rng_below(&e->rng, half));
	if (m->quorum > 1)
		timers_set_in(
			e, TIMER_ROUTINE, rng_jitter(&e->rng, pace_beacons(e, ROUTINE_BEACONS)));
}

/* The coordinator is below this host: it is asked to yield first, if it leads (C3). */
static void bully_it(struct elect *e, const struct elect_msg *m)
{
	struct bully_heard *h = order_heard(e, m);

	if (order_leads(e, h))
		coordinator_ask_to_yield(e, h);
	else
		bully_ask_begin(e);
}

void member_on_beacon(struct elect *e, const struct elect_msg *m)
{
	if (!following_is_new(e, m))
		return;
	own(e)->watch.coordinator = m->standing;
	heard(e);
	following_beacon(e, m);
	answer(e, m);
	if (below_me(e))
		bully_it(e, m);
}

/* Before the first beacon there is nothing to answer. */
static void say_yes(struct elect *e)
{
	static const struct elect_transaction none;
	struct elect_send *s;

	if (!group_is_member(e) || e->watch.gone ||
		memcmp(&e->watch.beacon, &none, sizeof(none)) == 0)
		return;
	s = out_send(e, ELECT_AYNORMAL_ANSWER, &e->group.coordinator);
	s->echo = e->watch.beacon;
}

void member_on_timer_yes(struct elect *e)
{
	say_yes(e);
}

void member_on_timer_routine(struct elect *e)
{
	say_yes(e);
	timers_set_in(e, TIMER_ROUTINE, rng_jitter(&e->rng, pace_beacons(e, ROUTINE_BEACONS)));
}

/* The host's own report has changed: send it now. */
void member_tell(struct elect *e)
{
	if (timers_running(e, TIMER_ROUTINE))
		timers_set_earlier(e, TIMER_ROUTINE, e->now_us);
}
