/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sockets of IPv4 over the loopback. This program stays on one processor, so a datagram has
 * arrived when a later one has; no test waits for time to pass.
 */
#include "net/net.h"

#include "core/wire/wire.h"
#include "net/taken.h"
#include "unit/patience.h"
#include "unit/traffic_class.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEARD_MAX = 64 };

static struct event_base *base;
static struct net_config config;
static const char *const lo = "lo";
static uint16_t taken;
static const int *given; /* the descriptors of an earlier process; NULL: none */

/* The calls of a handler. */
static struct heard {
	struct net *net;
	unsigned count, befores, changes, echoes, overheard;
	struct elect_id echo;
	bool discard_before, discard_within;
	size_t sizes[HEARD_MAX];
	struct elect_address from;
} heard[2];

static void before(void *user)
{
	struct heard *h = user;

	h->befores++;
	if (h->discard_before)
		net_discard(h->net);
}

static void datagram(void *user, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	struct heard *h = user;

	assert_true(h->befores > 0);
	assert_true(h->count < HEARD_MAX);
	assert_memory_equal(bytes, "ECLT", 4);
	h->sizes[h->count++] = size;
	h->from = way->address;
	if (h->discard_within)
		net_discard(h->net);
}

static void overheard(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	struct heard *h = user;

	(void)from;
	(void)bytes;
	(void)size;
	h->overheard++;
}

static void echoed(void *user, const struct elect_id *id)
{
	struct heard *h = user;

	h->echoes++;
	h->echo = *id;
}

static void changed(void *user)
{
	((struct heard *)user)->changes++;
}

static struct net_handler handler_of(unsigned which)
{
	return (struct net_handler){
		.before = before,
		.datagram = datagram,
		.overheard = overheard,
		.echoed = echoed,
		.changed = changed,
		.user = &heard[which],
	};
}

static int open_net(unsigned which)
{
	const struct net_handler handler = handler_of(which);
	int r = net_open(&heard[which].net, base, &config, &handler, given, &taken);

	return r ? r : net_start(heard[which].net);
}

static int setup(void **state)
{
	/* Ports of this process only, so that tests may run in parallel. */
	uint16_t port = (uint16_t)(20000 + getpid() % 20000);

	(void)state;
	memset(heard, 0, sizeof(heard));
	given = NULL;
	config = (struct net_config){
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = port, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = port, .family = 6 },
		.families = NET_BOTH,
		.port_first = (uint16_t)(port + 1),
		.port_last = (uint16_t)(port + 2),
		.patterns = &lo,
		.patterns_count = 1,
	};
	base = event_base_new();
	return base ? open_net(0) : -1;
}

static int teardown(void **state)
{
	(void)state;
	net_close(heard[0].net);
	net_close(heard[1].net);
	event_base_free(base);
	return 0;
}

static int fence; /* a socket that is connected to itself */

/* Waits until the kernel has delivered all datagrams, their replies, and the replies to these. */
static void arrived(void)
{
	char byte;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(send(fence, "", 1, 0), 1);
		assert_true(patience_readable(fence));
		assert_int_equal(recv(fence, &byte, 1, 0), 1);
	}
}

static void run(void)
{
	for (unsigned i = 0; i < 4; i++) {
		arrived();
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
}

static void send_from(unsigned which, const struct elect_address *to, const char *text, size_t size)
{
	const struct net_path *path = net_path_at(heard[which].net, 0);

	assert_int_equal(net_send(heard[which].net, path, to->family ? to : NULL,
				 (const uint8_t *)text, size),
		0);
}

static const struct elect_address all;

static void own_address(unsigned which, struct elect_address *ret)
{
	net_path_source(heard[which].net, net_path_at(heard[which].net, 0), ret);
}

/* A datagram of an unverified peer to the first instance. */
static void send_strange(const void *bytes, size_t size, int ttl)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(config.port_first) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)), 0);
	assert_int_equal(sendto(fd, bytes, size, 0, (struct sockaddr *)&to, sizeof(to)), size);
	close(fd);
	run();
}

static void an_instance_receives_the_group_and_is_known_by_its_port(void **state)
{
	(void)state;
	assert_int_equal(heard[0].changes, 1);
	assert_true(net_up(heard[0].net));
	send_from(0, &all, "ECLT and more", 13);
	run();
	assert_int_equal(heard[0].count, 1);
	assert_int_equal(heard[0].sizes[0], 13);
	assert_int_equal(heard[0].from.port, config.port_first);
	assert_memory_equal(heard[0].from.bytes, ((uint8_t[]){ 127, 0, 0, 1 }), 4);
	assert_int_equal(net_counters(heard[0].net)->sent, 1);
}

static void instances_of_a_host_receive_from_each_other(void **state)
{
	struct elect_address first, second;

	(void)state;
	assert_int_equal(open_net(1), 0);
	own_address(0, &first);
	own_address(1, &second);
	assert_int_equal(second.port, first.port + 1);
	send_from(0, &all, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 1);
	assert_int_equal(heard[1].count, 1);
	send_from(1, &first, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 2);
	assert_int_equal(heard[1].count, 1);
	assert_true(elect_address_equal(&heard[0].from, &second));
}

static void nothing_is_opened_without_a_free_port(void **state)
{
	const struct net_handler handler = handler_of(1);
	struct net *third = NULL;

	(void)state;
	assert_int_equal(open_net(1), 0);
	assert_int_equal(net_open(&third, base, &config, &handler, NULL, &taken), -EADDRINUSE);
	assert_int_equal(taken, config.port_first);
	assert_null(third);
}

static void a_routed_datagram_is_counted_and_dropped(void **state)
{
	(void)state;
	send_strange("ECLT", 4, 254);
	send_strange("ECLT", 4, 64);
	assert_int_equal(heard[0].count, 0);
	assert_int_equal(net_counters(heard[0].net)->ttl_bad, 2);
	send_strange("ECLT", 4, 255);
	assert_int_equal(heard[0].count, 1);
	assert_int_equal(net_counters(heard[0].net)->ttl_bad, 2);
}

static void foreign_datagrams_never_wake_the_loop(void **state)
{
	(void)state;
	send_strange("ECLX and more", 13, 255);
	send_strange("ECL", 3, 255);
	send_strange("", 0, 255);
	assert_int_equal(heard[0].befores, 0);
	assert_int_equal(heard[0].count, 0);
}

static void a_datagram_that_is_too_long_has_a_size_that_is_too_long(void **state)
{
	static char text[WIRE_SIZE_MAX * 2] = "ECLT";

	(void)state;
	send_strange(text, WIRE_SIZE_MAX, 255);
	send_strange(text, sizeof(text), 255);
	assert_int_equal(heard[0].sizes[0], WIRE_SIZE_MAX);
	assert_int_equal(heard[0].sizes[1], WIRE_SIZE_MAX + 1);
}

static void waiting_datagrams_can_be_discarded_before_they_are_read(void **state)
{
	(void)state;
	heard[0].discard_before = true;
	for (unsigned i = 0; i < NET_BATCH + 8; i++)
		send_from(0, &all, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 0);
	assert_int_equal(net_counters(heard[0].net)->discarded, NET_BATCH + 8);
	heard[0].discard_before = false;
	send_from(0, &all, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 1);
}

static void a_batch_in_delivery_is_discarded_too(void **state)
{
	(void)state;
	heard[0].discard_within = true;
	for (unsigned i = 0; i < NET_BATCH + 8; i++)
		send_from(0, &all, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 1);
	assert_int_equal(net_counters(heard[0].net)->discarded, 8);
}

/* ---- another configuration ----------------------------------------------------------------- */

static void only_the_new_group_is_received_after_a_change(void **state)
{
	struct net_config next = config;
	struct elect_address before, after;

	(void)state;
	assert_int_equal(open_net(1), 0);
	next.group4.bytes[3] = 253;
	own_address(0, &before);
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	own_address(0, &after);
	assert_true(elect_address_equal(&before, &after));
	send_from(1, &all, "ECLTold", 7);
	run();
	assert_int_equal(heard[0].count, 0);
	assert_int_equal(net_reconfigure(heard[1].net, &next, &taken), 0);
	send_from(1, &all, "ECLTnew", 7);
	run();
	assert_int_equal(heard[0].count, 1);
	send_from(1, &before, "ECLTone", 7);
	run();
	assert_int_equal(heard[0].count, 2);
}

static void a_port_outside_the_new_range_is_given_up(void **state)
{
	struct net_config next = config;
	struct elect_address own;

	(void)state;
	next.port_last = next.port_first;
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	own_address(0, &own);
	assert_int_equal(own.port, config.port_first);
	next.port_first = next.port_last = (uint16_t)(config.port_first + 1);
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	own_address(0, &own);
	assert_int_equal(own.port, config.port_first + 1);
	assert_int_equal(open_net(1), 0); /* the first port is free again */
	own_address(1, &own);
	assert_int_equal(own.port, config.port_first);
}

static void a_port_that_cannot_be_opened_changes_nothing(void **state)
{
	struct net_config next = config;
	struct elect_address before, after;

	(void)state;
	assert_int_equal(open_net(1), 0);
	own_address(0, &before);
	next.group4.bytes[3] = 253;
	next.port_first = next.port_last; /* the other instance has it */
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), -EADDRINUSE);
	own_address(0, &after);
	assert_true(elect_address_equal(&before, &after));
	send_from(1, &all, "ECLTold", 7);
	run();
	assert_int_equal(heard[0].count, 1);
}

/* A copy of the process uses the old sockets until it is made again. */
static void another_group_or_port_counts_as_changed_sockets(void **state)
{
	struct net_config next = config;
	uint64_t before = net_sockets_changed(heard[0].net), other_group;

	(void)state;
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	assert_true(net_sockets_changed(heard[0].net) == before);
	next.group4.bytes[3] = 253;
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	other_group = net_sockets_changed(heard[0].net);
	assert_true(other_group > before);
	next.port_first = next.port_last;
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	assert_true(net_sockets_changed(heard[0].net) > other_group);
}

/* An interface that is not in the group hears no beacon, which must be visible. */
static void an_interface_that_cannot_join_is_marked_until_it_can(void **state)
{
	struct net_config next = config;

	(void)state;
	assert_false(net_path_at(heard[0].net, 0)->deaf);
	next.group4.bytes[0] = 127; /* an address that cannot be joined */
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	assert_true(net_path_at(heard[0].net, 0)->deaf);
	assert_int_equal(heard[0].changes, 2);
	assert_int_equal(net_reconfigure(heard[0].net, &config, &taken), 0);
	assert_false(net_path_at(heard[0].net, 0)->deaf);
	assert_int_equal(heard[0].changes, 3);
}

/* Without a free descriptor no link can be read; the new configuration takes effect later. */
static void links_that_cannot_be_read_are_read_again(void **state)
{
	static const char *const none = "nonexistent";
	struct net_config next = config;
	struct rlimit limit, no_files;

	(void)state;
	next.patterns = &none;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	no_files = (struct rlimit){ 0, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &no_files), 0);
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(net_counters(heard[0].net)->links_unreadable, 1);
	assert_int_equal(net_paths_count(heard[0].net), 1);
	for (unsigned i = 0; i < PATIENCE_ROUNDS && net_paths_count(heard[0].net); i++) {
		event_base_loop(base, EVLOOP_NONBLOCK);
		poll(NULL, 0, 1);
	}
	assert_int_equal(net_paths_count(heard[0].net), 0);
	assert_int_equal(heard[0].changes, 2);
}

/* No time passes in this test. */
static void the_pause_between_looks_is_counted_from_the_last_one(void **state)
{
	const uint64_t settle_us = NET_SETTLE_MS * 1000, pause_us = NET_ELSEWHERE_MS * 1000;

	(void)state;
	assert_int_equal(net_look_in_us(NET_CHANGE_IN_USE, 0, 0), settle_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_IN_USE, UINT64_MAX, 0), settle_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, 0, 0), pause_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, 150000, 0), pause_us - 150000);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, pause_us - settle_us, 0), settle_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, pause_us - 1, 0), settle_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, UINT64_MAX, 0), settle_us);
}

static void slow_looks_are_farther_apart(void **state)
{
	const uint64_t settle_us = NET_SETTLE_MS * 1000, pause_us = NET_ELSEWHERE_MS * 1000;

	(void)state;
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, 0, 10000), pause_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, 0, 100000), 2000000);
	assert_int_equal(net_look_in_us(NET_CHANGE_ELSEWHERE, 1500000, 100000), 500000);
	assert_int_equal(net_look_in_us(NET_CHANGE_IN_USE, 0, 4000), settle_us);
	assert_int_equal(net_look_in_us(NET_CHANGE_IN_USE, 0, 40000), 200000);
	assert_int_equal(net_look_in_us(NET_CHANGE_IN_USE, 190000, 40000), settle_us);
	assert_int_equal(
		net_look_in_us(NET_CHANGE_IN_USE, 0, UINT32_MAX), NET_IN_USE_MAX_MS * 1000);
}

/* ---- across a restart ------------------------------------------------------------------------ */

/* As a service manager keeps the descriptors. */
static void keep(int ret_kept[NET_KEPTS])
{
	net_kept(heard[0].net, ret_kept);
	for (unsigned i = 0; i < NET_KEPTS; i++) {
		ret_kept[i] = fcntl(ret_kept[i], F_DUPFD_CLOEXEC, 0);
		assert_true(ret_kept[i] >= 0);
	}
	net_close(heard[0].net);
	memset(heard, 0, sizeof(heard));
}

static void kept_sockets_are_emptied_and_used_again(void **state)
{
	struct elect_address own;
	int kept[NET_KEPTS];

	(void)state;
	own_address(0, &own);
	keep(kept);
	send_strange("ECLT", 4, 255); /* for the process that is gone */
	given = kept;
	assert_int_equal(open_net(0), 0);
	run();
	assert_int_equal(heard[0].count, 0);
	assert_int_equal(net_counters(heard[0].net)->discarded, 1);
	send_strange("ECLTnew", 7, 255);
	send_from(0, &all, "ECLTall", 7);
	run();
	assert_int_equal(heard[0].count, 2);
}

static void a_kept_port_cannot_be_taken_meanwhile(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint16_t ports[] = { config.group4.port, config.port_first };
	int kept[NET_KEPTS];

	(void)state;
	keep(kept);
	for (unsigned i = 0; i < 2; i++) {
		address.sin_port = htons(ports[i]);
		assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), -1);
		assert_int_equal(errno, EADDRINUSE);
	}
	close(fd);
	given = kept;
	assert_int_equal(open_net(0), 0);
}

static void a_kept_socket_that_does_not_fit_is_closed(void **state)
{
	int kept[NET_KEPTS];

	(void)state;
	keep(kept);
	given = kept;
	config.group4.bytes[3] = 253;
	config.port_first++;
	assert_int_equal(open_net(0), 0);
	assert_int_equal(fcntl(kept[NET_KEPT_OWN], F_GETFD), -1);
	send_from(0, &all, "ECLT", 4);
	run();
	assert_int_equal(heard[0].count, 1);
	net_close(heard[0].net);
	heard[0] = (struct heard){ .net = NULL };
	config.group4.bytes[3] = 254;
	config.port_first--;
	for (unsigned i = 0; i < NET_KEPTS; i++) /* no sockets */
		kept[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(open_net(0), 0);
}

static void the_owner_of_a_port_is_named(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct elect_address any = { .port = (uint16_t)(config.group4.port + 9) };
	char words[256], wanted[64], uid[32];

	(void)state;
	net_taken_words(&any, words, sizeof(words));
	assert_string_equal(words, "somebody");
	address.sin_port = htons(any.port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	snprintf(wanted, sizeof(wanted), "process %ld (", (long)getpid());
	net_taken_words(&any, words, sizeof(words));
	assert_memory_equal(words, wanted, strlen(wanted));
	assert_true(strstr(words, ") of user ") || strstr(words, ") of uid "));
	snprintf(uid, sizeof(uid), "uid %u", getuid());
	assert_non_null(strstr(words, uid));
	/* A socket on another address does not block the port. */
	any.family = 4;
	any.bytes[0] = 224;
	net_taken_words(&any, words, sizeof(words));
	assert_string_equal(words, "somebody");
	close(fd);
}

/* ---- priority over other traffic ------------------------------------------------------------- */

enum { CLASS = 0xc0, PRIORITY = 6 }; /* see electd-protocol(7) */

static int option_of(int fd, int level, int name)
{
	int value = -1;
	socklen_t size = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &size), 0);
	return value;
}

static void assert_preferred(void)
{
	int kept[NET_KEPTS];

	net_kept(heard[0].net, kept);
	assert_int_equal(net_preferred(heard[0].net), 0);
	assert_int_equal(option_of(kept[NET_KEPT_OWN], IPPROTO_IP, IP_TOS), CLASS);
	assert_int_equal(option_of(kept[NET_KEPT_OWN], SOL_SOCKET, SO_PRIORITY), PRIORITY);
	if (kept[NET_KEPT_OWN6] < 0)
		return;
	assert_int_equal(option_of(kept[NET_KEPT_OWN6], IPPROTO_IPV6, IPV6_TCLASS), CLASS);
	assert_int_equal(option_of(kept[NET_KEPT_OWN6], SOL_SOCKET, SO_PRIORITY), PRIORITY);
}

/* A socket that receives the group and unicast datagrams. */
static int open_listener(uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct ip_mreqn group = { .imr_ifindex = (int)net_path_at(heard[0].net, 0)->ifindex };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	memcpy(&group.imr_multiaddr, config.group4.bytes, sizeof(group.imr_multiaddr));
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)), 0);
	return fd;
}

static void datagrams_have_the_class_of_network_control(void **state)
{
	struct elect_address to = { .bytes = { 127, 0, 0, 1 }, .family = 4 };
	int fd = open_listener(config.group4.port);

	(void)state;
	to.port = config.group4.port;
	send_from(0, &all, "ECLT", 4);
	assert_int_equal(traffic_class_received(fd, IP_TOS), CLASS);
	send_from(0, &to, "ECLT", 4);
	assert_int_equal(traffic_class_received(fd, IP_TOS), CLASS);
	close(fd);
}

static void the_sockets_have_a_priority(void **state)
{
	(void)state;
	assert_preferred();
}

/* An older electd, which sets no priority, may have opened the socket. */
static void a_kept_socket_gets_a_priority(void **state)
{
	static const int none = 0;
	int kept[NET_KEPTS];

	(void)state;
	keep(kept);
	assert_int_equal(
		setsockopt(kept[NET_KEPT_OWN], IPPROTO_IP, IP_TOS, &none, sizeof(none)), 0);
	assert_int_equal(
		setsockopt(kept[NET_KEPT_OWN], SOL_SOCKET, SO_PRIORITY, &none, sizeof(none)), 0);
	given = kept;
	assert_int_equal(open_net(0), 0);
	assert_preferred();
}

static void another_port_gets_a_priority(void **state)
{
	struct net_config next = config;

	(void)state;
	next.port_first = next.port_last;
	assert_int_equal(net_reconfigure(heard[0].net, &next, &taken), 0);
	assert_preferred();
}

/* setsockopt(2) then fails with EPERM for these options, as in some containers. */
static void refuse_priorities(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 8),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOL_SOCKET, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SO_PRIORITY, 3, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IP_TOS, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPV6_TCLASS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* In a child, because the filter cannot be removed. */
static void datagrams_are_sent_without_a_priority(void **state)
{
	int status;
	pid_t child;

	(void)state;
	net_close(heard[0].net);
	heard[0].net = NULL;
	child = fork();
	if (child == 0) {
		refuse_priorities();
		if (open_net(0) || net_preferred(heard[0].net) != -EPERM)
			_exit(1);
		send_from(0, &all, "ECLT", 4);
		run();
		_exit(heard[0].count == 1 ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- probes of kernels ----------------------------------------------------------------------- */

static uint32_t link_of(unsigned which)
{
	return net_path_at(heard[which].net, 0)->link;
}

static const struct elect_id somebody = { .bytes = { 7 } };

static void ask_kernel(uint8_t last, uint16_t port)
{
	const struct elect_way way = { { .bytes = { 127, 0, 0, last }, .port = port, .family = 4 },
		link_of(0) };

	net_echo(heard[0].net, &way, &somebody);
	assert_int_equal(heard[0].echoes, 0); /* never from within the call */
	run();
}

static void a_kernel_answers_for_a_closed_port(void **state)
{
	(void)state;
	ask_kernel(1, config.port_first);
	assert_int_equal(heard[0].echoes, 1);
	assert_true(elect_id_equal(&heard[0].echo, &somebody));
}

static void a_kernel_answers_for_an_open_port(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(config.port_last) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)state;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	ask_kernel(1, config.port_last);
	assert_int_equal(heard[0].echoes, 1);
	close(fd);
}

/* The loopback answers for 127/8 and for every address of this host; nobody has 240/4. */
static void an_unreachable_address_does_not_answer(void **state)
{
	const struct elect_way nowhere = { { .bytes = { 240, 0, 0, 1 }, .port = 7544, .family = 4 },
		link_of(0) };
	const struct elect_way other = { { .port = 7544, .family = 6 }, link_of(0) };
	const struct elect_way gone = { { .bytes = { 127, 0, 0, 1 }, .port = 7544, .family = 4 },
		link_of(0) + 1000 };

	(void)state;
	net_echo(heard[0].net, &nowhere, &somebody);
	net_echo(heard[0].net, &other, &somebody);
	net_echo(heard[0].net, &gone, &somebody);
	run();
	assert_int_equal(heard[0].echoes, 0);
}

static void an_answer_from_before_a_stall_is_discarded(void **state)
{
	const struct elect_way way = {
		{ .bytes = { 127, 0, 0, 1 }, .port = config.port_first, .family = 4 }, link_of(0)
	};

	(void)state;
	net_echo(heard[0].net, &way, &somebody);
	arrived();
	net_discard(heard[0].net);
	run();
	assert_int_equal(heard[0].echoes, 0);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void repeated_probes_leave_no_descriptor_open(void **state)
{
	unsigned before = open_descriptors();

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		const struct elect_way way = {
			{ .bytes = { 127, 0, 0, 1 }, .port = config.port_first, .family = 4 },
			link_of(0)
		};

		net_echo(heard[0].net, &way, &somebody);
	}
	run();
	assert_true(heard[0].echoes > 0);
	assert_int_equal(open_descriptors(), before);
}

/* A network namespace of its own, if possible: no other program has a port there. */
static bool alone(void)
{
	struct ifreq interface = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;
	bool up;

	if (unshare(CLONE_NEWNET))
		return true;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	up = ioctl(fd, SIOCSIFFLAGS, &interface) == 0;
	close(fd);
	return up;
}

static bool on_one_processor(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

static bool open_fence(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fence = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return fence >= 0 && bind(fence, (struct sockaddr *)&own, size) == 0 &&
		getsockname(fence, (struct sockaddr *)&own, &size) == 0 &&
		connect(fence, (struct sockaddr *)&own, size) == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_instance_receives_the_group_and_is_known_by_its_port, setup, teardown),
		cmocka_unit_test_setup_teardown(
			instances_of_a_host_receive_from_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(
			nothing_is_opened_without_a_free_port, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_routed_datagram_is_counted_and_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(
			foreign_datagrams_never_wake_the_loop, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_datagram_that_is_too_long_has_a_size_that_is_too_long, setup, teardown),
		cmocka_unit_test_setup_teardown(
			waiting_datagrams_can_be_discarded_before_they_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_batch_in_delivery_is_discarded_too, setup, teardown),
		cmocka_unit_test_setup_teardown(
			only_the_new_group_is_received_after_a_change, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_port_outside_the_new_range_is_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(
			another_group_or_port_counts_as_changed_sockets, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_port_that_cannot_be_opened_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_interface_that_cannot_join_is_marked_until_it_can, setup, teardown),
		cmocka_unit_test_setup_teardown(
			links_that_cannot_be_read_are_read_again, setup, teardown),
		cmocka_unit_test(the_pause_between_looks_is_counted_from_the_last_one),
		cmocka_unit_test(slow_looks_are_farther_apart),
		cmocka_unit_test_setup_teardown(
			kept_sockets_are_emptied_and_used_again, setup, teardown),
		cmocka_unit_test_setup_teardown(
			datagrams_have_the_class_of_network_control, setup, teardown),
		cmocka_unit_test_setup_teardown(the_sockets_have_a_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kept_socket_gets_a_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(another_port_gets_a_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(
			datagrams_are_sent_without_a_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_kept_port_cannot_be_taken_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_kept_socket_that_does_not_fit_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(the_owner_of_a_port_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_kernel_answers_for_a_closed_port, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kernel_answers_for_an_open_port, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_unreachable_address_does_not_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_answer_from_before_a_stall_is_discarded, setup, teardown),
		cmocka_unit_test_setup_teardown(
			repeated_probes_leave_no_descriptor_open, setup, teardown),
	};

	if (!alone() || !on_one_processor() || !open_fence())
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
