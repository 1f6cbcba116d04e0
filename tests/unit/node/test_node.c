/* SPDX-License-Identifier: Apache-2.0 */
/* The event of a change, the keys of a reload, the problems of a node and the names of hosts. */
#include "node/inside.h"
#include "program/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the event of a change ------------------------------------------------------------------- */

static const struct elect_view calm = {
	.state = ELECT_NORMAL,
	.role = ELECT_ROLE_FOLLOWER,
	.group = { { { 1 } }, 7 },
	.leader = { { 1 } },
	.token = 42,
	.list_version = 3,
	.members_count = 3,
};

static void an_unchanged_view_is_no_event(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.reason = ELECT_REASON_CONFIRMED; /* of an older change, or of none */
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

static void another_leader_is_a_follower_event(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.leader.bytes[0] = 2;
	assert_string_equal(node_event_name(&calm, &view), "follower");
}

static void a_new_token_is_a_leader_event(void **state)
{
	struct elect_view old = calm, view;

	(void)state;
	old.role = ELECT_ROLE_LEADER;
	view = old;
	view.token++;
	view.members_count++;
	assert_string_equal(node_event_name(&old, &view), "leader");
}

static void a_change_of_members_is_a_members_event(void **state)
{
	struct elect_view view = calm;

	(void)state;
	view.members_count++;
	view.state = ELECT_REORGANIZING;
	assert_string_equal(node_event_name(&calm, &view), "members");
	view = calm;
	view.list_version++; /* one member came, one went */
	assert_string_equal(node_event_name(&calm, &view), "members");
	view = calm;
	view.digest++;
	assert_string_equal(node_event_name(&calm, &view), "members");
}

static void every_other_change_is_a_state_event(void **state)
{
	struct elect_view views[11];

	(void)state;
	for (unsigned i = 0; i < 11; i++)
		views[i] = calm;
	views[0].state = ELECT_ELECTION;
	views[1].group.counter++;
	views[2].problems = ELECT_PROBLEM_NO_CARRIER;
	views[3].held = true;
	views[4].may_lead = true;
	views[5].yielding = true;
	views[6].awaits.bytes[0] = 1;
	views[7].asking = true;
	views[8].yields_to.bytes[0] = 1;
	views[9].suspected++;
	views[10].adaptive_us++;
	for (unsigned i = 0; i < 11; i++)
		assert_string_equal(node_event_name(&calm, &views[i]), "state");
}

static void not_every_problem_degrades(void **state)
{
	static struct hooks hooks;
	static struct node n = { .hooks = &hooks };

	(void)state;
	assert_false(node_degraded(&n, 0));
	assert_false(node_degraded(&n, ELECT_PROBLEM_KERNEL_SILENT));
	assert_true(node_degraded(&n, ELECT_PROBLEM_STATE_LOST));
	assert_true(node_degraded(&n, ELECT_PROBLEM_STATE_LOST | ELECT_PROBLEM_KERNEL_SILENT));
	n.disk_slow = true;
	assert_true(node_degraded(&n, ELECT_PROBLEM_KERNEL_SILENT));
	n.disk_slow = false;
	snprintf(n.runs_other, sizeof(n.runs_other), "other-algorithm: web3");
	assert_true(node_degraded(&n, ELECT_PROBLEM_KERNEL_SILENT));
}

/* A4b: a process that holds leadership for longer than yield_timeout is reported for an hour. */
static void an_overrun_is_a_problem_for_an_hour(void **state)
{
	static struct hooks hooks;
	static struct node n = { .hooks = &hooks };
	const uint64_t now_us = clock_boot_us();
	const char *words[NODE_PROBLEMS];

	(void)state;
	assert_null(node_overrun_words(&n.overrun, now_us));
	node_overran(&n.overrun, now_us, "sh (uid 7)");
	assert_non_null(node_overrun_words(&n.overrun, now_us + NODE_OVERRUN_US - 1));
	assert_null(node_overrun_words(&n.overrun, now_us + NODE_OVERRUN_US));
	assert_true(node_degraded(&n, 0));
	assert_int_equal(node_problems(&n, 0, words), 1);
	assert_string_equal(words[0],
		"yield-overrun: sh (uid 7) had not let go of leadership when "
		"timing.yield_timeout_ms was over, and leadership passed on");
	node_overran(&n.overrun, now_us, "");
	assert_false(node_degraded(&n, 0));
}

static void the_units_of_an_overrun_are_named(void **state)
{
	struct node_overrun o = { 0 };

	(void)state;
	assert_false(node_overran_by(&o, 5, "db.service"));
	node_overran(&o, 5, "electd-hookd");
	assert_true(node_overran_by(&o, 6, "web.db.service"));
	assert_false(node_overran_by(&o, 6, "web.db.service"));
	assert_true(node_overran_by(&o, 6, "db.service"));
	assert_false(node_overran_by(&o, 6, "db.service"));
	assert_string_equal(node_overrun_words(&o, 7),
		"yield-overrun: web.db.service, db.service had not ended when "
		"timing.yield_timeout_ms was over, and leadership passed on");
	node_overran(&o, 8, "electd-hookd");
	assert_string_equal(o.names, "electd-hookd");
}

/* ---- electd-hookd that takes no part ([restart]) --------------------------------------------- */

enum { GRACE_US = 1000 };

static const char *missing(const struct node_unhooked *u, uint64_t now_us)
{
	return node_unhooked_words(u, true, now_us, GRACE_US);
}

/* electd-hookd is masked, not installed, or has not started yet. */
static void an_electd_hookd_that_was_never_seen_is_not_missing(void **state)
{
	struct node_unhooked u = { 0 };

	(void)state;
	node_hookd_gone(&u, 5);
	assert_null(missing(&u, 5 + GRACE_US));
}

static void an_electd_hookd_that_has_ended_is_missing_after_a_while(void **state)
{
	struct node_unhooked u = { 0 };

	(void)state;
	node_hookd_came(&u);
	assert_null(missing(&u, 5 + GRACE_US));
	node_hookd_gone(&u, 5);
	node_hookd_gone(&u, 6);
	assert_null(missing(&u, 5 + GRACE_US - 1));
	assert_int_equal(node_unhooked_left_us(&u, 5 + GRACE_US - 1, GRACE_US), 1);
	assert_int_equal(node_unhooked_left_us(&u, 5 + GRACE_US, GRACE_US), 0);
	assert_non_null(strstr(missing(&u, 5 + GRACE_US), "takes no part: it has ended"));
	assert_null(node_unhooked_words(&u, false, 5 + GRACE_US, GRACE_US));
	node_hookd_came(&u);
	assert_null(missing(&u, 6 + GRACE_US));
	assert_int_equal(node_unhooked_left_us(&u, 6, GRACE_US), 0);
}

/* The absence began with the first error, whatever the last one is. */
static void the_last_error_of_electd_hookd_is_reported(void **state)
{
	struct node_unhooked u = { 0 };

	(void)state;
	node_hookd_missing(&u, 5, "Read-only file system");
	node_hookd_missing(&u, 6, "Input/output error");
	assert_null(missing(&u, 5 + GRACE_US - 1));
	assert_string_equal(missing(&u, 5 + GRACE_US),
		"hookd-missing: this host leads without scripts and units, because electd-hookd "
		"takes no part: Input/output error");
	node_hookd_came(&u);
	node_hookd_missing(&u, 7, "late");
	assert_null(missing(&u, 7 + GRACE_US));
}

static void a_missing_electd_hookd_degrades_a_leader(void **state)
{
	static struct hooks hooks;
	static struct node n = { .hooks = &hooks };
	const char *words[NODE_PROBLEMS];

	(void)state;
	node_hookd_missing(&n.unhooked, clock_boot_us(), "full");
	assert_false(node_degraded(&n, 0));
	n.view.role = ELECT_ROLE_LEADER;
	assert_int_equal(node_problems(&n, 0, words), 1);
	assert_true(node_degraded(&n, 0));
	n.conf.elect.yield_timeout_us = UINT32_MAX;
	assert_false(node_degraded(&n, 0));
}

/* The empty group of a host that stops is no change of members. */
static void a_stop_is_a_state_event(void **state)
{
	struct elect_view old = calm, view;

	(void)state;
	old.role = ELECT_ROLE_NONE;
	view = old;
	view.state = ELECT_DOWN;
	view.members_count = 0;
	view.list_version = 0;
	assert_string_equal(node_event_name(&old, &view), "state");
	old = view;
	view.members_count = 1;
	assert_string_equal(node_event_name(&old, &view), "members");
}

/* ---- reload ------------------------------------------------------------------------------ */

static void parse(const char *text, struct conf *ret_conf)
{
	struct conf_error error;

	if (conf_parse("test", text, strlen(text), ret_conf, &error))
		fail_msg("%s", error.text);
}

/* Merges into `conf` the keys of `next` that a reload may change; returns the changes. */
static struct node_changes merge(struct conf *conf, const struct conf *next)
{
	struct node_changes changes;

	node_reload_compare(conf, next, &changes);
	node_reload_merge(conf, next, &changes);
	return changes;
}

static void assert_words(const char *const *words, unsigned count, const char *wanted)
{
	char text[500] = "";

	for (unsigned i = 0; i < count; i++) {
		strcat(text, i ? ", " : "");
		strcat(text, words[i]);
	}
	assert_string_equal(text, wanted);
}

#define ID_1 "node: { name = \"a\"; id = \"00000000000000000000000000000001\"; };"

static void priority_and_timing_apply_at_once(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse(ID_1 "priority = 7; timing: { beacon_interval_ms = 100; };", &next);
	c = merge(&conf, &next);
	assert_words(c.waiting, c.waiting_count, "");
	assert_words(c.taken, c.taken_count,
		"priority, timing.beacon_interval_ms, timing.start_hold_ms");
	assert_false(c.network);
	assert_true(c.priority);
	assert_int_equal(conf.priority, 7);
	assert_int_equal(conf.elect.priority, 7);
	assert_int_equal(conf.elect.timings.beacon_us, 100000);
	assert_int_equal(conf.elect.id.bytes[15], 1);

	c = merge(&conf, &next);
	assert_words(c.taken, c.taken_count, "");
	assert_words(c.waiting, c.waiting_count, "");
}

/* electd only names them: electd-address reads the files itself. */
static void addresses_are_for_electd_address(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse(ID_1 "addresses = [ \"192.0.2.7\" ]; address: { lease_ms = 2000; };", &next);
	c = merge(&conf, &next);
	assert_words(c.waiting, c.waiting_count, "");
	assert_words(c.taken, c.taken_count, "");
	assert_words(c.passed, c.passed_count, "addresses, address.lease_ms");
	assert_true(c.addresses);
	assert_false(c.network || c.priority || c.definition);
	assert_int_equal(conf.addresses.count, 1);
	parse(ID_1 "address: { lease_ms = 2000; }; addresses = ( \"192.0.2.7\" );", &next);
	c = merge(&conf, &next);
	assert_words(c.passed, c.passed_count, "");
}

static void the_identity_waits_for_a_restart(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse("domain = \"b\"; node: { name = \"a\"; id = \"00000000000000000000000000000002\"; };"
	      "auth: { keys = \"other\"; };",
		&next);
	for (unsigned i = 0; i < 2; i++) { /* a waiting key is reported by every reload */
		c = merge(&conf, &next);
		assert_words(c.taken, c.taken_count, "");
		assert_words(c.waiting, c.waiting_count, "domain, node.id, auth.keys");
	}
	assert_string_equal(conf.domain, "default");
	assert_int_equal(conf.elect.id.bytes[15], 1);
}

static void a_name_applies_at_once(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse("node: { name = \"b\"; id = \"00000000000000000000000000000001\"; };", &next);
	c = merge(&conf, &next);
	assert_words(c.taken, c.taken_count, "node.name");
	assert_words(c.waiting, c.waiting_count, "");
	assert_string_equal(conf.elect.name, "b");
	assert_true(conf.name_set);
}

/* All steps of a roll-out apply at once. */
static void an_auth_mode_applies_at_once(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse(ID_1 "auth: { mode = \"permissive\"; };", &next);
	c = merge(&conf, &next);
	assert_words(c.taken, c.taken_count, "auth.mode");
	assert_words(c.waiting, c.waiting_count, "");
	assert_int_equal(conf.mode, RING_PERMISSIVE);
}

static void only_an_intermediate_auth_mode_is_a_problem_after_a_day(void **state)
{
	const uint64_t day = UINT64_C(86400000000);

	(void)state;
	assert_true(node_half_way(RING_PERMISSIVE, day));
	assert_true(node_half_way(RING_RECEIVE_ONLY, day));
	assert_false(node_half_way(RING_PERMISSIVE, day - 1));
	assert_false(node_half_way(RING_AUTO, 9 * day));
	assert_false(node_half_way(RING_ENFORCE, 9 * day));
}

static void a_network_is_changed_in_place(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	parse(ID_1 "network: { interfaces = [ \"eth0\" ]; port = 8000; };", &next);
	c = merge(&conf, &next);
	assert_words(c.taken, c.taken_count, "network.interfaces, network.port");
	assert_words(c.waiting, c.waiting_count, "");
	assert_true(c.network);
	assert_int_equal(conf.group4.port, 8000);
	assert_int_equal(conf.interfaces.count, 1);
}

static void an_id_from_the_machine_stays(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse("", &conf);
	conf.elect.id.bytes[0] = 9; /* as main does */
	parse("quorum = 2;", &next);
	c = merge(&conf, &next);
	assert_words(c.taken, c.taken_count, "quorum");
	assert_words(c.waiting, c.waiting_count, "");
	assert_int_equal(conf.elect.id.bytes[0], 9);
	assert_int_equal(conf.elect.quorum, 2);
}

static void a_priority_that_was_set_survives_reloads_of_other_keys(void **state)
{
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	conf.elect.priority = 3; /* as SetPriority does */
	parse(ID_1 "quorum = 2;", &next);
	merge(&conf, &next);
	assert_int_equal(conf.elect.priority, 3);
	parse(ID_1 "priority = 200;", &next);
	merge(&conf, &next);
	assert_int_equal(conf.elect.priority, 200);
}

static void other_bytes_of_the_same_file_are_a_change(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1, &conf);
	next = conf;
	memcpy(next.definition, "new", 3);
	next.definition_size = 3;
	c = merge(&conf, &next);
	assert_true(c.definition);
	assert_words(c.taken, c.taken_count, "definition.file");
	c = merge(&conf, &next);
	assert_false(c.definition);
	next.definition[2] = 't';
	c = merge(&conf, &next);
	assert_true(c.definition);
}

/* "b" overwrites "default" and must leave no letters behind its end. */
static void bytes_behind_a_value_are_no_change(void **state)
{
	struct node_changes c;
	struct conf conf, next;

	(void)state;
	parse(ID_1 "domain = \"b\";", &conf);
	next = conf;
	c = merge(&conf, &next);
	for (size_t i = 2; i < sizeof(conf.domain); i++)
		assert_int_equal(conf.domain[i], 0);
	assert_words(c.waiting, c.waiting_count, "");
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

static void the_table_is_emptied_if_it_has_too_many_names(void **state)
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
		cmocka_unit_test(an_unchanged_view_is_no_event),
		cmocka_unit_test(a_role_is_an_event_of_its_name),
		cmocka_unit_test(another_leader_is_a_follower_event),
		cmocka_unit_test(a_new_token_is_a_leader_event),
		cmocka_unit_test(a_change_of_members_is_a_members_event),
		cmocka_unit_test(every_other_change_is_a_state_event),
		cmocka_unit_test(not_every_problem_degrades),
		cmocka_unit_test(an_overrun_is_a_problem_for_an_hour),
		cmocka_unit_test(the_units_of_an_overrun_are_named),
		cmocka_unit_test(an_electd_hookd_that_was_never_seen_is_not_missing),
		cmocka_unit_test(an_electd_hookd_that_has_ended_is_missing_after_a_while),
		cmocka_unit_test(the_last_error_of_electd_hookd_is_reported),
		cmocka_unit_test(a_missing_electd_hookd_degrades_a_leader),
		cmocka_unit_test(a_stop_is_a_state_event),
		cmocka_unit_test(priority_and_timing_apply_at_once),
		cmocka_unit_test(addresses_are_for_electd_address),
		cmocka_unit_test(the_identity_waits_for_a_restart),
		cmocka_unit_test(a_name_applies_at_once),
		cmocka_unit_test(an_auth_mode_applies_at_once),
		cmocka_unit_test(only_an_intermediate_auth_mode_is_a_problem_after_a_day),
		cmocka_unit_test(a_network_is_changed_in_place),
		cmocka_unit_test(an_id_from_the_machine_stays),
		cmocka_unit_test(a_priority_that_was_set_survives_reloads_of_other_keys),
		cmocka_unit_test(other_bytes_of_the_same_file_are_a_change),
		cmocka_unit_test(bytes_behind_a_value_are_no_change),
		cmocka_unit_test(a_host_is_called_by_its_last_name),
		cmocka_unit_test(the_table_is_emptied_if_it_has_too_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
