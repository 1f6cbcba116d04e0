/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will.c (will.md): the will of a coordinator, and for whose end a host waits before it
 * begins to lead.
 */
#include "unit/core/frame/bench.h"

#include "core/frame/will.h"

static const unsigned two[] = { 2 };

static void hear(enum elect_loss loss)
{
	struct elect_group g = bench_group(1, 5);

	bench_goodbye(1, &g, loss)->other = bench_id(BENCH_SELF);
	bench_receive();
}

static void succeed(void)
{
	bench_member_of(1, 5, two, 1);
	hear(ELECT_LOSS_CRASHING);
	bench_for(1);
	bench_accept_from(2);
	bench_ready_answer(2);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_assert_id(&bench.e->group.coordinator, BENCH_SELF);
}

static void assert_leads(bool leads)
{
	assert_int_equal(bench_view().role == ELECT_ROLE_LEADER, leads);
}

static void only_a_coordinator_of_others_leaves_a_will(void **state)
{
	struct elect_send send;

	(void)state;
	bench_leader();
	assert_false(elect_will(bench.e, &send));
	bench_join(2);
	assert_true(elect_will(bench.e, &send));
	assert_int_equal(send.type, ELECT_GOODBYE);
	assert_int_equal(send.loss, ELECT_LOSS_CRASHING);
	assert_true(elect_group_equal(&send.group, &bench.e->group));
	bench_assert_id(&send.other, 2);
}

static void a_member_leaves_no_will(void **state)
{
	struct elect_send send;

	(void)state;
	bench_member_of(1, 5, two, 1);
	assert_false(elect_will(bench.e, &send));
}

/* During a merge the host keeps the role, and its scripts and units run. */
static void a_leader_keeps_its_will_in_a_merge(void **state)
{
	struct elect_send before, send;

	(void)state;
	bench_leading(2);
	assert_true(elect_will(bench.e, &before));
	bench_aycoord_answer(33, 9)->floor = UINT64_C(9) << 24; /* it cannot join */
	bench_receive();
	bench_for(CHECK_GATHER_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_true(role_leads(bench.e));
	assert_true(elect_will(bench.e, &send));
	assert_true(elect_group_equal(&send.group, &before.group));
	assert_true(elect_id_equal(&send.other, &before.other));
	bench_accept_from(1);
	bench_accept_from(2);
	bench_accept_from(33);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_true(elect_will(bench.e, &send));
	assert_true(elect_group_equal(&send.group, &bench.e->group));
}

static void a_host_that_said_goodbye_leaves_no_will(void **state)
{
	struct elect_send send;

	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_true(elect_will(bench.e, &send));
	bench_released();
	assert_false(elect_will(bench.e, &send));
}

/* A verified session that speaks after its will has answered a Challenge since then. */
static void a_living_host_is_not_waited_for(void **state)
{
	uint64_t until_us;

	(void)state;
	bench_member_of(1, 5, two, 1);
	hear(ELECT_LOSS_CRASHING);
	until_us = will_waits_until(bench.e);
	assert_true(until_us > bench.e->now_us);
	bench_aycoord_answer(1, 6);
	bench_receive();
	assert_int_equal(will_waits_until(bench.e), 0);
	hear(ELECT_LOSS_CRASHING); /* a true will, later */
	assert_true(will_waits_until(bench.e) > bench.e->now_us);
}

/* W1 (6): any answer of the coordinator proves that it is alive, not only its beacons. */
static void a_successor_keeps_following_a_coordinator_that_answers(void **state)
{
	struct elect_group g = bench_group(1, 5);

	(void)state;
	bench_member_of(1, 5, two, 1);
	bench_goodbye(1, &g, ELECT_LOSS_CRASHING)->other = bench_id(2);
	bench_receive();
	bench_for(SUCCESSION_STEP_US / 2);
	assert_true(bench.e->watch.gone);
	bench_hears(bench_from(1, ELECT_CHALLENGE_ANSWER));
	assert_false(bench.e->watch.gone);
	assert_int_equal(will_waits_until(bench.e), 0);
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(elect_group_equal(&bench.e->group, &g));
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

static void a_goodbye_is_not_taken_back_by_an_answer(void **state)
{
	struct elect_group g = bench_group(1, 5);

	(void)state;
	bench_member_of(1, 5, two, 1);
	bench_goodbye(1, &g, ELECT_LOSS_STOP)->other = bench_id(2);
	bench_receive();
	bench_hears(bench_from(1, ELECT_CHALLENGE_ANSWER));
	assert_true(bench.e->watch.gone);
}

static void every_will_is_waited_for_dead_after(void **state)
{
	(void)state;
	succeed();
	bench_for(bench_dead_after() - 10000);
	hear(ELECT_LOSS_CRASHING);
	bench_for(bench_dead_after() - 1000);
	assert_leads(false);
	bench_for(1000);
	assert_leads(true);
}

static void the_view_shows_at_once_that_a_wait_is_over(void **state)
{
	uint64_t until_us;

	(void)state;
	bench_member_of(1, 5, two, 1);
	hear(ELECT_LOSS_CRASHING);
	until_us = will_waits_until(bench.e);
	bench_until(until_us - 1);
	bench_assert_id(&bench.e->shown.awaits, 1);
	bench_until(until_us);
	assert_true(elect_id_is_zero(&bench.e->shown.awaits));
}

static void a_waiting_host_names_the_crashed_host(void **state)
{
	(void)state;
	succeed();
	assert_true(bench.sent[ELECT_AYCOORD].crashed.session == bench_session(1));
	bench_assert_id(&bench.sent[ELECT_AYCOORD].crashed.id, 1);
	hear(ELECT_LOSS_CRASH);
	assert_int_equal(bench.sent[ELECT_AYCOORD].crashed.session, 0);
}

static void the_view_names_the_awaited_host(void **state)
{
	(void)state;
	bench_member_of(1, 5, two, 1);
	assert_true(elect_id_is_zero(&bench.e->shown.awaits));
	hear(ELECT_LOSS_CRASHING);
	bench_for(1);
	assert_int_equal(bench.e->shown.role, ELECT_ROLE_NONE);
	bench_assert_id(&bench.e->shown.awaits, 1);
	hear(ELECT_LOSS_CRASH);
	assert_int_equal(bench.e->shown.role, ELECT_ROLE_NONE);
	assert_true(elect_id_is_zero(&bench.e->shown.awaits));
}

static struct elect_msg *beacon_of_one_who_waits(uint32_t left_us)
{
	struct elect_msg *m = bench_aycoord(3, 9);

	m->crashed = (struct elect_crashed){
		.id = bench_id(1), .session = bench_session(1), .left_us = left_us
	};
	return m;
}

static void a_will_is_awaited_from_the_reported_session_only(void **state)
{
	struct elect_group g = bench_group(1, 5);
	struct elect_msg *m;

	(void)state;
	bench_alone();
	m = bench_goodbye(1, &g, ELECT_LOSS_CRASH);
	m->proven = false;
	assert_false(elect_awaits_will(bench.e, m));
	beacon_of_one_who_waits(400000);
	bench_receive();
	m = bench_goodbye(1, &g, ELECT_LOSS_CRASH);
	m->proven = false;
	assert_true(elect_awaits_will(bench.e, m));
	m->session++;
	assert_false(elect_awaits_will(bench.e, m));
	m->session--;
	m->loss = ELECT_LOSS_STOP;
	assert_false(elect_awaits_will(bench.e, m));
	m->loss = ELECT_LOSS_CRASH;
	bench_receive();
	assert_int_equal(will_waits_until(bench.e), 0);
	m = bench_goodbye(1, &g, ELECT_LOSS_CRASHING); /* a copy, after the end */
	assert_false(elect_awaits_will(bench.e, m));
}

/* Host 3 waits for the demotion of host `n`, which has crashed. */
static void told_of(unsigned n, uint32_t left_us)
{
	bench_aycoord(3, 9)->crashed = (struct elect_crashed){
		.id = bench_id(n), .session = bench_session(n), .left_us = left_us
	};
	bench_receive();
}

static void a_new_crash_replaces_the_first_that_ended(void **state)
{
	uint64_t until_us;

	(void)state;
	bench_alone();
	until_us = bench.now_us + 500000;
	told_of(10, 500000);
	for (unsigned n = 11; n < 20; n++) {
		told_of(n, 100000);
		bench_for(40000); /* three at a time */
		assert_int_equal(will_waits_until(bench.e), until_us);
		bench_assert_id(&bench.e->shown.awaits, 10);
	}
}

static void a_full_table_bars_this_host_until_its_last_crash_ends(void **state)
{
	uint64_t until_us;

	(void)state;
	bench_alone();
	for (unsigned n = 10; n < 10 + CRASHES_MAX; n++)
		told_of(n, 400000);
	until_us = bench.now_us + 500000;
	told_of(20, 500000);
	assert_int_equal(will_waits_until(bench.e), until_us);
	told_of(21, 100000);
	assert_int_equal(will_waits_until(bench.e), until_us);
	told_of(22, UINT32_MAX);
	assert_int_equal(will_waits_until(bench.e), bench.now_us + bench_dead_after());
}

static void a_repeated_report_replaces_a_crash_that_ended(void **state)
{
	(void)state;
	bench_alone();
	for (unsigned n = 10; n < 10 + CRASHES_MAX; n++)
		told_of(n, 400000);
	told_of(20, 500000);
	bench_for(400000);
	told_of(20, 550000);
	bench_for(1);
	bench_assert_id(&bench.e->shown.awaits, 20);
	assert_int_equal(will_waits_until(bench.e), bench.now_us - 1 + 550000);
}

/* A report of a crash holds for a few beacons, because the other host repeats it with each of its
 * own. */
static void a_report_of_a_crash_bars_this_host_for_dead_after(void **state)
{
	(void)state;
	bench_alone();
	told_of(10, UINT32_MAX);
	assert_int_equal(will_waits_until(bench.e), bench.now_us + bench_dead_after());
	bench_for(bench_dead_after() / 2);
	told_of(10, UINT32_MAX);
	assert_int_equal(will_waits_until(bench.e), bench.now_us + bench_dead_after());
	bench_for(bench_dead_after());
	assert_int_equal(will_waits_until(bench.e), 0);
	bench_for(bench.e->config.crash_wait_us); /* a lie ended, this report is true */
	told_of(10, UINT32_MAX);
	assert_int_equal(will_waits_until(bench.e), bench.now_us + bench_dead_after());
}

/* The latest end of a wait for a will that was heard, however often the crash is reported. */
static uint64_t a_heard_will_is_over_at(void)
{
	for (unsigned i = 0; i < CRASHES_MAX; i++)
		if (bench.e->crashes[i].heard)
			return bench.e->crashes[i].most_us;
	return 0;
}

/* A false report that a living leader has crashed must not use up its true will. */
static void a_false_report_of_a_crash_does_not_spoil_the_will(void **state)
{
	uint64_t crash_wait_us = 2 * (uint64_t)SECOND_US, times[] = { 1, SECOND_US, 0 };

	(void)state;
	times[2] = crash_wait_us + 1;
	bench.event.start.config.crash_wait_us = crash_wait_us;
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		bench_member_of(1, 5, two, 1);
		told_of(1, UINT32_MAX);
		bench_for(times[i]);
		hear(ELECT_LOSS_CRASHING);
		assert_int_equal(will_waits_until(bench.e), bench.now_us + bench_dead_after());
		assert_int_equal(a_heard_will_is_over_at(), bench.now_us + crash_wait_us);
		hear(ELECT_LOSS_CRASH);
		assert_int_equal(will_waits_until(bench.e), 0);
		told_of(1, UINT32_MAX); /* from a host that has not heard the end */
		assert_int_equal(will_waits_until(bench.e), 0);
		bench_tear_down(state);
		bench_set_up(state);
		bench.event.start.config.crash_wait_us = crash_wait_us;
	}
}

static void a_leader_ignores_a_report_of_a_crash(void **state)
{
	(void)state;
	bench_leading(2);
	beacon_of_one_who_waits(400000);
	bench_receive();
	assert_leads(true);
	assert_true(elect_id_is_zero(&bench.e->shown.awaits));
}

#define T(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(only_a_coordinator_of_others_leaves_a_will),
		T(a_member_leaves_no_will),
		T(a_leader_keeps_its_will_in_a_merge),
		T(a_host_that_said_goodbye_leaves_no_will),
		T(a_living_host_is_not_waited_for),
		T(a_successor_keeps_following_a_coordinator_that_answers),
		T(a_goodbye_is_not_taken_back_by_an_answer),
		T(every_will_is_waited_for_dead_after),
		T(the_view_shows_at_once_that_a_wait_is_over),
		T(a_waiting_host_names_the_crashed_host),
		T(the_view_names_the_awaited_host),
		T(a_will_is_awaited_from_the_reported_session_only),
		T(a_new_crash_replaces_the_first_that_ended),
		T(a_full_table_bars_this_host_until_its_last_crash_ends),
		T(a_repeated_report_replaces_a_crash_that_ended),
		T(a_report_of_a_crash_bars_this_host_for_dead_after),
		T(a_false_report_of_a_crash_does_not_spoil_the_will),
		T(a_leader_ignores_a_report_of_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
