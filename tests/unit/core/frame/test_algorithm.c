/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the frame and an algorithm: an algorithm that does nothing is started and
 * stepped, and its host leads nobody; a host whose algorithm claims the role at once leads only
 * when the frame allows it.
 */
#include "bench.h"

enum { IDLE = 1, RASH };

static void nothing(struct elect *e)
{
	(void)e;
}

static void nothing_to_ask(struct elect *e, unsigned member)
{
	(void)e;
	(void)member;
}

static void nothing_to_move(struct elect *e, uint64_t late_us)
{
	(void)e;
	(void)late_us;
}

static bool rival;

static bool perhaps_a_rival(const struct elect *e)
{
	(void)e;
	return rival;
}

static void nothing_to_say(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)e;
	(void)s;
	(void)m;
}

static bool never_true(const struct elect *e, const struct elect_send *s)
{
	(void)e;
	(void)s;
	return false;
}

static enum elect_worth worth_nothing(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	(void)e;
	(void)m;
	(void)ret_within_us;
	return ELECT_WORTH_NOTHING;
}

static void deaf(struct elect *e, const struct elect_msg *m)
{
	(void)e;
	(void)m;
}

static void no_keys(struct elect *e, const struct elect_rekeyed *r)
{
	(void)e;
	(void)r;
}

static void nobody_asked(struct elect *e, const struct elect_id *id)
{
	(void)e;
	(void)id;
}

static void no_sign(struct elect *e, const struct elect_link_sign *sign)
{
	(void)e;
	(void)sign;
}

static bool nobody_lost(struct elect *e, unsigned member)
{
	(void)e;
	(void)member;
	return false;
}

static uint64_t no_turn(const struct elect *e)
{
	(void)e;
	return 0;
}

#define EMPTY                                                                                      \
	.rival = perhaps_a_rival, .announce = nothing, .ask = nothing_to_ask, .recheck = nothing,  \
	.later = nothing_to_move, .carrier = nothing, .withdraw = group_leave, .yielded = nothing, \
	.echoed = nobody_asked, .link_lives = no_sign, .rekeyed = no_keys, .list = ELECT_READY,    \
	.list_answer = ELECT_READY_ANSWER, .edit = nothing, .probe = ELECT_AYTHERE,                \
	.lost = nobody_lost, .turn_us = no_turn, .compose = nothing_to_say,                        \
	.still_true = never_true, .worth = worth_nothing, .unproven_hello = deaf

static const struct elect_algorithm idle = {
	.name = "idle",
	.number = IDLE,
	.watch = 8,
	.begin = group_leave,
	.enter_from = { [ELECT_DOWN] = 0xf, [ELECT_ELECTION] = 1 << ELECT_DOWN },
	EMPTY,
};

/* ---- an algorithm that claims the role at once ----------------------------------------------- */

static struct role_claim claim;
/* Forms a group of one and begins the role with the claim that the test set. */
static void form(struct elect *e)
{
	struct elect_group group = group_new(e);
	struct elect_member self;

	self_member(e, &self);
	roster_clear(&e->next);
	roster_put(&e->next, &self, &e->config.id);
	state_enter(e, ELECT_ELECTION);
	group_change(e, &group);
	state_enter(e, ELECT_REORGANIZING);
	list_install(e, 1);
	state_enter(e, ELECT_NORMAL);
	role_begin(e, &claim);
}

static void begin_soon(struct elect *e)
{
	group_leave(e);
	timers_set_in(e, 0, 1000);
}

static const struct elect_algorithm rash = {
	.name = "rash",
	.number = RASH,
	.begin = begin_soon,
	.timers = { form },
	.timer_states = { 1 << ELECT_DOWN, 1 << ELECT_NORMAL },
	.enter_from = { 0xf, 0xf, 0xf, 0xf },
	.list_timer = 1,
	EMPTY,
};

static void start(const struct elect_algorithm *algorithm)
{
	bench.event.start.config.algorithm = algorithm;
	bench_step();
}

/* ---- an empty algorithm ---------------------------------------------------------------------- */

static void assert_leads_nobody(void)
{
	struct elect_view v = bench_view();

	assert_int_equal(v.state, ELECT_DOWN);
	assert_int_equal(v.role, ELECT_ROLE_NONE);
	assert_true(elect_id_is_zero(&v.leader));
	assert_true(elect_group_is_zero(&v.group));
	assert_int_equal(v.members_count, 0);
	for (unsigned t = 1; t < ELECT_MSG_TYPES; t++)
		assert_int_equal(bench_sent(t), 0);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

static void an_empty_algorithm_starts(void **state)
{
	(void)state;
	start(&idle);
	assert_ptr_equal(bench.e->algorithm, &idle);
	assert_int_equal(bench_actions(ELECT_ACTION_PERSIST), 2);
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_leads_nobody();
}

static void time_changes_nothing(void **state)
{
	(void)state;
	start(&idle);
	bench_for(UINT64_C(600) * SECOND_US);
	assert_leads_nobody();
}

static void messages_change_nothing(void **state)
{
	(void)state;
	start(&idle);
	for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++)
		for (unsigned n = 1; n <= 2; n++) {
			struct elect_msg *m = bench_from(n, t);

			m->group = bench_group(n, 7);
			m->inviter.id = m->sender;
			m->answer = ELECT_ANSWER_YES;
			m->standing.established = true;
			bench_receive();
			bench_for(SECOND_US);
		}
	assert_leads_nobody();
	assert_int_equal(elect_counter(bench.e), 7);
	assert_non_null(elect_name(bench.e, &bench.m.sender));
}

static void an_unproven_message_is_worth_nothing(void **state)
{
	uint64_t within_us = 1;

	(void)state;
	start(&idle);
	for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++) {
		bench_from(1, t)->proven = false;
		assert_int_equal(elect_worth(bench.e, &bench.m, &within_us), ELECT_WORTH_NOTHING);
		assert_int_equal(within_us, 0);
	}
	elect_hear_hello(bench.e, bench_hello(1));
	assert_leads_nobody();
}

static void the_frame_serves_commands(void **state)
{
	(void)state;
	start(&idle);
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_true(bench_view().held);
	bench_command(ELECT_COMMAND_PRIORITY)->priority = 7;
	bench_step();
	assert_int_equal(bench.e->config.priority, 7);
	bench_command(ELECT_COMMAND_DEFINE)->definition_size = 3;
	bench_step();
	bench_command(ELECT_COMMAND_CONFIGURE)->config = bench.e->config;
	bench.event.command.config.quorum = 3;
	bench_step();
	assert_int_equal(bench.e->config.quorum, 3);
	bench_for(100 * SECOND_US);
	assert_leads_nobody();
}

static void stalls_links_and_duplicates_change_nothing(void **state)
{
	(void)state;
	start(&idle);
	bench.now_us += 10 * SECOND_US;
	bench_tick();
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 1);
	for (unsigned i = 0; i < 4; i++) {
		bench.event.type = ELECT_EVENT_LINK;
		bench.event.link_up = i % 2;
		bench_step();
	}
	bench.event.type = ELECT_EVENT_DUPLICATE;
	bench_step();
	bench.event.type = ELECT_EVENT_RELEASED;
	bench_step();
	bench_for(100 * SECOND_US);
	assert_leads_nobody();
}

static void an_empty_algorithm_stops(void **state)
{
	(void)state;
	start(&idle);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
	assert_leads_nobody();
}

static void no_timer_of_another_algorithm_runs(void **state)
{
	(void)state;
	start(&idle);
	for (unsigned t = 0; t < TIMERS_OWN; t++) {
		assert_int_equal(timers_states(bench.e, t), 0);
		assert_false(timers_running(bench.e, t));
	}
}

/* M14: the frame clears an algorithm's state of a group, so no algorithm can forget to. */
static void the_state_of_a_group_is_cleared_with_the_group(void **state)
{
	(void)state;
	start(&idle);
	memset(bench.e->own, 0xff, 16);
	bench.e->out = &bench.out;
	group_leave(bench.e);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(bench.e->own[i], i < idle.watch ? 0 : 0xff);
}

static bool leads(void)
{
	return bench_view().role == ELECT_ROLE_LEADER;
}

static void start_rash(void)
{
	start(&rash);
	bench_for(2000);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
}

/* A claim that names members does not shorten the wait of a host that is alone. */
static void assert_leads_after_lone_hold(void)
{
	assert_false(leads());
	bench_for(bench.e->config.lone_hold_us - 5000);
	assert_false(leads());
	bench_for(5000);
	assert_true(leads());
	assert_int_equal(bench_view().token >> 24, bench.e->group.counter);
}

static void a_group_of_one_waits_whatever_it_claims(void **state)
{
	static const struct role_claim claims[] = {
		{ .old_count = 1 },
		{ .old_count = 5 },
		{ .old_count = 2, .merged = true },
		{ .old_count = 3, .told_goodbye = true },
	};

	for (unsigned i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		bench_tear_down(state);
		bench_set_up(state);
		claim = claims[i];
		start_rash();
		assert_leads_after_lone_hold();
	}
}

static void a_host_that_a_goodbye_left_alone_leads_at_once(void **state)
{
	(void)state;
	claim = (struct role_claim){ .old_count = 2, .told_goodbye = true };
	start_rash();
	assert_true(leads());
}

static void a_host_waits_for_a_rival_for_a_limited_time(void **state)
{
	(void)state;
	claim = (struct role_claim){ .old_count = 1 };
	rival = true;
	start_rash();
	bench_for(bench.e->config.lone_hold_us + SECOND_US);
	assert_false(leads());
	bench_for((uint64_t)(FOREIGN_BEACONS + 2) * BENCH_BEACON_US);
	assert_true(leads());
	rival = false;
}

static void a_host_below_quorum_held_or_without_priority_does_not_lead(void **state)
{
	for (unsigned i = 0; i < 3; i++) {
		bench_tear_down(state);
		bench_set_up(state);
		claim = (struct role_claim){ .old_count = 2, .told_goodbye = true };
		if (i == 0)
			bench.event.start.config.quorum = 2;
		if (i == 1)
			bench.event.start.held = true;
		if (i == 2)
			bench.event.start.config.priority = 0;
		start_rash();
		bench_for(100 * SECOND_US);
		assert_false(leads());
	}
}

static void the_demotion_runs_before_a_stop(void **state)
{
	(void)state;
	claim = (struct role_claim){ .old_count = 2, .told_goodbye = true };
	start_rash();
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_true(leads());
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	bench_for(SECOND_US);
	assert_int_equal(bench_sent(ELECT_GOODBYE), GOODBYE_REPEATS);
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
}

static void a_stall_ends_the_leadership(void **state)
{
	(void)state;
	claim = (struct role_claim){ .old_count = 2, .told_goodbye = true };
	start_rash();
	bench.now_us += 10 * SECOND_US;
	bench_tick();
	assert_false(leads());
	assert_int_equal(bench_actions(ELECT_ACTION_DISCARD), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_algorithm_starts),
		TEST(time_changes_nothing),
		TEST(messages_change_nothing),
		TEST(an_unproven_message_is_worth_nothing),
		TEST(the_frame_serves_commands),
		TEST(stalls_links_and_duplicates_change_nothing),
		TEST(an_empty_algorithm_stops),
		TEST(no_timer_of_another_algorithm_runs),
		TEST(the_state_of_a_group_is_cleared_with_the_group),
		TEST(a_group_of_one_waits_whatever_it_claims),
		TEST(a_host_that_a_goodbye_left_alone_leads_at_once),
		TEST(a_host_waits_for_a_rival_for_a_limited_time),
		TEST(a_host_below_quorum_held_or_without_priority_does_not_lead),
		TEST(the_demotion_runs_before_a_stop),
		TEST(a_stall_ends_the_leadership),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
