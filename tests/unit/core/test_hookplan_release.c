/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks and the disk, release and resign (electd-hooks(7), ORDER): what is
 * owed after a crash, what a full disk may hold up, when leadership is let go of.
 */
#include "hookplan_bench.h"

/* ---- the disk -------------------------------------------------------------------------------- */

static void what_the_disk_owes_is_demoted_before_electd_is_heard(void **state)
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

static void a_demotion_that_is_owed_says_whom_it_follows_if_it_knows(void **state)
{
	(void)state;
	open_with(HOOKPLAN_STARTED, 5);
	follows(6);
	runs_only("down/5 follower/5* idle online");
	leaderless();
	held();
	runs("none offline");
}

static void without_its_record_nobody_is_promoted(void **state)
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

static void a_confirmation_without_its_record_waits_and_stays_promoted(void **state)
{
	(void)state;
	lead();
	leads(6);
	fails("started/6");
	quiet();
	leaderless();
	runs_only("down/5 none/5 idle offline");
}

static void a_full_disk_holds_up_neither_demotion_nor_promotion(void **state)
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

static void a_record_that_hangs_holds_up_no_release(void **state)
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

static void nor_the_demotion_of_a_leader_that_it_confirms(void **state)
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

/* ---- release and resign ---------------------------------------------------------------------- */

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

static void who_is_not_promoted_answers_at_once(void **state)
{
	(void)state;
	scripts = 2;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leads(5);
	hookplan_release(&plan, 1, false);
	runs_only("follower/3* released/1 follower.1/3* none/5 none.1/5 online");
}

static void who_waits_for_its_record_answers_too(void **state)
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

static void what_was_let_go_of_is_not_led_before_electd_has_said_so(void **state)
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

static void a_new_connection_knows_of_no_older_release(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_lost(&plan);
	runs("down/5");
	hookplan_view(&plan,
		&(struct hookplan_view){ .role = ELECT_ROLE_LEADER, .token = 9, .first = true });
	runs_only("none/5 idle started/9 leader/9 up");
}

static void silence_voids_no_release(void **state)
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

static void nobody_is_told_of_a_release_that_is_over_but_it_is_demoted(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_release_over(&plan);
	runs_only("down/5 none/5 idle");
}

static void electd_that_stops_demotes_with_stop_and_no_none_follows(void **state)
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

static void a_failed_leader_gives_leadership_back_once_and_waits(void **state)
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

static void a_failed_record_or_target_gives_leadership_back_too(void **state)
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

static void who_lost_leadership_has_none_to_give_back(void **state)
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
		TEST(what_the_disk_owes_is_demoted_before_electd_is_heard),
		TEST(a_leader_that_crashed_is_demoted_and_then_promoted),
		TEST(a_demotion_that_is_owed_says_whom_it_follows_if_it_knows),
		TEST(without_its_record_nobody_is_promoted),
		TEST(another_view_tries_the_record_again),
		TEST(a_confirmation_without_its_record_waits_and_stays_promoted),
		TEST(a_full_disk_holds_up_neither_demotion_nor_promotion),
		TEST(a_record_that_hangs_holds_up_no_release),
		TEST(nor_the_demotion_of_a_leader_that_it_confirms),
		TEST(an_end_that_was_not_written_is_written_later),
		TEST(a_release_is_answered_after_the_demotion_and_before_its_record),
		TEST(who_is_not_promoted_answers_at_once),
		TEST(who_waits_for_its_record_answers_too),
		TEST(what_was_let_go_of_is_not_led_before_electd_has_said_so),
		TEST(a_new_connection_knows_of_no_older_release),
		TEST(silence_voids_no_release),
		TEST(the_newest_release_is_answered_once),
		TEST(nobody_is_told_of_a_release_that_is_over_but_it_is_demoted),
		TEST(electd_that_stops_demotes_with_stop_and_no_none_follows),
		TEST(a_failed_leader_gives_leadership_back_once_and_waits),
		TEST(a_failed_record_or_target_gives_leadership_back_too),
		TEST(who_lost_leadership_has_none_to_give_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
