/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch: many seeds, one after the other or in several processes, with progress on stderr and
 * totals at the end. The only file of the simulator that looks at a real clock, and only to
 * say how long it took.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

enum { PROGRESS_TTY_MS = 500, PROGRESS_MS = 10000 };

static uint64_t real_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct progress {
	uint64_t begun_ms, last_ms;
	bool tty, shown;
};

static void progress_show(struct progress *p, uint64_t done, uint64_t of, uint64_t violations)
{
	uint64_t now = real_ms();

	if (now - p->last_ms < (p->tty ? PROGRESS_TTY_MS : PROGRESS_MS))
		return;
	p->last_ms = now;
	p->shown = true;
	fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64 " s, %" PRIu64 " failed%s",
		p->tty ? "\r" : "", done, of, (now - p->begun_ms) / 1000, violations,
		p->tty ? "   " : "\n");
}

void batch_print_totals(const struct sim_totals *t, uint64_t elapsed_ms)
{
	printf("%" PRIu64 " runs, %" PRIu64 " s simulated in %" PRIu64 ".%" PRIu64 " s, %" PRIu64
	       " datagrams (%" PRIu64 " handshake, %" PRIu64 " refused), %" PRIu64
	       " crashes, %" PRIu64 " stalls, %" PRIu64 " splits, %" PRIu64
	       " keys brought to all, %" PRIu64 " groups formed, %" PRIu64 " leaders, %" PRIu64
	       " ms with two leaders at most where a quorum forbids them and a host stalls, "
	       "%" PRIu64 " violations\n",
		t->runs, t->simulated_us / 1000000, elapsed_ms / 1000, elapsed_ms % 1000 / 100,
		totals_datagrams(t), totals_handshake(t), t->refused, t->crashes, t->stalls,
		t->splits, t->rollouts, t->formed, t->leaders, t->two_leaders_max_us / 1000,
		t->violations);
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

/* ---- an assertion of the core fails: say which seed it was ------------------------------- */

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
	fflush(stdout); /* not safe in general; the end of a trace is worth the risk */
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

/* Every `stride`-th seed from `first` on. */
static void play(const struct run_options *o, unsigned first, unsigned stride, int to_parent,
	struct progress *p, struct sim_totals *sum)
{
	struct sim *s = sim_new();

	for (uint64_t i = first; i < o->seeds && !(o->stop && s->broken); i += stride) {
		prepare_last_words(o, o->seed + i);
		if (!run_seed(s, o, o->seed + i))
			report(s, o, o->seed + i);
		if (o->hash)
			printf("seed %" PRIu64 " hash %016" PRIx64 "\n", o->seed + i, s->hash);
		totals_add(sum, &s->totals);
		if (to_parent >= 0) {
			if (write(to_parent, &s->totals, sizeof(s->totals)) != sizeof(s->totals))
				_exit(1);
		} else {
			progress_show(p, i + 1, o->seeds, sum->violations);
		}
	}
	sim_free(s);
}

static bool read_whole(int fd, struct sim_totals *t)
{
	uint8_t *bytes = (uint8_t *)t;
	size_t have = 0;

	while (have < sizeof(*t)) {
		ssize_t n = read(fd, bytes + have, sizeof(*t) - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

/* Writes below PIPE_BUF are atomic, so the children share one pipe. */
static int play_in_jobs(const struct run_options *o, struct progress *p, struct sim_totals *sum)
{
	struct sim_totals t, unused = { 0 };
	int fds[2], status, bad = 0;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fflush(stdout);
	setvbuf(stdout, NULL, _IOLBF, 0); /* lines of several processes stay whole */
	for (unsigned j = 0; j < o->jobs; j++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (pid == 0) {
			close(fds[0]);
			play(o, j, o->jobs, fds[1], p, &unused);
			fflush(stdout);
			_exit(0);
		}
	}
	close(fds[1]);
	while (read_whole(fds[0], &t)) {
		totals_add(sum, &t);
		progress_show(p, sum->runs, o->seeds, sum->violations);
	}
	close(fds[0]);
	while (wait(&status) > 0)
		bad |= status;
	return bad ? -ECHILD : 0;
}

int batch_run(const struct run_options *o)
{
	struct progress p = { .begun_ms = real_ms(), .last_ms = real_ms(), .tty = isatty(2) };
	struct sim_totals sum = { 0 };
	int r = 0;

	catch_aborts();
	if (o->jobs > 1)
		r = play_in_jobs(o, &p, &sum);
	else
		play(o, 0, 1, -1, &p, &sum);
	if (p.tty && p.shown)
		fputc('\n', stderr);
	if (r < 0)
		fputs("electsim: a process ended in the middle of its seeds\n", stderr);
	batch_print_totals(&sum, real_ms() - p.begun_ms);
	return r < 0 || sum.violations ? 1 : 0;
}
