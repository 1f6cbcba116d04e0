/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No role is lost, and none begins, with the reason of an older change, or of one that only a list
 * made meanwhile: each says why, and by whom (messages.md, "Reasons"). Other reasons are tested
 * where they arise.
 */
#include "unit/core/frame/bench.h"

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
	bench.now_us = bench.out.wake_us + bench_dead_after();
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
	bench_hears(bench_beacon(60));
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	stand_still();
	lost_because(ELECT_REASON_STALLED, BENCH_SELF);
}

/* ---- members come and go meanwhile ----------------------------------------------------------- */

static void who_leads_with_its_quorum_names_who_came(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	bench_join(1);
	assert_true(bench.e->established);
	bench_assert_because(ELECT_REASON_QUORUM_MET, 1);
}

/* Host 60 coordinates and does not lead. */
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

/* The list that comes after the Goodbye of its coordinator is not why there is another group. */
static void a_succession_says_whom_it_lost(void **state)
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

static void who_missed_an_invitation_says_whose_group_it_is(void **state)
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

static void a_demotion_says_what_it_was_asked_for(void **state)
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

/* No role is lost in a merge; when it is over, not because of it. */
static void a_leader_held_in_a_merge_says_so(void **state)
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

static void who_leads_again_does_not_name_what_barred_it(void **state)
{
	(void)state;
	bench_leader();
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_released();
	lost_because(ELECT_REASON_HELD, BENCH_SELF);
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	assert_true(bench.e->established);
	bench_assert_because(ELECT_REASON_ALONE, BENCH_SELF);
}

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
		TEST(who_leads_with_its_quorum_names_who_came),
		TEST(a_succession_says_whom_it_lost),
		TEST(who_missed_an_invitation_says_whose_group_it_is),
		TEST(a_demotion_says_what_it_was_asked_for),
		TEST(a_leader_held_in_a_merge_says_so),
		TEST(who_leads_again_does_not_name_what_barred_it),
	};

	return cmocka_run_group_tests_name("invitation_reasons", tests, NULL, NULL);
}
