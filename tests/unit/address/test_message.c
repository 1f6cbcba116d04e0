/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of rtnetlink messages, and what is read from those of the kernel. */
#include "address/message.h"
#include "net/mark.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SEQ = 0x01020304 };

static _Alignas(struct nlmsghdr) uint8_t bytes[MESSAGE_MAX * 4];

static struct message_address sample(const char *text, unsigned ifindex)
{
	struct message_address a = { .ifindex = ifindex };

	assert_true(message_parse(text, &a.address));
	a.prefix = message_full(&a.address);
	return a;
}

/* `words` are 32-bit words in hexadecimal, as they follow each other in memory. */
static void assert_bytes(size_t size, const char *words)
{
	char text[MESSAGE_MAX * 3] = "";
	size_t at = 0;

	for (size_t i = 0; i < size; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%02x",
			i && i % 4 == 0 ? " " : "", bytes[i]);
	assert_string_equal(text, words);
}

static bool little_endian(void)
{
	return htonl(1) != 1;
}

static void an_addition_of_ipv4(void **state)
{
	const struct message_address a = sample("192.0.2.100", 3);

	(void)state;
	if (!little_endian())
		skip();
	assert_bytes(message_add(bytes, SEQ, &a, 1, false),
		"44000000 14000506 04030201 00000000"		/* exclusive, with an answer */
		" 02200000 03000000"				/* AF_INET, /32, interface 3 */
		" 08000200 c0000264"				/* IFA_LOCAL */
		" 08000100 c0000264"				/* IFA_ADDRESS */
		" 14000600 00000000 01000000 00000000 00000000" /* 0 s preferred, 1 s valid */
		" 05000b00 65000000");				/* IFA_PROTO */
}

static void an_addition_with_a_label(void **state)
{
	const struct message_address a = sample("192.0.2.100", 3);

	(void)state;
	if (!little_endian())
		skip();
	assert_bytes(message_add(bytes, SEQ, &a, 2, true),
		"50000000 14000506 04030201 00000000 02200000 03000000 08000200 c0000264 08000100"
		" c0000264 14000600 00000000 02000000 00000000 00000000 05000b00 65000000"
		" 0b000300 656c6563 74640000");
}

static void an_addition_of_ipv6(void **state)
{
	const struct message_address a = sample("2001:db8::100", 4);

	(void)state;
	if (!little_endian())
		skip();
	assert_bytes(message_add(bytes, SEQ, &a, 1, true),
		"64000000 14000506 04030201 00000000 0a800000 04000000"
		" 14000200 20010db8 00000000 00000000 00000100"
		" 14000100 20010db8 00000000 00000000 00000100"
		" 14000600 00000000 01000000 00000000 00000000 05000b00 65000000"
		" 08000800 02000000"); /* without duplicate address detection */
}

static void a_refresh_replaces_and_keeps_the_mark(void **state)
{
	const struct message_address a = sample("192.0.2.100", 3);

	(void)state;
	if (!little_endian())
		skip();
	assert_bytes(message_refresh(bytes, SEQ, &a, 60, false),
		"44000000 14000105 04030201 00000000 02200000 03000000 08000200 c0000264 08000100"
		" c0000264 14000600 00000000 3c000000 00000000 00000000 05000b00 65000000");
}

/* Where the kernel keeps no IFA_PROTO, what a refresh adds again has the label. */
static void a_refresh_keeps_the_label(void **state)
{
	const struct message_address a = sample("192.0.2.100", 3);
	struct message_address read;

	(void)state;
	message_refresh(bytes, SEQ, &a, 1, true);
	((struct nlmsghdr *)(void *)bytes)->nlmsg_type = RTM_NEWADDR;
	assert_non_null(memmem(bytes, sizeof(bytes), NET_MARK_LABEL, sizeof(NET_MARK_LABEL)));
	assert_true(message_read((const void *)bytes, true, &read));
	assert_int_equal(read.mark, MESSAGE_MARKED);
}

static void a_removal_names_the_prefix(void **state)
{
	const struct message_address a = sample("192.0.2.100", 3);

	(void)state;
	if (!little_endian())
		skip();
	assert_bytes(message_remove(bytes, SEQ, &a),
		"28000000 15000500 04030201 00000000 02200000 03000000 08000200 c0000264 08000100"
		" c0000264");
}

static void the_longest_message_fits(void **state)
{
	const struct message_address a = sample("2001:db8::100", 4), b = sample("192.0.2.100", 4);

	(void)state;
	assert_in_range(message_add(bytes, SEQ, &a, 1, true), 1, MESSAGE_MAX);
	assert_in_range(message_add(bytes, SEQ, &b, 1, true), 1, MESSAGE_MAX);
	assert_in_range(message_refresh(bytes, SEQ, &a, 1, true), 1, MESSAGE_MAX);
}

/* ---- from the kernel ------------------------------------------------------------------------- */

static struct nlmsghdr *begin(uint8_t family, uint8_t prefix)
{
	struct nlmsghdr *m = mnl_nlmsg_put_header(bytes);
	struct ifaddrmsg *body;

	m->nlmsg_type = RTM_NEWADDR;
	body = mnl_nlmsg_put_extra_header(m, sizeof(*body));
	body->ifa_family = family;
	body->ifa_prefixlen = prefix;
	body->ifa_index = 5;
	return m;
}

static void put_text(struct nlmsghdr *m, uint16_t type, const char *text)
{
	struct elect_address a;

	assert_true(message_parse(text, &a));
	mnl_attr_put(m, type, a.family == 6 ? 16 : 4, a.bytes);
}

static void what_was_written_is_read(void **state)
{
	static const char *const texts[] = { "192.0.2.100", "2001:db8::100" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct message_address a = sample(texts[i], 3);
		struct message_address read;

		message_refresh(bytes, SEQ, &a, 1, false);
		assert_true(message_read((const void *)bytes, false, &read));
		assert_true(elect_address_equal(&read.address, &a.address));
		assert_int_equal(read.ifindex, 3);
		assert_int_equal(read.prefix, a.prefix);
		assert_int_equal(read.mark, MESSAGE_MARKED);
	}
}

static void another_mark_or_none_is_not_ours(void **state)
{
	struct message_address read;
	struct nlmsghdr *m = begin(AF_INET, 24);

	(void)state;
	put_text(m, IFA_LOCAL, "192.0.2.7");
	mnl_attr_put_strz(m, IFA_LABEL, NET_MARK_LABEL);
	assert_true(message_read(m, false, &read));
	assert_int_equal(read.mark, MESSAGE_UNMARKED);
	assert_int_equal(read.prefix, 24);
	mnl_attr_put_u8(m, NET_MARK_ATTRIBUTE, 3);
	assert_true(message_read(m, false, &read));
	assert_int_equal(read.mark, MESSAGE_UNMARKED);
}

static void an_older_kernel_has_labels_for_ipv4_only(void **state)
{
	struct message_address read;
	struct nlmsghdr *m = begin(AF_INET, 32);

	(void)state;
	put_text(m, IFA_LOCAL, "192.0.2.7");
	assert_true(message_read(m, true, &read));
	assert_int_equal(read.mark, MESSAGE_UNMARKED);
	mnl_attr_put_strz(m, IFA_LABEL, NET_MARK_LABEL);
	assert_true(message_read(m, true, &read));
	assert_int_equal(read.mark, MESSAGE_MARKED);
	m = begin(AF_INET, 24); /* the host's own, on an interface of that name */
	put_text(m, IFA_LOCAL, "192.0.2.7");
	mnl_attr_put_strz(m, IFA_LABEL, NET_MARK_LABEL);
	assert_true(message_read(m, true, &read));
	assert_int_equal(read.mark, MESSAGE_UNMARKED);
	m = begin(AF_INET6, 128);
	put_text(m, IFA_ADDRESS, "2001:db8::7");
	assert_true(message_read(m, true, &read));
	assert_int_equal(read.mark, MESSAGE_MARK_UNKNOWN);
}

static void the_other_end_of_a_tunnel_is_not_an_address(void **state)
{
	struct message_address read;
	struct nlmsghdr *m = begin(AF_INET, 32);
	char text[INET6_ADDRSTRLEN];

	(void)state;
	put_text(m, IFA_ADDRESS, "198.51.100.1");
	put_text(m, IFA_LOCAL, "192.0.2.7");
	assert_true(message_read(m, false, &read));
	assert_string_equal(message_text(&read.address, text), "192.0.2.7");
}

static void useless_messages_are_refused(void **state)
{
	struct message_address read;
	struct nlmsghdr *m = begin(AF_INET, 32);

	(void)state;
	assert_false(message_read(m, false, &read)); /* no address */
	mnl_attr_put(m, IFA_LOCAL, 3, "\1\2\3");
	assert_false(message_read(m, false, &read));
	m = begin(AF_UNIX, 32);
	put_text(m, IFA_LOCAL, "192.0.2.7");
	assert_false(message_read(m, false, &read));
	m = begin(AF_INET, 32);
	m->nlmsg_len = sizeof(*m) + 4;
	assert_false(message_read(m, false, &read));
}

static void only_addresses_are_parsed(void **state)
{
	struct elect_address a;

	(void)state;
	assert_true(message_parse("2001:db8::1", &a));
	assert_int_equal(a.family, 6);
	assert_false(message_parse("", &a));
	assert_false(message_parse("192.0.2.1/24", &a));
	assert_false(message_parse("fe80::1%eth0", &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_addition_of_ipv4),
		cmocka_unit_test(an_addition_with_a_label),
		cmocka_unit_test(an_addition_of_ipv6),
		cmocka_unit_test(a_refresh_replaces_and_keeps_the_mark),
		cmocka_unit_test(a_refresh_keeps_the_label),
		cmocka_unit_test(a_removal_names_the_prefix),
		cmocka_unit_test(the_longest_message_fits),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(another_mark_or_none_is_not_ours),
		cmocka_unit_test(an_older_kernel_has_labels_for_ipv4_only),
		cmocka_unit_test(the_other_end_of_a_tunnel_is_not_an_address),
		cmocka_unit_test(useless_messages_are_refused),
		cmocka_unit_test(only_addresses_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
