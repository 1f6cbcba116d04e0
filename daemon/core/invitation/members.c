/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members: a coordinator watches its members, and answers their AYThere (algorithm.md 4.4; F14).
 *
 * A member silent for four AYThere periods is probed; one that has not acknowledged its list is
 * sent it again each beacon. After three silent probes it is dropped.
 */
#include "invitation.h"
#include "core/frame/keys.h"
#include "core/frame/why_nots.h"

static uint64_t due_at(const struct elect *e, const struct elect_watched *w)
{
	if (w->probes > 0 || w->missing)
		return w->probe_us;
	return w->heard_us + elect_beacons(e, MEMBER_SILENT_BEACONS);
}

void members_schedule(struct elect *e)
{
	uint64_t next = ELECT_NEVER;

	for (unsigned i = 1; i < e->up.count; i++) {
		struct elect_watched *w = &e->watch.members[i];
		uint64_t due;

		if (w->missing && w->probe_us == 0)
			w->probe_us = e->now_us + elect_beacons(e, 1);
		due = due_at(e, w);
		if (due < next)
			next = due;
	}
	if (next == ELECT_NEVER)
		elect_timer_off(e, TIMER_MEMBERS);
	else
		elect_timer(e, TIMER_MEMBERS, next > e->now_us ? next : e->now_us + 1);
}

void members_begin(struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++)
		e->watch.members[i].probe_us = 0;
	members_schedule(e);
}

static void note_answer(struct elect_watched *w, const struct elect_msg *m)
{
	if (m->asked_us > w->asked_us)
		w->asked_us = m->asked_us;
}

/* One that has taken no list yet is not waited for because it speaks (Q3). */
void members_heard(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);
	struct elect_watched *w;

	if (at < 0)
		return;
	w = &e->watch.members[at];
	w->heard_us = e->now_us;
	note_answer(w, m);
	/* its own question, sent before it heard mine, may be the last before it turns away */
	if (m->asked_us && m->asked_us >= e->watch.asking_us)
		w->answered = true;
	if (w->taken || !w->missing)
		w->probes = 0;
	if (w->probes == 0)
		w->probe_us = 0;
	elect_list_show(e, at, m);
	if (e->state == ELECT_NORMAL && !elect_timer_on(e, TIMER_MEMBERS))
		members_schedule(e);
	if (e->watch.asking || e->watch.unsure || (m->asked_us && e->counted < e->config.quorum))
		role_review(e);
}

static void probe(struct elect *e, unsigned i)
{
	struct elect_watched *w = &e->watch.members[i];
	struct elect_send *s;

	w->probes++;
	w->probe_us = e->now_us + (w->missing ? elect_beacons(e, 1) : elect_probe_us(e));
	if (w->missing) {
		lists_send_to(e, (int)i);
		return;
	}
	s = elect_send(e, ELECT_AYTHERE, &e->up.members[i].id);
	s->probe = s->doubt = true;
}

static bool spent(const struct elect *e, const struct elect_watched *w)
{
	return w->probes >= PROBES_MAX && due_at(e, w) <= e->now_us;
}

/* All who stayed silent to the end leave in one new list version. */
static void drop_silent(struct elect *e)
{
	lists_edit(e);
	for (unsigned i = 1; i < e->up.count; i++) {
		const struct elect_id *id = &e->up.members[i].id;

		if (!spent(e, &e->watch.members[i]))
			continue;
		if (!e->watch.members[i].taken)
			backoff_untaken(e, id, true);
		roster_remove(&e->next, id);
		elect_because(
			e, e->link_down ? ELECT_REASON_CARRIER_LOST : ELECT_REASON_DROPPED, id);
	}
	lists_change(e);
}

static bool any_spent(const struct elect *e)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (spent(e, &e->watch.members[i]))
			return true;
	return false;
}

void members_on_timer(struct elect *e)
{
	unsigned sent = 0;

	if (!elect_coordinates(e))
		return;
	if (any_spent(e)) {
		drop_silent(e);
		return;
	}
	for (unsigned i = 1; i < e->up.count && sent < PROBES_A_STEP; i++) {
		if (due_at(e, &e->watch.members[i]) > e->now_us)
			continue;
		probe(e, i);
		sent++;
	}
	members_schedule(e);
}

void members_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	if (elect_group_equal(&m->group, &e->group))
		lists_drop(e, &m->sender, ELECT_REASON_STOPPING);
}

/* After a stall: does anybody still follow me? By multicast; those who do answer. */
void members_ask_all(struct elect *e)
{
	elect_send(e, ELECT_AYTHERE, NULL)->probe = true;
}

/* ---- AYThere --------------------------------------------------------------------------------- */

/* A member's priority, whether it may lead, or why not has changed: a list tells it. */
static void update_standing(struct elect *e, int at, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;
	struct elect_member member = e->up.members[at];
	bool tells = why_nots_said(e, m);

	if (member.priority == s->priority && member.may_lead == s->may_lead && !tells)
		return;
	member.priority = s->priority;
	member.may_lead = s->may_lead;
	lists_edit(e);
	roster_put(&e->next, &member, &e->config.id);
	lists_change(e);
}

static void from_member(struct elect *e, const struct elect_msg *m, int at)
{
	bool old = m->list_version != e->list_version || m->digest != e->digest;

	if (m->probe) {
		struct elect_send *s = elect_reply(e, ELECT_AYTHERE_ANSWER, m);

		s->answer = ELECT_ANSWER_YES;
	}
	if (old)
		lists_differ(e, at);
	else
		lists_taken(e, at);
	keys_said(e, (unsigned)at, m);
	update_standing(e, at, m);
	members_heard(e, m);
	role_challenged(e, &m->standing); /* may end in Down, as may the two before */
}

/* A member answers my beacon, or my probe. */
void members_on_yes(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	if (at < 0 || e->up.members[at].session != m->session)
		return;
	note_answer(&e->watch.members[at], m); /* before anybody judges the quorum */
	keys_said(e, (unsigned)at, m);
	update_standing(e, at, m);
	members_heard(e, m);
	role_challenged(e, &m->standing); /* may end in Down, as may the two before */
}

/* "I do not coordinate that group." */
static void refuse(struct elect *e, const struct elect_msg *m)
{
	struct elect_send *s = elect_reply(e, ELECT_AYTHERE_ANSWER, m);

	s->group = m->group;
	s->answer = ELECT_ANSWER_NOT_MY_GROUP;
}

/*
 * Not on my list: it is told, and comes back with an Accept. In an older group of mine: late, and
 * welcome as a Join (F3).
 */
static void from_stranger(struct elect *e, const struct elect_msg *m)
{
	if (elect_group_equal(&m->group, &e->group))
		elect_reply(e, ELECT_AYTHERE_ANSWER, m)->answer = ELECT_ANSWER_NOT_IN_IT;
	else if (elect_is_self(e, &m->group.coordinator))
		join_want(e, NULL, 0, &m->sender);
	else
		refuse(e, m);
}

/* It waits for me, and I have accepted another: it is carried along once more (4.3). */
static bool carry_along(struct elect *e, const struct elect_msg *m)
{
	bool mine = elect_is_self(e, &m->group.coordinator);
	bool current = own(e)->forward.used && elect_group_equal(&own(e)->forward.group, &e->group);
	struct elect_send *s;

	if (!mine || !current || elect_coordinates(e))
		return false;
	s = elect_send(e, ELECT_INVITATION, &m->sender);
	s->forward = s->doubt = true;
	return true;
}

/* The inviter of the group asked for: the repeats go on, this one needs its own. */
static void from_awaiting(struct elect *e, const struct elect_msg *m)
{
	bool from_here = elect_group_equal(&m->group, &e->group) ||
		elect_group_equal(&m->group, &own(e)->election.from);
	int at = roster_find(&e->up, &m->sender);
	struct elect_send *s;

	if (!from_here)
		return;
	if (e->state == ELECT_ELECTION) {
		s = elect_send(e, ELECT_INVITATION, &m->sender);
		s->invite = own(e)->election.invite;
		s->doubt = true;
	} else if (at >= 0) {
		lists_wanted(e, at);
	}
}

void members_on_aythere(struct elect *e, const struct elect_msg *m)
{
	bool my_group = elect_group_equal(&m->group, &e->group);
	bool meant = elect_is_self(e, &m->group.coordinator); /* else all of a group are asked */
	int at = roster_find(&e->up, &m->sender);

	if (elect_id_equal(&m->sender, &m->group.coordinator)) {
		/* my coordinator asks whether I still follow */
		if (my_group && e->state == ELECT_NORMAL) {
			elect_reply(e, ELECT_AYTHERE_ANSWER, m)->answer = ELECT_ANSWER_YES;
			watch_heard(e);
		}
	} else if (e->state == ELECT_DOWN) {
		if (meant)
			refuse(e, m);
	} else if (elect_at_work(e)) {
		if (my_group && at >= 0 && e->up.members[at].session == m->session)
			from_member(e, m, at);
		else
			from_stranger(e, m);
	} else if (elect_coordinates(e)) {
		from_awaiting(e, m);
	} else if (e->state == ELECT_NORMAL && my_group && at >= 0) {
		doubt_on_aythere(e, m);
	} else if (meant && !carry_along(e, m) && e->state == ELECT_NORMAL) {
		refuse(e, m);
	}
}
