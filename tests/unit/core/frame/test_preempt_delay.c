/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_delay (merge.md, M19): from when a host claims the role of a leader of lower priority,
 * and what shows that it waits. The stories of preempt-delay.story have what becomes of the role.
 */
#include "unit/core/frame/bench.h"

#include "core/frame/bar.h"

enum { LEADER = 60, DELAY_US = 250000 };

/* This host has priority 101, and the default delay of these tests. */
static void set(bool preempt, uint64_t delay_us)
{
	bench.event.start.config.preempt = preempt;
	bench.event.start.config.preempt_delay_us = delay_us;
	bench.event.start.config.priority = 101;
}

static void follow(void)
{
	const unsigned others[] = { 1, 2 };

	bench_member_of(LEADER, 5, others, 2);
	bench_hears(bench_beacon(LEADER));
	bench_clear();
}

static bool claims(void)
{
	struct elect_standing s;

	self_standing(bench.e, &s);
	assert_int_equal(s.preempt, bench.e->config.preempt);
	return s.preempt_agreed;
}

static enum elect_bar shown(uint64_t *ret_until_us)
{
	return elect_bar(bench.e, ret_until_us);
}

static void assert_waits_until(uint64_t until_us)
{
	uint64_t us;

	assert_int_equal(shown(&us), ELECT_BAR_PREEMPT_DELAY);
	assert_int_equal(us, until_us);
	assert_false(claims());
	assert_true(self_may_lead(bench.e));
}

static void assert_waits_for_nothing(void)
{
	uint64_t us;

	assert_int_equal(shown(&us), ELECT_BAR_NONE);
	assert_int_equal(us, 0);
}

static void a_member_claims_after_its_delay_and_says_so_at_once(void **state)
{
	uint64_t until_us;

	(void)state;
	set(true, DELAY_US);
	follow();
	until_us = bench.e->joined_us + DELAY_US;
	assert_true(until_us > bench.now_us);
	assert_waits_until(until_us);
	bench_until(until_us - 1);
	assert_waits_until(until_us);
	bench_clear();
	bench_until(until_us);
	assert_true(claims());
	assert_waits_for_nothing();
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_true(bench.sent[ELECT_AYTHERE].standing.preempt_agreed);
}

static void without_a_delay_a_host_claims_whatever_it_is(void **state)
{
	(void)state;
	set(true, 0);
	bench_down();
	assert_true(claims());
	bench_tear_down(state);
	bench_set_up(state);
	set(true, 0);
	follow();
	assert_true(claims());
	assert_waits_for_nothing();
	bench_tear_down(state);
	bench_set_up(state);
	set(true, 0);
	bench_leader();
	assert_true(claims());
}

static void only_a_member_claims(void **state)
{
	(void)state;
	set(true, DELAY_US);
	bench_down();
	assert_false(claims());
	assert_waits_for_nothing();
	bench_tear_down(state);
	bench_set_up(state);
	set(true, DELAY_US);
	bench_leader();
	bench_for(2 * DELAY_US);
	assert_false(claims());
	assert_waits_for_nothing();
}

/* No better host than the leader, or preempt is off: there is nothing to wait for. */
static void a_member_that_would_not_take_the_role_shows_no_wait(void **state)
{
	(void)state;
	set(true, DELAY_US);
	bench.event.start.config.priority = 100;
	follow();
	assert_waits_for_nothing();
	bench_tear_down(state);
	bench_set_up(state);
	set(false, DELAY_US);
	follow();
	assert_waits_for_nothing();
	bench_for(2 * DELAY_US);
	assert_false(claims());
}

static void other_bars_are_shown_before_the_delay(void **state)
{
	uint64_t us;

	(void)state;
	set(true, DELAY_US);
	follow();
	bench_command(ELECT_COMMAND_RESIGN);
	bench_step();
	assert_int_equal(shown(&us), ELECT_BAR_RESIGNED);
}

static void a_reload_moves_the_end_of_the_delay(void **state)
{
	struct elect_command *c;

	(void)state;
	set(true, DELAY_US);
	follow();
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = bench.e->config;
	c->config.preempt_delay_us = 2 * DELAY_US;
	bench_step();
	assert_waits_until(bench.e->joined_us + 2 * DELAY_US);
	bench_clear();
	c = bench_command(ELECT_COMMAND_CONFIGURE);
	c->config = bench.e->config;
	c->config.preempt_delay_us = 0;
	bench_step();
	assert_true(claims());
	bench_for(1);
	assert_int_equal(bench_sent(ELECT_AYTHERE), 1);
	assert_true(bench.sent[ELECT_AYTHERE].standing.preempt_agreed);
}

/* The same group admits it once more, as if it had been dropped. */
static void a_member_that_is_admitted_again_waits_anew(void **state)
{
	static struct roster list;
	struct elect_group g = bench_group(LEADER, 5);
	uint64_t joined_us;

	(void)state;
	set(true, DELAY_US);
	follow();
	joined_us = bench.e->joined_us;
	bench_for(DELAY_US / 2);
	bench_list(&list, LEADER, NULL, 0);
	roster_remove(&list, &bench.e->config.id);
	bench_receive_list(&g, LEADER, &list, 2);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_list(&list, LEADER, NULL, 0);
	bench_receive_list(&g, LEADER, &list, 3);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_true(bench.e->joined_us > joined_us);
	assert_waits_until(bench.now_us + DELAY_US);
}

/* The coordinator forms another group, as in a merge. */
static void a_member_that_comes_along_goes_on_waiting(void **state)
{
	static struct roster list;
	struct elect_group g = bench_group(LEADER, 6);
	uint64_t joined_us;

	(void)state;
	set(true, DELAY_US);
	follow();
	joined_us = bench.e->joined_us;
	bench_for(DELAY_US / 3);
	bench_hears(bench_invitation(LEADER, 6, ELECT_INVITE_MERGE));
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	bench_list(&list, LEADER, NULL, 0);
	bench_receive_list(&g, LEADER, &list, 1);
	assert_int_equal(bench.e->state, ELECT_NORMAL);
	assert_int_equal(bench.e->joined_us, joined_us);
	assert_waits_until(joined_us + DELAY_US);
}

static void a_down_host_with_a_delay_follows_a_lower_priority(void **state)
{
	(void)state;
	set(true, DELAY_US);
	bench_down();
	bench_invitation(70, 3, ELECT_INVITE_JOIN)->standing.preempt_agreed = true;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

/* Hosts 1 and 2 follow this one; host 2 is the first of them. */
static void lead_two(void)
{
	bench_leader();
	for (unsigned n = 1; n <= 2; n++) {
		bench_accept(n, &bench.e->group)->standing.priority = (uint8_t)(200 + n);
		bench_admit(n);
	}
	bench_clear();
}

static void report(unsigned n, bool claims)
{
	bench_aythere(n, &bench.e->group)->standing.priority = (uint8_t)(200 + n);
	bench.m.standing.preempt_agreed = claims;
	bench_receive();
}

static void assert_handed_to(unsigned n)
{
	bench_released();
	assert_int_equal(bench_sent(ELECT_GOODBYE), 1);
	bench_assert_id(&bench.sent[ELECT_GOODBYE].other, n);
}

static void the_role_is_for_the_first_member_that_claims(void **state)
{
	(void)state;
	set(true, DELAY_US);
	lead_two();
	report(2, false);
	assert_true(role_leads(bench.e));
	report(1, true);
	assert_handed_to(1);
}

static void the_better_of_two_that_claim_is_named(void **state)
{
	(void)state;
	set(true, DELAY_US);
	bench.event.start.config.priority = 250;
	lead_two();
	report(2, true);
	report(1, true);
	assert_true(role_leads(bench.e));
	bench.e->config.priority = 100;
	report(1, true);
	assert_handed_to(2);
}

static void a_leader_without_a_delay_names_the_first_that_may_lead(void **state)
{
	(void)state;
	set(true, 0);
	lead_two();
	report(2, false);
	report(1, true);
	assert_handed_to(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_member_claims_after_its_delay_and_says_so_at_once),
		TEST(without_a_delay_a_host_claims_whatever_it_is),
		TEST(only_a_member_claims),
		TEST(a_member_that_would_not_take_the_role_shows_no_wait),
		TEST(other_bars_are_shown_before_the_delay),
		TEST(a_reload_moves_the_end_of_the_delay),
		TEST(a_member_that_is_admitted_again_waits_anew),
		TEST(a_member_that_comes_along_goes_on_waiting),
		TEST(a_down_host_with_a_delay_follows_a_lower_priority),
		TEST(the_role_is_for_the_first_member_that_claims),
		TEST(the_better_of_two_that_claim_is_named),
		TEST(a_leader_without_a_delay_names_the_first_that_may_lead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
