/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_forge: tests of the messages that an insider sends: each part of each message has values,
 * and they reach the reader of that part. The messages are made from the tables of messages and
 * fields, so a new message or field is tested, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/lan/forge.h"

static void fill_craft(struct craft *c)
{
	memset(c, 0, sizeof(*c));
	c->rng.state = 1;
	for (unsigned i = 0; i < CRAFT_NUMBERS; i++)
		c->numbers[i] = i;
	for (unsigned i = 0; i < CRAFT_IDS; i++)
		c->ids[i].bytes[0] = (uint8_t)i;
	for (unsigned i = 1; i < CRAFT_ADDRESSES; i++)
		c->addresses[i] = (struct elect_address){
			.bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4
		};
	c->id.bytes[0] = c->other.bytes[0] = 1;
	c->session = c->incarnation = c->counter = c->to_one = c->to_all = 1;
	c->address = c->addresses[1];
	strcpy(c->name, "h1");
}

static bool is_read(enum elect_msg_type type, unsigned part, int value)
{
	struct forge_order o = { .header = { .type = (uint8_t)type,
					 .algorithm = WIRE_TAG_BLAKE2B,
					 .sender = { { 1 } },
					 .session = 1,
					 .incarnation = 1,
					 .sequence = 1 },
		.part = part,
		.value = value };
	static struct elect_msg m;
	uint8_t bytes[WIRE_SIZE_MAX];
	struct craft c;
	size_t size;

	fill_craft(&c);
	size = forge(&c, &o, bytes);
	return wire_decode(bytes, size, &m) == 0 && m.type == type;
}

static void each_part_has_values(void **state)
{
	(void)state;
	for (unsigned part = 1; part < FORGE_PARTS; part++)
		if (forge_values(part) == 0)
			fail_msg(
				"%s has no value: its format has a part that craft.c does not know",
				forge_part_name(part));
}

static void each_message_is_made_though_nothing_was_heard(void **state)
{
	(void)state;
	for (unsigned type = 1; type < ELECT_MSG_TYPES; type++)
		if (elect_msg_type_known(type) && !is_read(type, FORGE_PARTS, 0))
			fail_msg("%s is not read", elect_msg_type_name(type));
}

static void a_value_of_each_part_is_read(void **state)
{
	(void)state;
	for (unsigned type = 1; type < ELECT_MSG_TYPES; type++)
		for (unsigned part = 1; part < FORGE_PARTS && elect_msg_type_known(type); part++) {
			unsigned read = 0;

			for (unsigned v = 0; forge_varies(type, part) && v < forge_values(part);
				v++)
				read += is_read(type, part, (int)v);
			if (forge_varies(type, part) && !read)
				fail_msg("no value of %s.%s is read", elect_msg_type_name(type),
					forge_part_name(part));
		}
}

static void nothing_is_varied_that_a_message_does_not_carry(void **state)
{
	(void)state;
	assert_false(forge_varies(ELECT_HELLO, FIELD_GROUP));
	assert_true(forge_varies(ELECT_AYCOORD, FIELD_GROUP));
	assert_true(forge_varies(ELECT_HELLO, FORGE_SEQUENCE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_has_values),
		cmocka_unit_test(each_message_is_made_though_nothing_was_heard),
		cmocka_unit_test(a_value_of_each_part_is_read),
		cmocka_unit_test(nothing_is_varied_that_a_message_does_not_carry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
