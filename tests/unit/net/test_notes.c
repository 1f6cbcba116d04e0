/* SPDX-License-Identifier: Apache-2.0 */
/* The notes on interfaces: why one is used, and why a named one is not. */
#include "machine.h"

#include "net/notes.h"

static struct net_note notes[NET_NOTES_MAX];
static struct net_chosen c;

/* ---- the machine ----------------------------------------------------------------------------- */

static void add(unsigned ifindex, const char *name, unsigned flags, unsigned type)
{
	struct net_link link = { .ifindex = ifindex, .flags = flags, .type = type };

	snprintf(link.name, sizeof(link.name), "%s", name);
	net_links_add(&links, &link);
}

static void belongs(unsigned ifindex, unsigned master, const char *kind)
{
	for (unsigned i = 0; i < links.count; i++)
		if (links.items[i].ifindex == ifindex) {
			links.items[i].master = master;
			snprintf(links.items[i].master_kind, sizeof(links.items[i].master_kind),
				"%s", kind);
		}
}

static void address(unsigned ifindex)
{
	char text[] = "10.0.0.1";

	text[7] = (char)('0' + ifindex);
	add_address(ifindex, text, 24);
}

static void routed(unsigned ifindex, bool main)
{
	net_links_add_default(&links,
		&(struct net_default){ .ifindex = ifindex, .family = NET_IPV4, .main = main });
}

/* Returns the number of notes on the choice by these patterns. */
static unsigned noted(const char *const *patterns, unsigned count)
{
	net_links_complete(&links);
	c = (struct net_chosen){
		.links = &links,
		.families = NET_IPV4,
		.patterns = patterns,
		.patterns_count = count,
		.paths = paths,
		.paths_count =
			net_links_choose(&links, &homes, NOW, NET_IPV4, patterns, count, paths),
	};
	return net_notes(&c, notes);
}

static void assert_note(
	unsigned index, enum net_note_kind kind, const char *name, const char *other)
{
	assert_int_equal(notes[index].kind, kind);
	assert_string_equal(notes[index].name, name);
	assert_string_equal(notes[index].other ? notes[index].other : "", other);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void each_unused_name_has_a_reason(void **state)
{
	static const char *const patterns[] = { "eth0", "eth1", "wg0", "eth2", "nope", "v*", "lo" };

	(void)state;
	add(1, "lo", IFF_UP | IFF_RUNNING | IFF_LOOPBACK, ARPHRD_LOOPBACK);
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add(3, "eth1", ORDINARY & ~(unsigned)IFF_UP, ARPHRD_ETHER);
	add(4, "wg0", ORDINARY & ~(unsigned)IFF_MULTICAST, ARPHRD_NONE);
	add(5, "eth2", ORDINARY, ARPHRD_ETHER);
	for (unsigned i = 1; i <= 4; i++)
		address(i);
	assert_int_equal(noted(patterns, 7), 5);
	assert_note(0, NET_NOTE_OFF, "eth1", "");
	assert_note(1, NET_NOTE_NO_MULTICAST, "wg0", "");
	assert_note(2, NET_NOTE_NO_ADDRESS, "eth2", "");
	assert_note(3, NET_NOTE_MISSING, "nope", "");
	assert_note(4, NET_NOTE_UNMATCHED, "v*", "");
}

/* A pattern such as "eth*" means any interface that exists. */
static void an_unused_match_of_a_pattern_has_no_note(void **state)
{
	static const char *const patterns[] = { "eth*" };

	(void)state;
	add(2, "eth0", ORDINARY & ~(unsigned)IFF_UP, ARPHRD_ETHER);
	add(3, "eth1", ORDINARY, ARPHRD_ETHER);
	address(3);
	assert_int_equal(noted(patterns, 1), 0);
}

/* The port has an address and is used, but all datagrams of the LAN arrive by the bridge. */
static void a_port_that_hands_its_datagrams_to_a_master_has_a_note(void **state)
{
	static const char *const kinds[] = { "bridge", "bond", "team" };
	static const char *const patterns[] = { "eth0" };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		machine_setup(NULL);
		add(2, "eth0", ORDINARY, ARPHRD_ETHER);
		add(3, "br0", ORDINARY, ARPHRD_ETHER);
		belongs(2, 3, kinds[i]);
		address(2);
		assert_int_equal(noted(patterns, 1), 1);
		assert_note(0, NET_NOTE_PORT, "eth0", "br0");
	}
}

/* net_links.left_out reports it. */
static void an_interface_that_is_left_out_has_no_note_of_a_missing_address(void **state)
{
	static const char *const patterns[] = { "eth*", "last" };
	char name[IF_NAMESIZE];

	(void)state;
	for (unsigned i = 1; i <= NET_INTERFACES_MAX; i++) {
		snprintf(name, sizeof(name), "eth%u", i);
		add(i, name, ORDINARY, ARPHRD_ETHER);
		address(i);
	}
	add(NET_INTERFACES_MAX + 1, "last", ORDINARY, ARPHRD_ETHER);
	add_address(NET_INTERFACES_MAX + 1, "10.1.0.1", 24);
	assert_int_equal(noted(patterns, 2), 0);
	assert_int_equal(links.left_out, 1);
	assert_string_equal(links.left_out_name, "last");
}

/* ---- the default choice ---------------------------------------------------------------------- */

static void a_default_route_by_a_tunnel_has_a_note(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add(3, "wg0", IFF_UP | IFF_RUNNING | IFF_POINTOPOINT, ARPHRD_NONE);
	address(2);
	address(3);
	routed(3, true);
	assert_int_equal(noted(NULL, 0), 1);
	assert_note(0, NET_NOTE_TUNNEL, "wg0", "");
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_ETHERNET);
}

/* A bridge with a tap, as on a hypervisor without a card. */
static void a_lan_of_guests_has_a_note(void **state)
{
	(void)state;
	add(2, "br0", ORDINARY, ARPHRD_ETHER);
	snprintf(links.items[0].kind, sizeof(links.items[0].kind), "bridge");
	add(3, "tap0", ORDINARY, ARPHRD_ETHER);
	snprintf(links.items[1].kind, sizeof(links.items[1].kind), "tun");
	belongs(3, 2, "bridge");
	address(2);
	assert_int_equal(noted(NULL, 0), 1);
	assert_note(0, NET_NOTE_GUESTS, "br0", "");
	add(4, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_int_equal(noted(NULL, 0), 1);
	assert_note(0, NET_NOTE_WAITS, "eth0", "");
}

/* A container without privileges has a tap to its host. */
static void guests_with_the_default_route_have_no_note(void **state)
{
	(void)state;
	add(2, "tap0", ORDINARY, ARPHRD_ETHER);
	snprintf(links.items[0].kind, sizeof(links.items[0].kind), "tun");
	address(2);
	assert_int_equal(noted(NULL, 0), 1);
	assert_note(0, NET_NOTE_GUESTS, "tap0", "");
	routed(2, true);
	assert_int_equal(noted(NULL, 0), 0);
}

static void cards_that_wait_for_an_address_have_a_note_if_there_is_no_path(void **state)
{
	(void)state;
	add(1, "lo", IFF_UP | IFF_RUNNING | IFF_LOOPBACK | IFF_MULTICAST, ARPHRD_LOOPBACK);
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add(3, "eth1", ORDINARY & ~(unsigned)IFF_UP, ARPHRD_ETHER);
	add(4, "eth2", ORDINARY, ARPHRD_ETHER);
	add(5, "bond0", ORDINARY, ARPHRD_ETHER);
	snprintf(links.items[4].kind, sizeof(links.items[4].kind), "bond");
	belongs(4, 5, "bond");
	assert_int_equal(noted(NULL, 0), 2);
	assert_note(0, NET_NOTE_WAITS, "eth0", "");
	assert_note(1, NET_NOTE_WAITS, "bond0", "");
}

static void no_card_waits_if_there_is_a_path(void **state)
{
	(void)state;
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add(3, "eth1", ORDINARY, ARPHRD_ETHER);
	address(2);
	assert_int_equal(noted(NULL, 0), 0);
	routed(2, true);
	routed(3, true);
	assert_int_equal(noted(NULL, 0), 0);
}

/* ---- reasons and VRFs ------------------------------------------------------------------------ */

static void each_path_has_a_reason(void **state)
{
	static const char *const patterns[] = { "eth0" };

	(void)state;
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	address(2);
	noted(NULL, 0);
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_ETHERNET);
	routed(2, false);
	noted(NULL, 0);
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_OTHER_TABLE);
	routed(2, true);
	noted(NULL, 0);
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_DEFAULT_ROUTE);
	links.defaults_count = 0;
	noted(NULL, 0);
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_FORMER_ROUTE);
	noted(patterns, 1);
	assert_int_equal(net_why(&c, &paths[0]), NET_WHY_NAMED);
}

static void a_member_of_a_vrf_names_it(void **state)
{
	static const char *const patterns[] = { "eth*" };

	(void)state;
	add(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add(3, "eth1", ORDINARY, ARPHRD_ETHER);
	add(4, "blue", IFF_UP | IFF_RUNNING, ARPHRD_ETHER);
	add(5, "br0", ORDINARY, ARPHRD_ETHER);
	belongs(2, 4, "vrf");
	belongs(3, 5, "bridge");
	address(2);
	address(3);
	noted(patterns, 1);
	assert_string_equal(net_vrf(&c, &paths[0]), "blue");
	assert_null(net_vrf(&c, &paths[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_unused_name_has_a_reason, machine_setup),
		cmocka_unit_test_setup(an_unused_match_of_a_pattern_has_no_note, machine_setup),
		cmocka_unit_test_setup(
			a_port_that_hands_its_datagrams_to_a_master_has_a_note, machine_setup),
		cmocka_unit_test_setup(
			an_interface_that_is_left_out_has_no_note_of_a_missing_address,
			machine_setup),
		cmocka_unit_test_setup(a_default_route_by_a_tunnel_has_a_note, machine_setup),
		cmocka_unit_test_setup(a_lan_of_guests_has_a_note, machine_setup),
		cmocka_unit_test_setup(guests_with_the_default_route_have_no_note, machine_setup),
		cmocka_unit_test_setup(
			cards_that_wait_for_an_address_have_a_note_if_there_is_no_path,
			machine_setup),
		cmocka_unit_test_setup(no_card_waits_if_there_is_a_path, machine_setup),
		cmocka_unit_test_setup(each_path_has_a_reason, machine_setup),
		cmocka_unit_test_setup(a_member_of_a_vrf_names_it, machine_setup),
	};

	return cmocka_run_group_tests(tests, NULL, machine_clear);
}
