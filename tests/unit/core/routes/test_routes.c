/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_routes: by which ways a host is reached, after what was heard and answered.
 */
#include "core/routes/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000 };

static struct routes *r;
static uint64_t now_us;
static struct elect_ways ways;

static const struct elect_session peer = { { { 2 } }, 22 };

static int set_up(void **state)
{
	(void)state;
	r = malloc(sizeof(*r));
	assert_non_null(r);
	memset(r, 0xaa, sizeof(*r));
	routes_clear(r);
	r->beacon_us = BEACON_US;
	now_us = 1000000;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(r);
	return 0;
}

/* By that link, from the address of the peer on it. */
static struct elect_way way_by(uint32_t link)
{
	return (struct elect_way){
		{ .bytes = { 10, (uint8_t)link, 0, 2 }, .port = 7544, .family = 4 }, link
	};
}

static bool heard(uint32_t link)
{
	const struct elect_way way = way_by(link);

	return routes_heard(r, now_us, &peer, &way, false);
}

static bool answered(uint32_t link)
{
	const struct elect_way way = way_by(link);

	return routes_heard(r, now_us, &peer, &way, true);
}

static struct elect_transaction number(uint8_t n)
{
	return (struct elect_transaction){ { n } };
}

static void ask(uint32_t link, uint8_t n)
{
	const struct elect_way way = way_by(link);
	const struct elect_transaction t = number(n);

	routes_asked(r, &peer.id, &way, &t);
}

static void echo(uint32_t link, uint8_t n)
{
	const struct elect_way way = way_by(link);
	const struct elect_transaction t = number(n);

	routes_answered(r, now_us, &peer.id, &way, &t);
}

/* It is heard, and answers what it is asked there. */
static void lives(uint32_t link)
{
	if (heard(link)) {
		ask(link, 7);
		echo(link, 7);
	}
}

/* The links by which something goes to it, as bits. */
static unsigned links_to_peer(bool suspect)
{
	unsigned links = 0;

	routes_to(r, now_us, &peer.id, suspect, &ways);
	for (unsigned i = 0; i < ways.count; i++) {
		const struct elect_way expected = way_by(ways.items[i].link);

		assert_true(elect_address_equal(&ways.items[i].address, &expected.address));
		links |= 1u << ways.items[i].link;
	}
	return links;
}

/* Of one datagram after the other. */
static unsigned links_in_turn(unsigned count)
{
	unsigned links = 0;

	while (count-- > 0) {
		links |= links_to_peer(false);
		assert_int_equal(ways.count, 1);
	}
	return links;
}

/* Both ways have answered a question of their own. */
static void prove_two(void)
{
	answered(1);
	assert_int_equal(links_to_peer(false), 1 << 1);
	assert_true(heard(2));
	ask(2, 9);
	echo(2, 9);
}

/* ---- one way ----------------------------------------------------------------------------- */

static void who_was_never_heard_is_not_reached(void **state)
{
	(void)state;
	assert_int_equal(links_to_peer(false), 0);
	assert_int_equal(links_to_peer(true), 0);
	assert_null(routes_best(r, now_us, &peer.id));
	assert_int_equal(routes_session(r, now_us, &peer.id), 0);
}

static void one_way_is_used_whatever_happens_and_never_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		assert_false(heard(1));
		assert_int_equal(links_to_peer(false), 1 << 1);
		now_us += BEACON_US;
	}
	now_us += UINT64_C(3600000000);
	assert_int_equal(links_to_peer(false), 1 << 1);
	assert_int_equal(links_to_peer(true), 1 << 1);
}

static void another_session_is_another_process_elsewhere(void **state)
{
	const struct elect_session next = { peer.id, 23 };
	const struct elect_way way = way_by(2);

	(void)state;
	answered(1);
	routes_heard(r, now_us, &next, &way, false);
	assert_int_equal(routes_session(r, now_us, &peer.id), 23);
	assert_int_equal(links_to_peer(true), 1 << 2);
}

/* ---- hints ------------------------------------------------------------------------------- */

static void somebodys_word_counts_until_it_is_heard_itself(void **state)
{
	const struct elect_way one = way_by(1), two = way_by(2);

	(void)state;
	routes_hint(r, now_us, &peer, &one, false);
	assert_int_equal(links_to_peer(false), 1 << 1);
	routes_hint(r, now_us, &peer, &two, false);
	assert_int_equal(links_to_peer(true), 1 << 1);
	answered(2);
	assert_int_equal(links_to_peer(false), 1 << 2);
	now_us += (uint64_t)ROUTES_HINT_BEACONS * BEACON_US;
	routes_hint(r, now_us, &peer, &one, false);
	assert_int_equal(links_to_peer(true), 1 << 2);
}

static void what_is_only_heard_is_not_used_beside_a_way_that_answered_but_in_doubt(void **state)
{
	(void)state;
	answered(1);
	for (unsigned i = 0; i < 50; i++) {
		lives(1);
		heard(2);
		assert_int_equal(links_to_peer(false), 1 << 1);
		now_us += BEACON_US / 10;
	}
	assert_int_equal(links_to_peer(true), 1 << 1 | 1 << 2);
	now_us += 3 * BEACON_US; /* also when that falls silent */
	heard(2);
	assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
}

/* It has answered, but to what may have gone out by another link. */
static void the_first_way_is_asked_as_soon_as_there_is_another(void **state)
{
	(void)state;
	answered(1);
	links_to_peer(false);
	assert_false(heard(1));
	assert_true(heard(2));
	assert_true(heard(1));
	ask(1, 7);
	echo(1, 7);
	assert_false(heard(1));
}

/* Not even an answer, unless it is one to what was asked there. */
static void a_second_way_is_proven_by_an_answer_to_its_own_question_only(void **state)
{
	(void)state;
	answered(1);
	links_to_peer(false);
	assert_true(heard(2));
	ask(2, 9);
	answered(2);
	assert_int_equal(links_in_turn(4), 1 << 1);
	echo(1, 9); /* asked there, answered here */
	echo(2, 8);
	assert_int_equal(links_in_turn(4), 1 << 1);
	echo(2, 9);
	assert_int_equal(links_in_turn(4), 1 << 1 | 1 << 2);
}

/* ---- hints that are good for one datagram, and all ---------------------------------------- */

static void a_hint_elsewhere_is_used_once_until_it_answers(void **state)
{
	const struct elect_way one = way_by(1), two = way_by(2);

	(void)state;
	routes_hint(r, now_us, &peer, &one, true);
	assert_int_equal(links_to_peer(false), 1 << 1);
	assert_int_equal(links_to_peer(true), 0);
	now_us += (uint64_t)ROUTES_HINT_BEACONS * BEACON_US - 1;
	routes_hint(r, now_us, &peer, &one, true); /* the same word again */
	assert_int_equal(links_to_peer(true), 0);
	now_us += 1;
	routes_hint(r, now_us, &peer, &one, true);
	assert_int_equal(links_to_peer(true), 1 << 1);
	heard(1);
	assert_int_equal(links_to_peer(true), 1 << 1);
	assert_int_equal(links_to_peer(true), 1 << 1);
	now_us += (uint64_t)ROUTES_HINT_BEACONS *
		BEACON_US; /* who was heard is not moved by a word */
	routes_hint(r, now_us, &peer, &two, true);
	assert_int_equal(links_to_peer(true), 1 << 1);
}

static const struct elect_id *listed; /* whoever is on the list */

static bool is_listed(const void *user, const struct elect_id *id)
{
	assert_ptr_equal(user, r);
	return listed && elect_id_equal(id, listed);
}

static unsigned to_all(bool apart)
{
	struct elect_way all[8];

	return routes_to_all(r, now_us, apart, is_listed, r, all, 8);
}

static void all_are_told_by_every_way_that_answers(void **state)
{
	const struct elect_session other = { { { 3 } }, 33 };
	const struct elect_way way = way_by(5);

	(void)state;
	listed = NULL;
	assert_int_equal(to_all(false), 0);
	prove_two();
	assert_int_equal(to_all(false), 2);
	routes_heard(r, now_us, &other, &way, true);
	assert_int_equal(to_all(false), 3);
}

/* One datagram would do for whoever wants a thousand sent there. */
static void nothing_to_all_goes_by_a_hint(void **state)
{
	uint64_t before;

	(void)state;
	listed = NULL;
	answered(1);
	before = routes_changed(r, now_us, false);
	heard(2);
	assert_int_equal(to_all(false), 1);
	assert_true(routes_changed(r, now_us, false) == before);
	lives(2);
	assert_int_equal(to_all(false), 2);
	assert_false(routes_changed(r, now_us, false) == before);
}

static void who_has_not_answered_is_told_all_by_hints(void **state)
{
	(void)state;
	listed = NULL;
	heard(1);
	heard(2);
	assert_int_equal(to_all(false), 2);
}

static void who_is_heard_alone_is_told_alone(void **state)
{
	(void)state;
	listed = NULL;
	answered(1);
	assert_int_equal(to_all(true), 0);
	routes_to_all_came(r, now_us, &peer.id, false);
	assert_int_equal(to_all(true), 0);
	routes_to_all_came(r, now_us, &peer.id, true);
	assert_int_equal(to_all(true), 1);
	now_us += UINT64_C(86400000000);
	heard(1);
	assert_int_equal(to_all(true), 1);
}

/* For as long as it goes on, and not for good: that may have been an insider. */
static void who_is_heard_by_the_group_again_is_not_told_alone_meanwhile(void **state)
{
	uint64_t apart;

	(void)state;
	listed = NULL;
	answered(1);
	routes_to_all_came(r, now_us, &peer.id, true);
	apart = routes_changed(r, now_us, true);
	routes_to_all_came(r, now_us, &peer.id, false);
	assert_int_equal(to_all(true), 0);
	assert_false(routes_is_apart(r, now_us, &peer.id));
	assert_false(routes_changed(r, now_us, true) == apart); /* a will goes there, or not */
	now_us += (uint64_t)ROUTES_GROUP_BEACONS * BEACON_US;
	assert_int_equal(to_all(true), 1);
	assert_true(routes_is_apart(r, now_us, &peer.id));
	assert_true(routes_changed(r, now_us, true) == apart);
}

static unsigned told_in(uint64_t us)
{
	unsigned count = 0;

	for (uint64_t end = now_us + us; now_us < end; now_us += BEACON_US)
		count += to_all(false);
	return count;
}

static void nobody_was_silent_while_this_host_stood_still(void **state)
{
	struct elect_way_info before[ELECT_WAYS_MAX], after[ELECT_WAYS_MAX];

	(void)state;
	prove_two();
	assert_int_equal(routes_list(r, &peer.id, before), 2);
	now_us += 2 * ROUTES_GONE_US;
	routes_later(r, now_us, 2 * ROUTES_GONE_US);
	heard(1); /* the other way is not forgotten for that */
	assert_int_equal(routes_list(r, &peer.id, after), 2);
	assert_int_equal(after[1].heard_us, before[1].heard_us + 2 * ROUTES_GONE_US);
	assert_int_equal(after[1].state, before[1].state);
	assert_int_equal(routes_session(r, now_us, &peer.id), peer.session);
}

static void who_is_silent_is_told_now_and_then_and_then_no_more(void **state)
{
	(void)state;
	listed = NULL;
	answered(1);
	assert_int_equal(told_in(ROUTES_PROVEN_US), ROUTES_PROVEN_US / BEACON_US);
	now_us += BEACON_US;
	assert_int_equal(told_in(5 * ROUTES_PAUSE_US), 5 * ROUTES_TOLD_US / BEACON_US);
	now_us += ROUTES_GONE_US;
	assert_int_equal(told_in(ROUTES_PAUSE_US), 0);
	listed = &peer.id; /* a fellow member need not be heard */
	assert_int_equal(told_in(ROUTES_PAUSE_US), ROUTES_PAUSE_US / BEACON_US);
}

/* ---- several ways ------------------------------------------------------------------------ */

static void ways_that_lead_there_are_used_in_turn_and_in_doubt_all(void **state)
{
	(void)state;
	prove_two();
	assert_int_equal(links_in_turn(2), 1 << 1 | 1 << 2);
	assert_int_equal(links_to_peer(true), 1 << 1 | 1 << 2);
}

/* What comes in by a link no more may still go out by it. */
static void a_way_that_is_silent_for_two_beacons_is_used_beside_the_others(void **state)
{
	(void)state;
	prove_two();
	for (unsigned i = 0; i < 3; i++) {
		now_us += BEACON_US;
		heard(2);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
	heard(1);
	assert_int_equal(links_in_turn(2), 1 << 1 | 1 << 2);
}

/* What it did not answer says nothing any more: it may be the other direction that fails now. */
static void so_is_one_that_did_not_answer_before_it_fell_silent(void **state)
{
	(void)state;
	prove_two();
	for (unsigned i = 0; i < 300; i++) {
		now_us += BEACON_US;
		lives(1);
		heard(2);
		links_to_peer(false);
	}
	assert_int_equal(links_in_turn(4), 1 << 1);
	for (unsigned i = 0; i < 3; i++) {
		now_us += BEACON_US;
		lives(1);
	}
	assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
}

static void when_one_falls_silent_the_others_are_asked_once(void **state)
{
	(void)state;
	prove_two();
	for (unsigned i = 0; i < 20; i++) {
		now_us += BEACON_US;
		lives(1);
		lives(2);
		links_to_peer(false);
	}
	now_us += 3 * BEACON_US;
	assert_false(heard(2));
	links_to_peer(false);
	assert_true(heard(2));
	ask(2, 5);
	echo(2, 5);
	for (unsigned i = 0; i < 100; i++) {
		now_us += BEACON_US;
		assert_false(heard(2));
		links_to_peer(false);
	}
}

static void one_that_has_never_answered_is_not_used(void **state)
{
	(void)state;
	answered(1);
	heard(2);
	for (unsigned i = 0; i < 3; i++) {
		now_us += BEACON_US;
		lives(1);
	}
	assert_int_equal(links_in_turn(4), 1 << 1);
}

static enum routes_link down_is_one(const void *user, uint32_t link)
{
	(void)user;
	return link == 1 ? ROUTES_LINK_DOWN : ROUTES_LINK_UP;
}

static void nor_one_by_a_link_without_a_carrier(void **state)
{
	(void)state;
	prove_two();
	routes_follow_links(r, down_is_one, NULL);
	assert_int_equal(links_in_turn(4), 1 << 2);
}

static void when_all_are_silent_all_are_used(void **state)
{
	(void)state;
	prove_two();
	now_us += 3 * BEACON_US;
	assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
}

/* What comes in by a link need not come out by it. */
static void a_way_that_does_not_answer_is_left_and_asked_on_until_it_does(void **state)
{
	unsigned asked = 0;

	(void)state;
	prove_two();
	for (unsigned i = 0; i < 300; i++) {
		now_us += BEACON_US;
		if (heard(1)) {
			ask(1, 1);
			echo(1, 1);
		}
		if (heard(2))
			ask(2, (uint8_t)++asked);
		links_to_peer(false);
	}
	assert_int_equal(links_in_turn(4), 1 << 1);
	assert_true(asked > ROUTES_VAIN);
	assert_true(asked < 4 * ROUTES_VAIN);
	echo(2, (uint8_t)asked);
	assert_int_equal(links_in_turn(2), 1 << 1 | 1 << 2);
}

static void a_way_that_answers_is_asked_rarely(void **state)
{
	unsigned asked = 0;

	(void)state;
	prove_two();
	for (unsigned i = 0; i < 5 * 600; i++) { /* ten minutes */
		now_us += BEACON_US;
		heard(1);
		if (heard(2)) {
			ask(2, (uint8_t)++asked);
			echo(2, (uint8_t)asked);
		}
		links_to_peer(false);
	}
	assert_in_range(asked, 14, 15);
}

/* What went in vain by a way for long, and what answered by one before it fell silent, may not now.
 */
static void in_doubt_a_way_is_asked_soon_but_not_at_once_again(void **state)
{
	(void)state;
	prove_two();
	heard(1); /* is asked */
	for (unsigned i = 0; i < 20; i++) {
		now_us += BEACON_US;
		heard(2);
		links_to_peer(false);
	}
	assert_false(heard(2));
	links_to_peer(true);
	assert_true(heard(2));
	for (unsigned i = 0; i < 4 * ROUTES_SUSPECT_BEACONS; i++) {
		ask(2, 5);
		echo(2, 5);
		links_to_peer(true);
		now_us += BEACON_US;
		assert_int_equal(
			heard(2), i % ROUTES_SUSPECT_BEACONS == ROUTES_SUSPECT_BEACONS - 1);
	}
}

static void who_is_sent_nothing_is_asked_nothing(void **state)
{
	(void)state;
	answered(1);
	for (unsigned i = 0; i < 600; i++) {
		assert_false(heard(1));
		assert_false(heard(2));
		now_us += BEACON_US;
	}
}

static void a_host_that_has_moved_is_followed(void **state)
{
	(void)state;
	answered(1);
	links_to_peer(false);
	for (unsigned i = 0; i < 310; i++) {
		now_us += BEACON_US;
		if (heard(2)) {
			ask(2, 1);
			echo(2, 1);
		}
	}
	assert_int_equal(links_to_peer(true), 1 << 2);
}

/* A member says something to its coordinator every other beacon, by one link and then the other. */
static void what_people_are_told_does_not_change_from_one_way_to_the_other(void **state)
{
	(void)state;
	prove_two();
	for (unsigned i = 0; i < 50; i++) {
		lives(i % 2 + 1);
		links_to_peer(false);
		assert_int_equal(routes_told(r, now_us, &peer.id)->link, 1);
		now_us += BEACON_US * 5 / 2;
	}
	for (unsigned i = 0; i < 7; i++) {
		lives(2);
		now_us += BEACON_US * 5 / 2;
	}
	assert_int_equal(routes_told(r, now_us, &peer.id)->link, 2);
}

static void others_are_told_where_it_is_heard_now(void **state)
{
	(void)state;
	prove_two();
	assert_int_equal(routes_best(r, now_us, &peer.id)->link, 1);
	now_us += 3 * BEACON_US;
	heard(2);
	assert_int_equal(routes_best(r, now_us, &peer.id)->link, 2);
	heard(1);
	assert_int_equal(routes_best(r, now_us, &peer.id)->link, 1);
}

static void people_are_told_which_links_answer(void **state)
{
	struct elect_way_info list[ELECT_WAYS_MAX];

	(void)state;
	assert_int_equal(routes_list(r, &peer.id, list), 0);
	answered(1);
	links_to_peer(false);
	heard(2);
	assert_int_equal(routes_list(r, &peer.id, list), 2);
	assert_int_equal(list[0].way.link, 1);
	assert_int_equal(list[0].state, ELECT_WAY_ANSWERS);
	assert_int_equal(list[1].state, ELECT_WAY_HEARD);
	assert_int_equal(list[1].heard_us, now_us);
	for (unsigned i = 0; i < ROUTES_VAIN; i++) {
		now_us += BEACON_US;
		heard(2);
	}
	assert_int_equal(routes_list(r, &peer.id, list), 2);
	assert_int_equal(list[1].state, ELECT_WAY_UNANSWERED);
}

/* ---- limits ------------------------------------------------------------------------------ */

static void ways_that_lead_there_are_not_pushed_out(void **state)
{
	(void)state;
	prove_two();
	for (uint32_t link = 3; link < 200; link++) {
		heard(link);
		lives(1);
		lives(2);
	}
	assert_int_equal(links_in_turn(2), 1 << 1 | 1 << 2);
}

/* All LANs but one that the table has no room for. */
static void ways_that_are_all_silent_are_pushed_out(void **state)
{
	(void)state;
	prove_two();
	for (uint32_t link = 1; link <= ELECT_WAYS_MAX; link++)
		lives(link);
	lives(ELECT_WAYS_MAX + 1);
	assert_int_equal(links_to_peer(true) >> (ELECT_WAYS_MAX + 1), 0);
	now_us += 3 * BEACON_US;
	lives(ELECT_WAYS_MAX + 1);
	assert_int_equal(links_to_peer(true) >> (ELECT_WAYS_MAX + 1), 1);
}

/* Of links 1 and up. */
static enum routes_link state_of(const void *user, uint32_t link)
{
	return ((const enum routes_link *)user)[link - 1];
}

/* What is left where another one was counts for nothing. */
static void a_new_way_takes_no_others_place_while_there_is_room(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_GONE, ROUTES_LINK_UP, ROUTES_LINK_UP };

	(void)state;
	for (uint32_t link = 1; link <= 3; link++) {
		heard(link);
		now_us += 1000;
	}
	routes_follow_links(r, state_of, links);
	heard(4);
	assert_int_equal(links_to_peer(true), 1 << 2 | 1 << 3 | 1 << 4);
	assert_int_equal(ways.count, 3);
}

static void a_link_that_is_gone_is_no_way(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_GONE, ROUTES_LINK_UP };

	(void)state;
	prove_two();
	routes_follow_links(r, state_of, links);
	assert_int_equal(links_to_peer(true), 1 << 2);
}

static void a_link_without_a_carrier_is_left_at_once_and_asked_when_it_is_heard_again(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_UP, ROUTES_LINK_DOWN };

	(void)state;
	prove_two();
	heard(1);
	routes_follow_links(r, state_of, links);
	assert_int_equal(links_in_turn(4), 1 << 1);
	assert_true(heard(2));
	assert_int_equal(links_in_turn(4), 1 << 1 | 1 << 2);
}

/* What is said to it waits for nobody: as before, with one link. */
static void who_has_one_way_only_keeps_it_without_a_carrier(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_DOWN };

	(void)state;
	answered(1);
	routes_follow_links(r, state_of, links);
	assert_int_equal(links_to_peer(false), 1 << 1);
}

static void a_session_that_is_forgotten_is_nowhere(void **state)
{
	const struct elect_session other = { peer.id, 23 };

	(void)state;
	answered(1);
	routes_forget(r, &other);
	assert_int_equal(links_to_peer(false), 1 << 1);
	routes_forget(r, &peer);
	assert_int_equal(links_to_peer(true), 0);
}

static struct elect_session host_number(unsigned n)
{
	return (struct elect_session){ { { 1, (uint8_t)(n >> 8), (uint8_t)n } }, n + 1 };
}

static void the_host_silent_for_longest_makes_room(void **state)
{
	const struct elect_way way = way_by(1);
	struct elect_session who;

	(void)state;
	for (unsigned n = 0; n < ROUTES_HOSTS_MAX + 3; n++) {
		who = host_number(n * 7919 % 4096);
		now_us++;
		routes_heard(r, now_us, &who, &way, true);
	}
	for (unsigned n = 0; n < ROUTES_HOSTS_MAX + 3; n++) {
		who = host_number(n * 7919 % 4096);
		routes_to(r, now_us, &who.id, false, &ways);
		assert_int_equal(ways.count, n >= 3);
	}
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(who_was_never_heard_is_not_reached),
		test(one_way_is_used_whatever_happens_and_never_asked),
		test(another_session_is_another_process_elsewhere),
		test(somebodys_word_counts_until_it_is_heard_itself),
		test(what_is_only_heard_is_not_used_beside_a_way_that_answered_but_in_doubt),
		test(the_first_way_is_asked_as_soon_as_there_is_another),
		test(a_hint_elsewhere_is_used_once_until_it_answers),
		test(all_are_told_by_every_way_that_answers),
		test(nothing_to_all_goes_by_a_hint),
		test(who_has_not_answered_is_told_all_by_hints),
		test(who_is_heard_alone_is_told_alone),
		test(who_is_heard_by_the_group_again_is_not_told_alone_meanwhile),
		test(nobody_was_silent_while_this_host_stood_still),
		test(who_is_silent_is_told_now_and_then_and_then_no_more),
		test(a_second_way_is_proven_by_an_answer_to_its_own_question_only),
		test(ways_that_lead_there_are_used_in_turn_and_in_doubt_all),
		test(a_way_that_is_silent_for_two_beacons_is_used_beside_the_others),
		test(so_is_one_that_did_not_answer_before_it_fell_silent),
		test(when_one_falls_silent_the_others_are_asked_once),
		test(one_that_has_never_answered_is_not_used),
		test(nor_one_by_a_link_without_a_carrier),
		test(when_all_are_silent_all_are_used),
		test(a_way_that_does_not_answer_is_left_and_asked_on_until_it_does),
		test(a_way_that_answers_is_asked_rarely),
		test(in_doubt_a_way_is_asked_soon_but_not_at_once_again),
		test(who_is_sent_nothing_is_asked_nothing),
		test(a_host_that_has_moved_is_followed),
		test(what_people_are_told_does_not_change_from_one_way_to_the_other),
		test(others_are_told_where_it_is_heard_now),
		test(people_are_told_which_links_answer),
		test(ways_that_lead_there_are_not_pushed_out),
		test(ways_that_are_all_silent_are_pushed_out),
		test(a_new_way_takes_no_others_place_while_there_is_room),
		test(a_link_that_is_gone_is_no_way),
		test(a_link_without_a_carrier_is_left_at_once_and_asked_when_it_is_heard_again),
		test(who_has_one_way_only_keeps_it_without_a_carrier),
		test(a_session_that_is_forgotten_is_nowhere),
		test(the_host_silent_for_longest_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
