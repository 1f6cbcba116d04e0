/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compose: writes a message from the state after the step: its header, the standing of its sender,
 * and the messages of all algorithms (Goodbye, Challenge, the list). The algorithm writes the rest.
 */
#include "algorithm.h"
#include "lists.h"

#include <string.h>

static void header(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	elect_msg_clear(m);
	m->type = s->type;
	m->sender = e->config.id;
	m->session = e->session;
	m->incarnation = e->incarnation;
	m->counter = e->counter;
	m->transaction = s->echo;
	self_standing(e, &m->standing);
	m->brief = s->brief;
}

static void compose_of_all(const struct elect_send *s, struct elect_msg *m)
{
	if (s->type == ELECT_GOODBYE) {
		m->group = s->group;
		m->other = s->other;
		m->loss = s->loss;
	} else if (s->type == ELECT_CHALLENGE_ANSWER) {
		m->known = s->known;
	}
}

void elect_compose(const struct elect *e, const struct elect_send *send, unsigned part,
	struct elect_msg *ret_msg)
{
	header(e, send, ret_msg);
	if (elect_msg_of_all(send->type))
		compose_of_all(send, ret_msg);
	else if (send->type == e->algorithm->list)
		lists_compose(e, send, part, ret_msg);
	else
		e->algorithm->compose(e, send, ret_msg);
}
