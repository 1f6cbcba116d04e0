/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: when there is reason for an election (S001 IV-A, IV-B), which number it has, and which of
 * two coordinators is followed: the larger (election, id), so that a healed split needs no
 * election. An elected host sends a heartbeat, and a watchdog guards each election.
 */
#include "electsim/draw/draw.h"
#include "inside.h"

static bool armed(const struct road *r)
{
	return r->watchdog_us != ROAD_NEVER;
}

static uint64_t delay_max_us(const struct sim *s)
{
	const struct sim_condition *c = &s->lans[0].condition;

	return c->delay_max_us + (c->late ? c->late_us : 0);
}

uint64_t road_timeout_us(const struct sim *s, const struct sim_host *h, unsigned dead)
{
	const struct lab_host *lab = &h->road->lab;

	return lab->algorithm->timeout_us ? lab->algorithm->timeout_us(lab, dead, delay_max_us(s))
					  : LAB_DEAD_US;
}

/*
 * Doubled for each failure in a row, and times 1 to 1.5; otherwise hosts with several dead
 * neighbours would restart each other's elections for ever.
 */
static void set_watchdog(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;
	unsigned doubled = r->failures < ROAD_DOUBLINGS_MAX ? r->failures : ROAD_DOUBLINGS_MAX;

	r->watchdog_us = r->began_us + (road_timeout_us(s, h, r->dead) << doubled) * r->draw / 1000;
	if (r->watchdog_us <= s->now_us)
		r->watchdog_us = s->now_us + 1;
}

void watch_takes_part(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	if (armed(r) || r->lab.algorithm->eventual)
		return;
	r->began_us = s->now_us;
	r->draw = 1000 + (unsigned)rng_below(&r->rng, 501);
	r->silent_us = ROAD_NEVER;
	set_watchdog(s, h);
}

void watch_skipped(struct sim *s, struct sim_host *h)
{
	if (armed(h->road))
		set_watchdog(s, h);
}

/* The last election is over, and the messages that wait on the lanes belong to it. */
static void take_number(struct sim *s, struct sim_host *h, uint32_t election, uint16_t begun_by)
{
	struct road *r = h->road;

	r->lab.election = r->highest = election;
	r->begun_by = begun_by;
	lane_whole(r);
	lane_clear(r);
	lab_forget(&r->lab);
	r->watchdog_us = ROAD_NEVER;
	watch_takes_part(s, h);
}

static void call_all(struct sim *s, struct sim_host *h)
{
	const struct road_packet p = { .type = ROAD_START,
		.session = h->road->session,
		.election = h->road->lab.election,
		.begun_by = h->road->begun_by,
		.lane = ROAD_LANES };

	if (h->road->lab.count > 1)
		road_say(s, h, &p, -1, 0, s->hosts_count - 1);
}

void watch_start(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	if (!h->on || r->started_in == r->lab.election)
		return;
	r->started_in = r->lab.election;
	r->lab.algorithm->start(&r->lab);
	road_show(s, h);
}

void watch_elect(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	if (r->lab.algorithm->eventual) {
		r->lab.algorithm->start(&r->lab);
		return;
	}
	r->elections++;
	s->totals.elections++;
	r->lab.coordinator = LAB_NONE;
	r->heartbeat_us = ROAD_NEVER;
	take_number(s, h, r->highest + 1, (uint16_t)h->index);
	if (trace_on(s))
		trace_line(s, h, "begins election %u", r->lab.election);
	road_show(s, h);
	if (r->lab.algorithm->starts_all)
		call_all(s, h);
	watch_start(s, h);
}

bool watch_hears(struct sim *s, struct sim_host *h, uint32_t election, uint16_t begun_by)
{
	struct road *r = h->road;

	if (r->lab.algorithm->eventual)
		return true;
	if (election < r->highest)
		return false;
	if (election > r->lab.election)
		take_number(s, h, election, begun_by);
	return true;
}

/* The host that began the election begins anew; a host that forwarded waits for its watchdog. */
void watch_behind(struct sim *s, struct sim_host *h, uint32_t election)
{
	struct road *r = h->road;

	if (election <= r->highest || r->lab.algorithm->eventual)
		return;
	r->highest = election;
	if (r->begun_by == h->index && r->started_in == r->lab.election)
		watch_elect(s, h);
}

void watch_elected(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;
	bool self = r->lab.coordinator == r->lab.id;

	if (!r->lab.algorithm->eventual) {
		r->watchdog_us = ROAD_NEVER;
		r->failures = 0;
		r->elected_in = r->lab.election;
		r->silent_us = self ? ROAD_NEVER : s->now_us + LAB_DEAD_US;
		r->heartbeat_us =
			self ? s->now_us + rng_jitter(&r->rng, LAB_BEACON_US) : ROAD_NEVER;
	}
	if (trace_on(s))
		trace_line(s, h, "elects h%u", r->lab.coordinator + 1u);
	road_show(s, h);
}

/* Returns whether the heartbeat is from the present coordinator or from one that supersedes it. */
static bool counts(const struct road *r, const struct road_packet *p)
{
	if (armed(r))
		return p->election >= r->lab.election;
	if (r->lab.coordinator == LAB_NONE)
		return true;
	if (p->election != r->elected_in)
		return p->election > r->elected_in;
	return p->coordinator == r->lab.coordinator ||
		lab_better(&r->lab, p->coordinator, r->lab.coordinator);
}

static void follow(struct sim *s, struct sim_host *h, const struct road_packet *p)
{
	struct road *r = h->road;

	if (trace_on(s))
		trace_line(s, h, "follows h%u of election %u", p->coordinator + 1u, p->election);
	lane_clear(r);
	lab_forget(&r->lab);
	r->lab.election = p->election;
	if (r->highest < p->election)
		r->highest = p->election;
	r->begun_by = p->coordinator;
	r->lab.coordinator = p->coordinator;
	r->elected_in = p->election;
	r->watchdog_us = r->heartbeat_us = ROAD_NEVER;
	r->failures = 0;
	road_show(s, h);
}

void watch_heartbeat(struct sim *s, struct sim_host *h, const struct road_packet *p)
{
	struct road *r = h->road;

	if (r->lab.algorithm->eventual || p->coordinator == r->lab.id || !counts(r, p))
		return;
	if (armed(r) || r->lab.coordinator != p->coordinator || r->elected_in != p->election)
		follow(s, h, p);
	r->silent_us = s->now_us + LAB_DEAD_US;
}

static void beat(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;
	const struct road_packet p = { .type = ROAD_HEARTBEAT,
		.session = r->session,
		.election = r->elected_in,
		.lane = ROAD_LANES,
		.coordinator = r->lab.coordinator };

	r->heartbeat_us = s->now_us + rng_jitter(&r->rng, LAB_BEACON_US);
	if (r->lab.count > 1)
		road_say(s, h, &p, -1, 0, s->hosts_count - 1);
}

void watch_due(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	if (r->heartbeat_us <= s->now_us)
		beat(s, h);
	if (h->on && r->silent_us <= s->now_us) {
		if (trace_on(s))
			trace_line(s, h, "hears no coordinator");
		watch_elect(s, h);
	}
	if (h->on && r->watchdog_us <= s->now_us) {
		if (trace_on(s))
			trace_line(s, h, "has no result of election %u", r->lab.election);
		r->failures++;
		watch_elect(s, h);
	}
}

void watch_started(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;
	const struct lab_algorithm *algorithm = r->lab.algorithm;

	if (algorithm->eventual)
		return;
	r->silent_us = s->now_us + LAB_DEAD_US;
	if (r->lives > 1 && algorithm->starts_when_back)
		watch_elect(s, h);
}

/* A coordinator that could not be heard during a stall does not count as silent. */
void watch_late(struct road *r, uint64_t us)
{
	if (armed(r)) {
		r->began_us += us;
		r->watchdog_us += us;
	}
	if (r->silent_us != ROAD_NEVER)
		r->silent_us += us;
}

uint64_t watch_next_us(const struct road *r)
{
	uint64_t at_us = r->heartbeat_us;

	if (r->silent_us < at_us)
		at_us = r->silent_us;
	return r->watchdog_us < at_us ? r->watchdog_us : at_us;
}
