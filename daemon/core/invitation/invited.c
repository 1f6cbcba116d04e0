/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invited: what a host does with an Invitation (merge.md, Being invited; slide 39).
 *
 * First the host finds out whether the Invitation concerns it, then whether the group may be
 * accepted; only then anything changes. The inviter was verified before. To accept, the host sends
 * one Accept after a random wait; repeats of the inviter are the answer, and its silence means that
 * it is dead (M8).
 */
#include "invitation.h"
#include "core/frame/adaptive.h"

#include <assert.h>

/* ---- does it concern this host? -------------------------------------------------------------- */

static bool names_group(const struct elect_msg *m, const struct elect_group *g)
{
	for (unsigned i = 0; i < m->groups_count; i++)
		if (elect_group_equal(&m->groups[i].group, g))
			return true;
	return false;
}

static bool succeeds(const struct elect *e, const struct elect_msg *m)
{
	return m->invite == ELECT_INVITE_SUCCESSION &&
		elect_group_equal(&m->from_group, &e->list_group);
}

/* A full Invitation that named this host before, and does not now, names later ones instead. */
static bool names_me(struct elect *e, const struct elect_msg *m)
{
	uint32_t hash = elect_id_hash(&e->config.id);

	for (unsigned i = 0; i < m->accepted_count; i++)
		if (m->accepted[i] == hash)
			return own(e)->watch.named = true;
	return own(e)->watch.named && m->accepted_count == ELECT_ACCEPTED_MAX;
}

enum verdict { IGNORE, ACCEPT, DECLINE_BETTER, DECLINE_BUSY, DECLINE_ALIVE, YIELD_FIRST, VERDICTS };

/* In an election the standing frozen at its beginning counts, otherwise the present one. */
static bool better_than(const struct elect *e, const struct elect_standing *theirs)
{
	struct elect_standing mine = own(e)->election.standing;

	if (e->state != ELECT_ELECTION)
		self_standing(e, &mine);
	return elect_standing_compare(&mine, theirs) > 0;
}

/* Follows any host but one that is less fit, or of a lower priority with preempt (M12, M15). */
static enum verdict judge_down(const struct elect *e, const struct elect_msg *m)
{
	struct elect_standing mine, theirs = m->standing;

	if (role_leaves(e))
		return IGNORE;
	self_standing(e, &mine);
	theirs.established = mine.established = false;
	theirs.size = mine.size;
	if (mine.may_lead != theirs.may_lead)
		return mine.may_lead ? DECLINE_BETTER : ACCEPT;
	if (mine.preempt_agreed && theirs.preempt_agreed && mine.priority > theirs.priority)
		return DECLINE_BETTER;
	return ACCEPT;
}

static enum verdict judge_coordinator(const struct elect *e, const struct elect_msg *m)
{
	if (succeeds(e, m))
		return DECLINE_ALIVE;
	if (!names_group(m, &e->group))
		return IGNORE;
	if (better_than(e, &m->standing))
		return DECLINE_BETTER;
	return role_leads(e) ? YIELD_FIRST : ACCEPT;
}

/*
 * Accepts what the coordinator invites to or forwards; and a succession to it by another member,
 * for mere silence only if this host suspects it, too.
 */
static enum verdict judge_member(const struct elect *e, const struct elect_msg *m)
{
	if (elect_id_equal(&m->sender, &e->group.coordinator))
		return m->group.counter > e->group.counter || !self_is(e, &m->group.coordinator)
			? ACCEPT
			: IGNORE;
	if (!succeeds(e, m) || roster_find(&e->up, &m->sender) < 0)
		return IGNORE;
	if (m->loss == ELECT_LOSS_SILENCE)
		return following_suspects(e) ? ACCEPT : DECLINE_ALIVE;
	if (m->loss == ELECT_LOSS_UNANSWERED)
		return e->watch.gone || suspicion_overdue(e) ? ACCEPT : DECLINE_ALIVE;
	return ACCEPT;
}

static enum verdict judge_inviter(const struct elect *e, const struct elect_msg *m)
{
	const struct invitation_election *x = &own(e)->election;

	if (x->invite == ELECT_INVITE_SUCCESSION && succeeds(e, m)) {
		int theirs = roster_find(&e->up, &m->sender);
		int mine = roster_find(&e->up, &e->config.id);

		return theirs >= 0 && theirs < mine ? ACCEPT : DECLINE_BETTER;
	}
	if (m->invite == ELECT_INVITE_JOIN && !elect_group_is_zero(&x->from))
		return IGNORE;
	if (!elect_group_is_zero(&x->from) && !names_group(m, &x->from) && !succeeds(e, m))
		return IGNORE;
	if (better_than(e, &m->standing))
		return DECLINE_BETTER;
	return role_leads(e) ? YIELD_FIRST : ACCEPT;
}

/*
 * Waiting for a Ready, a host accepts what the awaited coordinator sends; a succession if that is
 * silent; and a succession by a host that stands before it on the list that both succeed to.
 */
static enum verdict judge_awaiting(const struct elect *e, const struct elect_msg *m)
{
	int theirs = roster_find(&e->up, &m->sender);
	int awaited = roster_find(&e->up, &e->group.coordinator);

	if (elect_id_equal(&m->sender, &e->group.coordinator))
		return ACCEPT;
	if (succeeds(e, m) && (own(e)->watch.accepts >= 3 || own(e)->watch.await_probes > 0))
		return ACCEPT;
	if (succeeds(e, m) && own(e)->watch.invite == ELECT_INVITE_SUCCESSION && theirs >= 0 &&
		theirs < awaited)
		return ACCEPT;
	return names_group(m, &e->list_group) ? DECLINE_BUSY : IGNORE;
}

static enum verdict judge(const struct elect *e, const struct elect_msg *m)
{
	switch (e->state) {
	case ELECT_DOWN:
		return judge_down(e, m);
	case ELECT_ELECTION:
		return judge_inviter(e, m);
	case ELECT_REORGANIZING:
		if (own(e)->watch.awaiting)
			return judge_awaiting(e, m);
		return names_group(m, &own(e)->election.from) ? DECLINE_BUSY : IGNORE;
	case ELECT_NORMAL:
		return group_coordinates(e) ? judge_coordinator(e, m) : judge_member(e, m);
	case ELECT_STATES:
		break;
	}
	return IGNORE;
}

/* ---- may it be accepted? --------------------------------------------------------------------- */

/*
 * A group never goes back: its counter is above the floor's, a Join's token not below (merge.md,
 * M4).
 */
static bool fresh_enough(const struct elect *e, const struct elect_msg *m)
{
	if (m->invite == ELECT_INVITE_JOIN)
		return elect_token(&m->group) >= e->floor;
	return m->group.counter > e->floor >> 24;
}

static bool forwarded(const struct elect_msg *m)
{
	return !elect_id_equal(&m->sender, &m->inviter.id);
}

static void decline(struct elect *e, const struct elect_msg *m, enum elect_why why)
{
	struct elect_send *s = out_send(e, ELECT_DECLINE, &m->inviter.id);

	s->echo = m->inviter.transaction;
	s->group = e->list_group;
	s->why = why;
	if (!elect_group_equal(&own(e)->declined, &m->group))
		own(e)->declines = 0;
	own(e)->declined = m->group;
	if (++own(e)->declines == 2)
		out_also_to_all(e, s);
}

/* Once for each group: repeats are judged anew, but not answered anew. */
static void decline_alive(struct elect *e, const struct elect_msg *m)
{
	if (group_at_work(e))
		adaptive_suspected(e, m->loss);
	if (elect_group_equal(&own(e)->watch.declined, &m->group))
		return;
	own(e)->watch.declined = m->group;
	decline(e, m, ELECT_WHY_COORDINATOR_ALIVE);
	if (group_at_work(e))
		check_beacon(e);
}

static void repeated(struct elect *e, const struct elect_msg *m)
{
	invited_heard(e);
	/* A forwarded Invitation names no host. */
	if (forwarded(m) || names_me(e, m) || timers_running(e, TIMER_ANSWER) ||
		e->now_us - own(e)->watch.accepted_us < pace_repeat_us(e) / 2)
		return;
	own(e)->watch.inviter.transaction = m->inviter.transaction;
	timers_set_in(e, TIMER_ANSWER, rng_below(&e->rng, pace_repeat_us(e) / 4));
}

/* ---- accepting ------------------------------------------------------------------------------- */

static void forward(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_INVITATION, NULL);

	s->forward = true;
	if (++own(e)->forward.repeats < GOODBYE_REPEATS)
		timers_set_in(e, TIMER_FORWARD, pace_repeat_us(e));
}

void invited_on_timer_forward(struct elect *e)
{
	if (own(e)->watch.awaiting && elect_group_equal(&e->group, &own(e)->forward.group))
		forward(e);
}

/* The members of a coordinator, and hosts that accepted a losing inviter, are carried along. */
static void forward_begin(struct elect *e, const struct elect_msg *m)
{
	own(e)->forward.used = true;
	own(e)->forward.repeats = 0;
	own(e)->forward.group = m->group;
	own(e)->forward.standing = m->standing;
	own(e)->forward.inviter = m->inviter;
	own(e)->forward.invite = m->invite;
	own(e)->forward.loss = m->loss;
	own(e)->forward.from_group = m->from_group;
	own(e)->forward.expected = m->expected;
	forward(e);
}

static void because_invited(struct elect *e, const struct elect_msg *m)
{
	static const enum elect_reason reasons[ELECT_LOSSES] = {
		[ELECT_LOSS_SILENCE] = ELECT_REASON_COORDINATOR_SILENT,
		[ELECT_LOSS_STOP] = ELECT_REASON_COORDINATOR_STOPPED,
		[ELECT_LOSS_RESTART] = ELECT_REASON_COORDINATOR_RESTARTED,
		[ELECT_LOSS_LEFT] = ELECT_REASON_COORDINATOR_RESIGNED,
		[ELECT_LOSS_CRASH] = ELECT_REASON_COORDINATOR_CRASHED,
		[ELECT_LOSS_UNANSWERED] = ELECT_REASON_COORDINATOR_SILENT,
	};

	assert(m->loss < ELECT_LOSSES);
	if (m->invite == ELECT_INVITE_JOIN)
		because_group(e, ELECT_REASON_JOINED, &m->inviter.id);
	else if (m->invite == ELECT_INVITE_MERGE)
		because_group(e, ELECT_REASON_INVITED, &m->inviter.id);
	else if (m->loss == ELECT_LOSS_RESIGN)
		because_group(
			e, watch_resigned(e, m->standing.priority), &m->from_group.coordinator);
	else
		because_group(e, reasons[m->loss], &m->from_group.coordinator);
}

static void await(struct elect *e, const struct elect_inviter *inviter, enum elect_invite kind)
{
	own(e)->watch.awaiting = true;
	own(e)->watch.inviter = *inviter;
	own(e)->watch.invite = kind;
	own(e)->watch.named = false;
	own(e)->watch.await_until_us = e->now_us + AWAIT_US;
	e->assembly.count = 0;
	invited_heard(e);
}

/*
 * A leader that falls silent works on for dead_after since its last beacon (until.md) and counts
 * the hosts that have answered that beacon, in its merge too. So a host that turns away from
 * the leader for silence leads no sooner, also where its new coordinator has lost that beacon and
 * hands over at once. It is bound, too, also while it waits for the list of that merge.
 */
static void turn_away(struct elect *e, enum elect_loss loss)
{
	bool led = group_is_member(e) && elect_group_equal(&e->leader_group, &e->group);

	if (own(e)->watch.awaiting && own(e)->watch.leads)
		role_silent(e, own(e)->watch.heard_us);
	else if (led && !e->watch.gone && loss == ELECT_LOSS_SILENCE)
		role_silent(e, e->watch.heard_us);
	else
		following_bound(e);
}

/*
 * The Accepts of many hosts are spread, because a socket has room for some only. A host that
 * challenged the inviter at a random moment does not wait again, and a host that led tells the end
 * of its role first.
 */
static void answer(struct elect *e, const struct elect_msg *m)
{
	uint64_t spread = (uint64_t)m->expected * ACCEPT_SPREAD_US;
	bool at_once = m->kept || m->expected <= ACCEPT_AT_ONCE;

	spread = at_once ? 0 : moment_at_most(spread, ACCEPT_SPREAD_MAX_US);
	timers_set_in(e, TIMER_ANSWER, rng_below(&e->rng, spread + 1));
	if (!at_once || e->shown.role == ELECT_ROLE_LEADER)
		return;
	timers_stop(e, TIMER_ANSWER);
	invited_on_timer_answer(e);
}

static void accept(struct elect *e, const struct elect_msg *m)
{
	const struct elect_inviter *inviter = &m->inviter;
	bool has_followers = e->state == ELECT_ELECTION || (group_at_work(e) && e->up.count > 1) ||
		(own(e)->watch.awaiting && own(e)->forward.used);

	if (succeeds(e, m)) {
		if (elect_loss_older(m->loss) == ELECT_LOSS_SILENCE)
			turn_away(e, m->loss);
		role_lose(e);
	}
	because_invited(e, m);
	state_enter(e, ELECT_REORGANIZING);
	group_change(e, &m->group);
	own(e)->forward.used = false;
	await(e, inviter, m->invite);
	own(e)->watch.leads = m->standing.established;
	if (forwarded(m)) {
		struct elect_action *a = out_action(e, ELECT_ACTION_PROVE);

		a->prove.id = inviter->id;
		a->prove.session = inviter->session;
		a->prove.incarnation = inviter->incarnation;
	}
	if (has_followers)
		forward_begin(e, m);
	answer(e, m);
}

/* There is no group yet: a better coordinator wants a demotion before it merges (M7). */
static bool may_yield(const struct elect *e, const struct elect_msg *m)
{
	return group_at_work(e) && names_group(m, &e->group) && !better_than(e, &m->standing);
}

static void yield(struct elect *e, const struct elect_msg *m)
{
	struct elect_inviter inviter = m->inviter;

	inviter.transaction = m->transaction;
	leave_yield(e, &inviter);
}

void invited_yielded(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_AYCOORD_ANSWER, &e->yield_to.id);

	s->echo = e->yield_to.transaction;
	s->answer = ELECT_ANSWER_YES;
	s->other = e->config.id;
	out_also_to_all(e, s);
}

static void asked_to_yield(struct elect *e, const struct elect_msg *m)
{
	/* the group will be above the sender's counter */
	if (may_yield(e, m) && counter_reached(e, m->counter))
		yield(e, m);
}

enum elect_worth invited_worth(const struct elect *e, const struct elect_msg *m)
{
	enum verdict v;

	if (self_is(e, &m->inviter.id))
		return ELECT_WORTH_NOTHING;
	if (m->invite == ELECT_INVITE_YIELD)
		return may_yield(e, m) ? ELECT_WORTH_FOLLOWING : ELECT_WORTH_NOTHING;
	if (elect_group_equal(&m->group, &e->group))
		return ELECT_WORTH_NOTHING;
	v = judge(e, m);
	if (v == IGNORE)
		return ELECT_WORTH_NOTHING;
	return (v == ACCEPT || v == YIELD_FIRST) && fresh_enough(e, m) ? ELECT_WORTH_FOLLOWING
								       : ELECT_WORTH_ASKING;
}

void invited_on_invitation(struct elect *e, const struct elect_msg *m)
{
	enum verdict v;

	/* no answer can reach a forwarded inviter without an address that a host can have */
	if (self_is(e, &m->inviter.id) || (forwarded(m) && m->inviter_at.family == 0))
		return;
	if (m->invite == ELECT_INVITE_YIELD) {
		asked_to_yield(e, m);
		return;
	}
	if (own(e)->watch.awaiting && elect_group_equal(&m->group, &e->group)) {
		repeated(e, m);
		return;
	}
	if (e->state == ELECT_NORMAL && elect_group_equal(&m->group, &e->group))
		return;
	v = judge(e, m);
	if (v == IGNORE)
		return;
	if (v == DECLINE_BETTER || v == DECLINE_BUSY)
		decline(e, m, v == DECLINE_BUSY ? ELECT_WHY_BUSY : ELECT_WHY_BETTER);
	else if (v == DECLINE_ALIVE)
		decline_alive(e, m);
	else if (!fresh_enough(e, m))
		decline(e, m, ELECT_WHY_STALE);
	else if (!counter_reached(e, m->group.counter))
		return; /* a repeat is judged anew */
	else if (v == YIELD_FIRST) {
		decline(e, m, ELECT_WHY_YIELDING);
		yield(e, m);
	} else
		accept(e, m);
}

void invited_late(struct elect *e, const struct elect_msg *m)
{
	struct elect_inviter inviter = {
		.id = m->sender,
		.session = m->session,
		.transaction = m->transaction,
	};

	if (!elect_id_equal(&m->sender, &e->group.coordinator))
		return;
	if (own(e)->watch.awaiting && elect_group_equal(&m->group, &e->group)) {
		own(e)->watch.inviter = inviter;
		invited_heard(e);
	} else if (m->group.counter > e->group.counter && elect_token(&m->group) > e->floor &&
		counter_reached(e, m->group.counter)) {
		because_group(e, ELECT_REASON_INVITED, &m->sender);
		state_enter(e, ELECT_REORGANIZING);
		group_change(e, &m->group);
		own(e)->forward.used = false;
		await(e, &inviter, ELECT_INVITE_JOIN);
		own(e)->watch.leads = m->standing.established;
	} else {
		return;
	}
	timers_set_in(e, TIMER_ANSWER, rng_below(&e->rng, ACCEPT_SPREAD_MAX_US));
}

/* This host comes back, or leaves within the bound of L3. `transaction`: the coordinator's. */
void invited_again(struct elect *e, const struct elect_transaction *transaction)
{
	int at = roster_find(&e->up, &e->group.coordinator);
	struct elect_group group = e->group;
	bool leads = elect_group_equal(&e->leader_group, &group);
	struct elect_inviter inviter = {
		.id = e->group.coordinator,
		.transaction = *transaction,
	};

	if (at < 0)
		return;
	inviter.session = e->up.members[at].session;
	because_group(e, ELECT_REASON_DROPPED, &inviter.id);
	state_enter(e, ELECT_REORGANIZING);
	group_change(e, &group);
	await(e, &inviter, ELECT_INVITE_JOIN);
	own(e)->watch.leads = leads;
	timers_set_in(e, TIMER_ANSWER, 0);
}

void invited_on_timer_answer(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_ACCEPT, &own(e)->watch.inviter.id);

	assert(own(e)->watch.awaiting);
	s->suspect = own(e)->watch.accepts > 0;
	if (s->suspect)
		out_also_to_all(e, s);
	s->echo = own(e)->watch.inviter.transaction;
	own(e)->watch.accepted_us = e->now_us;
	own(e)->watch.accepts++;
}

/* ---- waiting for the Ready ------------------------------------------------------------------- */

/* No host waits past the bound of L2. */
static void await_timer(struct elect *e, uint64_t us)
{
	uint64_t at = e->now_us + us;

	timers_set(e, TIMER_AWAIT,
		at < own(e)->watch.await_until_us ? at : own(e)->watch.await_until_us);
}

void invited_heard(struct elect *e)
{
	e->watch.gone = false;
	own(e)->watch.heard_us = e->now_us;
	own(e)->watch.await_probes = 0;
	await_timer(e, AWAIT_SILENCE_US);
}

static void ask_inviter(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_AYTHERE, &own(e)->watch.inviter.id);

	s->probe = s->suspect = true;
}

static void inviter_silent(struct elect *e)
{
	turn_away(e, ELECT_LOSS_SILENCE);
	invited_give_up(e, true);
}

void invited_on_timer_await(struct elect *e)
{
	assert(own(e)->watch.awaiting);
	if (e->watch.gone) {
		succession_act(e);
	} else if (own(e)->watch.await_probes == AWAIT_PROBES ||
		(own(e)->watch.await_probes > 0 && e->now_us >= own(e)->watch.await_until_us)) {
		inviter_silent(e);
	} else if (e->now_us >= own(e)->watch.await_until_us) {
		turn_away(e, ELECT_LOSS_SILENCE);
		invited_give_up(e, false);
	} else {
		own(e)->watch.await_probes++;
		ask_inviter(e);
		await_timer(e, pace_probe_us(e));
	}
}

/* After a dead inviter, the coordinator of the last list has the first turn. */
void invited_give_up(struct elect *e, bool inviter_dead)
{
	backoff_unlisted(e, &own(e)->watch.inviter.id);
	if (inviter_dead) {
		backoff_absent(e, &own(e)->watch.inviter.id);
		because_set(e, ELECT_REASON_COORDINATOR_SILENT, &own(e)->watch.inviter.id);
		e->watch.gone_reason = ELECT_REASON_COORDINATOR_SILENT;
	}
	if (e->up.count == 0) {
		start_listen(e);
	} else if (!inviter_dead) {
		succession_alone(e);
	} else {
		e->watch.gone = true;
		await_timer(e, succession_wait_us(e));
	}
}

void invited_on_accept_answer(struct elect *e, const struct elect_msg *m)
{
	if (own(e)->watch.awaiting && m->answer == ELECT_ANSWER_NO &&
		elect_group_equal(&m->group, &e->group) &&
		elect_id_equal(&m->sender, &e->group.coordinator))
		invited_give_up(e, true);
}
