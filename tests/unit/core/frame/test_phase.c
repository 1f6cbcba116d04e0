/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase of the role (core/phase_list.h): only the steps of the list are taken, and whatever
 * breaks the phase costs this host its role in the same step.
 */
#include "bench.h"

static bool listed[ELECT_PHASES][ELECT_PHASES];

static int list_steps(void **state)
{
#define STEP(from, to, words) listed[ELECT_PHASE_##from][ELECT_PHASE_##to] = true;
#include "core/phase_list.h"
	return bench_set_up(state);
}

static const struct elect_defect *reported(void)
{
	for (unsigned i = 0; i < bench.log_count; i++)
		if (bench.log[i].type == ELECT_ACTION_DEFECT)
			return &bench.log[i].defect;
	return NULL;
}

static void tick(void)
{
	bench.event.type = ELECT_EVENT_TICK;
	bench_step();
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void only_the_steps_of_the_list_are_taken(void **state)
{
	(void)state;
	bench_leader();
	for (enum elect_phase from = 0; from < ELECT_PHASES; from++)
		for (enum elect_phase to = 0; to < ELECT_PHASES; to++) {
			bench.e->phase = from;
			bench.e->defect.words = NULL;
			role_enter(bench.e, to);
			assert_int_equal(bench.e->phase, listed[from][to] ? to : from);
			assert_int_equal(bench.e->defect.words == NULL, listed[from][to]);
			if (listed[from][to])
				continue;
			assert_int_equal(bench.e->defect.phase, from);
			assert_int_equal(bench.e->defect.next, to);
		}
}

/* FOLLOWS is the first phase; nothing follows after GONE. */
static void every_phase_is_reached_and_left(void **state)
{
	(void)state;
	for (enum elect_phase p = 0; p < ELECT_PHASES; p++) {
		unsigned to = 0, from = 0;

		for (enum elect_phase q = 0; q < ELECT_PHASES; q++) {
			to += listed[q][p];
			from += listed[p][q];
		}
		assert_true(to > 0);
		assert_int_equal(from > 0, p != ELECT_PHASE_GONE);
	}
}

static void a_host_does_not_begin_to_lead_outside_of_normal(void **state)
{
	(void)state;
	bench.may_be_defective = true;
	bench_alone();
	bench.e->state = ELECT_ELECTION;
	role_lead(bench.e);
	assert_false(role_leads(bench.e));
	tick();
	assert_string_equal(reported()->words, "it would lead outside Normal");
}

/*
 * The answers that it asked for must not shorten the wait after the next loss: it leads no sooner
 * than alone.
 */
static void asking_ends_with_the_role(void **state)
{
	(void)state;
	bench_leading(2);
	bench.e->out = &bench.out;
	role_enter(bench.e, ELECT_PHASE_ASKS);
	bench.e->watch.asked_count = 3;
	role_lose(bench.e);
	assert_int_equal(bench.e->phase, ELECT_PHASE_WAITS);
	assert_int_equal(bench.e->watch.asked_count, 0);
	assert_int_equal(bench.e->lead_from_us, bench.e->now_us + bench.e->config.lone_hold_us);
}

/* ---- what breaks the phase ------------------------------------------------------------------- */

static void has_another_group(struct elect *e)
{
	e->group.coordinator = bench_id(9);
}

static void knows_no_leader(struct elect *e)
{
	memset(&e->leader_group, 0, sizeof(e->leader_group));
}

static void has_not_led(struct elect *e)
{
	e->watch.led = false;
}

static void was_promoted(struct elect *e)
{
	role_lose(e);
	e->promoted = true;
}

static void follows_itself(struct elect *e)
{
	role_lose(e);
	e->phase = ELECT_PHASE_FOLLOWS;
}

static void waits_for_another(struct elect *e)
{
	role_lose(e);
	e->group.coordinator = bench_id(9);
}

static void asks_in_another_group(struct elect *e)
{
	waits_for_another(e);
	e->phase = ELECT_PHASE_FOLLOWS;
	e->watch.asked_count = 2;
}

static void asks_in_leads(struct elect *e)
{
	e->watch.asked_count = 2;
}

static void asks_nobody(struct elect *e)
{
	e->phase = ELECT_PHASE_ASKS;
}

static void has_a_purpose(struct elect *e)
{
	e->purpose = ELECT_PURPOSE_RESIGN;
}

static void demotes_for_ever(struct elect *e)
{
	e->phase = ELECT_PHASE_DEMOTES;
	e->purpose = ELECT_PURPOSE_YIELD;
}

static void leaves_to_yield(struct elect *e)
{
	role_lose(e);
	e->phase = ELECT_PHASE_LEAVES;
	e->purpose = ELECT_PURPOSE_YIELD;
	timers_set_in(e, TIMER_GOODBYE, SECOND_US);
}

static void leaves_for_ever(struct elect *e)
{
	role_lose(e);
	e->phase = ELECT_PHASE_LEAVES;
	e->purpose = ELECT_PURPOSE_RESIGN;
}

static void has_a_next_goodbye(struct elect *e)
{
	timers_set_in(e, TIMER_GOODBYE, SECOND_US);
}

static void is_gone_after_resign(struct elect *e)
{
	leaves_for_ever(e);
	e->phase = ELECT_PHASE_GONE;
}

static const struct {
	void (*act)(struct elect *);
	const char *words;
} breaks[] = {
	{ has_another_group, "it leads without a group of its own" },
	{ knows_no_leader, "role and known leader disagree" },
	{ has_not_led, "it leads a group that it never began to lead" },
	{ was_promoted, "work on its role is known, but it does not lead" },
	{ follows_itself, "it follows itself" },
	{ waits_for_another, "it waits in another host's group" },
	{ asks_in_another_group, "it asks members that it does not have" },
	{ asks_in_leads, "it asks members and does not show it" },
	{ asks_nobody, "it asks no member" },
	{ has_a_purpose, "phase and purpose disagree" },
	{ demotes_for_ever, "demotion and yield_timeout disagree" },
	{ leaves_to_yield, "it leaves for a purpose that does not ask for it" },
	{ leaves_for_ever, "phase and next Goodbye disagree" },
	{ has_a_next_goodbye, "phase and next Goodbye disagree" },
	{ is_gone_after_resign, "it has stopped without a stop" },
};

/* Breaks a leader of three hosts, which has its actions of the next step in the log. */
static void broken(unsigned row)
{
	bench_leading(2);
	bench.may_be_defective = true;
	bench.e->out = &bench.out;
	breaks[row].act(bench.e);
	bench_clear();
	tick();
}

static void each_break_costs_the_role_and_is_reported_once(void **state)
{
	for (unsigned i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		struct elect_view v;

		broken(i);
		assert_non_null(reported());
		assert_string_equal(reported()->words, breaks[i].words);
		elect_view(bench.e, &v);
		assert_int_equal(v.role, ELECT_ROLE_NONE);
		assert_int_equal(v.state, ELECT_DOWN);
		assert_int_equal(v.reason, ELECT_REASON_OWN_DEFECT);
		assert_true(v.problems & ELECT_PROBLEM_OWN_DEFECT);
		assert_false(v.yielding);
		assert_int_equal(bench.e->phase, ELECT_PHASE_FOLLOWS);
		assert_null(role_broken(bench.e));
		assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 0);
		bench_clear();
		bench_for(10 * (uint64_t)SECOND_US);
		assert_true(role_leads(bench.e)); /* the others are gone here */
		assert_null(reported());
		bench_clear();
		breaks[0].act(bench.e);
		tick();
		assert_false(role_leads(bench.e));
		assert_null(reported());
		bench_tear_down(state);
		bench_set_up(state);
	}
}

/* The first defect of a step is the cause of the next ones. */
static void the_first_defect_of_a_step_is_reported(void **state)
{
	(void)state;
	bench_leader();
	bench.may_be_defective = true;
	role_enter(bench.e, ELECT_PHASE_GONE);
	role_enter(bench.e, ELECT_PHASE_FOLLOWS);
	bench.e->purpose = ELECT_PURPOSE_BAR;
	tick();
	assert_int_equal(bench_actions(ELECT_ACTION_DEFECT), 1);
	assert_string_equal(reported()->words, "a step that is not allowed");
	assert_int_equal(reported()->phase, ELECT_PHASE_LEADS);
	assert_int_equal(reported()->next, ELECT_PHASE_GONE);
}

static void the_end_of_a_dropped_demotion_changes_nothing(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_step();
	assert_true(role_demotes(bench.e));
	bench.may_be_defective = true;
	timers_stop(bench.e, TIMER_YIELD);
	tick();
	assert_false(role_demotes(bench.e));
	bench_clear();
	bench_released();
	assert_int_equal(bench.e->phase, ELECT_PHASE_FOLLOWS);
	assert_null(reported());
}

/*
 * Members begin to elect as soon as they hear its Hello, or its answer that it is not in their
 * group. Until dead_after is over its work may still run, because no demotion has ended it.
 */
static void its_members_hear_nothing_until_its_work_must_have_ended(void **state)
{
	struct elect_group group;
	struct elect_msg *m;

	(void)state;
	bench_leading(2);
	group = bench.e->group;
	bench.may_be_defective = true;
	asks_nobody(bench.e);
	bench_clear();
	tick();
	assert_non_null(reported());
	bench_for(bench_dead_after() / 2);
	m = bench_aythere(1, &group);
	m->probe = true;
	bench_hears(m);
	bench_for(bench_dead_after() / 2 - 1);
	assert_int_equal(bench_actions(ELECT_ACTION_SEND), 0);
	bench_hears(bench_aythere(1, &group));
	assert_int_equal(bench_actions(ELECT_ACTION_SEND), 0);
	bench_for(1);
	bench_hears(bench_aythere(1, &group));
	assert_true(bench_actions(ELECT_ACTION_SEND) > 0);
}

/* The holders would wait for the end of a demotion that electd has dropped. */
static void a_demotion_that_a_defect_has_dropped_is_not_asked_for(void **state)
{
	(void)state;
	bench_leading(2);
	bench.may_be_defective = true;
	role_defect(bench.e, "a defect", ELECT_PHASE_LEADS);
	bench_command(ELECT_COMMAND_HOLD)->on = true;
	bench_clear();
	bench_step();
	assert_non_null(reported());
	assert_int_equal(bench.e->phase, ELECT_PHASE_FOLLOWS);
	assert_int_equal(bench_actions(ELECT_ACTION_RELEASE), 0);
}

static void a_stop_goes_on_after_a_defect(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_released();
	assert_int_equal(bench.e->phase, ELECT_PHASE_LEAVES);
	bench.may_be_defective = true;
	timers_stop(bench.e, TIMER_GOODBYE);
	bench_clear();
	tick();
	assert_non_null(reported());
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
}

/* The demotion for a stop is dropped like any other, but not the stop. */
static void a_stop_goes_on_after_a_defect_of_its_demotion(void **state)
{
	(void)state;
	bench_leading(2);
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	assert_int_equal(bench.e->phase, ELECT_PHASE_DEMOTES);
	bench.may_be_defective = true;
	timers_stop(bench.e, TIMER_YIELD);
	bench_clear();
	tick();
	assert_non_null(reported());
	assert_int_equal(bench_actions(ELECT_ACTION_EXIT), 1);
}

#define WITH_BENCH(name) cmocka_unit_test_setup_teardown(name, list_steps, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BENCH(only_the_steps_of_the_list_are_taken),
		WITH_BENCH(every_phase_is_reached_and_left),
		WITH_BENCH(a_host_does_not_begin_to_lead_outside_of_normal),
		WITH_BENCH(asking_ends_with_the_role),
		WITH_BENCH(each_break_costs_the_role_and_is_reported_once),
		WITH_BENCH(the_first_defect_of_a_step_is_reported),
		WITH_BENCH(the_end_of_a_dropped_demotion_changes_nothing),
		WITH_BENCH(its_members_hear_nothing_until_its_work_must_have_ended),
		WITH_BENCH(a_demotion_that_a_defect_has_dropped_is_not_asked_for),
		WITH_BENCH(a_stop_goes_on_after_a_defect),
		WITH_BENCH(a_stop_goes_on_after_a_defect_of_its_demotion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
