/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c (role.md): the role is handed to a host that the user names. Without a name,
 * host 2 succeeds before host 1.
 */
#include "unit/core/frame/bench.h"

static void resign_to(unsigned n)
{
	bench_command(ELECT_COMMAND_RESIGN)->to = bench_id(n);
	bench_step();
}

static void hold(void)
{
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
}

static void assert_successor(unsigned n)
{
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, n);
}

static void assert_shown(unsigned n)
{
	struct elect_view v = bench_view();

	bench_assert_id(&v.yields_to, n);
}

static void the_goodbye_names_the_requested_host(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	assert_shown(1);
	assert_successor(1);
	assert_int_equal(bench.sent[ELECT_GOODBYE].loss, ELECT_LOSS_RESIGN);
}

static void all_three_goodbyes_name_the_requested_host(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_released();
	bench_for(2 * REPEAT_US);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 3);
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, 1);
}

static void a_requested_host_that_has_left_is_not_named(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_hears(bench_goodbye(1, &bench.e->group, ELECT_LOSS_STOP));
	assert_false(bench_listed(1));
	assert_successor(2);
}

static void a_requested_host_that_may_not_lead_is_not_named(void **state)
{
	(void)state;
	bench_leading(1);
	bench_accept(9, &bench.e->group)->standing.may_lead = false;
	bench_admit(9);
	bench_clear();
	resign_to(9);
	assert_successor(1);
}

static void the_last_of_two_requests_counts(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(2);
	resign_to(1);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_shown(1);
	assert_successor(1);
}

static void a_stop_names_the_requested_host(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_successor(1);
	assert_int_equal(bench.sent[ELECT_GOODBYE].loss, ELECT_LOSS_STOP);
}

/* No member may take over, so the host stays coordinator and leads again. */
static void a_resignation_without_successor_forgets_the_requested_host(void **state)
{
	(void)state;
	bench_leader();
	bench_accept(1, &bench.e->group)->standing.may_lead = false;
	bench_admit(1);
	bench_command(ELECT_COMMAND_RESIGN)->for_us = 100000;
	bench.event.command.to = bench_id(1);
	bench_step();
	bench_released();
	bench_for(100000);
	bench_followed();
	assert_true(role_leads(bench.e));
	bench_hears(bench_aythere(1, &bench.e->group));
	bench_join(2);
	bench_clear();
	hold();
	assert_successor(2);
}

static void a_member_stores_no_requested_host(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	resign_to(60);
	assert_true(elect_id_is_zero(&bench.e->resign_to));
}

static void the_end_of_the_demotion_and_of_the_bar_are_reported(void **state)
{
	uint64_t since_us, until_us, asked;

	(void)state;
	bench_leading(2);
	assert_false(elect_demotes(bench.e, &since_us, &until_us));
	assert_int_equal(elect_barred_until(bench.e), 0);
	asked = bench.now_us;
	resign_to(1);
	bench_for(1000);
	assert_true(elect_demotes(bench.e, &since_us, &until_us));
	assert_int_equal(since_us, asked);
	assert_int_equal(until_us, asked + bench.e->config.yield_timeout_us);
	assert_int_equal(elect_barred_until(bench.e), asked + RESIGN_US);
	bench_released();
	assert_false(elect_demotes(bench.e, &since_us, &until_us));
	bench_until(asked + RESIGN_US);
	assert_int_equal(elect_barred_until(bench.e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_goodbye_names_the_requested_host),
		TEST(all_three_goodbyes_name_the_requested_host),
		TEST(a_requested_host_that_has_left_is_not_named),
		TEST(a_requested_host_that_may_not_lead_is_not_named),
		TEST(the_last_of_two_requests_counts),
		TEST(a_stop_names_the_requested_host),
		TEST(a_resignation_without_successor_forgets_the_requested_host),
		TEST(a_member_stores_no_requested_host),
		TEST(the_end_of_the_demotion_and_of_the_bar_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
