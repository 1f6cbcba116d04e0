/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the only functions that assign a host's state, group, list and role (state.h).
 */
#include "algorithm.h"
#include "sick.h"
#include "why_nots.h"
#include "core/messages.h"

#include <assert.h>
#include <string.h>

#define BIT(state)  (1u << (state))
#define EVERY_STATE (BIT(ELECT_STATES) - 1)

void state_enter(struct elect *e, enum elect_state state)
{
	assert(e->algorithm->enter_from[state] & BIT(e->state));
	if (state != ELECT_DOWN)
		counter_settle_base(e);
	e->state = state;
	for (unsigned t = 0; t < TIMERS; t++)
		if (!(timers_states(e, t) & BIT(state)))
			timers_stop(e, t);
}

void group_change(struct elect *e, const struct elect_group *group)
{
	assert(e->state != ELECT_NORMAL);
	assert(counter_reached(e, group->counter));
	if (e->counter < group->counter)
		e->counter = group->counter;
	e->group = *group;
	memset(&e->watch, 0, sizeof(e->watch));
	memset(e->own, 0, e->algorithm->watch);
	for (unsigned t = 0; t < TIMERS; t++)
		if (timers_states(e, t) != EVERY_STATE)
			timers_stop(e, t);
}

/* Members in a new session acknowledge again. The answers of the former one still count. */
static void watched_move(struct elect *e)
{
	bool same_group = elect_group_equal(&e->list_group, &e->group);

	for (unsigned i = 0; i < e->next.count; i++) {
		const struct elect_member *m = &e->next.members[i];
		int at = same_group ? roster_find(&e->up, &m->id) : -1;

		if (at >= 0 && e->up.members[at].session == m->session) {
			e->next_watched[i] = e->watch.members[at];
			e->next_watched[i].sends = 0;
			continue;
		}
		e->next_watched[i] = (struct elect_watched){ .heard_us = e->now_us,
			.missing = !self_is(e, &m->id),
			.asked_us = at >= 0 ? e->watch.members[at].asked_us : 0 };
	}
	memcpy(e->watch.members, e->next_watched, e->next.count * sizeof(e->next_watched[0]));
}

void list_install(struct elect *e, uint32_t version)
{
	bool grown = e->next.count > e->up.count;

	watched_move(e);
	roster_copy(&e->up, &e->next);
	e->list_group = e->group;
	e->list_version = version;
	e->digest = roster_digest(&e->up, e->definition, e->definition_size);
	if (grown)
		e->tag_clash = roster_tags_clash(&e->up);
	e->name_clash = roster_names_clash(&e->up);
	why_nots_listed(e);
}

/* The address that the host reports, as long as it does, or else the one it is heard from. */
void list_set_address(struct elect *e, int index, const struct elect_msg *m)
{
	struct elect_member *member = &e->up.members[index];

	if (elect_message_may_carry(m->type, FIELD_ADDRESS))
		member->says_where = m->address.family;
	if (m->address.family)
		member->address = m->address;
	else if (!member->says_where)
		member->address = m->from;
}

void list_set_dead_after(struct elect *e, int index, const struct elect_msg *m)
{
	if (m->dead_after_us)
		e->up.members[index].dead_after_us = m->dead_after_us;
}

void list_set_own_address(struct elect *e)
{
	int at = roster_find(&e->up, &e->config.id);

	if (at >= 0)
		e->up.members[at].address = e->config.address;
}

/*
 * A step reports the view that it ends with, once: an earlier view of the same step is replaced.
 * But if a role is lost and won again in one step, both are reported.
 */
static struct elect_action *place_for_view(struct elect *e, enum elect_role role)
{
	for (unsigned i = e->out->count; i > 0; i--) {
		struct elect_action *a = &e->out->items[i - 1];

		if (a->type != ELECT_ACTION_VIEW)
			continue;
		if (role == ELECT_ROLE_LEADER && a->view.role != ELECT_ROLE_LEADER)
			break;
		return a;
	}
	return out_action(e, ELECT_ACTION_VIEW);
}

/* A list that changes in the same step does not replace the reason of a change of role or group. */
static void keep_reason(struct elect *e, struct elect_view *v)
{
	because_set(e, e->shown.reason, &e->shown.cause);
	v->reason = e->reason;
	v->cause = e->cause;
}

void view_publish(struct elect *e)
{
	struct elect_view v, *old = &e->shown;
	bool moved;

	elect_view(e, &v);
	moved = v.role != old->role || v.token != old->token ||
		!elect_group_equal(&v.group, &old->group);
	if (!moved && e->moved)
		keep_reason(e, &v);
	e->moved |= moved;
	if (!elect_view_differs(old, &v))
		return;
	if (moved)
		v.since_us = e->since_us = e->now_us;
	*old = v;
	place_for_view(e, v.role)->view = v;
}

void role_establish(struct elect *e, bool established)
{
	static const struct elect_group nobody;

	assert(!established || group_at_work(e));
	if (established && !e->established)
		sick_role_begins(e);
	else if (!established)
		sick_role_over(e);
	if (established) {
		e->leader_group = e->group;
		e->watch.led = true;
		e->merge_until_us = 0;
		counter_raise_floor(e);
	} else if (self_is(e, &e->leader_group.coordinator)) {
		e->leader_group = nobody;
	}
	if (!established && e->watch.unsure) /* its members have not confirmed it */
		e->lead_from_us = e->now_us + e->config.lone_hold_us;
	e->established = established;
	if (!established)
		e->watch.unsure = false;
	view_publish(e);
}

void role_follow(struct elect *e, bool leads)
{
	static const struct elect_group nobody;

	e->established = e->watch.unsure = false;
	sick_role_over(e);
	e->leader_group = leads ? e->group : nobody;
}

void list_clear(struct elect *e)
{
	roster_clear(&e->up);
	roster_clear(&e->next);
}

void group_leave(struct elect *e)
{
	static const struct elect_group none;

	role_follow(e, false);
	state_enter(e, ELECT_DOWN);
	group_change(e, &none);
	e->list_group = none;
	e->list_version = 0;
	e->digest = 0;
	roster_clear(&e->up);
	e->lead_from_us = 0;
	e->quorum_missed = false;
}
