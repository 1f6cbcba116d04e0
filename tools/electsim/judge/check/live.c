/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: the liveness properties L1, L3 and L4 of algorithm.md section 7: what must come when the
 * troubles are over. L2 is asserted all the time, in check.c.
 */
#include "check.h"

/* L3: a host its coordinator does not list has left by then; 15 beacons. */
#define LIVE_DEAF_US (15 * SIM_BEACON_US)

/* Another process says that it is this one: neither leads until that is forgotten. */
enum { DOUBLED = ELECT_PROBLEM_DUPLICATE_ID | ELECT_PROBLEM_SAME_DOMAIN };

static bool lives(const struct sim_host *h)
{
	return h->on && !h->leaving;
}

/* Somebody who should be able to lead, whatever he says himself. */
static bool ought_to_lead(const struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;
	bool could = h->config.priority > 0 && !v->held && !h->disk.failing &&
		h->resigned_until_us + SIM_BEACON_US < s->now_us && !(v->problems & DOUBLED) &&
		!check_is_sick(s, h);

	return lives(h) && (v->may_lead || could);
}

/* Nobody should, and it coordinates: it leads although it is sick. */
static bool stays(const struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;

	return h->config.sick_stays && h->config.priority > 0 && !v->held && !h->disk.failing &&
		h->resigned_until_us + SIM_BEACON_US < s->now_us && !(v->problems & DOUBLED);
}

/* Elections of the lab have no groups: who has the same coordinator agrees. */
static bool same_group(
	const struct sim *s, const struct elect_group *a, const struct elect_group *b)
{
	return (s->lab || a->counter == b->counter) &&
		elect_id_equal(&a->coordinator, &b->coordinator);
}

static bool is_normal(const struct sim_host *h)
{
	return lives(h) && h->watch.view.state == ELECT_NORMAL;
}

/* Nobody before it is in its group. */
static bool first_of_group(const struct sim *s, const struct sim_host *h)
{
	for (unsigned i = 0; is_normal(h) && s->hosts[i] != h; i++)
		if (is_normal(s->hosts[i]) &&
			same_group(s, &s->hosts[i]->watch.view.group, &h->watch.view.group))
			return false;
	return is_normal(h);
}

void live_look(const struct sim *s, struct sim_liveness *ret)
{
	const struct sim_host *coordinator, *last = NULL;
	bool wanted = false, lists = true;

	*ret = (struct sim_liveness){ .agree = true };
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		if (!lives(h))
			continue;
		ret->living++;
		ret->leaders += h->watch.view.role == ELECT_ROLE_LEADER;
		ret->agree = ret->agree && h->watch.view.state == ELECT_NORMAL;
		ret->groups += first_of_group(s, h);
		wanted = wanted || ought_to_lead(s, h);
		last = h;
	}
	coordinator = last ? sim_by_id(s, &last->watch.view.group.coordinator) : NULL;
	wanted = wanted || (coordinator && lives(coordinator) && stays(s, coordinator));
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		lists = lists && (!lives(h) || h->watch.view.members_count >= ret->living);
		wanted = wanted && (!lives(h) || h->config.quorum <= ret->living);
	}
	ret->agree = ret->agree && ret->groups == 1 && lists && coordinator && lives(coordinator);
	ret->led = ret->leaders == wanted;
}

bool live_waits(const struct sim *s, unsigned *index)
{
	if (*index < s->hosts_count && lives(s->hosts[*index]) && !is_normal(s->hosts[*index]))
		return true;
	for (*index = 0; *index < s->hosts_count; ++*index)
		if (lives(s->hosts[*index]) && !is_normal(s->hosts[*index]))
			return true;
	return false;
}

void live_shown(const struct sim *s, const struct sim_host *h, struct sim_shown *ret)
{
	const struct elect_view *v = &h->watch.view;
	const struct sim_host *of = sim_by_id(s, &v->group.coordinator);
	bool normal = h->on && v->state == ELECT_NORMAL;

	*ret = (struct sim_shown){ .on = h->on,
		.normal = normal,
		.leads = h->on && v->role == ELECT_ROLE_LEADER,
		.coordinator = normal && of ? (int)of->index : -1,
		.election = v->group.counter };
}

bool live_agree(const struct sim *s)
{
	struct sim_liveness l;

	live_look(s, &l);
	return l.agree;
}

unsigned live_leaders(const struct sim *s)
{
	return s->leaders;
}

int live_leader(const struct sim *s)
{
	int found = -1;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		if (!s->hosts[i]->on || s->hosts[i]->watch.view.role != ELECT_ROLE_LEADER)
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}

uint64_t live_behind_us(const struct sim *s)
{
	uint64_t highest = 0, behind = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (lives(s->hosts[i]) && s->hosts[i]->watch.counter > highest)
			highest = s->hosts[i]->watch.counter;
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		if (lives(h) && h->watch.view.problems & ELECT_PROBLEM_COUNTER_PUSHED &&
			highest - h->watch.counter > behind)
			behind = highest - h->watch.counter;
	}
	return behind * 1000000 / ELECT_LIFT_PER_S;
}

static bool listed(const struct sim_host *coordinator, const struct sim_host *h)
{
	return elect_lists(host_elect(coordinator->core), &h->config.id);
}

/* In a group that its coordinator is not in, or not in its list. */
static bool deaf(struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;
	const struct sim_host *c = sim_by_id(s, &v->group.coordinator);

	if (!h->on || v->state != ELECT_NORMAL || !c || c == h)
		return false;
	if (!c->on || !same_group(s, &c->watch.view.group, &v->group))
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
