/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c: a coordinator watches its members (suspicion.md, F14) and answers every AYThere.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static uint64_t silent(void)
{
	return BENCH_BEACON_US * MEMBER_SILENT_BEACONS;
}

static void others_speak_until(uint64_t at)
{
	while (bench.now_us < at) {
		for (unsigned n = 2; bench_listed(n); n++)
			bench_hears(bench_aythere(n, &bench.e->group));
		bench_until(bench.now_us + 10000 < at ? bench.now_us + 10000 : at);
	}
}

static void another_session_answers(void)
{
	struct elect_msg *m = bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES);

	m->session = 4711;
	bench_hears(m);
}

/* An attacker has accepted in the member's name. */
static void a_silent_session_is_dropped_for_another_session_of_its_host(void **state)
{
	uint64_t heard;

	(void)state;
	bench_leading(3);
	bench_hears(bench_aythere(1, &bench.e->group));
	heard = bench.now_us;
	others_speak_until(heard + BENCH_BEACON_US * 3 / 2 - 1);
	another_session_answers();
	assert_true(bench_listed(1));
	others_speak_until(heard + BENCH_BEACON_US * 3 / 2);
	another_session_answers();
	assert_false(bench_listed(1));
	bench_assert_because(ELECT_REASON_DROPPED, 1);
}

/* The path that is usually used may be broken. */
static void a_member_is_probed_by_all_paths(void **state)
{
	(void)state;
	bench_leading(1);
	bench_for(silent());
	bench_assert_to(&bench.sends[ELECT_AYTHERE].to, 1);
	assert_true(bench.sends[ELECT_AYTHERE].suspect);
}

static void only_a_probe_is_answered_by_all_paths(void **state)
{
	(void)state;
	bench_leading(1);
	bench_aythere(1, &bench.e->group)->probe = true;
	bench_receive();
	assert_true(bench.sends[ELECT_AYTHERE_ANSWER].suspect);
	bench_aythere(2, &bench.e->group);
	bench_receive();
	assert_false(bench.sends[ELECT_AYTHERE_ANSWER].suspect);
}

static void a_member_that_has_moved_has_its_new_address(void **state)
{
	struct elect_address next = bench_address(201);
	struct elect_member_info info;

	(void)state;
	bench_leading(1);
	bench_aythere(1, &bench.e->group)->from = next;
	bench_receive();
	elect_member_at(bench.e, 1, &info);
	assert_true(elect_address_equal(&info.member.address, &next));
	assert_int_equal(bench_sent(ELECT_AYTHERE), 0);
}

static void asks_for_its_list(unsigned n, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		bench_aythere(n, &bench.e->group)->digest++;
		bench_receive();
		bench_for(1000);
	}
}

/* I2: a list version is sent to one host at most ten times, and then once a beacon. */
static void a_member_that_asks_without_end_gets_its_list_ten_times(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US);
	asks_for_its_list(1, 1000);
	assert_in_range(bench_sent(ELECT_READY), LIST_SENDS, LIST_SENDS + 5);
}

static void a_member_gets_its_list_although_others_ask(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US);
	asks_for_its_list(1, 300);
	asks_for_its_list(2, 300);
	bench_hears(bench_aythere(2, &bench.e->group));
	bench_clear();
	asks_for_its_list(1, 5 * BENCH_BEACON_US / 1000);
	assert_true(bench_sent(ELECT_READY) > 0);
}

/* W1: an Accept in the name of a host that is down must not bar the host when it starts. */
static void a_new_session_of_an_absent_host_is_invited_at_once(void **state)
{
	(void)state;
	bench_leading(1);
	for (unsigned i = 0; i < 6; i++) {
		bench_for(10 * (uint64_t)SECOND_US);
		bench_accept(60, &bench.e->group);
		bench_accepted();
		while (bench_listed(60)) {
			bench_hears(bench_aythere(1, &bench.e->group));
			bench_for(50000);
		}
	}
	bench_clear();
	bench_hello(60)->session = 4711;
	bench_receive();
	bench_for(JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
}

/* F4, M9: a list that is not acknowledged is sent again each beacon. */
static void a_member_that_never_acknowledges_is_sent_lists_and_dropped(void **state)
{
	uint64_t admitted;

	(void)state;
	bench_leading(2);
	bench_accept(60, &bench.e->group);
	bench_accepted();
	admitted = bench.now_us;
	bench_until(admitted + READY_WINDOW_US);
	bench_clear();
	bench_until(admitted + 3 * BENCH_BEACON_US + 1);
	assert_int_equal(bench_sent(ELECT_READY), 3);
	bench_assert_to_all(&bench.sends[ELECT_READY].to); /* it never answered */
	assert_true(bench_listed(60));
	bench_until(admitted + 4 * BENCH_BEACON_US + 1);
	assert_false(bench_listed(60));
}

/* The member repeats that it waits for the list. */
static void an_aythere_without_the_list_does_not_keep_a_member_listed(void **state)
{
	(void)state;
	bench_leader();
	bench_hears(bench_hello(1));
	bench_for(3000);
	bench_accept_from(1);
	assert_int_equal(bench.e->up.count, 2);
	for (unsigned i = 0; i < 40 && bench.e->up.count == 2; i++) {
		bench_for(100000);
		bench_aythere(1, &bench.e->group)->list_version = 0;
		bench_receive();
	}
	assert_int_equal(bench.e->up.count, 1);
}

static void silent_members_are_dropped_in_one_version(void **state)
{
	uint32_t version;

	(void)state;
	bench_leading(20);
	bench_members_speak();
	version = bench.e->list_version;
	bench_for(silent() + PROBES_MAX * PROBE_US + BENCH_BEACON_US);
	assert_int_equal(bench.e->up.count, 1);
	assert_true(bench.e->list_version <= version + 2);
}

/* The limit of sixteen keeps a step short even with a thousand silent members. */
static void a_step_probes_at_most_sixteen_members(void **state)
{
	(void)state;
	bench_leader();
	bench_crowd(100, 900);
	assert_int_equal(bench.e->up.count, 901);
	for (unsigned i = 0; i < 6000 && bench.e->up.count > 1; i++) {
		bench.now_us = bench.out.wake_us;
		bench_tick();
		assert_true(bench.out.count <= ELECT_ACTIONS_MAX / 2);
		bench_clear();
	}
	assert_int_equal(bench.e->up.count, 1);
}

/* Each time that a host wakes costs it more than the work that it then does. */
static void a_coordinator_whose_members_speak_wakes_only_for_its_beacons(void **state)
{
	unsigned woken = 0;

	(void)state;
	bench_leading(2);
	others_speak_until(bench.now_us + 50 * BENCH_BEACON_US);
	bench_clear();
	while (woken < 30) {
		bench.now_us = bench.out.wake_us;
		bench_tick();
		woken++;
		bench_hears(bench_aythere(1, &bench.e->group));
		bench_hears(bench_aythere(2, &bench.e->group));
	}
	assert_int_equal(bench_sent(ELECT_AYCOORD), woken);
}

static void a_goodbye_that_is_unproven_or_of_another_group_drops_nobody(void **state)
{
	struct elect_group old = bench_group(70, 5);

	(void)state;
	bench_leading(2);
	bench_hears(bench_goodbye(1, &old, ELECT_LOSS_STOP));
	bench_goodbye(2, &bench.e->group, ELECT_LOSS_STOP)->proven = false;
	bench_receive();
	assert_int_equal(bench.e->up.count, 3);
}

/* F16: the first failed merge with that host is still free. */
static void a_member_dropped_for_silence_has_no_back_off(void **state)
{
	struct elect_id silent_one = bench_id(1);

	(void)state;
	bench_leading(1);
	bench_for(silent() + PROBES_MAX * PROBE_US + 1000);
	assert_int_equal(bench.e->up.count, 1);
	assert_int_equal(backoff_until(bench.e, &silent_one), 0);
	backoff_absent(bench.e, &silent_one);
	assert_int_equal(backoff_until(bench.e, &silent_one), bench.e->now_us);
}

static void assert_answer(enum elect_answer answer)
{
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
	assert_string_equal(elect_answer_name(bench.sent[ELECT_AYTHERE_ANSWER].answer),
		elect_answer_name(answer));
	assert_memory_equal(&bench.sends[ELECT_AYTHERE_ANSWER].echo, &bench.m.transaction,
		sizeof(struct elect_transaction));
	assert_true(elect_group_equal(&bench.sent[ELECT_AYTHERE_ANSWER].group, &bench.m.group));
}

static void only_a_probe_is_answered(void **state)
{
	(void)state;
	bench_leading(1);
	bench_hears(bench_aythere(1, &bench.e->group));
	assert_int_equal(bench.log_count, 0);
	bench_aythere(1, &bench.e->group)->probe = true;
	bench_receive();
	assert_answer(ELECT_ANSWER_YES);
}

/* A member of 70's group is probed alone. Whether its answer goes to all, too. */
static bool probed_answers_all(void)
{
	bench_aythere(70, &bench.e->group)->probe = true;
	bench_receive();
	return bench.sends[ELECT_AYTHERE_ANSWER].also_to_all;
}

/* M16 */
static void a_second_probe_within_a_beacon_is_answered_to_all_too(void **state)
{
	static const unsigned others[] = { 1, 2 };

	(void)state;
	bench_member_of(70, 5, others, 2);
	bench_for(1000);
	assert_false(probed_answers_all());
	bench_for(BENCH_BEACON_US - 1);
	assert_true(probed_answers_all());
	bench_hears(bench_beacon(70));
	bench_for(BENCH_BEACON_US);
	assert_false(probed_answers_all());
}

static void answer_a_beacon(uint64_t sequence)
{
	bench_clear();
	bench_beacon(70)->quorum = 2;
	bench.m.sequence = sequence;
	bench_receive();
	bench_for(ACCEPT_SPREAD_MAX_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
}

/* M16, I6: the coordinator asks again alone because it got no answer. */
static void a_beacon_for_this_host_alone_is_answered_to_all_too(void **state)
{
	static const unsigned others[] = { 1, 2 };

	(void)state;
	bench_member_of(70, 5, others, 2);
	answer_a_beacon(1000);
	assert_false(bench.sends[ELECT_AYTHERE_ANSWER].also_to_all);
	assert_false(bench.sends[ELECT_AYTHERE_ANSWER].suspect);
	answer_a_beacon(0);
	assert_true(bench.sends[ELECT_AYTHERE_ANSWER].also_to_all);
	assert_true(bench.sends[ELECT_AYTHERE_ANSWER].suspect);
}

static void a_host_that_is_not_listed_is_answered_not_in_it(void **state)
{
	(void)state;
	bench_leading(1);
	bench_hears(bench_aythere(9, &bench.e->group));
	assert_answer(ELECT_ANSWER_NOT_IN_IT);
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].list_version, bench.e->list_version);
}

static void another_session_of_a_member_is_answered_not_in_it(void **state)
{
	(void)state;
	bench_leading(1);
	bench_aythere(1, &bench.e->group)->session = 9;
	bench_receive();
	assert_answer(ELECT_ANSWER_NOT_IN_IT);
}

static void an_aythere_for_the_group_of_another_is_answered_not_mine(void **state)
{
	struct elect_group g = bench_group(33, 5);

	(void)state;
	bench_leading(1);
	bench_hears(bench_aythere(9, &g));
	assert_answer(ELECT_ANSWER_NOT_MY_GROUP);
}

static void a_host_of_an_older_group_is_invited(void **state)
{
	struct elect_group g = bench_group(BENCH_SELF, 0);

	(void)state;
	bench_leading(1);
	bench_hears(bench_aythere(9, &g));
	bench_for(JOIN_GATHER_US);
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 0);
	assert_int_equal(bench.sent[ELECT_INVITATION].invite, ELECT_INVITE_JOIN);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
}

static void a_down_host_coordinates_nothing(void **state)
{
	struct elect_group g = bench_group(BENCH_SELF, 5);

	(void)state;
	bench_down();
	bench_hears(bench_aythere(9, &g));
	assert_answer(ELECT_ANSWER_NOT_MY_GROUP);
}

static void an_inviter_answers_an_aythere_with_its_invitation(void **state)
{
	struct elect_group from;

	(void)state;
	bench_inviting(2, 11);
	from = own(bench.e)->election.from;
	bench_clear();
	bench_hears(bench_aythere(1, &from));
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 0);
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	bench_assert_to(&bench.sends[ELECT_INVITATION].to, 1);
	assert_true(elect_group_equal(&bench.sent[ELECT_INVITATION].group, &bench.e->group));
}

static void an_inviter_ignores_an_aythere_for_another_group(void **state)
{
	struct elect_group other = bench_group(BENCH_SELF, 77);

	(void)state;
	bench_inviting(2, 11);
	bench_clear();
	bench_hears(bench_aythere(9, &other));
	assert_int_equal(bench.log_count, 0);
}

static void a_reorganizing_coordinator_answers_an_aythere_with_the_list(void **state)
{
	(void)state;
	bench_inviting(1, 11);
	bench_accept_from(1);
	bench_accept_from(11);
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_clear();
	bench_hears(bench_aythere(1, &bench.e->group));
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_READY), 1);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 0x06);
}

static void a_host_that_awaits_a_lost_inviter_is_forwarded_to_again(void **state)
{
	struct elect_group mine;

	(void)state;
	bench_inviting(0, 11);
	mine = bench.e->group;
	role_lose(bench.e);
	own(bench.e)->election.standing.established = false;
	bench_invitation(70, 90, ELECT_INVITE_MERGE)->standing.size = 9;
	bench_naming(&bench.m, &own(bench.e)->election.from, 1);
	bench_receive();
	bench_for(GOODBYE_REPEATS * REPEAT_US);
	bench_clear();
	bench_hears(bench_aythere(11, &mine));
	assert_int_equal(bench_sent(ELECT_INVITATION), 1);
	bench_assert_to(&bench.sends[ELECT_INVITATION].to, 11);
	bench_assert_id(&bench.sent[ELECT_INVITATION].inviter.id, 70);
}

static void a_member_answers_a_probe_of_its_coordinator(void **state)
{
	static const unsigned members[] = { 60 };
	struct elect_group old = bench_group(70, 4);

	(void)state;
	bench_member_of(70, 5, members, 1);
	bench_aythere(70, &old)->probe = true;
	bench_receive();
	assert_int_equal(bench.log_count, 0);
	bench_aythere(70, &bench.e->group)->probe = true;
	bench_receive();
	assert_answer(ELECT_ANSWER_YES);
}

static void a_member_whose_standing_changes_moves_in_the_list(void **state)
{
	(void)state;
	bench_leading(3);
	bench_assert_id(&bench.e->up.members[1].id, 3);
	bench_aythere(3, &bench.e->group)->standing.may_lead = false;
	bench_receive();
	bench_assert_id(&bench.e->up.members[3].id, 3);
	bench_aythere(1, &bench.e->group)->standing.priority = 120;
	bench_receive();
	bench_assert_id(&bench.e->up.members[1].id, 1);
}

static void differs(unsigned n)
{
	bench_aythere(n, &bench.e->group)->digest++;
	bench_receive();
}

static void a_member_that_had_the_list_and_lost_it_is_repaired_once(void **state)
{
	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US);
	differs(1);
	differs(1);
	assert_int_equal(elect_list_repairs(bench.e), 0);
	bench_hears(bench_ready_answer(1));
	bench_hears(bench_ready_answer(1));
	assert_int_equal(elect_list_repairs(bench.e), 1);
	bench_for(BENCH_BEACON_US);
	differs(2);
	bench_hears(bench_aythere(2, &bench.e->group));
	assert_int_equal(elect_list_repairs(bench.e), 2);
}

static void a_member_without_the_new_list_needs_no_repair(void **state)
{
	struct elect_id gone = bench_id(2);

	(void)state;
	bench_leading(2);
	bench_for(BENCH_BEACON_US);
	lists_edit(bench.e);
	roster_remove(&bench.e->next, &gone);
	bench.e->out = &bench.out;
	bench.out.count = 0;
	lists_change(bench.e);
	differs(1);
	bench_hears(bench_ready_answer(1));
	assert_int_equal(elect_list_repairs(bench.e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_silent_session_is_dropped_for_another_session_of_its_host),
		TEST(a_member_is_probed_by_all_paths),
		TEST(only_a_probe_is_answered_by_all_paths),
		TEST(a_member_that_has_moved_has_its_new_address),
		TEST(a_member_that_asks_without_end_gets_its_list_ten_times),
		TEST(a_member_gets_its_list_although_others_ask),
		TEST(a_new_session_of_an_absent_host_is_invited_at_once),
		TEST(a_member_that_never_acknowledges_is_sent_lists_and_dropped),
		TEST(an_aythere_without_the_list_does_not_keep_a_member_listed),
		TEST(silent_members_are_dropped_in_one_version),
		TEST(a_step_probes_at_most_sixteen_members),
		TEST(a_coordinator_whose_members_speak_wakes_only_for_its_beacons),
		TEST(a_goodbye_that_is_unproven_or_of_another_group_drops_nobody),
		TEST(a_member_dropped_for_silence_has_no_back_off),
		TEST(only_a_probe_is_answered),
		TEST(a_second_probe_within_a_beacon_is_answered_to_all_too),
		TEST(a_beacon_for_this_host_alone_is_answered_to_all_too),
		TEST(a_host_that_is_not_listed_is_answered_not_in_it),
		TEST(another_session_of_a_member_is_answered_not_in_it),
		TEST(an_aythere_for_the_group_of_another_is_answered_not_mine),
		TEST(a_host_of_an_older_group_is_invited),
		TEST(a_down_host_coordinates_nothing),
		TEST(an_inviter_answers_an_aythere_with_its_invitation),
		TEST(an_inviter_ignores_an_aythere_for_another_group),
		TEST(a_reorganizing_coordinator_answers_an_aythere_with_the_list),
		TEST(a_host_that_awaits_a_lost_inviter_is_forwarded_to_again),
		TEST(a_member_answers_a_probe_of_its_coordinator),
		TEST(a_member_whose_standing_changes_moves_in_the_list),
		TEST(a_member_that_had_the_list_and_lost_it_is_repaired_once),
		TEST(a_member_without_the_new_list_needs_no_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
