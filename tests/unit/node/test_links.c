/* SPDX-License-Identifier: Apache-2.0 */
/* The reports about interfaces, and multicast datagrams that do not loop back. */
#include "node/inside.h"

#include <errno.h>
#include <net/if_arp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ORDINARY = IFF_UP | IFF_RUNNING | IFF_MULTICAST, BLUE = 9, NOW = 5000000 };

static struct net_links links;
static struct net_path paths[NET_PATHS_MAX];
static struct net_chosen chosen;
static struct node_back back;
static struct node_links told;

static int setup(void **state)
{
	(void)state;
	net_links_clear(&links);
	memset(paths, 0, sizeof(paths));
	memset(&back, 0, sizeof(back));
	chosen = (struct net_chosen){ .links = &links, .families = NET_IPV4, .paths = paths };
	return 0;
}

static int clear(void **state)
{
	(void)state;
	net_links_clear(&links);
	return 0;
}

static void add(unsigned ifindex, const char *name, unsigned flags, const char *master_kind)
{
	struct net_link link = { .ifindex = ifindex, .flags = flags, .type = ARPHRD_ETHER };

	snprintf(link.name, sizeof(link.name), "%s", name);
	snprintf(link.master_kind, sizeof(link.master_kind), "%s", master_kind);
	link.master = *master_kind ? BLUE : 0;
	net_links_add(&links, &link);
}

static void use(unsigned ifindex, const char *name, bool carrier)
{
	struct net_path *path = &paths[chosen.paths_count++];

	*path = (struct net_path){
		.link = net_link_number(ifindex, 4),
		.ifindex = ifindex,
		.carrier = carrier,
		.dark = carrier ? NET_DARK_NOT : NET_DARK_CARRIER,
	};
	snprintf(path->name, sizeof(path->name), "%s", name);
}

static void name_all(int look_error)
{
	struct node_notes notes;

	net_links_complete(&links);
	notes.count = net_notes(&chosen, notes.items);
	node_links_of(&told, &chosen, &notes, look_error, &back, NOW);
}

static void assert_told(unsigned index, bool degrades, bool hint, const char *words)
{
	assert_true(index < told.count);
	assert_string_equal(told.items[index].words, words);
	assert_int_equal(told.items[index].degrades, degrades);
	assert_int_equal(told.items[index].hint, hint);
	assert_memory_equal(words, told.items[index].name, strlen(told.items[index].name));
}

/* ---- problems that degrade a host ------------------------------------------------------------ */

static void a_host_whose_links_are_in_order_reports_nothing(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, "");
	use(2, "eth0", true);
	name_all(0);
	assert_int_equal(told.count, 0);
}

static void interfaces_that_are_left_out_degrade(void **state)
{
	(void)state;
	links.left_out = 1;
	snprintf(links.left_out_name, sizeof(links.left_out_name), "v17");
	name_all(0);
	assert_told(0, true, false,
		"interfaces-left-out: electd uses at most 16 interfaces, and not v17: name at most "
		"16 in network.interfaces, then sudo electctl reload");
	links.left_out = 4;
	name_all(0);
	assert_int_equal(told.count, 1);
	assert_non_null(strstr(told.items[0].words, "and not v17 and 3 more: name"));
}

static void links_that_are_not_read_degrade(void **state)
{
	(void)state;
	links.cut = 3;
	name_all(-ENOMEM);
	assert_int_equal(told.count, 2);
	assert_told(0, true, false,
		"links-cut: 3 links, addresses or default routes of this host are more than electd "
		"reads (65536, 262144 and 4096): an interface that it should use may be among "
		"them");
	assert_told(1, true, false,
		"links-unreadable: the interfaces of this host cannot be read, changes are not "
		"noticed: Cannot allocate memory");
}

static void a_hint_does_not_degrade_a_node(void **state)
{
	static struct hooks hooks;
	static struct node n = { .hooks = &hooks };
	const char *words[NODE_PROBLEMS];

	(void)state;
	n.links.count = 2;
	n.links.items[0] = (struct node_link_problem){ .name = "link-down", .words = "told" };
	n.links.items[1] = (struct node_link_problem){ .name = "no", .hint = true, .words = "no" };
	assert_int_equal(node_problems(&n, 0, words), 1);
	assert_string_equal(words[0], "told");
	assert_false(node_degraded(&n, 0));
	n.links.items[0].degrades = true;
	assert_true(node_degraded(&n, 0));
	n.links.count = NODE_LINKS_MAX;
	assert_int_equal(node_problems(&n, 0, words), NODE_LINKS_TOLD);
}

/* ---- VRF ------------------------------------------------------------------------------------- */

static void sent(unsigned count, uint64_t since_us)
{
	for (unsigned i = 0; i < count; i++)
		node_back_sent(&back, net_link_number(2, 4), since_us + i);
}

static void in_a_vrf(const char *kind)
{
	add(2, "eth0", ORDINARY, kind);
	add(BLUE, "blue", IFF_UP, "");
	use(2, "eth0", true);
	sent(NODE_BACK_SENT_MIN, NOW - NODE_BACK_US);
}

static void a_vrf_that_receives_nothing_degrades(void **state)
{
	(void)state;
	in_a_vrf("vrf");
	name_all(0);
	assert_int_equal(told.count, 1);
	assert_told(0, true, false,
		"vrf-unheard: eth0 belongs to the VRF blue, and nothing arrives by it: sudo sysctl "
		"-w "
		"net.ipv4.udp_l3mdev_accept=1");
	node_back_came(&back, net_link_number(2, 4), NOW);
	name_all(0);
	assert_int_equal(told.count, 0);
}

static void an_interface_in_no_vrf_is_not_reported(void **state)
{
	(void)state;
	in_a_vrf("");
	name_all(0);
	assert_int_equal(told.count, 0);
}

static void datagrams_sent_without_a_carrier_prove_nothing(void **state)
{
	(void)state;
	in_a_vrf("vrf");
	paths[0].carrier = false;
	name_all(0);
	assert_int_equal(told.count, 0);
}

static void one_lost_datagram_proves_nothing(void **state)
{
	const uint32_t link = net_link_number(2, 4);

	(void)state;
	assert_false(node_back_missing(&back, link, NOW));
	sent(NODE_BACK_SENT_MIN - 1, 1);
	assert_false(node_back_missing(&back, link, NOW));
	sent(1, 3);
	assert_true(node_back_missing(&back, link, 1 + NODE_BACK_US));
	assert_false(node_back_missing(&back, link, NODE_BACK_US));
	node_back_came(&back, net_link_number(3, 4), NOW);
	assert_true(node_back_missing(&back, link, NOW));
	assert_false(node_back_since(&back, link, 0));
	node_back_came(&back, link, NOW);
	assert_false(node_back_missing(&back, link, NOW));
	assert_true(node_back_since(&back, link, NOW));
	assert_false(node_back_since(&back, link, NOW + 1));
}

/* ---- the report ---------------------------------------------------------------------------- */

static void one_dead_cable_of_several_is_reported(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, "");
	add(3, "br0", ORDINARY, "");
	use(2, "eth0", true);
	use(3, "br0", false);
	name_all(0);
	assert_int_equal(told.count, 1);
	assert_told(0, false, false,
		"link-down: br0: no carrier; another interface that electd uses has one");
	snprintf(paths[1].dark_at, sizeof(paths[1].dark_at), "eth1");
	name_all(0);
	assert_told(0, false, false,
		"link-down: br0: no carrier at eth1; another interface that electd uses has one");
	paths[0].carrier = false; /* no-carrier reports that */
	name_all(0);
	assert_int_equal(told.count, 0);
}

static const char *no_carrier(void)
{
	static char words[NODE_WORDS_MAX];

	name_all(0);
	node_no_carrier_words(&told, &chosen, words, sizeof(words));
	return words;
}

static void links_without_a_carrier_are_named_if_no_link_has_one(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, "");
	add(3, "br0", ORDINARY, "");
	use(2, "eth0", false);
	use(2, "eth0", false); /* the path of the other family */
	use(3, "br0", false);
	paths[2].dark = NET_DARK_BLOCKED;
	snprintf(paths[2].dark_at, sizeof(paths[2].dark_at), "eth1");
	assert_string_equal(no_carrier(),
		"no network interface has a carrier: eth0: no carrier; br0: no carrier: spanning "
		"tree blocks its port eth1");
	paths[2].dark = NET_DARK_LOST;
	paths[2].dark_at[0] = '\0';
	assert_non_null(strstr(no_carrier(), "br0: no carrier: it has lost the port that led to"));
}

static void each_configured_name_that_cannot_be_used_is_reported(void **state)
{
	static const char *const patterns[] = { "nope", "off", "wg0", "eth0", "eth2", "v*" };

	(void)state;
	add(2, "off", IFF_MULTICAST, "");
	add(3, "wg0", IFF_UP, "");
	add(4, "eth0", ORDINARY, "bridge");
	add(5, "eth2", ORDINARY, "");
	add(BLUE, "br0", ORDINARY, "");
	chosen.patterns = patterns;
	chosen.patterns_count = 6;
	name_all(0);
	assert_int_equal(told.count, 6);
	assert_told(0, false, false,
		"interface-missing: network.interfaces names nope, and this host has no such "
		"interface");
	assert_told(1, false, false,
		"interface-off: off, which network.interfaces names, is switched off");
	assert_told(2, false, false,
		"no-multicast: wg0, which network.interfaces names, cannot multicast");
	assert_told(3, false, false,
		"interface-port: eth0, which network.interfaces names, hands all that it receives "
		"to br0");
	assert_told(4, false, false,
		"no-address: eth2, which network.interfaces names, has no address");
	assert_told(5, false, true,
		"interface-unmatched: no interface matches \"v*\" of network.interfaces");
}

static void a_default_route_by_a_tunnel_is_a_hint(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, "");
	add(3, "tun0", ORDINARY | IFF_POINTOPOINT, "");
	net_links_add_default(
		&links, &(struct net_default){ .ifindex = 3, .family = NET_IPV4, .main = true });
	use(2, "eth0", true);
	name_all(0);
	assert_told(0, false, true,
		"default-route-tunnel: the default route leads by tun0, a tunnel, which is not "
		"used: uses eth0");
}

static void the_awaited_interface_is_named_if_there_is_no_path(void **state)
{
	(void)state;
	assert_string_equal(no_carrier(), "no network interface can be used: waiting for one");
	add(2, "eth0", ORDINARY, "");
	add(3, "eth1", ORDINARY, "");
	links.items[0].chosen = links.items[1].chosen = true;
	assert_string_equal(no_carrier(),
		"no network interface can be used: waiting for an address on eth0, eth1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_host_whose_links_are_in_order_reports_nothing, setup),
		cmocka_unit_test_setup(interfaces_that_are_left_out_degrade, setup),
		cmocka_unit_test_setup(links_that_are_not_read_degrade, setup),
		cmocka_unit_test_setup(a_hint_does_not_degrade_a_node, setup),
		cmocka_unit_test_setup(a_vrf_that_receives_nothing_degrades, setup),
		cmocka_unit_test_setup(an_interface_in_no_vrf_is_not_reported, setup),
		cmocka_unit_test_setup(datagrams_sent_without_a_carrier_prove_nothing, setup),
		cmocka_unit_test_setup(one_lost_datagram_proves_nothing, setup),
		cmocka_unit_test_setup(one_dead_cable_of_several_is_reported, setup),
		cmocka_unit_test_setup(links_without_a_carrier_are_named_if_no_link_has_one, setup),
		cmocka_unit_test_setup(each_configured_name_that_cannot_be_used_is_reported, setup),
		cmocka_unit_test_setup(a_default_route_by_a_tunnel_is_a_hint, setup),
		cmocka_unit_test_setup(the_awaited_interface_is_named_if_there_is_no_path, setup),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
