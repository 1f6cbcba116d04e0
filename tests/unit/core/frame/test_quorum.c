/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quorum (algorithm.md 6; Q1, Q2): who counts for it, from when and until when, as its
 * coordinator sees it and as a member does its part; with hosts that know nothing of it.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

/* This host is the second in succession of the first. */
static const unsigned second[] = { 60, 1 };

/* ---- its coordinator ------------------------------------------------------------------------- */

/* Host n answers the last beacon, after all that was sent before. */
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
	assert_true(bench.e->established);
	for (unsigned n = 1; n <= others; n++)
		answers(n);
	bench_clear();
}

/* When it was sent. */
static uint64_t next_beacon(void)
{
	uint64_t before = bench.e->beacon_us;

	while (bench.e->beacon_us == before)
		bench_until(bench.out.wake_us);
	return bench.e->beacon_us;
}

/* Q1: on the microsecond, and as sent: the answer came 10 ms later. */
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
	assert_true(bench.e->established);
	assert_int_equal(bench_view().counted, 2);
	bench_for(1);
	assert_false(bench.e->established);
	assert_int_equal(bench_view().counted, 1);
	assert_true(bench_view().problems & ELECT_PROBLEM_NO_QUORUM);
	assert_int_equal(bench.e->up.count, 3); /* a member as long as without a quorum */
	answers(2);
	bench_followed();
	assert_true(bench.e->established);
	assert_int_equal(bench_view().reason, ELECT_REASON_QUORUM_MET);
}

/* A word of its own says that it is there, not that it has heard me. */
static void what_a_member_says_unasked_does_not_count(void **state)
{
	(void)state;
	lead_with_quorum(2, 1);
	for (unsigned i = 0; i < 60; i++) {
		bench_for(10000);
		bench_hears(bench_aythere(1, &bench.e->group));
	}
	assert_false(bench.e->established);
}

/* Own lateness is nobody's fault elsewhere, but it is no reason to lead longer. */
static void own_lateness_is_not_added_but_what_waits_is_read(void **state)
{
	(void)state;
	for (unsigned waits = 0; waits <= 1; waits++) {
		bench_tear_down(state);
		bench_set_up(state);
		lead_with_quorum(2, 1);
		bench_for(420000);
		bench.now_us += 200000;
		bench_tick();
		assert_true(bench.e->established);
		if (waits) {
			bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES)->asked_us -=
				100000;
			bench_receive();
		}
		bench_for(LATE_US);
		assert_int_equal(bench.e->established, waits);
	}
}

/* A word that is looked at with the role in mind, of one that has not answered, comes before. */
static void whatever_is_read_first_the_answers_are_read_before_the_quorum_is_judged(void **state)
{
	uint64_t asked;

	(void)state;
	lead_with_quorum(3, 3);
	next_beacon();
	asked = next_beacon();
	bench.now_us = bench.e->due_us + ELECT_GRACE_US + bench.e->config.silence_us;
	bench_tick();
	assert_true(bench.e->watch.unsure); /* looks again with each word */
	bench_hears(bench_aythere(3, &bench.e->group));
	assert_true(bench.e->established);
	for (unsigned n = 1; n <= 2; n++) {
		bench_aythere_answer(n, &bench.e->group, ELECT_ANSWER_YES)->asked_us = asked;
		bench_receive();
	}
	bench_for(LATE_US);
	assert_true(bench.e->established);
}

static void who_is_always_late_loses_its_quorum_all_the_same(void **state)
{
	uint64_t lost;

	(void)state;
	lead_with_quorum(2, 2);
	lost = bench.e->beacon_us + bench_dead_after();
	while (bench.now_us < lost + QUORUM_MARGIN_US) {
		bench.now_us = bench.out.wake_us + 2 * LATE_US;
		bench_tick();
	}
	assert_false(bench.e->established);
}

/* ---- hosts of 0.1, which answer no beacon ---------------------------------------------------- */

static void older_member(unsigned n)
{
	bench_accept(n, &bench.e->group);
	bench_accepted();
	assert_true(bench_listed(n));
	bench_ready_answer(n)->quorum_said = false;
	bench_receive();
}

/* The member answers each question to it alone in so many beacon intervals, 1 ms later. */
static void older_member_answers(unsigned n, unsigned beacons)
{
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
	}
}

static void an_older_member_is_probed_each_beacon_and_counts_while_it_answers(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	older_member(1);
	older_member_answers(1, 20);
	assert_true(bench.e->established);
	assert_int_equal(bench_view().counted, 2);
	bench_for(bench_dead_after() + BENCH_BEACON_US / 2);
	assert_true(bench_listed(1));
	assert_int_equal(bench_view().counted, 1);
	assert_false(bench.e->established);
}

/* Before there are enough to lead, too. */
static void an_older_member_is_probed_while_the_quorum_is_missed(void **state)
{
	(void)state;
	bench.event.start.config.quorum = 3;
	bench_alone();
	older_member(1);
	older_member_answers(1, 10);
	assert_false(bench.e->established);
	assert_int_equal(bench_view().counted, 2);
	bench_join(2);
	assert_true(bench.e->established);
}

/* By one datagram to all. */
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

/* An insider acknowledges the list as a host of 0.1, in the name of a member that has died. */
static void a_dead_member_that_is_said_to_be_older_counts_no_longer_than_others(void **state)
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
	assert_false(bench.e->established);
}

/* An insider's word about the version of a member ends with the next message of that member. */
static void a_member_is_as_old_as_its_last_message(void **state)
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

static void who_may_count_for_another_does_not_help_to_begin(void **state)
{
	uint64_t accepted;

	(void)state;
	bench.event.start.config.quorum = 2;
	bench_alone();
	bench_for(bench.e->config.lone_hold_us);
	bench_accept(1, &bench.e->group)->bound_us = 300000;
	accepted = bench.now_us;
	bench_admit(1);
	assert_false(bench.e->established);
	bench_until(accepted + 300000 - 1);
	assert_false(bench.e->established);
	bench_for(1);
	assert_true(bench.e->established);
	bench_accept(2, &bench.e->group)->bound_us = UINT32_MAX; /* no longer than dead_after */
	bench_admit(2);
	answers(1);
	next_beacon();
	bench_for(PROBE_US);
	assert_int_equal(bench_view().counted, 3); /* it leads already */
}

/* In a merge the role is kept without a look at the quorum: it has to outlast it. */
static void a_leader_begins_no_merge_while_the_quorum_hangs(void **state)
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
		assert_true(bench.e->established);
	}
}

static void another_quorum_is_said_of_who_says_one(void **state)
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

/* ---- a member -------------------------------------------------------------------------------- */

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
		assert_int_equal(bench_sent(ELECT_AYTHERE), 0); /* it says no more than that */
	}
}

/* Its list differs: then the routine says which one it has. */
static void the_routine_goes_on_while_the_list_differs(void **state)
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

/* Where nobody is asked, or an older coordinator asks nobody. */
static void without_a_quorum_no_beacon_is_answered(void **state)
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

static void an_older_coordinator_is_not_said_to_differ(void **state)
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

/* Else its coordinator counted on one that acts before that. */
static void what_a_member_answers_begins_the_silence_anew(void **state)
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

/* Also at the very end: the old leader's clock may fire a little later. */
static void an_accept_says_so_until_the_margin_is_over(void **state)
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

/* Who turns away for silence alone says how long it may still count for the one it leaves. */
static void an_accept_says_for_how_long_its_sender_is_bound(void **state)
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

static void after_a_goodbye_it_is_bound_to_nobody(void **state)
{
	(void)state;
	bench_member_of(70, 5, second, 2);
	bench_for(bench_dead_after() / 2);
	bench_hears(bench_beacon(70));
	bench_for(bench_dead_after() / 2 +
		QUORUM_MARGIN_US); /* nor by what a former start answered */
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

/* A successor with a quorum: not before silence since the last beacon and the margin. */
static void who_succeeds_on_silence_leads_no_earlier_than_the_margin(void **state)
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
	assert_false(bench.e->established);
	bench_for(1);
	assert_true(bench.e->established);
}

/* A Hello from before the group: late, and no sign that its sender has left it. */
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
		TEST(what_a_member_says_unasked_does_not_count),
		TEST(own_lateness_is_not_added_but_what_waits_is_read),
		TEST(whatever_is_read_first_the_answers_are_read_before_the_quorum_is_judged),
		TEST(who_is_always_late_loses_its_quorum_all_the_same),
		TEST(an_older_member_is_probed_each_beacon_and_counts_while_it_answers),
		TEST(an_older_member_is_probed_while_the_quorum_is_missed),
		TEST(many_older_members_are_probed_together),
		TEST(a_dead_member_that_is_said_to_be_older_counts_no_longer_than_others),
		TEST(a_member_is_as_old_as_its_last_message),
		TEST(who_may_count_for_another_does_not_help_to_begin),
		TEST(a_leader_begins_no_merge_while_the_quorum_hangs),
		TEST(another_quorum_is_said_of_who_says_one),
		TEST(a_member_answers_each_beacon_of_a_coordinator_with_a_quorum),
		TEST(the_routine_goes_on_while_the_list_differs),
		TEST(without_a_quorum_no_beacon_is_answered),
		TEST(an_older_coordinator_is_not_said_to_differ),
		TEST(what_a_member_answers_begins_the_silence_anew),
		TEST(an_accept_says_for_how_long_its_sender_is_bound),
		TEST(an_accept_says_so_until_the_margin_is_over),
		TEST(after_a_goodbye_it_is_bound_to_nobody),
		TEST(who_succeeds_on_silence_leads_no_earlier_than_the_margin),
		TEST(an_overtaken_hello_is_no_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
