/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is equal after encoding and decoding. The header and the tables match the manual.
 */
#include "samples.h"
#include "surgery.h"

static struct elect_msg sample, decoded;
static struct datagram datagram;

static void encode_sample(unsigned i)
{
	sample_at(&sample, i);
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
}

static int decode(struct datagram *d)
{
	memset(&decoded, 0, sizeof(decoded)); /* the codec writes nothing beyond the counts */
	return decode_as(d, &decoded);
}

static void a_message_with_maximum_fields_comes_back_equal(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		encode_sample(i);
		assert_true(datagram.size <= WIRE_SIZE_MAX);
		assert_int_equal(decode(&datagram), 0);
		if (sample.type == ELECT_INVITATION) { /* it names as many as fit */
			assert_true(decoded.accepted_count < ELECT_ACCEPTED_MAX);
			assert_true(WIRE_SIZE_MAX - datagram.size < sizeof(uint32_t));
			for (unsigned a = decoded.accepted_count; a < ELECT_ACCEPTED_MAX; a++)
				sample.accepted[a] = 0;
			sample.accepted_count = decoded.accepted_count;
		}
		assert_memory_equal(&decoded, &sample, sizeof(sample));
	}
}

/* A receiver then uses the source of the beacon, like a host that does not know the field. */
static void a_full_beacon_does_not_carry_the_address_of_its_sender(void **state)
{
	(void)state;
	sample_message(&sample, ELECT_AYCOORD, 0);
	sample.address = (struct elect_address){ .bytes = { 192, 0, 2, 1 }, .family = 4 };
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
	assert_int_equal(decode(&datagram), 0);
	assert_int_equal(decoded.address.family, 0);
	sample.key_table.lags_count = 0;
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
	assert_int_equal(decode(&datagram), 0);
	assert_true(elect_address_equal(&decoded.address, &sample.address));
}

/* A newer version may count more false suspicions, and the unanswered ones are a part of them. */
static void a_number_of_false_suspicions_is_limited_to_its_maximum(void **state)
{
	static const uint8_t said[][2] = { { 1, 0 }, { 3, 2 }, { 6, 6 }, { 7, 7 }, { 255, 3 },
		{ 2, 9 } };
	static const uint8_t taken[][2] = { { 1, 0 }, { 3, 2 }, { 6, 6 }, { 6, 6 }, { 6, 3 },
		{ 2, 2 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		sample_message(&sample, ELECT_AYCOORD, FIELD_BIT(FIELD_KEY_LAGS));
		sample.patience = (struct elect_adaptive){ said[i][0], said[i][1] };
		datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
		assert_int_equal(decode(&datagram), 0);
		assert_int_equal(decoded.patience.alarms, taken[i][0]);
		assert_int_equal(decoded.patience.unanswered, taken[i][1]);
	}
}

static void a_message_without_optional_fields_comes_back_equal(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t kept = i ? FIELD_BIT(FIELD_MEMBERS) : FIELD_BIT(FIELD_PIECE);
		enum elect_msg_type type = sample_type(i);

		sample_message(&sample, type, elect_message_row(type)->optional & ~kept);
		datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
		assert_int_equal(decode(&datagram), 0);
		assert_memory_equal(&decoded, &sample, sizeof(sample));
	}
}

static void a_brief_message_leaves_out_what_its_row_names(void **state)
{
	static const enum elect_msg_type types[] = { ELECT_AYCOORD, ELECT_AYTHERE };

	(void)state;
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct elect_message_row *row = elect_message_row(types[i]);
		size_t whole;

		sample_message(&sample, types[i], row->optional);
		whole = wire_encode(&sample, &sample_header, datagram.bytes);
		sample_message(&sample, types[i], row->optional | row->unsaid);
		sample.brief = true;
		datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
		assert_in_range(datagram.size, 1, whole - 33);
		assert_int_equal(decode(&datagram), 0);
		assert_memory_equal(&decoded, &sample, sizeof(sample));
	}
}

static void an_invitation_to_few_groups_names_all_who_accepted(void **state)
{
	(void)state;
	sample_message(
		&sample, ELECT_INVITATION, FIELD_BIT(FIELD_GROUPS) | FIELD_BIT(FIELD_FROM_GROUP));
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
	assert_int_equal(decode(&datagram), 0);
	assert_int_equal(decoded.accepted_count, ELECT_ACCEPTED_MAX);
}

static void a_part_holds_as_many_small_members_as_fit(void **state)
{
	(void)state;
	sample_message(&sample, ELECT_READY, FIELD_BIT(FIELD_PIECE) | FIELD_BIT(FIELD_MEMBERS));
	for (unsigned i = 0; i < ELECT_PART_MEMBERS_MAX; i++) {
		sample_id(&sample.members[i].id, (uint8_t)i);
		strcpy(sample.members[i].name, "n");
	}
	sample.part.members_count = ELECT_PART_MEMBERS_MAX;
	sample.part.total = ELECT_PART_MEMBERS_MAX;
	assert_true(wire_member_size(&sample.members[0]) * ELECT_PART_MEMBERS_MAX >
		ELECT_PART_BYTES); /* so the maximum number is never reached */
	sample.part.members_count = (uint16_t)(ELECT_PART_BYTES / wire_member_size(sample.members));
	memset(&sample.members[sample.part.members_count], 0,
		sizeof(sample.members) - sample.part.members_count * sizeof(sample.members[0]));
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
	assert_int_equal(decode(&datagram), 0);
	assert_memory_equal(&decoded, &sample, sizeof(sample));
}

static void a_member_has_the_size_that_wire_member_size_returns(void **state)
{
	(void)state;
	for (unsigned family = 0; family <= 6; family += family ? 2 : 4) {
		size_t size[2];

		sample_message(&sample, ELECT_READY, FIELD_BIT(FIELD_PIECE));
		sample.members[1].address.family = (uint8_t)family;
		for (unsigned n = 0; n < 2; n++) {
			sample.part.members_count = (uint16_t)(1 + n);
			size[n] = wire_encode(&sample, &sample_header, datagram.bytes);
		}
		assert_int_equal(size[1] - size[0], wire_member_size(&sample.members[1]));
	}
}

static void an_unknown_address_comes_back_as_none(void **state)
{
	(void)state;
	sample_message(&sample, ELECT_INVITATION, 0);
	memset(&sample.inviter_at, 0, sizeof(sample.inviter_at));
	datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
	assert_int_equal(decode(&datagram), 0);
	assert_int_equal(decoded.inviter_at.family, 0);
}

/* Hosts of different versions depend on every byte of the format. */
static void a_goodbye_has_its_documented_bytes(void **state)
{
	static const uint8_t expected[] = {
		'E', 'C', 'L', 'T', 1, 12, 0, 149, 3, 1, 1, 0, 1, 2, 3, 4, /* up to the domain */
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,
		0x1e, 0x1f,				/* host id */
		255, 255, 255, 255, 255, 255, 255, 255, /* session */
		255, 255, 255, 255, 255, 255, 255, 248, /* incarnation */
		63, 255, 255, 255, 255, 255, 255, 255,	/* sequence */
		0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
		0x11, 0x11,				/* transaction */
		255, 255, 255, 255, 255, 255, 255, 246, /* counter */
		0, 1, 0, 24, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b,
		0x2c, 0x2d, 0x2e, 0x2f, 0, 0, 0, 0x7f, 255, 255, 255, 255, /* group */
		0, 8, 0, 16, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b,
		0x4c, 0x4d, 0x4e, 0x4f,				/* other */
		0, 12, 0, 1, 2,					/* loss: resign */
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* tag, not sealed */
	};

	(void)state;
	encode_sample(ELECT_GOODBYE);
	assert_int_equal(datagram.size, sizeof(expected));
	assert_memory_equal(datagram.bytes, expected, sizeof(expected));
}

static void a_refused_header_has_a_verdict(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		enum wire_verdict verdict;
	} rows[] = {
		{ 0, 'e', WIRE_MAGIC_BAD },
		{ 3, 0, WIRE_MAGIC_BAD },
		{ 4, 0, WIRE_VERSION_BAD },
		{ 4, 2, WIRE_VERSION_BAD },
		{ 5, ELECT_MSG_NONE, WIRE_TYPE_BAD },
		{ 5, ELECT_CHALLENGE_ANSWER + 1, WIRE_TYPE_BAD },
		{ 5, ELECT_MSG_TYPES, WIRE_TYPE_BAD },
		{ 5, 255, WIRE_TYPE_BAD },
		{ 6, 4, WIRE_LENGTH_BAD },
		{ 7, 0, WIRE_LENGTH_BAD },
		{ 10, 2, WIRE_LENGTH_BAD },
		{ 10, 0x81, WIRE_LENGTH_BAD },
		{ 11, 1, WIRE_LENGTH_BAD },
		{ 10, 0, WIRE_OK },
	};
	struct wire_header h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		encode_sample(ELECT_HELLO);
		datagram.bytes[rows[i].at] = rows[i].value;
		assert_int_equal(
			wire_decode_header(datagram.bytes, datagram.size, &h), rows[i].verdict);
	}
}

static void the_header_comes_back_equal(void **state)
{
	struct wire_header h;

	(void)state;
	encode_sample(ELECT_CHALLENGE);
	assert_int_equal(
		datagram.size, WIRE_HEADER_SIZE + 4 + ELECT_NAME_MAX + 4 + 40 + WIRE_TAG_SIZE);
	assert_int_equal(wire_decode_header(datagram.bytes, datagram.size, &h), WIRE_OK);
	assert_int_equal(h.type, ELECT_CHALLENGE);
	assert_int_equal(h.length, datagram.size);
	assert_int_equal(h.key_id, sample_header.key_id);
	assert_int_equal(h.algorithm, sample_header.algorithm);
	assert_true(h.to_all);
	assert_int_equal(h.domain_hash, sample_header.domain_hash);
	assert_int_equal(h.sequence, sample_header.sequence);
	assert_true(elect_id_equal(&h.sender, &sample.sender));
	assert_int_equal(h.session, sample.session);
	assert_int_equal(h.incarnation, sample.incarnation);
	assert_int_equal(h.counter, sample.counter);
	assert_memory_equal(&h.transaction, &sample.transaction, sizeof(h.transaction));
}

static void sizes_outside_of_a_datagram_are_short(void **state)
{
	struct wire_header h;

	(void)state;
	encode_sample(ELECT_HELLO);
	for (size_t size = 0; size < WIRE_HEADER_SIZE + WIRE_TAG_SIZE; size++)
		assert_int_equal(wire_decode_header(datagram.bytes, size, &h), WIRE_SHORT);
	assert_int_equal(wire_decode_header(datagram.bytes, WIRE_SIZE_MAX + 1, &h), WIRE_SHORT);
}

static void the_table_of_fields_is_complete_and_in_order(void **state)
{
	size_t count;
	const struct wire_field_info *rows = wire_fields(&count);

	(void)state;
	assert_int_equal(count, FIELD_NUMBERS - 1);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(rows[i].number, wire_number_sent((unsigned)i + 1));
		assert_true(rows[i].name[0] != '\0' && rows[i].format[0] != '\0');
		assert_non_null(wire_field_table[i + 1].read);
		assert_non_null(wire_field_table[i + 1].write);
	}
}

/* A number that is in use on LANs keeps its field for ever. */
static void skippable_fields_keep_their_numbers(void **state)
{
	static const struct {
		unsigned sent;
		const char *name;
	} promised[] = {
		{ 0x8000, "quorum" },
		{ 0x8001, "known" },
		{ 0x8002, "other_name" },
		{ 0x8003, "bound" },
		{ 0x8004, "loss_exact" },
		{ 0x8005, "next" },
		{ 0x8006, "crashed" },
		{ 0x8007, "keys" },
		{ 0x8008, "key_rows" },
		{ 0x8009, "key_lags" },
		{ 0x800a, "why_not" },
		{ 0x800b, "why_nots" },
		{ 0x800c, "version" },
		{ 0x800d, "room" },
		{ 0x800e, "address" },
		{ 0x800f, "guide" },
		{ 0x8010, "patience" },
		{ 0x8011, "succeeded" },
		{ 0x8012, "dead_after" },
		{ 0x8013, "new_name" },
		{ 0x8014, "heard" },
		{ 0x8015, "tops" },
		{ 0x8016, "family" },
		{ 0x8017, "hears" },
	};
	size_t count;
	const struct wire_field_info *rows = wire_fields(&count);

	(void)state;
	assert_int_equal(count, FIELD_SKIPPABLE - 1 + sizeof(promised) / sizeof(promised[0]));
	for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++) {
		assert_int_equal(rows[FIELD_SKIPPABLE - 1 + i].number, promised[i].sent);
		assert_string_equal(rows[FIELD_SKIPPABLE - 1 + i].name, promised[i].name);
	}
}

static void every_verdict_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WIRE_VERDICTS; i++)
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(wire_verdict_name(i), wire_verdict_name(j));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_with_maximum_fields_comes_back_equal),
		cmocka_unit_test(a_full_beacon_does_not_carry_the_address_of_its_sender),
		cmocka_unit_test(a_number_of_false_suspicions_is_limited_to_its_maximum),
		cmocka_unit_test(a_message_without_optional_fields_comes_back_equal),
		cmocka_unit_test(a_brief_message_leaves_out_what_its_row_names),
		cmocka_unit_test(an_invitation_to_few_groups_names_all_who_accepted),
		cmocka_unit_test(a_part_holds_as_many_small_members_as_fit),
		cmocka_unit_test(a_member_has_the_size_that_wire_member_size_returns),
		cmocka_unit_test(an_unknown_address_comes_back_as_none),
		cmocka_unit_test(a_goodbye_has_its_documented_bytes),
		cmocka_unit_test(a_refused_header_has_a_verdict),
		cmocka_unit_test(the_header_comes_back_equal),
		cmocka_unit_test(sizes_outside_of_a_datagram_are_short),
		cmocka_unit_test(the_table_of_fields_is_complete_and_in_order),
		cmocka_unit_test(skippable_fields_keep_their_numbers),
		cmocka_unit_test(every_verdict_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
