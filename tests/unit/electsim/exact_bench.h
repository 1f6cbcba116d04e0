/* SPDX-License-Identifier: Apache-2.0 */
/* exact_bench: the set-up of exact runs for tests, and the orders that tests begin with. */
#ifndef ELECTD_TEST_ELECTSIM_EXACT_BENCH_H
#define ELECTD_TEST_ELECTSIM_EXACT_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/lab/elections/exact.h"

static struct exact *x;

static inline int set_up(void **state)
{
	(void)state;
	x = exact_new();
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	exact_free(x);
	return 0;
}

/* Ids in the order of places; all start. */
static inline struct exact_order order_of(const struct lab_algorithm *a, unsigned count)
{
	struct exact_order o = { .algorithm = a, .count = count };

	for (unsigned i = 0; i < count; i++)
		o.ids[i] = (uint16_t)i;
	return o;
}

static inline void nobody_starts(struct exact_order *o)
{
	for (unsigned i = 0; i < o->count; i++)
		o->starts[i] = EXACT_NEVER;
}

static inline void only(struct exact_order *o, unsigned place)
{
	nobody_starts(o);
	o->starts[place] = 0;
}

#endif
