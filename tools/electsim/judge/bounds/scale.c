/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale: compares a thousand hosts with ten: times, datagrams and the cost of the simulation, one
 * row per event and number of hosts. Times are simulated; `seconds` are processor time of this
 * program, and nothing is judged by them.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "bounds.h"
#include "electsim/cli/verbs.h"

enum { ANY = 0, RUNS_OF_HOSTS = 3000, RUNS_MAX = 100, RUNS_MIN = 2 };

static const unsigned sizes[] = { 10, 20, 50, 100, 200, 500, 1000 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Limits: percent of the mean of the fewest hosts; datagrams of all hosts as per_host·n + plus. */
static const struct event {
	const char *name;
	scene_fn *scene;
	unsigned loss; /* permille */
	unsigned percent;
	unsigned per_host, plus;
} events[] = {
	{ "cold start", scene_cold, 0, 120, 5, 0 },
	{ "cold start", scene_cold, 50, 200, ANY, 0 },
	{ "leader lost", scene_crash, 0, 150, 4, 24 },
	{ "leader lost", scene_crash, 50, 150, 4, 24 },
	{ "half of the hosts lost", scene_half, 0, ANY, ANY, 0 },
	{ "split in ten, healed", scene_ten, 0, ANY, ANY, 0 },
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

struct figures {
	unsigned runs, disagreed;
	uint64_t mean_us, worst_us;
	uint64_t datagrams, handshake; /* means */
	double seconds;		       /* of a run, with its start */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static unsigned runs_of(unsigned hosts)
{
	unsigned runs = RUNS_OF_HOSTS / hosts;

	return runs > RUNS_MAX ? RUNS_MAX : runs < RUNS_MIN ? RUNS_MIN : runs;
}

static void play(
	struct sim *s, const struct event *e, unsigned hosts, uint64_t seed, struct sample *ret)
{
	const struct scene_options o = { .hosts = hosts, .loss = e->loss };

	*ret = (struct sample){ 0 };
	sim_reset(s, seed, hosts);
	daemons_begin(s, election_framed(NULL), false);
	e->scene(s, &o, ret);
	if (s->broken)
		printf("%s, %u hosts, seed %" PRIu64 ": %s\n", e->name, hosts, seed, s->problem);
	ret->agreed = ret->agreed && !s->broken;
}

static void measure(
	struct sim *s, const struct event *e, unsigned hosts, uint64_t seed, struct figures *ret)
{
	unsigned runs = runs_of(hosts);
	double began = cpu_seconds();

	*ret = (struct figures){ .runs = runs };
	for (unsigned i = 0; i < runs; i++) {
		struct sample sample;

		play(s, e, hosts, seed + i, &sample);
		ret->disagreed += !sample.agreed;
		ret->mean_us += sample.us;
		ret->worst_us = sample.us > ret->worst_us ? sample.us : ret->worst_us;
		ret->datagrams += sample.datagrams;
		ret->handshake += sample.handshake;
	}
	ret->mean_us /= runs;
	ret->datagrams /= runs;
	ret->handshake /= runs;
	ret->seconds = (cpu_seconds() - began) / runs;
}

static bool held(const struct event *e, unsigned hosts, const struct figures *f,
	const struct figures *fewest)
{
	return !f->disagreed &&
		(e->percent == ANY || f->mean_us * 100 <= fewest->mean_us * e->percent) &&
		(e->per_host == ANY || f->datagrams <= (uint64_t)e->per_host * hosts + e->plus);
}

static void print_bound(const struct event *e)
{
	if (e->percent != ANY)
		printf(" %u.%02u times the mean of the fewest", e->percent / 100, e->percent % 100);
	if (e->per_host != ANY)
		printf(", %un + %u", e->per_host, e->plus);
	putchar('\n');
}

static void print_row(const struct event *e, unsigned hosts, const struct figures *f, bool ok)
{
	printf("%-24s %3u %% %5u %5u %8.1f %8.1f %10" PRIu64 " %10" PRIu64 " %8.3f  %-8s", e->name,
		e->loss / 10, hosts, f->runs, (double)f->mean_us / 1000, (double)f->worst_us / 1000,
		f->datagrams, f->handshake, f->seconds, ok ? "held" : "NOT HELD");
	print_bound(e);
	if (f->disagreed)
		printf("  %u runs never agreed\n", f->disagreed);
	fflush(stdout);
}

static bool row(struct sim *s, const struct event *e, unsigned least, unsigned most, uint64_t seed)
{
	struct figures f, fewest = { 0 };
	bool all = true;

	for (unsigned i = 0; i < SIZES; i++) {
		bool ok;

		if (sizes[i] < least || sizes[i] > most)
			continue;
		measure(s, e, sizes[i], seed, &f);
		if (!fewest.runs)
			fewest = f;
		ok = held(e, sizes[i], &f, &fewest);
		print_row(e, sizes[i], &f, ok);
		all = all && ok;
	}
	return all;
}

static int usage(FILE *f)
{
	fputs("usage: electsim scale [--hosts N..N] [--only TEXT] [--seed N]\n", f);
	return f == stderr ? 2 : 0;
}

int scale_main(int argc, char **argv)
{
	static const struct option long_options[] = { { "hosts", 1, NULL, 'n' },
		{ "only", 1, NULL, 'o' }, { "seed", 1, NULL, 's' }, { "help", 0, NULL, 'h' },
		{ 0 } };
	unsigned least = sizes[0], most = sizes[SIZES - 1];
	uint64_t seed = 1;
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
			(c == 'n' ? options_range(optarg, &least, &most)
				  : options_number(optarg, UINT64_MAX, &seed)) < 0)
			return usage(stderr);
	}
	if (optind < argc)
		return usage(stderr);
	s = sim_new();
	printf("%-24s %5s %5s %5s %8s %8s %10s %10s %8s  %-8s %s\n", "event", "loss", "hosts",
		"runs", "mean ms", "worst", "datagrams", "handshake", "seconds", "held", "bound");
	for (unsigned i = 0; i < EVENTS; i++)
		if (strstr(events[i].name, only))
			all = row(s, &events[i], least, most, seed) && all;
	sim_free(s);
	return all ? 0 : 1;
}
