/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a leader's work may continue after silence (until.md): from which beacon the
 * time counts, by whose dead_after, and what a member contributes.
 */
#include "unit/core/frame/bench.h"

/* Beacons of 200 ms and dead_after of 600 ms: an eighth of the time that the longest beacon period
 * leaves. */
#define ENDING_LAN_US 45000

static const unsigned second[] = { 60, 1 };

static uint64_t until(void)
{
	uint64_t ending_us;

	return elect_until(bench.e, &ending_us);
}

static uint64_t ending(void)
{
	uint64_t ending_us;

	elect_until(bench.e, &ending_us);
	return ending_us;
}

/* The time from a beacon to the end that elect_until() returns. */
static uint64_t patience_since(uint64_t beacon_us)
{
	return until() + ending() - beacon_us;
}

static uint64_t next_beacon(void)
{
	uint64_t before = bench.e->beacon_us;

	while (bench.e->beacon_us == before)
		bench_until(bench.out.wake_us);
	return bench.e->beacon_us;
}

static void timings(uint32_t beacon_us, uint32_t dead_after_us)
{
	struct elect_command *c = bench_command(ELECT_COMMAND_CONFIGURE);

	c->config = bench.e->config;
	c->config.timings = (struct elect_timings){ beacon_us, dead_after_us };
	bench_step();
}

static void says(unsigned n, uint32_t dead_after_us)
{
	bench_aythere(n, &bench.e->group)->dead_after_us = dead_after_us;
	bench_receive();
}

static void a_host_that_does_not_lead_has_no_time(void **state)
{
	(void)state;
	assert_int_equal(until(), 0);
	bench_alone();
	assert_int_equal(until(), 0);
}

static void the_ending_time_is_a_small_part_of_the_remaining_time(void **state)
{
	static const struct {
		uint32_t beacon_us, dead_after_us, ending_us;
	} rows[] = {
		{ 200000, 600000, ENDING_LAN_US }, /* lan */
		{ 50000, 600000, 50000 },	   /* fast: one beacon */
		{ 10000, 27000, 1875 },		   /* fastest */
		{ 1000000, 3000000, 100000 },	   /* the maximum */
		{ 100000, 200000, 10000 },	   /* two beacons */
	};

	(void)state;
	bench_leading(1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		timings(rows[i].beacon_us, rows[i].dead_after_us);
		assert_int_equal(ending(), rows[i].ending_us);
	}
}

/* The group may have continued without this leader, so its own questions gain it no time. */
static void a_leader_that_asks_whether_it_is_followed_waits_for_the_answers(void **state)
{
	uint64_t beacon;

	(void)state;
	bench_leading(3);
	beacon = next_beacon();
	bench.now_us = bench.e->due_us + ELECT_GRACE_US + bench.e->config.silence_us;
	bench_tick();
	assert_true(role_asks(bench.e));
	assert_true(bench.e->beacon_us > beacon);
	assert_int_equal(patience_since(beacon), bench_dead_after());
	for (unsigned n = 1; n <= 2; n++)
		bench_hears(bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES));
	assert_false(role_asks(bench.e));
	assert_int_equal(patience_since(bench.e->beacon_us), bench_dead_after());
}

static void the_smallest_dead_after_of_the_group_counts(void **state)
{
	uint64_t beacon;

	(void)state;
	bench_leading(2);
	beacon = next_beacon();
	says(1, 500000);
	assert_int_equal(patience_since(beacon), 500000);
	says(2, 900000);
	assert_int_equal(patience_since(beacon), 500000);
	says(1, 0); /* an older host; it keeps its former value */
	assert_int_equal(patience_since(beacon), 500000);
	timings(BENCH_BEACON_US, 450000);
	assert_int_equal(patience_since(beacon), 450000);
	timings(BENCH_BEACON_US, 3000000); /* the others have not reported a longer one */
	assert_int_equal(patience_since(beacon), 500000);
	says(1, 3000000);
	assert_int_equal(patience_since(beacon), 900000);
}

static void a_ready_answer_reports_dead_after(void **state)
{
	(void)state;
	bench_leading(1);
	bench_ready_answer(1)->dead_after_us = 500000;
	bench_receive();
	assert_int_equal(patience_since(bench.e->beacon_us), 500000);
}

/* A member's value must not end the work of a healthy leader between two beacons. */
static void a_dead_after_below_two_beacons_counts_as_two(void **state)
{
	uint64_t beacon;

	(void)state;
	bench_leading(1);
	beacon = next_beacon();
	says(1, 1);
	assert_int_equal(patience_since(beacon), 2 * BENCH_BEACON_US);
	assert_true(until() > beacon + elect_next_most_us(BENCH_BEACON_US));
}

static void a_quorum_counts_from_the_beacon_that_enough_acknowledged(void **state)
{
	uint64_t first, between, later;

	(void)state;
	bench.event.start.config.quorum = 3;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	for (unsigned n = 1; n <= 3; n++)
		bench_join(n);
	for (unsigned n = 1; n <= 3; n++)
		bench_hears(bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES));
	assert_true(role_leads(bench.e));
	first = next_beacon();
	for (unsigned n = 1; n <= 2; n++)
		bench_hears(bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES));
	assert_int_equal(patience_since(first), bench_dead_after());
	later = next_beacon();
	assert_int_equal(patience_since(first), bench_dead_after());
	bench_hears(bench_aythere_answer(3, &bench.e->group, ELECT_ANSWER_YES));
	assert_int_equal(patience_since(first), bench_dead_after());
	bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us = first;
	bench_receive(); /* it answers the beacon before */
	assert_int_equal(patience_since(first), bench_dead_after());
	between = later;
	later = next_beacon();
	for (unsigned n = 1; n <= 2; n++) { /* these answer one beacon late, too */
		bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES)->asked_us = between;
		bench_receive();
	}
	assert_int_equal(patience_since(between), bench_dead_after());
	bench_hears(bench_aythere_answer(3, &bench.e->group, ELECT_ANSWER_YES));
	assert_int_equal(patience_since(between), bench_dead_after());
	bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
	assert_int_equal(patience_since(later), bench_dead_after());
}

static void a_member_reports_its_own_dead_after(void **state)
{
	static struct roster list;

	(void)state;
	bench.event.start.config.timings.dead_after_us = 700000;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_beacon(70));
	bench_for(2 * BENCH_BEACON_US);
	assert_int_equal(bench.sent[ELECT_AYTHERE].dead_after_us, 700000);
	bench_aythere(70, &bench.e->group)->probe = true;
	bench_receive();
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].dead_after_us, 700000);
	bench_list(&list, 70, second, 2);
	bench_receive_list(&bench.e->group, 70, &list, bench.e->list_version + 1);
	bench_for(BENCH_BEACON_US / 2);
	assert_int_equal(bench.sent[ELECT_READY_ANSWER].dead_after_us, 700000);
	bench_hears(bench_beacon(70));
	bench_for(2 * BENCH_BEACON_US);
	bench_invitation(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	bench_for(BENCH_BEACON_US / 2);
	assert_int_equal(bench.sent[ELECT_ACCEPT].dead_after_us, 700000);
}

/* The coordinator answers a question that was sent at `asked_us`. */
static void is_answered(uint64_t asked_us)
{
	bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES)->asked_us = asked_us;
	bench_receive();
}

static uint64_t patience(void)
{
	return pace_silence_until(bench.e, 0);
}

static void a_shorter_dead_after_applies_once_the_coordinator_knows(void **state)
{
	uint64_t since;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_beacon(70));
	bench_for(1000);
	bench_clear();
	since = bench.now_us;
	timings(BENCH_BEACON_US, 500000);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	assert_int_equal(bench.sent[ELECT_AYTHERE].dead_after_us, 500000);
	bench_hears(bench_beacon(70));
	assert_int_equal(patience(), 600000);
	bench_for(1000);
	is_answered(since - 1);
	assert_int_equal(patience(), 600000);
	timings(BENCH_BEACON_US, 450000);
	is_answered(since);
	assert_int_equal(patience(), 600000);
	is_answered(bench.now_us);
	assert_int_equal(patience(), 450000);
	timings(BENCH_BEACON_US, 900000); /* a longer one applies at once */
	assert_int_equal(patience(), 900000);
}

static void a_member_asks_again_until_it_is_answered(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	timings(BENCH_BEACON_US, 500000);
	bench_clear();
	for (unsigned i = 0; i < 30; i++) {
		bench_hears(bench_beacon(70));
		bench_for(BENCH_BEACON_US / 10);
	}
	assert_true(bench_sent(ELECT_AYTHERE) > 0);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
}

static void a_coordinator_applies_a_shorter_dead_after_at_once(void **state)
{
	(void)state;
	bench_leading(1);
	timings(BENCH_BEACON_US, 500000);
	assert_int_equal(patience(), 500000);
}

/* Otherwise the leader's work would end at once, because the last beacon is older than the new
 * value. */
static void a_leader_with_a_shorter_dead_after_sends_a_beacon_at_once(void **state)
{
	const uint32_t beacon_us = 5 * BENCH_BEACON_US;

	(void)state;
	bench_leading(2);
	timings(beacon_us, 3 * beacon_us);
	next_beacon();
	bench_for(beacon_us * 3 / 4);
	timings(BENCH_BEACON_US, 3 * BENCH_BEACON_US);
	assert_int_equal(patience_since(bench.now_us), 3 * BENCH_BEACON_US);
	assert_true(until() > bench.now_us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_host_that_does_not_lead_has_no_time),
		TEST(the_ending_time_is_a_small_part_of_the_remaining_time),
		TEST(a_leader_that_asks_whether_it_is_followed_waits_for_the_answers),
		TEST(the_smallest_dead_after_of_the_group_counts),
		TEST(a_ready_answer_reports_dead_after),
		TEST(a_dead_after_below_two_beacons_counts_as_two),
		TEST(a_quorum_counts_from_the_beacon_that_enough_acknowledged),
		TEST(a_member_reports_its_own_dead_after),
		TEST(a_shorter_dead_after_applies_once_the_coordinator_knows),
		TEST(a_member_asks_again_until_it_is_answered),
		TEST(a_coordinator_applies_a_shorter_dead_after_at_once),
		TEST(a_leader_with_a_shorter_dead_after_sends_a_beacon_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
