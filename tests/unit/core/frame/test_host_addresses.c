/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_host_addresses: which of the addresses that stand in messages reach the election. Linked as
 * test_host is.
 */
#include "core/frame/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

/* What the election gets to know of an inviter at that address; family 0: nothing. */
static struct elect_address told_of(const struct elect_address *address)
{
	struct elect_msg m = { .type = ELECT_INVITATION, .invite = ELECT_INVITE_MERGE };

	m.inviter.id.bytes[0] = 3;
	m.inviter.address = *address;
	prove_peer();
	assert_int_equal(receive(&m), WIRE_OK);
	return fake.event.message.inviter.address;
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
	const struct host_link links[] = {
		{ { .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 }, 24 },
		{ { .bytes = { 192, 0, 2, 9 }, .port = 7544, .family = 4 }, 31 },
	};

	(void)state;
	assert_false(handed_on(10, 0, 0, 7, 7544)); /* no LAN is known yet */
	host_set_links(host, links, 2);
	assert_true(handed_on(10, 0, 0, 7, 7544));
	assert_true(handed_on(192, 0, 2, 8, 7544));
	assert_true(handed_on(10, 0, 0, 1, 7545));  /* another instance on this host */
	assert_false(handed_on(10, 0, 0, 1, 7544)); /* this one */
	assert_false(handed_on(10, 0, 1, 7, 7544));
	assert_false(handed_on(198, 51, 100, 7, 7544));
	assert_false(handed_on(192, 0, 2, 10, 7544));
	assert_false(handed_on(10, 0, 0, 7, 0));
	assert_false(handed_on(10, 0, 0, 0, 7544));
	assert_false(handed_on(10, 0, 0, 255, 7544));
	assert_false(handed_on(127, 0, 0, 1, 7544));
	host_set_links(host, links, 0);
	assert_false(handed_on(10, 0, 0, 7, 7544));
}

/* However wide the LAN is said to be. */
static void addresses_of_no_host_are_never_handed_on(void **state)
{
	const struct host_link all = { { .bytes = { 10, 0, 0, 1 }, .family = 4 }, 0 };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_addresses_of_other_hosts_on_our_lans_are_handed_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			addresses_of_no_host_are_never_handed_on, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
