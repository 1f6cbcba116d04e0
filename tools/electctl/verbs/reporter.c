/* SPDX-License-Identifier: Apache-2.0 */
#include "reporter.h"

#include <errno.h>
#include <string.h>

#include "program/clock.h"
#include "electctl/ask.h"
#include "electctl/field.h"

enum { AGAIN_MS = 200, CONNECT_MS = 100 };

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

/* ---- the connection ---------------------------------------------------------------------- */

void reporter_close(struct reporter *r)
{
	if (r->connected)
		client_close(&r->electd);
	r->connected = r->counts = false;
	r->asked = REPORTER_NOTHING;
	r->again_ms = clock_boot_ms() + AGAIN_MS;
}

/* Sends an unanswered report again. Not for a timeout, because a stalled electd reads it later. */
static void lose(struct reporter *r)
{
	r->owes |= r->asked == REPORTER_REPORT;
	reporter_close(r);
}

/* Another electd may answer than before, so the reporter asks what it knows. */
static void connect_again(struct reporter *r)
{
	struct options quiet = *r->o;

	quiet.quiet = true;
	quiet.timeout_ms = CONNECT_MS;
	if (ask_connect(&quiet, &r->electd) != ELECTCTL_OK) {
		r->again_ms = clock_boot_ms() + AGAIN_MS;
		return;
	}
	r->connected = true;
	r->wonders |= r->any || r->o->leader;
}

static void call(struct reporter *r, enum reporter_asked what, const char *method, json_t *p)
{
	r->asked = what;
	r->asked_ms = clock_boot_ms();
	if (client_call(&r->electd, method, p, false) != 0)
		lose(r);
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
		r->owes = true;
}

/* A client without a place, or a host that no longer leads, tries again. Other errors are final. */
static void take_error(struct reporter *r, json_t *reply)
{
	const char *error = field_text(reply, "error", NULL);
	bool full = !strcmp(error, "io.electd.TooManyClients");
	json_t *none = NULL;

	if (full && !r->full)
		ask_say(r->o, "%s: too many programs use electd; trying again", r->name);
	r->full = full;
	if (full)
		lose(r);
	r->asked = REPORTER_NOTHING;
	if (full || !strcmp(error, "io.electd.NotLeader")) {
		r->counts = false;
		json_decref(reply);
		return;
	}
	r->refused = true;
	r->code = ask_take(r->o, reply, &none);
	json_decref(none);
}

static void take(struct reporter *r, json_t *reply)
{
	enum reporter_asked asked = r->asked;

	if (json_object_get(reply, "error")) {
		take_error(r, reply);
		return;
	}
	r->asked = REPORTER_NOTHING;
	r->full = false;
	if (asked == REPORTER_KNOWN)
		take_known(r, json_object_get(reply, "parameters"));
	json_decref(reply);
}

static void read_replies(struct reporter *r)
{
	json_t *reply = NULL;
	int rc = 0;

	while (r->connected && !r->refused && (rc = client_reply(&r->electd, 0, &reply)) == 0)
		take(r, reply);
	if (r->connected && rc && rc != -ETIMEDOUT)
		lose(r);
}

/* ---- sending ---------------------------------------------------------------------------- */

void reporter_tell(struct reporter *r, bool well, const char *words)
{
	r->any = r->owes = true;
	r->well = well;
	elect_words_copy(r->words, sizeof r->words, words);
}

void reporter_ask(struct reporter *r)
{
	r->wonders = true;
}

static void say(struct reporter *r)
{
	if (r->owes) {
		r->owes = false;
		call(r, REPORTER_REPORT, "io.electd.Report",
			reporter_parameters(r->o, r->name, r->well, r->words));
	} else if (r->wonders) {
		call(r, REPORTER_KNOWN, "io.electd.GetHealth", NULL);
	}
}

void reporter_look(struct reporter *r)
{
	if (!r->connected && clock_boot_ms() >= r->again_ms)
		connect_again(r);
	read_replies(r);
	/* Another electd may have replaced a silent one: connects again, without sending again. */
	if (r->connected && r->asked && clock_boot_ms() >= r->asked_ms + ASK_TIMEOUT_MS)
		reporter_close(r);
	if (r->connected && !r->asked)
		say(r);
}

int64_t reporter_due_ms(const struct reporter *r)
{
	return !r->connected ? r->again_ms : r->asked ? r->asked_ms + ASK_TIMEOUT_MS : -1;
}
