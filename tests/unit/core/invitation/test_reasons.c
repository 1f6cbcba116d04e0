/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A role never begins or ends with the reason of an older change, or of a change that only a list
 * made meanwhile: each change has its own reason and cause (messages.md, "Reasons"). Other reasons
 * are tested next to their cause.
 */
#include "unit/core/frame/bench.h"

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

static void a_leader_that_stops_shows_stopping(void **state)
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

static void priority_0_in_a_new_configuration_is_a_resignation(void **state)
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

static void a_held_leader_shows_held(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_HELD, BENCH_SELF);
}

static void a_preempted_leader_names_its_successor(void **state)
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
	bench.now_us = bench.out.wake_us + bench_dead_after();
	bench_tick();
}

static void a_stalled_leader_shows_stalled(void **state)
{
	(void)state;
	bench_leading(2);
	stand_still();
	lost_because(ELECT_REASON_STALLED, BENCH_SELF);
}

static void a_stalled_follower_shows_stalled(void **state)
{
	const unsigned others[] = { 1, 2 };

	(void)state;
	bench_member_of(60, 5, others, 2);
	bench_hears(bench_beacon(60));
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	stand_still();
	lost_because(ELECT_REASON_STALLED, BENCH_SELF);
}

static void a_leader_that_meets_its_quorum_names_the_newcomer(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	bench_join(1);
	assert_true(role_leads(bench.e));
	bench_assert_because(ELECT_REASON_QUORUM_MET, 1);
}

/* Host 60 is coordinator and does not lead. */
static void follow_the_unled(struct roster *list)
{
	const unsigned others[] = { 1, 2 };
	struct elect_group g = bench_group(60, 5);

	bench_awaiting(60, 5);
	bench_list(list, 60, others, 2);
	bench_ready(&g, 60, list, 1, 0)->standing.established = false;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	bench_assert_because(ELECT_REASON_INVITED, 60);
}

/* The list that comes after the Goodbye of its coordinator is not the reason for the new group. */
static void a_succession_names_the_lost_coordinator(void **state)
{
	static struct roster list;
	const unsigned others[] = { 1, 2 }, other[] = { 1 };

	(void)state;
	bench_member_of(70, 5, others, 2);
	bench_hears(bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP));
	bench_list(&list, 70, other, 1);
	bench_receive_list(&bench.e->group, 70, &list, 2);
	bench_for(2 * SUCCESSION_STEP_US);
	bench_assert_id(&bench.e->group.coordinator, BENCH_SELF);
	bench_assert_because(ELECT_REASON_COORDINATOR_STOPPED, 70);
}

static void a_host_that_missed_an_invitation_names_its_coordinator(void **state)
{
	static struct roster list;
	const unsigned others[] = { 1, 2, 3 };

	(void)state;
	follow_the_unled(&list);
	bench_list(&list, 60, others, 3);
	bench_receive_list(&bench.e->group, 60, &list, 2);
	bench_hears(bench_aycoord(60, 9));
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_assert_because(ELECT_REASON_INVITED, 60);
}

static void a_demotion_shows_the_reason_of_its_request(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_PRIORITY)->priority = 0;
	bench_step();
	bench_hears(bench_goodbye(1, &bench.e->group, ELECT_LOSS_STOP));
	bench_assert_because(ELECT_REASON_STOPPING, 1);
	bench_released();
	lost_because(ELECT_REASON_COORDINATOR_RESIGNED, BENCH_SELF);
}

/* The merge does not end the role. The hold ends it after the merge. */
static void a_leader_held_in_a_merge_shows_held(void **state)
{
	(void)state;
	bench_inviting(0, 70);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_for(ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(bench_view().yielding);
	bench_released();
	lost_because(ELECT_REASON_HELD, BENCH_SELF);
}

static void a_leader_after_a_hold_does_not_show_the_hold(void **state)
{
	(void)state;
	bench_leader();
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_HELD, BENCH_SELF);
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	assert_true(role_leads(bench.e));
	bench_assert_because(ELECT_REASON_ALONE, BENCH_SELF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_leader_that_stops_shows_stopping),
		TEST(priority_0_is_a_resignation),
		TEST(priority_0_in_a_new_configuration_is_a_resignation),
		TEST(a_held_leader_shows_held),
		TEST(a_preempted_leader_names_its_successor),
		TEST(a_stalled_leader_shows_stalled),
		TEST(a_stalled_follower_shows_stalled),
		TEST(a_leader_that_meets_its_quorum_names_the_newcomer),
		TEST(a_succession_names_the_lost_coordinator),
		TEST(a_host_that_missed_an_invitation_names_its_coordinator),
		TEST(a_demotion_shows_the_reason_of_its_request),
		TEST(a_leader_held_in_a_merge_shows_held),
		TEST(a_leader_after_a_hold_does_not_show_the_hold),
	};

	return cmocka_run_group_tests_name("invitation_reasons", tests, NULL, NULL);
}
