/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No role is lost with the reason of an older change: each way out of a role says why, and by
 * whom (messages.md, "Reasons"). Other reasons are tested where they arise.
 */
#include "elect_bench.h"

/* The view in which the role was lost, not a later one. */
static struct elect_view lost_view(void)
{
	for (unsigned i = 0; i < bench.log_count; i++)
		if (bench.log[i].type == ELECT_ACTION_VIEW &&
			bench.log[i].view.role == ELECT_ROLE_NONE)
			return bench.log[i].view;
	fail_msg("no role was lost");
	return (struct elect_view){ 0 };
}

static void lost_because(enum elect_reason reason, unsigned cause)
{
	struct elect_view v = lost_view();

	assert_string_equal(elect_reason_name(v.reason), elect_reason_name(reason));
	bench_assert_id(&v.cause, cause);
}

static void a_leader_that_stops_says_so(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_STOPPING, BENCH_SELF);
}

static void priority_0_is_a_resignation(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_PRIORITY)->priority = 0;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_COORDINATOR_RESIGNED, BENCH_SELF);
}

static void so_is_priority_0_in_a_new_configuration(void **state)
{
	struct elect_command *c;

	(void)state;
	bench_leading(2);
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = bench.e->config;
	c->config.priority = 0;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_COORDINATOR_RESIGNED, BENCH_SELF);
}

static void a_held_leader_says_so(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_HELD, BENCH_SELF);
}

static void a_leader_that_is_preempted_names_the_better_one(void **state)
{
	(void)state;
	bench.event.start.config.preempt = true;
	bench_leader();
	bench_accept(1, &bench.e->group);
	bench.m.standing.preempt_agreed = true;
	bench_admit(1);
	bench_clear();
	bench_aythere(1, &bench.e->group);
	bench.m.standing.preempt_agreed = true;
	bench.m.standing.priority = 200;
	bench_receive();
	bench_released();
	lost_because(ELECT_REASON_YIELDED, 1);
}

static void stand_still(void)
{
	bench_clear();
	bench.now_us = bench.out.wake_us + bench.e->config.timings.dead_after_us;
	bench_tick();
}

static void a_leader_that_stood_still_says_so(void **state)
{
	(void)state;
	bench_leading(2);
	stand_still();
	lost_because(ELECT_REASON_STALLED, BENCH_SELF);
}

static void and_so_does_a_follower(void **state)
{
	const unsigned others[] = { 1, 2 };

	(void)state;
	bench_member_of(60, 5, others, 2);
	bench_beacon(60);
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	stand_still();
	lost_because(ELECT_REASON_STALLED, BENCH_SELF);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_leader_that_stops_says_so),
		TEST(priority_0_is_a_resignation),
		TEST(so_is_priority_0_in_a_new_configuration),
		TEST(a_held_leader_says_so),
		TEST(a_leader_that_is_preempted_names_the_better_one),
		TEST(a_leader_that_stood_still_says_so),
		TEST(and_so_does_a_follower),
	};

	return cmocka_run_group_tests_name("invitation_reasons", tests, NULL, NULL);
}
