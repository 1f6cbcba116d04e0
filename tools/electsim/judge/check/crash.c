/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash: when a process is killed, its demotion runs (will.md). A host that heard of this
 * does not begin to lead before the demotion has ended, its own wait is over, or the copy of the
 * process has stopped reporting. The true end of the demotion decides, because the report of it may
 * be lost.
 */
#include "inside.h"

static bool acts(const struct sim *s, const struct sim_host *h)
{
	return h->will.acts_until_us > s->now_us;
}

/* Call after each change of a role, and when a demotion begins. */
void check_two_acting(struct sim *s)
{
	if (s->leaders == 0 || s->acting_until_us <= s->now_us)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (acts(s, s->hosts[i]))
			s->two_acting_us = s->now_us;
}

void check_killed(struct sim *s)
{
	check_two_acting(s);
}

static struct sim_crash *noted(
	const struct sim *s, struct sim_host *h, const struct elect_id *id, uint64_t session)
{
	const struct sim_host *of = sim_by_id(s, id);
	struct sim_crash *c = of ? &h->watch.told.crashes[of->index] : NULL;

	if (c && c->session != session)
		*c = (struct sim_crash){ .session = session };
	return c;
}

static void note(struct sim_crash *c, uint64_t at_us, uint64_t last_us)
{
	if (!c->first_us)
		c->first_us = at_us;
	if (c->last_us < last_us)
		c->last_us = last_us;
}

void check_crash_heard(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;
	uint64_t dead_us = h->config.timings.dead_after_us;
	struct sim_crash *c;

	if (!m || !m->proven)
		return;
	if (m->type == ELECT_GOODBYE && m->loss == ELECT_LOSS_CRASHING &&
		(c = noted(s, h, &m->sender, m->session)))
		note(c, step->at_us, step->at_us);
	if (m->crashed.session && (c = noted(s, h, &m->crashed.id, m->crashed.session)))
		note(c, step->at_us, step->at_us + m->crashed.left_us - dead_us);
}

void check_crash_waited(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	if (step->now->role != ELECT_ROLE_LEADER || step->old->role == ELECT_ROLE_LEADER)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_crash *c = &h->watch.told.crashes[i];
		const struct sim_host *o = s->hosts[i];

		if (o->will.on && s->now_us < o->will.says_until_us &&
			c->session == o->will.session &&
			step->at_us < c->first_us + h->config.crash_wait_us &&
			step->at_us < c->last_us + h->config.timings.dead_after_us)
			check_fail(s, "crash",
				"h%u begins to lead while the demotion of h%u runs, of which it "
				"has heard",
				h->index + 1, i + 1);
	}
}
