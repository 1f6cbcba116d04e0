/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a datagram and the path of a host, while routes lead elsewhere. A namespace has
 * two cards in one subnet and a tunnel; a packet socket reads the far end of each cable.
 */
#define _GNU_SOURCE /* unshare */

#include "net/net.h"

#include "unit/patience.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netpacket/packet.h>
#include <poll.h>
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

enum { SKIPPED = 77, PORT = 7543, FAR = 3, FRAME = 2048, COMMAND = 256 };

#define ETH0   "eth0"
#define ETH1   "eth1"
#define TUNNEL "tunnel"

static const char *const cables[FAR] = { ETH0, ETH1, TUNNEL };
static const char *const used[] = { ETH0, ETH1 };

static struct event_base *base;
static struct net *net;
static int far[FAR]; /* the far ends of the cables */

static const struct elect_address neighbour4 = { { 10, 77, 0, 9 }, PORT + 1, 4 };
static const struct elect_address neighbour6 = { { 0xfe, 0x80, [15] = 9 }, PORT + 1, 6 };
static const struct elect_address beyond4 = { { 10, 99, 0, 9 }, PORT + 1, 4 };

/* Runs commands of ip(8), separated by ";". */
static bool try_ip(const char *commands)
{
	char command[COMMAND];

	for (size_t length; *commands; commands += length + (commands[length] != '\0')) {
		length = strcspn(commands, ";");
		snprintf(command, sizeof(command), "ip %.*s", (int)length, commands);
		if (system(command) != 0)
			return false;
	}
	return true;
}

static void ip(const char *commands)
{
	assert_true(try_ip(commands));
}

/* ---- carriers -------------------------------------------------------------------------------- */

static bool has_carrier(const char *interface)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	close(fd);
	return request.ifr_flags & IFF_RUNNING;
}

/* A worker of the kernel notices a change of the carrier up to a second later. */
static void await_carrier(const char *interface, bool carrier)
{
	for (int round = 0; round < PATIENCE_ROUNDS && has_carrier(interface) != carrier; round++)
		poll(NULL, 0, PATIENCE_ROUND_MS);
}

/* ---- the sockets ----------------------------------------------------------------------------- */

static void nothing(void *user)
{
	(void)user;
}

static void datagram(void *user, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	(void)user;
	(void)way;
	(void)bytes;
	(void)size;
}

static void overheard(
	void *user, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	(void)user;
	(void)from;
	(void)bytes;
	(void)size;
}

static void echoed(void *user, const struct elect_id *id)
{
	(void)user;
	(void)id;
}

static int open_net(unsigned interfaces)
{
	const struct net_handler handler = {
		.before = nothing,
		.datagram = datagram,
		.overheard = overheard,
		.echoed = echoed,
		.changed = nothing,
	};
	const struct net_config config = {
		.group4 = { .bytes = { 224, 0, 0, 254 }, .port = PORT, .family = 4 },
		.group6 = { .bytes = { 0xff, 2, [14] = 1, 0x14 }, .port = PORT, .family = 6 },
		.families = NET_BOTH,
		.port_first = PORT + 1,
		.port_last = PORT + 4,
		.patterns = used,
		.patterns_count = interfaces,
	};
	uint16_t taken;
	int r = net_open(&net, base, &config, &handler, NULL, &taken);

	return r ? r : net_start(net);
}

static int open_far(const char *cable)
{
	char name[IF_NAMESIZE];
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(name, sizeof(name), "far-%s", cable);
	at.sll_ifindex = (int)if_nametoindex(name);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static int set_up(void **state)
{
	(void)state;
	base = event_base_new();
	for (unsigned i = 0; i < FAR; i++)
		far[i] = open_far(cables[i]);
	return base ? open_net(2) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	net_close(net);
	event_base_free(base);
	for (unsigned i = 0; i < FAR; i++)
		close(far[i]);
	return 0;
}

static const struct net_path *path_by(const char *interface, uint8_t family)
{
	return net_path_by(net, net_link_number(if_nametoindex(interface), family));
}

/* Has a packet to `to` arrived at this far end? */
static bool has_come(int fd, const struct elect_address *to)
{
	size_t at = to->family == 6 ? 24 : 16, size = to->family == 6 ? 16 : 4;
	uint8_t frame[FRAME];
	ssize_t got;

	while ((got = recv(fd, frame, sizeof(frame), 0)) > 0)
		if ((size_t)got > at + size && !memcmp(frame + at, to->bytes, size))
			return true;
	return false;
}

/* The cable by which a packet to `to` left. */
static const char *left_by(const struct elect_address *to)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		for (unsigned i = 0; i < FAR; i++)
			if (has_come(far[i], to))
				return cables[i];
		poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	return "none";
}

static const char *sent_by(const char *interface, const struct elect_address *to)
{
	const struct net_path *path = path_by(interface, to->family);

	assert_non_null(path);
	assert_int_equal(net_send(net, path, to, (const uint8_t *)"ECLT", 4), 0);
	return left_by(to);
}

/* Routes that lead elsewhere, and the commands that remove them. */
static const struct elsewhere {
	const char *set, *take_away;
} elsewhere[] = {
	{ "route add 10.77.0.0/25 dev tunnel;-6 route add fe80::9/128 dev tunnel",
		"route del 10.77.0.0/25;-6 route del fe80::9/128 dev tunnel" },
	{ "route add 10.77.0.0/24 dev tunnel table 52;rule add pref 5270 lookup 52",
		"rule del pref 5270;route flush table 52" },
	{ "route add blackhole 10.77.0.0/24 table 52;rule add pref 5270 lookup 52",
		"rule del pref 5270;route flush table 52" },
	{ "rule add pref 5270 to 10.77.0.0/24 unreachable", "rule del pref 5270" },
	{ "route del 10.77.0.0/24 dev eth0;route del 10.77.0.0/24 dev eth1",
		"route add 10.77.0.0/24 dev eth0;route add 10.77.0.0/24 dev eth1 metric 1" },
};

enum { ELSEWHERE = sizeof(elsewhere) / sizeof(elsewhere[0]) };

/* Also by the second card, although the route to the subnet uses the first one. */
static void a_datagram_leaves_by_its_path(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(sent_by(used[i], &neighbour4), used[i]);
		assert_string_equal(sent_by(used[i], &neighbour6), used[i]);
	}
}

static void a_datagram_leaves_by_its_path_if_the_routes_lead_elsewhere(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ELSEWHERE; i++) {
		ip(elsewhere[i].set);
		assert_string_equal(sent_by(ETH0, &neighbour4), ETH0);
		assert_string_equal(sent_by(ETH1, &neighbour4), ETH1);
		assert_string_equal(sent_by(ETH0, &neighbour6), ETH0);
		ip(elsewhere[i].take_away);
	}
}

static const char *asked_by(const char *interface, const struct elect_address *to)
{
	const struct elect_way way = { *to, path_by(interface, to->family)->link };
	const struct elect_id id = { .bytes = { 7 } };

	net_echo(net, &way, &id);
	return left_by(to);
}

static void a_kernel_is_probed_by_the_same_path(void **state)
{
	(void)state;
	assert_string_equal(asked_by(ETH0, &neighbour4), ETH0);
	assert_string_equal(asked_by(ETH1, &neighbour4), ETH1);
	assert_string_equal(asked_by(ETH1, &neighbour6), ETH1);
	for (unsigned i = 0; i < ELSEWHERE; i++) {
		ip(elsewhere[i].set);
		assert_string_equal(asked_by(ETH0, &neighbour4), ETH0);
		ip(elsewhere[i].take_away);
	}
}

static const char *toward(const struct elect_address *to)
{
	const struct net_path *path = net_path_toward(net, to);

	return path ? path->name : "none";
}

static void the_path_toward_a_neighbour_is_in_its_subnet(void **state)
{
	(void)state;
	assert_string_equal(toward(&neighbour4), ETH0);
	for (unsigned i = 0; i < ELSEWHERE; i++) {
		ip(elsewhere[i].set);
		assert_string_equal(toward(&neighbour4), ETH0);
		ip(elsewhere[i].take_away);
	}
}

/* The preferred source of the route is no address of a path. */
static void the_path_toward_a_host_uses_the_interface_of_the_route(void **state)
{
	(void)state;
	ip("route add 10.99.0.0/24 via 10.77.0.254 dev eth1 src 10.78.0.1");
	assert_string_equal(toward(&beyond4), ETH1);
	ip("route del 10.99.0.0/24");
}

static void no_path_leads_to_a_host_without_a_route(void **state)
{
	(void)state;
	assert_string_equal(toward(&beyond4), "none");
	ip("route add 10.99.0.0/24 dev tunnel");
	assert_string_equal(toward(&beyond4), "none");
	ip("route del 10.99.0.0/24");
}

/* A tunnel that has taken the default route leaves the card's route behind it. */
static void a_route_by_a_path_is_found_behind_the_route_of_a_tunnel(void **state)
{
	(void)state;
	ip("route add 0.0.0.0/1 dev tunnel;route add default via 10.77.0.254 dev eth1");
	assert_string_equal(toward(&beyond4), ETH1);
	ip("route del 0.0.0.0/1;route del default");
}

/* Each of the two hops of the route counts as a route by its interface. */
static void a_route_of_several_hops_leads_by_a_path(void **state)
{
	(void)state;
	ip("route add 10.99.0.0/24 nexthop dev tunnel nexthop via 10.77.0.254 dev eth1");
	assert_string_equal(toward(&beyond4), ETH1);
	ip("route del 10.99.0.0/24");
}

static void an_own_address_is_reached_by_its_interface(void **state)
{
	const struct elect_address own = { { 10, 77, 0, 11 }, PORT + 2, 4 };

	(void)state;
	assert_string_equal(toward(&own), ETH1);
}

static const char *for_way(const char *interface, const struct elect_address *to)
{
	const struct elect_way way = { *to, path_by(interface, to->family)->link };

	return net_path_for(net, &way)->name;
}

/* Another host named it in a message that came by the other link. */
static void datagrams_to_a_distant_host_use_a_path_with_a_route(void **state)
{
	(void)state;
	assert_string_equal(for_way(ETH0, &beyond4), ETH0);
	ip("route add 10.99.0.0/24 via 10.77.0.254 dev eth1");
	assert_string_equal(for_way(ETH0, &beyond4), ETH1);
	assert_string_equal(for_way(ETH1, &beyond4), ETH1);
	ip("route add 10.99.0.0/24 via 10.77.0.254 dev eth0 metric 9");
	assert_string_equal(for_way(ETH0, &beyond4), ETH0);
	ip("route del 10.99.0.0/24 dev eth0;route del 10.99.0.0/24 dev eth1");
}

static void datagrams_to_a_neighbour_use_the_path_of_the_message(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ELSEWHERE; i++) {
		ip(elsewhere[i].set);
		assert_string_equal(for_way(ETH0, &neighbour4), ETH0);
		assert_string_equal(for_way(ETH1, &neighbour4), ETH1);
		assert_string_equal(for_way(ETH1, &neighbour6), ETH1);
		ip(elsewhere[i].take_away);
	}
}

/* The kernel keeps the route of a card without a carrier. */
static void a_path_with_a_carrier_is_preferred(void **state)
{
	(void)state;
	ip("link set far-eth0 down");
	await_carrier(ETH0, false);
	net_close(net);
	assert_int_equal(open_net(2), 0);
	assert_false(path_by(ETH0, 4)->carrier);
	assert_string_equal(toward(&neighbour4), ETH1);
	ip("link set far-eth0 up");
}

static bool make_cables(void)
{
	static const char *const commands[] = {
		"link set lo up",
		"link add eth0 type veth peer name far-eth0",
		"link add eth1 type veth peer name far-eth1",
		"link add tunnel type veth peer name far-tunnel",
		"link set eth0 addrgenmode none up;link set far-eth0 addrgenmode none up",
		"link set eth1 addrgenmode none up;link set far-eth1 addrgenmode none up",
		"link set tunnel addrgenmode none up;link set far-tunnel addrgenmode none up",
		"addr add 10.77.0.1/24 dev eth0;addr add 10.77.0.11/24 dev eth1",
		"addr add 10.78.0.1/32 dev eth1",
		"addr add fe80::1/64 dev eth0 nodad;addr add fe80::11/64 dev eth1 nodad",
		"addr add fe80::21/64 dev tunnel nodad",
		"neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev eth0",
		"neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev eth1",
		"neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev tunnel",
		"neigh add fe80::9 lladdr 02:00:00:00:00:09 dev eth0",
		"neigh add fe80::9 lladdr 02:00:00:00:00:09 dev eth1",
		"neigh add fe80::9 lladdr 02:00:00:00:00:09 dev tunnel",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!try_ip(commands[i]))
			return false;
	return true;
}

/* ---- the neighbour --------------------------------------------------------------------------- */

/* Seconds since the neighbour was confirmed; a minute for one that never was. */
static unsigned unconfirmed_s(void)
{
	FILE *f = popen("ip -s neigh show 10.77.0.19 dev " ETH0, "r");
	char text[COMMAND] = "";
	const char *times;
	unsigned used_s = 0, confirmed_s = 0;

	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_int_equal(pclose(f), 0);
	times = strstr(text, "used ");
	assert_non_null(times);
	assert_int_equal(sscanf(times, "used %u/%u", &used_s, &confirmed_s), 2);
	return confirmed_s;
}

static void a_neighbour_that_was_heard_is_confirmed(void **state)
{
	const struct net_path *path = path_by(ETH0, 4);
	const struct elect_address to = { { 10, 77, 0, 19 }, PORT + 1, 4 };
	const uint8_t bytes[] = "ECLT";
	unsigned before_s;

	(void)state;
	ip("neigh replace 10.77.0.19 lladdr 02:00:00:00:00:19 dev " ETH0 " nud stale");
	before_s = unconfirmed_s();
	assert_int_equal(net_send(net, path, &to, bytes, sizeof(bytes)), 0);
	assert_true(unconfirmed_s() >= before_s);
	assert_int_equal(net_send_confirming(net, path, &to, bytes, sizeof(bytes)), 0);
	assert_true(unconfirmed_s() < before_s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_datagram_leaves_by_its_path),
		T(a_datagram_leaves_by_its_path_if_the_routes_lead_elsewhere),
		T(a_kernel_is_probed_by_the_same_path),
		T(the_path_toward_a_neighbour_is_in_its_subnet),
		T(the_path_toward_a_host_uses_the_interface_of_the_route),
		T(no_path_leads_to_a_host_without_a_route),
		T(a_route_by_a_path_is_found_behind_the_route_of_a_tunnel),
		T(a_route_of_several_hops_leads_by_a_path),
		T(an_own_address_is_reached_by_its_interface),
		T(datagrams_to_a_distant_host_use_a_path_with_a_route),
		T(datagrams_to_a_neighbour_use_the_path_of_the_message),
		T(a_path_with_a_carrier_is_preferred),
		T(a_neighbour_that_was_heard_is_confirmed),
#undef T
	};

	if (unshare(CLONE_NEWNET) || !make_cables())
		return SKIPPED;
	await_carrier(ETH0, true);
	await_carrier(ETH1, true);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
