/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge: the election as its inviter runs it (merge.md; slide 38, Merge).
 *
 *	Election       Invitation every 20 ms, naming the hosts that accepted, until all expected
 *	               hosts have, or no new one does, or the window is over
 *	Reorganizing   Ready every 20 ms, naming the hosts that have not acknowledged
 *	Normal         with the hosts that accepted; a silent one stays listed, and is probed (F4)
 *
 * Recovery and Merge are one: an election that expects no host ends as a group of one.
 */
#include "invitation.h"
#include "core/frame/why_nots.h"

#include <assert.h>
#include <string.h>

static void invite(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_INVITATION, NULL);

	s->invite = own(e)->election.invite;
	s->loss = own(e)->election.loss;
	own(e)->election.unnamed = 0;
	timers_set_in(e, TIMER_INVITE, pace_repeat_us(e));
}

static void ready(struct elect *e)
{
	state_enter(e, ELECT_REORGANIZING);
	lists_first(e);
	if (e->up.count == 1) {
		merge_on_ready_answer(e);
		return;
	}
	e->watch.ready_until_us = e->now_us + pace_window_us(e, READY_WINDOW_US);
	timers_set(e, TIMER_WINDOW, e->watch.ready_until_us);
	lists_send(e);
}

static void open_election(struct elect *e)
{
	struct elect_group group = group_new(e);
	struct invitation_election *x = &own(e)->election;
	struct elect_member self;

	because_set(e, e->role_why.reason, &e->role_why.cause);
	self_member(e, &self);
	roster_clear(&e->next);
	roster_put(&e->next, &self, &e->config.id);
	state_enter(e, ELECT_ELECTION);
	group_change(e, &group);
	e->assembly.count = 0;
	own(e)->check_waited = false;
	x->recent_count = 0;
	x->began_us = e->now_us;
	x->until_us = e->now_us + pace_window_us(e, ACCEPT_WINDOW_US);
	if (x->expected == 0) {
		ready(e);
		return;
	}
	timers_set(e, TIMER_WINDOW, x->until_us);
	invite(e);
}

static void prepare(struct elect *e, enum elect_invite kind, enum elect_loss loss,
	const struct elect_invited *groups, unsigned groups_count, unsigned expected)
{
	struct invitation_election *x = &own(e)->election;

	assert(counter_can_form(e));
	assert(groups_count <= ELECT_INVITED_MAX);
	memset(x, 0, sizeof(*x));
	x->invite = kind;
	x->loss = loss;
	x->from = e->list_group;
	self_standing(e, &x->standing);
	x->old_count = e->up.count;
	x->sign = suspicion_sign(e);
	x->expected = expected;
	x->groups_count = groups_count;
	if (groups_count > 0)
		memcpy(x->groups, groups, groups_count * sizeof(groups[0]));
}

void merge_begin(struct elect *e, enum elect_invite kind, enum elect_loss loss,
	const struct elect_invited *groups, unsigned groups_count, unsigned expected)
{
	prepare(e, kind, loss, groups, groups_count, expected);
	open_election(e);
}

void merge_own(struct elect *e, unsigned newcomers)
{
	const struct elect_invited mine = { .group = e->group, .size = (uint16_t)e->up.count };

	prepare(e, ELECT_INVITE_MERGE, ELECT_LOSS_SILENCE, &mine, 1, e->up.count - 1 + newcomers);
	own(e)->election.has_led = e->watch.led;
	open_election(e);
}

/* A leader whose reserve is used up keeps its role, and goes on with the hosts that accepted. */
void merge_again(struct elect *e)
{
	if (!counter_can_form(e) && role_leads(e))
		return;
	if (!counter_can_form(e)) {
		succession_alone(e);
		return;
	}
	own(e)->election.alive_said = false;
	open_election(e);
}

static unsigned accepted(const struct elect *e)
{
	return e->next.count - 1;
}

/*
 * The window closes early when no new host has accepted for a while, so that dead hosts among the
 * expected cost no more than that. It does not after *coordinator alive*, because those members may
 * still come to suspect it.
 */
static void reschedule(struct elect *e)
{
	struct invitation_election *x = &own(e)->election;
	uint64_t quiet = e->now_us + pace_window_us(e, ACCEPT_QUIET_US);

	if (accepted(e) >= x->expected)
		ready(e);
	else if (!x->alive_said && accepted(e) > 0 && quiet < x->until_us)
		timers_set(e, TIMER_WINDOW, quiet);
	else
		timers_set(e, TIMER_WINDOW, x->until_us);
}

void merge_on_accept(struct elect *e, const struct elect_msg *m)
{
	struct elect_member member;
	struct invitation_election *x = &own(e)->election;

	if (!elect_group_equal(&m->group, &e->group)) {
		out_reply(e, ELECT_ACCEPT_ANSWER, m)->answer = ELECT_ANSWER_NO;
		return;
	}
	if (roster_find(&e->next, &m->sender) >= 0)
		return;
	lists_member_from(e, m, &member);
	if (roster_put(&e->next, &member, &e->config.id) < 0) {
		out_reply(e, ELECT_DECLINE, m)->why = ELECT_WHY_REFUSED;
		e->refused_us = e->now_us;
		return;
	}
	why_nots_note(e, m);
	memmove(x->recent + 1, x->recent, (ELECT_ACCEPTED_MAX - 1) * sizeof(x->recent[0]));
	x->recent[0] = elect_id_hash(&m->sender);
	if (x->recent_count < ELECT_ACCEPTED_MAX)
		x->recent_count++;
	x->unnamed++;
	reschedule(e);
	/* a host that is never named would accept again */
	if (x->unnamed == ELECT_ACCEPTED_MAX && e->state == ELECT_ELECTION)
		invite(e);
}

static void expect_less(struct elect *e, const struct elect_msg *m)
{
	struct invitation_election *x = &own(e)->election;
	unsigned size = 0;

	for (unsigned i = 0; i < x->groups_count; i++) {
		if (!elect_group_equal(&x->groups[i].group, &m->group))
			continue;
		size = x->groups[i].size;
		x->groups[i].size = 0;
	}
	if (size == 0)
		return;
	x->expected -= size < x->expected ? size : x->expected;
	backoff_absent(e, &m->sender);
	reschedule(e);
}

static void coordinator_alive(struct elect *e)
{
	struct invitation_election *x = &own(e)->election;

	if (!x->alive_said)
		x->until_us = x->began_us + ALIVE_WINDOWS * pace_window_us(e, ACCEPT_WINDOW_US);
	x->alive_said = true;
	reschedule(e);
}

void merge_on_decline(struct elect *e, const struct elect_msg *m)
{
	struct invitation_election *x = &own(e)->election;

	if (own(e)->watch.awaiting && elect_id_equal(&m->sender, &own(e)->watch.inviter.id) &&
		m->why == ELECT_WHY_REFUSED)
		invited_give_up(e, false);
	if (group_at_work(e)) {
		if (m->why == ELECT_WHY_STALE && !join_fits(e, m->floor))
			join_want(e, NULL, m->floor, &m->sender);
		return;
	}
	if (e->state != ELECT_ELECTION)
		return;
	switch (m->why) {
	case ELECT_WHY_STALE:
		if (!x->restarted && m->floor >> 24 >= e->group.counter &&
			counter_reached(e, m->floor >> 24)) {
			x->restarted = true;
			merge_again(e);
		}
		break;
	case ELECT_WHY_BETTER:
	case ELECT_WHY_BUSY:
	case ELECT_WHY_YIELDING:
	case ELECT_WHY_REFUSED:
		expect_less(e, m);
		break;
	case ELECT_WHY_COORDINATOR_ALIVE:
		coordinator_alive(e);
		break;
	case ELECT_WHYS:
		assert(false);
	}
}

void merge_on_timer_invite(struct elect *e)
{
	invite(e);
}

/* A host that was invited to a merge and did not come waits before it is invited again (F16). */
static void remember_absent(struct elect *e)
{
	const struct invitation_election *x = &own(e)->election;

	if (x->invite != ELECT_INVITE_MERGE)
		return;
	for (unsigned i = 0; i < x->groups_count; i++) {
		const struct elect_id *id = &x->groups[i].group.coordinator;

		if (!self_is(e, id) && roster_find(&e->up, id) < 0 && x->groups[i].size > 0)
			backoff_absent(e, id);
	}
}

static void done(struct elect *e)
{
	const struct invitation_election *x = &own(e)->election;
	/* `anew` also if the leadership has ended only since the election began */
	const struct role_claim claim = {
		.old_count = x->old_count,
		.merged = x->invite == ELECT_INVITE_MERGE,
		.anew = x->has_led && !role_leads(e),
		.told_goodbye = x->loss == ELECT_LOSS_STOP || x->loss == ELECT_LOSS_RESIGN ||
			x->loss == ELECT_LOSS_CRASH,
		.sign = e->met_us < x->began_us ? x->sign : ELECT_SIGN_UNKNOWN,
	};

	timers_stop(e, TIMER_WINDOW);
	remember_absent(e);
	state_enter(e, ELECT_NORMAL);
	if (role_leads(e))
		because_set(e, ELECT_REASON_CONFIRMED, &e->config.id);
	else if (e->up.count == 1 && x->old_count <= 1)
		because_group(e, ELECT_REASON_ALONE, &e->config.id);
	if (x->invite == ELECT_INVITE_SUCCESSION && elect_loss_older(x->loss) == ELECT_LOSS_SILENCE)
		check_miss(e, x->old_count);
	own(e)->others_count = 0;
	watched_begin(e);
	role_begin(e, &claim);
	if (!group_at_work(e))
		return;
	if (!timers_running(e, TIMER_BEACON))
		check_beacon(e);
	join_begin(e);
}

void merge_on_ready_answer(struct elect *e)
{
	if (lists_all_have(e))
		done(e);
}

void merge_on_timer_window(struct elect *e)
{
	if (e->state == ELECT_ELECTION)
		ready(e);
	else
		done(e);
}
