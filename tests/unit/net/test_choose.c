/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which interfaces are used: netlink messages in, paths out. No socket is opened.
 */
#include "machine.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			without_a_default_route_every_ethernet_is_used, machine_setup),
		cmocka_unit_test_setup(the_default_route_chooses, machine_setup),
		cmocka_unit_test_setup(patterns_choose_whatever_the_routes_say, machine_setup),
		cmocka_unit_test_setup(the_loopback_must_be_named, machine_setup),
		cmocka_unit_test_setup(
			what_is_down_or_without_multicast_is_not_used, machine_setup),
		cmocka_unit_test_setup(an_interface_without_an_address_is_not_used, machine_setup),
		cmocka_unit_test_setup(no_carrier_is_a_path_all_the_same, machine_setup),
		cmocka_unit_test_setup(who_had_a_default_route_is_waited_for, machine_setup),
		cmocka_unit_test_setup(more_interfaces_than_places_are_left_out, machine_setup),
		cmocka_unit_test_setup(
			too_many_interfaces_are_counted_and_the_first_one_is_named, machine_setup),
		cmocka_unit_test_setup(
			an_interface_without_a_carrier_is_left_out_first, machine_setup),
		cmocka_unit_test_setup(an_interface_in_use_stays_when_others_come, machine_setup),
		cmocka_unit_test_setup(a_default_route_of_a_family_in_use_chooses, machine_setup),
		cmocka_unit_test_setup(
			a_link_local_address_alone_chooses_where_there_is_nothing_more,
			machine_setup),
		cmocka_unit_test_setup(a_port_of_a_bridge_is_no_lan_of_ipv6, machine_setup),
		cmocka_unit_test_setup(nor_is_the_loopback, machine_setup),
	};

	return cmocka_run_group_tests(tests, NULL, machine_clear);
}
