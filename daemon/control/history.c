/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: see control/history.h. As in control/shapes.c: a key is always there, numbers of 64 bits
 * are strings, what is not known is null.
 */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HEX_ID = 33, DIGITS = 24, MOMENT = 40, GROUP = ELECT_NAME_MAX + 1 + DIGITS };

/* RFC 3339, UTC, milliseconds: what the wall clock of now makes of a moment on the boot clock. */
static json_t *moment(const struct why_now *now, uint64_t boot_us)
{
	uint64_t ago_us = boot_us < now->boot_us ? now->boot_us - boot_us : 0;
	uint64_t real_us = ago_us < now->realtime_us ? now->realtime_us - ago_us : 0;
	time_t seconds = (time_t)(real_us / 1000000);
	char text[MOMENT];
	struct tm tm;
	size_t used;

	if (!gmtime_r(&seconds, &tm))
		return json_null();
	used = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, sizeof(text) - used, ".%03uZ", (unsigned)(real_us / 1000 % 1000));
	return json_string(text);
}

static json_t *host(const struct history_host *h)
{
	char id[HEX_ID];

	if (elect_id_is_zero(&h->id))
		return json_null();
	for (size_t i = 0; i < sizeof(h->id.bytes); i++)
		snprintf(id + 2 * i, 3, "%02x", h->id.bytes[i]);
	return json_pack("{s:s, s:s}", "id", id, "name", h->name);
}

static json_t *group(const struct history_entry *e)
{
	char text[GROUP];

	if (elect_group_is_zero(&e->group))
		return json_null();
	snprintf(text, sizeof(text), "%.*s.%" PRIu64, ELECT_NAME_MAX, e->coordinator.name,
		e->group.counter);
	return json_string(text);
}

static json_t *problems(const struct history_entry *e)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < WHY_PROBLEMS; i++)
		if (e->problems & (uint32_t)why_problem_bit(i))
			json_array_append_new(list, json_string(why_problem_name(i)));
	return list;
}

json_t *ctl_history_entry(const struct history_entry *e, const struct why_now *now)
{
	char token[DIGITS], line[WHY_LINE_MAX];

	snprintf(token, sizeof(token), "%" PRIu64, e->token);
	why_line(e, line, sizeof(line));
	return json_pack("{s:I, s:o, s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:i, s:o, s:s}",
		"seq", (json_int_t)e->seq, "at", moment(now, e->boot_us), "boot_ms",
		(json_int_t)(e->boot_us / 1000), "event", history_event_name(e->event), "role",
		elect_role_name(e->role), "old_role", elect_role_name(e->old_role), "reason",
		elect_reason_name(e->reason), "cause", host(&e->cause), "leader", host(&e->leader),
		"token", token, "group", group(e), "members_count", (int)e->members_count,
		"problems", problems(e), "text", line);
}

json_t *ctl_history(const struct history *h, const struct why_now *now, const char *more)
{
	json_t *entries = json_array();
	char why[WHY_PARAGRAPH_MAX];
	size_t used;

	why_paragraph(h, now, why, sizeof(why));
	used = strlen(why);
	snprintf(why + used, sizeof(why) - used, "%s", more);
	for (unsigned i = 0; i < history_count(h); i++)
		json_array_append_new(entries, ctl_history_entry(history_at(h, i), now));
	return json_pack("{s:s, s:o}", "why", why, "entries", entries);
}
