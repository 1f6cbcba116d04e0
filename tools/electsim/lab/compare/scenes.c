/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenes: the scenes, played alike for each algorithm. Except in a cold start, the hosts first
 * agree on a LAN without loss; then the loss begins, and after a while, at a random moment of a
 * beacon, the event comes. The scene has its own random generator and names hosts by rank, because
 * the number of draws from the LAN's depends on the algorithm.
 */
#include <string.h>

#include "compare.h"
#include "electsim/lan/lan.h"

#define SETTLE_US (15 * SIM_BEACON_US)
#define APART_US  UINT64_C(10000)
#define MINUTE_US UINT64_C(60000000)
#define PERIOD_US UINT64_C(5000000)
#define AWAY_US	  UINT64_C(10000000)
#define SPLIT_US  UINT64_C(8000000)

/* ---- hosts ---------------------------------------------------------------------------------- */

static struct sim_host *ranked(const struct contest *c, unsigned rank)
{
	return c->s->hosts[contest_ranked(c->who, c->s->hosts_count, rank)];
}

/* Returns the leader; the best host if there is none, or two. */
static struct sim_host *leader(const struct contest *c)
{
	int lead = contest_leader(c);

	return lead >= 0 ? c->s->hosts[lead] : ranked(c, 0);
}

/* Returns the n-th best host, not counting `but`. */
static struct sim_host *other(const struct contest *c, const struct sim_host *but, unsigned n)
{
	for (unsigned rank = 0;; rank++)
		if (ranked(c, rank) != but && n-- == 0)
			return ranked(c, rank);
}

static uint64_t draw(struct contest *c, uint64_t limit)
{
	return rng_below(&c->rng, limit);
}

static void lose(struct contest *c)
{
	c->s->lans[0].condition.loss = c->loss;
}

/*
 * Starts the best host first and then the others, so that few are bullied; waits until all agree
 * and one leads; then goes on, with losses, to a random moment.
 */
static bool settle(struct contest *c)
{
	uint64_t moment = draw(c, 2 * SIM_BEACON_US);

	for (unsigned i = 0; i < c->s->hosts_count; i++) {
		world_start(c->s, ranked(c, i ? c->s->hosts_count - i : 0));
		contest_run_for(c, APART_US);
	}
	if (!contest_settles(c))
		return false;
	lose(c);
	contest_run_for(c, SETTLE_US + moment);
	return !contest_is_over(c);
}

static void away(struct contest *c, struct sim_host *h, uint64_t us)
{
	world_crash(c->s, h, false);
	contest_run_for(c, us);
	world_start(c->s, h);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static void start_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_start(s, s->hosts[index]);
}

/* Time is counted from the last start, datagrams from the first. */
static void cold(struct contest *c)
{
	uint64_t last = 0;

	lose(c);
	contest_begin(c);
	for (unsigned rank = 0; rank < c->s->hosts_count; rank++) {
		uint64_t at = c->s->now_us + draw(c, 1000000);

		sim_at(c->s, at, start_one, ranked(c, rank)->index, 0);
		last = at > last ? at : last;
	}
	contest_run_until(c, last);
	c->begun_us = last;
	contest_until_agreed(c);
}

static void crash(struct contest *c)
{
	if (!settle(c))
		return;
	contest_begin(c);
	world_crash(c->s, leader(c), false);
	contest_until_agreed(c);
}

static void crash_next(struct contest *c)
{
	struct sim_host *first, *next;

	if (!settle(c))
		return;
	first = leader(c);
	next = other(c, first, 0);
	contest_begin(c);
	world_crash(c->s, first, false);
	world_crash(c->s, next, false);
	contest_until_agreed(c);
}

static void restart(struct contest *c)
{
	uint64_t us = 1 + draw(c, 500000);

	if (!settle(c))
		return;
	contest_begin(c);
	away(c, leader(c), us);
	contest_until_agreed(c);
}

static void member(struct contest *c)
{
	uint64_t us = 1 + draw(c, 500000);
	unsigned which = (unsigned)draw(c, c->s->hosts_count - 1);

	if (!settle(c))
		return;
	contest_begin(c);
	away(c, other(c, leader(c), which), us);
	contest_until_agreed(c);
}

/* Counted from its return. */
static void comes_back(struct contest *c)
{
	uint64_t us = AWAY_US + draw(c, SIM_BEACON_US);

	if (!settle(c))
		return;
	world_crash(c->s, ranked(c, 0), false);
	contest_run_for(c, us);
	contest_begin(c);
	world_start(c->s, ranked(c, 0));
	contest_until_agreed(c);
}

static void flap(struct contest *c)
{
	uint64_t until;

	if (!settle(c))
		return;
	contest_begin(c);
	for (until = c->s->now_us + MINUTE_US; c->s->now_us < until && !contest_is_over(c);) {
		contest_run_for(c, PERIOD_US - 1000000);
		away(c, ranked(c, 0), 1000000);
	}
	contest_lasted(c);
}

static void stall(struct contest *c)
{
	uint64_t until;

	if (!settle(c))
		return;
	contest_begin(c);
	for (until = c->s->now_us + MINUTE_US; c->s->now_us < until && !contest_is_over(c);) {
		contest_run_for(c, PERIOD_US - 700000);
		world_stall(c->s, leader(c), 700000);
		contest_run_for(c, 700000);
	}
	contest_lasted(c);
}

/* Halves, as near as possible, with random members. */
static void cut_in_halves(struct contest *c)
{
	unsigned hosts = c->s->hosts_count, left = hosts / 2;

	for (unsigned rank = 0; rank < hosts; rank++) {
		bool apart = draw(c, hosts - rank) < left;

		left -= apart;
		c->side[ranked(c, rank)->index] = apart;
	}
	lan_split(c->s, SIM_ALL_LANS, c->side);
}

static void heal(struct contest *c)
{
	memset(c->side, 0, sizeof(c->side));
	lan_heal(c->s);
}

static void split(struct contest *c)
{
	if (!settle(c))
		return;
	contest_begin(c);
	cut_in_halves(c);
	contest_until_agreed(c);
}

static void healed(struct contest *c)
{
	if (!settle(c))
		return;
	cut_in_halves(c);
	contest_run_for(c, SPLIT_US + draw(c, SIM_BEACON_US));
	contest_begin(c);
	heal(c);
	contest_until_agreed(c);
}

static void quiet(struct contest *c)
{
	if (!settle(c))
		return;
	contest_begin(c);
	contest_run_for(c, MINUTE_US);
	contest_lasted(c);
}

/* ---- the table ------------------------------------------------------------------------------ */

const struct scene compare_scenes[COMPARE_SCENES] = {
	{ .name = "cold", .title = "all start within a second", .play = cold, .after_us = 2600000 },
	{ .name = "crash", .title = "the leader crashes", .play = crash, .after_us = 1200000 },
	{ .name = "crash-next",
		.title = "the leader and the next best crash",
		.play = crash_next,
		.after_us = 1500000 },
	{ .name = "restart",
		.title = "the leader crashes and is back within half a second",
		.play = restart,
		.after_us = 1800000 },
	{ .name = "member",
		.title = "a member crashes and is back within half a second",
		.play = member,
		.after_us = 1500000 },
	{ .name = "return",
		.title = "the best host comes back after ten seconds",
		.play = comes_back,
		.after_us = 1500000 },
	{ .name = "flap",
		.title = "the best host crashes for a second, every five seconds, for a minute",
		.play = flap,
		.lasts = true,
		.after_us = 6000000 },
	{ .name = "stall",
		.title = "the leader stalls for 0.7 s, every five seconds, for a minute",
		.play = stall,
		.lasts = true,
		.after_us = 6000000 },
	{ .name = "split",
		.title = "the LAN falls into two halves",
		.play = split,
		.after_us = 2600000 },
	{ .name = "heal",
		.title = "two halves come together after eight seconds",
		.play = healed,
		.after_us = 1500000 },
	{ .name = "quiet",
		.title = "a minute in which nothing happens",
		.play = quiet,
		.lasts = true,
		.no_event = true,
		.after_us = 1000000 },
};

static bool is_called(unsigned scene, const char *name)
{
	return strcmp(compare_scenes[scene].name, name) == 0;
}

int scenes_parse(const char *text, uint32_t *ret_set)
{
	return list_names(text, COMPARE_SCENES, is_called, ret_set);
}

const char *scene_note(const struct scene *scene, const struct election *who)
{
	bool comes_back_in_it = scene->play == restart || scene->play == member ||
		scene->play == comes_back || scene->play == flap;

	if (!who->lab)
		return NULL;
	if (who->eventual && scene->play == split)
		return "its model has no split: each half follows its best host";
	if (!who->eventual && (scene->play == split || scene->play == healed))
		return "its model has no split: of two coordinators that hear each other the one "
		       "of the later election stays";
	if (strcmp(who->name, "omega") == 0 && comes_back_in_it)
		return "its model has no host that returns: a return is a mistake, and the "
		       "interval "
		       "grows";
	if (strcmp(who->name, "frederickson-lynch") == 0 && scene->play != quiet)
		return "takes 2^i rounds if the i best hosts are dead; from 12 on no host waits";
	if (who->eventual)
		return "it has no elections: it asks all the time which hosts live";
	return NULL;
}

/* The same for all algorithms and losses. */
static uint64_t drawn_from(uint64_t seed, unsigned scene, unsigned hosts, unsigned run)
{
	struct rng rng = { .state = seed };

	rng.state = rng_next(&rng) ^ scene;
	rng.state = rng_next(&rng) ^ hosts;
	rng.state = rng_next(&rng) ^ run;
	return rng_next(&rng);
}

void scene_play(struct sim *s, const struct trial *t, struct sample *ret)
{
	const struct scene *scene = &compare_scenes[t->scene];
	struct rng rng = { .state = drawn_from(t->seed, t->scene, t->hosts, t->run) };
	static struct contest c;

	*ret = (struct sample){ 0 };
	contest_reset(s, t->who, rng_next(&rng), t->hosts);
	s->lans[0].condition = t->condition;
	s->lans[0].condition.loss = 0;
	c = (struct contest){ .s = s, .who = t->who, .rng = rng, .loss = t->loss, .sample = ret };
	scene->play(&c);
	ret->broken = s->broken;
}
