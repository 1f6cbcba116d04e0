/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where people are told that a host is: as it says itself (algorithm.md 3, Ways), carried by
 * AYCoord, AYThere, its answer and Accept, and by nothing that is sent anywhere.
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

static void a_member_is_shown_where_it_says_that_it_is(void **state)
{
	struct elect_address heard = bench_address(1), at = said(1);

	(void)state;
	bench_leading(2);
	assert_shown(1, &heard);
	bench_aythere(1, &bench.e->group)->address = at;
	bench_receive();
	assert_shown(1, &at);
}

/* Its other messages do not say it, and change nothing. */
static void as_long_as_it_says_so(void **state)
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

static void who_joins_says_it_at_once(void **state)
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

static void a_coordinator_is_shown_where_its_beacons_say(void **state)
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

static void a_list_may_say_where_its_coordinator_is(void **state)
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

/* Nobody is sent a list for it, and nobody elects. */
static void its_own_is_changed_without_a_list_version(void **state)
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

static void a_member_says_its_own_to_its_coordinator(void **state)
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
		TEST(a_member_is_shown_where_it_says_that_it_is),
		TEST(as_long_as_it_says_so),
		TEST(who_joins_says_it_at_once),
		TEST(a_coordinator_is_shown_where_its_beacons_say),
		TEST(a_list_may_say_where_its_coordinator_is),
		TEST(its_own_is_changed_without_a_list_version),
		TEST(a_member_says_its_own_to_its_coordinator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
