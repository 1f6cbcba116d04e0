/* SPDX-License-Identifier: Apache-2.0 */
#include "sentence.h"

#include <stdio.h>
#include <string.h>

#include "core/line.h"
#include "electctl/explain.h"
#include "electctl/field.h"

/* A problem came or went, or hold was switched: what is wrong now, if anything. */
static void state_sentence(const json_t *status, char *ret_text, size_t size)
{
	const json_t *problems = json_object_get(json_object_get(status, "health"), "problems");
	const json_t *problem;
	struct line line = line_begin(ret_text, size);
	size_t i;

	if (json_array_size(problems) == 0)
		line_add(&line, "no problem");
	json_array_foreach(problems, i, problem)
	{
		const char *words = json_string_value(problem) ? json_string_value(problem) : "?";

		line_add(&line, "%s%s", i ? "; " : "problem: ", words);
	}
}

void watch_sentence(const json_t *event, char *ret_text, size_t size)
{
	const json_t *status = json_object_get(event, "status");
	const char *kind = field_text(event, "event", NULL), *why = explain_reason(status);
	unsigned count = (unsigned)json_array_size(json_object_get(status, "members"));
	const char *token = field_text(status, "token", NULL), *hosts = count == 1 ? "" : "s";
	char leader[9];

	if (!strcmp(kind, "leader"))
		snprintf(ret_text, size, "this host leads %u host%s, token %s: %s", count, hosts,
			token, why);
	else if (!strcmp(kind, "follower"))
		snprintf(ret_text, size, "%s leads %u host%s, token %s: %s",
			explain_name(json_object_get(status, "leader"), leader), count, hosts,
			token, why);
	else if (!strcmp(kind, "none"))
		snprintf(ret_text, size, "nobody leads: %s", why);
	else if (!strcmp(kind, "members"))
		snprintf(ret_text, size, "%u host%s in %s: %s", count, hosts,
			field_text(status, "group", "id"), why);
	else
		state_sentence(status, ret_text, size);
}

enum text_paint watch_paint(const char *kind)
{
	return !strcmp(kind, "leader") ? TEXT_GOOD : !strcmp(kind, "none") ? TEXT_WARN : TEXT_FAINT;
}
