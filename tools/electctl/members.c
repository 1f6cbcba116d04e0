/* SPDX-License-Identifier: Apache-2.0 */
/* members: the hosts of this host's group, a line each, in succession order. */
#include <string.h>

#include "ask.h"
#include "explain.h"
#include "field.h"
#include "text.h"

/* "120 ms", or "-" where this host does not know. */
static void heard(const json_t *member, char *ret_text, size_t size)
{
	int64_t ms = field_number(member, "last_heard_ms", NULL, -1);

	if (ms < 0)
		snprintf(ret_text, size, "-");
	else
		text_duration(ms, ret_text, size);
}

static int width(const json_t *members, const char *key, int least)
{
	const json_t *member;
	size_t i;

	json_array_foreach(members, i, member)
	{
		int length = (int)strlen(field_text(member, key, NULL));

		least = length > least ? length : least;
	}
	return least;
}

static const char *mark(const json_t *member, const json_t *status)
{
	const char *id = field_text(member, "id", NULL);
	bool leads = !strcmp(id, field_text(status, "leader", "id"));
	bool self = !strcmp(id, field_text(status, "node", "id"));

	return leads && self ? "leader, this host" : leads ? "leader" : self ? "this host" : "";
}

static void print_table(const struct options *o, const json_t *members, const json_t *status)
{
	int name = width(members, "name", 4), address = width(members, "address", 7);
	const json_t *member;
	size_t i;

	text_put(o->out, o->colour, TEXT_FAINT, "RANK");
	fprintf(o->out, "  %-*s  %-*s  PRIO  %-8s  %s\n", name, "NAME", address, "ADDRESS", "STATE",
		"HEARD");
	json_array_foreach(members, i, member)
	{
		char ago[TEXT_TIME_MAX], digits[9];
		const char *state = field_text(member, "state", NULL);
		int pad;

		heard(member, ago, sizeof ago);
		pad = *mark(member, status) ? 10 - (int)strlen(ago) : 0;
		fprintf(o->out, "%4lld  %-*s  %-*s  %4lld  %-8s  %s%*s",
			(long long)field_number(member, "rank", NULL, (int64_t)i), name,
			explain_name(member, digits), address, field_text(member, "address", NULL),
			(long long)field_number(member, "priority", NULL, 0), *state ? state : "-",
			ago, pad > 0 ? pad : 0, "");
		text_put(o->out, o->colour && *mark(member, status), TEXT_BOLD,
			mark(member, status));
		fputc('\n', o->out);
	}
}

static void print_plain(const struct options *o, const json_t *members)
{
	const json_t *member;
	size_t i;

	json_array_foreach(members, i, member)
	{
		long long ms = (long long)field_number(member, "last_heard_ms", NULL, -1);
		char text[24] = "-";

		if (ms >= 0)
			snprintf(text, sizeof text, "%lld", ms);
		fprintf(o->out, "%lld\t%s\t%s\t%lld\t%s\t%s\t%s\n",
			(long long)field_number(member, "rank", NULL, (int64_t)i),
			field_text(member, "name", NULL), field_text(member, "address", NULL),
			(long long)field_number(member, "priority", NULL, 0),
			field_text(member, "state", NULL), text, field_text(member, "id", NULL));
	}
}

enum electctl_exit members_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL, *status = NULL;
	enum electctl_exit code = ask(o, "io.electd.GetMembers", NULL, ASK_TIMEOUT_MS, &answer);

	(void)args;
	/* Who leads and who we are stands in the status, not in the list. */
	if (code == ELECTCTL_OK && !o->json && !o->plain)
		code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);
	if (code == ELECTCTL_OK && o->json)
		ask_print_json(o, answer, false);
	else if (code == ELECTCTL_OK && o->plain)
		print_plain(o, json_object_get(answer, "members"));
	else if (code == ELECTCTL_OK && !json_array_size(json_object_get(answer, "members")))
		ask_say(o, "this host is in no group yet");
	else if (code == ELECTCTL_OK)
		print_table(o, json_object_get(answer, "members"), status);
	json_decref(answer);
	json_decref(status);
	return code;
}
