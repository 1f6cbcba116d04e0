/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks and the disk, release and resign (electd-hooks(7), ORDER): which demotion is due after a
 * crash, what a full disk may delay, and when leadership is released.
 */
#include "hookplan_bench.h"

static void a_demotion_due_by_the_disk_runs_before_electd_is_heard(void **state)
{
	(void)state;
	open_with(HOOKPLAN_STARTED, 5);
	runs_only("down/5 none/5* idle");
	follows(6);
	runs_only("follower/6* online");
}

static void a_leader_that_crashed_is_demoted_and_then_promoted(void **state)
{
	(void)state;
	open_with(HOOKPLAN_STARTED, 0);
	leads(5);
	runs_only("down none* idle started/5 leader/5* up online");
}

static void a_demotion_due_by_the_disk_runs_follower_if_known(void **state)
{
	(void)state;
	open_with(HOOKPLAN_STARTED, 5);
	follows(6);
	runs_only("down/5 follower/5* idle online");
	leaderless();
	held();
	runs("none offline");
}

static void a_host_without_its_record_is_not_promoted(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leads(5);
	fails("started/5");
	runs_only("idle");
	members_change();
	quiet();
	hookplan_retry(&plan);
	fails("started/5 idle");
	quiet();
	hookplan_retry(&plan);
	runs_only("idle started/5 leader/5 up");
}

static void another_view_tries_the_record_again(void **state)
{
	(void)state;
	leads(5);
	fails("started/5");
	runs_only("idle");
	leads(6);
	fails("started/6");
	runs("idle");
	follows(7);
	runs_only("follower/7* online");
}

static void a_confirmation_without_its_record_waits(void **state)
{
	(void)state;
	lead();
	leads(6);
	fails("started/6");
	quiet();
	leaderless();
	runs_only("down/5 none/5 idle offline");
}

static void a_full_disk_delays_neither_demotion_nor_promotion(void **state)
{
	(void)state;
	lead_until_release();
	runs("down/5 none/5 released/1");
	fails("idle");
	quiet();
	follows(6);
	runs("follower/6");
	leads(7);
	runs("started/7 leader/7 up");
	follows(8);
	runs("down/7 follower/7");
	fails("idle");
	hookplan_retry(&plan);
	runs_only("idle");
}

static void a_hanging_record_does_not_delay_a_release(void **state)
{
	(void)state;
	leads(5);
	assert_string_equal(now(), "started/5");
	assert_false(hookplan_obsolete(&plan));
	hookplan_release(&plan, 1, false);
	assert_true(hookplan_obsolete(&plan));
	fails("started/5");
	runs_only("released/1 idle none/5* online");
}

static void a_hanging_confirmation_does_not_delay_a_demotion(void **state)
{
	(void)state;
	lead();
	leads(7);
	assert_string_equal(now(), "started/7");
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("started/7");
	runs_only("down/5 none/5 idle offline");
}

static void an_end_that_was_not_written_is_written_later(void **state)
{
	(void)state;
	lead();
	follows(6);
	runs_only("down/5 follower/5 idle");
	hookplan_unwritten(&plan);
	members_change();
	runs_only("members/6");
	hookplan_retry(&plan);
	runs_only("idle");
}

static void a_release_is_answered_after_the_demotion_and_before_its_record(void **state)
{
	(void)state;
	lead();
	scripts = 2;
	hookplan_release(&plan, 1, false);
	runs_only("down/5 none/5 none.1/5 released/1 idle");
	leaderless();
	runs_only("offline");
}

static void a_host_that_is_not_promoted_answers_a_release_at_once(void **state)
{
	(void)state;
	scripts = 2;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leads(5);
	hookplan_release(&plan, 1, false);
	runs_only("follower/3* released/1 follower.1/3* none/5 none.1/5 online");
}

static void a_host_that_waits_for_its_record_answers_a_release(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leads(5);
	fails("started/5");
	runs("idle");
	hookplan_release(&plan, 1, false);
	runs_only("released/1 none/5");
}

static void a_released_leadership_returns_only_after_electd_reports_it(void **state)
{
	(void)state;
	lead_until_release();
	leads(6);
	runs("down/5 none/5 released/1 idle");
	leads(7);
	quiet();
	hookplan_lost(&plan);
	runs("offline");
	leads(7);
	runs_only("online");
	leaderless();
	leads(8);
	runs_only("started/8 leader/8 up");
}

static void a_new_connection_voids_an_older_release(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_lost(&plan);
	runs("down/5");
	hookplan_view(&plan,
		&(struct hookplan_view){ .role = ELECT_ROLE_LEADER, .token = 9, .first = true });
	runs_only("none/5 idle started/9 leader/9 up");
}

static void silence_does_not_void_a_release(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_lost(&plan);
	leads(5);
	runs_only("down/5 none/5 released/1 idle");
}

static void the_newest_release_is_answered_once(void **state)
{
	(void)state;
	lead_until_release();
	runs("down/5");
	hookplan_release(&plan, 2, false);
	runs("none/5");
	assert_string_equal(now(), "released/2");
	hookplan_release(&plan, 3, false);
	runs("released/2");
	fails("released/3");
	runs_only("idle");
}

static void an_expired_release_is_not_answered_but_demoted(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_release_over(&plan);
	runs_only("down/5 none/5 idle");
}

static void a_stopping_electd_causes_stop_without_a_later_none(void **state)
{
	(void)state;
	lead();
	hookplan_release(&plan, 1, true);
	runs("down/5 stop/5 released/1 idle");
	leaderless();
	members_change();
	hookplan_lost(&plan);
	runs_only("offline");
	follows(6);
	runs_only("follower/6 online");
}

static void a_failed_leader_script_resigns_once(void **state)
{
	(void)state;
	scripts = 2;
	hookplan_resign_on_failure(&plan, true);
	leads(5);
	runs("started/5");
	fails("leader/5*");
	fails("resign");
	runs_only("online");
	leads(5);
	quiet();
	hookplan_release(&plan, 1, false);
	runs_only("down/5 none/5 none.1/5 released/1 idle");
}

static void a_failed_record_or_target_resigns(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	leads(5);
	fails("started/5");
	runs_only("resign idle");
	leads(6);
	runs("started/6 leader/6*");
	fails("up");
	runs_only("resign online");
}

static void a_host_that_lost_leadership_does_not_resign(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	leads(5);
	runs("started/5");
	fails("leader/5*");
	leaderless();
	runs("down/5 none/5 idle");
	leads(6);
	runs("started/6");
	assert_string_equal(now(), "leader/6");
	hookplan_lost(&plan);
	fails("leader/6");
	runs_only("down/6 none/6 idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_demotion_due_by_the_disk_runs_before_electd_is_heard),
		TEST(a_leader_that_crashed_is_demoted_and_then_promoted),
		TEST(a_demotion_due_by_the_disk_runs_follower_if_known),
		TEST(a_host_without_its_record_is_not_promoted),
		TEST(another_view_tries_the_record_again),
		TEST(a_confirmation_without_its_record_waits),
		TEST(a_full_disk_delays_neither_demotion_nor_promotion),
		TEST(a_hanging_record_does_not_delay_a_release),
		TEST(a_hanging_confirmation_does_not_delay_a_demotion),
		TEST(an_end_that_was_not_written_is_written_later),
		TEST(a_release_is_answered_after_the_demotion_and_before_its_record),
		TEST(a_host_that_is_not_promoted_answers_a_release_at_once),
		TEST(a_host_that_waits_for_its_record_answers_a_release),
		TEST(a_released_leadership_returns_only_after_electd_reports_it),
		TEST(a_new_connection_voids_an_older_release),
		TEST(silence_does_not_void_a_release),
		TEST(the_newest_release_is_answered_once),
		TEST(an_expired_release_is_not_answered_but_demoted),
		TEST(a_stopping_electd_causes_stop_without_a_later_none),
		TEST(a_failed_leader_script_resigns_once),
		TEST(a_failed_record_or_target_resigns),
		TEST(a_host_that_lost_leadership_does_not_resign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
