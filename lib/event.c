/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: parses and checks electd's events. A key that is missing, has another type or has a value
 * that is not allowed makes the whole event invalid.
 */
#include "event.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

enum {
	/* As in electd's configuration, conf/table.c. */
	DEAD_AFTER_MS_MIN = 20,
	DEAD_AFTER_MS_MAX = 100000,
	TIMEOUT_MS_MIN = 100,
	TIMEOUT_MS_MAX = 3600000,
	TOKEN_DIGITS = 20,
};

static const char *const types[EVENT_TYPES] = {
	[EVENT_SNAPSHOT] = "snapshot",
	[EVENT_LEADER] = "leader",
	[EVENT_FOLLOWER] = "follower",
	[EVENT_NONE] = "none",
	[EVENT_MEMBERS] = "members",
	[EVENT_STATE] = "state",
	[EVENT_RELEASE] = "release",
	[EVENT_RELEASE_OVER] = "release-over",
	[EVENT_ALIVE] = "alive",
};

const char *event_type_name(enum event_type type)
{
	return types[type];
}

static const char *const purposes[] = { "yield", "resign", "stop", "bar" };
static const char *const states[] = { "alive", "silent", "unknown" };

enum {
	PURPOSES = sizeof(purposes) / sizeof(purposes[0]),
	STATES = sizeof(states) / sizeof(states[0]),
};

#define DIGITS "0123456789"
#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- values ------------------------------------------------------------------------------ */

/* The first wrong key of a parse, for the journal. */
struct parse {
	const char *wrong;
};

static bool refuse(struct parse *p, const char *key)
{
	if (!p->wrong)
		p->wrong = key;
	return false;
}

static bool made_of(const char *text, const char *characters)
{
	return text[strspn(text, characters)] == '\0';
}

/* Takes a text of these characters, not empty, that fits. */
static bool take_text(struct parse *p, const json_t *object, const char *key,
	const char *characters, char *ret_text, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || !*text || strlen(text) >= size || !made_of(text, characters))
		return refuse(p, key);
	memcpy(ret_text, text, strlen(text) + 1);
	return true;
}

static bool take_name(struct parse *p, const json_t *object, const char *key, char *ret_name)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || !elect_name_valid(text))
		return refuse(p, key);
	memcpy(ret_name, text, strlen(text) + 1);
	return true;
}

/* Takes a word: its index in `words`, or -1, because a later electd may send others. */
static bool take_word(struct parse *p, const json_t *object, const char *key,
	const char *const *words, int count, int *ret_index)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || !*text || !made_of(text, LOWER "-"))
		return refuse(p, key);
	*ret_index = -1;
	for (int i = 0; i < count; i++)
		if (!strcmp(words[i], text))
			*ret_index = i;
	return true;
}

static bool take_number(struct parse *p, const json_t *object, const char *key, json_int_t min,
	json_int_t max, uint64_t *ret_number)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < min ||
		json_integer_value(value) > max)
		return refuse(p, key);
	*ret_number = (uint64_t)json_integer_value(value);
	return true;
}

static bool take_unsigned(
	struct parse *p, const json_t *object, const char *key, unsigned max, unsigned *ret_number)
{
	uint64_t number;

	if (!take_number(p, object, key, 0, (json_int_t)max, &number))
		return false;
	*ret_number = (unsigned)number;
	return true;
}

/* Takes a number of 64 bits that is written as a text. */
static bool take_token(struct parse *p, const json_t *object, const char *key, uint64_t *ret_token)
{
	char text[TOKEN_DIGITS + 1];
	uint64_t token = 0;

	if (!take_text(p, object, key, DIGITS, text, sizeof(text)))
		return false;
	for (const char *c = text; *c; c++)
		if (__builtin_mul_overflow(token, UINT64_C(10), &token) ||
			__builtin_add_overflow(token, (uint64_t)(*c - '0'), &token))
			return refuse(p, key);
	*ret_token = token;
	return true;
}

/* The name of an interface follows the %. */
static bool is_address(const char *text)
{
	const char *interface = strchr(text, '%');
	char address[INET6_ADDRSTRLEN];
	struct in6_addr bytes;
	size_t length = interface ? (size_t)(interface - text) : strlen(text);

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	if (interface)
		return elect_name_valid(interface + 1) &&
			strlen(interface + 1) < EVENT_INTERFACE_SIZE &&
			inet_pton(AF_INET6, address, &bytes) == 1;
	return inet_pton(AF_INET, address, &bytes) == 1 ||
		inet_pton(AF_INET6, address, &bytes) == 1;
}

/* null: not known. */
static bool take_address(
	struct parse *p, const json_t *object, char ret_address[EVENT_ADDRESS_SIZE])
{
	const json_t *value = json_object_get(object, "address");
	const char *text = json_string_value(value);

	if (json_is_null(value)) {
		ret_address[0] = '\0';
		return true;
	}
	if (!text || strlen(text) >= EVENT_ADDRESS_SIZE || !is_address(text))
		return refuse(p, "address");
	memcpy(ret_address, text, strlen(text) + 1);
	return true;
}

static bool take_host(struct parse *p, const json_t *object, struct event_host *ret_host)
{
	return take_text(p, object, "id", DIGITS "abcdef", ret_host->id, EVENT_ID_SIZE) &&
		take_name(p, object, "name", ret_host->name);
}

/* An absolute path of printable characters; null, or no such key: there is no definition. */
static bool take_definition(struct parse *p, const json_t *object, char ret_path[PATH_MAX])
{
	const json_t *value = json_object_get(object, "definition");
	const char *text = json_string_value(value);

	ret_path[0] = '\0';
	if (!value || json_is_null(value))
		return true;
	if (!text || text[0] != '/' || strlen(text) >= PATH_MAX || strstr(text, "/../"))
		return refuse(p, "definition");
	for (const char *c = text; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			return refuse(p, "definition");
	memcpy(ret_path, text, strlen(text) + 1);
	return true;
}

/* ---- the status -------------------------------------------------------------------------- */

static bool take_role(struct parse *p, const json_t *status, struct event_status *ret)
{
	const char *words[ELECT_ROLES];
	int role;

	for (int i = 0; i < ELECT_ROLES; i++)
		words[i] = elect_role_name((enum elect_role)i);
	if (!take_word(p, status, "role", words, ELECT_ROLES, &role) ||
		!take_token(p, status, "token", &ret->token))
		return false;
	if (role < 0)
		return refuse(p, "role");
	ret->role = (enum elect_role)role;
	/* A host leads or follows only with a token. */
	return ret->role == ELECT_ROLE_NONE || ret->token ? true : refuse(p, "token");
}

static bool take_group(struct parse *p, const json_t *status, struct event_status *ret)
{
	const json_t *group = json_object_get(status, "group");

	ret->group[0] = '\0';
	if (json_is_null(group))
		return true;
	return take_text(p, group, "id", LOWER UPPER DIGITS "._-", ret->group, sizeof(ret->group));
}

static bool take_leader(struct parse *p, const json_t *status, struct event_status *ret)
{
	const json_t *leader = json_object_get(status, "leader");
	const json_t *self = json_object_get(leader, "self");

	ret->leader = (struct event_host){ .id = "" };
	ret->leader_self = json_is_true(self);
	if (json_is_null(leader))
		return ret->role == ELECT_ROLE_LEADER ? refuse(p, "leader") : true;
	if (!json_is_boolean(self))
		return refuse(p, "leader");
	return take_host(p, leader, &ret->leader) && take_address(p, leader, ret->leader.address);
}

static bool take_member(struct parse *p, const json_t *object, struct event_member *ret)
{
	int state;

	if (!take_word(p, object, "state", states, STATES, &state) ||
		!take_host(p, object, &ret->host) || !take_address(p, object, ret->host.address) ||
		!take_unsigned(p, object, "rank", ELECT_HOSTS_MAX, &ret->rank) ||
		!take_unsigned(p, object, "priority", 255, &ret->priority))
		return false;
	snprintf(ret->state, sizeof(ret->state), "%s", state < 0 ? "unknown" : states[state]);
	return true;
}

static bool take_members(struct parse *p, const json_t *status, struct event_status *ret)
{
	const json_t *list = json_object_get(status, "members");

	ret->members_count = 0;
	if (!json_is_array(list) || json_array_size(list) > ELECT_HOSTS_MAX)
		return refuse(p, "members");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!take_member(p, json_array_get(list, i), &ret->members[i]))
			return false;
	ret->members_count = (unsigned)json_array_size(list);
	return true;
}

/* null, or no such key: there is none, or an older electd does not send it. */
static bool take_whether(struct parse *p, const json_t *status, const char *key, bool *ret_whether)
{
	const json_t *value = json_object_get(status, key);

	*ret_whether = json_is_object(value);
	return *ret_whether || !value || json_is_null(value) || refuse(p, key);
}

static bool take_asking(struct parse *p, const json_t *status, struct event_status *ret)
{
	const json_t *value = json_object_get(status, "asking");

	ret->asking = json_is_true(value);
	return !value || json_is_boolean(value) || refuse(p, "asking");
}

static bool take_status(struct parse *p, const json_t *status, struct event_status *ret)
{
	const json_t *node = json_object_get(status, "node");

	ret->node = (struct event_host){ .id = "" };
	return take_name(p, status, "domain", ret->domain) && take_role(p, status, ret) &&
		take_host(p, node, &ret->node) && take_group(p, status, ret) &&
		take_leader(p, status, ret) && take_members(p, status, ret) &&
		take_text(p, status, "reason", LOWER "-", ret->reason, sizeof(ret->reason)) &&
		take_definition(p, status, ret->definition) && take_asking(p, status, ret) &&
		take_whether(p, status, "yielding", &ret->yielding) &&
		take_whether(p, status, "promoting", &ret->promoting) &&
		take_whether(p, status, "awaits", &ret->awaits);
}

/* ---- the event --------------------------------------------------------------------------- */

/* null, or no such key: 0. */
static bool take_known(struct parse *p, const json_t *object, const char *key, json_int_t max,
	uint64_t *ret_number)
{
	const json_t *value = json_object_get(object, key);

	*ret_number = 0;
	return !value || json_is_null(value) || take_number(p, object, key, 0, max, ret_number);
}

/* An older electd lacks some of the keys: their values are 0 here, and the caller keeps its own. */
static bool take_timings(struct parse *p, const json_t *event, struct event *ret)
{
	static const char *const words[] = { "ignore", "resign" };
	const json_t *hooks = json_object_get(event, "hooks");
	int on_failure;

	ret->dead_after_us = ret->timeout_us = 0;
	ret->resign = false;
	if (json_object_get(event, "dead_after_ms") &&
		!take_number(p, event, "dead_after_ms", DEAD_AFTER_MS_MIN, DEAD_AFTER_MS_MAX,
			&ret->dead_after_us))
		return false;
	ret->dead_after_us *= 1000;
	if (!take_known(p, event, "until_boot_ms", INT64_MAX / 1000, &ret->until_us) ||
		!take_known(p, event, "ending_ms", INT64_MAX / 1000, &ret->ending_us) ||
		!take_known(p, event, "time_namespace", INT64_MAX, &ret->time_namespace))
		return false;
	ret->until_us *= 1000;
	ret->ending_us *= 1000;
	if (!hooks)
		return true;
	if (!take_word(p, hooks, "on_failure", words, 2, &on_failure) ||
		!take_number(
			p, hooks, "timeout_ms", TIMEOUT_MS_MIN, TIMEOUT_MS_MAX, &ret->timeout_us))
		return false;
	ret->timeout_us *= 1000;
	ret->resign = on_failure == 1;
	return true;
}

static bool take_release(struct parse *p, const json_t *event, struct event *ret)
{
	bool may = ret->type == EVENT_SNAPSHOT && json_object_get(event, "release");
	int purpose;

	ret->release = 0;
	ret->purpose = NULL;
	if (!may && ret->type != EVENT_RELEASE && ret->type != EVENT_RELEASE_OVER)
		return true;
	if (!take_number(p, event, "release", 0, INT64_MAX, &ret->release))
		return false;
	if (ret->type == EVENT_RELEASE_OVER || !json_object_get(event, "purpose"))
		return true;
	if (!take_word(p, event, "purpose", purposes, PURPOSES, &purpose))
		return false;
	ret->purpose = purpose < 0 ? NULL : purposes[purpose];
	return true;
}

/* A later electd may send other types: with a status, it is a change; else it changes nothing. */
static bool take_type(struct parse *p, const json_t *event, enum event_type *ret_type)
{
	const char *text = json_string_value(json_object_get(event, "event"));

	if (!text || !*text || !made_of(text, LOWER "-"))
		return refuse(p, "event");
	for (int i = 0; i < EVENT_TYPES; i++) {
		if (strcmp(types[i], text) != 0)
			continue;
		*ret_type = (enum event_type)i;
		return true;
	}
	*ret_type = json_object_get(event, "status") ? EVENT_STATE : EVENT_ALIVE;
	return true;
}

static bool take_event(struct parse *p, const json_t *event, struct event *ret)
{
	const json_t *status = json_object_get(event, "status");
	bool change;

	if (!take_type(p, event, &ret->type) ||
		!take_number(p, event, "seq", 0, INT64_MAX, &ret->seq) ||
		!take_number(p, event, "boot_ms", 0, INT64_MAX / 1000, &ret->boot_us))
		return false;
	ret->boot_us *= 1000;
	ret->holder[0] = '\0';
	if (ret->type == EVENT_SNAPSHOT && json_object_get(event, "holder") &&
		!take_text(
			p, event, "holder", DIGITS LOWER UPPER, ret->holder, sizeof(ret->holder)))
		return false;
	if (!take_timings(p, event, ret) || !take_release(p, event, ret))
		return false;
	change = ret->type != EVENT_ALIVE && ret->type != EVENT_RELEASE_OVER &&
		ret->type != EVENT_RELEASE;
	ret->status_said = status != NULL;
	if (change && !status)
		return refuse(p, "status");
	return !status || take_status(p, status, &ret->status);
}

/* Returns -errno if electd sent an error instead of an event, else 0. */
static int error_of(const json_t *reply)
{
	const char *error = json_string_value(json_object_get(reply, "error"));

	if (!error)
		return 0;
	if (!strcmp(error, EVENT_FULL_ERROR))
		return -EBUSY;
	return !strcmp(error, "io.electd.NotAllowed") ? -EACCES : -EREMOTE;
}

int event_parse(const char *text, size_t size, struct event *ret_event, const char **ret_wrong)
{
	json_t *reply = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	struct parse p = { NULL };
	int r = error_of(reply);

	if (!r && !json_is_true(json_object_get(reply, "continues"))) {
		p.wrong = "continues";
		r = -EBADMSG;
	}
	if (!r && !take_event(&p, json_object_get(reply, "parameters"), ret_event))
		r = -EBADMSG;
	json_decref(reply);
	*ret_wrong = p.wrong;
	return r;
}

void event_status_copy(struct event_status *to, const struct event_status *from)
{
	size_t members = from->members_count * sizeof(from->members[0]);

	memcpy(to, from, offsetof(struct event_status, members) + members);
}

bool event_members_differ(const struct event_status *a, const struct event_status *b)
{
	if (a->members_count != b->members_count || strcmp(a->definition, b->definition) != 0)
		return true;
	for (unsigned i = 0; i < a->members_count; i++)
		if (strcmp(a->members[i].host.id, b->members[i].host.id) != 0)
			return true;
	return false;
}
