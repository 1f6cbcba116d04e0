/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets of IPv6 over a cable in a network namespace; the loopback has no IPv6 multicast. */
#define _GNU_SOURCE /* unshare */

#include "net/net.h"

#include "unit/patience.h"
#include "unit/traffic_class.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77, PORT = 7543 };

static const char *const ends[] = { "v0", "v1" };

static struct event_base *base;
static struct net_config config;
static uint16_t taken;

/* The calls of each end's handler. */
static struct end {
	struct net *net;
	unsigned count, overheard, echoes;
	struct elect_way way;
	struct elect_address stranger;
} end[2];

static void before(void *user)
{
	(void)user;
}

static void datagram(void *user, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	struct end *e = user;

	assert_true(size >= 4);
	assert_memory_equal(bytes, "ECLT", 4);
	e->count++;
	e->way = *way;
}

static void overheard(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	struct end *e = user;

	assert_true(size >= 4);
	assert_memory_equal(bytes, "ECLT", 4);
	e->overheard++;
	e->stranger = *from;
}

static void echoed(void *user, const struct elect_id *id)
{
	struct end *e = user;

	assert_int_equal(id->bytes[0], 7);
	e->echoes++;
}

static void changed(void *user)
{
	(void)user;
}

static void open_end(unsigned which, unsigned families)
{
	const struct net_handler handler = {
		.before = before,
		.datagram = datagram,
		.overheard = overheard,
		.echoed = echoed,
		.changed = changed,
		.user = &end[which],
	};

	config.patterns = &ends[which];
	config.families = families;
	assert_int_equal(net_open(&end[which].net, base, &config, &handler, NULL, &taken), 0);
	assert_int_equal(net_start(end[which].net), 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(end, 0, sizeof(end));
	config = (struct net_config){
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = PORT, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = PORT, .family = 6 },
		.port_first = PORT + 1,
		.port_last = PORT + 4,
		.patterns_count = 1,
	};
	base = event_base_new();
	return base ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_close(end[0].net);
	net_close(end[1].net);
	event_base_free(base);
	return 0;
}

static void run_until(const unsigned *count, unsigned wanted)
{
	for (int round = 0; *count < wanted && round < PATIENCE_ROUNDS; round++) {
		event_base_loop(base, EVLOOP_NONBLOCK);
		if (*count < wanted)
			poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	assert_int_equal(*count, wanted);
}

/* NULL: to all */
static void say(unsigned which, const struct elect_address *to)
{
	const struct net_path *path = net_path_at(end[which].net, 0);

	assert_int_equal(net_send(end[which].net, path, to, (const uint8_t *)"ECLT", 4), 0);
}

static struct elect_address own(unsigned which)
{
	struct elect_address address;

	net_path_source(end[which].net, net_path_at(end[which].net, 0), &address);
	return address;
}

/* A datagram of an unverified peer, sent by the first end. */
static void say_strangely(const struct elect_address *to, int hops)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
		.sin6_port = htons(to->port),
		.sin6_scope_id = net_path_at(end[0].net, 0)->ifindex };
	unsigned by = address.sin6_scope_id;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(&address.sin6_addr, to->bytes, sizeof(address.sin6_addr));
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &by, sizeof(by)), 0);
	assert_int_equal(sendto(fd, "ECLT", 4, 0, (struct sockaddr *)&address, sizeof(address)), 4);
	close(fd);
}

static void the_group_is_received_at_the_other_end(void **state)
{
	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	assert_int_equal(net_paths_count(end[0].net), 1);
	assert_int_equal(own(0).family, 6);
	say(0, NULL);
	run_until(&end[1].count, 1);
	assert_true(elect_address_equal(&end[1].way.address,
		&(struct elect_address){ { 0xfe, 0x80, [15] = 1 }, own(0).port, 6 }));
	assert_int_equal(end[1].way.link, net_path_at(end[1].net, 0)->link);
	run_until(&end[0].count, 1); /* and by the sender itself */
}

static void a_host_is_reached_by_its_link(void **state)
{
	const struct elect_address *to = &end[1].way.address;

	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	say(0, NULL);
	run_until(&end[1].count, 1);
	run_until(&end[0].count, 1);
	say(1, to);
	run_until(&end[0].count, 2);
	assert_int_equal(end[0].way.address.port, own(1).port);
	assert_int_equal(end[0].way.link, net_path_at(end[0].net, 0)->link);
	assert_int_equal(end[1].count, 1);
}

static void a_kernel_answers_for_a_closed_port(void **state)
{
	const struct elect_id somebody = { .bytes = { 7 } };
	struct elect_way way = { .address = { .bytes = { 192, 0, 2, 2 }, .port = 9, .family = 4 } };

	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	way.link = net_path_at(end[0].net, 0)->link;
	net_echo(end[0].net, &way, &somebody); /* no address of this link */
	way.address = own(1);
	net_echo(end[0].net, &way, &somebody);
	run_until(&end[0].echoes, 1);
}

/* The socket of the group is bound to no address. */
static void unicast_to_the_port_of_the_group_is_not_received(void **state)
{
	struct elect_address to;

	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	to = own(1);
	to.port = PORT;
	say_strangely(&to, 255);
	to.port = own(1).port;
	say_strangely(&to, 255);
	run_until(&end[1].count, 1);
	assert_int_equal(end[0].count, 0);
	assert_int_equal(net_counters(end[1].net)->interface_bad, 0);
}

static void a_routed_datagram_is_counted_and_dropped(void **state)
{
	struct elect_address to;

	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	to = own(1);
	say_strangely(&to, 254);
	say_strangely(&config.group6, 254);
	say_strangely(&to, 255);
	run_until(&end[1].count, 1);
	say_strangely(&config.group6, 255);
	run_until(&end[1].count, 2);
	assert_int_equal(net_counters(end[1].net)->ttl_bad, 2);
	assert_int_equal(net_counters(end[1].net)->far.from.family, 6);
	assert_int_equal(net_counters(end[1].net)->far.ttl, 254);
}

static void datagrams_have_the_class_of_network_control(void **state)
{
	const struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	struct ipv6_mreq group = { .ipv6mr_interface = if_nametoindex("v1") };
	struct elect_address to = { { 0xfe, 0x80, [15] = 2 }, PORT, 6 };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	(void)state;
	open_end(0, NET_IPV6);
	memcpy(&group.ipv6mr_multiaddr, config.group6.bytes, sizeof(group.ipv6mr_multiaddr));
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof(group)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	say(0, NULL);
	assert_int_equal(traffic_class_received(fd, IPV6_TCLASS), 0xc0);
	say(0, &to);
	assert_int_equal(traffic_class_received(fd, IPV6_TCLASS), 0xc0);
	close(fd);
}

static void an_unused_family_is_overheard(void **state)
{
	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV4);
	say(0, NULL);
	run_until(&end[1].overheard, 1);
	assert_int_equal(end[1].count, 0);
	assert_int_equal(end[1].stranger.family, 6);
	assert_int_equal(net_counters(end[1].net)->family_unused, 1);
}

static void both_families_use_one_port(void **state)
{
	const struct sockaddr_in6 other = { .sin6_family = AF_INET6, .sin6_port = htons(PORT + 1) };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;
	struct elect_address address;

	(void)state;
	assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&other, sizeof(other)), 0);
	open_end(0, NET_BOTH);
	assert_int_equal(net_paths_count(end[0].net), 2);
	for (unsigned i = 0; i < 2; i++) {
		net_path_source(end[0].net, net_path_at(end[0].net, i), &address);
		assert_int_equal(address.family, i ? 6 : 4);
		assert_int_equal(address.port, PORT + 2);
	}
	close(fd);
}

static void waiting_datagrams_of_both_families_are_discarded(void **state)
{
	(void)state;
	open_end(0, NET_BOTH);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(net_send(end[0].net, net_path_at(end[0].net, i), NULL,
					 (const uint8_t *)"ECLT", 4),
			0);
	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		net_discard(end[0].net);
		if (net_counters(end[0].net)->discarded >= 2)
			break;
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	assert_int_equal(net_counters(end[0].net)->discarded, 2);
	event_base_loop(base, EVLOOP_NONBLOCK);
	assert_int_equal(end[0].count, 0);
}

/* The group is received only on the interface that joined it. */
static void only_the_new_group_is_received_after_a_change(void **state)
{
	struct net_config next;

	(void)state;
	open_end(0, NET_IPV6);
	open_end(1, NET_IPV6);
	next = config;
	next.group6.bytes[15] = 0x15;
	assert_int_equal(net_reconfigure(end[1].net, &next, &taken), 0);
	say(0, NULL);
	say_strangely(&next.group6, 255);
	run_until(&end[1].count, 1);
	run_until(&end[0].count, 1);
}

static bool make_cable(void)
{
	static const char *const commands[] = {
		"ip link set lo up",
		"ip link add v0 type veth peer name v1",
		"ip link set v0 addrgenmode none",
		"ip link set v1 addrgenmode none",
		"ip link set v0 up",
		"ip link set v1 up",
		"ip addr add fe80::1/64 dev v0 nodad",
		"ip addr add fe80::2/64 dev v1 nodad",
		"ip addr add 192.0.2.1/24 dev v0",
		"ip addr add 192.0.2.2/24 dev v1",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (system(commands[i]) != 0)
			return false;
	return true;
}

static bool can_send(const char *name, uint8_t last)
{
	struct sockaddr_in6 own = { .sin6_family = AF_INET6,
		.sin6_scope_id = if_nametoindex(name) };
	struct sockaddr_in6 all = own;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool can;

	own.sin6_addr = (struct in6_addr){ .s6_addr = { 0xfe, 0x80, [15] = last } };
	all.sin6_addr = (struct in6_addr){ .s6_addr = { 0xff, 2, [15] = 1 } };
	all.sin6_port = htons(9);
	can = bind(fd, (struct sockaddr *)&own, sizeof own) == 0 &&
		sendto(fd, "", 0, 0, (struct sockaddr *)&all, sizeof all) == 0;
	close(fd);
	return can;
}

/* IPv6 learns of a carrier when the kernel has time. */
static bool cable_works(void)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		if (can_send("v0", 1) && can_send("v1", 2))
			return true;
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	return false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(the_group_is_received_at_the_other_end),
		T(a_host_is_reached_by_its_link),
		T(a_kernel_answers_for_a_closed_port),
		T(unicast_to_the_port_of_the_group_is_not_received),
		T(a_routed_datagram_is_counted_and_dropped),
		T(datagrams_have_the_class_of_network_control),
		T(an_unused_family_is_overheard),
		T(both_families_use_one_port),
		T(waiting_datagrams_of_both_families_are_discarded),
		T(only_the_new_group_is_received_after_a_change),
#undef T
	};

	if (unshare(CLONE_NEWNET) || !make_cable())
		return SKIPPED;
	if (!cable_works()) {
		fprintf(stderr, "no IPv6 by this cable\n");
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
