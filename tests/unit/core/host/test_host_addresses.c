/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which addresses in messages reach the election. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

/* Returns the address of an inviter that the election receives. Family 0: none. */
static struct elect_address told_of(const struct elect_address *address)
{
	struct elect_msg m = { .type = ELECT_INVITATION, .invite = ELECT_INVITE_MERGE };

	m.inviter.id.bytes[0] = 3;
	m.inviter_at = *address;
	prove_peer();
	assert_int_equal(receive(&m), WIRE_OK);
	return fake.event.message->inviter_at;
}

static bool handed_on(unsigned a, unsigned b, unsigned c, unsigned d, uint16_t port)
{
	const struct elect_address address = {
		.bytes = { (uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d },
		.port = port,
		.family = 4,
	};
	struct elect_address got = told_of(&address);

	assert_true(got.family == 0 || elect_address_equal(&got, &address));
	return got.family != 0;
}

static void only_addresses_of_other_hosts_on_our_lans_are_handed_on(void **state)
{
	const struct host_link lans[] = {
		{ { .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 }, 24, 1, 1, true },
		{ { .bytes = { 192, 0, 2, 9 }, .port = 7544, .family = 4 }, 31, 2, 2, true },
	};

	(void)state;
	host_set_links(host, lans, 0);
	assert_false(handed_on(10, 0, 0, 7, 7544)); /* no LAN is known yet */
	host_set_links(host, lans, 2);
	assert_true(handed_on(10, 0, 0, 7, 7544));
	assert_true(handed_on(192, 0, 2, 8, 7544));
	assert_true(handed_on(10, 0, 0, 1, 7545)); /* another instance on this host */
	assert_false(handed_on(10, 0, 0, 1, 7544));
	assert_false(handed_on(10, 0, 1, 7, 7544));
	assert_false(handed_on(198, 51, 100, 7, 7544));
	assert_false(handed_on(192, 0, 2, 10, 7544));
	assert_false(handed_on(10, 0, 0, 7, 0));
	assert_false(handed_on(10, 0, 0, 0, 7544));
	assert_false(handed_on(10, 0, 0, 255, 7544));
	assert_false(handed_on(127, 0, 0, 1, 7544));
	host_set_links(host, lans, 0);
	assert_false(handed_on(10, 0, 0, 7, 7544));
}

static void addresses_of_no_host_are_never_handed_on(void **state)
{
	const struct host_link all = { { .bytes = { 10, 0, 0, 1 }, .family = 4 }, 0, 1, 1, true };
	struct elect_address six = { .bytes = { 10, 0, 0, 7 }, .port = 7544, .family = 6 };

	(void)state;
	host_set_links(host, &all, 1);
	assert_true(handed_on(10, 0, 0, 7, 7544));
	assert_int_equal(told_of(&six).family, 0);
	assert_false(handed_on(0, 0, 0, 7, 7544));
	assert_false(handed_on(224, 0, 0, 254, 7543));
	assert_false(handed_on(239, 1, 1, 1, 7543));
	assert_false(handed_on(240, 0, 0, 1, 7543));
	assert_false(handed_on(255, 255, 255, 255, 7543));
}

static bool handed_on6(const char *text, uint16_t port)
{
	struct elect_address address = { .port = port, .family = 6 }, got;

	assert_int_equal(inet_pton(AF_INET6, text, address.bytes), 1);
	got = told_of(&address);
	assert_true(got.family == 0 || elect_address_equal(&got, &address));
	return got.family != 0;
}

static void only_ipv6_addresses_of_other_hosts_on_our_lans_are_handed_on(void **state)
{
	struct host_link lan = { { .port = 7544, .family = 6 }, 64, 1, 1, true };

	(void)state;
	inet_pton(AF_INET6, "fe80::1", lan.own.bytes);
	host_set_links(host, &lan, 1);
	assert_true(handed_on6("fe80::2", 7544));
	assert_true(handed_on6("fe80::1", 7545));
	assert_false(handed_on6("fe80::1", 7544));
	assert_false(handed_on6("fe80::2", 0));
	assert_false(handed_on6("2001:db8::2", 7544));
	inet_pton(AF_INET6, "2001:db8::1", lan.own.bytes);
	lan.prefix = 61;
	host_set_links(host, &lan, 1);
	assert_true(handed_on6("fe80::2", 7544)); /* every link has a link-local network */
	assert_true(handed_on6("2001:db8:0:7::2", 7544));
	assert_false(handed_on6("2001:db8:0:8::2", 7544));
	lan.prefix = 0;
	host_set_links(host, &lan, 1);
	assert_true(handed_on6("2001:db8:0:8::2", 7544));
	assert_false(handed_on6("ff02::114", 7543));
	assert_false(handed_on6("::", 7544));
	assert_false(handed_on6("::1", 7544));
	assert_false(handed_on6("::ffff:10.0.0.7", 7544));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_addresses_of_other_hosts_on_our_lans_are_handed_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			addresses_of_no_host_are_never_handed_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			only_ipv6_addresses_of_other_hosts_on_our_lans_are_handed_on, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
