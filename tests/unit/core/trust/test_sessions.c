/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Successive sessions of a host, what a replay can achieve, which sessions are vouched for, and a
 * full table.
 */
#include "ends.h"

static void a_new_session_is_a_candidate_until_it_proves_itself(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs();
	start_theirs(2, 23, 6);
	assert_false(next_is_proven());
	assert_true(trust_proven(&ours, &id, 22));
	prove_theirs();
	assert_false(trust_proven(&ours, &id, 22));
	assert_true(next_is_proven());
}

/* W3: a proof covers what the session has sent before. */
static void a_datagram_from_before_the_answer_is_refused_after_it(void **state)
{
	struct datagram to_one, to_all;

	(void)state;
	theirs.sequences[0] = 1000;
	challenge_theirs();
	start_theirs(2, 23, 6);
	to_one = make_request();
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

/* The newer start may be an insider's invention, so the older one is asked a beacon interval
 * later. */
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

/* Recorded datagrams of a replaced session: copies of seen ones are refused, the others are
 * unproven. */
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
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD); /* asked before the newer start */
	assert_int_equal(open_from(&unseen, &path, &proven), WIRE_OK);
	assert_false(proven);
	assert_true(trust_proven(&ours, &id, 23));
}

/* A host that lost its state has incarnation 1 again, and must not be locked out. */
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

/* The old session seems newer by its incarnation, and answers a request that is still open. */
static void a_session_from_before_a_lost_state_does_not_come_back_by_replay(void **state)
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

/* The window of a session is forgotten after two other sessions were proven, and another host
 * vouches for the session again. */
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

static uint64_t outlived(uint64_t session, uint64_t its_incarnation)
{
	struct elect_id id = make_id(2);

	start_theirs(2, session, its_incarnation);
	now_us += TRUST_SILENT_US + 1;
	return trust_outlived(
		&ours, now_us, &id, its_incarnation, trust_key_id(&theirs), next_is_proven());
}

static void a_host_with_a_later_start_is_notified_once_a_minute(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs();
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

/* An insider may have invented the later start. */
static void a_later_start_is_notified_three_times(void **state)
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

/* An insider has answered in the host's name. The host is alive, so it was not started since. */
static void a_forged_start_is_not_notified_once_the_session_returns(void **state)
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

/* No host starts 2^32 times. */
static void a_start_too_far_ahead_is_not_notified(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	start_theirs(2, 23, ELECT_STARTS_MAX + 5);
	prove_theirs();
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
	assert_true(trust_outlived(&ours, now_us, &id, 6, 0, true) == ELECT_STARTS_MAX + 5);
}

/* The proof of an older start must not clear the memory, and the host is notified again. */
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

/* An unproven session may be a replay: with a key from a file it is answered once a minute,
 * otherwise not at all. */
static void an_unproven_session_is_notified_only_with_a_key(void **state)
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

static void a_vouched_session_is_accepted_after_its_answer(void **state)
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

/* W3: the list of a leader used to open the window of every former leader to recordings. */
static void a_recording_of_a_vouched_session_is_never_accepted(void **state)
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

/* Otherwise an unverified session of the same host would displace the one that the list names. */
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
static void a_voucher_does_not_raise_the_known_start(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	prove_theirs();
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 23 }, 9, 0);
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 0, true), 0);
}

static void a_voucher_for_an_older_session_or_our_own_id_is_ignored(void **state)
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

/* The voucher has not heard of the newer start, which has lost its state and counts from 1. */
static void a_voucher_for_a_replaced_session_is_ignored(void **state)
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
	assert_int_equal(open_it(&former), WIRE_OK);
	trust_vouch(&ours, now_us, &(struct elect_session){ id, 22 }, 5, 0);
	assert_false(trust_knows(&ours, &id, 22));
	assert_true(trust_proven(&ours, &id, 23));
	assert_int_equal(open_it(&seen), WIRE_REPLAYED);
	assert_true(next_is_proven());
}

static void fill_table(void)
{
	for (unsigned i = 0; i < TRUST_PEERS_MAX; i++) {
		now_us++;
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

static void a_table_full_of_living_hosts_refuses_others(void **state)
{
	struct datagram d = make_request();

	(void)state;
	fill_table();
	assert_int_equal(open_it(&d), WIRE_TABLE_FULL);
	assert_all_found(TRUST_PEERS_MAX);
}

static void the_longest_silent_host_is_replaced(void **state)
{
	struct elect_id first = make_id(3);

	(void)state;
	fill_table();
	now_us += TRUST_SILENT_US + 1;
	ours.peers[0].proven.last_us = now_us; /* heard again; the second is silent now */
	prove_theirs();
	assert_true(trust_proven(&ours, &first, 1));
	assert_all_found(1);
	assert_int_equal(ours.peers_count, TRUST_PEERS_MAX);
}

static void a_vouched_host_is_replaced_before_any_proven_one(void **state)
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

static void an_unproven_host_is_replaced_before_any_proven_one(void **state)
{
	struct elect_id two = make_id(2);

	(void)state;
	fill_table();
	now_us += TRUST_SILENT_US + 1;
	assert_false(next_is_proven());
	start_theirs(3000, 33, 1);
	prove_theirs();
	assert_false(trust_proven(&ours, &two, 22));
	assert_all_found(0); /* only the one that the unproven host displaced */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_session_is_a_candidate_until_it_proves_itself, set_up),
		cmocka_unit_test_setup(
			a_datagram_from_before_the_answer_is_refused_after_it, set_up),
		cmocka_unit_test_setup(an_older_start_is_refused_while_the_newer_is_heard, set_up),
		cmocka_unit_test_setup(a_replaced_session_does_not_come_back_by_replay, set_up),
		cmocka_unit_test_setup(
			a_host_that_lost_its_state_proves_itself_once_its_former_start_is_silent,
			set_up),
		cmocka_unit_test_setup(
			a_session_from_before_a_lost_state_does_not_come_back_by_replay, set_up),
		cmocka_unit_test_setup(a_challenge_is_answered_once, set_up),
		cmocka_unit_test_setup(two_processes_with_one_id_both_prove_themselves, set_up),
		cmocka_unit_test_setup(a_host_with_a_later_start_is_notified_once_a_minute, set_up),
		cmocka_unit_test_setup(a_later_start_is_notified_three_times, set_up),
		cmocka_unit_test_setup(
			a_forged_start_is_not_notified_once_the_session_returns, set_up),
		cmocka_unit_test_setup(a_start_too_far_ahead_is_not_notified, set_up),
		cmocka_unit_test_setup(
			the_highest_incarnation_is_remembered_when_an_older_start_is_proven,
			set_up),
		cmocka_unit_test_setup(an_unproven_session_is_notified_only_with_a_key, set_up),
		cmocka_unit_test_setup(a_vouched_session_is_accepted_after_its_answer, set_up),
		cmocka_unit_test_setup(a_recording_of_a_vouched_session_is_never_accepted, set_up),
		cmocka_unit_test_setup(
			a_vouched_session_keeps_its_place_while_it_is_vouched_for, set_up),
		cmocka_unit_test_setup(a_voucher_does_not_raise_the_known_start, set_up),
		cmocka_unit_test_setup(
			a_voucher_for_an_older_session_or_our_own_id_is_ignored, set_up),
		cmocka_unit_test_setup(a_voucher_for_a_replaced_session_is_ignored, set_up),
		cmocka_unit_test_setup(a_table_full_of_living_hosts_refuses_others, set_up),
		cmocka_unit_test_setup(the_longest_silent_host_is_replaced, set_up),
		cmocka_unit_test_setup(a_vouched_host_is_replaced_before_any_proven_one, set_up),
		cmocka_unit_test_setup(an_unproven_host_is_replaced_before_any_proven_one, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
