/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts of one domain with different algorithms: the stronger goes on, whoever has heard of a
 * stronger one does not lead, and all of it is forgotten.
 */
#include "bench.h"

enum { STRONG, WEAK, WEAKER };

#define MINUTE_US (60 * (uint64_t)SECOND_US)

/* They elect alike: it is the number that counts. */
static struct elect_algorithm weak, weaker;

/* In place of those of algorithm.c. */
const struct elect_algorithm *const elect_algorithms[] = { &invitation, &weak, &weaker, NULL };

static int set_up(void **state)
{
	weak = weaker = invitation;
	weak.name = "weak";
	weak.number = WEAK;
	weaker.name = "weaker";
	weaker.number = WEAKER;
	bench_set_up(state);
	bench.event.start.config.algorithm = WEAK;
	return 0;
}

static void hears_with(unsigned n, uint8_t number, uint64_t counter)
{
	bench.event.type = ELECT_EVENT_OTHER_ALGORITHM;
	bench.event.other = (struct elect_other_algorithm){
		.id = bench_id(n), .number = number, .counter = counter
	};
	bench_step();
}

static void hears(unsigned n, uint8_t number)
{
	hears_with(n, number, 0);
}

/* As long as a stronger one lives. */
static void hears_for(unsigned n, uint8_t number, uint64_t us)
{
	uint64_t end_us = bench.now_us + us;

	while (bench.now_us < end_us) {
		bench_for(BENCH_BEACON_US);
		hears(n, number);
	}
}

static bool tells(void)
{
	return bench_view().problems & ELECT_PROBLEM_ALGORITHM_DIFFERS;
}

static bool leads(void)
{
	return bench_view().role == ELECT_ROLE_LEADER;
}

static void assert_goes_on(void)
{
	struct elect_view v = bench_view();

	assert_int_equal(v.role, ELECT_ROLE_LEADER);
	assert_false(v.yielding);
	assert_true(v.may_lead);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

/* ---- the rule of strength -------------------------------------------------------------------- */

static void a_leader_that_hears_a_weaker_one_goes_on_and_tells(void **state)
{
	(void)state;
	bench_leader();
	hears(3, WEAKER);
	assert_goes_on();
	assert_true(tells());
}

static void a_leader_that_hears_a_stronger_one_has_its_demotion_run(void **state)
{
	(void)state;
	bench_leader();
	hears(3, STRONG);
	assert_true(tells());
	assert_false(bench_view().may_lead);
	assert_true(bench_view().yielding);
	assert_int_equal(bench_release_action()->release.purpose, ELECT_PURPOSE_BAR);
	assert_true(leads()); /* until that has ended */
	bench_released();
	assert_false(leads());
	bench_assert_because(ELECT_REASON_OTHER_ALGORITHM, 3);
	assert_int_equal(bench.e->state, ELECT_NORMAL); /* and it stays coordinator */
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
}

static void it_hands_over_to_no_member(void **state)
{
	(void)state;
	bench_leading(2);
	hears(9, STRONG);
	assert_int_equal(bench_release_action()->release.purpose, ELECT_PURPOSE_BAR);
	bench_released();
	bench_members_speak();
	assert_false(leads());
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	assert_int_equal(bench.e->up.count, 3);
}

static void who_waits_to_lead_does_not_when_it_hears_a_stronger_one(void **state)
{
	(void)state;
	bench_alone();
	hears_for(3, STRONG, 10 * bench.e->config.lone_hold_us);
	assert_false(leads());
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

static void of_three_algorithms_the_strongest_counts(void **state)
{
	(void)state;
	bench_leader();
	hears(3, WEAKER);
	hears(4, STRONG);
	assert_true(bench_view().yielding);
	bench_released();
	bench_assert_because(ELECT_REASON_OTHER_ALGORITHM, 4);
}

static void why_it_may_not_lead_is_told(void **state)
{
	struct elect_id self = bench_id(BENCH_SELF);
	struct elect_why_not why;

	(void)state;
	bench_leader();
	assert_false(elect_why_not(bench.e, &self, &why));
	hears(3, STRONG);
	assert_true(elect_why_not(bench.e, &self, &why));
	assert_string_equal(elect_why_not_name(why.kind), "algorithm");
}

static void it_leads_not_although_it_is_sick_and_may_stay(void **state)
{
	struct elect_report *r = &bench.event.report;

	(void)state;
	bench.event.start.config.sick_stays = true;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	memset(r, 0, sizeof(*r));
	strcpy(r->name, "pg");
	r->fall = r->rise = 1;
	bench.event.type = ELECT_EVENT_REPORT;
	bench_step();
	assert_true(bench_view().sick);
	assert_false(leads());
}

/* ---- remembering ----------------------------------------------------------------------------- */

static void a_stronger_one_is_forgotten_a_minute_after_its_last_word(void **state)
{
	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_for(MINUTE_US / 2);
	hears(3, STRONG);
	bench_for(MINUTE_US - 1);
	assert_true(tells());
	bench_for(1);
	assert_false(tells());
}

/* W1: one word bars as long as a coordinator that fell silent would; another one of its group may
 * be about to succeed to it. */
static void after_dead_after_and_lone_hold_without_a_word_it_leads(void **state)
{
	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_for(bench_dead_after());
	assert_true(tells());
	bench_for(bench.e->config.lone_hold_us - 1);
	assert_false(leads());
	bench_for(1);
	assert_true(leads());
}

static void a_goodbye_ends_it(void **state)
{
	struct elect_group g = bench_group(3, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_hears(bench_goodbye(3, &g, ELECT_LOSS_STOP));
	assert_false(tells());
	assert_false(leads());
	bench_for(bench.e->config.lone_hold_us);
	assert_true(leads());
}

static void a_crash_that_is_told_ends_it(void **state)
{
	struct elect_group g = bench_group(3, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_hears(bench_goodbye(3, &g, ELECT_LOSS_CRASH));
	assert_false(tells());
}

static void who_resigns_goes_on_and_is_remembered(void **state)
{
	struct elect_group g = bench_group(3, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_hears(bench_goodbye(3, &g, ELECT_LOSS_RESIGN));
	assert_true(tells());
	hears_for(3, STRONG, 2 * bench.e->config.lone_hold_us);
	assert_false(leads());
}

static void another_hosts_goodbye_ends_nothing(void **state)
{
	struct elect_group g = bench_group(4, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_hears(bench_goodbye(4, &g, ELECT_LOSS_STOP));
	assert_true(tells());
}

static void a_goodbye_that_is_not_proven_ends_nothing(void **state)
{
	struct elect_group g = bench_group(3, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	bench_goodbye(3, &g, ELECT_LOSS_STOP)->proven = false;
	bench_receive();
	assert_true(tells());
}

static void its_challenges_and_answers_say_nothing_of_its_algorithm(void **state)
{
	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_hears(bench_from(3, ELECT_CHALLENGE_ANSWER));
	assert_true(tells());
}

/* A host that was started anew with this host's algorithm; here this host has that of bench.h. */
static void who_speaks_as_this_host_does_is_another_no_more(void **state)
{
	(void)state;
	bench.event.start.config.algorithm = STRONG;
	bench_leader();
	hears(3, WEAK);
	assert_true(tells());
	bench_hears(bench_hello(3));
	assert_false(tells());
}

static void one_that_becomes_weaker_bars_nobody_after_lone_hold(void **state)
{
	(void)state;
	bench_leader();
	hears(3, STRONG);
	bench_released();
	hears(3, WEAKER);
	assert_int_equal(elect_other_algorithms_count(bench.e), 1);
	assert_false(leads());
	bench_for(bench.e->config.lone_hold_us);
	assert_true(leads());
	assert_true(tells());
}

static void each_of_several_stronger_ones_bars(void **state)
{
	struct elect_group g = bench_group(3, 4);

	(void)state;
	bench_leader();
	hears(3, STRONG);
	hears(4, STRONG);
	bench_released();
	bench_hears(bench_goodbye(3, &g, ELECT_LOSS_STOP));
	hears_for(4, STRONG, 2 * bench.e->config.lone_hold_us);
	assert_false(leads());
	g = bench_group(4, 4);
	bench_hears(bench_goodbye(4, &g, ELECT_LOSS_STOP));
	bench_for(bench.e->config.lone_hold_us);
	assert_true(leads());
}

static bool remembers(unsigned n)
{
	struct elect_id id = bench_id(n);

	for (unsigned i = 0; i < elect_other_algorithms_count(bench.e); i++)
		if (elect_id_equal(&elect_other_algorithm_at(bench.e, i)->id, &id))
			return true;
	return false;
}

static void eight_are_remembered_and_the_oldest_makes_room(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 1; n <= ELECT_OTHER_ALGORITHMS_MAX + 1; n++) {
		hears(n, WEAKER);
		bench_for(1000);
	}
	assert_int_equal(elect_other_algorithms_count(bench.e), ELECT_OTHER_ALGORITHMS_MAX);
	assert_false(remembers(1));
	assert_true(remembers(2));
	assert_true(remembers(ELECT_OTHER_ALGORITHMS_MAX + 1));
}

static void however_many_weaker_ones_push_no_stronger_one_out(void **state)
{
	(void)state;
	bench_leader();
	hears(1, STRONG);
	bench_released();
	for (unsigned n = 2; n <= 100; n++) {
		bench_for(1000);
		hears(n, WEAKER);
	}
	assert_true(remembers(1));
	hears_for(1, STRONG, 2 * bench.e->config.lone_hold_us);
	assert_false(leads());
}

static void a_stronger_one_finds_a_place_among_weaker_ones_and_not_the_other_way(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 1; n <= ELECT_OTHER_ALGORITHMS_MAX; n++)
		hears(n, WEAKER);
	for (unsigned n = 11; n < 11 + ELECT_OTHER_ALGORITHMS_MAX; n++)
		hears(n, STRONG);
	for (unsigned n = 11; n < 11 + ELECT_OTHER_ALGORITHMS_MAX; n++)
		assert_true(remembers(n));
	hears(30, WEAKER);
	assert_false(remembers(30));
}

/* ---- what else it says ----------------------------------------------------------------------- */

/* The next leader is of a higher number than all before, whatever their algorithm. */
static void its_counter_is_heard(void **state)
{
	(void)state;
	bench_leader();
	hears_with(3, STRONG, 5000);
	assert_int_equal(elect_counter(bench.e), 5000);
}

static void a_counter_at_the_limit_is_refused_and_its_sender_remembered(void **state)
{
	uint64_t before;

	(void)state;
	bench_leader();
	before = elect_counter(bench.e);
	hears_with(3, STRONG, ELECT_COUNTER_LIMIT);
	assert_int_equal(elect_counter(bench.e), before);
	assert_true(bench_view().problems & ELECT_PROBLEM_COUNTER_REFUSED);
	assert_true(tells());
}

/* What was heard before a stall is older than that. */
static void what_waited_while_this_host_stood_still_counts_not(void **state)
{
	(void)state;
	bench_leader();
	bench.now_us += 10 * (uint64_t)SECOND_US;
	hears(3, STRONG);
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 1);
	assert_false(tells());
}

static void it_is_company(void **state)
{
	(void)state;
	bench_leader();
	hears(3, WEAKER);
	bench.event.type = ELECT_EVENT_LINK;
	bench.event.link_up = false;
	bench_step();
	assert_false(leads()); /* others may go on */
}

static void what_it_is_is_told(void **state)
{
	const struct elect_other_algorithm *o;

	(void)state;
	bench_leader();
	hears(3, STRONG);
	o = elect_other_algorithm_at(bench.e, 0);
	bench_assert_id(&o->id, 3);
	assert_int_equal(o->heard_us, bench.now_us);
	assert_int_equal(o->number, STRONG);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_leader_that_hears_a_weaker_one_goes_on_and_tells),
		T(a_leader_that_hears_a_stronger_one_has_its_demotion_run),
		T(it_hands_over_to_no_member),
		T(who_waits_to_lead_does_not_when_it_hears_a_stronger_one),
		T(of_three_algorithms_the_strongest_counts),
		T(why_it_may_not_lead_is_told),
		T(it_leads_not_although_it_is_sick_and_may_stay),
		T(a_stronger_one_is_forgotten_a_minute_after_its_last_word),
		T(after_dead_after_and_lone_hold_without_a_word_it_leads),
		T(a_goodbye_ends_it),
		T(a_crash_that_is_told_ends_it),
		T(who_resigns_goes_on_and_is_remembered),
		T(another_hosts_goodbye_ends_nothing),
		T(a_goodbye_that_is_not_proven_ends_nothing),
		T(its_challenges_and_answers_say_nothing_of_its_algorithm),
		T(who_speaks_as_this_host_does_is_another_no_more),
		T(one_that_becomes_weaker_bars_nobody_after_lone_hold),
		T(each_of_several_stronger_ones_bars),
		T(eight_are_remembered_and_the_oldest_makes_room),
		T(however_many_weaker_ones_push_no_stronger_one_out),
		T(a_stronger_one_finds_a_place_among_weaker_ones_and_not_the_other_way),
		T(its_counter_is_heard),
		T(a_counter_at_the_limit_is_refused_and_its_sender_remembered),
		T(what_waited_while_this_host_stood_still_counts_not),
		T(it_is_company),
		T(what_it_is_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
