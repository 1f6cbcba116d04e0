/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insiders: in a random run an insider sends any datagrams for up to a second, in the name of a
 * host or its own, goes, and comes again (lan/insider.c). An adversary without the key records them
 * and plays them later (lan/forgeries.c), mostly those near the sequences of a host; at times it
 * cuts that host off first. Draws from its own generator, as rollout.c does.
 */
#include "electsim/lan/forge.h"
#include "run.h"

#define FIRST_US_MAX UINT64_C(3000000)
#define SPEAK_US_MAX UINT64_C(1000000)
#define PAUSE_US_MAX UINT64_C(1000000)
#define EVERY_US_MIN UINT64_C(1000)
#define EVERY_US_MAX UINT64_C(50000)

#define PLAY_US_MAX	  UINT64_C(1000000)
#define PLAY_EVERY_US_MAX UINT64_C(400000)
#define CUT_US_MAX	  UINT64_C(3000000)

/* Most forged sequences lie at most this far above those that a host has used. */
#define ABOVE_MAX 200

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->insiders, limit);
}

static enum elect_msg_type some_type(struct sim *s)
{
	unsigned type;

	do
		type = (unsigned)below(s, ELECT_MSG_TYPES);
	while (!elect_msg_type_known(type));
	return type;
}

static unsigned some_part(struct sim *s, enum elect_msg_type type)
{
	unsigned part;

	do
		part = (unsigned)below(s, FORGE_PARTS);
	while (!forge_varies(type, part));
	return part;
}

static struct insider_plan some_plan(struct sim *s)
{
	static const enum insider_as as[] = { INSIDER_ITSELF, INSIDER_HOST, INSIDER_HOST,
		INSIDER_TWICE };
	struct insider_plan p = { .type = some_type(s) };

	p.part = some_part(s, p.type);
	p.value = below(s, 2) ? (int)below(s, forge_values(p.part)) : -1;
	p.as = as[below(s, 4)];
	p.host = (unsigned)below(s, s->hosts_count);
	p.borrows = below(s, 2);
	p.will = below(s, 2);
	p.to = below(s, 2) ? -1 : (int)below(s, s->hosts_count);
	p.above = below(s, 2) ? 1 + below(s, ABOVE_MAX) : 0;
	p.every_us = EVERY_US_MIN + below(s, EVERY_US_MAX - EVERY_US_MIN);
	return p;
}

static void speak(struct sim *s, unsigned unused, unsigned unused_too);

static void hush(struct sim *s, unsigned unused, unsigned unused_too)
{
	insider_hush(s);
	if (!s->calm)
		sim_at(s, s->now_us + below(s, PAUSE_US_MAX), speak, unused, unused_too);
}

static void speak(struct sim *s, unsigned unused, unsigned unused_too)
{
	struct insider_plan plan;

	if (s->calm)
		return;
	plan = some_plan(s);
	insider_speak(s, &plan);
	sim_at(s, s->now_us + below(s, SPEAK_US_MAX), hush, unused, unused_too);
}

static void join(struct sim *s, unsigned host, unsigned unused)
{
	(void)unused;
	for (unsigned i = 0; i < s->hosts_count && !s->calm; i++)
		lan_cut(s, SIM_ALL_LANS, host, i, false);
}

/* No host hears it for a while. */
static void cut_off(struct sim *s, unsigned host)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		lan_cut(s, SIM_ALL_LANS, host, i, true);
	sim_at(s, s->now_us + below(s, CUT_US_MAX), join, host, 0);
}

/* In two of three cases one host, which is the leader in half of these. */
static int some_host(struct sim *s)
{
	int leader = shown_leader(s);

	if (below(s, 3) == 0)
		return -1;
	return below(s, 2) && leader >= 0 ? leader : (int)below(s, s->hosts_count);
}

static void play(struct sim *s, unsigned unused, unsigned unused_too)
{
	static const uint64_t near[] = { 0, 64, 64, ABOVE_MAX };
	static const uint64_t every_us[] = { 100, 1000, 20000, PLAY_EVERY_US_MAX };
	int of = some_host(s), to = below(s, 4) ? -1 : (int)below(s, s->hosts_count);
	uint64_t within = near[below(s, 4)], us = every_us[below(s, 4)];

	if (s->calm)
		return;
	if (of >= 0 && s->forgeries.count && below(s, 8) == 0)
		cut_off(s, (unsigned)of);
	forgeries_play(s, of, to, within, 1 + below(s, us));
	sim_at(s, s->now_us + below(s, PLAY_US_MAX), play, unused, unused_too);
}

void insider_begin_plans(struct sim *s)
{
	s->insiders.state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x696e7369;
	insider_listen(s);
	sim_at(s, s->now_us + below(s, FIRST_US_MAX), speak, 0, 0);
	sim_at(s, s->now_us + FIRST_US_MAX, play, 0, 0);
}
