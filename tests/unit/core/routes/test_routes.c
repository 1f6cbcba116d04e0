/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c: the paths by which a host is reached, after what was heard and answered.
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

/* The peer is heard by this link, and answers questions there. */
static void lives(uint32_t link)
{
	if (heard(link)) {
		ask(link, 7);
		echo(link, 7);
	}
}

/* The links of the paths to the peer, as bits. */
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

/* The links of `count` datagrams, each of which goes by one path. */
static unsigned links_in_turn(unsigned count)
{
	unsigned links = 0;

	while (count-- > 0) {
		links |= links_to_peer(false);
		assert_int_equal(ways.count, 1);
	}
	return links;
}

/* Both paths have answered a question of their own. */
static void prove_two(void)
{
	answered(1);
	assert_int_equal(links_to_peer(false), 1 << 1);
	assert_true(heard(2));
	ask(2, 9);
	echo(2, 9);
}

static void a_host_that_was_never_heard_is_not_reached(void **state)
{
	(void)state;
	assert_int_equal(links_to_peer(false), 0);
	assert_int_equal(links_to_peer(true), 0);
	assert_null(routes_best(r, now_us, &peer.id));
	assert_int_equal(routes_session(r, now_us, &peer.id), 0);
}

static void a_single_path_is_always_used_and_never_questioned(void **state)
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

static void another_session_has_paths_of_its_own(void **state)
{
	const struct elect_session next = { peer.id, 23 };
	const struct elect_way way = way_by(2);

	(void)state;
	answered(1);
	routes_heard(r, now_us, &next, &way, false);
	assert_int_equal(routes_session(r, now_us, &peer.id), 23);
	assert_int_equal(links_to_peer(true), 1 << 2);
}

static bool confirms(uint32_t link)
{
	const struct elect_way way = way_by(link);

	return routes_confirms(r, now_us, &peer.id, &way);
}

static void believe(uint32_t link)
{
	const struct elect_way way = way_by(link);

	answered(link);
	routes_believed(r, now_us, &peer.id, &way);
}

/* I6 */
static void a_neighbour_is_confirmed_by_what_was_believed_there_just_now(void **state)
{
	(void)state;
	assert_false(confirms(1));
	answered(1); /* perhaps a copy */
	assert_false(confirms(1));
	believe(1);
	assert_true(confirms(1));
	assert_false(confirms(2));
	now_us += ROUTES_FRESH_BEACONS * BEACON_US;
	assert_true(confirms(1));
	now_us++;
	assert_false(confirms(1));
}

/* I6: it may have another link-layer address, which the kernel finds only by asking. */
static void a_neighbour_that_may_not_hear_is_not_confirmed(void **state)
{
	(void)state;
	believe(1);
	routes_to(r, now_us, &peer.id, false, &ways);
	assert_true(confirms(1));
	routes_to(r, now_us, &peer.id, true, &ways);
	assert_false(confirms(1));
	now_us += ROUTES_PROVEN_US;
	believe(1);
	assert_false(confirms(1));
	now_us++;
	assert_true(confirms(1));
}

static void a_hint_counts_until_the_host_is_heard(void **state)
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

static void an_unanswered_path_is_used_only_under_suspicion(void **state)
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
	now_us += 3 * BEACON_US; /* also when that path falls silent */
	heard(2);
	assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
}

/* The path has answered, but possibly to a question that went by another link. */
static void the_first_path_is_questioned_once_there_is_another(void **state)
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

/* No answer counts for a path, except to a question that was sent by it. */
static void a_second_path_is_proven_by_an_answer_to_its_own_question(void **state)
{
	(void)state;
	answered(1);
	links_to_peer(false);
	assert_true(heard(2));
	ask(2, 9);
	answered(2);
	assert_int_equal(links_in_turn(4), 1 << 1);
	echo(1, 9); /* sent there, answered here */
	echo(2, 8);
	assert_int_equal(links_in_turn(4), 1 << 1);
	echo(2, 9);
	assert_int_equal(links_in_turn(4), 1 << 1 | 1 << 2);
}

static void a_hint_elsewhere_is_used_once_until_it_answers(void **state)
{
	const struct elect_way one = way_by(1), two = way_by(2);

	(void)state;
	routes_hint(r, now_us, &peer, &one, true);
	assert_int_equal(links_to_peer(false), 1 << 1);
	assert_int_equal(links_to_peer(true), 0);
	now_us += (uint64_t)ROUTES_HINT_BEACONS * BEACON_US - 1;
	routes_hint(r, now_us, &peer, &one, true); /* the same report again */
	assert_int_equal(links_to_peer(true), 0);
	now_us += 1;
	routes_hint(r, now_us, &peer, &one, true);
	assert_int_equal(links_to_peer(true), 1 << 1);
	heard(1);
	assert_int_equal(links_to_peer(true), 1 << 1);
	assert_int_equal(links_to_peer(true), 1 << 1);
	now_us += (uint64_t)ROUTES_HINT_BEACONS *
		BEACON_US; /* a report does not move a host that was heard */
	routes_hint(r, now_us, &peer, &two, true);
	assert_int_equal(links_to_peer(true), 1 << 1);
}

static const struct elect_id *listed; /* in the membership list */

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

static void a_datagram_to_all_uses_every_path_that_answers(void **state)
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

/* Otherwise one datagram would be enough to redirect a thousand. */
static void a_datagram_to_all_uses_no_hint(void **state)
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

static void a_host_that_has_not_answered_is_sent_all_by_hints(void **state)
{
	(void)state;
	listed = NULL;
	heard(1);
	heard(2);
	assert_int_equal(to_all(false), 2);
}

static void a_host_heard_by_unicast_is_sent_unicast(void **state)
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

/* A datagram by the group may be an insider's, so it counts only while others follow. */
static void a_host_heard_by_the_group_again_is_not_sent_unicast(void **state)
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

static void a_stall_is_not_silence_of_a_peer(void **state)
{
	struct elect_way_info before[ELECT_WAYS_MAX], after[ELECT_WAYS_MAX];

	(void)state;
	prove_two();
	assert_int_equal(routes_list(r, &peer.id, before), 2);
	now_us += 2 * ROUTES_GONE_US;
	routes_later(r, now_us, 2 * ROUTES_GONE_US);
	heard(1); /* the other path is not forgotten for that */
	assert_int_equal(routes_list(r, &peer.id, after), 2);
	assert_int_equal(after[1].heard_us, before[1].heard_us + 2 * ROUTES_GONE_US);
	assert_int_equal(after[1].state, before[1].state);
	assert_int_equal(routes_session(r, now_us, &peer.id), peer.session);
}

static void a_silent_host_is_sent_less_and_then_nothing(void **state)
{
	(void)state;
	listed = NULL;
	answered(1);
	assert_int_equal(told_in(ROUTES_PROVEN_US), ROUTES_PROVEN_US / BEACON_US);
	now_us += BEACON_US;
	assert_int_equal(told_in(5 * ROUTES_PAUSE_US), 5 * ROUTES_TOLD_US / BEACON_US);
	now_us += ROUTES_GONE_US;
	assert_int_equal(told_in(ROUTES_PAUSE_US), 0);
	listed = &peer.id; /* a member of the group need not be heard */
	assert_int_equal(told_in(ROUTES_PAUSE_US), ROUTES_PAUSE_US / BEACON_US);
}

static void answering_paths_alternate_and_are_all_used_under_suspicion(void **state)
{
	(void)state;
	prove_two();
	assert_int_equal(links_in_turn(2), 1 << 1 | 1 << 2);
	assert_int_equal(links_to_peer(true), 1 << 1 | 1 << 2);
}

/* A link that receives nothing may still send. */
static void a_path_silent_for_two_beacons_is_used_with_the_others(void **state)
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

/* The unanswered question proves nothing any more, because the other direction may fail now. */
static void an_unanswering_path_that_is_silent_is_used_with_the_others(void **state)
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

static void a_silent_path_causes_one_question_to_the_others(void **state)
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

static void a_path_that_has_never_answered_is_not_used(void **state)
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

static void a_path_by_a_link_without_a_carrier_is_not_used(void **state)
{
	(void)state;
	prove_two();
	routes_follow_links(r, down_is_one, NULL);
	assert_int_equal(links_in_turn(4), 1 << 2);
}

static void silent_paths_are_all_used_if_no_other_is_left(void **state)
{
	(void)state;
	prove_two();
	now_us += 3 * BEACON_US;
	assert_int_equal(links_to_peer(false), 1 << 1 | 1 << 2);
}

/* A link that receives may be unable to send. */
static void a_path_that_does_not_answer_is_left_and_still_questioned(void **state)
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

static void a_path_that_answers_is_questioned_rarely(void **state)
{
	unsigned asked = 0;

	(void)state;
	prove_two();
	for (unsigned i = 0; i < 5 * 600; i++) {
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

/* A path that failed for long, and one that answered before it fell silent, may both have
 * changed. */
static void a_path_under_suspicion_is_questioned_soon_but_not_repeatedly(void **state)
{
	(void)state;
	prove_two();
	heard(1); /* causes a question */
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

static void a_host_that_is_sent_nothing_is_not_questioned(void **state)
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

/* A member sends to its coordinator every other beacon, by alternating links. */
static void the_reported_path_does_not_alternate(void **state)
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

static void other_hosts_get_the_path_of_the_present(void **state)
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

static void the_list_shows_which_links_answer(void **state)
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

static void answering_paths_are_not_replaced(void **state)
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

/* All LANs, and one more that the table has no space for. */
static void silent_paths_are_replaced(void **state)
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

/* The states of the links from 1 on. */
static enum routes_link state_of(const void *user, uint32_t link)
{
	return ((const enum routes_link *)user)[link - 1];
}

/* A removed link's entry is free. */
static void a_new_path_replaces_no_other_while_there_is_space(void **state)
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

static void a_removed_link_is_no_path(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_GONE, ROUTES_LINK_UP };

	(void)state;
	prove_two();
	routes_follow_links(r, state_of, links);
	assert_int_equal(links_to_peer(true), 1 << 2);
}

static void a_link_without_a_carrier_is_left_until_it_is_heard_again(void **state)
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

/* A datagram has no other path, as on a host with one link. */
static void a_single_path_is_kept_without_a_carrier(void **state)
{
	const enum routes_link links[] = { ROUTES_LINK_DOWN };

	(void)state;
	answered(1);
	routes_follow_links(r, state_of, links);
	assert_int_equal(links_to_peer(false), 1 << 1);
}

static void a_forgotten_session_has_no_path(void **state)
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

static void the_longest_silent_host_is_replaced(void **state)
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

/* The path of the peer by IPv6. */
static const struct elect_way by_ipv6 = {
	{ .bytes = { 0xfe, 0x80, [15] = 2 }, .port = 7544, .family = 6 }, 5
};

static void ipv6_lives(void)
{
	const struct elect_transaction t = number(9);

	if (routes_heard(r, now_us, &peer, &by_ipv6, false)) {
		routes_asked(r, &peer.id, &by_ipv6, &t);
		routes_answered(r, now_us, &peer.id, &by_ipv6, &t);
	}
}

static unsigned links_used(void)
{
	unsigned links = 0;

	for (unsigned i = 0; i < 4; i++) {
		routes_to(r, now_us, &peer.id, false, &ways);
		for (unsigned at = 0; at < ways.count; at++)
			links |= 1u << ways.items[at].link;
	}
	return links;
}

static void paths_of_a_spared_family_are_not_used(void **state)
{
	(void)state;
	answered(1);
	links_used();
	ipv6_lives();
	lives(1);
	assert_int_equal(links_used(), 1 << 1 | 1 << 5);
	routes_spares(r, now_us, &peer.id, 4);
	assert_int_equal(links_used(), 1 << 1);
	for (unsigned i = 0; i < ROUTES_SPARED_BEACONS; i++) {
		now_us += BEACON_US;
		lives(1);
		routes_spares(r, now_us, &peer.id, 4);
		assert_int_equal(links_used(), 1 << 1);
	}
	now_us += BEACON_US;
	lives(1);
	assert_int_equal(links_used(), 1 << 1 | 1 << 5); /* it may be silent for another reason */
	routes_spares(r, now_us, &peer.id, 0);
	ipv6_lives();
	assert_int_equal(links_used(), 1 << 1 | 1 << 5);
}

/* The family in use falls silent at once. */
static void the_spared_family_is_used_if_the_other_is_silent(void **state)
{
	(void)state;
	answered(1);
	links_used();
	ipv6_lives();
	lives(1);
	routes_spares(r, now_us, &peer.id, 4);
	now_us += BEACON_US * ROUTES_FRESH_BEACONS + 1;
	assert_int_equal(links_used(), 1 << 1 | 1 << 5);
}

static void assert_hears(unsigned ipv4, unsigned ipv6)
{
	struct elect_hears hears = routes_hears(r, now_us, &peer.id);

	assert_int_equal(hears.ipv4, ipv4);
	assert_int_equal(hears.ipv6, ipv6);
}

static void multicast_is_counted_by_address(void **state)
{
	struct elect_way same = way_by(1), other = way_by(2);

	(void)state;
	same.link = 3;
	assert_hears(0, 0);
	heard(1);
	assert_hears(0, 0); /* that was unicast */
	routes_cast(r, now_us, &peer.id, &(struct elect_way){ same.address, 1 });
	assert_hears(1, 0);
	routes_heard(r, now_us, &peer, &same, false);
	routes_cast(r, now_us, &peer.id, &same);
	assert_hears(1, 0); /* another link hears the same address */
	routes_heard(r, now_us, &peer, &other, false);
	routes_cast(r, now_us, &peer.id, &other);
	routes_heard(r, now_us, &peer, &by_ipv6, false);
	routes_cast(r, now_us, &peer.id, &by_ipv6);
	assert_hears(2, 1);
	now_us += BEACON_US * ROUTES_HEARS_BEACONS;
	assert_hears(2, 1);
	now_us++;
	assert_hears(0, 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_host_that_was_never_heard_is_not_reached),
		test(a_single_path_is_always_used_and_never_questioned),
		test(another_session_has_paths_of_its_own),
		test(a_neighbour_is_confirmed_by_what_was_believed_there_just_now),
		test(a_neighbour_that_may_not_hear_is_not_confirmed),
		test(a_hint_counts_until_the_host_is_heard),
		test(an_unanswered_path_is_used_only_under_suspicion),
		test(the_first_path_is_questioned_once_there_is_another),
		test(a_hint_elsewhere_is_used_once_until_it_answers),
		test(a_datagram_to_all_uses_every_path_that_answers),
		test(a_datagram_to_all_uses_no_hint),
		test(a_host_that_has_not_answered_is_sent_all_by_hints),
		test(a_host_heard_by_unicast_is_sent_unicast),
		test(a_host_heard_by_the_group_again_is_not_sent_unicast),
		test(a_stall_is_not_silence_of_a_peer),
		test(a_silent_host_is_sent_less_and_then_nothing),
		test(a_second_path_is_proven_by_an_answer_to_its_own_question),
		test(answering_paths_alternate_and_are_all_used_under_suspicion),
		test(a_path_silent_for_two_beacons_is_used_with_the_others),
		test(an_unanswering_path_that_is_silent_is_used_with_the_others),
		test(a_silent_path_causes_one_question_to_the_others),
		test(a_path_that_has_never_answered_is_not_used),
		test(a_path_by_a_link_without_a_carrier_is_not_used),
		test(silent_paths_are_all_used_if_no_other_is_left),
		test(a_path_that_does_not_answer_is_left_and_still_questioned),
		test(a_path_that_answers_is_questioned_rarely),
		test(a_path_under_suspicion_is_questioned_soon_but_not_repeatedly),
		test(a_host_that_is_sent_nothing_is_not_questioned),
		test(a_host_that_has_moved_is_followed),
		test(the_reported_path_does_not_alternate),
		test(other_hosts_get_the_path_of_the_present),
		test(the_list_shows_which_links_answer),
		test(answering_paths_are_not_replaced),
		test(silent_paths_are_replaced),
		test(a_new_path_replaces_no_other_while_there_is_space),
		test(a_removed_link_is_no_path),
		test(a_link_without_a_carrier_is_left_until_it_is_heard_again),
		test(a_single_path_is_kept_without_a_carrier),
		test(a_forgotten_session_has_no_path),
		test(the_longest_silent_host_is_replaced),
		test(paths_of_a_spared_family_are_not_used),
		test(the_spared_family_is_used_if_the_other_is_silent),
		test(multicast_is_counted_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
