/* SPDX-License-Identifier: Apache-2.0 */
/* Which interface gets an address. */
#include "address/site.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ETH0 = 2, ETH1 = 3, UP = IFF_UP | (1 << 16) };

static struct sites sites;

static void want(const char *text, uint8_t prefix, const char *interface)
{
	struct site p = { .prefix = prefix };

	assert_true(message_parse(text, &p.address));
	snprintf(p.interface, sizeof(p.interface), "%s", interface);
	sites_want(&sites, &p, 1);
}

static int set_up(void **state)
{
	(void)state;
	sites = (struct sites){ 0 };
	want("192.0.2.100", 0, "");
	return 0;
}

static void own(const char *text, uint8_t prefix, unsigned ifindex)
{
	struct message_address a = { .ifindex = ifindex, .prefix = prefix };

	assert_true(message_parse(text, &a.address));
	sites_own(&sites, &a);
}

static _Alignas(struct nlmsghdr) char bytes[512];

static const struct nlmsghdr *message(
	unsigned ifindex, const char *name, unsigned flags, uint16_t type, const char *altname)
{
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, (uint8_t)ifindex };
	struct nlmsghdr *m = mnl_nlmsg_put_header(bytes);
	struct ifinfomsg *body;
	struct nlattr *names;

	m->nlmsg_type = RTM_NEWLINK;
	body = mnl_nlmsg_put_extra_header(m, sizeof(*body));
	body->ifi_index = (int)ifindex;
	body->ifi_flags = flags;
	body->ifi_type = type;
	mnl_attr_put_strz(m, IFLA_IFNAME, name);
	mnl_attr_put(m, IFLA_ADDRESS, sizeof(mac), mac);
	if (altname) {
		names = mnl_attr_nest_start(m, IFLA_PROP_LIST);
		mnl_attr_put_strz(m, IFLA_ALT_IFNAME, "other");
		mnl_attr_put_strz(m, IFLA_ALT_IFNAME, altname);
		mnl_attr_nest_end(m, names);
	}
	return m;
}

static void link_up(unsigned ifindex, const char *name)
{
	sites_link(&sites, message(ifindex, name, UP, ARPHRD_ETHER, NULL));
}

static void both_up(void)
{
	link_up(ETH0, "eth0");
	link_up(ETH1, "eth1");
	sites_over(&sites);
}

static void assert_site(unsigned ifindex)
{
	assert_int_equal(sites.list[0].now.ifindex, ifindex);
}

static void the_interface_with_the_subnet_gets_it(void **state)
{
	(void)state;
	sites_read(&sites);
	own("198.51.100.1", 24, ETH0);
	own("192.0.2.1", 24, ETH1);
	own("2001:db8::1", 64, ETH0);
	both_up();
	assert_site(ETH1);
	assert_string_equal(sites.list[0].now.name, "eth1");
	assert_true(sites.list[0].now.carrier);
	assert_true(sites.list[0].now.ethernet);
	assert_int_equal(sites.list[0].now.mac[5], ETH1);
}

static void ipv6_likewise(void **state)
{
	(void)state;
	want("2001:db8:0:1::100", 0, "");
	sites_read(&sites);
	own("2001:db8::1", 64, ETH0);
	own("2001:db8:0:1::1", 64, ETH1);
	both_up();
	assert_site(ETH1);
}

static void without_a_subnet_there_is_none(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.1", 32, ETH0);
	own("192.0.3.1", 24, ETH1);
	both_up();
	assert_site(0);
}

static void a_prefix_with_bits_inside_a_byte(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.129", 25, ETH0);
	own("192.0.2.65", 26, ETH1);
	both_up();
	assert_site(ETH1);
}

static void the_narrowest_subnet_wins(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.1", 24, ETH1);
	own("192.0.0.1", 16, ETH0);
	both_up();
	assert_site(ETH1);
}

static void of_equal_subnets_the_present_interface_stays(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.2", 24, ETH1);
	both_up();
	assert_site(ETH1);
	for (unsigned i = 0; i < 2; i++) {
		sites_read(&sites);
		own("192.0.2.1", 24, i ? ETH0 : ETH1);
		own("192.0.2.2", 24, i ? ETH1 : ETH0);
		both_up();
		assert_site(ETH1);
	}
	set_up(NULL);
	sites.list[0].now.ifindex = 0;
	sites_read(&sites);
	own("192.0.2.1", 24, ETH1);
	own("192.0.2.2", 24, ETH0);
	both_up();
	assert_site(ETH0);
}

static void a_written_prefix_stands_for_the_subnet(void **state)
{
	(void)state;
	want("192.0.2.100", 24, "");
	sites_read(&sites);
	own("192.0.2.1", 32, ETH1);
	both_up();
	assert_site(ETH1);
}

static void a_named_interface_needs_no_subnet(void **state)
{
	(void)state;
	want("192.0.2.100", 0, "eth0");
	sites_read(&sites);
	own("192.0.2.1", 24, ETH1);
	both_up();
	assert_site(ETH0);
}

static void an_alternative_name_counts(void **state)
{
	(void)state;
	want("192.0.2.100", 0, "enp0s31f6");
	sites_read(&sites);
	sites_link(&sites, message(ETH1, "eth1", UP, ARPHRD_ETHER, "enp0s31f6"));
	sites_over(&sites);
	assert_site(ETH1);
	assert_string_equal(sites.list[0].now.name, "eth1");
}

static void an_interface_that_goes_takes_the_place_away(void **state)
{
	(void)state;
	want("192.0.2.100", 0, "eth0");
	sites_read(&sites);
	both_up();
	assert_site(ETH0);
	sites_read(&sites);
	link_up(ETH1, "eth1");
	sites_over(&sites);
	assert_site(0);
}

static void after_a_flush_the_address_stays_where_it_was(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.1", 24, ETH1);
	both_up();
	sites_read(&sites);
	both_up();
	assert_site(ETH1);
	assert_string_equal(sites.list[0].now.name, "eth1");
	sites_read(&sites);
	link_up(ETH0, "eth0"); /* eth1 is gone */
	sites_over(&sites);
	assert_site(0);
}

static void a_link_without_a_carrier_or_ethernet_cannot_announce(void **state)
{
	(void)state;
	want("192.0.2.100", 0, "eth0");
	sites_read(&sites);
	sites_link(&sites, message(ETH0, "eth0", IFF_UP, ARPHRD_NONE, NULL));
	sites_over(&sites);
	assert_site(ETH0);
	assert_false(sites.list[0].now.carrier);
	assert_false(sites.list[0].now.ethernet);
	assert_true(site_link_has(message(ETH0, "eth0", UP, ARPHRD_ETHER, NULL),
		(const uint8_t[]){ 2, 0, 0, 0, 0, 2 }));
	assert_false(site_link_has(message(ETH0, "eth0", UP, ARPHRD_ETHER, NULL),
		(const uint8_t[]){ 2, 0, 0, 0, 0, 3 }));
}

static void a_new_list_keeps_the_interface(void **state)
{
	(void)state;
	sites_read(&sites);
	own("192.0.2.1", 24, ETH1);
	both_up();
	want("192.0.2.100", 0, "");
	assert_site(ETH1);
	want("192.0.2.101", 0, "");
	assert_site(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_interface_with_the_subnet_gets_it, set_up),
		cmocka_unit_test_setup(ipv6_likewise, set_up),
		cmocka_unit_test_setup(without_a_subnet_there_is_none, set_up),
		cmocka_unit_test_setup(a_prefix_with_bits_inside_a_byte, set_up),
		cmocka_unit_test_setup(the_narrowest_subnet_wins, set_up),
		cmocka_unit_test_setup(of_equal_subnets_the_present_interface_stays, set_up),
		cmocka_unit_test_setup(a_written_prefix_stands_for_the_subnet, set_up),
		cmocka_unit_test_setup(a_named_interface_needs_no_subnet, set_up),
		cmocka_unit_test_setup(an_alternative_name_counts, set_up),
		cmocka_unit_test_setup(an_interface_that_goes_takes_the_place_away, set_up),
		cmocka_unit_test_setup(after_a_flush_the_address_stays_where_it_was, set_up),
		cmocka_unit_test_setup(
			a_link_without_a_carrier_or_ethernet_cannot_announce, set_up),
		cmocka_unit_test_setup(a_new_list_keeps_the_interface, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
