/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: the liveness properties L1, L3 and L4 of rules.md, Properties: what must happen after the
 * troubles. check.c asserts L2 at all times.
 */
#include "check.h"
#include "electsim/hosts/shown.h"
#include "core/elect_view.h"

/* L3: a host that its coordinator does not list leaves within 15 beacons. */
#define LIVE_DEAF_US (15 * SIM_BEACON_US)

/* Two processes claim to be one host: neither leads until that is forgotten. */
enum { DOUBLED = ELECT_PROBLEM_DUPLICATE_ID | ELECT_PROBLEM_SAME_DOMAIN };

/* `coordinates`: it coordinates all hosts, so with sick_stays it leads even if it is sick. */
bool live_ought_to_lead(const struct sim *s, const struct sim_host *h, bool coordinates)
{
	const struct elect_view *v = &h->watch.view;
	bool could = h->config.priority > 0 && !v->held && !h->disk.failing &&
		h->resigned_until_us + SIM_BEACON_US < s->now_us && !(v->problems & DOUBLED);

	if (coordinates && could && h->config.sick_stays)
		return true;
	return v->may_lead || (could && !check_is_sick(s, h));
}

uint64_t live_behind_us(const struct sim *s)
{
	uint64_t highest = 0, behind = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (shown_lives(s->hosts[i]) && s->hosts[i]->watch.counter > highest)
			highest = s->hosts[i]->watch.counter;
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		if (shown_lives(h) && h->watch.view.problems & ELECT_PROBLEM_COUNTER_PUSHED &&
			highest - h->watch.counter > behind)
			behind = highest - h->watch.counter;
	}
	return behind * 1000000 / ELECT_ADVANCE_PER_S;
}

static bool listed(const struct sim_host *coordinator, const struct sim_host *h)
{
	return elect_lists(host_elect(coordinator->core), &h->config.id);
}

/* Is its coordinator no longer in the group, or does the coordinator not list it? */
static bool deaf(struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;
	const struct sim_host *c = sim_by_id(s, &v->group.coordinator);

	if (!h->on || v->state != ELECT_NORMAL || !c || c == h)
		return false;
	if (!c->on || !shown_same_group(s, &c->watch.view.group, &v->group))
		return true;
	return c->watch.view.state == ELECT_NORMAL && !listed(c, h);
}

void live_watch(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++) {
		struct sim_host *h = s->hosts[i];

		if (!deaf(s, h))
			h->watch.deaf_since_us = 0;
		else if (h->watch.deaf_since_us == 0)
			h->watch.deaf_since_us = s->now_us;
		else if (s->now_us - h->watch.deaf_since_us > LIVE_DEAF_US)
			check_fail(s, "L3", "h%u stays in a group that has dropped it", i + 1);
	}
}
