/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: runs a command periodically and reports each result to electd. electd counts the results
 * and decides; confining the command is up to the caller. With --leader, nothing runs before this
 * host's promotion is complete, because a service that has not started yet is not sick.
 */
#include <errno.h>
#include <string.h>

#include "electctl/ask.h"
#include "program/clock.h"
#include "leaderunit.h"
#include "once.h"
#include "reporter.h"
#include "waiter.h"

enum { EVERY_MS = 2000, EVERY_LEAST_MS = 100, TIMEOUT_MS = 1000, FALL = 3, RISE = 2 };

struct probe {
	struct options o;
	char *const *words;
	struct reporter reporter;
	struct once once;
	struct waiter waiter;
	int64_t next_ms; /* the next run */
	bool said, well; /* the result last printed on stderr */
	bool ending;	 /* ends as soon as no process of the run is left */
	enum electctl_exit code;
};

static void end(struct probe *p, enum electctl_exit code)
{
	if (p->ending)
		return;
	p->ending = true;
	p->code = code;
	once_kill(&p->once);
}

/* ---- results ----------------------------------------------------------------------------- */

static void tell(struct probe *p, bool well, const char *words)
{
	if (!p->said || well != p->well)
		ask_say(&p->o, "%s: %s%s%s", p->reporter.name, well ? "well" : "not well",
			*words ? ": " : "", words);
	p->said = true;
	p->well = well;
	reporter_tell(&p->reporter, well, words);
}

static void start(struct probe *p)
{
	int rc = once_start(&p->once, p->words, &p->waiter.mask, p->o.timeout_ms);

	if (rc) /* a failure of this host is a result like any other */
		tell(p, false, strerror(-rc));
}

/* Starts the next run. A previous run that could not be killed is reported as a failure. */
static void begin(struct probe *p)
{
	int64_t late = clock_boot_ms() - p->next_ms;

	p->next_ms += (late / p->o.every_ms + 1) * p->o.every_ms;
	if (p->o.leader)
		reporter_ask(&p->reporter);
	else if (!p->once.running)
		start(p);
	else if (once_stuck(&p->once))
		tell(p, false, "its last run cannot be ended");
}

/* Starts a run if electd has just answered that this host leads and its promotion is complete. */
static void begin_on_leader(struct probe *p, bool wondered)
{
	if (wondered && !p->reporter.wonders && p->reporter.counts && !p->once.running)
		start(p);
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void take_signals(struct probe *p)
{
	int number;

	while ((number = waiter_signal(&p->waiter)))
		if (number != SIGCHLD)
			end(p, ELECTCTL_OK);
}

static void work(struct probe *p)
{
	bool wondered = p->reporter.wonders;

	if (once_look(&p->once) && !p->ending)
		tell(p, p->once.well, p->once.words);
	if (!p->ending && clock_boot_ms() >= p->next_ms)
		begin(p);
	wondered |= p->reporter.wonders;
	reporter_look(&p->reporter);
	if (p->reporter.refused)
		end(p, p->reporter.code);
	else if (!p->ending && p->o.leader)
		begin_on_leader(p, wondered);
}

static void wait_for_more(const struct probe *p)
{
	int64_t at = waiter_earlier(once_due_ms(&p->once), reporter_due_ms(&p->reporter));

	waiter_wait(&p->waiter, p->ending ? at : waiter_earlier(at, p->next_ms),
		(const int[WAITER_FDS]){ p->once.running ? p->once.output : -1,
			electd_fd(p->reporter.electd), reporter_fd(&p->reporter) });
}

static void loop(struct probe *p)
{
	while (!p->ending || p->once.running) {
		take_signals(p);
		work(p);
		if (!p->ending || p->once.running)
			wait_for_more(p);
	}
}

/* ---- options ---------------------------------------------------------------------------- */

static struct options with_defaults(const struct options *given)
{
	struct options o = *given;

	if (o.every_ms < 0)
		o.every_ms = EVERY_MS;
	if (o.timeout_ms < 0)
		o.timeout_ms = TIMEOUT_MS;
	if (o.fall < 0)
		o.fall = FALL;
	if (o.rise < 0)
		o.rise = RISE;
	o.stale_ms = 3 * o.every_ms + o.timeout_ms;
	return o;
}

/* ELECTCTL_OK, or the exit code after the error was printed. */
static enum electctl_exit check(const struct options *o, char *const *args)
{
	if (!reporter_name(o, args[0]))
		return ELECTCTL_USAGE;
	if (o->every_ms < EVERY_LEAST_MS || !o->timeout_ms || !o->fall || !o->rise) {
		ask_say(o,
			"--every is at least 0.1, --timeout more than 0, --fall and --rise at "
			"least 1");
		return ELECTCTL_USAGE;
	}
	return leaderunit_check(o, args[0], args + 1);
}

enum electctl_exit probe_verb(const struct options *given, char *const *args)
{
	struct probe p = {
		.o = with_defaults(given),
		.words = args + 1,
		.next_ms = clock_boot_ms(),
	};
	enum electctl_exit code = check(&p.o, args);
	int rc;

	if (code != ELECTCTL_OK)
		return code;
	rc = waiter_open(&p.waiter);
	if (rc) {
		ask_say(given, "cannot wait for signals: %s", strerror(-rc));
		return ELECTCTL_FALSE;
	}
	code = reporter_open(&p.reporter, &p.o, args[0]);
	if (code != ELECTCTL_OK)
		end(&p, code);
	loop(&p);
	reporter_close(&p.reporter);
	waiter_close(&p.waiter);
	return p.code;
}
