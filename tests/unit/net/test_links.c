/* SPDX-License-Identifier: Apache-2.0 */
/* The parsing of netlink messages about links, addresses and routes. Opens no socket. */
#include "machine.h"

static void a_default_route_of_several_hops_names_them_all(void **state)
{
	struct {
		struct rtnexthop hop;
		char attributes[4];
	} hops[2] = { { .hop = { .rtnh_len = sizeof(hops[0]), .rtnh_ifindex = 3 } },
		{ .hop = { .rtnh_len = sizeof(hops[1]), .rtnh_ifindex = 2 } } };
	struct nlmsghdr *message;

	(void)state;
	usual_machine();
	message = begin_route(0);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(hops), hops);
	net_links_on_message(message, &links);
	assert_string_equal(chosen(NULL, 0), "eth0 eth1");
}

static void hops_of_false_length_are_not_followed(void **state)
{
	static const unsigned short lengths[] = { 0, 3, 7, 9, 65535 };
	struct nlmsghdr *message;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct rtnexthop hop = { .rtnh_len = lengths[i], .rtnh_ifindex = 3 };

		machine_setup(NULL);
		usual_machine();
		message = begin_route(0);
		mnl_attr_put(message, RTA_MULTIPATH, sizeof(hop), &hop);
		net_links_on_message(message, &links);
	}
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

static void the_first_address_is_used(void **state)
{
	(void)state;
	add_address(2, "192.0.2.10", 24);
	add_address(2, "192.0.2.99", 32);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
	assert_int_equal(paths[0].prefix, 24);
}

static void the_flags_and_the_age_of_an_address_decide(void **state)
{
	(void)state;
	add_stamped(2, "192.0.2.11", 24, 0, 500);
	add_stamped(2, "192.0.2.12", 24, IFA_F_SECONDARY, 100);
	add_stamped(2, "192.0.2.13", 24, IFA_F_DEPRECATED, 100);
	add_stamped(2, "192.0.2.10", 24, 0, 400);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth0"), "eth0");
	assert_true(is_at(0, "192.0.2.10"));
}

static void an_interface_without_a_usable_address_is_not_used(void **state)
{
	(void)state;
	usual_machine();
	chosen_by("eth*");
	anew();
	add_address(2, "192.0.2.99", 24); /* not its own address */
	add_address(3, "198.51.100.10", 24);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	assert_string_equal(chosen_by("eth*"), "eth1");
}

static void an_address_of_another_lease_is_used_at_once(void **state)
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

/* Nothing can be sent from it until the kernel knows that no other host has it. */
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

/* The flag is the one of secondary IPv4 addresses; other flags are only in the attribute. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_default_route_of_several_hops_names_them_all, machine_setup),
		cmocka_unit_test_setup(hops_of_false_length_are_not_followed, machine_setup),
		cmocka_unit_test_setup(short_messages_and_others_are_ignored, machine_setup),
		cmocka_unit_test_setup(the_first_address_is_used, machine_setup),
		cmocka_unit_test_setup(the_flags_and_the_age_of_an_address_decide, machine_setup),
		cmocka_unit_test_setup(
			an_interface_without_a_usable_address_is_not_used, machine_setup),
		cmocka_unit_test_setup(an_address_of_another_lease_is_used_at_once, machine_setup),
		cmocka_unit_test_setup(an_interface_is_a_path_of_each_family, machine_setup),
		cmocka_unit_test_setup(a_tentative_address_is_no_path_yet, machine_setup),
		cmocka_unit_test_setup(
			an_address_that_another_host_has_is_a_path_that_does_not_work,
			machine_setup),
		cmocka_unit_test_setup(addresses_for_privacy_are_not_used, machine_setup),
	};

	return cmocka_run_group_tests(tests, NULL, machine_clear);
}
