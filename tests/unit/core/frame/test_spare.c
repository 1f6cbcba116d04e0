/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare.c (links.md, Two families): when beacons go by one family, and what ends it.
 */
#include "bench.h"

#include "core/frame/spare.h"

enum { BOTH = ELECT_BY_IPV4 | ELECT_BY_IPV6 };

static void reports(unsigned n, uint8_t families)
{
	bench_aythere(n, &bench.e->group)->families = families;
	bench_receive();
}

/* All members report before the next beacon. Returns the family of the beacon. */
static uint8_t next_beacon(uint8_t families)
{
	for (unsigned i = 1; i < bench.e->up.count; i++)
		reports(bench.e->up.members[i].id.bytes[15], families);
	bench_clear();
	bench_until(bench.e->timers[TIMER_BEACON]);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	return bench.sends[ELECT_AYCOORD].family;
}

static void quiet(unsigned beacons, uint8_t families)
{
	for (unsigned i = 0; i < beacons; i++)
		next_beacon(families);
}

/* The beacon after next at the latest is by both families, as all later ones. */
static void assert_over(uint8_t families)
{
	next_beacon(families);
	for (unsigned i = 0; i < SPARE_BEACONS / 2; i++)
		assert_int_equal(next_beacon(families), 0);
}

static void spares(uint8_t families)
{
	bench_leading(2);
	quiet(2 * SPARE_BEACONS, families);
	assert_true(bench.e->watch.spare.family);
	next_beacon(families);
	if (!bench.sends[ELECT_AYCOORD].family)
		next_beacon(families);
	assert_true(bench.sends[ELECT_AYCOORD].family);
}

static void beacons_go_by_one_family_while_it_is_quiet(void **state)
{
	unsigned by_both = 0;

	(void)state;
	bench_leading(2);
	for (unsigned i = 0; i < SPARE_BEACONS / 2; i++)
		assert_int_equal(next_beacon(BOTH), 0);
	quiet(SPARE_BEACONS, BOTH);
	for (unsigned i = 0; i < 3 * SPARE_BEACONS; i++) {
		bool whole = !next_beacon(BOTH);

		by_both += whole;
		assert_true(bench.sends[ELECT_AYCOORD].brief != whole);
		assert_int_equal(bench.sent[ELECT_AYCOORD].family, 4);
		assert_int_equal(bench.sent[ELECT_AYCOORD].brief, !whole);
	}
	assert_int_equal(by_both, 3);
}

static void the_family_that_all_members_hear_is_used(void **state)
{
	(void)state;
	spares(ELECT_BY_IPV6);
	assert_int_equal(bench.sends[ELECT_AYCOORD].family, 6);
	quiet(2 * SPARE_BEACONS, BOTH);
	assert_int_equal(bench.e->watch.spare.family, 6);
}

static void without_reports_beacons_go_by_both(void **state)
{
	(void)state;
	bench_leading(2);
	for (unsigned i = 0; i < 3 * SPARE_BEACONS; i++)
		assert_int_equal(next_beacon(0), 0);
}

static void a_group_of_one_spares_nothing(void **state)
{
	(void)state;
	bench_leading(1);
	quiet(2 * SPARE_BEACONS, BOTH);
	bench_hears(bench_goodbye(1, &bench.e->group, ELECT_LOSS_STOP));
	for (unsigned i = 0; i < 3 * SPARE_BEACONS; i++)
		assert_int_equal(next_beacon(BOTH), 0);
}

static void a_member_that_lacks_the_family_ends_it(void **state)
{
	(void)state;
	spares(BOTH);
	reports(2, ELECT_BY_IPV6);
	bench_clear();
	bench_until(bench.e->timers[TIMER_BEACON]);
	assert_int_equal(bench.sends[ELECT_AYCOORD].family, 0);
	for (unsigned i = 0; i < SPARE_BEACONS / 2; i++)
		assert_int_not_equal(next_beacon(BOTH), 4);
}

static void a_question_of_a_member_ends_it_at_once(void **state)
{
	(void)state;
	spares(BOTH);
	bench_for(BENCH_BEACON_US / 2);
	bench_clear();
	bench_aythere(2, &bench.e->group)->probe = true;
	bench.m.families = BOTH;
	bench_receive();
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	assert_int_equal(bench.sends[ELECT_AYCOORD].family, 0);
	assert_int_equal(bench.sent[ELECT_AYCOORD].family, 0);
	assert_over(BOTH);
	quiet(SPARE_BEACONS, BOTH);
	assert_true(bench.e->watch.spare.family);
}

/* A busy machine saves, too. */
static void a_question_about_a_late_beacon_shows_no_fault(void **state)
{
	(void)state;
	spares(BOTH);
	bench.now_us = bench.e->timers[TIMER_BEACON] + 50000;
	bench_tick();
	bench_aythere(2, &bench.e->group)->probe = true;
	bench.m.families = BOTH;
	bench_receive();
	assert_true(bench.e->watch.spare.family);
}

static void a_silent_member_ends_it(void **state)
{
	(void)state;
	spares(BOTH);
	for (unsigned i = 0; i < MEMBER_QUIET_BEACONS + 2; i++) {
		reports(1, BOTH);
		bench_for(BENCH_BEACON_US);
	}
	assert_true(bench.e->watch.members[1].probes || bench.e->watch.members[2].probes);
	assert_int_equal(bench.e->watch.spare.family, 0);
}

static void a_changed_list_ends_it(void **state)
{
	(void)state;
	spares(BOTH);
	bench_join(3);
	assert_over(BOTH);
}

static void a_host_that_is_no_member_ends_it(void **state)
{
	(void)state;
	spares(BOTH);
	bench_aycoord(1, 1)->group = bench_group(70, 9);
	bench.m.sender = bench_id(70);
	bench.m.standing.id = bench.m.sender;
	bench_receive();
	assert_over(BOTH);
	quiet(3, BOTH);
	bench_hears(bench_hello(71));
	assert_int_equal(bench.e->watch.spare.family, 0);
}

/* Paths that are not heard for a minute are forgotten, and so would be those of the other family.
 */
static void rare_beacons_go_by_both(void **state)
{
	(void)state;
	bench.event.start.config.timings.beacon_us = SPARE_US_MAX / SPARE_BEACONS + 1;
	bench.event.start.config.timings.dead_after_us = 10000000;
	bench_leading(2);
	for (unsigned i = 0; i < 3 * SPARE_BEACONS; i++)
		assert_int_equal(next_beacon(BOTH), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(beacons_go_by_one_family_while_it_is_quiet),
		TEST(the_family_that_all_members_hear_is_used),
		TEST(without_reports_beacons_go_by_both),
		TEST(a_group_of_one_spares_nothing),
		TEST(a_member_that_lacks_the_family_ends_it),
		TEST(a_question_of_a_member_ends_it_at_once),
		TEST(a_question_about_a_late_beacon_shows_no_fault),
		TEST(a_silent_member_ends_it),
		TEST(a_changed_list_ends_it),
		TEST(a_host_that_is_no_member_ends_it),
		TEST(rare_beacons_go_by_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
