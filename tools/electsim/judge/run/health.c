/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: the services that hosts of a random run need to lead. They fall ill on one host or on
 * several, and recover; their reports stop and resume. When the troubles are over, each host is
 * well or ill for good, or all are ill. Draws from its own generator, as rollout.c does.
 */
#include "run.h"

enum { BAR_US_MIN = 100000, BAR_US_MORE = 600000, CALM_PAUSE_US = 200000 };
enum { BARS_MAX = 10, TOLD_BEACONS = 30 };

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->health.rng, limit);
}

static void report(struct sim *s, struct sim_host *h, unsigned i)
{
	struct elect_report r = { .well = !h->ill[i],
		.leading = s->health.names[i].leading,
		.fall = s->calm ? 1 : s->health.names[i].fall,
		.rise = s->calm ? 1 : s->health.names[i].rise,
		.stale_us = s->calm ? 0 : s->health.names[i].stale_us };

	snprintf(r.name, sizeof(r.name), "service%u", i + 1);
	snprintf(r.words, sizeof(r.words), "%s", r.well ? "" : "down");
	world_report(s, h, &r);
}

/* Changes it on one host; with probability 1/8 also on host 1, 1/64 on host 2, and so on. */
static void turn(struct sim *s, struct sim_host *h, unsigned i)
{
	bool ill = !h->ill[i];

	h->ill[i] = ill;
	for (unsigned k = 0; k < s->hosts_count && below(s, 8) == 0; k++)
		s->hosts[k]->ill[i] = ill;
}

static void trouble(struct sim *s, struct sim_host *h)
{
	unsigned i = (unsigned)below(s, s->health.count);

	if (below(s, 4) == 0)
		turn(s, h, i);
	if (below(s, 16) == 0)
		h->mute[i] = !h->mute[i];
}

static void look(struct sim *s, unsigned a, unsigned b)
{
	struct sim_host *h = s->hosts[below(s, s->hosts_count)];
	uint64_t pause_us = s->calm ? CALM_PAUSE_US : s->health.pause_us;

	if (!s->calm)
		trouble(s, h);
	for (unsigned i = 0; i < s->health.count && !s->broken; i++)
		if (!h->mute[i] || s->calm)
			report(s, h, i);
	sim_at(s, s->now_us + 1 + below(s, 2 * pause_us / s->hosts_count), look, a, b);
}

static void set_up(struct sim *s, struct sim_host *h, uint64_t bar_us, bool stays, bool required)
{
	struct elect_config *c = &h->config;

	c->sick_bar_us = bar_us;
	c->sick_stays = stays;
	h->promotes = true;
	h->promotion_us = below(s, 300000);
	for (unsigned i = 0; i < s->health.count; i++) {
		h->ill[i] = h->mute[i] = false;
		if (required && !s->health.names[i].leading)
			snprintf(c->required[c->required_count++], sizeof(c->required[0]),
				"service%u", i + 1);
	}
}

void health_begin(struct sim *s)
{
	static const uint64_t pauses_us[] = { 20000, 100000, 400000 };
	struct sim_health *x = &s->health;
	uint64_t bar_us;
	bool stays, required;

	*x = (struct sim_health){ .rng.state =
					  s->seed * UINT64_C(0xda942042e4dd58b5) ^ 0x6865616c };
	x->count = 1 + (unsigned)below(s, 3);
	x->pause_us = pauses_us[below(s, 3)];
	for (unsigned i = 0; i < x->count; i++) {
		x->names[i].fall = 1 + (unsigned)below(s, 3);
		x->names[i].rise = 1 + (unsigned)below(s, 3);
		x->names[i].stale_us = below(s, 2) ? 200000 + below(s, 2000000) : 0;
		x->names[i].leading = below(s, 3) == 0;
	}
	bar_us = BAR_US_MIN + below(s, BAR_US_MORE);
	stays = below(s, 2);
	required = below(s, 2);
	for (unsigned i = 0; i < s->hosts_count; i++)
		set_up(s, s->hosts[i], bar_us, stays, required);
	sim_at(s, s->now_us + below(s, 1000000), look, 0, 0);
}

/* Services that only a leader reports end well, because other hosts cannot report them. */
void health_end(struct sim *s)
{
	bool all_ill = s->health.count && below(s, 6) == 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		for (unsigned k = 0; k < s->health.count; k++)
			s->hosts[i]->ill[k] =
				!s->health.names[k].leading && (all_ill || below(s, 6) == 0);
}

/* The longest bar; then lists report the end of one bar per WHY_NOTS_PAUSE. */
uint64_t health_settles_us(const struct sim *s)
{
	if (!s->health.count)
		return 0;
	return BARS_MAX * s->hosts[0]->config.sick_bar_us + TOLD_BEACONS * SIM_BEACON_US;
}
