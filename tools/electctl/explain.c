/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdio.h>
#include <string.h>

#include "field.h"

const char *explain_name(const json_t *host, char ret_text[9])
{
	const char *name = field_text(host, "name", NULL), *id = field_text(host, "id", NULL);

	if (*name)
		return name;
	snprintf(ret_text, 9, "%.8s", *id ? id : "?");
	return ret_text;
}

const char *explain_reason(const json_t *status)
{
	const char *why = field_text(status, "why", NULL);

	if (!*why)
		why = field_text(status, "reason", NULL);
	return *why ? why : "electd gives no reason";
}

bool explain_patience(const json_t *status, struct line *line)
{
	const json_t *patience = json_object_get(status, "patience");
	const json_t *host = json_object_get(patience, "host");
	long long silence_ms = (long long)field_number(patience, "silence_ms", NULL, 0);
	long long alarms = (long long)field_number(patience, "false_alarms", NULL, 0);
	bool self = !strcmp(field_text(host, "id", NULL), field_text(status, "node", "id"));
	char name[9];

	if (!json_is_object(patience))
		return false;
	line_add(line, "%lld ms longer", (long long)field_number(patience, "ms", NULL, 0));
	if (silence_ms > 0)
		line_add(line, ", %lld ms longer for its kernel", silence_ms);
	line_add(line, " (%lld false suspicion%s", alarms, alarms == 1 ? "" : "s");
	if (!self)
		line_add(line, " of %s", explain_name(host, name));
	line_add(line, ")");
	return true;
}
