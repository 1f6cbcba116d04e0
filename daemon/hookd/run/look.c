/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look: one look at the leader target and the units that are bound to it: whether another program
 * stopped the target, and which units have failed. systemctl first lists the bound units, then
 * shows their states, some at a time. If systemctl does not answer in time, the last known state is
 * kept. watch.c decides when to look.
 */
#include "inside.h"

#include "program/clock.h"

#include <stdio.h>
#include <string.h>

/* ---- results ----------------------------------------------------------------------------- */

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
 * Returns true once the target has been down for HOOKD_SETTLED_US, because a stop of electd-hookd
 * stops the target a moment before it demotes, and that is no failure. The manager forgets a
 * stopped unit, so it cannot tell since when the target is down.
 */
static bool stays_down(struct hookd *h)
{
	uint64_t now_us = clock_boot_us();

	if (!h->look.down)
		h->watch.down_us = 0;
	else if (!h->watch.down_us)
		h->watch.down_us = now_us;
	return h->look.down && now_us - h->watch.down_us >= HOOKD_SETTLED_US;
}

/*
 * Reports a failure once, and its end once. A unit that failed before this host led, and was not
 * started with the target, is no failure of this leader.
 */
static enum hookd_done conclude(struct hookd *h)
{
	const struct hookd_look *l = &h->look;
	const struct bound_failed *failed = &l->failed;
	bool stays = stays_down(h);

	for (unsigned i = 0; i < failed->count; i++)
		tell(h, failed->units[i].name, failed->units[i].result,
			"bound to the target, has failed");
	if (stays)
		tell(h, h->target.leader, "stopped",
			"stopped by another program, though this host leads");
	else if (l->down)
		hookd_watch_in(h, HOOKD_SETTLED_US);
	reports_gone(h->reports, REPORT_BOUND, has_failed, h);
	if (stays)
		return HOOKD_DOWN;
	return failed->lately ? HOOKD_FAILED : HOOKD_OK;
}

/* ---- systemctl --------------------------------------------------------------------------- */

static enum hookd_done ask_next(struct hookd *h);

/* Ends the command. Returns false if systemctl did not answer. */
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

/* systemctl has not answered, so a change may have been missed: asks for another look. */
static enum hookd_done unknown(struct hookd *h)
{
	hookd_watch_in(h, HOOKD_LOOK_US);
	return HOOKD_OK;
}

static void on_names(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	bool known = answered(h, result);

	if (known)
		bound_names(result->output, result->output_cut, &h->bound);
	go_on(h, known ? ask_next(h) : unknown(h));
}

static void on_states(void *user, const struct command_result *result)
{
	struct hookd *h = user;
	bool known = answered(h, result);

	if (known)
		bound_states(result->output, h->promoted_us, &h->look.failed);
	if (known && h->owed)
		h->look.down |= bound_is_down(result->output, h->target.leader);
	go_on(h, known ? ask_next(h) : unknown(h));
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
		? unknown(h)
		: HOOKD_LATER;
}

enum hookd_done hookd_look(struct hookd *h)
{
	const char *words[TARGET_SHOW_WORDS + 2];
	unsigned n = target_show_words(&h->target, true, "BoundBy", words);

	words[n++] = h->target.leader;
	words[n] = NULL;
	hookd_watch_looks(h);
	h->look = (struct hookd_look){ .deadline_us = clock_boot_us() + HOOKD_LOOK_MOST_US };
	return hookd_unit_systemctl(h, &h->command, words, h->look.deadline_us, on_names)
		? unknown(h)
		: HOOKD_LATER;
}
