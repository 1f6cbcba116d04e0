/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unresponsive.c: the table of sessions that did not answer a Challenge: what is found, what is
 * replaced in a full row, what is forgotten, and whose turn is next.
 */
#include "core/trust/unresponsive.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000, SECOND_US = 1000000 };

static struct unresponsive table;
static uint64_t now_us;

static int set_up(void **state)
{
	(void)state;
	now_us = 60 * SECOND_US;
	unresponsive_clear(&table, 7);
	return 0;
}

static struct unresponsive_who who(unsigned n, uint64_t session, uint64_t incarnation)
{
	return (struct unresponsive_who){
		.id = { .bytes = { [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } },
		.session = session,
		.incarnation = incarnation
	};
}

static int find(const struct unresponsive_who *w)
{
	return unresponsive_find(&table, &w->id, w->session, w->key_id);
}

static void asked(const struct unresponsive_who *w)
{
	unresponsive_asked(&table, now_us, w, 0, true, BEACON_US);
}

static uint64_t turn(const struct unresponsive_who *w)
{
	return unresponsive_turn(&table, w);
}

static void a_session_is_found_by_id_session_and_key(void **state)
{
	struct unresponsive_who one = who(1, 5, 1), others[] = { who(2, 5, 1), who(1, 6, 1), one };

	(void)state;
	others[2].key_id = 1;
	asked(&one);
	assert_true(find(&one) >= 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(find(&others[i]), -1);
	asked(&others[2]);
	unresponsive_forget_key(&table, 0);
	assert_int_equal(find(&one), -1);
	assert_true(find(&others[2]) >= 0);
}

static void a_forgotten_session_takes_no_other_along(void **state)
{
	enum { MANY = 300 };
	bool known[MANY] = { false };
	struct rng chance = { 3 };

	(void)state;
	for (unsigned i = 0; i < 20 * MANY; i++) {
		unsigned n = (unsigned)rng_below(&chance, MANY);
		struct unresponsive_who w = who(n, n + 1, 1);

		if (known[n])
			unresponsive_forget(&table, find(&w));
		else
			asked(&w);
		known[n] = !known[n];
		for (unsigned k = 0; k < MANY; k++) {
			w = who(k, k + 1, 1);
			assert_int_equal(find(&w) >= 0, known[k]);
		}
	}
}

/* An insider has as many ids as it likes. */
static void the_least_important_session_of_a_full_table_is_replaced(void **state)
{
	struct unresponsive_who kept = who(1, 1, 1), w;

	(void)state;
	for (unsigned i = 0; i < 3 * UNRESPONSIVE_CHALLENGES; i++)
		asked(&kept); /* unresponsive for 8 s */
	for (unsigned n = 0; n < 4 * UNRESPONSIVE_MAX; n++) {
		w = who(n % 65536, 100 + n, 1);
		now_us += 100;
		asked(&w);
		assert_true(find(&w) >= 0);
		assert_true(table.count <= UNRESPONSIVE_MAX);
	}
	assert_true(table.count > UNRESPONSIVE_MAX - UNRESPONSIVE_ROW);
	assert_true(find(&kept) >= 0);
}

static void a_host_that_was_never_asked_goes_first(void **state)
{
	struct unresponsive_who one = who(1, 1, 1), other = who(2, 1, 1);

	(void)state;
	asked(&one);
	assert_int_equal(turn(&other), 0);
	assert_true(turn(&one) > 0);
	unresponsive_forget(&table, find(&one));
	assert_true(turn(&one) > 0);
}

static void the_newest_start_then_the_least_asked_session_goes_next(void **state)
{
	struct unresponsive_who old = who(1, 1, 1), now = who(1, 2, 2), next = who(1, 3, 3);
	struct unresponsive_who another = who(1, 4, 2);

	(void)state;
	asked(&now);
	assert_true(unresponsive_turn_is_newest(turn(&next)));
	assert_false(unresponsive_turn_is_newest(turn(&now)));
	assert_false(unresponsive_turn_is_newest(turn(&old)));
	assert_false(unresponsive_turn_is_newest(turn(&another)));
	assert_true(turn(&next) < turn(&now));
	asked(&now);
	assert_true(turn(&old) < turn(&now));
	asked(&next);
	assert_true(turn(&next) <= turn(&old));
}

static void the_host_asked_longest_ago_goes_first_among_equals(void **state)
{
	struct unresponsive_who one = who(1, 1, 1), two = who(2, 1, 1);

	(void)state;
	asked(&two);
	now_us++;
	asked(&one);
	assert_true(turn(&two) < turn(&one));
	one = who(1, 9, 0);
	two = who(2, 9, 0);
	assert_true(turn(&two) < turn(&one));
}

/* The count has a maximum, so a host that was cut off for an hour has its turn with the others. */
static void the_count_of_unanswered_challenges_has_a_maximum(void **state)
{
	struct unresponsive_who one = who(1, 1, 1), two = who(2, 1, 1);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		asked(&one);
	now_us++;
	for (unsigned i = 0; i < UNRESPONSIVE_CHALLENGES; i++)
		asked(&two);
	assert_true(turn(&one) < turn(&two));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, set_up)
		T(a_session_is_found_by_id_session_and_key),
		T(a_forgotten_session_takes_no_other_along),
		T(the_least_important_session_of_a_full_table_is_replaced),
		T(a_host_that_was_never_asked_goes_first),
		T(the_newest_start_then_the_least_asked_session_goes_next),
		T(the_host_asked_longest_ago_goes_first_among_equals),
		T(the_count_of_unanswered_challenges_has_a_maximum),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
