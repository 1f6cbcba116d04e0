/* SPDX-License-Identifier: Apache-2.0 */
/* outcome: writes journal entries and reports about scripts, units and whole runs. */
#include "inside.h"

#include "program/clock.h"
#include "program/manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 512 };

static const char *event_name(const struct hookd *h)
{
	return hook_event_name(h->play.step.event);
}

/* ---- a run ------------------------------------------------------------------------------- */

static const char *plural(unsigned count)
{
	return count == 1 ? "" : "s";
}

static void tell_line(struct hookd *h, enum tell_kind kind, const char *line)
{
	const struct tell_entry entry = {
		.kind = kind,
		.event = h->play.step.event,
		.domain = h->play.status.domain,
		.token = h->play.step.token,
		.reason = given_reason(&h->play.told),
		.runtime_us = clock_boot_us() - h->play.begun_us,
		.line = line,
	};

	tell_entry(&h->journal, &entry);
}

void hookd_tell_begin(struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	const char *reason = given_reason(&p->told);
	unsigned runs = 0;
	char line[LINE_SIZE];

	for (unsigned i = 0; i < p->list.count; i++)
		runs += p->list.scripts[i].fd >= 0;
	snprintf(line, sizeof(line), "%s begins%s%s, token %" PRIu64 "%s%s: %u hook%s to run",
		event_name(h), p->step.replay ? " (replayed)" : "",
		p->step.confirmed ? " (confirmed)" : "", p->step.token,
		*reason ? ", because of " : "", reason, runs, plural(runs));
	tell_line(h, TELL_BEGIN, line);
	manager_tell(MANAGER_STATUS, "STATUS=%s: running hooks", event_name(h));
}

/* A `leader` run may end early: leadership was lost, or the run was given up. */
void hookd_tell_end(struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	char failed[64] = "", line[LINE_SIZE];

	if (p->failed)
		snprintf(failed, sizeof(failed), ", %u failed", p->failed);
	snprintf(line, sizeof(line), "%s %s after %" PRIu64 " ms: %u hook%s ran%s", event_name(h),
		p->whole ? "done" : "ended early", (clock_boot_us() - p->begun_us) / 1000, p->ran,
		plural(p->ran), failed);
	tell_line(h, TELL_END, line);
	manager_tell(MANAGER_STATUS, "STATUS=%s, %u script%s ran%s", event_name(h), p->ran,
		plural(p->ran), failed);
}

/* ---- one step of a run ------------------------------------------------------------------- */

struct report *hookd_report(
	const struct hookd *h, struct report *r, const char *script, enum hook_result result)
{
	*r = (struct report){ .event = h->play.step.event, .result = result };
	snprintf(r->script, sizeof(r->script), "%s", script);
	return r;
}

static enum hook_result result_of(const struct command_result *result)
{
	switch (result->end) {
	case COMMAND_EXITED:
		return result->status ? HOOK_RESULT_FAILED : HOOK_RESULT_OK;
	case COMMAND_SIGNALLED:
		return HOOK_RESULT_SIGNALLED;
	case COMMAND_TIMED_OUT:
		return HOOK_RESULT_TIMED_OUT;
	case COMMAND_CUT:
		return HOOK_RESULT_CUT;
	case COMMAND_UNSTARTED:
	case COMMAND_ENDS:
		break;
	}
	return HOOK_RESULT_UNSTARTED;
}

void hookd_take_result(struct report *r, const struct command_result *result)
{
	r->result = result_of(result);
	r->status = result->status;
	r->runtime_us = result->ended_us - result->started_us;
	memcpy(r->output, result->output, sizeof(r->output));
}

enum hookd_done hookd_end_of(const struct report *r)
{
	return r->result == HOOK_RESULT_OK ? HOOKD_OK : HOOKD_FAILED;
}

/*
 * Composes the journal line about one script or unit. `doing` is "leader", or "start" for a unit;
 * after a look it is the rest of the line.
 */
static void describe(const struct report *r, const char *doing, char *ret_line, size_t size)
{
	uint64_t ms = r->runtime_us / 1000;

	switch (r->result) {
	case HOOK_RESULT_OK:
		snprintf(ret_line, size, "%s: %s done in %" PRIu64 " ms", r->script, doing, ms);
		return;
	case HOOK_RESULT_FAILED:
		snprintf(ret_line, size, "%s: %s failed after %" PRIu64 " ms (exit status %d)",
			r->script, doing, ms, r->status);
		return;
	case HOOK_RESULT_SIGNALLED:
		snprintf(ret_line, size, "%s: %s was killed after %" PRIu64 " ms (signal %d, %s)",
			r->script, doing, ms, r->status, strsignal(r->status));
		return;
	case HOOK_RESULT_TIMED_OUT:
		snprintf(ret_line, size,
			r->goes_on ? "%s: %s has not ended after %" PRIu64 " ms, and goes on"
				   : "%s: %s took too long: ended after %" PRIu64 " ms",
			r->script, doing, ms);
		return;
	case HOOK_RESULT_CUT:
		snprintf(ret_line, size, "%s: %s ended after %" PRIu64 " ms: leadership was lost",
			r->script, doing, ms);
		return;
	case HOOK_RESULT_UNSTARTED:
		snprintf(ret_line, size, "%s: %s could not be started: %s", r->script, doing,
			hookd_record_trouble(r->status));
		return;
	case HOOK_RESULT_REFUSED:
		snprintf(ret_line, size, "%s: refused, not run on %s", r->script, doing);
		return;
	case HOOK_RESULT_LEFT_OUT:
		snprintf(ret_line, size, "%s: left out of %s: no time is left", r->script, doing);
		return;
	case HOOK_RESULT_UNRECORDED:
		snprintf(ret_line, size, "%s: cannot be written, %s is not run: %s", r->script,
			doing, hookd_record_trouble(r->status));
		return;
	case HOOK_RESULT_UNIT:
		snprintf(ret_line, size, "%s: %s", r->script, doing);
		return;
	case HOOK_RESULT_OVERRAN:
		snprintf(ret_line, size,
			"%s: %s has not ended after %" PRIu64 " ms, and leadership has passed on",
			r->script, doing, ms);
		return;
	case HOOK_RESULT_GONE: /* belongs to no run, and has no line */
	case HOOK_RESULTS:
		break;
	}
}

/* A hook is always reported; anything else only if it fails, or failed before. */
void hookd_conclude(struct hookd *h, struct report *r, const char *prefix, const char *doing)
{
	struct hookd_play *p = &h->play;
	char line[LINE_SIZE], whole[LINE_SIZE + 8];
	const struct tell_entry entry = {
		.kind = r->result == HOOK_RESULT_OK ? TELL_OK : TELL_FAILED,
		.event = r->event,
		.domain = p->status.domain,
		.token = p->step.token,
		.hook = r->script,
		.result = hook_result_name(r->result),
		.status = r->status,
		.runtime_us = r->runtime_us,
		.output = r->output,
		.line = whole,
	};
	const struct report *before = reports_find(h->reports, r->script, r->event);

	if (*prefix)
		r->kind = REPORT_HOOK;
	r->token = p->step.token;
	r->seq = p->told.seq;
	describe(r, doing, line, sizeof(line));
	snprintf(whole, sizeof(whole), "%s%s", prefix, line);
	tell_entry(&h->journal, &entry);
	p->failed += r->result != HOOK_RESULT_OK && r->result != HOOK_RESULT_OVERRAN;
	if (*prefix || r->result != HOOK_RESULT_OK || (before && before->result != HOOK_RESULT_OK))
		reports_add(h->reports, r);
}
