/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: runs a command only while this host leads, by lib/electd.h.
 *
 * A stalled electd cannot report that its host has lost the election. Therefore the command is
 * ended at the time that the last event named. The rest of the command's processes is killed after
 * the time allowed for ending, before another host may begin.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electctl/ask.h"
#include "child.h"
#include "lib/electd.h"
#include "program/clock.h"
#include "waiter.h"

enum {
	LOOK_AGAIN_MS = 100, /* checks for processes that are left: not every end is signalled */
	TOKEN_SIZE = 24,
};

/* Why the command must end. */
enum end { END_NOT, END_ITSELF, END_PASSES_ON, END_ROLE, END_TOKEN, END_SILENT, END_GONE, ENDS };

static const char *const end_words[ENDS] = {
	[END_PASSES_ON] = "leadership passes on",
	[END_ROLE] = "this host no longer leads",
	[END_TOKEN] = "this host now leads with another token",
	[END_SILENT] = "electd is silent: this host may have lost leadership",
	[END_GONE] = "electd ended: this host may have lost leadership",
};

struct run {
	const struct options *o;
	char *const *words;
	electd *electd;
	struct waiter waiter;
	/* The last report of electd. */
	bool heard;
	int lost; /* why the connection has ended: a positive errno */
	bool leads;
	bool asked; /* for a release, since the command was started */
	uint64_t token;
	int64_t last_ms;    /* other hosts wait for the command until then; 0: not known */
	int64_t answer_ms;  /* electd must have answered */
	int64_t give_up_ms; /* this host must lead; -1: no limit */
	/* The command. */
	struct child child;
	bool running;
	uint64_t with; /* the token it was started with */
	enum end ending;
	int64_t kill_ms; /* 0: KILL was sent */
	bool finished;
	enum electctl_exit code;
};

static void finish(struct run *r, int code)
{
	r->finished = true;
	r->code = (enum electctl_exit)code;
}

/* ---- events ----------------------------------------------------------------------------- */

static enum electctl_exit failed(const struct run *r, int error)
{
	switch (error) {
	case EXDEV:
		ask_say(r->o,
			"electd is in another time namespace: this program cannot know how "
			"long this host leads");
		return ELECTCTL_FALSE;
	case EACCES:
		return ask_refused(r->o, "io.electd.NotAllowed", NULL);
	default:
		return ask_unreachable(r->o, error);
	}
}

static void take_event(struct run *r, const struct electd_event *event)
{
	if (event->type == ELECTD_LOST) {
		r->lost = event->error;
		return;
	}
	if (!r->heard && event->yielding) {
		ask_say(r->o, "this host hands over leadership: %s is not started", r->words[0]);
		finish(r, ELECTCTL_FALSE); /* as for a running command: the leadership ends */
	}
	r->heard = true;
	r->leads = event->role == ELECTD_ROLE_LEADER;
	r->asked |= event->type == ELECTD_RELEASE || event->purpose[0];
	r->token = event->token;
}

/* A host that leads no more, or has lost its electd, keeps the last time for its command. */
static void take_until(struct run *r)
{
	uint64_t ending_ms, until_ms = electd_until_boot_ms(r->electd, &ending_ms);

	if (until_ms)
		r->last_ms = (int64_t)(until_ms + ending_ms);
}

static void take_events(struct run *r)
{
	struct electd_event event = { .size = sizeof event };
	int n = 0;

	while (!r->finished && !r->lost && (n = electd_process(r->electd, &event)) > 0)
		take_event(r, &event);
	if (n < 0 && !r->running)
		finish(r, failed(r, -n));
	take_until(r);
}

/* ---- the command ------------------------------------------------------------------------- */

static void start(struct run *r, uint64_t token)
{
	char text[TOKEN_SIZE];
	int rc;

	snprintf(text, sizeof text, "%" PRIu64, token);
	setenv("ELECTD_TOKEN", text, 1);
	rc = child_start(&r->child, r->words, &r->waiter.mask);
	if (rc) {
		ask_say(r->o, "cannot run %s: %s", r->words[0], strerror(-rc));
		finish(r, ELECTCTL_FALSE);
		return;
	}
	r->with = token;
	r->running = true;
	r->asked = false;
	r->ending = END_NOT;
	r->give_up_ms = -1;
}

static enum end must_end(struct run *r)
{
	uint64_t token;

	if (r->child.ended)
		return END_ITSELF;
	if (electd_may_act(r->electd, &token))
		return token == r->with ? END_NOT : END_TOKEN;
	take_events(r); /* the reason may be among those that electd_may_act() has read */
	return r->lost		      ? END_GONE
		: r->asked	      ? END_PASSES_ON
		: !r->leads	      ? END_ROLE
		: r->token != r->with ? END_TOKEN
				      : END_SILENT;
}

static void begin_end(struct run *r)
{
	if (r->ending != END_ITSELF)
		ask_say(r->o, "%s: ending %s", end_words[r->ending], r->words[0]);
	child_signal(&r->child, SIGTERM);
	r->kill_ms = clock_boot_ms() + r->o->kill_after_ms;
}

/*
 * While electd sends events, they move the deadline, and --kill-after decides. If electd has ended,
 * its copy tells the other hosts, and they wait for the command (electd-protocol(7), LAST WILL).
 */
static int64_t kill_at_ms(const struct run *r)
{
	return r->last_ms && r->ending != END_GONE && r->last_ms < r->kill_ms ? r->last_ms
									      : r->kill_ms;
}

/* If only the token changed, the loop starts the command again. */
static void ended(struct run *r)
{
	bool again = r->ending == END_TOKEN && r->leads && !r->asked && !r->lost;

	r->running = false;
	electd_released(r->electd);
	if (r->ending == END_ITSELF)
		finish(r, r->child.status);
	else if (!again)
		finish(r, ELECTCTL_FALSE);
}

static void look_after(struct run *r)
{
	bool gone = child_gone(&r->child);

	if (r->ending == END_NOT) {
		r->ending = gone ? END_ITSELF : must_end(r);
		if (r->ending != END_NOT && !gone)
			begin_end(r);
	}
	if (gone) {
		ended(r);
	} else if (r->ending != END_NOT && r->kill_ms && clock_boot_ms() >= kill_at_ms(r)) {
		child_signal(&r->child, SIGKILL);
		r->kill_ms = 0;
	}
}

static void look_for_work(struct run *r)
{
	int64_t now_ms = clock_boot_ms();
	uint64_t token;

	if (r->lost) {
		finish(r, failed(r, r->lost));
	} else if (electd_may_act(r->electd, &token)) {
		start(r, token);
	} else if (!r->heard && now_ms >= r->answer_ms) {
		finish(r, failed(r, ETIMEDOUT));
	} else if (r->heard && r->give_up_ms >= 0 && now_ms >= r->give_up_ms) {
		ask_say(r->o, "this host did not become leader in time");
		finish(r, ELECTCTL_TIMED_OUT);
	}
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* A signal for this program is passed to the command; if none runs, it ends this program. */
static void take_signals(struct run *r)
{
	int number;

	while ((number = waiter_signal(&r->waiter))) {
		if (number == SIGCHLD)
			continue;
		if (r->running)
			child_signal(&r->child, number);
		else
			finish(r, 128 + number);
	}
}

/* When the loop must look again without another event; -1: never. */
static int64_t next_look_ms(const struct run *r)
{
	int64_t again_ms = clock_boot_ms() + LOOK_AGAIN_MS;

	if (r->running && r->ending != END_NOT)
		return r->kill_ms ? waiter_earlier(kill_at_ms(r), again_ms) : again_ms;
	return r->running ? -1 : r->heard ? r->give_up_ms : r->answer_ms;
}

/* A connection that has ended is left as it is: no command runs for the next electd. */
static void wait_for_more(const struct run *r)
{
	int64_t at_ms = r->lost ? -1 : waiter_after(electd_timeout_ms(r->electd));

	waiter_wait(&r->waiter, waiter_earlier(at_ms, next_look_ms(r)),
		(const int[WAITER_FDS]){ r->lost ? -1 : electd_fd(r->electd), -1, -1 });
}

static void loop(struct run *r)
{
	while (!r->finished) {
		take_events(r);
		take_signals(r);
		if (r->finished)
			break;
		if (r->running)
			look_after(r);
		else
			look_for_work(r);
		if (!r->finished)
			wait_for_more(r);
	}
}

/* 0, or -errno. */
static int open_waiter(struct run *r)
{
	int rc = waiter_open(&r->waiter);
	sigset_t terminal;

	if (rc)
		return rc;
	/* Taking the terminal back from the command must not stop this process. */
	sigemptyset(&terminal);
	sigaddset(&terminal, SIGTTOU);
	sigprocmask(SIG_BLOCK, &terminal, NULL);
	return 0;
}

enum electctl_exit run_verb(const struct options *o, char *const *args)
{
	char path[ASK_PATH_SIZE];
	struct electd_options options = {
		.size = sizeof options,
		.socket = path,
		.name = "electctl run",
	};
	struct run r = {
		.o = o,
		.words = args,
		.answer_ms = clock_boot_ms() + ASK_TIMEOUT_MS,
		.give_up_ms = o->timeout_ms >= 0 ? clock_boot_ms() + o->timeout_ms : -1,
	};
	int rc = open_waiter(&r);

	if (rc) {
		ask_say(o, "cannot wait for signals: %s", strerror(-rc));
		return ELECTCTL_FALSE;
	}
	ask_path(o, path, sizeof path);
	rc = electd_open(&r.electd, &options);
	if (rc)
		finish(&r, ask_unreachable(o, -rc));
	loop(&r);
	electd_close(r.electd);
	waiter_close(&r.waiter);
	return r.code;
}
