/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: the contents of each message of bully (messages.md), written from the state after the step,
 * a function a type. The frame writes the header and the messages that all algorithms share. A
 * message that the step made obsolete is not sent.
 */
#include "bully.h"
#include "core/frame/keys.h"
#include "core/frame/lists.h"
#include "core/frame/sick.h"
#include "core/frame/will.h"

#include <assert.h>
#include <string.h>

static void name(const struct elect *e, struct elect_msg *m)
{
	memcpy(m->name, e->config.name, sizeof(m->name));
}

/* The fields that a coordinator collects from its members. */
static void say_myself(const struct elect *e, struct elect_msg *m)
{
	keys_say(e, m);
	sick_why(e, &m->why_not);
	m->address = e->config.address;
	lists_say_name(e, m);
}

static void quorum(const struct elect *e, struct elect_msg *m)
{
	m->quorum_said = true;
	m->quorum = e->config.quorum;
}

static void ayup(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)s;
	name(e, m);
	m->timings = e->config.timings;
}

static void ayup_answer(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)s;
	m->group = e->group;
	m->state = e->state;
}

static void aynormal(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	name(e, m);
	m->timings = e->config.timings;
	m->floor = e->floor;
	m->group = e->group;
	m->list_version = e->list_version;
	m->digest = e->digest;
	m->probe = s->probe;
	if (e->up.count > 1)
		m->other = e->up.members[1].id;
	quorum(e, m);
	if (e->due_us > e->now_us)
		m->next_us = (uint32_t)(e->due_us - e->now_us);
	will_tell(e, m);
	keys_tell(e, m);
	sick_why(e, &m->why_not);
	m->address = e->config.address;
}

static void aynormal_answer(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	bool has_list = elect_group_equal(&e->list_group, &e->group);

	(void)s;
	m->group = e->group;
	m->state = e->state;
	m->list_version = has_list ? lists_version(e) : 0;
	m->digest = has_list ? e->digest : 0;
	say_myself(e, m);
}

static void accepted(struct elect_msg *m, const struct elect_id *id)
{
	if (m->accepted_count < ELECT_ACCEPTED_MAX)
		m->accepted[m->accepted_count++] = elect_id_hash(id);
}

/* With a group: the hosts that have answered. Without: asks to yield. */
static void enterelection(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	name(e, m);
	m->floor = e->floor;
	m->group = s->group;
	will_tell(e, m);
	for (unsigned i = 1; i < e->next.count && !elect_group_is_zero(&s->group); i++)
		accepted(m, &e->next.members[i].id);
}

static void enterelection_answer(
	const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	name(e, m);
	m->floor = e->floor;
	m->group = s->group;
	m->answer = s->answer;
	m->why = s->why;
	m->other = s->other;
	will_tell(e, m);
	say_myself(e, m);
	if (e->bound_until_us > e->now_us)
		m->bound_us = (uint32_t)(e->bound_until_us - e->now_us);
}

/* The hosts that have not accepted yet. */
static void setcoord(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	m->group = s->group;
	for (unsigned i = 1; i < e->next.count; i++)
		if (!candidate_is_set(e, i))
			accepted(m, &e->next.members[i].id);
}

static void group_answer(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	m->group = s->group;
	m->answer = s->answer;
	m->list_version = e->list_version;
	quorum(e, m);
}

typedef void says_fn(const struct elect *e, const struct elect_send *s, struct elect_msg *m);

static says_fn *const composers[ELECT_MSG_TYPES] = {
	[ELECT_AYUP] = ayup,
	[ELECT_AYUP_ANSWER] = ayup_answer,
	[ELECT_AYNORMAL] = aynormal,
	[ELECT_AYNORMAL_ANSWER] = aynormal_answer,
	[ELECT_ENTERELECTION] = enterelection,
	[ELECT_ENTERELECTION_ANSWER] = enterelection_answer,
	[ELECT_SETCOORD] = setcoord,
	[ELECT_SETCOORD_ANSWER] = group_answer,
	[ELECT_NEWSTATE_ANSWER] = group_answer,
};

void says_message(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	assert(elect_msg_type_known(s->type) && composers[s->type]);
	composers[s->type](e, s, m);
}

bool says_still_true(const struct elect *e, const struct elect_send *s)
{
	bool own_group = elect_group_equal(&s->group, &e->group);

	if (s->type == ELECT_AYNORMAL)
		return own_group && group_at_work(e);
	if (s->type == ELECT_ENTERELECTION)
		return elect_group_is_zero(&s->group) || (own_group && own(e)->phase == PHASE_CALL);
	if (s->type == ELECT_SETCOORD)
		return own_group && own(e)->phase == PHASE_SET;
	return composers[s->type];
}
