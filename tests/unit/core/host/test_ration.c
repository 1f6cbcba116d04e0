/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ration.c: how often a session is served in a beacon interval, without being starved by others.
 */
#include "core/host/ration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BEACON_US = 200000 };

static struct ration ration;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	now_us = 0;
	ration_clear(&ration, 7);
	return 0;
}

static bool take(unsigned n)
{
	struct elect_id id = { .bytes = { [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };

	return ration_take(&ration, now_us, BEACON_US, &id, n + 1, 1);
}

static void a_session_is_served_once_a_beacon(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++, now_us += BEACON_US) {
		assert_true(take(1));
		assert_false(take(1));
		assert_false(take(1));
	}
}

static void the_limit_may_differ_between_calls(void **state)
{
	const struct elect_id id = { .bytes = { [15] = 1 } };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_true(ration_take(&ration, now_us, BEACON_US, &id, 1, 3));
	assert_false(ration_take(&ration, now_us, BEACON_US, &id, 1, 1));
	assert_false(ration_take(&ration, now_us, BEACON_US, &id, 1, 3));
	assert_true(ration_take(&ration, now_us, BEACON_US, &id, 1, 4));
}

/* Two sessions may share a slot, but not for long. */
static void other_sessions_do_not_use_up_a_ration(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		unsigned without = 0;

		for (; !take(1000 + i); now_us += BEACON_US, without++)
			for (unsigned n = 0; n < 256; n++)
				take(n);
		assert_true(without <= 2);
		for (unsigned n = 0; n < 256; n++)
			take(n);
	}
}

/* The number of the beacon interval has 32 bits. */
static void a_ration_is_renewed_for_ever(void **state)
{
	(void)state;
	for (; now_us < UINT64_C(1) << 55; now_us = now_us * 3 + BEACON_US) {
		assert_true(take(1));
		assert_false(take(1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_session_is_served_once_a_beacon, set_up),
		cmocka_unit_test_setup(the_limit_may_differ_between_calls, set_up),
		cmocka_unit_test_setup(other_sessions_do_not_use_up_a_ration, set_up),
		cmocka_unit_test_setup(a_ration_is_renewed_for_ever, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
