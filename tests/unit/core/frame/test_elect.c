/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of elect.c: rules for every step of every algorithm: lateness and stalls, wake-ups,
 * views only after a change, and actions that a later part of the step replaced.
 */
#include "bench.h"

static void an_election_fits_into_one_mebibyte(void **state)
{
	(void)state;
	assert_true(elect_size() <= 1024 * 1024);
}

static void the_first_step_names_the_reason_and_writes_to_the_disk(void **state)
{
	(void)state;
	bench.disk_off = true;
	bench_step();
	assert_int_equal(bench.out.reason, ELECT_REASON_START);
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 1);
	assert_true(bench.out.wake_us > bench.now_us);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void a_view_is_shown_only_when_it_differs(void **state)
{
	(void)state;
	bench_leading(2);
	bench_members_speak();
	for (unsigned i = 0; i < 10; i++) {
		bench_members_speak();
		bench_for(BENCH_BEACON_US);
	}
	assert_int_equal(bench_actions(ELECT_ACTION_VIEW), 0);
	bench_join(3);
	assert_true(bench_actions(ELECT_ACTION_VIEW) > 0);
}

/* An inviter that stalled loses the role, and its next election has another group. */
static void a_step_returns_only_the_last_view(void **state)
{
	struct elect_view last;

	(void)state;
	bench_inviting(2, 11);
	bench_clear();
	bench.now_us += 1500000;
	bench_tick();
	assert_int_equal(bench_actions(ELECT_ACTION_VIEW), 1);
	assert_int_equal(bench.log[0].type, ELECT_ACTION_VIEW);
	last = bench_view();
	assert_memory_equal(&bench.log[0].view, &last, sizeof(last));
	assert_true(elect_group_equal(&last.group, &bench.e->group));
}

/* Held, and released from the hold before the demotion is over. */
static void a_role_lost_and_won_again_shows_both_changes(void **state)
{
	uint64_t token;

	(void)state;
	bench_leader();
	token = bench_view().token;
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	bench_command(ELECT_COMMAND_HOLD)->on = false;
	bench_step();
	bench_clear();
	bench_released();
	assert_int_equal(bench_actions(ELECT_ACTION_VIEW), 1);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	bench_assert_because(ELECT_REASON_HELD, BENCH_SELF);
	bench_for(1);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_true(bench_view().token > token);
}

static void act_as(struct elect_actions *a, enum elect_action_type type, enum elect_role role)
{
	a->items[a->count].type = type;
	a->items[a->count++].view.role = role;
}

/* Other hosts wait for its beacon. The work on its role begins with the view, so no sooner. */
static void a_host_that_leads_shows_it_after_its_datagrams(void **state)
{
	static const enum elect_action_type types[] = { ELECT_ACTION_SEND, ELECT_ACTION_SEND,
		ELECT_ACTION_VIEW, ELECT_ACTION_PERSIST, ELECT_ACTION_SEND };
	static struct elect_actions a;

	(void)state;
	act_as(&a, ELECT_ACTION_VIEW, ELECT_ROLE_LEADER);
	act_as(&a, ELECT_ACTION_SEND, ELECT_ROLE_NONE);
	act_as(&a, ELECT_ACTION_SEND, ELECT_ROLE_NONE);
	act_as(&a, ELECT_ACTION_PERSIST, ELECT_ROLE_NONE);
	act_as(&a, ELECT_ACTION_SEND, ELECT_ROLE_NONE);
	view_after_sends(&a);
	assert_int_equal(a.count, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(a.items[i].type, types[i]);
	assert_int_equal(a.items[2].view.role, ELECT_ROLE_LEADER);
}

static void a_host_that_leads_no_more_shows_it_before_its_datagrams(void **state)
{
	static struct elect_actions a;

	(void)state;
	act_as(&a, ELECT_ACTION_VIEW, ELECT_ROLE_NONE);
	act_as(&a, ELECT_ACTION_SEND, ELECT_ROLE_NONE);
	view_after_sends(&a);
	assert_int_equal(a.items[0].type, ELECT_ACTION_VIEW);
	bench_leading(2);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	bench_clear();
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	assert_int_equal(bench.log[0].type, ELECT_ACTION_VIEW);
	assert_int_equal(bench.log[0].view.role, ELECT_ROLE_NONE);
}

static void a_beacon_of_a_new_leader_leaves_before_its_view(void **state)
{
	unsigned at = 0;

	(void)state;
	bench_leading(2);
	bench.now_us += 1500000;
	bench_tick();
	bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
	bench_clear();
	bench_followed();
	assert_true(role_leads(bench.e));
	while (bench.log[at].type != ELECT_ACTION_VIEW ||
		bench.log[at].view.role != ELECT_ROLE_LEADER)
		at++;
	assert_true(at > 0);
	assert_int_equal(bench.log[at - 1].type, ELECT_ACTION_SEND);
	assert_int_equal(bench.log[at - 1].send.type, ELECT_AYCOORD);
}

static void since_is_the_time_of_the_last_change_of_role_leader_or_group(void **state)
{
	uint64_t since;

	(void)state;
	bench_leader();
	since = bench_view().since_us;
	bench_for(50000);
	bench_join(1);
	assert_int_equal(bench_view().since_us, since);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_released();
	assert_int_equal(bench_view().since_us, bench.now_us);
}

static const unsigned members[] = { 60, 1 };

static void own_lateness_extends_the_time_of_the_coordinator(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, members, 2);
	heard = bench.e->watch.heard_us;
	bench.now_us = bench.out.wake_us + 50000;
	bench_tick();
	assert_int_equal(bench.e->watch.heard_us, heard + 50000);
	bench.now_us = bench.out.wake_us + LATE_US;
	bench_tick();
	assert_int_equal(bench.e->watch.heard_us, heard + 50000);
}

static void short_beacons_have_short_steps(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, members, 2);
	assert_int_equal(pace_repeat_us(bench.e), REPEAT_US);
	assert_int_equal(pace_probe_us(bench.e), PROBE_US);
	assert_int_equal(pace_late_us(bench.e), LATE_US);
	assert_int_equal(pace_window_us(bench.e, READY_WINDOW_US), 100000);
	bench.e->config.timings.beacon_us = 10000;
	bench.e->config.timings.dead_after_us = 30000;
	assert_int_equal(pace_repeat_us(bench.e), 5000);
	assert_int_equal(pace_probe_us(bench.e), 3000);
	assert_int_equal(pace_late_us(bench.e), 2500);
	assert_int_equal(pace_window_us(bench.e, READY_WINDOW_US), 25000);
	bench.e->config.timings.dead_after_us = 600000;
	heard = bench.e->watch.heard_us;
	bench.now_us = bench.out.wake_us + 2500;
	bench_tick();
	assert_int_equal(bench.e->watch.heard_us, heard);
	bench.now_us = bench.out.wake_us + 2501;
	bench_tick();
	assert_int_equal(bench.e->watch.heard_us, heard + 2501);
}

static void lateness_counts_once_for_many_messages(void **state)
{
	uint64_t due, late;

	(void)state;
	bench_member_of(70, 5, members, 2);
	due = bench.e->timers[TIMER_WATCH];
	bench.now_us = bench.out.wake_us + 290000;
	late = bench.now_us - bench.out.wake_us;
	for (unsigned i = 0; i < 20; i++)
		bench_hears(bench_hello(9));
	assert_true(bench.e->timers[TIMER_WATCH] >= due + late);
	assert_true(bench.e->timers[TIMER_WATCH] <= due + late + 1000);
}

static void a_stall_first_ends_the_role_and_then_discards(void **state)
{
	(void)state;
	bench_leading(2);
	bench.now_us += 1500000;
	bench_tick();
	assert_true(bench.log_count >= 2);
	assert_int_equal(bench.log[0].type, ELECT_ACTION_VIEW);
	assert_int_equal(bench.log[0].view.role, ELECT_ROLE_NONE);
	assert_int_equal(bench.log[0].view.token, 0);
	assert_int_equal(bench.log[0].view.reason, ELECT_REASON_STALLED);
	assert_int_equal(bench.log[1].type, ELECT_ACTION_DISCARD);
}

/* Asks at intervals of 60 ms. The two silent members have joined another group. */
static void a_stalled_leader_asks_three_times_and_drops_silent_members(void **state)
{
	uint64_t woke;

	(void)state;
	bench_leading(3);
	bench.now_us += 1500000;
	bench_tick();
	woke = bench.now_us;
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
	for (unsigned i = 1; i < PROBES_MAX; i++) {
		bench_until(woke + i * PROBE_US - 1);
		assert_int_equal(bench_sent(ELECT_AYTHERE), i);
		bench_until(woke + i * PROBE_US);
		assert_int_equal(bench_sent(ELECT_AYTHERE), i + 1);
		assert_true(bench.sent[ELECT_AYTHERE].probe);
	}
	bench_until(woke + PROBES_MAX * PROBE_US - 1);
	assert_int_equal(bench.e->up.count, 4);
	assert_false(role_leads(bench.e));
	bench_until(woke + PROBES_MAX * PROBE_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), PROBES_MAX);
	assert_int_equal(bench.e->up.count, 2);
	assert_true(bench_listed(1));
	assert_false(role_leads(bench.e)); /* two of four: the others may follow another host */
	bench_until(woke + bench.e->config.lone_hold_us - 1);
	assert_false(role_leads(bench.e));
	bench_for(1);
	bench_followed();
	assert_true(role_leads(bench.e));
}

/* The loop reads message after message and serves no timer. Its members hear silence, although no
 * single gap is that long. */
static void a_coordinator_that_sent_no_beacon_for_dead_after_was_stalled(void **state)
{
	uint64_t dead_after;

	(void)state;
	bench_leading(2);
	dead_after = bench_dead_after();
	bench_until(bench.out.wake_us > bench.now_us ? bench.out.wake_us : bench.now_us);
	while (bench.now_us + 50000 <= bench.e->beacon_us + dead_after) {
		bench.now_us += 50000;
		bench_hears(bench_aythere(1, &bench.e->group));
		assert_true(role_leads(bench.e));
	}
	bench_clear();
	bench.now_us += 50000;
	bench_hears(bench_aythere(1, &bench.e->group));
	assert_false(role_leads(bench.e));
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 1);
	bench_assert_because(ELECT_REASON_STALLED, BENCH_SELF);
}

static void a_message_read_with_the_stall_is_older_than_it(void **state)
{
	(void)state;
	bench_leading(1);
	bench.now_us += 1500000;
	bench_hears(bench_aythere(1, &bench.e->group));
	assert_false(role_leads(bench.e));
	assert_false(bench.e->watch.members[1].answered);
}

static void a_stalled_lone_leader_leads_again_after_lone_hold(void **state)
{
	uint64_t woke;

	(void)state;
	bench_leader();
	bench.now_us += 5000000;
	bench_tick();
	woke = bench.now_us;
	bench_command(ELECT_COMMAND_PRIORITY)->priority = 100; /* evaluates the role again */
	bench_step();
	assert_false(role_leads(bench.e));
	bench_until(woke + bench.e->config.lone_hold_us - 1);
	assert_false(role_leads(bench.e));
	bench_until(woke + bench.e->config.lone_hold_us);
	assert_true(role_leads(bench.e));
}

static void idleness_is_no_stall(void **state)
{
	(void)state;
	bench_leading(2);
	bench.now_us = bench.out.wake_us;
	bench_tick();
	bench.now_us = bench.out.wake_us + 4000;
	bench_tick();
	assert_true(role_leads(bench.e));
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 0);
}

static void a_stall_ends_a_demotion_that_was_under_way(void **state)
{
	(void)state;
	bench_leader();
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	assert_true(bench_view().yielding);
	bench.now_us += 2000000;
	bench_tick();
	assert_false(bench_view().yielding);
	assert_int_equal(bench.e->purpose, ELECT_PURPOSE_NONE);
	assert_false(role_leads(bench.e));
}

/* Nine names of this length fill a part, so the list of eight members takes one datagram less. */
static void long_name(struct elect_msg *m, unsigned n)
{
	memset(m->name, 'a', ELECT_NAME_MAX);
	m->name[ELECT_NAME_MAX - 1] = (char)('a' + n);
}

static void join_with_a_long_name(unsigned n)
{
	bench_hears(bench_hello(n));
	bench_for(3000);
	long_name(bench_accept(n, &bench.e->group), n);
	bench_receive();
	bench_hears(bench_ready_answer(n));
}

/* All members but host 8 report, until the last probe to host 8 is sent. */
static void let_the_eighth_be_silent(void)
{
	const unsigned most = PROBES_QUIET + PROBES_MAX;
	int at = 1;

	for (unsigned i = 0; i < 2000 && bench.e->watch.members[at].probes < most; i++) {
		struct elect_id id = bench_id(8);

		for (unsigned n = 1; n <= 7; n++)
			bench_hears(bench_aythere(n, &bench.e->group));
		at = roster_find(&bench.e->up, &id);
		assert_true(at > 0);
		bench_for(5000);
	}
}

static void a_list_that_shrinks_in_its_step_is_sent_at_its_new_size(void **state)
{
	uint64_t drop_us;

	(void)state;
	bench_leader();
	for (unsigned n = 1; n <= 8; n++)
		join_with_a_long_name(n);
	assert_int_equal(roster_parts(&bench.e->up, 0), 2);
	let_the_eighth_be_silent();
	drop_us = bench.e->timers[TIMER_MEMBERS];
	bench.now_us = drop_us - 4000;
	bench_aythere(1, &bench.e->group)->digest++;
	bench_receive();
	bench_clear();
	bench.now_us = drop_us + 2000; /* in time: lateness would delay the drop */
	assert_true(bench.e->timers[TIMER_READY] <= bench.now_us);
	bench_tick();
	assert_int_equal(bench.e->up.count, 8);
	assert_int_equal(bench.sends[ELECT_READY].part_count, 1);
}

static void a_lone_hold_shorter_than_the_probes_ends_with_them(void **state)
{
	(void)state;
	bench.event.start.config.lone_hold_us = 100000;
	bench_leader();
	bench.now_us += 1500000;
	bench_tick();
	bench_for(1000000);
	assert_true(role_leads(bench.e));
}

/* A member that suspects its coordinator has not heard yet that it was asked, and may follow
 * another host in the next moment. */
static void a_question_of_a_member_does_not_prove_that_it_follows(void **state)
{
	(void)state;
	bench_leading(2);
	bench.now_us += 1500000;
	bench_tick();
	assert_false(role_leads(bench.e));
	bench_aythere(1, &bench.e->group)->probe = true;
	bench_receive();
	assert_false(role_leads(bench.e));
	bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us = bench.now_us;
	bench_receive();
	bench_followed();
	assert_true(role_leads(bench.e));
}

static void an_answer_from_before_the_stall_proves_nothing(void **state)
{
	(void)state;
	bench_leading(2);
	bench.now_us += 1500000;
	bench_tick();
	bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us = bench.now_us - 1;
	bench_receive();
	assert_false(role_leads(bench.e));
}

static void a_host_that_joins_during_the_probes_is_not_dropped(void **state)
{
	(void)state;
	bench_leading(4);
	bench.now_us += 1500000;
	bench_tick();
	bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
	bench_for(177500);
	bench_accept_from(9);
	bench_for(2600);
	assert_true(bench_listed(9));
}

static void exit_is_the_last_action_of_the_last_step(void **state)
{
	(void)state;
	bench_leading(1);
	bench_hello(2);
	bench.m.timings.beacon_us++; /* a report that is forgotten after 60 s */
	bench_receive();
	bench_for(59940000);
	bench_clear();
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_released();
	for (unsigned i = 0; i < 10 && !bench_actions(ELECT_ACTION_EXIT); i++) {
		bench.now_us = bench.out.wake_us;
		bench_tick();
	}
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
	assert_int_equal(bench.log[bench.log_count - 1].type, ELECT_ACTION_EXIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_election_fits_into_one_mebibyte),
		TEST(the_first_step_names_the_reason_and_writes_to_the_disk),
		TEST(a_view_is_shown_only_when_it_differs),
		TEST(a_step_returns_only_the_last_view),
		TEST(a_role_lost_and_won_again_shows_both_changes),
		TEST(a_host_that_leads_shows_it_after_its_datagrams),
		TEST(a_host_that_leads_no_more_shows_it_before_its_datagrams),
		TEST(a_beacon_of_a_new_leader_leaves_before_its_view),
		TEST(since_is_the_time_of_the_last_change_of_role_leader_or_group),
		TEST(own_lateness_extends_the_time_of_the_coordinator),
		TEST(short_beacons_have_short_steps),
		TEST(lateness_counts_once_for_many_messages),
		TEST(a_stall_first_ends_the_role_and_then_discards),
		TEST(a_stalled_leader_asks_three_times_and_drops_silent_members),
		TEST(a_coordinator_that_sent_no_beacon_for_dead_after_was_stalled),
		TEST(a_message_read_with_the_stall_is_older_than_it),
		TEST(a_stalled_lone_leader_leads_again_after_lone_hold),
		TEST(idleness_is_no_stall),
		TEST(a_stall_ends_a_demotion_that_was_under_way),
		TEST(a_list_that_shrinks_in_its_step_is_sent_at_its_new_size),
		TEST(a_lone_hold_shorter_than_the_probes_ends_with_them),
		TEST(a_question_of_a_member_does_not_prove_that_it_follows),
		TEST(an_answer_from_before_the_stall_proves_nothing),
		TEST(a_host_that_joins_during_the_probes_is_not_dropped),
		TEST(exit_is_the_last_action_of_the_last_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
