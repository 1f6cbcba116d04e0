/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of announcements, and what frames of other machines claim. */
#include "address/frame.h"

#include "address/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t mac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
static const uint8_t address4[4] = { 192, 0, 2, 100 };
static const uint8_t address6[16] = { 0x20, 0x01, 0x0d, 0xb8, [14] = 0x01, [15] = 0x00 };
static uint8_t frame[128];

static void assert_bytes(const uint8_t *bytes, size_t size, const char *hex)
{
	char text[FRAME_MAX * 2 + 1] = "";

	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	assert_string_equal(text, hex);
}

static const char *claimed(size_t size)
{
	static char text[INET6_ADDRSTRLEN + 32], address_words[INET6_ADDRSTRLEN];
	struct elect_address address;
	uint8_t from[6];

	if (!frame_claims(frame, size, &address, from))
		return "nothing";
	snprintf(text, sizeof(text), "%s by %02x", message_text(&address, address_words), from[5]);
	return text;
}

/* ---- announcements --------------------------------------------------------------------------- */

static void a_gratuitous_request(void **state)
{
	(void)state;
	frame_arp(frame, FRAME_REQUEST, address4, mac);
	assert_bytes(frame, FRAME_ARP_SIZE,
		"ffffffffffff0211223344550806"
		"0001080006040001"
		"021122334455c0000264"
		"000000000000c0000264");
}

static void a_gratuitous_reply(void **state)
{
	(void)state;
	frame_arp(frame, FRAME_REPLY, address4, mac);
	assert_bytes(frame, FRAME_ARP_SIZE,
		"ffffffffffff0211223344550806"
		"0001080006040002"
		"021122334455c0000264"
		"021122334455c0000264");
}

static void an_unsolicited_advertisement_overrides(void **state)
{
	(void)state;
	frame_advertisement(frame, address6, mac);
	assert_bytes(frame, FRAME_NA_SIZE,
		"33330000000102112233445586dd"
		"6000000000203aff"
		"20010db8000000000000000000000100"
		"ff020000000000000000000000000001"
		"8800909420000000" /* the override flag alone */
		"20010db8000000000000000000000100"
		"0201021122334455");
}

static void a_checksum_over_the_whole_is_zero(void **state)
{
	(void)state;
	frame_advertisement(frame, address6, mac);
	assert_int_equal(frame_checksum(frame + 22, frame + 38, frame + 54, 32), 0);
	frame[70]++;
	assert_int_not_equal(frame_checksum(frame + 22, frame + 38, frame + 54, 32), 0);
}

static void a_checksum_of_an_odd_size(void **state)
{
	static const uint8_t none[16], odd[3] = { 0x12, 0x34, 0x56 };

	(void)state;
	/* 3 + 58 + 0x1234 + 0x5600 */
	assert_int_equal(frame_checksum(none, none, odd, 3), (uint16_t) ~(61 + 0x1234 + 0x5600));
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void a_request_or_reply_claims_its_senders_address(void **state)
{
	(void)state;
	for (unsigned i = FRAME_REQUEST; i <= FRAME_REPLY; i++) {
		frame_arp(frame, (enum frame_arp)i, address4, mac);
		frame[41] = 9; /* the address that is asked for */
		assert_string_equal(claimed(FRAME_ARP_SIZE), "192.0.2.100 by 55");
		assert_string_equal(claimed(60), "192.0.2.100 by 55"); /* padded */
	}
}

static void a_probe_and_other_arp_claim_nothing(void **state)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} changes[] = { { 13, 0 }, { 15, 6 }, { 16, 0 }, { 18, 8 }, { 19, 16 }, { 20, 1 },
		{ 21, 3 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		frame_arp(frame, FRAME_REQUEST, address4, mac);
		frame[changes[i].at] = changes[i].value;
		assert_string_equal(claimed(FRAME_ARP_SIZE), "nothing");
	}
	frame_arp(frame, FRAME_REQUEST, address4, mac);
	memset(frame + 28, 0, 4);
	assert_string_equal(claimed(FRAME_ARP_SIZE), "nothing");
}

static void an_advertisement_claims_its_target(void **state)
{
	(void)state;
	frame_advertisement(frame, address6, mac);
	frame[85] = 0x77; /* the MAC address of the option counts */
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::100 by 77");
	frame[78] = 14; /* another option: that of the frame */
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::100 by 55");
	frame[19] = 24; /* no option */
	assert_string_equal(claimed(FRAME_NA_SIZE - 8), "2001:db8::100 by 55");
}

static void a_solicitation_claims_its_source_or_else_its_target(void **state)
{
	(void)state;
	frame_advertisement(frame, address6, mac);
	frame[54] = 135;
	frame[78] = 1;
	frame[77] = 0x99; /* of the target */
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::100 by 55");
	memset(frame + 22, 0, 16);
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::199 by 55");
}

static void other_ipv6_claims_nothing(void **state)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} changes[] = {
		{ 12, 0 },	       /* another protocol */
		{ 14, 0x40 },	       /* another version */
		{ 19, 23 },	       /* shorter than an advertisement */
		{ 19, 33 },	       /* longer than the frame */
		{ 18, 1 }, { 20, 17 }, /* UDP */
		{ 21, 254 },	       /* forwarded */
		{ 54, 128 },	       /* an echo */
		{ 55, 1 },	       /* another code */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		frame_advertisement(frame, address6, mac);
		frame[changes[i].at] = changes[i].value;
		assert_string_equal(claimed(FRAME_NA_SIZE), "nothing");
	}
}

static void an_option_without_a_length_ends_the_search(void **state)
{
	(void)state;
	frame_advertisement(frame, address6, mac);
	frame[78] = 5;
	frame[79] = 0;
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::100 by 55");
	frame[79] = 255;
	assert_string_equal(claimed(FRAME_NA_SIZE), "2001:db8::100 by 55");
}

/* A copy of the exact size, so that a sanitizer sees each byte that is read behind it. */
static void a_short_frame_claims_nothing(void **state)
{
	uint8_t whole[2][FRAME_MAX];
	const size_t sizes[] = { FRAME_ARP_SIZE, FRAME_NA_SIZE };

	(void)state;
	frame_arp(whole[0], FRAME_REPLY, address4, mac);
	frame_advertisement(whole[1], address6, mac);
	for (unsigned i = 0; i < 2; i++)
		for (size_t size = 0; size < sizes[i]; size++) {
			uint8_t *cut = test_malloc(size + 1);
			struct elect_address address;
			uint8_t from[6];

			memcpy(cut + 1, whole[i], size);
			assert_false(frame_claims(cut + 1, size, &address, from));
			test_free(cut);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gratuitous_request),
		cmocka_unit_test(a_gratuitous_reply),
		cmocka_unit_test(an_unsolicited_advertisement_overrides),
		cmocka_unit_test(a_checksum_over_the_whole_is_zero),
		cmocka_unit_test(a_checksum_of_an_odd_size),
		cmocka_unit_test(a_request_or_reply_claims_its_senders_address),
		cmocka_unit_test(a_probe_and_other_arp_claim_nothing),
		cmocka_unit_test(an_advertisement_claims_its_target),
		cmocka_unit_test(a_solicitation_claims_its_source_or_else_its_target),
		cmocka_unit_test(other_ipv6_claims_nothing),
		cmocka_unit_test(an_option_without_a_length_ends_the_search),
		cmocka_unit_test(a_short_frame_claims_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
