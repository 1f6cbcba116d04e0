/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a host sends beyond the group and its own LANs: to named peers, to hosts that were heard
 * from elsewhere, and, with a key from a file, to addresses that another host reports. Linked as
 * test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static const struct elect_id three = { .bytes = { 3 } };
static const struct elect_address far = { .bytes = { 198, 51, 100, 7 }, .port = 7544, .family = 4 };
static struct elect_way all[HOST_ALL_MAX];

static void name_a_peer(void)
{
	const struct host_reach reach = {
		.named = {
			.count = 1,
			.port_first = 7544,
			.port_last = 7575,
			.list = { { .address = { .bytes = { 10, 0, 0, 2 }, .family = 4 }, .link = 1 } },
		},
	};

	host_set_reach(host, &reach);
}

static void take_key(void)
{
	static const struct ring_file file = { 1, { { 7, { 's', 'e', 'c', 'r', 'e', 't' } } } };
	struct ring ring;

	assert_int_equal(ring_make(&ring, RING_ENFORCE, "lan", &file), 0);
	host_set_keys(host, now_us, &ring, &actions);
	trust_init(&peer, "lan", &ring, &two, 22, 22);
}

/* The peer, whose session is verified, reports the address of host three. */
static void be_told_of(const struct elect_address *at)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER, .guide = { three, 33, *at } };

	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_OK);
}

static unsigned ways_to(const struct elect_id *id)
{
	const struct elect_send send = { .type = ELECT_AYTHERE, .to = *id, .suspect = true };
	static struct host_datagram out;

	host_compose(host, now_us, &send, 0, &out);
	return out.ways.count;
}

static void a_datagram_to_all_goes_to_each_host_and_peer_once(void **state)
{
	(void)state;
	assert_int_equal(host_to_all(host, now_us, all), 0);
	name_a_peer();
	assert_int_equal(host_to_all(host, now_us, all), 1);
	assert_int_equal(all[0].address.port, 7544);
	prove_peer();
	assert_int_equal(host_to_all(host, now_us, all), 1);
	assert_int_equal(host_peer_heard_us(host, 0), now_us);
}

static void without_named_peers_a_known_host_is_reached_by_the_group(void **state)
{
	(void)state;
	prove_peer();
	assert_int_equal(host_to_all(host, now_us, all), 0);
}

/* The peer, or an insider in its name, sends a datagram to all. */
static void peer_says_to_all(bool by_group)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make_to_all(&hello);

	assert_int_equal((by_group ? host_receive_by_group : host_receive)(
				 host, now_us, &way, d.bytes, d.size, &actions),
		WIRE_OK);
}

static void a_host_heard_by_unicast_is_sent_unicast(void **state)
{
	(void)state;
	challenge_peer();
	peer_says_to_all(true);
	assert_int_equal(host_to_all(host, now_us, all), 0);
	peer_says_to_all(false);
	assert_int_equal(host_to_all(host, now_us, all), 1);
	now_us += 1;
	peer_says_to_all(true);
	assert_int_equal(host_to_all(host, now_us, all), 0);
	peer_says_to_all(false);
	assert_int_equal(host_to_all(host, now_us, all), 1);
}

/* A follower sends nothing to all that could correct the forged one. */
static void forged_multicast_stops_beacons_to_a_remote_host_only_briefly(void **state)
{
	uint64_t forged_us;

	(void)state;
	challenge_peer();
	peer_says_to_all(false);
	for (unsigned i = 0; i < 40; i++) {
		now_us += BEACON_US / 4;
		peer_says_to_all(true);
		assert_int_equal(host_to_all(host, now_us, all), 0);
	}
	forged_us = now_us;
	now_us = forged_us + 2 * BEACON_US - 1;
	assert_int_equal(host_to_all(host, now_us, all), 0);
	now_us = forged_us + 2 * BEACON_US;
	assert_int_equal(host_to_all(host, now_us, all), 1);
	now_us += UINT64_C(30000000);
	assert_int_equal(host_to_all(host, now_us, all), 1);
}

static void a_new_session_is_sent_unicast_once_it_is_heard_by_unicast(void **state)
{
	(void)state;
	challenge_peer();
	peer_says_to_all(false);
	assert_int_equal(host_to_all(host, now_us, all), 1);
	now_us += 2 * TRUST_SILENT_US;
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	peer_incarnation = 2;
	challenge_peer();
	assert_int_equal(host_to_all(host, now_us, all), 0);
	peer_says_to_all(false);
	assert_int_equal(host_to_all(host, now_us, all), 1);
}

/* Also while the window is closed, when the datagram waits for a Challenge. */
static void a_host_whose_hello_comes_by_unicast_is_sent_unicast(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	d = make_to_all(&hello);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_UNPROVEN);
	assert_int_equal(host_to_all(host, now_us, all), 1);
	assert_true(elect_address_equal(&all[0].address, &path));
}

static void a_reported_address_on_our_lan_is_used_without_a_key(void **state)
{
	struct elect_address near = path;

	(void)state;
	near.bytes[3] = 9;
	be_told_of(&near);
	assert_int_equal(ways_to(&three), 1);
	assert_int_equal(ways_to(&three), 1);
}

static void a_reported_address_elsewhere_is_not_used_without_a_key(void **state)
{
	(void)state;
	name_a_peer();
	be_told_of(&far);
	assert_int_equal(ways_to(&three), 0);
}

static void a_reported_address_elsewhere_needs_named_peers_or_routers(void **state)
{
	(void)state;
	take_key();
	be_told_of(&far);
	assert_int_equal(ways_to(&three), 0);
}

static void a_reported_address_elsewhere_is_sent_one_datagram_with_a_key(void **state)
{
	(void)state;
	take_key();
	name_a_peer();
	be_told_of(&far);
	assert_int_equal(ways_to(&three), 1);
	assert_int_equal(ways_to(&three), 0);
	be_told_of(&far);
	assert_int_equal(ways_to(&three), 0);
}

static void addresses_of_no_host_are_never_sent_to(void **state)
{
	static const struct elect_address none[] = {
		{ { 0, 0, 0, 7 }, 7544, 4 },
		{ { 127, 0, 0, 1 }, 7544, 4 },
		{ { 224, 0, 0, 254 }, 7543, 4 },
		{ { 240, 0, 0, 1 }, 7544, 4 },
		{ { 255, 255, 255, 255 }, 7544, 4 },
		{ { 198, 51, 100, 7 }, 0, 4 },
		{ { 10, 0, 0, 1 }, 7544, 4 },
		{ { 0 }, 7544, 6 },
		{ { [15] = 1 }, 7544, 6 },
		{ { [10] = 0xff, 0xff, 10, 0, 0, 7 }, 7544, 6 },
		{ { 0xff, 2, [15] = 1 }, 7544, 6 },
	};

	(void)state;
	take_key();
	name_a_peer();
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		be_told_of(&none[i]);
		assert_int_equal(ways_to(&three), 0);
	}
}

static void a_host_heard_from_elsewhere_is_answered_there_with_routers(void **state)
{
	const struct host_reach routers = { .routers = true };
	const struct elect_way from = {
		{ .bytes = { 0x20, 0x01, 0x0d, 0xb8, [15] = 7 }, .port = 7544, .family = 6 }, 3
	};
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };
	struct datagram d;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		trust_request(host_trust(host), now_us, &m.transaction);
		d = make_at(&from.address, &m);
		assert_int_equal(
			host_receive(host, now_us, &from, d.bytes, d.size, &actions), WIRE_OK);
		assert_int_equal(ways_to(&two), i);
		host_set_reach(host, &routers);
	}
}

static void an_address_of_another_lan_of_ours_leads_nowhere(void **state)
{
	const struct elect_way from = { path, 2 };
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };
	struct datagram d;

	(void)state;
	name_a_peer();
	trust_request(host_trust(host), now_us, &m.transaction);
	d = make(&m);
	assert_int_equal(host_receive(host, now_us, &from, d.bytes, d.size, &actions), WIRE_OK);
	assert_int_equal(ways_to(&two), 0);
}

/* A Hello to all. Returns the number of redirects that it causes. */
static unsigned redirects_for_hello(bool by_group)
{
	struct elect_msg m = make_hello();
	struct wire_header h = { .key_id = trust_key_id(&peer),
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = true,
		.domain_hash = peer.domain_hash,
		.sequence = trust_sequence(&peer, true) };
	struct datagram d;
	unsigned count = 0;

	m.sender = peer.self;
	m.session = peer.session;
	m.incarnation = 1;
	d.size = wire_encode(&m, &h, d.bytes);
	trust_seal(&peer, d.bytes, d.size, &path);
	(by_group ? host_receive_by_group : host_receive)(
		host, now_us, &way, d.bytes, d.size, &actions);
	for (unsigned i = 0; i < actions.count; i++)
		count += actions.items[i].type == ELECT_ACTION_SEND &&
			actions.items[i].send.redirects;
	return count;
}

static void follow_three(void)
{
	struct elect_address near = path;

	near.bytes[3] = 9;
	be_told_of(&near);
	fake.view.state = ELECT_NORMAL;
	fake.view.group.coordinator = three;
}

static void a_hello_by_unicast_is_redirected_to_our_coordinator(void **state)
{
	const struct elect_send send = { .type = ELECT_CHALLENGE_ANSWER, .redirects = true };
	static struct host_datagram out;
	static struct elect_msg m;

	(void)state;
	assert_int_equal(redirects_for_hello(false), 0);
	follow_three();
	assert_int_equal(redirects_for_hello(false), 1);
	host_compose(host, now_us, &send, 0, &out);
	assert_int_equal(wire_decode(out.bytes, out.size, &m), 0);
	assert_true(elect_id_equal(&m.guide.id, &three));
	assert_int_equal(m.guide.session, 33);
	assert_int_equal(m.guide.at.bytes[3], 9);
}

static void a_redirect_is_sent_once_a_second(void **state)
{
	(void)state;
	follow_three();
	assert_int_equal(redirects_for_hello(false), 1);
	assert_int_equal(redirects_for_hello(false), 0);
	now_us += 999999;
	assert_int_equal(redirects_for_hello(false), 0);
	now_us += 1;
	assert_int_equal(redirects_for_hello(false), 1);
}

static void a_coordinator_sends_no_redirect(void **state)
{
	(void)state;
	follow_three();
	fake.view.group.coordinator = (struct elect_id){ { 1 } };
	assert_int_equal(redirects_for_hello(false), 0);
	fake.view.group.coordinator = two;
	assert_int_equal(redirects_for_hello(false), 0);
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		test(a_datagram_to_all_goes_to_each_host_and_peer_once),
		test(without_named_peers_a_known_host_is_reached_by_the_group),
		test(a_host_heard_by_unicast_is_sent_unicast),
		test(forged_multicast_stops_beacons_to_a_remote_host_only_briefly),
		test(a_new_session_is_sent_unicast_once_it_is_heard_by_unicast),
		test(a_host_whose_hello_comes_by_unicast_is_sent_unicast),
		test(a_reported_address_on_our_lan_is_used_without_a_key),
		test(a_reported_address_elsewhere_is_not_used_without_a_key),
		test(a_reported_address_elsewhere_needs_named_peers_or_routers),
		test(a_reported_address_elsewhere_is_sent_one_datagram_with_a_key),
		test(addresses_of_no_host_are_never_sent_to),
		test(a_host_heard_from_elsewhere_is_answered_there_with_routers),
		test(an_address_of_another_lan_of_ours_leads_nowhere),
		test(a_hello_by_unicast_is_redirected_to_our_coordinator),
		test(a_redirect_is_sent_once_a_second),
		test(a_coordinator_sends_no_redirect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
