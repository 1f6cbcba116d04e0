/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of hooks (electd-hooks(7), ORDER; P7): which event runs when, promotions and demotions,
 * and the end.
 */
#include "hookplan_bench.h"

static void no_script_runs_before_electd_is_heard(void **state)
{
	(void)state;
	quiet();
	hookplan_lost(&plan);
	quiet();
}

static void only_the_first_state_is_a_replay(void **state)
{
	(void)state;
	follows(3);
	runs_only("follower/3* online");
	leaderless();
	held();
	runs_only("none offline");
}

static void a_leadership_found_at_the_start_is_a_replay(void **state)
{
	(void)state;
	leads(5);
	runs_only("started/5 leader/5* up online");
}

static void the_scripts_of_an_event_run_one_by_one_in_order(void **state)
{
	(void)state;
	scripts = 3;
	follows(3);
	runs_only("follower/3* follower.1/3* follower.2/3* online");
}

static void a_step_stays_the_same_until_it_is_done(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leads(5);
	hookplan_stop(&plan);
	assert_string_equal(now(), "follower/3*");
}

static void only_the_last_of_several_states_runs(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leaderless();
	follows(4);
	leads(5);
	leaderless();
	follows(6);
	runs_only("follower/3* follower/6 online");
}

static void a_state_that_returns_while_it_runs_does_not_run_again(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leaderless();
	follows(3);
	runs_only("follower/3* online");
}

static void a_follower_runs_scripts_for_another_leader(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	follows(4);
	runs("follower/4");
	follows(4);
	quiet();
}

static void a_members_event_runs_if_no_other_event_does(void **state)
{
	(void)state;
	follows(3);
	members_change();
	runs("follower/3* online"); /* the script has them already */
	quiet();
	members_change();
	follows(4);
	runs_only("follower/4");
	members_change();
	runs_only("members/4");
}

static void a_lost_electd_means_no_leader(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	hookplan_lost(&plan);
	hookplan_lost(&plan);
	held();
	runs_only("none offline");
}

static void a_followers_none_is_held_back(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	assert_false(hookplan_holds(&plan));
	leaderless();
	quiet();
	quiet();
	assert_true(hookplan_holds(&plan));
	hookplan_hold_over(&plan);
	runs("none offline");
	assert_false(hookplan_holds(&plan));
	quiet();
}

static void a_held_none_is_skipped_if_a_leader_comes_in_time(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leaderless();
	quiet();
	leads(5);
	assert_false(hookplan_holds(&plan));
	runs("started/5 leader/5 up");
	follows(6);
	runs("down/5 follower/5 idle");
	leaderless();
	quiet();
	follows(7);
	runs("follower/7");
	leaderless();
	quiet();
	follows(7);
	quiet();
}

/* The end of one hold does not end the next one. */
static void each_none_has_a_hold_of_its_own(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leaderless();
	hookplan_hold_over(&plan);
	follows(3);
	runs("follower/3* online");
	hookplan_hold_over(&plan);
	leaderless();
	held();
	runs("none offline");
	follows(4);
	runs("follower/4 online");
	leaderless();
	held();
	runs("none offline");
}

/* The hold begins when no demotion is pending any more, whatever happened before. */
static void a_none_is_held_back_while_a_crashed_leader_is_awaited(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leader_crashes();
	quiet();
	assert_false(hookplan_holds(&plan));
	hookplan_hold_over(&plan);
	members_change();
	quiet();
	leaderless();
	held();
	runs("none offline");
}

static void a_held_none_is_skipped_if_a_leader_follows_a_crash(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leaderless();
	hookplan_hold_over(&plan);
	leader_crashes();
	runs("follower/3*");
	quiet();
	leads(5);
	runs("started/5 leader/5 up online");
}

/* Rank address begins first. */
static void promotes(uint64_t token)
{
	hookplan_view(&plan,
		&(struct hookplan_view){
			.role = ELECT_ROLE_LEADER, .token = token, .promoting = true });
}

static void a_promotion_waits_for_rank_address(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	promotes(5);
	quiet();
	assert_false(hookplan_holds(&plan));
	leads(5);
	runs("started/5 leader/5 up");
	quiet();
	promotes(6);
	runs("started/6 leader/6+ up");
	leaderless();
	runs("down/6 none/6 idle offline");
	promotes(7);
	quiet();
	follows(8);
	runs("follower/8 online");
}

static void an_owed_demotion_does_not_wait_for_rank_address(void **state)
{
	(void)state;
	lead();
	hookplan_lost(&plan);
	promotes(7);
	runs("down/5 none/5 idle");
	quiet();
	leads(7);
	runs("started/7 leader/7 up");
}

static void a_release_does_not_wait_for_rank_address(void **state)
{
	(void)state;
	promotes(7);
	quiet();
	hookplan_release(&plan, 2, false);
	assert_string_equal(now(), "released/2");
}

static void a_lost_electd_awaits_no_crashed_leader(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leader_crashes();
	quiet();
	hookplan_lost(&plan);
	held();
	runs("none offline");
}

static void a_demotion_waits_for_no_crashed_leader(void **state)
{
	(void)state;
	lead();
	leader_crashes();
	runs("down/5 none/5 idle offline");
	follows(6);
	runs("follower/6 online");
	leader_crashes();
	quiet();
	hookplan_stop(&plan);
	runs("stop offline");
}

static void a_hold_begins_when_the_none_is_heard(void **state)
{
	(void)state;
	follows(3);
	assert_string_equal(now(), "follower/3*");
	leaderless();
	assert_true(hookplan_holds(&plan));
	hookplan_hold_over(&plan);
	hookplan_lost(&plan);
	runs_only("follower/3* none");
}

static void only_a_followers_none_is_held_back(void **state)
{
	(void)state;
	leaderless();
	assert_false(hookplan_holds(&plan));
	runs("none*");
	leads(5);
	runs("started/5 leader/5 up online");
	leaderless();
	assert_false(hookplan_holds(&plan));
	runs("down/5 none/5 idle offline");
	leads(6);
	runs("started/6 leader/6 up online");
	hookplan_lost(&plan);
	assert_false(hookplan_holds(&plan));
	runs("down/6 none/6 idle offline");
}

static void members_and_targets_wait_for_a_held_none(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leaderless();
	members_change();
	quiet();
	follows(4);
	runs_only("follower/4");
}

static void a_stop_does_not_wait_for_a_held_none(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	leaderless();
	quiet();
	hookplan_stop(&plan);
	assert_false(hookplan_holds(&plan));
	runs("stop offline");
	assert_string_equal(now(), "exit");
}

static void a_promotion_begins_with_the_disk_and_ends_with_the_target(void **state)
{
	(void)state;
	scripts = 2;
	leaderless();
	runs("none* none.1*");
	leads(5);
	runs_only("started/5 leader/5 leader.1/5 up online");
}

static void a_demotion_begins_with_the_target_and_ends_with_the_disk(void **state)
{
	(void)state;
	lead();
	scripts = 2;
	follows(6);
	runs_only("down/5 follower/5 follower.1/5 idle");
}

static void a_demotion_runs_the_event_that_electd_reports(void **state)
{
	(void)state;
	lead();
	leaderless();
	runs_only("down/5 none/5 idle offline");
}

static void one_leadership_runs_its_scripts_once(void **state)
{
	(void)state;
	lead();
	leads(5);
	quiet();
}

static void a_won_merge_is_a_confirmation_without_a_demotion(void **state)
{
	(void)state;
	lead();
	leads(7);
	runs_only("started/7 leader/7+ up");
}

static void a_lower_token_is_another_leadership(void **state)
{
	(void)state;
	lead();
	leads(4);
	runs_only("down/5 none/5 idle started/4 leader/4 up");
}

static void a_leadership_lost_for_a_moment_is_demoted_first(void **state)
{
	(void)state;
	lead();
	hookplan_lost(&plan);
	leads(5);
	runs("down/5 none/5 idle started/5 leader/5 up");
	leaderless();
	leads(9);
	runs_only("down/5 none/5 idle started/9 leader/9 up");
}

static void a_leader_that_is_lost_is_cut_and_demoted(void **state)
{
	(void)state;
	scripts = 3;
	leads(5);
	runs("started/5 leader/5*");
	assert_string_equal(now(), "leader.1/5*");
	assert_false(hookplan_obsolete(&plan));
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("leader.1/5*");
	assert_false(hookplan_obsolete(&plan));
	runs_only("down/5 none/5 none.1/5 none.2/5 idle");
}

static void a_leadership_lost_between_two_steps_goes_no_further(void **state)
{
	(void)state;
	leads(5);
	runs("started/5 leader/5*");
	leaderless();
	runs("down/5 none/5 idle");
	leads(6);
	runs("started/6 leader/6");
	assert_string_equal(now(), "up");
	follows(7);
	runs_only("up down/6 follower/6 idle online");
}

static void a_leadership_lost_while_it_is_recorded_runs_no_leader_script(void **state)
{
	(void)state;
	leads(5);
	assert_string_equal(now(), "started/5");
	follows(6);
	runs_only("started/5 down/5 follower/5 idle online");
	leads(7);
	assert_string_equal(now(), "started/7");
	follows(8);
	fails("started/7");
	runs_only("idle follower/8");
}

static void a_demotion_is_never_cut(void **state)
{
	(void)state;
	lead();
	scripts = 2;
	leaderless();
	runs("down/5");
	leads(6);
	assert_string_equal(now(), "none/5");
	hookplan_lost(&plan);
	leads(7);
	assert_false(hookplan_obsolete(&plan));
	fails("none/5");
	runs_only("none.1/5 idle started/7 leader/7 leader.1/7 up");
}

static void a_members_script_of_a_lost_leader_is_cut(void **state)
{
	(void)state;
	lead();
	scripts = 2;
	members_change();
	assert_string_equal(now(), "members/5");
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("members/5");
	runs_only("down/5 none/5 none.1/5 idle offline");
}

static void the_online_target_does_not_delay_a_demotion(void **state)
{
	(void)state;
	leads(5);
	runs("started/5 leader/5* up");
	assert_string_equal(now(), "online");
	assert_false(hookplan_obsolete(&plan));
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("online");
	runs_only("down/5 none/5 idle offline");
}

static void scripts_and_targets_may_fail(void **state)
{
	(void)state;
	scripts = 2;
	leads(5);
	runs("started/5");
	fails("leader/5* leader.1/5*");
	runs("up online");
	hookplan_lost(&plan);
	fails("down/5 none/5 none.1/5");
	runs("idle");
	fails("offline");
	quiet();
}

/* A4b: the stop of the target may take longer than its event. */
static void a_demotion_waits_for_its_end_after_the_scripts(void **state)
{
	(void)state;
	lead_until_release();
	lasts = true;
	fails("down/5");
	runs("none/5");
	assert_string_equal(now(), "ended/5");
	leads(6);
	hookplan_release(&plan, 2, false);
	hookplan_lost(&plan);
	hookplan_stop(&plan);
	assert_string_equal(now(), "ended/5");
	assert_false(hookplan_obsolete(&plan));
	runs("ended/5 released/2 idle");
}

/* A4b: electd has passed the leadership on. */
static void a_release_that_is_over_ends_nothing(void **state)
{
	(void)state;
	lead_until_release();
	lasts = true;
	runs("down/5 none/5");
	hookplan_release_over(&plan);
	assert_string_equal(now(), "ended/5");
	runs("ended/5 idle");
}

static void a_target_that_did_not_start_is_tried_until_it_does(void **state)
{
	(void)state;
	leads(5);
	runs("started/5 leader/5*");
	fails("up");
	runs_only("online");
	hookplan_retry(&plan);
	fails("again");
	quiet();
	members_change();
	runs_only("members/5");
	hookplan_retry(&plan);
	runs("again");
	hookplan_retry(&plan);
	quiet();
}

static void a_target_of_a_lost_leader_is_not_tried_again(void **state)
{
	(void)state;
	leads(5);
	runs("started/5 leader/5*");
	fails("up");
	runs("online");
	hookplan_retry(&plan);
	assert_string_equal(now(), "again");
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("again");
	runs("down/5 none/5 idle offline");
	hookplan_retry(&plan);
	quiet();
}

static void a_target_whose_failure_resigns_is_not_tried_again(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	leads(5);
	runs("started/5 leader/5*");
	fails("up");
	runs("resign online");
	hookplan_retry(&plan);
	quiet();
}

static void a_leader_with_nothing_else_to_do_looks_at_its_units(void **state)
{
	(void)state;
	hookplan_look(&plan);
	leads(5);
	runs_only("started/5 leader/5* up online look");
	members_change();
	hookplan_look(&plan);
	runs_only("members/5 look");
}

static void a_failed_unit_only_fails_the_look(void **state)
{
	(void)state;
	lead();
	hookplan_look(&plan);
	fails("look");
	quiet();
}

static void a_failed_unit_resigns_if_configured(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	lead();
	hookplan_look(&plan);
	fails("look");
	runs_only("resign");
	hookplan_release(&plan, 1, false);
	runs_only("down/5 none/5 released/1 idle");
}

static void a_target_that_was_stopped_is_started_again(void **state)
{
	(void)state;
	lead();
	hookplan_look(&plan);
	end("look", HOOKPLAN_DOWN);
	fails("again");
	hookplan_look(&plan);
	quiet();
	hookplan_retry(&plan);
	runs_only("again look");
}

static void a_stopped_target_resigns_if_configured(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	lead();
	hookplan_look(&plan);
	end("look", HOOKPLAN_DOWN);
	runs_only("resign");
	hookplan_look(&plan);
	end("look", HOOKPLAN_DOWN);
	assert_string_equal(now(), "resign");
	hookplan_release(&plan, 1, false);
	runs_only("resign down/5 none/5 released/1 idle");
}

static void a_look_ends_when_the_demotion_is_due(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	lead();
	hookplan_look(&plan);
	assert_string_equal(now(), "look");
	assert_false(hookplan_obsolete(&plan));
	hookplan_lost(&plan);
	assert_true(hookplan_obsolete(&plan));
	fails("look");
	runs_only("down/5 none/5 idle offline");
}

static void a_look_ends_when_a_promotion_is_due(void **state)
{
	(void)state;
	hookplan_resign_on_failure(&plan, true);
	follows(5);
	runs_only("follower/5* online");
	hookplan_look(&plan);
	assert_string_equal(now(), "look");
	leads(6);
	assert_true(hookplan_obsolete(&plan));
	fails("look");
	runs_only("started/6 leader/6 up");
}

/* The running look may have seen the unit before it changed. */
static void a_change_during_a_look_causes_another_look(void **state)
{
	(void)state;
	lead();
	hookplan_look(&plan);
	assert_string_equal(now(), "look");
	hookplan_look(&plan);
	runs_only("look look");
}

static void a_target_that_is_not_up_causes_no_look(void **state)
{
	(void)state;
	hookplan_look(&plan);
	leads(5);
	runs("started/5 leader/5*");
	fails("up");
	runs_only("online");
	hookplan_retry(&plan);
	runs_only("again look");
}

static void a_leader_that_ends_is_demoted_with_stop(void **state)
{
	(void)state;
	lead_until_release();
	hookplan_stop(&plan);
	runs("down/5 stop/5 released/1 idle offline");
	assert_string_equal(now(), "exit");
}

static void a_host_that_does_not_lead_runs_stop_once(void **state)
{
	(void)state;
	follows(3);
	runs("follower/3* online");
	hookplan_stop(&plan);
	leads(5);
	assert_string_equal(now(), "stop/5");
	hookplan_stop(&plan);
	runs("stop/5 offline");
	leads(6);
	assert_string_equal(now(), "exit");
}

static void a_stop_requested_by_electd_runs_once(void **state)
{
	(void)state;
	lead();
	hookplan_release(&plan, 1, true);
	runs("down/5 stop/5 released/1 idle");
	leaderless();
	hookplan_stop(&plan);
	runs("offline");
	assert_string_equal(now(), "exit");
}

static void a_full_disk_does_not_delay_the_exit(void **state)
{
	(void)state;
	lead();
	leaderless();
	runs("down/5 none/5");
	fails("idle");
	runs("offline");
	hookplan_stop(&plan);
	fails("idle");
	runs("stop");
	assert_string_equal(now(), "exit");
}

static void events_have_their_documented_names(void **state)
{
	static const char *const names[HOOK_EVENTS] = { "nothing", "leader", "follower", "none",
		"members", "stop" };

	(void)state;
	for (unsigned e = 0; e < HOOK_EVENTS; e++)
		assert_string_equal(hook_event_name((enum hook_event)e), names[e]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_script_runs_before_electd_is_heard),
		TEST(only_the_first_state_is_a_replay),
		TEST(a_leadership_found_at_the_start_is_a_replay),
		TEST(the_scripts_of_an_event_run_one_by_one_in_order),
		TEST(a_step_stays_the_same_until_it_is_done),
		TEST(only_the_last_of_several_states_runs),
		TEST(a_state_that_returns_while_it_runs_does_not_run_again),
		TEST(a_follower_runs_scripts_for_another_leader),
		TEST(a_members_event_runs_if_no_other_event_does),
		TEST(a_lost_electd_means_no_leader),
		TEST(a_followers_none_is_held_back),
		TEST(a_held_none_is_skipped_if_a_leader_comes_in_time),
		TEST(each_none_has_a_hold_of_its_own),
		TEST(a_none_is_held_back_while_a_crashed_leader_is_awaited),
		TEST(a_held_none_is_skipped_if_a_leader_follows_a_crash),
		TEST(a_promotion_waits_for_rank_address),
		TEST(an_owed_demotion_does_not_wait_for_rank_address),
		TEST(a_release_does_not_wait_for_rank_address),
		TEST(a_lost_electd_awaits_no_crashed_leader),
		TEST(a_demotion_waits_for_no_crashed_leader),
		TEST(a_hold_begins_when_the_none_is_heard),
		TEST(only_a_followers_none_is_held_back),
		TEST(members_and_targets_wait_for_a_held_none),
		TEST(a_stop_does_not_wait_for_a_held_none),
		TEST(a_promotion_begins_with_the_disk_and_ends_with_the_target),
		TEST(a_demotion_begins_with_the_target_and_ends_with_the_disk),
		TEST(a_demotion_runs_the_event_that_electd_reports),
		TEST(one_leadership_runs_its_scripts_once),
		TEST(a_won_merge_is_a_confirmation_without_a_demotion),
		TEST(a_lower_token_is_another_leadership),
		TEST(a_leadership_lost_for_a_moment_is_demoted_first),
		TEST(a_leader_that_is_lost_is_cut_and_demoted),
		TEST(a_leadership_lost_between_two_steps_goes_no_further),
		TEST(a_leadership_lost_while_it_is_recorded_runs_no_leader_script),
		TEST(a_demotion_is_never_cut),
		TEST(a_members_script_of_a_lost_leader_is_cut),
		TEST(the_online_target_does_not_delay_a_demotion),
		TEST(scripts_and_targets_may_fail),
		TEST(a_demotion_waits_for_its_end_after_the_scripts),
		TEST(a_release_that_is_over_ends_nothing),
		TEST(a_target_that_did_not_start_is_tried_until_it_does),
		TEST(a_target_of_a_lost_leader_is_not_tried_again),
		TEST(a_target_whose_failure_resigns_is_not_tried_again),
		TEST(a_leader_with_nothing_else_to_do_looks_at_its_units),
		TEST(a_failed_unit_only_fails_the_look),
		TEST(a_failed_unit_resigns_if_configured),
		TEST(a_target_that_was_stopped_is_started_again),
		TEST(a_stopped_target_resigns_if_configured),
		TEST(a_look_ends_when_the_demotion_is_due),
		TEST(a_look_ends_when_a_promotion_is_due),
		TEST(a_change_during_a_look_causes_another_look),
		TEST(a_target_that_is_not_up_causes_no_look),
		TEST(a_leader_that_ends_is_demoted_with_stop),
		TEST(a_host_that_does_not_lead_runs_stop_once),
		TEST(a_stop_requested_by_electd_runs_once),
		TEST(a_full_disk_does_not_delay_the_exit),
		TEST(events_have_their_documented_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
