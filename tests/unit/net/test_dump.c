/* SPDX-License-Identifier: Apache-2.0 */
/* The parsing of the links, addresses and default routes of a dump, and its limits. */
#include "machine.h"

#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <stdlib.h>

enum {
	TABLE = 100000, /* of a VRF: more than the eight bits of the header */
	MANY = 1000,
};

static const struct net_link *link_of(unsigned ifindex)
{
	net_links_complete(&links);
	return net_links_find(&links, ifindex);
}

/* ---- default routes -------------------------------------------------------------------------- */

static void add_route_of_type(unsigned ifindex, uint8_t type)
{
	struct nlmsghdr *message = begin_route(0);

	((struct rtmsg *)mnl_nlmsg_get_payload(message))->rtm_type = type;
	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static void a_route_that_leads_nowhere_is_no_default_route(void **state)
{
	static const uint8_t types[] = { RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT, RTN_THROW,
		RTN_LOCAL, RTN_BROADCAST, RTN_ANYCAST, RTN_MULTICAST, RTN_NAT };

	(void)state;
	usual_machine();
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		add_route_of_type(2, types[i]);
	assert_int_equal(links.defaults_count, 0);
	add_route_of_type(2, RTN_UNICAST);
	assert_int_equal(links.defaults_count, 1);
}

static void add_route_of_table(unsigned ifindex, uint8_t in_header, uint32_t table)
{
	struct nlmsghdr *message = begin_route(0);

	((struct rtmsg *)mnl_nlmsg_get_payload(message))->rtm_table = in_header;
	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	if (table)
		mnl_attr_put_u32(message, RTA_TABLE, table);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static void the_table_of_a_route_may_be_more_than_eight_bits(void **state)
{
	(void)state;
	usual_machine();
	add_route_of_table(2, RT_TABLE_COMPAT, TABLE);
	add_route_of_table(2, 0, 256 + RT_TABLE_MAIN);
	assert_int_equal(link_of(2)->default_routes, 0);
	assert_int_equal(link_of(2)->other_defaults, NET_IPV4);
	add_route_of_table(3, RT_TABLE_MAIN, RT_TABLE_MAIN);
	add_route_of_table(4, RT_TABLE_MAIN, 0); /* a kernel that sends only the header */
	assert_int_equal(link_of(3)->default_routes, NET_IPV4);
	assert_int_equal(link_of(4)->default_routes, NET_IPV4);
}

static void a_route_of_some_sources_is_a_default_route(void **state)
{
	static const uint8_t source[16] = { 0x20, 0x01, 0x0d, 0xb8 };
	struct nlmsghdr *message;

	(void)state;
	usual_machine();
	message = begin_route_of(AF_INET6, 0);
	((struct rtmsg *)mnl_nlmsg_get_payload(message))->rtm_src_len = 48;
	mnl_attr_put(message, RTA_SRC, sizeof(source), source);
	mnl_attr_put_u32(message, RTA_OIF, 3);
	net_links_on_message(message, &links);
	assert_int_equal(link_of(3)->default_routes, NET_IPV6);
}

/* The interface itself shows whether it is up and has a carrier. */
static void a_dead_hop_counts_but_a_hop_without_an_interface_does_not(void **state)
{
	const struct rtnexthop hops[] = {
		{ .rtnh_len = sizeof(hops[0]), .rtnh_flags = RTNH_F_DEAD, .rtnh_ifindex = 2 },
		{ .rtnh_len = sizeof(hops[0]), .rtnh_flags = RTNH_F_LINKDOWN, .rtnh_ifindex = 3 },
		{ .rtnh_len = sizeof(hops[0]), .rtnh_ifindex = 0 },
	};
	struct nlmsghdr *message;

	(void)state;
	usual_machine();
	message = begin_route(0);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(hops), hops);
	net_links_on_message(message, &links);
	assert_int_equal(links.defaults_count, 2);
	assert_int_equal(link_of(2)->default_routes, NET_IPV4);
	assert_int_equal(link_of(3)->default_routes, NET_IPV4);
}

static void a_route_by_a_nexthop_object_names_the_object(void **state)
{
	struct nlmsghdr *message = begin_route(0);

	(void)state;
	mnl_attr_put_u32(message, RTA_NH_ID, 7);
	net_links_on_message(message, &links);
	assert_int_equal(links.defaults_count, 1);
	assert_int_equal(links.defaults[0].nexthop, 7);
	assert_int_equal(links.defaults[0].ifindex, 0);
	machine_setup(NULL);
	mnl_attr_put_u32(message, RTA_OIF, 2); /* nexthop_compat_mode: the hop is named too */
	net_links_on_message(message, &links);
	assert_int_equal(links.defaults_count, 1);
	assert_int_equal(links.defaults[0].nexthop, 7);
	assert_int_equal(links.defaults[0].ifindex, 2);
}

static void equal_default_routes_take_one_place(void **state)
{
	(void)state;
	usual_machine();
	for (unsigned i = 0; i < 2 * NET_DEFAULTS_MAX; i++)
		add_route_of_table(2, RT_TABLE_COMPAT, TABLE + i);
	add_route(3, 0);
	assert_int_equal(links.cut, 0);
	assert_int_equal(link_of(3)->default_routes, NET_IPV4);
}

static void default_routes_that_do_not_fit_are_counted(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= NET_DEFAULTS_MAX + 3; i++)
		add_route(i, 0);
	assert_int_equal(links.defaults_count, NET_DEFAULTS_MAX);
	assert_int_equal(links.cut, 3);
	net_links_empty(&links);
	assert_int_equal(links.cut, 0);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void add_numbered(unsigned ifindex, unsigned number)
{
	const struct net_address a = {
		.ifindex = ifindex,
		.prefix = 32,
		.address = { .family = 4,
			.bytes = { 10, (uint8_t)(number >> 16), (uint8_t)(number >> 8),
				(uint8_t)number } },
	};

	net_links_add_address(&links, &a);
}

static void link_with(unsigned ifindex, unsigned flags)
{
	char name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "eth%u", ifindex);
	add_link(ifindex, name, flags, ARPHRD_ETHER);
}

static void the_first_addresses_of_the_loopback_are_enough(void **state)
{
	(void)state;
	link_with(1, IFF_UP | IFF_RUNNING | IFF_LOOPBACK);
	link_with(2, ORDINARY);
	add_address(1, "127.0.0.1", 8);
	for (unsigned i = 0; i < MANY; i++)
		add_numbered(1, i);
	add_numbered(2, 7);
	add_ipv6(1, "::1", IFA_F_PERMANENT);
	assert_int_equal(links.cut, 0);
	assert_int_equal(link_of(1)->addresses_count, NET_LOOPBACK_ADDRESSES_MAX);
	assert_int_equal(link_of(2)->addresses_count, 1);
	assert_string_equal(chosen_by("lo"), "");
	assert_string_equal(chosen_by("eth1"), "eth1");
	assert_true(is_at(0, "127.0.0.1"));
}

static void addresses_that_cannot_be_used_are_not_kept(void **state)
{
	struct net_link port = { .ifindex = 3, .flags = ORDINARY, .master_kind = "bridge" };

	(void)state;
	link_with(2, ORDINARY & ~(unsigned)IFF_MULTICAST);
	net_links_add(&links, &port);
	add_address(2, "192.0.2.10", 24);
	add_address(3, "192.0.2.11", 24);
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	assert_int_equal(links.addresses_count, 1);
	assert_int_equal(links.addresses[0].ifindex, 3);
	assert_int_equal(links.addresses[0].address.family, 4);
	assert_int_equal(links.cut, 0);
}

static void one_link_leaves_space_for_the_addresses_of_others(void **state)
{
	(void)state;
	link_with(2, ORDINARY);
	link_with(3, ORDINARY);
	for (unsigned i = 0; i < NET_LINK_ADDRESSES_MAX + 9; i++)
		add_numbered(2, i);
	add_numbered(3, 1);
	assert_int_equal(links.cut, 9);
	assert_int_equal(link_of(2)->addresses_count, NET_LINK_ADDRESSES_MAX);
	assert_int_equal(link_of(3)->addresses_count, 1);
}

static void addresses_that_do_not_fit_are_counted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NET_ADDRESSES_MAX + 5; i++)
		add_numbered(2 + i / NET_LINK_ADDRESSES_MAX, i);
	assert_int_equal(links.addresses_count, NET_ADDRESSES_MAX);
	assert_int_equal(links.cut, 5);
}

/* The kernel dumps the IPv4 addresses of all links, then the IPv6 addresses. */
static void the_addresses_of_a_link_are_adjacent_and_in_order(void **state)
{
	const struct net_link *link;
	const struct net_address *first;

	(void)state;
	link_with(9, ORDINARY);
	link_with(3, ORDINARY);
	add_address(9, "192.0.2.9", 24);
	add_address(3, "192.0.2.3", 24);
	add_address(3, "192.0.2.4", 24);
	add_address(5, "192.0.2.5", 24); /* the link came after its dump */
	add_ipv6(9, "fe80::9", IFA_F_PERMANENT);
	add_ipv6(3, "fe80::3", IFA_F_PERMANENT);
	link = link_of(3);
	first = links.addresses + link->addresses_first;
	assert_int_equal(link->addresses_count, 3);
	assert_int_equal(first[0].address.bytes[3], 3);
	assert_int_equal(first[1].address.bytes[3], 4);
	assert_int_equal(first[2].address.family, 6);
	assert_int_equal(link_of(9)->addresses_count, 2);
	assert_int_equal(links.addresses_count, 5);
}

/* ---- links ----------------------------------------------------------------------------------- */

static void a_link_that_a_dump_names_twice_is_one(void **state)
{
	const struct net_link twice = {
		.ifindex = 2, .flags = ORDINARY, .type = ARPHRD_ETHER, .name = "eth0"
	};

	(void)state;
	usual_machine();
	add_route(2, 0);
	net_links_add(&links, &twice);
	assert_string_equal(chosen_by("eth*"), "eth0 eth1");
	assert_int_equal(links.count, 4);
}

static void links_are_found_in_any_order(void **state)
{
	static const unsigned order[] = { 7, 2, 9, 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		link_with(order[i], ORDINARY);
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
			assert_int_equal(net_links_find(&links, order[i])->ifindex, order[i]);
		assert_null(net_links_find(&links, 3));
		net_links_complete(&links);
	}
}

static void alternative_names_are_kept_for_each_link(void **state)
{
	struct net_link link = { .ifindex = 2, .flags = ORDINARY, .name = "eth0" };

	(void)state;
	assert_false(net_links_add_altname(&links, "", &link.altnames)); /* an empty name */
	assert_int_equal(link.altnames, 0);
	assert_true(net_links_add_altname(&links, "enp1s0", &link.altnames));
	assert_true(net_links_add_altname(&links, "enx0242ac110002", &link.altnames));
	net_links_add(&links, &link);
	link = (struct net_link){ .ifindex = 3, .flags = ORDINARY, .name = "eth1" };
	assert_true(net_links_add_altname(&links, "enp2s0", &link.altnames));
	net_links_add(&links, &link);
	assert_true(net_links_named(&links, link_of(2), "enp1*"));
	assert_true(net_links_named(&links, link_of(2), "enx*"));
	assert_false(net_links_named(&links, link_of(2), "enp2*"));
	assert_true(net_links_named(&links, link_of(3), "enp2*"));
	assert_false(net_links_named(&links, link_of(3), "enx*"));
	assert_int_equal(links.cut, 0);
}

static void alternative_names_that_do_not_fit_are_counted(void **state)
{
	static char name[NET_ALTNAMES_SIZE_MAX / 2];
	unsigned first = 0;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	assert_true(net_links_add_altname(&links, name, &first));
	assert_false(net_links_add_altname(&links, name, &first));
	assert_true(net_links_add_altname(&links, "b", &first));
	assert_int_equal(links.cut, 1);
}

/* ---- malformed messages ---------------------------------------------------------------------- */

/* A sanitizer finds reads beyond the end. libmnl assumes an end at a multiple of four bytes. */
static void end_at(uint16_t type, void (*compose)(void))
{
	struct nlmsghdr *message = (struct nlmsghdr *)buffer;
	uint32_t whole;

	compose();
	message->nlmsg_type = type;
	whole = message->nlmsg_len;
	for (uint32_t size = NLMSG_HDRLEN; size < whole; size++) {
		char *exact = malloc(NLMSG_ALIGN(size));

		machine_setup(NULL);
		memset(exact, 'x', NLMSG_ALIGN(size));
		memcpy(exact, buffer, size);
		((struct nlmsghdr *)exact)->nlmsg_len = size;
		assert_int_equal(net_links_on_message((struct nlmsghdr *)exact, &links), MNL_CB_OK);
		net_links_complete(&links);
		free(exact);
	}
}

static void compose_link(void)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWLINK, sizeof(struct ifinfomsg), &extra);
	struct nlattr *outer, *inner;

	((struct ifinfomsg *)extra)->ifi_index = 2;
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth0");
	mnl_attr_put_u32(message, IFLA_MASTER, 3);
	mnl_attr_put_u32(message, IFLA_LINK, 4);
	outer = mnl_attr_nest_start(message, IFLA_LINKINFO);
	mnl_attr_put_strz(message, IFLA_INFO_KIND, "veth");
	mnl_attr_put_strz(message, IFLA_INFO_SLAVE_KIND, "bridge");
	inner = mnl_attr_nest_start(message, IFLA_INFO_SLAVE_DATA);
	mnl_attr_put_u8(message, IFLA_BRPORT_STATE, 1);
	mnl_attr_nest_end(message, inner);
	mnl_attr_nest_end(message, outer);
	outer = mnl_attr_nest_start(message, IFLA_PROP_LIST);
	mnl_attr_put_strz(message, IFLA_ALT_IFNAME, "enp1s0");
	mnl_attr_nest_end(message, outer);
}

static void compose_address(void)
{
	add_ipv6(2, "fe80::2", IFA_F_PERMANENT);
}

static void compose_route(void)
{
	const struct rtnexthop hop = { .rtnh_len = sizeof(hop), .rtnh_ifindex = 2 };
	struct nlmsghdr *message = begin_route(0);

	mnl_attr_put_u32(message, RTA_TABLE, TABLE);
	mnl_attr_put_u32(message, RTA_NH_ID, 7);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(hop), &hop);
	mnl_attr_put_u32(message, RTA_OIF, 2);
}

static void a_message_may_end_anywhere(void **state)
{
	(void)state;
	end_at(RTM_NEWLINK, compose_link);
	end_at(RTM_NEWADDR, compose_address);
	end_at(RTM_NEWROUTE, compose_route);
}

static void the_attributes_of_a_link_are_parsed(void **state)
{
	(void)state;
	compose_link();
	net_links_on_message((struct nlmsghdr *)buffer, &links);
	assert_string_equal(link_of(2)->kind, "veth");
	assert_string_equal(link_of(2)->master_kind, "bridge");
	assert_int_equal(link_of(2)->master, 3);
	assert_int_equal(link_of(2)->lower, 4);
	assert_true(link_of(2)->blocked);
	assert_true(net_links_named(&links, link_of(2), "enp1s0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, machine_setup, machine_clear)
		T(a_route_that_leads_nowhere_is_no_default_route),
		T(the_table_of_a_route_may_be_more_than_eight_bits),
		T(a_route_of_some_sources_is_a_default_route),
		T(a_dead_hop_counts_but_a_hop_without_an_interface_does_not),
		T(a_route_by_a_nexthop_object_names_the_object),
		T(equal_default_routes_take_one_place),
		T(default_routes_that_do_not_fit_are_counted),
		T(the_first_addresses_of_the_loopback_are_enough),
		T(addresses_that_cannot_be_used_are_not_kept),
		T(one_link_leaves_space_for_the_addresses_of_others),
		T(addresses_that_do_not_fit_are_counted),
		T(the_addresses_of_a_link_are_adjacent_and_in_order),
		T(a_link_that_a_dump_names_twice_is_one),
		T(links_are_found_in_any_order),
		T(alternative_names_are_kept_for_each_link),
		T(alternative_names_that_do_not_fit_are_counted),
		T(a_message_may_end_anywhere),
		T(the_attributes_of_a_link_are_parsed),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
