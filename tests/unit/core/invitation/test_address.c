/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address that is reported for a host (paths.md) is the one that the host announces
 * in AYCoord, AYThere, AYThere_answer and Accept; no datagram is sent to it.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static const unsigned second[] = { 60, 1 };

static struct elect_address said(uint8_t last)
{
	return (struct elect_address){ .family = 6, .bytes = { 0xfd, [15] = last } };
}

static void assert_shown(unsigned n, const struct elect_address *address)
{
	struct elect_id id = bench_id(n);
	int at = roster_find(&bench.e->up, &id);

	assert_true(at >= 0);
	assert_true(elect_address_equal(&bench.e->up.members[at].address, address));
}

static void configure(const struct elect_address *address)
{
	struct elect_command *c = bench_command(ELECT_COMMAND_CONFIGURE);

	c->config = bench.e->config;
	c->config.address = *address;
	bench_step();
}

static void the_announced_address_of_a_member_is_reported(void **state)
{
	struct elect_address heard = bench_address(1), at = said(1);

	(void)state;
	bench_leading(2);
	assert_shown(1, &heard);
	bench_aythere(1, &bench.e->group)->address = at;
	bench_receive();
	assert_shown(1, &at);
}

/* A message without an address field changes nothing, but an AYThere without one withdraws the
 * address. */
static void an_announced_address_is_reported_until_it_is_withdrawn(void **state)
{
	struct elect_address heard = bench_address(1), at = said(1);

	(void)state;
	bench_leading(2);
	bench_aythere(1, &bench.e->group)->address = at;
	bench_receive();
	bench_hears(bench_ready_answer(1));
	assert_shown(1, &at);
	bench_hears(bench_aythere(1, &bench.e->group));
	assert_shown(1, &heard);
}

static void an_accept_announces_an_address(void **state)
{
	struct elect_address at = said(3);

	(void)state;
	bench_leading(2);
	bench_hears(bench_hello(3));
	bench_for(3000);
	bench_accept(3, &bench.e->group)->address = at;
	bench_receive();
	assert_shown(3, &at);
}

static void the_address_of_a_coordinator_is_that_of_its_beacons(void **state)
{
	struct elect_address heard = bench_address(70), at = said(70);
	uint32_t version;

	(void)state;
	bench_member_of(70, 5, second, 2);
	version = bench.e->list_version;
	bench_beacon(70)->address = at;
	bench_receive();
	assert_shown(70, &at);
	bench_hears(bench_beacon(70));
	assert_shown(70, &heard);
	assert_int_equal(bench.e->list_version, version);
}

static void a_list_may_carry_the_address_of_its_coordinator(void **state)
{
	struct elect_group g = bench_group(70, 5);
	struct elect_address at = said(70);
	static struct roster list;

	(void)state;
	bench_awaiting(70, 5);
	bench_list(&list, 70, second, 2);
	list.members[0].address = at;
	bench_receive_list(&g, 70, &list, 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_shown(70, &at);
}

static void the_own_address_changes_without_a_list_version(void **state)
{
	struct elect_address at = said(BENCH_SELF);
	uint32_t version;

	(void)state;
	bench_leading(2);
	version = bench.e->list_version;
	bench_clear();
	configure(&at);
	assert_shown(BENCH_SELF, &at);
	assert_int_equal(bench_sent(ELECT_READY), 0);
	assert_int_equal(bench.e->list_version, version);
	bench_for(2 * BENCH_BEACON_US);
	assert_true(elect_address_equal(&bench.sent[ELECT_AYCOORD].address, &at));
}

static void a_member_announces_its_address_to_its_coordinator(void **state)
{
	struct elect_address at = said(BENCH_SELF);

	(void)state;
	bench_member_of(70, 5, second, 2);
	configure(&at);
	for (unsigned i = 0; i < 4; i++) {
		bench_hears(bench_beacon(70));
		bench_for(BENCH_BEACON_US);
	}
	assert_true(bench_sent(ELECT_AYTHERE) > 0);
	assert_true(elect_address_equal(&bench.sent[ELECT_AYTHERE].address, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_announced_address_of_a_member_is_reported),
		TEST(an_announced_address_is_reported_until_it_is_withdrawn),
		TEST(an_accept_announces_an_address),
		TEST(the_address_of_a_coordinator_is_that_of_its_beacons),
		TEST(a_list_may_carry_the_address_of_its_coordinator),
		TEST(the_own_address_changes_without_a_list_version),
		TEST(a_member_announces_its_address_to_its_coordinator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
