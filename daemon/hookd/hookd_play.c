/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookd_play: one run of one event: what its scripts are told, how long they may take, and what
 * came of them. A `leader` whose time is over, or that was lost, leaves its rest out; a demotion
 * never does.
 */
#include "hookd_inside.h"

#include "clock.h"
#include "elect.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

static const char *event_name(const struct hookd *h)
{
	return hookplan_event_name(h->play.step.event);
}

static const char *plural(unsigned count)
{
	return count == 1 ? "" : "s";
}

/* ---- telling ----------------------------------------------------------------------------- */

static void tell_line(struct hookd *h, enum tell_kind kind, const char *line)
{
	const struct tell_entry entry = {
		.kind = kind,
		.event = h->play.step.event,
		.domain = h->play.status.domain,
		.token = h->play.step.token,
		.runtime_us = clock_boot_us() - h->play.begun_us,
		.line = line,
	};

	tell_entry(&h->tell, &entry);
}

static void tell_begin(struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	unsigned runs = 0;
	char line[LINE_SIZE];

	for (unsigned i = 0; i < p->list.count; i++)
		runs += p->list.scripts[i].fd >= 0;
	snprintf(line, sizeof(line), "%s begins%s%s, token %" PRIu64 ": %u hook%s to run",
		event_name(h), p->step.replay ? " (replayed)" : "",
		p->step.confirmed ? " (confirmed)" : "", p->step.token, runs, plural(runs));
	tell_line(h, TELL_BEGIN, line);
	manager_tell(&h->manager, "STATUS=%s: running hooks", event_name(h));
}

/* A `leader` may end before all of it was done: it was lost, or given up. */
static void tell_end(struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	char failed[64] = "", line[LINE_SIZE];

	if (p->failed)
		snprintf(failed, sizeof(failed), ", %u not as wanted", p->failed);
	snprintf(line, sizeof(line), "%s %s after %" PRIu64 " ms: %u hook%s ran%s", event_name(h),
		p->whole ? "done" : "ended early", (clock_boot_us() - p->begun_us) / 1000, p->ran,
		plural(p->ran), failed);
	tell_line(h, TELL_END, line);
	manager_tell(&h->manager, "STATUS=%s, %u script%s ran%s", event_name(h), p->ran,
		plural(p->ran), failed);
}

/* What a person reads about one script; `doing` is "leader", or "start" for a unit. */
static void describe(const struct report *r, const char *doing, char *ret_line, size_t size)
{
	uint64_t ms = r->runtime_us / 1000;

	switch (r->result) {
	case REPORT_OK:
		snprintf(ret_line, size, "%s: %s done in %" PRIu64 " ms", r->script, doing, ms);
		return;
	case REPORT_FAILED:
		snprintf(ret_line, size, "%s: %s failed after %" PRIu64 " ms (exit status %d)",
			r->script, doing, ms, r->status);
		return;
	case REPORT_SIGNALLED:
		snprintf(ret_line, size, "%s: %s was killed after %" PRIu64 " ms (signal %d, %s)",
			r->script, doing, ms, r->status, strsignal(r->status));
		return;
	case REPORT_TIMED_OUT:
		snprintf(ret_line, size, "%s: %s took too long: ended after %" PRIu64 " ms",
			r->script, doing, ms);
		return;
	case REPORT_CUT:
		snprintf(ret_line, size, "%s: %s ended after %" PRIu64 " ms: leadership was lost",
			r->script, doing, ms);
		return;
	case REPORT_UNSTARTED:
		snprintf(ret_line, size, "%s: %s could not be started: %s", r->script, doing,
			strerror(r->status));
		return;
	case REPORT_REFUSED:
		snprintf(ret_line, size, "%s: refused, not run on %s", r->script, doing);
		return;
	case REPORT_LEFT_OUT:
		snprintf(ret_line, size, "%s: left out of %s: no time is left", r->script, doing);
		return;
	case REPORT_UNRECORDED:
		snprintf(ret_line, size, "%s: cannot be written, %s is not run: %s", r->script,
			doing, strerror(r->status));
		return;
	case REPORT_RESULTS:
		break;
	}
}

/* A script of one name failed or not; a unit is reported only when it fails or did before. */
static void conclude(struct hookd *h, struct report *r, const char *prefix, const char *doing)
{
	struct hookd_play *p = &h->play;
	char line[LINE_SIZE], whole[LINE_SIZE + 8];
	const struct tell_entry entry = {
		.kind = r->result == REPORT_OK ? TELL_OK : TELL_FAILED,
		.event = p->step.event,
		.domain = p->status.domain,
		.token = p->step.token,
		.hook = r->script,
		.result = report_result_name(r->result),
		.status = r->status,
		.runtime_us = r->runtime_us,
		.output = r->output,
		.line = whole,
	};
	const struct report *before = reports_find(h->reports, r->script);

	r->event = p->step.event;
	r->token = p->step.token;
	r->seq = p->told.seq;
	describe(r, doing, line, sizeof(line));
	snprintf(whole, sizeof(whole), "%s%s", prefix, line);
	tell_entry(&h->tell, &entry);
	p->failed += r->result != REPORT_OK;
	if (*prefix || r->result != REPORT_OK || (before && before->result != REPORT_OK))
		reports_add(h->reports, r);
}

/* ---- begin and end ----------------------------------------------------------------------- */

void hookd_play_free(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	if (p->begun)
		vet_close(&p->list);
	event_environment_free(p->environment);
	free(p->json);
	p->environment = NULL;
	p->json = NULL;
	p->begun = false;
}

static void end_play(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	p->ended = true;
	if (p->begun)
		tell_end(h);
	if (p->demotion && p->whole)
		h->owed = false;
}

/* What is true now is what all its scripts are told, however long they take. */
static void freeze(struct hookd *h, const struct hookplan_step *step)
{
	struct hookd_play *p = &h->play;

	hookd_play_free(h);
	p->step = *step;
	p->ended = p->whole = false;
	p->ran = p->failed = 0;
	p->demotion = h->owed && step->event != HOOKPLAN_LEADER && step->event != HOOKPLAN_MEMBERS;
	p->status = h->status;
	p->told = (struct event_told){
		.event = step->event,
		.old_role = h->shown_role,
		.token = step->token,
		.seq = h->seq,
		.replay = step->replay,
		.confirmed = step->confirmed,
		.reason = h->reason,
		.status = &p->status,
	};
	p->environment = event_environment(&p->told);
	p->json = event_json(&p->told);
}

static bool is_of_play(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_SCRIPT || step->type == HOOKPLAN_RECORD ||
		step->type == HOOKPLAN_TARGET_START || step->type == HOOKPLAN_TARGET_STOP;
}

/*
 * Looks at each step before it is done: a run ends where the next one, or something else, begins.
 * Only a release may be answered in the middle of a run, one that leads to nothing.
 */
void hookd_play_follow(struct hookd *h, const struct hookplan_step *step)
{
	struct hookd_play *p = &h->play;
	bool other = !is_of_play(step) || step->run != p->step.run;

	if (p->step.run && !p->ended && other && step->type != HOOKPLAN_RELEASED)
		end_play(h);
	if (is_of_play(step) && other)
		freeze(h, step);
}

static void begin_play(struct hookd *h)
{
	struct hookd_play *p = &h->play;
	const char *folder = NULL;

	if (p->begun)
		return;
	p->begun = true;
	p->begun_us = clock_boot_us();
	p->deadline_us = p->begun_us + h->timeout_us;
	p->list_error = vet_open(h->options->hook_dirs, &p->list, &folder);
	if (p->list_error)
		log_error("hookd", "cannot list the hooks in %s: %s", folder ? folder : "?",
			strerror(-p->list_error));
	if (p->step.event != HOOKPLAN_MEMBERS)
		h->shown_role = event_role(&p->told);
	tell_begin(h);
}

/* ---- commands ---------------------------------------------------------------------------- */

/*
 * When its time is over a demotion goes on in short steps, and no script of it gets less than such
 * a step because the one before took long. 0: nothing else goes on.
 */
static uint64_t command_deadline(const struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	uint64_t now = clock_boot_us();
	uint64_t step = h->timeout_us < HOOKD_LAST_US ? h->timeout_us : HOOKD_LAST_US;

	if (p->demotion && now + step > p->deadline_us)
		return now + step;
	return p->deadline_us > now ? p->deadline_us : 0;
}

static enum report_result result_of(const struct command_result *result)
{
	switch (result->end) {
	case COMMAND_EXITED:
		return result->status ? REPORT_FAILED : REPORT_OK;
	case COMMAND_SIGNALLED:
		return REPORT_SIGNALLED;
	case COMMAND_TIMED_OUT:
		return REPORT_TIMED_OUT;
	case COMMAND_CUT:
		return REPORT_CUT;
	case COMMAND_UNSTARTED:
	case COMMAND_ENDS:
		break;
	}
	return REPORT_UNSTARTED;
}

static void take_result(struct report *r, const struct command_result *result)
{
	r->result = result_of(result);
	r->status = result->status;
	r->runtime_us = result->ended_us - result->started_us;
	memcpy(r->output, result->output, sizeof(r->output));
}

static enum hookd_done end_of(const struct report *r)
{
	return r->result == REPORT_OK ? HOOKD_OK : HOOKD_FAILED;
}

static const struct vet_script *script_of(const struct hookd *h)
{
	return &h->play.list.scripts[h->step.index];
}

static struct report *new_report(struct report *r, const char *script, enum report_result result)
{
	*r = (struct report){ .result = result };
	snprintf(r->script, sizeof(r->script), "%s", script);
	return r;
}

static void script_ended(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct report r;

	command_free(h->command);
	h->command = NULL;
	take_result(new_report(&r, script_of(h)->name, REPORT_OK), result);
	h->play.ran++;
	conclude(h, &r, "hook ", event_name(h));
	hookd_done(h, end_of(&r));
}

/* ---- scripts ----------------------------------------------------------------------------- */

static int start_script(struct hookd *h, const struct vet_script *script, uint64_t deadline_us)
{
	struct hookd_play *p = &h->play;
	const char *const words[] = { script->path, event_name(h), p->status.domain, NULL };
	const struct command_order order = {
		.fd = script->fd,
		.argv = (char *const *)words,
		.envp = p->environment,
		.input = p->json,
		.input_size = p->json ? strlen(p->json) : 0,
		.deadline_us = deadline_us,
	};

	if (!p->environment || !p->json)
		return -ENOMEM;
	return command_start(&h->command, h->event, &order, script_ended, h);
}

static enum hookd_done not_run(
	struct hookd *h, const char *script, enum report_result result, int status, const char *why)
{
	struct report r;

	new_report(&r, script, result)->status = status;
	snprintf(r.output, sizeof(r.output), "%s", why);
	conclude(h, &r, "hook ", event_name(h));
	return HOOKD_FAILED;
}

static enum hookd_done play_script(struct hookd *h, const struct vet_script *script)
{
	uint64_t deadline_us = command_deadline(h);
	int r;

	if (script->masked)
		return HOOKD_OK;
	if (script->fd < 0)
		return not_run(h, script->name, REPORT_REFUSED, 0, script->reason);
	if (!deadline_us)
		return not_run(h, script->name, REPORT_LEFT_OUT, 0, "");
	r = start_script(h, script, deadline_us);
	return r ? not_run(h, script->name, REPORT_UNSTARTED, -r, "") : HOOKD_LATER;
}

enum hookd_done hookd_play_script(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	begin_play(h);
	if (h->step.index < p->list.count)
		return play_script(h, &p->list.scripts[h->step.index]);
	/* A folder that cannot be read counts as a script that failed. */
	if (p->list_error && h->step.index == p->list.count)
		return HOOKD_FAILED;
	p->whole = true;
	if (p->step.event != HOOKPLAN_LEADER)
		end_play(h);
	return HOOKD_NO_MORE;
}

/* Told when it begins to fail, and when it is over. */
void hookd_play_recorded(struct hookd *h, int error)
{
	struct report r;

	if (!error)
		h->owed = true;
	if (!error != h->unrecorded)
		return;
	h->unrecorded = error != 0;
	new_report(&r, PHASE_FILE_NAME, error ? REPORT_UNRECORDED : REPORT_OK)->status = -error;
	conclude(h, &r, "", error ? event_name(h) : "writing");
}

/* ---- units ------------------------------------------------------------------------------- */

static bool starts(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_TARGET_START || step->type == HOOKPLAN_ONLINE_START;
}

static bool is_online(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_ONLINE_START || step->type == HOOKPLAN_ONLINE_STOP;
}

static const char *unit_of(const struct hookd *h)
{
	return is_online(&h->step) ? h->target.online : h->target.leader;
}

static void unit_ended(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct report r;

	command_free(h->command);
	h->command = NULL;
	take_result(new_report(&r, unit_of(h), REPORT_OK), result);
	h->play.whole &= r.result != REPORT_CUT || is_online(&h->step);
	conclude(h, &r, "", starts(&h->step) ? "start" : "stop");
	hookd_done(h, end_of(&r));
}

static enum hookd_done unit_failed(struct hookd *h, enum report_result result, int status)
{
	struct report r;

	new_report(&r, unit_of(h), result)->status = status;
	conclude(h, &r, "", starts(&h->step) ? "start" : "stop");
	return HOOKD_FAILED;
}

static enum hookd_done run_systemctl(struct hookd *h, uint64_t deadline_us)
{
	static char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
		NULL };
	const char *words[TARGET_WORDS_MAX];
	const struct command_order order = {
		.fd = -1,
		.path = h->target.systemctl,
		.argv = (char *const *)words,
		.envp = environment,
		.deadline_us = deadline_us,
	};
	int r;

	target_words(&h->target, unit_of(h), starts(&h->step), !is_online(&h->step), words);
	r = command_start(&h->command, h->event, &order, unit_ended, h);
	return r ? unit_failed(h, REPORT_UNSTARTED, -r) : HOOKD_LATER;
}

/* The file is there before the target starts, and gone before it stops. */
enum hookd_done hookd_play_target(struct hookd *h)
{
	uint64_t deadline_us;
	int r;

	begin_play(h);
	if (!h->target.leader)
		return HOOKD_OK;
	deadline_us = command_deadline(h);
	if (!deadline_us)
		return unit_failed(h, REPORT_LEFT_OUT, 0);
	r = starts(&h->step) ? target_allow(&h->target) : target_forbid(&h->target);
	if (r)
		log_error("hookd", "cannot change %s: %s", h->target.file, strerror(-r));
	if (r && starts(&h->step))
		return unit_failed(h, REPORT_UNSTARTED, -r);
	return run_systemctl(h, deadline_us);
}

enum hookd_done hookd_play_online(struct hookd *h)
{
	if (!h->target.online)
		return HOOKD_OK;
	return run_systemctl(h, clock_boot_us() + h->timeout_us);
}
