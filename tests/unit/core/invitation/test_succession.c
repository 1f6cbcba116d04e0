/* SPDX-License-Identifier: Apache-2.0 */
/*
 * succession.c (merge.md, succession.md): which successor goes first, which hosts it expects, and
 * how many must follow before it leads at once.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

enum { OTHER = 11 };

static const unsigned before[] = { 60, 61 };

static void the_rank_ignores_the_lost_coordinator(void **state)
{
	(void)state;
	bench_member_of(70, 5, before, 2);
	assert_int_equal(succession_rank(bench.e), 2);
	bench_tear_down(state);
	bench_set_up(state);
	bench_member_of(70, 5, NULL, 0);
	assert_int_equal(succession_rank(bench.e), 0);
}

static void an_unknown_successor_costs_the_first_member_one_step(void **state)
{
	(void)state;
	bench_member_of(70, 5, NULL, 0);
	assert_int_equal(succession_wait_us(bench.e), 0);
	bench.e->watch.successor = bench_id(99);
	assert_int_equal(succession_wait_us(bench.e), SUCCESSION_STEP_US);
	bench.e->watch.successor = bench_id(BENCH_SELF);
	assert_int_equal(succession_wait_us(bench.e), 0);
}

static void a_successor_invites_all_but_the_lost_coordinator(void **state)
{
	(void)state;
	bench_member_of(70, 5, before, 2);
	bench_for(bench_dead_after() + 2 * SUCCESSION_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_SUCCESSION);
	assert_int_equal(bench.sent[ELECT_INVITATION].loss, ELECT_LOSS_SILENCE);
	bench_assert_id(&bench.sent[ELECT_INVITATION].from_group.coordinator, 70);
}

static const unsigned members[] = { 60, 1, 2, 3 };

static void succeed_with(unsigned others, enum elect_loss loss)
{
	bench_member_of(70, 5, members + 1, others);
	bench_goodbye(70, &bench.e->group, loss)->other = bench_id(BENCH_SELF);
	bench_receive();
	bench_for(1000);
}

static void two_of_four_acknowledge(void)
{
	succeed_with(3, ELECT_LOSS_STOP);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_for(ACCEPT_QUIET_US);
	bench_hears(bench_ready_answer(1));
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(role_leads(bench.e));
}

static void third_acknowledges(uint64_t later)
{
	two_of_four_acknowledge();
	bench_for(later);
	bench_hears(bench_ready_answer(2));
}

static void a_late_acknowledgement_counts(void **state)
{
	(void)state;
	third_acknowledges(BENCH_BEACON_US / 2);
	assert_true(role_leads(bench.e));
}

static void an_acknowledgement_a_beacon_later_does_not_count(void **state)
{
	(void)state;
	third_acknowledges(BENCH_BEACON_US * 3 / 2);
	assert_false(role_leads(bench.e));
}

static void an_acknowledgement_of_a_late_newcomer_does_not_count(void **state)
{
	(void)state;
	two_of_four_acknowledge();
	bench_accept(OTHER, &bench.e->group);
	bench_admit(OTHER);
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(role_leads(bench.e));
}

static void a_host_that_never_acknowledged_is_no_follower(void **state)
{
	(void)state;
	succeed_with(3, ELECT_LOSS_STOP);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_accept_from(3);
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, 4);
	assert_false(role_leads(bench.e));
}

static void a_lone_successor_leads_at_once_after_a_resignation(void **state)
{
	(void)state;
	succeed_with(0, ELECT_LOSS_RESIGN);
	assert_true(role_leads(bench.e));
}

/* A host that leads no group merges with this one, and acknowledges the list. */
static void merge_with_other(void)
{
	bench_aycoord_answer(OTHER, 9)->floor = UINT64_C(9) << 24;
	bench_receive();
	bench_for(10000);
	bench_accept_from(OTHER);
	bench_hears(bench_ready_answer(OTHER));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_merge_ends_the_lone_hold(void **state)
{
	(void)state;
	bench_alone();
	merge_with_other();
	assert_true(role_leads(bench.e));
}

static void a_merge_does_not_end_another_wait(void **state)
{
	uint64_t from;

	(void)state;
	bench_alone();
	from = bench.e->lead_from_us += 1000;
	merge_with_other();
	bench_until(from - 1);
	assert_false(role_leads(bench.e));
	bench_until(from);
	assert_true(role_leads(bench.e));
}

static void a_join_ends_the_lone_hold(void **state)
{
	(void)state;
	bench_alone();
	bench_join(OTHER);
	assert_true(role_leads(bench.e));
}

static void an_invitation_does_not_name_accepts_of_an_earlier_one(void **state)
{
	(void)state;
	bench_inviting(2, OTHER);
	bench_accept_from(1);
	bench_decline(2, ELECT_WHY_STALE)->floor = UINT64_C(40) << 24;
	bench_receive();
	assert_int_equal(bench.sent[ELECT_INVITATION].group.counter, 41);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted_count, 0);
	assert_int_equal(bench.e->next.count, 1);
}

static void the_last_of_three_members_may_not_be_alone_after_a_goodbye(void **state)
{
	(void)state;
	succeed_with(1, ELECT_LOSS_STOP);
	bench_for(ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->up.count, 1);
	assert_false(role_leads(bench.e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_rank_ignores_the_lost_coordinator),
		TEST(an_unknown_successor_costs_the_first_member_one_step),
		TEST(a_successor_invites_all_but_the_lost_coordinator),
		TEST(a_late_acknowledgement_counts),
		TEST(an_acknowledgement_a_beacon_later_does_not_count),
		TEST(an_acknowledgement_of_a_late_newcomer_does_not_count),
		TEST(a_host_that_never_acknowledged_is_no_follower),
		TEST(a_lone_successor_leads_at_once_after_a_resignation),
		TEST(a_merge_ends_the_lone_hold),
		TEST(a_merge_does_not_end_another_wait),
		TEST(a_join_ends_the_lone_hold),
		TEST(an_invitation_does_not_name_accepts_of_an_earlier_one),
		TEST(the_last_of_three_members_may_not_be_alone_after_a_goodbye),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
