/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history, why: the changes on this host, as a table and as a paragraph. The texts and their order
 * come from electd or from the journal.
 */
#include <string.h>

#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"
#include "electctl/journal.h"
#include "electctl/text.h"
#include "steps.h"

enum {
	TIME = 8,
	EVENT = 8,
	ROLE = 8,
	GAP = 2,
	CAUSE_LEAST = 5,
	LEFT = TIME + GAP + EVENT + GAP + ROLE + GAP, /* columns before the reason */
	CELL_MAX = 512,
};

struct columns {
	unsigned reason, cause, token;
};

/* Names of hosts may be long: the cause column gets the width that the others leave. */
static struct columns columns_of(const struct options *o, const json_t *entries)
{
	struct columns c = {
		.reason = field_widest(entries, "reason", NULL, 6),
		.cause = field_widest(entries, "cause", "name", CAUSE_LEAST),
		.token = field_widest(entries, "token", NULL, 5),
	};
	unsigned others = LEFT + c.reason + GAP + GAP + c.token;

	if (others + c.cause > o->width)
		c.cause = o->width > others + CAUSE_LEAST ? o->width - others : CAUSE_LEAST;
	return c;
}

/* A problem or a hold: its text explains it, the reason of the state does not. */
static bool is_words(const json_t *entry)
{
	return !strcmp(field_text(entry, "event", NULL), "state");
}

static void print_cells(const struct options *o, const json_t *entry, const struct columns *c)
{
	const json_t *cause = json_object_get(entry, "cause");
	const char *token = field_text(entry, "token", NULL);
	char cell[CELL_MAX], digits[9];

	if (is_words(entry)) {
		text_cut(field_text(entry, "text", NULL), o->width - LEFT, cell, sizeof cell);
		fprintf(o->out, "%s\n", cell);
		return;
	}
	text_cut(json_is_object(cause) ? explain_name(cause, digits) : "-", c->cause, cell,
		sizeof cell);
	fprintf(o->out, "%-*s  %-*s  %*s\n", (int)c->reason, field_text(entry, "reason", NULL),
		(int)c->cause, cell, (int)c->token, strcmp(token, "0") ? token : "-");
}

static void print_row(const struct options *o, const json_t *entry, const struct columns *c)
{
	const char *event = field_text(entry, "event", NULL);
	char when[TEXT_TIME_MAX], padded[EVENT + 1];

	text_local_time(field_text(entry, "at", NULL), false, false, when, sizeof when);
	snprintf(padded, sizeof padded, "%-*s", EVENT, event);
	fprintf(o->out, "%-*s  ", TIME, when);
	text_put(o->out, o->colour,
		!strcmp(event, "leader")	 ? TEXT_GOOD
			: !strcmp(event, "none") ? TEXT_WARN
						 : TEXT_PLAIN,
		padded);
	fprintf(o->out, "  %-*s  ", ROLE, field_text(entry, "role", NULL));
	print_cells(o, entry, c);
}

/* Prints an extra line when the date changes, and when electd was restarted. */
static void print_breaks(
	const struct options *o, const json_t *entry, const json_t *before, char day[TEXT_TIME_MAX])
{
	char now[TEXT_TIME_MAX];

	text_local_time(field_text(entry, "at", NULL), true, false, now, sizeof now);
	now[strcspn(now, " ")] = '\0';
	if (strcmp(now, day) != 0) {
		text_put(o->out, o->colour, TEXT_BOLD, now);
		fputc('\n', o->out);
		snprintf(day, TEXT_TIME_MAX, "%s", now);
	}
	if (before && field_number(entry, "seq", NULL, 0) < field_number(before, "seq", NULL, 0)) {
		text_put(o->out, o->colour, TEXT_FAINT, "          electd restarted");
		fputc('\n', o->out);
	}
}

static void print_table(const struct options *o, const json_t *entries)
{
	struct columns c = columns_of(o, entries);
	const json_t *entry, *before = NULL;
	char day[TEXT_TIME_MAX] = "", head[256];
	size_t i;

	snprintf(head, sizeof head, "%-*s  %-*s  %-*s  %-*s  %-*s  %*s", TIME, "TIME", EVENT,
		"EVENT", ROLE, "ROLE", (int)c.reason, "REASON", (int)c.cause, "CAUSE", (int)c.token,
		"TOKEN");
	text_put(o->out, o->colour, TEXT_FAINT, head);
	fputc('\n', o->out);
	json_array_foreach(entries, i, entry)
	{
		print_breaks(o, entry, before, day);
		print_row(o, entry, &c);
		before = entry;
	}
}

static void print_plain(const struct options *o, const json_t *entries)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry) fprintf(o->out,
		"%lld\t%s\t%lld\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%lld\t%s\n",
		(long long)field_number(entry, "seq", NULL, 0), field_text(entry, "at", NULL),
		(long long)field_number(entry, "boot_ms", NULL, 0),
		field_text(entry, "event", NULL), field_text(entry, "role", NULL),
		field_text(entry, "old_role", NULL), field_text(entry, "reason", NULL),
		field_text(entry, "cause", "name"), field_text(entry, "leader", "name"),
		field_text(entry, "token", NULL), field_text(entry, "group", NULL),
		(long long)field_number(entry, "members_count", NULL, 0),
		field_text(entry, "text", NULL));
}

/* Keeps the last `count` entries; -1: all. */
static void keep_last(json_t *entries, long count)
{
	while (count >= 0 && json_array_size(entries) > (size_t)count)
		json_array_remove(entries, 0);
}

static enum electctl_exit get(const struct options *o, json_t **ret_answer)
{
	return o->journal ? journal_history(o, ret_answer)
			  : ask(o, "io.electd.GetHistory", NULL, ASK_TIMEOUT_MS, ret_answer);
}

enum electctl_exit history_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL, *entries;
	enum electctl_exit code = get(o, &answer);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	entries = json_object_get(answer, "entries");
	keep_last(entries, o->count);
	if (o->json)
		ask_print_json(o, answer, false);
	else if (o->plain)
		print_plain(o, entries);
	else if (json_array_size(entries))
		print_table(o, entries);
	else
		ask_say(o,
			o->journal ? "the journal has no change of electd"
				   : "nothing has changed yet");
	json_decref(answer);
	return code;
}

static enum electctl_exit why_paragraph(const struct options *o)
{
	json_t *answer = NULL;
	enum electctl_exit code = ask(o, "io.electd.GetHistory", NULL, ASK_TIMEOUT_MS, &answer);

	if (code != ELECTCTL_OK)
		return code;
	if (o->json) {
		json_object_del(answer, "entries");
		ask_print_json(o, answer, false);
	} else if (o->plain) {
		fprintf(o->out, "%s\n", field_text(answer, "why", NULL));
	} else {
		text_fill(o->out, o->width, 0, field_text(answer, "why", NULL));
		fputc('\n', o->out);
	}
	json_decref(answer);
	return code;
}

enum electctl_exit why_verb(const struct options *o, char *const *args)
{
	(void)args;
	return o->times ? steps_show(o) : why_paragraph(o);
}
