/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of a link and its carrier: each row of the table in doc/links.md, on any kernel. */
#include "machine.h"

static const struct net_link *link_of(const char *name)
{
	for (unsigned i = 0; i < links.count; i++)
		if (!strcmp(links.items[i].name, name))
			return &links.items[i];
	fail_msg("there is no link %s", name);
	return NULL;
}

/* ---- one link -------------------------------------------------------------------------------- */

static const struct {
	enum net_behind behind;
	bool may_be_lan;
	struct card card;
} kinds[] = {
	{ NET_BEHIND_CABLE, true, { .name = "eth0" } },
	{ NET_BEHIND_CABLE, true, { .name = "wlan0" } },
	{ NET_BEHIND_CABLE, true, { .name = "ib0", .type = ARPHRD_INFINIBAND } },
	{ NET_BEHIND_CABLE, true, { .name = "xn0", .bus = "xen" } },
	{ NET_BEHIND_CABLE, true, { .name = "lan1", .kind = "dsa", .lower = 9 } },
	{ NET_BEHIND_CABLE, true, { .name = "new0", .kind = "kind-of-later" } },
	{ NET_BEHIND_CABLE, true,
		{ .name = "v5", .kind = "vlan", .lower = 9, .lower_elsewhere = true } },
	{ NET_BEHIND_CABLE, true,
		{ .name = "m0", .kind = "macvlan", .lower = 9, .lower_elsewhere = true } },
	{ NET_BEHIND_CABLE, true,
		{ .name = "i0", .kind = "ipvlan", .lower = 9, .lower_elsewhere = true } },
	{ NET_BEHIND_NAMESPACE, true,
		{ .name = "ve0", .kind = "veth", .lower = 9, .lower_elsewhere = true } },
	{ NET_BEHIND_NOTHING, true, { .name = "ve1", .kind = "veth", .lower = 9 } },
	{ NET_BEHIND_GUEST, true, { .name = "tap0", .kind = "tun" } },
	{ NET_BEHIND_GUEST, true, { .name = "mt0", .kind = "macvtap", .lower = 9 } },
	{ NET_BEHIND_GUEST, true, { .name = "nk0", .kind = "netkit" } },
	{ NET_BEHIND_GUEST, true, { .name = "vif1.0", .bus = "xen-backend" } },
	{ NET_BEHIND_NOTHING, true, { .name = "dummy0", .kind = "dummy" } },
	{ NET_BEHIND_NOTHING, true, { .name = "ifb0", .kind = "ifb" } },
	{ NET_BEHIND_NOTHING, true, { .name = "nlmon0", .kind = "nlmon" } },
	{ NET_BEHIND_NOTHING, true, { .name = "red", .kind = "vrf" } },
	{ NET_BEHIND_NOTHING, true, { .name = "br0", .kind = "bridge" } },
	{ NET_BEHIND_NOTHING, true, { .name = "bond0", .kind = "bond" } },
	{ NET_BEHIND_NOTHING, true, { .name = "team0", .kind = "team" } },
	{ NET_BEHIND_NOTHING, false, { .name = "lo", .flags = IFF_LOOPBACK } },
	{ NET_BEHIND_CABLE, false, { .name = "p0", .master = 9 } },
	{ NET_BEHIND_CABLE, false, { .name = "s0", .master = 9, .master_kind = "bond" } },
	{ NET_BEHIND_CABLE, false, { .name = "t0", .master = 9, .master_kind = "team" } },
	{ NET_BEHIND_CABLE, true, { .name = "r0", .master = 9, .master_kind = "vrf" } },
};

static void each_kind_has_its_rank(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct card card = kinds[i].card;
		bool may_be_lan;

		machine_setup(NULL);
		card.ifindex = 2;
		add_card(&card);
		net_links_complete(&links);
		may_be_lan = net_behind_may_be_lan(&links.items[0]);
		if (links.items[0].behind != kinds[i].behind || may_be_lan != kinds[i].may_be_lan)
			fail_msg("%s: rank %d, may be the LAN: %d", card.name,
				(int)links.items[0].behind, may_be_lan);
	}
}

static void a_tunnel_is_no_lan(void **state)
{
	static const char *const tunnels[] = { "wireguard", "gre", "gretap", "ip6gre", "ip6gretap",
		"erspan", "ip6erspan", "ipip", "sit", "ip6tnl", "vti", "vti6", "xfrm", "vxlan",
		"geneve", "bareudp", "gtp", "l2tp", "ppp", "ovpn" };

	(void)state;
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(tunnels[0]); i++) {
		machine_setup(NULL);
		add_card(&(struct card){ .ifindex = 2, .name = "t0", .kind = tunnels[i] });
		net_links_complete(&links);
		if (net_behind_may_be_lan(&links.items[0]))
			fail_msg("%s", tunnels[i]);
	}
}

static void a_point_to_point_link_is_a_tunnel(void **state)
{
	static const struct card ends[] = {
		CARD(2, "ppp0", .type = ARPHRD_PPP, .flags = IFF_POINTOPOINT),
		CARD(3, "tun0", .kind = "tun", .type = ARPHRD_NONE),
		CARD(4, "peer0", .flags = IFF_POINTOPOINT),
		{ 0 },
	};

	(void)state;
	add_cards(ends);
	net_links_complete(&links);
	for (unsigned i = 0; i < 3; i++)
		assert_false(net_behind_may_be_lan(&links.items[i]));
}

static void a_link_without_multicast_is_no_lan(void **state)
{
	(void)state;
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_MULTICAST, ARPHRD_ETHER);
	net_links_complete(&links);
	assert_false(net_behind_may_be_lan(&links.items[0]));
}

/* ---- links on top of each other -------------------------------------------------------------- */

#define ETH0		  CARD(2, "eth0")
#define ETH0_OFF	  CARD(2, "eth0", .off = true)
#define PORT(number, ...) CARD(number, "eth0", .master = 10, __VA_ARGS__)
#define BRIDGE		  CARD(10, "br0", .kind = "bridge")
#define SLAVE(number, nick, ...)                                                                   \
	CARD(number, nick, .master = 10, .master_kind = "bond", __VA_ARGS__)
#define BOND	  CARD(10, "bond0", .kind = "bond")
#define VNET	  CARD(5, "vnet0", .kind = "tun", .master = 10)
#define CONTAINER CARD(6, "ve6", .kind = "veth", .lower = 9, .lower_elsewhere = true, .master = 10)
#define LOCAL	  CARD(7, "ve7", .kind = "veth", .lower = 8, .master = 10)

/* `dark`: the link to blame; NULL: none, or any. */
static const struct {
	const char *sentence, *link;
	enum net_behind behind;
	bool carrier;
	const char *dark;
	enum net_dark why;
	struct card cards[7];
} scenes[] = {
	{ "a bridge with a cable", "br0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ PORT(2), BRIDGE } },
	{ "its cable is pulled", "br0", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ PORT(2, .off = true), BRIDGE } },
	{ "a guest on it runs", "br0", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ PORT(2, .off = true), VNET, BRIDGE } },
	{ "a container on it runs", "br0", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ PORT(2, .off = true), CONTAINER, BRIDGE } },
	{ "a guest that is off does no harm", "br0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ PORT(2), CARD(5, "vnet0", .kind = "tun", .master = 10, .off = true), BRIDGE } },
	{ "one of two cables is enough", "br0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ PORT(2, .off = true), CARD(3, "eth1", .master = 10), BRIDGE } },
	{ "the first of two pulled ones is named", "br0", NET_BEHIND_CABLE, false, "eth0",
		NET_DARK_CARRIER,
		{ PORT(2, .off = true), CARD(3, "eth1", .master = 10, .off = true), BRIDGE } },
	{ "spanning tree blocks the cable", "br0", NET_BEHIND_CABLE, false, "eth0",
		NET_DARK_BLOCKED, { PORT(2, .blocked = true), VNET, BRIDGE } },
	{ "spanning tree blocks one of two", "br0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ PORT(2, .blocked = true), CARD(3, "eth1", .master = 10), BRIDGE } },
	{ "the bridge itself has none", "br0", NET_BEHIND_CABLE, false, "br0", NET_DARK_CARRIER,
		{ PORT(2), CARD(10, "br0", .kind = "bridge", .off = true) } },
	{ "a bridge of containers", "br0", NET_BEHIND_GUEST, true, NULL, NET_DARK_NOT,
		{ CONTAINER, BRIDGE } },
	{ "a veth elsewhere stands for a cable where there is none", "br0", NET_BEHIND_GUEST, false,
		"ve6", NET_DARK_CARRIER,
		{ CARD(6, "ve6", .kind = "veth", .lower = 9, .lower_elsewhere = true, .master = 10,
			  .off = true),
			VNET, LOCAL, BRIDGE } },
	{ "a guest stands above a local veth", "br0", NET_BEHIND_GUEST, false, "vnet0",
		NET_DARK_CARRIER,
		{ CARD(5, "vnet0", .kind = "tun", .master = 10, .off = true), LOCAL, BRIDGE } },
	{ "a bridge of local veths", "br0", NET_BEHIND_GUEST, true, NULL, NET_DARK_NOT,
		{ LOCAL, BRIDGE } },
	{ "a bridge with a dummy", "br0", NET_BEHIND_GUEST, true, NULL, NET_DARK_NOT,
		{ CARD(3, "dummy0", .kind = "dummy", .master = 10), BRIDGE } },
	{ "a bridge of Xen guests", "br0", NET_BEHIND_GUEST, true, NULL, NET_DARK_NOT,
		{ CARD(3, "vif1.0", .bus = "xen-backend", .master = 10), BRIDGE } },
	{ "a bridge without ports", "br0", NET_BEHIND_NOTHING, false, "br0", NET_DARK_CARRIER,
		{ CARD(10, "br0", .kind = "bridge", .off = true) } },
	{ "a tunnel in a bridge outlives the guests", "br0", NET_BEHIND_GUEST, true, NULL,
		NET_DARK_NOT,
		{ CARD(3, "vx0", .kind = "vxlan", .master = 10),
			CARD(5, "vnet0", .kind = "tun", .master = 10, .off = true), BRIDGE } },
	{ "a bridge whose only port is a VLAN", "br0", NET_BEHIND_CABLE, false, "eth0",
		NET_DARK_CARRIER,
		{ ETH0_OFF, CARD(3, "eth0.5", .kind = "vlan", .lower = 2, .master = 10), BRIDGE } },

	{ "a bond with one slave of two", "bond0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ SLAVE(2, "eth0", .off = true), SLAVE(3, "eth1"), BOND } },
	{ "a bond without miimon keeps its own carrier", "bond0", NET_BEHIND_CABLE, false, "eth0",
		NET_DARK_CARRIER,
		{ SLAVE(2, "eth0", .off = true), SLAVE(3, "eth1", .off = true), BOND } },
	{ "a team is a bond", "team0", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ CARD(2, "eth0", .master = 10, .master_kind = "team", .off = true),
			CARD(10, "team0", .kind = "team") } },
	{ "a bond of dummies", "bond0", NET_BEHIND_NOTHING, true, NULL, NET_DARK_NOT,
		{ SLAVE(2, "dummy0", .kind = "dummy"), BOND } },

	{ "a VLAN of a pulled cable", "eth0.5", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ ETH0_OFF, CARD(3, "eth0.5", .kind = "vlan", .lower = 2) } },
	{ "a VLAN whose own carrier is off", "eth0.5", NET_BEHIND_CABLE, false, "eth0.5",
		NET_DARK_CARRIER,
		{ ETH0, CARD(3, "eth0.5", .kind = "vlan", .lower = 2, .off = true) } },
	{ "a VLAN of a VLAN", "eth0.5.6", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ ETH0_OFF, CARD(4, "eth0.5", .kind = "vlan", .lower = 2),
			CARD(3, "eth0.5.6", .kind = "vlan", .lower = 4) } },
	{ "a VLAN on a bridge on a bond", "br0.5", NET_BEHIND_CABLE, false, "eth0",
		NET_DARK_CARRIER,
		{ CARD(9, "eth0", .off = true, .master = 8, .master_kind = "bond"),
			CARD(8, "bond0", .kind = "bond", .master = 10), VNET, BRIDGE,
			CARD(4, "br0.5", .kind = "vlan", .lower = 10) } },
	{ "the same with its cable", "br0.5", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ CARD(9, "eth0", .master = 8, .master_kind = "bond"),
			CARD(8, "bond0", .kind = "bond", .master = 10), VNET, BRIDGE,
			CARD(4, "br0.5", .kind = "vlan", .lower = 10) } },
	{ "a macvlan on a bond", "mac0", NET_BEHIND_CABLE, false, "eth0", NET_DARK_CARRIER,
		{ SLAVE(2, "eth0", .off = true), BOND,
			CARD(3, "mac0", .kind = "macvlan", .lower = 10) } },
	{ "an ipvlan on a dummy", "ip0", NET_BEHIND_NOTHING, true, NULL, NET_DARK_NOT,
		{ CARD(2, "dummy0", .kind = "dummy"),
			CARD(3, "ip0", .kind = "ipvlan", .lower = 2) } },
	{ "a VLAN of a container", "eth0.5", NET_BEHIND_NAMESPACE, true, NULL, NET_DARK_NOT,
		{ CARD(2, "eth0", .kind = "veth", .lower = 9, .lower_elsewhere = true),
			CARD(3, "eth0.5", .kind = "vlan", .lower = 2) } },
	{ "a macvlan whose parent is in another namespace", "mac0", NET_BEHIND_CABLE, true, NULL,
		NET_DARK_NOT,
		{ ETH0_OFF,
			CARD(3, "mac0", .kind = "macvlan", .lower = 2, .lower_elsewhere = true) } },
	{ "a parent that was not read", "eth0.5", NET_BEHIND_NOTHING, true, NULL, NET_DARK_NOT,
		{ CARD(3, "eth0.5", .kind = "vlan", .lower = 77) } },
	{ "a master that was not read", "eth0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ CARD(2, "eth0", .master = 77) } },
	{ "a member of a VRF", "eth0", NET_BEHIND_CABLE, true, NULL, NET_DARK_NOT,
		{ CARD(2, "eth0", .master = 10, .master_kind = "vrf"),
			CARD(10, "red", .kind = "vrf", .off = true) } },
	{ "a VLAN upon itself", "v0", NET_BEHIND_NOTHING, false, NULL, NET_DARK_CARRIER,
		{ CARD(3, "v0", .kind = "vlan", .lower = 3) } },
	{ "VLANs upon each other", "v0", NET_BEHIND_NOTHING, false, NULL, NET_DARK_CARRIER,
		{ CARD(3, "v0", .kind = "vlan", .lower = 4),
			CARD(4, "v1", .kind = "vlan", .lower = 3) } },
	{ "a bridge that is a port of its own", "br0", NET_BEHIND_GUEST, false, NULL,
		NET_DARK_CARRIER, { CARD(10, "br0", .kind = "bridge", .master = 10) } },
	{ "a VLAN of the bridge that it is a port of", "br0", NET_BEHIND_CABLE, true, NULL,
		NET_DARK_NOT,
		{ PORT(2), CARD(3, "br0.5", .kind = "vlan", .lower = 10, .master = 10), BRIDGE } },
};

static void the_links_below_decide(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		const struct net_link *link, *dark;
		enum net_dark why = NET_DARK_NOT;

		machine_setup(NULL);
		add_cards(scenes[i].cards);
		net_links_complete(&links);
		link = link_of(scenes[i].link);
		dark = link->carrier ? link : net_behind_dark(&links, link, &why);
		if (link->behind != scenes[i].behind || link->carrier != scenes[i].carrier ||
			why != scenes[i].why ||
			(scenes[i].dark && strcmp(dark->name, scenes[i].dark) != 0))
			fail_msg("%s: rank %d, carrier %d, why %d at %s", scenes[i].sentence,
				(int)link->behind, link->carrier, (int)why, dark->name);
	}
}

/* ---- frames ---------------------------------------------------------------------------------- */

#define OF_ETH0(nick, kind_of_it) CARD(3, nick, .kind = kind_of_it, .lower = 2)

/* `at`: where received frames come in by a cable only; NULL: nowhere. */
static const struct {
	const char *sentence, *link, *at;
	struct card cards[7];
} frames[] = {
	{ "a card", "eth0", "eth0", { ETH0 } },
	{ "a card without a carrier", "eth0", "eth0", { ETH0_OFF } },
	{ "a port of a switch chip", "lan1", "lan1",
		{ CARD(2, "lan1", .kind = "dsa", .lower = 9) } },
	{ "a card in a VRF", "eth0", "eth0",
		{ CARD(2, "eth0", .master = 10, .master_kind = "vrf"),
			CARD(10, "red", .kind = "vrf") } },
	{ "a kind that is not known may be a switch", "ovs0", NULL,
		{ CARD(2, "ovs0", .kind = "openvswitch") } },
	{ "the card of a guest, on the host's side", "vif1.0", NULL,
		{ CARD(2, "vif1.0", .bus = "xen-backend") } },
	{ "a veth of a container, or to one", "ve0", NULL,
		{ CARD(2, "ve0", .kind = "veth", .lower = 9, .lower_elsewhere = true) } },
	{ "a tap device", "tap0", NULL, { CARD(2, "tap0", .kind = "tun") } },
	{ "a tunnel", "vx0", NULL, { CARD(2, "vx0", .kind = "vxlan") } },
	{ "the loopback", "lo", NULL, { CARD(1, "lo", .flags = IFF_LOOPBACK) } },
	{ "a macvlan of another host", "m0", NULL,
		{ CARD(2, "m0", .kind = "macvlan", .lower = 9, .lower_elsewhere = true) } },
	{ "a VLAN of another host", "v5", NULL,
		{ CARD(2, "v5", .kind = "vlan", .lower = 9, .lower_elsewhere = true) } },

	{ "a VLAN", "eth0.5", "eth0.5", { ETH0, OF_ETH0("eth0.5", "vlan") } },
	{ "MACsec", "ms0", "ms0", { ETH0, OF_ETH0("ms0", "macsec") } },
	{ "a macvlan, which has siblings", "m0", "eth0", { ETH0, OF_ETH0("m0", "macvlan") } },
	{ "an ipvlan", "i0", "eth0", { ETH0, OF_ETH0("i0", "ipvlan") } },
	{ "a macvlan of a VLAN", "m0", "eth0.5",
		{ ETH0, OF_ETH0("eth0.5", "vlan"), CARD(4, "m0", .kind = "macvlan", .lower = 3) } },
	{ "a VLAN of a macvlan", "m0.5", "eth0",
		{ ETH0, OF_ETH0("m0", "macvlan"), CARD(4, "m0.5", .kind = "vlan", .lower = 3) } },
	{ "a VLAN whose parent was not read", "v5", NULL,
		{ CARD(2, "v5", .kind = "vlan", .lower = 9) } },
	{ "a VLAN of a veth", "v5", NULL,
		{ CARD(2, "ve0", .kind = "veth", .lower = 9, .lower_elsewhere = true),
			CARD(3, "v5", .kind = "vlan", .lower = 2) } },

	{ "a bond", "bond0", "bond0", { SLAVE(2, "eth0"), SLAVE(3, "eth1"), BOND } },
	{ "a team", "team0", "team0",
		{ CARD(2, "eth0", .master = 10, .master_kind = "team"),
			CARD(10, "team0", .kind = "team") } },
	{ "a bond with a guest in it", "bond0", "eth1",
		{ SLAVE(2, "tap0", .kind = "tun"), SLAVE(3, "eth1"), BOND } },
	{ "a VLAN of a bond", "v5", "v5",
		{ SLAVE(2, "eth0"), BOND, CARD(11, "v5", .kind = "vlan", .lower = 10) } },

	{ "a bridge with a cable", "br0", "eth0", { PORT(2), BRIDGE } },
	{ "a bridge with guests", "br0", "eth0", { VNET, CONTAINER, PORT(7), BRIDGE } },
	{ "its cable is pulled", "br0", NULL, { VNET, PORT(7, .off = true), BRIDGE } },
	{ "its cable is blocked", "br0", NULL, { VNET, PORT(7, .blocked = true), BRIDGE } },
	{ "one of two cables is pulled", "br0", "eth1",
		{ PORT(2, .off = true), CARD(3, "eth1", .master = 10), BRIDGE } },
	{ "a bridge of containers", "br0", NULL, { VNET, CONTAINER, BRIDGE } },
	{ "a bridge with a tunnel", "br0", NULL,
		{ CARD(2, "vx0", .kind = "vxlan", .master = 10), BRIDGE } },
	{ "a VLAN of a bridge", "br0.5", "eth0",
		{ VNET, PORT(7), BRIDGE, CARD(11, "br0.5", .kind = "vlan", .lower = 10) } },
	{ "a bridge on a VLAN of a bond", "br0", "v5",
		{ CARD(2, "eth0", .master = 3, .master_kind = "bond"),
			CARD(3, "bond0", .kind = "bond"),
			CARD(4, "v5", .kind = "vlan", .lower = 3, .master = 10), VNET, BRIDGE } },
	{ "a bridge that is a port of its own", "br0", NULL,
		{ CARD(10, "br0", .kind = "bridge", .master = 10) } },
};

static void frames_come_in_by_a_cable(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		const struct net_link *link;
		const char *at, *wanted = frames[i].at ? frames[i].at : "nowhere";

		machine_setup(NULL);
		add_cards(frames[i].cards);
		net_links_complete(&links);
		link = link_of(frames[i].link);
		at = link->frames_at ? links.items[link->frames_at - 1].name : "nowhere";
		if (strcmp(at, wanted) != 0)
			fail_msg("%s: %s, not %s", frames[i].sentence, at, wanted);
	}
}

/* ---- many links ------------------------------------------------------------------------------ */

/* The kernel allows no more than eight; a false chain of any length must end. */
static void eight_stacked_links_are_followed(void **state)
{
	char name[IF_NAMESIZE];

	(void)state;
	add_card(&(struct card){ .ifindex = 100, .name = "eth0" });
	for (unsigned i = 1; i <= 100 - 2; i++) {
		snprintf(name, sizeof(name), "v%u", i);
		add_card(&(struct card){
			.ifindex = 100 - i, .name = name, .kind = "vlan", .lower = 101 - i });
	}
	net_links_complete(&links);
	assert_true(link_of("v8")->carrier);
	assert_int_equal(link_of("v8")->behind, NET_BEHIND_CABLE);
}

/* 16384 links in one bridge, each with a VLAN: quadratic work would take minutes. */
static void thousands_of_links_cost_linear_time(void **state)
{
	struct net_link link = { .type = ARPHRD_ETHER, .flags = ORDINARY };

	(void)state;
	strcpy(link.kind, "bridge");
	link.ifindex = NET_LINKS_MAX;
	net_links_add(&links, &link);
	for (unsigned i = 1; i < NET_LINKS_MAX; i++) {
		link.ifindex = i;
		link.lower = i % 2 ? 0 : NET_LINKS_MAX;
		link.master = i % 2 ? NET_LINKS_MAX : 0;
		strcpy(link.kind, i % 2 ? "" : "vlan");
		net_links_add(&links, &link);
	}
	net_links_complete(&links);
	assert_int_equal(links.cut, 0);
	for (unsigned i = 0; i < links.count; i++)
		assert_true(links.items[i].carrier && links.items[i].frames_at &&
			links.items[i].behind == NET_BEHIND_CABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_kind_has_its_rank, machine_setup),
		cmocka_unit_test_setup(a_tunnel_is_no_lan, machine_setup),
		cmocka_unit_test_setup(a_point_to_point_link_is_a_tunnel, machine_setup),
		cmocka_unit_test_setup(a_link_without_multicast_is_no_lan, machine_setup),
		cmocka_unit_test_setup(the_links_below_decide, machine_setup),
		cmocka_unit_test_setup(frames_come_in_by_a_cable, machine_setup),
		cmocka_unit_test_setup(eight_stacked_links_are_followed, machine_setup),
		cmocka_unit_test_setup(thousands_of_links_cost_linear_time, machine_setup),
	};

	return cmocka_run_group_tests(tests, NULL, machine_clear);
}
