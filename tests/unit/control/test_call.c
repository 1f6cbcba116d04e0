/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the control socket to a node of constants: accepted, refused, and the replies. */
#include "world.h"

#include <errno.h>

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
	assert_string_equal(ctl_input_next(&in, &size), "one"); /* it stays until it is taken */
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

/* ---- invalid requests ------------------------------------------------------------------------ */

static void an_invalid_request_ends_the_connection(void **state)
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

/* A request with `depth` nested arrays in its parameters. */
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

static void brackets_inside_strings_do_not_count(void **state)
{
	(void)state;
	expect_error(&admin,
		"{\"method\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}",
		"org.varlink.service.MethodNotFound");
}

/* ---- permission and parameters --------------------------------------------------------------- */

static void an_unknown_method_is_named_in_the_error(void **state)
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

static void a_follower_cannot_resign(void **state)
{
	(void)state;
	world.follows = true;
	expect_error(&admin, "{\"method\":\"io.electd.Resign\"}", "io.electd.NotLeader");
}

#define RESIGN_TO(name) "{\"method\":\"io.electd.Resign\",\"parameters\":{\"to\":\"" name "\"}}"

static void a_successor_is_named_by_name_or_id(void **state)
{
	(void)state;
	world.members_count = 3;
	world.able = true;
	json_decref(call(RESIGN_TO("host1")));
	assert_int_equal(world.resigned, 1);
	assert_true(elect_id_equal(&world.resigned_to, &ids[1]));
	json_decref(call(RESIGN_TO("03000000000000000000000000000000")));
	assert_int_equal(world.resigned, 2);
	assert_true(elect_id_equal(&world.resigned_to, &ids[2]));
	json_decref(call("{\"method\":\"io.electd.Resign\"}"));
	assert_true(elect_id_is_zero(&world.resigned_to));
}

static void expect_no_successor(const char *request, const char *why)
{
	json_t *reply = call(request);

	assert_string_equal(
		json_string_value(json_object_get(reply, "error")), "io.electd.CannotSucceed");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(reply, "parameters"), "message")),
		why);
	json_decref(reply);
	assert_int_equal(world.resigned, 0);
}

static void a_successor_must_be_able_to_lead(void **state)
{
	(void)state;
	world.members_count = 3;
	expect_no_successor(RESIGN_TO("host1"), "host1 may not lead now");
	world.able = true;
	expect_no_successor(RESIGN_TO("host7"), "host7 is no member of this host's group");
	expect_no_successor(RESIGN_TO("host"), "host is no member of this host's group");
	expect_no_successor(RESIGN_TO("host0"), "host0 is this host itself");
	world.namesakes = true;
	expect_no_successor(
		RESIGN_TO("host1"), "host1 is the name of several members: give the id of one");
	json_decref(call(RESIGN_TO("02000000000000000000000000000000")));
	assert_true(elect_id_equal(&world.resigned_to, &ids[1]));
}

static void every_user_may_read_the_status(void **state)
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

#define RELEASE                                                                                    \
	"{\"method\":\"io.electd.Release\","                                                       \
	"\"parameters\":{\"holder\":\"0123456789abcdef\",\"seq\":7}}"

/* A valid call of every method that only admins may call. */
static const char *const changing[] = {
	"{\"method\":\"io.electd.Resign\"}",
	"{\"method\":\"io.electd.SetPriority\",\"parameters\":{\"priority\":7}}",
	"{\"method\":\"io.electd.Hold\",\"parameters\":{\"on\":true}}",
	"{\"method\":\"io.electd.Define\",\"parameters\":{\"definition\":\"YWI=\"}}",
	"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":true}}",
	"{\"method\":\"io.electd.Forget\",\"parameters\":{\"name\":\"pg\"}}",
	"{\"method\":\"io.electd.Reload\"}",
};

static void only_an_admin_changes_anything(void **state)
{
	const unsigned all = sizeof(changing) / sizeof(changing[0]);
	unsigned admin_methods = 0;
	size_t count;
	const struct ctl_method *methods = ctl_methods(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		admin_methods += methods[i].admin;
	assert_int_equal(admin_methods, all);
	for (unsigned i = 0; i < all; i++)
		expect_error(&anybody, changing[i], "io.electd.NotAllowed");
	assert_int_equal(world.changes + world.resigned, 0);
	for (unsigned i = 0; i < all; i++)
		json_decref(call(changing[i]));
	assert_int_equal(world.changes + world.resigned, all);
	assert_int_equal(world.priority, 7);
	assert_true(world.held);
	assert_int_equal(world.definition_size, 2);
	assert_memory_equal(world.definition, "ab", 2);
}

/* A user who may not hold has no holder, so Release needs no further right. */
static void a_release_is_passed_on(void **state)
{
	(void)state;
	json_decref(call(RELEASE));
	assert_int_equal(world.released, 7);
}

static void rank_address_needs_a_right_of_its_own(void **state)
{
	static const char subscribe[] =
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"electd-address\",\"rank\":\"address\"},\"more\":true}";
	static const char named_otherwise[] =
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"n\",\"rank\":\"address\"},\"more\":true}";
	static const char begun[] = "{\"method\":\"io.electd.Promoted\",\"parameters\":"
				    "{\"holder\":\"0123456789abcdef\",\"token\":\"41\"}}";

	static const struct ctl_peer mover = { .uid = 990, .addresses = true };
	static const struct ctl_peer other_admin = { .uid = 1000, .admin = true };

	(void)state;
	expect_error(&other_admin, subscribe, "io.electd.NotAllowed");
	expect_error(&mover, begun, "io.electd.NoSuchHolder");
	expect_error(&mover, named_otherwise, "io.electd.NotAllowed");
	expect_error(&mover,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true},\"more\":true}",
		"io.electd.NotAllowed");
	world.address = true;
	json_decref(call_as(&mover, subscribe, false));
	assert_int_equal(world.rank, RANK_ADDRESS);
	json_decref(call_as(&mover, begun, false));
	assert_int_equal(world.begun, 41);
	assert_int_equal(world.promoted, 0);
}

static void a_reporter_reports_and_changes_nothing_else(void **state)
{
	static const struct ctl_peer reporter = { 1000, .reporter = true };

	(void)state;
	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		if (!strstr(changing[i], "io.electd.Report\""))
			expect_error(&reporter, changing[i], "io.electd.NotAllowed");
	assert_int_equal(world.changes + world.resigned, 0);
	json_decref(call_as(&reporter,
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":false}}",
		false));
	assert_string_equal(world.report.name, "pg");
}

static void a_report_is_passed_on_with_printable_words(void **state)
{
	(void)state;
	json_decref(call(
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":false,"
		"\"words\":\"a\\u001b[2Jb\",\"fall\":3,\"rise\":2,\"stale_ms\":7000}}"));
	assert_string_equal(world.report.name, "pg");
	assert_string_equal(world.report.words, "a?[2Jb");
	assert_false(world.report.well);
	assert_int_equal(world.report.fall, 3);
	assert_int_equal(world.report.rise, 2);
	assert_int_equal(world.report.stale_us, 7000000);
	json_decref(call("{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\","
			 "\"well\":true}}"));
	assert_int_equal(world.report.fall, 1);
	assert_int_equal(world.report.rise, 1);
	assert_int_equal(world.report.stale_us, 0);
	json_decref(call("{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\","
			 "\"well\":true,\"stale_ms\":1209600000}}")); /* 14 days */
	assert_int_equal(world.report.stale_us, 1209600000000);
}

static void a_refused_report_names_the_reason(void **state)
{
	static const struct {
		enum elect_report_verdict verdict;
		const char *says;
	} rows[] = {
		{ ELECT_REPORT_FULL, "16 other names" },
		{ ELECT_REPORT_REQUIRED, "judged on every host" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *reply;

		world.report_verdict = rows[i].verdict;
		reply = call("{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\","
			     "\"well\":true}}");
		assert_string_equal(json_string_value(json_object_get(reply, "error")),
			"io.electd.ReportRefused");
		assert_non_null(strstr(json_string_value(json_object_get(
					       json_object_get(reply, "parameters"), "message")),
			rows[i].says));
		json_decref(reply);
	}
}

/* Only root: every client shows these words as electd-hookd's own. */
static void only_root_reports_that_hookd_is_missing(void **state)
{
	static const struct ctl_peer other_admin = { 1000, .admin = true };
	static const char missing[] = "{\"method\":\"io.electd.HookdMissing\",\"parameters\":"
				      "{\"words\":\"Is a\\ndirectory\"}}";

	(void)state;
	expect_error(&other_admin, missing, "io.electd.NotAllowed");
	assert_string_equal(world.hookd_missing, "");
	json_decref(call(missing));
	assert_string_equal(world.hookd_missing, "Is a?directory");
}

/* ---- addresses --------------------------------------------------------------------------- */

#define ADDRESSES(rows)                                                                            \
	"{\"method\":\"io.electd.ReportAddresses\",\"parameters\":{"                               \
	"\"holder\":\"0123456789abcdef\",\"addresses\":[" rows "]}}"
#define ADDRESS(fields) "{\"address\":\"192.0.2.100\",\"state\":\"held\"" fields "}"

/* The caller releases it. */
static json_t *addresses_told(void)
{
	json_t *reply = call_as(&anybody, "{\"method\":\"io.electd.GetAddresses\"}", false);
	json_t *told = json_incref(json_object_get(reply, "parameters"));

	json_decref(reply);
	return told;
}

static void assert_told(const json_t *told, const char *wanted)
{
	char *text = json_dumps(told, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(text, wanted);
	free(text);
}

static void only_electd_address_reports_addresses(void **state)
{
	json_t *told;

	(void)state;
	expect_error(&anybody, ADDRESSES(ADDRESS("")), "io.electd.NoSuchHolder");
	assert_int_equal(world.addresses_reported, 0);
	world.address = true;
	json_decref(call_as(&anybody, ADDRESSES(ADDRESS("")), false));
	assert_int_equal(world.addresses.count, 1);
	json_decref(call_as(&anybody, ADDRESSES(""), false));
	assert_int_equal(world.addresses.count, 0);
	told = addresses_told();
	assert_told(told,
		"{\"addresses\":[],\"boot_ms\":10000,\"configured\":[],\"leads\":false,"
		"\"running\":true}");
	json_decref(told);
}

static void getaddresses_returns_what_was_reported(void **state)
{
	const struct elect_address wide = { .bytes = { 0x20, 1, 0xd, 0xb8, [15] = 1 },
		.family = 6 };
	json_t *told;

	(void)state;
	world.address = true;
	world.view.role = ELECT_ROLE_LEADER;
	addresses_configure(&world.addresses, &wide, 1);
	json_decref(call(ADDRESSES(
		ADDRESS(",\"interface\":\"eth0\",\"words\":\"a\\nb\",\"lease_ms\":1000,"
			"\"announced_boot_ms\":9000,\"restored\":2,\"restored_boot_ms\":8000,"
			"\"restored_by\":\"NetworkManager\",\"conflict\":\"02:00:00:00:00:01\","
			"\"conflict_boot_ms\":7000"))));
	told = addresses_told();
	assert_told(told,
		"{\"addresses\":["
		"{\"address\":\"2001:db8::1\",\"announced_boot_ms\":null,\"claimed\":false,"
		"\"conflict\":null,\"conflict_boot_ms\":null,\"interface\":null,\"lease_ms\":0,"
		"\"often\":false,\"restored\":0,\"restored_boot_ms\":null,\"restored_by\":null,"
		"\"state\":\"unknown\",\"words\":\"\"},"
		"{\"address\":\"192.0.2.100\",\"announced_boot_ms\":9000,\"claimed\":true,"
		"\"conflict\":\"02:00:00:00:00:01\",\"conflict_boot_ms\":7000,"
		"\"interface\":\"eth0\",\"lease_ms\":1000,\"often\":false,\"restored\":2,"
		"\"restored_boot_ms\":8000,\"restored_by\":\"NetworkManager\",\"state\":\"held\","
		"\"words\":\"a?b\"}],\"boot_ms\":10000,\"configured\":[\"2001:db8::1\"],"
		"\"leads\":true,\"running\":true}");
	json_decref(told);
	told = call("{\"method\":\"io.electd.GetStatus\"}");
	assert_told(json_object_get(json_object_get(told, "parameters"), "addresses"),
		"[{\"address\":\"2001:db8::1\",\"announced_ms\":null,\"interface\":null,"
		"\"state\":\"unknown\"},{\"address\":\"192.0.2.100\",\"announced_ms\":1000,"
		"\"interface\":\"eth0\",\"state\":\"held\"}]");
	json_decref(told);
}

static void texts_of_addresses_are_cut(void **state)
{
	(void)state;
	world.address = true;
	json_decref(call(ADDRESSES(ADDRESS(",\"interface\":\"0123456789abcdefghij\","
					   "\"restored_by\":null"))));
	assert_string_equal(world.addresses.rows[0].interface, "0123456789abcde");
	assert_string_equal(world.addresses.rows[0].restored_by, "");
}

static void a_wrong_address_refuses_the_whole_report(void **state)
{
	static const char *const bad[] = {
		ADDRESSES(ADDRESS(",\"other\":1")),
		ADDRESSES(ADDRESS(",\"lease_ms\":-1")),
		ADDRESSES(ADDRESS(",\"lease_ms\":\"1\"")),
		ADDRESSES(ADDRESS(",\"announced_boot_ms\":9223372036854775807")),
		ADDRESSES(ADDRESS(",\"words\":1")),
		ADDRESSES(ADDRESS("") ",{\"address\":\"192.0.2.300\",\"state\":\"held\"}"),
		ADDRESSES(ADDRESS("") ",{\"address\":\"192.0.2.1/24\",\"state\":\"held\"}"),
		ADDRESSES(ADDRESS("") ",{\"address\":1,\"state\":\"held\"}"),
		ADDRESSES(ADDRESS("") ",{\"address\":\"192.0.2.1\",\"state\":\"unknown\"}"),
		ADDRESSES(ADDRESS("") ",{\"address\":\"192.0.2.1\",\"state\":\"lost\"}"),
		ADDRESSES(ADDRESS("") ",{\"address\":\"192.0.2.1\"}"),
		ADDRESSES(ADDRESS("") ",{\"state\":\"held\"}"),
		ADDRESSES(ADDRESS("") ",7"),
	};

	(void)state;
	world.address = true;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_error(&admin, bad[i], "org.varlink.service.InvalidParameter");
	assert_int_equal(world.addresses_reported, 0);
}

static void a_report_has_at_most_32_addresses(void **state)
{
	char text[8192];
	size_t used;

	(void)state;
	world.address = true;
	for (unsigned count = 32; count <= 33; count++) {
		used = (size_t)snprintf(text, sizeof(text),
			"{\"method\":\"io.electd.ReportAddresses\",\"parameters\":{\"holder\":"
			"\"0123456789abcdef\",\"addresses\":[");
		for (unsigned i = 0; i < count; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
				"%s{\"address\":\"10.0.0.%u\",\"state\":\"free\"}", i ? "," : "",
				i);
		snprintf(text + used, sizeof(text) - used, "]}}");
		if (count == 33)
			expect_error(&admin, text, "org.varlink.service.InvalidParameter");
		else
			json_decref(call(text));
	}
	assert_int_equal(world.addresses.count, 32);
}

/* electd-hookd, which is root, sends Promoted; without electd-hookd, no report waits for it. */
static void a_leading_report_is_taken_only_after_the_promotion(void **state)
{
	static const char promoted[] = "{\"method\":\"io.electd.Promoted\",\"parameters\":"
				       "{\"holder\":\"0123456789abcdef\",\"token\":\"41\"}}";
	static const struct ctl_peer other_admin = { 1000, .admin = true };
	static const char report[] =
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":true,"
		"\"leading\":true}}";
	json_t *reply;

	(void)state;
	world.report_verdict = ELECT_REPORT_NOT_LEADING;
	expect_error(&admin, report, "io.electd.NotLeader");
	assert_true(world.alone);
	expect_error(&admin, promoted, "io.electd.NoSuchHolder");
	world.hookd = true;
	expect_error(&other_admin, promoted, "io.electd.NoSuchHolder");
	assert_int_equal(world.promoted, 0);
	json_decref(call(promoted));
	assert_int_equal(world.promoted, 41);
	world.report_verdict = ELECT_REPORT_TAKEN;
	json_decref(call(report));
	assert_true(world.report.leading);
	assert_false(world.alone);
	reply = call_as(&anybody, "{\"method\":\"io.electd.GetHealth\"}", false);
	assert_true(json_is_true(json_object_get(json_object_get(reply, "parameters"), "leading")));
	json_decref(reply);
}

static void a_reported_name_can_be_forgotten(void **state)
{
	static const char forget[] =
		"{\"method\":\"io.electd.Forget\",\"parameters\":{\"name\":\"pg\"}}";

	(void)state;
	json_decref(call(forget));
	assert_true(world.report.forget);
	assert_string_equal(world.report.name, "pg");
	world.report_verdict = ELECT_REPORT_NONE;
	expect_error(&admin, forget, "io.electd.ReportRefused");
}

static void only_an_admin_holds(void **state)
{
	(void)state;
	expect_error(&anybody,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true},"
		"\"more\":true}",
		"io.electd.NotAllowed");
}

#define HOLD_AS(name)                                                                              \
	"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":\"" name       \
	"\"},"                                                                                     \
	"\"more\":true}"

static void a_holder_has_a_name_of_plain_letters(void **state)
{
	static const char *const bad[] = { HOLD_AS(""), HOLD_AS("a\\u001b[2J"), HOLD_AS("\xc3\xa4"),
		HOLD_AS("a,b"),
		HOLD_AS("0123456789012345678901234567890123456789012345678901234567890123") };

	(void)state;
	json_decref(call_as(&admin, HOLD_AS("electctl run"), false));
	assert_string_equal(world.holder, "electctl run");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_error(&admin, bad[i], "org.varlink.service.InvalidParameter");
}

static void only_root_reports_hooks_and_only_as_electd_hookd(void **state)
{
	static const char report[] = REPORT("10-vip", "leader", "failed", "41");
	static const struct ctl_peer other_admin = { 1000, .admin = true };

	(void)state;
	expect_error(&admin, report, "io.electd.NoSuchHolder");
	world.hookd = true;
	expect_error(&other_admin, report, "io.electd.NotAllowed");
	expect_error(&admin, REPORT("10/vip", "leader", "failed", "41"),
		"org.varlink.service.InvalidParameter");
	expect_error(&admin, REPORT("10-vip", "leader", "failed", "4x"),
		"org.varlink.service.InvalidParameter");
	expect_error(&admin, REPORT("10-vip", "state", "failed", "41"),
		"org.varlink.service.InvalidParameter");
	assert_int_equal(world.hooks.count, 0);
	json_decref(call(report));
	assert_int_equal(world.hooks.count, 1);
	assert_string_equal(
		world.hooks.problems[0], "hook 10-vip: failed on leader (exit status 1)");
}

static void gethooks_returns_the_last_report_of_each_script(void **state)
{
	json_t *reply, *one, *parameters;

	(void)state;
	world.hookd = true;
	json_decref(call(REPORT("10-vip", "leader", "failed", "41")));
	json_decref(call(REPORT("20-x", "none", "ok", "0")));
	world.hooks.entries[0].report.at_us = 9000000; /* a second ago */
	reply = call_as(&anybody, "{\"method\":\"io.electd.GetHooks\"}", false);
	parameters = json_object_get(reply, "parameters");
	assert_true(json_is_true(json_object_get(parameters, "hookd")));
	assert_int_equal(json_array_size(json_object_get(parameters, "reports")), 2);
	one = json_array_get(json_object_get(parameters, "reports"), 0);
	assert_int_equal(json_object_size(one), 10);
	assert_true(json_is_false(json_object_get(one, "ok")));
	assert_string_equal(
		json_string_value(json_object_get(one, "at")), "2025-12-31T23:59:59.123Z");
	one = json_array_get(json_object_get(parameters, "reports"), 1);
	assert_true(json_is_true(json_object_get(one, "ok")));
	json_decref(reply);
}

static void the_output_of_scripts_is_shown_to_admins_only(void **state)
{
	static const struct ctl_peer of_the_group = { 1000, .admin = true };
	const struct ctl_peer *const asks[] = { &admin, &of_the_group, &anybody };
	const char *output;

	(void)state;
	world.hookd = true;
	json_decref(call(REPORT("10-vip", "leader", "failed", "41")));
	for (size_t i = 0; i < 3; i++) {
		json_t *reply = call_as(asks[i], "{\"method\":\"io.electd.GetHooks\"}", false);

		assert_false(json_unpack(
			reply, "{s:{s:[{s:s}]}}", "parameters", "reports", "output", &output));
		assert_string_equal(output, asks[i]->admin ? "said" : "");
		json_decref(reply);
	}
}

static void required_parameters_must_be_present_and_valid(void **state)
{
	static const char *const bad[] = {
		"SetPriority\"",
		"SetPriority\",\"parameters\":{\"priority\":256}",
		"SetPriority\",\"parameters\":{\"priority\":-1}",
		"Hold\"",
		"Hold\",\"parameters\":{\"on\":1}",
		"Hold\",\"parameters\":{\"off\":true}",
		"Define\"",
		"Define\",\"parameters\":{\"definition\":\"YWI\"}",
		"Release\",\"parameters\":{\"seq\":7}",
		"Release\",\"parameters\":{\"holder\":\"0123456789abcdef\"}",
		"Release\",\"parameters\":{\"holder\":\"0123456789abcdef0\",\"seq\":7}",
		"Release\",\"parameters\":{\"holder\":\"\",\"seq\":7}",
		"Promoted\",\"parameters\":{\"holder\":\"0123456789abcdef\"}",
		"Promoted\",\"parameters\":{\"holder\":\"0123456789abcdef\",\"token\":\"x\"}",
		"Promoted\",\"parameters\":{\"holder\":\"0123456789abcdef\",\"token\":\"\"}",
		"Promoted\",\"parameters\":{\"holder\":\"0123456789abcdef\",\"token\":\"-1\"}",
		("Promoted\",\"parameters\":{\"holder\":\"0123456789abcdef\","
		 "\"token\":\"18446744073709551616\"}"),
		"HookdMissing\"",
		"HookdMissing\",\"parameters\":{\"words\":\"\"}",
		"Forget\",\"parameters\":{\"name\":\"a b\"}",
		"Report\"",
		"Report\",\"parameters\":{\"name\":\"pg\"}",
		"Report\",\"parameters\":{\"name\":\"\",\"well\":true}",
		"Report\",\"parameters\":{\"name\":\"a b\",\"well\":true}",
		"Report\",\"parameters\":{\"name\":\"pg\\\\\",\"well\":true}",
		"Report\",\"parameters\":{\"name\":\"..\",\"well\":true}",
		"Report\",\"parameters\":{\"name\":\"pg\",\"well\":true,\"fall\":0}",
		"Report\",\"parameters\":{\"name\":\"pg\",\"well\":true,\"stale_ms\":1209600001}",
		"Wait\"",
		"Wait\",\"parameters\":{\"for\":\"lead\"}",
		"Wait\",\"parameters\":{\"for\":\"leader self\"}",
		"Wait\",\"parameters\":{\"for\":\"members\"}",
		"Wait\",\"parameters\":{\"for\":\"members\",\"count\":1025}",
		"Wait\",\"parameters\":{\"for\":\"self\",\"timeout_ms\":0}",
		"Wait\",\"parameters\":{\"for\":\"self\",\"timeout_ms\":86400001}",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "{\"method\":\"io.electd.%s}", bad[i]);
		expect_error(&admin, text, "org.varlink.service.InvalidParameter");
	}
	assert_int_equal(world.changes, 0);
}

static void a_definition_has_one_base64_form(void **state)
{
	static const struct {
		const char *text, *bytes;
	} good[] = { { "", "" }, { "YQ==", "a" }, { "YWI=", "ab" }, { "YWJj", "abc" },
		{ "YWJjZA==", "abcd" }, { "+/+/", "\xfb\xff\xbf" } };
	static const char *const bad[] = { "Y", "YQ",
		"YQ=", "YQ===", "YR==", "YWJ=", "=Q==", "Y===", "YQ==YQ==", "Y Q=", "YW\nJj",
		"YW-_", "====", "YWI=YWI=" };
	static char large[5469];
	uint8_t bytes[ELECT_DEFINITION_MAX];
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(ctl_base64(good[i].text, bytes, sizeof(bytes), &size), 0);
		assert_int_equal(size, strlen(good[i].bytes));
		assert_memory_equal(bytes, good[i].bytes, size);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ctl_base64(bad[i], bytes, sizeof(bytes), &size) != -EINVAL)
			fail_msg("%s is taken", bad[i]);

	memset(large, 'A', 5464); /* 4098 bytes */
	assert_int_equal(ctl_base64(large, bytes, sizeof(bytes), &size), -EINVAL);
	memcpy(large + 5460, "AA==", 4);
	assert_int_equal(ctl_base64(large, bytes, sizeof(bytes), &size), 0);
	assert_int_equal(size, ELECT_DEFINITION_MAX);
}

static void a_refused_reload_reports_place_and_reason(void **state)
{
	json_t *reply, *p;

	(void)state;
	world.reload = (struct ctl_reload){ .refused = true,
		.text = "text",
		.file = "file",
		.key = "key",
		.allowed = "allowed",
		.line = 3 };
	reply = call("{\"method\":\"io.electd.Reload\"}");
	assert_string_equal(
		json_string_value(json_object_get(reply, "error")), "io.electd.ConfigInvalid");
	p = json_object_get(reply, "parameters");
	assert_string_equal(json_string_value(json_object_get(p, "text")), "text");
	assert_string_equal(json_string_value(json_object_get(p, "file")), "file");
	assert_string_equal(json_string_value(json_object_get(p, "key")), "key");
	assert_int_equal(json_integer_value(json_object_get(p, "line")), 3);
	json_decref(reply);
}

static void a_reload_that_hosts_hold_up_names_them(void **state)
{
	json_t *reply, *p;

	(void)state;
	world.reload = (struct ctl_reload){ .refused = true,
		.held_up = true,
		.held_up_key = 2,
		.hosts_count = 2,
		.hosts = { "web4", "web7" },
		.text = "text" };
	reply = call("{\"method\":\"io.electd.Reload\"}");
	assert_string_equal(
		json_string_value(json_object_get(reply, "error")), "io.electd.StepRefused");
	p = json_object_get(reply, "parameters");
	assert_int_equal(json_integer_value(json_object_get(p, "key")), 2);
	assert_int_equal(json_array_size(json_object_get(p, "hosts")), 2);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(p, "hosts"), 1)), "web7");
	json_decref(reply);
}

#define SET_KEYS(text)	   "{\"method\":\"io.electd.SetKeys\",\"parameters\":{\"keys\":\"" text "\"}}"
#define RELOAD(parameters) "{\"method\":\"io.electd.Reload\",\"parameters\":{" parameters "}}"

static const struct ctl_peer not_root = { 1000, .admin = true };

static void keys_come_from_root_only(void **state)
{
	(void)state;
	expect_error(&not_root, SET_KEYS("MSBh"), "io.electd.NotAllowed");
	expect_error(&not_root, RELOAD("\"keys\":\"MSBh\""), "io.electd.NotAllowed");
	expect_error(&not_root, RELOAD("\"keys\":\"\""), "io.electd.NotAllowed");
	assert_int_equal(world.changes, 0);
	json_decref(call_as(&not_root, RELOAD(""), false));
	assert_string_equal(world.keys, "-");
	assert_false(world.force);
	json_decref(call(SET_KEYS("MSBh")));
	assert_string_equal(world.keys, "1 a");
	assert_true(world.keys_only);
	json_decref(call(RELOAD("\"keys\":\"MiBi\",\"force\":true")));
	assert_string_equal(world.keys, "2 b");
	assert_true(!world.keys_only && world.force);
	json_decref(call(SET_KEYS("")));
	assert_string_equal(world.keys, "");
}

static void keys_that_are_no_text_in_base64_are_refused(void **state)
{
	(void)state;
	expect_error(&admin, SET_KEYS("MSB"), "org.varlink.service.InvalidParameter");
	expect_error(&admin, SET_KEYS("MQAx"), "org.varlink.service.InvalidParameter");
	expect_error(&admin, "{\"method\":\"io.electd.SetKeys\"}",
		"org.varlink.service.InvalidParameter");
	assert_int_equal(world.changes, 0);
}

/* The input buffer must not keep keys either. */
static void a_taken_request_is_wiped(void **state)
{
	struct ctl_input in = { 0 };
	size_t size;
	char *place;

	(void)state;
	assert_int_equal(ctl_input_room(&in, &place, &size), 0);
	memcpy(place, "secret\0rest", 11);
	ctl_input_added(&in, 11);
	assert_string_equal(ctl_input_next(&in, &size), "secret");
	ctl_input_taken(&in);
	assert_memory_equal(in.bytes, "rest\0\0\0\0\0\0\0", 11);
	ctl_input_free(&in);
}

/* A leader that asks is unsure only whether it is still followed, not of its membership list. */
static void no_wait_for_a_leader_ends_while_it_asks(void **state)
{
	struct ctl_facts facts = { .view = { .role = ELECT_ROLE_LEADER, .members_count = 3 } };

	(void)state;
	for (unsigned what = 0; what < CTL_WAITS; what++) {
		const struct ctl_wait wait = { .what = what, .count = 3 };
		bool leads = what == CTL_WAIT_LEADER || what == CTL_WAIT_SELF;

		facts.view.asking = true;
		assert_int_equal(ctl_wait_met(&wait, &facts), what == CTL_WAIT_MEMBERS);
		facts.view.asking = false;
		assert_int_equal(ctl_wait_met(&wait, &facts), leads || what == CTL_WAIT_MEMBERS);
	}
}

/* A program that starts its work now would work at the same time as the next leader's. */
static void no_wait_for_this_host_ends_during_a_demotion(void **state)
{
	struct ctl_facts facts = { .view = { .role = ELECT_ROLE_LEADER, .members_count = 3 } };

	(void)state;
	for (unsigned what = 0; what < CTL_WAITS; what++) {
		const struct ctl_wait wait = { .what = what, .count = 3 };
		bool any_host = what == CTL_WAIT_LEADER || what == CTL_WAIT_MEMBERS;

		facts.view.yielding = true;
		assert_int_equal(ctl_wait_met(&wait, &facts), any_host);
		facts.view.yielding = false;
		assert_int_equal(ctl_wait_met(&wait, &facts), any_host || what == CTL_WAIT_SELF);
	}
}

/* The addresses of the leader are not here yet. */
static void no_wait_for_this_host_ends_before_rank_address_has_begun(void **state)
{
	struct ctl_facts facts = { .view = { .role = ELECT_ROLE_LEADER, .members_count = 3 } };

	(void)state;
	for (unsigned what = 0; what < CTL_WAITS; what++) {
		const struct ctl_wait wait = { .what = what, .count = 3 };
		bool any_host = what == CTL_WAIT_LEADER || what == CTL_WAIT_MEMBERS;

		facts.ranks.promotes = true;
		assert_int_equal(ctl_wait_met(&wait, &facts), any_host);
		facts.ranks.promotes = false;
		assert_int_equal(ctl_wait_met(&wait, &facts), any_host || what == CTL_WAIT_SELF);
	}
}

static void a_oneway_wait_does_not_wait(void **state)
{
	static const char text[] =
		"{\"method\":\"io.electd.Wait\",\"parameters\":{\"for\":\"self\"},\"oneway\":true}";
	struct ctl_reply reply;

	(void)state;
	ask(&anybody, text, strlen(text), &reply);
	assert_null(reply.text);
	assert_false(reply.waits);
}

static void a_oneway_call_has_no_reply(void **state)
{
	static const char text[] = "{\"method\":\"io.electd.Resign\",\"oneway\":true}";
	struct ctl_reply reply;

	(void)state;
	ask(&admin, text, strlen(text), &reply);
	assert_null(reply.text);
	assert_false(reply.hang_up);
	assert_int_equal(world.resigned, 1);
}

/* ---- subscriptions --------------------------------------------------------------------------- */

static void a_subscription_requires_more(void **state)
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
	ask(&anybody, text, strlen(text), &reply);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_request_may_come_byte_by_byte, setup),
		cmocka_unit_test_setup(several_requests_in_one_piece_are_taken_one_by_one, setup),
		cmocka_unit_test_setup(a_request_without_end_is_refused_at_the_limit, setup),
		cmocka_unit_test_setup(an_invalid_request_ends_the_connection, setup),
		cmocka_unit_test_setup(deep_nesting_is_refused_before_it_is_parsed, setup),
		cmocka_unit_test_setup(brackets_inside_strings_do_not_count, setup),
		cmocka_unit_test_setup(an_unknown_method_is_named_in_the_error, setup),
		cmocka_unit_test_setup(only_an_admin_resigns, setup),
		cmocka_unit_test_setup(a_follower_cannot_resign, setup),
		cmocka_unit_test_setup(a_successor_is_named_by_name_or_id, setup),
		cmocka_unit_test_setup(a_successor_must_be_able_to_lead, setup),
		cmocka_unit_test_setup(every_user_may_read_the_status, setup),
		cmocka_unit_test_setup(parameters_are_checked_before_anything_is_done, setup),
		cmocka_unit_test_setup(only_an_admin_changes_anything, setup),
		cmocka_unit_test_setup(a_release_is_passed_on, setup),
		cmocka_unit_test_setup(rank_address_needs_a_right_of_its_own, setup),
		cmocka_unit_test_setup(a_reporter_reports_and_changes_nothing_else, setup),
		cmocka_unit_test_setup(a_report_is_passed_on_with_printable_words, setup),
		cmocka_unit_test_setup(a_refused_report_names_the_reason, setup),
		cmocka_unit_test_setup(a_leading_report_is_taken_only_after_the_promotion, setup),
		cmocka_unit_test_setup(only_root_reports_that_hookd_is_missing, setup),
		cmocka_unit_test_setup(only_electd_address_reports_addresses, setup),
		cmocka_unit_test_setup(getaddresses_returns_what_was_reported, setup),
		cmocka_unit_test_setup(texts_of_addresses_are_cut, setup),
		cmocka_unit_test_setup(a_wrong_address_refuses_the_whole_report, setup),
		cmocka_unit_test_setup(a_report_has_at_most_32_addresses, setup),
		cmocka_unit_test_setup(a_reported_name_can_be_forgotten, setup),
		cmocka_unit_test_setup(only_an_admin_holds, setup),
		cmocka_unit_test_setup(only_root_reports_hooks_and_only_as_electd_hookd, setup),
		cmocka_unit_test_setup(gethooks_returns_the_last_report_of_each_script, setup),
		cmocka_unit_test_setup(the_output_of_scripts_is_shown_to_admins_only, setup),
		cmocka_unit_test_setup(a_holder_has_a_name_of_plain_letters, setup),
		cmocka_unit_test_setup(required_parameters_must_be_present_and_valid, setup),
		cmocka_unit_test_setup(a_definition_has_one_base64_form, setup),
		cmocka_unit_test_setup(a_refused_reload_reports_place_and_reason, setup),
		cmocka_unit_test_setup(a_reload_that_hosts_hold_up_names_them, setup),
		cmocka_unit_test_setup(keys_come_from_root_only, setup),
		cmocka_unit_test_setup(keys_that_are_no_text_in_base64_are_refused, setup),
		cmocka_unit_test_setup(a_taken_request_is_wiped, setup),
		cmocka_unit_test_setup(no_wait_for_a_leader_ends_while_it_asks, setup),
		cmocka_unit_test_setup(no_wait_for_this_host_ends_during_a_demotion, setup),
		cmocka_unit_test_setup(
			no_wait_for_this_host_ends_before_rank_address_has_begun, setup),
		cmocka_unit_test_setup(a_oneway_wait_does_not_wait, setup),
		cmocka_unit_test_setup(a_oneway_call_has_no_reply, setup),
		cmocka_unit_test_setup(a_subscription_requires_more, setup),
		cmocka_unit_test_setup(a_subscription_begins_with_a_snapshot, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
