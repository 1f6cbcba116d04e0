/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c: coordinators that are heard and cannot be merged with (merge.md, F1, lists.md, Q3): a
 * member notifies both coordinators, unless they already know; a coordinator whose list never comes
 * is answered rarely.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static const unsigned members[] = { 60, 1 };

static void hear(unsigned n, unsigned beacons)
{
	for (unsigned i = 0; i < beacons; i++) {
		bench_hears(bench_aycoord(n, 9));
		bench_for(BENCH_BEACON_US);
		if (!group_coordinates(bench.e)) {
			bench_hears(bench_beacon(70));
		} else {
			bench_members_speak();
		}
	}
}

static void a_member_notifies_both_coordinators_of_a_broken_link(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	hear(90, FOREIGN_BEACONS + TELL_BEACONS);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 0);
	hear(90, 3);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD_ANSWER].answer, ELECT_ANSWER_NO);
	bench_assert_id(&bench.sent[ELECT_AYCOORD_ANSWER].other, 90);
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 70);
	assert_string_equal(bench.sent[ELECT_AYCOORD_ANSWER].other_name, "h90");
	assert_true(bench_view().problems & ELECT_PROBLEM_BROKEN_LINKS);
}

static void a_member_repeats_its_notification_rarely(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	hear(90, FOREIGN_BEACONS + TELL_BEACONS + 3);
	bench_clear();
	hear(90, FOREIGN_BEACONS);
	assert_in_range(bench_sent(ELECT_AYCOORD_ANSWER), 4, 8);
}

/* Adds to the beacon `m` that host `by` hears the coordinator `other`. */
static void show(struct elect_msg *m, unsigned other, unsigned by)
{
	m->foreign[0] = (struct elect_foreign){ .id = bench_id(other), .heard_by = bench_id(by) };
	m->foreign_count = 1;
}

/* Both coordinators report each other as heard by host `by`. */
static void hear_both_show(unsigned beacons, unsigned by)
{
	for (unsigned i = 0; i < beacons; i++) {
		bench_beacon(70);
		show(&bench.m, 90, by);
		bench_receive();
		bench_aycoord(90, 9);
		show(&bench.m, 70, by);
		bench_receive();
		bench_for(BENCH_BEACON_US);
	}
}

/* Q3: otherwise every member would send datagrams for as long as two groups do not merge. */
static void a_coordinator_is_notified_by_one_member_only(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	hear_both_show(FOREIGN_BEACONS * 3, 60);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 0);
	assert_true(bench_view().problems & ELECT_PROBLEM_BROKEN_LINKS);
	hear_both_show(FOREIGN_BEACONS, BENCH_SELF);
	assert_in_range(bench_sent(ELECT_AYCOORD_ANSWER), 4, 8);
	bench_clear();
	hear_both_show(FOREIGN_BEACONS / 3, 60);
	bench_clear();
	hear(90, 1); /* the other coordinator no longer reports it */
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
	bench_assert_to(&bench.sends[ELECT_AYCOORD_ANSWER].to, 90);
}

static void a_coordinator_with_a_full_table_is_not_notified(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	for (unsigned i = 0; i < FOREIGN_BEACONS * 2; i++) {
		bench_beacon(70);
		bench.m.foreign_count = ELECT_FOREIGN_MAX;
		bench_receive();
		bench_aycoord(90, 9)->foreign_count = ELECT_FOREIGN_MAX;
		bench_receive();
		bench_for(BENCH_BEACON_US);
	}
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 0);
}

/* Q3: the answers become rarer with each list of a higher-ranked coordinator that did not come. */
static void a_coordinator_whose_list_never_comes_is_answered_rarely(void **state)
{
	struct elect_id id = bench_id(70);

	(void)state;
	bench_leader();
	for (unsigned times = 1; times < VAIN_FREE + 8; times++) {
		backoff_unlisted(bench.e, &id);
		bench_for(bench.e->lead_from_us > bench.now_us
				? bench.e->lead_from_us - bench.now_us
				: 0);
		bench_clear();
		for (unsigned i = 0; i < 30; i++) {
			bench_aycoord(70, 9)->standing.established = true;
			bench_receive();
			bench_for(BENCH_BEACON_US);
		}
		if (times < VAIN_FREE)
			assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 30);
		else
			assert_in_range(
				bench_sent(ELECT_AYCOORD_ANSWER), 1, times == VAIN_FREE ? 8 : 4);
	}
	backoff_listed(bench.e, &id);
	bench_clear();
	bench_aycoord(70, 9)->standing.established = true;
	bench_receive();
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 1);
}

static void a_pause_restarts_the_observation_of_a_coordinator(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	hear(90, FOREIGN_BEACONS - 2);
	for (unsigned i = 0; i < OTHERS_FRESH_BEACONS + 1; i++) {
		bench_for(BENCH_BEACON_US);
		bench_hears(bench_beacon(70));
	}
	hear(90, FOREIGN_BEACONS - 2);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_member_notifies_both_coordinators_of_a_broken_link),
		TEST(a_member_repeats_its_notification_rarely),
		TEST(a_coordinator_is_notified_by_one_member_only),
		TEST(a_coordinator_with_a_full_table_is_not_notified),
		TEST(a_coordinator_whose_list_never_comes_is_answered_rarely),
		TEST(a_pause_restarts_the_observation_of_a_coordinator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
