/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At which address of a link a host is at home, while addresses come and go.
 */
#include "net/homes.h"

#include "net/memory.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECOND = 1000000, LINK = 2, OTHER_LINK = 3 };

static struct net_homes homes;
static struct net_address all[8];
static unsigned count;
static uint64_t now_us;
static uint32_t stamp;

static int setup(void **state)
{
	(void)state;
	memset(&homes, 0, sizeof(homes));
	count = 0;
	now_us = 1000 * (uint64_t)SECOND;
	stamp = UINT32_MAX - 3; /* it wraps in each test */
	return 0;
}

static struct elect_address address_of(const char *text)
{
	struct elect_address a = { .family = strchr(text, ':') ? 6 : 4 };

	assert_int_equal(inet_pton(a.family == 6 ? AF_INET6 : AF_INET, text, a.bytes), 1);
	return a;
}

static struct net_address *add_on(unsigned ifindex, const char *text)
{
	struct net_address *a = &all[count++];

	*a = (struct net_address){ .ifindex = ifindex,
		.address = address_of(text),
		.prefix = strchr(text, ':') ? 64 : 24,
		.created = stamp += 2 };
	return a;
}

static struct net_address *add(const char *text)
{
	return add_on(LINK, text);
}

static void del(const char *text)
{
	const struct elect_address address = address_of(text);

	for (unsigned i = 0; i < count; i++)
		if (elect_address_equal(&all[i].address, &address)) {
			memmove(&all[i], &all[i + 1], (--count - i) * sizeof(all[0]));
			return;
		}
	fail();
}

static const char *home_by(unsigned ifindex, uint8_t family, bool carrier)
{
	static char text[INET6_ADDRSTRLEN];
	const struct net_address *a =
		net_homes_choose(&homes, now_us, ifindex, family, carrier, all, count);

	if (!a)
		return "none";
	return inet_ntop(family == 6 ? AF_INET6 : AF_INET, a->address.bytes, text, sizeof(text));
}

static const char *home_on(unsigned ifindex, bool carrier)
{
	return home_by(ifindex, 4, carrier);
}

/* One look at one link. */
static const char *home(bool carrier)
{
	net_homes_look(&homes, now_us, all, count);
	return home_on(LINK, carrier);
}

static const char *home6(bool carrier)
{
	net_homes_look(&homes, now_us, all, count);
	return home_by(LINK, 6, carrier);
}

static void wait_s(unsigned seconds)
{
	now_us += seconds * (uint64_t)SECOND;
}

#define OWN	 "192.0.2.1"
#define FLOATING "192.0.2.10"

static void be_at_home(void)
{
	add(OWN);
	home(true);
}

static void lead_at_home(void)
{
	be_at_home();
	net_homes_lead(&homes, true, 0);
}

/* ---- a link comes into use --------------------------------------------------------------- */

static void the_oldest_plain_address_is_home(void **state)
{
	(void)state;
	add("192.0.2.7")->secondary = true;
	add("192.0.2.8")->prefix = 32;
	add(OWN);
	add(FLOATING);
	all[3].created = all[2].created; /* of one age: the first */
	add("192.0.2.2");
	assert_string_equal(home(true), OWN);
}

static void an_older_one_is_home_though_it_comes_later(void **state)
{
	(void)state;
	add(FLOATING)->created += 100;
	add(OWN)->created = all[0].created - 50;
	assert_string_equal(home(true), OWN);
}

static void where_there_is_nothing_else_a_floating_one_is(void **state)
{
	(void)state;
	add("192.0.2.7")->prefix = 32;
	add("192.0.2.8")->prefix = 32;
	assert_string_equal(home(true), "192.0.2.7");
}

static void each_link_has_its_own(void **state)
{
	(void)state;
	add(OWN);
	add_on(OTHER_LINK, "198.51.100.1");
	assert_string_equal(home(true), OWN);
	assert_string_equal(home_on(OTHER_LINK, true), "198.51.100.1");
	assert_string_equal(home_on(4, true), "none");
}

/* ---- addresses come and go ----------------------------------------------------------------- */

static void as_long_as_it_exists_it_stays(void **state)
{
	(void)state;
	add("192.0.2.7")->prefix = 32;
	assert_string_equal(home(true), "192.0.2.7");
	add(OWN);
	assert_string_equal(home(true), "192.0.2.7");
	assert_string_equal(home(false), "192.0.2.7");
}

static void another_one_is_taken_two_seconds_later(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	home(true);
	del(OWN);
	assert_string_equal(home(true), "none");
	assert_int_equal(net_homes_again(&homes, now_us), now_us + NET_HOMES_WAIT_US);
	now_us += NET_HOMES_WAIT_US - 1;
	assert_string_equal(home(true), "none");
	now_us++;
	assert_string_equal(home(true), "192.0.2.2");
	assert_true(net_homes_again(&homes, now_us) == UINT64_MAX);
	add(OWN);
	assert_string_equal(home(true), "192.0.2.2");
}

static void what_comes_back_is_home_at_once(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	del(OWN);
	assert_string_equal(home(true), "none");
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* No hook leases anything: at the leader as anywhere. */
static void another_lease_is_followed_at_once(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	add("192.0.2.2")->leased = true;
	assert_string_equal(home(true), OWN);
	del(OWN);
	assert_string_equal(home(false), "none");
	assert_string_equal(home(true), "192.0.2.2");
	assert_true(net_homes_again(&homes, now_us) == UINT64_MAX);
	add(OWN);
	assert_string_equal(home(true), "192.0.2.2");
}

static void without_a_carrier_nothing_is_taken(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	del(OWN);
	home(false);
	wait_s(60);
	assert_string_equal(home(false), "none");
	wait_s(60);
	assert_string_equal(home(true), "none"); /* its own is about to come back */
	add(OWN);
	assert_string_equal(home(true), OWN);
}

static void a_link_without_any_address_waits_for_its_own_too(void **state)
{
	(void)state;
	be_at_home();
	del(OWN);
	net_homes_look(&homes, now_us, all, count); /* nobody asks for such a link */
	wait_s(60);
	add(FLOATING);
	assert_string_equal(home(true), "none");
	wait_s(1);
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* ---- leading ------------------------------------------------------------------------------- */

static void what_appears_while_it_leads_is_not_taken(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	add_on(OTHER_LINK, "198.51.100.1");
	assert_string_equal(home(true), OWN);
	assert_string_equal(home_on(OTHER_LINK, true), "none");
}

static void nor_until_two_seconds_after_the_demotion(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	home(true);
	del(OWN);
	home(true);
	net_homes_lead(&homes, false, now_us + 16 * (uint64_t)SECOND);
	wait_s(17);
	assert_string_equal(home(true), "none");
	assert_int_equal(net_homes_again(&homes, now_us), now_us + SECOND);
	wait_s(1);
	assert_string_equal(home(true), FLOATING); /* it still stands */
}

static void what_was_there_before_it_led_may_be_taken(void **state)
{
	(void)state;
	add(OWN);
	add("192.0.2.2");
	home(true);
	net_homes_lead(&homes, true, 0);
	add(FLOATING);
	del(OWN);
	home(true);
	wait_s(2);
	assert_string_equal(home(true), "192.0.2.2");
}

/* The leader's cable is pulled and put back, with a network manager and an address hook. */
static void a_pulled_cable_brings_nobody_to_the_floating_address(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	home(true);
	home(false);
	del(OWN);
	assert_string_equal(home(false), "none");
	net_homes_lead(&homes, false, now_us + 16 * (uint64_t)SECOND);
	wait_s(60); /* the hook has failed: its address is there still */
	assert_string_equal(home(false), "none");
	assert_string_equal(home(true), "none");
	wait_s(1);
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* Who leads alone leads on without a carrier, and may get another address with the next one. */
static void who_leads_without_an_address_takes_the_youngest(void **state)
{
	(void)state;
	home(false);
	net_homes_lead(&homes, true, 0);
	add(FLOATING);
	assert_string_equal(home(false), "none");
	assert_string_equal(home(true), FLOATING);
	add(OWN);
	assert_string_equal(home(true), OWN);
	net_homes_lead(&homes, false, now_us + 16 * (uint64_t)SECOND);
	assert_string_equal(home(true), OWN);
	wait_s(18);
	assert_string_equal(home(true), OWN);
	net_homes_lead(&homes, true, 0);
	del(FLOATING);
	add(FLOATING);
	assert_string_equal(home(true), OWN);
	del(OWN);
	assert_string_equal(home(true), "none");
}

/* ---- IPv6 ------------------------------------------------------------------------------------ */

#define LOCAL	    "fe80::1"
#define OTHER_LOCAL "fe80::2"
#define GLOBAL	    "2001:db8::1"

static void each_family_has_its_own(void **state)
{
	(void)state;
	add(OWN);
	add(LOCAL);
	assert_string_equal(home(true), OWN);
	assert_string_equal(home6(true), LOCAL);
	del(OWN);
	assert_string_equal(home(true), "none");
	assert_string_equal(home6(true), LOCAL);
}

static void the_link_local_address_goes_first(void **state)
{
	(void)state;
	add(GLOBAL);
	add("fe80::100")->prefix = 128; /* of several hosts */
	add("2001:db8::2");
	assert_string_equal(home6(true), GLOBAL);
	memset(&homes, 0, sizeof(homes));
	add(LOCAL);
	assert_string_equal(home6(true), LOCAL);
}

/* It is not at home at another one because its own comes a second later. */
static void a_tentative_one_is_waited_for(void **state)
{
	(void)state;
	add(GLOBAL);
	add(LOCAL)->tentative = true;
	assert_string_equal(home6(true), LOCAL);
	assert_int_equal(homes.items[0].ifindex, 0);
	all[1].tentative = false;
	assert_string_equal(home6(true), LOCAL);
	assert_int_equal(homes.items[0].ifindex, LINK);
}

static void what_another_host_has_is_not_taken(void **state)
{
	(void)state;
	add(LOCAL)->duplicate = true;
	assert_string_equal(home6(true), "none");
	add(GLOBAL);
	assert_string_equal(home6(true), GLOBAL);
}

/* Whatever the host does: hooks make no link-local addresses of a whole link. */
static void a_link_local_one_that_is_replaced_is_not_waited_for(void **state)
{
	(void)state;
	add(LOCAL);
	add(GLOBAL);
	assert_string_equal(home6(true), LOCAL);
	net_homes_lead(&homes, true, 0);
	add(OTHER_LOCAL);
	assert_string_equal(home6(true), LOCAL);
	del(LOCAL);
	assert_string_equal(home6(true), OTHER_LOCAL);
	del(OTHER_LOCAL);
	assert_string_equal(home6(true), "none");
	wait_s(2);
	assert_string_equal(home6(true), GLOBAL);
}

static void a_floating_one_of_ipv6_is_not_taken(void **state)
{
	(void)state;
	add(LOCAL);
	add_on(OTHER_LINK, OTHER_LOCAL);
	home6(true);
	assert_string_equal(home_by(OTHER_LINK, 6, true), OTHER_LOCAL);
	net_homes_lead(&homes, true, 0);
	add("fe80::100")->prefix = 128;
	add("2001:db8::100");
	del(LOCAL);
	home6(true);
	wait_s(60);
	assert_string_equal(home6(true), "none");
}

/* ---- room and memory ----------------------------------------------------------------------- */

static void the_link_that_lost_its_address_first_makes_room(void **state)
{
	struct net_address one = { .address = address_of(OWN), .prefix = 24 };

	(void)state;
	for (unsigned i = 1; i <= NET_HOMES_MAX; i++) {
		one.ifindex = i;
		assert_non_null(net_homes_choose(&homes, now_us, i, 4, true, &one, 1));
		net_homes_set_routed(&homes, i);
	}
	net_homes_look(&homes, now_us, &one, 1);
	homes.items[7].gone_us--;
	one.ifindex = 100;
	assert_non_null(net_homes_choose(&homes, now_us, 100, 4, true, &one, 1));
	assert_false(net_homes_routed(&homes, 8));
	assert_true(net_homes_routed(&homes, 9));
	assert_false(net_homes_routed(&homes, 100));
}

/* Killed while it led: what it led with may be there still, its own address perhaps not. */
static void a_restart_forgets_nothing(void **state)
{
	struct net_memory m;
	int kept;

	(void)state;
	net_memory_open(&m, -1, 0);
	lead_at_home();
	m.homes = homes;
	net_memory_save(&m);
	kept = fcntl(m.fd, F_DUPFD_CLOEXEC, 0);
	net_memory_close(&m);

	net_memory_open(&m, kept, now_us + 16 * (uint64_t)SECOND);
	homes = m.homes;
	add(FLOATING);
	del(OWN);
	wait_s(5);
	home(true);
	wait_s(12);
	assert_string_equal(home(true), "none");
	add(OWN);
	assert_string_equal(home(true), OWN);
	net_memory_close(&m);
}

static void a_memory_of_another_form_is_none(void **state)
{
	struct net_memory m;
	char bytes[16384] = { 9 };
	int kept;

	(void)state;
	net_memory_open(&m, -1, 0);
	assert_int_equal(pwrite(m.fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	kept = fcntl(m.fd, F_DUPFD_CLOEXEC, 0);
	net_memory_close(&m);
	net_memory_open(&m, kept, 0);
	assert_int_equal(m.homes.items[0].ifindex, 0);
	assert_false(m.homes.leads);
	net_memory_close(&m);
}

/* ---- of use beyond the link -------------------------------------------------------------- */

static const char *wide(void)
{
	static char text[INET6_ADDRSTRLEN];
	const struct net_address *a;

	net_homes_look(&homes, now_us, all, count);
	a = net_homes_wide(&homes, now_us, LINK, all, count);
	return a ? inet_ntop(AF_INET6, a->address.bytes, text, sizeof(text)) : "none";
}

static void a_wide_address_is_neither_link_local_nor_tentative(void **state)
{
	(void)state;
	add("192.0.2.1");
	add("fe80::1");
	add_on(OTHER_LINK, "2001:db8::9");
	assert_string_equal(wide(), "none");
	add("2001:db8::1")->tentative = true;
	assert_string_equal(wide(), "none");
	all[3].tentative = false;
	assert_string_equal(wide(), "2001:db8::1");
	all[3].duplicate = true;
	assert_string_equal(wide(), "none");
}

static void the_oldest_that_hooks_have_not_added_is_told(void **state)
{
	(void)state;
	add("fe80::1");
	add("fd00::1");
	add("2001:db8::1");
	assert_string_equal(wide(), "fd00::1");
	net_homes_lead(&homes, true, 0);
	add("2001:db8::f");
	del("fd00::1");
	del("2001:db8::1");
	assert_string_equal(wide(), "none");
	add("2001:db8:1::1")->leased = true; /* by a router, which has another prefix now */
	assert_string_equal(wide(), "2001:db8:1::1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, setup)
		T(the_oldest_plain_address_is_home),
		T(an_older_one_is_home_though_it_comes_later),
		T(where_there_is_nothing_else_a_floating_one_is),
		T(each_link_has_its_own),
		T(as_long_as_it_exists_it_stays),
		T(another_one_is_taken_two_seconds_later),
		T(what_comes_back_is_home_at_once),
		T(another_lease_is_followed_at_once),
		T(without_a_carrier_nothing_is_taken),
		T(a_link_without_any_address_waits_for_its_own_too),
		T(what_appears_while_it_leads_is_not_taken),
		T(nor_until_two_seconds_after_the_demotion),
		T(what_was_there_before_it_led_may_be_taken),
		T(a_pulled_cable_brings_nobody_to_the_floating_address),
		T(who_leads_without_an_address_takes_the_youngest),
		T(each_family_has_its_own),
		T(the_link_local_address_goes_first),
		T(a_tentative_one_is_waited_for),
		T(what_another_host_has_is_not_taken),
		T(a_link_local_one_that_is_replaced_is_not_waited_for),
		T(a_floating_one_of_ipv6_is_not_taken),
		T(the_link_that_lost_its_address_first_makes_room),
		T(a_wide_address_is_neither_link_local_nor_tentative),
		T(the_oldest_that_hooks_have_not_added_is_told),
		T(a_restart_forgets_nothing),
		T(a_memory_of_another_form_is_none),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
