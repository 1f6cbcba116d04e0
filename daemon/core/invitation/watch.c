/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: a member watches its coordinator (suspicion.md; slide 37, Check_Coord).
 *
 * A sign of life is a beacon of the own group (F9), or a message to this host alone. The frame
 * decides what silence means (following.h); this file asks the coordinator, answers it, and begins
 * the succession.
 */
#include "invitation.h"

#include <string.h>

void watch_heard(struct elect *e)
{
	if (e->watch.gone)
		return;
	following_heard(e);
	suspicion_answered(e, 0);
}

void watch_begin(struct elect *e)
{
	uint64_t period = pace_beacons(e, AYTHERE_BEACONS);
	unsigned rank = succession_rank(e) + 1;

	following_heard(e);
	suspicion_begin(e);
	timers_set_in(e, TIMER_AYTHERE, period / 2 + period * rank / (e->up.count + 1));
}

static void ask(struct elect *e, bool probe)
{
	struct elect_send *s;

	if (roster_find(&e->up, &e->group.coordinator) < 0)
		return;
	s = out_send(e, ELECT_AYTHERE, &e->group.coordinator);
	s->probe = s->suspect = probe;
	own(e)->watch.reported_us = e->now_us;
}

/*
 * The coordinator knows all that this host would report, and has all of it again once in
 * SPARE_BEACONS: then the report says only that this host follows, and what it hears.
 */
static bool is_brief(const struct elect *e)
{
	const struct invitation_watch *w = &own(e)->watch;

	return w->family && w->agrees && !e->kept_us && w->reported_us &&
		e->now_us - w->reported_us < pace_beacons(e, SPARE_BEACONS) && lists_say_all(e);
}

/* A lost report must not make the coordinator ask: MEMBER_QUIET_BEACONS are more than two periods.
   Brief reports come no later than others, but none of them comes early. */
static uint64_t period_us(struct elect *e)
{
	uint64_t us = pace_beacons(e, AYTHERE_BEACONS);

	if (!own(e)->watch.family)
		return rng_jitter(&e->rng, us);
	return us + us / 10 + rng_below(&e->rng, us / 10 + 1);
}

void watch_probe(struct elect *e)
{
	ask(e, true);
}

void watch_ask(struct elect *e)
{
	if (own(e)->watch.awaiting)
		invited_on_timer_await(e);
	else
		ask(e, true);
}

void watch_on_timer_aythere(struct elect *e)
{
	check_expire(e);
	if (is_brief(e))
		out_send(e, ELECT_AYTHERE, &e->group.coordinator)->brief = true;
	else
		ask(e, e->kept_us); /* a routine question gets no answer */
	timers_set_in(e, TIMER_AYTHERE, period_us(e));
}

/* The coordinator needs a new name, new keys (keys.md), or a reason not to lead, without delay. */
void watch_tell(struct elect *e)
{
	own(e)->watch.reported_us = 0;
	if (timers_running(e, TIMER_AYTHERE))
		timers_set_earlier(e, TIMER_AYTHERE, e->now_us);
}

static void fell_silent(struct elect *e)
{
	following_bound(e);
	because_group(e, e->link_down ? ELECT_REASON_CARRIER_LOST : ELECT_REASON_COORDINATOR_SILENT,
		e->link_down ? &e->config.id : &e->group.coordinator);
}

void watch_on_timer_watch(struct elect *e)
{
	switch (following_look(e, succession_rank(e))) {
	case FOLLOWING_WAITS:
		break;
	case FOLLOWING_ASKS:
		suspicion_probe(e);
		break;
	case FOLLOWING_ACTS:
		if (!e->watch.gone || e->watch.loss == ELECT_LOSS_UNANSWERED)
			fell_silent(e);
		succession_act(e);
		break;
	}
}

/* ---- messages of the coordinator ------------------------------------------------------------- */

/* With a quorum each beacon is answered. Members spread their answers as they do Accepts. */
static void answer_beacon(struct elect *e)
{
	uint64_t spread = (uint64_t)(succession_rank(e) + 1) * ACCEPT_SPREAD_US;

	if (timers_running(e, TIMER_YES))
		return;
	spread = spread < ACCEPT_SPREAD_MAX_US ? spread : ACCEPT_SPREAD_MAX_US;
	timers_set_in(e, TIMER_YES, rng_below(&e->rng, spread + 1));
}

void watch_on_timer_yes(struct elect *e)
{
	int at = roster_find(&e->up, &e->group.coordinator);
	struct elect_send *s;

	if (at < 0 || group_coordinates(e) || e->watch.gone)
		return;
	s = out_send(e, ELECT_AYTHERE_ANSWER, &e->group.coordinator);
	s->echo = e->watch.beacon;
	s->answer = ELECT_ANSWER_YES;
	s->suspect = own(e)->watch.asked_alone;
	if (s->suspect)
		out_also_to_all(e, s);
}

/*
 * A list that differs may still be on its way. After that the routine question asks for it, by
 * naming the list that this host has. A member that answers beacons needs no routine question
 * otherwise.
 */
static void compare_list(struct elect *e, const struct elect_msg *m)
{
	uint64_t half = pace_window_us(e, READY_WINDOW_US) / 2;
	uint64_t wait_us = half + rng_below(&e->rng, half);

	own(e)->watch.agrees = m->list_version == e->list_version && m->digest == e->digest;
	own(e)->watch.family = m->family;
	if (m->list_version > e->list_version || m->digest != e->digest)
		timers_set_earlier(e, TIMER_AYTHERE, e->now_us + wait_us);
	else if (m->quorum > 1)
		timers_set_in(
			e, TIMER_AYTHERE, rng_jitter(&e->rng, pace_beacons(e, AYTHERE_BEACONS)));
}

void watch_on_beacon(struct elect *e, const struct elect_msg *m)
{
	if (!elect_group_equal(&m->group, &e->group)) {
		invited_late(e, m);
		return;
	}
	if (!following_is_new(e, m))
		return;
	following_heard(e);
	suspicion_beacon(e, m);
	own(e)->watch.shown_count = m->foreign_count;
	memcpy(own(e)->watch.shown, m->foreign, sizeof(m->foreign));
	own(e)->watch.asked_alone = !m->sequence;
	following_beacon(e, m);
	compare_list(e, m);
	if (m->quorum > 1)
		answer_beacon(e);
}

void watch_on_aythere_answer(struct elect *e, const struct elect_msg *m)
{
	bool coordinator = elect_id_equal(&m->sender, &e->group.coordinator);

	if (!elect_group_equal(&m->group, &e->group))
		return;
	if (group_at_work(e)) {
		if (m->answer == ELECT_ANSWER_YES)
			members_on_yes(e, m);
		else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			lists_drop(e, &m->sender, ELECT_REASON_DROPPED);
		return;
	}
	if (!coordinator) {
		if (e->state == ELECT_NORMAL)
			suspicion_on_aythere_answer(e, m);
		return;
	}
	if (own(e)->watch.awaiting) {
		if (m->answer == ELECT_ANSWER_YES)
			invited_heard(e);
		else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			invited_give_up(e, true);
	} else if (e->state == ELECT_NORMAL) {
		if (m->answer == ELECT_ANSWER_YES) {
			until_confirmed(e, m);
			following_heard(e);
			suspicion_answered(e, m->next_us);
		} else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			following_disowned(e, m);
		else if (m->answer == ELECT_ANSWER_NOT_IN_IT &&
			m->list_version >= e->watch.admitted)
			invited_again(e, &e->watch.beacon);
	}
}

/* ---- the coordinator is known to be gone ----------------------------------------------------- */

/* A Hello from before it had this group does not mean that the coordinator left it. */
static bool overtaken(const struct elect *e, const struct elect_msg *m)
{
	return !following_restarted(e, m) && m->counter < e->group.counter;
}

/* The coordinator says Hello: it is Down. */
void watch_on_hello(struct elect *e, const struct elect_msg *m)
{
	if (elect_id_equal(&m->sender, &e->group.coordinator) && !group_coordinates(e) &&
		!overtaken(e, m))
		following_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
}

/* The first two members ask, so that N members do not; all ask once they suspect it (M1). */
bool watch_asks(const struct elect *e)
{
	return succession_rank(e) < WATCH_PROBERS || following_suspects(e);
}

void watch_on_challenge_answer(struct elect *e, const struct elect_msg *m)
{
	if (following_restarted(e, m))
		following_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
}

/* By preempt, or by order. The coordinator's own priority is the one on the list. */
enum elect_reason watch_resigned(const struct elect *e, uint8_t priority)
{
	int old = roster_find(&e->up, &e->group.coordinator);
	bool better = old >= 0 && priority > e->up.members[old].priority;

	return better && preempt_agreed(e) ? ELECT_REASON_COORDINATOR_PREEMPTED
					   : ELECT_REASON_COORDINATOR_RESIGNED;
}

static uint8_t priority_of(const struct elect *e, const struct elect_id *id)
{
	int at = roster_find(&e->up, id);

	if (self_is(e, id))
		return e->config.priority;
	return at >= 0 ? e->up.members[at].priority : 0;
}

void watch_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	following_on_goodbye(e, m, watch_resigned(e, priority_of(e, &m->other)));
}
