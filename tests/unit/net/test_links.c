/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which interfaces are used: netlink messages in, paths out. No socket but one monitor is opened.
 */
#include "net/links.h"

#include "net/monitor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { ORDINARY = IFF_UP | IFF_RUNNING | IFF_MULTICAST | IFF_BROADCAST };

enum { NOW = 1000000 };

static struct net_links links;
/* As net_links_choose() left them, without other names; what changes later is in `links`. */
static struct net_links known;
static struct net_homes homes;
static struct net_path paths[NET_PATHS_MAX];
static unsigned families;
static _Alignas(struct nlmsghdr) char buffer[4096];

static int setup(void **state)
{
	(void)state;
	net_links_clear(&links);
	net_links_clear(&known);
	memset(&homes, 0, sizeof(homes));
	memset(paths, 0, sizeof(paths));
	families = NET_IPV4;
	return 0;
}

/* ---- messages as the kernel sends them ------------------------------------------------------- */

static struct nlmsghdr *begin(uint16_t type, size_t extra, void **ret_extra)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = type;
	*ret_extra = mnl_nlmsg_put_extra_header(message, extra);
	return message;
}

static void add_stamped(
	unsigned ifindex, const char *text, uint8_t prefix, uint8_t flags, uint32_t created)
{
	const struct ifa_cacheinfo info = { .cstamp = created, .tstamp = 77 };
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg), &extra);
	struct ifaddrmsg *m = extra;

	m->ifa_family = AF_INET;
	m->ifa_index = ifindex;
	m->ifa_prefixlen = prefix;
	m->ifa_flags = flags;
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u32(message, IFA_LOCAL, inet_addr(text));
	mnl_attr_put_u32(message, IFA_ADDRESS, inet_addr("203.0.113.1")); /* a peer: not ours */
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

/* As a kernel sends them that knows more flags than fit into the header. */
static void add_ipv6(unsigned ifindex, const char *text, uint32_t flags)
{
	const struct ifa_cacheinfo info = { .cstamp = 100, .tstamp = 77 };
	struct in6_addr address;
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg), &extra);
	struct ifaddrmsg *m = extra;

	inet_pton(AF_INET6, text, &address);
	m->ifa_family = AF_INET6;
	m->ifa_index = ifindex;
	m->ifa_prefixlen = 64;
	m->ifa_flags = (uint8_t)flags;
	mnl_attr_put(message, IFA_ADDRESS, sizeof(address), &address);
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u32(message, IFA_FLAGS, flags);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static void add_address(unsigned ifindex, const char *text, uint8_t prefix)
{
	add_stamped(ifindex, text, prefix, IFA_F_PERMANENT, 100);
}

/* The kernel names a link once in a dump: a later message of a test stands for the former. */
static void take(const struct nlmsghdr *message)
{
	struct net_link link;

	for (unsigned i = 0; net_link_from(message, &link) && i < links.count; i++)
		if (links.items[i].ifindex == link.ifindex)
			links.items[i--] = links.items[--links.count];
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static void add_link(unsigned ifindex, const char *name, unsigned flags, uint16_t type)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWLINK, sizeof(struct ifinfomsg), &extra);
	struct ifinfomsg *m = extra;

	m->ifi_index = (int)ifindex;
	m->ifi_flags = flags;
	m->ifi_type = type;
	mnl_attr_put_strz(message, IFLA_IFNAME, name);
	take(message);
}

static struct nlmsghdr *begin_route_of(uint8_t family, uint8_t dst_len)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWROUTE, sizeof(struct rtmsg), &extra);
	struct rtmsg *m = extra;

	m->rtm_family = family;
	m->rtm_dst_len = dst_len;
	m->rtm_table = RT_TABLE_MAIN;
	m->rtm_type = RTN_UNICAST;
	return message;
}

static struct nlmsghdr *begin_route(uint8_t dst_len)
{
	return begin_route_of(AF_INET, dst_len);
}

static void add_route(unsigned ifindex, uint8_t dst_len)
{
	struct nlmsghdr *message = begin_route(dst_len);

	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

/* lo, two Ethernet interfaces, a tunnel; nothing has a default route. */
static void usual_machine(void)
{
	add_address(1, "127.0.0.1", 8);
	add_address(2, "192.0.2.10", 24);
	add_address(3, "198.51.100.10", 24);
	add_address(4, "10.0.0.10", 24);
	add_link(1, "lo", IFF_UP | IFF_RUNNING | IFF_LOOPBACK, ARPHRD_LOOPBACK);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	add_link(4, "tun0", ORDINARY | IFF_POINTOPOINT, ARPHRD_NONE);
}

static bool is_at(unsigned index, const char *text)
{
	const uint8_t family = strchr(text, ':') ? 6 : 4;
	uint8_t bytes[16] = { 0 };

	inet_pton(family == 6 ? AF_INET6 : AF_INET, text, bytes);
	return paths[index].address.family == family &&
		!memcmp(paths[index].address.bytes, bytes, sizeof(bytes));
}

/* The names chosen, with spaces between. */
static const char *chosen(const char *const *patterns, unsigned count)
{
	static char text[NET_PATHS_MAX * IF_NAMESIZE];
	unsigned found;

	net_links_complete(&links);
	found = net_links_choose(&links, &homes, NOW, families, patterns, count, paths);
	*text = '\0';
	for (unsigned i = 0; i < found; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			paths[i].name);
	return text;
}

static const char *chosen_by(const char *pattern)
{
	return chosen(&pattern, 1);
}

/* ---- choosing ------------------------------------------------------------------------------ */

static void without_a_default_route_every_ethernet_is_used(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 24);
	assert_string_equal(chosen(NULL, 0), "eth0 eth1");
}

static void the_default_route_chooses(void **state)
{
	(void)state;
	usual_machine();
	add_route(3, 0);
	assert_string_equal(chosen(NULL, 0), "eth1");
}

static void a_default_route_of_several_hops_names_them_all(void **state)
{
	struct {
		struct rtnexthop hop;
		char attributes[4];
	} hops[2] = { { .hop = { .rtnh_len = sizeof(hops[0]), .rtnh_ifindex = 3 } },
		{ .hop = { .rtnh_len = sizeof(hops[1]), .rtnh_ifindex = 4 } } };
	struct nlmsghdr *message;

	(void)state;
	usual_machine();
	message = begin_route(0);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(hops), hops);
	net_links_on_message(message, &links);
	assert_string_equal(chosen(NULL, 0), "eth1 tun0");
}

static void hops_of_false_length_are_not_followed(void **state)
{
	static const unsigned short lengths[] = { 0, 3, 7, 9, 65535 };
	struct nlmsghdr *message;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct rtnexthop hop = { .rtnh_len = lengths[i], .rtnh_ifindex = 3 };

		setup(NULL);
		usual_machine();
		message = begin_route(0);
		mnl_attr_put(message, RTA_MULTIPATH, sizeof(hop), &hop);
		net_links_on_message(message, &links);
	}
}

static void patterns_choose_whatever_the_routes_say(void **state)
{
	static const char *const two[] = { "tun?", "eth1" };

	(void)state;
	usual_machine();
	add_route(2, 0);
	assert_string_equal(chosen_by("eth*"), "eth0 eth1");
	assert_string_equal(chosen(two, 2), "eth1 tun0");
	assert_string_equal(chosen_by("wlan0"), "");
}

static void the_loopback_must_be_named(void **state)
{
	(void)state;
	usual_machine();
	assert_string_equal(chosen_by("*"), "eth0 eth1 tun0");
	assert_string_equal(chosen_by("l*"), "");
	assert_string_equal(chosen_by("lo"), "lo");
	add_link(1, "lo", ORDINARY | IFF_LOOPBACK, ARPHRD_LOOPBACK);
	add_route(1, 0);
	assert_string_equal(chosen(NULL, 0), "eth0 eth1");
}

static void what_is_down_or_without_multicast_is_not_used(void **state)
{
	(void)state;
	usual_machine();
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_UP, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY & ~(unsigned)IFF_MULTICAST, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "");
	add_route(2, 0);
	add_route(3, 0);
	assert_string_equal(chosen(NULL, 0), "");
}

static void an_interface_without_an_address_is_not_used(void **state)
{
	(void)state;
	usual_machine();
	add_link(9, "eth9", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth9"), "");
}

static void no_carrier_is_a_path_all_the_same(void **state)
{
	(void)state;
	usual_machine();
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_RUNNING, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "eth0 eth1");
	assert_false(paths[0].carrier);
	assert_true(paths[1].carrier);
}

/* ---- addresses ----------------------------------------------------------------------------- */

static void the_first_address_counts(void **state)
{
	(void)state;
	add_address(2, "192.0.2.10", 24);
	add_address(2, "192.0.2.99", 32);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
	assert_int_equal(paths[0].prefix, 24);
}

/* What is there now, whatever was there before. */
static void anew(void)
{
	net_links_clear(&links);
}

static void what_the_kernel_says_of_an_address_decides(void **state)
{
	(void)state;
	add_stamped(2, "192.0.2.11", 24, 0, 500);
	add_stamped(2, "192.0.2.12", 24, IFA_F_SECONDARY, 100);
	add_stamped(2, "192.0.2.10", 24, 0, 400);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
}

static void an_interface_whose_address_may_not_be_used_is_not(void **state)
{
	(void)state;
	usual_machine();
	chosen_by("eth*");
	anew();
	add_address(2, "192.0.2.99", 24); /* and not its own */
	add_address(3, "198.51.100.10", 24);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "eth1");
}

static void another_lease_is_used_at_once(void **state)
{
	(void)state;
	add_stamped(2, "192.0.2.10", 24, 0, 100);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	chosen_by("eth0");
	anew();
	add_stamped(2, "192.0.2.11", 24, 0, 200);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.11"));
	assert_int_equal(paths[0].created, 200);
}

/* A pulled cable takes address and route away: a bridge of containers is no LAN for that. */
static void who_had_a_default_route_is_waited_for(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 0);
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_address(3, "198.51.100.10", 24);
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_RUNNING, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen(NULL, 0), "");
	anew();
	usual_machine(); /* its address is back before its route */
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_address(3, "198.51.100.10", 24); /* the interface is gone for good */
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen(NULL, 0), "eth1");
}

static void more_interfaces_than_places_are_left_out(void **state)
{
	char name[IF_NAMESIZE];

	(void)state;
	for (unsigned i = 1; i <= NET_LINKS_MAX + 5; i++) {
		add_address(i, "192.0.2.1", 24);
		snprintf(name, sizeof(name), "eth%u", i);
		add_link(i, name, ORDINARY, ARPHRD_ETHER);
	}
	assert_int_equal(links.count, NET_LINKS_MAX);
	assert_int_equal(links.cut, 5);
	net_links_complete(&links);
	assert_int_equal(net_links_choose(&links, &homes, NOW, NET_IPV4, NULL, 0, paths),
		NET_INTERFACES_MAX);
	assert_int_equal(links.left_out, NET_LINKS_MAX - NET_INTERFACES_MAX);
}

/* `count` Ethernet links from ifindex 2 on, each with an address. */
static void many_links(unsigned count)
{
	char text[IF_NAMESIZE];

	for (unsigned i = 2; i < count + 2; i++) {
		snprintf(text, sizeof(text), "10.0.%u.1", i);
		add_address(i, text, 24);
		snprintf(text, sizeof(text), "eth%u", i);
		add_link(i, text, ORDINARY, ARPHRD_ETHER);
	}
}

static bool is_chosen(const char *name)
{
	for (unsigned i = 0; i < NET_INTERFACES_MAX; i++)
		if (!strcmp(paths[i].name, name))
			return true;
	return false;
}

static void too_many_interfaces_are_counted_and_the_first_one_is_named(void **state)
{
	(void)state;
	many_links(NET_INTERFACES_MAX + 4);
	chosen_by("eth*");
	assert_int_equal(links.left_out, 4);
	assert_string_equal(links.left_out_name, "eth18");
	anew();
	many_links(NET_INTERFACES_MAX);
	add_link(99, "eth99", ORDINARY, ARPHRD_ETHER); /* it has no address */
	chosen_by("eth*");
	assert_int_equal(links.left_out, 0);
}

static void an_interface_without_a_carrier_is_left_out_first(void **state)
{
	(void)state;
	many_links(NET_INTERFACES_MAX + 1);
	add_link(4, "eth4", ORDINARY & ~(unsigned)IFF_RUNNING, ARPHRD_ETHER);
	chosen_by("eth*");
	assert_int_equal(links.left_out, 1);
	assert_string_equal(links.left_out_name, "eth4");
	assert_true(is_chosen("eth17"));
}

static void an_interface_in_use_stays_when_others_come(void **state)
{
	(void)state;
	many_links(NET_INTERFACES_MAX + 1);
	chosen_by("eth1[0-7]");
	add_link(17, "eth17", ORDINARY & ~(unsigned)IFF_RUNNING, ARPHRD_ETHER);
	chosen_by("eth*");
	assert_int_equal(links.left_out, 1);
	assert_string_equal(links.left_out_name, "eth18");
	assert_true(is_chosen("eth17"));
}

static void short_messages_and_others_are_ignored(void **state)
{
	static const uint16_t types[] = { RTM_NEWADDR, RTM_NEWLINK, RTM_NEWROUTE, RTM_DELADDR };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

		message->nlmsg_type = types[i];
		assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
	}
	assert_int_equal(links.count, 0);
}

/* ---- IPv6 ------------------------------------------------------------------------------------ */

static void one_interface(void)
{
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
}

static void an_interface_is_a_path_of_each_family(void **state)
{
	(void)state;
	families = NET_BOTH;
	add_address(2, "192.0.2.10", 24);
	add_ipv6(2, "2001:db8::1", IFA_F_PERMANENT);
	add_ipv6(2, "fe80::1", IFA_F_PERMANENT);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0 eth0");
	assert_true(is_at(0, "192.0.2.10"));
	assert_true(is_at(1, "fe80::1"));
	assert_int_equal(paths[1].prefix, 64);
	assert_int_not_equal(paths[0].link, paths[1].link);
	assert_int_equal(paths[0].ifindex, paths[1].ifindex);
	families = NET_IPV4;
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
	families = NET_IPV6;
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(is_at(0, "fe80::1"));
}

/* Until its kernel knows that nobody else has it, nothing can be sent from there. */
static void a_tentative_address_is_no_path_yet(void **state)
{
	(void)state;
	families = NET_BOTH;
	add_address(2, "192.0.2.10", 24);
	add_ipv6(2, "fe80::1", IFA_F_PERMANENT | IFA_F_TENTATIVE);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
	anew();
	add_address(2, "192.0.2.10", 24);
	add_ipv6(2, "fe80::1", IFA_F_PERMANENT);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0 eth0");
}

static void an_address_that_another_host_has_is_a_path_that_does_not_work(void **state)
{
	(void)state;
	families = NET_IPV6;
	add_ipv6(2, "fe80::1", IFA_F_PERMANENT | IFA_F_TENTATIVE | IFA_F_DADFAILED);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(paths[0].duplicate);
	assert_false(paths[0].carrier);
	anew();
	add_ipv6(2, "fe80::1", IFA_F_PERMANENT | IFA_F_TENTATIVE | IFA_F_DADFAILED);
	add_ipv6(2, "2001:db8::1", IFA_F_PERMANENT);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(is_at(0, "2001:db8::1"));
	assert_true(paths[0].carrier);
}

/* Their bit is that of secondary addresses of IPv4; another flag shows only in the attribute. */
static void addresses_for_privacy_are_not_used(void **state)
{
	(void)state;
	families = NET_IPV6;
	add_ipv6(2, "2001:db8::1", IFA_F_TEMPORARY | IFA_F_MANAGETEMPADDR);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "");
	anew();
	add_ipv6(2, "2001:db8::1", IFA_F_TEMPORARY);
	add_ipv6(2, "2001:db8::2", IFA_F_MANAGETEMPADDR | IFA_F_NOPREFIXROUTE);
	one_interface();
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_true(is_at(0, "2001:db8::2"));
}

static void add_route6(unsigned ifindex)
{
	struct nlmsghdr *message = begin_route_of(AF_INET6, 0);

	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static void a_default_route_of_a_family_in_use_chooses(void **state)
{
	(void)state;
	usual_machine();
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	add_route(2, 0);
	add_route6(3);
	assert_string_equal(chosen(NULL, 0), "eth0");
	families = NET_BOTH;
	assert_string_equal(chosen(NULL, 0), "eth0 eth1 eth1");
	families = NET_IPV6;
	assert_string_equal(chosen(NULL, 0), "eth1");
}

/* Every interface that is up has one, those inside bridges and of containers, too. */
static void a_link_local_address_alone_chooses_where_there_is_nothing_more(void **state)
{
	(void)state;
	families = NET_BOTH;
	add_address(2, "192.0.2.10", 24);
	add_ipv6(2, "fe80::2", IFA_F_PERMANENT);
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "veth7", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen(NULL, 0), "eth0 eth0");
	assert_string_equal(chosen_by("veth*"), "veth7");
	families = NET_IPV6;
	assert_string_equal(chosen(NULL, 0), "eth0 veth7");
}

static void a_port_of_a_bridge_is_no_lan_of_ipv6(void **state)
{
	struct nlmsghdr *message;
	struct nlattr *info;
	void *extra;

	(void)state;
	families = NET_BOTH;
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth1"), "eth1");
	message = begin(RTM_NEWLINK, sizeof(struct ifinfomsg), &extra);
	((struct ifinfomsg *)extra)->ifi_index = 3;
	((struct ifinfomsg *)extra)->ifi_flags = ORDINARY;
	info = mnl_attr_nest_start(message, IFLA_LINKINFO);
	mnl_attr_put_strz(message, IFLA_INFO_SLAVE_KIND, "bridge");
	mnl_attr_nest_end(message, info);
	take(message);
	assert_string_equal(chosen_by("eth1"), "");
}

static void nor_is_the_loopback(void **state)
{
	(void)state;
	families = NET_BOTH;
	usual_machine();
	add_ipv6(1, "::1", IFA_F_PERMANENT);
	assert_string_equal(chosen_by("lo"), "lo");
	assert_true(is_at(0, "127.0.0.1"));
}

/* ---- how urgent a change is ------------------------------------------------------------------ */

static const char *pattern; /* NULL: none */

static void copy(void)
{
	net_links_clear(&known);
	for (unsigned i = 0; i < links.count; i++)
		net_links_add(&known, &links.items[i]);
	for (unsigned i = 0; i < links.defaults_count; i++)
		net_links_add_default(&known, &links.defaults[i]);
	known.homes = links.homes;
	known.any_may_be_used = links.any_may_be_used;
}

/* The choice is made, and changes follow. */
static void know(const char *chosen_pattern)
{
	pattern = chosen_pattern;
	chosen(&pattern, pattern ? 1 : 0);
	copy();
}

static enum net_change reported(int monitor)
{
	return net_links_changed(monitor, &known, &pattern, pattern ? 1 : 0);
}

/* As a monitor that reports the message that was made last. */
static enum net_change urgency(void)
{
	const struct nlmsghdr *message = (const void *)buffer;
	enum net_change change;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(
		send(ends[1], message, message->nlmsg_len, 0), (ssize_t)message->nlmsg_len);
	change = reported(ends[0]);
	close(ends[0]);
	close(ends[1]);
	return change;
}

static enum net_change urgency_of_link(unsigned ifindex, const char *name)
{
	add_link(ifindex, name, ORDINARY, ARPHRD_ETHER);
	return urgency();
}

static enum net_change urgency_of_removal(unsigned ifindex, const char *name)
{
	add_link(ifindex, name, 0, ARPHRD_ETHER);
	((struct nlmsghdr *)(void *)buffer)->nlmsg_type = RTM_DELLINK;
	return urgency();
}

static enum net_change urgency_of_address(unsigned ifindex)
{
	add_address(ifindex, "192.0.2.77", 24);
	return urgency();
}

static enum net_change urgency_of_route(unsigned ifindex, uint8_t dst_len)
{
	add_route(ifindex, dst_len);
	return urgency();
}

static void a_change_of_the_interface_of_the_default_route_is_urgent(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 0);
	know(NULL);
	assert_int_equal(urgency_of_link(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_removal(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(2), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "eth1"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_removal(3, "eth1"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(3), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(9), NET_CHANGE_ELSEWHERE);
}

static void the_first_address_of_an_interface_with_a_default_route_is_urgent(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 0);
	add_link(5, "eth5", ORDINARY, ARPHRD_ETHER);
	add_route(5, 0);
	know(NULL);
	assert_string_equal(chosen(NULL, 0), "eth0");
	assert_int_equal(urgency_of_address(5), NET_CHANGE_IN_USE);
}

static void an_address_that_leaves_tentative_is_urgent_where_it_is_waited_for(void **state)
{
	(void)state;
	families = NET_IPV6;
	add_ipv6(2, "fe80::2", IFA_F_TENTATIVE | IFA_F_PERMANENT);
	add_ipv6(3, "fe80::3", IFA_F_TENTATIVE | IFA_F_PERMANENT);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "veth3", ORDINARY, ARPHRD_ETHER);
	know("eth*");
	assert_string_equal(chosen_by("eth*"), "");
	add_ipv6(2, "fe80::2", IFA_F_PERMANENT);
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	assert_int_equal(urgency(), NET_CHANGE_ELSEWHERE);
}

static void a_change_of_the_default_routes_is_urgent_wherever_they_lead(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 0);
	know(NULL);
	assert_int_equal(urgency_of_route(9, 0), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_route(2, 24), NET_CHANGE_NONE);
}

static void an_interface_that_had_the_default_route_is_urgent_without_it(void **state)
{
	(void)state;
	usual_machine();
	add_route(2, 0);
	know(NULL);
	anew();
	usual_machine();
	know(NULL);
	assert_int_equal(urgency_of_link(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_removal(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "eth1"), NET_CHANGE_ELSEWHERE);
}

static void without_a_pattern_and_a_default_route_each_change_is_urgent(void **state)
{
	(void)state;
	know(NULL);
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(9), NET_CHANGE_IN_USE);
	usual_machine();
	know(NULL);
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(9), NET_CHANGE_IN_USE);
}

static void a_change_of_an_interface_that_a_pattern_matches_is_urgent(void **state)
{
	(void)state;
	usual_machine();
	know("eth[02-9]");
	assert_int_equal(urgency_of_address(2), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(5, "eth5"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_removal(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "eth1"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(3), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
}

static void a_default_route_is_urgent_beside_a_pattern_too(void **state)
{
	(void)state;
	usual_machine();
	add_route(3, 0);
	know("eth0");
	assert_int_equal(urgency_of_link(3, "eth1"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_route(9, 0), NET_CHANGE_IN_USE);
}

/* No interface is used at all; one that no pattern matches will not be. */
static void without_an_interface_that_matches_others_are_not_urgent(void **state)
{
	(void)state;
	know("eth*");
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_link(9, "eth9"), NET_CHANGE_IN_USE);
}

static void another_name_is_urgent_if_either_matches(void **state)
{
	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(urgency_of_link(2, "lan0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "lan0"), NET_CHANGE_ELSEWHERE);
}

/* Its notification has a number and no name. Each network namespace has the loopback as number 1.
 */
static void the_first_address_of_an_interface_that_a_pattern_matches_is_urgent(void **state)
{
	(void)state;
	know("lo");
	assert_int_equal(urgency_of_address(1), NET_CHANGE_IN_USE);
	know("eth*");
	assert_int_equal(urgency_of_address(1), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(0x7ffffffe), NET_CHANGE_ELSEWHERE); /* gone already */
}

static void after_a_read_that_failed_each_change_is_urgent(void **state)
{
	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(net_links_read(&links), 0); /* as one that fails in its midst */
	copy();
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_IN_USE);
}

static void the_most_urgent_of_several_changes_counts(void **state)
{
	const struct nlmsghdr *message = (const void *)buffer;
	int ends[2];

	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	add_address(2, "192.0.2.77", 24);
	assert_true(send(ends[1], message, message->nlmsg_len, 0) > 0);
	add_link(9, "veth9", ORDINARY, ARPHRD_ETHER);
	assert_true(send(ends[1], message, message->nlmsg_len, 0) > 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	assert_int_equal(reported(ends[0]), NET_CHANGE_IN_USE);
	assert_int_equal(reported(ends[0]), NET_CHANGE_NONE);
	close(ends[0]);
	close(ends[1]);
}

static void short_notifications_are_urgent(void **state)
{
	(void)state;
	usual_machine();
	know("eth0");
	add_link(9, "veth9", ORDINARY, ARPHRD_ETHER);
	((struct nlmsghdr *)(void *)buffer)->nlmsg_len = NLMSG_HDRLEN + 2;
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
	add_address(9, "192.0.2.77", 24);
	((struct nlmsghdr *)(void *)buffer)->nlmsg_len = NLMSG_HDRLEN + 2;
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
}

/* A link may have more names than the buffer of a reader has room for. */
static void a_notification_that_is_cut_is_urgent(void **state)
{
	static const char bytes[64 * 1024];
	int ends[2];

	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(send(ends[1], bytes, sizeof(bytes), 0), (ssize_t)sizeof(bytes));
	assert_int_equal(reported(ends[0]), NET_CHANGE_IN_USE);
	assert_int_equal(reported(ends[0]), NET_CHANGE_NONE);
	close(ends[0]);
	close(ends[1]);
}

static int clear(void **state)
{
	(void)state;
	net_links_clear(&links);
	net_links_clear(&known);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_default_route_every_ethernet_is_used, setup),
		cmocka_unit_test_setup(the_default_route_chooses, setup),
		cmocka_unit_test_setup(a_default_route_of_several_hops_names_them_all, setup),
		cmocka_unit_test_setup(hops_of_false_length_are_not_followed, setup),
		cmocka_unit_test_setup(patterns_choose_whatever_the_routes_say, setup),
		cmocka_unit_test_setup(the_loopback_must_be_named, setup),
		cmocka_unit_test_setup(what_is_down_or_without_multicast_is_not_used, setup),
		cmocka_unit_test_setup(an_interface_without_an_address_is_not_used, setup),
		cmocka_unit_test_setup(no_carrier_is_a_path_all_the_same, setup),
		cmocka_unit_test_setup(the_first_address_counts, setup),
		cmocka_unit_test_setup(what_the_kernel_says_of_an_address_decides, setup),
		cmocka_unit_test_setup(an_interface_whose_address_may_not_be_used_is_not, setup),
		cmocka_unit_test_setup(another_lease_is_used_at_once, setup),
		cmocka_unit_test_setup(who_had_a_default_route_is_waited_for, setup),
		cmocka_unit_test_setup(more_interfaces_than_places_are_left_out, setup),
		cmocka_unit_test_setup(
			too_many_interfaces_are_counted_and_the_first_one_is_named, setup),
		cmocka_unit_test_setup(an_interface_without_a_carrier_is_left_out_first, setup),
		cmocka_unit_test_setup(an_interface_in_use_stays_when_others_come, setup),
		cmocka_unit_test_setup(short_messages_and_others_are_ignored, setup),
		cmocka_unit_test_setup(an_interface_is_a_path_of_each_family, setup),
		cmocka_unit_test_setup(a_tentative_address_is_no_path_yet, setup),
		cmocka_unit_test_setup(
			an_address_that_another_host_has_is_a_path_that_does_not_work, setup),
		cmocka_unit_test_setup(addresses_for_privacy_are_not_used, setup),
		cmocka_unit_test_setup(a_default_route_of_a_family_in_use_chooses, setup),
		cmocka_unit_test_setup(
			a_link_local_address_alone_chooses_where_there_is_nothing_more, setup),
		cmocka_unit_test_setup(a_port_of_a_bridge_is_no_lan_of_ipv6, setup),
		cmocka_unit_test_setup(nor_is_the_loopback, setup),
		cmocka_unit_test_setup(
			a_change_of_the_interface_of_the_default_route_is_urgent, setup),
		cmocka_unit_test_setup(
			the_first_address_of_an_interface_with_a_default_route_is_urgent, setup),
		cmocka_unit_test_setup(
			an_address_that_leaves_tentative_is_urgent_where_it_is_waited_for, setup),
		cmocka_unit_test_setup(
			a_change_of_the_default_routes_is_urgent_wherever_they_lead, setup),
		cmocka_unit_test_setup(
			an_interface_that_had_the_default_route_is_urgent_without_it, setup),
		cmocka_unit_test_setup(
			without_a_pattern_and_a_default_route_each_change_is_urgent, setup),
		cmocka_unit_test_setup(
			a_change_of_an_interface_that_a_pattern_matches_is_urgent, setup),
		cmocka_unit_test_setup(
			without_an_interface_that_matches_others_are_not_urgent, setup),
		cmocka_unit_test_setup(a_default_route_is_urgent_beside_a_pattern_too, setup),
		cmocka_unit_test_setup(another_name_is_urgent_if_either_matches, setup),
		cmocka_unit_test_setup(
			the_first_address_of_an_interface_that_a_pattern_matches_is_urgent, setup),
		cmocka_unit_test_setup(after_a_read_that_failed_each_change_is_urgent, setup),
		cmocka_unit_test_setup(the_most_urgent_of_several_changes_counts, setup),
		cmocka_unit_test_setup(short_notifications_are_urgent, setup),
		cmocka_unit_test_setup(a_notification_that_is_cut_is_urgent, setup),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
