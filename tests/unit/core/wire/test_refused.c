/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec refuses every datagram that does not have exactly the format, and a refused datagram
 * changes nothing.
 */
#include "samples.h"
#include "surgery.h"

#include <errno.h>
#include <stdio.h>

static struct elect_msg sample, decoded, again;
static struct datagram datagram, changed;

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

/* Accepted bytes must be a whole message: the decoded message is equal after encoding it again. */
static void assert_refused_or_whole(struct datagram *d)
{
	if (decode(d) < 0)
		return;
	changed.size = wire_encode(&decoded, &sample_header, changed.bytes);
	memset(&again, 0, sizeof(again));
	assert_int_equal(wire_decode(changed.bytes, changed.size, &again), 0);
	assert_memory_equal(&again, &decoded, sizeof(again));
}

static int decode_goodbye(enum elect_loss loss, uint64_t sequence, bool to_all)
{
	struct wire_header header = sample_header;

	header.sequence = sequence;
	header.to_all = to_all;
	sample_message(&sample, ELECT_GOODBYE, 0);
	sample.loss = loss;
	datagram.size = wire_encode(&sample, &header, datagram.bytes);
	return decode(&datagram);
}

static void a_living_host_cannot_report_its_crash(void **state)
{
	static const enum elect_loss wills[] = { ELECT_LOSS_CRASH, ELECT_LOSS_CRASHING };

	(void)state;
	for (unsigned i = 0; i < sizeof(wills) / sizeof(wills[0]); i++) {
		assert_int_equal(decode_goodbye(wills[i], WIRE_WILL_FROM - 1, true), -EBADMSG);
		assert_int_equal(decode_goodbye(wills[i], WIRE_WILL_FROM, false), -EBADMSG);
		assert_int_equal(decode_goodbye(wills[i], WIRE_WILL_FROM, true), 0);
		assert_int_equal(decoded.loss, wills[i]);
	}
	assert_int_equal(decode_goodbye(ELECT_LOSS_STOP, WIRE_WILL_FROM, true), -EBADMSG);
	assert_int_equal(decode_goodbye(ELECT_LOSS_STOP, WIRE_WILL_FROM - 1, true), 0);
}

static void older_hosts_read_a_crash_as_a_stop_and_refuse_crashing(void **state)
{
	const size_t loss_at = FIELDS_AT + 28 + 20 + 4;

	(void)state;
	decode_goodbye(ELECT_LOSS_CRASH, WIRE_WILL_FROM, true);
	assert_int_equal(datagram.bytes[loss_at], ELECT_LOSS_STOP);
	decode_goodbye(ELECT_LOSS_CRASHING, WIRE_WILL_FROM, true);
	assert_int_equal(datagram.bytes[loss_at], ELECT_LOSS_SILENCE);
}

static void every_truncation_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		encode_sample(i);
		for (size_t size = 0; size < datagram.size; size++)
			assert_int_equal(wire_decode(datagram.bytes, size, &decoded), -EBADMSG);
	}
}

/* With a matching length, only a message that ends before an optional field is valid. */
static void a_truncated_message_is_refused_or_ends_at_an_optional_field(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		encode_sample(i);
		for (size_t end = datagram.size - WIRE_TAG_SIZE - 1; end >= FIELDS_AT; end--) {
			size_t at = FIELDS_AT;

			while (at < end)
				at += field_size(&datagram, at);
			cut_out(&datagram, end, 1);
			if (decode(&datagram) == 0)
				assert_int_equal(at, end);
		}
	}
}

static void bytes_behind_the_last_field_are_refused(void **state)
{
	static const uint8_t junk[] = { 0x00, 0x01, 0x7f };

	(void)state;
	for (unsigned i = 1; i < SAMPLES; i++)
		for (unsigned j = 0; j < sizeof(junk); j++)
			for (size_t size = 1; size <= 40; size++) {
				uint8_t bytes[40];

				encode_sample(i);
				memset(bytes, junk[j], sizeof(bytes));
				put_in(&datagram, datagram.size - WIRE_TAG_SIZE, bytes, size);
				assert_int_equal(decode(&datagram), -EBADMSG);
			}
}

static void every_flipped_bit_is_refused_or_gives_a_whole_message(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		encode_sample(i);
		for (size_t bit = 0; bit < datagram.size * 8; bit++) {
			uint8_t mask = (uint8_t)(1 << bit % 8);

			datagram.bytes[bit / 8] ^= mask;
			if (bit / 8 != 6 && bit / 8 != 7)
				assert_refused_or_whole(&datagram);
			datagram.bytes[bit / 8] ^= mask;
		}
	}
}

static void a_message_without_a_field_it_must_carry_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 1; i < SAMPLES; i++)
		for (unsigned number = 1; number < FIELD_NUMBERS; number++) {
			encode_sample(i);
			if (!has_field(&datagram, wire_number_sent(number)))
				continue;
			drop_field(&datagram, wire_number_sent(number));
			if (elect_message_row(sample.type)->optional & FIELD_BIT(number) &&
				number != FIELD_MEMBERS && number != FIELD_KEY_ROWS)
				assert_int_equal(decode(&datagram), 0);
			else
				assert_int_equal(decode(&datagram), -EBADMSG);
		}
}

static void a_doubled_field_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++)
		for (unsigned number = 1; number < FIELD_NUMBERS; number++) {
			size_t at;

			encode_sample(i);
			if (!has_field(&datagram, wire_number_sent(number)))
				continue;
			at = find_field(&datagram, wire_number_sent(number));
			changed = datagram;
			put_in(&datagram, at, changed.bytes + at, field_size(&changed, at));
			if (datagram.size > WIRE_SIZE_MAX)
				continue; /* refused for another reason */
			assert_int_equal(decode(&datagram), -EBADMSG);
		}
}

static void fields_out_of_order_are_refused(void **state)
{
	size_t at, size;

	(void)state;
	encode_sample(ELECT_READY_ANSWER);
	at = find_field(&datagram, FIELD_LIST_VERSION);
	size = field_size(&datagram, at);
	changed = datagram;
	cut_out(&datagram, at, size);
	assert_int_equal(decode(&datagram), -EBADMSG);
	put_in(&datagram, FIELDS_AT, changed.bytes + at, size);
	assert_int_equal(datagram.size, changed.size);
	assert_int_equal(decode(&datagram), -EBADMSG);
}

/* A valid field in a message that does not carry it, or in the wrong place. */
static void a_field_of_another_message_is_refused_below_0x8000(void **state)
{
	(void)state;
	for (unsigned number = 1; number < FIELD_NUMBERS; number++)
		for (unsigned to = 1; to < ELECT_MSG_TYPES; to++) {
			unsigned from = SAMPLES, sent = wire_number_sent(number);
			size_t at;

			if (elect_message_may_carry(sample_type(to), number))
				continue;
			while (from-- > 0) {
				encode_sample(from);
				if (has_field(&datagram, sent))
					break;
			}
			at = find_field(&datagram, sent);
			changed = datagram;
			encode_sample(to);
			put_in(&datagram, find_field(&datagram, sent), changed.bytes + at,
				field_size(&changed, at));
			if (datagram.size > WIRE_SIZE_MAX)
				continue; /* refused for another reason */
			assert_int_equal(decode(&datagram), sent < 0x8000 ? -EBADMSG : 0);
		}
}

enum { UNKNOWN = WIRE_SKIP_FROM + FIELD_NUMBERS - FIELD_SKIPPABLE };

static void unknown_fields_are_skipped_from_0x8000_up_and_refused_below(void **state)
{
	(void)state;
	for (unsigned i = 1; i < SAMPLES; i++) {
		encode_sample(i);
		if (datagram.size > WIRE_SIZE_MAX - 32)
			continue;
		put_field(&datagram, UNKNOWN, "", 0);
		put_field(&datagram, UNKNOWN + 1, "abc", 3);
		put_field(&datagram, 0xffff, "abc", 3);
		assert_int_equal(decode(&datagram), 0);
		assert_memory_equal(&decoded, &sample, sizeof(sample));
		put_field(&datagram, UNKNOWN + 1, "abc", 3);
		assert_int_equal(decode(&datagram), -EBADMSG);
		encode_sample(i);
		put_field(&datagram, 0x7fff, "abc", 3);
		assert_int_equal(decode(&datagram), -EBADMSG);
		encode_sample(i);
		put_field(&datagram, FIELD_SKIPPABLE, "abc", 3);
		assert_int_equal(decode(&datagram), -EBADMSG);
		encode_sample(i);
		put_field(&datagram, 0, "abc", 3);
		assert_int_equal(decode(&datagram), -EBADMSG);
	}
}

#define NAME_64	 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define NUL_7	 "\0\0\0\0\0\0\0"
#define MAX_7	 "\xff\xff\xff\xff\xff\xff\xff"
#define U64_0	 "\0" NUL_7
#define U64_1	 NUL_7 "\1"
#define U64_MOST "\x3f" MAX_7
#define ID	 "iiiiiiiiiiiiiiii"
#define GROUP	 ID "\0\0\0\0\0\0\0\1"
#define NOBODY	 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define MEMBER                                                                                     \
	ID "sessionn"                                                                              \
	   "incarnat"                                                                              \
	   "\0\0\0"                                                                                \
	   "\1"                                                                                    \
	   "\1"

/* A key that the whole group lacks and sends. */
#define KEY_ROW	   "\1name\4\0\4\0"
#define KEY_ROWS_4 KEY_ROW KEY_ROW KEY_ROW KEY_ROW

#define BYTES(text) text, sizeof(text) - 1

/* A field that replaces the message's own, and the result. */
static const struct {
	enum elect_msg_type type;
	unsigned number;
	const char *bytes;
	size_t size;
	int result;
} range_rows[] = {
	{ ELECT_DECLINE, FIELD_GROUP, BYTES(GROUP), 0 },
	{ ELECT_DECLINE, FIELD_GROUP, BYTES(ID "\0\0\0\x80\0\0\0\0"), -EBADMSG },
	{ ELECT_DECLINE, FIELD_GROUP, BYTES(ID "\0\0\0\0\0\0\0"), -EBADMSG },
	{ ELECT_DECLINE, FIELD_GROUP, BYTES(GROUP "\0"), -EBADMSG },
	{ ELECT_DECLINE, FIELD_GROUP, BYTES(""), -EBADMSG },
	{ ELECT_DECLINE, FIELD_FLOOR, BYTES("\x80\0\0\0\0\0\0\0"), -EBADMSG },
	{ ELECT_DECLINE, FIELD_WHY, BYTES("\6"), -EBADMSG },
	{ ELECT_HELLO, FIELD_STANDING, BYTES("\x1f\4\0\xff"), 0 },
	{ ELECT_HELLO, FIELD_STANDING, BYTES("\x20\4\0\xff"), -EBADMSG },
	{ ELECT_HELLO, FIELD_STANDING, BYTES("\0\4\1\xff"), -EBADMSG },
	{ ELECT_AYCOORD, 0x8000, BYTES("\0\1"), 0 },
	{ ELECT_AYCOORD, 0x8000, BYTES("\4\0"), 0 },
	{ ELECT_AYCOORD, 0x8000, BYTES("\0\0"), 0 },
	{ ELECT_AYCOORD, 0x8000, BYTES("\4\1"), -EBADMSG },
	{ ELECT_AYCOORD, 0x8000, BYTES("\0\0\1"), -EBADMSG },
	{ ELECT_AYCOORD, 0x8000, BYTES(""), -EBADMSG },
	{ ELECT_ACCEPT, 0x8003, BYTES("\0\0\0\1"), 0 },
	{ ELECT_ACCEPT, 0x8003, BYTES("\0\0\0\0"), -EBADMSG },
	{ ELECT_ACCEPT, 0x8003, BYTES("\x3b\x9a\xca\1"), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8001, BYTES("\0\0\0\0\0\0\0\1"), 0 },
	{ ELECT_CHALLENGE_ANSWER, 0x8001, BYTES("\0\0\0\0\0\0\0\0"), -EBADMSG },
	{ ELECT_AYCOORD_ANSWER, 0x8002, BYTES("a"), 0 },
	{ ELECT_AYCOORD_ANSWER, 0x8002, BYTES("a b"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES("a"), 0 },
	{ ELECT_HELLO, FIELD_NAME, BYTES("a b"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES("-rf"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES(".."), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES("a\0b"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES("a\0"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES("$(reboot)"), -EBADMSG },
	{ ELECT_HELLO, FIELD_NAME, BYTES(NAME_64), -EBADMSG },
	{ ELECT_HELLO, FIELD_TIMINGS, BYTES("\0\0\0\0\0\0\0\1"), -EBADMSG },
	{ ELECT_HELLO, FIELD_TIMINGS, BYTES("\0\0\0\1\0\0\0\0"), -EBADMSG },
	{ ELECT_HELLO, FIELD_TIMINGS, BYTES("\x3b\x9a\xca\1\0\0\0\1"), -EBADMSG },
	{ ELECT_AYTHERE, FIELD_PROBE, BYTES("\2"), -EBADMSG },
	{ ELECT_AYUP_ANSWER, FIELD_STATE, BYTES("\3"), 0 },
	{ ELECT_AYUP_ANSWER, FIELD_STATE, BYTES("\4"), -EBADMSG },
	{ ELECT_AYTHERE_ANSWER, FIELD_ANSWER, BYTES("\4"), -EBADMSG },
	{ ELECT_GOODBYE, FIELD_LOSS, BYTES("\0"), -EBADMSG },
	{ ELECT_GOODBYE, FIELD_LOSS, BYTES("\1"), 0 },
	{ ELECT_GOODBYE, FIELD_LOSS, BYTES("\3"), -EBADMSG },
	{ ELECT_GOODBYE, FIELD_LOSS, BYTES("\4"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_LOSS, BYTES("\4"), 0 },
	{ ELECT_INVITATION, FIELD_LOSS, BYTES("\5"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITE, BYTES("\4"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_FROM_GROUP, BYTES(ID "\1\0\0\0\0\0\0\0"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_EXPECTED, BYTES("\x44\0"), 0 },
	{ ELECT_INVITATION, FIELD_EXPECTED, BYTES("\x44\1"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\0\0\0"),
		0 },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\0\0\1"),
		-EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\5\0\1abcd"),
		-EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\4\0\1abc"),
		-EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\4\0\1abcd"),
		0 },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(ID "session1"
			 "starts12" ID "\4\0\1abcde"),
		-EBADMSG },
	{ ELECT_INVITATION, FIELD_INVITER,
		BYTES(NOBODY "session1"
			     "starts12" ID "\4\0\1abcd"),
		-EBADMSG },
	{ ELECT_INVITATION, FIELD_GROUPS, BYTES(GROUP "\4\0"), 0 },
	{ ELECT_INVITATION, FIELD_GROUPS, BYTES(GROUP "\4\1"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_GROUPS, BYTES(GROUP "\4"), -EBADMSG },
	{ ELECT_INVITATION, FIELD_ACCEPTED, BYTES("abcd"), 0 },
	{ ELECT_INVITATION, FIELD_ACCEPTED, BYTES("abcde"), -EBADMSG },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\0"), 0 },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\1a"), 0 },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\1/"), -EBADMSG },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\2a"), -EBADMSG },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\xff" NAME_64), -EBADMSG },
	{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(""), -EBADMSG },
	{ ELECT_READY, FIELD_MISSING, BYTES(""), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\1\0\0\4\0"), 0 },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\0\0\0\4\0"), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\1\0\1\0\0\4\0"), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\xc1\0\0\4\0"), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\1\0\0\4\1"), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\1\3\xff\4\0"), -EBADMSG },
	{ ELECT_READY, FIELD_PART, BYTES("\0\0\0\1\xff\xff\4\0"), -EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER "\1n"), 0 },
	{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER "\0"), -EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER "\2n"), -EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER), -EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER "\1 "), -EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS,
		BYTES(ID "sessionn"
			 "incarnat"
			 "\0\0\0"
			 "\1"
			 "\2"
			 "\1n"),
		-EBADMSG },
	{ ELECT_READY, FIELD_MEMBERS,
		BYTES(NOBODY "sessionn"
			     "incarnat"
			     "\0\0\0"
			     "\1"
			     "\1"
			     "\1n"),
		-EBADMSG },
	{ ELECT_READY, FIELD_PIECE, BYTES("p"), -EBADMSG }, /* in addition to members */
	/* A loss that this version does not know is skipped. */
	{ ELECT_GOODBYE, 0x8004, BYTES("\x8"), 0 },
	{ ELECT_GOODBYE, 0x8004, BYTES("\xff"), 0 },
	{ ELECT_INVITATION, 0x8004, BYTES("\x8"), 0 },
	/* Each lag of the sample names the last of sixteen rows. */
	{ ELECT_AYCOORD, 0x8008, BYTES(KEY_ROWS_4 KEY_ROWS_4 KEY_ROWS_4 KEY_ROWS_4), 0 },
	{ ELECT_AYCOORD, 0x8008, BYTES(KEY_ROWS_4 KEY_ROWS_4 KEY_ROWS_4), -EBADMSG },
	{ ELECT_AYCOORD, 0x8008, BYTES(KEY_ROWS_4 KEY_ROWS_4 KEY_ROWS_4 KEY_ROWS_4 KEY_ROW),
		-EBADMSG },
	{ ELECT_AYCOORD, 0x8009, BYTES(ID "\xf\1"), 0 },
	{ ELECT_AYCOORD, 0x8009, BYTES(ID "\x10\1"), -EBADMSG },
	{ ELECT_AYCOORD, 0x8009, BYTES(ID "\xff\0"), -EBADMSG },
	{ ELECT_AYCOORD, 0x8009, BYTES(ID "\0\2"), -EBADMSG },
	{ ELECT_AYCOORD, 0x800a, BYTES("\1\0\0"), 0 },
	{ ELECT_AYCOORD, 0x800a, BYTES("\0\0\0"), -EBADMSG },
	{ ELECT_AYCOORD, 0x800a, BYTES("\xff\0\0"), 0 }, /* a newer kind: unknown */
	{ ELECT_READY, 0x800b, BYTES("\3\xff\1\0\0"), 0 },
	{ ELECT_READY, 0x800b, BYTES("\4\0\1\0\0"), -EBADMSG },
	{ ELECT_AYCOORD_ANSWER, 0x8011, BYTES(GROUP "\0"), 0 },
	{ ELECT_AYCOORD_ANSWER, 0x8011, BYTES(GROUP "\1"), -EBADMSG },
	{ ELECT_AYCOORD_ANSWER, 0x8011, BYTES(GROUP "\x7"), 0 },
	{ ELECT_AYCOORD_ANSWER, 0x8011, BYTES(GROUP "\x8"), -EBADMSG },
	{ ELECT_AYCOORD_ANSWER, 0x8011, BYTES(GROUP "\xff"), -EBADMSG },
	{ ELECT_AYTHERE, 0x800e, BYTES("abcd"), 0 },
	{ ELECT_AYTHERE, 0x800e, BYTES("abcde"), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_MOST U64_MOST U64_MOST U64_MOST), 0 },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_0 U64_0 U64_0 U64_0), 0 },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_0 U64_1 U64_1 U64_1 U64_1), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_1 U64_1 "\x40" NUL_7 U64_1), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_1 U64_1 U64_1 "\x40" NUL_7), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_1 U64_0 U64_0 U64_0), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_0 U64_1 U64_0 U64_0), -EBADMSG },
	{ ELECT_CHALLENGE, 0x8014, BYTES(U64_1 U64_1 U64_1 U64_1), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_1 U64_0 "\0"), 0 },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES("\x3f" MAX_7 "\x3f" MAX_7 "\x3f"), 0 },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_0 U64_1 "\0"), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES("\x40" NUL_7 U64_1 "\0"), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_1 "\x40" NUL_7 "\0"), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_1 "\x3f" MAX_7 "\x40"), -EBADMSG },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_1 U64_1 "\1"), 0 },
	{ ELECT_CHALLENGE_ANSWER, 0x8015, BYTES(U64_1 U64_1 "\2"), -EBADMSG },
	/* A field of another message is skipped. */
	{ ELECT_AYTHERE_ANSWER, 0x8015, BYTES(U64_0 U64_0), 0 },
	{ ELECT_CHALLENGE, 0x8015, BYTES(U64_1 U64_1), 0 },
	{ ELECT_AYTHERE, 0x8013, BYTES("web-3.example"), 0 },
	{ ELECT_AYTHERE, 0x8013, BYTES("$(reboot)"), -EBADMSG },
	{ ELECT_AYTHERE, 0x8013, BYTES(NAME_64), -EBADMSG },
};

static void values_out_of_range_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(range_rows) / sizeof(range_rows[0]); i++) {
		int result;

		encode_sample(range_rows[i].type);
		if (has_field(&datagram, range_rows[i].number))
			drop_field(&datagram, range_rows[i].number);
		put_field(&datagram, range_rows[i].number, range_rows[i].bytes, range_rows[i].size);
		result = decode(&datagram);
		if (result != range_rows[i].result)
			print_error("row %zu\n", i);
		assert_int_equal(result, range_rows[i].result);
	}
}

/* A list that exceeds its limit by one valid element, in a datagram of a legal size. */
static void lists_longer_than_their_caps_are_refused(void **state)
{
	static const struct {
		enum elect_msg_type type;
		unsigned number;
		const char *element;
		size_t size;
		unsigned cap;
	} rows[] = {
		{ ELECT_AYCOORD, FIELD_FOREIGN, BYTES(ID ID "\0"), ELECT_FOREIGN_MAX },
		{ ELECT_INVITATION, FIELD_GROUPS, BYTES(GROUP "\0\1"), ELECT_INVITED_MAX },
		{ ELECT_INVITATION, FIELD_ACCEPTED, BYTES("hash"), ELECT_ACCEPTED_MAX },
		{ ELECT_READY, FIELD_MISSING, BYTES("\xff"), ELECT_MISSING_BYTES },
		{ ELECT_READY, FIELD_MEMBERS, BYTES(MEMBER "\1n"), 22 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned more = 0; more < 2; more++) {
			uint8_t bytes[WIRE_SIZE_MAX];
			unsigned count = rows[i].cap + more;

			for (unsigned n = 0; n < count; n++)
				memcpy(bytes + n * rows[i].size, rows[i].element, rows[i].size);
			sample_message(
				&sample, rows[i].type, elect_message_row(rows[i].type)->optional);
			if (rows[i].number == FIELD_MISSING)
				sample_message(&sample, ELECT_READY, FIELD_BIT(FIELD_PIECE));
			sample.part.first = 0;
			sample.part.total = ELECT_HOSTS_MAX;
			if (rows[i].number == FIELD_MEMBERS) {
				sample.part.members_count = 1;
				sample.members[0].name[0] = 'n';
			}
			datagram.size = wire_encode(&sample, &sample_header, datagram.bytes);
			if (has_field(&datagram, rows[i].number))
				drop_field(&datagram, rows[i].number);
			put_field(&datagram, rows[i].number, bytes, count * rows[i].size);
			assert_true(datagram.size <= WIRE_SIZE_MAX);
			assert_int_equal(decode(&datagram), more ? -EBADMSG : 0);
		}
}

static void a_ready_carries_members_or_a_piece(void **state)
{
	(void)state;
	encode_sample(ELECT_READY);
	drop_field(&datagram, FIELD_MEMBERS);
	assert_int_equal(decode(&datagram), -EBADMSG);
	put_field(&datagram, FIELD_PIECE, "behind its end", 14);
	assert_int_equal(decode(&datagram), -EBADMSG);
	drop_field(&datagram, FIELD_PART);
	put_field(&datagram, FIELD_PART, "\0\0\0\1\0\0\x10\0", 8);
	assert_int_equal(decode(&datagram), 0);
	drop_field(&datagram, FIELD_PART);
	put_field(&datagram, FIELD_PART, "\0\0\0\1\0\0\x10\1", 8);
	assert_int_equal(decode(&datagram), -EBADMSG);
	put_field(&datagram, FIELD_MEMBERS, MEMBER "\1n", sizeof(MEMBER "\1n") - 1);
	assert_int_equal(decode(&datagram), -EBADMSG);
}

static void a_refused_datagram_changes_nothing(void **state)
{
	(void)state;
	encode_sample(ELECT_AYCOORD);
	drop_field(&datagram, FIELD_OTHER);
	memset(&decoded, 0x77, sizeof(decoded));
	memset(&again, 0x77, sizeof(again));
	assert_int_equal(decode_as(&datagram, &decoded), -EBADMSG);
	assert_memory_equal(&decoded, &again, sizeof(again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_living_host_cannot_report_its_crash),
		cmocka_unit_test(older_hosts_read_a_crash_as_a_stop_and_refuse_crashing),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(a_truncated_message_is_refused_or_ends_at_an_optional_field),
		cmocka_unit_test(bytes_behind_the_last_field_are_refused),
		cmocka_unit_test(every_flipped_bit_is_refused_or_gives_a_whole_message),
		cmocka_unit_test(a_message_without_a_field_it_must_carry_is_refused),
		cmocka_unit_test(a_doubled_field_is_refused),
		cmocka_unit_test(fields_out_of_order_are_refused),
		cmocka_unit_test(a_field_of_another_message_is_refused_below_0x8000),
		cmocka_unit_test(unknown_fields_are_skipped_from_0x8000_up_and_refused_below),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(lists_longer_than_their_caps_are_refused),
		cmocka_unit_test(a_ready_carries_members_or_a_piece),
		cmocka_unit_test(a_refused_datagram_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
