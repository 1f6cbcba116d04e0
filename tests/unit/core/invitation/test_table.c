/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table state x message of table.c: a message that is not listed there changes nothing, and an
 * unproven message changes no role and no group.
 */
#include "unit/core/frame/bench.h"

#include "core/invitation/invitation.h"

enum place { DOWN, ELECTION, REORGANIZING, AWAITING, COORDINATOR, MEMBER, PLACES };

static const unsigned members[] = { 60, 1 };

static void reorganizing(void)
{
	bench_inviting(3, 11);
	for (unsigned n = 1; n <= 3; n++) {
		bench_accept_from(n);
	}
	bench_accept_from(11);
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
}

static void enter_place(enum place p)
{
	switch (p) {
	case DOWN:
		bench_down();
		break;
	case ELECTION:
		bench_inviting(3, 11);
		break;
	case REORGANIZING:
		reorganizing();
		break;
	case AWAITING:
		bench_awaiting(70, 5);
		break;
	case COORDINATOR:
		bench_leading(3);
		break;
	case MEMBER:
		bench_member_of(70, 5, members, 2);
		break;
	case PLACES:
		assert_true(false);
	}
	bench_clear();
}

/* A message that would be valid in some place: from the coordinator, a member or another host. */
static struct elect_msg *any_message(enum elect_msg_type type, unsigned from)
{
	const struct elect_group *g = &bench.e->group;
	struct elect_msg *m = bench_from(from, type);

	m->group = *g;
	m->list_version = bench.e->list_version;
	m->answer = type == ELECT_READY_ANSWER ? ELECT_ANSWER_YES : ELECT_ANSWER_NO;
	m->loss = ELECT_LOSS_STOP;
	m->why = ELECT_WHY_REFUSED;
	m->part = (struct elect_part){ .count = 1, .total = 1, .members_count = 1 };
	m->members[0] = bench_member(from);
	if (type == ELECT_INVITATION)
		m->inviter.id = m->sender;
	return m;
}

/* Clears the traces that any message may leave: the time, company, and a name. */
static void forget_traces(struct elect *e)
{
	e->now_us = e->wake_us = e->cut_us = 0;
	e->counter = 0;
	e->company_us = e->met_us = e->spoke_us = 0;
	memset(e->names, 0, sizeof(e->names));
	e->names_next = 0;
	e->out = NULL;
}

/* Receives bench.m. Whether the state is unchanged. */
static bool receive_and_compare(void)
{
	static struct elect before, after;

	before = *bench.e;
	bench_clear();
	bench_receive();
	after = *bench.e;
	forget_traces(&before);
	forget_traces(&after);
	return memcmp(&before, &after, sizeof(before)) == 0;
}

static void assert_nothing_changes(enum place p, enum elect_msg_type type, unsigned from)
{
	any_message(type, from);
	if (!receive_and_compare() || bench.log_count > 0)
		fail_msg(
			"place %d: %s of %u changed something", p, elect_msg_type_name(type), from);
}

/* '.': no change and no action. The columns are those of enum place. */
static const char *const quiet[ELECT_CHALLENGE_ANSWER + 1] = {
	[ELECT_HELLO] = "-...--",
	[ELECT_AYCOORD] = "-..---",
	[ELECT_AYCOORD_ANSWER] = "....-.",
	[ELECT_AYTHERE] = "------",
	[ELECT_AYTHERE_ANSWER] = "...---",
	[ELECT_INVITATION] = "------",
	[ELECT_ACCEPT] = "---.--",
	[ELECT_ACCEPT_ANSWER] = "...-..",
	[ELECT_READY] = "...-.-",
	[ELECT_READY_ANSWER] = "..-.-.",
	[ELECT_DECLINE] = ".-.---",
	[ELECT_GOODBYE] = "....--",
	[ELECT_CHALLENGE] = "......",
	[ELECT_CHALLENGE_ANSWER] = "......",
};

static void a_message_that_is_not_in_the_table_changes_nothing(void **state)
{
	static const unsigned senders[] = { 1, 60, 70, 200 };

	for (enum place p = 0; p < PLACES; p++) {
		bench_tear_down(state);
		bench_set_up(state);
		enter_place(p);
		for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++)
			for (unsigned i = 0; i < 4 && quiet[t][p] == '.'; i++)
				assert_nothing_changes(p, t, senders[i]);
	}
}

/* An election waits for a Decline or an Accept of the hosts that were invited. */
static void a_message_in_the_table_changes_an_election(void **state)
{
	(void)state;
	enter_place(ELECTION);
	bench_accept_from(1);
	assert_int_equal(bench.e->next.count, 2);
	bench_decline(11, ELECT_WHY_REFUSED)->group = bench_group(11, 9);
	bench_receive();
	assert_int_equal(own(bench.e)->election.expected, 3);
}

static void assert_role_and_group_stay(enum place p, enum elect_msg_type type, unsigned from)
{
	struct elect_view before = bench_view(), after;

	any_message(type, from)->proven = false;
	if (type == ELECT_AYCOORD)
		bench.m.group.counter += 5;
	if (type == ELECT_INVITATION) {
		bench.m.group = bench_group(from, 500);
		bench.m.standing.size = 900;
		bench_naming(&bench.m, &bench.e->group, 4);
	}
	bench_receive();
	after = bench_view();
	if (memcmp(&before, &after, sizeof(before)) != 0)
		fail_msg("place %d: an unproven %s of %u changed the view", p,
			elect_msg_type_name(type), from);
}

static void an_unproven_message_never_changes_the_view(void **state)
{
	static const unsigned senders[] = { 1, 11, 70, 60, 200 };

	for (enum place p = 0; p < PLACES; p++)
		for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++)
			for (unsigned i = 0; i < 5; i++) {
				bench_tear_down(state);
				bench_set_up(state);
				enter_place(p);
				assert_role_and_group_stay(p, t, senders[i]);
			}
}

/* A message that would be valid if it were proven. */
static void unproven(enum place p, enum elect_msg_type type, unsigned from)
{
	struct elect_msg *m = any_message(type, from);

	m->proven = false;
	m->answer = type == ELECT_AYCOORD_ANSWER ? ELECT_ANSWER_YES : m->answer;
	if (type == ELECT_AYCOORD_ANSWER)
		m->group = bench_group(from, 3);
	if (type == ELECT_READY) {
		static struct roster list;

		bench_list(&list, from, members, 2);
		bench_ready(&bench.e->group, from, &list, 9, 0)->proven = false;
	}
	if (p == ELECTION && type == ELECT_DECLINE)
		m->group = bench_group(11, 9);
}

static void an_unproven_message_changes_nothing(void **state)
{
	static const unsigned senders[] = { 1, 11, 70, 60, 200 };

	for (enum place p = 0; p < PLACES; p++) {
		bench_tear_down(state);
		bench_set_up(state);
		enter_place(p);
		for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++)
			for (unsigned i = 0; i < 5; i++) {
				unproven(p, t, senders[i]);
				if (!receive_and_compare())
					fail_msg("place %d: an unproven %s of %u changed something",
						p, elect_msg_type_name(t), senders[i]);
			}
	}
}

static void a_message_of_the_own_id_is_ignored(void **state)
{
	for (enum place p = 0; p < PLACES; p++) {
		bench_tear_down(state);
		bench_set_up(state);
		enter_place(p);
		for (enum elect_msg_type t = 1; t <= ELECT_CHALLENGE_ANSWER; t++)
			assert_nothing_changes(p, t, BENCH_SELF);
	}
}

static void the_invitation_algorithm_is_the_default(void **state)
{
	(void)state;
	assert_null(bench_started()->config.algorithm);
	bench_step();
	assert_ptr_equal(bench.e->algorithm, &invitation);
	for (unsigned t = 1; t < ELECT_MSG_TYPES; t++)
		if (elect_msg_type_known(t))
			assert_int_equal(
				elect_speaks(bench.e, t), t <= (unsigned)ELECT_CHALLENGE_ANSWER);
}

static void every_timer_has_a_handler_and_a_state(void **state)
{
	(void)state;
	for (unsigned t = 0; t < INVITATION_TIMERS; t++) {
		assert_non_null(invitation.timers[t]);
		assert_int_not_equal(invitation.timer_states[t], 0);
		assert_int_equal(invitation.timer_states[t] & ~0xf, 0);
	}
}

/* F13: a timer runs only in its states. */
static void a_timer_runs_only_in_its_states(void **state)
{
	for (enum place p = 0; p < PLACES; p++) {
		bench_tear_down(state);
		bench_set_up(state);
		enter_place(p);
		for (unsigned t = 0; t < TIMERS; t++)
			if (!(timers_states(bench.e, t) & 1u << bench.e->state))
				assert_false(timers_running(bench.e, t));
	}
}

static void a_change_of_state_stops_the_timers_of_the_former_state(void **state)
{
	(void)state;
	enter_place(COORDINATOR);
	assert_true(timers_running(bench.e, TIMER_BEACON));
	bench_command(ELECT_COMMAND_STOP);
	bench_step();
	bench_released();
	assert_int_equal(bench.e->state, ELECT_DOWN);
	assert_false(timers_running(bench.e, TIMER_BEACON));
	assert_false(timers_running(bench.e, TIMER_MEMBERS));
	assert_true(timers_running(bench.e, TIMER_GOODBYE));
}

static void the_watch_of_a_group_ends_with_the_group(void **state)
{
	(void)state;
	enter_place(MEMBER);
	bench_goodbye(70, &bench.e->group, ELECT_LOSS_STOP)->other = bench_id(60);
	bench_receive();
	assert_true(bench.e->watch.gone);
	bench_invitation(60, 8, ELECT_INVITE_SUCCESSION)->from_group = bench.e->group;
	bench_receive();
	assert_int_equal(bench.e->state, ELECT_REORGANIZING);
	assert_false(bench.e->watch.gone);
	assert_true(elect_id_is_zero(&bench.e->watch.successor));
	assert_false(timers_running(bench.e, TIMER_WATCH));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_that_is_not_in_the_table_changes_nothing),
		TEST(a_message_in_the_table_changes_an_election),
		TEST(an_unproven_message_never_changes_the_view),
		TEST(an_unproven_message_changes_nothing),
		TEST(a_message_of_the_own_id_is_ignored),
		TEST(the_invitation_algorithm_is_the_default),
		TEST(every_timer_has_a_handler_and_a_state),
		TEST(a_timer_runs_only_in_its_states),
		TEST(a_change_of_state_stops_the_timers_of_the_former_state),
		TEST(the_watch_of_a_group_ends_with_the_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
