/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c, the member's side (lists.md, Ready; slide 40): parts of a membership list are
 * assembled in any order, a list with a hole is refused, and a host that was dropped leaves.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static struct roster list;
static const unsigned members[] = { 60, 1 };
static const unsigned more[] = { 60, 1, 2 };
static struct elect_group g;

static void await_list(void)
{
	g = bench_group(70, 5);
	bench_awaiting(70, 5);
}

/* A membership list of the maximum length: the coordinator, this host, and 1022 others. */
static void longest_list(unsigned coordinator)
{
	struct elect_id first = bench_id(coordinator);

	bench_list(&list, coordinator, NULL, 0);
	for (unsigned n = 1000; list.count < ELECT_HOSTS_MAX; n++) {
		struct elect_member m = bench_member(n);

		roster_put(&list, &m, &first);
	}
}

static void receive_part(const struct elect_group *group, uint32_t version, unsigned part)
{
	bench_hears(bench_ready(group, 70, &list, version, part));
}

static void a_list_of_1024_hosts_is_assembled_from_its_parts_in_any_order(void **state)
{
	unsigned parts;

	(void)state;
	await_list();
	longest_list(70);
	parts = roster_parts(&list, 0);
	assert_true(parts > 40);
	for (unsigned i = parts; i-- > 1;) {
		receive_part(&g, 1, i);
		receive_part(&g, 1, i);
	}
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	receive_part(&g, 1, 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, ELECT_HOSTS_MAX);
	assert_memory_equal(&bench.e->up.members[900], &list.members[900], sizeof(list.members[0]));
	bench_for(REPEAT_US / 2); /* the answer comes at a random time in this window */
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
}

static void a_list_with_a_wrong_digest_is_refused(void **state)
{
	(void)state;
	await_list();
	bench_list(&list, 70, members, 2);
	bench_ready(&g, 70, &list, 1, 0)->digest++;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	receive_part(&g, 1, 0); /* a wrong part does not block a right one */
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

/* Two members that claim to be three, with a digest that includes an empty third member. */
static void a_list_with_a_hole_is_refused(void **state)
{
	struct elect_msg *m;

	(void)state;
	await_list();
	bench_list(&list, 70, NULL, 0);
	m = bench_ready(&g, 70, &list, 1, 0);
	memset(&list.members[2], 0, sizeof(list.members[2]));
	list.count = m->part.total = 3;
	m->digest = roster_digest(&list, NULL, 0);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* Two parts of two members each, both with the first two places of four. */
static void a_list_whose_parts_overlap_is_refused(void **state)
{
	struct elect_part p = { .count = 2, .total = 4, .members_count = 2 };

	(void)state;
	await_list();
	bench_list(&list, 70, NULL, 0);
	memset(&list.members[2], 0, 2 * sizeof(list.members[2]));
	list.members[3].id = bench_id(3);
	bench_ready(&g, 70, &list, 1, 0);
	list.count = 4;
	for (p.index = 0; p.index < 2; p.index++) {
		bench.m.part = p;
		bench.m.digest = roster_digest(&list, NULL, 0);
		memcpy(&bench.e->next.members[3], &list.members[3], sizeof(list.members[3]));
		bench_receive();
	}
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void parts_that_disagree_about_their_list_are_refused(void **state)
{
	unsigned parts;

	(void)state;
	await_list();
	longest_list(70);
	parts = roster_parts(&list, 0);
	receive_part(&g, 1, 0);
	bench_ready(&g, 70, &list, 1, 1)->part.count++;
	bench_receive();
	bench_ready(&g, 70, &list, 1, 1)->digest++;
	bench_receive();
	assert_int_equal(bench.e->assembly.got_count, 1);
	for (unsigned i = 1; i < parts; i++)
		receive_part(&g, 1, i);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	receive_part(&g, 1, 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

/* A coordinator does not know its own address, so members report the source of its list. */
static void the_address_of_a_coordinator_is_the_source_of_its_list(void **state)
{
	struct elect_address from = bench_address(70);

	(void)state;
	await_list();
	bench_list(&list, 70, members, 2);
	memset(&list.members[0].address, 0, sizeof(list.members[0].address));
	receive_part(&g, 1, 0);
	assert_true(elect_address_equal(&bench.e->up.members[0].address, &from));
}

static void a_list_that_names_a_host_twice_is_refused(void **state)
{
	struct elect_msg *m;

	(void)state;
	await_list();
	bench_list(&list, 70, members, 2);
	list.members[3] = list.members[1];
	m = bench_ready(&g, 70, &list, 1, 0);
	m->digest = roster_digest(&list, NULL, 0);
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void a_list_that_does_not_begin_with_its_coordinator_is_refused(void **state)
{
	(void)state;
	await_list();
	bench_list(&list, 60, members, 2);
	receive_part(&g, 1, 0);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void the_parts_of_two_versions_are_not_mixed(void **state)
{
	unsigned parts;

	(void)state;
	await_list();
	longest_list(70);
	parts = roster_parts(&list, 0);
	for (unsigned i = 0; i + 1 < parts; i++)
		receive_part(&g, 1, i);
	list.members[ELECT_HOSTS_MAX - 1].priority = 1;
	receive_part(&g, 2, parts - 1);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	for (unsigned i = 0; i + 1 < parts; i++)
		receive_part(&g, 2, i);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->list_version, 2);
}

static void only_named_members_acknowledge_a_list(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_list(&list, 70, members, 2);
	receive_part(&bench.e->group, 1, 0);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
	memset(bench_ready(&bench.e->group, 70, &list, 1, 0)->missing, 0, ELECT_MISSING_BYTES);
	bench_receive();
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
}

static void a_list_of_many_parts_is_acknowledged_once_per_repeat(void **state)
{
	(void)state;
	await_list();
	longest_list(70);
	bench_receive_list(&g, 70, &list, 1);
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 1);
	bench_receive_list(&g, 70, &list, 1);
	bench_for(REPEAT_US / 2);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), 2);
}

static void a_newer_version_replaces_the_list_and_names_the_newcomer(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_list(&list, 70, more, 3);
	receive_part(&bench.e->group, 2, 0);
	assert_int_equal(bench.e->up.count, 5);
	bench_assert_because(ELECT_REASON_JOINED, 2);
	assert_int_equal(bench_actions(ELECT_ACTION_PROVE), 1);
}

static void an_older_version_changes_nothing(void **state)
{
	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_list(&list, 70, more, 3);
	receive_part(&bench.e->group, 2, 0);
	bench_clear();
	bench_list(&list, 70, members, 1);
	receive_part(&bench.e->group, 1, 0);
	assert_int_equal(bench.e->up.count, 5);
	assert_int_equal(bench.log_count, 0);
}

/* ---- W1: membership lists that the coordinator did not send ---------------------------------- */

static void beacons_name(uint32_t version, unsigned beacons)
{
	for (; beacons > 0; beacons--) {
		bench_for(BENCH_BEACON_US);
		bench_beacon(70)->list_version = version;
		bench.m.digest = roster_digest(&list, NULL, 0);
		bench_receive();
	}
}

static void a_member_with(uint32_t version, const unsigned *others, unsigned others_count)
{
	bench_member_of(70, 5, members, 2);
	g = bench.e->group;
	bench_list(&list, 70, others, others_count);
	bench_receive_list(&g, 70, &list, version);
	assert_int_equal(bench.e->list_version, version);
	bench_list(&list, 70, members, 2);
}

static void assert_has_the_list_of_its_coordinator(uint32_t version)
{
	bench_receive_list(&g, 70, &list, version);
	assert_int_equal(bench.e->list_version, version);
	assert_int_equal(bench.e->digest, roster_digest(&list, NULL, 0));
}

static void a_list_newer_than_the_beacons_name_is_given_up(void **state)
{
	(void)state;
	a_member_with(UINT32_MAX, more, 3);
	beacons_name(2, 1);
	bench_receive_list(&g, 70, &list, 2); /* that beacon may be late */
	assert_int_equal(bench.e->list_version, UINT32_MAX);
	beacons_name(2, 1);
	bench_for(READY_WINDOW_US);
	assert_int_equal(bench.sent[ELECT_AYTHERE].list_version, 0);
	assert_has_the_list_of_its_coordinator(2);
	beacons_name(2, 1);
	assert_int_equal(bench.e->list_version, 2);
}

static void another_list_in_the_version_of_the_beacons_is_given_up(void **state)
{
	unsigned answers;

	(void)state;
	a_member_with(2, more, 3);
	answers = bench_sent(ELECT_READY_ANSWER);
	bench_receive_list(&g, 70, &list, 2);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), answers); /* it lacks that list */
	beacons_name(2, 2);
	assert_has_the_list_of_its_coordinator(2);
	assert_int_equal(bench_sent(ELECT_READY_ANSWER), answers + 1);
}

static void occasional_beacons_with_an_older_list_change_nothing(void **state)
{
	(void)state;
	a_member_with(3, members, 2);
	for (unsigned i = 0; i < 4; i++) {
		beacons_name(2, 1);
		beacons_name(3, 1);
		bench_receive_list(&g, 70, &list, 2);
	}
	assert_int_equal(bench.e->list_version, 3);
}

/* A forged list in the coordinator's name made this host believe that it is a member. */
static void a_host_admitted_by_a_forged_list_joins_again(void **state)
{
	(void)state;
	await_list();
	bench_list(&list, 70, members, 2);
	bench_receive_list(&g, 70, &list, 1000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	beacons_name(2, 2);
	bench_aythere_answer(70, &g, ELECT_ANSWER_NOT_IN_IT)->list_version = 2;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* Two lists of one version in the coordinator's name: the first must not block the second. */
static void a_part_of_another_list_blocks_no_list(void **state)
{
	(void)state;
	await_list();
	longest_list(70);
	receive_part(&g, 1, 0);
	bench_list(&list, 70, members, 2);
	receive_part(&g, 1, 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->up.count, 4);
}

static void a_list_older_than_the_admitting_one_drops_nobody(void **state)
{
	struct elect_id self = bench_id(BENCH_SELF);

	(void)state;
	await_list();
	bench_list(&list, 70, members, 2);
	receive_part(&g, 7, 0);
	assert_int_equal(bench.e->list_version, 7);
	roster_remove(&list, &self);
	receive_part(&g, 6, 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(elect_group_equal(&bench.e->group, &g));
	assert_false(bench.e->watch.gone);
}

/* A member of 70's group is dropped from the list, together with `others`. */
static void drop_me_and(const unsigned *others, unsigned others_count)
{
	struct elect_id self = bench_id(BENCH_SELF);

	g = bench_group(70, 5);
	bench_member_of(70, 5, members, 2);
	bench_list(&list, 70, members, 2);
	roster_remove(&list, &self);
	for (unsigned i = 0; i < others_count; i++) {
		struct elect_id id = bench_id(others[i]);

		roster_remove(&list, &id);
	}
	receive_part(&bench.e->group, 2, 0);
}

static void a_dropped_member_comes_back_with_an_accept(void **state)
{
	(void)state;
	drop_me_and(NULL, 0);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_true(elect_group_equal(&bench.e->group, &g));
	bench_assert_because(ELECT_REASON_DROPPED, 70);
	bench_for(1000);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	assert_memory_equal(&bench.sends[ELECT_ACCEPT].echo, &bench.m.transaction,
		sizeof(struct elect_transaction));
	bench_assert_to(&bench.sends[ELECT_ACCEPT].to, 70);
	bench_list(&list, 70, members, 2);
	receive_part(&g, 3, 0);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->list_version, 3);
	assert_int_equal(bench_view().role, ELECT_ROLE_FOLLOWER);
}

/* The coordinator answers each probe and never lists the host. */
static void a_dropped_member_is_alone_if_it_is_not_listed_again(void **state)
{
	uint64_t began;

	(void)state;
	drop_me_and(NULL, 0);
	began = bench.now_us;
	while (bench.now_us < began + AWAIT_US - 1000) {
		assert_int_equal(bench.e->state, ELECT_REORGANIZING);
		bench_for(999);
		bench_hears(bench_aythere_answer(70, &g, ELECT_ANSWER_YES));
	}
	bench_until(began + AWAIT_US);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(group_coordinates(bench.e));
	assert_int_equal(bench.e->up.count, 1);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	bench_assert_because(ELECT_REASON_DROPPED, 70);
}

static void members_dropped_together_do_not_succeed_among_themselves(void **state)
{
	static const unsigned with[] = { 1 };

	(void)state;
	drop_me_and(with, 1);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_for(SUCCESSION_STEP_US * STEPS_MAX);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_int_equal(bench_sent(ELECT_ACCEPT), 1);
	assert_int_equal(bench_sent(ELECT_INVITATION), 0);
}

static void a_list_with_another_session_of_this_host_shows_a_duplicate(void **state)
{
	int at;

	(void)state;
	bench_member_of(70, 5, members, 2);
	bench_list(&list, 70, members, 2);
	at = roster_find(&list, &bench.e->config.id);
	list.members[at].session = 99;
	receive_part(&bench.e->group, 2, 0);
	assert_true(bench_view().problems & ELECT_PROBLEM_DUPLICATE_ID);
	assert_false(self_may_lead(bench.e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_list_of_1024_hosts_is_assembled_from_its_parts_in_any_order),
		TEST(a_list_with_a_wrong_digest_is_refused),
		TEST(a_list_with_a_hole_is_refused),
		TEST(a_list_whose_parts_overlap_is_refused),
		TEST(parts_that_disagree_about_their_list_are_refused),
		TEST(the_address_of_a_coordinator_is_the_source_of_its_list),
		TEST(a_list_that_names_a_host_twice_is_refused),
		TEST(a_list_that_does_not_begin_with_its_coordinator_is_refused),
		TEST(the_parts_of_two_versions_are_not_mixed),
		TEST(only_named_members_acknowledge_a_list),
		TEST(a_list_of_many_parts_is_acknowledged_once_per_repeat),
		TEST(a_newer_version_replaces_the_list_and_names_the_newcomer),
		TEST(an_older_version_changes_nothing),
		TEST(a_list_newer_than_the_beacons_name_is_given_up),
		TEST(another_list_in_the_version_of_the_beacons_is_given_up),
		TEST(occasional_beacons_with_an_older_list_change_nothing),
		TEST(a_host_admitted_by_a_forged_list_joins_again),
		TEST(a_part_of_another_list_blocks_no_list),
		TEST(a_list_older_than_the_admitting_one_drops_nobody),
		TEST(a_dropped_member_comes_back_with_an_accept),
		TEST(a_dropped_member_is_alone_if_it_is_not_listed_again),
		TEST(members_dropped_together_do_not_succeed_among_themselves),
		TEST(a_list_with_another_session_of_this_host_shows_a_duplicate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
