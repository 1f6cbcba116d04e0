/* SPDX-License-Identifier: Apache-2.0 */
/* The order of holders at a promotion and at a demotion. */
#include "core/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { AT = 5000000 };

static const struct ranks_waited none = { 0 }, address = { .begin = 1 }, hook = { .release = 1 };

static void become(struct ranks *r, bool leads, const struct ranks_waited *waited, uint64_t now_us)
{
	ranks_role(r, leads, now_us);
	ranks_look(r, waited, now_us);
}

/* ---- the promotion --------------------------------------------------------------------------- */

static void rank_hook_waits_for_rank_address(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	become(&r, false, &address, AT - 1);
	assert_false(ranks_promotes(&r));
	become(&r, true, &address, AT);
	assert_true(ranks_promotes(&r));
	assert_int_equal(ranks_due_us(&r), AT + RANKS_PROMOTE_US);
	ranks_look(&r, &none, AT + 7);
	assert_false(ranks_promotes(&r));
	assert_false(ranks_late(&r));
	assert_true(ranks_due_us(&r) == UINT64_MAX);
}

static void without_rank_address_it_begins_at_once(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	become(&r, true, &none, AT);
	assert_false(ranks_promotes(&r));
	assert_true(ranks_due_us(&r) == UINT64_MAX);
	/* A holder that comes later does not hold the others back. */
	ranks_look(&r, &address, AT + 1);
	become(&r, true, &address, AT + 2);
	assert_false(ranks_promotes(&r));
	assert_false(ranks_late(&r));
}

static void it_waits_for_a_second_at_most(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	become(&r, true, &address, AT);
	ranks_look(&r, &address, AT + RANKS_PROMOTE_US - 1);
	assert_true(ranks_promotes(&r));
	ranks_look(&r, &address, AT + RANKS_PROMOTE_US);
	assert_false(ranks_promotes(&r));
	assert_true(ranks_late(&r));
	assert_true(ranks_due_us(&r) == UINT64_MAX);
	ranks_look(&r, &none, AT + RANKS_PROMOTE_US + 1);
	assert_false(ranks_late(&r));
	ranks_look(&r, &address, AT + RANKS_PROMOTE_US + 2);
	assert_false(ranks_late(&r));
}

/* Another token, or another change while this host leads. */
static void a_promotion_does_not_begin_anew(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	become(&r, true, &address, AT);
	become(&r, true, &address, AT + 10);
	assert_int_equal(ranks_due_us(&r), AT + RANKS_PROMOTE_US);
	become(&r, true, &none, AT + 20);
	become(&r, true, &address, AT + 30);
	assert_false(ranks_promotes(&r));
}

static void the_end_of_the_role_ends_it(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	become(&r, true, &address, AT);
	become(&r, false, &address, AT + 10);
	assert_false(ranks_promotes(&r));
	assert_true(ranks_due_us(&r) == UINT64_MAX);
	become(&r, true, &address, AT + 20);
	ranks_look(&r, &address, AT + 20 + RANKS_PROMOTE_US);
	assert_true(ranks_late(&r));
	become(&r, false, &address, AT + 30 + RANKS_PROMOTE_US);
	assert_false(ranks_late(&r));
}

/* ---- the demotion ---------------------------------------------------------------------------- */

static void rank_hook_is_asked_first(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	assert_false(ranks_asks(&r, RANK_HOOK));
	ranks_release(&r, AT);
	ranks_look(&r, &hook, AT - 3000000);
	assert_true(ranks_asks(&r, RANK_HOOK));
	assert_false(ranks_asks(&r, RANK_ADDRESS));
	assert_int_equal(ranks_due_us(&r), AT - RANKS_ADDRESS_US);
	ranks_look(&r, &none, AT - 2000000);
	assert_true(ranks_asks(&r, RANK_HOOK));
	assert_true(ranks_asks(&r, RANK_ADDRESS));
	assert_true(ranks_due_us(&r) == UINT64_MAX);
	/* A holder of rank HOOK that comes now changes nothing. */
	ranks_look(&r, &hook, AT - 1000000);
	assert_true(ranks_asks(&r, RANK_ADDRESS));
	ranks_release_over(&r);
	assert_false(ranks_asks(&r, RANK_HOOK));
	assert_false(ranks_asks(&r, RANK_ADDRESS));
}

static void rank_address_is_asked_before_the_time_is_over(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	ranks_release(&r, AT);
	ranks_look(&r, &hook, AT - RANKS_ADDRESS_US - 1);
	assert_false(ranks_asks(&r, RANK_ADDRESS));
	ranks_look(&r, &hook, AT - RANKS_ADDRESS_US);
	assert_true(ranks_asks(&r, RANK_ADDRESS));
}

static void a_second_release_asks_rank_hook_first_again(void **state)
{
	struct ranks r = { 0 };

	(void)state;
	ranks_release(&r, RANKS_ADDRESS_US); /* no time is left */
	ranks_look(&r, &hook, 0);
	assert_true(ranks_asks(&r, RANK_ADDRESS));
	ranks_release_over(&r);
	ranks_look(&r, &hook, 1);
	assert_false(ranks_asks(&r, RANK_ADDRESS));
	ranks_release(&r, AT);
	ranks_look(&r, &hook, 2);
	assert_false(ranks_asks(&r, RANK_ADDRESS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_hook_waits_for_rank_address),
		cmocka_unit_test(without_rank_address_it_begins_at_once),
		cmocka_unit_test(it_waits_for_a_second_at_most),
		cmocka_unit_test(a_promotion_does_not_begin_anew),
		cmocka_unit_test(the_end_of_the_role_ends_it),
		cmocka_unit_test(rank_hook_is_asked_first),
		cmocka_unit_test(rank_address_is_asked_before_the_time_is_over),
		cmocka_unit_test(a_second_release_asks_rank_hook_first_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
