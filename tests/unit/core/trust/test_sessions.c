/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sessions: one session after another, what a replay can achieve, who is vouched for,
 * and a full table.
 */
#include "ends.h"

/* ---- one session after another ----------------------------------------------------------- */

static void a_new_session_is_a_candidate_until_it_proves_itself(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs();
	start_theirs(2, 23, 6);
	assert_false(next_is_proven());
	assert_true(trust_proven(&ours, &id, 22)); /* stays in force */
	prove_theirs();
	assert_false(trust_proven(&ours, &id, 22));
	assert_true(next_is_proven());
}

/* W3: a proof says what the session has sent before. */
static void what_a_candidate_sent_before_its_answer_is_refused_after_it(void **state)
{
	struct datagram to_one, to_all;

	(void)state;
	theirs.sequences[0] = 1000;
	challenge_theirs();
	start_theirs(2, 23, 6);
	to_one = make_request(); /* number 1 of its session */
	to_all = make(ELECT_HELLO, NULL, true);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(open_it(&to_one), WIRE_OK);
		assert_int_equal(open_it(&to_all), WIRE_OK);
	}
	theirs.sequences[0] = 5;
	challenge_theirs();
	assert_int_equal(open_it(&to_one), WIRE_REPLAYED);
	assert_int_equal(open_it(&to_all), WIRE_REPLAYED);
}

/* The newer one may be made up by an insider: a beacon later the older one is asked. */
static void an_older_start_is_refused_while_the_newer_is_heard(void **state)
{
	struct datagram old, unseen;
	bool proven = true;

	(void)state;
	old = make_request();
	unseen = make_request();
	assert_int_equal(open_it(&old), WIRE_OK);
	start_theirs(2, 23, 6);
	prove_theirs();
	now_us += BEACON_US - 1;
	assert_int_equal(open_it(&old), WIRE_SESSION_OLD);
	assert_int_equal(open_it(&unseen), WIRE_SESSION_OLD);
	now_us++;
	assert_int_equal(open_from(&unseen, &path, &proven), WIRE_OK);
	assert_false(proven);
}

/* Recorded datagrams of a session that was replaced: seen ones are copies, others unproven. */
static void a_replaced_session_does_not_come_back_by_replay(void **state)
{
	struct elect_transaction t;
	struct datagram seen, unseen, answer;
	struct elect_id id = make_id(2);
	bool proven = true;

	(void)state;
	prove_theirs();
	seen = make_request();
	assert_int_equal(open_it(&seen), WIRE_OK);
	unseen = make_request();
	trust_request(&ours, now_us, &t);
	answer = make_answer(&t);
	now_us += 1;
	start_theirs(2, 23, 6);
	prove_theirs();
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD);
	now_us += TRUST_SILENT_US + 1;
	assert_int_equal(open_it(&seen), WIRE_REPLAYED);
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD); /* asked before the newer was heard */
	assert_int_equal(open_from(&unseen, &path, &proven), WIRE_OK);
	assert_false(proven);
	assert_true(trust_proven(&ours, &id, 23));
}

/* Its incarnation begins at 1 again: it must not be shut out. */
static void a_host_that_lost_its_state_proves_itself_once_its_former_start_is_silent(void **state)
{
	struct datagram d;

	(void)state;
	prove_theirs();
	start_theirs(2, 23, 1);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_SESSION_OLD);
	now_us += TRUST_SILENT_US + 1;
	assert_false(next_is_proven());
	prove_theirs();
	assert_true(next_is_proven());
}

/* It looks newer than the present one by its incarnation, and answers a request that is open. */
static void what_came_before_a_lost_state_does_not_come_back_by_replay(void **state)
{
	struct elect_transaction t;
	struct datagram answer;

	(void)state;
	prove_theirs();
	trust_request(&ours, now_us, &t);
	answer = make_answer(&t);
	now_us += TRUST_SILENT_US + 1;
	start_theirs(2, 23, 1);
	prove_theirs();
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD);
	assert_true(next_is_proven());
}

/* Its window is forgotten once two others were proven, and somebody vouches for it again. */
static void a_challenge_is_answered_once(void **state)
{
	struct elect_id id = make_id(2);
	struct elect_transaction t;
	struct datagram answer;

	(void)state;
	trust_challenge(&ours, now_us, &t);
	answer = make_answer(&t);
	assert_true(is_proven(&answer));
	now_us += TRUST_SILENT_US + 1;
	start_theirs(2, 23, 1);
	prove_theirs();
	start_theirs(2, 24, 2);
	prove_theirs();
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 22 }, 5, 0);
	assert_true(trust_vouched(&ours, &id, 22));
	assert_int_equal(open_it(&answer), WIRE_ANSWER_UNASKED);
}

static void two_processes_with_one_id_both_prove_themselves(void **state)
{
	(void)state;
	prove_theirs();
	now_us += 10;
	start_theirs(2, 23, 5);
	prove_theirs();
	now_us += 10;
	start_theirs(2, 22, 5);
	theirs.sequences[0] = 1;
	prove_theirs();
}

/* ---- a former start, from an older copy of the state ----------------------------------------- */

static uint64_t outlived(uint64_t session, uint64_t its_incarnation)
{
	struct elect_id id = make_id(2);

	start_theirs(2, session, its_incarnation);
	now_us += TRUST_SILENT_US + 1;
	return trust_outlived(
		&ours, now_us, &id, its_incarnation, trust_key_id(&theirs), next_is_proven());
}

static void who_was_started_later_once_is_told_so_once_a_minute(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs(); /* incarnation 5 */
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
	assert_int_equal(trust_outlived(&ours, now_us, &id, 4, 0, true), 5);
	assert_int_equal(trust_outlived(&ours, now_us, &id, 4, 0, true), 0);
	now_us += TRUST_TELL_US - 1;
	assert_int_equal(trust_outlived(&ours, now_us, &id, 4, 0, true), 0);
	now_us++;
	assert_int_equal(trust_outlived(&ours, now_us, &id, 4, 0, true), 5);
	id = make_id(3);
	assert_int_equal(trust_outlived(&ours, now_us, &id, 1, 0, true), 0);
}

/* An insider may have made up the later start. */
static void a_later_start_is_told_so_often(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	start_theirs(2, 23, 9);
	prove_theirs();
	for (unsigned i = 0; i < TRUST_TELLS; i++, now_us += TRUST_TELL_US)
		assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 9);
	for (unsigned i = 0; i < 3; i++, now_us += TRUST_TELL_US)
		assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
}

/* An insider has answered in its name; it lives, so it was not started since. */
static void a_start_that_was_made_up_is_not_told_when_the_former_session_returns(void **state)
{
	struct elect_id id = make_id(2);
	struct trust former;

	(void)state;
	prove_theirs();
	former = theirs;
	now_us++;
	start_theirs(2, 23, 1000);
	prove_theirs();
	now_us++;
	theirs = former;
	incarnation = 5;
	now_us += TRUST_SILENT_US;
	prove_theirs();
	assert_true(trust_proven(&ours, &id, 22));
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
}

/* Nobody starts 2^32 times. */
static void no_start_that_lies_too_far_ahead_is_told(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	start_theirs(2, 23, ELECT_STARTS_MAX + 5);
	prove_theirs();
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
	assert_true(trust_outlived(&ours, now_us, &id, 6, 0, true) == ELECT_STARTS_MAX + 5);
}

/* Its own session, proven since, does not make us forget; and is told anew. */
static void the_highest_incarnation_is_remembered_when_an_older_start_is_proven(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	start_theirs(2, 23, 9);
	prove_theirs();
	now_us += TRUST_SILENT_US + 1;
	start_theirs(2, 24, 6);
	prove_theirs();
	assert_int_equal(trust_outlived(&ours, now_us, &id, 6, 0, true), 9);
	now_us += TRUST_SILENT_US + 1;
	start_theirs(2, 25, 6);
	prove_theirs();
	assert_int_equal(trust_outlived(&ours, now_us, &id, 6, 0, true), 9);
}

/* Unproven, it may be a replay: with a key it is answered once a minute, without not at all. */
static void an_unproven_one_is_told_only_with_a_key(void **state)
{
	(void)state;
	prove_theirs();
	assert_int_equal(outlived(23, 4), 0);
	ours.ring = their_ring = make_ring(7, 3);
	start_theirs(2, 22, 5);
	prove_theirs();
	assert_int_equal(outlived(24, 4), 5);
	assert_int_equal(outlived(25, 3), 0);
}

/* ---- vouching ---------------------------------------------------------------------------- */

/* Datagrams may be sent to it, no more. */
static void a_session_that_is_vouched_for_is_believed_when_it_has_answered(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 22 }, 5, 0);
	assert_true(trust_vouched(&ours, &id, 22));
	assert_true(trust_knows(&ours, &id, 22));
	assert_false(trust_vouched(&ours, &id, 23));
	assert_false(trust_knows(&ours, &id, 23));
	assert_false(next_is_proven());
	challenge_theirs();
	assert_false(trust_vouched(&ours, &id, 22));
	assert_true(next_is_proven());
}

/* W3: the list of a leader opened the window of each former leader to recordings. */
static void no_recording_of_a_session_that_is_vouched_for_is_believed(void **state)
{
	struct elect_id id = make_id(2);
	struct datagram recorded[20];

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		recorded[i] = make(ELECT_AYCOORD, NULL, i % 2);
	for (unsigned i = 0; i < 20; i++) {
		trust_vouch(&ours, now_us, &(struct elect_session){ id, 22 }, 5, 0);
		assert_false(is_proven(&recorded[i]));
	}
	theirs.sequences[0] += 5;
	challenge_theirs();
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(open_it(&recorded[i]), WIRE_REPLAYED);
}

/* An unverified session of the same host would push out the one that the list names. */
static void a_vouched_session_keeps_its_place_while_it_is_vouched_for(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 23 }, 6, 0);
	assert_false(next_is_proven());
	assert_true(trust_vouched(&ours, &id, 23));
	now_us += TRUST_SILENT_US + 1;
	assert_false(next_is_proven());
	assert_false(trust_vouched(&ours, &id, 23));
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 23 }, 6, 0);
	assert_true(trust_vouched(&ours, &id, 23));
	challenge_theirs();
	assert_false(trust_vouched(&ours, &id, 23));
}

/* W4: a list with a forged incarnation made every host report an old state. */
static void nobody_vouches_a_higher_start_into_memory(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs();
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 23 }, 9, 0);
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
}

static void nobody_vouches_an_older_session_back_or_our_own_id(void **state)
{
	struct elect_id two = make_id(2), self = make_id(1);

	(void)state;
	prove_theirs();
	trust_vouch(&ours, now_us, &(struct elect_session){ two, 21 }, 4, 0);
	trust_vouch(&ours, now_us, &(struct elect_session){ two, 21 }, 5, 0);
	assert_false(trust_vouched(&ours, &two, 21));
	trust_vouch(&ours, now_us, &(struct elect_session){ two, 23 }, 6, 0);
	assert_true(trust_vouched(&ours, &two, 23));
	assert_true(trust_proven(&ours, &two, 22)); /* until the newer one has answered */
	trust_vouch(&ours, now_us, &(struct elect_session){ self, 99 }, 99, 0);
	assert_false(trust_vouched(&ours, &self, 99));
	trust_vouch(&ours, now_us, &(struct elect_session){ two, 0 }, 7, 0);
	assert_true(trust_vouched(&ours, &two, 23));
}

/* Who vouches has not heard of the newer start, which has lost its state and counts from 1. */
static void nobody_vouches_for_a_session_that_was_replaced(void **state)
{
	struct elect_id id = make_id(2);
	struct datagram seen, former;

	(void)state;
	prove_theirs();
	seen = make_request();
	assert_int_equal(open_it(&seen), WIRE_OK);
	start_theirs(2, 21, 4);
	former = make_request();
	now_us += TRUST_SILENT_US + 1;
	start_theirs(2, 23, 1);
	prove_theirs();
	assert_int_equal(open_it(&former), WIRE_OK); /* a candidate: no more than that */
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 22 }, 5, 0);
	assert_false(trust_knows(&ours, &id, 22));
	assert_true(trust_proven(&ours, &id, 23));
	assert_int_equal(open_it(&seen), WIRE_REPLAYED);
	assert_true(next_is_proven());
}

/* ---- the table --------------------------------------------------------------------------- */

static void fill_table(void)
{
	for (unsigned i = 0; i < TRUST_PEERS_MAX; i++) {
		now_us++;
		/* not in the order of their ids */
		start_theirs(3 + i * 389 % TRUST_PEERS_MAX, 1 + i, 1);
		prove_theirs();
	}
	assert_int_equal(ours.peers_count, TRUST_PEERS_MAX);
	start_theirs(2, 22, 5);
}

static void assert_all_found(unsigned but)
{
	for (unsigned i = 0; i < TRUST_PEERS_MAX; i++) {
		struct elect_id id = make_id(3 + i * 389 % TRUST_PEERS_MAX);

		assert_int_equal(trust_proven(&ours, &id, 1 + i), i != but);
	}
}

static void a_table_full_of_living_hosts_takes_nobody_else(void **state)
{
	struct datagram d = make_request();

	(void)state;
	fill_table();
	assert_int_equal(open_it(&d), WIRE_TABLE_FULL);
	assert_all_found(TRUST_PEERS_MAX);
}

static void the_silent_for_longest_makes_room(void **state)
{
	struct elect_id first = make_id(3);

	(void)state;
	fill_table();
	now_us += TRUST_SILENT_US + 1;
	ours.peers[0].proven.last_us = now_us; /* heard again; the second is the silent one now */
	prove_theirs();
	assert_true(trust_proven(&ours, &first, 1));
	assert_all_found(1);
	assert_int_equal(ours.peers_count, TRUST_PEERS_MAX);
}

static void a_vouched_host_makes_room_before_any_proven_one(void **state)
{
	struct elect_id two = make_id(2);

	(void)state;
	fill_table();
	now_us += TRUST_SILENT_US + 1;
	trust_vouch(&ours, now_us, &(struct elect_session){ two, 22 }, 5, 0);
	assert_true(trust_vouched(&ours, &two, 22));
	start_theirs(3000, 33, 1);
	prove_theirs();
	assert_false(trust_vouched(&ours, &two, 22));
	assert_all_found(0);
}

static void an_unproven_host_makes_room_before_any_proven_one(void **state)
{
	struct elect_id two = make_id(2);

	(void)state;
	fill_table();
	now_us += TRUST_SILENT_US + 1;
	assert_false(next_is_proven());
	start_theirs(3000, 33, 1);
	prove_theirs();
	assert_false(trust_proven(&ours, &two, 22));
	assert_all_found(0); /* only the one displaced by the unproven host */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_session_is_a_candidate_until_it_proves_itself, set_up),
		cmocka_unit_test_setup(
			what_a_candidate_sent_before_its_answer_is_refused_after_it, set_up),
		cmocka_unit_test_setup(an_older_start_is_refused_while_the_newer_is_heard, set_up),
		cmocka_unit_test_setup(a_replaced_session_does_not_come_back_by_replay, set_up),
		cmocka_unit_test_setup(
			a_host_that_lost_its_state_proves_itself_once_its_former_start_is_silent,
			set_up),
		cmocka_unit_test_setup(
			what_came_before_a_lost_state_does_not_come_back_by_replay, set_up),
		cmocka_unit_test_setup(a_challenge_is_answered_once, set_up),
		cmocka_unit_test_setup(two_processes_with_one_id_both_prove_themselves, set_up),
		cmocka_unit_test_setup(who_was_started_later_once_is_told_so_once_a_minute, set_up),
		cmocka_unit_test_setup(a_later_start_is_told_so_often, set_up),
		cmocka_unit_test_setup(
			a_start_that_was_made_up_is_not_told_when_the_former_session_returns,
			set_up),
		cmocka_unit_test_setup(no_start_that_lies_too_far_ahead_is_told, set_up),
		cmocka_unit_test_setup(
			the_highest_incarnation_is_remembered_when_an_older_start_is_proven,
			set_up),
		cmocka_unit_test_setup(an_unproven_one_is_told_only_with_a_key, set_up),
		cmocka_unit_test_setup(
			a_session_that_is_vouched_for_is_believed_when_it_has_answered, set_up),
		cmocka_unit_test_setup(
			no_recording_of_a_session_that_is_vouched_for_is_believed, set_up),
		cmocka_unit_test_setup(
			a_vouched_session_keeps_its_place_while_it_is_vouched_for, set_up),
		cmocka_unit_test_setup(nobody_vouches_a_higher_start_into_memory, set_up),
		cmocka_unit_test_setup(nobody_vouches_an_older_session_back_or_our_own_id, set_up),
		cmocka_unit_test_setup(nobody_vouches_for_a_session_that_was_replaced, set_up),
		cmocka_unit_test_setup(a_table_full_of_living_hosts_takes_nobody_else, set_up),
		cmocka_unit_test_setup(the_silent_for_longest_makes_room, set_up),
		cmocka_unit_test_setup(a_vouched_host_makes_room_before_any_proven_one, set_up),
		cmocka_unit_test_setup(an_unproven_host_makes_room_before_any_proven_one, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
