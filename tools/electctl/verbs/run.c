/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: runs a command only while this host leads.
 *
 * run subscribes as a holder: leadership passes on only when the command has ended and Release was
 * called. A stalled electd cannot report that its host has lost the election. Therefore the command
 * is ended at the time that the last event named (until_boot_ms). The rest of the command's
 * processes is killed after the time allowed for ending (ending_ms), before another host may begin.
 * An older electd names no time: then an event is valid for dead_after on the boot clock.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "electctl/ask.h"
#include "child.h"
#include "program/clock.h"
#include "program/timens.h"
#include "electctl/field.h"
#include "waiter.h"

enum {
	DEAD_AFTER_MS = 600, /* until electd reports its value */
	LOOK_AGAIN_MS = 100, /* checks for processes that are left: not every end is signalled */
	LEAVE_MS = 1000,     /* for one attempt to release the hold when leaving */
	LEAVE_TRIES = 10,    /* while all places on the socket are taken */
	TOKEN_SIZE = 24,
	HOLDER_SIZE = 64,
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
	struct client events;
	struct waiter waiter;
	/* The last state that electd reported. */
	char holder[HOLDER_SIZE], token[TOKEN_SIZE];
	bool leads, gone;
	bool may_begin; /* this host leads, knows that it is followed, and does not hand over */
	bool asked;	/* electd asked for a release, with this number */
	int64_t release;
	int64_t heard_ms, dead_after_ms;
	int64_t until_ms, ending_ms; /* -1: not named by the last event that could */
	bool same_clock; /* electd uses the same boot clock: no time namespace in between */
	/* The command. */
	struct child child;
	bool running;
	char with[TOKEN_SIZE]; /* the token it was started with */
	enum end ending;
	int64_t kill_ms; /* 0: KILL was sent */
	int64_t give_up_ms;
	bool finished;
	enum electctl_exit code;
};

static void finish(struct run *r, int code)
{
	r->finished = true;
	r->code = (enum electctl_exit)code;
}

/* ---- events ----------------------------------------------------------------------------- */

/* Limits a number from electd, so that the sum of a few cannot overflow. */
static int64_t bounded(int64_t ms)
{
	const int64_t most = INT64_MAX / 8;

	return ms < -most ? -most : ms > most ? most : ms;
}

/* null, from a host that leads no more, keeps the last deadline for the command that still runs. */
static void take_until(struct run *r, const json_t *event)
{
	const json_t *until = json_object_get(event, "until_boot_ms");

	if (json_is_integer(until)) {
		r->until_ms = bounded((int64_t)json_integer_value(until));
		r->ending_ms = bounded(field_number(event, "ending_ms", NULL, 0));
	} else if (!until) {
		r->until_ms = -1;
	}
}

/* Counts from the time of sending, because this process may have stalled before reading. */
static void heard(struct run *r, const json_t *event)
{
	int64_t now = clock_boot_ms(), said = bounded(field_number(event, "boot_ms", NULL, now));

	r->heard_ms = r->same_clock && said < now ? said : now;
	r->dead_after_ms = bounded(field_number(event, "dead_after_ms", NULL, r->dead_after_ms));
	take_until(r, event);
}

static void take_release(struct run *r, const char *event, int64_t number)
{
	if (!strcmp(event, "release") || !strcmp(event, "snapshot")) {
		r->asked = number > 0; /* a snapshot replaces older requests */
		r->release = number;
	} else if (!strcmp(event, "release-over") && r->release == number) {
		r->asked = false; /* electd no longer waits for the answer; the role ends, too */
	}
}

/* Accepts only digits, because commands put it into file names and SQL. False: no number. */
static bool take_token(struct run *r, const char *token)
{
	size_t length = strspn(token, "0123456789");
	bool good = length && !token[length] && length < sizeof r->token;

	snprintf(r->token, sizeof r->token, "%s", good ? token : "");
	return good;
}

static void take_event(struct run *r, const json_t *event)
{
	const json_t *status = json_object_get(event, "status");

	heard(r, event);
	if (json_is_object(status)) {
		r->leads = !strcmp(field_text(status, "role", NULL), "leader");
		r->may_begin =
			take_token(r, field_text(status, "token", NULL)) && field_may_begin(status);
	}
	take_release(r, field_text(event, "event", NULL), field_number(event, "release", NULL, 0));
}

static void take_events(struct run *r)
{
	json_t *reply = NULL;
	int rc = 0;

	while (!r->gone && (rc = client_reply(&r->events, 0, &reply)) == 0) {
		take_event(r, json_object_get(reply, "parameters"));
		json_decref(reply);
	}
	if (rc && rc != -ETIMEDOUT)
		r->gone = true;
}

/* From this time on, the leadership of this host is not certain. */
static int64_t over_ms(const struct run *r)
{
	return r->until_ms >= 0 ? r->until_ms : r->heard_ms + r->dead_after_ms + 1;
}

static bool fresh(const struct run *r)
{
	return clock_boot_ms() < over_ms(r);
}

/* True if electd's times mean nothing here, because its time namespace is another. */
static bool other_clock(const struct run *r, const json_t *event)
{
	int64_t theirs = field_number(event, "time_namespace", NULL, -1);
	int64_t ours = (int64_t)timens_own();

	return theirs > 0 && ours ? theirs != ours : theirs >= 0 && !r->same_clock;
}

static enum electctl_exit take_snapshot(struct run *r, const json_t *event)
{
	snprintf(r->holder, sizeof r->holder, "%s", field_text(event, "holder", NULL));
	if (other_clock(r, event)) {
		ask_say(r->o,
			"electd is in another time namespace: this program cannot know how "
			"long this host leads");
		return ELECTCTL_FALSE;
	}
	take_event(r, event);
	if (json_is_object(json_object_get(json_object_get(event, "status"), "yielding"))) {
		ask_say(r->o, "this host hands over leadership: %s is not started", r->words[0]);
		return ELECTCTL_FALSE; /* as for a running command: the leadership ends */
	}
	return ELECTCTL_OK;
}

/* `number` 0: this program leaves, and no command is left to wait for. */
static enum electctl_exit ask_release(const struct run *r, int64_t number, long timeout_ms)
{
	json_t *answer = NULL;
	struct options quiet = *r->o;
	enum electctl_exit code;

	quiet.quiet = true;
	quiet.timeout_ms = timeout_ms;
	code = ask(&quiet, "io.electd.Release",
		json_pack("{s:s, s:I}", "holder", r->holder, "seq", (json_int_t)number),
		ASK_TIMEOUT_MS, &answer);
	json_decref(answer);
	return code;
}

/*
 * The command has ended completely, so the next host may lead. If all places on the socket are
 * taken, the call is repeated for as long as electd waits for the release.
 */
static void release(struct run *r)
{
	while (r->asked && !r->gone &&
		ask_release(r, r->release, ASK_TIMEOUT_MS) == ELECTCTL_NO_PLACE) {
		poll(NULL, 0, LOOK_AGAIN_MS);
		take_events(r);
	}
	r->asked = false;
}

/*
 * Without this, the next hand-over would wait for a program that has gone. A stalled electd reads
 * the call when it continues.
 */
static void leave(const struct run *r)
{
	for (int left = LEAVE_TRIES; r->holder[0] && !r->gone && left > 0; left--) {
		if (ask_release(r, 0, fresh(r) ? LEAVE_MS : 0) != ELECTCTL_NO_PLACE)
			return;
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static enum electctl_exit subscribe(struct run *r)
{
	int64_t before_ms = clock_boot_ms(), said_ms;
	json_t *event = NULL;
	enum electctl_exit code = ask_begin(r->o, "io.electd.Subscribe",
		json_pack("{s:b, s:s}", "hold", true, "name", "electctl run"), true, &r->events);

	if (code != ELECTCTL_OK)
		return code;
	code = ask_next(r->o, &r->events, ASK_TIMEOUT_MS, &event);
	if (code == ELECTCTL_OK) {
		said_ms = field_number(event, "boot_ms", NULL, -1);
		r->same_clock = before_ms <= said_ms && said_ms <= clock_boot_ms();
		code = take_snapshot(r, event);
		json_decref(event);
	}
	if (code != ELECTCTL_OK) {
		leave(r);
		client_close(&r->events);
	}
	return code;
}

/* ---- the command ------------------------------------------------------------------------- */

static void start(struct run *r)
{
	int rc;

	setenv("ELECTD_TOKEN", r->token, 1);
	rc = child_start(&r->child, r->words, &r->waiter.mask);
	if (rc) {
		ask_say(r->o, "cannot run %s: %s", r->words[0], strerror(-rc));
		finish(r, ELECTCTL_FALSE);
		return;
	}
	snprintf(r->with, sizeof r->with, "%s", r->token);
	r->running = true;
	r->ending = END_NOT;
	r->give_up_ms = -1;
}

static enum end must_end(const struct run *r)
{
	return r->child.ended			 ? END_ITSELF
		: r->gone			 ? END_GONE
		: r->asked			 ? END_PASSES_ON
		: !r->leads			 ? END_ROLE
		: !fresh(r)			 ? END_SILENT
		: strcmp(r->token, r->with) != 0 ? END_TOKEN
						 : END_NOT;
}

static void begin_end(struct run *r, enum end why)
{
	r->ending = why;
	if (why != END_ITSELF)
		ask_say(r->o, "%s: ending %s", end_words[why], r->words[0]);
	child_signal(&r->child, SIGTERM);
	r->kill_ms = clock_boot_ms() + r->o->kill_after_ms;
}

/*
 * While electd sends events, they move the deadline, and --kill-after decides. If electd has ended,
 * its copy tells the other hosts, and they wait for the command (electd-protocol(7), LAST WILL).
 */
static int64_t kill_at_ms(const struct run *r)
{
	int64_t last_ms = r->until_ms + r->ending_ms;

	return r->until_ms >= 0 && r->ending != END_GONE && last_ms < r->kill_ms ? last_ms
										 : r->kill_ms;
}

/* If only the token changed, the loop starts the command again. */
static void ended(struct run *r)
{
	bool again = r->ending == END_TOKEN && r->leads && !r->asked && !r->gone;

	r->running = false;
	release(r);
	if (r->ending == END_ITSELF)
		finish(r, r->child.status);
	else if (!again)
		finish(r, ELECTCTL_FALSE);
}

static void look_after(struct run *r)
{
	bool gone = child_gone(&r->child);
	enum end why = must_end(r);

	if (r->ending == END_NOT && why != END_NOT && !gone)
		begin_end(r, why);
	else if (gone && r->ending == END_NOT)
		r->ending = END_ITSELF;
	if (gone) {
		ended(r);
	} else if (r->ending != END_NOT && r->kill_ms && clock_boot_ms() >= kill_at_ms(r)) {
		child_signal(&r->child, SIGKILL);
		r->kill_ms = 0;
	}
}

static void look_for_work(struct run *r)
{
	if (r->gone) {
		ask_say(r->o, "electd ended");
		finish(r, ELECTCTL_NOT_RUNNING);
	} else if (r->asked) {
		release(r); /* no command runs */
	} else if (r->may_begin && fresh(r)) {
		start(r);
	} else if (r->give_up_ms >= 0 && clock_boot_ms() >= r->give_up_ms) {
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

	if (r->running && r->ending == END_NOT)
		return over_ms(r);
	if (r->running)
		return r->kill_ms && kill_at_ms(r) < again_ms ? kill_at_ms(r) : again_ms;
	return r->give_up_ms;
}

static void wait_for_more(const struct run *r)
{
	waiter_wait(&r->waiter, next_look_ms(r), r->gone ? -1 : r->events.fd, -1);
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
	struct run r = {
		.o = o,
		.words = args,
		.dead_after_ms = DEAD_AFTER_MS,
		.until_ms = -1,
		.give_up_ms = o->timeout_ms >= 0 ? clock_boot_ms() + o->timeout_ms : -1,
	};
	enum electctl_exit code = subscribe(&r);
	int rc;

	if (code != ELECTCTL_OK)
		return code;
	rc = open_waiter(&r);
	if (rc) {
		ask_say(o, "cannot wait for signals: %s", strerror(-rc));
		leave(&r);
		client_close(&r.events);
		return ELECTCTL_FALSE;
	}
	loop(&r);
	leave(&r);
	client_close(&r.events);
	waiter_close(&r.waiter);
	return r.code;
}
