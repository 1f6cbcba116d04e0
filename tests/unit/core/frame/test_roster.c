/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Membership lists in succession order, their digest, and the parts that carry them.
 */
#include "core/frame/roster.h"
#include "core/wire/wire.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct roster list, other;

static struct elect_id make_id(unsigned n)
{
	return (struct elect_id){ .bytes = { [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

static struct elect_member make_member(unsigned n)
{
	struct elect_member m = {
		.id = make_id(n),
		.session = 1000 + n,
		.incarnation = 3,
		.address = { .bytes = { 10, 0, (uint8_t)(n >> 8), (uint8_t)n },
			.port = 7544,
			.family = 4 },
		.priority = 100,
		.may_lead = true,
	};

	snprintf(m.name, sizeof(m.name), "host%u", n);
	return m;
}

static struct elect_member make_largest(unsigned n)
{
	struct elect_member m = make_member(n);

	memset(m.address.bytes, 0xfe, sizeof(m.address.bytes));
	m.address.family = 6;
	memset(m.name, 'n', ELECT_NAME_MAX);
	m.name[ELECT_NAME_MAX] = '\0';
	return m;
}

static void put(const struct elect_member *m, unsigned coordinator)
{
	struct elect_id id = make_id(coordinator);

	assert_int_equal(roster_put(&list, m, &id), 0);
}

static void assert_order(const unsigned *ids, unsigned count)
{
	assert_int_equal(list.count, count);
	for (unsigned i = 0; i < count; i++) {
		struct elect_id id = make_id(ids[i]);

		assert_int_equal(roster_find(&list, &id), (int)i);
	}
}

static int set_up(void **state)
{
	(void)state;
	memset(&list, 0xaa, sizeof(list));
	memset(&other, 0x55, sizeof(other));
	roster_clear(&list);
	roster_clear(&other);
	return 0;
}

static void members_are_sorted_in_succession_order(void **state)
{
	struct elect_member m[6];
	static const unsigned expected[] = { 1, 5, 4, 3, 2, 0 };
	static const unsigned orders[][6] = { { 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 },
		{ 2, 0, 5, 1, 4, 3 } };

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		m[i] = make_member(i);
	m[0].may_lead = false; /* may not lead: last, despite its priority */
	m[0].priority = 255;
	m[1].priority = 1; /* the coordinator: first, despite its priority */
	m[2].incarnation = 9;
	m[5].priority = 101;
	for (unsigned o = 0; o < 3; o++) {
		roster_clear(&list);
		for (unsigned i = 0; i < 6; i++)
			put(&m[orders[o][i]], 1);
		assert_order(expected, 6);
	}
}

static void a_member_put_again_is_replaced_and_moved(void **state)
{
	struct elect_member m;

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		m = make_member(i);
		put(&m, 1);
	}
	assert_order((const unsigned[]){ 1, 4, 3, 2 }, 4);
	m = make_member(2);
	m.priority = 200;
	m.session = 77;
	put(&m, 1);
	assert_order((const unsigned[]){ 1, 2, 4, 3 }, 4);
	assert_int_equal(list.members[1].session, 77);
	m.priority = 0;
	m.may_lead = false;
	put(&m, 1);
	assert_order((const unsigned[]){ 1, 4, 3, 2 }, 4);
}

static void a_member_of_the_list_itself_may_be_put(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		struct elect_member m = make_member(i);

		put(&m, 1);
	}
	put(&list.members[3], 1);
	put(&list.members[3], 2);
	assert_order((const unsigned[]){ 2, 1, 4, 3 }, 4);
}

static void removal_closes_the_gap(void **state)
{
	struct elect_id two = make_id(2), nine = make_id(9);

	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		struct elect_member m = make_member(i);

		put(&m, 1);
	}
	assert_int_equal(roster_remove(&list, &nine), -ENOENT);
	assert_int_equal(roster_remove(&list, &two), 0);
	assert_int_equal(roster_find(&list, &two), -ENOENT);
	assert_order((const unsigned[]){ 1, 3 }, 2);
}

static void the_1025th_host_is_refused_and_a_known_one_is_not(void **state)
{
	struct elect_member m;
	struct elect_id one = make_id(1);

	(void)state;
	for (unsigned i = 1; i <= ELECT_HOSTS_MAX; i++) {
		m = make_member(i);
		put(&m, 1);
	}
	m = make_member(ELECT_HOSTS_MAX + 1);
	assert_int_equal(roster_put(&list, &m, &one), -ENOSPC);
	assert_int_equal(list.count, ELECT_HOSTS_MAX);
	m = make_member(7);
	m.priority = 3;
	put(&m, 1);
	assert_int_equal(roster_find(&list, &m.id), ELECT_HOSTS_MAX - 1);
}

static void everything_but_the_address_is_in_the_digest(void **state)
{
	struct elect_member m, changed[6];
	uint64_t digest;

	(void)state;
	m = make_member(1);
	put(&m, 1);
	m = make_member(2);
	put(&m, 1);
	digest = roster_digest(&list, (const uint8_t *)"abc", 3);
	for (unsigned i = 0; i < 6; i++)
		changed[i] = list.members[1];
	changed[0].id.bytes[0] = 1;
	changed[1].session++;
	changed[2].incarnation++;
	changed[3].priority++;
	changed[4].may_lead = false;
	changed[5].name[0] = 'H';
	for (unsigned i = 0; i < 6; i++) {
		roster_copy(&other, &list);
		assert_int_equal(roster_digest(&other, (const uint8_t *)"abc", 3), digest);
		other.members[1] = changed[i];
		assert_true(roster_digest(&other, (const uint8_t *)"abc", 3) != digest);
	}
	assert_true(roster_digest(&list, (const uint8_t *)"abd", 3) != digest);
	assert_true(roster_digest(&list, (const uint8_t *)"abc", 2) != digest);
	list.count--;
	assert_true(roster_digest(&list, (const uint8_t *)"abc", 3) != digest);
}

/* Two hosts may have different addresses for a third, and a name may be followed by any bytes. */
static void addresses_and_padding_are_not_in_the_digest(void **state)
{
	struct elect_member m = make_member(1);
	uint64_t digest;

	(void)state;
	put(&m, 1);
	digest = roster_digest(&list, NULL, 0);
	list.members[0].address = (struct elect_address){ .family = 6, .port = 1 };
	list.members[0].name[40] = 'x';
	assert_int_equal(roster_digest(&list, NULL, 0), digest);
}

static void a_merge_adds_only_missing_members(void **state)
{
	struct elect_id one = make_id(1);

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		struct elect_member m = make_member(i);

		if (i <= 2)
			put(&m, 1);
		m.session = 5;
		if (i >= 2)
			assert_int_equal(roster_put(&other, &m, &one), 0);
	}
	assert_int_equal(roster_merge(&list, &other, &one), 0);
	assert_order((const unsigned[]){ 1, 4, 3, 2 }, 4);
	assert_int_equal(list.members[3].session, 1002);
	assert_int_equal(list.members[2].session, 5);
}

static void assert_parts_cover(size_t definition_size)
{
	unsigned count = roster_parts(&list, definition_size), members = 0, bytes = 0;

	assert_true(count <= ELECT_PARTS_MAX);
	for (unsigned i = 0; i < count; i++) {
		struct elect_part p;
		size_t size = 0;

		roster_part(&list, definition_size, i, &p);
		assert_int_equal(p.index, i);
		assert_int_equal(p.count, count);
		if (p.members_count) {
			assert_int_equal(bytes, 0);
			assert_int_equal(p.first, members);
			assert_int_equal(p.total, list.count);
			assert_true(p.members_count <= ELECT_PART_MEMBERS_MAX);
			for (unsigned m = 0; m < p.members_count; m++)
				size += wire_member_size(&list.members[members + m]);
			members += p.members_count;
		} else {
			assert_int_equal(p.first, bytes);
			assert_int_equal(p.total, definition_size);
			size = p.piece_size;
			bytes += p.piece_size;
		}
		assert_true(size > 0 && size <= ELECT_PART_BYTES);
	}
	assert_int_equal(members, list.count);
	assert_int_equal(bytes, definition_size);
}

static void parts_cover_list_and_definition_once(void **state)
{
	static const unsigned sizes[] = { 1, 2, 15, 16, 17, 33, 100, ELECT_HOSTS_MAX };

	(void)state;
	for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		roster_clear(&list);
		for (unsigned i = 1; i <= sizes[s]; i++) {
			struct elect_member m = i % 3 ? make_member(i) : make_largest(i);

			put(&m, 1);
		}
		assert_parts_cover(0);
		assert_parts_cover(1);
		assert_parts_cover(ELECT_PART_BYTES);
		assert_parts_cover(ELECT_PART_BYTES + 1);
		assert_parts_cover(ELECT_DEFINITION_MAX);
	}
}

static void the_largest_list_fits_into_the_parts(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= ELECT_HOSTS_MAX; i++) {
		struct elect_member m = make_largest(i);

		put(&m, 1);
	}
	assert_parts_cover(ELECT_DEFINITION_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(members_are_sorted_in_succession_order, set_up),
		cmocka_unit_test_setup(a_member_put_again_is_replaced_and_moved, set_up),
		cmocka_unit_test_setup(a_member_of_the_list_itself_may_be_put, set_up),
		cmocka_unit_test_setup(removal_closes_the_gap, set_up),
		cmocka_unit_test_setup(the_1025th_host_is_refused_and_a_known_one_is_not, set_up),
		cmocka_unit_test_setup(everything_but_the_address_is_in_the_digest, set_up),
		cmocka_unit_test_setup(addresses_and_padding_are_not_in_the_digest, set_up),
		cmocka_unit_test_setup(a_merge_adds_only_missing_members, set_up),
		cmocka_unit_test_setup(parts_cover_list_and_definition_once, set_up),
		cmocka_unit_test_setup(the_largest_list_fits_into_the_parts, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
