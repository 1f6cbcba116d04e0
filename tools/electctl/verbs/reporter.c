/* SPDX-License-Identifier: Apache-2.0 */
#include "reporter.h"

#include <errno.h>
#include <string.h>

#include "electctl/field.h"
#include "waiter.h"

static const char question[] = "io.electd.GetHealth";

bool reporter_name(const struct options *o, const char *name)
{
	if (elect_name_valid(name))
		return true;
	ask_say(o, "\"%s\" is not a name: letters, digits, '.', '_', '-', at most 63", name);
	return false;
}

json_t *reporter_parameters(const struct options *o, const char *name, bool well, const char *words)
{
	json_t *p = json_pack("{s:s, s:b, s:s, s:I, s:I, s:I}", "name", name, "well", well, "words",
		words, "fall", (json_int_t)o->fall, "rise", (json_int_t)o->rise, "stale_ms",
		(json_int_t)o->stale_ms);

	if (p && o->leader)
		json_object_set_new(p, "leading", json_true());
	return p;
}

enum electctl_exit reporter_open(struct reporter *r, const struct options *o, const char *name)
{
	struct electd_options options = { .size = sizeof options, .socket = r->path };
	int rc;

	*r = (struct reporter){ .o = o, .name = name };
	ask_path(o, r->path, sizeof r->path);
	requests_init(&r->requests, r->path);
	rc = electd_open(&r->electd, &options);
	return rc ? ask_unreachable(o, -rc) : ELECTCTL_OK;
}

void reporter_close(struct reporter *r)
{
	requests_clear(&r->requests);
	electd_close(r->electd);
}

/* ---- requests ---------------------------------------------------------------------------- */

void reporter_tell(struct reporter *r, bool well, const char *words)
{
	r->any = true;
	r->well = well;
	elect_words_copy(r->words, sizeof r->words, words);
	requests_add(&r->requests, "io.electd.Report",
		reporter_parameters(r->o, r->name, r->well, r->words), true);
}

void reporter_ask(struct reporter *r)
{
	r->wonders = true;
	requests_add(&r->requests, question, json_object(), true);
}

/* Another electd may run than before, so the reporter asks what it knows. */
static void watch(struct reporter *r)
{
	struct electd_event event = { .size = sizeof event };
	int n;

	while ((n = electd_process(r->electd, &event)) != 0) {
		if (n > 0 && r->lost && event.type != ELECTD_LOST && r->any)
			reporter_ask(r);
		if (n > 0)
			r->lost = event.type == ELECTD_LOST;
	}
}

/* ---- answers of electd ------------------------------------------------------------------ */

static bool knows(const json_t *answer, const char *name)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "reports"), i,
		row) if (!strcmp(field_text(row, "name", NULL),
				 name)) return json_is_integer(json_object_get(row, "heard_ms"));
	return false;
}

/* With --leader the last result is not sent again: it may be from another role. */
static void take_known(struct reporter *r, const json_t *answer)
{
	r->counts = field_true(answer, "leading", NULL);
	r->wonders = false;
	if (!r->o->leader && r->any && !knows(answer, r->name))
		reporter_tell(r, r->well, r->words);
}

/* A host that no longer leads tries again. Other errors are final. */
static void take_error(struct reporter *r, const struct call_end *end)
{
	if (!strcmp(end->name, "io.electd.NotLeader")) {
		r->counts = false;
		return;
	}
	r->refused = true;
	r->code = ask_refused(r->o, end->name, end->parameters);
}

static void take(struct reporter *r, const struct call_end *end)
{
	bool asked = !strcmp(r->requests.called.method, question);

	if (end->error == -EREMOTE)
		take_error(r, end);
	else if (!end->error && asked)
		take_known(r, end->parameters);
	else if (end->error == -ETIMEDOUT && asked)
		reporter_ask(r); /* not so a report, which a stalled electd reads later */
	r->full = r->full && end->error;
}

static void look_whether_full(struct reporter *r)
{
	if (!r->requests.call || !call_waits_for_place(r->requests.call) || r->full)
		return;
	ask_say(r->o, "%s: too many programs use electd; trying again", r->name);
	r->full = true;
}

/* ---- the loop of the caller -------------------------------------------------------------- */

void reporter_look(struct reporter *r)
{
	enum requests_step step;
	struct call_end end;

	watch(r);
	while (!r->refused && (step = requests_next(&r->requests, &end)) != REQUESTS_WAIT)
		if (step == REQUESTS_OVER)
			take(r, &end);
	look_whether_full(r);
}

int reporter_fd(const struct reporter *r)
{
	return r->requests.call ? call_fd(r->requests.call) : -1;
}

int64_t reporter_due_ms(const struct reporter *r)
{
	uint64_t due_us = requests_due_us(&r->requests);

	return waiter_earlier(waiter_after(electd_timeout_ms(r->electd)),
		due_us == UINT64_MAX ? -1 : (int64_t)(due_us / 1000 + 1));
}
