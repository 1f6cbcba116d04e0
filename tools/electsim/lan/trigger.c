/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trigger: faults at one message: "drop Ready from 1 to 2", "crash 1 when it sends Invitation".
 * Stories use them to strike at one step of a procedure.
 */
#include "inside.h"

bool trigger_add(struct sim *s, const struct sim_trigger *t)
{
	if (s->triggers_count == SIM_TRIGGERS_MAX)
		return false;
	s->triggers[s->triggers_count++] = *t;
	return true;
}

static bool matches(const struct sim_trigger *t, enum elect_msg_type type, int from, int to)
{
	return t->count > 0 && (t->message == ELECT_MSG_NONE || t->message == type) &&
		(t->from < 0 || t->from == from) && (t->to < 0 || to < 0 || t->to == to);
}

bool trigger_fires(struct sim_trigger *t, enum elect_msg_type type, int from, int to)
{
	if (!matches(t, type, from, to))
		return false;
	if (t->skip > 0) {
		t->skip--;
		return false;
	}
	t->count--;
	return true;
}

bool trigger_on_carry(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t *extra_us,
	bool *ret_twice)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];

		if (t->type != SIM_TRIGGER_DROP && t->type != SIM_TRIGGER_DELAY &&
			t->type != SIM_TRIGGER_DUPLICATE)
			continue;
		if (!trigger_fires(t, d->type, (int)d->sender, (int)to))
			continue;
		if (t->type == SIM_TRIGGER_DROP)
			return false;
		if (t->type == SIM_TRIGGER_DELAY)
			*extra_us += t->us;
		else
			*ret_twice = true;
	}
	return true;
}
