/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coordinator: a coordinator watches its members and finds hosts of other groups (slide 24,
 * Check_members).
 *
 * AYNormal asks all hosts, each beacon. Members answer now and then; a host of another group
 * answers if it is below. Such an answer, or a silent member, leads to an election of all. Only
 * answers count, because a host that does not receive the beacon sends nothing.
 */
#include "bully.h"
#include "core/frame/keys.h"

/* ---- beacons -------------------------------------------------------------------------------- */

void coordinator_beacon(struct elect *e)
{
	out_send(e, ELECT_AYNORMAL, NULL);
	timers_set_in(e, TIMER_BEACON, rng_jitter(&e->rng, pace_beacons(e, 1)));
	e->due_us = e->timers[TIMER_BEACON];
	role_asked(e);
}

void coordinator_on_timer_beacon(struct elect *e)
{
	coordinator_beacon(e);
}

/* A host looks for a coordinator. It repeats its message, which is not answered each time. */
void coordinator_show(struct elect *e)
{
	if (e->now_us >= e->beacon_us + pace_beacons(e, 1) / 4)
		coordinator_beacon(e);
}

void coordinator_ask(struct elect *e, unsigned member)
{
	struct elect_send *s = out_send(e, ELECT_AYNORMAL, &e->up.members[member].id);

	s->probe = s->suspect = true;
}

/* After a stall: which members still follow? */
void coordinator_ask_all(struct elect *e)
{
	out_send(e, ELECT_AYNORMAL, NULL)->probe = true;
}

/* ---- yield before the election (C3) --------------------------------------------------------- */

/* A leader has its demotion run before it is called into a group. */
void coordinator_ask_to_yield(struct elect *e, struct bully_heard *h)
{
	static const struct elect_group none;

	if (!h->yield_from_us)
		h->yield_from_us = e->now_us;
	h->asked_us = e->now_us;
	out_send(e, ELECT_ENTERELECTION, &h->standing.id)->group = none;
}

/* At most YIELDS_A_STEP hosts are asked in a step. Returns false if the host must wait. */
bool coordinator_yield_first(struct elect *e, struct bully_heard *h, unsigned *asked)
{
	bool lately = h->asked_us && h->asked_us + pace_beacons(e, 1) / 2 > e->now_us;

	if (lately)
		return true;
	if (*asked == YIELDS_A_STEP)
		return false;
	coordinator_ask_to_yield(e, h);
	++*asked;
	return true;
}

/* The demotion is over; the hosts that wait for it learn so now. */
void coordinator_yielded(struct elect *e)
{
	coordinator_beacon(e);
}

/* ---- hosts of other groups ------------------------------------------------------------------ */

static bool halted_above(const struct elect *e, const struct elect_standing *s)
{
	const struct bully_watch *w = &own(e)->watch;

	return w->halted && order_above(&w->coordinator, s);
}

/* A host with a coordinator above the sender does not answer the sender (slide 24, and C5). */
bool coordinator_leaves_alone(const struct elect *e, const struct elect_msg *m)
{
	bool its_own = elect_id_equal(&m->sender, &e->group.coordinator);

	if (!order_above_me(e, &m->standing))
		return true;
	if (e->state != ELECT_NORMAL && own(e)->watch.halted && its_own)
		return e->state == ELECT_ELECTION || !elect_group_equal(&m->group, &e->group);
	if (e->state == ELECT_NORMAL && its_own)
		return m->group.counter < e->group.counter;
	if (e->state == ELECT_NORMAL && !group_coordinates(e))
		return member_spoken_for(e, &m->standing);
	return halted_above(e, &m->standing);
}

/* Do not answer a group that could not be adopted: it would call in vain each beacon. */
void coordinator_answer_stranger(struct elect *e, const struct elect_msg *m)
{
	if (counter_reached(e, m->group.counter))
		out_reply(e, ELECT_AYNORMAL_ANSWER, m);
}

void coordinator_on_foreign_beacon(struct elect *e, const struct elect_msg *m)
{
	order_heard(e, m);
	if (!coordinator_leaves_alone(e, m))
		coordinator_answer_stranger(e, m);
}

static bool may_call(const struct elect *e)
{
	return own(e)->phase == PHASE_NONE && bully_ask_may(e) && !role_asks(e);
}

/* The group is out of reach, or the host has seen one above any that I can form. */
static bool out_of_reach(const struct elect *e, const struct elect_msg *m)
{
	const struct bully_heard *h = order_find(e, &m->sender);

	return !counter_reached(e, m->group.counter) || (h && order_fresh(e, h->stale_us));
}

/* Several hosts answer the same beacon: they are one reason for an election. */
static void stranger(struct elect *e, const struct elect_msg *m)
{
	bool vain = out_of_reach(e, m) || order_above_me(e, &m->standing);
	struct bully_heard *h = order_heard(e, m);

	if (vain)
		return;
	h->group = m->group;
	h->answered_us = e->now_us;
	if (may_call(e) && !timers_running(e, TIMER_GATHER))
		timers_set_in(e, TIMER_GATHER, GATHER_US);
}

/* The host believes that it is a member, but is not on the list: it is sent the list. */
static bool was_dropped(const struct elect *e, const struct elect_msg *m)
{
	return m->state == ELECT_NORMAL && elect_group_equal(&m->group, &e->group) &&
		roster_find(&e->up, &m->sender) < 0;
}

static void on_stranger(struct elect *e, const struct elect_msg *m)
{
	if (was_dropped(e, m))
		out_send(e, ELECT_NEWSTATE, &m->sender);
	stranger(e, m);
}

/* A member of a coordinator that is asked to yield joins together with it. */
static bool comes_later(const struct elect *e, const struct bully_heard *h)
{
	const struct bully_heard *its = order_find(e, &h->group.coordinator);

	return its && its != h && its->standing.established && order_fresh(e, its->heard_us) &&
		order_leads(e, its) && !order_above_me(e, &its->standing);
}

void coordinator_on_timer_gather(struct elect *e)
{
	struct bully_own *o = own(e);
	bool found = false, waits = false, more = false;
	unsigned asked = 0;

	if (!group_coordinates(e) || !may_call(e))
		return;
	for (unsigned i = 0; i < o->heard_count; i++) {
		struct bully_heard *h = &o->heard[i];

		if (h->answered_us + pace_beacons(e, 1) < e->now_us || comes_later(e, h))
			continue;
		if (h->standing.established && order_leads(e, h)) {
			more |= !coordinator_yield_first(e, h, &asked);
			waits = true;
			continue;
		}
		o->why = (struct elect_grounds){ ELECT_REASON_MERGED, h->standing.id };
		found = true;
	}
	if (more)
		timers_set_in(e, TIMER_GATHER, GATHER_US);
	if (found && !waits)
		bully_ask_begin(e);
}

/* ---- a new token ---------------------------------------------------------------------------- */

/* In bully only an election of all hosts gives a new token. */
void coordinator_form_anew(struct elect *e)
{
	if (!may_call(e))
		return;
	own(e)->why = e->role_why;
	bully_ask_begin(e);
}

/* ---- members -------------------------------------------------------------------------------- */

static void from_member(struct elect *e, const struct elect_msg *m, int at)
{
	bool old = m->list_version != e->list_version || m->digest != e->digest;

	if (old)
		lists_differ(e, at);
	else
		lists_taken(e, at);
	watched_answered(e, at, m); /* before the quorum is judged */
	keys_said(e, (unsigned)at, m);
	watched_standing(e, at, m); /* may also end in Down */
	watched_heard(e, m);
}

void coordinator_on_answer(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);
	bool mine = at >= 0 && e->up.members[at].session == m->session &&
		elect_group_equal(&m->group, &e->group);

	if (!group_at_work(e))
		return;
	if (mine && m->state == ELECT_NORMAL)
		from_member(e, m, at);
	else if (mine && m->state == ELECT_REORGANIZING)
		lists_wanted(e, at);
	else
		on_stranger(e, m);
}

void coordinator_on_list_answer(struct elect *e, const struct elect_msg *m)
{
	bool forming = own(e)->phase == PHASE_NEW;

	if (!(forming || group_at_work(e)) || !lists_acknowledged(e, m))
		return;
	watched_heard(e, m);
	if (forming)
		candidate_on_listed(e);
	else
		role_acknowledged(e);
}

/* ---- a silent member: k ∈ Up ∧ k ∉ replied -------------------------------------------------- */

/* Begins an election of all; if none may begin yet, the member is asked once more. */
bool coordinator_lost(struct elect *e, unsigned member)
{
	if (!may_call(e))
		return false;
	own(e)->why = (struct elect_grounds){ watched_lost_because(e),
		e->link_down ? e->config.id : e->up.members[member].id };
	bully_ask_begin(e);
	timers_set_in(e, TIMER_MEMBERS, pace_beacons(e, 1));
	return true;
}
