/* SPDX-License-Identifier: Apache-2.0 */
/* promise: the verb `promise`: plays the cases and prints those that break the promise. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/cli/jobs.h"
#include "electsim/cli/verbs.h"
#include "promise.h"

struct result {
	bool broken;
	struct promise_figures figures;
};

struct promise {
	struct sim *s;
	const struct promise_case *cases;
	struct promise_figures usual[4];
	uint64_t played, broken;
	struct promise_figures most;
	struct progress progress;
	size_t count;
};

static void print_replay(const struct promise_case *c)
{
	printf("  replay: electsim promise");
	for (int a = 0; a < PROMISE_AXES; a++)
		printf(" --%s %s", promise_axis_name((unsigned)a),
			promise_place((unsigned)a, c->at[a]));
	if (c->value >= 0)
		printf(" --value %d", c->value);
	puts(" --trace");
}

/* Finds the first value that breaks the promise alone; false: none does. */
static bool find_value(struct promise *p, struct promise_case *c)
{
	unsigned values = forge_values((unsigned)c->at[PROMISE_PART]);
	char problem[SIM_PROBLEM_TEXT];
	struct promise_figures f;

	memcpy(problem, p->s->problem, sizeof(problem));
	for (unsigned v = 0; v < values && c->value < 0; v++) {
		struct promise_case one = *c;

		one.value = (int)v;
		if (!promise_play(p->s, &one, &p->usual[c->at[PROMISE_STATE]], &f))
			*c = one;
	}
	if (c->value < 0)
		memcpy(p->s->problem, problem, sizeof(problem));
	return c->value >= 0;
}

static void report(struct promise *p, const struct promise_case *c)
{
	struct promise_case one = *c;
	unsigned alarms = promise_alarms(p->s);

	if (p->s->trace == SIM_TRACE_OFF && find_value(p, &one))
		alarms = promise_alarms(p->s);
	printf("FAILED %s.%s: %s, alarms %#x\n", promise_place(PROMISE_TYPE, c->at[PROMISE_TYPE]),
		promise_place(PROMISE_PART, c->at[PROMISE_PART]), p->s->problem, alarms);
	print_replay(&one);
}

static bool play(void *user, uint64_t piece, void *ret_result)
{
	struct promise *p = user;
	const struct promise_case *c = &p->cases[piece];
	struct result *r = ret_result;

	r->broken = !promise_play(p->s, c, &p->usual[c->at[PROMISE_STATE]], &r->figures);
	if (r->broken)
		report(p, c);
	return true;
}

static void played(void *user, uint64_t piece, const void *result)
{
	struct promise *p = user;
	const struct result *r = result;

	(void)piece;
	p->played++;
	p->broken += r->broken;
	for (unsigned f = 0; f < PROMISE_FIGURES; f++)
		if (p->most.us[f] < r->figures.us[f])
			p->most.us[f] = r->figures.us[f];
	if (progress_due(&p->progress))
		progress_show(&p->progress, "%" PRIu64 " of %zu cases, %" PRIu64 " broken",
			p->played, p->count, p->broken);
}

static bool all_have_values(void)
{
	for (unsigned i = 1; i < FORGE_PARTS; i++)
		if (forge_values(i) == 0) {
			printf("FAILED: no value of %s is known\n", forge_part_name(i));
			return false;
		}
	return true;
}

static void print_line(const char *name, const struct promise_figures *f)
{
	printf("%-10s", name);
	for (unsigned i = 0; i < PROMISE_FIGURES; i++)
		printf(" %10" PRIu64, f->us[i] / 1000);
	puts("");
}

static void print_figures(const struct promise *p)
{
	puts("ms              agree       join     return    succeed       back    restart");
	for (int i = 0; i < promise_places(PROMISE_STATE); i++)
		print_line(promise_place(PROMISE_STATE, i), &p->usual[i]);
	print_line("at most", &p->most);
	printf("%" PRIu64 " cases in %" PRIu64 " ms, %" PRIu64 " violations\n", p->played,
		progress_ms(&p->progress), p->broken);
}

static int play_all(
	const struct promise_case *given, enum promise_axis first, unsigned jobs, bool trace)
{
	struct promise p = { .s = sim_new() };
	int r;

	if (!all_have_values())
		return 1;
	p.cases = promise_cases(given, first, &p.count);
	for (int i = 0; i < promise_places(PROMISE_STATE); i++)
		promise_usual(p.s, (unsigned)i, &p.usual[i]);
	p.s->trace = trace ? SIM_TRACE_PRINT : SIM_TRACE_OFF;
	progress_begin(&p.progress);
	r = jobs_run(&(struct jobs){ .processes = jobs,
		.count = p.count,
		.size = sizeof(struct result),
		.user = &p,
		.work = play,
		.done = played });
	progress_end(&p.progress);
	print_figures(&p);
	sim_free(p.s);
	free((void *)p.cases);
	return r < 0 || p.broken ? 1 : 0;
}

static int usage(FILE *f)
{
	fputs("usage: electsim promise [OPTION...]\n"
	      "  --type, --part, --as, --to, --source, --state NAME  only those cases\n"
	      "  --value N  only this value of the part\n"
	      "  --quick    each part of each type once\n"
	      "  --full     all cases; else each type, part and sender once\n"
	      "  --jobs N   processes (1)\n"
	      "  --trace    print one line per event\n",
		f);
	return f == stderr ? 2 : 0;
}

struct promise_options {
	struct promise_case given;
	enum promise_axis first;
	uint64_t jobs, value;
	bool trace;
};

/* Options below PROMISE_AXES are axes. */
enum {
	OPTION_VALUE = PROMISE_AXES,
	OPTION_QUICK,
	OPTION_FULL,
	OPTION_JOBS,
	OPTION_TRACE,
	OPTION_HELP
};

static int set(struct promise_options *o, int option, const char *value)
{
	switch (option) {
	case OPTION_VALUE:
		if (options_number(value, 1000, &o->value) < 0)
			return -EINVAL;
		o->given.value = (int)o->value;
		return 0;
	case OPTION_QUICK:
		o->first = PROMISE_AS;
		return 0;
	case OPTION_FULL:
		o->first = PROMISE_AXES;
		return 0;
	case OPTION_JOBS:
		return options_number(value, 64, &o->jobs);
	case OPTION_TRACE:
		o->trace = true;
		return 0;
	default:
		return promise_find((unsigned)option, value, &o->given.at[option]);
	}
}

int promise_main(int argc, char **argv)
{
	struct option long_options[OPTION_HELP + 2] = {
		[OPTION_VALUE] = { "value", 1, NULL, OPTION_VALUE },
		[OPTION_QUICK] = { "quick", 0, NULL, OPTION_QUICK },
		[OPTION_FULL] = { "full", 0, NULL, OPTION_FULL },
		[OPTION_JOBS] = { "jobs", 1, NULL, OPTION_JOBS },
		[OPTION_TRACE] = { "trace", 0, NULL, OPTION_TRACE },
		[OPTION_HELP] = { "help", 0, NULL, OPTION_HELP },
	};
	struct promise_options o = { .given.value = -1, .first = PROMISE_TO, .jobs = 1 };
	int c;

	for (int a = 0; a < PROMISE_AXES; a++) {
		long_options[a] = (struct option){ promise_axis_name((unsigned)a), 1, NULL, a };
		o.given.at[a] = -1;
	}
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == OPTION_HELP)
			return usage(stdout);
		if (c == '?')
			return usage(stderr);
		if (set(&o, c, optarg) < 0) {
			fprintf(stderr, "electsim: not understood: %s\n", optarg);
			return 2;
		}
	}
	return optind < argc ? usage(stderr)
			     : play_all(&o.given, o.first, (unsigned)o.jobs, o.trace);
}
