/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch: many seeds, in one process or in several, with progress on stderr and totals at the end.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "electsim/cli/jobs.h"
#include "run.h"

static void print_begin(const struct sim_totals *t, uint64_t elapsed_ms)
{
	printf("%" PRIu64 " runs, %" PRIu64 " s simulated in %" PRIu64 ".%" PRIu64 " s, %" PRIu64
	       " datagrams",
		t->runs, t->simulated_us / 1000000, elapsed_ms / 1000, elapsed_ms % 1000 / 100,
		totals_datagrams(t));
}

static void print_never(const struct sim_totals *t)
{
	printf(", %" PRIu64 " never agreed", t->never);
	if (t->drowned)
		printf(" (%" PRIu64 " drowned)", t->drowned);
}

/* Totals of the lab, which has no groups and keys. */
static void print_lab(const struct sim_totals *t, uint64_t elapsed_ms)
{
	print_begin(t, elapsed_ms);
	printf(", %" PRIu64 " messages, %" PRIu64 " crashes, %" PRIu64 " stalls, %" PRIu64
	       " splits, %" PRIu64 " elections, %" PRIu64 " leaders",
		t->messages, t->crashes, t->stalls, t->splits, t->elections, t->leaders);
	print_never(t);
	printf(", %" PRIu64 " violations\n", t->violations);
}

static void print_daemon(const struct sim_totals *t, uint64_t elapsed_ms, bool lasting)
{
	print_begin(t, elapsed_ms);
	printf(" (%" PRIu64 " handshake, %" PRIu64 " refused), %" PRIu64 " crashes, %" PRIu64
	       " stalls, %" PRIu64 " splits, %" PRIu64 " keys that reached all hosts, %" PRIu64
	       " groups formed, %" PRIu64 " leaders, %" PRIu64
	       " ms at most with two leaders despite a quorum, while a host is stalled",
		totals_handshake(t), t->refused, t->crashes, t->stalls, t->splits, t->rollouts,
		t->formed, t->leaders, t->two_leaders_max_us / 1000);
	if (lasting)
		print_never(t);
	printf(", %" PRIu64 " violations\n", t->violations);
}

static void report(const struct sim *s, const struct run_options *o, uint64_t seed)
{
	char command[512];

	run_command(o, seed, command, sizeof(command));
	printf("FAILED seed %" PRIu64 " with %u hosts at %" PRIu64 ".%06" PRIu64
	       " s: %s\n  replay: %s --trace\n",
		seed, s->hosts_count, (s->problem_us - SIM_EPOCH_US) / 1000000,
		(s->problem_us - SIM_EPOCH_US) % 1000000, s->problem, command);
	fflush(stdout);
}

/* ---- an assertion of the core fails: print the seed -------------------------------------- */

static char last_words[600];

static void prepare_last_words(const struct run_options *o, uint64_t seed)
{
	char command[512];

	run_command(o, seed, command, sizeof(command));
	snprintf(last_words, sizeof(last_words), "FAILED seed %" PRIu64 ": aborted\n  replay: %s\n",
		seed, command);
}

static void on_abort(int signal_number)
{
	(void)signal_number;
	fflush(stdout); /* unsafe in general, but the end of a trace is worth the risk */
	if (write(STDOUT_FILENO, last_words, strlen(last_words)) < 0)
		_exit(2);
	_exit(1);
}

static void catch_aborts(void)
{
	const struct sigaction action = { .sa_handler = on_abort };

	sigaction(SIGABRT, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
}

struct batch {
	const struct run_options *o;
	struct sim *s;
	struct sim_totals sum;
	struct progress progress;
};

static bool play(void *user, uint64_t piece, void *ret_totals)
{
	struct batch *b = user;
	uint64_t seed = b->o->seed + piece;

	prepare_last_words(b->o, seed);
	if (!run_seed(b->s, b->o, seed))
		report(b->s, b->o, seed);
	if (b->o->hash)
		printf("seed %" PRIu64 " hash %016" PRIx64 "\n", seed, b->s->hash);
	memcpy(ret_totals, &b->s->totals, sizeof(b->s->totals));
	return !(b->o->stop && b->s->broken);
}

static void played(void *user, uint64_t piece, const void *totals)
{
	struct batch *b = user;

	(void)piece;
	totals_add(&b->sum, totals);
	if (progress_due(&b->progress))
		progress_show(&b->progress, "%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64 " failed",
			b->sum.runs, b->o->seeds, b->sum.violations);
}

int batch_run(const struct run_options *o)
{
	static struct batch b;
	int r;

	b = (struct batch){ .o = o, .s = sim_new() };
	progress_begin(&b.progress);
	catch_aborts();
	r = jobs_run(&(struct jobs){ .processes = o->jobs,
		.count = o->seeds,
		.size = sizeof(b.sum),
		.user = &b,
		.work = play,
		.done = played });
	progress_end(&b.progress);
	sim_free(b.s);
	if (r < 0)
		fputs("electsim: a process ended in the middle of its seeds\n", stderr);
	if (o->election->lab)
		print_lab(&b.sum, progress_ms(&b.progress));
	else
		print_daemon(&b.sum, progress_ms(&b.progress), o->lasting);
	return r < 0 || b.sum.violations ? 1 : 0;
}
