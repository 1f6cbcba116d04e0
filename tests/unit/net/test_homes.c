/* SPDX-License-Identifier: Apache-2.0 */
/* The home address that a host keeps on each link while addresses come and go. */
#include "net/homes.h"

#include "net/memory.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECOND = 1000000, LINK = 2, OTHER_LINK = 3 };

static struct net_homes homes;
static struct net_address all[8];
static unsigned count;
static uint64_t now_us;
static uint64_t clock_cs; /* the clock of stamps */
static bool routed;	  /* the links have default routes */

static int setup(void **state)
{
	(void)state;
	memset(&homes, 0, sizeof(homes));
	count = 0;
	now_us = 1000 * (uint64_t)SECOND;
	clock_cs = UINT32_MAX - 3; /* stamps wrap in each test */
	routed = false;
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
		.created = (uint32_t)(clock_cs += 2) };
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
	const struct net_where where = { ifindex, family, carrier, routed };
	const struct net_address *a = net_homes_choose(&homes, now_us, &where, all, count);

	if (!a)
		return "none";
	return inet_ntop(family == 6 ? AF_INET6 : AF_INET, a->address.bytes, text, sizeof(text));
}

static const char *home_on(unsigned ifindex, bool carrier)
{
	return home_by(ifindex, 4, carrier);
}

static void look(void)
{
	net_homes_set_clock(&homes, clock_cs);
	net_homes_look(&homes, now_us, all, count);
}

static const char *home(bool carrier)
{
	look();
	return home_on(LINK, carrier);
}

static const char *home6(bool carrier)
{
	look();
	return home_by(LINK, 6, carrier);
}

static void wait_s(unsigned seconds)
{
	now_us += seconds * (uint64_t)SECOND;
	clock_cs += seconds * UINT64_C(100);
}

static void wait_days(unsigned days)
{
	for (unsigned i = 0; i < days; i++)
		wait_s(86400);
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
	all[3].created = all[2].created; /* of the same age: the first one wins */
	add("192.0.2.2");
	assert_string_equal(home(true), OWN);
}

static void an_older_address_is_home_even_if_it_is_listed_later(void **state)
{
	(void)state;
	add(FLOATING)->created += 100;
	add(OWN)->created = all[0].created - 50;
	assert_string_equal(home(true), OWN);
}

static void a_floating_address_is_home_if_there_is_no_other(void **state)
{
	(void)state;
	add("192.0.2.7")->prefix = 32;
	add("192.0.2.8")->prefix = 32;
	assert_string_equal(home(true), "192.0.2.7");
}

static void each_link_has_a_home_of_its_own(void **state)
{
	(void)state;
	add(OWN);
	add_on(OTHER_LINK, "198.51.100.1");
	assert_string_equal(home(true), OWN);
	assert_string_equal(home_on(OTHER_LINK, true), "198.51.100.1");
	assert_string_equal(home_on(4, true), "none");
}

/* ---- addresses come and go ----------------------------------------------------------------- */

static void a_home_stays_while_it_exists(void **state)
{
	(void)state;
	add("192.0.2.7")->prefix = 32;
	assert_string_equal(home(true), "192.0.2.7");
	add(OWN);
	assert_string_equal(home(true), "192.0.2.7");
	assert_string_equal(home(false), "192.0.2.7");
}

static void another_address_becomes_home_two_seconds_later(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	home(true);
	del(OWN);
	assert_string_equal(home(true), "none");
	assert_int_equal(net_homes_again(&homes, now_us), now_us + NET_HOMES_EXPECT_US);
	assert_int_equal(
		net_homes_again(&homes, now_us + NET_HOMES_EXPECT_US), now_us + NET_HOMES_WAIT_US);
	now_us += NET_HOMES_WAIT_US - 1;
	assert_string_equal(home(true), "none");
	now_us++;
	assert_string_equal(home(true), "192.0.2.2");
	assert_true(net_homes_again(&homes, now_us) == UINT64_MAX);
	add(OWN);
	assert_string_equal(home(true), "192.0.2.2");
}

static void a_former_home_that_comes_back_is_home_at_once(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	del(OWN);
	assert_string_equal(home(true), "none");
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* Hooks add no leased address, so a lease is followed on the leader too. */
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

static void no_address_becomes_home_without_a_carrier(void **state)
{
	(void)state;
	be_at_home();
	add("192.0.2.2");
	del(OWN);
	home(false);
	wait_s(60);
	assert_string_equal(home(false), "none");
	wait_s(60);
	assert_string_equal(home(true), "none"); /* its own address is about to come back */
	add(OWN);
	assert_string_equal(home(true), OWN);
}

static void a_link_without_any_address_waits_for_its_own_too(void **state)
{
	(void)state;
	be_at_home();
	del(OWN);
	look(); /* net_homes_choose() is not called for such a link */
	wait_s(60);
	add(FLOATING);
	assert_string_equal(home(true), "none");
	wait_s(1);
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* ---- while the host leads -------------------------------------------------------------------- */

static void an_address_that_appears_on_a_leader_does_not_become_home(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	add_on(OTHER_LINK, "198.51.100.1");
	assert_string_equal(home(true), OWN);
	assert_string_equal(home_on(OTHER_LINK, true), "none");
}

static void an_address_does_not_become_home_until_two_seconds_after_the_demotion(void **state)
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
	assert_string_equal(home(true), FLOATING); /* it still exists */
}

static void an_address_of_before_the_promotion_may_become_home(void **state)
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
static void a_pulled_cable_does_not_make_the_floating_address_home(void **state)
{
	(void)state;
	lead_at_home();
	add(FLOATING);
	home(true);
	home(false);
	del(OWN);
	assert_string_equal(home(false), "none");
	net_homes_lead(&homes, false, now_us + 16 * (uint64_t)SECOND);
	wait_s(60); /* the hook failed, so its address still exists */
	assert_string_equal(home(false), "none");
	assert_string_equal(home(true), "none");
	wait_s(1);
	add(OWN);
	assert_string_equal(home(true), OWN);
}

/* A lone leader leads on without a carrier, and may get another address with the next one. */
static void a_leader_without_an_address_takes_the_youngest(void **state)
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

/* Hooks add no leased address, so a leader with a lease has an address of its own. */
static void a_leader_that_gets_a_lease_stays_at_it(void **state)
{
	(void)state;
	net_homes_lead(&homes, true, 0);
	add(FLOATING);
	assert_string_equal(home(true), FLOATING);
	add(OWN)->leased = true;
	assert_string_equal(home(true), OWN);
	add("192.0.2.11");
	assert_string_equal(home(true), OWN);
}

static void a_lease_is_taken_before_a_younger_address_of_hooks(void **state)
{
	(void)state;
	net_homes_lead(&homes, true, 0);
	add(OWN)->leased = true;
	add(FLOATING);
	assert_string_equal(home(true), OWN);
	assert_string_equal(home(true), OWN);
}

/* ---- IPv6 ------------------------------------------------------------------------------------ */

#define LOCAL	    "fe80::1"
#define OTHER_LOCAL "fe80::2"
#define GLOBAL	    "2001:db8::1"

static void each_family_has_a_home_of_its_own(void **state)
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

static void the_link_local_address_is_preferred(void **state)
{
	(void)state;
	add(GLOBAL);
	add("fe80::100")->prefix = 128; /* shared by several hosts */
	add("2001:db8::2");
	assert_string_equal(home6(true), GLOBAL);
	memset(&homes, 0, sizeof(homes));
	add(LOCAL);
	assert_string_equal(home6(true), LOCAL);
}

/* The home must not move to another address because its own comes a second later. */
static void a_tentative_address_is_waited_for(void **state)
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

static void a_duplicate_address_does_not_become_home(void **state)
{
	(void)state;
	add(LOCAL)->duplicate = true;
	assert_string_equal(home6(true), "none");
	add(GLOBAL);
	assert_string_equal(home6(true), GLOBAL);
}

/* Also on a leader, because hooks do not add link-local addresses with the prefix of a link. */
static void a_replaced_link_local_address_is_not_waited_for(void **state)
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

static void a_floating_ipv6_address_does_not_become_home(void **state)
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

/* ---- each kind of address ------------------------------------------------------------------ */

/* "ADDRESS/PREFIX WORD...": the words are the kernel's flags of the address. */
static void add_kind(const char *kind)
{
	char text[INET6_ADDRSTRLEN];
	struct net_address *a;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(kind, "/"), kind);
	a = add(text);
	a->prefix = (uint8_t)atoi(strchr(kind, '/') + 1);
	a->leased = strstr(kind, "leased");
	a->secondary = strstr(kind, "secondary");
	a->tentative = strstr(kind, "tentative");
	a->duplicate = strstr(kind, "duplicate");
}

static const struct {
	const char *kinds[3]; /* oldest first */
	const char *home;
} at_the_start[] = {
	{ { "10.7.0.1/24 leased" }, "10.7.0.1" },
	{ { "10.7.0.1/24" }, "10.7.0.1" },
	{ { "169.254.7.7/16" }, "169.254.7.7" },
	{ { "fe80::1/64" }, "fe80::1" },
	{ { "2001:db8::1/64 leased", "fe80::1/64" }, "fe80::1" },
	{ { "fe80::1/64 tentative", "2001:db8::1/64" }, "fe80::1" },
	{ { "fe80::1/64 duplicate", "2001:db8::1/64" }, "2001:db8::1" },
	{ { "10.128.0.2/32 leased" }, "10.128.0.2" }, /* a cloud */
	{ { "10.7.0.9/32", "10.7.0.1/24" }, "10.7.0.1" },
	{ { "10.7.0.1/24", "10.7.0.9/24 secondary" }, "10.7.0.1" },
	{ { "10.7.0.9/24 secondary", "10.8.0.1/24" }, "10.8.0.1" }, /* or deprecated */
	{ { "10.7.0.1/24", "10.8.0.1/24", "10.9.0.1/24" }, "10.7.0.1" },
	{ { "10.7.0.1/24 duplicate" }, "none" },
	{ { "169.254.7.7/16", "10.7.0.1/24 leased" }, "10.7.0.1" },
	{ { "169.254.7.7/16", "10.7.0.1/24" }, "10.7.0.1" },
	{ { "169.254.7.7/16", "10.128.0.2/32 leased" }, "10.128.0.2" },
	{ { "169.254.7.7/16", "10.7.0.9/32", "10.128.0.2/32 leased" }, "10.128.0.2" },
	{ { "169.254.7.7/16", "10.7.0.9/32" }, "169.254.7.7" },
};

static void the_own_address_of_each_kind_is_chosen_at_the_start(void **state)
{
	for (size_t i = 0; i < sizeof(at_the_start) / sizeof(at_the_start[0]); i++) {
		const char *first = at_the_start[i].kinds[0];
		const char *home_is;

		setup(state);
		for (unsigned k = 0; k < 3 && at_the_start[i].kinds[k]; k++)
			add_kind(at_the_start[i].kinds[k]);
		home_is = strchr(first, ':') ? home6(true) : home(true);
		if (strcmp(home_is, at_the_start[i].home))
			fail_msg("%s ...: %s, not %s", first, home_is, at_the_start[i].home);
	}
}

/* ---- a link-local home of IPv4 is replaced --------------------------------------------------- */

#define ZEROCONF "169.254.7.7"

enum route { NO_ROUTE, ROUTE_CAME, ROUTE_BEFORE };

static const struct {
	const char *comes;
	bool leads;
	enum route route;
	const char *home, *later; /* now; two seconds after the demotion */
} to_zeroconf[] = {
	{ "10.7.0.1/24 leased", false, NO_ROUTE, "10.7.0.1", "10.7.0.1" },
	{ "10.7.0.1/24 leased", true, NO_ROUTE, "10.7.0.1", "10.7.0.1" },
	{ "10.128.0.2/32 leased", true, NO_ROUTE, "10.128.0.2", "10.128.0.2" },
	{ "10.7.0.1/24", false, NO_ROUTE, "10.7.0.1", "10.7.0.1" },
	{ "10.7.0.1/24", true, ROUTE_CAME, "10.7.0.1", "10.7.0.1" },
	/* Floating addresses, or permanent ones that cannot be distinguished from them. */
	{ "10.7.0.9/24", true, NO_ROUTE, ZEROCONF, "10.7.0.9" },
	{ "10.7.0.9/24", true, ROUTE_BEFORE, ZEROCONF, "10.7.0.9" },
	{ "10.7.0.9/32", true, NO_ROUTE, ZEROCONF, ZEROCONF },
	{ "10.7.0.9/32", true, ROUTE_CAME, ZEROCONF, "10.7.0.9" },
	{ "10.7.0.9/32", true, ROUTE_BEFORE, ZEROCONF, ZEROCONF },
	{ "10.7.0.9/32", false, NO_ROUTE, ZEROCONF, ZEROCONF },
	{ "10.7.0.9/32", false, ROUTE_CAME, "10.7.0.9", "10.7.0.9" },
	{ "169.254.9.9/16 secondary", false, ROUTE_CAME, ZEROCONF, ZEROCONF },
	{ "10.7.0.1/24 leased duplicate", false, ROUTE_CAME, ZEROCONF, ZEROCONF },
};

static void zeroconf_row(size_t i, char said[64])
{
	add_kind(ZEROCONF "/16");
	routed = to_zeroconf[i].route == ROUTE_BEFORE;
	home(true);
	net_homes_lead(&homes, to_zeroconf[i].leads, 0);
	add_kind(to_zeroconf[i].comes);
	snprintf(said, 64, "%s", home(true));
	routed = to_zeroconf[i].route != NO_ROUTE;
	snprintf(said, 64, "%s", home(true));
	if (to_zeroconf[i].leads)
		net_homes_lead(&homes, false, now_us);
	wait_s(2);
	snprintf(said + strlen(said), 64 - strlen(said), " %s", home(true));
}

static void a_zeroconf_home_is_replaced_by_an_address_that_hooks_did_not_add(void **state)
{
	char said[64], wanted[64];

	for (size_t i = 0; i < sizeof(to_zeroconf) / sizeof(to_zeroconf[0]); i++) {
		setup(state);
		zeroconf_row(i, said);
		snprintf(
			wanted, sizeof(wanted), "%s %s", to_zeroconf[i].home, to_zeroconf[i].later);
		if (strcmp(said, wanted))
			fail_msg("row %zu, %s: %s, not %s", i, to_zeroconf[i].comes, said, wanted);
	}
}

/* Hooks run before the DHCP server answers. */
static void the_address_of_a_route_is_not_the_floating_one_before_it(void **state)
{
	static const char *const floating[] = { "10.8.0.9/24", "10.7.0.9/24", "10.7.0.9/32" };

	for (unsigned i = 0; i < 3; i++) {
		setup(state);
		add_kind(ZEROCONF "/16");
		home(true);
		net_homes_lead(&homes, true, 0);
		add_kind(floating[i]);
		assert_string_equal(home(true), ZEROCONF);
		add_kind(i == 1 ? "10.7.0.1/24 secondary" : "10.7.0.1/24");
		assert_string_equal(home(true), ZEROCONF);
		routed = true;
		assert_string_equal(home(true), "10.7.0.1");
	}
}

/* A path without an address for two seconds would cost a group. */
static void zeroconf_is_home_again_at_the_end_of_a_lease(void **state)
{
	(void)state;
	add_kind(ZEROCONF "/16");
	add_kind("10.7.0.1/24 leased");
	assert_string_equal(home(true), "10.7.0.1");
	net_homes_lead(&homes, true, 0);
	add_kind("169.254.9.9/32"); /* added by a hook */
	del("10.7.0.1");
	assert_string_equal(home(false), "none");
	assert_string_equal(home(true), ZEROCONF);
	add_kind("10.8.0.1/24 leased");
	assert_string_equal(home(true), "10.8.0.1");
}

/* The route outlives the address that it came with. */
static void a_route_that_stays_does_not_make_a_floating_address_home(void **state)
{
	(void)state;
	add_kind(ZEROCONF "/16");
	add_kind("10.7.0.1/24");
	routed = true;
	assert_string_equal(home(true), "10.7.0.1");
	net_homes_lead(&homes, true, 0);
	add_kind("10.8.0.9/24");
	del("10.7.0.1");
	assert_string_equal(home(true), ZEROCONF);
	assert_string_equal(home(true), ZEROCONF);
}

static void a_floating_zeroconf_address_is_no_home(void **state)
{
	(void)state;
	lead_at_home();
	add_kind("169.254.9.9/16");
	del(OWN);
	home(true);
	wait_s(1);
	assert_string_equal(home(true), "none");
}

static void a_former_home_is_taken_back_without_a_route(void **state)
{
	(void)state;
	add_kind(ZEROCONF "/16");
	add_kind("10.7.0.1/24");
	assert_string_equal(home(true), "10.7.0.1");
	net_homes_lead(&homes, true, 0);
	del("10.7.0.1");
	assert_string_equal(home(true), ZEROCONF);
	add_kind("10.7.0.9/24");
	assert_string_equal(home(true), ZEROCONF);
	add_kind("10.7.0.1/24 secondary");
	assert_string_equal(home(true), "10.7.0.1");
}

/* ---- hosts that run for years ---------------------------------------------------------------- */

/* A stamp wraps after 497 days. */
static void the_older_of_two_addresses_is_home_after(unsigned days, unsigned between)
{
	clock_cs = 0;
	add(OWN);
	wait_days(between);
	add(FLOATING);
	memmove(&all[2], &all[0], sizeof(all[0])); /* the younger one first */
	memmove(&all[0], &all[1], 2 * sizeof(all[0]));
	wait_days(days - between);
	assert_string_equal(home(true), OWN);
}

static void the_older_of_two_addresses_is_home_at_any_uptime(void **state)
{
	static const unsigned days[][2] = { { 300, 1 }, { 300, 299 }, { 400, 1 }, { 400, 300 },
		{ 400, 399 }, { 497, 250 }, { 497, 496 } };

	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		setup(state);
		the_older_of_two_addresses_is_home_after(days[i][0], days[i][1]);
	}
}

static void stamps_on_both_sides_of_the_wrap_are_ordered(void **state)
{
	(void)state;
	clock_cs = UINT64_C(0xfffffffd);
	add(OWN);
	add(FLOATING);
	assert_int_equal(all[0].created, UINT32_MAX);
	assert_int_equal(all[1].created, 1);
	memmove(&all[2], &all[0], sizeof(all[0]));
	memmove(&all[0], &all[1], 2 * sizeof(all[0]));
	wait_days(400);
	assert_string_equal(home(true), OWN);
}

/* A leader takes the address of a hook only if it has no other address on any link. */
static void be_at_home_elsewhere(void)
{
	add_on(OTHER_LINK, "198.51.100.1");
	look();
	home_on(OTHER_LINK, true);
}

/* The own address disappears briefly after `led` days of leading. */
static void an_address_of_hooks_is_none_after(unsigned uptime, unsigned led)
{
	clock_cs = 0;
	add(OWN);
	be_at_home_elsewhere();
	wait_days(uptime);
	home(true);
	net_homes_lead(&homes, true, 0);
	wait_s(1);
	add(FLOATING);
	wait_days(led);
	home(true);
	del(OWN);
	home(true);
	wait_s(2);
	assert_string_equal(home(true), "none");
	del(FLOATING);
	add(FLOATING);
	wait_s(2);
	assert_string_equal(home(true), "none");
	add(OWN);
	assert_string_equal(home(true), OWN);
}

static void an_address_of_hooks_is_no_home_however_long_the_host_leads(void **state)
{
	static const unsigned days[][2] = { { 0, 1 }, { 0, 300 }, { 0, 600 }, { 300, 1 },
		{ 300, 300 }, { 400, 200 }, { 497, 1 }, { 600, 1 }, { 600, 300 }, { 600, 600 } };

	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		setup(state);
		an_address_of_hooks_is_none_after(days[i][0], days[i][1]);
	}
}

static void an_address_of_300_days_before_the_promotion_may_become_home(void **state)
{
	(void)state;
	clock_cs = 0;
	add(OWN);
	add("192.0.2.2");
	wait_days(300);
	home(true);
	net_homes_lead(&homes, true, 0);
	add(FLOATING);
	wait_days(100);
	home(true);
	del(OWN);
	home(true);
	wait_s(2);
	assert_string_equal(home(true), "192.0.2.2");
}

/* An address of 497 days minus an hour looks as if it came in an hour. */
static void an_address_of_hooks_is_no_home_even_if_another_looks_younger(void **state)
{
	(void)state;
	clock_cs = 0;
	add(OWN);
	add("192.0.2.2");
	be_at_home_elsewhere();
	wait_days(497);
	clock_cs = UINT32_MAX - UINT64_C(3600) * 100;
	home(true);
	net_homes_lead(&homes, true, 0);
	add(FLOATING);
	del(OWN);
	home(true);
	wait_s(2);
	assert_string_equal(home(true), "none");
}

/* On a 32-bit kernel. */
static void every_address_of_a_leader_may_be_of_hooks_without_a_clock(void **state)
{
	const struct net_where where = { .ifindex = LINK, .family = 4, .carrier = true };

	(void)state;
	add(OWN);
	add("192.0.2.2");
	add_on(OTHER_LINK, "198.51.100.1");
	net_homes_look(&homes, now_us, all, count);
	assert_ptr_equal(net_homes_choose(&homes, now_us, &where, all, count), &all[0]);
	home_on(OTHER_LINK, true);
	net_homes_lead(&homes, true, 0);
	del(OWN);
	net_homes_look(&homes, now_us, all, count);
	home_on(LINK, true);
	now_us += NET_HOMES_WAIT_US;
	assert_string_equal(home_on(LINK, true), "none");
	net_homes_lead(&homes, false, now_us);
	now_us += NET_HOMES_WAIT_US;
	assert_string_equal(home_on(LINK, true), "192.0.2.2");
}

/* ---- limits and memory ----------------------------------------------------------------------- */

static void the_link_that_lost_its_address_first_is_replaced(void **state)
{
	struct net_address one = { .address = address_of(OWN), .prefix = 24 };
	struct net_where where = { .family = 4, .carrier = true };

	(void)state;
	for (unsigned i = 1; i <= NET_HOMES_MAX; i++) {
		where.ifindex = one.ifindex = i;
		assert_non_null(net_homes_choose(&homes, now_us, &where, &one, 1));
		net_homes_set_routed(&homes, i);
	}
	net_homes_look(&homes, now_us, &one, 1);
	homes.items[7].gone_us--;
	where.ifindex = one.ifindex = 100;
	assert_non_null(net_homes_choose(&homes, now_us, &where, &one, 1));
	assert_false(net_homes_routed(&homes, 8));
	assert_true(net_homes_routed(&homes, 9));
	assert_false(net_homes_routed(&homes, 100));
}

/* The leader was killed: the floating address may still exist, and its own perhaps not. */
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

static void a_memory_of_another_form_is_ignored(void **state)
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

static void a_memory_of_an_earlier_version_is_ignored(void **state)
{
	const uint32_t former = 2;
	struct net_memory m;
	int kept;

	(void)state;
	net_memory_open(&m, -1, 0);
	be_at_home();
	m.homes = homes;
	net_memory_save(&m);
	assert_int_equal(pwrite(m.fd, &former, sizeof(former), 0), sizeof(former));
	kept = fcntl(m.fd, F_DUPFD_CLOEXEC, 0);
	net_memory_close(&m);
	net_memory_open(&m, kept, 0);
	assert_int_equal(m.homes.items[0].ifindex, 0);
	net_memory_close(&m);
}

/* A look that finds nothing new must cost no write, although the clock differs each time. */
static void a_changed_clock_alone_writes_no_memory(void **state)
{
	const uint32_t mark = 9;
	struct net_memory m;
	uint32_t version;

	(void)state;
	net_memory_open(&m, -1, 0);
	be_at_home();
	m.homes = homes;
	net_memory_save(&m);
	assert_int_equal(pwrite(m.fd, &mark, sizeof(mark), 0), sizeof(mark));
	net_homes_set_clock(&m.homes, clock_cs + 100);
	net_memory_save(&m);
	assert_int_equal(pread(m.fd, &version, sizeof(version), 0), sizeof(version));
	assert_int_equal(version, mark);
	net_memory_close(&m);
}

/* ---- addresses beyond the link --------------------------------------------------------------- */

static const char *wide(void)
{
	static char text[INET6_ADDRSTRLEN];
	const struct net_address *a;

	look();
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

static void the_oldest_address_that_hooks_did_not_add_is_wide(void **state)
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
	add("2001:db8:1::1")->leased = true; /* from a router, which has another prefix now */
	assert_string_equal(wide(), "2001:db8:1::1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, setup)
		T(the_oldest_plain_address_is_home),
		T(an_older_address_is_home_even_if_it_is_listed_later),
		T(a_floating_address_is_home_if_there_is_no_other),
		T(each_link_has_a_home_of_its_own),
		T(a_home_stays_while_it_exists),
		T(another_address_becomes_home_two_seconds_later),
		T(a_former_home_that_comes_back_is_home_at_once),
		T(another_lease_is_followed_at_once),
		T(no_address_becomes_home_without_a_carrier),
		T(a_link_without_any_address_waits_for_its_own_too),
		T(an_address_that_appears_on_a_leader_does_not_become_home),
		T(an_address_does_not_become_home_until_two_seconds_after_the_demotion),
		T(an_address_of_before_the_promotion_may_become_home),
		T(a_pulled_cable_does_not_make_the_floating_address_home),
		T(a_leader_without_an_address_takes_the_youngest),
		T(a_leader_that_gets_a_lease_stays_at_it),
		T(a_lease_is_taken_before_a_younger_address_of_hooks),
		T(each_family_has_a_home_of_its_own),
		T(the_link_local_address_is_preferred),
		T(a_tentative_address_is_waited_for),
		T(a_duplicate_address_does_not_become_home),
		T(a_replaced_link_local_address_is_not_waited_for),
		T(a_floating_ipv6_address_does_not_become_home),
		T(the_own_address_of_each_kind_is_chosen_at_the_start),
		T(a_zeroconf_home_is_replaced_by_an_address_that_hooks_did_not_add),
		T(the_address_of_a_route_is_not_the_floating_one_before_it),
		T(zeroconf_is_home_again_at_the_end_of_a_lease),
		T(a_route_that_stays_does_not_make_a_floating_address_home),
		T(a_floating_zeroconf_address_is_no_home),
		T(a_former_home_is_taken_back_without_a_route),
		T(the_older_of_two_addresses_is_home_at_any_uptime),
		T(stamps_on_both_sides_of_the_wrap_are_ordered),
		T(an_address_of_hooks_is_no_home_however_long_the_host_leads),
		T(an_address_of_300_days_before_the_promotion_may_become_home),
		T(an_address_of_hooks_is_no_home_even_if_another_looks_younger),
		T(every_address_of_a_leader_may_be_of_hooks_without_a_clock),
		T(the_link_that_lost_its_address_first_is_replaced),
		T(a_wide_address_is_neither_link_local_nor_tentative),
		T(the_oldest_address_that_hooks_did_not_add_is_wide),
		T(a_restart_forgets_nothing),
		T(a_memory_of_another_form_is_ignored),
		T(a_memory_of_an_earlier_version_is_ignored),
		T(a_changed_clock_alone_writes_no_memory),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
