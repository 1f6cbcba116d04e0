/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role.c: when a coordinator becomes leader (merge.md, succession.md, quorum.md), what bars it, the
 * back-off (merge.md, F16), and what a lost carrier does (role.md).
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static void rival_beacons(bool established)
{
	bench_aycoord(70, 9)->standing.established = established;
	bench_receive();
}

/* R1: one rival after another, each of them heard for a while. */
static void several_rivals_delay_a_leader_no_longer_than_one(void **state)
{
	uint64_t limit_us;

	(void)state;
	bench_alone();
	limit_us = bench.e->lead_from_us + FOREIGN_BEACONS * BENCH_BEACON_US;
	for (unsigned i = 0; bench.now_us < limit_us; i++) {
		assert_int_equal(role_leads(bench.e), false);
		bench_aycoord(60 + i / 12, 9)->standing.established = true;
		bench_receive();
		bench_for(BENCH_BEACON_US);
	}
	rival_beacons(true);
	bench_for(2 * BENCH_BEACON_US);
	assert_true(role_leads(bench.e));
}

static void a_coordinator_that_does_not_lead_is_no_rival(void **state)
{
	(void)state;
	bench_alone();
	while (bench.now_us < bench.e->lead_from_us) {
		rival_beacons(false);
		bench_for(BENCH_BEACON_US);
	}
	assert_true(role_leads(bench.e));
}

/* The link is broken. A rival that cannot be merged with must not bar this host for ever. */
static void a_rival_heard_for_thirty_beacons_bars_nobody(void **state)
{
	uint64_t began;

	(void)state;
	bench_alone();
	began = bench.now_us;
	while (bench.now_us <= began + FOREIGN_BEACONS * BENCH_BEACON_US) {
		assert_false(role_leads(bench.e));
		rival_beacons(true);
		bench_for(BENCH_BEACON_US);
	}
	rival_beacons(true);
	bench_for(BENCH_BEACON_US);
	assert_true(role_leads(bench.e));
}

static void a_rival_does_not_end_a_leadership(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned i = 0; i < 10; i++) {
		rival_beacons(true);
		bench_for(BENCH_BEACON_US);
		assert_true(role_leads(bench.e));
	}
}

/* Otherwise a merge would interrupt the role. */
static void the_quorum_is_judged_in_normal_only(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	bench.e->config.quorum = 3;
	bench_for(REPEAT_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_true(role_leads(bench.e));
	bench_accept_from(1);
	bench_for(ACCEPT_QUIET_US);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(bench.e->up.count, 2);
	assert_true(role_leads(bench.e));
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(role_leads(bench.e));
}

static void a_bar_for_a_duplicate_ends_by_itself(void **state)
{
	(void)state;
	bench_leader();
	bench.event.type = ELECT_EVENT_DUPLICATE;
	bench_step();
	bench_released();
	assert_false(role_leads(bench.e));
	assert_true(bench_view().problems & ELECT_PROBLEM_DUPLICATE_ID);
	bench.event.type = ELECT_EVENT_DUPLICATE_HERE;
	bench_step();
	assert_false(bench_view().problems & ELECT_PROBLEM_DUPLICATE_ID);
	assert_true(bench_view().problems & ELECT_PROBLEM_SAME_DOMAIN);
	bench_for(DIFFERENCE_FORGET_US - 1000);
	assert_false(role_leads(bench.e));
	bench_for(2000);
	assert_true(role_leads(bench.e));
}

static void the_later_of_two_bars_counts(void **state)
{
	(void)state;
	bench_leader();
	bench_command(ELECT_COMMAND_RESIGN)->for_us = DIFFERENCE_FORGET_US * 2;
	bench_step();
	bench_released();
	bench.event.type = ELECT_EVENT_DUPLICATE;
	bench_step();
	bench_for(DIFFERENCE_FORGET_US + 1000000);
	assert_false(role_leads(bench.e));
	bench_for(DIFFERENCE_FORGET_US);
	assert_true(role_leads(bench.e));
}

/* A hold comes during a yield, a stall ends the yield, and then the first member answers. */
static void a_hand_over_within_an_answer_is_harmless(void **state)
{
	(void)state;
	bench_leading(2);
	bench_invitation(60, 9, ELECT_INVITE_YIELD);
	bench_naming(&bench.m, &bench.e->group, 3);
	bench.m.standing.size = 9;
	bench.m.standing.established = true;
	bench_receive();
	assert_int_equal(bench.e->purpose, ELECT_PURPOSE_YIELD);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench.now_us += 1500000;
	bench_tick();
	bench_aythere(1, &bench.e->group)->digest++;
	bench_receive();
	bench_for(bench.e->config.lone_hold_us);
	assert_false(role_leads(bench.e));
	assert_int_not_equal(bench_sent(ELECT_GOODBYE), 0);
}

/* All members have preempt set; this host only if `preempt` is. */
static void lead_two_with(bool preempt)
{
	bench.event.start.config.preempt = preempt;
	bench_leader();
	for (unsigned n = 1; n <= 2; n++) {
		bench_accept(n, &bench.e->group)->standing.preempt = true;
		bench_admit(n);
	}
	bench_clear();
}

/* Preemption needs all of it: a higher priority, a member that may lead, agreement, and this host's
 * own setting. */
static void an_incomplete_claim_does_not_preempt(void **state)
{
	static const struct {
		uint8_t priority;
		bool may_lead, agreed, mine;
	} cases[] = {
		{ 100, true, true, true },
		{ 101, false, true, true },
		{ 101, true, false, true },
		{ 101, true, true, false },
	};

	for (unsigned i = 0; i < 4; i++) {
		bench_tear_down(state);
		bench_set_up(state);
		lead_two_with(cases[i].mine);
		bench_aythere(1, &bench.e->group)->standing.priority = cases[i].priority;
		bench.m.standing.preempt = true;
		bench.m.standing.may_lead = cases[i].may_lead;
		bench.m.standing.preempt_agreed = cases[i].agreed;
		bench_receive();
		assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
		assert_true(role_leads(bench.e));
	}
}

static uint64_t wait_after_absence(unsigned n)
{
	struct elect_id id = bench_id(n);

	backoff_absent(bench.e, &id);
	return backoff_until(bench.e, &id) - bench.now_us;
}

static void the_first_absence_is_free_and_then_4_8_16_beacons(void **state)
{
	(void)state;
	bench_leader();
	bench.e->now_us = bench.now_us;
	assert_int_equal(wait_after_absence(9), 0);
	assert_int_equal(wait_after_absence(9), 4 * BENCH_BEACON_US);
	assert_int_equal(wait_after_absence(9), 8 * BENCH_BEACON_US);
	assert_int_equal(wait_after_absence(9), 16 * BENCH_BEACON_US);
	assert_int_equal(wait_after_absence(8), 0);
}

static void the_back_off_is_at_most_five_seconds(void **state)
{
	(void)state;
	bench_leader();
	bench.e->now_us = bench.now_us;
	for (unsigned i = 0; i < 300; i++)
		assert_true(wait_after_absence(9) <= BACKOFF_US_MAX);
	assert_int_equal(wait_after_absence(9), BACKOFF_US_MAX);
	bench.e->config.timings.beacon_us = 4000000000;
	assert_int_equal(wait_after_absence(9), BACKOFF_US_MAX);
}

static void the_back_off_is_forgotten_a_minute_after_the_last_absence(void **state)
{
	(void)state;
	bench_leader();
	bench.e->now_us = bench.now_us;
	wait_after_absence(9);
	wait_after_absence(9);
	bench.e->now_us = bench.now_us += BACKOFF_FORGET_US;
	assert_int_equal(wait_after_absence(9), 8 * BENCH_BEACON_US);
	bench.e->now_us = bench.now_us += BACKOFF_FORGET_US + 1;
	assert_int_equal(wait_after_absence(9), 0);
}

static void the_oldest_loss_is_replaced(void **state)
{
	struct elect_id first = bench_id(1000), second = bench_id(1001);

	(void)state;
	bench_leader();
	for (unsigned n = 0; n <= ELECT_HOSTS_MAX; n++) {
		bench.e->now_us = ++bench.now_us;
		wait_after_absence(1000 + n);
	}
	assert_int_equal(bench.e->losses_count, ELECT_HOSTS_MAX);
	assert_int_equal(backoff_until(bench.e, &first), 0);
	assert_int_not_equal(backoff_until(bench.e, &second), 0);
}

static void hold(bool on)
{
	bench_command(ELECT_COMMAND_HOLD)->on = on;
	bench_step();
	if (on)
		bench_released();
}

static void a_host_without_numbers_waits_for_the_disk(void **state)
{
	uint64_t usable;

	(void)state;
	bench_leader();
	hold(true);
	usable = bench.e->usable;
	bench.e->usable = 0;
	bench.e->persisting = true;
	hold(false);
	assert_false(role_leads(bench.e));
	bench_for(5 * BENCH_BEACON_US);
	assert_false(role_leads(bench.e));
	bench.e->usable = usable;
	bench_for(BENCH_BEACON_US);
	assert_true(role_leads(bench.e));
}

/* A successor leads its group on although another coordinator ranks higher: the group has had a
 * leader (counter.md). */
static void a_successor_remains_a_successor(void **state)
{
	(void)state;
	bench_leader();
	bench.e->succeeds = true;
	hold(true);
	hold(false);
	assert_true(role_leads(bench.e));
	assert_true(bench.e->succeeds);
}

static void a_lone_host_without_the_role_raises_no_minimum_token(void **state)
{
	(void)state;
	bench_alone();
	assert_int_equal(elect_floor(bench.e), 0);
	bench_for(bench.e->config.lone_hold_us);
	assert_int_equal(elect_floor(bench.e), elect_token(&bench.e->group));
}

static void link_goes(bool up)
{
	bench_clear();
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = up;
	bench_step();
}

static void no_role_is_kept_for_a_merge_without_a_carrier(void **state)
{
	(void)state;
	bench_inviting(2, 11);
	assert_true(role_leads(bench.e));
	link_goes(false);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_false(role_leads(bench.e));
}

/* An unproven message may be forged or replayed. */
static void an_unproven_host_does_not_count_as_company(void **state)
{
	(void)state;
	bench_leader();
	bench_hello(1)->proven = false;
	bench_receive();
	link_goes(false);
	assert_true(role_leads(bench.e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(several_rivals_delay_a_leader_no_longer_than_one),
		TEST(a_coordinator_that_does_not_lead_is_no_rival),
		TEST(a_rival_heard_for_thirty_beacons_bars_nobody),
		TEST(a_rival_does_not_end_a_leadership),
		TEST(the_quorum_is_judged_in_normal_only),
		TEST(a_host_without_numbers_waits_for_the_disk),
		TEST(a_successor_remains_a_successor),
		TEST(a_bar_for_a_duplicate_ends_by_itself),
		TEST(the_later_of_two_bars_counts),
		TEST(a_hand_over_within_an_answer_is_harmless),
		TEST(an_incomplete_claim_does_not_preempt),
		TEST(the_first_absence_is_free_and_then_4_8_16_beacons),
		TEST(the_back_off_is_at_most_five_seconds),
		TEST(the_back_off_is_forgotten_a_minute_after_the_last_absence),
		TEST(the_oldest_loss_is_replaced),
		TEST(a_lone_host_without_the_role_raises_no_minimum_token),
		TEST(no_role_is_kept_for_a_merge_without_a_carrier),
		TEST(an_unproven_host_does_not_count_as_company),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
