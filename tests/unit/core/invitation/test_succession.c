/* SPDX-License-Identifier: Apache-2.0 */
/*
 * succession.c, and with it when a new coordinator leads (algorithm.md 4.1, 4.5): who goes first,
 * whom it expects, and how many must follow for it to lead at once.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

enum { OTHER = 11 };

/* ---- rank and turn --------------------------------------------------------------------------- */

static const unsigned before[] = { 60, 61 };

static void the_rank_does_not_count_the_one_that_is_gone(void **state)
{
	(void)state;
	bench_member_of(70, 5, before, 2);
	assert_int_equal(succession_rank(bench.e), 2);
	bench_tear_down(state);
	bench_set_up(state);
	bench_member_of(70, 5, NULL, 0);
	assert_int_equal(succession_rank(bench.e), 0);
}

static void a_successor_nobody_knows_leaves_a_step_to_the_first(void **state)
{
	(void)state;
	bench_member_of(70, 5, NULL, 0);
	assert_int_equal(succession_wait_us(bench.e), 0);
	bench.e->watch.successor = bench_id(99);
	assert_int_equal(succession_wait_us(bench.e), SUCCESSION_STEP_US);
	bench.e->watch.successor = bench_id(BENCH_SELF);
	assert_int_equal(succession_wait_us(bench.e), 0);
}

static void it_invites_everybody_but_the_one_that_is_gone(void **state)
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

/* ---- when it leads --------------------------------------------------------------------------- */

static const unsigned members[] = { 60, 1, 2, 3 };

/* Member of 70 with three others that stand behind, told that 70 has gone. */
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
	assert_false(bench.e->established);
}

/* ... `later` than the window. */
static void third_acknowledges(uint64_t later)
{
	two_of_four_acknowledge();
	bench_for(later);
	bench_hears(bench_ready_answer(2));
}

static void acknowledgements_that_are_read_late_count(void **state)
{
	(void)state;
	third_acknowledges(BENCH_BEACON_US / 2);
	assert_true(bench.e->established);
}

static void but_not_those_of_a_beacon_later(void **state)
{
	(void)state;
	third_acknowledges(BENCH_BEACON_US * 3 / 2);
	assert_false(bench.e->established);
}

/* A newcomer is no survivor of the old group. */
static void nor_that_of_a_host_that_joins_late(void **state)
{
	(void)state;
	two_of_four_acknowledge();
	bench_accept(OTHER, &bench.e->group);
	bench_admit(OTHER);
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(bench.e->established);
}

static void who_only_accepted_but_never_acknowledged_is_no_follower(void **state)
{
	(void)state;
	succeed_with(3, ELECT_LOSS_STOP);
	bench_accept_from(1);
	bench_accept_from(2);
	bench_accept_from(3);
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, 4);
	assert_false(bench.e->established);
}

static void so_it_does_when_the_other_resigned(void **state)
{
	(void)state;
	succeed_with(0, ELECT_LOSS_RESIGN);
	assert_true(bench.e->established);
}

static void a_lone_host_that_merges_keeps_to_its_lone_hold(void **state)
{
	uint64_t from;

	(void)state;
	bench_alone();
	from = bench.e->lead_from_us;
	bench_aycoord_answer(OTHER, 9)->floor = UINT64_C(9) << 24;
	bench_receive();
	bench_for(10000);
	bench_accept_from(OTHER);
	bench_hears(bench_ready_answer(OTHER));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(bench.e->established);
	bench_until(from - 1);
	assert_false(bench.e->established);
	bench_until(from);
	assert_true(bench.e->established);
}

static void an_invitation_names_nobody_who_accepted_an_earlier_one(void **state)
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

static void the_last_of_three_left_by_one_goodbye_is_not_alone_for_sure(void **state)
{
	(void)state;
	succeed_with(1, ELECT_LOSS_STOP);
	bench_for(ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->up.count, 1);
	assert_false(bench.e->established);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_rank_does_not_count_the_one_that_is_gone),
		TEST(a_successor_nobody_knows_leaves_a_step_to_the_first),
		TEST(it_invites_everybody_but_the_one_that_is_gone),
		TEST(acknowledgements_that_are_read_late_count),
		TEST(but_not_those_of_a_beacon_later),
		TEST(nor_that_of_a_host_that_joins_late),
		TEST(who_only_accepted_but_never_acknowledged_is_no_follower),
		TEST(so_it_does_when_the_other_resigned),
		TEST(a_lone_host_that_merges_keeps_to_its_lone_hold),
		TEST(an_invitation_names_nobody_who_accepted_an_earlier_one),
		TEST(the_last_of_three_left_by_one_goodbye_is_not_alone_for_sure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
