/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c, the coordinator's side (lists.md, Ready; slide 40): a definition is a part of the
 * membership list; a version is repeated until it is acknowledged; a member that lacks it is sent
 * it.
 */
#include "unit/core/frame/bench.h"

static uint8_t definition[ELECT_DEFINITION_MAX];

static void define(size_t size)
{
	struct elect_command *c = bench_command(ELECT_COMMAND_DEFINE);

	for (size_t i = 0; i < size; i++)
		definition[i] = (uint8_t)(i * 7 + i / 256);
	c->definition_size = (uint16_t)size;
	memcpy(c->definition, definition, size);
	bench_step();
}

/* Carries each part to a second host, which awaits the list. */
static void a_definition_arrives_whole_whatever_the_order_of_its_parts(void **state)
{
	static struct elect_msg parts[8];
	struct elect_group g;
	const uint8_t *bytes;
	unsigned count;

	(void)state;
	bench_leader();
	bench_join(BENCH_SELF + 20);
	define(ELECT_DEFINITION_MAX - 1);
	g = bench.e->group;
	count = bench.sends[ELECT_READY].part_count;
	assert_int_equal(count, 6);
	for (unsigned i = 0; i < count; i++)
		elect_compose(bench.e, &bench.sends[ELECT_READY], i, &parts[i]);
	/* the receiver: host 70 */
	bench_tear_down(state);
	bench_new();
	bench_started()->config.id = bench_id(BENCH_SELF + 20);
	bench.event.start.session = bench_session(BENCH_SELF + 20);
	bench_awaiting(BENCH_SELF, g.counter);
	for (unsigned i = 0; i < count; i++) {
		bench.m = parts[(i + 3) % count];
		bench.m.from = bench_address(BENCH_SELF);
		bench.m.proven = true;
		assert_int_equal(bench.e->state, ELECT_REORGANIZING);
		bench_receive();
	}
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(elect_definition(bench.e, &bytes), ELECT_DEFINITION_MAX - 1);
	assert_memory_equal(bytes, definition, ELECT_DEFINITION_MAX - 1);
}

static void the_own_definition_is_distributed_with_the_next_group(void **state)
{
	const uint8_t *bytes;

	(void)state;
	bench_down();
	define(10);
	bench_for(bench.e->config.start_hold_us);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(elect_definition(bench.e, &bytes), 10);
	assert_memory_equal(bytes, definition, 10);
}

static void a_list_that_admits_is_repeated_until_acknowledged(void **state)
{
	(void)state;
	bench_leading(1);
	bench_accept(9, &bench.e->group);
	bench_accepted();
	assert_int_equal(bench_sent(ELECT_READY), 1);
	bench_for(REPEAT_US * 2);
	assert_int_equal(bench_sent(ELECT_READY), 3);
	bench_hears(bench_ready_answer(9));
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench_sent(ELECT_READY), 3);
}

/* A list of many parts loses a part more often, so it is repeated sooner. */
static void a_long_list_is_repeated_twice_as_often(void **state)
{
	(void)state;
	bench_leader();
	for (unsigned n = 60; n < 160; n++)
		bench_join(n);
	define(ELECT_DEFINITION_MAX);
	bench_for(BENCH_BEACON_US);
	bench_clear();
	bench_accept(9, &bench.e->group);
	bench_accepted();
	assert_true(bench.sends[ELECT_READY].part_count > LIST_PARTS_LONG);
	bench_for(REPEAT_US * 2);
	assert_int_equal(bench_sent(ELECT_READY), 5);
}

/* After the window, the probes of the members' watch take over. */
static void a_list_is_not_repeated_after_its_window(void **state)
{
	(void)state;
	bench_leading(1);
	bench_accept(9, &bench.e->group);
	bench_accepted();
	bench_for(READY_WINDOW_US);
	assert_true(bench_sent(ELECT_READY) > 1);
	bench_clear();
	bench_for(READY_WINDOW_US / 2);
	assert_int_equal(bench_sent(ELECT_READY), 0);
}

static void a_list_that_admits_nobody_is_sent_twice(void **state)
{
	(void)state;
	bench_leading(3);
	bench_hears(bench_goodbye(2, &bench.e->group, ELECT_LOSS_STOP));
	assert_int_equal(bench_sent(ELECT_READY), 1);
	bench_for(BENCH_BEACON_US);
	assert_int_equal(bench_sent(ELECT_READY), 2);
}

static void a_member_with_an_old_list_is_sent_the_new_one(void **state)
{
	(void)state;
	bench_leading(2);
	bench_aythere(1, &bench.e->group)->digest++;
	bench_receive();
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_READY), 1);
	assert_int_equal(bench.sent[ELECT_READY].missing[0], 1 << 2);
}

static void the_watch_of_members_survives_a_change_of_the_list(void **state)
{
	uint64_t heard;
	int at;
	struct elect_id one = bench_id(1);

	(void)state;
	bench_leading(3);
	at = roster_find(&bench.e->up, &one);
	heard = bench.e->watch.members[at].heard_us;
	bench_for(1000);
	bench_hears(bench_goodbye(3, &bench.e->group, ELECT_LOSS_STOP));
	assert_int_not_equal(at, roster_find(&bench.e->up, &one));
	at = roster_find(&bench.e->up, &one);
	assert_int_equal(bench.e->watch.members[at].heard_us, heard);
	assert_false(bench.e->watch.members[at].missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_definition_arrives_whole_whatever_the_order_of_its_parts),
		TEST(the_own_definition_is_distributed_with_the_next_group),
		TEST(a_list_that_admits_is_repeated_until_acknowledged),
		TEST(a_long_list_is_repeated_twice_as_often),
		TEST(a_list_is_not_repeated_after_its_window),
		TEST(a_list_that_admits_nobody_is_sent_twice),
		TEST(a_member_with_an_old_list_is_sent_the_new_one),
		TEST(the_watch_of_members_survives_a_change_of_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
