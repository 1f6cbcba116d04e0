/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frames the filter lets through. A socket of this process has the filter, so that the kernel
 * judges it; packet sockets need a privilege.
 */
#include "address/announce.h"

#include "address/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
static struct elect_address list[PLAN_MAX];
static int ends[2];

static void filter(uint8_t family, unsigned count)
{
	struct sock_filter code[ANNOUNCE_FILTER_MAX];
	struct sock_fprog program = { .filter = code };

	program.len = (unsigned short)announce_filter(family, list, count, code);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(
		setsockopt(ends[1], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), 0);
}

static int close_ends(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static int addresses(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PLAN_MAX; i++) {
		list[i] = (struct elect_address){ .family = i % 2 ? 6 : 4 };
		list[i].bytes[0] = 0x20;
		list[i].bytes[i % 2 ? 15 : 3] = (uint8_t)i;
	}
	return 0;
}

/* A frame that the filter refuses is lost, or cannot be sent. */
static bool passes(const uint8_t *frame, size_t size)
{
	uint8_t heard[256];

	if (send(ends[0], frame, size, 0) < 0)
		return false;
	return recv(ends[1], heard, sizeof(heard), 0) == (ssize_t)size;
}

static void arp_of_each_address_passes_and_no_other(void **state)
{
	uint8_t frame[FRAME_MAX], other[4] = { 0x20, 0, 0, 1 };

	(void)state;
	filter(4, PLAN_MAX);
	for (unsigned i = 0; i < PLAN_MAX; i += 2) {
		frame_arp(frame, FRAME_REPLY, list[i].bytes, mac);
		assert_true(passes(frame, FRAME_ARP_SIZE));
	}
	frame_arp(frame, FRAME_REPLY, other, mac);
	assert_false(passes(frame, FRAME_ARP_SIZE));
	frame_arp(frame, FRAME_REPLY, list[0].bytes, mac);
	assert_false(passes(frame, 20));
}

static void neighbour_messages_of_each_address_pass_and_no_others(void **state)
{
	uint8_t frame[FRAME_MAX], other[16] = { 0x20, [15] = 2 };

	(void)state;
	filter(6, PLAN_MAX);
	for (unsigned i = 1; i < PLAN_MAX; i += 2) {
		frame_advertisement(frame, list[i].bytes, mac);
		memcpy(frame + 22, other, 16); /* from another address */
		assert_true(passes(frame, FRAME_NA_SIZE));
		frame[54] = 135;
		assert_true(passes(frame, FRAME_NA_SIZE));
		memcpy(frame + 22, list[i].bytes, 16); /* about another target */
		memcpy(frame + 62, other, 16);
		assert_true(passes(frame, FRAME_NA_SIZE));
		frame[54] = 128;
		assert_false(passes(frame, FRAME_NA_SIZE));
	}
	frame_advertisement(frame, other, mac);
	assert_false(passes(frame, FRAME_NA_SIZE));
	frame_advertisement(frame, list[1].bytes, mac);
	frame[20] = 17;
	assert_false(passes(frame, FRAME_NA_SIZE));
}

static void the_first_words_of_an_address_are_not_enough(void **state)
{
	uint8_t frame[FRAME_MAX];

	(void)state;
	filter(6, 2);
	frame_advertisement(frame, list[1].bytes, mac);
	memcpy(frame + 22, list[1].bytes + 12, 4); /* its last word comes first */
	memcpy(frame + 62, list[1].bytes + 12, 4);
	assert_false(passes(frame, FRAME_NA_SIZE));
	for (unsigned i = 0; i < 16; i++) {
		frame_advertisement(frame, list[1].bytes, mac);
		frame[22 + i] ^= 0x80;
		frame[62 + i] ^= 0x80;
		assert_false(passes(frame, FRAME_NA_SIZE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			arp_of_each_address_passes_and_no_other, addresses, close_ends),
		cmocka_unit_test_setup_teardown(
			neighbour_messages_of_each_address_pass_and_no_others, addresses,
			close_ends),
		cmocka_unit_test_setup_teardown(
			the_first_words_of_an_address_are_not_enough, addresses, close_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
