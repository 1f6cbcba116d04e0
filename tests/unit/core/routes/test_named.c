/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.c: which datagrams go to the addresses that the user has named, before and after they
 * answer.
 */
#include "core/routes/named.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000 };

static struct routes *r;
static struct named named;
static uint64_t now_us;
static struct elect_way ways[8];

static const struct elect_session peer = { { { 2 } }, 22 };

static int set_up(void **state)
{
	(void)state;
	r = malloc(sizeof(*r));
	assert_non_null(r);
	routes_clear(r);
	r->beacon_us = BEACON_US;
	now_us = 1000000;
	named = (struct named){
		.count = 1,
		.port_first = 7544,
		.port_last = 7575,
		.list = { { .address = { .bytes = { 10, 0, 0, 2 }, .family = 4 }, .link = 1 } },
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(r);
	return 0;
}

static void heard_at(uint16_t port)
{
	const struct elect_way way = { named.list[0].address, 1 };
	struct elect_way at = way;

	at.address.port = port;
	routes_heard(r, now_us, &peer, &at, true);
}

/* The port of the only datagram. 0: none is sent. */
static unsigned port_said(void)
{
	unsigned count = named_ways(&named, now_us, r, ways, 0, 8);

	assert_in_range(count, 0, 1);
	return count ? ways[0].address.port : 0;
}

static void every_other_datagram_goes_to_the_first_port(void **state)
{
	static const unsigned ports[] = { 7544, 7545, 7544, 7546, 7544, 7547, 7544, 7545 };

	(void)state;
	for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		assert_int_equal(port_said(), ports[i]);
}

static void a_named_or_only_port_is_used_always(void **state)
{
	(void)state;
	named.list[0].address.port = 9000;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(port_said(), 9000);
	named.list[0].address.port = 0;
	named.port_last = named.port_first;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(port_said(), 7544);
}

static void a_peer_that_answers_is_not_searched_until_it_is_silent(void **state)
{
	(void)state;
	heard_at(7546);
	assert_int_equal(port_said(), 0);
	now_us += ROUTES_SILENT_BEACONS * BEACON_US;
	assert_int_equal(port_said(), 0);
	now_us++;
	assert_int_equal(port_said(), 7544);
	assert_int_equal(named_heard_us(r, &named.list[0].address), 1000000);
}

/* Over IPv6 the peer sends from a link-local address, which is not the named one. */
static void a_peer_that_announces_the_address_is_not_searched(void **state)
{
	const struct elect_way local = {
		{ .bytes = { 0xfe, 0x80, [15] = 2 }, .port = 7544, .family = 6 }, 1
	};

	(void)state;
	routes_heard(r, now_us, &peer, &local, true);
	assert_int_equal(port_said(), 7544);
	routes_said(r, &peer.id, &named.list[0].address);
	assert_int_equal(port_said(), 0);
	assert_int_equal(named_heard_us(r, &named.list[0].address), now_us);
	routes_forget(r, &peer);
	assert_int_not_equal(port_said(), 0);
}

static void an_address_gets_each_datagram_once(void **state)
{
	(void)state;
	ways[0] = (struct elect_way){ named.list[0].address, 1 };
	ways[0].address.port = 7544;
	assert_int_equal(named_ways(&named, now_us, r, ways, 1, 8), 1);
	assert_int_equal(named_ways(&named, now_us, r, ways, 1, 8), 2);
	assert_int_equal(ways[1].address.port, 7545);
}

static void an_address_without_a_link_is_sent_nothing(void **state)
{
	(void)state;
	named.list[0].link = 0;
	assert_int_equal(port_said(), 0);
	named.list[0].link = 1;
	assert_int_equal(named_ways(&named, now_us, r, ways, 8, 8), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_other_datagram_goes_to_the_first_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_named_or_only_port_is_used_always, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_peer_that_answers_is_not_searched_until_it_is_silent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_peer_that_announces_the_address_is_not_searched, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_address_gets_each_datagram_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_address_without_a_link_is_sent_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
