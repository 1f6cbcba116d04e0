/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_places: where in a table a host stands, whatever else is added, moved and removed.
 */
#include "core/places.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct row {
	char name[5];
	struct elect_id id;
};

static struct places places;
static struct row rows[PLACES_MAX];

static int set_up(void **state)
{
	(void)state;
	memset(&places, 0xaa, sizeof(places));
	memset(rows, 0xaa, sizeof(rows));
	places_clear(&places, 7);
	return 0;
}

static struct elect_id make_id(unsigned n)
{
	return (struct elect_id){ .bytes = { [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

static int find(unsigned n)
{
	struct elect_id id = make_id(n);

	return places_find(&places, PLACES_IDS(rows), &id);
}

static void add(unsigned at, unsigned n)
{
	rows[at].id = make_id(n);
	places_add(&places, PLACES_IDS(rows), at);
}

static void nobody_is_found_in_an_empty_table(void **state)
{
	(void)state;
	assert_int_equal(find(0), -1);
	assert_int_equal(find(1), -1);
}

static void a_full_table_finds_each_where_it_stands(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PLACES_MAX; i++)
		add(i, 3 * i);
	for (unsigned i = 0; i < PLACES_MAX; i++) {
		assert_int_equal(find(3 * i), (int)i);
		assert_int_equal(find(3 * i + 1), -1);
	}
}

static void who_is_removed_is_not_found_and_hides_nobody(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PLACES_MAX; i++)
		add(i, i);
	for (unsigned i = 0; i < PLACES_MAX; i += 2)
		places_remove(&places, PLACES_IDS(rows), i);
	for (unsigned i = 0; i < PLACES_MAX; i++)
		assert_int_equal(find(i), i % 2 ? (int)i : -1);
	for (unsigned i = 0; i < PLACES_MAX; i += 2)
		add(i, PLACES_MAX + i);
	for (unsigned i = 0; i < PLACES_MAX; i++)
		assert_int_equal(find(i % 2 ? i : PLACES_MAX + i), (int)i);
}

/* Each once, in whatever order. */
static void one_id_may_have_several_places(void **state)
{
	unsigned seen = 0, count = 0;

	(void)state;
	add(0, 5);
	add(1, 6);
	add(2, 5);
	add(3, 5);
	for (int at = find(5); at >= 0; at = places_next(&places, PLACES_IDS(rows), (unsigned)at)) {
		seen |= 1u << at;
		count++;
	}
	assert_int_equal(count, 3);
	assert_int_equal(seen, 0xd);
	places_remove(&places, PLACES_IDS(rows), 2);
	assert_int_equal(find(6), 1);
	for (int at = find(5); at >= 0; at = places_next(&places, PLACES_IDS(rows), (unsigned)at))
		count++;
	assert_int_equal(count, 3 + 2);
}

static void what_moves_in_the_table_is_found_there(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		add(i, i);
	memmove(&rows[5], &rows[4], 6 * sizeof(rows[0]));
	places_moved_up(&places, 4);
	add(4, 100);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(find(i), i < 4 ? (int)i : (int)i + 1);
	assert_int_equal(find(100), 4);
	places_remove(&places, PLACES_IDS(rows), 4);
	memmove(&rows[4], &rows[5], 6 * sizeof(rows[0]));
	places_moved_down(&places, 4);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(find(i), (int)i);
	assert_int_equal(find(100), -1);
}

/* Against a table that is searched from end to end; few ids, so that each has many places. */
static void a_random_life_ends_as_a_search_says(void **state)
{
	struct rng rng = { .state = 1 };
	bool used[64] = { false };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned at = (unsigned)rng_below(&rng, 64), n = (unsigned)rng_below(&rng, 16);
		unsigned many = 0, found = 0;

		if (used[at])
			places_remove(&places, PLACES_IDS(rows), at);
		else
			add(at, 1000 * n);
		used[at] = !used[at];
		for (unsigned k = 0; k < 64; k++)
			many += used[k] && rows[k].id.bytes[14] == (uint8_t)(1000 * n >> 8) &&
				rows[k].id.bytes[15] == (uint8_t)(1000 * n);
		for (int k = find(1000 * n); k >= 0;
			k = places_next(&places, PLACES_IDS(rows), (unsigned)k))
			found++;
		assert_int_equal(found, many);
	}
}

/* Who knows one seed and chooses ids that collide there has not chosen so for another one. */
static void a_seed_moves_who_stands_behind_whom(void **state)
{
	unsigned slots[2][64], same = 0;

	(void)state;
	for (unsigned seed = 0; seed < 2; seed++)
		for (unsigned n = 0; n < 64; n++) {
			places_clear(&places, seed + 1);
			add(0, n);
			for (slots[seed][n] = 0; !places.slots[slots[seed][n]];)
				slots[seed][n]++;
		}
	for (unsigned n = 0; n < 64; n++)
		same += slots[0][n] == slots[1][n];
	assert_in_range(same, 0, 8);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_is_found_in_an_empty_table),
		TEST(a_full_table_finds_each_where_it_stands),
		TEST(who_is_removed_is_not_found_and_hides_nobody),
		TEST(one_id_may_have_several_places),
		TEST(what_moves_in_the_table_is_found_there),
		TEST(a_random_life_ends_as_a_search_says),
		TEST(a_seed_moves_who_stands_behind_whom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
