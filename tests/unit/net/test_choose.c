/* SPDX-License-Identifier: Apache-2.0 */
/* The interfaces that are used, from netlink messages to paths. Opens no socket. */
#include "machine.h"

static void every_ethernet_is_used_without_a_default_route(void **state)
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

static void an_interface_that_is_down_or_without_multicast_is_not_used(void **state)
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

static void an_interface_without_a_carrier_is_a_path(void **state)
{
	(void)state;
	usual_machine();
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_RUNNING, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "eth0 eth1");
	assert_false(paths[0].carrier);
	assert_true(paths[1].carrier);
}

/* A pulled cable removes address and route; a bridge of containers must not replace the LAN. */
static const struct elect_address of_the_leader = { .bytes = { 192, 0, 2, 100 }, .family = 4 };

/* The names of the chosen interfaces, without the addresses that are named. */
static const char *chosen_without_the_named(void)
{
	net_links_complete(&links);
	net_links_leave_out(&links, &of_the_leader, 1);
	return net_links_choose(&links, &homes, NOW, families, NULL, 0, paths) ? paths[0].name : "";
}

/*
 * `networkctl reload` on the leader: its own address is gone for a moment. If it adopted the one of
 * the leader, which has a lifetime like a leased one, the next leader would have the same.
 */
static void an_address_of_the_leader_does_not_replace_the_own_one(void **state)
{
	static const struct {
		uint8_t proto;
		const char *label;
	} marks[] = { { NET_MARK_PROTO, NULL }, { 0, NET_MARK_LABEL } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		machine_setup(NULL);
		one_interface();
		add_address(2, "192.0.2.10", 24);
		assert_string_equal(chosen_by("eth0"), "eth0");
		net_homes_lead(&homes, true, 0);
		anew();
		one_interface();
		add_marked(2, "192.0.2.100", marks[i].proto, marks[i].label);
		assert_string_equal(chosen_by("eth0"), "");
		anew();
		one_interface();
		add_marked(2, "192.0.2.100", marks[i].proto, marks[i].label);
		add_stamped(2, "192.0.2.10", 24, IFA_F_PERMANENT, 200);
		assert_string_equal(chosen_by("eth0"), "eth0");
		assert_true(is_at(0, "192.0.2.10"));
	}
}

/* The label of an address is the name of its interface, unless it was given another one. */
static void the_own_address_may_have_the_label_of_the_mark(void **state)
{
	(void)state;
	one_interface();
	add_labelled(2, "192.0.2.10", 24, IFA_F_PERMANENT, 0, NET_MARK_LABEL);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
}

/* A script may have added it, or electd-address on a kernel that keeps no mark. */
static void a_named_address_of_the_leader_does_not_replace_the_own_one(void **state)
{
	(void)state;
	one_interface();
	add_marked(2, "192.0.2.100", 0, NULL);
	add_address(2, "192.0.2.10", 24);
	assert_string_equal(chosen_without_the_named(), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
	anew();
	one_interface();
	add_marked(2, "192.0.2.100", 0, NULL);
	assert_string_equal(chosen_without_the_named(), "");
	assert_int_equal(net_links_find(&links, 2)->addressed, 0);
}

static void an_address_of_the_leader_leaves_those_of_other_interfaces(void **state)
{
	(void)state;
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	add_address(2, "192.0.2.100", 24);
	add_address(3, "198.51.100.10", 24);
	add_route(3, 0);
	assert_string_equal(chosen_without_the_named(), "eth1");
	assert_true(is_at(0, "198.51.100.10"));
	assert_int_equal(net_links_find(&links, 3)->default_routes, NET_IPV4);
}

/* The paths that the host would have without its address, `ms` after the removal. */
static bool waits(unsigned ms, const struct net_path *before, unsigned flags, bool other)
{
	const char *all[] = { "eth*" };
	unsigned count;

	anew();
	add_link(2, "eth0", flags, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	if (other)
		add_address(3, "198.51.100.10", 24);
	net_links_complete(&links);
	count = net_links_choose(&links, &homes, NOW, families, all, 1, paths);
	return net_links_wait(&links, NOW + ms * 1000, before, 1, paths, count);
}

/* A network manager removes the address, and adds it again within milliseconds. */
static void the_last_address_is_expected_back_for_a_moment(void **state)
{
	const unsigned dark = ORDINARY & ~(unsigned)IFF_RUNNING, ms = NET_HOMES_EXPECT_US / 1000;
	struct net_path before;

	(void)state;
	add_address(2, "192.0.2.10", 24);
	one_interface();
	assert_string_equal(chosen_by("eth0"), "eth0");
	before = paths[0];
	assert_true(waits(0, &before, ORDINARY, false));
	assert_true(waits(ms - 1, &before, ORDINARY, false));
	assert_false(waits(ms, &before, ORDINARY, false));
	assert_int_equal(net_homes_again(&homes, NOW), NOW + NET_HOMES_EXPECT_US);
	assert_false(waits(0, &before, dark, false));
	assert_false(waits(0, &before, 0, false));
	assert_false(waits(0, &before, ORDINARY, true)); /* the host has another path */
	before.carrier = false;
	assert_false(waits(0, &before, ORDINARY, false));
}

static void an_interface_that_had_the_default_route_is_waited_for(void **state)
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
	usual_machine(); /* the address is back before the route */
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_address(3, "198.51.100.10", 24); /* the interface is gone for good */
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen(NULL, 0), "eth1");
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

/* Every interface that is up has one, also those inside bridges and those of containers. */
static void a_link_local_address_alone_chooses_if_there_is_no_other(void **state)
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

static void the_loopback_is_no_lan_of_ipv6(void **state)
{
	(void)state;
	families = NET_BOTH;
	usual_machine();
	add_ipv6(1, "::1", IFA_F_PERMANENT);
	assert_string_equal(chosen_by("lo"), "lo");
	assert_true(is_at(0, "127.0.0.1"));
}

/* ---- the choice without names ---------------------------------------------------------------- */

#define ETH0	     CARD(2, "eth0")
#define ETH1	     CARD(3, "eth1")
#define WLAN0	     CARD(3, "wlan0")
#define TUN0	     CARD(4, "tun0", .kind = "tun", .type = ARPHRD_NONE, .flags = IFF_POINTOPOINT)
#define PPP0	     CARD(4, "ppp0", .kind = "ppp", .type = ARPHRD_PPP, .flags = IFF_POINTOPOINT)
#define WG0	     CARD(4, "wg0", .kind = "wireguard", .type = ARPHRD_NONE)
#define IB0	     CARD(5, "ib0", .type = ARPHRD_INFINIBAND)
#define DOCKER0	     CARD(8, "docker0", .kind = "bridge")
#define DOCKER0_IDLE CARD(8, "docker0", .kind = "bridge", .off = true)
#define CONTAINER    CARD(9, "ve9", .kind = "veth", .lower = 2, .lower_elsewhere = true, .master = 8)
#define BR0	     CARD(10, "br0", .kind = "bridge")
#define PORT	     CARD(2, "eth0", .master = 10)
#define MEMBER	     CARD(2, "eth0", .master = 10, .master_kind = "vrf")
#define VRF	     CARD(10, "red", .kind = "vrf", .flags = IFF_MASTER)

/* `main`, `other`: links with a default route in the main table and in another one. */
static const struct {
	const char *sentence, *chosen;
	struct card cards[5];
	struct {
		unsigned ifindex;
		const char *text;
	} addresses[4];
	unsigned main[2], other;
} hosts[] = {
	/* 1: the main table */
	{ "the main table goes first", "eth1", { ETH0, ETH1 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" } }, { 3 }, 2 },
	{ "all with a default route are used", "eth0 wlan0", { ETH0, WLAN0 },
		{ { 2, "192.0.2.1" }, { 3, "192.0.2.2" } }, { 2, 3 }, 0 },
	{ "a bridge has the route of its port", "br0", { PORT, BR0 }, { { 10, "192.0.2.1" } },
		{ 10 }, 0 },
	{ "a default route by InfiniBand", "ib0", { ETH0, IB0 },
		{ { 2, "192.0.2.1" }, { 5, "198.51.100.1" } }, { 5 }, 0 },
	{ "a default route by a bridge of containers", "docker0", { ETH0, DOCKER0, CONTAINER },
		{ { 2, "192.0.2.1" }, { 8, "172.17.0.1" } }, { 8 }, 0 },
	{ "a default route without an address is waited for", "", { ETH0, ETH1 },
		{ { 3, "198.51.100.1" } }, { 2 }, 0 },
	{ "a default route by a tunnel chooses nothing", "eth0", { ETH0, TUN0 },
		{ { 2, "192.0.2.1" }, { 4, "10.8.0.2" } }, { 4 }, 0 },
	{ "... nor does one by PPP", "eth0", { ETH0, PPP0 },
		{ { 2, "192.0.2.1" }, { 4, "10.8.0.2" } }, { 4 }, 0 },
	{ "... nor does one by a port", "br0", { PORT, BR0 },
		{ { 2, "192.0.2.1" }, { 10, "198.51.100.1" } }, { 2 }, 0 },
	{ "... and the other one chooses", "eth0", { ETH0, ETH1, TUN0 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" }, { 4, "10.8.0.2" } }, { 2, 4 }, 0 },
	{ "a tunnel alone is no LAN", "", { TUN0 }, { { 4, "10.8.0.2" } }, { 4 }, 0 },

	/* 3: another table */
	{ "another table chooses where the main one does not", "eth1", { ETH0, ETH1 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" } }, { 0 }, 3 },
	{ "the table of a VRF is that of its members", "eth0", { MEMBER, VRF, ETH1 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" } }, { 0 }, 2 },
	{ "WireGuard's own table chooses nothing", "eth0", { ETH0, WG0 },
		{ { 2, "192.0.2.1" }, { 4, "10.8.0.2" } }, { 0 }, 4 },

	/* 4: rank and address */
	{ "each Ethernet card with an address is used", "eth0 eth1", { ETH0, ETH1 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" } }, { 0 }, 0 },
	{ "... before one with a link-local address", "eth1", { ETH0, ETH1 },
		{ { 2, "169.254.3.4" }, { 3, "198.51.100.1" } }, { 0 }, 0 },
	{ "link-local addresses do where there are no others", "eth0 eth1", { ETH0, ETH1 },
		{ { 2, "169.254.3.4" }, { 3, "169.254.3.5" } }, { 0 }, 0 },
	{ "an idle docker0 on an isolated LAN", "eth0", { ETH0, DOCKER0_IDLE },
		{ { 2, "169.254.3.4" }, { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "docker0 with containers there", "eth0", { ETH0, DOCKER0, CONTAINER },
		{ { 2, "169.254.3.4" }, { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "the same while the cable is pulled", "eth0",
		{ CARD(2, "eth0", .off = true), DOCKER0, CONTAINER },
		{ { 2, "169.254.3.4" }, { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "a card that is up waits for its address", "", { ETH0, DOCKER0, CONTAINER },
		{ { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "a card that is down does not", "docker0",
		{ CARD(2, "eth0", .down = true, .off = true), DOCKER0, CONTAINER },
		{ { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "a bridge of containers goes before an idle one", "docker0",
		{ DOCKER0, CONTAINER, CARD(10, "virbr0", .kind = "bridge", .off = true) },
		{ { 8, "172.17.0.1" }, { 10, "192.168.122.1" } }, { 0 }, 0 },
	{ "a container has the LAN behind its veth, not its own docker0", "eth0",
		{ CARD(2, "eth0", .kind = "veth", .lower = 9, .lower_elsewhere = true), DOCKER0,
			CONTAINER },
		{ { 2, "169.254.3.4" }, { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "a guest's tap is no LAN next to a card", "eth0",
		{ ETH0, CARD(6, "tap0", .kind = "tun") },
		{ { 2, "169.254.3.4" }, { 6, "10.9.0.1" } }, { 0 }, 0 },
	{ "InfiniBand is no Ethernet", "docker0", { IB0, DOCKER0, CONTAINER },
		{ { 5, "198.51.100.1" }, { 8, "172.17.0.1" } }, { 0 }, 0 },
	{ "a member of a VRF without a route", "eth0 eth1", { MEMBER, VRF, ETH1 },
		{ { 2, "192.0.2.1" }, { 3, "198.51.100.1" } }, { 0 }, 0 },
	{ "a slave with an address is none", "bond0",
		{ CARD(2, "eth0", .master = 10, .master_kind = "bond"),
			CARD(10, "bond0", .kind = "bond") },
		{ { 2, "192.0.2.1" }, { 10, "198.51.100.1" } }, { 0 }, 0 },
	{ "a VLAN of a card without an address", "eth0.5",
		{ ETH0, CARD(6, "eth0.5", .kind = "vlan", .lower = 2) }, { { 6, "192.0.2.1" } },
		{ 0 }, 0 },
};

static void the_first_rule_that_fits_chooses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		const char *found;

		machine_setup(NULL);
		add_cards(hosts[i].cards);
		for (unsigned k = 0; hosts[i].addresses[k].text; k++)
			add_address(hosts[i].addresses[k].ifindex, hosts[i].addresses[k].text, 24);
		for (unsigned k = 0; k < 2 && hosts[i].main[k]; k++)
			add_route(hosts[i].main[k], 0);
		if (hosts[i].other)
			add_route_in(hosts[i].other, 100);
		found = chosen(NULL, 0);
		if (strcmp(found, hosts[i].chosen) != 0)
			fail_msg("%s: \"%s\" is chosen", hosts[i].sentence, found);
	}
}

/* 2: the earlier default route, which a VPN takes over. */
static void a_default_route_that_moves_to_a_tunnel_does_not_move_the_lan(void **state)
{
	static const struct card cards[] = { ETH0, WLAN0, TUN0, { 0 } };

	(void)state;
	for (unsigned look = 0; look < 2; look++) {
		anew();
		add_cards(cards);
		add_address(2, "192.0.2.1", 24);
		add_address(3, "198.51.100.1", 24);
		add_address(4, "10.8.0.2", 24);
		add_route(look ? 4 : 3, 0);
		add_route_in(2, 100); /* the earlier route wins over another table */
		assert_string_equal(chosen(NULL, 0), "wlan0");
	}
}

static void an_interface_that_had_the_default_route_and_became_a_port_is_not_waited_for(
	void **state)
{
	static const struct card before[] = { ETH0, { 0 } }, after[] = { PORT, BR0, { 0 } };

	(void)state;
	add_cards(before);
	add_address(2, "192.0.2.1", 24);
	add_route(2, 0);
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_cards(after);
	add_address(10, "192.0.2.1", 24);
	assert_string_equal(chosen(NULL, 0), "br0");
}

static void a_route_by_a_nexthop_object_is_one_by_its_interface(void **state)
{
	const struct net_default hop = { 3, 17, NET_IPV4, true };

	(void)state;
	usual_machine();
	net_links_add_default(&links, &hop);
	assert_string_equal(chosen(NULL, 0), "eth1");
}

static void a_card_that_waits_for_its_address_may_come_into_use(void **state)
{
	static const struct card cards[] = { ETH0, DOCKER0, CONTAINER, { 0 } };

	(void)state;
	add_cards(cards);
	add_address(8, "172.17.0.1", 16);
	assert_string_equal(chosen(NULL, 0), "");
	add_address(2, "192.0.2.1", 24);
	assert_string_equal(chosen(NULL, 0), "eth0");
}

/* 4: without a default route, and with its card unplugged or down, a host has no LAN. */
static void docker0_does_not_replace_a_card_that_was_used(void **state)
{
	static const struct card before[] = { ETH0, DOCKER0, CONTAINER, { 0 } },
				 after[] = { DOCKER0, CONTAINER, { 0 } },
				 another[] = { WLAN0, DOCKER0, CONTAINER, { 0 } };

	(void)state;
	add_cards(before);
	add_address(2, "192.0.2.1", 24);
	add_address(8, "172.17.0.1", 16);
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_cards(after);
	add_address(8, "172.17.0.1", 16);
	assert_string_equal(chosen(NULL, 0), "");
	anew();
	add_cards(another);
	add_address(3, "198.51.100.1", 24);
	add_address(8, "172.17.0.1", 16);
	assert_string_equal(chosen(NULL, 0), "wlan0");
}

/* No default route is remembered on an isolated LAN; another card must not replace it. */
static void a_card_that_had_the_only_wide_address_is_waited_for(void **state)
{
	static const struct card dark[] = { CARD(2, "eth0", .off = true), CARD(3, "usb0"), { 0 } };
	static const struct card cards[] = { ETH0, CARD(3, "usb0"), { 0 } };

	(void)state;
	add_cards(cards);
	add_address(2, "192.0.2.1", 24);
	add_address(3, "169.254.3.4", 16);
	assert_string_equal(chosen(NULL, 0), "eth0");
	anew();
	add_cards(dark);
	add_address(3, "169.254.3.4", 16);
	assert_string_equal(chosen(NULL, 0), "");
	add_address(3, "198.51.100.1", 24);
	assert_string_equal(chosen(NULL, 0), "usb0");
	anew();
	add_cards(cards); /* no DHCP server answers */
	add_address(2, "169.254.3.5", 16);
	add_address(3, "169.254.3.4", 16);
	chosen(NULL, 0); /* the home of eth0 follows it */
	assert_string_equal(chosen(NULL, 0), "eth0 usb0");
}

/* ---- the choice by name ---------------------------------------------------------------------- */

static void a_name_chooses_an_interface_that_no_rule_would(void **state)
{
	static const char *const names[] = { "tun0", "docker0", "eth0" };
	static const struct card cards[] = { PORT, BR0, TUN0, DOCKER0, CONTAINER, { 0 } };

	(void)state;
	add_cards(cards);
	add_address(2, "192.0.2.1", 24);
	add_address(4, "10.8.0.2", 24);
	add_address(8, "172.17.0.1", 16);
	add_route(10, 0);
	assert_string_equal(chosen(names, 3), "eth0 tun0 docker0");
}

static void another_name_of_an_interface_chooses_it_too(void **state)
{
	(void)state;
	add_card(&(struct card){ .ifindex = 2, .name = "eth0", .altname = "enp3s0f0np0-lan" });
	add_address(2, "192.0.2.1", 24);
	assert_string_equal(chosen_by("enp3s0f0np0-lan"), "eth0");
	assert_string_equal(chosen_by("enp3*"), "eth0");
	assert_string_equal(chosen_by("enp4*"), "");
}

static void a_renamed_interface_is_matched_again(void **state)
{
	(void)state;
	one_interface();
	add_address(2, "192.0.2.1", 24);
	assert_string_equal(chosen_by("eth*"), "eth0");
	add_link(2, "lan0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "");
	assert_string_equal(chosen_by("lan*"), "lan0");
	assert_string_equal(chosen(NULL, 0), "lan0");
}

/* ---- carrier --------------------------------------------------------------------------------- */

static void expect_dark(unsigned index, enum net_dark why, const char *at)
{
	assert_int_equal(paths[index].carrier, why == NET_DARK_NOT);
	assert_int_equal(paths[index].dark, why);
	assert_string_equal(paths[index].dark_at, at);
}

static void a_path_names_the_link_below_it_that_has_no_carrier(void **state)
{
	static const struct card cards[] = { CARD(2, "eth0", .master = 10, .off = true),
		CARD(5, "vnet0", .kind = "tun", .master = 10), BR0,
		CARD(6, "br0.5", .kind = "vlan", .lower = 10), CARD(7, "eth7", .off = true),
		{ 0 } };

	(void)state;
	add_cards(cards);
	add_address(6, "192.0.2.1", 24);
	add_address(7, "198.51.100.1", 24);
	add_address(10, "203.0.113.1", 24);
	assert_string_equal(chosen_by("*[r7][05]*"), "br0.5 br0");
	expect_dark(0, NET_DARK_CARRIER, "eth0");
	expect_dark(1, NET_DARK_CARRIER, "eth0");
	assert_string_equal(chosen_by("eth7"), "eth7");
	expect_dark(0, NET_DARK_CARRIER, "");
}

static void a_port_that_spanning_tree_blocks_is_named(void **state)
{
	static const struct card cards[] = { CARD(2, "eth0", .master = 10, .blocked = true), BR0,
		{ 0 } };

	(void)state;
	add_cards(cards);
	add_address(10, "192.0.2.1", 24);
	chosen_by("br0");
	expect_dark(0, NET_DARK_BLOCKED, "eth0");
}

/* br0 with a VLAN and a guest, and with a cable or without. */
static void choose_bridge(bool cable)
{
	static const struct card cards[] = { CARD(5, "vnet0", .kind = "tun", .master = 10), BR0,
		CARD(6, "br0.5", .kind = "vlan", .lower = 10), { 0 } };
	static const struct card port[] = { PORT, { 0 } };

	anew();
	add_cards(cards);
	if (cable)
		add_cards(port);
	add_address(10, "192.0.2.1", 24);
	add_address(6, "198.51.100.1", 24);
	assert_string_equal(chosen_by("br*"), "br0.5 br0");
}

static void a_bridge_that_has_lost_its_cable_has_no_carrier(void **state)
{
	(void)state;
	choose_bridge(false);
	expect_dark(0, NET_DARK_NOT, "");
	expect_dark(1, NET_DARK_NOT, "");
	choose_bridge(true);
	for (unsigned look = 0; look < 3; look++) { /* at the first look and later */
		choose_bridge(false);
		expect_dark(0, NET_DARK_LOST, "");
		expect_dark(1, NET_DARK_LOST, "");
	}
	choose_bridge(true);
	expect_dark(0, NET_DARK_NOT, "");
	expect_dark(1, NET_DARK_NOT, "");
}

/* On a host-only bridge of a hypervisor, containers and virtual machines come and go. */
static void a_bridge_of_guests_keeps_its_carrier_when_a_container_stops(void **state)
{
	static const struct card cards[] = { CARD(5, "vnet0", .kind = "tun", .master = 10), BR0,
		{ 0 } };
	static const struct card container =
		CARD(6, "ve6", .kind = "veth", .lower = 2, .lower_elsewhere = true, .master = 10);

	(void)state;
	for (unsigned look = 0; look < 3; look++) {
		anew();
		add_cards(cards);
		if (!look)
			add_card(&container);
		add_address(10, "192.0.2.1", 24);
		assert_string_equal(chosen_by("br0"), "br0");
		expect_dark(0, NET_DARK_NOT, "");
	}
}

/* PORT has the number 2. */
static void a_path_says_where_frames_come_in_by_a_cable(void **state)
{
	(void)state;
	choose_bridge(true);
	assert_int_equal(paths[0].frames_at, 2);
	assert_int_equal(paths[1].frames_at, 2);
	choose_bridge(false);
	assert_int_equal(paths[1].frames_at, 0);
	anew();
	usual_machine();
	assert_string_equal(chosen_by("eth1"), "eth1");
	assert_int_equal(paths[0].frames_at, paths[0].ifindex);
}

/* ---- more interfaces than places ------------------------------------------------------------- */

/* `count` Ethernet links with an address each, from ifindex 2 on. */
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

static void more_interfaces_than_places_are_left_out(void **state)
{
	struct net_link link = { .flags = ORDINARY, .type = ARPHRD_ETHER };

	(void)state;
	for (link.ifindex = 1; link.ifindex <= NET_LINKS_MAX + 5; link.ifindex++) {
		snprintf(link.name, sizeof(link.name), "eth%u", link.ifindex);
		net_links_add(&links, &link);
		add_address(link.ifindex, "192.0.2.1", 24);
	}
	assert_int_equal(links.count, NET_LINKS_MAX);
	assert_int_equal(links.cut, 5);
	net_links_complete(&links);
	assert_int_equal(net_links_choose(&links, &homes, NOW, NET_IPV4, NULL, 0, paths),
		NET_INTERFACES_MAX);
	assert_int_equal(links.left_out, NET_LINKS_MAX - NET_INTERFACES_MAX);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			every_ethernet_is_used_without_a_default_route, machine_setup),
		cmocka_unit_test_setup(the_default_route_chooses, machine_setup),
		cmocka_unit_test_setup(patterns_choose_whatever_the_routes_say, machine_setup),
		cmocka_unit_test_setup(the_loopback_must_be_named, machine_setup),
		cmocka_unit_test_setup(
			an_interface_that_is_down_or_without_multicast_is_not_used, machine_setup),
		cmocka_unit_test_setup(an_interface_without_an_address_is_not_used, machine_setup),
		cmocka_unit_test_setup(an_interface_without_a_carrier_is_a_path, machine_setup),
		cmocka_unit_test_setup(
			the_own_address_may_have_the_label_of_the_mark, machine_setup),
		cmocka_unit_test_setup(
			an_address_of_the_leader_does_not_replace_the_own_one, machine_setup),
		cmocka_unit_test_setup(
			a_named_address_of_the_leader_does_not_replace_the_own_one, machine_setup),
		cmocka_unit_test_setup(
			an_address_of_the_leader_leaves_those_of_other_interfaces, machine_setup),
		cmocka_unit_test_setup(
			the_last_address_is_expected_back_for_a_moment, machine_setup),
		cmocka_unit_test_setup(
			an_interface_that_had_the_default_route_is_waited_for, machine_setup),
		cmocka_unit_test_setup(more_interfaces_than_places_are_left_out, machine_setup),
		cmocka_unit_test_setup(
			too_many_interfaces_are_counted_and_the_first_one_is_named, machine_setup),
		cmocka_unit_test_setup(
			an_interface_without_a_carrier_is_left_out_first, machine_setup),
		cmocka_unit_test_setup(an_interface_in_use_stays_when_others_come, machine_setup),
		cmocka_unit_test_setup(a_default_route_of_a_family_in_use_chooses, machine_setup),
		cmocka_unit_test_setup(
			a_link_local_address_alone_chooses_if_there_is_no_other, machine_setup),
		cmocka_unit_test_setup(a_port_of_a_bridge_is_no_lan_of_ipv6, machine_setup),
		cmocka_unit_test_setup(the_loopback_is_no_lan_of_ipv6, machine_setup),
		cmocka_unit_test_setup(the_first_rule_that_fits_chooses, machine_setup),
		cmocka_unit_test_setup(a_default_route_that_moves_to_a_tunnel_does_not_move_the_lan,
			machine_setup),
		cmocka_unit_test_setup(
			an_interface_that_had_the_default_route_and_became_a_port_is_not_waited_for,
			machine_setup),
		cmocka_unit_test_setup(
			a_route_by_a_nexthop_object_is_one_by_its_interface, machine_setup),
		cmocka_unit_test_setup(
			a_card_that_waits_for_its_address_may_come_into_use, machine_setup),
		cmocka_unit_test_setup(
			docker0_does_not_replace_a_card_that_was_used, machine_setup),
		cmocka_unit_test_setup(
			a_card_that_had_the_only_wide_address_is_waited_for, machine_setup),
		cmocka_unit_test_setup(
			a_name_chooses_an_interface_that_no_rule_would, machine_setup),
		cmocka_unit_test_setup(another_name_of_an_interface_chooses_it_too, machine_setup),
		cmocka_unit_test_setup(a_renamed_interface_is_matched_again, machine_setup),
		cmocka_unit_test_setup(
			a_path_names_the_link_below_it_that_has_no_carrier, machine_setup),
		cmocka_unit_test_setup(a_port_that_spanning_tree_blocks_is_named, machine_setup),
		cmocka_unit_test_setup(
			a_bridge_that_has_lost_its_cable_has_no_carrier, machine_setup),
		cmocka_unit_test_setup(
			a_bridge_of_guests_keeps_its_carrier_when_a_container_stops, machine_setup),
		cmocka_unit_test_setup(a_path_says_where_frames_come_in_by_a_cable, machine_setup),
	};

	return cmocka_run_group_tests(tests, NULL, machine_clear);
}
