/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hook reports: the last report of each script, and the problems it gives. */
#include "words/hooks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct hooks h;
static struct hooks_report report;
static bool changed;

static int fresh(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	return 0;
}

/* The report of a run; a test may change it before take(). */
static struct hooks_report *ran(const char *script, enum hook_event event, enum hook_result result)
{
	report = (struct hooks_report){
		.event = event, .result = result, .status = 3, .runtime_ms = 12, .seq = 7
	};
	snprintf(report.script, sizeof(report.script), "%s", script);
	strcpy(report.token, "41");
	return &report;
}

static bool take(void)
{
	return hooks_take(&h, &report, &changed);
}

static void the_last_report_of_each_script_is_kept(void **state)
{
	(void)state;
	ran("20-b", HOOK_LEADER, HOOK_RESULT_OK);
	assert_true(take());
	assert_false(changed);
	ran("10-a", HOOK_LEADER, HOOK_RESULT_OK);
	assert_true(take());
	ran("20-b", HOOK_NONE, HOOK_RESULT_OK);
	assert_true(take());
	assert_int_equal(h.count, 2);
	assert_string_equal(h.entries[0].report.script, "10-a");
	assert_string_equal(h.entries[1].report.script, "20-b");
	assert_int_equal(h.entries[1].report.event, HOOK_NONE);
}

static void a_failed_run_is_a_problem_until_the_next_run(void **state)
{
	(void)state;
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_FAILED);
	take();
	assert_true(changed);
	assert_int_equal(h.problems_count, 1);
	assert_string_equal(h.problems[0], "hook 20-vip: failed on leader (exit status 3)");
	take();
	assert_false(changed);
	ran("20-vip", HOOK_NONE, HOOK_RESULT_OK);
	take();
	assert_true(changed);
	assert_int_equal(h.problems_count, 0);
}

static void a_failure_on_a_role_event_is_a_problem_until_the_next_role_event(void **state)
{
	(void)state;
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_FAILED);
	take();
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_OK);
	take();
	assert_false(changed);
	assert_int_equal(h.problems_count, 1);
	assert_string_equal(h.problems[0], "hook 20-vip: failed on leader (exit status 3)");
	assert_int_equal(h.count, 2);
	assert_int_equal(h.entries[0].report.event, HOOK_LEADER);
	assert_int_equal(h.entries[1].report.event, HOOK_MEMBERS);
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_FAILED);
	take();
	assert_false(changed); /* one problem for each script */
	assert_int_equal(h.problems_count, 1);
	ran("20-vip", HOOK_FOLLOWER, HOOK_RESULT_OK); /* a role event carries the members too */
	take();
	assert_int_equal(h.problems_count, 0);
	assert_int_equal(h.count, 1);
}

static void a_failure_on_members_is_cleared_by_the_next_members(void **state)
{
	(void)state;
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_OK);
	take();
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_FAILED);
	take();
	assert_string_equal(h.problems[0], "hook 20-vip: failed on members (exit status 3)");
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_OK);
	take();
	assert_int_equal(h.problems_count, 0);
}

/* A restarted hookd reports both events again, in the order of their runs: no new runs. */
static void both_reports_of_a_script_are_recognised_after_a_restart(void **state)
{
	(void)state;
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_FAILED);
	take();
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_OK);
	take();
	assert_true(hooks_renew(&h));
	assert_int_equal(h.problems_count, 0);
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_FAILED);
	assert_false(take());
	ran("20-vip", HOOK_MEMBERS, HOOK_RESULT_OK);
	assert_false(take());
	assert_int_equal(h.problems_count, 1);
	ran("20-vip", HOOK_LEADER, HOOK_RESULT_GONE);
	take();
	assert_int_equal(h.count, 0);
}

static void every_result_except_ok_has_words(void **state)
{
	(void)state;
	for (unsigned r = HOOK_RESULT_OK + 1; r < HOOK_RESULT_UNIT; r++) {
		ran("x", HOOK_STOP, (enum hook_result)r);
		take();
		assert_true(changed);
		assert_non_null(strstr(h.problems[0], "hook x: "));
		assert_non_null(strstr(h.problems[0], " on stop"));
	}
	ran("x", HOOK_STOP, HOOK_RESULT_SIGNALLED);
	take();
	assert_string_equal(h.problems[0], "hook x: was killed on stop (signal 3)");
	ran("x", HOOK_STOP, HOOK_RESULT_TIMED_OUT);
	take();
	assert_string_equal(h.problems[0], "hook x: took too long on stop");
}

/* The failure stays until the unit is reported as gone, whatever this host's role is then. */
static void a_failed_unit_is_a_problem_with_the_result_of_systemd(void **state)
{
	(void)state;
	strcpy(ran("web.service", HOOK_LEADER, HOOK_RESULT_UNIT)->output, "exit-code");
	take();
	assert_int_equal(h.problems_count, 1);
	assert_string_equal(h.problems[0],
		"unit web.service, which follows the leader, has failed (exit-code)");
	assert_int_equal(hooks_failed(&h, true), 1);
	assert_int_equal(hooks_failed(&h, false), 0);
	strcpy(ran("web.service", HOOK_LEADER, HOOK_RESULT_UNIT)->output, "core\n; ok");
	take();
	assert_string_equal(
		h.problems[0], "unit web.service, which follows the leader, has failed (core)");
	ran("electd-leader.target", HOOK_NONE, HOOK_RESULT_OK);
	take();
	assert_int_equal(h.problems_count, 1);
	ran("web.service", HOOK_LEADER, HOOK_RESULT_GONE);
	assert_false(take());
	assert_int_equal(h.problems_count, 0);
	assert_int_equal(hooks_failed(&h, true), 0);
}

static void words_and_names_agree(void **state)
{
	char words[256] = "";

	(void)state;
	for (unsigned r = 0; r < HOOK_RESULTS; r++) {
		strcat(words, r ? " " : "");
		strcat(words, hook_result_name((enum hook_result)r));
	}
	assert_string_equal(words, HOOK_RESULT_WORDS);
	words[0] = '\0';
	for (unsigned e = HOOK_NOTHING + 1; e < HOOK_EVENTS; e++) {
		strcat(words, *words ? " " : "");
		strcat(words, hook_event_name((enum hook_event)e));
	}
	assert_string_equal(words, HOOK_EVENT_WORDS);
}

static void many_problems_are_counted_at_the_end(void **state)
{
	char name[16];

	(void)state;
	for (unsigned i = 0; i < HOOKS_PROBLEMS_MAX; i++) {
		snprintf(name, sizeof(name), "%02u", i);
		ran(name, HOOK_LEADER, HOOK_RESULT_REFUSED);
		take();
	}
	assert_int_equal(h.problems_count, HOOKS_PROBLEMS_MAX);
	assert_non_null(strstr(h.problems[HOOKS_PROBLEMS_MAX - 1], "hook 07: "));
	ran("99", HOOK_LEADER, HOOK_RESULT_REFUSED);
	take();
	assert_int_equal(h.problems_count, HOOKS_PROBLEMS_MAX);
	assert_string_equal(h.problems[HOOKS_PROBLEMS_MAX - 1],
		"hooks: 2 more did not run well: see electctl hooks list");
}

static void the_script_with_the_oldest_report_is_replaced(void **state)
{
	char name[16];

	(void)state;
	for (unsigned i = 0; i < HOOKS_MAX; i++) {
		snprintf(name, sizeof(name), "%03u", HOOKS_MAX - i);
		ran(name, HOOK_LEADER, HOOK_RESULT_OK);
		take();
	}
	ran("132", HOOK_NONE, HOOK_RESULT_OK); /* the first script runs again */
	take();
	ran("zz", HOOK_LEADER, HOOK_RESULT_OK);
	take();
	assert_int_equal(h.count, HOOKS_MAX);
	for (unsigned i = 0; i < h.count; i++) {
		assert_string_not_equal(h.entries[i].report.script, "131");
		if (i)
			assert_true(strcmp(h.entries[i - 1].report.script,
					    h.entries[i].report.script) < 0);
	}
	assert_string_equal(h.entries[HOOKS_MAX - 1].report.script, "zz");
}

/* A reconnected hookd sends its last reports again: these are no new runs. */
static void a_repeated_report_is_no_new_run(void **state)
{
	(void)state;
	ran("10-a", HOOK_LEADER, HOOK_RESULT_FAILED)->at_us = 5;
	assert_true(take());
	assert_false(hooks_renew(&h) && h.problems_count);
	ran("10-a", HOOK_LEADER, HOOK_RESULT_FAILED)->at_us = 9;
	assert_false(take());
	assert_true(changed);
	assert_int_equal(h.entries[0].report.at_us, 5);
	assert_int_equal(h.problems_count, 1);
	assert_true(take()); /* the same report a second time is another run */
}

static void a_problem_that_the_next_hookd_does_not_report_is_cleared(void **state)
{
	(void)state;
	ran("10-gone", HOOK_LEADER, HOOK_RESULT_FAILED);
	take();
	assert_true(hooks_renew(&h));
	assert_int_equal(h.problems_count, 0);
	assert_int_equal(h.count, 1);
	assert_false(hooks_renew(&h));
}

static void a_script_that_is_gone_is_forgotten(void **state)
{
	(void)state;
	ran("10-a", HOOK_LEADER, HOOK_RESULT_FAILED);
	take();
	ran("20-b", HOOK_LEADER, HOOK_RESULT_REFUSED);
	take();
	ran("10-a", HOOK_LEADER, HOOK_RESULT_GONE);
	assert_false(take()); /* not a run */
	assert_true(changed);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.problems_count, 1);
	assert_string_equal(h.entries[0].report.script, "20-b");
	assert_false(take());
	assert_false(changed);
	ran("20-b", HOOK_LEADER, HOOK_RESULT_GONE);
	assert_false(take());
	assert_int_equal(h.count, 0);
	assert_int_equal(h.problems_count, 0);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_last_report_of_each_script_is_kept),
		TEST(a_failed_run_is_a_problem_until_the_next_run),
		TEST(a_failure_on_a_role_event_is_a_problem_until_the_next_role_event),
		TEST(a_failure_on_members_is_cleared_by_the_next_members),
		TEST(both_reports_of_a_script_are_recognised_after_a_restart),
		TEST(every_result_except_ok_has_words),
		TEST(a_failed_unit_is_a_problem_with_the_result_of_systemd),
		TEST(words_and_names_agree),
		TEST(many_problems_are_counted_at_the_end),
		TEST(the_script_with_the_oldest_report_is_replaced),
		TEST(a_repeated_report_is_no_new_run),
		TEST(a_problem_that_the_next_hookd_does_not_report_is_cleared),
		TEST(a_script_that_is_gone_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
