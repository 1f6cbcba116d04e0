/* SPDX-License-Identifier: Apache-2.0 */
/* The urgency of a change of the links, from notifications. */
#include "machine.h"

#include "net/monitor.h"

#include <fcntl.h>
#include <unistd.h>

/* The links after net_links_choose(); later changes are in `links`. */
static struct net_links known;
static const char *pattern; /* NULL: none */

static int setup(void **state)
{
	net_links_clear(&known);
	return machine_setup(state);
}

static int clear(void **state)
{
	net_links_clear(&known);
	return machine_clear(state);
}

static void copy_link(const struct net_link *link)
{
	const char *name = link->altnames ? links.altnames + link->altnames : "";
	struct net_link copied = *link;

	copied.altnames = 0;
	for (; *name; name += strlen(name) + 1)
		net_links_add_altname(&known, name, &copied.altnames);
	net_links_add(&known, &copied);
}

static void copy(void)
{
	net_links_clear(&known);
	for (unsigned i = 0; i < links.count; i++)
		copy_link(&links.items[i]);
	for (unsigned i = 0; i < links.addresses_count; i++)
		net_links_add_address(&known, &links.addresses[i]);
	for (unsigned i = 0; i < links.defaults_count; i++)
		net_links_add_default(&known, &links.defaults[i]);
	known.homes = links.homes;
	known.any_may_be_used = links.any_may_be_used;
}

/* Makes the choice, after which changes follow. */
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

/* Reports the last composed message as a monitor does. */
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

static enum net_change urgency_of_card(const struct card *card)
{
	card_message(card);
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

static void an_address_that_leaves_tentative_is_urgent_if_it_is_waited_for(void **state)
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

static enum net_change urgency_of_stamped(
	const char *text, uint8_t prefix, uint8_t flags, uint32_t made)
{
	add_stamped(2, text, prefix, flags, made);
	return urgency();
}

/* A renewed lease, a router advertisement: nothing else of the address has changed. */
static void new_lifetimes_are_no_change(void **state)
{
	(void)state;
	usual_machine();
	add_stamped(2, "192.0.2.20", 24, 0, 100);
	know("eth0");
	assert_int_equal(urgency_of_stamped("192.0.2.20", 24, 0, 100), NET_CHANGE_NONE);
	assert_int_equal(
		urgency_of_stamped("192.0.2.10", 24, IFA_F_PERMANENT, 100), NET_CHANGE_NONE);
	assert_int_equal(urgency_of_stamped("192.0.2.20", 24, 0, 101), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_stamped("192.0.2.20", 25, 0, 100), NET_CHANGE_IN_USE);
	assert_int_equal(
		urgency_of_stamped("192.0.2.20", 24, IFA_F_PERMANENT, 100), NET_CHANGE_IN_USE);
	assert_int_equal(
		urgency_of_stamped("192.0.2.20", 24, IFA_F_SECONDARY, 100), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_stamped("192.0.2.21", 24, 0, 100), NET_CHANGE_IN_USE);
	add_stamped(2, "192.0.2.20", 24, 0, 100);
	((struct nlmsghdr *)(void *)buffer)->nlmsg_type = RTM_DELADDR;
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
}

/* electd-address refreshes an address several times a second. */
static void an_address_of_the_leader_is_no_change(void **state)
{
	static const struct elect_address named = { .bytes = { 192, 0, 2, 100 }, .family = 4 };

	(void)state;
	usual_machine();
	know("eth0");
	add_marked(2, "192.0.2.101", NET_MARK_PROTO, NULL);
	assert_int_equal(urgency(), NET_CHANGE_NONE);
	((struct nlmsghdr *)(void *)buffer)->nlmsg_type = RTM_DELADDR;
	assert_int_equal(urgency(), NET_CHANGE_NONE);
	add_marked(2, "192.0.2.101", 0, NET_MARK_LABEL);
	assert_int_equal(urgency(), NET_CHANGE_NONE);
	add_marked(2, "192.0.2.101", 3, "eth0:1"); /* IFAPROT_KERNEL_RA */
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_stamped("192.0.2.100", 32, 0, 100), NET_CHANGE_IN_USE);
	net_links_leave_out(&known, &named, 1);
	assert_int_equal(urgency_of_stamped("192.0.2.100", 32, 0, 100), NET_CHANGE_NONE);
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
	add_link(2, "eth0", ORDINARY & ~(unsigned)IFF_UP, ARPHRD_ETHER);
	know(NULL);
	assert_int_equal(urgency_of_link(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(2), NET_CHANGE_IN_USE);
}

/* A VRF has its default route in a table of its own. */
static void an_interface_chosen_by_another_table_is_urgent(void **state)
{
	(void)state;
	usual_machine();
	add_route_in(2, 100);
	know(NULL);
	assert_int_equal(urgency_of_link(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(2), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(3), NET_CHANGE_ELSEWHERE);
}

static void each_change_is_urgent_without_a_pattern_and_a_default_route(void **state)
{
	(void)state;
	know(NULL);
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(9), NET_CHANGE_IN_USE);
	anew();
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

static void a_default_route_is_urgent_with_a_pattern_too(void **state)
{
	(void)state;
	usual_machine();
	add_route(3, 0);
	know("eth0");
	assert_int_equal(urgency_of_link(3, "eth1"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_route(9, 0), NET_CHANGE_IN_USE);
}

/* No interface is used, and one that matches no pattern will not be. */
static void other_interfaces_are_not_urgent_if_none_matches(void **state)
{
	(void)state;
	know("eth*");
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_link(9, "eth9"), NET_CHANGE_IN_USE);
}

static void a_new_name_is_urgent_if_the_old_or_the_new_one_matches(void **state)
{
	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(urgency_of_link(2, "lan0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_link(3, "lan0"), NET_CHANGE_ELSEWHERE);
}

/* A notification is read only for the first name of its link. */
static void an_interface_that_only_another_name_chooses_is_urgent(void **state)
{
	static const struct card down = CARD(2, "eth0", .altname = "lan0", .down = true),
				 up = CARD(2, "eth0", .altname = "lan0"), other = CARD(3, "eth1");

	(void)state;
	add_card(&down);
	add_card(&other);
	know("lan0");
	assert_int_equal(urgency_of_card(&up), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_address(2), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&other), NET_CHANGE_ELSEWHERE);
}

static void the_first_address_of_an_interface_that_a_pattern_matches_is_urgent(void **state)
{
	(void)state;
	know("lo");
	assert_int_equal(urgency_of_address(1), NET_CHANGE_IN_USE);
	know("eth*");
	assert_int_equal(urgency_of_address(1), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(0x7ffffffe), NET_CHANGE_ELSEWHERE); /* already gone */
}

static void each_change_is_urgent_after_a_failed_read(void **state)
{
	(void)state;
	usual_machine();
	know("eth0");
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_ELSEWHERE);
	assert_int_equal(net_links_read(&links, NET_BOTH), 0); /* as a read that fails half way */
	copy();
	assert_int_equal(urgency_of_link(9, "veth9"), NET_CHANGE_IN_USE);
}

static void the_most_urgent_of_several_changes_wins(void **state)
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

/* A link may have more names than the buffer of a reader holds. */
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

/* ---- below an interface in use --------------------------------------------------------------- */

#define BR0	  CARD(10, "br0", .kind = "bridge")
#define CABLE	  CARD(2, "eth0", .master = 10)
#define TAP	  CARD(5, "vnet0", .kind = "tun", .master = 10)
#define CONTAINER CARD(6, "ve6", .kind = "veth", .lower = 9, .lower_elsewhere = true, .master = 10)

/* A hypervisor: the VLAN of br0 is in use, and br0 has a cable and a guest. */
static void hypervisor(void)
{
	static const struct card cards[] = { CABLE, TAP, BR0,
		CARD(11, "br0.5", .kind = "vlan", .lower = 10), { 0 } };

	add_cards(cards);
	add_address(11, "192.0.2.1", 24);
}

static void a_cable_below_an_interface_in_use_is_urgent(void **state)
{
	static const struct card down = CARD(2, "eth0", .off = true, .master = 10),
				 out = CARD(2, "eth0"), bridge = BR0,
				 fresh = CARD(3, "eth1", .master = 10), alone = CARD(3, "eth1");

	(void)state;
	hypervisor();
	know("br0.5");
	assert_int_equal(urgency_of_card(&down), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&out), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_removal(2, "eth0"), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&bridge), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&fresh), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&alone), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_address(2), NET_CHANGE_ELSEWHERE);
}

/* Guests come and go all day. */
static void the_guests_of_a_bridge_in_use_can_wait(void **state)
{
	static const struct card off = CARD(5, "vnet0", .kind = "tun", .off = true, .master = 10),
				 container = CONTAINER,
				 fresh = CARD(7, "vnet1", .kind = "tun", .master = 10);

	(void)state;
	hypervisor();
	know("br0.5");
	assert_int_equal(urgency_of_card(&off), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_card(&container), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_card(&fresh), NET_CHANGE_ELSEWHERE);
	assert_int_equal(urgency_of_removal(5, "vnet0"), NET_CHANGE_ELSEWHERE);
}

/* A bridge sends a message of its own for each port, which has no kind. */
static void a_message_of_a_bridge_is_urgent_for_a_known_port(void **state)
{
	static const struct card cable = CABLE, fresh = CARD(7, "vnet1", .master = 10);
	struct ifinfomsg *m;

	(void)state;
	hypervisor();
	know("br0.5");
	m = mnl_nlmsg_get_payload(card_message(&cable));
	m->ifi_family = AF_BRIDGE;
	assert_int_equal(urgency(), NET_CHANGE_IN_USE);
	m = mnl_nlmsg_get_payload(card_message(&fresh));
	m->ifi_family = AF_BRIDGE;
	assert_int_equal(urgency(), NET_CHANGE_ELSEWHERE);
}

static void the_guests_of_a_bridge_without_a_cable_are_urgent(void **state)
{
	static const struct card cards[] = { TAP, BR0, { 0 } },
				 off = CARD(5, "vnet0", .kind = "tun", .off = true, .master = 10),
				 container = CONTAINER;

	(void)state;
	add_cards(cards);
	add_address(10, "192.0.2.1", 24);
	know("br0");
	assert_int_equal(urgency_of_card(&off), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&container), NET_CHANGE_IN_USE);
}

static void each_slave_of_a_bond_in_use_is_urgent(void **state)
{
	static const struct card cards[] = { CARD(2, "eth0", .master = 10, .master_kind = "bond"),
		CARD(3, "dummy0", .kind = "dummy", .master = 10, .master_kind = "bond"),
		CARD(10, "bond0", .kind = "bond"), CARD(11, "mac0", .kind = "macvlan", .lower = 10),
		CARD(4, "eth4"), { 0 } };

	(void)state;
	add_cards(cards);
	add_address(11, "192.0.2.1", 24);
	know("mac0");
	assert_int_equal(urgency_of_card(&cards[0]), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&cards[1]), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&cards[2]), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&cards[4]), NET_CHANGE_ELSEWHERE);
}

/* A bond that becomes a port may have cables of its own, and a VLAN counts like its parent. */
static void a_new_port_is_as_urgent_as_the_links_below_it(void **state)
{
	static const struct card bond = CARD(7, "bond0", .kind = "bond", .master = 10),
				 vlan = CARD(7, "eth4.5", .kind = "vlan", .lower = 4, .master = 10),
				 of_tap = CARD(
					 7, "vnet0.5", .kind = "vlan", .lower = 5, .master = 10),
				 eth4 = CARD(4, "eth4");

	(void)state;
	hypervisor();
	add_card(&eth4);
	know("br0.5");
	assert_int_equal(urgency_of_card(&bond), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&vlan), NET_CHANGE_IN_USE);
	assert_int_equal(urgency_of_card(&of_tap), NET_CHANGE_ELSEWHERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_change_of_the_interface_of_the_default_route_is_urgent, setup),
		cmocka_unit_test_setup(
			the_first_address_of_an_interface_with_a_default_route_is_urgent, setup),
		cmocka_unit_test_setup(
			an_address_that_leaves_tentative_is_urgent_if_it_is_waited_for, setup),
		cmocka_unit_test_setup(new_lifetimes_are_no_change, setup),
		cmocka_unit_test_setup(an_address_of_the_leader_is_no_change, setup),
		cmocka_unit_test_setup(
			a_change_of_the_default_routes_is_urgent_wherever_they_lead, setup),
		cmocka_unit_test_setup(
			an_interface_that_had_the_default_route_is_urgent_without_it, setup),
		cmocka_unit_test_setup(an_interface_chosen_by_another_table_is_urgent, setup),
		cmocka_unit_test_setup(
			each_change_is_urgent_without_a_pattern_and_a_default_route, setup),
		cmocka_unit_test_setup(
			a_change_of_an_interface_that_a_pattern_matches_is_urgent, setup),
		cmocka_unit_test_setup(a_default_route_is_urgent_with_a_pattern_too, setup),
		cmocka_unit_test_setup(other_interfaces_are_not_urgent_if_none_matches, setup),
		cmocka_unit_test_setup(
			a_new_name_is_urgent_if_the_old_or_the_new_one_matches, setup),
		cmocka_unit_test_setup(
			an_interface_that_only_another_name_chooses_is_urgent, setup),
		cmocka_unit_test_setup(
			the_first_address_of_an_interface_that_a_pattern_matches_is_urgent, setup),
		cmocka_unit_test_setup(each_change_is_urgent_after_a_failed_read, setup),
		cmocka_unit_test_setup(the_most_urgent_of_several_changes_wins, setup),
		cmocka_unit_test_setup(short_notifications_are_urgent, setup),
		cmocka_unit_test_setup(a_notification_that_is_cut_is_urgent, setup),
		cmocka_unit_test_setup(a_cable_below_an_interface_in_use_is_urgent, setup),
		cmocka_unit_test_setup(the_guests_of_a_bridge_in_use_can_wait, setup),
		cmocka_unit_test_setup(a_message_of_a_bridge_is_urgent_for_a_known_port, setup),
		cmocka_unit_test_setup(the_guests_of_a_bridge_without_a_cable_are_urgent, setup),
		cmocka_unit_test_setup(each_slave_of_a_bond_in_use_is_urgent, setup),
		cmocka_unit_test_setup(a_new_port_is_as_urgent_as_the_links_below_it, setup),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
