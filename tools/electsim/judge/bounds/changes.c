/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes: how often the role moves although no host has died: one row per scene, in long simulated
 * time. Early suspicion must not cost a role: no change where dead_after alone causes none, and few
 * where it does.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "bounds.h"
#include "electsim/cli/verbs.h"

#define HOUR_US	    UINT64_C(3600000000)
#define LIMIT_US    UINT64_C(20000000)
#define STALL_US    50000
#define LATE_US_MAX 100000

enum who { NOBODY, LEADER, MEMBERS };

enum { SIZES = 2 };
static const unsigned sizes[SIZES] = { 5, 20 };

static const struct profile {
	const char *name;
	uint32_t beacon_us, dead_after_us;
	uint64_t silence_us;
} lan = { "lan", 200000, 600000, 200000 }, fast = { "fast", 50000, 600000, 75000 };

struct scene {
	const char *name;
	const struct profile *profile;
	unsigned loss, late; /* permille */
	enum who stalls;
	unsigned stall_us_max; /* stalls last from STALL_US to this, about one a second */
	bool host;	       /* the kernel stalls, too */
	bool compared;	       /* the limit is the figure without early suspicion */
	unsigned a_day[SIZES]; /* else the limit for each number of hosts */
};

static const struct scene scenes[] = {
	{ .name = "quiet", .profile = &lan },
	{ .name = "quiet", .profile = &lan, .loss = 50 },
	{ .name = "quiet", .profile = &lan, .loss = 200, .compared = true },
	{ .name = "late", .profile = &lan, .late = 100 },
	{ .name = "leader stalls", .profile = &lan, .stalls = LEADER, .stall_us_max = 300000 },
	{ .name = "members stall", .profile = &lan, .stalls = MEMBERS, .stall_us_max = 300000 },
	/*
	 * not compared: without early suspicion the suspected host leads on next to its successor,
	 * and gets an adaptive timeout (suspicion.md, Adaptive timeout); with it the successor
	 * leads, which has none
	 */
	{ .name = "leader stalls",
		.profile = &lan,
		.loss = 50,
		.stalls = LEADER,
		.stall_us_max = 300000,
		.a_day = { 112, 300 } },
	{ .name = "members stall",
		.profile = &lan,
		.loss = 50,
		.stalls = MEMBERS,
		.stall_us_max = 300000,
		.compared = true },
	{ .name = "leader's host pauses",
		.profile = &lan,
		.stalls = LEADER,
		.stall_us_max = 190000,
		.host = true },
	{ .name = "quiet", .profile = &fast },
	{ .name = "quiet", .profile = &fast, .loss = 50 },
	{ .name = "quiet", .profile = &fast, .loss = 200, .compared = true },
	{ .name = "late", .profile = &fast, .late = 100 },
	{ .name = "leader stalls", .profile = &fast, .stalls = LEADER, .stall_us_max = 300000 },
	{ .name = "members stall", .profile = &fast, .stalls = MEMBERS, .stall_us_max = 300000 },
	{ .name = "leader stalls",
		.profile = &fast,
		.loss = 50,
		.stalls = LEADER,
		.stall_us_max = 300000,
		.compared = true },
	{ .name = "members stall",
		.profile = &fast,
		.loss = 50,
		.stalls = MEMBERS,
		.stall_us_max = 300000,
		.compared = true },
};

enum { SCENES = sizeof(scenes) / sizeof(scenes[0]) };

static const struct scene *playing;

static void stall(struct sim *s, struct sim_host *h)
{
	uint64_t us = STALL_US + rng_below(&s->rng, playing->stall_us_max - STALL_US + 1);

	if (sim_stalled(s, h))
		return;
	if (playing->host)
		world_pause(s, h, us);
	else
		world_stall(s, h, us);
}

static void stall_now_and_then(struct sim *s, unsigned unused, unsigned unused_too)
{
	int leader = shown_leader(s);
	unsigned any = (unsigned)rng_below(&s->rng, s->hosts_count);

	if (leader >= 0 && playing->stalls == LEADER)
		stall(s, s->hosts[leader]);
	else if (leader >= 0 && (int)any != leader)
		stall(s, s->hosts[any]);
	sim_at(s, s->now_us + 350000 + rng_below(&s->rng, 1650000), stall_now_and_then, unused,
		unused_too);
}

static void configure(struct sim *s, bool suspects)
{
	const struct profile *p = playing->profile;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		struct elect_config *c = &s->hosts[i]->config;

		c->timings = (struct elect_timings){ p->beacon_us, p->dead_after_us };
		c->start_hold_us = 3 * UINT64_C(1) * p->beacon_us;
		c->lone_hold_us = 2 * UINT64_C(1) * p->dead_after_us;
		c->silence_us = suspects ? p->silence_us : 0;
	}
	s->lans[0].condition.loss = playing->loss;
	s->lans[0].condition.late = playing->late;
	s->lans[0].condition.late_us = LATE_US_MAX;
}

/* How often a host became leader after the first one; -1: a promise broke. */
static int64_t play(struct sim *s, unsigned hosts, bool suspects, uint64_t us)
{
	uint64_t before;

	sim_reset(s, 1, hosts);
	daemons_begin(s, election_framed(NULL), false);
	configure(s, suspects);
	for (unsigned i = 0; i < hosts; i++)
		world_start(s, s->hosts[i]);
	if (!sim_run_until_agree(s, LIMIT_US, true))
		return -1;
	sim_run_for(s, LIMIT_US);
	before = s->totals.leaders;
	if (playing->stalls != NOBODY)
		stall_now_and_then(s, 0, 0);
	sim_run_for(s, us);
	if (s->broken)
		printf("%s\n", s->problem);
	return s->broken ? -1 : (int64_t)(s->totals.leaders - before);
}

/* Adds two standard deviations of the difference of such counts, which vary by chance. */
static int64_t chance(int64_t changes)
{
	int64_t root = 1;

	while (root * root < 2 * changes)
		root++;
	return changes + 2 * root;
}

static bool measure(struct sim *s, unsigned size, uint64_t hours)
{
	unsigned hosts = sizes[size], a_day = playing->a_day[size];
	int64_t with = play(s, hosts, true, hours * HOUR_US), most = 0;
	uint64_t stalls = s->totals.stalls;
	bool ok;

	if (playing->compared)
		most = chance(play(s, hosts, false, hours * HOUR_US));
	else if (a_day)
		most = chance((int64_t)((a_day * hours + 23) / 24));
	ok = with >= 0 && with <= most;
	printf("%-22s %-5s %3u %% %5u %8" PRIu64 " %8" PRId64 " %8" PRId64 "  %s\n", playing->name,
		playing->profile->name, playing->loss / 10, hosts, stalls, with, most,
		ok ? "held" : "NOT HELD");
	fflush(stdout);
	return ok;
}

static int usage(FILE *f)
{
	fputs("usage: electsim changes [--hours N] [--hosts N] [--only TEXT]\n", f);
	return f == stderr ? 2 : 0;
}

int changes_main(int argc, char **argv)
{
	static const struct option long_options[] = { { "hours", 1, NULL, 'r' },
		{ "hosts", 1, NULL, 'n' }, { "only", 1, NULL, 'o' }, { "help", 0, NULL, 'h' },
		{ 0 } };
	uint64_t hours = 24, hosts = 0;
	const char *only = "";
	bool all = true;
	struct sim *s;
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == 'h')
			return usage(stdout);
		if (c == 'o')
			only = optarg;
		else if (c == '?' ||
			options_number(optarg, c == 'r' ? 1000 : SIM_HOSTS_MAX,
				c == 'r' ? &hours : &hosts) < 0)
			return usage(stderr);
	}
	if (optind < argc || hours == 0)
		return usage(stderr);
	s = sim_new();
	printf("%-22s %-5s %5s %5s %8s %8s %8s\n", "scene", "", "loss", "hosts", "stalls",
		"changes", "at most");
	for (unsigned i = 0; i < SCENES; i++) {
		playing = &scenes[i];
		for (unsigned n = 0; n < SIZES && strstr(playing->name, only); n++)
			if (!hosts || hosts == sizes[n])
				all = measure(s, n, hours) && all;
	}
	sim_free(s);
	return all ? 0 : 1;
}
