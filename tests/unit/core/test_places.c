/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c: the index of a host in a table, while others are added, moved and removed.
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

static void an_empty_table_contains_no_host(void **state)
{
	(void)state;
	assert_int_equal(find(0), -1);
	assert_int_equal(find(1), -1);
}

static void a_full_table_finds_every_host(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PLACES_MAX; i++)
		add(i, 3 * i);
	for (unsigned i = 0; i < PLACES_MAX; i++) {
		assert_int_equal(find(3 * i), (int)i);
		assert_int_equal(find(3 * i + 1), -1);
	}
}

static void a_removed_host_is_not_found_and_hides_no_other(void **state)
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

/* Each place is returned once, in any order. */
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

static void a_moved_host_is_found_in_its_new_place(void **state)
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

/* Compares with a linear search. There are few ids, so each has many places. */
static void random_changes_give_the_result_of_a_linear_search(void **state)
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

/* Ids that an attacker chose to collide with one seed must not collide with another. */
static void a_seed_changes_the_order_of_ids(void **state)
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
		TEST(an_empty_table_contains_no_host),
		TEST(a_full_table_finds_every_host),
		TEST(a_removed_host_is_not_found_and_hides_no_other),
		TEST(one_id_may_have_several_places),
		TEST(a_moved_host_is_found_in_its_new_place),
		TEST(random_changes_give_the_result_of_a_linear_search),
		TEST(a_seed_changes_the_order_of_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
