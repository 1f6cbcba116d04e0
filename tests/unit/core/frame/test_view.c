/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a host that others can see: its standing, problems, names, members and broken links.
 */
#include "bench.h"

#include "core/trust/trust.h"

static const unsigned members[] = { 60, 1 };

static void a_message_carries_the_present_standing(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US * 2);
	assert_true(bench_sent(ELECT_AYCOORD) > 0);
	assert_true(bench.sent[ELECT_AYCOORD].standing.established);
	assert_true(bench.sent[ELECT_AYCOORD].standing.may_lead);
	assert_int_equal(bench.sent[ELECT_AYCOORD].standing.size, 3);
	assert_int_equal(bench.sent[ELECT_AYCOORD].standing.priority, 100);
	bench_assert_id(&bench.sent[ELECT_AYCOORD].other, 2);
}

static void a_follower_knows_the_leader_and_its_token(void **state)
{
	struct elect_group g = bench_group(70, 5);
	struct elect_view v;

	(void)state;
	bench_member_of(70, 5, members, 2);
	v = bench_view();
	assert_int_equal(v.role, ELECT_ROLE_FOLLOWER);
	bench_assert_id(&v.leader, 70);
	assert_int_equal(v.token, elect_token(&g));
	bench_beacon(70)->standing.established = false;
	bench_receive();
	v = bench_view();
	assert_int_equal(v.role, ELECT_ROLE_NONE);
	assert_int_equal(v.token, 0);
}

static void a_coordinator_that_does_not_lead_yet_has_no_token(void **state)
{
	(void)state;
	bench_alone();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench_view().token, 0);
	bench_for(bench.e->config.lone_hold_us + 1000);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_int_equal(bench_view().token, elect_token(&bench.e->group));
}

static void a_bar_keeps_a_host_from_leading(void **state)
{
	struct elect *e = bench.e;

	(void)state;
	bench_alone();
	assert_true(self_may_lead(e));
	e->config.priority = 0;
	assert_false(self_may_lead(e));
	e->config.priority = 1;
	e->held = true;
	assert_false(self_may_lead(e));
	e->held = false;
	e->persist_failed = true;
	assert_false(self_may_lead(e));
	e->persist_failed = false;
	e->barred_until_us = e->now_us + 1;
	assert_false(self_may_lead(e));
	e->barred_until_us = e->now_us;
	e->duplicate_until_us = e->now_us + 1;
	assert_false(self_may_lead(e));
	e->duplicate_until_us = e->now_us;
	assert_true(self_may_lead(e));
}

static void different_timings_are_reported_for_a_minute(void **state)
{
	(void)state;
	bench_alone();
	bench_hello(1)->timings.dead_after_us++;
	bench_receive();
	assert_true(bench_view().problems & ELECT_PROBLEM_TIMINGS_DIFFER);
	bench_for(DIFFERENCE_FORGET_US - 1000000);
	assert_true(bench_view().problems & ELECT_PROBLEM_TIMINGS_DIFFER);
	bench_for(2000000);
	assert_false(bench_view().problems & ELECT_PROBLEM_TIMINGS_DIFFER);
}

/* M15: otherwise each of two hosts could outrank the other, for ever. */
static void hosts_that_disagree_about_preempt_treat_it_as_false(void **state)
{
	(void)state;
	bench.event.start.config.preempt = true;
	bench_alone();
	assert_true(preempt_agreed(bench.e));
	bench_hello(1)->standing.preempt = true;
	bench_receive();
	assert_true(preempt_agreed(bench.e));
	bench_hello(2)->standing.preempt = false;
	bench_receive();
	assert_false(preempt_agreed(bench.e));
	assert_true(bench_view().problems & ELECT_PROBLEM_PREEMPT_DIFFERS);
	bench_for(DIFFERENCE_FORGET_US + 1000000);
	assert_true(preempt_agreed(bench.e));
}

/* Any message with a standing counts, if its session is verified. */
static void only_a_proven_message_reports_another_preempt(void **state)
{
	static const enum elect_msg_type types[] = { ELECT_HELLO, ELECT_AYCOORD,
		ELECT_AYCOORD_ANSWER, ELECT_AYTHERE, ELECT_AYTHERE_ANSWER, ELECT_ACCEPT,
		ELECT_READY };

	(void)state;
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		bench_tear_down(state);
		bench_set_up(state);
		bench.event.start.config.preempt = true;
		bench_leading(1);
		bench_from(9, types[i])->group = bench_group(9, 2);
		bench.m.standing.preempt = false;
		bench.m.proven = false;
		bench_receive();
		assert_true(preempt_agreed(bench.e));
		assert_false(bench_view().problems & ELECT_PROBLEM_PREEMPT_DIFFERS);
		bench.m.proven = true;
		bench_receive();
		assert_false(preempt_agreed(bench.e));
		assert_true(bench_view().problems & ELECT_PROBLEM_PREEMPT_DIFFERS);
	}
}

static void a_leader_that_hands_over_names_its_successor(void **state)
{
	struct elect_id nobody = { { 0 } };
	struct elect_view v;

	(void)state;
	bench_leading(2);
	v = bench_view();
	assert_true(elect_id_equal(&v.yields_to, &nobody));
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	v = bench_view();
	assert_true(v.yielding);
	assert_int_equal(v.role, ELECT_ROLE_LEADER);
	assert_true(elect_id_equal(&v.yields_to, &bench.e->up.members[1].id));
	bench_released();
	v = bench_view();
	assert_true(elect_id_equal(&v.yields_to, &nobody));
}

static void says_known(unsigned n, uint64_t known)
{
	bench_from(n, ELECT_CHALLENGE_ANSWER)->known = known;
	bench_receive();
}

static bool told_of_an_old_state(void)
{
	return bench_view().problems == ELECT_PROBLEM_STATE_OLD;
}

/* D1. A host of version 0.1 answers a Challenge without that field. */
static void a_later_start_known_to_another_host_is_reported(void **state)
{
	struct elect_id by;

	(void)state;
	bench.event.start.incarnation = 5;
	bench_alone();
	for (uint64_t known = 0; known <= 5; known++) {
		says_known(1, known);
		assert_int_equal(bench_view().problems, 0);
	}
	bench_from(1, ELECT_CHALLENGE_ANSWER)->known = 6;
	bench.m.proven = false;
	bench_receive();
	assert_int_equal(elect_known(bench.e, &by), 0);
	says_known(2, 9);
	assert_int_equal(elect_known(bench.e, &by), 9);
	bench_assert_id(&by, 2);
	assert_true(told_of_an_old_state());
}

/* Peers repeat a later start once a minute, so the report must not come and go. */
static void a_later_start_is_reported_while_peers_repeat_it(void **state)
{
	(void)state;
	assert_true(KNOWN_FORGET_US >= 2 * TRUST_TELL_US);
	bench.event.start.incarnation = 5;
	bench_alone();
	for (unsigned i = 0; i < 5; i++) {
		says_known(1, 9);
		bench_for(TRUST_TELL_US + 5 * (uint64_t)SECOND_US);
		assert_true(told_of_an_old_state());
	}
	bench_for(KNOWN_FORGET_US);
	assert_int_equal(bench_view().problems, 0);
}

/* W4: the last report of several hosts counts, and a number that is too far away is ignored. */
static void a_report_of_a_later_start_expires(void **state)
{
	struct elect_id by;

	(void)state;
	bench.event.start.incarnation = 5;
	bench_alone();
	says_known(1, UINT64_MAX);
	says_known(1, UINT64_MAX - 1);
	says_known(1, 5 + (UINT64_C(1) << 32));
	assert_int_equal(bench_view().problems, 0);
	says_known(1, 4 + (UINT64_C(1) << 32));
	assert_true(told_of_an_old_state());
	says_known(2, 9);
	assert_int_equal(elect_known(bench.e, &by), 9);
	bench_for(KNOWN_FORGET_US + SECOND_US);
	assert_int_equal(bench_view().problems, 0);
}

/* Searches an id whose 24-bit hash equals that of this host. */
static void two_hosts_with_one_tag_are_reported(void **state)
{
	struct elect_member m = bench_member(1);
	uint64_t found = 0;

	(void)state;
	bench_leader();
	for (uint64_t n = 1; !found; n++) {
		memcpy(m.id.bytes, &n, sizeof(n));
		if (!((elect_id_hash(&m.id) ^ elect_id_hash(&bench.e->config.id)) & 0xffffff))
			found = n;
		assert_true(n < UINT64_C(1) << 30);
	}
	bench_accept(1, &bench.e->group)->sender = m.id;
	bench_accepted();
	assert_int_equal(bench.e->up.count, 2);
	assert_true(bench_view().problems & ELECT_PROBLEM_TAG_CLASH);
}

static void names_come_from_the_list_or_the_last_message(void **state)
{
	struct elect_id listed = bench_id(1), heard = bench_id(9), stranger = bench_id(10);

	(void)state;
	bench_leading(1);
	bench_hears(bench_hello(9));
	assert_string_equal(elect_name(bench.e, &listed), "h1");
	assert_string_equal(elect_name(bench.e, &heard), "h9");
	assert_null(elect_name(bench.e, &stranger));
	strcpy(bench_aycoord(9, 3)->name, "renamed");
	bench_receive();
	assert_string_equal(elect_name(bench.e, &heard), "renamed");
}

static void the_oldest_name_is_replaced(void **state)
{
	struct elect_id first = bench_id(100), last = bench_id(100 + ELECT_NAMES_MAX);

	(void)state;
	bench_member_of(70, 5, members, 2);
	for (unsigned n = 100; n <= 100 + ELECT_NAMES_MAX; n++)
		bench_hears(bench_hello(n));
	assert_null(elect_name(bench.e, &first));
	assert_non_null(elect_name(bench.e, &last));
}

static void only_the_coordinator_knows_when_members_were_heard(void **state)
{
	struct elect_member_info info;

	(void)state;
	bench_leading(2);
	bench_for(1000);
	bench_hears(bench_aythere(1, &bench.e->group));
	elect_member_at(bench.e, 2, &info);
	bench_assert_id(&info.member.id, 1);
	assert_int_equal(info.rank, 2);
	assert_int_equal(info.last_heard_us, bench.now_us);
	assert_false(info.silent);
	bench_tear_down(state);
	bench_set_up(state);
	bench_member_of(70, 5, members, 2);
	elect_member_at(bench.e, 0, &info);
	bench_assert_id(&info.member.id, 70);
	assert_int_equal(info.last_heard_us, 0);
}

static void a_member_under_suspicion_is_silent(void **state)
{
	struct elect_member_info info;

	(void)state;
	bench_leading(1);
	bench_for(BENCH_BEACON_US * MEMBER_SILENT_BEACONS + 1000);
	elect_member_at(bench.e, 1, &info);
	assert_true(info.silent);
	bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
	elect_member_at(bench.e, 1, &info);
	assert_false(info.silent);
}

static void a_broken_link_reported_by_a_member_is_forgotten(void **state)
{
	struct elect_foreign f;

	(void)state;
	bench_leading(1);
	bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
	bench.m.other = bench_id(80);
	strcpy(bench.m.other_name, "db9");
	bench_receive();
	assert_int_equal(elect_foreign_count(bench.e), 1);
	elect_foreign_at(bench.e, 0, &f);
	bench_assert_id(&f.id, 80);
	assert_string_equal(f.name, "db9");
	bench_assert_id(&f.heard_by, 1);
	assert_true(bench_view().problems & ELECT_PROBLEM_BROKEN_LINKS);
	for (unsigned i = 0; i <= FOREIGN_BEACONS + 2; i++) {
		bench_members_speak();
		bench_for(BENCH_BEACON_US);
	}
	assert_int_equal(bench.sent[ELECT_AYCOORD].foreign_count, 0);
	assert_int_equal(elect_foreign_count(bench.e), 0);
	assert_false(bench_view().problems & ELECT_PROBLEM_BROKEN_LINKS);
}

/* A host of version 0.1 does not send the name of the other coordinator. */
static void a_broken_link_without_a_name_takes_the_known_name(void **state)
{
	struct elect_foreign f;

	(void)state;
	bench_leading(1);
	bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
	bench.m.other = bench_id(80);
	bench_receive();
	elect_foreign_at(bench.e, 0, &f);
	assert_string_equal(f.name, "");
	bench_hello(80);
	bench_receive();
	bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
	bench.m.other = bench_id(80);
	bench_receive();
	elect_foreign_at(bench.e, 0, &f);
	assert_string_equal(f.name, "h80");
}

static void broken_links_are_limited_to_what_a_beacon_holds(void **state)
{
	(void)state;
	bench_leading(1);
	for (unsigned n = 80; n < 90; n++) {
		bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
		bench.m.other = bench_id(n);
		bench_receive();
	}
	assert_int_equal(elect_foreign_count(bench.e), ELECT_FOREIGN_MAX);
	bench_for(BENCH_BEACON_US * 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].foreign_count, ELECT_FOREIGN_MAX);
}

static void a_no_about_no_host_or_this_host_reports_nothing(void **state)
{
	(void)state;
	bench_leading(1);
	bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
	memset(&bench.m.other, 0, sizeof(bench.m.other));
	bench_receive();
	bench_aycoord_answer(1, 3)->answer = ELECT_ANSWER_NO;
	bench.m.other = bench_id(BENCH_SELF);
	bench_receive();
	assert_int_equal(elect_foreign_count(bench.e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_carries_the_present_standing),
		TEST(a_follower_knows_the_leader_and_its_token),
		TEST(a_coordinator_that_does_not_lead_yet_has_no_token),
		TEST(a_bar_keeps_a_host_from_leading),
		TEST(different_timings_are_reported_for_a_minute),
		TEST(hosts_that_disagree_about_preempt_treat_it_as_false),
		TEST(only_a_proven_message_reports_another_preempt),
		TEST(a_leader_that_hands_over_names_its_successor),
		TEST(a_later_start_known_to_another_host_is_reported),
		TEST(a_later_start_is_reported_while_peers_repeat_it),
		TEST(a_report_of_a_later_start_expires),
		TEST(two_hosts_with_one_tag_are_reported),
		TEST(names_come_from_the_list_or_the_last_message),
		TEST(the_oldest_name_is_replaced),
		TEST(only_the_coordinator_knows_when_members_were_heard),
		TEST(a_member_under_suspicion_is_silent),
		TEST(a_broken_link_reported_by_a_member_is_forgotten),
		TEST(a_broken_link_without_a_name_takes_the_known_name),
		TEST(broken_links_are_limited_to_what_a_beacon_holds),
		TEST(a_no_about_no_host_or_this_host_reports_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
