/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adaptive.c: who was taken for dead although it lives is given more time (algorithm.md 4.13):
 * what counts as a false alarm, what comes of it, and when it is forgotten.
 */
#include "bench.h"

#include "core/frame/adaptive.h"
#include "core/invitation/invitation.h"

static const unsigned members[] = { 60, 61 };

static uint64_t apart(void)
{
	return bench.e->config.timings.dead_after_us;
}

/* Member 1 begins to succeed to this coordinator, which lives. */
static struct elect_msg *succession(enum elect_loss loss)
{
	static uint64_t counter = 100;
	struct elect_msg *m = bench_invitation(1, counter++, ELECT_INVITE_SUCCESSION);

	m->from_group = bench.e->group;
	m->loss = loss;
	return m;
}

/* Member 1 leads in its place, and answers its beacon. */
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

/* This host does not run for so much longer than it should. */
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

/* So often it stood still and was suspected, each time for itself. */
static void suspected(unsigned times, enum elect_loss loss)
{
	for (unsigned i = 0; i < times; i++) {
		stands_still(apart() / 2);
		bench_hears(succession(loss));
		bench_members_speak();
		bench_for(apart());
	}
}

/* ---- what is a false alarm ------------------------------------------------------------------- */

static void a_coordinator_that_stood_still_and_is_succeeded_to_for_silence_counts_it(void **state)
{
	(void)state;
	leads_after_a_stall();
	assert_alarms(0, 0);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
	assert_int_equal(bench_view().suspected, 1);
	assert_true(bench.e->established);
}

static void so_does_one_that_is_told_so_by_who_leads_in_its_place(void **state)
{
	(void)state;
	leads_after_a_stall();
	bench_hears(answer(ELECT_LOSS_UNANSWERED));
	assert_alarms(1, 1);
}

/* It runs, and hears none of its members. */
static void cut_off(void)
{
	bench_leading(2);
	bench_for(3 * BENCH_BEACON_US / 2);
}

static void who_ran_and_heard_none_of_its_members_was_not_wronged(void **state)
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

static void who_hears_one_of_them_was_not_cut_off(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(3 * BENCH_BEACON_US / 2 - 1);
	bench_hears(succession(ELECT_LOSS_SILENCE));
	assert_alarms(1, 0);
}

static void with_early_doubt_a_stall_is_what_that_finds(void **state)
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

static void a_stall_of_long_ago_is_not_what_others_heard_of_it(void **state)
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

static void what_comes_of_one_silence_counts_once(void **state)
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

static void a_loss_that_somebody_knows_of_is_no_false_alarm(void **state)
{
	(void)state;
	leads_after_a_stall();
	for (unsigned loss = 0; loss < ELECT_LOSSES; loss++)
		if (elect_loss_older((enum elect_loss)loss) != ELECT_LOSS_SILENCE)
			bench_hears(succession((enum elect_loss)loss));
	assert_alarms(0, 0);
}

static void nor_is_what_happened_to_another_group(void **state)
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

static void who_is_not_proven_suspects_nobody(void **state)
{
	(void)state;
	leads_after_a_stall();
	answer(ELECT_LOSS_SILENCE)->proven = false;
	bench_receive();
	succession(ELECT_LOSS_SILENCE)->proven = false;
	bench_receive();
	assert_alarms(0, 0);
}

static void a_member_is_not_wronged(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_hears(answer(ELECT_LOSS_SILENCE));
	assert_int_equal(bench.e->patience.alarms, 0);
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void it_is_said_in_beacons_as_long_as_there_is_any(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US * 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.alarms, 0);
	suspected(2, ELECT_LOSS_UNANSWERED);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.alarms, 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].patience.unanswered, 2);
}

static void members_give_their_coordinator_a_third_of_dead_after_for_each(void **state)
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

static void its_kernels_silence_is_borne_for_longer_each_time(void **state)
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

static void patience_with_one_coordinator_is_not_with_the_next(void **state)
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

static void a_beacon_without_it_ends_it(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_beacon(70)->patience.alarms = 3;
	bench_receive();
	bench_hears(bench_beacon(70));
	assert_alarms(0, 0);
}

/* ---- bounded, and forgotten ------------------------------------------------------------------ */

static void no_more_than_six_count(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(ELECT_ALARMS_MAX + 2, ELECT_LOSS_UNANSWERED);
	assert_alarms(ELECT_ALARMS_MAX, ELECT_ALARMS_MAX);
	assert_int_equal(bench_view().suspected, ELECT_ALARMS_MAX + 2);
	assert_int_equal(bench_view().adaptive_us, 2 * bench_dead_after());
	assert_int_equal(bench_view().adaptive_silence_us, bench_dead_after());
}

/* So long ago, in which the host ran. */
static void after(uint64_t us)
{
	bench.e->forgot_us -= us;
	bench.e->suspected_us -= us;
	bench_tick();
}

static void one_is_forgotten_each_ten_minutes_without(void **state)
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

static void a_long_time_forgets_all_that_it_would_have_forgotten_in_steps(void **state)
{
	(void)state;
	bench_leading(2);
	suspected(4, ELECT_LOSS_SILENCE);
	after(2 * (uint64_t)ADAPTIVE_FORGET_US);
	assert_alarms(2, 0);
	after(9 * (uint64_t)ADAPTIVE_FORGET_US);
	assert_alarms(0, 0);
}

static void none_is_forgotten_while_the_host_is_suspended(void **state)
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
		TEST(a_coordinator_that_stood_still_and_is_succeeded_to_for_silence_counts_it),
		TEST(so_does_one_that_is_told_so_by_who_leads_in_its_place),
		TEST(who_ran_and_heard_none_of_its_members_was_not_wronged),
		TEST(who_hears_one_of_them_was_not_cut_off),
		TEST(with_early_doubt_a_stall_is_what_that_finds),
		TEST(a_stall_of_long_ago_is_not_what_others_heard_of_it),
		TEST(what_comes_of_one_silence_counts_once),
		TEST(a_loss_that_somebody_knows_of_is_no_false_alarm),
		TEST(nor_is_what_happened_to_another_group),
		TEST(who_is_not_proven_suspects_nobody),
		TEST(a_member_is_not_wronged),
		TEST(it_is_said_in_beacons_as_long_as_there_is_any),
		TEST(members_give_their_coordinator_a_third_of_dead_after_for_each),
		TEST(its_kernels_silence_is_borne_for_longer_each_time),
		TEST(patience_with_one_coordinator_is_not_with_the_next),
		TEST(a_beacon_without_it_ends_it),
		TEST(no_more_than_six_count),
		TEST(one_is_forgotten_each_ten_minutes_without),
		TEST(a_long_time_forgets_all_that_it_would_have_forgotten_in_steps),
		TEST(none_is_forgotten_while_the_host_is_suspended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
