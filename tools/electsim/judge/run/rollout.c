/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollout: an operator who brings one key after the other to the hosts of a run: to each host by
 * itself, at random moments, in any order. The hosts stay together only because each is asked first
 * whether its next step is free while it sees all of them (elect_keys_step()).
 *
 * Draws from its own generator, so the rest of the schedule is the same without it.
 */
#include "run.h"

enum { KEYS = 200, PAUSE_US = 1000, STEP_US = 400000 };

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->rollout.rng, limit);
}

/* A host accepts the new key, then sends it, then drops the old one. */
static void plan(const struct sim *s, const struct elect_keys *keys, struct sim_keys *ret_next)
{
	const uint8_t from = s->rollout.from, to = s->rollout.to;
	const uint8_t added[] = { from, to }, used[] = { to, from };
	bool accepts = false;

	for (unsigned i = 0; i < keys->count; i++)
		accepts = accepts || keys->list[i].id == to;
	if (keys->list[0].id == to)
		keys_files(ret_next, RING_ENFORCE, &to, 1);
	else if (from)
		keys_files(ret_next, RING_ENFORCE, accepts ? used : added, 2);
	else
		keys_files(ret_next, accepts ? RING_PERMISSIVE : RING_RECEIVE_ONLY, &to, 1);
}

static bool done(const struct sim *s, const struct sim_keys *k)
{
	return k->mode == RING_ENFORCE && k->file.count == 1 &&
		k->file.lines[0].id == s->rollout.to;
}

/* Begins the next key when all hosts, also those that are off, have this one. */
static void turn(struct sim *s)
{
	struct sim_rollout *r = &s->rollout;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (!done(s, &s->hosts[i]->keys))
			return;
	r->from = r->to;
	r->to = (uint8_t)(r->to % KEYS + 1);
	s->totals.rollouts++;
}

/* An insider can fake the keys of any host, so after it the barrier may free a step too early. */
static void step(struct sim *s, struct sim_host *h)
{
	struct elect_keys_refusal refusal;
	struct sim_keys next;

	if (s->insider_us || !h->on || sim_stalled(s, h) ||
		h->watch.view.members_count != s->hosts_count || done(s, &h->keys))
		return;
	plan(s, elect_keys(host_elect(h->core)), &next);
	if (keys_step(h, &next, &refusal) == ELECT_KEYS_FREE)
		world_rekey(s, h, &next);
	turn(s);
}

static void again(struct sim *s, unsigned a, unsigned b)
{
	if (s->calm)
		return;
	step(s, s->hosts[below(s, s->hosts_count)]);
	sim_at(s, s->now_us + PAUSE_US + below(s, STEP_US / s->hosts_count), again, a, b);
}

void rollout_begin(struct sim *s)
{
	s->rollout = (struct sim_rollout){ .rng.state = ~s->seed * UINT64_C(0x9e3779b97f4a7c15),
		.to = 1 };
	sim_at(s, s->now_us + below(s, 2 * STEP_US), again, 0, 0);
}
