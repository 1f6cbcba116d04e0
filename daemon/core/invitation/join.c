/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join: newcomers come into the present group (merge.md, Join).
 *
 * Accept, then Ready with the next list version; no other host changes group. A restarted host, one
 * that was cut off and did not lead, a late Accept, and a dropped member that asks all come in this
 * way. A host whose floor is above the group's token cannot: for it the group is formed anew.
 */
#include "invitation.h"
#include "core/frame/why_nots.h"

/* The tokens that a host sees never go down: it joins a group at its floor or above (M4, S5). */
bool join_fits(const struct elect *e, uint64_t floor)
{
	return elect_token(&e->group) >= floor;
}

static void form_anew(struct elect *e, uint64_t floor, const struct elect_id *id)
{
	/* A floor out of reach would be out of reach of the new group, too. */
	if (!counter_reached(e, floor >> 24) || counter_ahead(e))
		return;
	if (role_asks(e) || !role_steady(e, MERGE_US))
		return;
	if (backoff_until(e, id) > e->now_us || !counter_can_form(e)) {
		counter_reserve(e);
		return;
	}
	backoff_absent(e, id);
	because_group(e, ELECT_REASON_MERGED, id);
	merge_own(e, 1);
}

void join_want(
	struct elect *e, const struct elect_group *group, uint64_t floor, const struct elect_id *id)
{
	struct invitation_watch *w = &own(e)->watch;

	if (role_leaves_for(e->purpose) || backoff_waits(e, id))
		return;
	if (!join_fits(e, floor)) {
		form_anew(e, floor, id);
		return;
	}
	if (w->join_wanted == 0) {
		roster_clear(&e->next);
		own(e)->election.recent_count = 0;
		w->join_groups_count = 0;
		w->join_said = false;
		w->join_until_us = e->now_us + pace_window_us(e, ACCEPT_WINDOW_US);
		if (group_at_work(e))
			timers_set_in(e, TIMER_JOIN, JOIN_GATHER_US);
	}
	for (unsigned i = 0; i < w->join_ids_count; i++)
		if (w->join_ids[i] == elect_id_hash(id))
			return;
	if (w->join_ids_count == ELECT_ACCEPTED_MAX)
		return; /* invited with the next batch */
	w->join_ids[w->join_ids_count++] = elect_id_hash(id);
	w->join_wanted++;
	if (group && w->join_groups_count < ELECT_INVITED_MAX)
		w->join_groups[w->join_groups_count++] =
			(struct elect_invited){ .group = *group, .size = 1 };
}

void join_begin(struct elect *e)
{
	if (own(e)->watch.join_wanted > 0)
		timers_set(e, TIMER_JOIN, e->now_us);
}

void join_forget(struct elect *e)
{
	own(e)->watch.join_wanted = 0;
	own(e)->watch.join_ids_count = 0;
	timers_stop(e, TIMER_JOIN);
}

/* The echo of its Hello verifies this host to it, so it need not ask before it accepts. */
void join_on_hello(struct elect *e, const struct elect_msg *m)
{
	out_reply(e, ELECT_CHALLENGE_ANSWER, m);
	backoff_greeted(e, &m->sender, m->session);
	spare_trouble(e); /* it may hear one family only */
	join_want(e, NULL, m->floor, &m->sender);
}

static void close_join(struct elect *e)
{
	struct invitation_watch *w = &own(e)->watch;
	unsigned joined = e->next.count;

	join_forget(e);
	if (joined == 0)
		return;
	for (unsigned i = 0; i < joined; i++)
		check_forget(e, &e->next.members[i].id);
	roster_merge(&e->next, &e->up, &e->config.id);
	because_set(e, ELECT_REASON_JOINED, &w->join_last);
	lists_admit(e);
}

/* An inviter whose first list is on its way takes an Accept, too, for the next list. */
static bool takes_accept(const struct elect *e, const struct elect_msg *m)
{
	bool late = e->state == ELECT_REORGANIZING && group_coordinates(e) &&
		roster_find(&e->up, &m->sender) < 0;

	return (late || group_at_work(e)) && elect_group_equal(&m->group, &e->group);
}

void join_on_accept(struct elect *e, const struct elect_msg *m)
{
	struct elect_member member;
	struct invitation_election *x = &own(e)->election;
	int at = roster_find(&e->up, &m->sender);

	if (!takes_accept(e, m)) {
		if (self_is(e, &m->group.coordinator) &&
			(e->state == ELECT_NORMAL || e->state == ELECT_DOWN))
			out_reply(e, ELECT_ACCEPT_ANSWER, m)->answer = ELECT_ANSWER_NO;
		return;
	}
	lists_member_from(e, m, &member);
	if (at >= 0 && e->up.members[at].session == m->session) {
		lists_wanted(e, at);
		return;
	}
	join_want(e, NULL, 0, &m->sender);
	if (own(e)->watch.join_wanted == 0 || backoff_waits(e, &m->sender))
		return; /* this host leaves, or the other comes too early */
	if (at < 0 && roster_find(&e->next, &m->sender) < 0 &&
		e->up.count + e->next.count >= ELECT_HOSTS_MAX) {
		out_reply(e, ELECT_DECLINE, m)->why = ELECT_WHY_REFUSED;
		e->refused_us = e->now_us;
		return;
	}
	if (roster_find(&e->next, &m->sender) < 0 && x->recent_count < ELECT_ACCEPTED_MAX)
		x->recent[x->recent_count++] = elect_id_hash(&m->sender);
	roster_put(&e->next, &member, &e->config.id);
	why_nots_note(e, m);
	own(e)->watch.join_last = m->sender;
	if (own(e)->watch.join_said && e->next.count >= own(e)->watch.join_wanted)
		close_join(e);
}

void join_on_timer(struct elect *e)
{
	if (e->now_us >= own(e)->watch.join_until_us ||
		e->next.count >= own(e)->watch.join_wanted) {
		close_join(e);
		return;
	}
	own(e)->watch.join_said = true;
	out_send(e, ELECT_INVITATION, NULL)->invite = ELECT_INVITE_JOIN;
	timers_set_in(e, TIMER_JOIN, pace_repeat_us(e));
}
