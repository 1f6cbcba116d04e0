/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.c: the link of this host by which an address is reached that another host has reported.
 */
#include "core/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct elect_address neighbour = { { 10, 77, 0, 9 }, 7544, 4 };

/* Two interfaces in one subnet. */
static struct host_link links[] = {
	{ { { 10, 77, 0, 1 }, 7544, 4 }, 24, 1, 1, true },
	{ { { 10, 77, 0, 11 }, 7544, 4 }, 24, 2, 2, true },
};

static int set_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		links[i].prefix = 24;
		links[i].carrier = true;
	}
	return 0;
}

static void the_link_of_the_message_is_taken_in_a_shared_subnet(void **state)
{
	(void)state;
	assert_int_equal(links_to(links, 2, 1, &neighbour), 1);
	assert_int_equal(links_to(links, 2, 2, &neighbour), 2);
	assert_int_equal(links_to(links, 2, 3, &neighbour), 1);
}

static void the_link_with_a_carrier_is_taken_in_a_shared_subnet(void **state)
{
	(void)state;
	links[0].carrier = false;
	assert_int_equal(links_to(links, 2, 1, &neighbour), 2);
	links[0].carrier = true;
	links[1].carrier = false;
	assert_int_equal(links_to(links, 2, 2, &neighbour), 1);
}

static void the_smaller_subnet_comes_first(void **state)
{
	(void)state;
	links[0].prefix = 16;
	assert_int_equal(links_to(links, 2, 1, &neighbour), 2);
	links[1].carrier = false;
	assert_int_equal(links_to(links, 2, 1, &neighbour), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, set_up)
		T(the_link_of_the_message_is_taken_in_a_shared_subnet),
		T(the_link_with_a_carrier_is_taken_in_a_shared_subnet),
		T(the_smaller_subnet_comes_first),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
