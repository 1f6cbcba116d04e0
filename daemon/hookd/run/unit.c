/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit: the steps that run systemctl, except the stop of the leader target: the start of the
 * target, and the online target.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <errno.h>
#include <string.h>

enum { SHOWN_MAX = 8 }; /* units whose properties fit into the output that a command keeps */

static bool starts(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_TARGET_START || step->type == HOOKPLAN_TARGET_AGAIN ||
		step->type == HOOKPLAN_ONLINE_START;
}

static bool is_online(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_ONLINE_START || step->type == HOOKPLAN_ONLINE_STOP;
}

static const char *unit_of(const struct hookd *h)
{
	return is_online(&h->step) ? h->target.online : h->target.leader;
}

/* An attempt with the same result as the one before is not reported again. */
static bool is_known(const struct hookd *h, const struct report *r)
{
	const struct report *before = reports_find(h->reports, r->script, r->event);

	return before && before->result == r->result && before->status == r->status;
}

/* Reports under the role event, whatever ran since, because units follow the role. */
static enum hookd_done conclude(struct hookd *h, struct report *r)
{
	bool again = h->step.type == HOOKPLAN_TARGET_AGAIN;

	r->event = h->play.role;
	if (r->result == HOOK_RESULT_OK || !again || !is_known(h, r))
		hookd_conclude(h, r, "", starts(&h->step) ? "start" : "stop");
	if (r->result != HOOK_RESULT_OK && (again || h->step.type == HOOKPLAN_TARGET_START))
		timer_in(h->retry, HOOKD_RETRY_US);
	return hookd_end_of(r);
}

static void unit_ended(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct report r;

	command_free(h->command);
	h->command = NULL;
	hookd_take_result(hookd_report(h, &r, unit_of(h), HOOK_RESULT_OK), result);
	if (h->step.type == HOOKPLAN_TARGET_START)
		h->play.whole &= r.result != HOOK_RESULT_CUT;
	h->done(h, conclude(h, &r));
}

static enum hookd_done unit_failed(struct hookd *h, enum hook_result result, int status)
{
	struct report r;

	hookd_report(h, &r, unit_of(h), result)->status = status;
	return conclude(h, &r);
}

int hookd_unit_systemctl(struct hookd *h, struct command **ret_command, const char *const *words,
	uint64_t deadline_us, command_ended_fn *ended)
{
	static char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
		NULL };
	const struct command_order order = {
		.fd = -1,
		.path = h->target.systemctl,
		.argv = (char *const *)words,
		.envp = environment,
		.deadline_us = deadline_us,
	};

	return command_start(ret_command, h->event, &order, ended, h);
}

int hookd_unit_show(struct hookd *h, struct command **ret_command, const char *properties,
	const char *first, unsigned *asked, uint64_t deadline_us, command_ended_fn *ended)
{
	const char *words[TARGET_SHOW_WORDS + SHOWN_MAX + 1];
	unsigned n = target_show_words(&h->target, false, properties, words), end = n + SHOWN_MAX;

	if (first)
		words[n++] = first;
	while (n < end && *asked < h->bound.count)
		words[n++] = h->bound.names[(*asked)++];
	words[n] = NULL;
	return hookd_unit_systemctl(h, ret_command, words, deadline_us, ended);
}

static enum hookd_done run_systemctl(struct hookd *h, uint64_t deadline_us)
{
	const char *words[TARGET_WORDS_MAX];
	int r;

	target_words(&h->target, unit_of(h), starts(&h->step), !is_online(&h->step), words);
	r = hookd_unit_systemctl(h, &h->command, words, deadline_us, unit_ended);
	return r ? unit_failed(h, HOOK_RESULT_UNSTARTED, -r) : HOOKD_LATER;
}

enum hookd_done hookd_unit_leader(struct hookd *h)
{
	uint64_t deadline_us;
	int r;

	hookd_play_begin(h);
	if (!h->target.leader)
		return HOOKD_OK;
	deadline_us = hookd_play_deadline(h);
	if (!deadline_us)
		return unit_failed(h, HOOK_RESULT_LEFT_OUT, 0);
	r = target_allow(&h->target);
	if (r) {
		log_error("hookd", "cannot change %s: %s", h->target.file, strerror(-r));
		return unit_failed(h, HOOK_RESULT_UNSTARTED, -r);
	}
	return run_systemctl(h, deadline_us);
}

/* This start belongs to no run, so it has a time of its own. */
enum hookd_done hookd_unit_again(struct hookd *h)
{
	int r = target_allow(&h->target);

	if (r)
		return unit_failed(h, HOOK_RESULT_UNSTARTED, -r);
	return run_systemctl(h, clock_boot_us() + h->timeout_us);
}

enum hookd_done hookd_unit_online(struct hookd *h)
{
	if (!h->target.online)
		return HOOKD_OK;
	return run_systemctl(h, clock_boot_us() + h->timeout_us);
}
