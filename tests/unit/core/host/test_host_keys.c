/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts that send with another key are reported, and nothing else: their datagrams are neither
 * believed nor answered, whatever their fields contain, and a flood of them costs a small table.
 * Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

#define MINUTE_US OTHER_KEYS_MINUTE_US

static const struct elect_id nine = { .bytes = { 9 } };
static struct other_key_info heard[OTHER_KEYS_MAX];

/* A Hello from `id` with key `key_id`, whose fields and tag are invalid. */
static void hear_from(uint8_t key_id, const struct elect_id *id, const struct elect_address *from)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	d.bytes[8] = key_id;
	memcpy(d.bytes + 16, id->bytes, sizeof(id->bytes));
	memset(d.bytes + WIRE_HEADER_SIZE, 0xff, d.size - WIRE_HEADER_SIZE);
	assert_int_equal(host_receive(host, now_us, &(struct elect_way){ *from, 1 }, d.bytes,
				 d.size, &actions),
		WIRE_KEY_BAD);
	assert_int_equal(actions.count, 0);
}

static void hear(uint8_t key_id, const struct elect_id *id)
{
	hear_from(key_id, id, &path);
}

static unsigned list(void)
{
	return host_other_keys(host, now_us, heard);
}

static void show_list(uint8_t first, uint8_t second)
{
	struct elect_event event = { .now_us = now_us, .type = ELECT_EVENT_TICK };

	fake.members[0].id.bytes[0] = first;
	fake.members[1].id.bytes[0] = second;
	fake.says.type = ELECT_ACTION_VIEW;
	host_step(host, &event, &actions);
	fake.says.type = ELECT_ACTION_EXIT;
}

static void a_host_with_another_key_is_reported_from_its_header(void **state)
{
	(void)state;
	assert_int_equal(list(), 0);
	hear(7, &nine);
	now_us += 1000;
	hear(7, &nine);
	assert_int_equal(list(), 1);
	assert_int_equal(heard[0].key_id, 7);
	assert_true(elect_id_equal(&heard[0].id, &nine));
	assert_memory_equal(heard[0].from.bytes, path.bytes, 4);
	assert_int_equal(heard[0].heard_us, now_us);
	assert_int_equal(heard[0].per_minute, 2);
	assert_false(heard[0].seen);
	assert_false(heard[0].missing);
	assert_int_equal(host_counters(host)->dropped[WIRE_KEY_BAD], 2);
	assert_int_equal(fake.steps, 1); /* the start */
	assert_false(trust_find(host_trust(host), &nine, 7) >= 0);
}

static void no_field_of_a_datagram_with_another_key_is_read(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	(void)state;
	fake.worth = ELECT_WORTH_FOLLOWING;
	d.bytes[8] = 7;
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_KEY_BAD);
	assert_int_equal(actions.count, 0);
	assert_int_equal(fake.hellos, 0);
	assert_int_equal(fake.met_us, 0);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(host_trust(host)->peers_count, 0);
	assert_int_equal(host_trust(host)->unverified.count, 0);
	assert_int_equal(list(), 1);
}

static void a_datagram_with_the_own_key_is_not_reported(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	(void)state;
	d.bytes[90] ^= 1;
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
	d.bytes[9] = 2;
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
	d.bytes[8] = 7;
	d.bytes[12] ^= 1;
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
	assert_int_equal(host_counters(host)->dropped[WIRE_TAG_BAD], 1);
	assert_int_equal(host_counters(host)->dropped[WIRE_KEY_BAD], 1);
	assert_int_equal(host_counters(host)->dropped[WIRE_DOMAIN_BAD], 1);
	assert_int_equal(list(), 0);
}

/* A former member returns with another key, which is the only case that is an error. */
static void a_former_member_with_another_key_is_missing(void **state)
{
	(void)state;
	prove_peer();
	hear(7, &two);
	assert_int_equal(list(), 1);
	assert_true(heard[0].seen);
	assert_false(heard[0].missing); /* it was no member yet */
	show_list(1, 2);
	list();
	assert_false(heard[0].missing);
	show_list(1, 1);
	list();
	assert_true(heard[0].missing);
	show_list(1, 2);
	list();
	assert_false(heard[0].missing);
}

static void a_host_that_was_never_proven_is_not_missing(void **state)
{
	(void)state;
	show_list(1, 9); /* this host has not verified it */
	show_list(1, 1);
	hear(7, &nine);
	assert_int_equal(list(), 1);
	assert_false(heard[0].seen);
	assert_false(heard[0].missing);
}

static void a_silent_host_with_another_key_is_forgotten(void **state)
{
	(void)state;
	hear(7, &nine);
	now_us += OTHER_KEYS_FORGET_US - 1;
	assert_int_equal(list(), 1);
	now_us++;
	assert_int_equal(list(), 0);
	hear(7, &nine);
	assert_int_equal(list(), 1);
	assert_int_equal(heard[0].per_minute, 1);
}

static void the_rate_is_that_of_the_last_minute(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		hear(7, &nine);
		now_us += MINUTE_US / 60;
	}
	list();
	assert_int_equal(heard[0].per_minute, 60);
	now_us += MINUTE_US / 2;
	list();
	assert_int_equal(heard[0].per_minute, 30);
	now_us += MINUTE_US;
	list();
	assert_int_equal(heard[0].per_minute, 0);
	assert_int_equal(list(), 1);
}

static void the_ports_of_a_host_share_one_entry(void **state)
{
	struct elect_address other = path;

	(void)state;
	other.port++;
	hear(7, &nine);
	hear_from(7, &nine, &other);
	assert_int_equal(list(), 1);
	other.bytes[3]++;
	hear_from(7, &nine, &other);
	hear(8, &nine);
	hear(7, &two);
	assert_int_equal(list(), 4);
}

static void the_oldest_entry_is_replaced(void **state)
{
	(void)state;
	for (uint8_t key = 1; key <= OTHER_KEYS_MAX + 1; key++, now_us++)
		hear(key, &nine);
	assert_int_equal(list(), OTHER_KEYS_MAX);
	for (unsigned i = 0; i < OTHER_KEYS_MAX; i++)
		assert_true(heard[i].key_id > 1);
}

static void a_flood_does_not_replace_a_verified_host(void **state)
{
	struct elect_address from = path;
	struct elect_id id = nine;
	bool kept = false;

	(void)state;
	prove_peer();
	hear(7, &two);
	for (unsigned i = 0; i < 400000; i++, now_us += 3) {
		memcpy(from.bytes, &i, 4);
		memcpy(id.bytes + 4, &i, sizeof(i));
		hear_from((uint8_t)(1 + i % 255), &id, &from);
	}
	assert_int_equal(list(), OTHER_KEYS_MAX);
	for (unsigned i = 0; i < OTHER_KEYS_MAX; i++)
		kept |= heard[i].seen && heard[i].key_id == 7;
	assert_true(kept);
	assert_int_equal(host_trust(host)->peers_count, 1);
	assert_int_equal(fake.steps, 2);
}

/* A table full of verified hosts has space once they are silent. */
static void a_forgotten_verified_host_is_replaced(void **state)
{
	(void)state;
	prove_peer();
	for (uint8_t key = 1; key <= OTHER_KEYS_MAX; key++)
		hear(key, &two);
	hear(99, &nine);
	assert_int_equal(list(), OTHER_KEYS_MAX);
	for (unsigned i = 0; i < OTHER_KEYS_MAX; i++)
		assert_int_not_equal(heard[i].key_id, 99);
	now_us += OTHER_KEYS_FORGET_US;
	hear(99, &nine);
	assert_int_equal(list(), 1);
	assert_int_equal(heard[0].key_id, 99);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_host_with_another_key_is_reported_from_its_header),
		TEST(no_field_of_a_datagram_with_another_key_is_read),
		TEST(a_datagram_with_the_own_key_is_not_reported),
		TEST(a_former_member_with_another_key_is_missing),
		TEST(a_host_that_was_never_proven_is_not_missing),
		TEST(a_silent_host_with_another_key_is_forgotten),
		TEST(the_rate_is_that_of_the_last_minute),
		TEST(the_ports_of_a_host_share_one_entry),
		TEST(the_oldest_entry_is_replaced),
		TEST(a_flood_does_not_replace_a_verified_host),
		TEST(a_forgotten_verified_host_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
