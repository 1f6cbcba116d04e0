/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counter.c (counter.md): the counter follows what is heard, a reserve on the
 * disk is usable after its second confirmed write, and a host that lost its state starts above all
 * that it hears.
 */
#include "bench.h"

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
	assert_false(counter_can_form(bench.e));
	bench_persisted(&first, true);
	assert_false(counter_can_form(bench.e));
	second = asked();
	assert_int_equal(second.reserved, first.reserved);
	bench_persisted(&second, true);
	assert_true(counter_can_form(bench.e));
	assert_null(bench_asked_to_persist());
}

static void no_group_is_formed_before_the_second_write(void **state)
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

static void lead_and_fail_to_write(void)
{
	bench_leader();
	bench.disk_off = true;
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	bench_persisted(bench_asked_to_persist(), false);
}

static void a_leader_whose_write_failed_leads_again_after_the_retry(void **state)
{
	(void)state;
	lead_and_fail_to_write();
	bench_released();
	bench.disk_off = false;
	bench_for(PERSIST_RETRY_US + 1000);
	assert_true(self_may_lead(bench.e));
	assert_true(role_leads(bench.e));
	assert_false(bench_view().problems & ELECT_PROBLEM_NOT_PERSISTED);
}

static void one_write_runs_at_a_time_and_the_last_request_wins(void **state)
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

/* The host exits without waiting for the first write. */
static void a_host_that_exits_has_requested_the_last_write(void **state)
{
	(void)state;
	bench_alone();
	bench.disk_off = true;
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_true(asked().held);
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	bench_clear();
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	if (!bench_actions(ELECT_ACTION_EXIT))
		bench_for(1000000);
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 1);
	assert_false(asked().held);
}

/* One step at a time, as elections advance the counter. */
static void heard_up_to(uint64_t counter)
{
	while (elect_counter(bench.e) < counter) {
		bench_hello(1)->counter = elect_counter(bench.e) + 1;
		bench_receive();
		if (bench_actions(ELECT_ACTION_PERSIST) == 0)
			bench_clear();
		bench_for(1000);
	}
}

static void more_is_reserved_before_the_reserve_runs_out(void **state)
{
	uint64_t reserved;

	(void)state;
	bench_alone();
	reserved = bench.e->usable;
	bench_clear();
	heard_up_to(reserved - RESERVE_MARGIN);
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 0);
	heard_up_to(reserved - RESERVE_MARGIN + 1);
	assert_true(bench_actions(ELECT_ACTION_PERSIST) >= 1);
	assert_int_equal(bench.e->usable, elect_counter(bench.e) + RESERVE_BLOCK);
	assert_true(counter_can_form(bench.e));
}

static void advanced_to(uint64_t counter)
{
	bench_hello(1)->counter = counter;
	bench_receive();
}

static const uint64_t out_of_reach = ELECT_COUNTER_LIMIT - 2;

static void other_hosts_advance_the_counter_within_the_bucket(void **state)
{
	uint64_t before;

	(void)state;
	bench_alone();
	before = elect_counter(bench.e);
	advanced_to(out_of_reach);
	assert_int_equal(elect_counter(bench.e), before + ELECT_ADVANCE_FULL);
	advanced_to(out_of_reach);
	assert_int_equal(elect_counter(bench.e), before + ELECT_ADVANCE_FULL);
	bench_for(1000000);
	advanced_to(out_of_reach);
	assert_int_equal(elect_counter(bench.e), before + ELECT_ADVANCE_FULL + ELECT_ADVANCE_PER_S);
	bench_for(100000000);
	advanced_to(out_of_reach);
	assert_int_equal(
		elect_counter(bench.e), before + 2 * ELECT_ADVANCE_FULL + ELECT_ADVANCE_PER_S);
}

static void an_unproven_session_advances_nothing(void **state)
{
	uint64_t before;

	(void)state;
	bench_alone();
	before = elect_counter(bench.e);
	bench_hello(1)->counter = before + 1;
	bench.m.proven = false;
	bench_receive();
	assert_int_equal(elect_counter(bench.e), before);
}

static void an_advance_within_the_own_reserve_costs_nothing(void **state)
{
	(void)state;
	bench.event.start.reserved = 5 * ELECT_ADVANCE_FULL;
	bench_down();
	advanced_to(5 * ELECT_ADVANCE_FULL);
	assert_int_equal(elect_counter(bench.e), 5 * ELECT_ADVANCE_FULL);
	advanced_to(out_of_reach);
	assert_int_equal(elect_counter(bench.e), 6 * ELECT_ADVANCE_FULL);
}

static unsigned pushed_writes;

/* Empties the bucket at once, then takes what refills it in each millisecond. */
static void pushed_for(uint64_t us, uint64_t step)
{
	for (uint64_t at = 0; at < us; at += 1000) {
		uint64_t to = elect_counter(bench.e) + step;

		advanced_to(to < out_of_reach ? to : out_of_reach);
		pushed_writes += bench_actions(ELECT_ACTION_PERSIST);
		assert_true(counter_can_form(bench.e));
		bench_clear();
		bench_for(1000);
		pushed_writes += bench_actions(ELECT_ACTION_PERSIST);
		bench_clear();
	}
}

static void a_pushed_counter_costs_at_most_two_writes_a_second(void **state)
{
	(void)state;
	bench_alone();
	bench_clear();
	pushed_writes = 0;
	pushed_for(60000000, out_of_reach);
	assert_in_range(pushed_writes, 1, 2 * 60);
}

static void small_advances_do_not_each_cost_a_write(void **state)
{
	(void)state;
	bench_alone();
	bench_clear();
	pushed_writes = 0;
	pushed_for(1000000, 20000);
	/* the small blocks, a large one, and one for the rest */
	assert_in_range(pushed_writes, 1, 2 * (RESERVES_SMALL + 2));
	pushed_for(19000000, 20000);
	assert_in_range(pushed_writes, 1, 2 * 20);
}

static void a_large_reserve_is_released_after_the_push_and_at_a_stop(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned stops = 0; stops < 2; stops++) {
		pushed_for(1000000, 20000);
		assert_true(bench.e->reserved > elect_counter(bench.e) + RESERVE_PUSHED / 2);
		bench_for(stops ? 0 : 60000000);
		bench_command(stops ? ELECT_COMMAND_STOP : ELECT_COMMAND_HOLD)->on = false;
		bench_step();
		bench_released();
		assert_int_equal(bench.e->reserved, elect_counter(bench.e) + RESERVE_BLOCK);
	}
}

static void a_pushed_counter_is_reported_with_its_host_for_ten_minutes(void **state)
{
	struct elect_id id;

	(void)state;
	bench_alone();
	/* as far as a new domain and two starts may advance it */
	bench_hello(2)->counter = elect_counter(bench.e) + STATE_LOST_SPREAD + 2 * START_SPREAD;
	bench_receive();
	assert_false(bench_view().problems & ELECT_PROBLEM_COUNTER_PUSHED);
	advanced_to(elect_counter(bench.e) + ELECT_ADVANCE_FULL / 4);
	assert_true(bench_view().problems & ELECT_PROBLEM_COUNTER_PUSHED);
	assert_true(elect_advancer(bench.e, &id));
	assert_true(elect_id_equal(&id, &bench_hello(1)->sender));
	bench_for(PUSHED_FORGET_US - 2000000);
	assert_true(bench_view().problems & ELECT_PROBLEM_COUNTER_PUSHED);
	bench_for(4000000);
	assert_false(bench_view().problems & ELECT_PROBLEM_COUNTER_PUSHED);
}

static void the_counter_follows_what_is_heard_and_never_falls(void **state)
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

static void the_last_counter_below_the_limit_can_be_used(void **state)
{
	(void)state;
	bench_down();
	bench.e->base = ELECT_COUNTER_LIMIT - 3;
	bench.e->usable = ELECT_COUNTER_LIMIT;
	bench_for(5000000);
	assert_int_equal(bench.e->group.counter, ELECT_COUNTER_LIMIT - 2);
}

static void a_refused_counter_is_reported(void **state)
{
	(void)state;
	bench_alone();
	elect_counter_refused(bench.e);
	bench_tick();
	assert_true(bench_view().problems & ELECT_PROBLEM_COUNTER_REFUSED);
	bench_for(DIFFERENCE_FORGET_US + 1000000);
	assert_false(bench_view().problems & ELECT_PROBLEM_COUNTER_REFUSED);
}

static void a_host_without_state_starts_above_all_that_it_heard(void **state)
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

static void a_host_that_lost_its_state_keeps_a_distance(void **state)
{
	uint64_t base;

	(void)state;
	bench.event.start.state_lost = true;
	bench.event.start.reserved = 700;
	bench_alone();
	base = bench.e->base;
	advanced_to(base + 100);
	bench.e->distance = 77;
	assert_int_equal(counter_form_above(bench.e), base + 177);
	bench.e->usable = base + 177;
	assert_false(counter_can_form(bench.e));
}

static void a_push_does_not_change_the_base_of_a_lost_state(void **state)
{
	uint64_t base;

	(void)state;
	bench.event.start.state_lost = true;
	bench_step();
	bench_for(5000000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	base = bench.e->base;
	advanced_to(out_of_reach);
	assert_int_equal(bench.e->base, base);
	assert_int_equal(elect_counter(bench.e), base + ELECT_ADVANCE_FULL);
}

static void a_start_that_finds_a_reserve_has_no_lost_state(void **state)
{
	(void)state;
	bench.event.start.state_lost = true;
	bench.event.start.reserved = 700;
	bench_alone();
	assert_in_range(bench.e->group.counter, 701, 701 + START_SPREAD);
	assert_false(bench_view().problems & ELECT_PROBLEM_STATE_LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reserve_is_usable_after_its_second_confirmed_write),
		TEST(no_group_is_formed_before_the_second_write),
		TEST(a_leader_whose_write_failed_leads_again_after_the_retry),
		TEST(one_write_runs_at_a_time_and_the_last_request_wins),
		TEST(a_host_that_exits_has_requested_the_last_write),
		TEST(more_is_reserved_before_the_reserve_runs_out),
		TEST(other_hosts_advance_the_counter_within_the_bucket),
		TEST(an_unproven_session_advances_nothing),
		TEST(an_advance_within_the_own_reserve_costs_nothing),
		TEST(a_pushed_counter_costs_at_most_two_writes_a_second),
		TEST(small_advances_do_not_each_cost_a_write),
		TEST(a_large_reserve_is_released_after_the_push_and_at_a_stop),
		TEST(a_pushed_counter_is_reported_with_its_host_for_ten_minutes),
		TEST(the_counter_follows_what_is_heard_and_never_falls),
		TEST(counters_inside_of_messages_are_heard_too),
		TEST(a_new_group_is_above_the_reserve_of_former_starts),
		TEST(the_last_counter_below_the_limit_can_be_used),
		TEST(a_refused_counter_is_reported),
		TEST(a_host_without_state_starts_above_all_that_it_heard),
		TEST(a_host_that_lost_its_state_keeps_a_distance),
		TEST(a_push_does_not_change_the_base_of_a_lost_state),
		TEST(a_start_that_finds_a_reserve_has_no_lost_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
