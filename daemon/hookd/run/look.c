/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look: whether the leader target was stopped by somebody else, and whether units that are bound
 * to it have failed: systemctl is asked which they are, and then for their states, some at a time.
 * While this host leads, and as long as a failure stands. If systemctl does not answer in time, the
 * last known state is kept.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <stdio.h>
#include <string.h>

/* ---- what was found ---------------------------------------------------------------------- */

static bool is_known(const struct hookd *h, const char *name, const char *result)
{
	const struct report *r = reports_find(h->reports, name, HOOK_LEADER);

	return r && r->result == HOOK_RESULT_UNIT && !strcmp(r->output, result);
}

static bool is_target(const struct hookd *h, const char *name)
{
	return !strcmp(name, h->target.leader);
}

static bool has_failed(const void *user, const char *name)
{
	const struct hookd *h = user;

	return bound_has_failed(&h->look.failed, name) || (h->look.down && is_target(h, name));
}

static void tell(struct hookd *h, const char *name, const char *result, const char *doing)
{
	struct report r;

	if (is_known(h, name, result))
		return;
	hookd_report(h, &r, name, HOOK_RESULT_UNIT)->event = HOOK_LEADER;
	r.kind = REPORT_BOUND;
	snprintf(r.output, sizeof(r.output), "%s", result);
	hookd_conclude(h, &r, "", doing);
}

/*
 * Told when it has failed, and taken back when it has not any more. What had failed before this
 * host led, and is not started with the target, says nothing of how it leads.
 */
static enum hookd_done conclude(struct hookd *h)
{
	const struct hookd_look *l = &h->look;
	const struct bound_failed *failed = &l->failed;

	for (unsigned i = 0; i < failed->count; i++)
		tell(h, failed->units[i].name, failed->units[i].result,
			"bound to the target, has failed");
	if (l->settled)
		tell(h, h->target.leader, "stopped", "stopped by somebody, though this host leads");
	else if (l->down)
		timer_in(h->look_again, HOOKD_SETTLED_US);
	reports_gone(h->reports, REPORT_BOUND, has_failed, h);
	if (l->settled)
		return HOOKD_DOWN;
	return failed->lately ? HOOKD_FAILED : HOOKD_OK;
}

/* ---- asking ------------------------------------------------------------------------------ */

static enum hookd_done ask_next(struct hookd *h);

/* False: it did not answer. Either way the command is over. */
static bool answered(struct hookd *h, const struct command_result *result)
{
	command_free(h->command);
	h->command = NULL;
	return result->end == COMMAND_EXITED && result->status == 0;
}

static void go_on(struct hookd *h, enum hookd_done done)
{
	if (done != HOOKD_LATER)
		h->done(h, done);
}

static void on_names(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	bool known = answered(h, result);

	if (known)
		bound_names(result->output, result->output_cut, &h->bound);
	go_on(h, known ? ask_next(h) : HOOKD_OK);
}

/*
 * A stop of electd-hookd stops the target a moment before: then the demotion follows, and nothing
 * has failed.
 */
static void take_target(struct hookd *h, const char *states)
{
	uint64_t since_us;

	if (!bound_is_down(states, h->target.leader, &since_us))
		return;
	h->look.down = true;
	h->look.settled = since_us <= hookd_manager_us(h) - HOOKD_SETTLED_US;
}

static void on_states(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	bool known = answered(h, result);

	if (known)
		bound_states(result->output, h->promoted_us, &h->look.failed);
	if (known && h->owed)
		take_target(h, result->output);
	go_on(h, known ? ask_next(h) : HOOKD_OK);
}

static enum hookd_done ask_next(struct hookd *h)
{
	struct hookd_look *l = &h->look;
	const char *first = l->begun ? NULL : h->target.leader;

	if (l->begun && l->asked == h->bound.count)
		return conclude(h);
	l->begun = true;
	return hookd_unit_show(h, &h->command, BOUND_PROPERTIES, first, &l->asked, l->deadline_us,
		       on_states)
		? HOOKD_OK
		: HOOKD_LATER;
}

enum hookd_done hookd_look(struct hookd *h)
{
	const char *words[TARGET_SHOW_WORDS + 2];
	unsigned n = target_show_words(&h->target, true, "BoundBy", words);

	words[n++] = h->target.leader;
	words[n] = NULL;
	h->look = (struct hookd_look){ .deadline_us = clock_boot_us() + HOOKD_LOOK_MOST_US };
	return hookd_unit_systemctl(h, &h->command, words, h->look.deadline_us, on_names)
		? HOOKD_OK
		: HOOKD_LATER;
}

/* ---- when -------------------------------------------------------------------------------- */

int hookd_look_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)at_us;
	timer_in(source, HOOKD_LOOK_US);
	hookplan_look(&h->plan);
	hookd_pump(h);
	return 0;
}

void hookd_look_follow(struct hookd *h)
{
	bool wanted = h->target.leader && (h->owed || reports_any(h->reports, REPORT_BOUND));

	if (wanted && !h->looking)
		timer_in(h->look_again, 0);
	else if (!wanted)
		timer_off(h->look_again);
	h->looking = wanted;
}
