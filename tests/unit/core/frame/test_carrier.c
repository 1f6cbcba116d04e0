/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role.c: who loses its last carrier or address, and gets it back (algorithm.md 4.9).
 */
#include "unit/core/frame/bench.h"

static void link_goes(bool up)
{
	bench_clear();
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = up;
	bench_step();
}

/* 4.9: the others elect another; a Goodbye or a hand-over would reach nobody. */
static void a_leader_with_company_stops_in_the_step_in_which_its_carrier_goes(void **state)
{
	(void)state;
	bench_leader();
	bench_join(1);
	link_goes(false);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_false(bench_view().may_lead);
	bench_assert_because(ELECT_REASON_CARRIER_LOST, BENCH_SELF);
	assert_int_equal(bench.log_count, 1); /* the view */
	bench_for(bench.e->config.lone_hold_us * 5);
	assert_false(bench.e->established);
}

static void no_role_is_kept_for_a_merge_without_a_carrier(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	assert_true(bench.e->established);
	link_goes(false);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_false(bench.e->established);
}

static void one_that_was_alone_leads_on_without_a_carrier(void **state)
{
	(void)state;
	bench_leader();
	link_goes(false);
	assert_true(bench.e->established);
	link_goes(true);
	assert_true(bench.e->established);
	assert_false(bench_view().problems & ELECT_PROBLEM_UNHEARD);
}

/* What is not proven may be of anybody, and old. */
static void an_unproven_host_is_no_company(void **state)
{
	(void)state;
	bench_leader();
	bench_hello(1)->proven = false;
	bench_receive();
	link_goes(false);
	assert_true(bench.e->established);
}

static void with_its_carrier_back_it_leads_when_another_host_is_heard(void **state)
{
	(void)state;
	bench_leader();
	bench_join(1);
	link_goes(false);
	bench_for(bench_dead_after() * 4);
	assert_int_equal(bench.e->up.count, 1);
	link_goes(true);
	assert_true(bench_view().problems & ELECT_PROBLEM_UNHEARD);
	bench_for(bench.e->config.carrier_hold_us / 2);
	assert_false(bench.e->established);
	bench_hello(1)->proven = false;
	bench_receive();
	assert_true(bench_view().problems & ELECT_PROBLEM_UNHEARD);
	bench_hears(bench_from(1, ELECT_CHALLENGE_ANSWER));
	assert_false(bench_view().problems & ELECT_PROBLEM_UNHEARD);
	assert_false(bench.e->established);
	bench_for(bench.e->config.start_hold_us);
	assert_true(bench.e->established);
}

static void nobody_is_waited_for_longer_than_carrier_hold(void **state)
{
	uint64_t back;

	(void)state;
	bench_leader();
	bench_join(1);
	link_goes(false);
	bench_for(bench_dead_after() * 4);
	link_goes(true);
	back = bench.now_us;
	bench_until(back + bench.e->config.carrier_hold_us - 1);
	assert_false(bench.e->established);
	bench_until(back + bench.e->config.carrier_hold_us);
	assert_true(bench.e->established);
}

static void told_to_lead_without_a_carrier_it_does(void **state)
{
	(void)state;
	bench.event.start.config.leads_without_carrier = true;
	bench_leader();
	bench_join(1);
	link_goes(false);
	assert_true(bench.e->established);
	link_goes(true);
	assert_true(bench.e->established);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_leader_with_company_stops_in_the_step_in_which_its_carrier_goes),
		TEST(no_role_is_kept_for_a_merge_without_a_carrier),
		TEST(one_that_was_alone_leads_on_without_a_carrier),
		TEST(an_unproven_host_is_no_company),
		TEST(with_its_carrier_back_it_leads_when_another_host_is_heard),
		TEST(nobody_is_waited_for_longer_than_carrier_hold),
		TEST(told_to_lead_without_a_carrier_it_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
