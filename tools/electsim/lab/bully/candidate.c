/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidate: the election that the highest host holds (slides 25 and 26).
 *
 *	Election       EnterElection: all hosts below halt
 *	Reorganizing   SetCoord: they accept this host as coordinator; NewState: the membership list
 *	Normal         when all have it. If a host does not answer in time, the election begins anew
 *
 * A leader goes on with the hosts that answered, because its role is kept without a quorum
 * check.
 */
#include "bully.h"
#include "core/frame/why_nots.h"

/* ---- may it begin? -------------------------------------------------------------------------- */

/* The coordinator of this member is alive, and below it. */
static bool bullies_own(const struct elect *e)
{
	return group_is_member(e) && !member_silent(e);
}

/* A leader below this host is asked to yield first (C3). */
static bool waits_for_yield(struct elect *e)
{
	unsigned asked = 0;
	bool waits = false;

	if (e->state != ELECT_DOWN && !group_at_work(e) && !bullies_own(e))
		return false;
	for (unsigned i = 0; i < own(e)->heard_count; i++) {
		struct bully_heard *h = &own(e)->heard[i];
		bool asks = h->standing.established && order_fresh(e, h->heard_us) &&
			!order_above_me(e, &h->standing) && order_leads(e, h);

		if (!asks)
			continue;
		coordinator_yield_first(e, h, &asked);
		waits = true;
	}
	return waits;
}

/* A group that cannot be adopted yet is ahead. A successor forms its own group anyway. */
static bool behind(const struct elect *e)
{
	bool waits = e->state == ELECT_DOWN || group_at_work(e);

	return counter_ahead_member(e) || (waits && counter_ahead(e));
}

/* The reason is that of the coordinator that wants the election, or what a member knows. */
static void because(struct elect *e)
{
	const struct elect_grounds *why = &own(e)->why;

	if (e->state == ELECT_DOWN)
		because_group(e, ELECT_REASON_START, &e->config.id);
	else if (group_at_work(e))
		because_group(e, why->reason, &why->cause);
	else if (e->state == ELECT_NORMAL)
		member_because(e);
	else
		because_group(e, e->group_why.reason, &e->group_why.cause);
}

/* No election now. A host without a coordinator leaves its group; the others go on. */
static void give_up(struct elect *e)
{
	bool in_group = e->state == ELECT_NORMAL && (group_coordinates(e) || !member_silent(e));

	bully_phase(e, PHASE_NONE, 0);
	if (e->state == ELECT_DOWN)
		down_wait(e, 1);
	else if (!in_group && !role_leads(e)) {
		because(e);
		down_listen(e);
	}
}

/* ---- EnterElection -------------------------------------------------------------------------- */

static void open_election(struct elect *e)
{
	struct elect_group group = group_new(e);
	struct elect_member self;

	self_member(e, &self);
	roster_clear(&e->next);
	roster_put(&e->next, &self, &e->config.id);
	phase_enter_election(e, &group);
	bully_phase(e, PHASE_CALL, phase_window_us(e));
	candidate_say(e);
}

void candidate_call(struct elect *e)
{
	if (!bully_ask_may(e) || behind(e) || !counter_can_form(e) || !role_steady(e, PHASES_US)) {
		give_up(e);
		return;
	}
	if (waits_for_yield(e)) {
		bully_phase(e, PHASE_NONE, 0);
		if (e->state == ELECT_DOWN)
			down_wait(e, FRESH_BEACONS + 1);
		return;
	}
	because(e);
	if (e->state == ELECT_NORMAL && !group_coordinates(e))
		role_lose(e);
	open_election(e);
}

void candidate_say(struct elect *e)
{
	out_send(e, own(e)->phase == PHASE_CALL ? ELECT_ENTERELECTION : ELECT_SETCOORD, NULL);
	timers_set_in(e, TIMER_REPEAT, pace_repeat_us(e));
}

/* The host has announced that it leads: it joins later, and the election does not wait for it. */
static bool yields(const struct elect *e, const struct elect_id *id)
{
	const struct bully_heard *h = order_find(e, id);

	return h && h->standing.established && order_fresh(e, h->heard_us);
}

/* All members of the last group and all hosts found since. At first no host is known. */
static bool all_have_halted(const struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++) {
		const struct elect_member *m = &e->up.members[i];

		if (!self_is(e, &m->id) && !order_member_above_me(e, m) &&
			roster_find(&e->next, &m->id) < 0 && !yields(e, &m->id))
			return false;
	}
	for (unsigned i = 0; i < own(e)->heard_count; i++) {
		const struct bully_heard *h = &own(e)->heard[i];

		if (order_fresh(e, h->answered_us) && !order_above_me(e, &h->standing) &&
			roster_find(&e->next, &h->standing.id) < 0 && !h->standing.established)
			return false;
	}
	return e->up.count > 1;
}

static void newstate(struct elect *e);

static void setcoord(struct elect *e)
{
	state_enter(e, ELECT_REORGANIZING);
	if (e->next.count == 1) {
		newstate(e);
		return;
	}
	bully_phase(e, PHASE_SET, phase_window_us(e));
	candidate_say(e);
}

static void halted(struct elect *e, const struct elect_msg *m)
{
	struct elect_member member;

	order_named(e, &m->other);
	if (roster_find(&e->next, &m->sender) >= 0)
		return;
	lists_member_from(e, m, &member);
	if (roster_put(&e->next, &member, &e->config.id) < 0) {
		e->refused_us = e->now_us;
		return;
	}
	why_nots_note(e, m);
	if (all_have_halted(e))
		setcoord(e);
}

/* The host has seen a newer group: call above it, once; afterwards leave it out for a while. */
static void stale(struct elect *e, struct bully_heard *h)
{
	h->stale_us = e->now_us;
	if (own(e)->watch.staled || !counter_can_form(e))
		return;
	because(e); /* `why` may have changed */
	open_election(e);
	own(e)->watch.staled = true;
}

void candidate_on_halted(struct elect *e, const struct elect_msg *m)
{
	struct bully_heard *h;

	if (own(e)->phase != PHASE_CALL || !elect_group_equal(&m->group, &e->group))
		return;
	h = order_heard(e, m);
	if (m->answer == ELECT_ANSWER_YES)
		halted(e, m);
	else if (m->why == ELECT_WHY_STALE)
		stale(e, h);
	else if (all_have_halted(e))
		setcoord(e);
}

/* ---- SetCoord ------------------------------------------------------------------------------- */

bool candidate_is_set(const struct elect *e, unsigned member)
{
	return own(e)->watch.set_by[member / 8] & 1 << member % 8;
}

static bool all_set(const struct elect *e)
{
	for (unsigned i = 1; i < e->next.count; i++)
		if (!candidate_is_set(e, i))
			return false;
	return true;
}

/* The set of members has changed: slide 26 begins anew. */
static void failed(struct elect *e)
{
	own(e)->tries++;
	bully_phase(e, PHASE_NONE, 0);
	bully_ask_begin(e);
}

void candidate_on_adopted(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->next, &m->sender);

	if (own(e)->phase != PHASE_SET || !elect_group_equal(&m->group, &e->group) || at < 1)
		return;
	if (m->answer != ELECT_ANSWER_YES && !role_leads(e)) {
		failed(e);
		return;
	}
	if (m->answer == ELECT_ANSWER_YES)
		own(e)->watch.set_by[at / 8] |= (uint8_t)(1 << at % 8);
	if (all_set(e))
		newstate(e);
}

/* Go on without the members that did not accept. */
static void drop_unset(struct elect *e)
{
	for (unsigned i = e->next.count; i-- > 1;) {
		struct elect_id id = e->next.members[i].id;

		if (!candidate_is_set(e, i))
			roster_remove(&e->next, &id);
	}
}

/* ---- NewState ------------------------------------------------------------------------------- */

static void normal(struct elect *e)
{
	const struct bully_origin *o = &own(e)->origin;
	const struct role_claim claim = {
		.old_count = o->old_count,
		.merged = o->merged,
		.told_goodbye = o->told_goodbye,
		.anew = o->has_led && !role_leads(e),
	};

	bully_phase(e, PHASE_NONE, 0);
	own(e)->tries = 0;
	state_enter(e, ELECT_NORMAL);
	if (role_leads(e))
		because_set(e, ELECT_REASON_CONFIRMED, &e->config.id);
	else if (e->up.count == 1 && o->old_count <= 1)
		because_group(e, ELECT_REASON_ALONE, &e->config.id);
	watched_begin(e);
	role_begin(e, &claim);
	if (group_at_work(e) && !timers_running(e, TIMER_BEACON))
		coordinator_beacon(e);
}

static void newstate(struct elect *e)
{
	lists_first(e);
	if (e->up.count == 1) {
		normal(e);
		return;
	}
	bully_phase(e, PHASE_NEW, phase_window_us(e));
	e->watch.ready_until_us = e->timers[TIMER_WINDOW];
	lists_send(e);
}

void candidate_on_listed(struct elect *e)
{
	if (lists_all_have(e))
		normal(e);
}

void candidate_window(struct elect *e)
{
	if (own(e)->phase == PHASE_CALL) {
		setcoord(e);
	} else if (!role_leads(e)) {
		failed(e);
	} else if (own(e)->phase == PHASE_SET) {
		drop_unset(e);
		newstate(e);
	} else {
		normal(e);
	}
}

/* After a stall, and if the session of a halted host is lost. */
void candidate_again(struct elect *e)
{
	own(e)->watch.halted = false;
	if (role_leads(e) && counter_can_form(e)) {
		because(e);
		open_election(e);
	} else if (role_leads(e)) {
		because(e);
		down_listen(e);
	} else {
		bully_phase(e, PHASE_NONE, 0);
		bully_ask_begin(e);
	}
}
