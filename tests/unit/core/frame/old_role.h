/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old_role: role_review() as it was before the table of bars (core/bar_list.h), and what it called.
 * test_bar.c compares both. This file is kept for one release.
 *
 * The text is unchanged, except that functions whose names exist today are called old_, and that
 * of sick_why() and role_barred() only what they compute is left.
 */
#ifndef ELECTD_TEST_CORE_FRAME_OLD_ROLE_H
#define ELECTD_TEST_CORE_FRAME_OLD_ROLE_H

#include "core/frame/algorithm.h"
#include "core/frame/leave.h"
#include "core/frame/sick.h"
#include "core/frame/why_nots.h"
#include "core/frame/will.h"

/* ---- elect_msg.h, state.h, self.c, sick.c ---------------------------------------------------- */

enum elect_why_not_kind {
	ELECT_WHY_NOT_NONE,
	ELECT_WHY_NOT_SICK,
	ELECT_WHY_NOT_UNKNOWN, /* required, and not reported since the start */
	ELECT_WHY_NOT_BARRED,  /* well again, but still barred because sickness cost it the role */
	ELECT_WHY_NOT_HELD,
	ELECT_WHY_NOT_STATE_FILE,   /* the state file cannot be written */
	ELECT_WHY_NOT_DUPLICATE_ID, /* another host uses its id */
	ELECT_WHY_NOT_RESIGNED,	    /* resigned a short time ago */
	ELECT_WHY_NOT_CUT_OFF,	    /* it has no carrier, and other hosts may go on without it */
	/* A new kind takes the number 10 on the wire, because 9 meant "algorithm" before 0.2. */
	ELECT_WHY_NOT_OTHER,	/* a kind that only another version knows */
	ELECT_WHY_NOT_PRIORITY, /* priority 0; never sent, because the list carries the priority */
	ELECT_WHY_NOT_KINDS
};

/* The reason, apart from its health, that keeps this host from leading. */
static inline enum elect_why_not_kind self_gate(const struct elect *e)
{
	if (e->held)
		return ELECT_WHY_NOT_HELD;
	if (e->persist_failed)
		return ELECT_WHY_NOT_STATE_FILE;
	if (e->duplicate_until_us > e->now_us)
		return ELECT_WHY_NOT_DUPLICATE_ID;
	if (e->barred_until_us > e->now_us)
		return ELECT_WHY_NOT_RESIGNED;
	if (e->config.priority == 0)
		return ELECT_WHY_NOT_PRIORITY;
	return self_cut_off(e) ? ELECT_WHY_NOT_CUT_OFF : ELECT_WHY_NOT_NONE;
}

static inline bool self_gates_open(const struct elect *e)
{
	return self_gate(e) == ELECT_WHY_NOT_NONE;
}

static bool is_last(const struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++) {
		const struct elect_member *m = &e->up.members[i];
		struct elect_why_not why;

		if (self_is(e, &m->id))
			continue;
		why_nots_of(e, &m->id, &why);
		if (why_nots_may_lead(e, i) || why.kind == ELECT_BAR_RECOVERING)
			return false;
	}
	return true;
}

static bool sick_barred(const struct elect *e)
{
	if (e->sick_until_us <= e->now_us || role_leads(e))
		return false;
	return e->state != ELECT_NORMAL || !is_last(e);
}

static bool old_self_may_lead(const struct elect *e)
{
	return self_gates_open(e) && !sick_is(e) && !sick_barred(e);
}

static enum elect_why_not_kind old_sick_kind(const struct elect *e)
{
	const struct elect_reported *worst = health_worst(&e->health);
	enum elect_why_not_kind kind = self_gate(e);

	if (!worst)
		return sick_barred(e) && kind == ELECT_WHY_NOT_NONE ? ELECT_WHY_NOT_BARRED : kind;
	return worst->health == ELECT_HEALTH_SICK ? ELECT_WHY_NOT_SICK : ELECT_WHY_NOT_UNKNOWN;
}

/* ---- role.c, as it was ----------------------------------------------------------------------- */

/*
 * A member counts until it may follow another host: until silence since the last beacon that it
 * answered may be acted on, counted from when that was sent. Own lateness is not added. Before it
 * has acknowledged the list it has answered nothing (Q2).
 */
static uint64_t counts_until(const struct elect *e, const struct elect_watched *w)
{
	return w->asked_us ? pace_silence_until(e, w->asked_us) : 0;
}

/*
 * To begin to lead, a host counts only those that are bound to no other host. A host that joins a
 * leader counts at once, because it has left no host behind that could lead.
 */
static uint64_t counts_from(const struct elect *e, uint64_t bound_until_us)
{
	return role_leads(e) ? 0 : bound_until_us;
}

struct tally {
	unsigned counted;
	uint64_t next_us; /* when time alone may change the count */
};

static void tally_add(const struct elect *e, struct tally *t, uint64_t from_us, uint64_t until_us)
{
	uint64_t next = e->now_us < from_us ? from_us : until_us;

	t->counted += from_us <= e->now_us && e->now_us < until_us;
	if (next > e->now_us && next < t->next_us)
		t->next_us = next;
}

static void count(struct elect *e)
{
	struct tally t = { .next_us = ELECT_NEVER };

	e->counted = e->up.count;
	if (e->config.quorum <= 1)
		return; /* no member is asked */
	tally_add(e, &t, counts_from(e, e->bound_until_us), ELECT_NEVER);
	for (unsigned i = 1; i < e->up.count; i++)
		tally_add(e, &t, counts_from(e, e->up.members[i].bound_until_us),
			counts_until(e, &e->watch.members[i]));
	e->counted = t.counted;
	timers_set_earlier(e, TIMER_QUORUM, t.next_us);
}

static bool quorum_met(const struct elect *e)
{
	return e->counted >= e->config.quorum;
}

/* Waiting messages are read before the quorum is declared lost: an answer may be among them. */
static bool quorum_lost(struct elect *e)
{
	if (!role_leads(e) || quorum_met(e))
		return false;
	if (e->now_us < e->read_until_us)
		timers_set_earlier(e, TIMER_QUORUM, e->read_until_us);
	return e->now_us >= e->read_until_us;
}

/*
 * After a stall the old group is trusted again when more than half of it answers, counted as it was
 * when it was asked. Members that have gone elsewhere since may follow another host.
 */
static bool still_followed(const struct elect *e)
{
	unsigned of = e->up.count > e->watch.asked_count ? e->up.count : e->watch.asked_count;
	unsigned followers = 1;

	for (unsigned i = 1; i < e->up.count; i++)
		followers += e->watch.members[i].answered;
	return e->up.count > 1 && 2 * followers > of;
}

static const struct elect_member *somebody_who_may(const struct elect *e)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].may_lead)
			return &e->up.members[i];
	return NULL;
}

/* The host leads although it is sick, because no other member may lead. */
static bool stays(const struct elect *e)
{
	return e->config.sick_stays && sick_is(e) && self_gates_open(e) && !somebody_who_may(e);
}

/* A host does not resign in the middle of a merge: the reason is looked up afterwards. */
static enum elect_reason why_barred(const struct elect *e)
{
	static const enum elect_reason reasons[ELECT_WHY_NOT_KINDS] = {
		[ELECT_WHY_NOT_NONE] = ELECT_REASON_SICK,
		[ELECT_WHY_NOT_HELD] = ELECT_REASON_HELD,
		[ELECT_WHY_NOT_STATE_FILE] = ELECT_REASON_STATE_FILE,
		[ELECT_WHY_NOT_DUPLICATE_ID] = ELECT_REASON_DUPLICATE_ID,
	};
	enum elect_reason reason = reasons[self_gate(e)];

	return reason != ELECT_REASON_NONE ? reason : ELECT_REASON_COORDINATOR_RESIGNED;
}

/* A host that waited for a quorum leads because the quorum is met, by the last host that came. */
static void because_leading(struct elect *e)
{
	bool came = e->reason == ELECT_REASON_JOINED || e->reason == ELECT_REASON_MERGED;
	struct elect_id cause = came ? e->cause : e->config.id;

	because_begin(e);
	if (e->quorum_missed)
		because_set(e, ELECT_REASON_QUORUM_MET, &cause);
	e->quorum_missed = false;
}

static void hand_over(struct elect *e, enum elect_purpose purpose)
{
	enum elect_reason why = why_barred(e);

	if (role_leads(e) && why == ELECT_REASON_SICK)
		sick_costs(e);
	leave_release(e, purpose, why, &e->config.id);
}

static void stop_leading(struct elect *e, enum elect_reason reason)
{
	because_set(e, reason, &e->config.id);
	role_lose(e);
	view_publish(e);
}

/* The wait ends FOREIGN_BEACONS after the host could have led, for any number of rivals (R1). */
static bool waits_for_rivals(struct elect *e)
{
	if (!e->algorithm->rival(e))
		return false;
	if (!e->rivals_from_us)
		e->rivals_from_us = e->now_us;
	return e->now_us - e->rivals_from_us <= pace_beacons(e, FOREIGN_BEACONS);
}

/*
 * No host begins to lead next to a coordinator that it will follow when its counter is reached. A
 * successor waits for such a coordinator only if its own list has it: its group had a leader, and
 * another host that claims to be ahead must not leave the group without one.
 */
static bool waits(struct elect *e)
{
	return waits_for_rivals(e) || counter_ahead_member(e) || (counter_ahead(e) && !e->succeeds);
}

/*
 * Work that an ended leadership has left behind is fenced off by the token of the next leadership
 * (S5), and a token belongs to a group. So a host that has led its group, and may lead again, forms
 * the group anew first.
 */
static void form_anew(struct elect *e)
{
	/* the end of the former leadership is shown first, with its reason */
	timers_set_in(e, TIMER_LEAD, e->moved ? 1 : pace_beacons(e, 1));
	if (e->moved)
		return;
	if (counter_can_form(e))
		e->algorithm->form_anew(e);
	else
		counter_reserve(e);
}

static void begin(struct elect *e)
{
	if (e->watch.led) {
		form_anew(e);
		return;
	}
	because_leading(e);
	e->watch.asked_count = 0;
	role_lead(e);
	if (e->up.count > 1)
		e->algorithm->announce(e);
}

/*
 * Except for a lost carrier, the role is judged only in Normal, so none is lost in a merge (F15). A
 * host that may not lead hands over to a member that may; without such a member it goes on as a
 * coordinator that does not lead (M12).
 */
static void old_role_review(struct elect *e)
{
	bool may = old_self_may_lead(e) || stays(e), able;

	if (self_cut_off(e)) {
		if (role_leads(e))
			stop_leading(e, ELECT_REASON_CARRIER_LOST);
		return; /* nothing can be handed over */
	}
	if (!group_at_work(e) || role_leaves(e))
		return;
	count(e);
	if (!role_leads(e) && !quorum_met(e))
		e->quorum_missed = true;
	if (quorum_lost(e)) { /* also while its demotion runs */
		e->quorum_missed = true;
		stop_leading(e, ELECT_REASON_QUORUM_LOST);
		e->algorithm->announce(e);
		return;
	}
	if (role_asks(e) && still_followed(e)) {
		e->watch.asked_count = 0;
		if (e->phase == ELECT_PHASE_ASKS)
			role_enter(e, ELECT_PHASE_LEADS);
		timers_stop(e, TIMER_LEAD);
	}
	if (e->purpose != ELECT_PURPOSE_NONE)
		return;
	if (!may && somebody_who_may(e)) {
		hand_over(e, ELECT_PURPOSE_RESIGN);
		return;
	}
	if (role_leads(e) && !may) {
		hand_over(e, ELECT_PURPOSE_BAR);
		return;
	}
	if (e->watch.asked_count > 0 && still_followed(e)) {
		e->watch.asked_count = 0;
		e->lead_from_us = e->watch.lead_from_us;
	}
	able = !role_leads(e) && may && quorum_met(e);
	if (!able || e->now_us < e->lead_from_us)
		e->rivals_from_us = 0;
	if (!able)
		return;
	if (e->now_us < e->lead_from_us) {
		timers_set_earlier(e, TIMER_LEAD, e->lead_from_us);
		return;
	}
	if (e->unheard_until_us > e->now_us) {
		timers_set_earlier(e, TIMER_LEAD, e->unheard_until_us);
		return;
	}
	if (e->silent_until_us > e->now_us) {
		timers_set_earlier(e, TIMER_LEAD, e->silent_until_us);
		return;
	}
	if (will_waits_until(e) > e->now_us) {
		timers_set_earlier(e, TIMER_LEAD, will_waits_until(e));
		return;
	}
	if (waits(e)) {
		timers_set_in(e, TIMER_LEAD, pace_beacons(e, 1));
		return;
	}
	begin(e);
}

/* When role_barred() had TIMER_BARRED end the next bar. */
static uint64_t old_barred_until(const struct elect *e)
{
	const uint64_t ends[] = { e->barred_until_us, e->duplicate_until_us, e->sick_until_us };
	uint64_t end_us = ELECT_NEVER;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] > e->now_us)
			end_us = moment_at_most(ends[i], end_us);
	return end_us;
}

#endif
