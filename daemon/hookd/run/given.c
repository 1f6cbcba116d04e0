/* SPDX-License-Identifier: Apache-2.0 */
/* given: composes the environment of a script from nothing, and its JSON. See given.h. */
#include "given.h"

#include "core/elect.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MAX = 24, NUMBER_SIZE = 24 };

enum elect_role given_role(const struct event_told *told)
{
	switch (told->event) {
	case HOOK_LEADER:
		return ELECT_ROLE_LEADER;
	case HOOK_FOLLOWER:
		return ELECT_ROLE_FOLLOWER;
	case HOOK_MEMBERS:
		return told->status->role;
	case HOOK_NOTHING:
	case HOOK_NONE:
	case HOOK_STOP:
	case HOOK_EVENTS:
		break;
	}
	return ELECT_ROLE_NONE;
}

/* With role none there is no leader, even if the last status names one. */
static const struct event_host *leader_of(const struct event_told *told)
{
	static const struct event_host nobody = { .id = "" };

	return given_role(told) == ELECT_ROLE_NONE ? &nobody : &told->status->leader;
}

const char *given_reason(const struct event_told *told)
{
	return told->reason ? told->reason : told->status->reason;
}

/* ---- environment ------------------------------------------------------------------------- */

struct list {
	char **items;
	unsigned count;
	bool failed;
};

static void add(struct list *list, const char *name, const char *value)
{
	char *item;

	if (asprintf(&item, "%s=%s", name, value) < 0) {
		list->failed = true;
		return;
	}
	list->items[list->count++] = item;
}

static void add_number(struct list *list, const char *name, uint64_t number)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	add(list, name, text);
}

static void add_members(struct list *list, const struct event_status *status)
{
	char *names = malloc((size_t)status->members_count * EVENT_NAME_SIZE + 1);
	size_t used = 0;

	if (!names) {
		list->failed = true;
		return;
	}
	for (unsigned i = 0; i < status->members_count; i++) {
		const char *name = status->members[i].host.name;

		if (i)
			names[used++] = ' ';
		memcpy(names + used, name, strlen(name));
		used += strlen(name);
	}
	names[used] = '\0';
	add(list, "ELECTD_MEMBERS", names);
	free(names);
}

static void add_all(struct list *list, const struct event_told *told)
{
	const struct event_status *status = told->status;
	const struct event_host *leader = leader_of(told);

	add(list, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	add(list, "LANG", "C.UTF-8");
	add(list, "ELECTD_EVENT", hook_event_name(told->event));
	add(list, "ELECTD_DOMAIN", status->domain);
	add(list, "ELECTD_ROLE", elect_role_name(given_role(told)));
	add(list, "ELECTD_OLD_ROLE", elect_role_name(told->old_role));
	add_number(list, "ELECTD_TOKEN", told->token);
	add(list, "ELECTD_GROUP", status->group);
	add(list, "ELECTD_LEADER_ID", leader->id);
	add(list, "ELECTD_LEADER_NAME", leader->name);
	add(list, "ELECTD_LEADER_ADDRESS", leader->address);
	add(list, "ELECTD_NODE_ID", status->node.id);
	add(list, "ELECTD_NODE_NAME", status->node.name);
	add_members(list, status);
	add_number(list, "ELECTD_MEMBER_COUNT", status->members_count);
	add(list, "ELECTD_REASON", given_reason(told));
	add_number(list, "ELECTD_SEQ", told->seq);
	add(list, "ELECTD_REPLAY", told->replay ? "1" : "0");
	add(list, "ELECTD_DEFINITION", status->definition);
}

char **given_environment(const struct event_told *told)
{
	struct list list = { .items = calloc(VARIABLES_MAX, sizeof(char *)) };

	if (!list.items)
		return NULL;
	add_all(&list, told);
	if (!list.failed)
		return list.items;
	given_environment_free(list.items);
	return NULL;
}

void given_environment_free(char **environment)
{
	for (char **item = environment; item && *item; item++)
		free(*item);
	free(environment);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *text(const char *value)
{
	return *value ? json_string(value) : json_null();
}

static json_t *members(const struct event_status *status)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < status->members_count; i++) {
		const struct event_member *m = &status->members[i];

		if (json_array_append_new(list,
			    json_pack("{s:s, s:s, s:o, s:i, s:i, s:s}", "id", m->host.id, "name",
				    m->host.name, "address", text(m->host.address), "rank",
				    (int)m->rank, "priority", (int)m->priority, "state",
				    m->state))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *node(const struct event_host *host)
{
	if (!*host->id)
		return json_null();
	return json_pack("{s:s, s:s}", "id", host->id, "name", host->name);
}

static json_t *leader(const struct event_told *told)
{
	const struct event_host *host = leader_of(told);

	if (!*host->id)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:b}", "id", host->id, "name", host->name, "address",
		text(host->address), "self", told->status->leader_self);
}

char *given_json(const struct event_told *told)
{
	const struct event_status *status = told->status;
	char token[NUMBER_SIZE], *line;
	json_t *object;

	snprintf(token, sizeof(token), "%" PRIu64, told->token);
	object = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o,"
			   " s:I, s:b, s:b, s:o}",
		"schema", 1, "event", hook_event_name(told->event), "domain", status->domain,
		"role", elect_role_name(given_role(told)), "old_role",
		elect_role_name(told->old_role), "token", token, "group", text(status->group),
		"node", node(&status->node), "leader", leader(told), "members", members(status),
		"reason", text(given_reason(told)), "seq", (json_int_t)told->seq, "replay",
		told->replay, "confirmed", told->confirmed, "definition", text(status->definition));
	line = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return line;
}
