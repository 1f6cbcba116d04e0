/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of hooks (P7) in 10 000 random histories of electd, the disk, scripts, targets and
 * crashes. A judge that does not know how the plan works checks them.
 */
#include "hookplan_judge.h"
#include "hookplan_word.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	HISTORIES = 10000,
	TURNS = 400,	 /* maximum of one history */
	STEPS_MAX = 100, /* maximum until the plan is at rest */
	SEEN_MIN = 200,	 /* minimum of each kind, or the histories prove nothing */
};

/* Situations that the histories must contain. */
enum sight {
	PROMOTED,
	CONFIRMED,
	DEMOTED,
	DEMOTED_FROM_DISK,
	TOLD_STOP,
	CUT,
	HELD,
	HELD_BY_A_CRASH,
	HELD_BY_ADDRESSES,
	OVERTAKEN,
	RELEASED,
	ENDED,
	RESIGNED,
	LOOKED,
	TARGET_STOPPED,
	RESIGNED_FOR_A_UNIT,
	RECORD_FAILED,
	ABANDONED,
	UNWRITTEN,
	TARGET_AGAIN,
	CRASHED_IN_SCRIPT,
	CRASHED_IN_RECORD,
	EXITED,
	SIGHTS
};

static const char *const sights[SIGHTS] = { "promotion", "confirmation", "demotion",
	"demotion owed by the disk", "stop", "cut script", "held `none`",
	"`none` held for a crashed leader", "promotion held for addresses",
	"`none` that was overtaken", "release", "end of a demotion's work", "resignation",
	"look at units", "target that was stopped", "resignation for a unit", "failed record",
	"abandoned record", "end that was not written", "target tried again", "crash in a script",
	"crash in a record", "exit" };

static unsigned seen[SIGHTS];

struct world {
	struct hookplan plan;
	struct judge judge;
	struct rng rng;
	struct hookplan_view said;
	uint64_t top, led, release;
	bool connects;
	/* A record that the disk may still write. How much is written is unknown. */
	struct hookplan_phase written;
	bool writes;
	/* A log of the history, for the failure message. */
	char log[8192];
	size_t log_size;
};

static unsigned below(struct world *w, unsigned limit)
{
	return (unsigned)rng_below(&w->rng, limit);
}

static bool one_in(struct world *w, unsigned many)
{
	return below(w, many) == 0;
}

static void note(struct world *w, const char *word, uint64_t number)
{
	size_t left = sizeof(w->log) - w->log_size;
	int n = snprintf(
		w->log + w->log_size, left, number ? " %s(%u)" : " %s", word, (unsigned)number);

	if (n > 0 && (size_t)n < left)
		w->log_size += (size_t)n;
}

/* ---- the plan and its steps ------------------------------------------------------------------ */

static void look(const struct judge *j, const struct hookplan_step *s)
{
	bool script = s->type == HOOKPLAN_SCRIPT && s->index == 0;

	seen[PROMOTED] += script && s->event == HOOK_LEADER;
	seen[CONFIRMED] += script && s->confirmed;
	seen[TOLD_STOP] += script && s->event == HOOK_STOP;
	seen[DEMOTED] += s->type == HOOKPLAN_TARGET_STOP;
	seen[DEMOTED_FROM_DISK] += s->type == HOOKPLAN_TARGET_STOP && j->from_disk;
	seen[ENDED] += s->type == HOOKPLAN_ENDED && j->release_due;
	seen[RELEASED] += s->type == HOOKPLAN_RELEASED;
	seen[RESIGNED] += s->type == HOOKPLAN_RESIGN;
	seen[LOOKED] += s->type == HOOKPLAN_LOOK;
	seen[TARGET_AGAIN] += s->type == HOOKPLAN_TARGET_AGAIN;
	seen[EXITED] += s->type == HOOKPLAN_EXIT;
}

static void next(struct world *w)
{
	struct hookplan_step s;
	char word[64];
	bool again = w->judge.busy;

	hookplan_next(&w->plan, &s);
	judge_gave(&w->judge, &s);
	if (again)
		return;
	hookplan_word(&s, word, sizeof(word));
	note(w, word, 0);
	look(&w->judge, &s);
}

/* A write that failed or was interrupted leaves the old record or an unreadable one. */
static void disk_fails(struct world *w)
{
	if (one_in(w, 2))
		w->judge.disk = (struct hookplan_phase){ HOOKPLAN_STARTED, 0 };
}

static void written(struct world *w)
{
	if (!w->writes)
		return;
	note(w, "WRITTEN", 0);
	w->writes = false;
	w->judge.disk = w->written;
}

/* A new record or the end of the process ends a write: it is complete, replaced or failed. */
static void no_longer_written(struct world *w)
{
	if (one_in(w, 2))
		written(w);
	else if (w->writes && one_in(w, 2))
		disk_fails(w);
	w->writes = false;
}

/* Ends the step of a record. The disk may continue to write until the next record. */
static enum hookplan_result record_done(struct world *w, enum hookplan_result result)
{
	const struct hookplan_phase *phase = &w->judge.step.phase;
	bool abandoned = hookplan_obsolete(&w->plan) && one_in(w, 2);

	no_longer_written(w);
	seen[ABANDONED] += abandoned;
	w->written = *phase;
	w->writes = abandoned || (phase->mark == HOOKPLAN_IDLE && result == HOOKPLAN_OK);
	if (abandoned)
		return HOOKPLAN_FAILED;
	if (w->writes)
		return result;
	if (result == HOOKPLAN_OK) {
		w->judge.disk = *phase;
	} else {
		seen[RECORD_FAILED]++;
		disk_fails(w);
	}
	return result;
}

/* The plan is notified only of IDLE, and only if it has given no newer record. */
static void unwritten(struct world *w)
{
	bool newest = w->written.mark == HOOKPLAN_IDLE &&
		!(w->judge.busy && w->judge.step.type == HOOKPLAN_RECORD);

	if (!w->writes)
		return;
	note(w, "UNWRITTEN", 0);
	w->writes = false;
	disk_fails(w);
	if (!newest)
		return;
	seen[UNWRITTEN]++;
	hookplan_unwritten(&w->plan);
}

static void done(struct world *w, enum hookplan_result result)
{
	const struct hookplan_step *s = &w->judge.step;

	if (s->type == HOOKPLAN_ENDED)
		result = HOOKPLAN_OK;
	if (s->type == HOOKPLAN_SCRIPT && s->index >= s->run % 3)
		result = HOOKPLAN_NO_MORE;
	if (s->type == HOOKPLAN_LOOK && result == HOOKPLAN_FAILED && !one_in(w, 3))
		result = HOOKPLAN_DOWN;
	if (result == HOOKPLAN_FAILED || result == HOOKPLAN_DOWN)
		note(w, result == HOOKPLAN_DOWN ? "is-down" : "fails", 0);
	if (s->type == HOOKPLAN_RECORD)
		result = record_done(w, result);
	seen[CUT] += hookplan_obsolete(&w->plan);
	seen[TARGET_STOPPED] += judge_target_stopped(&w->judge, result);
	seen[RESIGNED_FOR_A_UNIT] += judge_unit_failed(&w->judge, result);
	judge_done(&w->judge, result);
	hookplan_done(&w->plan, result);
}

/* A new process, which knows only the disk. */
static void starts(struct world *w)
{
	no_longer_written(w);
	note(w, "START", 0);
	judge_start(&w->judge);
	hookplan_open(&w->plan, &w->judge.disk);
	hookplan_resign_on_failure(&w->plan, w->judge.resigns);
	w->connects = true;
}

static bool fails_often(const struct hookplan_step *s)
{
	return s->type == HOOKPLAN_TARGET_START || s->type == HOOKPLAN_LOOK;
}

static void step_ends(struct world *w)
{
	if (!w->judge.busy && w->judge.step.type == HOOKPLAN_EXIT)
		starts(w);
	else if (!w->judge.busy)
		next(w);
	else
		done(w,
			one_in(w, fails_often(&w->judge.step) ? 2 : 6) ? HOOKPLAN_FAILED
								       : HOOKPLAN_OK);
}

/* Does every step that is due, with this result, while nothing else happens. */
static void settle(struct world *w, enum hookplan_result result)
{
	for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
		next(w);
		if (!w->judge.busy)
			return;
		done(w, result);
	}
	judge_rule(&w->judge, false, "it comes to an end");
}

/* ---- what happens ---------------------------------------------------------------------------- */

/* A new electd. One in eight has lost its state and counts from the bottom again. */
static void electd_restarts(struct world *w)
{
	if (!one_in(w, 8))
		return;
	w->top = below(w, 3);
	w->led = w->judge.floor = 0;
	note(w, "state-lost", 0);
}

static uint64_t token(struct world *w, enum elect_role role)
{
	bool again = role == w->said.role && w->said.token == w->top;

	if (role == ELECT_ROLE_NONE)
		return 0;
	if (role == ELECT_ROLE_LEADER && w->led == w->top && w->top > 0)
		again = true;
	return again && one_in(w, 2) ? w->top : ++w->top;
}

static void view_said(struct world *w)
{
	bool held = judge_holds(&w->judge);

	judge_view(&w->judge, &w->said);
	hookplan_view(&w->plan, &w->said);
	seen[HELD] += judge_holds(&w->judge);
	seen[HELD_BY_A_CRASH] += judge_holds(&w->judge) && w->said.awaits;
	seen[HELD_BY_ADDRESSES] += judge_leads(&w->judge) && w->said.promoting;
	seen[OVERTAKEN] += held && !judge_holds(&w->judge);
}

static void view(struct world *w)
{
	static const char *const words[ELECT_ROLES] = { "NONE", "FOLLOW", "LEAD" };
	enum elect_role role = one_in(w, 2) ? w->said.role : (enum elect_role)below(w, ELECT_ROLES);
	bool first = w->connects;

	if (first || one_in(w, 16))
		electd_restarts(w);
	w->said.token = token(w, role);
	w->said.role = role;
	w->said.members = one_in(w, 3);
	w->said.first = first;
	w->said.awaits = w->said.role == ELECT_ROLE_NONE && one_in(w, 3);
	w->said.promoting = w->said.role == ELECT_ROLE_LEADER && one_in(w, 3);
	if (w->said.role == ELECT_ROLE_LEADER)
		w->led = w->said.token;
	w->connects = false;
	note(w, first ? "FIRST" : "VIEW", 0);
	note(w, words[w->said.role], w->said.token);
	view_said(w);
}

/* The crashed leader is no longer awaited, and no host leads yet. */
static void crash_is_over(struct world *w)
{
	if (!w->judge.latest.awaits)
		return;
	w->said.awaits = w->said.first = w->said.members = false;
	note(w, "CRASH-OVER", 0);
	view_said(w);
}

/* Rank ADDRESS has begun, or a second is over. */
static void addresses_are_there(struct world *w)
{
	if (!w->judge.latest.promoting)
		return;
	w->said.promoting = w->said.first = w->said.members = false;
	note(w, "ADDRESSES", 0);
	view_said(w);
}

static void electd_repeats(struct world *w)
{
	if (w->connects || !w->judge.known)
		return;
	w->said.first = false;
	w->said.members = one_in(w, 2);
	note(w, w->said.members ? "MEMBERS" : "AGAIN", w->said.token);
	view_said(w);
}

static void lost(struct world *w)
{
	w->connects = w->connects || one_in(w, 2);
	note(w, w->connects ? "GONE" : "SILENT", 0);
	judge_silence(&w->judge);
	hookplan_lost(&w->plan);
}

static void release(struct world *w)
{
	bool stop = one_in(w, 4);

	if (w->said.role != ELECT_ROLE_LEADER && !one_in(w, 8))
		return;
	note(w, stop ? "RELEASE-STOP" : "RELEASE", ++w->release);
	judge_release(&w->judge, w->release, stop);
	hookplan_release(&w->plan, w->release, stop);
}

static void release_over(struct world *w)
{
	note(w, "RELEASE-OVER", 0);
	w->judge.release_due = false;
	hookplan_release_over(&w->plan);
}

static void stop(struct world *w)
{
	if (!one_in(w, 3))
		return;
	note(w, "STOP", 0);
	judge_stop(&w->judge);
	hookplan_stop(&w->plan);
}

static void retry(struct world *w)
{
	note(w, "RETRY", 0);
	hookplan_retry(&w->plan);
}

static void time_to_look(struct world *w)
{
	note(w, "LOOK", 0);
	judge_look(&w->judge);
	hookplan_look(&w->plan);
}

static void hold_over(struct world *w)
{
	note(w, "HOLD-OVER", 0);
	judge_waited(&w->judge);
	hookplan_hold_over(&w->plan);
}

static void failure_counts(struct world *w)
{
	w->judge.resigns = !w->judge.resigns;
	note(w, w->judge.resigns ? "RESIGN-ON-FAILURE" : "IGNORE-FAILURE", 0);
	hookplan_resign_on_failure(&w->plan, w->judge.resigns);
}

/* At any point of a step: after its effect, before it, or between two steps. */
static void crash(struct world *w)
{
	const struct hookplan_step *s = &w->judge.step;
	bool record = w->judge.busy && s->type == HOOKPLAN_RECORD;

	seen[CRASHED_IN_RECORD] += record;
	seen[CRASHED_IN_SCRIPT] += w->judge.busy && s->type == HOOKPLAN_SCRIPT;
	no_longer_written(w);
	if (record && one_in(w, 2))
		w->judge.disk = s->phase;
	else if (record)
		disk_fails(w);
	note(w, "CRASH", 0);
	starts(w);
}

static void all_fails(struct world *w)
{
	note(w, "ALL-FAILS", 0);
	settle(w, HOOKPLAN_FAILED);
}

static void all_is_quiet(struct world *w)
{
	note(w, "QUIET", 0);
	hookplan_retry(&w->plan);
	settle(w, HOOKPLAN_OK);
	crash_is_over(w);
	addresses_are_there(w);
	hold_over(w);
	settle(w, HOOKPLAN_OK);
	written(w);
	judge_quiet(&w->judge);
	if (w->judge.stopping)
		starts(w);
}

/* A repeated entry happens more often. */
static void (*const happenings[])(struct world *) = { view, view, view, view, view, crash_is_over,
	addresses_are_there, electd_repeats, electd_repeats, lost, lost, release, release,
	release_over, stop, retry, retry, retry, retry, written, written, unwritten, hold_over,
	hold_over, time_to_look, time_to_look, time_to_look, time_to_look, failure_counts, crash,
	crash, all_fails, all_is_quiet };

static void run(struct world *w, uint64_t seed)
{
	unsigned turns;

	*w = (struct world){ .rng.state = seed, .connects = true };
	turns = below(w, TURNS) + 1;
	starts(w);
	while (turns-- > 0 && !w->judge.broken) {
		if (one_in(w, 3) || (w->judge.busy && !one_in(w, 4)))
			step_ends(w);
		else
			happenings[below(w, sizeof(happenings) / sizeof(happenings[0]))](w);
		judge_obsolete(&w->judge, hookplan_obsolete(&w->plan));
		judge_hold(&w->judge, hookplan_holds(&w->plan));
	}
	if (!w->judge.broken)
		all_is_quiet(w);
}

static void ten_thousand_histories_break_no_rule(void **state)
{
	static struct world w;

	(void)state;
	for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
		run(&w, seed);
		if (w.judge.broken)
			fail_msg("history %u failed to keep \"%s\":%s", (unsigned)seed,
				w.judge.broken, w.log);
	}
	for (unsigned i = 0; i < SIGHTS; i++)
		if (seen[i] < SEEN_MIN)
			fail_msg("failed to see %s more than %u times", sights[i], seen[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand_histories_break_no_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
