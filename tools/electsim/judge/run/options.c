/* SPDX-License-Identifier: Apache-2.0 */
/* options: the options of `electsim run`. A value that is not fully understood is refused. */
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "electsim/cli/numbers.h"
#include "electsim/cli/verbs.h"

static int permille(const char *text, unsigned *ret)
{
	uint64_t n;

	if (options_number(text, 1000, &n) < 0)
		return -EINVAL;
	*ret = (unsigned)n;
	return 0;
}

static int short_time(const char *text, unsigned *ret_us)
{
	uint64_t us;

	if (options_time(text, &us) < 0 || us > 60000000)
		return -EINVAL;
	*ret_us = (unsigned)us;
	return 0;
}

static int on_seed(struct run_options *o, const char *v)
{
	return options_number(v, UINT64_MAX, &o->seed);
}

static int on_seeds(struct run_options *o, const char *v)
{
	return options_number(v, 100000000, &o->seeds);
}

static int on_hosts(struct run_options *o, const char *v)
{
	if (options_range(v, &o->hosts_min, &o->hosts_max) < 0 || o->hosts_min < 1 ||
		o->hosts_max > SIM_HOSTS_MAX)
		return -EINVAL;
	return 0;
}

static int on_algorithm(struct run_options *o, const char *v)
{
	o->election = election_named(v);
	return o->election ? 0 : -EINVAL;
}

static int on_literal(struct run_options *o, const char *v)
{
	(void)v;
	o->literal = true;
	return 0;
}

static int on_families(struct run_options *o, const char *v)
{
	(void)v;
	o->families = true;
	return 0;
}

static int on_lans(struct run_options *o, const char *v)
{
	uint64_t n;

	if (options_number(v, SIM_LANS_MAX, &n) < 0 || n == 0)
		return -EINVAL;
	o->lans = (unsigned)n;
	return 0;
}

static int on_peers(struct run_options *o, const char *v)
{
	uint64_t n;

	if (options_number(v, ELECT_PEERS_MAX, &n) < 0 || n == 0)
		return -EINVAL;
	o->peers = (unsigned)n;
	return 0;
}

static int on_faults(struct run_options *o, const char *v)
{
	return faults_parse(v, &o->faults);
}

static int on_condition(struct run_options *o, const char *v)
{
	const struct sim_condition *c = conditions_find(v);

	if (!c)
		return -EINVAL;
	o->condition = *c;
	o->condition_given = true;
	return 0;
}

static int on_loss(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return permille(v, &o->condition.loss);
}

static int on_delay(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return options_range(v, &o->condition.delay_min_us, &o->condition.delay_max_us);
}

static int on_late(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return permille(v, &o->condition.late);
}

static int on_late_by(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return short_time(v, &o->condition.late_us);
}

static int on_duplicate(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return permille(v, &o->condition.duplicate);
}

static int on_duplicate_by(struct run_options *o, const char *v)
{
	o->condition_given = true;
	return short_time(v, &o->condition.duplicate_us);
}

static int on_lasting(struct run_options *o, const char *v)
{
	(void)v;
	o->lasting = true;
	return 0;
}

static int on_best_dead(struct run_options *o, const char *v)
{
	uint64_t n;

	if (options_number(v, SIM_HOSTS_MAX, &n) < 0)
		return -EINVAL;
	o->best_dead = (unsigned)n;
	return 0;
}

static int on_clocks(struct run_options *o, const char *v)
{
	return permille(v, &o->clocks_ppm);
}

static int on_duration(struct run_options *o, const char *v)
{
	return options_time(v, &o->trouble_us);
}

static int on_trace(struct run_options *o, const char *v)
{
	(void)v;
	o->trace = true;
	return 0;
}

static int on_hash(struct run_options *o, const char *v)
{
	(void)v;
	o->hash = true;
	return 0;
}

static int on_stop(struct run_options *o, const char *v)
{
	(void)v;
	o->stop = true;
	return 0;
}

static int on_svg(struct run_options *o, const char *v)
{
	o->svg = v;
	return 0;
}

static int on_from(struct run_options *o, const char *v)
{
	return options_time(v, &o->svg_from_us);
}

static int on_to(struct run_options *o, const char *v)
{
	return options_time(v, &o->svg_to_us);
}

static int on_pcap(struct run_options *o, const char *v)
{
	o->pcap = v;
	return 0;
}

static int on_jobs(struct run_options *o, const char *v)
{
	uint64_t n;

	if (options_number(v, 64, &n) < 0 || n == 0)
		return -EINVAL;
	o->jobs = (unsigned)n;
	return 0;
}

static const struct {
	const char *name;
	int has_arg;
	int (*set)(struct run_options *o, const char *value);
	const char *help;
} run_option[] = {
	{ "seed", 1, on_seed, "N             the first seed (1)" },
	{ "seeds", 1, on_seeds, "COUNT        number of seeds (1)" },
	{ "hosts", 1, on_hosts, "N or A..B    number of hosts, drawn from the seed (2..16)" },
	{ "algorithm", 1, on_algorithm,
		"NAME     invitation, bully, or one of the lab (invitation)" },
	{ "literal", 0, on_literal,
		"           of the lab: exactly as on its slide, with its gaps" },
	{ "lans", 1, on_lans, "N             number of LANs of each host (1)" },
	{ "families", 0, on_families, "         each LAN has IPv4 and IPv6" },
	{ "peers", 1, on_peers,
		"N            no multicast: all know the addresses of the first N" },
	{ "faults", 1, on_faults, "LIST        all, none, or names from `electsim faults` (all)" },
	{ "condition", 1, on_condition, "NAME     absent light medium severe ncl-light … custom" },
	{ "loss", 1, on_loss, "PERMILLE      of a custom condition" },
	{ "delay", 1, on_delay, "A..B         microseconds" },
	{ "late", 1, on_late, "PERMILLE      share with an additional delay" },
	{ "late-by", 1, on_late_by, "TIME       longest additional delay" },
	{ "duplicate", 1, on_duplicate, "PERMILLE share that arrives twice" },
	{ "duplicate-by", 1, on_duplicate_by, "TIME  longest additional delay of the copy" },
	{ "lasting", 0, on_lasting, "           the condition does not end with the troubles" },
	{ "best-dead", 1, on_best_dead,
		"N        of the lab: the best N hosts crash for good when the troubles end" },
	{ "clocks", 1, on_clocks, "PPM         clocks drift by up to this many millionths (100)" },
	{ "duration", 1, on_duration, "TIME      length of the troubles (8s)" },
	{ "trace", 0, on_trace, "             print one line per event" },
	{ "hash", 0, on_hash, "              print a number that equal runs have in common" },
	{ "stop", 0, on_stop, "              stop at the first seed that fails" },
	{ "svg", 1, on_svg, "FILE           the space-time diagram of one seed" },
	{ "from", 1, on_from, "TIME          first moment drawn (0s)" },
	{ "to", 1, on_to, "TIME            last moment drawn (2s)" },
	{ "pcap", 1, on_pcap,
		"FILE          all datagrams of the hosts of one seed, for Wireshark" },
	{ "jobs", 1, on_jobs, "N             processes (1)" },
};

enum { RUN_OPTIONS = sizeof(run_option) / sizeof(run_option[0]) };

static void usage(FILE *f)
{
	fputs("usage: electsim run [OPTION...]\n", f);
	for (unsigned i = 0; i < RUN_OPTIONS; i++)
		fprintf(f, "  --%s %s\n", run_option[i].name, run_option[i].help);
}

/* A contradiction between options that are valid alone, or NULL. */
static const char *contradiction(const struct run_options *o)
{
	static char text[80];

	if (o->hosts_max > o->election->hosts_max) {
		snprintf(text, sizeof(text), "%s allows at most %u hosts", o->election->name,
			o->election->hosts_max);
		return text;
	}
	if (o->pcap && (o->election->lab || o->seeds > 1))
		return "--pcap needs a single seed, and no algorithm of the lab";
	if (o->literal && !o->election->lab)
		return "--literal needs an algorithm of the lab";
	if (o->best_dead && !o->election->lab)
		return "--best-dead needs an algorithm of the lab";
	if (o->best_dead >= o->hosts_min)
		return "--best-dead must be less than the number of hosts";
	if (o->families && o->pcap)
		return "--pcap writes IPv4 only, so not with --families";
	if (o->families && o->lans * 2 > SIM_LANS_MAX)
		return "--families allows at most two LANs";
	if (o->lasting && !o->condition_given)
		return "--lasting needs --condition or a figure of it, as --loss";
	return NULL;
}

int run_main(int argc, char **argv)
{
	struct run_options o = { .election = election_framed(NULL),
		.seed = 1,
		.seeds = 1,
		.hosts_min = 2,
		.hosts_max = 16,
		.lans = 1,
		.condition = *conditions_find("absent"),
		.trouble_us = RUN_TROUBLE_US,
		.clocks_ppm = RUN_CLOCKS_PPM,
		.svg_to_us = 2000000,
		.jobs = 1 };
	struct option long_options[RUN_OPTIONS + 2] = { 0 };
	const char *problem;
	int i;

	faults_parse("all", &o.faults);
	for (i = 0; i < RUN_OPTIONS; i++)
		long_options[i] =
			(struct option){ run_option[i].name, run_option[i].has_arg, NULL, i };
	long_options[RUN_OPTIONS] = (struct option){ "help", 0, NULL, RUN_OPTIONS };
	while ((i = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (i == RUN_OPTIONS) {
			usage(stdout);
			return 0;
		}
		if (i == '?') {
			usage(stderr);
			return 2;
		}
		if (run_option[i].set(&o, optarg) < 0) {
			fprintf(stderr, "electsim: --%s: not understood: %s\n", run_option[i].name,
				optarg);
			return 2;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 2;
	}
	problem = contradiction(&o);
	if (problem) {
		fprintf(stderr, "electsim: %s\n", problem);
		return 2;
	}
	return batch_run(&o);
}
