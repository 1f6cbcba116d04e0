/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookplan: see hookplan.h. Each report only sets flags of what is due. hookplan_next() goes
 * through them, the most urgent first; hookplan_done() advances the run under way.
 */
#include "hookplan.h"

#include <assert.h>
#include <string.h>

/* ---- what happens ---------------------------------------------------------------------------- */

/* A `leader` was begun, or its record is being written, and its demotion has not begun. */
static bool leads(const struct hookplan *p)
{
	return p->running == HOOKPLAN_PROMOTION || (p->promoted && p->running != HOOKPLAN_DEMOTION);
}

/* The leadership that the scripts know has ended, even if the next view leads again. */
static void lose(struct hookplan *p)
{
	p->resign_due = false;
	p->start_failed = false;
	if (leads(p))
		p->demote_due = true;
}

static uint64_t token_begun(const struct hookplan *p)
{
	return p->running == HOOKPLAN_PROMOTION ? p->run.token : p->shown_token;
}

void hookplan_open(struct hookplan *p, const struct hookplan_phase *phase)
{
	memset(p, 0, sizeof(*p));
	p->phase = *phase;
	p->promoted = p->demote_due = phase->mark != HOOKPLAN_IDLE;
	p->shown_token = phase->token;
}

void hookplan_view(struct hookplan *p, const struct hookplan_view *view)
{
	bool led = view->role == ELECT_ROLE_LEADER;

	if (view->role != p->latest.role || view->token != p->latest.token)
		p->start_failed = false;
	p->latest = *view;
	p->known = true;
	p->members_due |= view->members;
	p->release_due &= !view->first;
	p->let_go &= led && !view->first;
	p->hold_over &= view->role == ELECT_ROLE_NONE && !view->awaits;
	if (!led || (leads(p) && view->token < token_begun(p)))
		lose(p);
}

void hookplan_lost(struct hookplan *p)
{
	p->latest = (struct hookplan_view){ .role = ELECT_ROLE_NONE };
	lose(p);
}

void hookplan_release(struct hookplan *p, uint64_t number, bool stop)
{
	p->release_due = true;
	p->release = number;
	p->let_go = true;
	lose(p);
	p->demote_stop |= stop && p->demote_due;
}

void hookplan_release_over(struct hookplan *p)
{
	p->release_due = false;
}

void hookplan_stop(struct hookplan *p)
{
	p->stopping = true;
	p->idle_failed = false; /* the last attempt before the end */
	lose(p);
}

void hookplan_resign_on_failure(struct hookplan *p, bool on)
{
	p->resign_on_failure = on;
}

/* The disk has the former record, or an unreadable one. Both make a demotion due after a crash. */
void hookplan_unwritten(struct hookplan *p)
{
	p->phase = (struct hookplan_phase){ HOOKPLAN_STARTED, 0 };
	p->idle_failed = true;
}

void hookplan_retry(struct hookplan *p)
{
	p->start_failed = false;
	p->idle_failed = false;
	p->target_failed = false;
}

void hookplan_look(struct hookplan *p)
{
	p->look_due = true;
}

static bool held(const struct hookplan *p)
{
	return p->shown == HOOK_FOLLOWER && !leads(p) && p->latest.role == ELECT_ROLE_NONE &&
		!p->hold_over && !p->stopping;
}

bool hookplan_holds(const struct hookplan *p)
{
	return held(p) && !p->latest.awaits;
}

void hookplan_hold_over(struct hookplan *p)
{
	p->hold_over |= hookplan_holds(p);
}

static bool obsolete(const struct hookplan *p)
{
	return p->demote_due && p->running != HOOKPLAN_NO_RUN;
}

static bool keeps_waiting(const struct hookplan *p)
{
	return p->stopping || (p->latest.role == ELECT_ROLE_LEADER && !p->promoted && !p->let_go);
}

bool hookplan_obsolete(const struct hookplan *p)
{
	bool look = p->step.type == HOOKPLAN_LOOK;
	bool unit = p->step.type == HOOKPLAN_ONLINE_START || p->step.type == HOOKPLAN_ONLINE_STOP ||
		p->step.type == HOOKPLAN_TARGET_AGAIN || look;

	return p->busy && (obsolete(p) || (p->demote_due && unit) || (look && keeps_waiting(p)));
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void show(struct hookplan *p, enum hook_event event, uint64_t token)
{
	p->shown = event;
	p->shown_token = token;
}

static void begin(struct hookplan *p, enum hookplan_run running, enum hook_event event)
{
	p->running = running;
	p->members_due = false; /* each run passes the present members */
	p->run = (struct hookplan_step){
		.type = HOOKPLAN_SCRIPT,
		.run = p->run.run + 1,
		.event = event,
		.token = p->latest.token,
	};
}

static void begin_promotion(struct hookplan *p)
{
	begin(p, HOOKPLAN_PROMOTION, HOOK_LEADER);
	p->run.type = HOOKPLAN_RECORD;
	p->run.phase = (struct hookplan_phase){ HOOKPLAN_STARTED, p->run.token };
	p->run.confirmed = p->promoted;
	p->run.replay = !p->played;
	p->target_down = p->target_up = false;
}

static enum hook_event demotion_event(const struct hookplan *p)
{
	if (p->stopping || p->demote_stop)
		return HOOK_STOP;
	return p->latest.role == ELECT_ROLE_FOLLOWER ? HOOK_FOLLOWER : HOOK_NONE;
}

static void begin_demotion(struct hookplan *p)
{
	begin(p, HOOKPLAN_DEMOTION, demotion_event(p));
	p->run.type = HOOKPLAN_TARGET_STOP;
	p->run.token = p->shown_token;
	p->run.replay = p->shown == HOOK_NOTHING;
	p->played |= p->run.event == HOOK_FOLLOWER;
	p->demote_due = p->demote_stop = p->target_down = false;
	p->target_up = p->look_due = false;
	show(p, p->run.event, p->latest.token);
}

static void begin_telling(struct hookplan *p, enum hook_event event)
{
	begin(p, HOOKPLAN_TELLING, event);
	if (event == HOOK_MEMBERS)
		return;
	p->run.replay = !p->played && event != HOOK_STOP;
	p->played = true;
	show(p, event, p->latest.token);
}

/* ---- what is due, the most urgent first ------------------------------------------------------ */

typedef bool due_fn(struct hookplan *p, struct hookplan_step *ret_step);

static bool give(struct hookplan_step *ret_step, enum hookplan_step_type type)
{
	*ret_step = (struct hookplan_step){ .type = type };
	return true;
}

static bool give_run(const struct hookplan *p, struct hookplan_step *ret_step)
{
	*ret_step = p->run;
	return true;
}

/* There is nothing to release, or no longer: electd need not wait for other steps. */
static bool release_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (!p->release_due || p->promoted || p->running == HOOKPLAN_PROMOTION)
		return false;
	give(ret_step, HOOKPLAN_RELEASED);
	ret_step->release = p->release;
	return true;
}

/* A run of a lost leadership is not continued: the demotion covers it. */
static bool run_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (obsolete(p))
		p->running = HOOKPLAN_NO_RUN;
	return p->running != HOOKPLAN_NO_RUN && give_run(p, ret_step);
}

static bool demotion_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (!p->demote_due)
		return false;
	assert(p->promoted);
	begin_demotion(p);
	return give_run(p, ret_step);
}

static bool resign_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	return p->resign_due && give(ret_step, HOOKPLAN_RESIGN);
}

static bool idle_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (p->promoted || p->phase.mark == HOOKPLAN_IDLE || p->idle_failed)
		return false;
	*ret_step = p->run;
	ret_step->type = HOOKPLAN_RECORD;
	ret_step->phase = (struct hookplan_phase){ HOOKPLAN_IDLE, 0 };
	return true;
}

static bool stop_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (!p->stopping)
		return false;
	if (p->shown != HOOK_STOP) {
		begin_telling(p, HOOK_STOP);
		return give_run(p, ret_step);
	}
	return give(ret_step, p->online ? HOOKPLAN_ONLINE_STOP : HOOKPLAN_EXIT);
}

/* All steps below wait until electd has reported a view, and until a failed record is retried. */
static bool wait_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	return (!p->known || p->start_failed) && give(ret_step, HOOKPLAN_WAIT);
}

/* After a `stop`, a lost connection to electd is no news. */
static bool is_shown(const struct hookplan *p, enum hook_event event)
{
	if (event == HOOK_NONE)
		return p->shown == HOOK_NONE || p->shown == HOOK_STOP;
	return p->shown == event && p->shown_token == p->latest.token;
}

static bool state_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	static const enum hook_event events[ELECT_ROLES] = {
		[ELECT_ROLE_NONE] = HOOK_NONE,
		[ELECT_ROLE_FOLLOWER] = HOOK_FOLLOWER,
		[ELECT_ROLE_LEADER] = HOOK_LEADER,
	};
	enum hook_event event = p->let_go ? HOOK_NONE : events[p->latest.role];

	if (is_shown(p, event)) {
		p->played = true;
		return false;
	}
	if (event == HOOK_LEADER)
		begin_promotion(p);
	else
		begin_telling(p, event);
	return give_run(p, ret_step);
}

static bool promotion_held(const struct hookplan *p)
{
	return p->latest.promoting && p->latest.role == ELECT_ROLE_LEADER && !p->promoted &&
		!p->let_go;
}

/* Steps that belong to that `none` are held back too: a target that is stopped now would be started
   again at once. */
static bool hold_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	return (held(p) || promotion_held(p)) && give(ret_step, HOOKPLAN_WAIT);
}

static bool members_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (!p->members_due || p->shown == HOOK_STOP)
		return false;
	begin_telling(p, HOOK_MEMBERS);
	return give_run(p, ret_step);
}

/*
 * Units that are bound to the target may still be stopping from the last time, and a start does not
 * wait for them; or something other than electd-hookd stopped the target. Retry until it is up,
 * because a leader would otherwise run nothing.
 */
static bool target_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	return p->target_down && !p->target_failed && give(ret_step, HOOKPLAN_TARGET_AGAIN);
}

static bool online_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	bool wanted = p->latest.role != ELECT_ROLE_NONE;

	return wanted != p->online &&
		give(ret_step, wanted ? HOOKPLAN_ONLINE_START : HOOKPLAN_ONLINE_STOP);
}

/*
 * On a leader only while the target is up. On a host that no longer leads, failed units are
 * inspected again. The flag is cleared first: a request that arrives during this inspection causes
 * another one, because this one may have read a state before it changed.
 */
static bool look_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	if (!p->look_due || (!p->target_up && p->promoted))
		return false;
	p->look_due = false;
	return give(ret_step, HOOKPLAN_LOOK);
}

static bool nothing_due(struct hookplan *p, struct hookplan_step *ret_step)
{
	(void)p;
	return give(ret_step, HOOKPLAN_WAIT);
}

void hookplan_next(struct hookplan *p, struct hookplan_step *ret_step)
{
	static due_fn *const dues[] = { release_due, run_due, demotion_due, resign_due, idle_due,
		stop_due, wait_due, hold_due, state_due, members_due, target_due, online_due,
		look_due, nothing_due };

	for (size_t i = 0; !p->busy && i < sizeof(dues) / sizeof(dues[0]); i++) {
		if (!dues[i](p, &p->step))
			continue;
		if (p->step.type == HOOKPLAN_WAIT || p->step.type == HOOKPLAN_EXIT)
			break;
		p->busy = true;
	}
	*ret_step = p->step;
}

/* ---- what came of it ------------------------------------------------------------------------- */

/* With resign_on_failure a failed `leader` run ends here, unless a demotion is already due. */
static bool gives_up(struct hookplan *p, enum hookplan_result result)
{
	if (result != HOOKPLAN_FAILED || p->running != HOOKPLAN_PROMOTION ||
		!p->resign_on_failure || p->demote_due)
		return false;
	p->resign_due = true;
	return true;
}

static void started_done(struct hookplan *p, enum hookplan_result result)
{
	if (result == HOOKPLAN_OK) {
		p->promoted = true;
		p->run.type = HOOKPLAN_SCRIPT;
		p->played = true;
		show(p, HOOK_LEADER, p->run.token);
		return;
	}
	gives_up(p, result);
	p->running = HOOKPLAN_NO_RUN;
	p->start_failed = !p->demote_due;
	p->demote_due &= p->promoted;
	p->demote_stop &= p->promoted;
}

static void record_done(struct hookplan *p, enum hookplan_result result)
{
	/* A failed write may leave anything on the disk, so assume that a demotion is due. */
	p->phase = result == HOOKPLAN_OK ? p->step.phase
					 : (struct hookplan_phase){ HOOKPLAN_STARTED, 0 };
	switch (p->step.phase.mark) {
	case HOOKPLAN_IDLE:
		p->idle_failed = result != HOOKPLAN_OK;
		break;
	case HOOKPLAN_STARTED:
		started_done(p, result);
		break;
	case HOOKPLAN_MARKS:
		assert(false);
	}
}

static void scripts_over(struct hookplan *p)
{
	if (p->running == HOOKPLAN_PROMOTION)
		p->run.type = HOOKPLAN_TARGET_START;
	else if (p->running == HOOKPLAN_DEMOTION)
		p->run.type = HOOKPLAN_ENDED;
	else
		p->running = HOOKPLAN_NO_RUN;
}

static void demoted(struct hookplan *p)
{
	p->promoted = false;
	p->idle_failed = false;
	p->running = HOOKPLAN_NO_RUN;
}

static void script_done(struct hookplan *p, enum hookplan_result result)
{
	p->run.index++;
	if (gives_up(p, result))
		p->running = HOOKPLAN_NO_RUN;
	else if (result == HOOKPLAN_NO_MORE)
		scripts_over(p);
}

static void target_tried(struct hookplan *p, enum hookplan_result result)
{
	p->target_down = p->target_failed = result != HOOKPLAN_OK;
	p->target_up = result == HOOKPLAN_OK;
}

/* The leader's work is incomplete: hand over, or start a stopped target again. */
static void looked(struct hookplan *p, enum hookplan_result result)
{
	if (result == HOOKPLAN_OK || !p->target_up || p->demote_due)
		return;
	p->resign_due |= p->resign_on_failure;
	if (result == HOOKPLAN_DOWN && !p->resign_on_failure) {
		p->target_down = true;
		p->target_up = false;
	}
}

static void target_start_done(struct hookplan *p, enum hookplan_result result)
{
	if (!gives_up(p, result))
		target_tried(p, result);
	p->running = HOOKPLAN_NO_RUN;
}

void hookplan_done(struct hookplan *p, enum hookplan_result result)
{
	assert(p->busy);
	assert(result != HOOKPLAN_NO_MORE || p->step.type == HOOKPLAN_SCRIPT);
	assert(result != HOOKPLAN_DOWN || p->step.type == HOOKPLAN_LOOK);
	assert(result == HOOKPLAN_OK || p->step.type != HOOKPLAN_ENDED);
	p->busy = false;
	switch (p->step.type) {
	case HOOKPLAN_RECORD:
		record_done(p, result);
		break;
	case HOOKPLAN_SCRIPT:
		script_done(p, result);
		break;
	case HOOKPLAN_TARGET_START:
		target_start_done(p, result);
		break;
	case HOOKPLAN_TARGET_AGAIN:
		target_tried(p, result);
		break;
	case HOOKPLAN_TARGET_STOP:
		p->run.type = HOOKPLAN_SCRIPT;
		break;
	case HOOKPLAN_ENDED:
		demoted(p);
		break;
	case HOOKPLAN_ONLINE_START:
	case HOOKPLAN_ONLINE_STOP: /* not retried if it failed */
		p->online = p->step.type == HOOKPLAN_ONLINE_START;
		break;
	case HOOKPLAN_RELEASED:
		p->release_due &= p->release != p->step.release;
		break;
	case HOOKPLAN_RESIGN:
		p->resign_due = false;
		break;
	case HOOKPLAN_LOOK:
		looked(p, result);
		break;
	case HOOKPLAN_WAIT:
	case HOOKPLAN_EXIT:
	case HOOKPLAN_STEPS:
		assert(false);
	}
}
