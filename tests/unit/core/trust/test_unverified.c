/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unverified.c: how often an unverified peer is challenged; when it is unresponsive, and for how
 * long; whose turn it is when there are too many Challenges in total; and which peer is replaced in
 * a full table.
 */
#include "core/trust/unverified.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000, SECOND_US = 1000000, NEWCOMER_US = 250000, NEWCOMER = 60001 };

static struct unverified table;
static uint64_t now_us;

static const struct elect_way way = { { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 }, 1 };
static const uint8_t bytes[3] = { 1, 2, 3 };

static int set_up(void **state)
{
	(void)state;
	now_us = 60 * SECOND_US;
	unverified_clear(&table, 7);
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

static int meet_msg(const struct elect_msg *m)
{
	return unverified_meet(&table, now_us, now_us, m, &way, bytes, sizeof(bytes));
}

static int meet(unsigned n, uint64_t session)
{
	struct elect_msg m = said_by(n, session);

	return meet_msg(&m);
}

static bool ask(unsigned n, enum unverified_whose whose)
{
	int at = meet(n, 1);

	return at >= 0 && unverified_ask(&table, now_us, at, whose);
}

static bool deaf_session(const struct elect_id *id, uint64_t session)
{
	int at = unverified_asked(&table, id, session, 0);

	return at >= 0 && unverified_is_unresponsive(&table, now_us, at);
}

static bool deaf(unsigned n)
{
	struct elect_id id = make_id(n);

	return deaf_session(&id, 1);
}

static void a_session_under_another_key_is_another_unverified_peer(void **state)
{
	struct elect_msg m = said_by(7, 1);
	int plain = meet(7, 1), sealed;

	(void)state;
	m.key_id = 3;
	sealed = unverified_meet(&table, now_us, now_us, &m, &way, bytes, 1);
	assert_int_not_equal(plain, sealed);
	assert_int_equal(unverified_find(&table, &m.sender, 1, 3), sealed);
	assert_int_equal(unverified_find(&table, &m.sender, 1, 0), plain);
	unverified_forget_key(&table, 0);
	assert_int_equal(unverified_find(&table, &m.sender, 1, 0), -1);
	assert_true(unverified_find(&table, &m.sender, 1, 3) >= 0);
}

static void a_peer_is_challenged_once_a_beacon_and_once_more_to_follow(void **state)
{
	(void)state;
	assert_true(ask(1, UNVERIFIED_OF_ANY));
	assert_false(ask(1, UNVERIFIED_OF_ANY));
	assert_true(ask(1, UNVERIFIED_LEADS));
	assert_false(ask(1, UNVERIFIED_LEADS));
	now_us += BEACON_US - 1;
	assert_false(ask(1, UNVERIFIED_LEADS));
	now_us++;
	assert_true(ask(1, UNVERIFIED_LEADS));
	assert_true(ask(1, UNVERIFIED_LEADS));
	assert_false(ask(1, UNVERIFIED_LEADS));
}

/* A peer that this host would follow is challenged again soon, because a datagram may be lost. No
 * other peer is. */
static void the_second_challenge_needs_no_other_datagram(void **state)
{
	(void)state;
	assert_true(ask(1, UNVERIFIED_OF_ANY));
	assert_int_equal(unverified_next_us(&table), ELECT_NEVER);
	now_us += BEACON_US;
	assert_true(ask(1, UNVERIFIED_LEADS));
	assert_int_equal(unverified_next_us(&table), now_us + UNVERIFIED_AGAIN_US);
	now_us += UNVERIFIED_AGAIN_US;
	assert_true(
		unverified_ask(&table, now_us, unverified_due(&table, now_us), UNVERIFIED_LEADS));
	assert_int_equal(unverified_next_us(&table), ELECT_NEVER);
}

/*
 * An inviter repeats its Invitation while a Challenge or its answer was lost. Only repeats cause
 * more Challenges, and only within an accept window, so a recording is no faster way to cause
 * Challenges.
 */
static void each_repeat_of_a_listed_peer_causes_a_challenge_for_a_while(void **state)
{
	const struct elect_id id = make_id(1);
	uint64_t first_us = now_us;

	(void)state;
	assert_true(ask(1, UNVERIFIED_LISTED));
	assert_true(ask(1, UNVERIFIED_LISTED));
	now_us += UNVERIFIED_AGAIN_US;
	assert_false(unverified_ask(
		&table, now_us, unverified_find(&table, &id, 1, 0), UNVERIFIED_LISTED));
	assert_false(ask(1, UNVERIFIED_LEADS));
	assert_true(ask(1, UNVERIFIED_LISTED));
	now_us += UNVERIFIED_AGAIN_US - 1;
	assert_false(ask(1, UNVERIFIED_LISTED));
	assert_int_equal(unverified_next_us(&table), now_us + 1);
	now_us = first_us + UNVERIFIED_REPEATS_US - 1;
	assert_true(ask(1, UNVERIFIED_LISTED));
	for (now_us++; now_us < first_us + BEACON_US; now_us++)
		assert_false(ask(1, UNVERIFIED_LISTED));
}

/* R2: a flood uses up only one of the two budgets, and the newest starts have a budget of their
 * own. */
static void each_budget_allows_fifty_challenges_a_second(void **state)
{
	unsigned sent = 0;

	(void)state;
	for (unsigned i = 0; i < 10 * SECOND_US / 100; i++, now_us += 100)
		sent += ask(i, UNVERIFIED_OF_ANY);
	assert_in_range(sent, UNVERIFIED_NEW_AT_ONCE + 20 * UNVERIFIED_CHALLENGES_PER_S,
		UNVERIFIED_NEW_AT_ONCE + 21 * UNVERIFIED_CHALLENGES_PER_S + 2);
	assert_true(ask(40000, UNVERIFIED_LEADS));
	assert_false(ask(40001, UNVERIFIED_OF_ANY));
}

/* The same holds for the budget of known sessions. */
static void a_flood_does_not_use_up_the_budget_of_known_sessions(void **state)
{
	unsigned sent = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++, now_us += 50)
		ask(i, i % 2);
	for (unsigned i = 0; i < 2000; i++)
		sent += unverified_pay(&table, now_us);
	assert_int_equal(sent, UNVERIFIED_CHALLENGES_PER_S);
}

static void a_due_peer_is_found_and_its_datagram_is_kept(void **state)
{
	struct elect_msg m = said_by(7, 1);
	int at;

	(void)state;
	assert_int_equal(unverified_next_us(&table), ELECT_NEVER);
	at = unverified_meet(&table, now_us, now_us + 50, &m, &way, bytes, 3);
	assert_int_equal(unverified_next_us(&table), now_us + 50);
	assert_int_equal(unverified_due(&table, now_us + 49), -1);
	assert_int_equal(unverified_due(&table, now_us + 50), at);
	unverified_meet(&table, now_us, now_us + 20, &m, &way, bytes, 2); /* newer, and sooner */
	assert_int_equal(unverified_next_us(&table), now_us + 20);
	assert_int_equal(table.kept[at].size, 2);
	assert_memory_equal(table.kept[at].bytes, bytes, 2);
	assert_int_equal(table.kept[at].ways.count, 1);
	assert_true(elect_address_equal(&table.kept[at].ways.items[0].address, &way.address));
	assert_true(unverified_ask(&table, now_us + 20, at, UNVERIFIED_OF_ANY));
	assert_int_equal(unverified_next_us(&table), ELECT_NEVER);
	unverified_forget(&table, &m.sender, 1, 0);
	assert_int_equal(unverified_find(&table, &m.sender, 1, 0), -1);
}

static void meet_by(const struct elect_way *by)
{
	const struct elect_msg m = said_by(7, 1);

	unverified_meet(&table, now_us, now_us, &m, by, bytes, sizeof(bytes));
}

/* Only one path per link: a peer that claims many addresses is challenged at a few. */
static void a_peer_is_known_by_the_last_path_of_each_link(void **state)
{
	struct elect_way other = way, next = way;
	struct elect_msg m = said_by(7, 1);
	int at = meet(7, 1);
	const struct elect_ways *ways = &table.kept[at].ways;

	(void)state;
	other.link++;
	next.address.bytes[3]++;
	meet_by(&other);
	meet_by(&next);
	assert_int_equal(ways->count, 2);
	assert_true(elect_address_equal(&ways->items[0].address, &next.address));
	assert_int_equal(ways->items[1].link, other.link);
	for (unsigned i = 0; i < 10; i++) {
		other.link++;
		meet_by(&other);
	}
	assert_int_equal(ways->count, ELECT_WAYS_MAX);
	unverified_forget(&table, &m.sender, 1, 0);
	at = meet(7, 1);
	assert_int_equal(table.kept[at].ways.count, 1);
}

/* The next beacon interval finds the peer unresponsive. Returns the time of the last Challenge. */
static uint64_t four_challenges(void)
{
	for (unsigned i = 0; i < UNRESPONSIVE_CHALLENGES; i++) {
		if (i > 0)
			now_us += BEACON_US;
		assert_true(ask(1, UNVERIFIED_LEADS));
		assert_true(ask(1, UNVERIFIED_LEADS)); /* same interval: not counted */
		assert_false(deaf(1));
	}
	return now_us;
}

static void a_peer_is_unresponsive_after_four_challenges(void **state)
{
	uint64_t last;

	(void)state;
	last = four_challenges();
	now_us = last + BEACON_US - 1;
	assert_false(deaf(1));
	now_us++;
	assert_true(deaf(1));
	now_us = last + BEACON_US + UNRESPONSIVE_US - 1;
	assert_true(deaf(1));
	now_us++;
	assert_false(deaf(1));
}

static void an_unresponsive_time_doubles_up_to_a_minute(void **state)
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

static void a_proof_resets_the_unresponsive_state(void **state)
{
	struct elect_id id = make_id(1);

	(void)state;
	four_challenges();
	now_us += BEACON_US;
	assert_true(deaf(1));
	unverified_forget(&table, &id, 1, 0);
	assert_false(deaf(1));
	four_challenges();
}

/* Otherwise two peers that each hear the other only at times would never meet. */
static void an_unresponsive_peer_may_ask_once_a_beacon(void **state)
{
	struct elect_id id = make_id(1);
	int at;

	(void)state;
	four_challenges();
	at = unverified_asked(&table, &id, 1, 0);
	assert_true(unverified_may_speak(&table, now_us, at));
	unverified_spoke(&table, now_us, at);
	now_us += BEACON_US - 1;
	assert_false(unverified_may_speak(&table, now_us, at));
	now_us++;
	assert_true(unverified_may_speak(&table, now_us, at));
}

static void another_session_of_the_same_host_is_responsive(void **state)
{
	struct elect_id id = make_id(1);

	(void)state;
	four_challenges();
	now_us += BEACON_US;
	assert_true(unverified_ask(&table, now_us, meet(1, 2), UNVERIFIED_OF_ANY));
	assert_false(
		unverified_is_unresponsive(&table, now_us, unverified_asked(&table, &id, 2, 0)));
	assert_true(deaf(1));
}

static void fill(void)
{
	for (unsigned n = 0; n < UNVERIFIED_MAX; n++, now_us += 100)
		assert_true(ask(n, UNVERIFIED_OF_ANY));
}

static bool has_place(unsigned n)
{
	struct elect_id id = make_id(n);

	return unverified_find(&table, &id, 1, 0) >= 0;
}

static void the_peer_asked_longest_ago_is_replaced_after_its_exchange(void **state)
{
	uint64_t begin_us = now_us;

	(void)state;
	fill();
	assert_int_equal(meet(UNVERIFIED_MAX, 1), -1);
	now_us = begin_us + UNVERIFIED_EXCHANGE_US;
	assert_true(meet(UNVERIFIED_MAX, 1) >= 0);
	assert_false(has_place(0));
	assert_true(has_place(1));
}

static void a_replaced_peer_returns_when_it_may_be_asked_again(void **state)
{
	(void)state;
	fill();
	now_us += UNVERIFIED_EXCHANGE_US;
	assert_true(meet(UNVERIFIED_MAX, 1) >= 0);
	assert_int_equal(meet(0, 1), -1);
	now_us += BEACON_US;
	assert_true(meet(0, 1) >= 0);
}

/* Challenges all peers that are due. Returns the last of them. */
static struct elect_id ask_all(void)
{
	struct elect_id last = { { 0 } };
	int at;

	while ((at = unverified_due(&table, now_us)) >= 0)
		if (unverified_ask(&table, now_us, at, UNVERIFIED_OF_ANY))
			last = table.list[at].who.id;
	return last;
}

/* Empties every budget for 10 ms. */
static void use_up(void)
{
	for (unsigned i = 0; i < UNVERIFIED_POOLS; i++)
		table.full_us[i] = now_us - 10000 +
			(i == UNVERIFIED_NEW ? UNVERIFIED_NEW_AT_ONCE * SECOND_US /
						UNVERIFIED_CHALLENGES_PER_S
					     : SECOND_US);
}

static void a_peer_without_budget_waits_and_is_then_asked(void **state)
{
	struct elect_id one = make_id(1), last;

	(void)state;
	use_up();
	assert_false(ask(1, UNVERIFIED_OF_ANY));
	assert_int_equal(unverified_next_us(&table), now_us + 10000);
	meet(1, 1);
	assert_int_equal(unverified_next_us(&table), now_us + 10000);
	now_us += 10000;
	last = ask_all();
	assert_memory_equal(&last, &one, sizeof(one));
}

static void a_peer_that_is_silent_for_two_beacons_stops_waiting(void **state)
{
	(void)state;
	use_up();
	assert_false(ask(1, UNVERIFIED_OF_ANY));
	now_us += UNVERIFIED_WAIT_BEACONS * BEACON_US + 1;
	ask_all();
	assert_int_equal(table.unresponsive.count, 0);
	assert_int_equal(unverified_next_us(&table), ELECT_NEVER);
}

/* The peers are met from the last to the first, and are due from the first to the last. */
static void the_peer_whose_turn_it_is_goes_first(void **state)
{
	struct elect_msg m[] = { said_by(1, 1), said_by(1, 2), said_by(1, 3), said_by(2, 1) };
	const struct elect_msg *turns[] = { &m[3], &m[1], &m[0], &m[2] };

	(void)state;
	m[0].incarnation = 5;
	m[1].incarnation = 6;
	m[2].incarnation = 4;
	assert_true(unverified_ask(&table, now_us, meet_msg(&m[0]), UNVERIFIED_OF_ANY));
	now_us += BEACON_US;
	for (unsigned i = 0; i < 4; i++)
		meet_msg(turns[3 - i]);
	for (unsigned i = 0; i < 4; i++) {
		int at = unverified_due(&table, now_us);

		assert_int_equal(
			at, unverified_find(&table, &turns[i]->sender, turns[i]->session, 0));
		table.list[at].due_us = ELECT_NEVER;
	}
}

/* Recordings of this many sessions of this many hosts. Each start of a host is above the one
 * before. */
struct recorded {
	unsigned sessions, hosts;
};

/* During a flood of 20 000 datagrams a second that began `flood_us` ago, `host` sends a datagram
 * each beacon interval. Returns how long it waits for a Challenge. */
static uint64_t asked_after_us(
	const struct recorded *r, uint64_t flood_us, unsigned host, uint64_t incarnation)
{
	struct elect_msg newcomer = said_by(host, NEWCOMER);
	uint64_t from_us = now_us + flood_us;
	struct rng chance = { 1 };

	newcomer.incarnation = incarnation;
	for (;; now_us += 50) {
		unsigned n = (unsigned)rng_below(&chance, r->sessions);
		struct elect_msg m = said_by(n % r->hosts, 1 + n);

		m.incarnation = 1 + n / r->hosts;
		if (!deaf_session(&m.sender, m.session))
			meet_msg(&m);
		if (now_us >= from_us && (now_us - from_us) % BEACON_US == 0)
			meet_msg(&newcomer);
		ask_all();
		if (unverified_asked(&table, &newcomer.sender, NEWCOMER, 0) >= 0)
			return now_us - from_us;
		assert_true(now_us < from_us + 600 * (uint64_t)SECOND_US);
	}
}

static const struct recorded recordings[] = { { 256, 1 }, { 256, 4 }, { 256, 256 }, { 10000, 1 },
	{ 10000, 4 } };

enum { RECORDINGS = sizeof(recordings) / sizeof(recordings[0]), SESSIONS_256 = 3 };

static uint64_t longest_us(void **state, const struct recorded *r, unsigned host, uint64_t start)
{
	static const uint64_t flood_us[] = { 7650, 53150, 1004050, 10 * SECOND_US + 1350 };
	uint64_t longest = 0;

	for (unsigned i = 0; i < sizeof(flood_us) / sizeof(flood_us[0]); i++) {
		uint64_t us;

		set_up(state);
		us = asked_after_us(r, flood_us[i], host, start);
		longest = us > longest ? us : longest;
	}
	return longest;
}

static void recordings_do_not_keep_a_newcomer_waiting(void **state)
{
	for (unsigned i = 0; i < RECORDINGS; i++)
		assert_true(longest_us(state, &recordings[i], 60000, 1) <= NEWCOMER_US);
}

static void recordings_of_its_former_starts_do_not_keep_a_host_waiting(void **state)
{
	for (unsigned i = 0; i < RECORDINGS; i++)
		assert_true(longest_us(state, &recordings[i], 0, 20000) <= NEWCOMER_US);
}

/* The start of a host that lost its state seems older than every recorded one, so each of them may
 * be challenged before it. */
static void a_host_that_lost_its_state_waits_until_each_recording_was_asked(void **state)
{
	for (unsigned i = 0; i < SESSIONS_256; i++)
		assert_true(longest_us(state, &recordings[i], 0, 0) <=
			256 * SECOND_US / UNVERIFIED_CHALLENGES_PER_S);
}

/* An insider sends 20 000 datagrams a second in the names of as many hosts, and stops. */
static void a_living_host_is_asked_three_beacons_after_a_flood(void **state)
{
	const struct elect_id living = make_id(60000);
	uint64_t end_us;
	unsigned n = 0;

	(void)state;
	for (end_us = now_us + 3 * SECOND_US; now_us < end_us; now_us += 50) {
		meet(n++ % 50000, 1);
		ask_all();
	}
	for (unsigned i = 0; i < 3 * BEACON_US / 50; i++, now_us += 50) {
		if (i * 50 % BEACON_US == 77 * 50)
			meet(60000, 1);
		ask_all();
	}
	assert_true(unverified_asked(&table, &living, 1, 0) >= 0);
}

/* A holder of the key claims to be that host, with a much later start. */
static void a_forged_start_far_above_bars_no_host(void **state)
{
	struct elect_msg forged = said_by(1, 9), m = said_by(1, 1);
	uint64_t end_us = now_us + 20 * (uint64_t)SECOND_US;

	(void)state;
	forged.incarnation = UINT64_MAX - 1;
	m.incarnation = 3;
	for (; now_us < end_us; now_us += 1000)
		if (!deaf_session(&forged.sender, forged.session)) {
			meet_msg(&forged);
			ask_all();
		}
	assert_true(unverified_ask(&table, now_us, meet_msg(&m), UNVERIFIED_OF_ANY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_session_under_another_key_is_another_unverified_peer, set_up),
		cmocka_unit_test_setup(
			a_peer_is_challenged_once_a_beacon_and_once_more_to_follow, set_up),
		cmocka_unit_test_setup(the_second_challenge_needs_no_other_datagram, set_up),
		cmocka_unit_test_setup(
			each_repeat_of_a_listed_peer_causes_a_challenge_for_a_while, set_up),
		cmocka_unit_test_setup(each_budget_allows_fifty_challenges_a_second, set_up),
		cmocka_unit_test_setup(
			a_flood_does_not_use_up_the_budget_of_known_sessions, set_up),
		cmocka_unit_test_setup(a_due_peer_is_found_and_its_datagram_is_kept, set_up),
		cmocka_unit_test_setup(a_peer_is_known_by_the_last_path_of_each_link, set_up),
		cmocka_unit_test_setup(a_peer_is_unresponsive_after_four_challenges, set_up),
		cmocka_unit_test_setup(an_unresponsive_time_doubles_up_to_a_minute, set_up),
		cmocka_unit_test_setup(a_proof_resets_the_unresponsive_state, set_up),
		cmocka_unit_test_setup(an_unresponsive_peer_may_ask_once_a_beacon, set_up),
		cmocka_unit_test_setup(another_session_of_the_same_host_is_responsive, set_up),
		cmocka_unit_test_setup(
			the_peer_asked_longest_ago_is_replaced_after_its_exchange, set_up),
		cmocka_unit_test_setup(a_replaced_peer_returns_when_it_may_be_asked_again, set_up),
		cmocka_unit_test_setup(a_peer_without_budget_waits_and_is_then_asked, set_up),
		cmocka_unit_test_setup(a_peer_that_is_silent_for_two_beacons_stops_waiting, set_up),
		cmocka_unit_test_setup(the_peer_whose_turn_it_is_goes_first, set_up),
		cmocka_unit_test_setup(recordings_do_not_keep_a_newcomer_waiting, set_up),
		cmocka_unit_test_setup(
			recordings_of_its_former_starts_do_not_keep_a_host_waiting, set_up),
		cmocka_unit_test_setup(
			a_host_that_lost_its_state_waits_until_each_recording_was_asked, set_up),
		cmocka_unit_test_setup(a_living_host_is_asked_three_beacons_after_a_flood, set_up),
		cmocka_unit_test_setup(a_forged_start_far_above_bars_no_host, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
