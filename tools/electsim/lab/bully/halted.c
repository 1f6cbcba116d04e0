/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halted: the part of a host below the candidate (slide 27, Monitor).
 *
 * EnterElection halts the host: it stops its own election and waits for SetCoord, then for
 * NewState. The wait ends if the candidate falls silent (C7). A host that follows another candidate
 * refuses SetCoord and answers nothing else (C6).
 */
#include "bully.h"

static bool in_election(const struct elect *e)
{
	return e->state == ELECT_ELECTION || e->state == ELECT_REORGANIZING;
}

/* By the hash of its id: the host has answered, or is to answer. */
static bool names_me(const struct elect *e, const struct elect_msg *m)
{
	uint32_t hash = elect_id_hash(&e->config.id);

	for (unsigned i = 0; i < m->accepted_count; i++)
		if (m->accepted[i] == hash)
			return true;
	return false;
}

/* ---- EnterElection: from which candidate? --------------------------------------------------- */

enum verdict { IGNORE, ABOVE_IT, YIELD, STALE, REPEATED, HALT };

/* A member stays with a coordinator above the candidate, unless it suspects it (C5). */
static bool stays(const struct elect *e, const struct elect_msg *m)
{
	if (group_is_member(e))
		return !elect_id_equal(&m->sender, &e->group.coordinator) &&
			member_spoken_for(e, &m->standing);
	return in_election(e) && own(e)->watch.halted &&
		order_above(&own(e)->watch.coordinator, &m->standing);
}

/* An older election of this group's coordinator: a late copy. */
static bool late(const struct elect *e, const struct elect_msg *m)
{
	return elect_id_equal(&m->sender, &e->group.coordinator) &&
		m->group.counter < e->group.counter;
}

static enum verdict judge_group(const struct elect *e, const struct elect_msg *m)
{
	if (elect_group_equal(&m->group, &e->group))
		return e->state == ELECT_NORMAL ? IGNORE : REPEATED;
	if (late(e, m) || stays(e, m))
		return IGNORE;
	return elect_token(&m->group) <= e->floor ? STALE : HALT;
}

static enum verdict judge(const struct elect *e, const struct elect_msg *m)
{
	bool yield = elect_group_is_zero(&m->group);

	if (role_leaves(e) || (!yield && !elect_id_equal(&m->group.coordinator, &m->sender)))
		return IGNORE;
	if (!order_above_me(e, &m->standing))
		return yield || down_held(e) ? IGNORE : ABOVE_IT;
	if (role_leads(e))
		return YIELD;
	return yield ? IGNORE : judge_group(e, m);
}

/* Returns whether the host would follow the message if its sender were verified. */
bool halted_follows(const struct elect *e, const struct elect_msg *m)
{
	enum verdict v = judge(e, m);

	return v == HALT || v == YIELD;
}

bool halted_answers(const struct elect *e, const struct elect_msg *m)
{
	return judge(e, m) != IGNORE;
}

/* ---- EnterElection: what follows ------------------------------------------------------------ */

static uint64_t stuck_at(const struct elect *e)
{
	uint64_t most_us = own(e)->stint_us + STINT_US;

	return moment_at_most(e->now_us + pace_window_us(e, STUCK_US), most_us);
}

void halted_heard(struct elect *e)
{
	uint64_t at_us = stuck_at(e);

	if (own(e)->watch.halted)
		timers_set(e, TIMER_STUCK, at_us > e->now_us ? at_us : e->now_us);
}

static void because(struct elect *e, const struct elect_msg *m)
{
	if (group_is_member(e) && member_suspects(e))
		member_because(e);
	else if (in_election(e) && !own(e)->origin.merged)
		because_group(e, e->group_why.reason, &e->group_why.cause);
	else
		because_group(e, ELECT_REASON_INVITED, &m->sender);
}

/* The leader this host leaves: its coordinator, or the candidate it was halted by (C8). */
static struct elect_id leaves(const struct elect *e)
{
	bool led = elect_group_equal(&e->leader_group, &e->group);
	const struct bully_watch *w = &own(e)->watch;

	if (group_is_member(e) && led && !member_suspects(e))
		return e->group.coordinator;
	if (in_election(e) && w->halted)
		return w->coordinator.established ? w->coordinator.id : w->leaves;
	return (struct elect_id){ { 0 } };
}

static void answer_later(struct elect *e, const struct elect_msg *m)
{
	own(e)->watch.call = m->transaction;
	if (!timers_running(e, TIMER_HALTED))
		timers_set_in(e, TIMER_HALTED,
			rng_below(&e->rng, order_spread_us(e, m->standing.size) + 1));
}

static void halt(struct elect *e, const struct elect_msg *m)
{
	struct elect_id left = leaves(e);

	because(e, m);
	if (group_is_member(e) && member_suspects(e))
		role_lose(e);
	bully_phase(e, PHASE_NONE, 0);
	phase_enter_election(e, &m->group);
	own(e)->tries = 0;
	own(e)->watch.halted = true;
	own(e)->watch.coordinator = m->standing;
	own(e)->watch.leaves = left;
	halted_heard(e);
	answer_later(e, m);
}

static void repeated(struct elect *e, const struct elect_msg *m)
{
	if (!own(e)->watch.halted)
		return;
	halted_heard(e);
	if (e->state == ELECT_ELECTION && !names_me(e, m))
		answer_later(e, m);
}

static void refuse(struct elect *e, const struct elect_msg *m, enum elect_why why)
{
	struct elect_send *s = out_reply(e, ELECT_ENTERELECTION_ANSWER, m);

	s->group = m->group;
	s->answer = ELECT_ANSWER_NO;
	s->why = why;
}

static void yield(struct elect *e, const struct elect_msg *m)
{
	const struct elect_inviter to = { .id = m->sender,
		.session = m->session,
		.incarnation = m->incarnation,
		.transaction = m->transaction };

	refuse(e, m, ELECT_WHY_YIELDING);
	leave_yield(e, &to);
}

/* The candidate does not know this host, or has not received its answer (C4). */
static void above_it(struct elect *e, const struct elect_msg *m)
{
	bool bullied = group_is_member(e) && !order_above_me(e, &own(e)->watch.coordinator);

	bully_ask_answer(e, m);
	if (bullied)
		bully_ask_begin(e);
}

void halted_on_call(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		down_heard(e, &m->standing);
	switch (judge(e, m)) {
	case IGNORE:
		break;
	case ABOVE_IT:
		above_it(e, m);
		break;
	case YIELD:
		/* the group of the candidate will be above its counter */
		if (counter_reached(e, m->counter))
			yield(e, m);
		break;
	case STALE:
		refuse(e, m, ELECT_WHY_STALE);
		break;
	case REPEATED:
		repeated(e, m);
		break;
	case HALT:
		if (counter_reached(e, m->group.counter)) /* else a repeat is judged anew */
			halt(e, m);
		break;
	}
}

void halted_on_timer_halted(struct elect *e)
{
	struct elect_send *s;

	if (!own(e)->watch.halted)
		return;
	s = out_send(e, ELECT_ENTERELECTION_ANSWER, &e->group.coordinator);
	s->echo = own(e)->watch.call;
	s->answer = ELECT_ANSWER_YES;
	s->other = own(e)->watch.leaves;
}

/* ---- SetCoord ------------------------------------------------------------------------------- */

static void adopt_later(struct elect *e, const struct elect_msg *m)
{
	own(e)->watch.set = m->transaction;
	halted_heard(e);
	if (!timers_running(e, TIMER_ADOPTED))
		timers_set_in(e, TIMER_ADOPTED,
			rng_below(&e->rng, order_spread_us(e, m->accepted_count) + 1));
}

void halted_on_set(struct elect *e, const struct elect_msg *m)
{
	bool mine = elect_group_equal(&m->group, &e->group) && own(e)->watch.halted;
	struct elect_send *s;

	if (!names_me(e, m))
		return;
	if (mine && in_election(e)) {
		if (e->state == ELECT_ELECTION)
			state_enter(e, ELECT_REORGANIZING);
		adopt_later(e, m);
		return;
	}
	s = out_reply(e, ELECT_SETCOORD_ANSWER, m);
	s->group = m->group;
	s->answer = elect_group_equal(&m->group, &e->group) && e->state == ELECT_NORMAL
		? ELECT_ANSWER_YES
		: ELECT_ANSWER_NO;
}

void halted_on_timer_adopted(struct elect *e)
{
	struct elect_send *s;

	if (!own(e)->watch.halted)
		return;
	s = out_send(e, ELECT_SETCOORD_ANSWER, &e->group.coordinator);
	s->echo = own(e)->watch.set;
	s->answer = ELECT_ANSWER_YES;
}

/* ---- NewState ------------------------------------------------------------------------------- */

/* A thousand acknowledgements at once would overflow the receiver's socket buffer. */
static uint64_t turn_us(const struct elect *e)
{
	int at = roster_find(&e->up, &e->config.id);

	return at < LISTED_AT_ONCE ? 0 : (uint64_t)(at - LISTED_AT_ONCE) * LISTED_TURN_US;
}

static void acknowledge(struct elect *e, const struct elect_msg *m)
{
	if (lists_answer(e, m, turn_us(e)))
		member_heard(e);
}

static void admitted(struct elect *e, const struct elect_msg *m)
{
	own(e)->watch.halted = false;
	e->watch.admitted = m->list_version;
	lists_admitted(e, m);
	member_begin(e);
}

/* The group goes on without this host, which must leave it (L3); in Down a beacon finds it. */
static void dropped(struct elect *e, const struct elect_msg *m)
{
	because_group(e, ELECT_REASON_DROPPED, &m->sender);
	down_listen(e);
}

/* The list is complete. A candidate that left this host out did not receive its answer in time. */
static void listed(struct elect *e, const struct elect_msg *m)
{
	enum lists_place place = lists_place(e);
	bool member = e->state == ELECT_NORMAL;

	if (place == LISTS_NOT_ON_IT && member)
		dropped(e, m);
	if (place == LISTS_NOT_ON_IT || (place == LISTS_ANOTHERS && !member))
		return;
	if (place == LISTS_ANOTHERS && m->list_version > e->watch.admitted)
		role_duplicate(e, e->duplicate_here); /* another host with my id has it */
	if (member)
		lists_kept(e, m);
	else
		admitted(e, m);
	acknowledge(e, m);
}

void halted_on_list(struct elect *e, const struct elect_msg *m)
{
	bool waits = e->state == ELECT_REORGANIZING && own(e)->watch.halted;

	if (!elect_group_equal(&m->group, &e->group) ||
		!elect_id_equal(&m->sender, &e->group.coordinator) ||
		!(waits || group_is_member(e)))
		return;
	if (waits)
		halted_heard(e);
	if (!waits && m->list_version <= lists_version(e)) {
		/* once a repeat, not once a part */
		if (lists_has(e, m) && m->part.index == 0)
			acknowledge(e, m);
		return;
	}
	if (lists_gather(e, m))
		listed(e, m);
}

/* ---- the candidate is silent ---------------------------------------------------------------- */

/* A candidate that died must not keep this host halted, or others from halting, for ever (C7). */
void halted_on_timer_stuck(struct elect *e)
{
	own(e)->watch.halted = false;
	because_group(e, ELECT_REASON_COORDINATOR_SILENT, &e->group.coordinator);
	bully_phase(e, PHASE_NONE, 0);
	bully_ask_begin(e);
}
