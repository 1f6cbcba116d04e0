/* SPDX-License-Identifier: Apache-2.0 */
/* The address that this host announces, chosen from the addresses that it has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "node/address.h"

static const struct elect_address v4 = { .bytes = { 192, 0, 2, 1 }, .port = 7544, .family = 4 };
static const struct elect_address second4 = { .bytes = { 192, 0, 2, 2 }, .family = 4 };
static const struct elect_address ula = { .bytes = { 0xfd, 1 }, .family = 6 };
static const struct elect_address global = { .bytes = { 0x20, 1 }, .family = 6 };
static const struct elect_address local = { .bytes = { 0xfe, 0x80, [15] = 1 }, .family = 6 };
static const struct elect_address none;

static void assert_told(const struct elect_address *list, unsigned count,
	const struct elect_address *present, const struct elect_address *wanted)
{
	struct elect_address told = address_told(list, count, present);

	assert_int_equal(told.family, wanted->family);
	assert_int_equal(told.port, 0);
	assert_memory_equal(told.bytes, wanted->bytes, sizeof(told.bytes));
}

static void a_host_with_ipv4_only_announces_no_address(void **state)
{
	const struct elect_address list[] = { v4, second4 };

	(void)state;
	assert_told(list, 2, &none, &none);
	assert_told(list, 0, &none, &none);
}

static void a_host_with_both_families_announces_its_ipv4_address(void **state)
{
	const struct elect_address list[] = { local, global, v4 };

	(void)state;
	assert_told(list, 3, &none, &v4);
	assert_told(list, 3, &global, &v4);
}

static void a_host_with_ipv6_announces_no_link_local_address(void **state)
{
	const struct elect_address list[] = { local, ula, global };

	(void)state;
	assert_told(list, 3, &none, &ula);
	assert_told(list, 1, &none, &none);
}

static void an_announced_address_stays_while_the_host_has_it(void **state)
{
	const struct elect_address list[] = { local, ula, global }, both[] = { local, v4, second4 };
	struct elect_address before = v4;

	(void)state;
	assert_told(list, 3, &global, &global);
	assert_told(list, 2, &global, &ula);
	assert_told(both, 3, &second4, &second4);
	before.port = 0;
	assert_told(both, 3, &before, &v4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_with_ipv4_only_announces_no_address),
		cmocka_unit_test(a_host_with_both_families_announces_its_ipv4_address),
		cmocka_unit_test(a_host_with_ipv6_announces_no_link_local_address),
		cmocka_unit_test(an_announced_address_stays_while_the_host_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
