/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop: the stop of the leader target, and the end of a demotion's work. The stop has ended only
 * when systemctl has reported its end: until then a unit that is bound to the target acts on
 * leadership. When the time of the event is over, the scripts begin while the stop goes on.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <stdio.h>
#include <string.h>

enum {
	NOT_LOADED = 5,		  /* exit status of systemctl(1): there is no such unit */
	HANGING_LOOK_US = 100000, /* between two looks at a script that hangs */
};

static bool is_absent(const struct report *r)
{
	return r->result == HOOK_RESULT_FAILED && r->status == NOT_LOADED;
}

static bool waits(const struct hookd *h, enum hookplan_step_type type)
{
	return h->pending && h->step.type == type;
}

static void conclude(struct hookd *h, struct report *r)
{
	r->event = h->play.role;
	r->runtime_us = clock_boot_us() - h->stop.begun_us;
	hookd_conclude(h, r, "", "stop");
}

/* ---- systemctl stop ---------------------------------------------------------------------- */

/*
 * Repeats the stop, because units may still run: a manager that was just replaced closes
 * systemctl's connection, and a start by another program replaces the job.
 */
static void ask_later(struct hookd *h, const struct report *r)
{
	struct hookd_stop *s = &h->stop;

	s->last = *r;
	s->pause_us = s->pause_us ? 2 * s->pause_us : HOOKD_AGAIN_US;
	if (s->pause_us > HOOKD_RETRY_US)
		s->pause_us = HOOKD_RETRY_US;
	timer_in(s->again, s->pause_us);
}

static void has_ended(struct hookd *h, struct report *r)
{
	h->stop.under_way = false;
	timer_off(h->stop.late);
	command_free(h->stop.show);
	h->stop.show = NULL;
	conclude(h, r);
	if (waits(h, HOOKPLAN_ENDED))
		hookd_step_on_again(NULL, 0, h);
	else if (waits(h, HOOKPLAN_TARGET_STOP))
		h->done(h, HOOKD_OK);
}

static void on_ended(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct report r;

	command_free(h->stop.command);
	h->stop.command = NULL;
	hookd_take_result(hookd_report(h, &r, h->target.leader, HOOK_RESULT_OK), result);
	if (r.result == HOOK_RESULT_OK || is_absent(&r))
		has_ended(h, &r);
	else
		ask_later(h, &r);
}

static void ask(struct hookd *h)
{
	const char *words[TARGET_WORDS_MAX];
	struct report r;
	int error;

	target_words(&h->target, h->target.leader, false, true, words);
	error = hookd_unit_systemctl(h, &h->stop.command, words, UINT64_MAX, on_ended);
	if (!error)
		return;
	hookd_report(h, &r, h->target.leader, HOOK_RESULT_UNSTARTED)->status = -error;
	ask_later(h, &r);
}

int hookd_stop_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	ask(user);
	return 0;
}

/* The time of the event is over; the stop goes on, or is still refused. */
int hookd_stop_on_late(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;
	struct report r = h->stop.last;

	(void)source;
	(void)at_us;
	if (!waits(h, HOOKPLAN_TARGET_STOP))
		return 0;
	if (h->stop.command)
		hookd_report(h, &r, h->target.leader, HOOK_RESULT_TIMED_OUT)->goes_on = true;
	conclude(h, &r);
	h->done(h, HOOKD_FAILED);
	return 0;
}

enum hookd_done hookd_stop(struct hookd *h)
{
	struct hookd_stop *s = &h->stop;
	int r;

	hookd_play_begin(h);
	if (!h->target.leader)
		return HOOKD_OK;
	r = target_forbid(&h->target);
	if (r)
		log_error("hookd", "cannot change %s: %s", h->target.file, strerror(-r));
	s->under_way = true;
	s->begun_us = clock_boot_us();
	s->pause_us = 0;
	timer_at(s->late, hookd_play_deadline(h));
	ask(h);
	return HOOKD_LATER;
}

bool hookd_stop_refused(const struct hookd *h)
{
	return h->stop.under_way && !h->stop.command;
}

/* ---- the end of all of it ---------------------------------------------------------------- */

enum hookd_done hookd_stop_ended(struct hookd *h)
{
	timer_off(h->step_again);
	if (hookd_play_hangs(h)) {
		timer_in(h->step_again, HANGING_LOOK_US);
		return HOOKD_LATER;
	}
	if (h->stop.under_way)
		return HOOKD_LATER;
	hookd_play_end(h);
	return HOOKD_OK;
}

/* ---- electd waits no longer -------------------------------------------------------------- */

static void overran(struct hookd *h, const char *name, enum report_kind kind)
{
	struct report r;

	hookd_report(h, &r, name, HOOK_RESULT_OVERRAN);
	r.event = h->play.role;
	r.kind = kind;
	r.runtime_us = clock_boot_us() - h->play.begun_us;
	hookd_conclude(h, &r, "", kind == REPORT_HOOK ? hook_event_name(r.event) : "stop");
}

static void name_units(struct hookd *h);

static void on_shown(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	struct bound_units stopping;

	command_free(h->stop.show);
	h->stop.show = NULL;
	bound_stopping(result->output, &stopping);
	for (unsigned i = 0; i < stopping.count; i++)
		overran(h, stopping.names[i], REPORT_BOUND);
	h->stop.named += stopping.count;
	name_units(h);
}

/* Asks about some bound units at a time. If none is found to be stopping, names the target. */
static void name_units(struct hookd *h)
{
	struct hookd_stop *s = &h->stop;

	if (!s->under_way)
		return;
	if (s->asked < h->bound.count &&
		!hookd_unit_show(h, &s->show, BOUND_STOPPING, NULL, &s->asked,
			clock_boot_us() + HOOKD_LOOK_MOST_US, on_shown))
		return;
	if (!s->named)
		overran(h, h->target.leader, REPORT_OTHER);
}

void hookd_stop_overran(struct hookd *h)
{
	if (!h->play.demotion || !h->play.begun || h->play.ended)
		return;
	for (unsigned i = 0; i < h->left_count; i++)
		overran(h, h->left[i].name, REPORT_HOOK);
	if (waits(h, HOOKPLAN_SCRIPT) && h->command)
		overran(h, hookd_play_script_name(h), REPORT_HOOK);
	if (!h->stop.under_way || h->stop.show)
		return;
	h->stop.asked = h->stop.named = 0;
	name_units(h);
}

void hookd_stop_free(struct hookd *h)
{
	command_free(h->stop.command);
	command_free(h->stop.show);
	sd_event_source_disable_unref(h->stop.again);
	sd_event_source_disable_unref(h->stop.late);
}
