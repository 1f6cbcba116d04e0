/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c (role.md): the end of a role: the demotion first, then three Goodbyes, or the
 * host stays a coordinator that does not lead; and the commands that cause it.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

static void command(enum elect_command_type type)
{
	bench_command(type);
	bench_step();
}

static void hold(bool on)
{
	bench_command(ELECT_COMMAND_HOLD)->on = on;
	bench_step();
}

static void priority(uint8_t p)
{
	bench_command(ELECT_COMMAND_PRIORITY)->priority = p;
	bench_step();
}

static void assert_demoting(void)
{
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	assert_true(bench_view().yielding);
	assert_int_equal(bench_view().role, ELECT_ROLE_LEADER);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
}

static void assert_asked(uint64_t number, enum elect_purpose purpose)
{
	const struct elect_action *a = bench_release_action();

	assert_int_equal(a->release.number, number);
	assert_int_equal(a->release.purpose, purpose);
}

/* Hosts that ask in these 60 ms get an answer and need not wait for silence. */
static void a_host_that_says_goodbye_still_answers(void **state)
{
	struct elect_group g;

	(void)state;
	bench_leading(2);
	g = bench.e->group;
	command(ELECT_COMMAND_STOP);
	bench_released();
	bench_hears(bench_aythere(1, &g));
	assert_int_equal(bench.sent[ELECT_AYTHERE_ANSWER].answer, ELECT_ANSWER_NOT_MY_GROUP);
	assert_int_equal(bench_sent(ELECT_AYTHERE_ANSWER), 1);
	bench_for(REPEAT_US);
	assert_int_equal(bench_sent(ELECT_HELLO), 0);
}

static void a_member_that_stops_names_no_successor(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	command(ELECT_COMMAND_STOP);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	assert_true(elect_id_is_zero(&bench.sent[ELECT_GOODBYE].other));
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

static void a_down_host_that_stops_is_gone_at_once(void **state)
{
	(void)state;
	bench_down();
	command(ELECT_COMMAND_STOP);
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
}

static void a_stop_waits_for_a_demotion_until_yield_timeout(void **state)
{
	uint64_t asked;

	(void)state;
	bench_leader();
	asked = bench.now_us;
	command(ELECT_COMMAND_STOP);
	bench_until(asked + bench.e->config.yield_timeout_us - 1);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	bench_until(asked + bench.e->config.yield_timeout_us);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	bench_released(); /* late: the host no longer waits for it */
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
}

static void asked_to_yield(void)
{
	bench_leading(1);
	bench_invitation(70, 9, ELECT_INVITE_YIELD);
	bench.m.standing.established = true;
	bench.m.standing.size = 9;
	bench_naming(&bench.m, &bench.e->group, 2);
	bench_receive();
	assert_asked(1, ELECT_PURPOSE_YIELD);
}

/* The wait for the host that asked for the role is shorter than the one after a stall. */
static void a_stall_during_the_demotion_of_a_yield_sets_the_moment_to_lead(void **state)
{
	(void)state;
	asked_to_yield();
	bench.now_us += 1500000;
	bench_tick();
	assert_false(role_leads(bench.e));
	assert_int_equal(bench.e->lead_from_us, bench.now_us + bench.e->config.lone_hold_us);
	bench_released();
	assert_int_equal(bench.e->lead_from_us, bench.now_us + bench.e->config.lone_hold_us);
}

static void a_stop_takes_over_the_demotion_of_a_yield(void **state)
{
	(void)state;
	asked_to_yield();
	command(ELECT_COMMAND_STOP);
	assert_asked(1, ELECT_PURPOSE_STOP);
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	assert_int_equal(bench_sent(ELECT_AYCOORD_ANSWER), 0);
}

static void a_yield_does_not_replace_a_stop(void **state)
{
	(void)state;
	bench_leading(1);
	command(ELECT_COMMAND_STOP);
	bench_invitation(70, 9, ELECT_INVITE_YIELD);
	bench.m.standing.established = true;
	bench.m.standing.size = 9;
	bench_naming(&bench.m, &bench.e->group, 2);
	bench_receive();
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 1);
	bench_released();
	assert_int_equal(bench.sent[ELECT_GOODBYE].loss, ELECT_LOSS_STOP);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
}

/* The quorum is lost while the demotion of a hold runs. The demotion then serves no purpose. */
static void a_host_that_lost_the_role_stops_during_its_demotion(void **state)
{
	struct elect_command *c;

	(void)state;
	bench_leading(2);
	hold(true);
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = bench.e->config;
	c->config.quorum = 9;
	bench_step();
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_true(bench_view().yielding);
	command(ELECT_COMMAND_STOP);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	assert_false(bench_view().yielding);
	bench_released();
	bench_for(2 * REPEAT_US + GOODBYE_LINGER_US);
	assert_int_equal(bench_sent(ELECT_HELLO), 0);
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
}

static void a_host_stopped_twice_exits_once(void **state)
{
	(void)state;
	bench_leading(1);
	command(ELECT_COMMAND_STOP);
	command(ELECT_COMMAND_STOP);
	bench_released();
	command(ELECT_COMMAND_STOP);
	while (!bench_actions(ELECT_ACTION_EXIT)) {
		bench.now_us = bench.out.wake_us;
		bench_tick();
	}
	assert_int_equal(bench_sent(ELECT_GOODBYE), 3);
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
}

static void a_resignation_lasts_thirty_seconds_by_default(void **state)
{
	uint64_t asked;

	(void)state;
	bench_leader();
	asked = bench.now_us;
	command(ELECT_COMMAND_RESIGN);
	bench_released();
	assert_false(role_leads(bench.e));
	bench_until(asked + RESIGN_US - 1);
	assert_false(role_leads(bench.e));
	bench_until(asked + RESIGN_US);
	assert_true(role_leads(bench.e));
}

static void a_resigned_host_without_successor_stays_coordinator(void **state)
{
	(void)state;
	bench_leader();
	bench_accept(1, &bench.e->group)->standing.may_lead = false;
	bench_admit(1);
	bench_clear();
	command(ELECT_COMMAND_RESIGN);
	assert_demoting();
	bench_released();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	assert_int_equal(bench_sent(ELECT_AYCOORD), 1);
	assert_false(bench.sent[ELECT_AYCOORD].standing.established);
	assert_false(bench.sent[ELECT_AYCOORD].standing.may_lead);
}

static void a_member_that_resigns_only_reports_that_it_may_not_lead(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench_member_of(70, 5, members, 1);
	command(ELECT_COMMAND_RESIGN);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench_sent(ELECT_GOODBYE), 0);
	bench_for(BENCH_BEACON_US * 3 / 2 + 1000);
	assert_int_not_equal(bench_sent(ELECT_AYTHERE), 0);
	assert_false(bench.sent[ELECT_AYTHERE].standing.may_lead);
}

static void a_hold_taken_back_during_the_demotion_restores_the_role(void **state)
{
	(void)state;
	bench_leader();
	hold(true);
	hold(false);
	bench_released();
	bench_followed();
	assert_true(role_leads(bench.e));
}

static void another_priority_changes_no_leader(void **state)
{
	(void)state;
	bench_leading(2);
	priority(1);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
	assert_true(role_leads(bench.e));
	bench_for(BENCH_BEACON_US * 2);
	assert_int_equal(bench.sent[ELECT_AYCOORD].standing.priority, 1);
}

static void a_goodbye_names_the_first_successor_that_may_lead(void **state)
{
	(void)state;
	bench_leader();
	bench_accept(9, &bench.e->group)->standing.may_lead = false;
	bench.m.standing.priority = 255;
	bench_receive();
	bench_accept(3, &bench.e->group)->standing.priority = 1;
	bench_accepted();
	command(ELECT_COMMAND_STOP);
	bench_released();
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, 3);
}

static void a_new_configuration_applies_at_once(void **state)
{
	struct elect_command *c;

	(void)state;
	bench_leading(1);
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = *elect_config(bench.e);
	c->config.quorum = 3;
	bench_step();
	assert_false(role_leads(bench.e));
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = *elect_config(bench.e);
	c->config.quorum = 0;
	bench_step();
	bench_followed();
	assert_true(role_leads(bench.e));
}

static void an_inviter_that_stalled_begins_its_election_anew(void **state)
{
	uint64_t counter;

	(void)state;
	bench_inviting(2, 11);
	counter = bench.e->group.counter;
	bench_clear();
	bench.now_us += 1500000;
	bench_tick();
	assert_int_equal(bench.log[0].type, ELECT_ACTION_VIEW);
	assert_int_equal(bench.log[0].view.role, ELECT_ROLE_NONE);
	assert_int_equal(bench.e->state, ELECT_ELECTION);
	assert_int_equal(bench.e->group.counter, counter + 1);
}

static void a_member_that_stalled_asks_its_coordinator_at_once(void **state)
{
	static const unsigned members[] = { 60 };

	(void)state;
	bench.event.start.config.silence_us = 0;
	bench_member_of(70, 5, members, 1);
	bench.now_us += 1500000;
	bench_tick();
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(bench_sent(ELECT_AYTHERE) >= 1);
	assert_true(bench.sent[ELECT_AYTHERE].probe);
	assert_int_equal(bench_view().role, ELECT_ROLE_NONE);
}

static void own_lateness_is_not_silence_of_a_member(void **state)
{
	uint64_t heard, late;

	(void)state;
	bench_leading(1);
	bench_hears(bench_aythere(1, &bench.e->group));
	heard = bench.now_us;
	bench.now_us = bench.out.wake_us + 300000;
	late = bench.now_us - bench.out.wake_us;
	bench_tick();
	assert_int_equal(bench.e->watch.members[1].heard_us, heard + late);
}

static void stall(void)
{
	bench.now_us = bench.out.wake_us + bench_dead_after();
	bench_tick();
	assert_false(role_leads(bench.e));
}

static void answered_by_one(void)
{
	uint64_t end_us = bench.now_us + PROBES_MAX * PROBE_US;

	while (bench.now_us < end_us) {
		bench_hears(bench_aythere_answer(1, &bench.e->group, ELECT_ANSWER_YES));
		bench_for(PROBE_US);
	}
	bench_hears(bench_ready_answer(1));
	assert_int_equal(bench.e->up.count, 2);
}

/* The host forms its group anew in order to lead it. */
static void assert_waits_until(uint64_t us)
{
	bench_until(us - 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	bench_until(us);
	bench_followed();
	assert_true(role_leads(bench.e));
}

/* The three members that have left may follow another host. */
static void a_stalled_leader_waits_if_less_than_half_of_its_members_stay(void **state)
{
	uint64_t woke_us;

	(void)state;
	bench_leading(4);
	stall();
	woke_us = bench.now_us;
	answered_by_one();
	assert_waits_until(woke_us + bench.e->config.lone_hold_us);
}

static void a_second_stall_does_not_shrink_the_group_to_the_rest(void **state)
{
	uint64_t woke_us;

	(void)state;
	bench_leading(4);
	stall();
	answered_by_one();
	stall();
	woke_us = bench.now_us;
	answered_by_one();
	assert_waits_until(woke_us + bench.e->config.lone_hold_us);
}

static void a_down_host_that_stalled_listens_anew(void **state)
{
	(void)state;
	bench_down();
	bench_hears(bench_hello(1));
	bench.now_us += 1500000;
	bench_tick();
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_int_equal(own(bench.e)->down.heard_count, 0);
	bench_for(bench.e->config.start_hold_us - 1000);
	assert_int_equal(bench.e->state, ELECT_DOWN);
}

static void a_stall_with_many_members_fits_into_one_step(void **state)
{
	(void)state;
	bench_leader();
	bench_crowd(100, ELECT_HOSTS_MAX - 1);
	bench.now_us += 60000000;
	bench_tick();
	assert_true(bench.out.count <= ELECT_ACTIONS_MAX / 2);
	assert_int_equal(bench.e->up.count, ELECT_HOSTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_host_that_says_goodbye_still_answers),
		TEST(a_member_that_stops_names_no_successor),
		TEST(a_down_host_that_stops_is_gone_at_once),
		TEST(a_stop_waits_for_a_demotion_until_yield_timeout),
		TEST(a_stall_during_the_demotion_of_a_yield_sets_the_moment_to_lead),
		TEST(a_stop_takes_over_the_demotion_of_a_yield),
		TEST(a_yield_does_not_replace_a_stop),
		TEST(a_host_that_lost_the_role_stops_during_its_demotion),
		TEST(a_host_stopped_twice_exits_once),
		TEST(a_resignation_lasts_thirty_seconds_by_default),
		TEST(a_resigned_host_without_successor_stays_coordinator),
		TEST(a_member_that_resigns_only_reports_that_it_may_not_lead),
		TEST(a_hold_taken_back_during_the_demotion_restores_the_role),
		TEST(another_priority_changes_no_leader),
		TEST(a_goodbye_names_the_first_successor_that_may_lead),
		TEST(a_new_configuration_applies_at_once),
		TEST(an_inviter_that_stalled_begins_its_election_anew),
		TEST(a_member_that_stalled_asks_its_coordinator_at_once),
		TEST(own_lateness_is_not_silence_of_a_member),
		TEST(a_stalled_leader_waits_if_less_than_half_of_its_members_stay),
		TEST(a_second_stall_does_not_shrink_the_group_to_the_rest),
		TEST(a_down_host_that_stalled_listens_anew),
		TEST(a_stall_with_many_members_fits_into_one_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
