/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stranger: how often one that has not proven itself is challenged, when it is deaf, for how
 * long, and who makes room in a full table.
 */
#include "core/trust/stranger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000, SECOND_US = 1000000 };

static struct strangers table;
static uint64_t now_us;

static const struct elect_way way = { { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 }, 1 };
static const uint8_t bytes[3] = { 1, 2, 3 };

static int set_up(void **state)
{
	(void)state;
	now_us = 60 * SECOND_US;
	strangers_clear(&table);
	table.beacon_us = BEACON_US;
	return 0;
}

static struct elect_id make_id(unsigned n)
{
	return (struct elect_id){ .bytes = { [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

static struct elect_msg said_by(unsigned n, uint64_t session)
{
	return (struct elect_msg){ .sender = make_id(n), .session = session };
}

static int meet(unsigned n, uint64_t session)
{
	struct elect_msg m = said_by(n, session);

	return stranger_meet(&table, now_us, now_us, &m, &way, bytes, sizeof(bytes));
}

static bool ask(unsigned n, bool follow)
{
	int at = meet(n, 1);

	return at >= 0 && stranger_ask(&table, now_us, at, follow);
}

static bool deaf(unsigned n)
{
	struct elect_id id = make_id(n);
	int at = stranger_find(&table, &id, 1, 0);

	return at >= 0 && stranger_is_deaf(&table, now_us, at);
}

/* ---- by key ------------------------------------------------------------------------------ */

static void a_session_under_another_key_is_another_stranger(void **state)
{
	struct elect_msg m = said_by(7, 1);
	int plain = meet(7, 1), sealed;

	(void)state;
	m.key_id = 3;
	sealed = stranger_meet(&table, now_us, now_us, &m, &way, bytes, 1);
	assert_int_not_equal(plain, sealed);
	assert_int_equal(stranger_find(&table, &m.sender, 1, 3), sealed);
	assert_int_equal(stranger_find(&table, &m.sender, 1, 0), plain);
	strangers_forget_key(&table, 0);
	assert_int_equal(stranger_find(&table, &m.sender, 1, 0), -1);
	assert_true(stranger_find(&table, &m.sender, 1, 3) >= 0);
}

/* ---- how often --------------------------------------------------------------------------- */

static void one_challenge_a_beacon_and_one_more_to_follow(void **state)
{
	(void)state;
	assert_true(ask(1, false));
	assert_false(ask(1, false));
	assert_true(ask(1, true));
	assert_false(ask(1, true));
	now_us += BEACON_US - 1;
	assert_false(ask(1, true));
	now_us++;
	assert_true(ask(1, true));
	assert_true(ask(1, true)); /* the ordinary one */
	assert_false(ask(1, true));
}

/* Who is to be followed is asked again soon, for a datagram may be lost; nobody else is. */
static void the_second_one_comes_without_another_datagram(void **state)
{
	(void)state;
	assert_true(ask(1, false));
	assert_int_equal(stranger_next_us(&table), ELECT_NEVER);
	now_us += BEACON_US;
	assert_true(ask(1, true));
	assert_int_equal(stranger_next_us(&table), now_us + STRANGER_AGAIN_US);
	now_us += STRANGER_AGAIN_US;
	assert_true(stranger_ask(&table, now_us, stranger_due(&table, now_us), true));
	assert_int_equal(stranger_next_us(&table), ELECT_NEVER);
}

/* R2: a flood uses up one of the two kinds, not the other. */
static void fifty_a_second_in_all_of_either_kind(void **state)
{
	unsigned sent = 0;

	(void)state;
	for (unsigned i = 0; i < 10 * SECOND_US / 100; i++, now_us += 100)
		sent += ask(i, false);
	assert_in_range(sent, 10 * STRANGER_CHALLENGES_PER_S, 11 * STRANGER_CHALLENGES_PER_S + 1);
	assert_true(ask(40000, true));
	assert_false(ask(40001, false));
}

static void what_is_due_is_found_and_kept(void **state)
{
	struct elect_msg m = said_by(7, 1);
	int at;

	(void)state;
	assert_int_equal(stranger_next_us(&table), ELECT_NEVER);
	at = stranger_meet(&table, now_us, now_us + 50, &m, &way, bytes, 3);
	assert_int_equal(stranger_next_us(&table), now_us + 50);
	assert_int_equal(stranger_due(&table, now_us + 49), -1);
	assert_int_equal(stranger_due(&table, now_us + 50), at);
	stranger_meet(&table, now_us, now_us + 20, &m, &way, bytes, 2); /* the newest, sooner */
	assert_int_equal(stranger_next_us(&table), now_us + 20);
	assert_int_equal(table.kept[at].size, 2);
	assert_memory_equal(table.kept[at].bytes, bytes, 2);
	assert_int_equal(table.kept[at].ways.count, 1);
	assert_true(elect_address_equal(&table.kept[at].ways.items[0].address, &way.address));
	assert_true(stranger_ask(&table, now_us + 20, at, false));
	assert_int_equal(stranger_next_us(&table), ELECT_NEVER);
	stranger_forget(&table, at);
	assert_int_equal(stranger_find(&table, &m.sender, 1, 0), -1);
}

/* One a link, so that nobody is asked at many places because he says that he is there. */
static void it_is_known_by_the_last_way_of_each_link(void **state)
{
	struct elect_way other = way, next = way;
	struct elect_msg m = said_by(7, 1);
	const struct wire_header h = { .sender = m.sender, .session = 1 };
	int at = meet(7, 1);
	const struct elect_ways *ways = &table.kept[at].ways;

	(void)state;
	other.link++;
	next.address.bytes[3]++;
	stranger_again(&table, &h, &other);
	stranger_again(&table, &h, &next);
	assert_int_equal(ways->count, 2);
	assert_true(elect_address_equal(&ways->items[0].address, &next.address));
	assert_int_equal(ways->items[1].link, other.link);
	for (unsigned i = 0; i < 10; i++) {
		other.link++;
		stranger_again(&table, &h, &other);
	}
	assert_int_equal(ways->count, ELECT_WAYS_MAX);
	stranger_forget(&table, at);
	stranger_again(&table, &h, &other);
	at = meet(7, 1);
	assert_int_equal(table.kept[at].ways.count, 1);
}

/* ---- deaf -------------------------------------------------------------------------------- */

/* Until it is deaf; returns the time of the last Challenge. */
static uint64_t four_challenges(void)
{
	for (unsigned i = 0; i < STRANGER_CHALLENGES; i++) {
		if (i > 0)
			now_us += BEACON_US;
		assert_true(ask(1, true));
		assert_true(ask(1, true)); /* not counted: the same beacon */
		assert_false(deaf(1));
	}
	return now_us;
}

static void deaf_after_four_challenges_each_for_a_beacon(void **state)
{
	uint64_t last;

	(void)state;
	last = four_challenges();
	now_us = last + BEACON_US - 1;
	assert_false(deaf(1));
	now_us++;
	assert_true(deaf(1));
	now_us = last + BEACON_US + STRANGER_DEAF_US - 1;
	assert_true(deaf(1));
	now_us++;
	assert_false(deaf(1));
}

static void deaf_for_twice_as_long_each_time_up_to_a_minute(void **state)
{
	static const uint64_t seconds[] = { 2, 4, 8, 16, 32, 60, 60 };

	(void)state;
	for (unsigned i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		uint64_t from_us = four_challenges() + BEACON_US;

		now_us = from_us + seconds[i] * SECOND_US - 1;
		assert_true(deaf(1));
		now_us++;
		assert_false(deaf(1));
	}
}

static void whoever_proves_itself_begins_anew(void **state)
{
	struct elect_id id = make_id(1);

	(void)state;
	four_challenges();
	now_us += BEACON_US;
	assert_true(deaf(1));
	stranger_forget(&table, stranger_find(&table, &id, 1, 0));
	assert_false(deaf(1));
	four_challenges(); /* none of them finds it deaf */
}

/* Two that hear each other one way at a time would never meet else. */
static void a_deaf_one_may_ask_once_a_beacon(void **state)
{
	int at;

	(void)state;
	four_challenges();
	at = meet(1, 1);
	assert_true(stranger_may_speak(&table, now_us, at));
	stranger_spoke(&table, now_us, at);
	now_us += BEACON_US - 1;
	assert_false(stranger_may_speak(&table, now_us, at));
	now_us++;
	assert_true(stranger_may_speak(&table, now_us, at));
}

static void another_session_of_the_same_host_is_not_deaf(void **state)
{
	int at;

	(void)state;
	four_challenges();
	now_us += BEACON_US;
	at = meet(1, 2);
	assert_false(stranger_is_deaf(&table, now_us, at));
	assert_true(stranger_ask(&table, now_us, at, false));
}

/* ---- a full table ------------------------------------------------------------------------ */

static void the_one_asked_longest_ago_makes_room_but_no_exchange_under_way(void **state)
{
	struct elect_id first = make_id(0), second = make_id(1);

	(void)state;
	for (unsigned n = 0; n < STRANGERS_MAX; n++, now_us += 1000)
		assert_true(meet(n, 1) >= 0);
	now_us -= 1;
	assert_true(stranger_ask(&table, now_us, 0, false)); /* the oldest is asked again */
	assert_int_equal(meet(STRANGERS_MAX, 1), -1);
	now_us += BEACON_US - 1000 * STRANGERS_MAX + 1000 + 1;
	assert_true(meet(STRANGERS_MAX, 1) >= 0);
	assert_int_equal(stranger_find(&table, &second, 1, 0), -1);
	assert_true(stranger_find(&table, &first, 1, 0) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_session_under_another_key_is_another_stranger, set_up),
		cmocka_unit_test_setup(one_challenge_a_beacon_and_one_more_to_follow, set_up),
		cmocka_unit_test_setup(the_second_one_comes_without_another_datagram, set_up),
		cmocka_unit_test_setup(fifty_a_second_in_all_of_either_kind, set_up),
		cmocka_unit_test_setup(what_is_due_is_found_and_kept, set_up),
		cmocka_unit_test_setup(it_is_known_by_the_last_way_of_each_link, set_up),
		cmocka_unit_test_setup(deaf_after_four_challenges_each_for_a_beacon, set_up),
		cmocka_unit_test_setup(deaf_for_twice_as_long_each_time_up_to_a_minute, set_up),
		cmocka_unit_test_setup(whoever_proves_itself_begins_anew, set_up),
		cmocka_unit_test_setup(a_deaf_one_may_ask_once_a_beacon, set_up),
		cmocka_unit_test_setup(another_session_of_the_same_host_is_not_deaf, set_up),
		cmocka_unit_test_setup(
			the_one_asked_longest_ago_makes_room_but_no_exchange_under_way, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
