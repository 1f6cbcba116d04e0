/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that are reported as heard by an unused address family, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "node/overheard.h"

enum { BEACON_US = 200000 };

static struct overheard overheard;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	memset(&overheard, 0, sizeof(overheard));
	now_us = 1000000;
	return 0;
}

static void hear(uint8_t host, const char *name)
{
	struct elect_msg m = { .sender.bytes = { host } };

	strcpy(m.name, name);
	overheard_take(&overheard, now_us, 6, &m);
}

static void hear_for(uint8_t host, uint64_t us)
{
	for (uint64_t until_us = now_us + us; now_us < until_us; now_us += BEACON_US)
		hear(host, "web2");
}

static bool told(unsigned index, uint64_t heard_us)
{
	return overheard_only(&overheard.hosts[index], now_us, heard_us);
}

static void a_host_heard_only_by_the_unused_family_is_reported_after_a_while(void **state)
{
	(void)state;
	hear_for(1, OVERHEARD_FROM_US - BEACON_US);
	assert_false(told(0, 0));
	hear_for(1, BEACON_US);
	assert_true(told(0, 0));
	assert_int_equal(overheard.count, 1);
	assert_string_equal(overheard.hosts[0].name, "web2");
	assert_int_equal(overheard.hosts[0].family, 6);
}

static void a_host_heard_by_a_used_family_too_is_not_reported(void **state)
{
	(void)state;
	hear_for(1, OVERHEARD_FORGET_US * 2);
	assert_false(told(0, now_us - BEACON_US));
	assert_true(told(0, now_us - OVERHEARD_FORGET_US - 1));
}

static void a_host_that_is_silent_or_just_came_back_is_not_reported(void **state)
{
	(void)state;
	hear_for(1, OVERHEARD_FROM_US);
	now_us += OVERHEARD_FORGET_US + 1;
	assert_false(told(0, 0));
	hear(1, "");
	assert_false(told(0, 0));
	assert_string_equal(overheard.hosts[0].name, "web2");
}

static void the_host_that_is_silent_for_longest_is_replaced(void **state)
{
	(void)state;
	for (uint8_t i = 1; i <= OVERHEARD_MAX; i++, now_us++)
		hear(i, "");
	hear(1, "");
	now_us++;
	hear(100, "");
	assert_int_equal(overheard.count, OVERHEARD_MAX);
	assert_int_equal(overheard.hosts[0].id.bytes[0], 1);
	assert_int_equal(overheard.hosts[1].id.bytes[0], 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, set_up)
		T(a_host_heard_only_by_the_unused_family_is_reported_after_a_while),
		T(a_host_heard_by_a_used_family_too_is_not_reported),
		T(a_host_that_is_silent_or_just_came_back_is_not_reported),
		T(the_host_that_is_silent_for_longest_is_replaced),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
