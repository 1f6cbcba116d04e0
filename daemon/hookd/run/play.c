/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play: one run of one event: the values that its scripts get, their time, and their results. A
 * `leader` run that is out of time, or was lost, leaves out the rest; a demotion never does.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of the whole list in reports, if it cannot be read. */
#define LIST "hooks.d"

static const char *event_name(const struct hookd *h)
{
	return hook_event_name(h->play.step.event);
}

/* ---- begin and end ----------------------------------------------------------------------- */

/*
 * Each script that ran on leader must be demoted, whatever happens to its name. Its file stays
 * open, with those of earlier runs of the same leadership.
 */
static void keep_promoted(struct hookd *h)
{
	if (vet_keep(&h->play.list, &h->promoted))
		log_error("hookd", "no memory for the scripts of an earlier leader");
	h->promoted = h->play.list;
	h->play.list = (struct vet_list){ 0 };
}

static void forget_lister(struct hookd *h)
{
	if (!h->play.lister)
		return;
	lister_abandon(h->play.lister);
	h->play.lister = NULL;
	timer_off(h->list_late);
}

void hookd_play_free(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	forget_lister(h);
	if (p->step.event == HOOK_LEADER && p->begun)
		keep_promoted(h);
	vet_close(&p->list);
	given_environment_free(p->environment);
	free(p->json);
	p->environment = NULL;
	p->json = NULL;
	p->begun = p->listed = p->shown = false;
}

void hookd_play_end(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	p->ended = true;
	if (p->shown)
		hookd_tell_end(h);
	if (p->step.event == HOOK_LEADER && p->whole) {
		h->promoted_token = p->step.token;
		hookd_answer_promoted(h);
	}
	if (p->demotion && p->whole) {
		h->owed = false;
		vet_close(&h->promoted);
	}
}

/* Fixes the values that all scripts of the run get, however long they take. */
static void freeze(struct hookd *h, const struct hookplan_step *step)
{
	struct hookd_play *p = &h->play;

	hookd_play_free(h);
	p->step = *step;
	p->role = step->event == HOOK_MEMBERS ? p->role : step->event;
	p->ended = p->whole = false;
	p->ran = p->failed = 0;
	p->give_up_us = 0;
	if (step->event != HOOK_MEMBERS) {
		h->promoted_token = 0;
		hookd_answer_promoted(h);
	}
	p->demotion = h->owed && step->event != HOOK_LEADER && step->event != HOOK_MEMBERS;
	event_status_copy(&p->status, &h->status);
	definition_follow(&h->definition, h->status.definition, p->status.definition);
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
	p->environment = given_environment(&p->told);
	p->json = given_json(&p->told);
}

static bool is_of_play(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_SCRIPT || step->type == HOOKPLAN_RECORD ||
		step->type == HOOKPLAN_TARGET_START || step->type == HOOKPLAN_TARGET_STOP ||
		step->type == HOOKPLAN_ENDED;
}

/*
 * Looks at each step before it is done: a run ends when the next run or something else begins. Only
 * a release may be answered in the middle of a run, and only of a run without a promotion.
 */
void hookd_play_follow(struct hookd *h, const struct hookplan_step *step)
{
	struct hookd_play *p = &h->play;
	bool other = !is_of_play(step) || step->run != p->step.run;

	if (p->step.run && !p->ended && other && step->type != HOOKPLAN_RELEASED)
		hookd_play_end(h);
	if (is_of_play(step) && other)
		freeze(h, step);
}

/* ---- which scripts ----------------------------------------------------------------------- */

static void tell_older(const struct vet_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->scripts[i].older)
			log_warning("hookd",
				"%s: cannot run any more, so the file that ran on leader runs",
				list->scripts[i].path);
}

/* Scripts may run: the list is there, and so is the record. */
static void show_begin(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	if (!p->begun || !p->listed || p->shown)
		return;
	p->shown = true;
	hookd_tell_begin(h);
}

/* A list that is not complete is enough for a demotion only. */
static void take_list(struct hookd *h, int error, const char *folder)
{
	struct hookd_play *p = &h->play;

	p->listed = true;
	p->list_error = error;
	p->list_folder = folder;
	if (p->demotion)
		tell_older(&p->list);
	else if (error)
		vet_close(&p->list);
	show_begin(h);
}

/* Demotes the scripts that ran on leader, which are open, even if the disk of the folders hangs. */
static void take_no_list(struct hookd *h, int error)
{
	struct hookd_play *p = &h->play;

	if (p->demotion) {
		p->list = h->promoted;
		h->promoted = (struct vet_list){ 0 };
	}
	take_list(h, error, "");
}

static void go_on(struct hookd *h)
{
	if (h->pending && h->step.type == HOOKPLAN_SCRIPT)
		hookd_step_on_again(NULL, 0, h);
}

static void on_listed(void *user, int error, struct vet_list *list, const char *folder)
{
	struct hookd *h = user;

	h->play.lister = NULL;
	timer_off(h->list_late);
	h->play.list = *list;
	take_list(h, error, folder);
	go_on(h);
}

int hookd_play_on_list_late(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)at_us;
	if (!h->play.lister)
		return 0;
	forget_lister(h);
	take_no_list(h, -ETIMEDOUT);
	go_on(h);
	return 0;
}

bool hookd_play_abandon(struct hookd *h)
{
	if (h->step.type != HOOKPLAN_SCRIPT || h->play.listed)
		return false;
	forget_lister(h);
	h->pending = false;
	hookplan_done(&h->plan, HOOKPLAN_FAILED);
	return true;
}

void hookd_play_list(struct hookd *h)
{
	struct hookd_play *p = &h->play;
	int r;

	if (p->lister || p->listed)
		return;
	r = lister_begin(&p->lister, h->event, h->options->hook_dirs,
		p->demotion ? &h->promoted : NULL, on_listed, h);
	if (r)
		take_no_list(h, r);
	else
		timer_in(h->list_late, p->demotion ? HOOKD_LAST_US : h->timeout_us);
}

void hookd_play_begin(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	if (p->begun)
		return;
	p->begun = true;
	p->begun_us = clock_boot_us();
	p->deadline_us = p->begun_us + h->timeout_us;
	if (p->step.event != HOOK_MEMBERS)
		h->shown_role = given_role(&p->told);
	hookd_play_list(h);
	show_begin(h);
}

/* ---- commands ---------------------------------------------------------------------------- */

/*
 * A demotion whose time is over goes on in short steps, and each of its scripts gets at least one
 * such step, however long the one before took. 0, for other runs: nothing more starts.
 */
uint64_t hookd_play_deadline(const struct hookd *h)
{
	const struct hookd_play *p = &h->play;
	uint64_t now = clock_boot_us();
	uint64_t step = h->timeout_us < HOOKD_LAST_US ? h->timeout_us : HOOKD_LAST_US;

	if (p->demotion && now + step > p->deadline_us)
		return now + step;
	return p->deadline_us > now ? p->deadline_us : 0;
}

bool hookd_play_again(struct hookd *h, uint64_t until_us)
{
	uint64_t at_us = clock_boot_us() + HOOKD_AGAIN_US;

	if (at_us >= until_us)
		return false;
	timer_at(h->step_again, at_us);
	return true;
}

static const struct vet_script *script_of(const struct hookd *h)
{
	return &h->play.list.scripts[h->step.index];
}

const char *hookd_play_script_name(const struct hookd *h)
{
	return script_of(h)->name;
}

/* Errors that usually pass soon: somebody writes to the file, or a resource is short. */
static bool may_pass(int error)
{
	return error == ETXTBSY || error == EAGAIN || error == ENOMEM || error == EMFILE ||
		error == ENFILE;
}

static bool start_again(struct hookd *h, int error)
{
	struct hookd_play *p = &h->play;
	uint64_t last_us = clock_boot_us() + HOOKD_LAST_US;

	if (!p->demotion || !may_pass(error))
		return false;
	if (!p->give_up_us)
		p->give_up_us = last_us > p->deadline_us ? last_us : p->deadline_us;
	return hookd_play_again(h, p->give_up_us);
}

/* If there are too many of them, only the first ones are waited for. */
static void keep_left(struct hookd *h, const char *name, pid_t pid)
{
	struct hookd_left *left = &h->left[h->left_count];

	if (h->left_count == sizeof(h->left) / sizeof(h->left[0]))
		return;
	left->pid = pid;
	snprintf(left->name, sizeof(left->name), "%s", name);
	h->left_count++;
}

bool hookd_play_hangs(struct hookd *h)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->left_count; i++)
		if (command_hangs(h->left[i].pid))
			h->left[count++] = h->left[i];
	h->left_count = count;
	return count > 0;
}

static void script_ended(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct report r;

	command_free(h->command);
	h->command = NULL;
	hookd_take_result(hookd_report(h, &r, script_of(h)->name, HOOK_RESULT_OK), result);
	if (result->end == COMMAND_UNSTARTED && start_again(h, result->status))
		return;
	if (result->left)
		keep_left(h, script_of(h)->name, result->left);
	h->play.give_up_us = 0;
	h->play.ran++;
	hookd_conclude(h, &r, "hook ", event_name(h));
	h->done(h, hookd_end_of(&r));
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
	struct hookd *h, const char *script, enum hook_result result, int status, const char *why)
{
	struct report r;

	hookd_report(h, &r, script, result)->status = status;
	snprintf(r.output, sizeof(r.output), "%s", why);
	hookd_conclude(h, &r, "hook ", event_name(h));
	return HOOKD_FAILED;
}

static void list_is_good(struct hookd *h)
{
	const struct report *before = reports_find(h->reports, LIST, h->play.step.event);
	struct report r;

	if (h->play.list_error || !before || before->result == HOOK_RESULT_OK)
		return;
	hookd_conclude(h, hookd_report(h, &r, LIST, HOOK_RESULT_OK), "", "reading");
}

static enum hookd_done play_script(struct hookd *h, const struct vet_script *script)
{
	struct hookd_play *p = &h->play;
	uint64_t deadline_us = hookd_play_deadline(h);
	int r;

	if (script->masked)
		return HOOKD_OK;
	if (script->fd < 0)
		return not_run(h, script->name, HOOK_RESULT_REFUSED, 0, script->reason);
	if (!deadline_us)
		return not_run(h, script->name, HOOK_RESULT_LEFT_OUT, 0, "");
	r = start_script(h, script, deadline_us);
	if (!r || start_again(h, -r))
		return HOOKD_LATER;
	p->give_up_us = 0;
	return not_run(h, script->name, HOOK_RESULT_UNSTARTED, -r, "");
}

/* A refused script counts, because each run reports it. */
static bool would_run(const void *user, const char *script)
{
	const struct vet_list *list = user;

	for (unsigned i = 0; i < list->count; i++)
		if (!strcmp(list->scripts[i].name, script))
			return !list->scripts[i].masked;
	return false;
}

enum hookd_done hookd_play_script(struct hookd *h)
{
	struct hookd_play *p = &h->play;

	hookd_play_begin(h);
	if (!p->listed)
		return HOOKD_LATER;
	if (h->step.index < p->list.count)
		return play_script(h, &p->list.scripts[h->step.index]);
	/* A folder that cannot be read counts as a script that failed. */
	if (p->list_error && h->step.index == p->list.count)
		return not_run(h, LIST, HOOK_RESULT_UNSTARTED, -p->list_error, p->list_folder);
	list_is_good(h);
	if (!p->list_error)
		reports_gone(h->reports, REPORT_HOOK, would_run, &p->list);
	p->whole = true;
	if (p->step.event != HOOK_LEADER && !p->demotion)
		hookd_play_end(h);
	return HOOKD_NO_MORE;
}

/* Reports the first failure, and the first success after it. */
void hookd_play_recorded(struct hookd *h, int error)
{
	struct report r;

	if (!error && !h->owed)
		h->promoted_us = hookd_manager_us(h);
	if (!error)
		h->owed = true;
	if (!error != h->unrecorded)
		return;
	h->unrecorded = error != 0;
	hookd_report(h, &r, PHASE_FILE_NAME, error ? HOOK_RESULT_UNRECORDED : HOOK_RESULT_OK)
		->status = -error;
	hookd_conclude(h, &r, "", error ? event_name(h) : "writing");
}
