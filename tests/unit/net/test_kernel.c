/* SPDX-License-Identifier: Apache-2.0 */
/* Links of a real kernel, in network namespaces. Times are printed and not judged. */
#define _GNU_SOURCE /* unshare */

#include "net/links.h"
#include "net/mark.h"
#include "net/monitor.h"

#include <errno.h>
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	SKIPPED = 77,
	ROUTES = 5000,
	ADDRESSES = 5000,
	LINKS = 600, /* their dump takes dozens of parts */
	NAMES = 400, /* of a link; they take more than 32 KiB */
	READS = 100,
	REMADE = 30,	/* links made during the test; deleting one may take 50 ms */
	TABLE = 100000, /* of a VRF */
};

static struct net_links links;
static struct net_homes homes;
static struct net_path paths[NET_PATHS_MAX];
static FILE *ip;

/* ---- the machine ----------------------------------------------------------------------------- */

/* Opens a pipe to ip(8), which runs the lines meanwhile, until done(). */
static void begin(void)
{
	ip = popen("ip -batch - 2>/dev/null", "w");
	assert_non_null(ip);
}

static bool done(void)
{
	bool well = pclose(ip) == 0;

	ip = NULL;
	return well;
}

static bool command(const char *line)
{
	begin();
	fprintf(ip, "%s\n", line);
	return done();
}

/* lo, v0 with an address and its peer p0, v1 with its peer p1; no default route. */
static int make_machine(void **state)
{
	(void)state;
	memset(&homes, 0, sizeof(homes));
	if (unshare(CLONE_NEWNET))
		return -1;
	begin();
	fputs("link set lo up\n"
	      "link add v0 type veth peer name p0\n"
	      "link add v1 type veth peer name p1\n"
	      "link set v0 addrgenmode none\nlink set v1 addrgenmode none\n"
	      "link set p0 up\nlink set v0 up\nlink set v1 up\nlink set p1 up\n"
	      "addr add 192.0.2.1/24 dev v0\n"
	      "addr add 198.51.100.1/24 dev v1\n"
	      "addr add 2001:db8::1/64 dev v0 nodad\n",
		ip);
	return done() ? 0 : -1;
}

static int clear(void **state)
{
	(void)state;
	net_links_clear(&links);
	return 0;
}

static const struct net_link *link_of(const char *name)
{
	return net_links_find(&links, if_nametoindex(name));
}

static void look(void)
{
	assert_int_equal(net_links_read(&links, NET_BOTH), 0);
	printf("%u links, %u addresses, %u default routes: %.1f ms\n", links.count,
		links.addresses_count, links.defaults_count, links.cost_us / 1e3);
}

static bool set(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");
	bool well = file && fputs(value, file) >= 0;

	return file && !fclose(file) && well;
}

/* Makes routes name only their nexthop object and not its hops. */
static void objects_alone_or_skip(void)
{
	if (!command("nexthop add id 1 blackhole") ||
		!set("/proc/sys/net/ipv4/nexthop_compat_mode", "0"))
		skip();
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static void a_machine_without_routes_is_read(void **state)
{
	(void)state;
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	look();
	assert_int_equal(links.defaults_count, 0);
	assert_int_equal(links.cut, 0);
}

static void add_routes(uint32_t table)
{
	for (unsigned i = 0; i < ROUTES; i++) {
		fprintf(ip, "route add 10.200.%u.%u/32 dev v1 table %u\n", i / 256, i % 256, table);
		fprintf(ip, "route add fd77::%x/128 dev v1 table %u\n", i + 1, table);
	}
}

static void a_default_route_behind_thousands_is_seen(void **state)
{
	(void)state;
	begin();
	add_routes(RT_TABLE_MAIN);
	add_routes(10); /* dumped before the main table */
	fputs("route add default dev v1 table 52\n", ip);
	fputs("route add default via 192.0.2.254\nroute add default via 2001:db8::fe\n", ip);
	assert_true(done());
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_BOTH);
	assert_int_equal(link_of("v1")->default_routes, 0);
	assert_int_equal(link_of("v1")->other_defaults, 0); /* not requested */
}

static void the_default_route_of_another_table_is_seen_if_there_is_no_other(void **state)
{
	(void)state;
	begin();
	add_routes(TABLE);
	fprintf(ip, "route add default dev v1 table %u\n", TABLE);
	assert_true(done());
	look();
	assert_int_equal(link_of("v1")->default_routes, 0);
	assert_int_equal(link_of("v1")->other_defaults, NET_IPV4);
}

static void default_routes_of_the_families_in_use_are_read(void **state)
{
	(void)state;
	assert_true(command("route add default via 2001:db8::fe"));
	assert_true(command("route add default dev v1 table 52"));
	assert_int_equal(net_links_read(&links, NET_IPV4), 0);
	assert_int_equal(link_of("v0")->default_routes, 0);
	assert_int_equal(link_of("v1")->other_defaults, NET_IPV4);
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_IPV6);
	assert_int_equal(link_of("v1")->other_defaults, 0);
}

static void routes_that_lead_nowhere_are_no_default_routes(void **state)
{
	(void)state;
	assert_true(command("route add blackhole default"));
	assert_true(command("route add unreachable default metric 7"));
	assert_true(command("route add unreachable ::/0"));
	look();
	assert_int_equal(links.defaults_count, 0);
}

static void several_hops_are_seen_in_each_family(void **state)
{
	(void)state;
	assert_true(
		command("route add default nexthop via 192.0.2.254 nexthop via 198.51.100.254"));
	assert_true(
		command("route add ::/0 nexthop via fe80::1 dev v0 nexthop via fe80::1 dev v1"));
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_BOTH);
	assert_int_equal(link_of("v1")->default_routes, NET_BOTH);
}

static void the_last_of_hundreds_of_names_is_known(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < NAMES; i++)
		fprintf(ip, "link property add dev v0 altname a%0120u\n", i);
	if (!done())
		skip();
	look();
	assert_true(net_links_named(&links, link_of("v0"), "a*399"));
	assert_false(net_links_named(&links, link_of("v1"), "a*"));
	assert_int_equal(links.cut, 0);
}

static void thousands_of_addresses_hide_none(void **state)
{
	static const char *const used = "v0";

	(void)state;
	begin();
	for (unsigned i = 0; i < ADDRESSES; i++) {
		fprintf(ip, "addr add 10.1.%u.%u/32 dev lo\n", i / 256, i % 256);
		fprintf(ip, "addr add 10.2.%u.%u/32 dev v0\n", i / 256, i % 256);
	}
	assert_true(done());
	look();
	assert_int_equal(links.cut, 0);
	assert_int_equal(link_of("lo")->addresses_count, NET_LOOPBACK_ADDRESSES_MAX);
	assert_int_equal(net_links_choose(&links, &homes, 1, NET_IPV4, &used, 1, paths), 1);
	assert_int_equal(paths[0].prefix, 24);
}

/* ---- dumps with errors ----------------------------------------------------------------------- */

/* Changes each message of the kernel; NULL: no message is changed. */
static void (*falsify)(struct nlmsghdr *message);
static unsigned falsified;

/* Replaces the function of libmnl. */
ssize_t mnl_socket_recvfrom(const struct mnl_socket *socket, void *buffer, size_t size)
{
	ssize_t r = recv(mnl_socket_get_fd(socket), buffer, size, MSG_TRUNC);
	int left = (int)r;

	if (r > (ssize_t)size) {
		errno = ENOSPC;
		return -1;
	}
	for (struct nlmsghdr *m = buffer; falsify && mnl_nlmsg_ok(m, left);
		m = mnl_nlmsg_next(m, &left))
		falsify(m);
	return r;
}

static int read_falsified(void (*by)(struct nlmsghdr *message))
{
	int r;

	falsified = 0;
	falsify = by;
	r = net_links_read(&links, NET_IPV4);
	falsify = NULL;
	return r;
}

static void end_with(struct nlmsghdr *end, int error)
{
	assert_true(mnl_nlmsg_get_payload_len(end) >= sizeof(error));
	memcpy(mnl_nlmsg_get_payload(end), &error, sizeof(error));
	falsified++;
}

static void end_links_with_an_error(struct nlmsghdr *message)
{
	if (message->nlmsg_type == NLMSG_DONE && message->nlmsg_seq == RTM_GETLINK)
		end_with(message, -EIO);
}

static void end_routes_early(struct nlmsghdr *message)
{
	if (message->nlmsg_type == NLMSG_DONE && message->nlmsg_seq == RTM_GETROUTE)
		end_with(message, -EMSGSIZE);
}

static void end_routes_without_their_table(struct nlmsghdr *message)
{
	if (message->nlmsg_type == NLMSG_DONE && message->nlmsg_seq == RTM_GETROUTE)
		end_with(message, -ENOENT);
}

static void spoil(struct nlmsghdr *message)
{
	message->nlmsg_flags |= NLM_F_DUMP_INTR;
	falsified += message->nlmsg_type == NLMSG_DONE;
}

static void a_dump_that_ends_with_an_error_fails(void **state)
{
	(void)state;
	assert_int_equal(read_falsified(end_links_with_an_error), -EIO);
	assert_int_equal(falsified, 1);
	look();
}

/* A message does not fit into the kernel's dump. */
static void routes_that_the_kernel_cannot_dump_are_counted(void **state)
{
	(void)state;
	assert_true(command("route add default via 192.0.2.254"));
	assert_int_equal(read_falsified(end_routes_early), 0);
	assert_int_equal(links.cut, falsified);
	assert_int_equal(read_falsified(end_routes_without_their_table), 0);
	assert_int_equal(links.cut, 0);
}

/* The monitor has the changes that came meanwhile. */
static void a_dump_that_is_interrupted_each_time_is_used_in_the_end(void **state)
{
	unsigned count, addresses;

	(void)state;
	assert_true(command("route add default via 192.0.2.254"));
	assert_true(command("link property add dev v0 altname another"));
	look();
	count = links.count;
	addresses = links.addresses_count;
	assert_int_equal(read_falsified(spoil), 0);
	assert_int_equal(falsified, 4 * 3); /* links, addresses, routes */
	assert_int_equal(links.count, count);
	assert_int_equal(links.addresses_count, addresses);
	assert_int_equal(link_of("v0")->default_routes, NET_IPV4);
	assert_true(net_links_named(&links, link_of("v0"), "another"));
}

/* ---- links that change all the time ---------------------------------------------------------- */

static void links_that_change_all_the_time_are_read(void **state)
{
	unsigned failed = 0;

	(void)state;
	begin();
	for (unsigned i = 0; i < LINKS / 2; i++)
		fprintf(ip, "link add a%u type veth peer name b%u\n", i, i);
	assert_true(done());
	begin();
	for (unsigned i = 0; i < REMADE; i++)
		fputs("link add x0 type veth peer name y0\nlink del x0\n", ip);
	fflush(ip);
	for (unsigned i = 0; i < READS; i++) {
		failed += net_links_read(&links, NET_IPV4) != 0;
		assert_non_null(link_of("v0"));
		assert_non_null(link_of("a7"));
		assert_int_equal(link_of("v0")->addressed, NET_BOTH);
	}
	done();
	assert_int_equal(failed, 0);
}

/* ---- nexthop objects ------------------------------------------------------------------------- */

static void the_object_of_a_default_route_leads_to_its_link(void **state)
{
	(void)state;
	objects_alone_or_skip();
	assert_true(command("nexthop add id 7 via 192.0.2.254 dev v0"));
	assert_true(command("route add default nhid 7"));
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_IPV4);
	assert_true(command("nexthop replace id 7 via 198.51.100.254 dev v1"));
	look();
	assert_int_equal(link_of("v0")->default_routes, 0);
	assert_int_equal(link_of("v1")->default_routes, NET_IPV4);
	assert_true(command("nexthop del id 7"));
	look();
	assert_int_equal(links.defaults_count, 0);
}

static void a_group_leads_to_the_links_of_its_members(void **state)
{
	(void)state;
	objects_alone_or_skip();
	assert_true(command("nexthop add id 7 via 192.0.2.254 dev v0"));
	assert_true(command("nexthop add id 8 via 198.51.100.254 dev v1"));
	assert_true(command("nexthop add id 20 group 7"));
	assert_true(command("nexthop add id 21 group 7/8"));
	assert_true(command("route add default nhid 20"));
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_IPV4);
	assert_int_equal(link_of("v1")->default_routes, 0);
	assert_true(command("route replace default nhid 21"));
	look();
	assert_int_equal(link_of("v0")->default_routes, NET_IPV4);
	assert_int_equal(link_of("v1")->default_routes, NET_IPV4);
	assert_true(command("nexthop replace id 21 group 8 type resilient") ||
		command("nexthop replace id 21 group 8"));
	look();
	assert_int_equal(link_of("v0")->default_routes, 0);
	assert_int_equal(link_of("v1")->default_routes, NET_IPV4);
}

static void an_object_that_leads_nowhere_has_no_link(void **state)
{
	(void)state;
	objects_alone_or_skip();
	assert_true(command("route add default nhid 1"));
	look();
	assert_int_equal(link_of("v0")->default_routes | link_of("v1")->default_routes, 0);
}

/* ---- the monitor ----------------------------------------------------------------------------- */

/* Reads the waiting messages; true: one was about a route other than a default route. */
static bool hears_other_routes(int monitor)
{
	static _Alignas(struct nlmsghdr) char buffer[32768];
	const struct nlmsghdr *message = (const struct nlmsghdr *)buffer;
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);
	bool heard = false;

	while (recv(monitor, buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
		heard = heard || (message->nlmsg_type == RTM_NEWROUTE && m->rtm_dst_len);
	assert_int_equal(errno, EAGAIN);
	return heard;
}

/* The link is not in use, and no pattern matches it. */
static enum net_change changed(int monitor)
{
	static const char *const none = "none";

	return net_links_changed(monitor, &links, &none, 1);
}

static int monitor_of_now(void)
{
	static const char *const none = "none";
	int monitor = net_links_monitor();

	assert_true(monitor >= 0);
	look();
	net_links_choose(&links, &homes, 1, NET_IPV4, &none, 1, paths);
	while (changed(monitor) != NET_CHANGE_NONE) /* what the making of the machine has left */
		;
	return monitor;
}

static void routes_of_a_router_do_not_wake_the_monitor(void **state)
{
	int monitor = monitor_of_now();

	(void)state;
	begin();
	add_routes(RT_TABLE_MAIN);
	assert_true(done());
	assert_false(hears_other_routes(monitor));
	assert_true(command("route add default dev v1 table 52"));
	assert_int_equal(changed(monitor), NET_CHANGE_IN_USE);
	assert_true(command("route add default via 2001:db8::fe"));
	assert_int_equal(changed(monitor), NET_CHANGE_IN_USE);
	assert_true(command("link set v1 mtu 1400"));
	assert_int_equal(changed(monitor), NET_CHANGE_ELSEWHERE);
	close(monitor);
}

/* As electd-address does: adds or refreshes 192.0.2.100 or 2001:db8::100 on v0. */
static void put_address(const char *text, uint8_t proto, uint32_t valid_s)
{
	const struct ifa_cacheinfo info = { .ifa_valid = valid_s };
	const uint8_t family = strchr(text, ':') ? AF_INET6 : AF_INET;
	const size_t size = family == AF_INET6 ? 16 : 4;
	struct mnl_socket *socket = mnl_socket_open(NETLINK_ROUTE);
	static _Alignas(struct nlmsghdr) char buffer[8192];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct ifaddrmsg *m = mnl_nlmsg_put_extra_header(message, sizeof(*m));
	uint8_t bytes[16];

	message->nlmsg_type = RTM_NEWADDR;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
	m->ifa_family = family;
	m->ifa_index = if_nametoindex("v0");
	m->ifa_prefixlen = (uint8_t)(8 * size);
	m->ifa_flags = IFA_F_NODAD;
	assert_int_equal(inet_pton(family, text, bytes), 1);
	mnl_attr_put(message, IFA_LOCAL, size, bytes);
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u8(message, NET_MARK_ATTRIBUTE, proto);
	assert_true(mnl_socket_sendto(socket, message, message->nlmsg_len) > 0);
	assert_true(mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) > 0);
	assert_int_equal(message->nlmsg_type, NLMSG_ERROR);
	assert_int_equal(((const struct nlmsgerr *)mnl_nlmsg_get_payload(message))->error, 0);
	mnl_socket_close(socket);
}

/* Reads the waiting messages; returns how many were about addresses. */
static unsigned hears_addresses(int monitor)
{
	static _Alignas(struct nlmsghdr) char buffer[32768];
	const struct nlmsghdr *message = (const struct nlmsghdr *)buffer;
	unsigned heard = 0;

	while (recv(monitor, buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
		heard += message->nlmsg_type == RTM_NEWADDR || message->nlmsg_type == RTM_DELADDR;
	assert_int_equal(errno, EAGAIN);
	return heard;
}

/* Returns the address on v0; NULL: it is not stored. */
static const struct net_address *stored(const char *text)
{
	const struct net_link *link = link_of("v0");
	uint8_t bytes[16] = { 0 };

	inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, bytes);
	for (unsigned i = 0; i < link->addresses_count; i++) {
		const struct net_address *a = &links.addresses[link->addresses_first + i];

		if (!memcmp(a->address.bytes, bytes, sizeof(bytes)))
			return a;
	}
	return NULL;
}

static const char *const of_the_leader[] = { "192.0.2.100", "2001:db8::100" };

static void addresses_of_the_leader_do_not_wake_the_monitor(void **state)
{
	int monitor;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		monitor = monitor_of_now();
		put_address(of_the_leader[i], NET_MARK_PROTO, 100);
		look();
		if (stored(of_the_leader[i]))
			skip(); /* the kernel does not keep the mark */
		put_address(of_the_leader[i], NET_MARK_PROTO, 100);
		assert_int_equal(hears_addresses(monitor), 0);
		put_address(of_the_leader[i], NET_MARK_PROTO + 1, 100);
		assert_int_equal(hears_addresses(monitor), 1);
		look();
		assert_non_null(stored(of_the_leader[i]));
		close(monitor);
	}
}

/* So the monitor can tell that nothing else has changed. */
static void new_lifetimes_leave_the_rest_of_an_address_as_it_was(void **state)
{
	struct net_address before;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		put_address(of_the_leader[i], 0, 100);
		look();
		assert_non_null(stored(of_the_leader[i]));
		before = *stored(of_the_leader[i]);
		assert_true(before.leased);
		poll(NULL, 0, 20); /* stamps have 1/100 s */
		put_address(of_the_leader[i], 0, 200);
		look();
		assert_non_null(stored(of_the_leader[i]));
		assert_memory_equal(stored(of_the_leader[i]), &before, sizeof(before));
	}
}

static void only_the_object_of_a_default_route_is_urgent(void **state)
{
	int monitor;

	(void)state;
	objects_alone_or_skip();
	assert_true(command("nexthop add id 7 via 192.0.2.254 dev v0"));
	assert_true(command("nexthop add id 8 via 192.0.2.253 dev v0"));
	assert_true(command("nexthop add id 20 group 7"));
	assert_true(command("route add default nhid 20"));
	monitor = monitor_of_now();
	assert_true(command("nexthop replace id 8 via 198.51.100.254 dev v1"));
	assert_int_not_equal(changed(monitor), NET_CHANGE_IN_USE); /* a carrier may be reported */
	assert_true(command("nexthop replace id 7 via 198.51.100.254 dev v1"));
	assert_int_equal(changed(monitor), NET_CHANGE_IN_USE);
	assert_true(command("nexthop del id 20"));
	assert_int_equal(changed(monitor), NET_CHANGE_IN_USE);
	close(monitor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, make_machine, clear)
		T(a_machine_without_routes_is_read),
		T(a_default_route_behind_thousands_is_seen),
		T(the_default_route_of_another_table_is_seen_if_there_is_no_other),
		T(default_routes_of_the_families_in_use_are_read),
		T(routes_that_lead_nowhere_are_no_default_routes),
		T(several_hops_are_seen_in_each_family),
		T(the_last_of_hundreds_of_names_is_known),
		T(thousands_of_addresses_hide_none),
		T(a_dump_that_ends_with_an_error_fails),
		T(routes_that_the_kernel_cannot_dump_are_counted),
		T(a_dump_that_is_interrupted_each_time_is_used_in_the_end),
		T(links_that_change_all_the_time_are_read),
		T(the_object_of_a_default_route_leads_to_its_link),
		T(a_group_leads_to_the_links_of_its_members),
		T(an_object_that_leads_nowhere_has_no_link),
		T(routes_of_a_router_do_not_wake_the_monitor),
		T(addresses_of_the_leader_do_not_wake_the_monitor),
		T(new_lifetimes_leave_the_rest_of_an_address_as_it_was),
		T(only_the_object_of_a_default_route_is_urgent),
#undef T
	};

	if (unshare(CLONE_NEWNET) || make_machine(NULL))
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
