/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of halted.c: the hosts below a candidate (slide 27), and the gaps of the slides. */
#include "bench_bully.h"

static void a_higher_candidate_halts_a_host(void **state)
{
	(void)state;
	bench_halted(60, 5);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_ENTERELECTION_ANSWER].to, 60);
	assert_int_equal(bench.sent[ELECT_ENTERELECTION_ANSWER].answer, ELECT_ANSWER_YES);
	assert_int_equal(own(bench.e)->phase, PHASE_NONE);
}

static void it_answers_a_repeat_only_if_that_does_not_name_it(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_clear();
	bench_name_me(bench_calls(60, 5));
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION_ANSWER), 0);
	bench_calls(60, 5);
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION_ANSWER), 1);
}

static void a_lower_candidate_gets_an_answer_from_above(void **state)
{
	(void)state;
	bench_alone();
	bench_calls(10, 5);
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_sent(ELECT_AYUP_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_AYUP_ANSWER].to, 10);
}

static void the_higher_of_two_candidates_halts_it(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_calls(55, 6);
	bench_receive();
	bench_assert_id(&bench.e->group.coordinator, 60);
	bench_calls(70, 4);
	bench_receive();
	bench_assert_id(&bench.e->group.coordinator, 70);
}

static void a_late_copy_of_an_older_call_is_left_alone(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_calls(60, 4);
	bench_receive();
	assert_int_equal(bench.e->group.counter, 5);
}

static void a_group_below_its_floor_is_stale(void **state)
{
	(void)state;
	bench_member_of(60, 9);
	bench_calls(70, 3);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.sent[ELECT_ENTERELECTION_ANSWER].answer, ELECT_ANSWER_NO);
	assert_int_equal(bench.sent[ELECT_ENTERELECTION_ANSWER].why, ELECT_WHY_STALE);
}

/* C5 */
static void a_member_stays_with_a_coordinator_above_the_one_that_calls(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_calls(55, 9);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_member_leaves_a_coordinator_that_it_suspects(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_for(BENCH_BEACON_US * 3 / 2 + 1000);
	bench_calls(55, 9);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 60);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
}

/* C8 */
static void it_names_the_leader_that_it_leaves(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_halted(70, 9);
	bench_assert_id(&bench.sent[ELECT_ENTERELECTION_ANSWER].other, 60);
}

static void it_names_no_leader_that_it_suspects(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_for(BENCH_BEACON_US * 2);
	bench_halted(70, 9);
	assert_true(elect_id_is_zero(&bench.sent[ELECT_ENTERELECTION_ANSWER].other));
}

static void it_names_a_candidate_that_leads_too(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_calls(60, 6)->standing.established = true;
	bench_receive();
	bench_clear();
	bench_halted(70, 9);
	bench_assert_id(&bench.sent[ELECT_ENTERELECTION_ANSWER].other, 60);
}

static void it_names_a_leader_it_left_for_another_candidate(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_halted(65, 6);
	bench_clear();
	bench_halted(70, 9);
	bench_assert_id(&bench.sent[ELECT_ENTERELECTION_ANSWER].other, 60);
}

/* The host may still be in the quorum of the coordinator that it leaves. */
static void it_reports_how_long_another_may_count_it(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	for (unsigned i = 0; i < 2 * SECOND_US / BENCH_BEACON_US; i++) { /* longer than its start */
		bench_for(BENCH_BEACON_US);
		bench_in_group(60, ELECT_AYNORMAL);
		bench_receive();
	}
	bench_halted(70, 9);
	assert_true(bench.sent[ELECT_ENTERELECTION_ANSWER].bound_us > 0);
	assert_true(bench.sent[ELECT_ENTERELECTION_ANSWER].bound_us <=
		bench_dead_after() + QUORUM_MARGIN_US);
}

/* C3 */
static void a_leader_that_is_called_has_its_demotion_run_first(void **state)
{
	(void)state;
	bench_alone();
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	bench_calls(60, 900);
	bench_receive();
	assert_int_equal(bench.sent[ELECT_ENTERELECTION_ANSWER].why, ELECT_WHY_YIELDING);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	bench_clear();
	bench_released();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench_sent(ELECT_AYNORMAL), 1);
}

static void no_host_below_makes_it_yield(void **state)
{
	(void)state;
	bench_alone();
	bench_calls(10, 0)->group = (struct elect_group){ 0 };
	bench_receive();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

static void it_takes_the_one_it_has_halted_for_as_coordinator(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_name_me(bench_in_group(60, ELECT_SETCOORD));
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(bench.sent[ELECT_SETCOORD_ANSWER].answer, ELECT_ANSWER_YES);
}

/* C6 */
static void it_refuses_another_candidate_that_names_it(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_name_me(bench_says(55, ELECT_SETCOORD));
	bench.m.group = bench_group(55, 4);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_SETCOORD_ANSWER].answer, ELECT_ANSWER_NO);
	bench_assert_to(&bench.sends[ELECT_SETCOORD_ANSWER].to, 55);
}

static void a_host_that_is_not_named_does_not_answer(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_in_group(60, ELECT_SETCOORD);
	bench_receive();
	bench_for(SPREAD_MAX_US + 1000);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench_sent(ELECT_SETCOORD_ANSWER), 0);
}

static void the_list_makes_it_a_member(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	assert_int_equal(bench_view().members_count, 3);
	bench_assert_id(&bench.e->leader_group.coordinator, 60);
}

/* Answers are spread by the size of the list, not by the number of greetings heard before. */
static void the_list_sets_the_spread_of_its_answers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		bench_says(60, ELECT_AYUP);
		bench_receive();
	}
	assert_int_equal(order_spread_us(bench.e, 0), 200 * SPREAD_US);
	bench_member_of(60, 5);
	assert_int_equal(order_spread_us(bench.e, 0), 3 * SPREAD_US);
}

/* L3 */
static void a_member_that_a_later_list_leaves_out_leaves_its_group(void **state)
{
	const unsigned of[] = { 60, 10 };

	(void)state;
	bench_member_of(60, 5);
	bench_lists(60, 2, of, 2);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_assert_because(ELECT_REASON_DROPPED, 60);
}

/* C7 */
static void a_halted_host_does_not_wait_for_a_silent_candidate(void **state)
{
	(void)state;
	bench_halted(60, 5);
	bench_for(STUCK_US + 1000);
	assert_int_equal(own(bench.e)->phase, PHASE_ASK);
	assert_false(own(bench.e)->watch.halted);
	bench_for(WINDOW_US + 1000);
	bench_assert_id(&bench.e->group.coordinator, BENCH_SELF);
}

/* L2 */
static void no_host_waits_again_and_again_in_one_election(void **state)
{
	(void)state;
	bench_halted(60, 5);
	for (unsigned i = 0; i < 50 && bench.e->state != ELECT_DOWN; i++) {
		bench_for(50000);
		bench_says(70, ELECT_AYUP_ANSWER)->state = ELECT_NORMAL;
		bench_receive();
	}
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void it_does_not_wait_for_ever_during_its_demotion(void **state)
{
	(void)state;
	bench_alone();
	bench_calls(60, 900);
	bench_receive();
	assert_true(role_demotes(bench.e));
	for (unsigned up = 0; up <= 1; up++) { /* the role has ended, its demotion has not */
		bench.event.type = ELECT_EVENT_LINK;
		bench.event.link_up = up;
		bench_step();
	}
	assert_false(role_leads(bench.e));
	bench_halted(60, 901);
	bench_for(STUCK_US + 1000);
	assert_int_equal(own(bench.e)->phase, PHASE_ASK);
	bench_released();
	bench_for(bench.e->config.lone_hold_us);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_higher_candidate_halts_a_host),
		TEST(it_answers_a_repeat_only_if_that_does_not_name_it),
		TEST(a_lower_candidate_gets_an_answer_from_above),
		TEST(the_higher_of_two_candidates_halts_it),
		TEST(a_late_copy_of_an_older_call_is_left_alone),
		TEST(a_group_below_its_floor_is_stale),
		TEST(a_member_stays_with_a_coordinator_above_the_one_that_calls),
		TEST(a_member_leaves_a_coordinator_that_it_suspects),
		TEST(it_names_the_leader_that_it_leaves),
		TEST(it_names_no_leader_that_it_suspects),
		TEST(it_names_a_candidate_that_leads_too),
		TEST(it_names_a_leader_it_left_for_another_candidate),
		TEST(it_reports_how_long_another_may_count_it),
		TEST(a_leader_that_is_called_has_its_demotion_run_first),
		TEST(no_host_below_makes_it_yield),
		TEST(it_takes_the_one_it_has_halted_for_as_coordinator),
		TEST(it_refuses_another_candidate_that_names_it),
		TEST(a_host_that_is_not_named_does_not_answer),
		TEST(the_list_makes_it_a_member),
		TEST(the_list_sets_the_spread_of_its_answers),
		TEST(a_member_that_a_later_list_leaves_out_leaves_its_group),
		TEST(a_halted_host_does_not_wait_for_a_silent_candidate),
		TEST(no_host_waits_again_and_again_in_one_election),
		TEST(it_does_not_wait_for_ever_during_its_demotion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
