/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worth.c: which senders of unproven messages are challenged (messages.md, "Which sessions are
 * verified"), which ones this host would follow, and how soon.
 */
#include "unit/core/frame/bench.h"

static uint64_t within_us;

static enum elect_worth worth(void)
{
	bench.m.proven = false;
	return elect_worth(bench.e, &bench.m, &within_us);
}

static void nobody(void)
{
	assert_int_equal(worth(), ELECT_WORTH_NOTHING);
}

static void asked(uint64_t most_us)
{
	assert_int_equal(worth(), ELECT_WORTH_ASKING);
	assert_in_range(within_us, 0, most_us);
}

static void followed(uint64_t most_us)
{
	assert_int_equal(worth(), ELECT_WORTH_FOLLOWING);
	assert_in_range(within_us, 0, most_us);
}

static void hear_hello(unsigned n)
{
	bench_hello(n)->proven = false;
	elect_hear_hello(bench.e, &bench.m);
}

static void a_down_host_asks_the_highest_rank_first(void **state)
{
	(void)state;
	bench_down();
	hear_hello(1);
	nobody(); /* ranks below this host */
	hear_hello(70);
	asked(BENCH_BEACON_US);
	hear_hello(90);
	asked(BENCH_BEACON_US);
	hear_hello(70);
	nobody();
	bench_hello(80); /* a proven host is there, so the others share one rank */
	bench_receive();
	bench_for(3 * BENCH_BEACON_US / 2);
	hear_hello(91);
	nobody();
}

/* A replayed Hello must not keep the others from being challenged. */
static void a_silent_host_of_the_highest_rank_is_replaced(void **state)
{
	(void)state;
	bench.event.start.config.start_hold_us = 10 * BENCH_BEACON_US;
	bench_down();
	hear_hello(90);
	bench_for(4 * BENCH_BEACON_US);
	hear_hello(70);
	asked(BENCH_BEACON_US);
}

static void a_down_host_follows_a_coordinator_that_it_would_wait_for(void **state)
{
	(void)state;
	bench_down();
	bench_aycoord(70, 3)->standing.size = 900;
	followed(ACCEPT_SPREAD_MAX_US);
	bench.m.standing.may_lead = false;
	nobody();
	bench_hears(bench_aycoord(70, 3));
	bench_aycoord(60, 3);
	nobody(); /* ranks below the awaited coordinator */
	hear_hello(90);
	nobody();
}

static void a_down_host_follows_an_inviter(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->expected = 900;
	followed(ACCEPT_SPREAD_MAX_US);
	bench.m.standing.may_lead = false;
	asked(ACCEPT_SPREAD_MAX_US);
}

static void a_coordinator_follows_a_higher_rank_and_asks_a_lower_rank(void **state)
{
	(void)state;
	bench_leader();
	bench_aycoord(70, 9)->standing.established = true;
	followed(0);
	bench_aycoord(1, 9);
	asked(0);
	bench_hello(1);
	asked(0);
	bench_aythere(1, &bench.e->group);
	asked(0);
	bench.m.group.coordinator = bench_id(70);
	nobody();
	bench_from(70, ELECT_GOODBYE);
	nobody();
	bench_from(70, ELECT_CHALLENGE);
	nobody();
}

static void an_invitation_without_the_own_group_is_worth_nothing(void **state)
{
	(void)state;
	bench_leader();
	bench_invitation(70, 9, ELECT_INVITE_MERGE)->standing.size = 9;
	bench.m.standing.established = true;
	nobody();
	bench_naming(&bench.m, &bench.e->group, 1);
	followed(ACCEPT_SPREAD_MAX_US);
	bench.m.group.counter = 0; /* stale: it will be declined */
	asked(ACCEPT_SPREAD_MAX_US);
	bench_invitation(70, 9, ELECT_INVITE_YIELD)->standing.established = true;
	nobody();
	bench_naming(&bench.m, &bench.e->group, 1);
	bench.m.standing.size = 9;
	followed(ACCEPT_SPREAD_MAX_US);
}

static const unsigned second[] = { 1, 2 }, third[] = { 90, 91, 92 };

/* Otherwise all members of a large group would challenge at once. */
static void the_first_two_members_ask_a_restarted_coordinator(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hello(70)->session = 9;
	asked(0);
	bench_hello(60);
	nobody();
	bench_tear_down(state);
	bench_set_up(state);
	bench_member_of(70, 5, third, 3);
	bench_hears(bench_beacon(70));
	bench_hello(70)->session = 9;
	nobody();
	bench_for(BENCH_BEACON_US * 3 / 2);
	bench_hello(70)->session = 9;
	asked(0);
}

static void a_member_asks_a_foreign_coordinator_within_a_beacon(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_aycoord(60, 9);
	asked(BENCH_BEACON_US);
	assert_int_equal(within_us, BENCH_BEACON_US);
	bench_aycoord(70, 9)->session = 9;
	nobody();
}

static void an_own_or_forged_beacon_is_worth_nothing(void **state)
{
	(void)state;
	bench_leader();
	bench_aycoord(70, 9)->group.coordinator = bench_id(60);
	nobody();
	bench_aycoord(BENCH_SELF, 9);
	nobody();
	bench_aycoord_answer(70, 9);
	nobody();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_down_host_asks_the_highest_rank_first),
		TEST(a_silent_host_of_the_highest_rank_is_replaced),
		TEST(a_down_host_follows_a_coordinator_that_it_would_wait_for),
		TEST(a_down_host_follows_an_inviter),
		TEST(a_coordinator_follows_a_higher_rank_and_asks_a_lower_rank),
		TEST(an_invitation_without_the_own_group_is_worth_nothing),
		TEST(the_first_two_members_ask_a_restarted_coordinator),
		TEST(a_member_asks_a_foreign_coordinator_within_a_beacon),
		TEST(an_own_or_forged_beacon_is_worth_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
