/* SPDX-License-Identifier: Apache-2.0 */
/* test_flood: when messages count as a flood. Its effect on a run is in test_calm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "electsim/judge/run/run.h"

enum { HOSTS = 3, MOST = 5000 * HOSTS, SECOND_US = 1000000 };

static struct sim *sim;

static int setup(void **state)
{
	(void)state;
	sim = sim_new();
	sim_reset(sim, 1, HOSTS);
	daemons_begin(sim, election_framed(NULL), false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sim_free(sim);
	return 0;
}

static bool drowns(struct flood *f, uint64_t more_messages, uint64_t us)
{
	sim->totals.messages += more_messages;
	sim->now_us += us;
	return flood_drowns(f, sim);
}

static void more_than_5000_messages_a_host_within_a_second_are_one(void **state)
{
	struct flood f = { 0 };

	(void)state;
	assert_false(drowns(&f, 0, 0));
	assert_false(drowns(&f, MOST, SECOND_US / 2));
	assert_true(drowns(&f, 1, SECOND_US / 2 - 1));
}

static void each_second_is_counted_anew(void **state)
{
	struct flood f = { 0 };

	(void)state;
	for (unsigned second = 0; second < 5; second++)
		assert_false(drowns(&f, MOST, SECOND_US));
	assert_false(drowns(&f, MOST, SECOND_US - 1));
}

static void a_drowned_run_stays_drowned(void **state)
{
	struct flood f = { 0 };

	(void)state;
	assert_false(drowns(&f, 0, 0));
	assert_true(drowns(&f, MOST + 1, 1));
	assert_true(drowns(&f, 0, 10 * SECOND_US));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			more_than_5000_messages_a_host_within_a_second_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(each_second_is_counted_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(a_drowned_run_stays_drowned, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
