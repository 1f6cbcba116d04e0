/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c (keys.md): which keys a group accepts and sends, as its coordinator knows and reports;
 * which steps of a roll-out they allow; and which sessions a removed key takes with it.
 */
#include "bench.h"

enum { OTHERS = 3 };

static struct elect_keys_refusal refusal;
static struct elect_key_table table;

static struct elect_key key(uint8_t id)
{
	return (struct elect_key){ id, id ? 1000u + id : 0 };
}

/* The first key is the one that is sent. `second` 255: there is none. */
static struct elect_keys keys(uint8_t first, uint8_t second)
{
	struct elect_keys k = { .count = second == 255 ? 1 : 2, .list = { key(first) } };

	if (k.count == 2)
		k.list[1] = key(second);
	return k;
}

static const uint8_t none = 255;

static int set_up(void **state)
{
	bench_set_up(state);
	bench.event.start.keys = keys(0, none);
	return 0;
}

/* Member `n` seals with the first key. A single key is not reported. */
static void says(unsigned n, const struct elect_keys *k)
{
	struct elect_msg *m = bench_aythere(n, &bench.e->group);

	m->key_id = k->list[0].id;
	if (k->count > 1)
		m->keys = *k;
	bench_receive();
}

static void rekeyed_losing(
	struct elect_keys k, const struct elect_session *lost, unsigned lost_count)
{
	bench.event.type = ELECT_EVENT_REKEYED;
	bench.event.rekeyed =
		(struct elect_rekeyed){ .keys = k, .lost_count = lost_count, .lost = lost };
	bench_step();
}

static void rekeyed(struct elect_keys k)
{
	rekeyed_losing(k, NULL, 0);
}

static void assert_row(uint8_t id, unsigned lacking, unsigned sending)
{
	for (unsigned i = 0; i < table.rows_count; i++)
		if (table.rows[i].key.id == id) {
			assert_int_equal(table.rows[i].lacking, lacking);
			assert_int_equal(table.rows[i].sending, sending);
			return;
		}
	fail_msg("no row of key %u", id);
}

static enum elect_keys_step step(uint8_t first, uint8_t second)
{
	struct elect_keys next = keys(first, second);

	memset(&refusal, 0, sizeof(refusal));
	return elect_keys_step(bench.e, &next, &refusal);
}

static void a_single_common_key_is_not_reported(void **state)
{
	(void)state;
	bench_leading(OTHERS);
	for (unsigned n = 1; n <= OTHERS; n++)
		says(n, &(struct elect_keys){ 1, { key(0) } });
	bench_for(2 * BENCH_BEACON_US);
	assert_true(bench_sent(ELECT_AYCOORD) > 0);
	assert_int_equal(bench.sent[ELECT_AYCOORD].key_table.rows_count, 0);
	assert_int_equal(bench.sent[ELECT_AYCOORD].key_table.lags_count, 0);
	assert_true(elect_keys_report(bench.e, &table));
	assert_int_equal(table.rows_count, 1);
	assert_row(0, 0, OTHERS + 1);
}

/* An older coordinator sends no table. All its members send with its key, heard or not. */
static void all_members_send_with_the_key_of_an_older_coordinator(void **state)
{
	static const unsigned others[] = { 1, 2 };

	(void)state;
	bench_member_of(70, 5, others, 2);
	bench_beacon(70)->standing.size = 2;
	bench_receive();
	assert_true(elect_keys_report(bench.e, &table));
	assert_row(0, 0, 4);
}

/* So what another host has said in the name of a member ends with its next report. */
static void a_brief_report_says_the_keys(void **state)
{
	struct elect_keys both = keys(0, 1);
	struct elect_msg *m;

	(void)state;
	bench_leading(OTHERS);
	for (unsigned n = 1; n <= OTHERS; n++)
		says(n, &both);
	m = bench_aythere(1, &bench.e->group);
	m->brief = true;
	m->key_id = key(0).id;
	bench_receive();
	assert_true(elect_keys_report(bench.e, &table));
	assert_row(1, 2, 0);
}

static void hosts_that_lack_a_key_are_named(void **state)
{
	struct elect_keys both = keys(0, 1);

	(void)state;
	bench_leading(OTHERS);
	says(1, &both);
	says(2, &both);
	bench_for(2 * BENCH_BEACON_US);
	table = bench.sent[ELECT_AYCOORD].key_table;
	assert_int_equal(table.rows_count, 2);
	assert_row(0, 0, OTHERS + 1);
	assert_row(1, 2, 0);
	assert_int_equal(table.lags_count, 2); /* this host, and host 3 */
	for (unsigned i = 0; i < 2; i++) {
		assert_false(table.lags[i].sends);
		assert_int_equal(table.lags[i].row, 1);
	}
	bench_assert_id(&table.lags[0].id, BENCH_SELF);
	bench_assert_id(&table.lags[1].id, 3);
}

static void a_host_that_sends_another_key_is_named(void **state)
{
	struct elect_keys before = keys(0, 1), after = keys(1, 0);

	(void)state;
	bench_leading(OTHERS);
	rekeyed(before);
	for (unsigned n = 1; n <= OTHERS; n++)
		says(n, n == 2 ? &after : &before);
	elect_keys_report(bench.e, &table);
	assert_row(0, 0, OTHERS);
	assert_row(1, 0, 1);
	assert_int_equal(table.lags_count, OTHERS + 1);
	assert_true(table.lags[OTHERS].sends);
	bench_assert_id(&table.lags[OTHERS].id, 2);
}

static void an_accept_reports_keys(void **state)
{
	struct elect_keys both = keys(0, 1);

	(void)state;
	bench_leader();
	bench_hears(bench_hello(1));
	bench_for(3000);
	bench_accept(1, &bench.e->group)->keys = both;
	bench_receive();
	assert_true(bench_listed(1));
	elect_keys_report(bench.e, &table);
	assert_row(1, 1, 0);
}

static void a_host_that_reports_one_key_has_the_key_that_it_seals_with(void **state)
{
	(void)state;
	bench_leading(1);
	rekeyed(keys(0, 1));
	says(1, &(struct elect_keys){ 1, { key(1) } });
	elect_keys_report(bench.e, &table);
	assert_row(0, 1, 1);
	assert_row(1, 0, 1);
}

/* Two key files, made on two hosts, with the same number for different keys. */
static void equal_key_numbers_are_not_one_key(void **state)
{
	struct elect_keys other = keys(0, 1);

	(void)state;
	bench_leading(1);
	rekeyed(keys(0, 1));
	other.list[1].name++;
	says(1, &other);
	elect_keys_report(bench.e, &table);
	assert_int_equal(table.rows_count, 3);
	assert_int_equal(step(1, 0), ELECT_KEYS_NOT_ACCEPTED);
}

static void a_large_group_names_four_hosts(void **state)
{
	(void)state;
	bench_leading(8);
	rekeyed(keys(0, 1));
	elect_keys_report(bench.e, &table);
	assert_row(1, 8, 0);
	assert_int_equal(table.lags_count, ELECT_KEY_LAGS);
}

static void adding_a_key_is_always_allowed(void **state)
{
	(void)state;
	bench_down();
	assert_int_equal(step(0, 1), ELECT_KEYS_FREE);
	assert_int_equal(step(1, 0), ELECT_KEYS_UNKNOWN);
	assert_int_equal(step(1, none), ELECT_KEYS_UNKNOWN);
	assert_false(elect_keys_report(bench.e, &table));
	assert_row(0, 0, 1);
}

static void a_lone_host_may_take_every_step(void **state)
{
	(void)state;
	bench_alone();
	assert_int_equal(step(1, none), ELECT_KEYS_FREE);
}

static void the_last_sender_of_a_key_may_drop_it_at_once(void **state)
{
	struct elect_keys after = keys(1, 0);

	(void)state;
	bench_leading(OTHERS);
	rekeyed(keys(0, 1));
	for (unsigned n = 1; n <= OTHERS; n++)
		says(n, &after);
	assert_int_equal(step(1, none), ELECT_KEYS_FREE);
}

static const unsigned others[] = { 60, 1 };

static void a_member_uses_the_table_of_its_coordinator(void **state)
{
	struct elect_msg *m;

	(void)state;
	bench_member_of(70, 5, others, 2);
	assert_int_equal(step(1, 0), ELECT_KEYS_UNKNOWN);
	rekeyed(keys(0, 1));
	m = bench_beacon(70);
	m->key_table.rows_count = 2;
	m->key_table.rows[0] = (struct elect_key_row){ key(0), 0, 4 };
	m->key_table.rows[1] = (struct elect_key_row){ key(1), 2, 0 };
	m->key_table.lags_count = 2;
	m->key_table.lags[0] = (struct elect_key_lag){ bench_id(BENCH_SELF), 1, false };
	m->key_table.lags[1] = (struct elect_key_lag){ bench_id(60), 1, false };
	bench_receive();
	assert_int_equal(step(1, 0), ELECT_KEYS_NOT_ACCEPTED);
	assert_int_equal(refusal.hosts, 1); /* this host accepts it by now */
	bench_assert_id(&refusal.named[0], 60);
	m->key_table.rows[1].lacking = 0;
	m->key_table.lags_count = 0;
	bench_receive();
	assert_int_equal(step(1, 0), ELECT_KEYS_FREE);
	assert_int_equal(step(1, none), ELECT_KEYS_STILL_SENT);
}

static void a_beacon_without_a_table_reports_one_key(void **state)
{
	(void)state;
	bench_member_of(70, 5, others, 2);
	bench_hears(bench_beacon(70));
	assert_true(elect_keys_report(bench.e, &table));
	assert_int_equal(table.rows_count, 1);
	assert_row(0, 0, 4);
	assert_int_equal(step(1, 0), ELECT_KEYS_NOT_ACCEPTED);
	assert_int_equal(refusal.hosts, 3);
}

static void a_table_from_before_a_newcomer_is_not_enough(void **state)
{
	static struct roster list;
	const unsigned more[] = { 60, 1, 2 };

	(void)state;
	bench_member_of(70, 5, others, 2);
	rekeyed(keys(1, 0));
	bench_beacon(70)->key_id = 1;
	bench_receive();
	assert_int_equal(step(1, none), ELECT_KEYS_FREE);
	bench_list(&list, 70, more, 3);
	bench_receive_list(&bench.e->group, 70, &list, 2);
	assert_int_equal(bench.e->up.count, 5);
	assert_int_equal(step(1, none), ELECT_KEYS_UNKNOWN);
	bench_beacon(70)->key_id = 1;
	bench_receive();
	assert_int_equal(step(1, none), ELECT_KEYS_FREE);
}

/* The coordinator has dropped members. The ones that are still listed here may lack the key. */
static void a_table_for_a_list_that_has_not_arrived_is_not_enough(void **state)
{
	struct elect_msg *m;

	(void)state;
	bench_member_of(70, 5, others, 2);
	rekeyed(keys(1, 0));
	m = bench_beacon(70);
	m->key_id = 1;
	m->list_version++;
	m->standing.size = 2;
	bench_receive();
	assert_int_equal(bench.e->up.count, 4);
	assert_int_equal(step(1, none), ELECT_KEYS_UNKNOWN);
}

/* The hosts have more keys than the table holds, so a host may send one that is missing from it. */
static void a_full_table_does_not_allow_a_missing_key_to_be_dropped(void **state)
{
	struct elect_msg *m;

	(void)state;
	bench_member_of(70, 5, others, 2);
	rekeyed(keys(1, 0));
	m = bench_beacon(70);
	for (uint8_t i = 0; i < ELECT_KEY_ROWS_MAX; i++)
		m->key_table.rows[m->key_table.rows_count++] =
			(struct elect_key_row){ key((uint8_t)(1 + i)), 0, 0 };
	bench_receive();
	assert_int_equal(step(1, none), ELECT_KEYS_STILL_SENT);
	m->key_table.rows_count--;
	bench_receive();
	assert_int_equal(step(1, none), ELECT_KEYS_FREE);
}

static void the_table_of_a_coordinator_ends_with_its_group(void **state)
{
	struct elect_msg *m;

	(void)state;
	bench_member_of(70, 5, others, 2);
	m = bench_beacon(70);
	m->key_table.rows_count = 1;
	m->key_table.rows[0] = (struct elect_key_row){ key(0), 3, 2 };
	bench_receive();
	bench_hears(bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP));
	bench_for(5 * BENCH_BEACON_US);
	assert_true(group_coordinates(bench.e));
	assert_true(elect_keys_report(bench.e, &table));
	assert_int_equal(table.rows_count, 1);
	assert_row(0, 0, 1);
}

static void changed_keys_are_reported_at_once(void **state)
{
	(void)state;
	bench_leading(OTHERS);
	rekeyed(keys(0, 1));
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	bench_tear_down(state);
	set_up(state);
	bench_member_of(70, 5, others, 2);
	rekeyed(keys(0, 1));
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_int_equal(bench.sent[ELECT_AYTHERE].keys.count, 2);
	assert_int_equal(bench.sent[ELECT_AYTHERE].keys.list[1].id, 1);
}

static void members_proven_only_by_a_removed_key_leave_the_list_at_once(void **state)
{
	struct elect_session lost[] = { { bench_id(2), bench_session(2) }, { bench_id(3), 1 } };

	(void)state;
	bench_leading(OTHERS);
	rekeyed_losing(keys(1, none), lost, 2);
	assert_false(bench_listed(2));
	assert_true(bench_listed(3)); /* another session of host 3 */
	assert_int_equal(bench.e->up.count, OTHERS);
	bench_assert_because(ELECT_REASON_DROPPED, 2);
	assert_true(role_leads(bench.e));
}

/* One of the hosts that accepted its Invitation is lost, so its election would begin anew. */
static void a_leader_without_a_reserve_keeps_its_role_when_a_key_is_removed(void **state)
{
	struct elect_session lost = { bench_id(9), bench_session(9) };

	(void)state;
	bench_inviting(2, 9);
	bench.disk_off = true;
	bench.e->usable = bench.e->counter;
	rekeyed_losing(keys(1, none), &lost, 1);
	assert_true(role_leads(bench.e));
	assert_int_equal(bench.e->state, ELECT_ELECTION);
}

static void a_coordinator_proven_only_by_a_removed_key_is_left(void **state)
{
	struct elect_session lost = { bench_id(60), bench_session(60) };

	(void)state;
	bench_member_of(70, 5, others, 2);
	rekeyed_losing(keys(1, none), &lost, 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	lost = (struct elect_session){ bench_id(70), bench_session(70) };
	rekeyed_losing(keys(1, none), &lost, 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	bench_assert_because(ELECT_REASON_COORDINATOR_SILENT, 70);
}

static void an_inviter_proven_only_by_a_removed_key_is_left(void **state)
{
	struct elect_session lost = { bench_id(70), bench_session(70) };

	(void)state;
	bench_awaiting(70, 5);
	rekeyed_losing(keys(1, none), &lost, 1);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void an_election_that_a_lost_session_accepted_begins_anew(void **state)
{
	struct elect_session lost = { bench_id(70), bench_session(70) };
	struct elect_group g;

	(void)state;
	bench_inviting(2, 70);
	g = bench.e->group;
	rekeyed_losing(keys(1, none), &lost, 1);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_true(bench.e->group.counter > g.counter);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_single_common_key_is_not_reported),
		TEST(all_members_send_with_the_key_of_an_older_coordinator),
		TEST(a_brief_report_says_the_keys),
		TEST(hosts_that_lack_a_key_are_named),
		TEST(a_host_that_sends_another_key_is_named),
		TEST(an_accept_reports_keys),
		TEST(a_host_that_reports_one_key_has_the_key_that_it_seals_with),
		TEST(equal_key_numbers_are_not_one_key),
		TEST(a_large_group_names_four_hosts),
		TEST(adding_a_key_is_always_allowed),
		TEST(a_lone_host_may_take_every_step),
		TEST(the_last_sender_of_a_key_may_drop_it_at_once),
		TEST(a_member_uses_the_table_of_its_coordinator),
		TEST(a_beacon_without_a_table_reports_one_key),
		TEST(a_table_from_before_a_newcomer_is_not_enough),
		TEST(a_table_for_a_list_that_has_not_arrived_is_not_enough),
		TEST(a_full_table_does_not_allow_a_missing_key_to_be_dropped),
		TEST(the_table_of_a_coordinator_ends_with_its_group),
		TEST(changed_keys_are_reported_at_once),
		TEST(members_proven_only_by_a_removed_key_leave_the_list_at_once),
		TEST(a_leader_without_a_reserve_keeps_its_role_when_a_key_is_removed),
		TEST(a_coordinator_proven_only_by_a_removed_key_is_left),
		TEST(an_inviter_proven_only_by_a_removed_key_is_left),
		TEST(an_election_that_a_lost_session_accepted_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
