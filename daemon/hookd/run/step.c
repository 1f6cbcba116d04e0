/* SPDX-License-Identifier: Apache-2.0 */
/* step: does the steps that the plan names, one at a time, until there is nothing to do now. */
#include "inside.h"

#include "hookd/loop/timer.h"

static enum hookplan_result result_of(enum hookd_done done)
{
	static const enum hookplan_result results[] = {
		[HOOKD_OK] = HOOKPLAN_OK,
		[HOOKD_FAILED] = HOOKPLAN_FAILED,
		[HOOKD_NO_MORE] = HOOKPLAN_NO_MORE,
		[HOOKD_DOWN] = HOOKPLAN_DOWN,
	};

	return results[done];
}

static enum hookd_done do_step(struct hookd *h)
{
	switch (h->step.type) {
	case HOOKPLAN_RECORD:
		return hookd_record(h);
	case HOOKPLAN_SCRIPT:
		return hookd_play_script(h);
	case HOOKPLAN_TARGET_START:
		return hookd_unit_leader(h);
	case HOOKPLAN_TARGET_STOP:
		return hookd_stop(h);
	case HOOKPLAN_ENDED:
		return hookd_stop_ended(h);
	case HOOKPLAN_TARGET_AGAIN:
		return hookd_unit_again(h);
	case HOOKPLAN_ONLINE_START:
	case HOOKPLAN_ONLINE_STOP:
		return hookd_unit_online(h);
	case HOOKPLAN_RELEASED:
		return hookd_answer_release(h);
	case HOOKPLAN_RESIGN:
		return hookd_answer_resign(h);
	case HOOKPLAN_LOOK:
		return hookd_look(h);
	case HOOKPLAN_EXIT:
		h->exiting = true;
		if (!h->owed) /* first, because electd waits for a holder that ends later */
			link_let_go(h->link);
		hookd_answer_leave(h);
		return HOOKD_LATER;
	case HOOKPLAN_WAIT:
	case HOOKPLAN_STEPS:
		break;
	}
	return HOOKD_LATER;
}

int hookd_step_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;
	enum hookd_done done = do_step(h);

	(void)source;
	(void)at_us;
	if (done != HOOKD_LATER)
		hookd_step_done(h, done);
	return 0;
}

int hookd_step_on_hold_over(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)at_us;
	hookplan_hold_over(&h->plan);
	hookd_pump(h);
	return 0;
}

/* The time runs from when the plan first holds a step back, whatever runs then. */
static void look_at_hold(struct hookd *h)
{
	bool holds = hookplan_holds(&h->plan);

	if (holds && !h->holding)
		timer_in(h->hold, HOOKPLAN_HOLD_US);
	else if (!holds)
		timer_off(h->hold);
	h->holding = holds;
}

static bool is_idle(const struct hookplan_step *step)
{
	return step->type == HOOKPLAN_WAIT || step->type == HOOKPLAN_EXIT;
}

/* Ends the step under way: the writer keeps a record, the lister a list; a command is ended. */
static void cut(struct hookd *h)
{
	if (hookd_record_abandon(h) || hookd_play_abandon(h) || h->cut || !h->command)
		return;
	h->cut = true;
	command_cut(h->command);
}

/* Reads all waiting events, then chooses a step. Returns false if nothing can be done now. */
static bool one_step(struct hookd *h)
{
	enum hookd_done done;

	link_catch_up(h->link);
	hookd_answer_look(h);
	look_at_hold(h);
	if (h->pending && hookplan_obsolete(&h->plan))
		cut(h);
	if (h->pending)
		return false;
	hookplan_next(&h->plan, &h->step);
	hookd_play_follow(h, &h->step);
	h->pending = !is_idle(&h->step);
	done = do_step(h);
	if (done == HOOKD_LATER)
		return false;
	h->pending = false;
	hookplan_done(&h->plan, result_of(done));
	return true;
}

void hookd_pump(struct hookd *h)
{
	if (h->pumping)
		return;
	h->pumping = true;
	while (!h->exiting && one_step(h))
		;
	h->pumping = false;
	hookd_watch_follow(h);
	if (!h->owed)
		link_let_go(h->link);
}

void hookd_step_done(struct hookd *h, enum hookd_done done)
{
	h->pending = false;
	h->cut = false;
	hookplan_done(&h->plan, result_of(done));
	hookd_pump(h);
}
