/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/field.h"

enum weight { FAULT, HINT };

static const struct {
	const char *name;
	enum weight weight;
	const char *words, *remedy;
} rows[FINDINGS] = {
#define FINDING(id, name, weight, words, remedy) { name, weight, words, remedy },
#define UNLOOKED(id, what, why)
#include "finding_list.h"
};

static const struct {
	const char *what, *why;
} blind[UNLOOKED_ROWS] = {
#define FINDING(id, name, weight, words, remedy)
#define UNLOOKED(id, what, why) { what, why },
#include "finding_list.h"
};

/* Replaces the arguments: "{0} is heard by {1}". */
static void fill_in(const char *pattern, const char *const arguments[FINDINGS_ARGUMENTS],
	char ret_text[FINDINGS_TEXT_MAX])
{
	struct line line = line_begin(ret_text, FINDINGS_TEXT_MAX);

	for (; *pattern; pattern++) {
		unsigned n = (unsigned)(pattern[1] - '0');

		if (pattern[0] == '{' && n < FINDINGS_ARGUMENTS && pattern[2] == '}') {
			line_add(&line, "%s", arguments[n] ? arguments[n] : "?");
			pattern += 2;
		} else {
			line_add(&line, "%c", *pattern);
		}
	}
}

static bool is_there(const json_t *findings, const json_t *finding)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)findings, i, other)
	{
		if (json_equal(other, finding))
			return true;
	}
	return false;
}

static void add(json_t *findings, enum finding id, const char *const arguments[FINDINGS_ARGUMENTS])
{
	char words[FINDINGS_TEXT_MAX], remedy[FINDINGS_TEXT_MAX];
	json_t *finding;

	fill_in(rows[id].words, arguments, words);
	fill_in(rows[id].remedy, arguments, remedy);
	finding = json_pack("{s:s, s:s, s:s, s:s}", "name", rows[id].name, "weight",
		rows[id].weight == FAULT ? "fault" : "hint", "words", words, "remedy", remedy);
	if (is_there(findings, finding))
		json_decref(finding);
	else
		json_array_append_new(findings, finding);
}

void found(json_t *findings, enum finding id, ...)
{
	const char *arguments[FINDINGS_ARGUMENTS] = { NULL }, *argument;
	unsigned n = 0;
	va_list list;

	va_start(list, id);
	while ((argument = va_arg(list, const char *)) && n < FINDINGS_ARGUMENTS)
		arguments[n++] = argument;
	va_end(list);
	add(findings, id, arguments);
}

void found_problem(json_t *findings, const char *name, const char *words)
{
	const char *arguments[FINDINGS_ARGUMENTS] = { words };
	enum finding id = FOUND_PROBLEM + 1;

	while (id < FINDINGS && strcmp(rows[id].name, name) != 0)
		id++;
	add(findings, id < FINDINGS ? id : FOUND_PROBLEM, arguments);
}

bool found_any(const json_t *findings, enum finding id)
{
	const json_t *finding;
	size_t i;

	json_array_foreach((json_t *)findings, i, finding)
	{
		if (!strcmp(field_text(finding, "name", NULL), rows[id].name))
			return true;
	}
	return false;
}

bool found_fault(const json_t *findings)
{
	const json_t *finding;
	size_t i;

	json_array_foreach((json_t *)findings, i, finding)
	{
		if (!strcmp(field_text(finding, "weight", NULL), "fault"))
			return true;
	}
	return false;
}

void found_unlooked(json_t *list, enum found_unlooked id)
{
	json_array_append_new(
		list, json_pack("{s:s, s:s}", "what", blind[id].what, "why", blind[id].why));
}

/* ---- other instances -------------------------------------------------------------------- */

static const struct own {
	const char *word, *before, *behind; /* the instance is put in between */
} owns[] = {
	{ "electctl ", "electctl --domain ", " " },
	{ "electd --", "electd --config /etc/electd/", ".conf --" },
	{ "electd.conf", "", ".conf" },
	{ "/var/lib/electd", "/var/lib/electd-", "" },
	{ "restart electd", "restart electd@", "" },
	{ "status electd-hookd", "status electd-hookd@", "" },
};

/* Skips longer words: "electctl --version", "restart electd@red.service". */
static const struct own *own_at(const char *text)
{
	for (size_t i = 0; i < sizeof(owns) / sizeof(*owns); i++) {
		size_t length = strlen(owns[i].word);

		if (!strncmp(text, owns[i].word, length) && text[length] != '-' &&
			text[length] != '@')
			return &owns[i];
	}
	return NULL;
}

static void name_instance(json_t *value, const char *instance)
{
	const char *text = json_string_value(value);
	char named[2 * FINDINGS_TEXT_MAX];
	struct line line = line_begin(named, sizeof named);
	const struct own *own;

	while (*text) {
		own = own_at(text);
		if (own)
			line_add(&line, "%s%s%s", own->before, instance, own->behind);
		else
			line_add(&line, "%c", *text);
		text += own ? strlen(own->word) : 1;
	}
	json_string_set(value, named);
}

void findings_for_instance(json_t *list, const char *key, const char *instance)
{
	json_t *row;
	size_t i;

	if (!*instance)
		return;
	json_array_foreach(list, i, row)
	{
		name_instance(json_object_get(row, key), instance);
	}
}

/* ---- the rows -------------------------------------------------------------------------------- */

const char *finding_name(enum finding id)
{
	return rows[id].name;
}

const char *finding_words(enum finding id)
{
	return rows[id].words;
}

const char *finding_remedy(enum finding id)
{
	return rows[id].remedy;
}
