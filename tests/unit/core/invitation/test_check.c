/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c: other coordinators (merge.md; slide 35): only a coordinator that has answered is
 * merged with; the one of the higher rank acts, after its turn and a second check; a leader is
 * asked to yield first.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

/* A coordinator of `size` hosts with a lower rank, which cannot join because of its minimum
 * token. */
static struct elect_msg *answer(unsigned n, unsigned size)
{
	struct elect_msg *m = bench_aycoord_answer(n, 9);

	m->standing.size = (uint16_t)size;
	m->floor = UINT64_C(9) << 24;
	return m;
}

static void the_beacon_period_varies_by_a_fifth(void **state)
{
	uint64_t last = 0;

	(void)state;
	bench_leader();
	for (unsigned i = 0; i < 30; i++) {
		uint64_t at = bench.e->timers[TIMER_BEACON];

		if (last)
			assert_in_range(at - last, 160000, 240000);
		last = at;
		bench_until(at);
	}
	assert_int_equal(bench_sent(ELECT_AYCOORD), 30);
}

static void a_coordinator_answers_another_one_until_it_has_an_answer(void **state)
{
	(void)state;
	bench_leader();
	bench_aycoord(70, 9)->standing.established = true;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_AYCOORD_ANSWER].answer, ELECT_ANSWER_YES);
	assert_memory_equal(&bench.sends[ELECT_AYCOORD_ANSWER].echo, &bench.m.transaction,
		sizeof(struct elect_transaction));
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 70);
	bench_clear();
	bench_hears(bench_aycoord(1, 9));
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 1);
	bench_hears(bench_aycoord_answer(1, 9));
	bench_clear();
	bench_hears(bench_aycoord(1, 9));
	assert_int_equal(bench.log_count, 0);
}

static void a_coordinator_that_never_answers_is_never_merged_with(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned i = 0; i < 50; i++) {
		bench_hears(bench_aycoord(1, 9));
		bench_for(BENCH_BEACON_US);
	}
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_coordinator_that_never_answered_is_not_fresh_after_boot(void **state)
{
	(void)state;
	bench.now_us = 1;
	bench.event.start.config.timings.beacon_us = 10000000;
	bench.event.start.config.timings.dead_after_us = 30000000;
	bench_leader();
	bench_aycoord(1, 9)->floor = UINT64_C(9) << 24;
	bench_receive();
	bench_aycoord_answer(2, 9)->floor = UINT64_C(9) << 24;
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 1);
}

static void coordinators_that_answer_are_gathered_and_merged_with(void **state)
{
	(void)state;
	bench_leading(1);
	answer(10, 2);
	bench_receive();
	bench_for(CHECK_GATHER_US / 2);
	answer(11, 3);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_for(CHECK_GATHER_US / 2);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_MERGE);
	/* the other groups, then this host's; every host but this one may accept */
	assert_int_equal(bench.sent[ELECT_INVITATION].groups_count, 3);
	assert_int_equal(bench.sent[ELECT_INVITATION].groups[2].size, 2);
	bench_assert_id(&bench.sent[ELECT_INVITATION].groups[2].group.coordinator, BENCH_SELF);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2 + 3 + 1);
}

/* F6, F7: a coordinator with a higher rank was heard, although it does not answer. */
static void the_second_in_rank_waits_a_step_and_checks_again(void **state)
{
	(void)state;
	bench_leader();
	bench_aycoord(70, 9)->standing.size = 5;
	bench.m.standing.established = true;
	bench_receive();
	answer(10, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US + CHECK_STEP_US - 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_for(1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_coordinator_that_left_during_the_wait_is_not_merged_with(void **state)
{
	(void)state;
	bench_leader();
	bench_aycoord(70, 9)->standing.established = true;
	bench.m.standing.size = 5;
	bench_receive();
	answer(10, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US + CHECK_STEP_US / 2);
	bench_hears(bench_goodbye(10,
		&(struct elect_group){ .counter = 9, .coordinator = bench_id(10) },
		ELECT_LOSS_STOP));
	bench_for(CHECK_STEP_US * 6);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void an_answer_older_than_three_beacons_does_not_count(void **state)
{
	(void)state;
	bench_leader();
	answer(10, 1);
	bench_receive();
	timers_stop(bench.e, TIMER_RANK);
	bench_for(BENCH_BEACON_US * OTHERS_FRESH_BEACONS + 1);
	answer(11, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 1);
}

static void a_lone_host_without_the_role_is_invited_to_join(void **state)
{
	(void)state;
	bench_leading(1);
	answer(10, 1)->floor = 0;
	bench_receive();
	bench_for(CHECK_GATHER_US + JOIN_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_JOIN);
	assert_int_equal(bench.sent[ELECT_INVITATION].groups_count, 1);
	bench_assert_id(&bench.sent[ELECT_INVITATION].groups[0].group.coordinator, 10);
}

static void a_leader_or_a_host_with_members_is_not_invited_to_join(void **state)
{
	(void)state;
	bench_leading(1);
	answer(10, 2)->floor = 0;
	bench_receive();
	bench_for(CHECK_GATHER_US + JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_MERGE);
	bench_tear_down(state);
	bench_set_up(state);
	bench_leading(1);
	answer(10, 1)->floor = 0;
	bench.m.standing.established = true;
	bench_receive();
	bench_for(CHECK_GATHER_US + JOIN_GATHER_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_YIELD);
}

static void a_host_in_back_off_may_join(void **state)
{
	struct elect_id id = bench_id(10);

	(void)state;
	bench_leading(1);
	backoff_absent(bench.e, &id);
	backoff_absent(bench.e, &id);
	answer(10, 1)->floor = 0;
	bench_receive();
	bench_for(CHECK_GATHER_US + JOIN_GATHER_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_JOIN);
}

static void a_host_without_a_usable_counter_does_not_merge(void **state)
{
	(void)state;
	bench_leader();
	bench.disk_off = true;
	answer(10, 1)->counter = bench.e->usable + 1;
	bench_receive();
	bench_for(CHECK_GATHER_US + 1000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

static void a_host_that_is_leaving_does_not_merge(void **state)
{
	(void)state;
	bench_leading(1);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	answer(10, 1);
	bench_receive();
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

static void the_wait_for_higher_ranks_is_at_most_five_steps(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 100; n < 110; n++) {
		bench_aycoord(n, 9)->standing.established = true;
		bench_receive();
	}
	answer(10, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US + STEPS_MAX * CHECK_STEP_US);
	answer(10, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
}

static void a_merge_that_would_be_too_large_is_only_reported(void **state)
{
	(void)state;
	bench_leading(1);
	answer(10, ELECT_HOSTS_MAX - 1);
	bench.m.standing.priority = 0;
	bench.m.standing.may_lead = false;
	bench_receive();
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
	assert_true(bench_view().problems & ELECT_PROBLEM_GROUP_FULL);
}

/* ---- yield first (M7) ------------------------------------------------------------------------ */

static struct elect_msg *established(unsigned n)
{
	struct elect_msg *m = answer(n, 1);

	m->standing.established = true;
	return m;
}

static void a_leader_that_does_not_yield_is_merged_with_after_the_timeout(void **state)
{
	uint64_t began, timeout;

	(void)state;
	bench_leader();
	timeout = bench.e->config.yield_timeout_us;
	began = bench.now_us;
	while (bench.e->state == ELECT_NORMAL && bench.now_us < began + 2 * timeout) {
		established(10);
		bench_receive();
		bench_for(ACCEPT_WINDOW_US / 2);
	}
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_MERGE);
	assert_in_range(bench.now_us - began, timeout, timeout + ACCEPT_WINDOW_US);
}

static void a_leader_that_left_before_it_yielded_is_asked_again(void **state)
{
	(void)state;
	bench_leader();
	established(10);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	bench_for(bench.e->config.yield_timeout_us * 2);
	bench_clear();
	established(10);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_YIELD);
}

static void the_longest_silent_coordinator_is_replaced(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 100; n <= 100 + ELECT_OTHERS_MAX; n++) {
		bench_hears(bench_aycoord(n, 9));
		bench_for(100);
	}
	assert_int_equal(own(bench.e)->others_count, ELECT_OTHERS_MAX);
	for (unsigned i = 0; i < ELECT_OTHERS_MAX; i++)
		assert_int_not_equal(own(bench.e)->others[i].standing.id.bytes[15], 100);
}

static void a_leader_is_not_replaced_by_coordinators_that_do_not_lead(void **state)
{
	(void)state;
	bench_alone();
	bench_aycoord(100, 9)->standing.established = true;
	bench_receive();
	assert_true(check_rival(bench.e));
	for (unsigned n = 101; n <= 100 + 2 * ELECT_OTHERS_MAX; n++) {
		bench_hears(bench_aycoord(n, 9));
		bench_for(100);
		assert_true(check_rival(bench.e));
	}
	bench_aycoord(99, 9)->standing.established = true;
	bench_receive();
	bench_for(OTHERS_FRESH_BEACONS * BENCH_BEACON_US - 1000); /* 100 is silent now */
	for (unsigned n = 0; n < 2 * ELECT_OTHERS_MAX; n++)
		bench_hears(bench_aycoord(101 + n, 9));
	for (unsigned i = 0; i < ELECT_OTHERS_MAX; i++)
		assert_int_not_equal(own(bench.e)->others[i].standing.id.bytes[15], 100);
	assert_true(check_rival(bench.e));
}

static void groups_beyond_the_limit_wait_for_the_next_invitation(void **state)
{
	(void)state;
	bench_leader();
	bench.event.type = ELECT_EVENT_TICK;
	for (unsigned n = 1; n <= ELECT_INVITED_MAX + 3; n++) {
		answer(n, 1);
		bench_receive();
	}
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].groups_count, ELECT_INVITED_MAX);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, ELECT_INVITED_MAX - 1);
}

/* A stall ends the role in the step in which the merge is due. Both reasons are shown. */
static void the_end_of_a_role_is_shown_before_a_merge(void **state)
{
	(void)state;
	bench.event.start.config.timings.dead_after_us = 450000;
	bench_leading(1);
	bench_aycoord_answer(9, 9)->floor = UINT64_C(9) << 24;
	bench_receive();
	bench.now_us += 460000;
	bench_tick();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_assert_because(ELECT_REASON_STALLED, BENCH_SELF);
	bench_for(1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_assert_because(ELECT_REASON_MERGED, 9);
}

/* ---- a split LAN that heals (M16 to M18) ------------------------------------------------------
 */

/* Just after a beacon of its own. */
static void begin_at_a_beacon(void)
{
	bench_leading(1);
	bench_until(bench.e->timers[TIMER_BEACON]);
	bench_clear();
}

static void a_better_coordinator_asks_at_once_but_only_once(void **state)
{
	(void)state;
	begin_at_a_beacon();
	bench_for(pace_repeat_us(bench.e) - 2);
	bench_hears(bench_aycoord(1, 9));
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 0); /* no sooner than a repeat after the last */
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	bench_for(pace_repeat_us(bench.e));
	bench_hears(bench_aycoord(1, 9));
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	bench_hears(bench_aycoord(2, 9));
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 2);
}

/* With more than are remembered, each may have been heard, and forgotten, before. */
static void of_too_many_coordinators_none_is_asked_at_once(void **state)
{
	(void)state;
	begin_at_a_beacon();
	bench_for(pace_repeat_us(bench.e));
	for (unsigned n = 1; n <= ELECT_OTHERS_MAX; n++)
		bench_hears(bench_aycoord(200 + n, 9));
	bench_for(1);
	bench_until(bench.e->timers[TIMER_BEACON]);
	bench_for(pace_repeat_us(bench.e));
	bench_clear();
	bench_hears(bench_aycoord(300, 9));
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 0);
}

static void a_worse_coordinator_answers_and_does_not_ask(void **state)
{
	(void)state;
	begin_at_a_beacon();
	bench_for(pace_repeat_us(bench.e));
	bench_aycoord(70, 9)->standing.established = true;
	bench.m.standing.size = 5;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYCOORD), 0);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
}

static void answers_to_a_coordinator_go_to_all_while_it_is_new(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned beacons = 0; beacons < 2 * MET_BEACONS; beacons++) {
		bench_aycoord(70, 9)->standing.size = 5;
		bench_receive();
		assert_true(
			bench.sends[ELECT_AYCOORD_ANSWER].also_to_all == (beacons < MET_BEACONS));
		bench_for(BENCH_BEACON_US);
	}
}

static void few_answers_in_a_beacon_go_to_all(void **state)
{
	unsigned to_all = 0;

	(void)state;
	bench_leader();
	for (unsigned n = 0; n < 2 * ANSWERS_TO_ALL; n++) {
		bench_aycoord(60 + n, 9)->standing.size = 5;
		bench_receive();
		to_all += bench.sends[ELECT_AYCOORD_ANSWER].also_to_all;
	}
	assert_int_equal(to_all, ANSWERS_TO_ALL);
	bench_for(BENCH_BEACON_US);
	bench_aycoord(60, 9)->standing.size = 5;
	bench_receive();
	assert_true(bench.sends[ELECT_AYCOORD_ANSWER].also_to_all);
}

static void no_answer_to_a_host_that_takes_no_list_goes_to_all(void **state)
{
	struct elect_id vain = bench_id(70);

	(void)state;
	bench_leader();
	while (!backoff_vain_us(bench.e, &vain))
		backoff_unlisted(bench.e, &vain);
	bench_aycoord(70, 9)->standing.size = 5;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	assert_false(bench.sends[ELECT_AYCOORD_ANSWER].also_to_all);
}

static unsigned beacons_in(uint64_t us)
{
	bench_clear();
	bench_for(us);
	return bench_sent(ELECT_AYCOORD);
}

/* Host 1 falls silent, and host 2 goes on. */
static void lose_a_member(void)
{
	for (unsigned i = 0; i < 20 && bench_listed(1); i++) {
		bench_hears(bench_aythere(2, &bench.e->group));
		bench_for(BENCH_BEACON_US);
	}
	assert_false(bench_listed(1));
}

static void beacons_come_twice_as_often_while_hosts_are_missing(void **state)
{
	const uint64_t ten_us = UINT64_C(10) * BENCH_BEACON_US;

	(void)state;
	bench_leading(2);
	lose_a_member();
	bench_hears(bench_aythere(2, &bench.e->group));
	assert_in_range(beacons_in(BENCH_BEACON_US * 5), 8, 13);
	bench_join(1);
	bench_for(BENCH_BEACON_US * 2);
	for (unsigned i = 0; i < 2; i++)
		bench_members_speak();
	assert_in_range(beacons_in(ten_us / 2), 4, 7);
}

static uint32_t next_beacon_announces(void)
{
	bench_clear();
	while (bench_sent(ELECT_AYCOORD) == 0)
		bench_for(1000);
	return bench.sent[ELECT_AYCOORD].next_us;
}

static void a_beacon_between_two_announces_the_second(void **state)
{
	uint64_t due_us;

	(void)state;
	bench_leading(2);
	lose_a_member();
	bench_hears(bench_aythere(2, &bench.e->group));
	if (next_beacon_announces() < BENCH_BEACON_US * 3 / 4)
		next_beacon_announces();
	due_us = bench.e->due_us;
	assert_true(due_us - bench.now_us > BENCH_BEACON_US * 3 / 4);
	assert_in_range(next_beacon_announces(), BENCH_BEACON_US / 3, BENCH_BEACON_US * 2 / 3);
	assert_int_equal(bench.e->due_us, due_us);
	assert_true(next_beacon_announces() > BENCH_BEACON_US * 3 / 4);
	assert_true(bench.e->due_us > due_us);
}

static void beacons_are_as_rare_as_before_when_the_missing_do_not_come_back(void **state)
{
	(void)state;
	bench_leading(2);
	lose_a_member();
	for (unsigned i = 0; i <= MISSED_US / BENCH_BEACON_US; i++) {
		bench_hears(bench_aythere(2, &bench.e->group));
		bench_for(BENCH_BEACON_US);
	}
	bench_hears(bench_aythere(2, &bench.e->group));
	assert_in_range(beacons_in(BENCH_BEACON_US * 5), 4, 7);
}

static void the_successor_of_a_silent_coordinator_misses_it(void **state)
{
	static const unsigned others[] = { 1 };

	(void)state;
	bench_member_of(70, 5, others, 1);
	bench_until(bench.e->watch.heard_us + bench_dead_after() + BENCH_BEACON_US);
	bench_hears(bench_accept(1, &bench.e->group));
	bench_for(ACCEPT_WINDOW_US);
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->up.count, 2);
	assert_in_range(beacons_in(BENCH_BEACON_US * 5), 8, 13);
}

static void a_coordinator_that_is_heard_is_not_missing(void **state)
{
	(void)state;
	bench_leading(2);
	lose_a_member();
	bench_hears(bench_aythere(2, &bench.e->group));
	bench_hears(bench_aycoord(70, 9));
	bench_for(BENCH_BEACON_US * 3 / 2);
	bench_hears(bench_aycoord(70, 9));
	assert_in_range(beacons_in(BENCH_BEACON_US * 5 / 2), 1, 4);
}

/* The members of the own group that another part has taken over are expected with that part. */
static void silent_members_are_not_counted(void **state)
{
	struct elect_standing mine;

	(void)state;
	bench_leading(3);
	bench_members_speak();
	bench_clear();
	bench_for(pace_beacons(bench.e, MEMBER_QUIET_BEACONS) - 1);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 0);
	bench_for(1 + PROBE_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), PROBES_QUIET * 3);
	bench_hears(bench_aythere(2, &bench.e->group));
	self_standing(bench.e, &mine);
	assert_int_equal(mine.size, 4);
	bench_for(PROBE_US);
	bench_tick();
	self_standing(bench.e, &mine);
	assert_int_equal(mine.size, 2);
	bench_until(bench.e->timers[TIMER_MEMBERS]);
	self_standing(bench.e, &mine);
	assert_int_equal(mine.size, 2); /* also while it is probed again */
	answer(10, 1);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].expected, 2);
}

/* The group is younger than the beacon that is answered. */
static void an_answer_that_was_overtaken_by_a_merge_does_not_count(void **state)
{
	uint64_t asked_us;

	(void)state;
	bench_leading(1);
	asked_us = bench.now_us;
	answer(10, 1)->asked_us = asked_us;
	bench_receive();
	bench_for(CHECK_GATHER_US);
	bench_accept_from(1);
	bench_accept_from(10);
	bench_hears(bench_ready_answer(1));
	bench_hears(bench_ready_answer(10));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_clear();
	answer(10, 2)->asked_us = asked_us;
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	answer(10, 2)->asked_us = bench.now_us;
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_merge_begins_as_soon_as_all_have_yielded(void **state)
{
	(void)state;
	bench_leading(1);
	established(10);
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_YIELD);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	answer(10, 1);
	bench_receive();
	bench_for(1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_beacon_period_varies_by_a_fifth),
		TEST(a_coordinator_answers_another_one_until_it_has_an_answer),
		TEST(a_coordinator_that_never_answers_is_never_merged_with),
		TEST(a_coordinator_that_never_answered_is_not_fresh_after_boot),
		TEST(coordinators_that_answer_are_gathered_and_merged_with),
		TEST(the_second_in_rank_waits_a_step_and_checks_again),
		TEST(a_coordinator_that_left_during_the_wait_is_not_merged_with),
		TEST(an_answer_older_than_three_beacons_does_not_count),
		TEST(a_lone_host_without_the_role_is_invited_to_join),
		TEST(a_leader_or_a_host_with_members_is_not_invited_to_join),
		TEST(a_host_in_back_off_may_join),
		TEST(a_host_without_a_usable_counter_does_not_merge),
		TEST(a_host_that_is_leaving_does_not_merge),
		TEST(the_wait_for_higher_ranks_is_at_most_five_steps),
		TEST(a_merge_that_would_be_too_large_is_only_reported),
		TEST(a_leader_that_does_not_yield_is_merged_with_after_the_timeout),
		TEST(a_leader_that_left_before_it_yielded_is_asked_again),
		TEST(the_longest_silent_coordinator_is_replaced),
		TEST(a_leader_is_not_replaced_by_coordinators_that_do_not_lead),
		TEST(groups_beyond_the_limit_wait_for_the_next_invitation),
		TEST(the_end_of_a_role_is_shown_before_a_merge),
		TEST(a_better_coordinator_asks_at_once_but_only_once),
		TEST(of_too_many_coordinators_none_is_asked_at_once),
		TEST(a_worse_coordinator_answers_and_does_not_ask),
		TEST(answers_to_a_coordinator_go_to_all_while_it_is_new),
		TEST(few_answers_in_a_beacon_go_to_all),
		TEST(no_answer_to_a_host_that_takes_no_list_goes_to_all),
		TEST(beacons_come_twice_as_often_while_hosts_are_missing),
		TEST(a_beacon_between_two_announces_the_second),
		TEST(beacons_are_as_rare_as_before_when_the_missing_do_not_come_back),
		TEST(the_successor_of_a_silent_coordinator_misses_it),
		TEST(a_coordinator_that_is_heard_is_not_missing),
		TEST(silent_members_are_not_counted),
		TEST(an_answer_that_was_overtaken_by_a_merge_does_not_count),
		TEST(a_merge_begins_as_soon_as_all_have_yielded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
