/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of the control socket: what is accepted, what is refused, and what comes back. No
 * socket is opened: the node behind is a row of constants.
 */
#include "ctl_call.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a node of constants --------------------------------------------------------------------- */

static struct {
	struct elect_view view;
	struct elect_config config;
	unsigned members_count, foreign_count, problems_count;
	unsigned resigned;
	uint64_t resigned_us;
	bool follows;
} world;

static const struct elect_id ids[] = {
	{ { 1 } },
	{ { 2 } },
	{ { 3 } },
};

static void facts(void *user, struct ctl_facts *ret_facts)
{
	(void)user;
	*ret_facts = (struct ctl_facts){
		.now_us = 10000000,
		.realtime_us = UINT64_C(1767225600123456), /* 2026-01-01T00:00:00.123456 */
		.domain = "test",
		.version = "1.2.3",
		.auth_mode = "auto",
		.config = &world.config,
		.incarnation = UINT64_MAX,
		.view = world.view,
		.members_count = world.members_count,
		.foreign_count = world.foreign_count,
		.problems_count = world.problems_count,
		.problems = { "one", "two" },
	};
}

static void member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	(void)user;
	*ret_info = (struct elect_member_info){ .rank = rank, .silent = rank == 2 };
	ret_info->member.id = ids[rank];
	ret_info->member.address =
		(struct elect_address){ .bytes = { 192, 0, 2, (uint8_t)(rank + 1) }, .family = 4 };
	ret_info->last_heard_us = rank == 1 ? 9500000 : 0;
	snprintf(ret_info->member.name, sizeof(ret_info->member.name), "host%u", rank);
}

static void foreign(void *user, unsigned index, struct elect_foreign *ret_foreign)
{
	(void)user;
	(void)index;
	*ret_foreign = (struct elect_foreign){ .id = ids[2], .heard_by = ids[1], .name = "far" };
}

static const char *name(void *user, const struct elect_id *id)
{
	(void)user;
	return id->bytes[0] == 1 ? "host0" : "other";
}

static bool resign(void *user, uint64_t for_us)
{
	(void)user;
	world.resigned++;
	world.resigned_us = for_us;
	return !world.follows;
}

static const struct ctl_source source = { facts, member, foreign, name, resign, NULL };
static const struct ctl_peer admin = { 0, true }, anybody = { 1000, false };

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.config.id = ids[0];
	strcpy(world.config.name, "host0");
	world.config.priority = 100;
	return 0;
}

/* What comes back to `text`, parsed; the caller drops it. */
static json_t *call_as(const struct ctl_peer *peer, const char *text, bool expect_hang_up)
{
	struct ctl_reply reply;
	json_t *object;

	ctl_call(&source, peer, 7, text, strlen(text), &reply);
	assert_non_null(reply.text);
	assert_int_equal(reply.size, strlen(reply.text) + 1);
	assert_int_equal(reply.hang_up, expect_hang_up);
	object = json_loads(reply.text, 0, NULL);
	assert_non_null(object);
	free(reply.text);
	return object;
}

static json_t *call(const char *text)
{
	return call_as(&admin, text, false);
}

static void expect_error(const struct ctl_peer *peer, const char *text, const char *error)
{
	json_t *reply = call_as(peer, text, !strcmp(error, "io.electd.InvalidRequest"));

	assert_string_equal(json_string_value(json_object_get(reply, "error")), error);
	assert_true(json_is_object(json_object_get(reply, "parameters")));
	json_decref(reply);
}

static void give(struct ctl_input *in, const char *bytes, size_t size)
{
	char *place;
	size_t room;

	while (size) {
		assert_int_equal(ctl_input_room(in, &place, &room), 0);
		room = room < size ? room : size;
		memcpy(place, bytes, room);
		ctl_input_added(in, room);
		bytes += room;
		size -= room;
	}
}

/* ---- framing ----------------------------------------------------------------------------- */

static void a_request_may_come_byte_by_byte(void **state)
{
	static const char text[] = "{\"method\":\"x\"}";
	struct ctl_input in = { 0 };
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++) {
		assert_null(ctl_input_next(&in, &size));
		give(&in, text + i, 1);
	}
	assert_string_equal(ctl_input_next(&in, &size), text);
	assert_int_equal(size, sizeof(text) - 1);
	ctl_input_taken(&in);
	assert_null(in.bytes);
}

static void several_requests_in_one_piece_are_taken_one_by_one(void **state)
{
	struct ctl_input in = { 0 };
	size_t size;

	(void)state;
	give(&in, "one\0\0three\0rest", 15);
	assert_string_equal(ctl_input_next(&in, &size), "one");
	assert_string_equal(ctl_input_next(&in, &size), "one"); /* until taken */
	ctl_input_taken(&in);
	assert_string_equal(ctl_input_next(&in, &size), "");
	ctl_input_taken(&in);
	assert_string_equal(ctl_input_next(&in, &size), "three");
	ctl_input_taken(&in);
	assert_null(ctl_input_next(&in, &size));
	assert_int_equal(in.used, 4);
	ctl_input_free(&in);
}

static void a_request_without_end_is_refused_at_the_limit(void **state)
{
	static char piece[CTL_REQUEST_MAX];
	struct ctl_input in = { 0 };
	char *place;
	size_t room;

	(void)state;
	memset(piece, 'a', sizeof(piece));
	give(&in, piece, sizeof(piece));
	assert_null(ctl_input_next(&in, &room));
	assert_int_equal(ctl_input_room(&in, &place, &room), -EMSGSIZE);
	ctl_input_free(&in);
}

/* ---- what is no request ---------------------------------------------------------------------- */

static void what_is_no_request_ends_the_connection(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"[]",
		"\"io.electd.GetStatus\"",
		"{",
		"{}",
		"{\"method\":1}",
		"{\"method\":\"io.electd.GetStatus\",\"parameters\":[]}",
		"{\"method\":\"io.electd.GetStatus\",\"more\":1}",
		"{\"method\":\"io.electd.GetStatus\",\"wish\":true}",
		"{\"method\":\"io.electd.GetStatus\",\"upgrade\":true}",
		"{\"method\":\"a\",\"method\":\"io.electd.GetStatus\"}",
		"{\"method\":\"io.electd.GetStatus\"} x",
		"{\"method\":\"\xff\xfe\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_error(&admin, texts[i], "io.electd.InvalidRequest");
}

/* A request whose parameters hold `depth` arrays in each other. */
static void nested(char *text, size_t size, unsigned depth)
{
	snprintf(text, size, "{\"method\":\"io.electd.Resign\",\"parameters\":{\"for\":");
	for (unsigned i = 0; i < depth; i++)
		strcat(text, "[");
	for (unsigned i = 0; i < depth; i++)
		strcat(text, "]");
	strcat(text, "}}");
}

static void deep_nesting_is_refused_before_it_is_parsed(void **state)
{
	static char text[CTL_REQUEST_MAX];

	(void)state;
	nested(text, sizeof(text), CTL_DEPTH_MAX - 2);
	expect_error(&admin, text, "org.varlink.service.InvalidParameter");
	nested(text, sizeof(text), CTL_DEPTH_MAX - 1);
	expect_error(&admin, text, "io.electd.InvalidRequest");

	memset(text, '[', sizeof(text) - 1);
	expect_error(&admin, text, "io.electd.InvalidRequest");
}

static void brackets_inside_words_do_not_count(void **state)
{
	(void)state;
	expect_error(&admin,
		"{\"method\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}",
		"org.varlink.service.MethodNotFound");
}

/* ---- permission and parameters
 * ------------------------------------------------------------------- */

static void an_unknown_method_is_named_back(void **state)
{
	json_t *reply = call("{\"method\":\"io.electd.Nonsense\"}");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(reply, "error")),
		"org.varlink.service.MethodNotFound");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(reply, "parameters"), "method")),
		"io.electd.Nonsense");
	json_decref(reply);
}

static void only_an_admin_resigns(void **state)
{
	(void)state;
	expect_error(&anybody, "{\"method\":\"io.electd.Resign\"}", "io.electd.NotAllowed");
	assert_int_equal(world.resigned, 0);
	json_decref(call("{\"method\":\"io.electd.Resign\"}"));
	assert_int_equal(world.resigned, 1);
	assert_int_equal(world.resigned_us, 0);
}

static void who_does_not_lead_cannot_resign(void **state)
{
	(void)state;
	world.follows = true;
	expect_error(&admin, "{\"method\":\"io.electd.Resign\"}", "io.electd.NotLeader");
}

static void everybody_reads(void **state)
{
	json_t *reply = call_as(&anybody, "{\"method\":\"io.electd.GetStatus\"}", false);

	(void)state;
	assert_null(json_object_get(reply, "error"));
	json_decref(reply);
}

static void parameters_are_checked_before_anything_is_done(void **state)
{
	static const char *const bad[] = { "{\"for\":0}", "{\"for\":-1}", "{\"for\":86401}",
		"{\"for\":\"30\"}", "{\"for\":1.5}", "{\"for\":null}", "{\"for\":true}",
		"{\"until\":5}", "{\"for\":5,\"until\":5}" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "{\"method\":\"io.electd.Resign\",\"parameters\":%s}",
			bad[i]);
		expect_error(&admin, text, "org.varlink.service.InvalidParameter");
	}
	expect_error(&admin, "{\"method\":\"io.electd.GetStatus\",\"parameters\":{\"x\":1}}",
		"org.varlink.service.InvalidParameter");
	assert_int_equal(world.resigned, 0);

	json_decref(call("{\"method\":\"io.electd.Resign\",\"parameters\":{\"for\":86400}}"));
	assert_int_equal(world.resigned_us, UINT64_C(86400000000));
}

static void a_oneway_call_has_no_reply(void **state)
{
	static const char text[] = "{\"method\":\"io.electd.Resign\",\"oneway\":true}";
	struct ctl_reply reply;

	(void)state;
	ctl_call(&source, &admin, 0, text, strlen(text), &reply);
	assert_null(reply.text);
	assert_false(reply.hang_up);
	assert_int_equal(world.resigned, 1);
}

/* ---- subscriptions -----------------------------------------------------------------------------
 */

static void a_subscription_must_be_asked_for_as_one(void **state)
{
	(void)state;
	expect_error(
		&admin, "{\"method\":\"io.electd.Subscribe\"}", "org.varlink.service.ExpectedMore");
}

static void a_subscription_begins_with_a_snapshot(void **state)
{
	static const char text[] = "{\"method\":\"io.electd.Subscribe\",\"more\":true}";
	struct ctl_reply reply;
	json_t *object, *p;

	(void)state;
	ctl_call(&source, &anybody, 7, text, strlen(text), &reply);
	assert_true(reply.subscribed);
	object = json_loads(reply.text, 0, NULL);
	assert_true(json_is_true(json_object_get(object, "continues")));
	p = json_object_get(object, "parameters");
	assert_int_equal(json_integer_value(json_object_get(p, "seq")), 7);
	assert_string_equal(json_string_value(json_object_get(p, "event")), "snapshot");
	assert_string_equal(
		json_string_value(json_object_get(p, "at")), "2026-01-01T00:00:00.123Z");
	assert_int_equal(json_integer_value(json_object_get(p, "boot_ms")), 10000);
	assert_true(json_is_object(json_object_get(p, "status")));
	json_decref(object);
	free(reply.text);
}

/* ---- shapes ------------------------------------------------------------------------------ */

/* The parameters of a reply as text with sorted keys; the caller frees it. */
static char *shape(const char *method)
{
	char text[100], *shown;
	json_t *reply;

	snprintf(text, sizeof(text), "{\"method\":\"%s\"}", method);
	reply = call(text);
	shown = json_dumps(json_object_get(reply, "parameters"), JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(reply);
	assert_non_null(shown);
	return shown;
}

static void a_status_without_a_group_has_every_key(void **state)
{
	char *shown = shape("io.electd.GetStatus");

	(void)state;
	assert_string_equal(shown,
		"{\"auth\":{\"active_key\":0,\"mode\":\"auto\"},\"cause\":null,\"domain\":\"test\","
		"\"foreign\":[],\"group\":null,\"health\":{\"ok\":true,\"problems\":[]},"
		"\"leader\":null,\"members\":[],"
		"\"node\":{\"id\":\"01000000000000000000000000000000\","
		"\"incarnation\":\"18446744073709551615\",\"name\":\"host0\",\"priority\":100},"
		"\"quorum\":{\"have\":0,\"met\":true,\"needed\":0},\"reason\":\"none\","
		"\"role\":\"none\",\"schema\":1,\"since\":\"2025-12-31T23:59:50.123Z\","
		"\"since_ms\":10000,\"state\":\"down\",\"token\":\"0\",\"version\":\"1.2.3\"}");
	free(shown);
}

static void a_status_of_a_leader_is_as_promised(void **state)
{
	char *shown;

	(void)state;
	world.view = (struct elect_view){
		.state = ELECT_NORMAL,
		.role = ELECT_ROLE_LEADER,
		.group = { ids[0], (UINT64_C(1) << 39) - 1 },
		.leader = ids[0],
		.token = UINT64_MAX,
		.members_count = 3,
		.reason = ELECT_REASON_COORDINATOR_SILENT,
		.cause = ids[1],
		.since_us = 9000000,
	};
	world.config.quorum = 4;
	world.members_count = 3;
	world.foreign_count = 1;
	world.problems_count = 2;
	shown = shape("io.electd.GetStatus");
	assert_string_equal(shown,
		"{\"auth\":{\"active_key\":0,\"mode\":\"auto\"},"
		"\"cause\":{\"id\":\"02000000000000000000000000000000\",\"name\":\"other\"},"
		"\"domain\":\"test\","
		"\"foreign\":[{\"heard_by\":{\"id\":\"02000000000000000000000000000000\","
		"\"name\":\"other\"},\"id\":\"03000000000000000000000000000000\",\"name\":\"far\"}]"
		","
		"\"group\":{\"coordinator\":\"01000000000000000000000000000000\","
		"\"counter\":\"549755813887\",\"id\":\"host0.549755813887\"},"
		"\"health\":{\"ok\":false,\"problems\":[\"one\",\"two\"]},"
		"\"leader\":{\"address\":\"192.0.2.1\",\"id\":\"01000000000000000000000000000000\","
		"\"name\":\"host0\",\"self\":true},"
		"\"members\":["
		"{\"address\":\"192.0.2.1\",\"id\":\"01000000000000000000000000000000\","
		"\"last_heard_ms\":null,\"name\":\"host0\",\"priority\":0,\"rank\":0,"
		"\"state\":\"alive\"},"
		"{\"address\":\"192.0.2.2\",\"id\":\"02000000000000000000000000000000\","
		"\"last_heard_ms\":500,\"name\":\"host1\",\"priority\":0,\"rank\":1,"
		"\"state\":\"alive\"},"
		"{\"address\":\"192.0.2.3\",\"id\":\"03000000000000000000000000000000\","
		"\"last_heard_ms\":null,\"name\":\"host2\",\"priority\":0,\"rank\":2,"
		"\"state\":\"silent\"}],"
		"\"node\":{\"id\":\"01000000000000000000000000000000\","
		"\"incarnation\":\"18446744073709551615\",\"name\":\"host0\",\"priority\":100},"
		"\"quorum\":{\"have\":3,\"met\":false,\"needed\":4},"
		"\"reason\":\"coordinator-silent\",\"role\":\"leader\",\"schema\":1,"
		"\"since\":\"2025-12-31T23:59:59.123Z\",\"since_ms\":1000,\"state\":\"normal\","
		"\"token\":\"18446744073709551615\",\"version\":\"1.2.3\"}");
	free(shown);
}

static void members_tell_more_than_the_status(void **state)
{
	char *shown;

	(void)state;
	world.members_count = 1;
	shown = shape("io.electd.GetMembers");
	assert_string_equal(shown,
		"{\"members\":[{\"address\":\"192.0.2.1\","
		"\"id\":\"01000000000000000000000000000000\",\"incarnation\":\"0\","
		"\"last_heard_ms\":null,\"may_lead\":false,\"name\":\"host0\",\"priority\":0,"
		"\"rank\":0,\"self\":true,\"state\":\"alive\"}]}");
	free(shown);
}

static void the_service_describes_itself(void **state)
{
	char *shown = shape("org.varlink.service.GetInfo");

	(void)state;
	assert_string_equal(shown,
		"{\"interfaces\":[\"org.varlink.service\",\"io.electd\"],\"product\":\"electd\","
		"\"url\":\"\",\"vendor\":\"electd\",\"version\":\"1.2.3\"}");
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_request_may_come_byte_by_byte, setup),
		cmocka_unit_test_setup(several_requests_in_one_piece_are_taken_one_by_one, setup),
		cmocka_unit_test_setup(a_request_without_end_is_refused_at_the_limit, setup),
		cmocka_unit_test_setup(what_is_no_request_ends_the_connection, setup),
		cmocka_unit_test_setup(deep_nesting_is_refused_before_it_is_parsed, setup),
		cmocka_unit_test_setup(brackets_inside_words_do_not_count, setup),
		cmocka_unit_test_setup(an_unknown_method_is_named_back, setup),
		cmocka_unit_test_setup(only_an_admin_resigns, setup),
		cmocka_unit_test_setup(who_does_not_lead_cannot_resign, setup),
		cmocka_unit_test_setup(everybody_reads, setup),
		cmocka_unit_test_setup(parameters_are_checked_before_anything_is_done, setup),
		cmocka_unit_test_setup(a_oneway_call_has_no_reply, setup),
		cmocka_unit_test_setup(a_subscription_must_be_asked_for_as_one, setup),
		cmocka_unit_test_setup(a_subscription_begins_with_a_snapshot, setup),
		cmocka_unit_test_setup(a_status_without_a_group_has_every_key, setup),
		cmocka_unit_test_setup(a_status_of_a_leader_is_as_promised, setup),
		cmocka_unit_test_setup(members_tell_more_than_the_status, setup),
		cmocka_unit_test_setup(the_service_describes_itself, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
