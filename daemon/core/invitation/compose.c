/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compose: the contents of each message of invitation (messages.md), from the state after the step.
 * The frame writes the header, and the messages of all algorithms.
 *
 * One function for each type, in a table. It decides only that a message which the step has
 * overtaken is not sent.
 */
#include "invitation.h"
#include "core/frame/keys.h"
#include "core/frame/lists.h"
#include "core/frame/sick.h"
#include "core/frame/will.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void who(const struct elect *e, struct elect_msg *m)
{
	m->floor = e->floor;
	m->timings = e->config.timings;
	memcpy(m->name, e->config.name, sizeof(m->name));
}

static void quorum(const struct elect *e, struct elect_msg *m)
{
	m->quorum_said = true;
	m->quorum = e->config.quorum;
}

/* The next beacon, so that a host that misses it need not wait for the longest period. */
static void next(const struct elect *e, struct elect_msg *m)
{
	if (group_at_work(e) && e->due_us > e->now_us)
		m->next_us = (uint32_t)(e->due_us - e->now_us);
}

static void say_myself(const struct elect *e, struct elect_msg *m)
{
	m->dead_after_us = e->config.timings.dead_after_us;
	keys_say(e, m);
	sick_why(e, &m->why_not);
	m->address = e->config.address;
	lists_say_name(e, m);
}

/*
 * Host `to` was silent, and this group was formed without it, but it lives. It learns that
 * (suspicion.md) for as long as a longer timeout would have helped it.
 */
static void succeeded(const struct elect *e, const struct elect_id *to, struct elect_msg *m)
{
	const struct invitation_election *x = &own(e)->election;

	if (x->invite == ELECT_INVITE_SUCCESSION && elect_id_equal(to, &x->from.coordinator) &&
		elect_loss_older(x->loss) == ELECT_LOSS_SILENCE && group_at_work(e) &&
		e->now_us - x->began_us < 2 * (uint64_t)e->config.timings.dead_after_us)
		m->succeeded = (struct elect_succeeded){ x->from, x->loss };
}

static void compose_hello(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)s;
	who(e, m);
}

static void compose_aycoord(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)s;
	who(e, m);
	m->group = e->group;
	m->list_version = e->list_version;
	m->digest = e->digest;
	if (e->up.count > 1)
		m->other = e->up.members[1].id;
	m->foreign_count = (uint8_t)e->foreign_count;
	memcpy(m->foreign, e->foreign, e->foreign_count * sizeof(e->foreign[0]));
	quorum(e, m);
	next(e, m);
	will_tell(e, m);
	keys_tell(e, m);
	sick_why(e, &m->why_not);
	m->address = e->config.address;
	m->patience = e->patience;
	m->family = e->watch.spare.family;
}

static void compose_aycoord_answer(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	const char *name = elect_name(e, &s->other);

	who(e, m);
	will_tell(e, m);
	succeeded(e, &s->to, m);
	m->answer = s->answer;
	m->group = e->group;
	m->other = s->other;
	if (s->answer == ELECT_ANSWER_NO && name)
		snprintf(m->other_name, sizeof(m->other_name), "%s", name);
}

static void compose_aythere(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	bool has_list = elect_group_equal(&e->list_group, &s->group);

	m->group = s->group;
	m->list_version = has_list ? lists_version(e) : 0;
	m->digest = has_list ? e->digest : 0;
	m->probe = s->probe;
	say_myself(e, m);
}

static void compose_aythere_answer(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	m->answer = s->answer;
	m->group = s->group;
	m->list_version = e->list_version;
	next(e, m);
	say_myself(e, m);
}

static void compose_forward(const struct elect *e, struct elect_msg *m)
{
	m->group = own(e)->forward.group;
	m->invite = own(e)->forward.invite;
	m->loss = own(e)->forward.loss;
	m->from_group = own(e)->forward.from_group;
	m->inviter = own(e)->forward.inviter;
	m->expected = own(e)->forward.expected;
	m->standing = own(e)->forward.standing;
}

/* A Join names the groups of one that it wants; any other Invitation those of the election. */
static void compose_invitation(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	const struct invitation_election *x = &own(e)->election;
	bool join = s->invite == ELECT_INVITE_JOIN;
	unsigned groups = join ? own(e)->watch.join_groups_count : x->groups_count;

	will_tell(e, m);
	if (s->forward) {
		compose_forward(e, m);
		return;
	}
	if (s->invite != ELECT_INVITE_YIELD)
		m->group = e->group;
	m->invite = s->invite;
	m->loss = s->loss;
	if (e->state == ELECT_ELECTION)
		m->standing = x->standing;
	m->inviter = (struct elect_inviter){
		.id = e->config.id, .session = e->session, .incarnation = e->incarnation
	};
	m->expected = (uint16_t)(join ? own(e)->watch.join_wanted : x->expected);
	if (s->invite == ELECT_INVITE_SUCCESSION)
		m->from_group = x->from;
	m->groups_count = (uint8_t)groups;
	memcpy(m->groups, join ? own(e)->watch.join_groups : x->groups,
		groups * sizeof(m->groups[0]));
	if (s->invite == ELECT_INVITE_YIELD)
		return;
	m->accepted_count = (uint8_t)x->recent_count;
	memcpy(m->accepted, x->recent, x->recent_count * sizeof(x->recent[0]));
}

static void compose_accept(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	who(e, m);
	m->group = s->group;
	if (e->bound_until_us > e->now_us)
		m->bound_us = (uint32_t)(e->bound_until_us - e->now_us);
	say_myself(e, m);
}

static void compose_group_answer(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	m->group = s->group;
	m->answer = s->answer;
	m->list_version = e->list_version;
}

/* The quorum in the answer shows that this host knows what a beacon with a quorum asks for. */
static void compose_ready_answer(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	compose_group_answer(e, s, m);
	quorum(e, m);
	m->dead_after_us = e->config.timings.dead_after_us;
}

static void compose_decline(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	m->group = s->group;
	m->floor = e->floor;
	m->why = s->why;
}

typedef void compose_fn(const struct elect *e, const struct elect_send *s, struct elect_msg *m);

static compose_fn *const composers[ELECT_MSG_TYPES] = {
	[ELECT_HELLO] = compose_hello,
	[ELECT_AYCOORD] = compose_aycoord,
	[ELECT_AYCOORD_ANSWER] = compose_aycoord_answer,
	[ELECT_AYTHERE] = compose_aythere,
	[ELECT_AYTHERE_ANSWER] = compose_aythere_answer,
	[ELECT_INVITATION] = compose_invitation,
	[ELECT_ACCEPT] = compose_accept,
	[ELECT_ACCEPT_ANSWER] = compose_group_answer,
	[ELECT_READY_ANSWER] = compose_ready_answer,
	[ELECT_DECLINE] = compose_decline,
};

void compose_message(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	assert(elect_msg_type_known(s->type) && composers[s->type]);
	composers[s->type](e, s, m);
}

bool compose_still_true(const struct elect *e, const struct elect_send *s)
{
	bool own_group = elect_group_equal(&s->group, &e->group);

	if (s->type == ELECT_HELLO)
		return e->state == ELECT_DOWN;
	if (s->type == ELECT_AYCOORD)
		return own_group && group_at_work(e);
	if (s->type == ELECT_INVITATION)
		return s->forward ? own(e)->forward.used : own_group && group_coordinates(e);
	return composers[s->type];
}
