/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ask.c, candidate.c, coordinator.c: the election of the highest host, and its reasons. */
#include "bench_bully.h"

static void assert_phase(enum bully_phase phase)
{
	assert_int_equal(own(bench.e)->phase, phase);
}

/* The start hold is over, and no host above has answered. */
static void call(void)
{
	bench_for(bench.e->config.start_hold_us + WINDOW_US + 1000);
	assert_phase(PHASE_CALL);
}

static void halts(unsigned n)
{
	bench_in_group(n, ELECT_ENTERELECTION_ANSWER)->answer = ELECT_ANSWER_YES;
	bench_receive();
}

static void follows(unsigned n)
{
	bench_in_group(n, ELECT_SETCOORD_ANSWER)->answer = ELECT_ANSWER_YES;
	bench_receive();
}

static void has_the_list(unsigned n)
{
	bench_in_group(n, ELECT_NEWSTATE_ANSWER)->answer = ELECT_ANSWER_YES;
	bench_receive();
}

/* Makes the host the coordinator of 10 and 20. */
static void coordinate(void)
{
	call();
	halts(10);
	halts(20);
	bench_for(WINDOW_US);
	follows(10);
	follows(20);
	has_the_list(10);
	has_the_list(20);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

static void it_asks_the_hosts_above_before_it_calls(void **state)
{
	(void)state;
	bench_for(bench.e->config.start_hold_us + 1000);
	assert_phase(PHASE_ASK);
	assert_true(bench_sent(ELECT_AYUP) >= 1);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), 0);
	bench_for(WINDOW_US);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_host_that_hears_from_above_waits_and_asks_again(void **state)
{
	(void)state;
	bench_for(bench.e->config.start_hold_us + 1000);
	bench_says(60, ELECT_AYUP_ANSWER)->state = ELECT_NORMAL;
	bench_receive();
	assert_phase(PHASE_WAIT);
	bench_clear();
	bench_for(WAIT_US - 2000);
	assert_int_equal(bench_sent(ELECT_AYUP), 0);
	bench_for(WINDOW_US + 2000);
	assert_true(bench_sent(ELECT_AYUP) >= 1);
}

static void an_answer_from_below_is_ignored(void **state)
{
	(void)state;
	bench_for(bench.e->config.start_hold_us + 1000);
	bench_says(10, ELECT_AYUP_ANSWER)->state = ELECT_NORMAL;
	bench_receive();
	assert_phase(PHASE_ASK);
}

static void it_waits_a_step_for_a_higher_host_that_it_heard(void **state)
{
	(void)state;
	bench_says(60, ELECT_AYUP)->proven = false;
	elect_hear_hello(bench.e, &bench.m);
	bench_for(bench.e->config.start_hold_us + START_STEP_US - 1000);
	assert_phase(PHASE_NONE);
	bench_for(2000);
	assert_phase(PHASE_ASK);
}

static void a_halted_host_is_set_and_then_listed(void **state)
{
	(void)state;
	call();
	halts(10);
	halts(20);
	assert_phase(PHASE_CALL);
	bench_for(WINDOW_US);
	assert_phase(PHASE_SET);
	assert_int_equal(bench.sent[ELECT_SETCOORD].accepted_count, 2);
	follows(10);
	assert_phase(PHASE_SET);
	follows(20);
	assert_phase(PHASE_NEW);
	assert_int_equal(bench.e->up.count, 3);
	has_the_list(10);
	assert_phase(PHASE_NEW);
	has_the_list(20);
	assert_phase(PHASE_NONE);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_int_equal(bench_sent(ELECT_AYNORMAL), 1);
}

static void a_host_that_follows_another_makes_it_begin_anew(void **state)
{
	(void)state;
	call();
	halts(10);
	bench_for(WINDOW_US);
	bench_in_group(10, ELECT_SETCOORD_ANSWER)->answer = ELECT_ANSWER_NO;
	bench_receive();
	assert_phase(PHASE_ASK);
	assert_int_equal(own(bench.e)->tries, 1);
}

static void a_silent_host_makes_it_begin_anew_and_windows_grow(void **state)
{
	(void)state;
	call();
	halts(10);
	bench_for(2 * WINDOW_US + 1000);
	assert_phase(PHASE_ASK);
	bench_for(2 * WINDOW_US - 3000);
	assert_phase(PHASE_ASK);
	bench_for(4000);
	assert_phase(PHASE_CALL);
}

static void it_calls_above_a_newer_group_once(void **state)
{
	uint64_t counter;

	(void)state;
	call();
	counter = bench.e->group.counter;
	bench_in_group(10, ELECT_ENTERELECTION_ANSWER)->answer = ELECT_ANSWER_NO;
	bench.m.why = ELECT_WHY_STALE;
	bench.m.counter = counter + 100;
	bench_receive();
	assert_int_equal(bench.e->group.counter, counter + 101);
	bench_in_group(10, ELECT_ENTERELECTION_ANSWER)->answer = ELECT_ANSWER_NO;
	bench.m.why = ELECT_WHY_STALE;
	bench_receive();
	assert_int_equal(bench.e->group.counter, counter + 101);
}

/* Another event during the election is reported, but is not the reason of its group. */
static void with_another_number_the_election_keeps_its_reason(void **state)
{
	(void)state;
	call();
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_int_equal(bench_view().reason, ELECT_REASON_HELD);
	bench_in_group(10, ELECT_ENTERELECTION_ANSWER)->answer = ELECT_ANSWER_NO;
	bench.m.why = ELECT_WHY_STALE;
	bench.m.counter = bench.e->group.counter + 100;
	bench_receive();
	assert_int_equal(bench_view().reason, ELECT_REASON_START);
}

/* C8 */
static void it_does_not_lead_next_to_a_leader_that_a_host_left(void **state)
{
	(void)state;
	call();
	bench_in_group(10, ELECT_ENTERELECTION_ANSWER)->other = bench_id(30);
	bench_receive();
	bench_for(WINDOW_US);
	follows(10);
	has_the_list(10);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
}

/* Makes the host a coordinator that has found a host outside of its group. */
static void find_another_group(void)
{
	coordinate();
	bench_clear();
	bench_says(30, ELECT_AYNORMAL_ANSWER)->state = ELECT_DOWN;
	bench_receive();
	bench_for(GATHER_US + 1000);
	assert_phase(PHASE_ASK);
}

static void an_answer_from_another_group_begins_an_election(void **state)
{
	(void)state;
	find_another_group();
	bench_for(WINDOW_US);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), 1);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER); /* during the election, too */
}

static void after_a_stall_a_pending_election_is_dropped(void **state)
{
	(void)state;
	find_another_group();
	bench.now_us += 2 * bench.e->config.timings.dead_after_us;
	bench_says(30, ELECT_AYNORMAL_ANSWER)->state = ELECT_DOWN;
	bench_receive();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_phase(PHASE_NONE);
}

/* C3 */
static void a_leader_is_asked_to_yield_first(void **state)
{
	(void)state;
	coordinate();
	bench_clear();
	bench_says(30, ELECT_AYNORMAL_ANSWER)->state = ELECT_NORMAL;
	bench.m.group = bench_group(30, 3);
	bench.m.standing.established = true;
	bench_receive();
	bench_for(GATHER_US + 1000);
	assert_phase(PHASE_NONE);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), 1);
	assert_true(elect_group_is_zero(&bench.sent[ELECT_ENTERELECTION].group));
	bench_assert_to(&bench.sends[ELECT_ENTERELECTION].to, 30);
}

static void a_host_above_it_is_no_reason(void **state)
{
	(void)state;
	coordinate();
	bench_says(60, ELECT_AYNORMAL_ANSWER)->state = ELECT_DOWN;
	bench_receive();
	bench_for(GATHER_US + 1000);
	assert_phase(PHASE_NONE);
}

static void a_silent_member_is_asked_alone_and_then_there_is_an_election(void **state)
{
	(void)state;
	coordinate();
	bench_clear();
	bench_for((uint64_t)(MEMBER_SILENT_BEACONS + 1) * BENCH_BEACON_US);
	bench_for(PROBES_MAX * PROBE_US + 1000);
	assert_true(bench_sent(ELECT_AYUP) > 0);
}

static void a_stopping_host_calls_no_more(void **state)
{
	(void)state;
	find_another_group();
	bench_clear();
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_for(WINDOW_US);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), 0);
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, 20);
}

/* counter.md: a number that is not reserved may have been used before. */
static void a_leader_calls_no_more_under_a_number_it_has_not_reserved(void **state)
{
	const struct elect_session lost = { bench_id(10), bench_session(10) };

	(void)state;
	coordinate();
	bench_says(30, ELECT_AYNORMAL_ANSWER)->state = ELECT_DOWN;
	bench_receive();
	bench_for(GATHER_US + WINDOW_US + 1000);
	assert_phase(PHASE_CALL);
	assert_true(role_leads(bench.e));
	bench.disk_off = true;
	bench.e->usable = bench.e->counter;
	bench.event.type = ELECT_EVENT_REKEYED;
	bench.event.rekeyed =
		(struct elect_rekeyed){ .keys = bench.e->keys, .lost = &lost, .lost_count = 1 };
	bench_step();
	assert_true(bench.e->counter <= bench.e->usable);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

/* The LAN heals after each host led alone. */
static void many_leaders_are_asked_a_few_at_a_time(void **state)
{
	(void)state;
	coordinate();
	bench_clear();
	for (unsigned n = 100; n < 100 + HEARD_MAX; n++) {
		bench_says(n, ELECT_AYNORMAL_ANSWER)->state = ELECT_NORMAL;
		bench.m.group = bench_group(n, 3);
		bench.m.standing.established = true;
		bench.m.standing.priority = 50;
		bench_receive();
	}
	timers_set(bench.e, TIMER_BEACON, bench.e->timers[TIMER_GATHER]); /* in one step */
	bench_until(bench.e->timers[TIMER_GATHER]);
	assert_true(bench_sent(ELECT_ENTERELECTION) <= YIELDS_A_STEP);
	bench_for(HEARD_MAX / YIELDS_A_STEP * GATHER_US);
	assert_int_equal(bench_sent(ELECT_ENTERELECTION), HEARD_MAX);
	assert_phase(PHASE_NONE);
}

static void a_list_that_a_member_had_lost_is_counted(void **state)
{
	(void)state;
	coordinate();
	bench_for(BENCH_BEACON_US);
	bench_in_group(10, ELECT_AYNORMAL_ANSWER)->digest++;
	bench_receive();
	has_the_list(10);
	assert_int_equal(bench.e->repairs, 1);
}

/* C1 */
static void a_host_that_is_asked_and_misses_beacons_acts(void **state)
{
	(void)state;
	bench_member_of(60, 5);
	bench_for(NUDGE_BEACONS * BENCH_BEACON_US - 1000);
	bench_says(10, ELECT_AYUP);
	bench_receive();
	assert_phase(PHASE_NONE);
	bench_for(2000);
	bench_says(10, ELECT_AYUP);
	bench_receive();
	assert_phase(PHASE_ASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_asks_the_hosts_above_before_it_calls),
		TEST(a_host_that_hears_from_above_waits_and_asks_again),
		TEST(an_answer_from_below_is_ignored),
		TEST(a_host_that_is_asked_and_misses_beacons_acts),
		TEST(it_waits_a_step_for_a_higher_host_that_it_heard),
		TEST(a_halted_host_is_set_and_then_listed),
		TEST(a_host_that_follows_another_makes_it_begin_anew),
		TEST(a_silent_host_makes_it_begin_anew_and_windows_grow),
		TEST(it_calls_above_a_newer_group_once),
		TEST(with_another_number_the_election_keeps_its_reason),
		TEST(it_does_not_lead_next_to_a_leader_that_a_host_left),
		TEST(an_answer_from_another_group_begins_an_election),
		TEST(after_a_stall_a_pending_election_is_dropped),
		TEST(a_leader_is_asked_to_yield_first),
		TEST(a_stopping_host_calls_no_more),
		TEST(a_leader_calls_no_more_under_a_number_it_has_not_reserved),
		TEST(many_leaders_are_asked_a_few_at_a_time),
		TEST(a_host_above_it_is_no_reason),
		TEST(a_list_that_a_member_had_lost_is_counted),
		TEST(a_silent_member_is_asked_alone_and_then_there_is_an_election),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
