/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trigger: faults that hang on a message: "drop Ready from 1 to 2", "crash 1 when it sends
 * Invitation". Stories use them to put a fault at one step of one procedure.
 */
#include <assert.h>

#include "electsim/world/sim.h"

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

/* Is it this trigger's turn? Counts. */
static bool fires(struct sim_trigger *t)
{
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
		if (!matches(t, d->type, (int)d->sender, (int)to) || !fires(t))
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

bool trigger_on_send(struct sim *s, struct sim_host *h, enum elect_msg_type type, bool *ret_dies)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];
		bool before = t->type == SIM_TRIGGER_CRASH_BEFORE;
		bool stall = t->type == SIM_TRIGGER_STALL_SENDS;

		if (!before && !stall && t->type != SIM_TRIGGER_CRASH_SENDS)
			continue;
		if (t->victim != (int)h->index || !matches(t, type, (int)h->index, -1) || !fires(t))
			continue;
		if (before) {
			world_crash(s, h, false);
			return false;
		}
		if (stall)
			world_stall(s, h, t->us);
		else
			*ret_dies = true;
	}
	return true;
}

bool trigger_on_receive(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];
		bool stall = t->type == SIM_TRIGGER_STALL_RECEIVES;

		if (!stall && t->type != SIM_TRIGGER_CRASH_RECEIVES)
			continue;
		if (t->victim != (int)h->index ||
			!matches(t, d->type, (int)d->sender, (int)h->index) || !fires(t))
			continue;
		if (!stall) {
			world_crash(s, h, false);
			return false;
		}
		world_stall(s, h, t->us);
	}
	return true;
}
