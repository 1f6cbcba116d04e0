/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths by which datagrams go to a host, after what was heard of it, from which hosts and by
 * which link. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static const struct elect_way second = { { .bytes = { 192, 0, 2, 2 }, .port = 7544, .family = 4 },
	2 };
static const struct elect_way local = {
	{ .bytes = { 0xfe, 0x80, [15] = 2 }, .port = 7544, .family = 6 }, 3
};

static struct host_datagram out;

static enum wire_verdict arrives(const struct datagram *d, const struct elect_way *by)
{
	now_us += 1000;
	return host_receive(host, now_us, by, d->bytes, d->size, &actions);
}

/* The same datagram, sealed for another link of its sender. */
static struct datagram again(const struct datagram *d, const struct elect_way *by)
{
	struct datagram copy = *d;

	trust_seal(&peer, copy.bytes, copy.size, &by->address);
	return copy;
}

static void hear_by_both(const struct elect_way *other)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello), copy = again(&d, other);

	assert_int_equal(arrives(&d, &way), WIRE_OK);
	assert_int_equal(arrives(&copy, other), WIRE_DUPLICATE);
}

static unsigned reached(const struct elect_id *id, bool suspect)
{
	const struct elect_send send = { .type = ELECT_AYTHERE, .to = *id, .suspect = suspect };
	unsigned bits = 0;

	host_compose(host, now_us, &send, 0, &out);
	assert_false(out.to_all);
	for (unsigned i = 0; i < out.ways.count; i++)
		bits |= 1u << out.ways.items[i].link;
	return bits;
}

/* Returns the links of its datagrams, which go by one link each. */
static unsigned used(const struct elect_id *id)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 4; i++) {
		bits |= reached(id, false);
		assert_int_equal(out.ways.count, 1);
	}
	return bits;
}

/* The last datagram caused a question by that path. Returns its transaction. */
static struct elect_transaction question_by(const struct elect_way *by)
{
	const struct elect_send *s = &actions.items[0].send;
	struct elect_msg m;

	assert_int_equal(actions.count, 1);
	assert_int_equal(s->type, ELECT_CHALLENGE);
	assert_int_equal(s->by.count, 1);
	assert_int_equal(s->by.items[0].link, by->link);
	host_compose(host, now_us, s, 0, &out);
	assert_int_equal(out.ways.count, 1);
	assert_int_equal(wire_decode(out.bytes, out.size, &m), 0);
	return m.transaction;
}

static struct datagram answer_to(const struct elect_transaction *t, const struct elect_way *by)
{
	const struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER, .transaction = *t };

	return make_at(&by->address, &m);
}

static void talk(void)
{
	prove_peer();
	assert_int_equal(reached(&two, false), 1 << 1);
}

static void an_unproven_host_is_sent_nothing(void **state)
{
	struct elect_msg hello = make_hello();

	(void)state;
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	assert_int_equal(reached(&two, true), 0);
}

static void a_host_is_reached_by_the_path_of_its_answer(void **state)
{
	(void)state;
	talk();
	assert_true(elect_address_equal(&out.ways.items[0].address, &path));
	assert_int_equal(reached(&two, true), 1 << 1);
}

static unsigned near(void)
{
	reached(&two, false);
	return out.near;
}

/* I6 */
static void the_neighbour_of_a_host_that_was_heard_is_confirmed(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	(void)state;
	talk();
	assert_int_equal(near(), 1);
	now_us += ROUTES_FRESH_BEACONS * BEACON_US + 1;
	assert_int_equal(near(), 0);
	d = make(&hello);
	assert_int_equal(arrives(&d, &way), WIRE_OK);
	assert_int_equal(near(), 1);
}

/* By the second link only copies came. */
static void a_copy_confirms_no_neighbour(void **state)
{
	(void)state;
	talk();
	hear_by_both(&second);
	assert_int_equal(near(), 1);
	host_set_links(host, links + 1, 2);
	assert_int_equal(reached(&two, false), 1 << 2);
	assert_int_equal(out.near, 0);
}

/* A list names its session, so datagrams may go to it. */
static void an_unverified_session_confirms_no_neighbour(void **state)
{
	struct elect_msg hello = make_hello();

	(void)state;
	trust_vouch(host_trust(host), now_us, &(struct elect_session){ two, 22 }, 1, 0);
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	assert_int_equal(reached(&two, false), 1 << 1);
	assert_int_equal(out.near, 0);
}

static void an_unproven_datagram_moves_no_path(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d;

	(void)state;
	talk();
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	d = make_at(&second.address, &hello);
	assert_int_equal(arrives(&d, &second), WIRE_UNPROVEN);
	assert_int_equal(reached(&two, true), 1 << 1);
}

static void a_new_session_is_reached_by_the_path_of_its_answer(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };
	struct datagram d;

	(void)state;
	talk();
	now_us += 2 * TRUST_SILENT_US;
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	trust_request(host_trust(host), now_us, &m.transaction);
	d = make_at(&second.address, &m);
	assert_int_equal(arrives(&d, &second), WIRE_OK);
	assert_int_equal(reached(&two, true), 1 << 2);
}

static void a_copy_by_another_link_is_challenged_there_and_adds_a_path(void **state)
{
	struct elect_transaction t;
	struct datagram d;

	(void)state;
	talk();
	hear_by_both(&second);
	assert_int_equal(fake.steps, 3);
	assert_int_equal(used(&two), 1 << 1);
	hear_by_both(&second);
	assert_int_equal(actions.count, 0);
	now_us += BEACON_US;
	hear_by_both(&second);
	t = question_by(&second);
	d = answer_to(&t, &second);
	assert_int_equal(arrives(&d, &second), WIRE_OK);
	assert_int_equal(used(&two), 1 << 1 | 1 << 2);
}

/* The answer comes by both links, and by the other one first. */
static void a_copy_of_the_answer_counts_for_the_path_of_the_question(void **state)
{
	struct elect_transaction t;
	struct datagram d, copy;

	(void)state;
	talk();
	hear_by_both(&second);
	t = question_by(&second);
	d = answer_to(&t, &way);
	copy = again(&d, &second);
	assert_int_equal(arrives(&d, &way), WIRE_OK);
	assert_int_equal(used(&two), 1 << 1);
	assert_int_equal(arrives(&copy, &second), WIRE_DUPLICATE);
	assert_int_equal(used(&two), 1 << 1 | 1 << 2);
}

/* An attacker carries recordings from one LAN to another, without their sender. */
static void recordings_replayed_on_another_lan_move_no_path(void **state)
{
	struct elect_way there = local;
	struct elect_msg hello = make_hello();
	unsigned questions = 0;

	(void)state;
	there.link = 4; /* a LAN that the peer is not on */
	prove_peer();
	for (unsigned i = 0; i < 5000; i++) {
		struct datagram d = make(&hello), copy = again(&d, &there);

		assert_int_equal(arrives(&d, &way), WIRE_OK);
		if (actions.count) {
			const struct elect_transaction t = question_by(&way);
			struct datagram answer = answer_to(&t, &way);

			assert_int_equal(arrives(&answer, &way), WIRE_OK);
		}
		assert_int_equal(arrives(&copy, &there), WIRE_DUPLICATE);
		questions += actions.count;
		for (unsigned a = 0; a < actions.count; a++)
			host_compose(host, now_us, &actions.items[a].send, 0, &out);
		assert_int_equal(reached(&two, false), 1 << 1);
	}
	assert_in_range(questions, 1, 10);
}

/* The source address is not on the LAN of the link, so the datagram was carried there. */
static void a_datagram_from_a_foreign_address_adds_no_path(void **state)
{
	const struct elect_way odd[] = {
		{ path, 2 },
		{ path, 3 },
		{ { { 0x20, 1, [15] = 2 }, 7544, 6 }, 3 },
	};
	struct elect_msg hello = make_hello();

	(void)state;
	talk();
	for (unsigned i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct datagram d = make_at(&odd[i].address, &hello);

		assert_int_equal(arrives(&d, &odd[i]), WIRE_OK);
		assert_int_equal(actions.count, 0);
		assert_int_equal(reached(&two, true), 1 << 1);
	}
}

/* A LAN may have more networks than a link of this host has addresses in. */
static void a_host_on_no_lan_of_ours_is_reached_where_it_answers(void **state)
{
	const struct elect_way odd = { { .bytes = { 198, 51, 100, 2 }, .port = 7544, .family = 4 },
		1 };
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };
	struct datagram d;

	(void)state;
	trust_request(host_trust(host), now_us, &m.transaction);
	d = make_at(&odd.address, &m);
	assert_int_equal(arrives(&d, &odd), WIRE_OK);
	assert_int_equal(reached(&two, false), 1 << 1);
	assert_true(elect_address_equal(&out.ways.items[0].address, &odd.address));
	assert_int_equal(out.near, 0); /* that neighbour would be a router */
}

/* The peer may not hear this host on the first link alone. */
static void an_unverified_peer_is_challenged_by_each_link_it_is_heard_by(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello), copy = again(&d, &second);
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	(void)state;
	fake.worth = ELECT_WORTH_ASKING;
	assert_int_equal(arrives(&d, &way), WIRE_UNPROVEN);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.by.count, 1);
	assert_int_equal(arrives(&copy, &second), WIRE_UNPROVEN);
	assert_int_equal(actions.count, 0);
	now_us += BEACON_US;
	d = make(&hello);
	assert_int_equal(arrives(&d, &way), WIRE_UNPROVEN);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.by.count, 2);
	host_compose(host, now_us, &actions.items[0].send, 0, &out);
	assert_int_equal(out.ways.count, 2);
	tick.now_us = now_us;
	host_step(host, &tick, &actions);
	assert_int_equal(actions.count, 0);
}

/* A9: the Challenge used to wait until another event woke the host. */
static void a_copy_does_not_delay_a_waiting_challenge(void **state)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };
	struct elect_id three = { .bytes = { 3 } };
	struct elect_msg hello = make_hello();
	struct datagram d, copy;
	struct trust known;
	uint64_t due_us;

	(void)state;
	challenge_peer();
	d = make(&hello);
	copy = again(&d, &second);
	assert_int_equal(arrives(&d, &way), WIRE_OK);
	known = peer;
	trust_init(&peer, "lan", NULL, &three, 33, 33);
	fake.worth = ELECT_WORTH_ASKING;
	fake.within_us = 400;
	do {
		now_us += BEACON_US;
		tick.now_us = now_us;
		host_step(host, &tick, &actions);
		assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	} while (actions.count);
	due_us = actions.wake_us;
	assert_in_range(due_us, now_us + 1, now_us + 400);
	peer = known;
	assert_int_equal(host_receive(host, now_us, &second, copy.bytes, copy.size, &actions),
		WIRE_DUPLICATE);
	assert_int_equal(actions.wake_us, due_us);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.wake_us, due_us);
	d.bytes[d.size - 1] ^= 1;
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_TAG_BAD);
	assert_int_equal(actions.wake_us, due_us);
}

static const struct elect_id three = { .bytes = { 3 } };

static void forwarded_from(const struct elect_address *address)
{
	struct elect_msg m = { .type = ELECT_INVITATION, .invite = ELECT_INVITE_MERGE };

	m.inviter.id = three;
	m.inviter.session = 33;
	m.inviter_at = *address;
	prove_peer();
	assert_int_equal(receive(&m), WIRE_OK);
}

static void an_unheard_inviter_is_reached_at_the_forwarded_address(void **state)
{
	const struct elect_address at = { .bytes = { 192, 0, 2, 3 }, .port = 7545, .family = 4 };

	(void)state;
	forwarded_from(&at);
	assert_int_equal(reached(&three, false), 1 << 2);
	assert_true(elect_address_equal(&out.ways.items[0].address, &at));
}

/* A link-local address is valid only on the LAN where it was heard. */
static void a_link_local_inviter_is_on_the_lan_of_the_forwarder(void **state)
{
	const struct elect_address at = { { 0xfe, 0x80, [15] = 3 }, 7545, 6 };
	struct elect_msg m = { .type = ELECT_INVITATION, .invite = ELECT_INVITE_MERGE };
	struct datagram d;

	(void)state;
	prove_peer();
	m.inviter.id = three;
	m.inviter.session = 33;
	m.inviter_at = at;
	d = make_at(&second.address, &m);
	assert_int_equal(arrives(&d, &second), WIRE_OK);
	assert_int_equal(reached(&three, false), 1 << 4);
	assert_true(elect_address_equal(&out.ways.items[0].address, &at));
}

static void a_heard_inviter_is_reached_at_its_own_address(void **state)
{
	const struct elect_address at = { .bytes = { 192, 0, 2, 3 }, .port = 7545, .family = 4 };
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	(void)state;
	trust_init(&peer, "lan", NULL, &three, 33, 33);
	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_OK);
	trust_init(&peer, "lan", NULL, &two, 22, 22);
	forwarded_from(&at);
	assert_int_equal(reached(&three, true), 1 << 1);
}

/* A report must not move another process of that host either. */
static void a_forwarded_address_does_not_move_a_heard_host(void **state)
{
	const struct elect_address at = { .bytes = { 192, 0, 2, 3 }, .port = 7545, .family = 4 };
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	(void)state;
	trust_init(&peer, "lan", NULL, &three, 34, 34);
	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_OK);
	trust_init(&peer, "lan", NULL, &two, 22, 22);
	forwarded_from(&at);
	assert_int_equal(reached(&three, true), 1 << 1);
}

static void a_forwarder_names_the_address_of_the_inviter(void **state)
{
	const struct elect_send send = { .type = ELECT_INVITATION, .forward = true };
	struct elect_msg m;

	(void)state;
	prove_peer();
	host_compose(host, now_us, &send, 0, &out);
	assert_int_equal(wire_decode(out.bytes, out.size, &m), 0);
	assert_true(elect_address_equal(&m.inviter_at, &path));
}

/* The datagram is only opened, because the same datagram may come by a family that is used. */
static void an_overheard_datagram_changes_nothing(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d, by_local;
	const struct elect_msg *m;

	(void)state;
	prove_peer();
	d = make(&hello);
	by_local = again(&d, &local);
	m = host_overhear(host, now_us, &local.address, by_local.bytes, by_local.size);
	assert_non_null(m);
	assert_true(elect_id_equal(&m->sender, &two));
	assert_null(host_overhear(host, now_us, &local.address, d.bytes, d.size));
	assert_int_equal(arrives(&d, &way), WIRE_OK);
	assert_int_equal(reached(&two, true), 1 << 1);
}

static void a_removed_link_is_no_path(void **state)
{
	(void)state;
	talk();
	host_set_links(host, links + 1, 2);
	assert_int_equal(reached(&two, true), 0);
}

static void a_link_without_a_carrier_is_left_at_once(void **state)
{
	struct host_link now[] = { links[0], links[1] };
	struct elect_transaction t;
	struct datagram d;

	(void)state;
	talk();
	hear_by_both(&second);
	t = question_by(&second);
	d = answer_to(&t, &second);
	assert_int_equal(arrives(&d, &second), WIRE_OK);
	assert_int_equal(used(&two), 1 << 1 | 1 << 2);
	now[0].carrier = false;
	host_set_links(host, now, 2);
	assert_int_equal(used(&two), 1 << 2);
}

static void all_paths_of_a_host_are_reported(void **state)
{
	struct elect_transaction t;
	struct elect_ways ways;
	struct datagram d;

	(void)state;
	talk();
	hear_by_both(&second);
	t = question_by(&second);
	d = answer_to(&t, &second);
	assert_int_equal(arrives(&d, &second), WIRE_OK);
	host_ways(host, now_us, &two, &ways);
	assert_int_equal(ways.count, 2);
}

static struct host_link link_of(uint32_t number, uint8_t family, uint32_t cable)
{
	return (struct host_link){
		.own = { .bytes = { family, (uint8_t)cable }, .port = 7544, .family = family },
		.prefix = 24,
		.number = number,
		.cable = cable,
		.carrier = true
	};
}

/* links.md, Two families: each LAN counts alone. */
static void a_datagram_by_one_family_is_sent_where_that_family_is_missing(void **state)
{
	struct host_link own[] = { link_of(1, 4, 7), link_of(2, 6, 7), link_of(3, 6, 8) };
	struct host_datagram d = { .to_all = true, .family = 4 };

	(void)state;
	host_set_links(host, own, 3);
	assert_false(host_spares(host, &d, 1));
	assert_true(host_spares(host, &d, 2));
	assert_false(host_spares(host, &d, 3));
	d.family = 6;
	assert_true(host_spares(host, &d, 1));
	assert_false(host_spares(host, &d, 2));
	d.family = 0;
	assert_false(host_spares(host, &d, 1));
	own[0].carrier = false;
	host_set_links(host, own, 3);
	d.family = 4;
	assert_false(host_spares(host, &d, 2));
}

/* By which families the peer hears this host, if it reports these numbers of addresses. */
static uint8_t heard_by(uint8_t ipv4, uint8_t ipv6)
{
	struct elect_msg m = {
		.type = ELECT_AYTHERE, .group = { two, 1 }, .hears = { ipv4, ipv6 }
	};
	struct datagram d = make(&m);

	assert_int_equal(arrives(&d, &way), WIRE_OK);
	return host_heard(host)->families;
}

static void a_family_is_enough_if_every_link_of_it_is_heard(void **state)
{
	struct host_link own[] = { link_of(1, 4, 7), link_of(2, 6, 7), link_of(3, 4, 8),
		link_of(4, 6, 9) };

	(void)state;
	talk();
	host_set_links(host, own, 2);
	assert_int_equal(heard_by(0, 0), 0);
	assert_int_equal(heard_by(1, 0), ELECT_BY_IPV4);
	assert_int_equal(heard_by(1, 1), ELECT_BY_IPV4 | ELECT_BY_IPV6);
	host_set_links(host, own, 3);
	assert_int_equal(heard_by(1, 1), ELECT_BY_IPV6);
	assert_int_equal(heard_by(2, 0), ELECT_BY_IPV4);
	own[1].carrier = false;
	host_set_links(host, own, 2); /* nothing is left to spare */
	assert_int_equal(heard_by(1, 1), 0);
}

static void multicast_of_both_families_is_reported(void **state)
{
	const struct host_link own[] = { link_of(1, 4, 7), link_of(3, 6, 7) };
	const struct elect_send send = { .type = ELECT_AYTHERE, .to = two };
	struct elect_msg hello = make_hello(), m;
	struct datagram d, copy;

	(void)state;
	challenge_peer();
	host_set_links(host, own, 2);
	d = make_to_all(&hello);
	copy = again(&d, &local);
	now_us += 1000;
	host_receive_by_group(host, now_us, &way, d.bytes, d.size, &actions);
	host_receive_by_group(host, now_us, &local, copy.bytes, copy.size, &actions);
	host_compose(host, now_us, &send, 0, &out);
	assert_int_equal(wire_decode(out.bytes, out.size, &m), 0);
	assert_int_equal(m.hears.ipv4, 1);
	assert_int_equal(m.hears.ipv6, 1);
	host_set_links(host, own, 1); /* its coordinator need not ask for what nobody has */
	host_compose(host, now_us, &send, 0, &out);
	assert_int_equal(wire_decode(out.bytes, out.size, &m), 0);
	assert_int_equal(m.hears.ipv4, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_unproven_host_is_sent_nothing),
		T(a_host_is_reached_by_the_path_of_its_answer),
		T(the_neighbour_of_a_host_that_was_heard_is_confirmed),
		T(a_copy_confirms_no_neighbour),
		T(an_unverified_session_confirms_no_neighbour),
		T(an_unproven_datagram_moves_no_path),
		T(a_new_session_is_reached_by_the_path_of_its_answer),
		T(a_copy_by_another_link_is_challenged_there_and_adds_a_path),
		T(a_copy_of_the_answer_counts_for_the_path_of_the_question),
		T(recordings_replayed_on_another_lan_move_no_path),
		T(a_datagram_from_a_foreign_address_adds_no_path),
		T(a_host_on_no_lan_of_ours_is_reached_where_it_answers),
		T(an_unverified_peer_is_challenged_by_each_link_it_is_heard_by),
		T(a_copy_does_not_delay_a_waiting_challenge),
		T(an_unheard_inviter_is_reached_at_the_forwarded_address),
		T(a_link_local_inviter_is_on_the_lan_of_the_forwarder),
		T(a_heard_inviter_is_reached_at_its_own_address),
		T(a_forwarded_address_does_not_move_a_heard_host),
		T(a_forwarder_names_the_address_of_the_inviter),
		T(an_overheard_datagram_changes_nothing),
		T(a_removed_link_is_no_path),
		T(a_link_without_a_carrier_is_left_at_once),
		T(all_paths_of_a_host_are_reported),
		T(a_datagram_by_one_family_is_sent_where_that_family_is_missing),
		T(a_family_is_enough_if_every_link_of_it_is_heard),
		T(multicast_of_both_families_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
