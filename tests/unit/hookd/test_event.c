/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of electd that hookd accepts and refuses, and the input of scripts made of them. */
#include "unit/lib/said.h"

#include "hookd/run/given.h"

#include <errno.h>
#include <jansson.h>

static const char *wrong;

static int teardown(void **state)
{
	(void)state;
	said_forget();
	return 0;
}

static const struct event_status *status_of(const char *text)
{
	assert_int_equal(said_parse(text, &wrong), 0);
	assert_true(said_event->status_said);
	return &said_event->status;
}

/* ---- accepted messages ----------------------------------------------------------------------- */

static void a_snapshot_is_read(void **state)
{
	const struct event_status *s = status_of(SAID_SNAPSHOT(SAID_LEADS));
	const struct event *e = said_event;

	(void)state;
	assert_int_equal(e->type, EVENT_SNAPSHOT);
	assert_int_equal(e->seq, 5);
	assert_int_equal(e->boot_us, 1000000);
	assert_string_equal(e->holder, "0123abcd");
	assert_int_equal(e->dead_after_us, 600000);
	assert_int_equal(e->timeout_us, 2000000);
	assert_true(e->resign);
	assert_string_equal(s->domain, "default");
	assert_int_equal(s->role, ELECT_ROLE_LEADER);
	assert_int_equal(s->token, 694389135);
	assert_string_equal(s->group, "alpha.41");
	assert_string_equal(s->node.name, "alpha");
	assert_string_equal(s->leader.id, HOST_A);
	assert_string_equal(s->leader.address, "");
	assert_true(s->leader_self);
	assert_string_equal(s->reason, "alone");
	assert_string_equal(s->definition, "/run/electd/definition");
	assert_int_equal(s->members_count, 2);
	assert_string_equal(s->members[1].host.address, "2001:db8::7");
	assert_int_equal(s->members[1].rank, 1);
	assert_int_equal(s->members[1].priority, 90);
	assert_string_equal(s->members[1].state, "silent");
}

static void an_unknown_value_is_empty(void **state)
{
	const struct event_status *s = status_of(SAID_SNAPSHOT(SAID_STATUS("\"d\"", "\"none\"",
		"\"0\"", SAID_NODE, "null", "null", "[]", "\"start\"", "null")));

	(void)state;
	assert_int_equal(s->role, ELECT_ROLE_NONE);
	assert_int_equal(s->token, 0);
	assert_string_equal(s->group, "");
	assert_string_equal(s->leader.id, "");
	assert_false(s->leader_self);
	assert_string_equal(s->definition, "");
	assert_int_equal(s->members_count, 0);
}

#define SAID_AWAITS(more)                                                                          \
	SAID_SNAPSHOT(SAID_STATUS("\"d\"", "\"none\"", "\"0\"", SAID_NODE, "null", "null", "[]",   \
		"\"start\"", "null" more))

/* An older electd does not send this field. */
static void a_crashed_coordinator_that_is_waited_for_is_read(void **state)
{
	(void)state;
	assert_true(status_of(SAID_AWAITS(",\"awaits\":{\"id\":\"" HOST_B "\",\"name\":\"beta\"}"))
			    ->awaits);
	assert_false(status_of(SAID_AWAITS(",\"awaits\":null"))->awaits);
	assert_false(status_of(SAID_AWAITS(""))->awaits);
	assert_int_equal(said_parse(SAID_AWAITS(",\"awaits\":true"), &wrong), -EBADMSG);
	assert_string_equal(wrong, "awaits");
}

static void an_alive_has_no_status_and_only_the_times_that_are_sent(void **state)
{
	(void)state;
	assert_int_equal(said_parse(SAID("alive", "\"dead_after_ms\":900"), &wrong), 0);
	assert_int_equal(said_event->type, EVENT_ALIVE);
	assert_false(said_event->status_said);
	assert_int_equal(said_event->dead_after_us, 900000);
	assert_int_equal(said_event->timeout_us, 0);
	assert_int_equal(said_event->until_us, 0);
	assert_int_equal(said_event->time_namespace, 0);
	assert_int_equal(
		said_parse(SAID("alive", "\"until_boot_ms\":7,\"time_namespace\":9"), &wrong), 0);
	assert_int_equal(said_event->until_us, 7000);
	assert_int_equal(said_event->time_namespace, 9);
	assert_int_equal(said_parse(SAID("alive", "\"until_boot_ms\":null"), &wrong), 0);
	assert_int_equal(said_event->until_us, 0);
	/* The bounds of electd's configuration. */
	assert_int_equal(said_parse(SAID("alive", "\"dead_after_ms\":100000"), &wrong), 0);
	assert_int_equal(said_parse(SAID_HOOKS("3600000", "ignore"), &wrong), 0);
}

static void a_release_has_a_number_and_a_purpose(void **state)
{
	(void)state;
	assert_int_equal(
		said_parse(SAID("release", "\"release\":7,\"purpose\":\"stop\""), &wrong), 0);
	assert_int_equal(said_event->release, 7);
	assert_string_equal(said_event->purpose, "stop");
	assert_int_equal(said_parse(SAID("release", "\"release\":8"), &wrong), 0);
	assert_null(said_event->purpose);
	assert_int_equal(said_parse(SAID("release-over", "\"release\":8"), &wrong), 0);
	assert_int_equal(said_event->type, EVENT_RELEASE_OVER);
	assert_int_equal(said_event->release, 8);
}

static void the_highest_token_is_read_and_no_higher_one(void **state)
{
	(void)state;
	assert_int_equal(status_of(SAID_SNAPSHOT(SAID_STATUS("\"d\"", "\"leader\"",
					   "\"18446744073709551615\"", SAID_NODE, "null",
					   SAID_LEADER, "[]", "\"alone\"", "null")))
				 ->token,
		UINT64_MAX);
	assert_int_equal(said_parse(SAID_SNAPSHOT(SAID_STATUS("\"d\"", "\"leader\"",
					    "\"18446744073709551616\"", SAID_NODE, "null",
					    SAID_LEADER, "[]", "\"alone\"", "null")),
				 &wrong),
		-EBADMSG);
	assert_string_equal(wrong, "token");
}

static void an_error_of_electd_is_distinguished_from_a_malformed_message(void **state)
{
	(void)state;
	assert_int_equal(said_parse("{\"error\":\"io.electd.NotAllowed\"}", &wrong), -EACCES);
	assert_int_equal(said_parse("{\"error\":\"io.electd.TooManyClients\"}", &wrong), -EBUSY);
	assert_int_equal(said_parse("{\"error\":\"io.electd.NotLeader\"}", &wrong), -EREMOTE);
	assert_int_equal(said_parse("{\"error\":5}", &wrong), -EBADMSG);
}

/* ---- refused messages ------------------------------------------------------------------------ */

#define WITH(part) SAID_SNAPSHOT(part)
#define STATUS_OF(domain, role, token)                                                             \
	WITH(SAID_STATUS(domain, role, token, SAID_NODE, SAID_GROUP, SAID_LEADER, SAID_MEMBERS,    \
		"\"alone\"", "null"))
#define NODE_OF(node)                                                                              \
	WITH(SAID_STATUS("\"d\"", "\"leader\"", "\"7\"", node, SAID_GROUP, SAID_LEADER,            \
		SAID_MEMBERS, "\"alone\"", "null"))
#define GROUP_OF(group)                                                                            \
	WITH(SAID_STATUS("\"d\"", "\"leader\"", "\"7\"", SAID_NODE, group, SAID_LEADER,            \
		SAID_MEMBERS, "\"alone\"", "null"))
#define LEADER_OF(leader)                                                                          \
	WITH(SAID_STATUS("\"d\"", "\"leader\"", "\"7\"", SAID_NODE, SAID_GROUP, leader,            \
		SAID_MEMBERS, "\"alone\"", "null"))
#define LEADER_WITH(id, name, address, self)                                                       \
	LEADER_OF("{\"id\":" id ",\"name\":" name ",\"address\":" address ",\"self\":" self "}")
#define MEMBERS_OF(members)                                                                        \
	WITH(SAID_STATUS("\"d\"", "\"leader\"", "\"7\"", SAID_NODE, SAID_GROUP, SAID_LEADER,       \
		members, "\"alone\"", "null"))
#define MEMBER_WITH(address, rank, priority, said)                                                 \
	MEMBERS_OF("[{\"id\":\"" HOST_A "\",\"name\":\"a\",\"address\":" address ",\"rank\":" rank \
		   ",\"priority\":" priority ",\"state\":" said "}]")
#define REASON_OF(reason, definition)                                                              \
	WITH(SAID_STATUS("\"d\"", "\"leader\"", "\"7\"", SAID_NODE, SAID_GROUP, SAID_LEADER,       \
		SAID_MEMBERS, reason, definition))
#define LONG_NAME "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"" /* 64 */

static const struct {
	const char *text, *wrong;
} refused[] = {
	{ "", "continues" },
	{ "{}", "continues" },
	{ "[]", "continues" },
	{ "null", "continues" },
	{ "{\"parameters\":{},\"continues\":false}", "continues" },
	{ "{\"parameters\":{},\"continues\":true}", "event" },
	{ "{\"parameters\":[],\"continues\":true}", "event" },
	{ SAID("snapshot", "\"seq\":5"), "continues" }, /* a key twice */
	{ SAID("Dance", "\"x\":1"), "event" },
	{ SAID("snapshot", SAID_TIMES), "status" },
	{ SAID("leader", SAID_TIMES), "status" },
	{ SAID("alive", "\"dead_after_ms\":19"), "dead_after_ms" },
	{ SAID("alive", "\"dead_after_ms\":100001"), "dead_after_ms" },
	{ SAID("alive", "\"dead_after_ms\":\"600\""), "dead_after_ms" },
	{ SAID("alive", "\"until_boot_ms\":-1"), "until_boot_ms" },
	{ SAID("alive", "\"until_boot_ms\":\"7\""), "until_boot_ms" },
	{ SAID("alive", "\"until_boot_ms\":9223372036854775807"), "until_boot_ms" },
	{ SAID("alive", "\"time_namespace\":1.5"), "time_namespace" },
	{ SAID_HOOKS("99", "ignore"), "timeout_ms" },
	{ SAID_HOOKS("3600001", "ignore"), "timeout_ms" },
	{ SAID_HOOKS("100", "Reboot"), "on_failure" },
	{ SAID("alive", "\"hooks\":7"), "on_failure" },
	{ SAID("release", "\"release\":-1"), "release" },
	{ SAID("release", "\"release\":\"1\""), "release" },
	{ SAID("release", "\"purpose\":\"stop\""), "release" },
	{ SAID("release", "\"release\":1,\"purpose\":\"for fun\""), "purpose" },
	{ SAID("snapshot", "\"holder\":\"a/b\",\"status\":" SAID_LEADS), "holder" },
	{ "{\"parameters\":{\"event\":\"alive\",\"seq\":-1,\"boot_ms\":1},\"continues\":true}",
		"seq" },
	{ "{\"parameters\":{\"event\":\"alive\",\"seq\":1.5,\"boot_ms\":1},\"continues\":true}",
		"seq" },
	{ "{\"parameters\":{\"event\":\"alive\",\"seq\":1,\"boot_ms\":-1},\"continues\":true}",
		"boot_ms" },
	{ "{\"parameters\":{\"event\":\"alive\",\"seq\":1},\"continues\":true}", "boot_ms" },
	{ "{\"parameters\":{\"event\":\"alive\",\"seq\":99999999999999999999},\"continues\":true}",
		"continues" },
	{ STATUS_OF("\"\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("5", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"a b\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"$(reboot)\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"-rf\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"..\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"a\\nPATH=/tmp\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"\\u00e4\"", "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"a\\u0000b\"", "\"leader\"", "\"7\""), "continues" },
	{ STATUS_OF(LONG_NAME, "\"leader\"", "\"7\""), "domain" },
	{ STATUS_OF("\"d\"", "\"king\"", "\"7\""), "role" },
	{ STATUS_OF("\"d\"", "null", "\"7\""), "role" },
	{ STATUS_OF("\"d\"", "\"leader\"", "7"), "token" },
	{ STATUS_OF("\"d\"", "\"leader\"", "\"\""), "token" },
	{ STATUS_OF("\"d\"", "\"leader\"", "\"-7\""), "token" },
	{ STATUS_OF("\"d\"", "\"leader\"", "\"0x7\""), "token" },
	{ STATUS_OF("\"d\"", "\"leader\"", "\"0\""), "token" },
	{ STATUS_OF("\"d\"", "\"follower\"", "\"0\""), "token" },
	{ STATUS_OF("\"d\"", "\"leader\"", "\"000000000000000000001\""), "token" },
	{ NODE_OF("null"), "id" },
	{ NODE_OF("{\"id\":\"AA\",\"name\":\"a\"}"), "id" },
	{ NODE_OF("{\"id\":\"aa\",\"name\":\"a=b\"}"), "name" },
	{ GROUP_OF("5"), "id" },
	{ GROUP_OF("{\"id\":\"a b\"}"), "id" },
	{ GROUP_OF("{}"), "id" },
	{ LEADER_OF("null"), "leader" }, /* the role is leader, so there must be one */
	{ LEADER_OF("{}"), "leader" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "null", "\"yes\""), "leader" },
	{ LEADER_WITH("\"a;\"", "\"a\"", "null", "true"), "id" },
	{ LEADER_WITH("\"aa\"", "\"`x`\"", "null", "true"), "name" },
	{ LEADER_WITH("\"aa\"", "\"-x\"", "null", "true"), "name" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"1.2.3.4 x\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"192.0.2.300\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"host\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "5", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"192.0.2.1%eth0\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"fe80::1%\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"fe80::1%-o\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"fe80::1%$(id)\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"", "\"fe80::1%0123456789abcdef0\"", "true"), "address" },
	{ LEADER_WITH("\"aa\"", "\"a\"",
		  "\"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000\"", "true"),
		"address" },
	{ MEMBERS_OF("null"), "members" },
	{ MEMBERS_OF("{}"), "members" },
	{ MEMBERS_OF("[5]"), "state" },
	{ MEMBER_WITH("null", "-1", "1", "\"alive\""), "rank" },
	{ MEMBER_WITH("null", "1025", "1", "\"alive\""), "rank" },
	{ MEMBER_WITH("null", "0", "256", "\"alive\""), "priority" },
	{ MEMBER_WITH("null", "0", "1", "\"\""), "state" },
	{ MEMBER_WITH("\"\"", "0", "1", "\"alive\""), "address" },
	{ REASON_OF("\"Alone\"", "null"), "reason" },
	{ REASON_OF("\"a b\"", "null"), "reason" },
	{ REASON_OF("null", "null"), "reason" },
	{ REASON_OF("\"alone\"", "5"), "definition" },
	{ REASON_OF("\"alone\"", "\"run/x\""), "definition" },
	{ REASON_OF("\"alone\"", "\"/run/../etc/x\""), "definition" },
	{ REASON_OF("\"alone\"", "\"/run/\\u0007\""), "definition" },
};

static void a_link_local_address_has_its_interface(void **state)
{
	(void)state;
	assert_string_equal(status_of(LEADER_WITH("\"aa\"", "\"a\"", "\"fe80::1%eth0.7\"", "true"))
				    ->leader.address,
		"fe80::1%eth0.7");
}

/* A program may have an older library than electd, as in a container. */
static void words_of_a_later_electd_are_taken(void **state)
{
	static const char *const texts[] = {
		SAID_HOOKS("100", "reboot"),
		SAID("release", "\"release\":1,\"purpose\":\"fun\""),
		MEMBER_WITH("null", "0", "1", "\"half-dead\""),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(said_parse(texts[i], &wrong), 0);
	assert_string_equal(said_event->status.members[0].state, "unknown");
	assert_int_equal(said_parse(texts[0], &wrong), 0);
	assert_false(said_event->resign);
	assert_int_equal(said_parse(texts[1], &wrong), 0);
	assert_null(said_event->purpose);
}

static void an_invalid_value_is_refused_and_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		wrong = NULL;
		if (said_parse(refused[i].text, &wrong) != -EBADMSG || !wrong ||
			strcmp(wrong, refused[i].wrong) != 0)
			fail_msg("%s: %s, not %s", refused[i].text, wrong ? wrong : "taken",
				refused[i].wrong);
	}
}

/* A status with `count` members. */
static char *crowd(unsigned count)
{
	size_t room = (size_t)count * 200 + 4096;
	char *text = malloc(room);
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, room,
		"{\"parameters\":{\"seq\":1,\"event\":\"snapshot\",\"boot_ms\":1,\"status\":{"
		"\"domain\":\"d\",\"role\":\"leader\",\"token\":\"7\",\"node\":" SAID_NODE
		",\"group\":null,\"leader\":" SAID_LEADER ",\"reason\":\"alone\",\"members\":[");
	for (unsigned i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, room - used,
			"%s{\"id\":\"%032x\",\"name\":\"host%059u\",\"address\":null,\"rank\":%u,"
			"\"priority\":1,\"state\":\"alive\"}",
			i ? "," : "", i, i, i);
	snprintf(text + used, room - used, "]}},\"continues\":true}");
	return text;
}

static void the_largest_group_is_read_and_passed_to_scripts(void **state)
{
	char *text = crowd(ELECT_HOSTS_MAX), **environment, *json;
	struct event_told told = { .event = HOOK_LEADER };

	(void)state;
	told.status = status_of(text);
	assert_int_equal(told.status->members_count, ELECT_HOSTS_MAX);
	environment = given_environment(&told);
	json = given_json(&told);
	assert_non_null(environment);
	assert_non_null(json);
	/* The kernel's limit of one variable. */
	for (char **e = environment; *e; e++)
		assert_in_range(strlen(*e), 1, 131071);
	given_environment_free(environment);
	free(json);
	free(text);
	text = crowd(ELECT_HOSTS_MAX + 1);
	assert_int_equal(said_parse(text, &wrong), -EBADMSG);
	assert_string_equal(wrong, "members");
	free(text);
}

static void deeply_nested_texts_are_refused(void **state)
{
	size_t size = 1 << 20;
	char *text = malloc(size + 1);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 3; i++) {
		memset(text, "[{\""[i], size);
		text[size] = '\0';
		assert_int_equal(said_parse(text, &wrong), -EBADMSG);
	}
	free(text);
}

/* ---- the input of scripts -------------------------------------------------------------------- */

static const char *value_of(char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (; *environment; environment++)
		if (!strncmp(*environment, name, size) && (*environment)[size] == '=')
			return *environment + size + 1;
	return NULL;
}

static void assert_value(char *const *environment, const char *name, const char *value)
{
	const char *is = value_of(environment, name);

	if (!is || strcmp(is, value) != 0)
		fail_msg("%s is %s, not %s", name, is ? is : "not there", value);
}

/* The variables of electd-hooks(7), ENVIRONMENT. */
static const char *const variables[] = { "PATH", "LANG", "ELECTD_EVENT", "ELECTD_DOMAIN",
	"ELECTD_ROLE", "ELECTD_OLD_ROLE", "ELECTD_TOKEN", "ELECTD_GROUP", "ELECTD_LEADER_ID",
	"ELECTD_LEADER_NAME", "ELECTD_LEADER_ADDRESS", "ELECTD_NODE_ID", "ELECTD_NODE_NAME",
	"ELECTD_MEMBERS", "ELECTD_MEMBER_COUNT", "ELECTD_REASON", "ELECTD_SEQ", "ELECTD_REPLAY",
	"ELECTD_DEFINITION" };
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

static void a_script_gets_every_variable_and_no_other(void **state)
{
	const struct event_told told = { .event = HOOK_LEADER,
		.old_role = ELECT_ROLE_FOLLOWER,
		.token = UINT64_MAX,
		.seq = 17,
		.replay = true,
		.status = status_of(SAID_SNAPSHOT(SAID_LEADS)) };
	char **environment = given_environment(&told);
	size_t count = 0;

	(void)state;
	while (environment[count])
		count++;
	assert_int_equal(count, VARIABLES);
	for (size_t i = 0; i < VARIABLES; i++)
		assert_non_null(value_of(environment, variables[i]));
	assert_value(environment, "LANG", "C.UTF-8");
	assert_value(environment, "ELECTD_EVENT", "leader");
	assert_value(environment, "ELECTD_DOMAIN", "default");
	assert_value(environment, "ELECTD_ROLE", "leader");
	assert_value(environment, "ELECTD_OLD_ROLE", "follower");
	assert_value(environment, "ELECTD_TOKEN", "18446744073709551615");
	assert_value(environment, "ELECTD_GROUP", "alpha.41");
	assert_value(environment, "ELECTD_LEADER_ID", HOST_A);
	assert_value(environment, "ELECTD_LEADER_NAME", "alpha");
	assert_value(environment, "ELECTD_LEADER_ADDRESS", "");
	assert_value(environment, "ELECTD_NODE_NAME", "alpha");
	assert_value(environment, "ELECTD_MEMBERS", "alpha beta");
	assert_value(environment, "ELECTD_MEMBER_COUNT", "2");
	assert_value(environment, "ELECTD_REASON", "alone");
	assert_value(environment, "ELECTD_SEQ", "17");
	assert_value(environment, "ELECTD_REPLAY", "1");
	assert_value(environment, "ELECTD_DEFINITION", "/run/electd/definition");
	given_environment_free(environment);
}

/* The last status still names this host as leader: electd is gone, or has requested a release. */
static void a_demotion_names_no_leader(void **state)
{
	static const enum hook_event events[] = { HOOK_NONE, HOOK_STOP };
	struct event_told told = { .old_role = ELECT_ROLE_LEADER,
		.token = 7,
		.reason = "electd-gone",
		.status = status_of(SAID_SNAPSHOT(SAID_LEADS)) };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char **environment, *text;
		json_t *json;

		told.event = events[i];
		environment = given_environment(&told);
		assert_value(environment, "ELECTD_ROLE", "none");
		assert_value(environment, "ELECTD_LEADER_ID", "");
		assert_value(environment, "ELECTD_LEADER_NAME", "");
		assert_value(environment, "ELECTD_REASON", "electd-gone");
		given_environment_free(environment);
		text = given_json(&told);
		json = json_loads(text, 0, NULL);
		assert_string_equal(json_string_value(json_object_get(json, "role")), "none");
		assert_true(json_is_null(json_object_get(json, "leader")));
		json_decref(json);
		free(text);
	}
}

static void a_members_event_has_the_present_role(void **state)
{
	const struct event_told told = { .event = HOOK_MEMBERS,
		.status = status_of(SAID_SNAPSHOT(SAID_LEADS)) };

	(void)state;
	assert_int_equal(given_role(&told), ELECT_ROLE_LEADER);
}

static void the_json_has_every_key(void **state)
{
	static const char wanted[] =
		"{\"schema\":1,\"event\":\"leader\",\"domain\":\"default\",\"role\":\"leader\","
		"\"old_role\":\"none\",\"token\":\"7\",\"group\":\"alpha.41\",\"node\":{\"id\":"
		"\"" HOST_A "\",\"name\":\"alpha\"},\"leader\":{\"id\":\"" HOST_A
		"\",\"name\":\"alpha\",\"address\":null,\"self\":true},\"members\":[{\"id\":"
		"\"" HOST_A "\",\"name\":\"alpha\",\"address\":null,\"rank\":0,\"priority\":100,"
		"\"state\":\"alive\"},{\"id\":\"" HOST_B
		"\",\"name\":\"beta\",\"address\":\"2001:db8::7\",\"rank\":1,\"priority\":90,"
		"\"state\":\"silent\"}],\"reason\":\"alone\",\"seq\":3,\"replay\":false,"
		"\"confirmed\":true,\"definition\":\"/run/electd/definition\"}";
	const struct event_told told = { .event = HOOK_LEADER,
		.token = 7,
		.seq = 3,
		.confirmed = true,
		.status = status_of(SAID_SNAPSHOT(SAID_LEADS)) };
	char *text = given_json(&told);

	(void)state;
	assert_string_equal(text, wanted);
	free(text);
}

/* At a start, before the first message of electd. */
static void an_unknown_value_is_null_in_json(void **state)
{
	struct event_status *status = calloc(1, sizeof(*status));
	struct event_told told = { .event = HOOK_NONE, .status = status };
	char *text;

	(void)state;
	assert_non_null(status);
	text = given_json(&told);
	assert_non_null(strstr(text,
		"\"group\":null,\"node\":null,\"leader\":null,\"members\":[],"
		"\"reason\":null"));
	assert_non_null(strstr(text, "\"definition\":null"));
	free(text);
	free(status);
}

static void members_differ_by_their_hosts(void **state)
{
	struct event_status *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	*a = *b = *status_of(SAID_SNAPSHOT(SAID_LEADS));
	b->members[0].rank = 3;
	assert_false(event_members_differ(a, b));
	b->members[1].host.id[3] = '1';
	assert_true(event_members_differ(a, b));
	*b = *a;
	b->members_count = 1;
	assert_true(event_members_differ(a, b));
	*b = *a;
	b->definition[1] = 'x';
	assert_true(event_members_differ(a, b));
	free(a);
	free(b);
}

/* A copy of the room for all members would touch 185 KB with each event. */
static void a_copy_has_the_members_that_there_are(void **state)
{
	struct event_status *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	static const struct event_member none;

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	event_status_copy(a, status_of(SAID_SNAPSHOT(SAID_LEADS)));
	memset(b, 0, sizeof(*b));
	assert_int_equal(a->members_count, 2);
	a->members[2].rank = 7;
	event_status_copy(b, a);
	assert_memory_equal(b, a, offsetof(struct event_status, members[2]));
	assert_memory_equal(&b->members[2], &none, sizeof(none));
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_is_read),
		cmocka_unit_test(an_unknown_value_is_empty),
		cmocka_unit_test(a_crashed_coordinator_that_is_waited_for_is_read),
		cmocka_unit_test(an_alive_has_no_status_and_only_the_times_that_are_sent),
		cmocka_unit_test(a_release_has_a_number_and_a_purpose),
		cmocka_unit_test(words_of_a_later_electd_are_taken),
		cmocka_unit_test(the_highest_token_is_read_and_no_higher_one),
		cmocka_unit_test(an_error_of_electd_is_distinguished_from_a_malformed_message),
		cmocka_unit_test(a_link_local_address_has_its_interface),
		cmocka_unit_test(an_invalid_value_is_refused_and_named),
		cmocka_unit_test(the_largest_group_is_read_and_passed_to_scripts),
		cmocka_unit_test(deeply_nested_texts_are_refused),
		cmocka_unit_test(a_script_gets_every_variable_and_no_other),
		cmocka_unit_test(a_demotion_names_no_leader),
		cmocka_unit_test(a_members_event_has_the_present_role),
		cmocka_unit_test(the_json_has_every_key),
		cmocka_unit_test(an_unknown_value_is_null_in_json),
		cmocka_unit_test(members_differ_by_their_hosts),
		cmocka_unit_test(a_copy_has_the_members_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
