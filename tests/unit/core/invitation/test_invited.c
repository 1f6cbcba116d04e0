/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invited.c: what a host does with an Invitation (algorithm.md 4.3; slide 39), by what it is at
 * the time: accept, decline and why, yield first, prove first, or nothing.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static const unsigned members[] = { 60, 1 };

static void assert_declined(enum elect_why why, unsigned to)
{
	assert_int_equal(bench_sent(ELECT_DECLINE), 1);
	assert_string_equal(elect_why_name(bench.sent[ELECT_DECLINE].why), elect_why_name(why));
	bench_assert_to(&bench.sends[ELECT_DECLINE].to, to);
}

static void assert_ignored(void)
{
	assert_int_equal(bench.log_count, 0);
}

static void assert_accepted(unsigned coordinator, uint64_t counter)
{
	struct elect_group g = bench_group(coordinator, counter);

	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_true(own(bench.e)->watch.awaiting);
	assert_true(elect_group_equal(&bench.e->group, &g));
	bench_for(ACCEPT_SPREAD_MAX_US);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
}

/* A better one unless the test says otherwise. */
static struct elect_msg *better(unsigned n, uint64_t counter, enum elect_invite invite)
{
	struct elect_msg *m = bench_invitation(n, counter, invite);

	m->standing.established = true;
	m->standing.size = 9;
	return m;
}

static void receive_naming_mine(void)
{
	bench_naming(&bench.m, &bench.e->group, 1);
	bench_receive();
}

/* ---- Down ------------------------------------------------------------------------------------ */

static void down_it_accepts_whoever_may_lead(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(1, 3, ELECT_INVITE_MERGE);
	bench_receive();
	assert_accepted(1, 3);
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 1);
	assert_memory_equal(&bench.sends[ELECT_ACCEPT].echo, &bench.m.inviter.transaction,
		sizeof(struct elect_transaction));
}

/* M12 */
static void down_it_declines_who_may_not_while_it_may(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.may_lead = false;
	bench_receive();
	assert_declined(ELECT_WHY_BETTER, 70);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void down_with_preempt_it_declines_a_lower_priority(void **state)
{
	(void)state;
	bench.event.start.config.preempt = true;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.priority = 99;
	bench.m.standing.preempt_agreed = true;
	bench_receive();
	assert_declined(ELECT_WHY_BETTER, 70);
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->standing.priority = 99;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void a_host_that_says_goodbye_accepts_nothing(void **state)
{
	(void)state;
	bench_leading(1);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	bench_released();
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	bench_receive();
	assert_ignored();
	bench_for(GOODBYE_REPEATS * REPEAT_US);
	better(70, 90, ELECT_INVITE_MERGE);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* ---- the floor (M4) -------------------------------------------------------------------------- */

static void only_a_group_above_the_floor_is_accepted(void **state)
{
	(void)state;
	bench.event.start.floor = UINT64_C(20) << 24 | 5;
	bench_down();
	bench_invitation(70, 20, ELECT_INVITE_MERGE);
	bench_receive();
	assert_declined(ELECT_WHY_STALE, 70);
	assert_int_equal(bench.sent[ELECT_DECLINE].floor, UINT64_C(20) << 24 | 5);
	bench_clear();
	bench_invitation(70, 21, ELECT_INVITE_MERGE);
	bench_receive();
	assert_accepted(70, 21);
}

static void a_join_is_accepted_at_the_floor_too_by_its_token(void **state)
{
	struct elect_group at = bench_group(70, 20);

	(void)state;
	bench.event.start.floor = elect_token(&at) + 1;
	bench_down();
	bench_invitation(70, 20, ELECT_INVITE_JOIN);
	bench_receive();
	assert_declined(ELECT_WHY_STALE, 70);
	bench_tear_down(state);
	bench_set_up(state);
	bench.event.start.floor = elect_token(&at);
	bench_down();
	bench_invitation(70, 20, ELECT_INVITE_JOIN);
	bench_receive();
	assert_accepted(70, 20);
}

/* A pending group is not the floor: what was only accepted may be replaced by less. */
static void what_was_accepted_but_never_normal_raises_no_floor(void **state)
{
	(void)state;
	bench_awaiting(70, 50);
	bench_for(AWAIT_US);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_clear();
	bench_invitation(60, 3, ELECT_INVITE_MERGE);
	bench_receive();
	assert_accepted(60, 3);
}

static void somebody_elses_group_is_not_accepted_from_anybody(void **state)
{
	(void)state;
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->group.coordinator = bench_id(60);
	bench_receive();
	bench_invitation(70, 3, ELECT_INVITE_MERGE)->group.coordinator = bench_id(BENCH_SELF);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

/* ---- Normal, as a coordinator ---------------------------------------------------------------- */

static void a_coordinator_accepts_a_better_one_that_names_its_group(void **state)
{
	(void)state;
	bench_alone();
	better(1, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_accepted(1, 9);
	bench_assert_because(ELECT_REASON_INVITED, 1);
}

static void it_ignores_one_that_does_not(void **state)
{
	struct elect_group g = bench_group(33, 1);

	(void)state;
	bench_alone();
	better(1, 9, ELECT_INVITE_MERGE);
	bench_naming(&bench.m, &g, 1);
	bench_receive();
	assert_ignored();
}

static void it_declines_a_worse_one(void **state)
{
	(void)state;
	bench_leader();
	bench_invitation(70, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_declined(ELECT_WHY_BETTER, 70);
	assert_true(bench.e->established);
}

static void established_it_yields_first_and_declines_meanwhile(void **state)
{
	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_declined(ELECT_WHY_YIELDING, 70);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_true(bench.e->established);
	assert_true(bench_view().yielding);
	better(70, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1); /* once */
	assert_int_equal(bench_sent(ELECT_DECLINE), 2);
	bench_released();
	assert_false(bench.e->established);
	better(70, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_accepted(70, 9);
}

static void asked_to_yield_it_says_when_it_has(void **state)
{
	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	assert_int_equal(bench_sent(ELECT_DECLINE), 0);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	bench_released();
	assert_false(bench.e->established);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_AYCOORD_ANSWER].answer, ELECT_ANSWER_YES);
	assert_false(bench.sent[ELECT_AYCOORD_ANSWER].standing.established);
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 70);
	bench_assert_because(ELECT_REASON_YIELDED, 70);
}

static void not_invited_within_lone_hold_it_leads_again(void **state)
{
	uint64_t yielded;

	(void)state;
	bench_leader();
	better(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	bench_released();
	yielded = bench.now_us;
	bench_until(yielded + bench.e->config.lone_hold_us - 1);
	assert_false(bench.e->established);
	bench_until(yielded + bench.e->config.lone_hold_us);
	assert_true(bench.e->established);
}

static void it_does_not_yield_to_a_worse_one_nor_when_not_named_nor_unproven(void **state)
{
	struct elect_group other = bench_group(33, 1);

	(void)state;
	bench_leader();
	bench_invitation(70, 9, ELECT_INVITE_YIELD);
	receive_naming_mine();
	better(70, 9, ELECT_INVITE_YIELD);
	bench_naming(&bench.m, &other, 1);
	bench_receive();
	better(70, 9, ELECT_INVITE_YIELD)->proven = false;
	receive_naming_mine();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	assert_true(bench.e->established);
}

/* M3 */
static void a_live_coordinator_declines_a_succession_of_its_own_group_and_beacons(void **state)
{
	(void)state;
	bench_leading(2);
	for (unsigned i = 0; i < 3; i++) {
		better(1, 90, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench_receive();
	}
	assert_declined(ELECT_WHY_COORDINATOR_ALIVE, 1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	assert_true(bench.e->established);
}

static void a_coordinator_forwards_to_its_members(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 9;
	bench_alone();
	bench_join(1);
	bench_clear();
	better(70, 90, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_true(bench.sends[ELECT_INVITATION].forward);
	assert_int_equal(bench.sends[ELECT_INVITATION].to.family, 0);
	assert_accepted(70, 90);
}

/* ---- Normal, as a member --------------------------------------------------------------------- */

static void a_member_follows_its_coordinator_into_a_newer_group(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_invitation(70, 5, ELECT_INVITE_MERGE);
	bench_receive();
	assert_ignored(); /* the same group */
	bench_invitation(70, 8, ELECT_INVITE_MERGE);
	bench_receive();
	assert_accepted(70, 8);
}

static void it_follows_what_its_coordinator_forwards_and_vouches_for(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	bench_forwarded(better(90, 9, ELECT_INVITE_MERGE), 70);
	bench_receive();
	assert_accepted(90, 9);
	assert_int_equal(bench_actions(ELECT_ACTION_PROVE), 1);
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 90);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0); /* it has nobody to carry along */
}

/* Nobody could be told: the way to its inviter is not known (host.c), and the forwarder is none. */
static void what_is_forwarded_for_nobody_in_reach_is_ignored(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	bench_forwarded(better(90, 9, ELECT_INVITE_MERGE), 70);
	bench.m.inviter.address = (struct elect_address){ 0 };
	bench_receive();
	assert_ignored();
}

static void an_inviter_is_answered_where_it_came_from_whatever_it_names(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_invitation(70, 8, ELECT_INVITE_MERGE)->inviter.address = bench_address(60);
	bench_receive();
	assert_accepted(70, 8);
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 70);
}

static void it_ignores_a_foreign_invitation(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_clear();
	better(90, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	better(60, 9, ELECT_INVITE_MERGE);
	receive_naming_mine();
	assert_ignored();
}

static void it_declines_a_succession_while_its_coordinator_is_heard_but_once(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	for (unsigned i = 0; i < 3; i++) {
		better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench_receive();
	}
	assert_declined(ELECT_WHY_COORDINATOR_ALIVE, 60);
}

/* Not final: the repeats are judged anew. */
static void but_accepts_it_when_it_has_come_to_doubt(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	bench_for(BENCH_BEACON_US * 3 / 2);
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	assert_accepted(60, 9);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 70);
}

/* M2: the Invitation may overtake the Goodbye it rests on. */
static void it_believes_the_goodbye_that_a_succession_carries(void **state)
{
	static const struct {
		enum elect_loss loss;
		enum elect_reason reason;
	} told[] = {
		{ ELECT_LOSS_STOP, ELECT_REASON_COORDINATOR_STOPPED },
		{ ELECT_LOSS_RESIGN, ELECT_REASON_COORDINATOR_RESIGNED },
		{ ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED },
		{ ELECT_LOSS_LEFT, ELECT_REASON_COORDINATOR_RESIGNED },
	};

	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		bench_tear_down(state);
		bench_set_up(state);
		bench_member_of(70, 5, members, 2);
		better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
		bench.m.loss = told[i].loss;
		bench_receive();
		assert_accepted(60, 9);
		bench_assert_because(told[i].reason, 70);
	}
}

static void it_ignores_a_succession_by_a_stranger_or_of_another_group(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_for(BENCH_BEACON_US * 3 / 2);
	bench_clear();
	better(90, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	better(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench_group(70, 4);
	bench_receive();
	assert_ignored();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(down_it_accepts_whoever_may_lead),
		TEST(down_it_declines_who_may_not_while_it_may),
		TEST(down_with_preempt_it_declines_a_lower_priority),
		TEST(a_host_that_says_goodbye_accepts_nothing),
		TEST(only_a_group_above_the_floor_is_accepted),
		TEST(a_join_is_accepted_at_the_floor_too_by_its_token),
		TEST(what_was_accepted_but_never_normal_raises_no_floor),
		TEST(somebody_elses_group_is_not_accepted_from_anybody),
		TEST(a_coordinator_accepts_a_better_one_that_names_its_group),
		TEST(it_ignores_one_that_does_not),
		TEST(it_declines_a_worse_one),
		TEST(established_it_yields_first_and_declines_meanwhile),
		TEST(asked_to_yield_it_says_when_it_has),
		TEST(not_invited_within_lone_hold_it_leads_again),
		TEST(it_does_not_yield_to_a_worse_one_nor_when_not_named_nor_unproven),
		TEST(a_live_coordinator_declines_a_succession_of_its_own_group_and_beacons),
		TEST(a_coordinator_forwards_to_its_members),
		TEST(a_member_follows_its_coordinator_into_a_newer_group),
		TEST(it_follows_what_its_coordinator_forwards_and_vouches_for),
		TEST(what_is_forwarded_for_nobody_in_reach_is_ignored),
		TEST(an_inviter_is_answered_where_it_came_from_whatever_it_names),
		TEST(it_ignores_a_foreign_invitation),
		TEST(it_declines_a_succession_while_its_coordinator_is_heard_but_once),
		TEST(but_accepts_it_when_it_has_come_to_doubt),
		TEST(it_believes_the_goodbye_that_a_succession_carries),
		TEST(it_ignores_a_succession_by_a_stranger_or_of_another_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
