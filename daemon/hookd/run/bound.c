/* SPDX-License-Identifier: Apache-2.0 */
#include "bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------- */

/* Accepts a name that systemd accepts, if it fits into a HookReport. */
static bool is_name(const char *name, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789:-_.\\@";

	return length > 0 && length < REPORT_SCRIPT_SIZE && name[0] != '-' &&
		strspn(name, letters) >= length;
}

/*
 * systemctl quotes a name with a backslash as shells do: "srv-a\\x2db.mount". A name that is too
 * long stays too long, so that is_name() rejects it.
 */
static void unquote(const char *word, size_t length, char ret_name[REPORT_SCRIPT_SIZE + 1])
{
	const char *end = word + length;
	size_t used = 0;

	if (*word == '"') {
		word++;
		end -= end > word;
	}
	for (; word < end && used < REPORT_SCRIPT_SIZE; word++) {
		word += *word == '\\' && word[1] == '\\';
		ret_name[used++] = *word;
	}
	ret_name[used] = '\0';
}

static void take_name(const char *word, size_t length, struct bound_units *units)
{
	char name[REPORT_SCRIPT_SIZE + 1];

	unquote(word, length, name);
	if (is_name(name, strlen(name)) && units->count < BOUND_UNITS_MAX)
		memcpy(units->names[units->count++], name, REPORT_SCRIPT_SIZE);
}

void bound_names(const char *text, bool cut, struct bound_units *ret_units)
{
	static const char blanks[] = " \n";

	ret_units->count = 0;
	if (cut)
		text += strcspn(text, blanks);
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t length = strcspn(text, blanks);

		take_name(text, length, ret_units);
		text += length;
	}
}

bool bound_has(const struct bound_units *units, const char *name)
{
	for (unsigned i = 0; i < units->count; i++)
		if (!strcmp(units->names[i], name))
			return true;
	return false;
}

/* ---- states ------------------------------------------------------------------------------ */

/* The properties of one unit, as far as they were read. */
struct state {
	char name[REPORT_SCRIPT_SIZE];
	char result[BOUND_RESULT_SIZE];
	bool failed, stops, inactive;
	bool waits; /* a start is queued, so the result belongs to an earlier run */
	uint64_t at_us;
};

/* Without a timestamp the failure counts as recent. */
static const struct state unread = { .at_us = UINT64_MAX };

static bool is_of(const char *line, size_t length, const char *key)
{
	return length > strlen(key) && !strncmp(line, key, strlen(key));
}

static bool is_word(const char *value, size_t size, const char *word)
{
	return size == strlen(word) && !strncmp(value, word, size);
}

static void take_line(struct state *s, const char *line, size_t length)
{
	const char *value = line + strcspn(line, "=") + 1;
	size_t size = length - (size_t)(value - line);

	if (is_of(line, length, "Id=") && is_name(value, size))
		snprintf(s->name, sizeof(s->name), "%.*s", (int)size, value);
	else if (is_of(line, length, "Result="))
		snprintf(s->result, sizeof(s->result), "%.*s", (int)size, value);
	else if (is_of(line, length, "ActiveState=")) {
		s->failed = is_word(value, size, "failed");
		s->stops = is_word(value, size, "deactivating");
		s->inactive = is_word(value, size, "inactive");
	} else if (is_of(line, length, "Job="))
		s->waits = *value != '0';
	else if (is_of(line, length, "StateChangeTimestampMonotonic="))
		s->at_us = strtoull(value, NULL, 10);
}

/* Reads one unit, up to an empty line. Returns where the next unit begins. */
static const char *take_unit(const char *text, struct state *ret_state)
{
	*ret_state = unread;
	for (;;) {
		size_t length = strcspn(text, "\n");

		if (length)
			take_line(ret_state, text, length);
		text += length + (text[length] == '\n');
		if (!length || !*text)
			return text;
	}
}

static void take_failed(const struct state *s, uint64_t since_us, struct bound_failed *failed)
{
	unsigned at = failed->count;

	if (!s->failed || s->waits || !s->name[0] || at == BOUND_FAILED_MAX)
		return;
	memcpy(failed->units[at].name, s->name, sizeof(s->name));
	memcpy(failed->units[at].result, s->result, sizeof(s->result));
	failed->count++;
	failed->lately |= s->at_us >= since_us;
}

void bound_states(const char *text, uint64_t since_us, struct bound_failed *failed)
{
	struct state s;

	while (*text) {
		text = take_unit(text, &s);
		take_failed(&s, since_us, failed);
	}
}

bool bound_is_down(const char *text, const char *name)
{
	struct state s;

	while (*text) {
		text = take_unit(text, &s);
		if (!strcmp(s.name, name))
			return (s.inactive || s.failed) && !s.waits;
	}
	return false;
}

void bound_stopping(const char *text, struct bound_units *ret_units)
{
	struct state s;

	ret_units->count = 0;
	while (*text) {
		text = take_unit(text, &s);
		if (s.stops && s.name[0] && ret_units->count < BOUND_UNITS_MAX)
			memcpy(ret_units->names[ret_units->count++], s.name, sizeof(s.name));
	}
}

bool bound_has_failed(const struct bound_failed *failed, const char *name)
{
	for (unsigned i = 0; i < failed->count; i++)
		if (!strcmp(failed->units[i].name, name))
			return true;
	return false;
}
