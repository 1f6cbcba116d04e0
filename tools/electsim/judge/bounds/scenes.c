/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenes: the events whose cost is measured. Each begins with hosts that have been one group for a
 * while, unless the start is the event, and ends when all living hosts are Normal in one group.
 */
#include "bounds.h"

#define SETTLE_US (15 * SIM_BEACON_US)
#define LIMIT_US  UINT64_C(20000000)

static void begin(struct sim *s, struct sample *ret)
{
	*ret = (struct sample){ .us = s->now_us,
		.datagrams = totals_election(&s->totals),
		.handshake = totals_handshake(&s->totals),
		.formed = s->totals.formed,
		.leaders = s->totals.leaders };
}

static void end(struct sim *s, struct sample *ret)
{
	ret->us = s->now_us - ret->us;
	ret->datagrams = totals_election(&s->totals) - ret->datagrams;
	ret->handshake = totals_handshake(&s->totals) - ret->handshake;
	ret->formed = s->totals.formed - ret->formed;
	ret->leaders = s->totals.leaders - ret->leaders;
}

static void until_agreed(struct sim *s, struct sample *ret)
{
	ret->agreed = sim_run_until_agree(s, LIMIT_US, false);
	end(s, ret);
}

/* Waits for one group with one leader and nothing pending, then for a random moment of a beacon. */
static bool settle(struct sim *s, const struct scene_options *o)
{
	s->lans[0].condition.loss = o->loss;
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (!s->hosts[i]->on)
			world_start(s, s->hosts[i]);
	if (!sim_run_until_agree(s, LIMIT_US, true))
		return false;
	sim_run_for(s, SETTLE_US + rng_below(&s->rng, 2 * SIM_BEACON_US));
	return sim_run_until_agree(s, LIMIT_US, true);
}

static struct sim_host *leader(struct sim *s)
{
	return s->hosts[shown_leader(s)];
}

static struct sim_host *ranked(struct sim *s, unsigned rank)
{
	struct elect_member_info info;

	elect_member_at(host_elect(leader(s)->core), rank, &info);
	return sim_by_id(s, &info.member.id);
}

void scene_crash(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	if (!settle(s, o))
		return;
	begin(s, ret);
	world_crash(s, leader(s), false);
	until_agreed(s, ret);
}

/* Kills the process only; its copy reports the death. */
void scene_kill(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	if (!settle(s, o))
		return;
	begin(s, ret);
	world_kill(s, leader(s));
	until_agreed(s, ret);
}

/* A gateway that answers, and all hosts but the last in succession die: until that one leads. */
void scene_last(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	struct sim_host *last;

	s->gateway = SIM_GATEWAY_ROUTER;
	if (!settle(s, o))
		return;
	last = ranked(s, s->hosts_count - 1);
	begin(s, ret);
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i] != last)
			world_crash(s, s->hosts[i], false);
	ret->agreed = sim_run_until_agree(s, LIMIT_US, true);
	end(s, ret);
}

void scene_crash_two(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	struct sim_host *next;

	if (!settle(s, o))
		return;
	next = ranked(s, 1);
	begin(s, ret);
	world_crash(s, leader(s), false);
	world_crash(s, next, false);
	until_agreed(s, ret);
}

/* The leader and half of the others at once, as in a power failure of one part of the LAN. */
void scene_half(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	unsigned left = (s->hosts_count - 1) / 2;
	int lead;

	if (!settle(s, o))
		return;
	lead = shown_leader(s);
	begin(s, ret);
	world_crash(s, s->hosts[lead], false);
	for (unsigned i = 0; i < s->hosts_count; i++) {
		bool dies = rng_below(&s->rng, s->hosts_count - i) < left;

		left -= dies;
		if (dies)
			world_crash(s, s->hosts[i], false);
	}
	until_agreed(s, ret);
}

/* The leaving host, which sends Goodbye and answers for 100 ms, does not count as living. */
void scene_stop(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	if (!settle(s, o))
		return;
	begin(s, ret);
	s->event.command = (struct elect_command){ .type = ELECT_COMMAND_STOP };
	world_command(s, leader(s), &s->event.command);
	until_agreed(s, ret);
}

void scene_cold(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	s->lans[0].condition.loss = o->loss;
	begin(s, ret);
	for (unsigned i = 0; i < s->hosts_count; i++)
		world_start(s, s->hosts[i]);
	until_agreed(s, ret);
	/* The choice of a leader is good by then, or never; later leaders count, too. */
	sim_run_for(s, SETTLE_US);
	ret->leaders = s->totals.leaders;
}

static void start_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_start(s, s->hosts[index]);
}

/* Time is measured from the last start, datagrams from the first. */
void scene_spread(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint64_t last = 0;

	s->lans[0].condition.loss = o->loss;
	begin(s, ret);
	for (unsigned i = 0; i < s->hosts_count; i++) {
		uint64_t at = s->now_us + rng_below(&s->rng, 1000000);

		sim_at(s, at, start_one, i, 0);
		last = at > last ? at : last;
	}
	sim_run_until(s, last);
	ret->us = last;
	until_agreed(s, ret);
	sim_run_for(s, SETTLE_US);
	ret->leaders = s->totals.leaders;
}

/* Two parts, each with a leader; the smaller one has one host to half of all. */
void scene_heal(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint8_t side[SIM_HOSTS_MAX] = { 0 };
	uint64_t small, leaders;

	if (!settle(s, o))
		return;
	small = 1 + rng_below(&s->rng, (s->hosts_count - 1) / 2);
	for (uint64_t i = 0; i < small; i++)
		side[rng_below(&s->rng, s->hosts_count)] = 1;
	side[0] = 1;
	side[1] = 0;
	lan_split(s, SIM_ALL_LANS, side);
	sim_run_for(s, 40 * SIM_BEACON_US + rng_below(&s->rng, SIM_BEACON_US));
	begin(s, ret);
	lan_heal(s);
	leaders = s->totals.leaders;
	until_agreed(s, ret);
	sim_run_for(s, SETTLE_US);
	ret->leaders = s->totals.leaders - leaders;
}

/* Ten parts, each with a leader if it has enough hosts. */
void scene_ten(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint8_t side[SIM_HOSTS_MAX] = { 0 };
	uint64_t leaders;

	if (!settle(s, o))
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		side[i] = (uint8_t)(i % 10);
	lan_split(s, SIM_ALL_LANS, side);
	sim_run_for(s, 40 * SIM_BEACON_US + rng_below(&s->rng, SIM_BEACON_US));
	begin(s, ret);
	leaders = s->totals.leaders;
	lan_heal(s);
	until_agreed(s, ret);
	sim_run_for(s, SETTLE_US);
	ret->leaders = s->totals.leaders - leaders;
}

static void restart(struct sim *s, struct sim_host *h, uint64_t in_us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + in_us,
			.type = SIM_EVENT_START,
			.host = h->index,
			.life = h->life });
}

void scene_coordinator_restarts(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	struct sim_host *h;
	uint64_t us;

	if (!settle(s, o))
		return;
	us = 1 + rng_below(&s->rng, 500000);
	begin(s, ret);
	h = leader(s);
	world_crash(s, h, false);
	restart(s, h, us);
	sim_run_for(s, us);
	until_agreed(s, ret);
}

/* Time is measured from its start. */
void scene_member_restarts(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	struct sim_host *h;
	uint64_t us;

	if (!settle(s, o))
		return;
	us = 1 + rng_below(&s->rng, 500000);
	h = ranked(s, 1 + (unsigned)rng_below(&s->rng, s->hosts_count - 1));
	begin(s, ret);
	world_crash(s, h, false);
	restart(s, h, us);
	sim_run_for(s, us);
	ret->us = s->now_us;
	until_agreed(s, ret);
}

/* A member leaves without loss; loss begins when it comes back, `away_us` later. */
static void come_back(
	struct sim *s, const struct scene_options *o, uint64_t away_us, struct sample *ret)
{
	const struct scene_options calm = { .hosts = o->hosts };
	struct sim_host *h;

	if (!settle(s, &calm))
		return;
	h = ranked(s, 1 + (unsigned)rng_below(&s->rng, s->hosts_count - 1));
	world_crash(s, h, false);
	sim_run_for(s, away_us + rng_below(&s->rng, SIM_BEACON_US));
	s->lans[0].condition.loss = o->loss;
	begin(s, ret);
	world_start(s, h);
	until_agreed(s, ret);
}

void scene_lossy_restart(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	come_back(s, o, 1, ret);
}

/* The member is away long enough to be dropped. */
void scene_lossy_join(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	come_back(s, o, 20 * SIM_BEACON_US, ret);
}

/* Ends when the coordinator's list lacks the member. */
void scene_member_dies(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint64_t limit;
	int lead;

	if (!settle(s, o))
		return;
	begin(s, ret);
	lead = shown_leader(s);
	limit = s->now_us + LIMIT_US;
	world_crash(s, ranked(s, 1 + (unsigned)rng_below(&s->rng, s->hosts_count - 1)), false);
	while (s->now_us < limit && s->hosts[lead]->watch.view.members_count == s->hosts_count)
		sim_run_until(s, queue_first(&s->queue)->at_us);
	ret->agreed = s->now_us < limit && shown_leader(s) == lead;
	end(s, ret);
}

/* Nothing happens for long. `datagrams` counts all types, in thousandths per host and beacon. */
void scene_quiet(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint64_t all;

	if (!settle(s, o))
		return;
	begin(s, ret);
	all = totals_datagrams(&s->totals);
	sim_run_for(s, o->length_us);
	end(s, ret);
	all = totals_datagrams(&s->totals) - all;
	ret->datagrams = all * 1000 / s->hosts_count / (o->length_us / SIM_BEACON_US);
	ret->agreed = shown_agree(s);
}

static void stall_leader(struct sim *s, unsigned a, unsigned b)
{
	int lead = shown_leader(s);

	if (lead >= 0 && !sim_stalled(s, s->hosts[lead]))
		world_stall(s, s->hosts[lead], 50000 + rng_below(&s->rng, 250001));
	sim_at(s, s->now_us + 350000 + rng_below(&s->rng, 1650000), stall_leader, a, b);
}

/* The leader's process, but not its kernel, stalls for 50 to 300 ms about once a second. */
void scene_short_stalls(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	if (!settle(s, o))
		return;
	begin(s, ret);
	stall_leader(s, 0, 0);
	sim_run_for(s, o->length_us);
	end(s, ret);
	ret->agreed = !s->broken;
}

/* The leader's whole host is paused, so it looks dead; ends when another host leads. */
void scene_pause(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	uint64_t limit;

	if (!settle(s, o))
		return;
	begin(s, ret);
	limit = s->now_us + LIMIT_US;
	world_pause(s, leader(s), 1000000);
	while (s->now_us < limit && shown_leaders(s) < 2)
		sim_run_until(s, queue_first(&s->queue)->at_us);
	end(s, ret);
	ret->agreed = s->now_us < limit && sim_run_until_agree(s, LIMIT_US, true);
}

/* No host fails, where a gateway answers and other devices are heard. */
void scene_gateway(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	s->gateway = SIM_GATEWAY_ROUTER;
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->noise_us = 20000;
	scene_quiet(s, o, ret);
}

/* No host fails, where each host asks for a quorum of more than half. */
void scene_quorum(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.quorum = (uint16_t)(s->hosts_count / 2 + 1);
	scene_quiet(s, o, ret);
}

static void stall_now_and_then(struct sim *s, unsigned index, unsigned unused)
{
	world_stall(s, s->hosts[index], 300000);
	sim_at(s, s->now_us + rng_below(&s->rng, 2000000), stall_now_and_then, index, unused);
}

/*
 * Three hosts in ten stall for 300 ms about once a second. Stalls overlap: some last longer than
 * dead_after.
 */
void scene_stalls(struct sim *s, const struct scene_options *o, struct sample *ret)
{
	if (!settle(s, o))
		return;
	begin(s, ret);
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (i % 10 < 3)
			sim_at(s, s->now_us + rng_below(&s->rng, 1000000), stall_now_and_then, i,
				0);
	sim_run_for(s, o->length_us);
	end(s, ret);
	ret->agreed = !s->broken;
}
