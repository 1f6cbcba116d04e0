/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c: Down (algorithm.md 4.1): listen, say Hello, wait for a coordinator that is heard, and
 * act only where nobody leads.
 */
#include "unit/core/frame/bench.h"

static uint64_t hold(void)
{
	return bench.e->config.start_hold_us;
}

static void says_no_second_hello_once_it_has_heard_a_better_one(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(90));
	bench_for(hold() - 1000);
	assert_int_equal(bench_sent(ELECT_HELLO), 1);
}

static void goes_on_saying_hello_while_it_is_the_best(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(1));
	bench_for(hold() - 1000);
	assert_true(bench_sent(ELECT_HELLO) >= 2);
}

static void the_best_invites_the_others_at_the_end_of_start_hold(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(1));
	bench_hears(bench_hello(2));
	bench_hello(2); /* once a host */
	bench_receive();
	bench_until(BENCH_EPOCH_US + hold() - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(BENCH_EPOCH_US + hold());
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_MERGE);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2);
	assert_int_equal(bench.sent[ELECT_INVITATION].groups_count, 0);
}

/* The exception of elect_hear_hello(): 160 ms in all, however many there are. */
static void unproven_ones_are_one_rank_together_and_get_a_short_window(void **state)
{
	(void)state;
	bench_down();
	for (unsigned n = 45; n < 95; n++) {
		bench_hello(n)->proven = false;
		bench.m.timings.beacon_us = 1;
		elect_hear_hello(bench.e, &bench.m);
		bench_receive(); /* would count it again, were it believed */
	}
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_int_equal(bench_view().problems, 0);
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US + ACCEPT_QUIET_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_for(bench.e->config.lone_hold_us);
	assert_true(bench.e->established);
}

static void one_that_proves_itself_has_a_rank_of_its_own(void **state)
{
	(void)state;
	bench_down();
	for (unsigned n = 90; n < 93; n++) {
		bench_hello(n)->proven = false;
		elect_hear_hello(bench.e, &bench.m);
	}
	bench_hears(bench_hello(91));
	bench_hello(1)->proven = false;
	elect_hear_hello(bench.e, &bench.m);
	bench_until(BENCH_EPOCH_US + hold() + 2 * CHECK_STEP_US - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(BENCH_EPOCH_US + hold() + 2 * CHECK_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

/* It need not ask first whether I live. */
static void a_coordinator_waited_for_gets_an_echo_with_the_hello(void **state)
{
	struct elect_transaction t;

	(void)state;
	bench_down();
	t = bench_aycoord(70, 3)->transaction;
	bench_receive();
	bench_for(HELLO_SPREAD_US);
	assert_int_equal(bench_sent(ELECT_CHALLENGE_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_CHALLENGE_ANSWER].to, 70);
	assert_memory_equal(&bench.sends[ELECT_CHALLENGE_ANSWER].echo, &t, sizeof(t));
}

/* F7 */
static void nobody_waits_more_than_five_steps(void **state)
{
	(void)state;
	bench_down();
	for (unsigned n = 90; n < 120; n++)
		bench_hears(bench_hello(n));
	bench_until(BENCH_EPOCH_US + hold() + STEPS_MAX * CHECK_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

/* Another process of this id must hear of it. */
static void the_first_hello_is_for_all_though_a_coordinator_is_waited_for(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_aycoord(70, 3));
	bench_for(HELLO_SPREAD_US);
	assert_int_equal(bench_sent(ELECT_HELLO), 1);
	bench_assert_to_all(&bench.sends[ELECT_HELLO].to);
	bench_for(BENCH_BEACON_US);
	assert_true(bench_sent(ELECT_HELLO) > 1);
	bench_assert_to(&bench.sends[ELECT_HELLO].to, 70);
}

static void waits_to_be_invited_by_a_coordinator_and_speaks_to_it_alone(void **state)
{
	(void)state;
	bench_down();
	bench_for(BENCH_BEACON_US / 2);
	bench_clear();
	bench_hears(bench_aycoord(70, 3));
	bench_for(HELLO_SPREAD_US);
	assert_int_equal(bench_sent(ELECT_HELLO), 1);
	bench_assert_to(&bench.sends[ELECT_HELLO].to, 70);
	for (unsigned i = 0; i < 4; i++) {
		bench_hears(bench_aycoord(70, 3));
		bench_for(BENCH_BEACON_US);
	}
	assert_true(bench_sent(ELECT_HELLO) >= 4);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void waits_for_it_no_longer_than_start_hold_and_five_beacons(void **state)
{
	uint64_t end = BENCH_EPOCH_US + hold() + HELLO_WAIT_BEACONS * BENCH_BEACON_US;

	(void)state;
	bench_down();
	end = BENCH_EPOCH_US + hold() + HELLO_WAIT_BEACONS * BENCH_BEACON_US;
	while (bench.now_us < end - BENCH_BEACON_US / 2) {
		bench_hears(bench_aycoord(70, 3));
		bench_for(BENCH_BEACON_US / 2);
	}
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(end + CHECK_STEP_US);
	assert_int_not_equal(bench.e->state, ELECT_DOWN);
}

/* W1: one that has gone, or never was, is waited for as long as a member waits for it. */
static void waits_for_one_that_falls_silent_three_beacons_more(void **state)
{
	uint64_t heard_us;

	(void)state;
	bench_down();
	bench_for(2 * BENCH_BEACON_US);
	bench_hears(bench_aycoord(70, 3));
	heard_us = bench.now_us;
	bench_until(heard_us + 3 * BENCH_BEACON_US - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(heard_us + 3 * BENCH_BEACON_US);
	assert_int_not_equal(bench.e->state, ELECT_DOWN);
}

static void listens_for_start_hold_whoever_falls_silent(void **state)
{
	(void)state;
	bench.event.start.config.start_hold_us = 9 * BENCH_BEACON_US;
	bench_down();
	bench_hears(bench_aycoord(70, 3));
	bench_until(BENCH_EPOCH_US + hold() - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(BENCH_EPOCH_US + hold());
	assert_int_not_equal(bench.e->state, ELECT_DOWN);
}

/* M12 */
static void does_not_wait_for_a_coordinator_that_may_not_lead_while_it_may(void **state)
{
	(void)state;
	bench_down();
	bench_aycoord(70, 3)->standing.may_lead = false;
	bench_receive();
	bench_until(BENCH_EPOCH_US + hold());
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void one_that_may_not_lead_waits_for_any_coordinator(void **state)
{
	(void)state;
	bench.event.start.config.priority = 0;
	bench_down();
	bench_for(BENCH_BEACON_US / 2);
	bench_aycoord(70, 3)->standing.may_lead = false;
	bench_receive();
	bench_for(HELLO_SPREAD_US);
	bench_assert_to(&bench.sends[ELECT_HELLO].to, 70);
}

static void of_two_coordinators_it_waits_for_the_better_one(void **state)
{
	(void)state;
	bench_down();
	bench_for(BENCH_BEACON_US / 2);
	bench_hears(bench_aycoord(70, 3));
	bench_aycoord(60, 3)->standing.size = 9;
	bench_receive();
	bench_for(HELLO_SPREAD_US);
	bench_assert_to(&bench.sends[ELECT_HELLO].to, 60);
	bench_hears(bench_aycoord(80, 3));
	bench_for(BENCH_BEACON_US * 2);
	bench_assert_to(&bench.sends[ELECT_HELLO].to, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(says_no_second_hello_once_it_has_heard_a_better_one),
		TEST(goes_on_saying_hello_while_it_is_the_best),
		TEST(the_best_invites_the_others_at_the_end_of_start_hold),
		TEST(unproven_ones_are_one_rank_together_and_get_a_short_window),
		TEST(one_that_proves_itself_has_a_rank_of_its_own),
		TEST(a_coordinator_waited_for_gets_an_echo_with_the_hello),
		TEST(nobody_waits_more_than_five_steps),
		TEST(the_first_hello_is_for_all_though_a_coordinator_is_waited_for),
		TEST(waits_to_be_invited_by_a_coordinator_and_speaks_to_it_alone),
		TEST(waits_for_it_no_longer_than_start_hold_and_five_beacons),
		TEST(waits_for_one_that_falls_silent_three_beacons_more),
		TEST(listens_for_start_hold_whoever_falls_silent),
		TEST(does_not_wait_for_a_coordinator_that_may_not_lead_while_it_may),
		TEST(one_that_may_not_lead_waits_for_any_coordinator),
		TEST(of_two_coordinators_it_waits_for_the_better_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
