/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c: a member watches its coordinator (suspicion.md; slide 37): what counts as heard,
 * suspicion, probes and death; and events that report a loss before the silence does.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

/* With these members, this host is the second or third in succession. */
static const unsigned second[] = { 60, 1 };
static const unsigned third[] = { 60, 61, 1 };

static void assert_succeeds(void)
{
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_SUCCESSION);
}

static void a_coordinator_is_suspected_after_one_and_a_half_beacons(void **state)
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

static void a_loss_without_a_carrier_shows_carrier_lost(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = false;
	bench_step();
	bench_for(bench_dead_after() + SUCCESSION_STEP_US);
	bench_assert_because(ELECT_REASON_CARRIER_LOST, BENCH_SELF);
}

static void assert_not_heard(void)
{
	uint64_t heard = bench.e->watch.heard_us;

	bench_for(1000);
	bench_receive();
	assert_int_equal(bench.e->watch.heard_us, heard);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void only_a_proven_beacon_of_the_own_group_counts_as_heard(void **state)
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

static void an_answer_to_a_probe_counts_as_heard(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(BENCH_BEACON_US * 3 / 2 + 1000);
	assert_true(following_suspects(bench.e));
	bench_hears(bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES));
	assert_false(following_suspects(bench.e));
}

static void a_beacon_shows_whether_its_sender_leads(void **state)
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

/* An attacker sends a beacon in the coordinator's name with a sequence far ahead. The coordinator's
 * own beacons count again after a while. */
static void a_beacon_with_a_high_sequence_blocks_others_only_briefly(void **state)
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

static void a_beacon_with_another_list_makes_a_member_ask(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_beacon(70)->digest++;
	bench_receive();
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_int_equal(bench.sent[ELECT_AYTHERE].list_version, 1);
}

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

static void a_goodbye_of_another_host_or_group_is_ignored(void **state)
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

static void an_answer_of_another_session_means_a_restart(void **state)
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

static void an_answer_of_another_host_or_group_is_ignored(void **state)
{
	struct elect_group old = bench_group(70, 4);

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_aythere_answer(60, &bench.e->group, ELECT_ANSWER_NOT_MY_GROUP));
	bench_hears(bench_aythere_answer(70, &old, ELECT_ANSWER_NOT_MY_GROUP));
	assert_false(bench.e->watch.gone);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void a_coordinator_that_sends_hello_is_down(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hello(70)->session = 9;
	bench_receive();
	assert_true(bench.e->watch.gone);
	bench_assert_because(ELECT_REASON_COORDINATOR_RESTARTED, 70);
}

static void a_proven_new_session_means_a_restart(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_from(70, ELECT_CHALLENGE_ANSWER));
	assert_false(bench.e->watch.gone); /* the listed session is alive */
	bench_from(70, ELECT_CHALLENGE_ANSWER)->session = 9;
	bench_receive();
	assert_true(bench.e->watch.gone);
}

static void a_beacon_ends_a_suspicion(void **state)
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

/* A Goodbye that was forged or taken back must not be the reason of a later loss by silence. */
static void a_beacon_clears_the_reason_of_a_suspicion(void **state)
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

/* The next routine report. */
static const struct elect_msg *report(void)
{
	bench_clear();
	while (!bench_sent(ELECT_AYTHERE)) {
		bench_for(BENCH_BEACON_US);
		bench_beacon(70)->family = 4;
		bench_receive();
	}
	return &bench.sent[ELECT_AYTHERE];
}

static void a_brief_report_follows_a_whole_one(void **state)
{
	unsigned whole = 0;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_beacon(70)->family = 4;
	bench_receive();
	assert_false(report()->brief);
	for (unsigned i = 0; i < 20; i++)
		whole += !report()->brief;
	assert_in_range(whole, 3, 5);
}

/* A brief report comes no later than any other, so that one lost report causes no question. */
static void brief_reports_come_within_two_and_a_half_beacons(void **state)
{
	uint64_t last_us = 0;

	(void)state;
	bench_member_of(70, 5, second, 2);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t at_us = bench.e->timers[TIMER_AYTHERE];

		if (at_us != last_us && i > 20)
			assert_in_range(at_us - last_us, BENCH_BEACON_US * 22 / 10,
				BENCH_BEACON_US * 24 / 10);
		last_us = at_us;
		while (bench.e->timers[TIMER_AYTHERE] == at_us) {
			bench_for(BENCH_BEACON_US / 10);
			bench_beacon(70)->family = 4;
			bench_receive();
		}
	}
}

static void a_report_with_news_is_whole(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	report();
	assert_true(report()->brief);
	bench_command(ELECT_COMMAND_PRIORITY)->priority = 7;
	bench_step();
	for (unsigned i = 0; i < 5; i++) {
		assert_false(report()->brief); /* the list does not have it */
		assert_int_equal(bench.sent[ELECT_AYTHERE].standing.priority, 7);
	}
}

static void a_coordinator_that_spares_nothing_gets_whole_reports(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	report();
	assert_true(report()->brief);
	for (unsigned i = 0; i < 10; i++) {
		bench_hears(bench_beacon(70));
		bench_clear();
		bench_for(BENCH_BEACON_US);
		if (bench_sent(ELECT_AYTHERE))
			assert_false(bench.sent[ELECT_AYTHERE].brief);
	}
}

static void a_member_that_cannot_persist_does_not_succeed(void **state)
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
		TEST(a_coordinator_is_suspected_after_one_and_a_half_beacons),
		TEST(a_loss_without_a_carrier_shows_carrier_lost),
		TEST(only_a_proven_beacon_of_the_own_group_counts_as_heard),
		TEST(an_answer_to_a_probe_counts_as_heard),
		TEST(a_beacon_shows_whether_its_sender_leads),
		TEST(a_beacon_with_a_high_sequence_blocks_others_only_briefly),
		TEST(a_beacon_with_another_list_makes_a_member_ask),
		TEST(a_repeated_goodbye_postpones_nothing),
		TEST(a_goodbye_of_another_host_or_group_is_ignored),
		TEST(an_answer_of_another_session_means_a_restart),
		TEST(an_answer_of_another_host_or_group_is_ignored),
		TEST(a_coordinator_that_sends_hello_is_down),
		TEST(a_proven_new_session_means_a_restart),
		TEST(a_beacon_ends_a_suspicion),
		TEST(a_beacon_clears_the_reason_of_a_suspicion),
		TEST(a_brief_report_follows_a_whole_one),
		TEST(brief_reports_come_within_two_and_a_half_beacons),
		TEST(a_report_with_news_is_whole),
		TEST(a_coordinator_that_spares_nothing_gets_whole_reports),
		TEST(a_member_that_cannot_persist_does_not_succeed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
