/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c: newcomers join the existing group (merge.md, Join, F3, M4): no other host changes
 * its group, and one list version serves all who came. If the minimum token of a newcomer is above
 * the group's token, the group is formed anew.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static void hello_from(unsigned n)
{
	bench_hears(bench_hello(n));
}

static void newcomers_are_gathered_invited_and_listed_in_one_version(void **state)
{
	struct elect_group before;

	(void)state;
	bench_leading(1);
	before = bench.e->group;
	hello_from(2);
	hello_from(3);
	hello_from(3);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	bench_for(JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_JOIN);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2);
	bench_accept_from(2);
	assert_int_equal(bench.e->list_version, 2);
	bench_accept_from(3);
	assert_int_equal(bench.e->list_version, 3);
	assert_int_equal(bench.e->up.count, 4);
	assert_true(elect_group_equal(&bench.e->group, &before));
	assert_int_equal(bench_view().reason, ELECT_REASON_JOINED);
	assert_int_equal(bench_sent(ELECT_READY), 1);
}

static void only_newcomers_must_acknowledge(void **state)
{
	(void)state;
	bench_leading(2);
	bench_join(9);
	assert_int_equal(bench.sent[ELECT_READY].list_version, 4);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 1 << 1);
	assert_int_equal(bench.sent[ELECT_READY].missing[1], 0);
}

static void a_newcomer_is_listed_in_succession_order(void **state)
{
	(void)state;
	bench_leading(2);
	bench_hello(1);
	bench_accept(9, &bench.e->group)->standing.may_lead = false;
	bench_receive();
	bench_accept(60, &bench.e->group)->standing.priority = 120;
	bench_receive();
	bench_accept(61, &bench.e->group)->standing.incarnation = 4;
	bench.m.incarnation = 4;
	bench_accepted();
	bench_assert_id(&bench.e->up.members[0].id, BENCH_SELF);
	bench_assert_id(&bench.e->up.members[1].id, 60);
	bench_assert_id(&bench.e->up.members[2].id, 2);
	bench_assert_id(&bench.e->up.members[3].id, 1);
	bench_assert_id(&bench.e->up.members[4].id, 61);
	bench_assert_id(&bench.e->up.members[5].id, 9);
}

static void the_invitation_is_repeated_and_names_the_accepted_hosts(void **state)
{
	struct elect_id id = bench_id(2);

	(void)state;
	bench_leading(1);
	hello_from(2);
	hello_from(3);
	bench_for(JOIN_GATHER_US);
	bench_accept_from(2);
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 2);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted_count, 1);
	assert_int_equal(bench.sent[ELECT_INVITATION].accepted[0], elect_id_hash(&id));
	bench_for(ACCEPT_WINDOW_US + REPEAT_US);
	assert_true(bench_listed(2));
	assert_false(bench_listed(3));
	bench_clear();
	bench_for(ACCEPT_WINDOW_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

/* Each version is a list to all hosts, so fifty late Accepts must not become fifty versions. */
static void late_accepts_gather_before_the_join_closes(void **state)
{
	uint32_t version;

	(void)state;
	bench_leading(1);
	version = bench.e->list_version;
	for (unsigned n = 100; n < 150; n++)
		bench_accept_from(n);
	bench_for(JOIN_GATHER_US - 1);
	assert_int_equal(bench.e->list_version, version);
	bench_for(1);
	assert_int_equal(bench.e->list_version, version + 1);
	assert_int_equal(bench.e->up.count, 52);
}

static void an_accept_of_a_former_group_is_answered_no(void **state)
{
	struct elect_group former = bench_group(BENCH_SELF, 1);

	(void)state;
	bench_leading(1);
	former.counter = bench.e->group.counter - 1;
	bench_hears(bench_accept(9, &former));
	assert_false(bench_listed(9));
	assert_int_equal(bench_sent(ELECT_ACCEPT_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_ACCEPT_ANSWER].answer, ELECT_ANSWER_NO);
}

static void an_unproven_accept_admits_nobody(void **state)
{
	(void)state;
	bench_leading(1);
	bench_accept(9, &bench.e->group)->proven = false;
	bench_receive();
	assert_false(bench_listed(9));
	assert_int_equal(bench.log_count, 0);
}

static void a_listed_member_that_accepts_again_is_sent_the_list(void **state)
{
	uint32_t version;

	(void)state;
	bench_leading(2);
	version = bench.e->list_version;
	bench_accept_from(1);
	bench_for(REPEAT_US);
	assert_int_equal(bench.e->list_version, version);
	assert_int_equal(bench_sent(ELECT_READY), 1);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 1 << 2);
}

static void a_minimum_token_up_to_the_group_token_fits(void **state)
{
	uint64_t token;

	(void)state;
	bench_leading(1);
	token = elect_token(&bench.e->group);
	assert_true(join_fits(bench.e, 0));
	assert_true(join_fits(bench.e, token));
	assert_false(join_fits(bench.e, token + 1));
}

/* F16: a host whose Accepts never arrive must not cause an election each time. */
static void an_unreachable_newcomer_causes_at_most_two_elections(void **state)
{
	(void)state;
	bench_leading(1);
	for (unsigned i = 1; i <= 3; i++) {
		bench_hello(9)->floor = (bench.e->counter + 10) << 24;
		bench_receive();
		if (bench.e->state == ELECT_ELECTION)
			bench_accept_from(1);
		bench_for(ACCEPT_QUIET_US);
		if (bench.e->state == ELECT_REORGANIZING)
			bench_hears(bench_ready_answer(1));
		assert_int_equal(bench.e->state, ELECT_NORMAL);
	}
	/* the first absence is free, and the second begins the back-off */
	assert_in_range(bench.e->losses[0].absent, 2, 2);
}

static void fill_up_to(unsigned count)
{
	bench_leader();
	bench_crowd(100, count - 1);
	assert_int_equal(bench.e->up.count, count);
}

static void a_group_takes_1024_hosts_and_refuses_the_next(void **state)
{
	(void)state;
	fill_up_to(ELECT_HOSTS_MAX);
	assert_int_equal(bench_sent(ELECT_DECLINE), 0);
	bench_accept_from(3000);
	assert_false(bench_listed(3000));
	assert_int_equal(bench_sent(ELECT_DECLINE), 1);
	assert_int_equal(bench.sent[ELECT_DECLINE].why, ELECT_WHY_REFUSED);
	assert_true(bench_view().problems & ELECT_PROBLEM_GROUP_FULL);
}

/* W1: a group that is full for a moment must not leave the report behind. */
static void a_refused_host_is_reported_for_a_minute(void **state)
{
	(void)state;
	fill_up_to(ELECT_HOSTS_MAX);
	bench_accept_from(3000);
	bench_for(DIFFERENCE_FORGET_US - 1);
	assert_true(bench_view().problems & ELECT_PROBLEM_GROUP_FULL);
	bench_for(SECOND_US);
	assert_false(bench_view().problems & ELECT_PROBLEM_GROUP_FULL);
}

/* An Invitation names a limited number of hosts. The others are in the next one. */
static void many_simultaneous_hellos_make_few_joins(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 100; n < 100 + ELECT_ACCEPTED_MAX + 50; n++)
		hello_from(n);
	bench_for(JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, ELECT_ACCEPTED_MAX);
	for (unsigned n = 100; n < 100 + ELECT_ACCEPTED_MAX + 50; n++)
		bench_accept_from(n);
	bench_for(ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->up.count, ELECT_ACCEPTED_MAX + 50 + 1);
	assert_int_equal(bench.e->list_version, 3);
}

static void a_full_group_still_takes_back_a_member_that_restarted(void **state)
{
	int at;

	(void)state;
	fill_up_to(ELECT_HOSTS_MAX);
	bench_accept(100, &bench.e->group)->session = 9;
	bench_receive();
	bench_accepted();
	assert_int_equal(bench_sent(ELECT_DECLINE), 0);
	at = roster_find(&bench.e->up, &bench.m.sender);
	assert_int_equal(bench.e->up.members[at].session, 9);
	assert_int_equal(bench.e->up.count, ELECT_HOSTS_MAX);
}

static void a_goodbye_of_a_nonmember_does_not_interrupt_a_join(void **state)
{
	(void)state;
	bench_leading(1);
	hello_from(8);
	hello_from(9);
	bench_for(JOIN_GATHER_US);
	bench_accept_from(8);
	bench_hears(bench_goodbye(200, &bench.e->group, ELECT_LOSS_STOP));
	bench_accept_from(9);
	assert_true(bench_listed(8));
	assert_true(bench_listed(9));
}

static void a_coordinator_that_joined_is_no_longer_listed_as_another(void **state)
{
	(void)state;
	bench_leading(1);
	bench_hears(bench_aycoord_answer(9, 1));
	assert_int_equal(own(bench.e)->others_count, 1);
	bench_for(CHECK_GATHER_US + JOIN_GATHER_US);
	bench_accept_from(9);
	assert_true(bench_listed(9));
	assert_int_equal(own(bench.e)->others_count, 0);
}

static void a_host_that_hands_over_invites_nobody(void **state)
{
	(void)state;
	bench_leading(1);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	hello_from(9);
	bench_accept_from(9);
	bench_for(JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	assert_false(bench_listed(9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(newcomers_are_gathered_invited_and_listed_in_one_version),
		TEST(only_newcomers_must_acknowledge),
		TEST(a_newcomer_is_listed_in_succession_order),
		TEST(the_invitation_is_repeated_and_names_the_accepted_hosts),
		TEST(late_accepts_gather_before_the_join_closes),
		TEST(an_accept_of_a_former_group_is_answered_no),
		TEST(an_unproven_accept_admits_nobody),
		TEST(a_listed_member_that_accepts_again_is_sent_the_list),
		TEST(a_minimum_token_up_to_the_group_token_fits),
		TEST(an_unreachable_newcomer_causes_at_most_two_elections),
		TEST(a_group_takes_1024_hosts_and_refuses_the_next),
		TEST(a_refused_host_is_reported_for_a_minute),
		TEST(many_simultaneous_hellos_make_few_joins),
		TEST(a_full_group_still_takes_back_a_member_that_restarted),
		TEST(a_goodbye_of_a_nonmember_does_not_interrupt_a_join),
		TEST(a_coordinator_that_joined_is_no_longer_listed_as_another),
		TEST(a_host_that_hands_over_invites_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
