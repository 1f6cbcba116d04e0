/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: sends the result of each script to electd, one at a time, in the order of the results.
 * A success waits for what is due now: the next script, or the Release that other hosts wait for.
 */
#include "report.h"

#include "lib/event.h"
#include "hookd/loop/timer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	struct report report;
	uint64_t number; /* sequence number of the report; 0: the slot is free */
	bool due;
};

struct reports {
	sd_event *event;
	sd_event_source *again;
	const char *path;
	char holder[EVENT_HOLDER_SIZE]; /* empty: no connection */
	struct hookd_call *call;
	uint64_t last, under_way; /* numbers of reports */
	struct slot slots[REPORTS_MAX];
};

/* ---- sending ----------------------------------------------------------------------------- */

static json_t *parameters(const struct reports *r, const struct report *report)
{
	char token[24];

	snprintf(token, sizeof(token), "%" PRIu64, report->token);
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:s, s:s}", "holder", r->holder,
		"script", report->script, "event", hook_event_name(report->event), "result",
		hook_result_name(report->result), "status", report->status, "runtime_ms",
		(json_int_t)(report->runtime_us / 1000), "seq", (json_int_t)report->seq, "token",
		token, "output", report->output);
}

/* Returns the report that has waited longest. */
static struct slot *next_due(struct reports *r)
{
	struct slot *first = NULL;

	for (unsigned i = 0; i < REPORTS_MAX; i++) {
		struct slot *s = &r->slots[i];

		if (s->due && (!first || s->number < first->number))
			first = s;
	}
	return first;
}

static void tell_next(struct reports *r);

/* An error that electd answers with ends the attempts: the next one would get the same error. */
static void report_on_done(void *user, int error, const char *name)
{
	struct reports *r = user;

	(void)name;
	r->call = NULL;
	if (error && error != -EREMOTE) {
		timer_in(r->again, REPORT_AGAIN_US);
		return;
	}
	for (unsigned i = 0; i < REPORTS_MAX; i++)
		if (r->slots[i].number == r->under_way)
			r->slots[i].due = false;
	tell_next(r);
}

static void tell_next(struct reports *r)
{
	struct slot *s = r->call || !r->holder[0] ? NULL : next_due(r);

	if (!s)
		return;
	r->under_way = s->number;
	if (hookd_call_start(&r->call, r->event, r->path, "io.electd.HookReport",
		    parameters(r, &s->report), REPORT_WITHIN_US, report_on_done, r))
		timer_in(r->again, REPORT_AGAIN_US);
}

static int report_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	tell_next(user);
	return 0;
}

void reports_connected(struct reports *r, const char *holder)
{
	snprintf(r->holder, sizeof(r->holder), "%s", holder ? holder : "");
	hookd_call_cancel(r->call);
	r->call = NULL;
	for (unsigned i = 0; i < REPORTS_MAX; i++)
		r->slots[i].due = r->slots[i].number != 0;
	tell_next(r);
}

/* ---- keeping ----------------------------------------------------------------------------- */

/* Compares the script, and whether the event is a role event or `members`. */
static bool is_of(const struct slot *s, const char *script, enum hook_event event)
{
	return s->number && !strcmp(s->report.script, script) &&
		(s->report.event == HOOK_MEMBERS) == (event == HOOK_MEMBERS);
}

const struct report *reports_find(
	const struct reports *r, const char *script, enum hook_event event)
{
	for (unsigned i = 0; i < REPORTS_MAX; i++)
		if (is_of(&r->slots[i], script, event))
			return &r->slots[i].report;
	return NULL;
}

/* Returns the slot that the report replaces, else a free one, else the oldest. */
static struct slot *slot_for(struct reports *r, const struct report *report)
{
	struct slot *best = &r->slots[0];

	for (unsigned i = 0; i < REPORTS_MAX; i++) {
		struct slot *s = &r->slots[i];

		if (is_of(s, report->script, report->event))
			return s;
		if (s->number < best->number)
			best = s;
	}
	return best;
}

void reports_add(struct reports *r, const struct report *report)
{
	struct slot *s = slot_for(r, report);

	*s = (struct slot){ .report = *report, .number = ++r->last, .due = true };
	/* A role event covers the members too: their report is dropped, as in electd (hooks.c). */
	for (unsigned i = 0; report->event != HOOK_MEMBERS && i < REPORTS_MAX; i++)
		if (is_of(&r->slots[i], report->script, HOOK_MEMBERS))
			r->slots[i] = (struct slot){ 0 };
	if (report->result == HOOK_RESULT_OK)
		timer_in(r->again, 0);
	else
		tell_next(r);
}

static bool stands(const struct slot *s, enum report_kind kind)
{
	return s->number && s->report.kind == kind && s->report.result != HOOK_RESULT_GONE;
}

bool reports_any(const struct reports *r, enum report_kind kind)
{
	for (unsigned i = 0; i < REPORTS_MAX; i++)
		if (stands(&r->slots[i], kind))
			return true;
	return false;
}

void reports_gone(struct reports *r, enum report_kind kind,
	bool (*is_there)(const void *user, const char *script), const void *user)
{
	for (unsigned i = 0; i < REPORTS_MAX; i++) {
		struct slot *s = &r->slots[i];

		if (!stands(s, kind) || is_there(user, s->report.script))
			continue;
		s->report.result = HOOK_RESULT_GONE;
		s->number = ++r->last;
		s->due = true;
	}
	timer_in(r->again, 0);
}

/* ---- opening ----------------------------------------------------------------------------- */

int reports_open(struct reports **ret_reports, sd_event *event, const char *path)
{
	struct reports *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->event = event;
	r->path = path;
	rc = timer_add(event, &r->again, TIMER_LAZY_US, report_on_again, r);
	if (rc) {
		reports_close(r);
		return rc;
	}
	*ret_reports = r;
	return 0;
}

void reports_close(struct reports *r)
{
	if (!r)
		return;
	hookd_call_cancel(r->call);
	sd_event_source_disable_unref(r->again);
	free(r);
}
