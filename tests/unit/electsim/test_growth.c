/* SPDX-License-Identifier: Apache-2.0 */
/* test_growth: a step compares as many ids among many hosts as among few; the linker counts. */
#include "electsim/judge/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FEW = 30, MANY = 4 * FEW, QUIET_US = 4000000 };

static uint64_t compared;

bool __real_elect_id_equal(const struct elect_id *a, const struct elect_id *b);
bool __wrap_elect_id_equal(const struct elect_id *a, const struct elect_id *b);
int __real_elect_id_compare(const struct elect_id *a, const struct elect_id *b);
int __wrap_elect_id_compare(const struct elect_id *a, const struct elect_id *b);

bool __wrap_elect_id_equal(const struct elect_id *a, const struct elect_id *b)
{
	compared++;
	return __real_elect_id_equal(a, b);
}

int __wrap_elect_id_compare(const struct elect_id *a, const struct elect_id *b)
{
	compared++;
	return __real_elect_id_compare(a, b);
}

/* Returns comparisons a step, in hundredths, among so many hosts at rest. */
static uint64_t cost_of(struct sim *s, unsigned hosts)
{
	uint64_t steps;

	sim_reset(s, 1, hosts);
	daemons_begin(s, election_framed(NULL), false);
	for (unsigned i = 0; i < hosts; i++)
		world_start(s, s->hosts[i]);
	assert_true(sim_run_until_agree(s, 5000000, true));
	sim_run_for(s, 1000000);
	compared = 0;
	steps = s->totals.steps;
	sim_run_for(s, QUIET_US);
	assert_false(s->broken);
	steps = s->totals.steps - steps;
	assert_true(steps > hosts * UINT64_C(10));
	assert_true(compared > steps);
	return compared * 100 / steps;
}

/* A search of one table from end to end would more than double the count. */
static void a_step_among_four_times_as_many_compares_no_more_ids(void **state)
{
	struct sim *s = sim_new();
	uint64_t few = cost_of(s, FEW), many = cost_of(s, MANY);

	(void)state;
	sim_free(s);
	print_message("%u hosts: %u.%02u a step, %u hosts: %u.%02u\n", FEW, (unsigned)few / 100,
		(unsigned)few % 100, MANY, (unsigned)many / 100, (unsigned)many % 100);
	assert_true(many * 10 <= few * 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_among_four_times_as_many_compares_no_more_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
