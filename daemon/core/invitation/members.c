/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members: a coordinator answers AYThere, of its members and of other hosts (suspicion.md, Watching
 * the members). The frame watches the members (watched.h); members that stay silent are dropped
 * here (F14).
 */
#include "invitation.h"
#include "core/frame/keys.h"

bool members_lost(struct elect *e, unsigned member)
{
	check_miss(e, e->up.count);
	lists_edit(e);
	for (unsigned i = member; i < e->up.count; i++) {
		const struct elect_id *id = &e->up.members[i].id;

		if (!watched_is_lost(e, i))
			continue;
		if (!e->watch.members[i].taken)
			backoff_untaken(e, &e->up.members[i], true);
		roster_remove(&e->next, id);
		because_set(e, watched_lost_because(e), id);
	}
	lists_change(e);
	return true;
}

void members_ask_all(struct elect *e)
{
	out_send(e, ELECT_AYTHERE, NULL)->probe = true;
}

/* ---- AYThere --------------------------------------------------------------------------------- */

static void from_member(struct elect *e, const struct elect_msg *m, int at)
{
	bool old = m->list_version != e->list_version || m->digest != e->digest;

	if (m->brief) {
		keys_said(e, (unsigned)at, m);
		watched_heard(e, m);
		return;
	}
	if (m->probe) {
		struct elect_send *s = out_reply(e, ELECT_AYTHERE_ANSWER, m);

		s->answer = ELECT_ANSWER_YES;
		check_asked(e);
	}
	if (old)
		lists_differ(e, at);
	else
		lists_taken(e, at);
	keys_said(e, (unsigned)at, m);
	watched_standing(e, at, m);
	watched_heard(e, m);
	role_challenged(e, &m->standing); /* may end in Down, as may the two before */
}

/*
 * The list has another session in the sender's place: some host has accepted in its name. That line
 * is dropped, and the sender comes back at once with an Accept. If two hosts with one id both send,
 * neither is dropped.
 */
static void displaced(struct elect *e, int at, const struct elect_msg *m)
{
	if (e->watch.members[at].heard_us + pace_beacons(e, 3) / 2 <= e->now_us)
		lists_drop(e, &m->sender, ELECT_REASON_DROPPED);
}

void members_on_yes(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	if (at < 0)
		return;
	if (e->up.members[at].session != m->session) {
		displaced(e, at, m);
		return;
	}
	watched_answered(e, at, m); /* before the quorum is judged */
	keys_said(e, (unsigned)at, m);
	watched_standing(e, at, m);
	watched_heard(e, m);
	role_challenged(e, &m->standing); /* may end in Down, as may the two before */
}

static void refuse(struct elect *e, const struct elect_msg *m)
{
	struct elect_send *s = out_reply(e, ELECT_AYTHERE_ANSWER, m);

	s->group = m->group;
	s->answer = ELECT_ANSWER_NOT_MY_GROUP;
}

/*
 * The sender is not on the list: it learns that, and comes back with an Accept. A host in an older
 * group of this coordinator is late, and comes in by a Join (F3).
 */
static void from_stranger(struct elect *e, const struct elect_msg *m)
{
	if (elect_group_equal(&m->group, &e->group))
		out_reply(e, ELECT_AYTHERE_ANSWER, m)->answer = ELECT_ANSWER_NOT_IN_IT;
	else if (self_is(e, &m->group.coordinator))
		join_want(e, NULL, 0, &m->sender);
	else
		refuse(e, m);
}

/* The sender waits for this host, which follows another inviter: it is carried along (merge.md). */
static bool carry_along(struct elect *e, const struct elect_msg *m)
{
	bool mine = self_is(e, &m->group.coordinator);
	bool current = own(e)->forward.used && elect_group_equal(&own(e)->forward.group, &e->group);
	struct elect_send *s;

	if (!mine || !current || group_coordinates(e))
		return false;
	s = out_send(e, ELECT_INVITATION, &m->sender);
	s->forward = s->suspect = true;
	return true;
}

/* The sender awaits this inviter, and has missed the repeats: it gets one of its own. */
static void from_awaiting(struct elect *e, const struct elect_msg *m)
{
	bool from_here = elect_group_equal(&m->group, &e->group) ||
		elect_group_equal(&m->group, &own(e)->election.from);
	int at = roster_find(&e->up, &m->sender);
	struct elect_send *s;

	if (!from_here)
		return;
	if (e->state == ELECT_ELECTION) {
		s = out_send(e, ELECT_INVITATION, &m->sender);
		s->invite = own(e)->election.invite;
		s->suspect = true;
	} else if (at >= 0) {
		lists_wanted(e, at);
	}
}

/* A second probe to this host alone: the answer to the first one has not arrived. */
static void answer_coordinator(struct elect *e, const struct elect_msg *m)
{
	struct elect_send *s = out_reply(e, ELECT_AYTHERE_ANSWER, m);
	bool alone = m->probe && !m->sequence;

	s->answer = ELECT_ANSWER_YES;
	if (alone && own(e)->watch.probed_us + pace_beacons(e, 1) > e->now_us)
		out_also_to_all(e, s);
	if (alone)
		own(e)->watch.probed_us = e->now_us;
	watch_heard(e);
}

void members_on_aythere(struct elect *e, const struct elect_msg *m)
{
	bool my_group = elect_group_equal(&m->group, &e->group);
	bool meant = self_is(e, &m->group.coordinator); /* else all of a group are asked */
	int at = roster_find(&e->up, &m->sender);

	if (elect_id_equal(&m->sender, &m->group.coordinator)) {
		/* the coordinator asks whether this host still follows */
		if (my_group && e->state == ELECT_NORMAL)
			answer_coordinator(e, m);
	} else if (e->state == ELECT_DOWN) {
		if (meant)
			refuse(e, m);
	} else if (group_at_work(e)) {
		if (my_group && at >= 0 && e->up.members[at].session == m->session)
			from_member(e, m, at);
		else
			from_stranger(e, m);
	} else if (group_coordinates(e)) {
		from_awaiting(e, m);
	} else if (e->state == ELECT_NORMAL && my_group && at >= 0) {
		suspicion_on_aythere(e, m);
	} else if (meant && !carry_along(e, m) && e->state == ELECT_NORMAL) {
		refuse(e, m);
	}
}
