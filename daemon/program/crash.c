/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash: see crash.h. The handler calls only functions that signal-safety(7) lists, and
 * backtrace(3) and dladdr1(3), which allocate nothing once libgcc is loaded. If another thread has
 * the dynamic linker's lock, they wait for it; SIGALRM limits that time.
 */
#include "crash.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	LINE_MAX_SIZE = 256, /* a longer line is cut */
	FRAMES_MAX = 32,     /* only the innermost: a stack that overflowed has thousands */
	/* An overflow of the ordinary stack leaves no space on it. A frame of a signal takes up to
	   11 KiB (AMX), the handler 2 KiB and the unwinder about as much. */
	STACK_SIZE = 64 * 1024,
};

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGSEGV, "SIGSEGV" },
	{ SIGBUS, "SIGBUS" },
	{ SIGFPE, "SIGFPE" },
	{ SIGILL, "SIGILL" },
	{ SIGABRT, "SIGABRT" },
};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static const char *const labels[CRASH_INPUTS] = {
	[CRASH_DATAGRAM] = ", last datagram: ",
	[CRASH_REQUEST] = ", last request: ",
	[CRASH_EVENT] = ", last event: ",
};

static const char *volatile heard[CRASH_INPUTS]; /* NULL: none yet */
static const char *name = "";
static const char *level = ""; /* journal level; see sd-daemon(3) */
static bool watching, is_copy, bounded;
static timer_t most; /* the timer; valid if `bounded` */

/* ---- a line ---------------------------------------------------------------------------------- */

struct text {
	char bytes[LINE_MAX_SIZE];
	size_t size;
};

static void add(struct text *t, const char *words)
{
	/* One byte is left for the end of the line. */
	size_t size = strlen(words), left = sizeof(t->bytes) - 1 - t->size;

	if (size > left)
		size = left;
	memcpy(t->bytes + t->size, words, size);
	t->size += size;
}

static void add_number(struct text *t, uintmax_t number, unsigned base)
{
	char digits[sizeof(number) * 8 + 1];
	char *at = &digits[sizeof(digits) - 1];

	*at = '\0';
	do
		*--at = "0123456789abcdef"[number % base];
	while (number /= base);
	add(t, base == 16 ? "0x" : "");
	add(t, at);
}

static void begin(struct text *t)
{
	t->size = 0;
	add(t, level);
	add(t, name);
	add(t, ": crash: ");
}

static bool has_room(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT;
}

/* MSG_DONTWAIT works for the journal's socket only; poll(2) shows whether a write would wait. */
static void end(struct text *t)
{
	ssize_t n;

	t->bytes[t->size++] = '\n';
	n = send(STDERR_FILENO, t->bytes, t->size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == ENOTSOCK && has_room())
		n = write(STDERR_FILENO, t->bytes, t->size);
	(void)n;
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* Was the signal sent by another process, as watchdogs do? */
static bool sent_by_another(const siginfo_t *info)
{
	return info->si_code <= 0 && info->si_pid != getpid();
}

static void add_cause(struct text *t, int number, const siginfo_t *info)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (signals[i].number == number)
			add(t, signals[i].name);
	if (info->si_code > 0) {
		add(t, " at address ");
		add_number(t, (uintptr_t)info->si_addr, 16);
	} else if (sent_by_another(info)) {
		add(t, " sent by process ");
		add_number(t, (uintmax_t)info->si_pid, 10);
	}
}

static void write_cause(int number, const siginfo_t *info)
{
	struct text t;

	begin(&t);
	add_cause(&t, number, info);
	for (unsigned i = 0; i < CRASH_INPUTS; i++) {
		const char *input = heard[i];

		if (input) {
			add(&t, labels[i]);
			add(&t, input);
		}
	}
	end(&t);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Writes "electd+0x1f2a3 (host_receive+0x12)"; the offset is the argument for addr2line(1). */
static void write_frame(void *frame)
{
	uintptr_t address = (uintptr_t)frame;
	struct link_map *map;
	struct text t;
	Dl_info info;

	begin(&t);
	if (!dladdr1(frame, &info, (void **)&map, RTLD_DL_LINKMAP)) {
		add_number(&t, address, 16);
		end(&t);
		return;
	}
	add(&t, last_part(info.dli_fname));
	add(&t, "+");
	add_number(&t, address - map->l_addr, 16);
	if (info.dli_sname) {
		add(&t, " (");
		add(&t, info.dli_sname);
		add(&t, "+");
		add_number(&t, address - (uintptr_t)info.dli_saddr, 16);
		add(&t, ")");
	}
	end(&t);
}

static void write_frames(void)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX);

	for (int i = 0; i < count; i++)
		write_frame(frames[i]);
}

/* ---- the handler ----------------------------------------------------------------------------- */

/*
 * The default action of SIGALRM ends even a process that waits for a page of its own program. That
 * of a crash does not, because it would write a core.
 */
static void bound_time(void)
{
	const struct itimerspec in = { .it_value = { .tv_nsec = CRASH_MOST_US * 1000 } };
	sigset_t alarm_only;

	if (!bounded)
		return;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	timer_settime(most, 0, &in, NULL);
}

/*
 * All signals of a crash are blocked here, so a fault in this function ends the process at once.
 * The signal that is raised at the end takes effect when the handler returns.
 */
static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (is_copy && sent_by_another(info))
		return;
	bound_time();
	write_cause(number, info);
	write_frames();
	signal(number, SIG_DFL);
	raise(number);
}

static bool handled_already(void)
{
	struct sigaction action;

	for (unsigned i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i].number, NULL, &action) < 0 ||
			(action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL)
			return true;
	return false;
}

/* ---- setup ----------------------------------------------------------------------------------- */

/* A forked process has none of its parent's timers. */
static void make_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

	bounded = timer_create(CLOCK_MONOTONIC, &event, &most) == 0;
}

void crash_watch(const char *program, bool to_journal)
{
	static char stack[STACK_SIZE];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	void *frame;

	if (handled_already())
		return;
	watching = true;
	name = program;
	level = to_journal ? "<2>" : "";
	make_timer();
	backtrace(&frame, 1); /* the first call loads libgcc, which allocates */
	sigaltstack(&other, NULL);
	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&action.sa_mask, signals[i].number);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &action, NULL);
}

/* abort(3) unblocks SIGABRT before it calls the handler only up to version 2.40 of the C library.
 */
void crash_watch_copy(const char *program)
{
	sigset_t handled;

	if (!watching)
		return;
	is_copy = true;
	name = program;
	make_timer();
	for (unsigned i = 0; i < CRASH_INPUTS; i++)
		heard[i] = NULL;
	sigemptyset(&handled);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&handled, signals[i].number);
	sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

void crash_heard(enum crash_input input, const char *what)
{
	heard[input] = what;
}
