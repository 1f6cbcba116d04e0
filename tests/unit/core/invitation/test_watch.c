/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c: a member watches its coordinator (algorithm.md 4.4; slide 37): what counts as heard,
 * doubt, probes, death; and what is known better than by silence.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

/* This host is the second in succession of the first, the third of the second. */
static const unsigned second[] = { 60, 1 };
static const unsigned third[] = { 60, 61, 1 };

static void assert_succeeds(void)
{
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_SUCCESSION);
}

/* ---- silence --------------------------------------------------------------------------------- */

static void one_and_a_half_beacons_of_silence_are_doubt(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_beacon(70));
	heard = bench.now_us;
	bench_until(heard + BENCH_BEACON_US * 3 / 2 - 1);
	assert_false(following_suspects(bench.e));
	bench_until(heard + BENCH_BEACON_US * 3 / 2);
	bench_tick();
	assert_true(following_suspects(bench.e));
}

static void without_a_carrier_it_is_the_carrier_that_was_lost(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = false;
	bench_step();
	bench_for(bench_dead_after() + SUCCESSION_STEP_US);
	bench_assert_because(ELECT_REASON_CARRIER_LOST, BENCH_SELF);
}

/* ---- heard ----------------------------------------------------------------------------------- */

static void assert_not_heard(void)
{
	uint64_t heard = bench.e->watch.heard_us;

	bench_for(1000);
	bench_receive();
	assert_int_equal(bench.e->watch.heard_us, heard);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

/* F9 */
static void heard_is_a_proven_beacon_of_my_group_and_nothing_else(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_beacon(70)->proven = false;
	assert_not_heard();
	bench_aycoord(70, 4);
	assert_not_heard();
	bench_aycoord(60, 5);
	assert_not_heard();
	bench_hello(1);
	assert_not_heard();
	bench_hears(bench_beacon(70));
	assert_int_equal(bench.e->watch.heard_us, bench.now_us);
}

static void the_answer_to_a_probe_is_heard_too(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(BENCH_BEACON_US * 3 / 2 + 1000);
	assert_true(following_suspects(bench.e));
	bench_hears(bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES));
	assert_false(following_suspects(bench.e));
}

static void a_beacon_says_whether_its_sender_leads(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	bench_beacon(70)->standing.established = false;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	bench_assert_because(ELECT_REASON_COORDINATOR_WAITS, 70);
	bench_hears(bench_beacon(70));
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	bench_assert_because(ELECT_REASON_COORDINATOR_LEADS, 70);
}

/* Whoever says something in its name that is far ahead of it: its own words come again. */
static void no_beacon_overtakes_those_that_come_a_doubt_later(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_beacon(70)->sequence = 1 << 20;
	bench_receive();
	bench_for(BENCH_BEACON_US * 3 / 2 - 1);
	bench_beacon(70)->standing.established = false;
	bench.m.sequence = 8;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
	bench_for(1);
	bench_beacon(70)->standing.established = false;
	bench.m.sequence = 9;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench.e->watch.heard_us, bench.now_us);
	bench_beacon(70)->sequence = 8;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
}

static void a_beacon_with_another_list_makes_it_ask_soon(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_beacon(70)->digest++;
	bench_receive();
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_int_equal(bench.sent[ELECT_AYTHERE].list_version, 1);
}

/* ---- known better ---------------------------------------------------------------------------- */

/* It is said three times. */
static void a_repeated_goodbye_postpones_nothing(void **state)
{
	(void)state;
	bench_member_of(70, 5, third, 3);
	for (unsigned i = 0; i < GOODBYE_REPEATS; i++) {
		bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP)->other = bench_id(61);
		bench_receive();
		assert_true(following_suspects(bench.e));
		bench_for(REPEAT_US);
	}
	bench_for(2 * SUCCESSION_STEP_US - GOODBYE_REPEATS * REPEAT_US);
	assert_succeeds();
}

static void a_goodbye_of_another_or_of_another_group_is_nothing(void **state)
{
	struct elect_group old = bench_group(70, 4);

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_goodbye(60, &bench.e->group, ELECT_LOSS_STOP));
	bench_hears(bench_goodbye(70, &old, ELECT_LOSS_STOP));
	bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP)->proven = false;
	bench_receive();
	assert_false(bench.e->watch.gone);
}

static void from_another_session_it_means_that_it_has_restarted(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_NOT_MY_GROUP)->session = 9;
	bench_receive();
	bench_for(SUCCESSION_STEP_US);
	assert_succeeds();
	assert_int_equal(bench.sent[ELECT_INVITATION].loss, ELECT_LOSS_RESTART);
	bench_assert_because(ELECT_REASON_COORDINATOR_RESTARTED, 70);
}

static void an_answer_of_another_or_about_another_group_is_nothing(void **state)
{
	struct elect_group old = bench_group(70, 4);

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_aythere_answer(60, &bench.e->group, ELECT_ANSWER_NOT_MY_GROUP));
	bench_hears(bench_aythere_answer(70, &old, ELECT_ANSWER_NOT_MY_GROUP));
	assert_false(bench.e->watch.gone);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_coordinator_that_says_hello_is_down(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hello(70)->session = 9;
	bench_receive();
	assert_true(bench.e->watch.gone);
	bench_assert_because(ELECT_REASON_COORDINATOR_RESTARTED, 70);
}

static void a_proof_of_its_new_session_tells_the_same(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_from(70, ELECT_CHALLENGE_ANSWER));
	assert_false(bench.e->watch.gone); /* the session that is listed: alive */
	bench_from(70, ELECT_CHALLENGE_ANSWER)->session = 9;
	bench_receive();
	assert_true(bench.e->watch.gone);
}

static void a_beacon_takes_a_suspicion_back(void **state)
{
	(void)state;
	bench_member_of(70, 5, third, 3);
	bench_hears(bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_NOT_MY_GROUP));
	assert_true(bench.e->watch.gone);
	bench_hears(bench_beacon(70));
	assert_false(bench.e->watch.gone);
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

/* A forged Goodbye, or one that a host has taken back, is not why its silence is acted on later. */
static void a_beacon_takes_the_reason_of_a_suspicion_back(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_goodbye(70, &bench.e->group, ELECT_LOSS_CRASH)->other = bench_id(1);
	bench_receive();
	assert_true(bench.e->watch.gone);
	bench_hears(bench_beacon(70));
	bench_for(bench_dead_after() + SUCCESSION_STEP_US);
	bench_tick();
	assert_succeeds();
	assert_int_equal(bench.sent[ELECT_INVITATION].loss, ELECT_LOSS_SILENCE);
}

static void who_cannot_persist_does_not_succeed_but_waits_to_be_invited(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench.disk_off = true;
	bench_beacon(70)->counter = bench.e->usable + 1;
	bench_receive();
	bench_for(bench_dead_after() + SUCCESSION_STEP_US);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_and_a_half_beacons_of_silence_are_doubt),
		TEST(without_a_carrier_it_is_the_carrier_that_was_lost),
		TEST(heard_is_a_proven_beacon_of_my_group_and_nothing_else),
		TEST(the_answer_to_a_probe_is_heard_too),
		TEST(a_beacon_says_whether_its_sender_leads),
		TEST(no_beacon_overtakes_those_that_come_a_doubt_later),
		TEST(a_beacon_with_another_list_makes_it_ask_soon),
		TEST(a_repeated_goodbye_postpones_nothing),
		TEST(a_goodbye_of_another_or_of_another_group_is_nothing),
		TEST(from_another_session_it_means_that_it_has_restarted),
		TEST(an_answer_of_another_or_about_another_group_is_nothing),
		TEST(a_coordinator_that_says_hello_is_down),
		TEST(a_proof_of_its_new_session_tells_the_same),
		TEST(a_beacon_takes_a_suspicion_back),
		TEST(a_beacon_takes_the_reason_of_a_suspicion_back),
		TEST(who_cannot_persist_does_not_succeed_but_waits_to_be_invited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
