/* SPDX-License-Identifier: Apache-2.0 */
/* The parsing of systemctl's output about the units that are bound to the target. */
#include "hookd/run/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct bound_units units;
static struct bound_failed failed;

static int fresh(void **state)
{
	(void)state;
	memset(&units, 0, sizeof(units));
	memset(&failed, 0, sizeof(failed));
	return 0;
}

static void names_are_separated_by_blanks(void **state)
{
	(void)state;
	bound_names("web.service db@1.service srv-a\\x2db.mount", false, &units);
	assert_int_equal(units.count, 3);
	assert_string_equal(units.names[0], "web.service");
	assert_string_equal(units.names[1], "db@1.service");
	assert_string_equal(units.names[2], "srv-a\\x2db.mount");
	bound_names("", false, &units);
	assert_int_equal(units.count, 0);
	bound_names(" \n", false, &units);
	assert_int_equal(units.count, 0);
}

/* systemctl quotes a name with an escaped character, which many mounts have. */
static void a_name_may_be_quoted(void **state)
{
	(void)state;
	bound_names("web.service \"srv-a\\\\x2db.mount\" db.service\n", false, &units);
	assert_int_equal(units.count, 3);
	assert_string_equal(units.names[1], "srv-a\\x2db.mount");
	assert_string_equal(units.names[2], "db.service");
	bound_names("\" \"\"", false, &units);
	assert_int_equal(units.count, 0);
}

static void the_rest_of_a_cut_name_is_skipped(void **state)
{
	(void)state;
	bound_names("b.service web.service", true, &units);
	assert_int_equal(units.count, 1);
	assert_string_equal(units.names[0], "web.service");
}

static void an_invalid_name_is_skipped(void **state)
{
	char text[400] = "--now a;b.service $(x) ";

	(void)state;
	memset(text + strlen(text), 'x', REPORT_SCRIPT_SIZE);
	strcat(text, " web.service");
	bound_names(text, false, &units);
	assert_int_equal(units.count, 1);
	assert_string_equal(units.names[0], "web.service");
}

static void names_beyond_the_limit_are_left_out(void **state)
{
	char text[BOUND_UNITS_MAX * 4 + 8] = "";

	(void)state;
	for (unsigned i = 0; i < BOUND_UNITS_MAX + 1; i++)
		strcat(text, "a.b ");
	bound_names(text, false, &units);
	assert_int_equal(units.count, BOUND_UNITS_MAX);
}

static void failed_units_are_found_in_any_order_of_lines(void **state)
{
	(void)state;
	bound_states("Result=exit-code\nId=web.service\nActiveState=failed\n\n"
		     "Id=db.service\nActiveState=active\nResult=success\n\n"
		     "ActiveState=failed\nId=x.mount\nResult=timeout",
		0, &failed);
	assert_int_equal(failed.count, 2);
	assert_string_equal(failed.units[0].name, "web.service");
	assert_string_equal(failed.units[0].result, "exit-code");
	assert_string_equal(failed.units[1].name, "x.mount");
	assert_string_equal(failed.units[1].result, "timeout");
	assert_true(bound_has_failed(&failed, "x.mount"));
	assert_false(bound_has_failed(&failed, "db.service"));
}

/* A target has no result, and a unit that is activating may still come up. */
static void units_that_have_not_failed_are_not_reported(void **state)
{
	(void)state;
	bound_states("Id=a.service\nActiveState=activating\nResult=exit-code\n\n"
		     "Id=b.target\nActiveState=inactive\n\n\n"
		     "ActiveState=failed\n\nId=c.service\nActiveState=failedx\n"
		     "nonsense\n=\nId=\nActiveState=",
		0, &failed);
	assert_int_equal(failed.count, 0);
}

/* The failure is of the last leadership, until the unit was started in this one. */
static void a_unit_that_waits_to_be_started_is_not_reported(void **state)
{
	(void)state;
	bound_states("Id=a.service\nActiveState=failed\nResult=exit-code\nJob=1234\n\n"
		     "Job=0\nId=b.service\nActiveState=failed\nResult=exit-code\n\n"
		     "Job=\nId=c.service\nActiveState=failed\nResult=exit-code\n",
		0, &failed);
	assert_int_equal(failed.count, 2);
	assert_string_equal(failed.units[0].name, "b.service");
	assert_string_equal(failed.units[1].name, "c.service");
}

/* An earlier failure is reported, but it is no failure of the present leadership. */
static void an_earlier_failure_is_not_a_late_one(void **state)
{
	static const char former[] = "StateChangeTimestampMonotonic=999\nId=a.service\n"
				     "ActiveState=failed\nResult=exit-code\n";

	(void)state;
	bound_states("StateChangeTimestampMonotonic=1000\nId=b.service\nActiveState=active\n", 1000,
		&failed);
	bound_states(former, 1000, &failed);
	assert_int_equal(failed.count, 1);
	assert_false(failed.lately);
	bound_states(former, 999, &failed);
	assert_true(failed.lately);
	failed.lately = false;
	bound_states("Id=b.service\nActiveState=failed\nResult=exit-code\n", 1000, &failed);
	assert_true(failed.lately);
}

static void a_target_is_down_when_it_is_not_active(void **state)
{
	static const char text[] = "Id=a.target\nActiveState=inactive\n\n"
				   "Id=b.target\nActiveState=active\n\n"
				   "Id=c.target\nActiveState=deactivating\n\n"
				   "ActiveState=failed\nId=d.target";

	(void)state;
	assert_true(bound_is_down(text, "a.target"));
	assert_false(bound_is_down(text, "b.target"));
	assert_false(bound_is_down(text, "c.target"));
	assert_true(bound_is_down(text, "d.target"));
	assert_false(bound_is_down(text, "e.target"));
	assert_false(bound_is_down("", "a.target"));
}

/* The target is about to start. */
static void a_target_with_a_waiting_job_is_not_down(void **state)
{
	(void)state;
	assert_false(bound_is_down("Id=a.target\nActiveState=inactive\nJob=12\n", "a.target"));
	assert_true(bound_is_down("Id=a.target\nActiveState=inactive\nJob=0\n", "a.target"));
}

static void units_that_stop_are_found(void **state)
{
	(void)state;
	bound_stopping("Id=a.service\nActiveState=deactivating\n\n"
		       "Id=b.service\nActiveState=inactive\n\n"
		       "ActiveState=deactivating\n\n"
		       "ActiveState=deactivating\nId=c.mount",
		&units);
	assert_int_equal(units.count, 2);
	assert_string_equal(units.names[0], "a.service");
	assert_string_equal(units.names[1], "c.mount");
	bound_stopping("", &units);
	assert_int_equal(units.count, 0);
}

static void failed_units_are_collected_up_to_a_limit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BOUND_FAILED_MAX + 1; i++)
		bound_states("Id=a.service\nActiveState=failed\nResult=signal\n", 0, &failed);
	assert_int_equal(failed.count, BOUND_FAILED_MAX);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_separated_by_blanks),
		TEST(a_name_may_be_quoted),
		TEST(the_rest_of_a_cut_name_is_skipped),
		TEST(an_invalid_name_is_skipped),
		TEST(names_beyond_the_limit_are_left_out),
		TEST(failed_units_are_found_in_any_order_of_lines),
		TEST(units_that_have_not_failed_are_not_reported),
		TEST(a_unit_that_waits_to_be_started_is_not_reported),
		TEST(an_earlier_failure_is_not_a_late_one),
		TEST(a_target_is_down_when_it_is_not_active),
		TEST(a_target_with_a_waiting_job_is_not_down),
		TEST(units_that_stop_are_found),
		TEST(failed_units_are_collected_up_to_a_limit),
	};

	return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
