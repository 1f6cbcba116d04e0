/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "field.h"

/* $ stands for the host that caused it; `anybody` is said when it is not known. */
static const struct {
	const char *reason, *sentence, *anybody;
} reasons[] = {
	{ "none", "nothing has changed yet", "nothing" },
	{ "start", "electd has just started and listens first", "nobody" },
	{ "alone", "no other host was heard", "nobody" },
	{ "merged", "groups that hear each other merged; $ invited", "the better coordinator" },
	{ "started", "hosts that had just started formed a group; $ invited", "one of them" },
	{ "joined", "$ joined the group", "a host" },
	{ "joined-it", "this host joined the group of $", "a coordinator" },
	{ "invited", "$ invited this host into its group", "a coordinator" },
	{ "coordinator-silent", "$, the coordinator before, fell silent", "a host" },
	{ "coordinator-stopped", "$, the coordinator before, was stopped", "a host" },
	{ "coordinator-resigned", "$, the coordinator before, handed over", "a host" },
	{ "coordinator-restarted", "$, the coordinator before, restarted", "a host" },
	{ "coordinator-crashed", "$, the coordinator before, crashed", "a host" },
	{ "dropped", "$ no longer answered and was dropped from the group", "a host" },
	{ "quorum-lost", "too few hosts are left for the quorum", "" },
	{ "quorum-met", "enough hosts are here for the quorum", "" },
	{ "carrier-lost", "no network interface has a link", "" },
	{ "stalled", "this host stood still for a while (paused, suspended or starved)", "" },
	{ "held", "this host was told not to lead", "" },
	{ "yielded", "this host made way for $", "a better leader" },
	{ "confirmed", "its leader was confirmed after a merge", "" },
	{ "definition", "the definition that the coordinator hands out changed", "" },
	{ "state-file", "the state file cannot be written", "" },
	{ "duplicate-id", "another host uses this host's id", "" },
	{ "stopping", "electd is stopping", "" },
};

const char *explain_name(const json_t *host, char ret_text[9])
{
	const char *name = field_text(host, "name", NULL), *id = field_text(host, "id", NULL);

	if (*name)
		return name;
	snprintf(ret_text, 9, "%.8s", *id ? id : "?");
	return ret_text;
}

/* Two reasons mean one thing or another, by the state the host is in; rows of their own. */
static const char *reason_row(const char *reason, const json_t *cause, const json_t *status)
{
	const char *id = field_text(cause, "id", NULL);

	if (!strcmp(reason, "start") && strcmp(field_text(status, "state", NULL), "down") != 0)
		return "started";
	if (!strcmp(reason, "joined") && *id &&
		!strcmp(id, field_text(status, "group", "coordinator")))
		return "joined-it";
	return reason;
}

/* Copies `sentence` with $ replaced by `name`. */
static void insert(const char *sentence, const char *name, char *ret_text, size_t size)
{
	const char *mark = strchr(sentence, '$');

	if (mark)
		snprintf(ret_text, size, "%.*s%s%s", (int)(mark - sentence), sentence, name,
			mark + 1);
	else
		snprintf(ret_text, size, "%s", sentence);
}

void explain_reason(const json_t *object, const json_t *status, char *ret_text, size_t size)
{
	const char *reason = field_text(object, "reason", NULL);
	const json_t *cause = json_object_get(object, "cause");
	const char *row = reason_row(reason, cause, status);
	const char *self_id = field_text(status, "node", "id");
	bool self = *self_id && !strcmp(field_text(cause, "id", NULL), self_id);
	char digits[9];

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (strcmp(reasons[i].reason, row) != 0)
			continue;
		insert(reasons[i].sentence,
			self				? "this host"
				: json_is_object(cause) ? explain_name(cause, digits)
							: reasons[i].anybody,
			ret_text, size);
		return;
	}
	snprintf(ret_text, size, "%s", *reason ? reason : "electd does not say");
}
