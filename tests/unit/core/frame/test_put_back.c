/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine was put back to an earlier state (sessions.md, Put back): the role ends at once, the
 * host listens as after a start, and it reuses no number that it may have used since.
 */
#include "bench.h"

static void put_back(void)
{
	bench_clear();
	bench.event.type = ELECT_EVENT_PUT_BACK;
	bench.event.put_back = (struct elect_put_back){ .session = 77, .seed = 0x5eed };
	bench_step();
}

static void a_host_put_back_listens_as_after_a_start(void **state)
{
	uint64_t token;

	(void)state;
	bench_leader();
	token = bench_view().token;
	put_back();
	bench_for(bench.e->config.start_hold_us - 1);
	assert_int_equal(bench_view().state, ELECT_DOWN);
	bench_for(10 * (uint64_t)SECOND_US);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_true(bench_view().token > token);
}

/* The disk of this host does not have the numbers reserved since. */
static void the_next_groups_are_a_step_above_the_reserve(void **state)
{
	uint64_t reserved;

	(void)state;
	bench_leader();
	reserved = bench.e->reserved += 2 * START_SPREAD; /* more than one start step */
	put_back();
	assert_in_range(bench.e->base, reserved, reserved + START_SPREAD);
	assert_int_not_equal(bench.e->base, reserved);
	assert_true(bench_actions(ELECT_ACTION_PERSIST) > 0);
	bench_for(10 * (uint64_t)SECOND_US);
	assert_true(bench.e->group.counter > reserved + 1);
}

/* The generator was put back, too, so the new seed must decide. */
static void two_hosts_from_one_snapshot_take_different_steps(void **state)
{
	uint64_t base[2];

	for (unsigned i = 0; i < 2; i++) {
		bench_leader();
		bench.event.type = ELECT_EVENT_PUT_BACK;
		bench.event.put_back = (struct elect_put_back){ .session = 77, .seed = i };
		bench_step();
		base[i] = bench.e->base;
		bench_tear_down(state);
		bench_set_up(state);
	}
	assert_int_not_equal(base[0], base[1]);
}

/* This host may have answered the beacon of a coordinator that still counts it (6). */
static void a_host_put_back_is_bound_as_after_a_start(void **state)
{
	(void)state;
	bench_leading(2);
	put_back();
	assert_int_equal(
		bench.e->bound_until_us, bench.now_us + bench_dead_after() + QUORUM_MARGIN_US);
}

static void a_hold_survives_being_put_back(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_released();
	put_back();
	assert_true(bench_view().held);
}

/* The demotion was for another leader, whose group this host has left. */
static void a_pending_demotion_ends_when_put_back(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	assert_true(bench_view().yielding);
	put_back();
	assert_false(bench_view().yielding);
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	assert_int_equal(bench_view().state, ELECT_DOWN);
}

static void a_stop_continues_after_being_put_back(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	put_back();
	assert_true(bench_actions(ELECT_ACTION_EXIT) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_set_up, bench_tear_down)
		WITH_BENCH(a_host_put_back_listens_as_after_a_start),
		WITH_BENCH(the_next_groups_are_a_step_above_the_reserve),
		WITH_BENCH(two_hosts_from_one_snapshot_take_different_steps),
		WITH_BENCH(a_host_put_back_is_bound_as_after_a_start),
		WITH_BENCH(a_hold_survives_being_put_back),
		WITH_BENCH(a_pending_demotion_ends_when_put_back),
		WITH_BENCH(a_stop_continues_after_being_put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
