/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c: Down (merge.md, Start): listen, send Hello, wait for a coordinator that is heard, and
 * act only if no host leads.
 */
#include "unit/core/frame/bench.h"

static uint64_t hold(void)
{
	return bench.e->config.start_hold_us;
}

static void a_host_that_heard_a_higher_rank_sends_one_hello(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(90));
	bench_for(hold() - 1000);
	assert_int_equal(bench_sent(ELECT_HELLO), 1);
}

static void the_host_of_the_highest_rank_repeats_its_hello(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(1));
	bench_for(hold() - 1000);
	assert_true(bench_sent(ELECT_HELLO) >= 2);
}

static void the_highest_rank_invites_the_others_after_start_hold(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(1));
	bench_hears(bench_hello(2));
	bench_hello(2);
	bench_receive();
	bench_until(BENCH_EPOCH_US + hold() - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_until(BENCH_EPOCH_US + hold());
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_MERGE);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2);
	assert_int_equal(bench.sent[ELECT_INVITATION].groups_count, 0);
}

/* The exception of elect_hear_hello(): 160 ms in total, for any number of hosts. */
static void unproven_hosts_share_one_rank_and_a_short_window(void **state)
{
	(void)state;
	bench_down();
	for (unsigned n = 45; n < 95; n++) {
		bench_hello(n)->proven = false;
		bench.m.timings.beacon_us = 1;
		elect_hear_hello(bench.e, &bench.m);
		bench_receive(); /* would count twice if it were believed */
	}
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US - 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_int_equal(bench_view().problems, 0);
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_until(BENCH_EPOCH_US + hold() + CHECK_STEP_US + ACCEPT_QUIET_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_for(bench.e->config.lone_hold_us);
	assert_true(role_leads(bench.e));
}

static void a_proven_host_has_a_rank_of_its_own(void **state)
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

/* The coordinator need not ask first whether this host is alive. */
static void an_awaited_coordinator_gets_an_echo_with_the_hello(void **state)
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

static void a_host_waits_at_most_five_steps(void **state)
{
	(void)state;
	bench_down();
	for (unsigned n = 90; n < 120; n++)
		bench_hears(bench_hello(n));
	bench_until(BENCH_EPOCH_US + hold() + STEPS_MAX * CHECK_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

/* A second process with this id must hear it. */
static void the_first_hello_goes_to_all_despite_a_coordinator(void **state)
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

static void a_host_waits_for_a_coordinator_and_sends_to_it_alone(void **state)
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

static void the_wait_is_at_most_start_hold_and_five_beacons(void **state)
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

/* W1: a coordinator that is gone, or never existed, is waited for as long as a member waits for
 * it. */
static void a_silent_coordinator_is_waited_for_three_beacons(void **state)
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

static void a_host_listens_for_start_hold_despite_a_silent_coordinator(void **state)
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

static void a_host_that_may_lead_ignores_a_coordinator_that_may_not(void **state)
{
	(void)state;
	bench_down();
	bench_aycoord(70, 3)->standing.may_lead = false;
	bench_receive();
	bench_until(BENCH_EPOCH_US + hold());
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_host_that_may_not_lead_waits_for_any_coordinator(void **state)
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

static void a_host_waits_for_the_higher_ranked_of_two_coordinators(void **state)
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
		TEST(a_host_that_heard_a_higher_rank_sends_one_hello),
		TEST(the_host_of_the_highest_rank_repeats_its_hello),
		TEST(the_highest_rank_invites_the_others_after_start_hold),
		TEST(unproven_hosts_share_one_rank_and_a_short_window),
		TEST(a_proven_host_has_a_rank_of_its_own),
		TEST(an_awaited_coordinator_gets_an_echo_with_the_hello),
		TEST(a_host_waits_at_most_five_steps),
		TEST(the_first_hello_goes_to_all_despite_a_coordinator),
		TEST(a_host_waits_for_a_coordinator_and_sends_to_it_alone),
		TEST(the_wait_is_at_most_start_hold_and_five_beacons),
		TEST(a_silent_coordinator_is_waited_for_three_beacons),
		TEST(a_host_listens_for_start_hold_despite_a_silent_coordinator),
		TEST(a_host_that_may_lead_ignores_a_coordinator_that_may_not),
		TEST(a_host_that_may_not_lead_waits_for_any_coordinator),
		TEST(a_host_waits_for_the_higher_ranked_of_two_coordinators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
