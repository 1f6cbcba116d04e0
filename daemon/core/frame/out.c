/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out: the actions of a step, and the messages among them.
 */
#include "algorithm.h"
#include "backoff.h"

#include <assert.h>
#include <string.h>

struct elect_action *out_action(struct elect *e, enum elect_action_type type)
{
	struct elect_action *a;

	assert(e->out->count < ELECT_ACTIONS_MAX);
	a = &e->out->items[e->out->count++];
	a->type = type;
	return a;
}

struct elect_send *out_send(struct elect *e, enum elect_msg_type type, const struct elect_id *to)
{
	struct elect_send *s = &out_action(e, ELECT_ACTION_SEND)->send;

	memset(s, 0, sizeof(*s));
	s->type = type;
	s->group = e->group;
	if (to)
		s->to = *to;
	return s;
}

struct elect_send *out_reply(
	struct elect *e, enum elect_msg_type type, const struct elect_msg *request)
{
	struct elect_send *s = out_send(e, type, &request->sender);

	s->suspect = request->probe;
	s->echo = request->transaction;
	return s;
}

void out_also_to_all(struct elect *e, struct elect_send *s)
{
	if (e->now_us - e->to_all_us >= pace_beacons(e, 1)) {
		e->to_all_us = e->now_us;
		e->to_all_count = 0;
	}
	s->also_to_all = e->to_all_count < ANSWERS_TO_ALL && !backoff_vain_us(e, &s->to);
	e->to_all_count += s->also_to_all;
}

bool out_still_true(const struct elect *e, const struct elect_send *s)
{
	if (elect_msg_of_all(s->type))
		return true;
	if (s->type == e->algorithm->list)
		return elect_group_equal(&s->group, &e->list_group) && group_coordinates(e);
	return e->algorithm->still_true(e, s);
}
