/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include "core/line.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The text before the event's name and the text before the status; NULL: no status is shown. */
static const struct {
	const char *words, *status;
} results[HOOK_RESULTS] = {
	[HOOK_RESULT_FAILED] = { "failed on", "exit status" },
	[HOOK_RESULT_SIGNALLED] = { "was killed on", "signal" },
	[HOOK_RESULT_TIMED_OUT] = { "took too long on", NULL },
	[HOOK_RESULT_CUT] = { "was ended early on", NULL },
	[HOOK_RESULT_UNSTARTED] = { "could not be started on", "error" },
	[HOOK_RESULT_REFUSED] = { "was refused on", NULL },
	[HOOK_RESULT_LEFT_OUT] = { "was not run for lack of time on", NULL },
	[HOOK_RESULT_UNRECORDED] = { "was not run, because the disk could not be written, on",
		NULL },
};

/* ---- problems ---------------------------------------------------------------------------- */

/* Shows the leading word of the output, systemd's result: the rest may be anybody's text. */
static void describe_unit(struct line *line, const struct hooks_report *r)
{
	size_t word = strspn(r->output, "abcdefghijklmnopqrstuvwxyz-");

	line_add(line, "unit %s, which follows the leader, has failed (%.*s)", r->script, (int)word,
		r->output);
}

static void describe(const struct hooks_report *r, char words[HOOKS_PROBLEM_SIZE])
{
	struct line line = line_begin(words, HOOKS_PROBLEM_SIZE);

	assert(r->result < HOOK_RESULTS);
	if (r->result == HOOK_RESULT_UNIT) {
		describe_unit(&line, r);
		return;
	}
	line_add(&line, "hook %s: %s %s", r->script, results[r->result].words,
		hook_event_name(r->event));
	if (results[r->result].status)
		line_add(&line, " (%s %" PRId64 ")", results[r->result].status, r->status);
}

static bool has_failed(const struct hooks_entry *e)
{
	return !e->former && e->report.result != HOOK_RESULT_OK;
}

/* One problem per script: a failure on a role event hides a later failure on `members`. */
static bool is_problem(const struct hooks *h, unsigned at)
{
	const struct hooks_entry *e = &h->entries[at];

	if (at && !strcmp(e->report.script, e[-1].report.script) && has_failed(&e[-1]))
		return false;
	return has_failed(e);
}

unsigned hooks_failed(const struct hooks *h, bool units)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->count; i++)
		count += is_problem(h, i) &&
			(h->entries[i].report.result == HOOK_RESULT_UNIT) == units;
	return count;
}

/* True if the problems changed. */
static bool describe_problems(struct hooks *h)
{
	char before[HOOKS_PROBLEMS_MAX][HOOKS_PROBLEM_SIZE];
	unsigned all = hooks_failed(h, false) + hooks_failed(h, true);
	unsigned room = HOOKS_PROBLEMS_MAX, told = 0;

	memcpy(before, h->problems, sizeof(before));
	memset(h->problems, 0, sizeof(h->problems));
	if (all > room)
		room--;
	for (unsigned i = 0; i < h->count && told < room; i++)
		if (is_problem(h, i))
			describe(&h->entries[i].report, h->problems[told++]);
	if (told < all)
		snprintf(h->problems[told++], HOOKS_PROBLEM_SIZE,
			"hooks: %u more did not run well: see electctl hooks list", all - room);
	h->problems_count = told;
	return memcmp(before, h->problems, sizeof(before)) != 0;
}

/* ---- the table --------------------------------------------------------------------------- */

static void forget(struct hooks *h, unsigned at)
{
	h->count--;
	memmove(&h->entries[at], &h->entries[at + 1], (h->count - at) * sizeof(h->entries[0]));
}

static void forget_oldest(struct hooks *h)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < h->count; i++)
		if (h->entries[i].told < h->entries[oldest].told)
			oldest = i;
	forget(h, oldest);
}

/* The order of entries: by script, the role event first. 0: the same entry. */
static int compare(const struct hooks_report *a, const struct hooks_report *b)
{
	int by_script = strcmp(a->script, b->script);

	return by_script ? by_script : (a->event == HOOK_MEMBERS) - (b->event == HOOK_MEMBERS);
}

/* Removes the reports of a script on `members`; with `all`, on every event. */
static void forget_script(struct hooks *h, const char *script, bool all)
{
	for (unsigned i = h->count; i--;) {
		const struct hooks_report *r = &h->entries[i].report;

		if (!strcmp(r->script, script) && (all || r->event == HOOK_MEMBERS))
			forget(h, i);
	}
}

/* The entry that this report replaces, or a new one. */
static struct hooks_entry *place_of(struct hooks *h, const struct hooks_report *report)
{
	unsigned at = 0;

	while (at < h->count && compare(&h->entries[at].report, report) < 0)
		at++;
	if (at < h->count && !compare(&h->entries[at].report, report))
		return &h->entries[at];
	if (h->count == HOOKS_MAX) {
		forget_oldest(h);
		return place_of(h, report);
	}
	memmove(&h->entries[at + 1], &h->entries[at], (h->count - at) * sizeof(h->entries[0]));
	h->count++;
	memset(&h->entries[at], 0, sizeof(h->entries[at]));
	return &h->entries[at];
}

static bool same(const struct hooks_report *a, const struct hooks_report *b)
{
	return !strcmp(a->script, b->script) && a->event == b->event && a->result == b->result &&
		a->status == b->status && a->runtime_ms == b->runtime_ms && a->seq == b->seq &&
		!strcmp(a->token, b->token) && !strcmp(a->output, b->output);
}

/*
 * Returns true if the run was not reported before. A role event also brings the members, so it
 * replaces an older failure on `members`. A `members` event tells a script nothing about the role,
 * so a failure on a role event is kept.
 */
static bool keep(struct hooks *h, const struct hooks_report *report)
{
	struct hooks_entry *e = place_of(h, report);
	bool known = e->former && same(&e->report, report);

	if (!known)
		e->report = *report;
	e->former = false;
	e->told = ++h->told;
	if (!known && report->event != HOOK_MEMBERS)
		forget_script(h, report->script, false);
	return !known;
}

bool hooks_take(struct hooks *h, const struct hooks_report *report, bool *ret_changed)
{
	bool run = false;

	if (report->result == HOOK_RESULT_GONE)
		forget_script(h, report->script, true);
	else
		run = keep(h, report);
	*ret_changed = describe_problems(h);
	return run;
}

bool hooks_renew(struct hooks *h)
{
	for (unsigned i = 0; i < h->count; i++)
		h->entries[i].former = true;
	return describe_problems(h);
}
