/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What node decides without the core: which event a change is, what a reload may take over, how
 * hosts are called.
 */
#include "node_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- which event a change is
 * --------------------------------------------------------------------- */

static const struct elect_view calm = {
	.state = ELECT_NORMAL,
	.role = ELECT_ROLE_FOLLOWER,
	.group = { { { 1 } }, 7 },
	.leader = { { 1 } },
	.token = 42,
	.list_version = 3,
	.members_count = 3,
};

static void nothing_new_is_no_event(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.reason = ELECT_REASON_CONFIRMED; /* of an older change, or none */
	assert_null(node_event_name(&calm, &view));
}

static void a_role_is_an_event_of_its_name(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.role = ELECT_ROLE_LEADER;
	assert_string_equal(node_event_name(&calm, &view), "leader");
	view.role = ELECT_ROLE_NONE;
	assert_string_equal(node_event_name(&calm, &view), "none");
}

static void another_leader_is_told_to_followers(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.leader.bytes[0] = 2;
	assert_string_equal(node_event_name(&calm, &view), "follower");
}

static void a_new_token_is_told_to_its_leader(void **state)
{
	struct elect_view old = calm, view;

	(void)state;
	old.role = ELECT_ROLE_LEADER;
	view = old;
	view.token++;
	view.members_count++;
	assert_string_equal(node_event_name(&old, &view), "leader");
}

static void who_is_there_is_an_event(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.members_count++;
	view.state = ELECT_REORGANIZING;
	assert_string_equal(node_event_name(&calm, &view), "members");
	view = calm;
	view.list_version++; /* one came, one went */
	assert_string_equal(node_event_name(&calm, &view), "members");
	view = calm;
	view.digest++;
	assert_string_equal(node_event_name(&calm, &view), "members");
}

static void all_else_is_a_state(void **state)
{
	struct elect_view views[6];

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		views[i] = calm;
	views[0].state = ELECT_ELECTION;
	views[1].group.counter++;
	views[2].problems = ELECT_PROBLEM_NO_CARRIER;
	views[3].held = true;
	views[4].may_lead = true;
	views[5].yielding = true;
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(node_event_name(&calm, &views[i]), "state");
}

/* ---- reload ------------------------------------------------------------------------------ */

static void parse(const char *text, struct conf *ret_conf)
{
	struct conf_error error;

	if (conf_parse("test", text, strlen(text), ret_conf, &error))
		fail_msg("%s", error.text);
}

static void priority_and_timing_count_at_once(void **state)
{
	char taken[500], waiting[500];
	struct conf conf, next;

	(void)state;
	parse("node: { name = \"a\"; id = \"00000000000000000000000000000001\"; };", &conf);
	parse("node: { name = \"a\"; id = \"00000000000000000000000000000001\"; };"
	      "priority = 7; timing: { beacon_interval_ms = 100; };",
		&next);
	node_reload_merge(&conf, &next, taken, waiting, sizeof(taken));
	assert_string_equal(waiting, "");
	assert_non_null(strstr(taken, "priority, timing.beacon_interval_ms"));
	assert_int_equal(conf.priority, 7);
	assert_int_equal(conf.elect.priority, 7);
	assert_int_equal(conf.elect.timings.beacon_us, 100000);
	assert_int_equal(conf.elect.id.bytes[15], 1);

	node_reload_merge(&conf, &next, taken, waiting, sizeof(taken));
	assert_string_equal(taken, "");
}

static void identity_and_network_wait_for_a_restart(void **state)
{
	char taken[500], waiting[500];
	struct conf conf, next;

	(void)state;
	parse("node: { name = \"a\"; id = \"00000000000000000000000000000001\"; };", &conf);
	parse("domain = \"b\"; node: { name = \"b\"; id = \"00000000000000000000000000000002\"; };"
	      "network: { interfaces = [ \"eth0\" ]; port = 8000; };",
		&next);
	node_reload_merge(&conf, &next, taken, waiting, sizeof(taken));
	assert_string_equal(taken, "");
	assert_string_equal(
		waiting, "domain, node.name, node.id, network.interfaces, network.port");
	assert_string_equal(conf.domain, "default");
	assert_int_equal(conf.port, 7543);
	assert_int_equal(conf.interfaces.count, 0);
	assert_string_equal(conf.elect.name, "a");
	assert_int_equal(conf.elect.id.bytes[15], 1);
}

static void an_id_from_the_machine_stays(void **state)
{
	char taken[500], waiting[500];
	struct conf conf, next;

	(void)state;
	parse("", &conf);
	conf.elect.id.bytes[0] = 9; /* as main does it */
	parse("quorum = 2;", &next);
	node_reload_merge(&conf, &next, taken, waiting, sizeof(taken));
	assert_string_equal(taken, "quorum");
	assert_string_equal(waiting, "");
	assert_int_equal(conf.elect.id.bytes[0], 9);
	assert_int_equal(conf.elect.quorum, 2);
}

/* ---- names ------------------------------------------------------------------------------- */

static struct elect_id id_of(unsigned n)
{
	return (struct elect_id){ { 0xab, (uint8_t)(n >> 8), (uint8_t)n, 0xef, 1 } };
}

static void a_host_is_called_by_its_last_name(void **state)
{
	struct node_names *names = calloc(1, sizeof(*names));
	struct elect_id a = id_of(1), b = id_of(2), zero = { { 0 } };

	(void)state;
	assert_null(node_names_find(names, &a));
	assert_string_equal(node_names_text(names, &a), "ab0001ef");
	node_names_learn(names, &a, "old");
	node_names_learn(names, &a, "new");
	node_names_learn(names, &b, "");
	node_names_learn(names, &zero, "nobody");
	assert_string_equal(node_names_find(names, &a), "new");
	assert_string_equal(node_names_text(names, &b), "ab0002ef");
	assert_null(node_names_find(names, &zero));
	assert_int_equal(names->used, 1);
	free(names);
}

static void with_too_many_names_all_are_learned_anew(void **state)
{
	struct node_names *names = calloc(1, sizeof(*names));
	struct elect_id id;
	unsigned i;

	(void)state;
	for (i = 0; i < NODE_NAMES_USED_MAX; i++) {
		id = id_of(i);
		node_names_learn(names, &id, "x");
	}
	for (i = 0; i < NODE_NAMES_USED_MAX; i++) {
		id = id_of(i);
		assert_non_null(node_names_find(names, &id));
	}
	id = id_of(i);
	node_names_learn(names, &id, "last");
	assert_int_equal(names->used, 1);
	assert_string_equal(node_names_find(names, &id), "last");
	free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_new_is_no_event),
		cmocka_unit_test(a_role_is_an_event_of_its_name),
		cmocka_unit_test(another_leader_is_told_to_followers),
		cmocka_unit_test(a_new_token_is_told_to_its_leader),
		cmocka_unit_test(who_is_there_is_an_event),
		cmocka_unit_test(all_else_is_a_state),
		cmocka_unit_test(priority_and_timing_count_at_once),
		cmocka_unit_test(identity_and_network_wait_for_a_restart),
		cmocka_unit_test(an_id_from_the_machine_stays),
		cmocka_unit_test(a_host_is_called_by_its_last_name),
		cmocka_unit_test(with_too_many_names_all_are_learned_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
