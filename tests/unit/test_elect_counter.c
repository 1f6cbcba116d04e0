/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters and their reserve on the disk (algorithm.md 4.7; trust.md 5): what is heard counts, a
 * reserve is usable once a second write confirmed it, and a lost state starts above all it hears.
 */
#include "elect_bench.h"

static struct elect_persisted asked(void)
{
	const struct elect_persisted *p = bench_asked_to_persist();

	assert_non_null(p);
	return *p;
}

static void a_reserve_is_usable_after_its_second_confirmed_write(void **state)
{
	struct elect_persisted first, second;

	(void)state;
	bench.disk_off = true;
	bench_step();
	first = asked();
	assert_true(first.reserved >= RESERVE_BLOCK);
	assert_false(elect_can_form(bench.e));
	bench_persisted(&first, true);
	assert_false(elect_can_form(bench.e));
	second = asked();
	assert_int_equal(second.reserved, first.reserved);
	bench_persisted(&second, true);
	assert_true(elect_can_form(bench.e));
	assert_null(bench_asked_to_persist());
}

static void no_group_is_formed_before_that(void **state)
{
	struct elect_persisted first;

	(void)state;
	bench.disk_off = true;
	bench_step();
	first = asked();
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_persisted(&first, true);
	first = asked();
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_persisted(&first, true);
	bench_for(200000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_failed_write_bars_from_leading_and_is_tried_again(void **state)
{
	(void)state;
	bench_leader();
	bench.disk_off = true;
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	bench_persisted(bench_asked_to_persist(), false);
	assert_false(elect_may_lead(bench.e));
	assert_true(bench_view().problems & ELECT_PROBLEM_NOT_PERSISTED);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	bench_released();
	assert_false(bench.e->established);
	bench_clear();
	bench_for(PERSIST_RETRY_US);
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 1);
}

static void it_leads_again_when_the_retry_succeeds(void **state)
{
	(void)state;
	bench_leader();
	bench.disk_off = true;
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	bench_persisted(bench_asked_to_persist(), false);
	bench_released();
	bench.disk_off = false;
	bench_for(PERSIST_RETRY_US + 1000);
	assert_true(elect_may_lead(bench.e));
	assert_true(bench.e->established);
	assert_false(bench_view().problems & ELECT_PROBLEM_NOT_PERSISTED);
}

static void one_write_at_a_time_and_the_last_wish_wins(void **state)
{
	struct elect_persisted first;

	(void)state;
	bench_leader();
	bench.disk_off = true;
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	first = asked();
	assert_true(first.held);
	bench_clear();
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 0);
	bench_persisted(&first, true);
	assert_false(asked().held);
}

static void more_is_reserved_before_the_reserve_runs_out(void **state)
{
	uint64_t reserved;

	(void)state;
	bench_alone();
	reserved = bench.e->usable;
	bench_hello(1)->counter = reserved - RESERVE_MARGIN - 1;
	bench_receive();
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 0);
	bench_hello(1)->counter = reserved - RESERVE_MARGIN + 1;
	bench_receive();
	assert_true(bench_actions(ELECT_ACTION_PERSIST) >= 1);
	assert_true(bench.e->usable > reserved);
	assert_true(elect_can_form(bench.e));
}

/* ---- what is heard --------------------------------------------------------------------------- */

static void the_counter_follows_whatever_is_heard_and_never_falls(void **state)
{
	(void)state;
	bench_down();
	bench_hello(1)->counter = 40;
	bench_receive();
	assert_int_equal(elect_counter(bench.e), 40);
	bench_hello(2)->counter = 7;
	bench.m.proven = false;
	bench_receive();
	assert_int_equal(elect_counter(bench.e), 40);
	bench_for(bench.e->config.start_hold_us * 2);
	assert_int_equal(bench.e->group.counter, 41);
}

static void counters_inside_of_messages_are_heard_too(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 90, ELECT_INVITE_MERGE)->counter = 5;
	bench_receive();
	assert_true(elect_counter(bench.e) >= 90);
}

static void a_new_group_is_above_the_reserve_of_former_starts(void **state)
{
	(void)state;
	bench.event.start.reserved = 700;
	bench.event.start.floor = UINT64_C(20) << 24;
	bench_alone();
	assert_in_range(bench.e->group.counter, 701, 700 + START_SPREAD);
}

static void at_the_limit_no_group_is_formed(void **state)
{
	(void)state;
	bench_down();
	bench_hello(1)->counter = ELECT_COUNTER_LIMIT - 1;
	bench_receive();
	assert_false(elect_can_form(bench.e));
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_hello(1)->counter = ELECT_COUNTER_LIMIT - 2;
	bench_receive();
	assert_int_equal(elect_counter(bench.e), ELECT_COUNTER_LIMIT - 1);
}

static void the_last_counter_below_the_limit_can_be_used(void **state)
{
	(void)state;
	bench_down();
	bench_hello(1)->counter = ELECT_COUNTER_LIMIT - 2 - 1;
	bench_receive();
	bench_for(5000000);
	assert_int_equal(bench.e->group.counter, ELECT_COUNTER_LIMIT - 2);
}

static void a_refused_counter_is_told(void **state)
{
	(void)state;
	bench_alone();
	elect_counter_refused(bench.e);
	bench_tick();
	assert_true(bench_view().problems & ELECT_PROBLEM_COUNTER_REFUSED);
	bench_for(DIFFERENCE_FORGET_US + 1000000);
	assert_false(bench_view().problems & ELECT_PROBLEM_COUNTER_REFUSED);
}

/* ---- a lost state ---------------------------------------------------------------------------- */

static void a_lost_state_listens_and_then_starts_above_all_it_heard(void **state)
{
	(void)state;
	bench.event.start.state_lost = true;
	bench_step();
	for (unsigned i = 0; i < bench.log_count; i++)
		if (bench.log[i].type == ELECT_ACTION_PERSIST)
			assert_int_equal(bench.log[i].persist.reserved, 0);
	assert_true(bench_view().problems & ELECT_PROBLEM_STATE_LOST);
	bench_hello(1)->counter = 5000;
	bench_receive();
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(bench.e->group.counter > 5000 + 1);
	assert_true(bench.e->group.counter <= 5000 + 2 + STATE_LOST_SPREAD);
}

static void once_lost_it_keeps_a_distance_from_what_it_hears(void **state)
{
	uint64_t used;

	(void)state;
	bench.event.start.state_lost = true;
	bench_step();
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	used = bench.e->group.counter;
	bench_hello(1)->counter = used + 100 + STATE_LOST_SPREAD;
	bench_receive();
	assert_true(bench.e->base > used + 100 + STATE_LOST_SPREAD);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reserve_is_usable_after_its_second_confirmed_write),
		TEST(no_group_is_formed_before_that),
		TEST(a_failed_write_bars_from_leading_and_is_tried_again),
		TEST(it_leads_again_when_the_retry_succeeds),
		TEST(one_write_at_a_time_and_the_last_wish_wins),
		TEST(more_is_reserved_before_the_reserve_runs_out),
		TEST(the_counter_follows_whatever_is_heard_and_never_falls),
		TEST(counters_inside_of_messages_are_heard_too),
		TEST(a_new_group_is_above_the_reserve_of_former_starts),
		TEST(at_the_limit_no_group_is_formed),
		TEST(the_last_counter_below_the_limit_can_be_used),
		TEST(a_refused_counter_is_told),
		TEST(a_lost_state_listens_and_then_starts_above_all_it_heard),
		TEST(once_lost_it_keeps_a_distance_from_what_it_hears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
