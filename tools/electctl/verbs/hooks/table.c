/* SPDX-License-Identifier: Apache-2.0 */
/* hooks_table: the table of `hooks list`. */
#include "hooks.h"

#include <string.h>
#include <unistd.h>

#include "electctl/field.h"
#include "electctl/text.h"

enum {
	STATE = 7,
	EVENT = 8,
	WHEN = 19,
	TOOK_LEAST = 4,
	GAP = 2,
	INDENT = 4,
	NAME_LEAST = 8,
	RESULT_LEAST = 6,
	RESULT_MAX = 24,
	OUTPUT_LINES = 3, /* of a failed run; --json shows all stored lines */
	CELL_MAX = 256,
};

struct columns {
	int name, result, took;
	bool brief; /* no space for WHEN and TOOK */
};

/* "ok", "exit 1", "signal 9", "timed out" */
static void result_words(const json_t *last, char ret_words[RESULT_MAX])
{
	static const struct {
		const char *result, *words;
		bool status;
	} rows[] = {
		{ "", "-", false },
		{ "ok", "ok", false },
		{ "failed", "exit", true },
		{ "signalled", "signal", true },
		{ "timed-out", "timed out", false },
		{ "cut", "cut short", false },
		{ "unstarted", "not started", false },
		{ "refused", "refused", false },
		{ "left-out", "left out", false },
		{ "unrecorded", "unrecorded", false },
		{ "unit-failed", "failed", false },
	};
	const char *result = field_text(last, "result", NULL);

	snprintf(ret_words, RESULT_MAX, "%.20s", result);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].result, result) != 0)
			continue;
		if (rows[i].status)
			snprintf(ret_words, RESULT_MAX, "%s %lld", rows[i].words,
				(long long)field_number(last, "status", NULL, 0));
		else
			snprintf(ret_words, RESULT_MAX, "%s", rows[i].words);
	}
}

static void took_words(const json_t *last, char ret_words[TEXT_TIME_MAX])
{
	text_duration(field_number(last, "runtime_ms", NULL, 0), ret_words, TEXT_TIME_MAX);
}

static void widen(int *width, const char *text)
{
	int length = (int)strlen(text);

	*width = length > *width ? length : *width;
}

static struct columns columns_of(const struct options *o, const json_t *hooks)
{
	struct columns c = { NAME_LEAST, RESULT_LEAST, TOOK_LEAST, false };
	const json_t *hook;
	int room;
	size_t i;

	json_array_foreach(hooks, i, hook)
	{
		const json_t *last = json_object_get(hook, "last");
		char result[RESULT_MAX], took[TEXT_TIME_MAX];

		result_words(last, result);
		took_words(last, took);
		widen(&c.name, field_text(hook, "name", NULL));
		widen(&c.result, result);
		widen(&c.took, took);
	}
	room = (int)o->width - 5 * GAP - STATE - EVENT - c.result - WHEN - c.took;
	c.brief = room < NAME_LEAST;
	if (c.brief)
		room += 2 * GAP + WHEN + c.took;
	if (c.name > room)
		c.name = room > NAME_LEAST ? room : NAME_LEAST;
	return c;
}

static void put_padded(const struct options *o, enum text_paint paint, int width, const char *text)
{
	text_put(o->out, o->colour, paint, text);
	fprintf(o->out, "%*s", width - (int)strlen(text) + GAP, "");
}

static void print_row(const struct options *o, const json_t *hook, const struct columns *c)
{
	const char *state = field_text(hook, "state", NULL), *event;
	const json_t *last = json_object_get(hook, "last");
	bool ok = field_true(last, "ok", NULL), runs = !strcmp(state, "runs");
	char name[CELL_MAX], result[RESULT_MAX], when[TEXT_TIME_MAX], took[TEXT_TIME_MAX];

	text_cut(field_text(hook, "name", NULL), (size_t)c->name, name, sizeof name);
	put_padded(o, TEXT_PLAIN, c->name, name);
	put_padded(o,
		runs				    ? TEXT_PLAIN
			: !strcmp(state, "refused") ? TEXT_BAD
						    : TEXT_FAINT,
		STATE, state);
	if (!json_is_object(last)) {
		fputs("-\n", o->out);
		return;
	}
	event = field_text(last, "event", NULL);
	result_words(last, result);
	text_local_time(field_text(last, "at", NULL), true, false, when, sizeof when);
	took_words(last, took);
	put_padded(o, TEXT_PLAIN, EVENT, event);
	if (c->brief) {
		text_put(o->out, o->colour, ok ? TEXT_GOOD : TEXT_BAD, result);
		fputc('\n', o->out);
		return;
	}
	put_padded(o, ok ? TEXT_GOOD : TEXT_BAD, c->result, result);
	fprintf(o->out, "%-*s  %s\n", WHEN, when, took);
}

static const char *last_lines(const char *text, unsigned lines)
{
	const char *at = text + strlen(text);

	if (at > text && at[-1] == '\n')
		at--;
	for (; at > text; at--)
		if (at[-1] == '\n' && !--lines)
			break;
	return at;
}

static void print_output(const struct options *o, const char *output)
{
	const char *line = last_lines(output, OUTPUT_LINES);
	char cell[CELL_MAX], cut[CELL_MAX];

	while (*line) {
		size_t length = strcspn(line, "\n");

		snprintf(cell, sizeof cell, "%.*s", (int)length, line);
		text_cut(cell, o->width - INDENT - GAP, cut, sizeof cut);
		fprintf(o->out, "%*s| ", INDENT, "");
		text_put(o->out, o->colour, TEXT_FAINT, cut);
		fputc('\n', o->out);
		line += length + (line[length] == '\n');
	}
}

static void print_below(const struct options *o, const json_t *hook)
{
	const char *reason = field_text(hook, "reason", NULL);
	const json_t *last = json_object_get(hook, "last");

	/* The reason for a refusal now is more useful than the output of the last run. */
	if (*reason) {
		fprintf(o->out, "%*s", INDENT, "");
		text_fill(o->out, o->width, INDENT, reason);
		fputc('\n', o->out);
	}
	if (!json_is_object(last) || field_true(last, "ok", NULL) || *reason)
		return;
	if (!strcmp(field_text(last, "result", NULL), "unstarted"))
		print_output(o, strerror((int)field_number(last, "status", NULL, 0)));
	print_output(o, field_text(last, "output", NULL));
}

/* True if a failed run has no output: the script printed none, or this user may not see it. */
static bool may_hide_output(const json_t *hooks)
{
	static const char *const results[] = { "failed", "signalled", "timed-out", "cut" };
	const json_t *hook;
	size_t i;

	if (geteuid() == 0)
		return false;
	json_array_foreach(hooks, i, hook)
	{
		const json_t *last = json_object_get(hook, "last");

		if (!strcmp(field_text(hook, "state", NULL), "unit") ||
			*field_text(last, "output", NULL))
			continue;
		for (unsigned r = 0; r < sizeof(results) / sizeof(*results); r++)
			if (!strcmp(field_text(last, "result", NULL), results[r]))
				return true;
	}
	return false;
}

static void print_head(const struct options *o, const struct columns *c)
{
	char head[CELL_MAX];
	int used = snprintf(head, sizeof head, "%-*s  %-*s  %-*s  ", c->name, "NAME", STATE,
		"STATE", EVENT, "EVENT");

	if (c->brief)
		snprintf(head + used, sizeof head - (size_t)used, "RESULT");
	else
		snprintf(head + used, sizeof head - (size_t)used, "%-*s  %-*s  %s", c->result,
			"RESULT", WHEN, "WHEN", "TOOK");
	text_put(o->out, o->colour, TEXT_FAINT, head);
	fputc('\n', o->out);
}

void hooks_print(const struct options *o, const json_t *hooks)
{
	struct columns c = columns_of(o, hooks);
	const json_t *hook;
	size_t i;

	print_head(o, &c);
	json_array_foreach(hooks, i, hook)
	{
		print_row(o, hook, &c);
		print_below(o, hook);
	}
	if (may_hide_output(hooks)) {
		text_fill(o->out, o->width, 0,
			"Only root and electd-admin can see the output of scripts.");
		fputc('\n', o->out);
	}
}
