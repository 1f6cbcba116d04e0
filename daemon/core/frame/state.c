/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the only functions that assign a host's state, group and list (state.h).
 */
#include "algorithm.h"
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
	/* beyond the list there is nothing: watched_move() writes what a list adds */
	memset(&e->watch, 0, offsetof(struct elect_watch, members));
	memset(e->watch.members, 0, e->up.count * sizeof(e->watch.members[0]));
	memset(e->own, 0, e->algorithm->watch);
	for (unsigned t = 0; t < TIMERS; t++)
		if (timers_states(e, t) != EVERY_STATE)
			timers_stop(e, t);
	role_grouped(e);
}

/*
 * A member in a new session acknowledges again. The answers of its former session still count, but
 * it is no former member: a host that was started since knows nothing of the group.
 */
static void watched_move(struct elect *e)
{
	bool same_group = elect_group_equal(&e->list_group, &e->group);

	for (unsigned i = 0; i < e->next.count; i++) {
		const struct elect_member *m = &e->next.members[i];
		int at = roster_find(&e->up, &m->id);
		bool same_session = at >= 0 && e->up.members[at].session == m->session;

		if (same_group && same_session) {
			e->next_watched[i] = e->watch.members[at];
			e->next_watched[i].sends = 0;
			continue;
		}
		e->next_watched[i] = (struct elect_watched){ .heard_us = e->now_us,
			.missing = !self_is(e, &m->id),
			.former = !same_group && same_session,
			.asked_us = same_group && at >= 0 ? e->watch.members[at].asked_us : 0 };
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

	if (elect_message_may_say(m, FIELD_ADDRESS))
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

void list_clear(struct elect *e)
{
	roster_clear(&e->up);
	roster_clear(&e->next);
}

void group_leave(struct elect *e)
{
	static const struct elect_group none;

	role_lose(e);
	state_enter(e, ELECT_DOWN);
	group_change(e, &none);
	e->list_group = none;
	e->list_version = 0;
	e->digest = 0;
	roster_clear(&e->up);
	e->lead_from_us = 0;
	e->quorum_missed = false;
}
