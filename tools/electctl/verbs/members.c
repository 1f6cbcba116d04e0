/* SPDX-License-Identifier: Apache-2.0 */
#include "members.h"

#include <limits.h>
#include <string.h>

#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"
#include "electctl/text.h"

/* "120 ms", or "-" if this host does not know. */
static void heard(const json_t *member, char *ret_text, size_t size)
{
	int64_t ms = field_number(member, "last_heard_ms", NULL, -1);

	if (ms < 0)
		snprintf(ret_text, size, "-");
	else
		text_duration(ms, ret_text, size);
}

static const char *mark(const json_t *member, const json_t *status)
{
	const char *id = field_text(member, "id", NULL);
	bool leads = !strcmp(id, field_text(status, "leader", "id"));
	bool self = !strcmp(id, field_text(status, "node", "id"));

	return leads && self ? "leader, this host" : leads ? "leader" : self ? "this host" : "";
}

/* Columns of RANK, PRIO, STATE, HEARD, mark and blanks: names get the rest of the line. */
enum { OTHERS = 4 + 2 + 2 + 2 + 4 + 2 + 7 + 2 + 8 + 2 + 17, NAME_LEAST = 8, CELL_MAX = 128 };

struct columns {
	int name, address;
};

static struct columns columns_of(const struct options *o, const json_t *members)
{
	struct columns c = { (int)field_widest(members, "name", NULL, 4),
		(int)field_widest(members, "address", NULL, 7) };
	int room = (int)o->width - OTHERS - c.address;

	if (c.name > room)
		c.name = room > NAME_LEAST ? room : NAME_LEAST;
	return c;
}

static void print_state(const struct options *o, const char *state, bool warn)
{
	text_put(o->out, o->colour, warn ? TEXT_WARN : TEXT_PLAIN, *state ? state : "-");
	fprintf(o->out, "%*s  ", *state ? 7 - (int)strlen(state) : 6, "");
}

static const char *state_of(const json_t *member)
{
	return field_true(member, "list_untaken", NULL) ? "no list"
							: field_text(member, "state", NULL);
}

static void print_row(const struct options *o, const json_t *member, const json_t *status,
	const struct columns *c, size_t rank)
{
	char ago[TEXT_TIME_MAX], name[CELL_MAX], digits[9];
	const char *state = state_of(member), *who = mark(member, status);

	heard(member, ago, sizeof ago);
	text_cut(explain_name(member, digits), (size_t)c->name, name, sizeof name);
	fprintf(o->out, "%4lld  %-*s  %-*s  %4lld  ",
		(long long)field_number(member, "rank", NULL, (int64_t)rank), c->name, name,
		c->address, field_text(member, "address", NULL),
		(long long)field_number(member, "priority", NULL, 0));
	print_state(o, state, !strcmp(state, "silent") || !strcmp(state, "no list"));
	fprintf(o->out, "%s%*s", ago, *who ? 10 - (int)strlen(ago) : 0, "");
	text_put(o->out, o->colour && *who, TEXT_BOLD, who);
	fputc('\n', o->out);
}

void members_print(
	const struct options *o, const json_t *members, const json_t *status, unsigned rows)
{
	struct columns c = columns_of(o, members);
	size_t count = json_array_size(members), shown = count;
	char head[256];

	if (count + 1 > rows)
		shown = rows > 2 ? rows - 2 : 0;
	snprintf(head, sizeof head, "RANK  %-*s  %-*s  PRIO  %-7s  %s", c.name, "NAME", c.address,
		"ADDRESS", "STATE", "HEARD");
	text_put(o->out, o->colour, TEXT_FAINT, head);
	fputc('\n', o->out);
	for (size_t i = 0; i < shown; i++)
		print_row(o, json_array_get(members, i), status, &c, i);
	if (shown < count)
		fprintf(o->out, "      and %zu more\n", count - shown);
}

/* A host that does not take the membership list and is not a member now: a row without a rank. */
static void print_untaken(const struct options *o, const json_t *answer)
{
	const json_t *host = json_object_get(answer, "list_untaken");
	const json_t *members = json_object_get(answer, "members"), *member;
	struct columns c = columns_of(o, members);
	char name[CELL_MAX], digits[9];
	size_t i;

	if (!json_is_object(host))
		return;
	json_array_foreach(members, i, member)
	{
		if (field_true(member, "list_untaken", NULL))
			return;
	}
	text_cut(explain_name(host, digits), (size_t)c.name, name, sizeof name);
	fprintf(o->out, "   -  %-*s  %-*s     -  ", c.name, name, c.address, "-");
	print_state(o, "no list", true);
	fprintf(o->out, "-\n");
}

/* Problems with early suspicion of the coordinator, which concern its row. */
static void print_suspicion(const struct options *o, const json_t *status)
{
	static const char about[] = "early suspicion";
	const json_t *problem;
	size_t i;

	json_array_foreach(
		json_object_get(json_object_get(status, "health"), "problems"), i, problem)
	{
		const char *words = json_string_value(problem);

		if (words && strncmp(words, about, strlen(about)) == 0)
			fprintf(o->out, "%s\n", words);
	}
}

static void print_unfit(const struct options *o, const json_t *members)
{
	char name[CELL_MAX], digits[9];
	const json_t *member;
	size_t i;

	json_array_foreach(members, i, member)
	{
		const char *why = field_text(member, "why_not", NULL);

		if (!*why)
			continue;
		text_cut(explain_name(member, digits), sizeof name - 1, name, sizeof name);
		fprintf(o->out, "%s may not lead: %s\n", name, why);
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

/* ---- links ------------------------------------------------------------------------------ */

/* "-" if the value is not known. */
static const char *known(const json_t *link, const char *key)
{
	const char *text = field_text(link, key, NULL);

	return *text ? text : "-";
}

/* One row; `link` is NULL for a host that is not heard on any link. */
static void print_link(const struct options *o, const json_t *member, const json_t *link, int width)
{
	char ago[TEXT_TIME_MAX], name[CELL_MAX], digits[9];
	const char *state = known(link, "state");

	heard(link, ago, sizeof ago);
	text_cut(explain_name(member, digits), (size_t)width, name, sizeof name);
	fprintf(o->out, "%-*s  %-10s  ", width, name, known(link, "interface"));
	text_put(o->out, o->colour, !strcmp(state, "unanswered") ? TEXT_WARN : TEXT_PLAIN, state);
	fprintf(o->out, "%*s  %-8s  %s\n", 10 - (int)strlen(state), "", ago,
		known(link, "address"));
}

static void print_link_plain(
	const struct options *o, const json_t *member, const json_t *link, int width)
{
	long long ms = (long long)field_number(link, "last_heard_ms", NULL, -1);
	char text[24] = "-";

	(void)width;
	if (ms >= 0)
		snprintf(text, sizeof text, "%lld", ms);
	fprintf(o->out, "%s\t%s\t%s\t%s\t%s\t%s\n", field_text(member, "name", NULL),
		known(link, "interface"), known(link, "state"), text, known(link, "address"),
		field_text(member, "id", NULL));
}

/* This host does not hear itself, so it has no row. */
static void print_links(const struct options *o, const json_t *members)
{
	int width = columns_of(o, members).name;
	const json_t *member, *links, *link;
	size_t i, j;

	if (!o->plain) {
		char head[256];

		snprintf(head, sizeof head, "%-*s  %-10s  %-10s  %-8s  %s", width, "NAME",
			"INTERFACE", "STATE", "HEARD", "ADDRESS");
		text_put(o->out, o->colour, TEXT_FAINT, head);
		fputc('\n', o->out);
	}
	json_array_foreach(members, i, member)
	{
		links = json_object_get(member, "links");
		if (!json_array_size(links) && !field_true(member, "self", NULL))
			(o->plain ? print_link_plain : print_link)(o, member, NULL, width);
		json_array_foreach(links, j, link)(o->plain ? print_link_plain : print_link)(
			o, member, link, width);
	}
}

enum electctl_exit members_verb(const struct options *o, char *const *args)
{
	json_t *answer = NULL, *status = NULL;
	enum electctl_exit code = ask(o, "io.electd.GetMembers", NULL, ASK_TIMEOUT_MS, &answer);

	(void)args;
	/* The leader and this host's own id are in the status, not in the answer of GetMembers. */
	if (code == ELECTCTL_OK && !o->json && !o->plain && !o->links)
		code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);
	if (code == ELECTCTL_OK && o->json)
		ask_print_json(o, answer, false);
	else if (code == ELECTCTL_OK && o->links)
		print_links(o, json_object_get(answer, "members"));
	else if (code == ELECTCTL_OK && o->plain)
		print_plain(o, json_object_get(answer, "members"));
	else if (code == ELECTCTL_OK && !json_array_size(json_object_get(answer, "members")))
		ask_say(o, "this host is in no group yet");
	else if (code == ELECTCTL_OK) {
		members_print(o, json_object_get(answer, "members"), status, UINT_MAX);
		print_untaken(o, answer);
		print_suspicion(o, status);
		print_unfit(o, json_object_get(answer, "members"));
	}
	json_decref(answer);
	json_decref(status);
	return code;
}
