/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include <stdlib.h>
#include <string.h>

#include "core/line.h"
#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"
#include "electctl/text.h"

enum { INDENT = 10, MEMBER_LINES = 4, ADDRESSES_SHOWN = 4, SENTENCE_MAX = 512, WORD_MAX = 128 };

/* Why there is no leader, derived from the state of this host. */
static const char *nobody_because(const json_t *status)
{
	const char *state = field_text(status, "state", NULL);

	if (!strcmp(state, "down"))
		return "this host has just started and listens for others";
	if (!strcmp(state, "election") || !strcmp(state, "reorganizing"))
		return "an election is going on";
	if (field_number(status, "quorum", "needed", 0) > 0 && !field_true(status, "quorum", "met"))
		return "too few hosts are here for the quorum";
	if (json_array_size(json_object_get(status, "members")) < 2)
		return "this host is alone and does not lead yet";
	return "the coordinator of this group does not lead";
}

void status_headline(const json_t *status, char *ret_text, size_t size)
{
	const char *domain = field_text(status, "domain", NULL);
	const char *role = field_text(status, "role", NULL);
	char self[9], leader[9];
	const char *name = explain_name(json_object_get(status, "node"), self);

	if (!strcmp(role, "leader"))
		snprintf(ret_text, size, "This host, %s, leads \"%s\".", name, domain);
	else if (!strcmp(role, "follower"))
		snprintf(ret_text, size, "%s leads \"%s\"; this host, %s, follows.",
			explain_name(json_object_get(status, "leader"), leader), domain, name);
	else
		snprintf(ret_text, size, "Nobody leads \"%s\" for this host, %s: %s.", domain, name,
			nobody_because(status));
}

static void label(const struct options *o, const char *name)
{
	char padded[INDENT + 1];

	snprintf(padded, sizeof padded, "%-*s", INDENT, name);
	text_put(o->out, o->colour, TEXT_FAINT, padded);
}

static void row(const struct options *o, const char *name, const char *value)
{
	label(o, name);
	text_fill(o->out, o->width, INDENT, value);
	fputc('\n', o->out);
}

static void print_leader(const struct options *o, const json_t *status)
{
	const json_t *leader = json_object_get(status, "leader");
	const char *address = field_text(leader, "address", NULL);
	char digits[9], text[SENTENCE_MAX];

	if (!json_is_object(leader))
		return;
	snprintf(text, sizeof text, "%s%s%s", explain_name(leader, digits), *address ? ", " : "",
		address);
	row(o, "Leader", text);
}

/* "192.0.2.100 on eth0, announced 3 s ago", on the leader */
static void address_words(const json_t *address, char *ret_text, size_t size)
{
	const char *state = field_text(address, "state", NULL);
	const char *interface = field_text(address, "interface", NULL);
	int64_t announced_ms = field_number(address, "announced_ms", NULL, -1);
	struct line line = line_begin(ret_text, size);
	char ago[TEXT_TIME_MAX];

	line_add(&line, "%s", field_text(address, "address", NULL));
	if (strcmp(state, "held") != 0) {
		line_add(&line, ": %s", strcmp(state, "foreign") ? "missing" : "not electd's");
		return;
	}
	line_add(&line, "%s%s", *interface ? " on " : "", interface);
	text_duration(announced_ms, ago, sizeof ago);
	if (announced_ms >= 0)
		line_add(&line, ", announced %s ago", ago);
}

static void print_own_addresses(const struct options *o, const json_t *addresses)
{
	size_t count = json_array_size(addresses), i;
	char text[SENTENCE_MAX];

	for (i = 0; i < count && i < ADDRESSES_SHOWN; i++) {
		address_words(json_array_get(addresses, i), text, sizeof text);
		row(o, i ? "" : "Addresses", text);
	}
	if (i == count)
		return;
	snprintf(text, sizeof text, "%zu more: electctl address", count - i);
	row(o, "", text);
}

/* "192.0.2.100, 2001:db8::100 with web1" */
static void print_others_addresses(
	const struct options *o, const json_t *status, const json_t *addresses)
{
	const json_t *leader = json_object_get(status, "leader");
	size_t count = json_array_size(addresses), i;
	char digits[9], text[SENTENCE_MAX];
	struct line line = line_begin(text, sizeof text);

	for (i = 0; i < count && i < ADDRESSES_SHOWN; i++)
		line_add(&line, "%s%s", i ? ", " : "",
			field_text(json_array_get(addresses, i), "address", NULL));
	if (i < count)
		line_add(&line, " and %zu more", count - i);
	line_add(&line, " with %s",
		json_is_object(leader) ? explain_name(leader, digits) : "no host");
	row(o, "Addresses", text);
}

static void print_addresses(const struct options *o, const json_t *status)
{
	const json_t *addresses = json_object_get(status, "addresses");

	if (!json_array_size(addresses))
		return;
	if (!strcmp(field_text(status, "role", NULL), "leader"))
		print_own_addresses(o, addresses);
	else
		print_others_addresses(o, status, addresses);
}

static void print_since(const struct options *o, const json_t *status)
{
	char when[TEXT_TIME_MAX], ago[TEXT_TIME_MAX], text[SENTENCE_MAX];

	text_local_time(field_text(status, "since", NULL), true, false, when, sizeof when);
	text_duration(field_number(status, "since_ms", NULL, 0), ago, sizeof ago);
	snprintf(text, sizeof text, "%s, %s ago", when, ago);
	row(o, "Since", text);
}

/* "web2 (leader)": an item of the list of members. */
static void member_word(const json_t *member, const json_t *status, char *ret_word, size_t size)
{
	const char *id = field_text(member, "id", NULL);
	bool leads = !strcmp(id, field_text(status, "leader", "id"));
	bool self = !strcmp(id, field_text(status, "node", "id"));
	bool silent = !strcmp(field_text(member, "state", NULL), "silent");
	char digits[9];

	snprintf(ret_word, size, "%s%s%s%s", explain_name(member, digits), leads ? " (leader)" : "",
		self ? " (this host)" : "", silent ? " (silent)" : "");
}

static void print_members(const struct options *o, const json_t *status)
{
	const json_t *members = json_object_get(status, "members");
	unsigned count = (unsigned)json_array_size(members);
	char(*words)[WORD_MAX] = calloc(count, sizeof(*words));
	const char **items = calloc(count, sizeof(*items));

	label(o, "Members");
	if (words && items) {
		for (unsigned i = 0; i < count; i++) {
			member_word(json_array_get(members, i), status, words[i], sizeof words[i]);
			items[i] = words[i];
		}
		text_list(o->out, o->width, INDENT, MEMBER_LINES, items, count);
	}
	fputc('\n', o->out);
	free(items);
	free(words);
}

static void print_group(const struct options *o, const json_t *status)
{
	const char *id = field_text(status, "group", "id");
	unsigned count = (unsigned)json_array_size(json_object_get(status, "members"));
	char text[SENTENCE_MAX];

	if (!*id)
		return;
	snprintf(text, sizeof text, "%s, %u host%s", id, count, count == 1 ? "" : "s");
	row(o, "Group", text);
}

static void print_quorum(const struct options *o, const json_t *status)
{
	long long needed = (long long)field_number(status, "quorum", "needed", 0);
	char text[SENTENCE_MAX];

	if (needed <= 0)
		return;
	snprintf(text, sizeof text, "%s: %lld needed, %lld here",
		field_true(status, "quorum", "met") ? "met" : "NOT met", needed,
		(long long)field_number(status, "quorum", "have", 0));
	row(o, "Quorum", text);
}

/* Which host's scripts, units and commands have not ended yet, and since when. */
static void waits_for(const json_t *yielding, char *ret_text, size_t size)
{
	const char *who = field_text(yielding, "waits_for", NULL);
	bool last = !strcmp(field_text(yielding, "rank", NULL), "address");
	char since[TEXT_TIME_MAX], left[TEXT_TIME_MAX];

	text_duration(field_number(yielding, "since_ms", NULL, 0), since, sizeof since);
	text_duration(field_number(yielding, "left_ms", NULL, 0), left, sizeof left);
	if (*who)
		snprintf(ret_text, size, "waits for %s to %s, %s so far, at most %s more", who,
			last ? "remove the addresses" : "stop its work", since, left);
	else
		snprintf(ret_text, size, "waits for its scripts and units to stop");
}

/* During a hand-over this host still leads, until its scripts and units have ended. */
static void print_yielding(const struct options *o, const json_t *status)
{
	const json_t *yielding = json_object_get(status, "yielding");
	const json_t *to = json_object_get(yielding, "to");
	char name[9], waits[SENTENCE_MAX / 2], text[SENTENCE_MAX];

	if (!json_is_object(yielding))
		return;
	waits_for(yielding, waits, sizeof waits);
	if (json_is_object(to))
		snprintf(text, sizeof text, "%s; then %s leads", waits, explain_name(to, name));
	else
		snprintf(text, sizeof text, "%s; then it no longer leads", waits);
	row(o, "Yielding", text);
}

/* Scripts and units begin after what moves the addresses. */
static void print_promoting(const struct options *o, const json_t *status)
{
	const json_t *promoting = json_object_get(status, "promoting");
	char since[TEXT_TIME_MAX], left[TEXT_TIME_MAX], text[SENTENCE_MAX];

	if (!json_is_object(promoting))
		return;
	text_duration(field_number(promoting, "since_ms", NULL, 0), since, sizeof since);
	text_duration(field_number(promoting, "left_ms", NULL, 0), left, sizeof left);
	snprintf(text, sizeof text,
		"scripts and units wait for %s to add the addresses, %s so far, at most %s more",
		field_text(promoting, "waits_for", NULL), since, left);
	row(o, "Starting", text);
}

/* After resigning, or being sick as leader, this host may not lead for a time. */
static void print_barred(const struct options *o, const json_t *status)
{
	int64_t left_ms = field_number(status, "node", "barred_ms", 0);
	char left[TEXT_TIME_MAX], text[SENTENCE_MAX];

	if (left_ms <= 0)
		return;
	text_duration(left_ms, left, sizeof left);
	snprintf(text, sizeof text, "gave up leadership, and does not lead for another %s", left);
	row(o, "Barred", text);
}

/* Settings that keep this host from leading until an administrator changes them. */
static void print_hold(const struct options *o, const json_t *status)
{
	const json_t *node = json_object_get(status, "node");

	if (field_true(node, "held", NULL))
		row(o, "Hold", "on: only follows, until \"electctl hold off\"");
	if (json_object_get(node, "priority") && !field_number(node, "priority", NULL, 0))
		row(o, "Priority", "0: only follows");
}

/* The leader's daemon has crashed, but its scripts and units may still run. */
static void print_awaits(const struct options *o, const json_t *crashed)
{
	char name[9], text[SENTENCE_MAX];

	snprintf(text, sizeof text, "until the work of %s, the leader that crashed, has ended",
		explain_name(crashed, name));
	row(o, "Waits", text);
}

/* A coordinator that may lead, and does not lead yet. For other bars there are other rows. */
static void print_waits(const struct options *o, const json_t *status)
{
	const json_t *bar = json_object_get(status, "bar");
	int64_t left_ms = field_number(bar, "left_ms", NULL, 0);
	char left[TEXT_TIME_MAX], text[SENTENCE_MAX];
	struct line line = line_begin(text, sizeof text);

	if (json_is_object(json_object_get(status, "awaits"))) {
		print_awaits(o, json_object_get(status, "awaits"));
		return;
	}
	if (!json_is_object(bar) || !field_true(status, "node", "may_lead"))
		return;
	line_add(&line, "%s", field_text(bar, "words", NULL));
	if (left_ms > 0) {
		text_duration(left_ms, left, sizeof left);
		line_add(&line, ", %s at most", left);
	}
	row(o, "Waits", text);
}

static void print_patience(const struct options *o, const json_t *status)
{
	char text[SENTENCE_MAX];
	struct line line = line_begin(text, sizeof text);

	line_add(&line, "adaptive: ");
	if (explain_patience(status, &line))
		row(o, "Timeout", text);
}

/* Coordinators that a member hears although their groups do not merge. */
static void print_apart(const struct options *o, const json_t *status)
{
	const json_t *foreign = json_object_get(status, "foreign"), *other;
	size_t i;

	json_array_foreach(foreign, i, other)
	{
		char name[9], by[9], text[SENTENCE_MAX];
		const json_t *heard_by = json_object_get(other, "heard_by");

		snprintf(text, sizeof text, "%s coordinates another group, heard by %s",
			explain_name(other, name), explain_name(heard_by, by));
		row(o, i ? "" : "Apart", text);
	}
}

/* True if electd accepts a key in addition to the built-in one. */
static bool has_keys(const json_t *status)
{
	const json_t *accepts = json_object_get(json_object_get(status, "auth"), "accepts");

	return json_array_size(accepts) > 1;
}

static void print_trust(const struct options *o, const json_t *status)
{
	const char *mode = field_text(status, "auth", "mode");
	long long key = (long long)field_number(status, "auth", "active_key", 0);
	char text[SENTENCE_MAX];

	if (!field_true(status, "auth", "authenticated") && has_keys(status))
		snprintf(text, sizeof text,
			"not authenticated (%s): messages sent without a key file are accepted too",
			mode);
	else if (key > 0)
		snprintf(text, sizeof text, "authenticated with key %lld (mode %s)", key, mode);
	else
		snprintf(text, sizeof text,
			"not authenticated: no key file (mode %s). Any user of this host, and "
			"any host on the LAN, can speak as a member",
			mode);
	row(o, "Trust", text);
}

static void print_other_keys(const struct options *o, const json_t *status)
{
	const json_t *other;
	size_t i;

	json_array_foreach(json_object_get(status, "other_keys"), i, other)
		row(o, i ? "" : "Other key", field_text(other, "text", NULL));
}

static bool is_missed(const char *state)
{
	return !strcmp(state, "silent") || !strcmp(state, "unreachable");
}

/* "3 named, 1 missed: 192.0.2.9 silent" */
static void print_peers(const struct options *o, const json_t *status)
{
	const json_t *peers = json_object_get(status, "peers"), *peer;
	unsigned missed = 0, told = 0;
	char text[SENTENCE_MAX];
	struct line line = line_begin(text, sizeof text);
	size_t i;

	json_array_foreach(peers, i, peer) missed += is_missed(field_text(peer, "state", NULL));
	line_add(&line, "%zu named, %u missed", json_array_size(peers), missed);
	json_array_foreach(peers, i, peer)
	{
		const char *state = field_text(peer, "state", NULL);

		if (is_missed(state))
			line_add(&line, "%s %s %s", told++ ? "," : ":",
				field_text(peer, "address", NULL), state);
	}
	if (json_array_size(peers))
		row(o, "Peers", text);
}

static void print_health(const struct options *o, const json_t *status)
{
	const json_t *problem;
	size_t i;

	label(o, "Health");
	if (field_true(status, "health", "ok")) {
		text_put(o->out, o->colour, TEXT_GOOD, "ok");
		fputc('\n', o->out);
	} else {
		text_put(o->out, o->colour, TEXT_BAD, "degraded");
		fputc('\n', o->out);
	}
	json_array_foreach(
		json_object_get(json_object_get(status, "health"), "problems"), i, problem)
	{
		fprintf(o->out, "%*s- ", INDENT, "");
		text_fill(o->out, o->width, INDENT + 2,
			json_string_value(problem) ? json_string_value(problem) : "?");
		fputc('\n', o->out);
	}
}

static void print_headline(const struct options *o, const json_t *status)
{
	bool nobody = !strcmp(field_text(status, "role", NULL), "none");
	char text[SENTENCE_MAX];

	status_headline(status, text, sizeof text);
	if (o->colour)
		fputs(nobody ? "\033[1;33m" : "\033[1m", o->out);
	text_fill(o->out, o->width, 0, text);
	fputs(o->colour ? "\033[0m\n\n" : "\n\n", o->out);
}

void status_print_short(const struct options *o, const json_t *status)
{
	print_headline(o, status);
	print_since(o, status);
	row(o, "Why", explain_reason(status));
	print_promoting(o, status);
	print_yielding(o, status);
	print_barred(o, status);
	print_hold(o, status);
	print_waits(o, status);
	print_group(o, status);
	print_quorum(o, status);
	print_patience(o, status);
	print_apart(o, status);
	print_health(o, status);
}

void status_print(const struct options *o, const json_t *status)
{
	print_headline(o, status);
	print_leader(o, status);
	print_addresses(o, status);
	print_since(o, status);
	row(o, "Why", explain_reason(status));
	print_promoting(o, status);
	print_yielding(o, status);
	print_barred(o, status);
	print_hold(o, status);
	print_waits(o, status);
	print_group(o, status);
	if (json_array_size(json_object_get(status, "members")) > 1)
		print_members(o, status);
	if (strcmp(field_text(status, "token", NULL), "0") != 0)
		row(o, "Token", field_text(status, "token", NULL));
	print_quorum(o, status);
	print_patience(o, status);
	print_apart(o, status);
	print_peers(o, status);
	print_trust(o, status);
	print_other_keys(o, status);
	print_health(o, status);
}

void status_print_plain(const struct options *o, const json_t *status)
{
	static const struct {
		const char *name, *key, *inner;
	} rows[] = {
		{ "domain", "domain", NULL },
		{ "role", "role", NULL },
		{ "state", "state", NULL },
		{ "node", "node", "name" },
		{ "leader", "leader", "name" },
		{ "leader_address", "leader", "address" },
		{ "token", "token", NULL },
		{ "group", "group", "id" },
		{ "since", "since", NULL },
		{ "reason", "reason", NULL },
		{ "cause", "cause", "name" },
		{ "why", "why", NULL },
	};
	const json_t *problem, *other, *address;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fprintf(o->out, "%s\t%s\n", rows[i].name,
			field_text(status, rows[i].key, rows[i].inner));
	fprintf(o->out, "members\t%zu\n", json_array_size(json_object_get(status, "members")));
	json_array_foreach(json_object_get(status, "addresses"), i, address)
		fprintf(o->out, "address\t%s\t%s\n", field_text(address, "address", NULL),
			field_text(address, "state", NULL));
	json_array_foreach(json_object_get(status, "other_keys"), i, other)
		fprintf(o->out, "other_key\t%s\n", field_text(other, "text", NULL));
	fprintf(o->out, "ok\t%s\n", field_true(status, "health", "ok") ? "true" : "false");
	json_array_foreach(json_object_get(json_object_get(status, "health"), "problems"), i,
		problem) fprintf(o->out, "problem\t%s\n", json_string_value(problem));
}

enum electctl_exit status_verb(const struct options *o, char *const *args)
{
	json_t *status = NULL;
	enum electctl_exit code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	if (o->json)
		ask_print_json(o, status, false);
	else if (o->plain)
		status_print_plain(o, status);
	else
		status_print(o, status);
	json_decref(status);
	return ELECTCTL_OK;
}
