/* SPDX-License-Identifier: Apache-2.0 */
/* steps: see steps.h. */
#include "steps.h"

#include "core/line.h"

#include <stdlib.h>
#include <string.h>

/* The first or last step of a record; the begin or end of a run of a script, or no run. */
enum { STEP_FIRST, STEP_LAST, STEP_BEGINS, STEP_ENDS, STEP_NO_RUN };

/* ---- details ------------------------------------------------------------------------------ */

static const char *told_nothing(unsigned detail)
{
	(void)detail;
	return "";
}

static const char *told_loss(unsigned detail)
{
	return elect_loss_name((enum elect_loss)detail);
}

static const char *told_command(unsigned detail)
{
	if (detail == ELECT_COMMAND_STOP)
		return "stop";
	return detail == ELECT_COMMAND_RESIGN ? "resign" : "follow only";
}

static const char *told_sign(unsigned detail)
{
	return elect_sign_words((enum elect_sign)detail);
}

static const char *told_purpose(unsigned detail)
{
	return elect_purpose_name((enum elect_purpose)detail);
}

static const char *told_reason(unsigned detail)
{
	return elect_reason_name((enum elect_reason)detail);
}

static const char *told_invite(unsigned detail)
{
	return elect_invite_name((enum elect_invite)detail);
}

static const char *told_decline(unsigned detail)
{
	return elect_why_name((enum elect_why)detail);
}

static const struct {
	const char *name, *text;
	const char *(*detail)(unsigned detail);
} kinds[TIMES_KINDS] = {
#define STEP(KIND, traits, name, text, detail) [TIMES_##KIND] = { name, text, detail },
#include "times_list.h"
};

/* ---- steps -------------------------------------------------------------------------------- */

/* The steps so far, in order. */
struct list {
	struct step *steps;
	unsigned count;
};

/* Steps at the same time stay in the order in which they were recorded. */
static void put(struct list *l, uint32_t after, unsigned index, unsigned what)
{
	unsigned at = l->count++;

	for (; at > 0 && l->steps[at - 1].after > after; at--)
		l->steps[at] = l->steps[at - 1];
	l->steps[at] = (struct step){ after, (uint16_t)index, (uint8_t)what };
}

static uint64_t began_us(const struct hooks_report *r)
{
	uint64_t runtime_us = r->runtime_ms > 0 ? (uint64_t)r->runtime_ms * 1000 : 0;

	return runtime_us < r->at_us ? r->at_us - runtime_us : 0;
}

static bool was_run(const struct hooks_report *r)
{
	return r->result <= HOOK_RESULT_CUT;
}

/*
 * A run for the new leadership, or for the end of the former one. A run for the same leadership
 * that ended before the change began does not belong to it.
 */
static bool belongs(const struct times_change *c, const struct hooks_report *r)
{
	uint64_t token = strtoull(r->token, NULL, 10);

	return r->event != HOOK_MEMBERS && r->result < HOOK_RESULT_UNIT &&
		(token == c->token || token == c->old_token) &&
		began_us(r) + 1000 >= c->begin_us; /* its run time is in whole milliseconds */
}

static void put_run(
	struct list *l, const struct times_change *c, const struct hooks_report *r, unsigned index)
{
	if (!was_run(r)) {
		put(l, times_tenths(c, r->at_us), index, STEP_NO_RUN);
		return;
	}
	put(l, times_tenths(c, began_us(r)), index, STEP_BEGINS);
	put(l, times_tenths(c, r->at_us), index, STEP_ENDS);
}

unsigned steps_list(
	const struct times_change *c, const struct hooks *hooks, struct step ret_steps[STEPS_MAX])
{
	struct list l = { .steps = ret_steps };

	for (unsigned i = 0; i < c->count; i++) {
		put(&l, c->records[i].first, i, STEP_FIRST);
		if (c->records[i].count > 1)
			put(&l, c->records[i].last, i, STEP_LAST);
	}
	for (unsigned i = 0; i < hooks->count; i++)
		if (belongs(c, &hooks->entries[i].report))
			put_run(&l, c, &hooks->entries[i].report, i);
	return l.count;
}

/* ---- one step ----------------------------------------------------------------------------- */

static bool of_hook(const struct step *step)
{
	return step->what >= STEP_BEGINS;
}

const char *steps_name(const struct times_change *c, const struct step *step)
{
	if (step->what == STEP_BEGINS)
		return "hook-begins";
	if (of_hook(step))
		return step->what == STEP_ENDS ? "hook-ends" : "hook-not-run";
	return kinds[c->records[step->index].kind].name;
}

const struct elect_id *steps_host(const struct times_change *c, const struct step *step)
{
	const struct times_record *r = &c->records[step->index];
	unsigned at;

	if (of_hook(step))
		return NULL;
	at = step->what == STEP_FIRST ? r->first_host : r->last_host;
	return at ? &c->hosts[at - 1] : NULL;
}

unsigned steps_count(const struct times_change *c, const struct step *step)
{
	return step->what == STEP_LAST ? c->records[step->index].count : 1;
}

static void add_host(struct line *t, const struct elect_id *id, const struct narrate *names)
{
	const char *name = id && names && names->name_of ? names->name_of(names->user, id) : NULL;
	char text[ELECT_ID_SHORT];

	if (!id)
		line_add(t, "another host");
	else
		line_add(t, "%s", name ? name : elect_id_text(id, text, sizeof(text)));
}

static void add_step(struct line *t, const struct times_change *c, const struct step *step,
	const struct narrate *names)
{
	const struct times_record *r = &c->records[step->index];
	bool last = step->what == STEP_LAST;

	for (const char *s = kinds[r->kind].text; *s; s++) {
		if (*s == '$')
			add_host(t, steps_host(c, step), names);
		else if (*s == '%')
			line_add(t, "%s",
				kinds[r->kind].detail(last ? r->last_detail : r->first_detail));
		else
			line_add(t, "%c", *s);
	}
	if (last)
		line_add(t, " (last of %u)", r->count);
}

static void add_run(struct line *t, const struct hooks_report *r, unsigned what)
{
	if (what == STEP_BEGINS)
		line_add(t, "%s begins on %s", r->script, hook_event_name(r->event));
	else if (what == STEP_ENDS)
		line_add(t, "%s ends: %s", r->script, hook_result_name(r->result));
	else
		line_add(t, "%s is not run on %s: %s", r->script, hook_event_name(r->event),
			hook_result_name(r->result));
}

void steps_text(const struct times_change *c, const struct hooks *hooks, const struct step *step,
	const struct narrate *names, char *ret_text, size_t size)
{
	struct line t = line_begin(ret_text, size);

	if (of_hook(step))
		add_run(&t, &hooks->entries[step->index].report, step->what);
	else
		add_step(&t, c, step, names);
}
