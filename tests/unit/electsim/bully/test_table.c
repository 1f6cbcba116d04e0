/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of table.c: the row of bully; all its message types and timers have a handler. */
#include "bench_bully.h"

#include "electsim/world/election.h"

static void it_is_known_by_its_name_and_the_numbers_of_its_messages(void **state)
{
	(void)state;
	assert_ptr_equal(election_named("bully")->framed, &bully);
	assert_ptr_equal(election_framed(&bully), election_named("bully"));
	assert_ptr_equal(election_named("invitation")->framed, &invitation);
	assert_ptr_equal(election_framed(NULL), election_named("invitation"));
	assert_null(election_named("nonsense"));
	assert_int_equal(invitation.number, 0);
	assert_int_equal(bully.number, elect_msg_algorithm(ELECT_AYUP));
}

static void it_handles_its_own_messages_and_those_of_all(void **state)
{
	(void)state;
	for (unsigned t = 0; t < ELECT_MSG_TYPES; t++) {
		bool its_own = elect_msg_type_known(t) && elect_msg_algorithm(t) == bully.number;

		assert_int_equal(bully.messages[t] != NULL, its_own || t == ELECT_GOODBYE);
	}
}

static void every_timer_has_a_handler_and_a_state(void **state)
{
	(void)state;
	for (unsigned t = 0; t < TIMERS_OWN; t++) {
		assert_int_equal(bully.timers[t] != NULL, t < BULLY_TIMERS);
		assert_int_equal(bully.timer_states[t] != 0, t < BULLY_TIMERS);
	}
}

static void an_unverified_message_changes_nothing(void **state)
{
	struct elect_view before, after;

	(void)state;
	bench_member_of(60, 5);
	before = bench_view();
	for (unsigned t = ELECT_AYUP; t < ELECT_MSG_TYPES; t++) {
		bench_in_group(70, t)->proven = false;
		if (t == ELECT_ENTERELECTION)
			bench.m.group = bench_group(70, 9);
		bench_receive();
	}
	after = bench_view();
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(bench.log_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_known_by_its_name_and_the_numbers_of_its_messages),
		TEST(it_handles_its_own_messages_and_those_of_all),
		TEST(every_timer_has_a_handler_and_a_state),
		TEST(an_unverified_message_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
