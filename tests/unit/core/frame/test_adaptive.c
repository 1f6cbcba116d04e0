/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adaptive.c (suspicion.md, Adaptive timeout): a false suspicion makes the timeout for a
 * coordinator longer: what counts as a false suspicion, what follows from it, and when it is
 * forgotten.
 */
#include "bench.h"

#include "core/frame/adaptive.h"
#include "core/invitation/invitation.h"

static const unsigned members[] = { 60, 61 };

static uint64_t apart(void)
{
	return bench.e->config.timings.dead_after_us;
}

/* Member 1 sends an Invitation of a succession to this coordinator. */
static struct elect_msg *succession(enum elect_loss loss)
{
	static uint64_t counter = 100;
	struct elect_msg *m = bench_invitation(1, counter++, ELECT_INVITE_SUCCESSION);

	m->from_group = bench.e->group;
	m->loss = loss;
	return m;
}

/* Member 1 leads in its place and answers its beacon. */
static struct elect_msg *answer(enum elect_loss loss)
{
	struct elect_msg *m = bench_aycoord_answer(1, 9);

	m->succeeded = (struct elect_succeeded){ bench.e->group, loss };
	return m;
}

static void assert_alarms(unsigned alarms, unsigned unanswered)
{
	struct elect_adaptive p = bench_view().patience;

	assert_int_equal(p.alarms, alarms);
	assert_int_equal(p.unanswered, unanswered);
}

/* Stalls this host: its next step comes `late_us` too late. */
static void stands_still(uint64_t late_us)
{
	bench.now_us = bench.out.wake_us + late_us;
	bench_tick();
}

static void leads_after_a_stall(void)
{
	bench_leading(2);
	stands_still(apart() / 2);
}

static void suspected(unsigned times, enum elect_loss loss)
{
	for (unsigned i = 0; i < times; i++) {
		stands_still(apart() / 2);
		bench_hears(succession(loss));
		bench_members_speak();
		bench_for(apart());
	}
}

/* ---- what is a false suspicion --------------------------------------------------------------- */

static void a_stalled_coordinator_counts_a_succession_for_silence(void **state)
{
	(void)state;
	leads_after_a_stall();
	assert_alarms(0, 0);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
	assert_int_equal(bench_view().suspected, 1);
	assert_true(role_leads(bench.e));
}

static void a_stalled_coordinator_counts_the_report_of_its_successor(void **state)
{
	(void)state;
	leads_after_a_stall();
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(1, 1);
}

/* This host runs and hears none of its members. */
static void cut_off(void)
{
	bench_leading(2);
	bench_for(3 * BENCH_BEACON_US / 2);
}

static void a_running_coordinator_that_heard_no_member_counts_no_suspicion(void **state)
{
	(void)state;
	cut_off();
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(0, 0);
	bench_for(apart());
	bench.e->config.silence_us = 0;
	stands_still(apart() / 2 - 1);
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(0, 0);
	assert_int_equal(bench_view().suspected, 2);
}

static void a_coordinator_that_hears_a_member_was_not_cut_off(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(3 * BENCH_BEACON_US / 2 - 1);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
}

/* After a cut, a member that still waits may be heard before the report of the one that leads. */
static void a_coordinator_that_was_cut_off_lately_counts_no_suspicion(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(5 * BENCH_BEACON_US / 2);
	bench_members_speak();
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(0, 0);
	assert_int_equal(bench_view().suspected, 1);
	for (uint64_t us = 0; us < 2 * apart(); us += BENCH_BEACON_US) {
		bench_for(BENCH_BEACON_US);
		bench_members_speak();
	}
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(1, 1);
}

static void an_election_is_no_cut(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_for(bench_dead_after() + succession_wait_us(bench.e));
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_tick();
	assert_int_equal(bench.e->cut_us, 0);
}

static void a_member_that_missed_one_beacon_shows_no_cut(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(5 * BENCH_BEACON_US / 2 - 1);
	bench_members_speak();
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(1, 1);
}

static void a_stall_as_long_as_early_suspicion_counts(void **state)
{
	(void)state;
	cut_off();
	bench.e->config.silence_us = 75000;
	stands_still(74999);
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(0, 0);
	bench_for(apart());
	stands_still(75000);
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(1, 1);
}

static void an_old_stall_explains_no_suspicion(void **state)
{
	(void)state;
	leads_after_a_stall();
	bench_for(2 * apart() - 1);
	bench_hears(answer(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
	stands_still(apart() / 2);
	bench_for(2 * apart());
	bench_hears(answer(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
}

static void suspicions_after_one_silence_count_once(void **state)
{
	(void)state;
	leads_after_a_stall();
	bench_hears(succession(ELECT_LOSS_SILENCE));
	bench_for(apart() - 1000);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
	bench_for(1000);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(2, 0);
}

static void a_known_loss_is_no_false_suspicion(void **state)
{
	(void)state;
	leads_after_a_stall();
	for (unsigned loss = 0; loss < ELECT_LOSSES; loss++)
		if (elect_loss_older((enum elect_loss)loss) != ELECT_LOSS_SILENCE)
			bench_hears(succession((enum elect_loss)loss));
	assert_alarms(0, 0);
}

static void a_succession_to_another_group_is_no_false_suspicion(void **state)
{
	(void)state;
	leads_after_a_stall();
	answer(ELECT_LOSS_SILENCE)->succeeded.group.counter--;
	bench_receive();
	answer(ELECT_LOSS_SILENCE)->succeeded.group.coordinator = bench_id(60);
	bench_receive();
	bench_hears(bench_aycoord_answer(1, 9));
	assert_alarms(0, 0);
}

static void an_unproven_sender_reports_no_suspicion(void **state)
{
	(void)state;
	leads_after_a_stall();
	answer(ELECT_LOSS_SILENCE)->proven = false;
	bench_receive();
	succession(ELECT_LOSS_SILENCE)->proven = false;
	bench_receive();
	assert_alarms(0, 0);
}

static void a_member_counts_no_false_suspicion(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_hears(answer(ELECT_LOSS_SILENCE));
	assert_int_equal(bench.e->patience.alarms, 0);
}

static void beacons_carry_the_number_of_false_suspicions(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US * 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.alarms, 0);
	suspected(2, ELECT_LOSS_UNANSWERED);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.alarms, 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.unanswered, 2);
}

static void each_false_suspicion_adds_a_third_of_dead_after(void **state)
{
	(void)state;
	for (uint8_t alarms = 0; alarms <= ELECT_ALARMS_MAX; alarms++) {
		uint64_t dead_us;

		bench_tear_down(state);
		bench_set_up(state);
		bench_member_of(70, 5, members, 2);
		bench_beacon(70)->patience.alarms = alarms;
		bench_receive();
		dead_us = bench_dead_after() + alarms * bench_dead_after() / 3;
		assert_int_equal(bench_view().adaptive_us, dead_us - bench_dead_after());
		assert_int_equal(bench_view().adaptive_silence_us, 0);
		bench_for(dead_us - 1);
		assert_int_equal(bench.e->state, ELECT_NORMAL);
		bench_for(1 + succession_wait_us(bench.e));
		assert_int_equal(bench.e->state, ELECT_ELECTION);
	}
}

static void each_false_suspicion_extends_the_silence_of_the_kernel(void **state)
{
	static const uint64_t longer_us[ELECT_ALARMS_MAX + 1] = { 0, 50000, 150000, 350000, 600000,
		600000, 600000 };

	(void)state;
	bench_member_of(70, 5, members, 2);
	for (uint8_t n = 0; n <= ELECT_ALARMS_MAX; n++) {
		bench_beacon(70)->patience = (struct elect_adaptive){ n, n };
		bench_receive();
		assert_int_equal(bench_view().adaptive_silence_us, longer_us[n]);
	}
}

static void the_next_coordinator_inherits_no_false_suspicion(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_beacon(70)->patience.alarms = 3;
	bench_receive();
	assert_alarms(3, 0);
	bench_for(3 * bench_dead_after());
	assert_false(elect_id_equal(&bench.e->group.coordinator, &(struct elect_id){ { 0 } }));
	assert_true(group_coordinates(bench.e));
	assert_alarms(0, 0);
}

static void a_beacon_without_false_suspicions_clears_them(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_beacon(70)->patience.alarms = 3;
	bench_receive();
	bench_hears(bench_beacon(70));
	assert_alarms(0, 0);
}

/* ---- limits and forgetting ------------------------------------------------------------------- */

static void at_most_six_false_suspicions_count(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(ELECT_ALARMS_MAX + 2, ELECT_LOSS_UNANSWERED);
	assert_alarms(ELECT_ALARMS_MAX, ELECT_ALARMS_MAX);
	assert_int_equal(bench_view().suspected, ELECT_ALARMS_MAX + 2);
	assert_int_equal(bench_view().adaptive_us, 2 * bench_dead_after());
	assert_int_equal(bench_view().adaptive_silence_us, bench_dead_after());
}

static void after(uint64_t us)
{
	bench.e->forgot_us -= us;
	bench.e->suspected_us -= us;
	bench_tick();
}

static void one_false_suspicion_is_forgotten_every_ten_minutes(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(1, ELECT_LOSS_UNANSWERED);
	suspected(2, ELECT_LOSS_SILENCE);
	assert_alarms(3, 1);
	after(ADAPTIVE_FORGET_US - apart() - 1);
	assert_alarms(3, 1);
	after(1);
	assert_alarms(2, 0);
	after(ADAPTIVE_FORGET_US - 1);
	assert_alarms(2, 0);
	adaptive_suspected(bench.e, ELECT_LOSS_SILENCE);
	after(ADAPTIVE_FORGET_US - 1);
	assert_alarms(3, 0);
	after(1);
	assert_alarms(2, 0);
}

static void one_long_interval_forgets_as_many_as_short_ones(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(4, ELECT_LOSS_SILENCE);
	after(2 * (uint64_t)ADAPTIVE_FORGET_US);
	assert_alarms(2, 0);
	after(9 * (uint64_t)ADAPTIVE_FORGET_US);
	assert_alarms(0, 0);
}

static void a_suspended_host_forgets_no_false_suspicion(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(4, ELECT_LOSS_SILENCE);
	bench.now_us += 9 * (uint64_t)ADAPTIVE_FORGET_US;
	bench_tick();
	assert_alarms(4, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stalled_coordinator_counts_a_succession_for_silence),
		TEST(a_stalled_coordinator_counts_the_report_of_its_successor),
		TEST(a_running_coordinator_that_heard_no_member_counts_no_suspicion),
		TEST(a_coordinator_that_hears_a_member_was_not_cut_off),
		TEST(a_coordinator_that_was_cut_off_lately_counts_no_suspicion),
		TEST(an_election_is_no_cut),
		TEST(a_member_that_missed_one_beacon_shows_no_cut),
		TEST(a_stall_as_long_as_early_suspicion_counts),
		TEST(an_old_stall_explains_no_suspicion),
		TEST(suspicions_after_one_silence_count_once),
		TEST(a_known_loss_is_no_false_suspicion),
		TEST(a_succession_to_another_group_is_no_false_suspicion),
		TEST(an_unproven_sender_reports_no_suspicion),
		TEST(a_member_counts_no_false_suspicion),
		TEST(beacons_carry_the_number_of_false_suspicions),
		TEST(each_false_suspicion_adds_a_third_of_dead_after),
		TEST(each_false_suspicion_extends_the_silence_of_the_kernel),
		TEST(the_next_coordinator_inherits_no_false_suspicion),
		TEST(a_beacon_without_false_suspicions_clears_them),
		TEST(at_most_six_false_suspicions_count),
		TEST(one_false_suspicion_is_forgotten_every_ten_minutes),
		TEST(one_long_interval_forgets_as_many_as_short_ones),
		TEST(a_suspended_host_forgets_no_false_suspicion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
