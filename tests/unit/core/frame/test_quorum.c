/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quorum (quorum.md, Q1, Q2): which members count, from when and until when, as the
 * coordinator sees it and as a member contributes to it; with hosts that know nothing of a quorum.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

/* This host is the second in succession after the first of these. */
static const unsigned second[] = { 60, 1 };

static void answers(unsigned n)
{
	bench_hears(bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES));
}

static void lead_with_quorum(uint16_t quorum, unsigned others)
{
	bench.event.start.config.quorum = quorum;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	for (unsigned n = 1; n <= others; n++)
		bench_join(n);
	assert_true(role_leads(bench.e));
	for (unsigned n = 1; n <= others; n++)
		answers(n);
	bench_clear();
}

static uint64_t next_beacon(void)
{
	uint64_t before = bench.e->beacon_us;

	while (bench.e->beacon_us == before)
		bench_until(bench.out.wake_us);
	return bench.e->beacon_us;
}

/* Q1: dead_after counts from the moment the beacon was sent, not from the answer 10 ms later, to
 * the microsecond. */
static void a_member_counts_until_it_may_act_on_silence(void **state)
{
	uint64_t asked;

	(void)state;
	lead_with_quorum(2, 2);
	asked = next_beacon();
	bench_for(10000);
	bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us = asked;
	bench_receive();
	bench_until(asked + bench_dead_after() - 1);
	assert_true(role_leads(bench.e));
	assert_int_equal(bench_view().counted, 2);
	bench_for(1);
	assert_false(role_leads(bench.e));
	assert_int_equal(bench_view().counted, 1);
	assert_true(bench_view().problems & ELECT_PROBLEM_NO_QUORUM);
	assert_int_equal(bench.e->up.count, 3); /* it stays a member as long as without a quorum */
	answers(2);
	bench_followed();
	assert_true(role_leads(bench.e));
	assert_int_equal(bench_view().reason, ELECT_REASON_QUORUM_MET);
}

/* An unasked message proves that the member is alive, not that it has heard this coordinator. */
static void an_unasked_message_of_a_member_does_not_count(void **state)
{
	(void)state;
	lead_with_quorum(2, 1);
	for (unsigned i = 0; i < 60; i++) {
		bench_for(10000);
		bench_hears(bench_aythere(1, &bench.e->group));
	}
	assert_false(role_leads(bench.e));
}

/* Own lateness proves no loss of members, but it must not extend the leadership either. Answers
 * that wait in the socket are read first. */
static void own_lateness_is_not_added_but_waiting_answers_are_read(void **state)
{
	(void)state;
	for (unsigned waits = 0; waits <= 1; waits++) {
		bench_tear_down(state);
		bench_set_up(state);
		lead_with_quorum(2, 1);
		bench_for(420000);
		bench.now_us += 200000;
		bench_tick();
		assert_true(role_leads(bench.e));
		if (waits) {
			bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us -=
				100000;
			bench_receive();
		}
		bench_for(LATE_US);
		assert_int_equal(role_leads(bench.e), waits);
	}
}

/* A message of a member that has not answered, which makes the frame evaluate the role, is read
 * first. */
static void answers_are_read_before_the_quorum_is_judged(void **state)
{
	uint64_t asked;

	(void)state;
	lead_with_quorum(3, 3);
	next_beacon();
	asked = next_beacon();
	bench.now_us = bench.e->due_us + ELECT_GRACE_US + bench.e->config.silence_us;
	bench_tick();
	assert_true(role_asks(bench.e)); /* every message makes it evaluate the role again */
	bench_hears(bench_aythere(3, &bench.e->group));
	assert_true(role_leads(bench.e));
	for (unsigned n = 1; n <= 2; n++) {
		bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES)->asked_us = asked;
		bench_receive();
	}
	bench_for(LATE_US);
	assert_true(role_leads(bench.e));
}

static void a_host_that_is_always_late_loses_its_quorum(void **state)
{
	uint64_t lost;

	(void)state;
	lead_with_quorum(2, 2);
	lost = bench.e->beacon_us + bench_dead_after();
	while (bench.now_us < lost + QUORUM_MARGIN_US) {
		bench.now_us = bench.out.wake_us + 2 * LATE_US;
		bench_tick();
	}
	assert_false(role_leads(bench.e));
}

/* ---- hosts of version 0.1, which answer no beacon -------------------------------------------- */

static void older_member(unsigned n)
{
	bench_accept(n, &bench.e->group);
	bench_accepted();
	assert_true(bench_listed(n));
	bench_ready_answer(n)->quorum_said = false;
	bench_receive();
}

/*
 * For `beacons` beacon intervals, the member answers each question to it alone 1 ms later. Returns
 * how many there were.
 */
static unsigned older_member_answers(unsigned n, unsigned beacons)
{
	unsigned count = 0;

	for (uint64_t end_us = bench.now_us + beacons * BENCH_BEACON_US; bench.now_us < end_us;) {
		bench_clear();
		bench_until(bench.out.wake_us);
		if (bench_sent(ELECT_AYTHERE) == 0)
			continue;
		bench_assert_to(&bench.sends[ELECT_AYTHERE].to, n);
		assert_true(bench.sent[ELECT_AYTHERE].probe);
		bench_for(1000);
		bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES)->dead_after_us = 0;
		bench_receive();
		count++;
	}
	return count;
}

static void an_older_member_is_probed_each_beacon_and_counts_while_it_answers(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	older_member(1);
	older_member_answers(1, 20);
	assert_true(role_leads(bench.e));
	assert_int_equal(bench_view().counted, 2);
	bench_for(bench_dead_after() + BENCH_BEACON_US / 2);
	assert_true(bench_listed(1));
	assert_int_equal(bench_view().counted, 1);
	assert_false(role_leads(bench.e));
}

/* The probes also run before enough members for the quorum have joined. */
static void an_older_member_is_probed_while_the_quorum_is_missed(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 3;
	bench_alone();
	older_member(1);
	assert_in_range(older_member_answers(1, 10), 8, 13); /* one a beacon, which has a jitter */
	assert_false(role_leads(bench.e));
	assert_int_equal(bench_view().counted, 2);
	bench_join(2);
	assert_true(role_leads(bench.e));
}

static void many_older_members_are_probed_together(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	for (unsigned n = 1; n <= PROBES_A_STEP + 1; n++)
		older_member(n);
	next_beacon();
	bench_clear();
	bench_for(PROBE_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_true(elect_id_is_zero(&bench.sends[ELECT_AYTHERE].to));
}

/* An insider acknowledges the list as a host of version 0.1, in the name of a dead member. */
static void a_dead_member_of_an_old_version_counts_no_longer_than_others(void **state)
{
	uint64_t forged_us;

	(void)state;
	lead_with_quorum(2, 1);
	bench_for(BENCH_BEACON_US);
	bench_ready_answer(1)->quorum_said = false;
	forged_us = bench.now_us;
	bench_receive();
	bench_until(forged_us + bench_dead_after());
	assert_int_equal(bench_view().counted, 1);
	assert_false(role_leads(bench.e));
}

static void the_version_of_a_member_is_that_of_its_last_message(void **state)
{
	(void)state;
	lead_with_quorum(2, 1);
	assert_false(bench.e->watch.members[1].older);
	bench_ready_answer(1)->quorum_said = false;
	bench_receive();
	assert_true(bench.e->watch.members[1].older);
	bench_hears(bench_aythere(1, &bench.e->group));
	assert_false(bench.e->watch.members[1].older);
	bench_aythere(1, &bench.e->group)->dead_after_us = 0;
	bench_receive();
	assert_true(bench.e->watch.members[1].older);
	answers(1);
	assert_false(bench.e->watch.members[1].older);
}

static void a_member_bound_to_another_leader_does_not_help_to_begin(void **state)
{
	uint64_t accepted;

	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	bench_accept(1, &bench.e->group)->bound_us = 300000;
	accepted = bench.now_us;
	bench_admit(1);
	assert_false(role_leads(bench.e));
	bench_until(accepted + 300000 - 1);
	assert_false(role_leads(bench.e));
	bench_for(1);
	assert_true(role_leads(bench.e));
	bench_accept(2, &bench.e->group)->bound_us = UINT32_MAX; /* bound for dead_after at most */
	bench_admit(2);
	answers(1);
	next_beacon();
	bench_for(PROBE_US);
	assert_int_equal(bench_view().counted, 3); /* a leader counts a bound member at once */
}

/* During a merge the role is kept without a check of the quorum, so the quorum must outlast the
 * merge. */
static void a_leader_begins_no_merge_with_a_quorum_about_to_expire(void **state)
{
	(void)state;
	for (unsigned answered = 0; answered <= 1; answered++) {
		bench_tear_down(state);
		bench_set_up(state);
		lead_with_quorum(2, 1);
		bench_for(bench_dead_after() - 150000);
		if (answered)
			answers(1);
		bench_aycoord_answer(60, 9)->floor = UINT64_C(9) << 24;
		bench_receive();
		bench_for(10000);
		assert_int_equal(bench.e->state, answered ? ELECT_ELECTION : ELECT_NORMAL);
		assert_true(role_leads(bench.e));
	}
}

static void only_a_reported_quorum_can_differ(void **state)
{
	(void)state;
	bench_leading(1);
	bench_ready_answer(1)->quorum_said = false;
	bench.m.quorum = 9;
	bench_receive();
	assert_false(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
	bench_ready_answer(1)->quorum = 9;
	bench_receive();
	assert_true(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
}

static struct elect_msg *beacon_with_quorum(uint16_t quorum)
{
	struct elect_msg *m = bench_beacon(70);

	m->quorum_said = true;
	m->quorum = quorum;
	return m;
}

static void a_member_answers_each_beacon_of_a_coordinator_with_a_quorum(void **state)
{
	struct elect_transaction asked;

	(void)state;
	bench_member_of(70, 5, second, 2);
	for (unsigned i = 0; i < 10; i++) {
		bench_for(BENCH_BEACON_US - 1000);
		bench_clear();
		asked = beacon_with_quorum(2)->transaction;
		bench_receive();
		bench_for(1000);
		assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
		bench_assert_to(&bench.sends[ELECT_AYTHERE_ANSWER].to, 70);
		assert_memory_equal(
			&bench.sent[ELECT_AYTHERE_ANSWER].transaction, &asked, sizeof(asked));
		assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].answer, ELECT_ANSWER_YES);
		assert_int_equal(bench_sent(ELECT_AYTHERE), 0); /* it replaces the AYThere */
	}
}

/* If its list differs, the member still reports its version with the periodic AYThere. */
static void the_periodic_aythere_continues_while_the_list_differs(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	for (unsigned i = 0; i < 4; i++) {
		beacon_with_quorum(2)->list_version++;
		bench_receive();
		bench_for(BENCH_BEACON_US);
	}
	assert_in_range(bench_sent(ELECT_AYTHERE), 3, 6);
}

/* The coordinator has no quorum, or is too old to ask. */
static void a_beacon_without_a_quorum_is_not_answered(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	for (unsigned i = 0; i < 6; i++) {
		beacon_with_quorum(i % 2)->quorum_said = i % 2;
		bench_receive();
		bench_for(BENCH_BEACON_US);
	}
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 0);
	assert_in_range(bench_sent(ELECT_AYTHERE), 2, 5);
}

static void an_older_coordinator_does_not_differ(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_beacon(70));
	assert_false(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
	beacon_with_quorum(2);
	bench_receive();
	assert_false(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
	beacon_with_quorum(0);
	bench_receive();
	assert_true(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
	bench_for(DIFFERENCE_FORGET_US + BENCH_BEACON_US);
	assert_false(bench_view().problems & ELECT_PROBLEM_QUORUM_DIFFERS);
}

/* Otherwise the coordinator would count on a member that acts earlier. */
static void an_answer_of_a_member_restarts_its_timeout(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(BENCH_BEACON_US);
	bench_aythere(70, &bench.e->group)->probe = true;
	heard = bench.now_us;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
	assert_int_equal(elect_heard_us(bench.e), heard);
}

/* The clock of the old leader may fire a little late, so the bound includes the margin. */
static void an_accept_reports_the_bound_until_the_margin_is_over(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(BENCH_BEACON_US);
	bench_hears(bench_beacon(70));
	heard = bench.now_us;
	bench_until(heard + bench_dead_after() + 1000);
	bench_clear();
	bench_invitation(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	while (bench_sent(ELECT_ACCEPT) == 0)
		bench_until(bench.out.wake_us);
	assert_in_range(bench.sent[ELECT_ACCEPT].bound_us, 1, QUORUM_MARGIN_US);
}

/* A member that leaves because of silence alone reports how long its old coordinator may still
 * count it. */
static void an_accept_reports_how_long_its_sender_is_bound(void **state)
{
	uint64_t heard;

	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hears(bench_beacon(70));
	heard = bench.now_us;
	bench_for(BENCH_BEACON_US * 2);
	bench_clear();
	bench_invitation(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	while (bench_sent(ELECT_ACCEPT) == 0)
		bench_until(bench.out.wake_us);
	assert_int_equal(bench.sent[ELECT_ACCEPT].bound_us,
		heard + bench_dead_after() + QUORUM_MARGIN_US - bench.now_us);
}

static void a_goodbye_ends_the_bound_of_a_member(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(bench_dead_after() / 2);
	bench_hears(bench_beacon(70));
	bench_for(bench_dead_after() / 2 +
		QUORUM_MARGIN_US); /* an answer of an earlier start is over, too */
	bench_hears(bench_beacon(70));
	bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP)->other = bench_id(60);
	bench_receive();
	bench_clear();
	bench_invitation(60, 9, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench.m.loss = ELECT_LOSS_STOP;
	bench_receive();
	while (bench_sent(ELECT_ACCEPT) == 0)
		bench_until(bench.out.wake_us);
	assert_int_equal(bench.sent[ELECT_ACCEPT].bound_us, 0);
}

static void a_successor_after_silence_leads_no_earlier_than_the_margin(void **state)
{
	static const unsigned behind[] = { 1, 2 };
	uint64_t heard;

	(void)state;
	bench.event.start.config.quorum = 3;
	bench_member_of(70, 5, behind, 2);
	bench_for(BENCH_BEACON_US * 2);
	bench_hears(bench_beacon(70));
	heard = bench.now_us;
	bench_until(heard + bench_dead_after());
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	for (unsigned n = 1; n <= 2; n++) {
		bench_accept_from(n);
	}
	for (unsigned n = 1; n <= 2; n++)
		bench_hears(bench_ready_answer(n));
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_until(heard + bench_dead_after() + QUORUM_MARGIN_US - 1);
	assert_false(role_leads(bench.e));
	bench_for(1);
	assert_true(role_leads(bench.e));
}

/* A late Hello from before the group is no sign that its sender has left. */
static void an_overtaken_hello_is_no_restart(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_hello(70)->counter = 4;
	bench_receive();
	assert_false(bench.e->watch.gone);
	bench_hello(70)->counter = 5;
	bench_receive();
	assert_true(bench.e->watch.gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_member_counts_until_it_may_act_on_silence),
		TEST(an_unasked_message_of_a_member_does_not_count),
		TEST(own_lateness_is_not_added_but_waiting_answers_are_read),
		TEST(answers_are_read_before_the_quorum_is_judged),
		TEST(a_host_that_is_always_late_loses_its_quorum),
		TEST(an_older_member_is_probed_each_beacon_and_counts_while_it_answers),
		TEST(an_older_member_is_probed_while_the_quorum_is_missed),
		TEST(many_older_members_are_probed_together),
		TEST(a_dead_member_of_an_old_version_counts_no_longer_than_others),
		TEST(the_version_of_a_member_is_that_of_its_last_message),
		TEST(a_member_bound_to_another_leader_does_not_help_to_begin),
		TEST(a_leader_begins_no_merge_with_a_quorum_about_to_expire),
		TEST(only_a_reported_quorum_can_differ),
		TEST(a_member_answers_each_beacon_of_a_coordinator_with_a_quorum),
		TEST(the_periodic_aythere_continues_while_the_list_differs),
		TEST(a_beacon_without_a_quorum_is_not_answered),
		TEST(an_older_coordinator_does_not_differ),
		TEST(an_answer_of_a_member_restarts_its_timeout),
		TEST(an_accept_reports_how_long_its_sender_is_bound),
		TEST(an_accept_reports_the_bound_until_the_margin_is_over),
		TEST(a_goodbye_ends_the_bound_of_a_member),
		TEST(a_successor_after_silence_leads_no_earlier_than_the_margin),
		TEST(an_overtaken_hello_is_no_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
