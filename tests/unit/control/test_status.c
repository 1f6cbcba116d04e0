/* SPDX-License-Identifier: Apache-2.0 */
/* The exact shapes of replies, because scripts depend on them. */
#include "world.h"

/* ---- shapes ------------------------------------------------------------------------------ */

/* Returns the parameters of a reply as text with sorted keys; the caller frees it. */
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
		"{\"addresses\":[],\"asking\":false,\"auth\":{\"accepts\":[1,0],"
		"\"active_key\":1,\"authenticated\":"
		"false,\"mode\":\"permissive\"},\"awaits\":null,\"bar\":null,"
		"\"cause\":null,"
		"\"definition\":null,\"domain\":\"test\","
		"\"foreign\":[],\"group\":null,\"health\":{\"ok\":true,\"problems\":[]},"
		"\"leader\":null,\"members\":[],"
		"\"node\":{\"barred_ms\":null,\"held\":false,\"id\":"
		"\"01000000000000000000000000000000\","
		"\"incarnation\":\"18446744073709551615\",\"may_lead\":false,"
		"\"name\":\"host0\",\"priority\":100},"
		"\"other_keys\":[],"
		"\"patience\":null,\"peers\":[],\"promoting\":null,"
		"\"quorum\":{\"have\":0,\"met\":true,\"needed\":0},\"reason\":\"none\","
		"\"role\":\"none\",\"schema\":1,\"since\":\"2025-12-31T23:59:50.123Z\","
		"\"since_ms\":10000,\"state\":\"down\",\"token\":\"0\",\"version\":\"1.2.3\","
		"\"why\":\"because\",\"yield_timeout_ms\":0,\"yielding\":null}");
	free(shown);
}

static void a_status_of_a_leader_has_its_documented_shape(void **state)
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
		.counted = 3,
		.reason = ELECT_REASON_COORDINATOR_SILENT,
		.cause = ids[1],
		.since_us = 9000000,
	};
	world.config.quorum = 4;
	world.config.yield_timeout_us = 16000000;
	world.members_count = 3;
	world.foreign_count = 1;
	world.problems_count = 2;
	world.degraded = true;
	world.definition_path = "/run/d";
	shown = shape("io.electd.GetStatus");
	assert_string_equal(shown,
		"{\"addresses\":[],\"asking\":false,\"auth\":{\"accepts\":[1,0],"
		"\"active_key\":1,\"authenticated\":"
		"false,\"mode\":\"permissive\"},\"awaits\":null,\"bar\":null,"
		"\"cause\":{\"id\":\"02000000000000000000000000000000\",\"name\":\"other\"},"
		"\"definition\":\"/run/d\",\"domain\":\"test\","
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
		"\"node\":{\"barred_ms\":null,\"held\":false,\"id\":"
		"\"01000000000000000000000000000000\","
		"\"incarnation\":\"18446744073709551615\",\"may_lead\":false,"
		"\"name\":\"host0\",\"priority\":100},"
		"\"other_keys\":[],"
		"\"patience\":null,\"peers\":[],\"promoting\":null,"
		"\"quorum\":{\"have\":3,\"met\":false,\"needed\":4},"
		"\"reason\":\"coordinator-silent\",\"role\":\"leader\",\"schema\":1,"
		"\"since\":\"2025-12-31T23:59:59.123Z\",\"since_ms\":1000,\"state\":\"normal\","
		"\"token\":\"18446744073709551615\",\"version\":\"1.2.3\",\"why\":\"because\","
		"\"yield_timeout_ms\":16000,\"yielding\":null}");
	free(shown);
}

static void a_link_local_address_has_its_interface(void **state)
{
	char *shown;

	(void)state;
	world.link_local = true;
	world.members_count = 2;
	world.view.leader = ids[0];
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown, "\"leader\":{\"address\":\"fe80::1%eth0\""));
	assert_non_null(strstr(shown, "\"members\":[{\"address\":\"fe80::1%eth0\""));
	assert_non_null(strstr(shown, "{\"address\":\"fe80::2\""));
	free(shown);
}

static void getmembers_has_more_fields_than_the_status(void **state)
{
	char *shown;

	(void)state;
	world.members_count = 1;
	shown = shape("io.electd.GetMembers");
	assert_string_equal(shown,
		"{\"list_untaken\":null,\"members\":[{\"address\":\"192.0.2.1\","
		"\"id\":\"01000000000000000000000000000000\",\"incarnation\":\"0\","
		"\"last_heard_ms\":null,\"links\":[],\"list_untaken\":false,\"may_lead\":false,"
		"\"name\":\"host0\",\"priority\":0,"
		"\"rank\":0,\"self\":true,\"state\":\"alive\",\"why_not\":null}]}");
	free(shown);
}

static void getmembers_names_the_links_of_each_member(void **state)
{
	char *shown;

	(void)state;
	world.members_count = 2;
	shown = shape("io.electd.GetMembers");
	assert_non_null(strstr(shown,
		"\"links\":[{\"address\":\"192.0.2.2\",\"interface\":\"eth0\","
		"\"last_heard_ms\":100,\"state\":\"answers\"},"
		"{\"address\":\"192.0.2.2\",\"interface\":null,"
		"\"last_heard_ms\":null,\"state\":\"unanswered\"}]"));
	free(shown);
}

/* The kernel allows any byte in a name, but a JSON value that is not UTF-8 would be left out. */
static void a_name_of_an_interface_need_not_be_utf8(void **state)
{
	static const struct {
		const char *name, *told;
	} rows[] = {
		{ "b\xc3\xbcro", "b\xc3\xbcro" },
		{ "\xff\xfe"
		  "0",
			"??0" },
		{ "q\"\\", "q\\\"\\\\" },
		{ "a\x1b[2J", "a\\u001b[2J" },
	};
	char wanted[64], *shown;

	(void)state;
	world.members_count = 2;
	world.problems_count = 2;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		world.interface_name = rows[i].name;
		snprintf(wanted, sizeof(wanted), "\"interface\":\"%s\"", rows[i].told);
		shown = shape("io.electd.GetMembers");
		assert_non_null(strcasestr(shown, wanted));
		free(shown);
		shown = shape("io.electd.Doctor");
		assert_non_null(strcasestr(shown, wanted));
		free(shown);
		snprintf(wanted, sizeof(wanted), "\"problems\":[\"%s\",\"two\"]", rows[i].told);
		shown = shape("io.electd.GetStatus");
		assert_non_null(strcasestr(shown, wanted));
		free(shown);
	}
}

/* Q3: the host is on the membership list, or was dropped from it again. */
static void getmembers_names_the_host_that_does_not_take_the_list(void **state)
{
	char *shown;

	(void)state;
	world.members_count = 2;
	world.untaken = &ids[1];
	shown = shape("io.electd.GetMembers");
	assert_ptr_equal(strstr(shown,
				 "{\"list_untaken\":{\"id\":\"02000000000000000000000000000000\","
				 "\"name\":\"other\"},"),
		shown);
	assert_non_null(strstr(strstr(shown, "\"list_untaken\":false"), "\"list_untaken\":true"));
	free(shown);
	world.members_count = 1;
	shown = shape("io.electd.GetMembers");
	assert_ptr_equal(strstr(shown, "{\"list_untaken\":{\"id\":\"02"), shown);
	assert_null(strstr(shown, "\"list_untaken\":true"));
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

static void a_yielding_leader_names_the_next_leader(void **state)
{
	char *shown;

	(void)state;
	world.view.yielding = true;
	world.view.yields_to = ids[1];
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown,
		"\"yielding\":{\"left_ms\":15000,\"rank\":\"hook\",\"since_ms\":1000,"
		"\"to\":{\"id\":\"0200000000000000000000000000"
		"0000\",\"name\":\"other\"},\"waits_for\":\"electd-hookd\"}"));
	free(shown);
}

static void a_resigned_host_shows_how_long_it_is_barred(void **state)
{
	char *shown;

	(void)state;
	world.barred_until_us = 33000000;
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown, "\"barred_ms\":23000,"));
	free(shown);
}

static void the_adaptive_timeout_names_its_coordinator(void **state)
{
	char *shown;

	(void)state;
	world.view.group = (struct elect_group){ ids[1], 4 };
	world.view.patience = (struct elect_adaptive){ 3, 1 };
	world.view.adaptive_us = 600000;
	world.view.adaptive_silence_us = 50000;
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown,
		"\"patience\":{\"false_alarms\":3,\"host\":{\"id\":"
		"\"02000000000000000000000000000000\",\"name\":\"other\"},\"ms\":600,"
		"\"silence_ms\":50}"));
	free(shown);
}

static void a_host_that_does_not_lead_names_its_bar(void **state)
{
	char *shown;

	(void)state;
	world.bar = ELECT_BAR_UNHEARD;
	world.bar_until_us = 12500000;
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown,
		"\"bar\":{\"left_ms\":2500,\"name\":\"nobody-heard\",\"words\":\"until another "));
	free(shown);
	world.bar = ELECT_BAR_HELD;
	world.bar_until_us = ELECT_NEVER;
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown, "\"bar\":{\"left_ms\":null,\"name\":\"held\","));
	free(shown);
}

static void a_host_that_waits_for_a_crashed_coordinator_names_it(void **state)
{
	char *shown;

	(void)state;
	world.view.awaits = ids[1];
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown,
		"\"awaits\":{\"id\":\"02000000000000000000000000000000\",\"name\":\"other\"}"));
	free(shown);
	shown = shape("io.electd.GetHistory");
	assert_non_null(strstr(shown,
		" Nobody leads until the work of other, the leader that crashed, has ended."));
	free(shown);
}

/* Two groups that cannot merge: `why` names the pair of hosts. */
static void a_broken_link_is_named_in_why(void **state)
{
	char *shown;

	(void)state;
	world.foreign_count = 1;
	shown = shape("io.electd.GetHistory");
	assert_non_null(strstr(shown, " far coordinates another group, heard by other.\""));
	free(shown);
}

static void the_steps_of_a_change_have_every_key(void **state)
{
	char *shown;

	(void)state;
	shown = shape("io.electd.GetTimes");
	assert_string_equal(shown, "{\"at\":null,\"boot_ms\":null,\"over\":false,\"steps\":[]}");
	free(shown);
	world.changed = true;
	shown = shape("io.electd.GetTimes");
	assert_string_equal(shown,
		"{\"at\":\"2025-12-31T23:59:59.923Z\",\"boot_ms\":9800,\"over\":true,\"steps\":["
		"{\"host\":{\"id\":\"02000000000000000000000000000000\",\"name\":\"other\"},"
		"\"step\":\"beacon\",\"text\":\"last beacon of other\",\"times\":1,\"us\":0},"
		"{\"host\":null,\"step\":\"leads\",\"text\":\"this host leads\",\"times\":1,"
		"\"us\":123400}]}");
	free(shown);
}

/* Datagrams under other keys; a name only if one was seen. */
static void hosts_with_other_keys_are_listed(void **state)
{
	char *shown;

	(void)state;
	world.other_keys_count = 2;
	shown = shape("io.electd.GetStatus");
	assert_non_null(strstr(shown,
		"\"other_keys\":[{\"address\":\"192.0.2.9\","
		"\"id\":\"02000000000000000000000000000000\",\"key\":7,\"last_heard_ms\":1000,"
		"\"missing\":true,\"name\":\"other\",\"per_minute\":31,\"text\":\"in words\"},"
		"{\"address\":null,\"id\":\"09000000000000000000000000000000\",\"key\":0,"
		"\"last_heard_ms\":0,\"missing\":false,\"name\":null,"
		"\"per_minute\":9223372036854775807,\"text\":\"in other words\"}]"));
	free(shown);
}

/* Only numbers: electctl explains them. */
static void every_user_may_read_the_facts_of_the_lan(void **state)
{
	char *shown = shape("io.electd.Doctor");
	json_t *reply;

	(void)state;
	assert_int_equal(world.asked, 1);
	assert_non_null(strstr(shown,
		"\"hosts\":[{\"address\":\"192.0.2.2\",\"answered_all\":true,"
		"\"answered_one\":false,\"by\":[{\"address\":\"192.0.2.2\",\"answered\":true,"
		"\"heard_ms\":100,\"interface\":\"eth0\"}],\"id\":"
		"\"02000000000000000000000000000000\","
		"\"name\":\"other\",\"port\":7544,\"timings\":{\"beacon_ms\":200,"
		"\"dead_after_ms\":600},\"timings_ms\":200,\"to_all_ms\":100,\"to_one_ms\":null,"
		"\"version\":\"1.2.2\"},"));
	assert_non_null(strstr(shown,
		"\"paths\":[{\"address\":\"192.0.2.1\",\"back\":true,\"carrier\":true,"
		"\"dark\":\"carrier\",\"dark_at\":\"eth7\",\"deaf\":false,\"duplicate\":false,"
		"\"interface\":\"eth0\",\"prefix\":24,"
		"\"vrf\":\"blue\",\"why\":\"it is named\"}]"));
	assert_non_null(strstr(shown,
		"\"links\":[{\"interface\":\"eth1\",\"name\":\"interface-port\",\"other\":\"br0\","
		"\"text\":\"eth1 is a port\"}]"));
	assert_non_null(strstr(shown,
		"{\"address\":\"192.0.2.2\",\"count\":3,\"interface\":null,\"last_ms\":10,"
		"\"reason\":\"ttl\",\"ttl\":254}"));
	assert_non_null(strstr(shown,
		"\"to_all_ms\":100,\"to_all_since_ms\":5000,"
		"\"unicast_ports\":[7544,7575]"));
	free(shown);
	reply = call_as(&anybody, "{\"method\":\"io.electd.Doctor\"}", false);
	assert_null(json_object_get(reply, "error"));
	json_decref(reply);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_status_without_a_group_has_every_key, setup),
		cmocka_unit_test_setup(a_status_of_a_leader_has_its_documented_shape, setup),
		cmocka_unit_test_setup(a_yielding_leader_names_the_next_leader, setup),
		cmocka_unit_test_setup(a_resigned_host_shows_how_long_it_is_barred, setup),
		cmocka_unit_test_setup(the_adaptive_timeout_names_its_coordinator, setup),
		cmocka_unit_test_setup(a_host_that_waits_for_a_crashed_coordinator_names_it, setup),
		cmocka_unit_test_setup(a_host_that_does_not_lead_names_its_bar, setup),
		cmocka_unit_test_setup(a_broken_link_is_named_in_why, setup),
		cmocka_unit_test_setup(the_steps_of_a_change_have_every_key, setup),
		cmocka_unit_test_setup(the_steps_of_a_change_have_every_key, setup),
		cmocka_unit_test_setup(hosts_with_other_keys_are_listed, setup),
		cmocka_unit_test_setup(every_user_may_read_the_facts_of_the_lan, setup),
		cmocka_unit_test_setup(a_link_local_address_has_its_interface, setup),
		cmocka_unit_test_setup(getmembers_has_more_fields_than_the_status, setup),
		cmocka_unit_test_setup(getmembers_names_the_links_of_each_member, setup),
		cmocka_unit_test_setup(a_name_of_an_interface_need_not_be_utf8, setup),
		cmocka_unit_test_setup(
			getmembers_names_the_host_that_does_not_take_the_list, setup),
		cmocka_unit_test_setup(the_service_describes_itself, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
