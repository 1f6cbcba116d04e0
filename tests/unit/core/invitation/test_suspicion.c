/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspicion.c: a member suspects its coordinator early (suspicion.md, Early suspicion): when a
 * beacon is overdue, which hosts ask which, and what the answers mean.
 */
#include "unit/core/frame/bench.h"

#include "core/frame/bar.h"
#include "core/invitation/invitation.h"

/* With these members, this host is the first, second or third in succession. */
static const unsigned first[] = { 1, 2, 3 };
static const unsigned second[] = { 60, 1, 2 };
static const unsigned third[] = { 60, 61, 1 };

enum { NEXT_US = 150000, STEPS = 10 };

static void echoed(unsigned by)
{
	bench.event.type = ELECT_EVENT_ECHOED;
	bench.event.echoed = bench_id(by);
	bench_step();
}

static void beacon(void)
{
	bench_beacon(70)->next_us = NEXT_US;
	bench_receive();
}

/* A member of 70's group that knows that 70's kernel answers, and has just heard a beacon. */
static void member(const unsigned *others, unsigned count)
{
	bench_member_of(70, 5, others, count);
	bench_for(ECHO_FIRST_US + 1000);
	echoed(70);
	beacon();
	bench_clear();
}

static void until_overdue(void)
{
	bench_for(NEXT_US + ELECT_GRACE_US);
}

static void answer(unsigned by, enum elect_answer answer)
{
	bench_aythere_answer(by, &bench.e->group, answer);
	bench_receive();
}

static void assert_stays(void)
{
	assert_true(group_is_member(bench.e));
	assert_false(bench.e->watch.gone);
}

static void assert_succeeds(void)
{
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_SUCCESSION);
	assert_int_equal(bench.sent[ELECT_INVITATION].loss, ELECT_LOSS_UNANSWERED);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 70);
}

static void a_beacon_is_overdue_after_its_announced_time_and_a_grace(void **state)
{
	(void)state;
	member(first, 3);
	bench_for(NEXT_US + ELECT_GRACE_US - 1);
	assert_false(suspicion_overdue(bench.e));
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 0);
	bench_for(1);
	assert_true(suspicion_overdue(bench.e));
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	bench_assert_to(&bench.sends[ELECT_AYTHERE].to, 70);
}

static void an_older_coordinator_has_the_longest_period(void **state)
{
	(void)state;
	member(first, 3);
	bench_beacon(70);
	bench_receive();
	bench_for(BENCH_BEACON_US * 6 / 5 + ELECT_GRACE_US - 1);
	assert_false(suspicion_overdue(bench.e));
	bench_for(1);
	assert_true(suspicion_overdue(bench.e));
}

static void late_beacons_make_the_grace_longer(void **state)
{
	(void)state;
	member(first, 3);
	for (unsigned i = 0; i < 40; i++) {
		bench_for(NEXT_US + 8000);
		beacon();
	}
	bench_for(NEXT_US + 24000);
	assert_false(suspicion_overdue(bench.e));
	bench_for(16000);
	assert_true(suspicion_overdue(bench.e));
}

/* The coordinator seeks missing hosts, by twice as many beacons. */
static void early_beacons_do_not_make_the_grace_shorter(void **state)
{
	(void)state;
	member(first, 3);
	for (unsigned i = 0; i < 40; i++) {
		bench_for(NEXT_US + 8000);
		beacon();
	}
	for (unsigned i = 0; i < 40; i++) {
		bench_for(NEXT_US / 2);
		beacon();
	}
	bench_for(NEXT_US + 24000);
	assert_false(suspicion_overdue(bench.e));
}

static void a_lost_beacon_does_not_count_as_a_late_one(void **state)
{
	(void)state;
	member(first, 3);
	bench_for(2 * NEXT_US);
	answer(70, ELECT_ANSWER_YES);
	bench_for(NEXT_US);
	beacon();
	until_overdue();
	assert_true(suspicion_overdue(bench.e));
}

static void own_lateness_makes_no_beacon_overdue(void **state)
{
	(void)state;
	member(first, 3);
	bench.now_us += NEXT_US + 100000;
	bench_tick();
	assert_false(suspicion_overdue(bench.e));
}

static void all_members_are_asked_from_the_third_question_on(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	bench_for(SUSPICION_STEP_US);
	bench_assert_to(&bench.sends[ELECT_AYTHERE].to, 70);
	bench_for(SUSPICION_STEP_US);
	bench_assert_to_all(&bench.sends[ELECT_AYTHERE].to);
	bench_for(SUSPICION_STEP_US);
	bench_assert_to_all(&bench.sends[ELECT_AYTHERE].to);
	answer(1, ELECT_ANSWER_NO);
	bench_clear();
	bench_for(SUSPICION_STEP_US);
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
	bench_assert_to_all(&bench.sends[ELECT_AYTHERE].to);
}

static void only_the_first_two_in_succession_ask(void **state)
{
	static const unsigned *const lists[] = { first, second, third };

	for (unsigned rank = 0; rank < 3; rank++) {
		bench_tear_down(state);
		bench_set_up(state);
		member(lists[rank], 3);
		assert_int_equal(succession_rank(bench.e), rank);
		until_overdue();
		assert_int_equal(bench_actions(ELECT_ACTION_ECHO), rank < 2);
	}
}

static void early_suspicion_is_off_if_dead_after_comes_first(void **state)
{
	struct elect_config c;

	(void)state;
	elect_config_default(&c);
	assert_true(elect_suspects_early(&c));
	c.timings.dead_after_us = 240000 + 10000 + 200000;
	assert_false(elect_suspects_early(&c));
	c.timings.dead_after_us++;
	assert_true(elect_suspects_early(&c));
	c.silence_us = 0;
	assert_false(elect_suspects_early(&c));
}

/* A coordinator that was late for less than this does not ask whether it was replaced. */
static void the_questions_continue_for_the_whole_silence_time(void **state)
{
	static const uint64_t silences_us[] = { 30001, 75000, 190000, 199000, 210000 };

	for (unsigned i = 0; i < sizeof(silences_us) / sizeof(silences_us[0]); i++) {
		bench_tear_down(state);
		bench_set_up(state);
		bench.event.start.config.silence_us = silences_us[i];
		member(first, 3);
		until_overdue();
		bench_for(silences_us[i] / 2);
		answer(1, ELECT_ANSWER_NO);
		bench_for(silences_us[i] - silences_us[i] / 2 - 1);
		assert_stays();
		assert_true(bench_actions(ELECT_ACTION_ECHO) >= SUSPICION_PROBES_MIN);
		bench_for(1 + 11); /* rounding of the intervals to microseconds */
		assert_succeeds();
	}
}

static void a_silence_time_that_a_reload_shortens_ends_at_once(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	bench_for(2 * SUSPICION_STEP_US);
	answer(1, ELECT_ANSWER_NO);
	bench_for((STEPS - 4) * SUSPICION_STEP_US);
	assert_stays();
	bench.e->config.silence_us = (STEPS - 5) * SUSPICION_STEP_US;
	bench_for(SUSPICION_STEP_US);
	assert_succeeds();
}

static void the_second_in_succession_waits_a_step(void **state)
{
	(void)state;
	member(second, 3);
	until_overdue();
	bench_for(2 * SUSPICION_STEP_US);
	answer(1, ELECT_ANSWER_NO);
	bench_for((STEPS - 2) * SUSPICION_STEP_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(bench.e->watch.gone);
	bench_for(SUCCESSION_STEP_US);
	assert_succeeds();
}

static void a_late_member_waits_for_dead_after(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	bench_for(STEPS * SUSPICION_STEP_US);
	answer(1, ELECT_ANSWER_NO);
	bench.now_us = bench.e->wake_us + 2 * LATE_US;
	bench_tick();
	own(bench.e)->watch.suspicion.echo_us = bench.now_us; /* the kernel answers next */
	timers_set(bench.e, TIMER_SUSPICION, bench.now_us);
	bench_tick();
	assert_stays();
}

static void a_kernel_that_answers_is_asked_repeatedly(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	answer(1, ELECT_ANSWER_NO);
	bench_for(STEPS * SUSPICION_STEP_US / 2);
	echoed(70);
	bench_for(STEPS * SUSPICION_STEP_US / 2);
	assert_stays();
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), STEPS + 1);
}

static void an_answer_of_another_kernel_is_ignored(void **state)
{
	(void)state;
	bench_member_of(70, 5, first, 3);
	bench_for(ECHO_FIRST_US + 1000);
	echoed(1);
	beacon();
	bench_clear();
	until_overdue();
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 0);
}

/* The kernel answers a question of a suspicion that a beacon has ended meanwhile. */
static void an_answer_from_before_the_suspicion_is_no_veto(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	beacon();
	echoed(70);
	until_overdue();
	answer(1, ELECT_ANSWER_NO);
	bench_for(STEPS * SUSPICION_STEP_US - 1);
	assert_stays();
	bench_for(1);
	assert_succeeds();
}

/* ---- the own link ---------------------------------------------------------------------------- */

static void sign_of(unsigned lost, enum elect_sign sign)
{
	bench.event.type = ELECT_EVENT_LINK_LIVES;
	bench.event.link_sign.lost = bench_id(lost);
	bench.event.link_sign.sign = sign;
	bench_step();
}

/* The only other host of the group is its coordinator, and silent. */
static void two(void)
{
	member(first, 0);
	until_overdue();
}

/* Frames count from the last TRY_LINK on. */
static bool is_first(void)
{
	for (unsigned i = bench.log_count; i-- > 0;)
		if (bench.log[i].type == ELECT_ACTION_TRY_LINK)
			return bench.log[i].try_link.first;
	fail_msg("the link was not tried");
	return false;
}

static void assert_leads_alone(void)
{
	assert_int_equal(bench.e->up.count, 1);
	assert_true(role_leads(bench.e));
}

static void assert_waits_alone(void)
{
	assert_int_equal(bench.e->up.count, 1);
	assert_false(role_leads(bench.e));
	assert_int_equal(bench.e->lead_from_us, bench.now_us + bench.e->config.lone_hold_us);
}

static void the_own_link_is_tried_from_the_first_question_on(void **state)
{
	(void)state;
	two();
	assert_int_equal(bench_actions(ELECT_ACTION_TRY_LINK), 1);
	assert_true(is_first());
	bench_clear();
	bench_for(SUSPICION_STEP_US);
	assert_int_equal(bench_actions(ELECT_ACTION_TRY_LINK), 1);
	assert_false(is_first());
	beacon();
	bench_clear();
	bench_for(NEXT_US + 2 * ELECT_GRACE_US); /* the last one was late */
	assert_true(is_first());
}

static void of_two_the_one_whose_gateway_answers_leads_at_once(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for((STEPS - 1) * SUSPICION_STEP_US);
	assert_stays();
	bench_for(SUSPICION_STEP_US);
	assert_leads_alone();
}

static void a_sign_that_comes_late_is_judged_at_once(void **state)
{
	(void)state;
	two();
	bench_for((STEPS + 1) * SUSPICION_STEP_US);
	assert_stays();
	sign_of(70, ELECT_SIGN_FRAMES);
	bench_for(1);
	assert_leads_alone();
}

static void without_a_sign_dead_after_and_lone_hold_decide(void **state)
{
	(void)state;
	two();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us - 1);
	assert_stays();
	bench_for(1);
	assert_waits_alone();
	assert_int_equal(bar_strongest(bench.e), ELECT_BAR_ALONE);
	bench_for(bench.e->config.lone_hold_us);
	assert_leads_alone();
}

static void frames_do_not_count_if_the_kernel_has_answered(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_FRAMES);
	echoed(70);
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us);
	assert_waits_alone();
}

static void frames_do_not_count_if_the_kernel_never_answered(void **state)
{
	(void)state;
	bench_member_of(70, 5, first, 0);
	bench_for(5 * ECHO_AGAIN_US / 100);
	beacon();
	until_overdue();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us - 1);
	sign_of(70, ELECT_SIGN_FRAMES);
	bench_for(1);
	assert_waits_alone();
}

static void a_gateway_counts_whatever_the_kernel_does(void **state)
{
	(void)state;
	two();
	echoed(70);
	sign_of(70, ELECT_SIGN_GATEWAY);
	sign_of(70, ELECT_SIGN_FRAMES);
	bench_for(2 * STEPS * SUSPICION_STEP_US / 2);
	assert_stays();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us);
	assert_leads_alone();
}

static void a_sign_about_another_host_is_ignored(void **state)
{
	(void)state;
	two();
	sign_of(33, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us);
	assert_waits_alone();
}

static void a_sign_from_before_a_beacon_is_void(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_GATEWAY);
	beacon();
	sign_of(70, ELECT_SIGN_GATEWAY);
	until_overdue();
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
}

static void a_host_that_hears_another_one_is_not_alone(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_hears(bench_hello(33));
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us);
	assert_waits_alone();
	assert_int_equal(bench.e->link_sign, ELECT_SIGN_UNKNOWN);
}

/* The session of that one is not verified, or its message is none for the election. */
static void nor_is_one_that_has_met_another(void **state)
{
	(void)state;
	two();
	elect_met(bench.e, bench.now_us, bench_hello(33));
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us);
	assert_waits_alone();
}

/* After the last beacon `m` comes, perhaps of an unverified session; then the gateway answers. */
static void meets_last(struct elect_msg *m)
{
	bench_for(1);
	elect_met(bench.e, bench.now_us, m);
	until_overdue();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
}

/* A datagram of the coordinator after its last beacon shows no other host. */
static void one_that_has_met_its_coordinator_is_alone(void **state)
{
	struct elect_group its_own;

	(void)state;
	member(first, 0);
	its_own = bench.e->group;
	meets_last(bench_aythere(70, &its_own));
	assert_leads_alone();
}

/* That one lives, whatever it sent: signs from before do not count, and the link is tried anew. */
static void a_coordinator_that_speaks_makes_the_signs_void(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(SUSPICION_STEP_US / 2);
	elect_met(bench.e, bench.now_us, bench_from(70, ELECT_CHALLENGE));
	assert_int_equal(suspicion_sign(bench.e), ELECT_SIGN_UNKNOWN);
	bench_clear();
	bench_for(SUSPICION_STEP_US);
	assert_true(is_first());
	assert_int_equal(suspicion_sign(bench.e), ELECT_SIGN_NONE);
	bench_for((STEPS + 1) * SUSPICION_STEP_US);
	assert_stays();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(1);
	assert_leads_alone();
}

/* The coordinator that has left its group may follow another one. */
static void a_coordinator_that_has_left_is_another_host(void **state)
{
	struct elect_group its_own;

	(void)state;
	member(first, 0);
	its_own = bench.e->group;
	bench_for(1);
	bench_aythere_answer(70, &its_own, ELECT_ANSWER_NOT_MY_GROUP);
	elect_met(bench.e, bench.now_us, &bench.m);
	until_overdue();
	sign_of(70, ELECT_SIGN_GATEWAY);
	assert_int_equal(suspicion_sign(bench.e), ELECT_SIGN_UNKNOWN);
}

static void also_if_the_datagram_names_no_group(void **state)
{
	(void)state;
	member(first, 0);
	meets_last(bench_from(70, ELECT_CHALLENGE));
	assert_leads_alone();
}

/* The coordinator may have formed another group, and others may be in it. */
static void unless_the_datagram_names_another_group(void **state)
{
	struct elect_group another = bench_group(70, 9);

	(void)state;
	member(first, 0);
	meets_last(bench_aythere(70, &another));
	assert_stays();
}

/* The coordinator has restarted. */
static void unless_it_has_another_session(void **state)
{
	struct elect_msg *m;

	(void)state;
	member(first, 0);
	m = bench_from(70, ELECT_CHALLENGE);
	m->session++;
	meets_last(m);
	assert_stays();
}

/* The other one was heard after the coordinator, but before the own link was tried. */
static void nor_is_one_that_has_heard_another_before(void **state)
{
	(void)state;
	member(first, 0);
	bench_for(1000);
	bench_hears(bench_hello(33));
	until_overdue();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
}

static void own_lateness_does_not_forget_another_host(void **state)
{
	(void)state;
	two();
	bench_hears(bench_hello(33));
	bench.now_us += BENCH_BEACON_US;
	bench_tick();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_stays();
}

static void a_stall_voids_a_sign(void **state)
{
	(void)state;
	two();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench.now_us += 2 * bench.e->config.timings.dead_after_us;
	bench_tick();
	assert_int_equal(suspicion_sign(bench.e), ELECT_SIGN_UNKNOWN);
	bench_clear();
	bench_for(SUSPICION_STEP_US);
	assert_true(is_first());
}

static void after_a_late_sign_the_questions_begin_again_if_the_kernel_answered(void **state)
{
	(void)state;
	two();
	bench_for((STEPS + 1) * SUSPICION_STEP_US);
	echoed(70);
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_clear();
	bench_for(SUSPICION_STEP_US);
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
	assert_stays();
}

static void the_last_of_three_invites_nobody_who_did_not_answer(void **state)
{
	(void)state;
	member(first, 1);
	until_overdue();
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_leads_alone();
}

/* Another member may still come: it misses the coordinator, too. */
static void a_host_that_is_not_alone_invites_the_others(void **state)
{
	(void)state;
	member(first, 1);
	until_overdue();
	sign_of(70, ELECT_SIGN_GATEWAY);
	answer(1, ELECT_ANSWER_NO);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_succeeds();
	bench_for(ACCEPT_WINDOW_US);
	assert_waits_alone();
}

static void a_decline_ends_what_the_own_link_allows(void **state)
{
	(void)state;
	member(third, 3);
	until_overdue();
	bench_until(bench.e->watch.heard_us + bench.e->config.timings.dead_after_us - 1);
	sign_of(70, ELECT_SIGN_GATEWAY);
	bench_for(3 * SUCCESSION_STEP_US);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	bench_hears(bench_decline(60, ELECT_WHY_COORDINATOR_ALIVE));
	bench_for(ALIVE_WINDOWS * ACCEPT_WINDOW_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_false(role_leads(bench.e));
}

static void a_yes_of_a_nonmember_is_ignored(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	bench_for(2 * SUSPICION_STEP_US);
	answer(1, ELECT_ANSWER_NO);
	answer(33, ELECT_ANSWER_YES);
	bench_for((STEPS - 2) * SUSPICION_STEP_US);
	assert_succeeds();
}

static void an_answer_of_the_coordinator_ends_the_suspicion(void **state)
{
	(void)state;
	member(first, 3);
	until_overdue();
	bench_aythere_answer(70, &bench.e->group, ELECT_ANSWER_YES)->next_us = 40000;
	bench_receive();
	assert_false(suspicion_overdue(bench.e));
	bench_clear();
	bench_for(40000 + ELECT_GRACE_US - 1);
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 0);
	bench_for(1);
	assert_true(suspicion_overdue(bench.e));
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
}

static void a_beacon_ends_the_suspicion(void **state)
{
	(void)state;
	member(second, 3);
	until_overdue();
	answer(1, ELECT_ANSWER_NO);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_true(bench.e->watch.gone);
	beacon();
	assert_stays();
	assert_int_equal(bench.e->watch.loss, ELECT_LOSS_SILENCE);
	bench_for(SUCCESSION_STEP_US);
	assert_stays();
}

static void asked(unsigned by)
{
	bench_aythere(by, &bench.e->group)->probe = true;
	bench_receive();
}

static void a_member_answers_whether_it_misses_the_beacon(void **state)
{
	(void)state;
	member(third, 3);
	asked(60);
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].answer, ELECT_ANSWER_YES);
	bench_assert_to(&bench.sends[ELECT_AYTHERE_ANSWER].to, 60);
	until_overdue();
	asked(60);
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].answer, ELECT_ANSWER_NO);
}

static void the_ninth_in_succession_does_not_answer(void **state)
{
	static const unsigned before[] = { 61, 62, 63, 64, 65, 66, 67, 68 };

	for (unsigned rank = 7; rank <= 8; rank++) {
		bench_tear_down(state);
		bench_set_up(state);
		member(before, rank);
		asked(61);
		assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), rank < SUSPICION_ANSWERERS);
	}
}

static void a_question_about_another_group_is_not_answered(void **state)
{
	struct elect_group g = bench_group(33, 5);

	(void)state;
	member(first, 3);
	bench_aythere(9, &g)->probe = true;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 0);
}

static void invited(enum elect_loss loss)
{
	struct elect_msg *m = bench_invitation(60, 6, ELECT_INVITE_SUCCESSION);

	m->from_group = bench.e->group;
	m->loss = loss;
	bench_receive();
}

static void an_early_succession_is_accepted_if_the_beacon_is_missed(void **state)
{
	(void)state;
	member(third, 3);
	bench_for(NEXT_US);
	invited(ELECT_LOSS_UNANSWERED);
	assert_int_equal(bench.sent[ELECT_DECLINE].why, ELECT_WHY_COORDINATOR_ALIVE);
	bench_for(ELECT_GRACE_US);
	invited(ELECT_LOSS_SILENCE);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	invited(ELECT_LOSS_UNANSWERED);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 70);
}

/* Algorithm.md 6: the old coordinator may count this member until dead_after. */
static void a_member_that_leaves_early_is_bound(void **state)
{
	uint64_t heard;

	(void)state;
	member(first, 3);
	heard = bench.now_us;
	until_overdue();
	answer(1, ELECT_ANSWER_NO);
	bench_for(STEPS * SUSPICION_STEP_US);
	assert_succeeds();
	assert_int_equal(bench.e->bound_until_us, heard + bench_dead_after() + QUORUM_MARGIN_US);
}

static void a_kernel_is_asked_at_the_join_and_once_a_minute(void **state)
{
	(void)state;
	bench_member_of(70, 5, first, 3);
	bench_for(ECHO_FIRST_US - 1);
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 0); /* what is urgent is sent first */
	bench_for(1000);
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
	echoed(70);
	bench_clear();
	for (unsigned i = 0; i < 404; i++) {
		bench_for(NEXT_US);
		beacon();
	}
	assert_int_equal(bench_actions(ELECT_ACTION_ECHO), 1);
}

static void a_coordinator_announces_its_next_beacon(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US * 6 / 5);
	assert_true(bench_sent(ELECT_AYCOORD) >= 1);
	assert_int_equal(bench.sent[ELECT_AYCOORD].next_us, bench.e->due_us - bench.e->beacon_us);
	assert_true(bench.sent[ELECT_AYCOORD].next_us >= BENCH_BEACON_US * 4 / 5);
	bench_for(10000);
	bench_aythere(1, &bench.e->group)->probe = true;
	bench_receive();
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].next_us, bench.e->due_us - bench.now_us);
}

/* A leader of two others whose beacon is late by `us`. */
static void late(uint64_t us)
{
	bench_leading(2);
	bench_members_speak();
	bench_clear();
	bench.now_us = bench.e->due_us + us;
	bench_tick();
}

static void a_leader_late_for_less_than_silence_leads_on(void **state)
{
	(void)state;
	late(200000 + ELECT_GRACE_US - 1);
	assert_false(bench_view().asking);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
}

static void a_leader_late_for_longer_asks_and_leads_on(void **state)
{
	(void)state;
	late(200000 + ELECT_GRACE_US);
	assert_true(bench_view().asking);
	assert_int_equal(bench_actions(ELECT_ACTION_VIEW), 1);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 0);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	bench_assert_to_all(&bench.sends[ELECT_AYTHERE].to);
	answer(1, ELECT_ANSWER_YES);
	assert_false(bench_view().asking);
	assert_int_equal(bench_actions(ELECT_ACTION_VIEW), 2);
	bench_for(2 * PROBE_US);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
}

static void a_leader_that_loses_the_role_stops_asking(void **state)
{
	(void)state;
	late(200000 + ELECT_GRACE_US);
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = false;
	bench_step();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_false(role_asks(bench.e));
}

/* A hand-over keeps its order: no Goodbye before the demotion has ended. */
static void a_leader_that_asks_demotes_before_it_stops(void **state)
{
	(void)state;
	late(200000 + ELECT_GRACE_US);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_for(2 * PROBE_US);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	bench_released();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
}

/* The host would keep the role in the new group and ask no more. */
static void a_leader_that_asks_forms_no_group_for_a_newcomer(void **state)
{
	(void)state;
	late(200000 + ELECT_GRACE_US);
	bench_hello(40)->floor = UINT64_C(9) << 24;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	answer(1, ELECT_ANSWER_YES);
	bench_hello(40)->floor = UINT64_C(9) << 24;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_host_that_was_late_asks_before_it_leads(void **state)
{
	(void)state;
	bench_alone();
	bench.e->lead_from_us += 1000; /* a wait that no join ends, as after a lost carrier */
	bench_join(1);
	bench_join(2);
	bench_until(bench.e->lead_from_us - BENCH_BEACON_US / 2);
	bench_members_speak();
	bench_clear();
	bench.now_us = bench.e->due_us + 200000 + ELECT_GRACE_US;
	assert_true(bench.now_us > bench.e->lead_from_us);
	bench_tick();
	assert_false(role_leads(bench.e));
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	answer(1, ELECT_ANSWER_YES);
	assert_true(role_leads(bench.e));
}

static void a_leader_of_one_other_host_asks_too(void **state)
{
	(void)state;
	bench_leading(1);
	bench_members_speak();
	bench.now_us = bench.e->due_us + 200000 + ELECT_GRACE_US;
	bench_tick();
	assert_true(bench_view().asking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_beacon_is_overdue_after_its_announced_time_and_a_grace),
		TEST(an_older_coordinator_has_the_longest_period),
		TEST(late_beacons_make_the_grace_longer),
		TEST(early_beacons_do_not_make_the_grace_shorter),
		TEST(a_lost_beacon_does_not_count_as_a_late_one),
		TEST(own_lateness_makes_no_beacon_overdue),
		TEST(all_members_are_asked_from_the_third_question_on),
		TEST(only_the_first_two_in_succession_ask),
		TEST(early_suspicion_is_off_if_dead_after_comes_first),
		TEST(the_questions_continue_for_the_whole_silence_time),
		TEST(a_silence_time_that_a_reload_shortens_ends_at_once),
		TEST(the_second_in_succession_waits_a_step),
		TEST(a_late_member_waits_for_dead_after),
		TEST(a_kernel_that_answers_is_asked_repeatedly),
		TEST(an_answer_of_another_kernel_is_ignored),
		TEST(an_answer_from_before_the_suspicion_is_no_veto),
		TEST(the_own_link_is_tried_from_the_first_question_on),
		TEST(of_two_the_one_whose_gateway_answers_leads_at_once),
		TEST(a_sign_that_comes_late_is_judged_at_once),
		TEST(without_a_sign_dead_after_and_lone_hold_decide),
		TEST(frames_do_not_count_if_the_kernel_has_answered),
		TEST(frames_do_not_count_if_the_kernel_never_answered),
		TEST(a_gateway_counts_whatever_the_kernel_does),
		TEST(a_sign_about_another_host_is_ignored),
		TEST(a_sign_from_before_a_beacon_is_void),
		TEST(a_host_that_hears_another_one_is_not_alone),
		TEST(nor_is_one_that_has_met_another),
		TEST(one_that_has_met_its_coordinator_is_alone),
		TEST(a_coordinator_that_speaks_makes_the_signs_void),
		TEST(a_coordinator_that_has_left_is_another_host),
		TEST(also_if_the_datagram_names_no_group),
		TEST(unless_the_datagram_names_another_group),
		TEST(unless_it_has_another_session),
		TEST(nor_is_one_that_has_heard_another_before),
		TEST(own_lateness_does_not_forget_another_host),
		TEST(a_stall_voids_a_sign),
		TEST(after_a_late_sign_the_questions_begin_again_if_the_kernel_answered),
		TEST(the_last_of_three_invites_nobody_who_did_not_answer),
		TEST(a_host_that_is_not_alone_invites_the_others),
		TEST(a_decline_ends_what_the_own_link_allows),
		TEST(a_yes_of_a_nonmember_is_ignored),
		TEST(an_answer_of_the_coordinator_ends_the_suspicion),
		TEST(a_beacon_ends_the_suspicion),
		TEST(a_member_answers_whether_it_misses_the_beacon),
		TEST(the_ninth_in_succession_does_not_answer),
		TEST(a_question_about_another_group_is_not_answered),
		TEST(an_early_succession_is_accepted_if_the_beacon_is_missed),
		TEST(a_member_that_leaves_early_is_bound),
		TEST(a_kernel_is_asked_at_the_join_and_once_a_minute),
		TEST(a_coordinator_announces_its_next_beacon),
		TEST(a_leader_late_for_less_than_silence_leads_on),
		TEST(a_leader_late_for_longer_asks_and_leads_on),
		TEST(a_leader_that_loses_the_role_stops_asking),
		TEST(a_leader_that_asks_demotes_before_it_stops),
		TEST(a_leader_that_asks_forms_no_group_for_a_newcomer),
		TEST(a_host_that_was_late_asks_before_it_leads),
		TEST(a_leader_of_one_other_host_asks_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
