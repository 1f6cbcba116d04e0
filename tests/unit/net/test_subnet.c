/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an interface of this host has the subnet of an address. */
#include "net/subnet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The addresses of this host, instead of those that libc would find. */
static struct ifaddrs *here;

int getifaddrs(struct ifaddrs **ret)
{
	*ret = here;
	errno = EMFILE;
	return here ? 0 : -1;
}

void freeifaddrs(struct ifaddrs *all)
{
	assert_ptr_equal(all, here);
}

static struct elect_address address(const char *text)
{
	struct elect_address a = { .family = strchr(text, ':') ? 6 : 4 };

	assert_int_equal(inet_pton(a.family == 6 ? AF_INET6 : AF_INET, text, a.bytes), 1);
	return a;
}

static unsigned bits(const char *wanted, uint8_t wanted_prefix, const char *own, uint8_t prefix)
{
	struct elect_address a = address(wanted), b = address(own);

	return net_subnet_bits(&a, wanted_prefix, &b, prefix);
}

static void the_prefix_of_the_own_address_counts_first(void **state)
{
	(void)state;
	assert_int_equal(bits("192.0.2.100", 0, "192.0.2.7", 24), 24);
	assert_int_equal(bits("192.0.2.100", 28, "192.0.2.7", 24), 24);
	assert_int_equal(bits("192.0.3.100", 0, "192.0.2.7", 24), 0);
	assert_int_equal(bits("192.0.2.5", 0, "192.0.2.4", 31), 31);
	assert_int_equal(bits("2001:db8::100", 0, "2001:db8::7", 64), 64);
	assert_int_equal(bits("2001:db8:0:1::100", 0, "2001:db8::7", 64), 0);
	assert_int_equal(bits("2001:db8::100", 0, "32.1.13.184", 8), 0);
}

/* Some clouds give a host its address as /32. */
static void a_written_prefix_helps_where_the_own_one_is_too_long(void **state)
{
	(void)state;
	assert_int_equal(bits("192.0.2.100", 0, "192.0.2.7", 32), 0);
	assert_int_equal(bits("192.0.2.100", 24, "192.0.2.7", 32), 24);
	assert_int_equal(bits("192.0.2.100", 32, "192.0.2.100", 32), 0);
	assert_int_equal(bits("192.0.3.100", 24, "192.0.2.7", 32), 0);
	assert_int_equal(bits("2001:db8::100", 64, "2001:db8::7", 128), 64);
}

static void the_interfaces_of_this_host_are_asked(void **state)
{
	struct sockaddr_in own = { .sin_family = AF_INET }, mask = { .sin_family = AF_INET };
	struct sockaddr_in6 own6 = { .sin6_family = AF_INET6 }, mask6 = { .sin6_family = AF_INET6 };
	struct ifaddrs list[] = {
		{ .ifa_next = &list[1] }, /* without an address */
		{ .ifa_next = &list[2],
			.ifa_addr = (struct sockaddr *)&own,
			.ifa_netmask = (struct sockaddr *)&mask },
		{ .ifa_addr = (struct sockaddr *)&own6, .ifa_netmask = (struct sockaddr *)&mask6 },
	};
	struct elect_address a;

	(void)state;
	inet_pton(AF_INET, "192.0.2.7", &own.sin_addr);
	inet_pton(AF_INET, "255.255.254.0", &mask.sin_addr);
	inet_pton(AF_INET6, "2001:db8::7", &own6.sin6_addr);
	inet_pton(AF_INET6, "ffff:ffff:ffff:ffff::", &mask6.sin6_addr);
	here = list;
	assert_true((a = address("192.0.3.1"), net_subnet_here(&a, 0)));
	assert_false((a = address("192.0.4.1"), net_subnet_here(&a, 0)));
	assert_true((a = address("192.0.4.1"), net_subnet_here(&a, 16)));
	assert_true((a = address("2001:db8::1"), net_subnet_here(&a, 0)));
	assert_false((a = address("2001:db8:0:1::1"), net_subnet_here(&a, 0)));
	here = NULL;
	assert_true((a = address("198.51.100.1"), net_subnet_here(&a, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_prefix_of_the_own_address_counts_first),
		cmocka_unit_test(a_written_prefix_helps_where_the_own_one_is_too_long),
		cmocka_unit_test(the_interfaces_of_this_host_are_asked),
	};

	return cmocka_run_group_tests_name("net_subnet", tests, NULL, NULL);
}
