/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c: leadership handed to the host that people name (algorithm.md 4.6). Of hosts 1 and 2 the
 * second would succeed.
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

static void the_goodbye_names_who_was_asked_for(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	assert_shown(1);
	assert_successor(1);
	assert_int_equal(bench.sent[ELECT_GOODBYE].loss, ELECT_LOSS_RESIGN);
}

static void so_it_does_three_times(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_released();
	bench_for(2 * REPEAT_US);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 3);
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, 1);
}

/* It demotes for ten seconds, and in the meantime that host has stopped. */
static void who_is_gone_by_then_is_not_named(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_hears(bench_goodbye(1, &bench.e->group, ELECT_LOSS_STOP));
	assert_false(bench_listed(1));
	assert_successor(2);
}

static void nor_is_who_may_not_lead(void **state)
{
	(void)state;
	bench_leading(1);
	bench_accept(9, &bench.e->group)->standing.may_lead = false;
	bench_admit(9);
	bench_clear();
	resign_to(9);
	assert_successor(1);
}

static void asked_again_the_last_one_counts(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(2);
	resign_to(1);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_shown(1);
	assert_successor(1);
}

static void a_stop_keeps_to_it(void **state)
{
	(void)state;
	bench_leading(2);
	resign_to(1);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_successor(1);
	assert_int_equal(bench.sent[ELECT_GOODBYE].loss, ELECT_LOSS_STOP);
}

/* Nobody could take over then: it led on without the role, and leads again. */
static void of_a_resignation_that_came_to_nothing_it_is_forgotten(void **state)
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
	assert_true(bench.e->established);
	bench_hears(bench_aythere(1, &bench.e->group));
	bench_join(2);
	bench_clear();
	hold();
	assert_successor(2);
}

static void a_member_keeps_nothing_of_it(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	resign_to(60);
	assert_true(elect_id_is_zero(&bench.e->resign_to));
}

static void how_long_the_demotion_runs_and_the_bar_lasts_is_told(void **state)
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
		TEST(the_goodbye_names_who_was_asked_for),
		TEST(so_it_does_three_times),
		TEST(who_is_gone_by_then_is_not_named),
		TEST(nor_is_who_may_not_lead),
		TEST(asked_again_the_last_one_counts),
		TEST(a_stop_keeps_to_it),
		TEST(of_a_resignation_that_came_to_nothing_it_is_forgotten),
		TEST(a_member_keeps_nothing_of_it),
		TEST(how_long_the_demotion_runs_and_the_bar_lasts_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
