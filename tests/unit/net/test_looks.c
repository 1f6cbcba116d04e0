/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the links are read: v0 is used, v1 is not. Bounds of time are lower bounds only, so a slow
 * machine fails no test. Skipped if no namespace or no interface can be made.
 */
#define _GNU_SOURCE /* unshare */

#include "net/net.h"

#include "net/memory.h"
#include "program/clock.h"
#include "unit/patience.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	SKIPPED = 77,
	PORT = 7543,
	LOOKS = 4,
	/* The clock of libevent may be a few ms old. */
	PAUSE_LEAST_US = (NET_ELSEWHERE_MS - 20) * 1000,
	CHANGES_LOST = 2000, /* more notifications than the buffer holds */
};

static const char *const used = "v0";
static struct event_base *base;
static struct net *net;
static unsigned changes;
static int control; /* a socket for ioctl(2) */

static void nothing(void *user)
{
	(void)user;
}

static void count_change(void *user)
{
	(void)user;
	changes++;
}

static int set_up(void **state)
{
	const struct net_handler handler = { .before = nothing, .changed = count_change };
	const struct net_config config = {
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = PORT, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = PORT, .family = 6 },
		.families = NET_IPV4,
		.port_first = PORT + 1,
		.port_last = PORT + 4,
		.patterns = &used,
		.patterns_count = 1,
	};
	uint16_t taken;

	(void)state;
	changes = 0;
	base = event_base_new();
	if (!base || net_open(&net, base, &config, &handler, NULL, &taken) || net_start(net))
		return -1;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	net_close(net);
	event_base_free(base);
	return 0;
}

/* Causes exactly one notification, of a link. */
static void change(const char *name)
{
	static int mtu = 1400;
	struct ifreq request = { .ifr_mtu = mtu++ % 100 + 1300 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	assert_int_equal(ioctl(control, SIOCSIFMTU, &request), 0);
}

static void set_up_or_down(const char *name, bool up)
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	assert_int_equal(ioctl(control, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
	assert_int_equal(ioctl(control, SIOCSIFFLAGS, &request), 0);
}

static uint64_t looks(void)
{
	return net_counters(net)->looks;
}

static void run(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
	poll(NULL, 0, 1);
}

/* Waits for `wanted` looks; `name` changes in each round; NULL: nothing changes. */
static void look_until(uint64_t wanted, const char *name)
{
	for (int round = 0; looks() < wanted && round < PATIENCE_ROUNDS; round++) {
		if (name)
			change(name);
		run();
	}
	assert_true(looks() >= wanted);
}

/* net_up() follows the carrier, which the kernel reports later than the flag IFF_UP. */
static void up_until(bool wanted)
{
	for (int round = 0; net_up(net) != wanted && round < PATIENCE_ROUNDS; round++)
		run();
	assert_int_equal(net_up(net), wanted);
}

/* The kernel may notice a carrier a second later and then report v0. After that, v0 is quiet. */
static bool await_v0(const char *operstate)
{
	char command[64];

	snprintf(command, sizeof(command), "ip -o link show v0 | grep -q 'state %s '", operstate);
	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		if (system(command) == 0)
			return true;
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	return false;
}

static void a_change_elsewhere_is_looked_at(void **state)
{
	uint64_t before = looks();

	(void)state;
	change("v1");
	look_until(before + 1, NULL);
}

/* The first look is not earlier than `began_us`, and the last one ends before the time is read. */
static void continuous_changes_elsewhere_are_looked_at_with_pauses(void **state)
{
	uint64_t before = looks(), began_us = 0, first;

	(void)state;
	for (int round = 0; looks() == before && round < PATIENCE_ROUNDS; round++) {
		change("v1");
		began_us = clock_boot_us();
		run();
	}
	first = looks();
	assert_int_equal(first, before + 1);
	look_until(first + LOOKS, "v1");
	assert_int_equal(looks(), first + LOOKS);
	assert_true(clock_boot_us() - began_us >= (uint64_t)LOOKS * PAUSE_LEAST_US);
}

static void a_change_in_use_is_seen_while_one_elsewhere_waits(void **state)
{
	(void)state;
	up_until(true);
	change("v1");
	event_base_loop(base, EVLOOP_NONBLOCK);
	set_up_or_down("v0", false);
	up_until(false);
	assert_true(await_v0("DOWN"));
	set_up_or_down("v0", true);
	up_until(true);
	assert_true(await_v0("UP"));
}

static void changes_that_the_kernel_lost_are_urgent(void **state)
{
	static struct net_links links;
	struct net_homes homes = { 0 };
	struct net_path paths[NET_PATHS_MAX];
	int monitor = net_links_monitor(), least = 1;

	(void)state;
	assert_true(monitor >= 0);
	assert_int_equal(setsockopt(monitor, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)), 0);
	assert_int_equal(net_links_read(&links, NET_BOTH), 0);
	net_links_choose(&links, &homes, clock_boot_us(), NET_IPV4, &used, 1, paths);
	change("v1");
	assert_int_equal(net_links_changed(monitor, &links, &used, 1), NET_CHANGE_ELSEWHERE);
	for (unsigned i = 0; i < CHANGES_LOST; i++)
		change("v1");
	assert_int_equal(net_links_changed(monitor, &links, &used, 1), NET_CHANGE_IN_USE);
	close(monitor);
	net_links_clear(&links);
}

/* v0 is the interface in use. `number`: "", or "index N" to reuse an index. */
static bool make_v0(const char *number)
{
	char command[256];

	snprintf(command, sizeof(command),
		"ip link add v0 %s type veth peer name p0 && ip link set v0 addrgenmode none && "
		"ip link set p0 addrgenmode none && ip link set p0 up && ip link set v0 up && "
		"ip addr add 192.0.2.1/24 dev v0",
		number);
	return system(command) == 0;
}

/* The kernel has joined the group of set_up() on v0. */
static bool is_joined(void)
{
	FILE *f = fopen("/proc/thread-self/net/igmp", "r");
	char line[128], name[IF_NAMESIZE] = "";
	bool found = false;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f)) {
		if (line[0] != '\t')
			sscanf(line, "%*d %15s", name);
		found = !strcmp(name, "v0") && strstr(line, "FE0000E0");
	}
	fclose(f);
	return found;
}

/* The next look finds the same link and address, and only the stamp of the address is younger. */
static void a_recreated_interface_joins_again(void **state)
{
	uint64_t before = looks();
	char number[32];

	(void)state;
	up_until(true);
	assert_true(is_joined());
	snprintf(number, sizeof(number), "index %u", if_nametoindex("v0"));
	assert_int_equal(system("ip link del v0"), 0);
	assert_true(make_v0(number));
	assert_false(is_joined());
	look_until(before + 1, NULL);
	for (int round = 0; !is_joined() && round < PATIENCE_ROUNDS; round++)
		run();
	assert_true(is_joined());
}

/* A 32-bit kernel has no such clock. */
static void stamps_of_addresses_have_a_clock(void **state)
{
	int kept[NET_KEPTS];
	struct net_memory memory;
	uint64_t now_cs = clock_awake_us() / 10000 + (UINT64_C(1) << 32);

	(void)state;
	if (sizeof(long) < sizeof(uint64_t))
		skip();
	net_kept(net, kept);
	net_memory_open(&memory, fcntl(kept[NET_KEPT_HOMES], F_DUPFD_CLOEXEC, 0), 0);
	assert_true(memory.homes.seen);
	assert_true(memory.homes.newest <= now_cs);
	assert_true(memory.homes.newest > now_cs - UINT64_C(86400) * 100);
	net_memory_close(&memory);
}

static bool make_interfaces(void)
{
	return system("ip link set lo up && ip link add v1 type veth peer name p1") == 0 &&
		make_v0("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_change_elsewhere_is_looked_at),
		T(continuous_changes_elsewhere_are_looked_at_with_pauses),
		T(a_change_in_use_is_seen_while_one_elsewhere_waits),
		T(changes_that_the_kernel_lost_are_urgent),
		T(a_recreated_interface_joins_again),
		T(stamps_of_addresses_have_a_clock),
#undef T
	};

	if (unshare(CLONE_NEWNET) || !make_interfaces())
		return SKIPPED;
	control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (!await_v0("UP")) {
		fprintf(stderr, "no carrier\n");
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
