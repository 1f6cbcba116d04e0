/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenes: troubles of a random run that are made of several: what one alone shows too rarely.
 * Each is an entry of the table in troubles.c.
 */
#include "run.h"

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->rng, limit);
}

/* ---- parts ------------------------------------------------------------------------------- */

enum { PARTS = 3 };

/* Which parts talk to each other in the stages of a scene: equal numbers do. */
static const uint8_t stages[][PARTS] = {
	{ 0, 1, 1 }, /* two, each with a leader */
	{ 0, 1, 2 }, /* one falls in two: the third is without a leader, still */
	{ 0, 0, 2 }, /* two merge, while the third comes */
	{ 0, 0, 0 },
};

enum { STAGES = sizeof(stages) / sizeof(stages[0]) };

static void slow_demotions(struct sim *s)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->hook_us = below(s, 2500000);
}

static void part(struct sim *s, unsigned salt, unsigned stage)
{
	static const uint64_t least_us[STAGES] = { 2000000, 700000, 100000 };
	struct rng sides = { .state = salt };
	uint8_t side[SIM_HOSTS_MAX];

	if (s->calm)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		side[i] = stages[stage][rng_below(&sides, PARTS)];
	lan_split(s, side);
	if (stage == 1 && below(s, 2))
		slow_demotions(s);
	if (stage + 1 < STAGES)
		sim_at(s, s->now_us + least_us[stage] + below(s, 1300000), part, salt, stage + 1);
}

void faults_parts(struct sim *s)
{
	part(s, (unsigned)below(s, UINT32_MAX), 0);
}

/* ---- deaf -------------------------------------------------------------------------------- */

/* A member loses its coordinator, and comes back, again and again; nobody else loses it. */
static void deafen(struct sim *s, unsigned pair, unsigned left)
{
	if (s->calm)
		return;
	lan_cut(s, pair / SIM_HOSTS_MAX, pair % SIM_HOSTS_MAX, left % 2 == 1);
	if (left > 0)
		sim_at(s, s->now_us + 650000 + below(s, 800000), deafen, pair, left - 1);
}

void faults_deaf(struct sim *s)
{
	int leader = live_leader(s);
	unsigned member = faults_any(s)->index;

	if (leader >= 0 && (unsigned)leader != member)
		deafen(s, (unsigned)leader * SIM_HOSTS_MAX + member, 3 + 2 * (unsigned)below(s, 2));
}
