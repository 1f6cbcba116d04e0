/* SPDX-License-Identifier: Apache-2.0 */
/* The reply of GetHistory, whose shape scripts depend on. */
#include "control/call.h"
#include "unit/words/history_scene.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct scene s;

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_t *answer(uint64_t later_us)
{
	struct why_now now = scene_now(&s, later_us);
	json_t *json = ctl_history(&s.h, &now, "");

	assert_non_null(json);
	return json;
}

static void an_entry_has_every_key(void **state)
{
	json_t *json, *e;

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	json = answer(60 * SECOND);
	assert_non_null(text_of(json, "why"));
	assert_int_equal(json_array_size(json_object_get(json, "entries")), 4);
	e = json_array_get(json_object_get(json, "entries"), 3);
	assert_int_equal(json_object_size(e), 14);
	assert_int_equal(json_integer_value(json_object_get(e, "seq")), 5);
	assert_string_equal(text_of(e, "at"), "2026-11-20T14:03:52.020Z");
	assert_int_equal(json_integer_value(json_object_get(e, "boot_ms")), 1101020);
	assert_string_equal(text_of(e, "event"), "leader");
	assert_string_equal(text_of(e, "role"), "leader");
	assert_string_equal(text_of(e, "old_role"), "none");
	assert_string_equal(text_of(e, "reason"), "coordinator-silent");
	assert_string_equal(text_of(json_object_get(e, "cause"), "name"), "web1");
	assert_string_equal(
		text_of(json_object_get(e, "leader"), "id"), "03000000000000000000000000000000");
	assert_string_equal(text_of(e, "token"), "314874694");
	assert_string_equal(text_of(e, "group"), "web3.18");
	assert_int_equal(json_integer_value(json_object_get(e, "members_count")), 4);
	assert_int_equal(json_array_size(json_object_get(e, "problems")), 0);
	assert_string_equal(text_of(e, "text"),
		"web3 (this host) leads, token 314874694, 4 hosts: web1, the previous leader, fell "
		"silent");
	json_decref(json);
}

static void an_absent_value_is_null(void **state)
{
	json_t *json, *e;

	(void)state;
	scene_begin(&s, 2);
	s.view.problems = ELECT_PROBLEM_NO_CARRIER;
	scene_because(&s, ELECT_REASON_START, 0);
	scene_show(&s, 0);
	json = answer(0);
	e = json_array_get(json_object_get(json, "entries"), 0);
	assert_true(json_is_null(json_object_get(e, "cause")));
	assert_true(json_is_null(json_object_get(e, "leader")));
	assert_true(json_is_null(json_object_get(e, "group")));
	assert_string_equal(text_of(e, "token"), "0");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(e, "problems"), 0)), "no-carrier");
	json_decref(json);
}

static void an_empty_history_is_an_empty_list(void **state)
{
	json_t *json;

	(void)state;
	scene_begin(&s, 2);
	json = answer(0);
	assert_true(json_is_array(json_object_get(json, "entries")));
	assert_int_equal(json_array_size(json_object_get(json, "entries")), 0);
	assert_string_equal(text_of(json, "why"), "Nothing has changed yet.");
	json_decref(json);
}

/* A step of the wall clock changes the printed times, not the order or distance of entries. */
static void the_wall_clock_is_only_printed(void **state)
{
	struct why_now now;
	json_t *json, *e;

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	now = scene_now(&s, 0);
	now.realtime_us -= 3600 * SECOND;
	json = ctl_history(&s.h, &now, "");
	e = json_array_get(json_object_get(json, "entries"), 3);
	assert_string_equal(text_of(e, "at"), "2026-11-20T13:03:52.020Z");
	assert_int_equal(json_integer_value(json_object_get(e, "boot_ms")), 1101020);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_has_every_key),
		cmocka_unit_test(an_absent_value_is_null),
		cmocka_unit_test(an_empty_history_is_an_empty_list),
		cmocka_unit_test(the_wall_clock_is_only_printed),
	};

	return cmocka_run_group_tests_name("ctl_history", tests, NULL, NULL);
}
