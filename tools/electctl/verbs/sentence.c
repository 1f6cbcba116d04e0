/* SPDX-License-Identifier: Apache-2.0 */
#include "sentence.h"

#include <string.h>

#include "core/line.h"
#include "electctl/explain.h"
#include "electctl/field.h"

/* After a problem came or went, or hold was switched: the present problems, if any. */
static void add_problems(struct line *line, const json_t *status)
{
	const json_t *problems = json_object_get(json_object_get(status, "health"), "problems");
	const json_t *problem;
	size_t i;

	if (json_array_size(problems) == 0)
		line_add(line, "no problem");
	json_array_foreach(problems, i, problem)
	{
		const char *words = json_string_value(problem) ? json_string_value(problem) : "?";

		line_add(line, "%s%s", i ? "; " : "problem: ", words);
	}
}

/* "web3 leads 4 hosts, token 17"; `name` is "this host" for this host itself. */
static void add_leader(struct line *line, const json_t *status, const char *name)
{
	size_t count = json_array_size(json_object_get(status, "members"));

	line_add(line, "%s leads %zu host%s, token %s: %s", name, count, count == 1 ? "" : "s",
		field_text(status, "token", NULL), explain_reason(status));
}

static void add_members(struct line *line, const json_t *status)
{
	size_t count = json_array_size(json_object_get(status, "members"));

	line_add(line, "%zu host%s in %s: %s", count, count == 1 ? "" : "s",
		field_text(status, "group", "id"), explain_reason(status));
}

/* Added to each change while a host leads: the event does not name the change that raised it. */
static void add_patience(struct line *line, const json_t *status)
{
	char text[256];
	struct line patience = line_begin(text, sizeof text);

	if (explain_patience(status, &patience))
		line_add(line, "; adaptive timeout %s", text);
}

void sentence_write(const json_t *event, char *ret_text, size_t size)
{
	const json_t *status = json_object_get(event, "status");
	const char *kind = field_text(event, "event", NULL);
	struct line line = line_begin(ret_text, size);
	char leader[9];

	if (!strcmp(kind, "none")) {
		line_add(&line, "nobody leads: %s", explain_reason(status));
		return;
	}
	if (!strcmp(kind, "leader"))
		add_leader(&line, status, "this host");
	else if (!strcmp(kind, "follower"))
		add_leader(&line, status, explain_name(json_object_get(status, "leader"), leader));
	else if (!strcmp(kind, "members"))
		add_members(&line, status);
	else
		add_problems(&line, status);
	add_patience(&line, status);
}

enum text_paint sentence_paint(const char *kind)
{
	return !strcmp(kind, "leader") ? TEXT_GOOD : !strcmp(kind, "none") ? TEXT_WARN : TEXT_FAINT;
}
