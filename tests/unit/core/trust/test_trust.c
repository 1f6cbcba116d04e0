/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.c: which datagrams are authentic, which are copies, and what proves a session.
 */
#include "ends.h"

#include "core/messages.h"

static void a_sealed_datagram_is_accepted_but_not_proven(void **state)
{
	(void)state;
	assert_false(next_is_proven());
	assert_false(next_is_proven());
}

static void every_flipped_bit_is_noticed(void **state)
{
	struct datagram d = make_request();

	(void)state;
	for (size_t bit = 0; bit < d.size * 8; bit++) {
		d.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(open_it(&d) != WIRE_OK);
		d.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(open_it(&d), WIRE_OK);
}

static void a_datagram_on_another_path_is_refused(void **state)
{
	struct elect_address other = path;
	struct datagram d = make_request();
	bool proven;

	(void)state;
	other.port++;
	assert_int_equal(open_from(&d, &other, &proven), WIRE_TAG_BAD);
	other = path;
	other.bytes[3]++;
	assert_int_equal(open_from(&d, &other, &proven), WIRE_TAG_BAD);
	other = path;
	other.family = 6;
	assert_int_equal(open_from(&d, &other, &proven), WIRE_TAG_BAD);
	assert_int_equal(open_from(&d, &path, &proven), WIRE_OK);
}

static void another_domain_is_refused_by_hash_and_by_key(void **state)
{
	struct elect_id id = make_id(2);
	struct datagram d;

	(void)state;
	trust_init(&theirs, "lan2", NULL, &id, 22, 22);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_DOMAIN_BAD);
	theirs.domain_hash = ours.domain_hash; /* the hash is short and can be chosen */
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_TAG_BAD);
}

static void another_key_is_refused(void **state)
{
	struct ring right = make_ring(7, 3), wrong = make_ring(7, 4), eight = make_ring(8, 3);
	struct elect_id one = make_id(1), two = make_id(2);
	struct datagram d;

	(void)state;
	trust_init(&ours, "lan", &right, &one, 11, 1);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_KEY_BAD);
	trust_init(&theirs, "lan", &wrong, &two, 22, 22);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_TAG_BAD);
	trust_init(&theirs, "lan", &eight, &two, 22, 22);
	theirs.ring.keys[0].told.id = 7; /* the id is part of the key */
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_TAG_BAD);
	trust_init(&theirs, "lan", &right, &two, 22, 22);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_OK);
	d = make_request();
	d.bytes[9] = 2;
	trust_seal(&theirs, d.bytes, d.size, &path);
	assert_int_equal(open_it(&d), WIRE_KEY_BAD);
}

static void only_a_datagram_of_this_process_is_own(void **state)
{
	struct datagram d;

	(void)state;
	start_theirs(1, 11, 5);
	d = make_request();
	assert_int_equal(open_own(&d), WIRE_OWN);
	assert_int_equal(open_it(&d), WIRE_OK); /* I4: the same session, from elsewhere */
	start_theirs(1, 12, 5);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_OK);
	prove_theirs(); /* another process with our id can prove itself */
}

/* A session that has not answered has no window. Its datagrams cause a Challenge at most. */
static void an_unverified_session_leaves_no_window_behind(void **state)
{
	static const struct session_window untouched[TRUST_SPACES];
	struct datagram d = make_request(), to_all = make(ELECT_HELLO, NULL, true);
	bool proven = true;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		link_index = i;
		assert_int_equal(open_from(&d, &path, &proven), WIRE_OK);
		assert_false(proven);
		assert_int_equal(open_from(&to_all, &path, &proven), WIRE_OK);
		assert_false(proven);
	}
	assert_int_equal(ours.peers[0].candidate.session, 22);
	assert_memory_equal(ours.peers[0].candidate.windows, untouched, sizeof(untouched));
}

static void a_copy_is_refused(void **state)
{
	struct datagram first, second;

	(void)state;
	challenge_theirs();
	first = make_request();
	second = make_request();
	assert_int_equal(open_it(&first), WIRE_OK);
	assert_int_equal(open_it(&first), WIRE_REPLAYED);
	assert_int_equal(open_it(&second), WIRE_OK);
	assert_int_equal(open_it(&second), WIRE_REPLAYED);
	assert_int_equal(open_it(&first), WIRE_REPLAYED);
}

/* The sender has sent the datagram on both links, so a copy is no recording. */
static void a_copy_by_another_link_is_recognized_once_per_link(void **state)
{
	struct datagram first, second;

	(void)state;
	challenge_theirs();
	first = make_request();
	second = make_request();
	assert_int_equal(open_it(&first), WIRE_OK);
	link_index = 1;
	assert_int_equal(open_it(&first), WIRE_DUPLICATE);
	assert_int_equal(open_it(&first), WIRE_REPLAYED);
	assert_int_equal(open_it(&second), WIRE_OK);
	assert_int_equal(open_it(&first), WIRE_REPLAYED);
	link_index = 0;
	assert_int_equal(open_it(&second), WIRE_DUPLICATE);
	assert_int_equal(open_it(&second), WIRE_REPLAYED);
	assert_int_equal(open_it(&first), WIRE_REPLAYED);
}

static void copies_by_eight_links_are_recognized(void **state)
{
	struct datagram d;

	(void)state;
	challenge_theirs();
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_OK);
	for (link_index = 1; link_index < 8; link_index++) {
		assert_int_equal(open_it(&d), WIRE_DUPLICATE);
		assert_int_equal(open_it(&d), WIRE_REPLAYED);
	}
}

static void a_copy_too_old_for_the_window_is_a_recording_on_any_link(void **state)
{
	struct datagram d[66];

	(void)state;
	challenge_theirs();
	for (unsigned i = 0; i < 66; i++) {
		d[i] = make_request();
		assert_int_equal(open_it(&d[i]), WIRE_OK);
	}
	link_index = 1;
	assert_int_equal(open_it(&d[0]), WIRE_REPLAYED);
	assert_int_equal(open_it(&d[1]), WIRE_REPLAYED);
	assert_int_equal(open_it(&d[2]), WIRE_DUPLICATE);
}

/* The windows of a replaced session are still known. */
static void a_copy_shows_whether_its_session_is_proven(void **state)
{
	struct datagram d;
	bool proven = false;

	(void)state;
	challenge_theirs();
	d = make_request();
	assert_int_equal(open_from(&d, &path, &proven), WIRE_OK);
	link_index = 1;
	assert_int_equal(open_from(&d, &path, &proven), WIRE_DUPLICATE);
	assert_true(proven);
	start_theirs(2, 23, 6);
	challenge_theirs();
	now_us += TRUST_SILENT_US + 1;
	link_index = 2;
	assert_int_equal(open_from(&d, &path, &proven), WIRE_DUPLICATE);
	assert_false(proven);
}

static void datagrams_may_overtake_each_other_within_the_window(void **state)
{
	struct datagram d[66];

	(void)state;
	challenge_theirs();
	for (int i = 0; i < 66; i++)
		d[i] = make_request();
	assert_int_equal(open_it(&d[65]), WIRE_OK);
	assert_int_equal(open_it(&d[0]), WIRE_REPLAYED);
	assert_int_equal(open_it(&d[1]), WIRE_REPLAYED);
	for (int i = 2; i < 65; i++)
		assert_int_equal(open_it(&d[i]), WIRE_OK);
	for (int i = 0; i < 66; i++)
		assert_int_equal(open_it(&d[i]), WIRE_REPLAYED);
}

static void a_jump_ahead_forgets_what_is_too_old(void **state)
{
	struct datagram early, late;

	(void)state;
	challenge_theirs();
	early = make_request();
	assert_int_equal(open_it(&early), WIRE_OK);
	theirs.sequences[0] += 1000;
	late = make_request();
	assert_int_equal(open_it(&late), WIRE_OK);
	assert_int_equal(open_it(&early), WIRE_REPLAYED);
	theirs.sequences[0] -= 33;
	late = make_request();
	assert_int_equal(open_it(&late), WIRE_OK);
	assert_int_equal(open_it(&late), WIRE_REPLAYED);
}

static void the_two_sequence_spaces_do_not_disturb_each_other(void **state)
{
	struct datagram d;

	(void)state;
	theirs.sequences[0] = 1000;
	challenge_theirs();
	d = make(ELECT_CHALLENGE, NULL, false);
	assert_int_equal(open_it(&d), WIRE_OK);
	assert_int_equal(open_it(&d), WIRE_REPLAYED);
	d = make(ELECT_CHALLENGE, NULL, true);
	assert_int_equal(open_it(&d), WIRE_OK);
	assert_int_equal(open_it(&d), WIRE_REPLAYED);
}

static struct datagram make_numbered(enum elect_msg_type type, uint64_t sequence)
{
	struct datagram d;

	theirs.sequences[true] = 1; /* a will shares nothing with its process */
	d = make(type, NULL, true);
	for (unsigned i = 0; i < 8; i++)
		d.bytes[48 + i] = (uint8_t)(sequence >> (56 - 8 * i));
	trust_seal(&theirs, d.bytes, d.size, &path);
	return d;
}

static void the_sequences_of_a_will_are_for_goodbyes_alone(void **state)
{
	struct datagram d;

	(void)state;
	for (unsigned type = ELECT_HELLO; type < ELECT_MSG_TYPES; type++) {
		if (!elect_msg_type_known(type) || type == ELECT_GOODBYE ||
			elect_message_row(type)->transaction == TRANSACTION_ECHO)
			continue;
		d = make_numbered((enum elect_msg_type)type, WIRE_WILL_FROM);
		assert_int_equal(open_it(&d), WIRE_REPLAYED);
		d = make_numbered((enum elect_msg_type)type, UINT64_MAX);
		assert_int_equal(open_it(&d), WIRE_REPLAYED);
	}
	d = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_it(&d), WIRE_OK);
}

/* Challenges with that sequence would be refused for ever. */
static void a_datagram_to_one_host_with_a_will_sequence_is_refused(void **state)
{
	struct datagram d;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		theirs.sequences[0] = WIRE_WILL_FROM - 2;
		d = make(i ? ELECT_GOODBYE : ELECT_HELLO, NULL, false);
		for (unsigned high = 0; high < 8; high++)
			d.bytes[48 + high] = high ? 0 : 0x40;
		trust_seal(&theirs, d.bytes, d.size, &path);
		assert_int_equal(open_it(&d), WIRE_REPLAYED);
	}
}

/* Every message of the will counts as proven; everything else of the session is unproven. */
static void a_session_must_prove_itself_again_after_its_will(void **state)
{
	struct elect_transaction early, late;
	struct datagram last, will, answer;
	bool proven = false;

	(void)state;
	prove_theirs();
	trust_request(&ours, now_us, &early);
	last = make(ELECT_AYCOORD, NULL, true);
	will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_from(&will, &path, &proven), WIRE_OK);
	assert_true(proven);
	assert_int_equal(open_it(&will), WIRE_REPLAYED);
	now_us += 1;
	will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM + 1);
	assert_int_equal(open_from(&will, &path, &proven), WIRE_OK);
	assert_true(proven);
	assert_false(is_proven(&last));
	assert_false(trust_proven(&ours, &theirs.self, theirs.session));
	answer = make_answer(&early);
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD);
	trust_vouch(&ours, now_us, &(struct elect_session){ theirs.self, theirs.session }, 5,
		trust_key_id(&ours));
	assert_false(next_is_proven());
	trust_request(&ours, now_us, &late);
	answer = make_answer(&late);
	assert_true(is_proven(&answer));
	assert_true(next_is_proven());
}

/*
 * An answer resets the window for a true will, so the messages are remembered. A copy from another
 * address of the sender has another tag.
 */
static void a_withdrawn_will_is_not_accepted_again(void **state)
{
	struct elect_address elsewhere = path;
	struct datagram forged[3], own;
	bool proven;

	(void)state;
	challenge_theirs();
	for (unsigned i = 0; i < 3; i++)
		forged[i] = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM + i);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(open_it(&forged[i]), WIRE_OK);
	now_us++;
	challenge_theirs();
	for (unsigned i = 0; i < 3; i++) {
		link_index = i;
		assert_int_equal(open_it(&forged[i]), WIRE_REPLAYED);
		elsewhere.bytes[1]++;
		trust_seal(&theirs, forged[i].bytes, forged[i].size, &elsewhere);
		assert_int_equal(open_from(&forged[i], &elsewhere, &proven), WIRE_REPLAYED);
	}
	assert_true(next_is_proven());
	incarnation++;
	own = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_it(&own), WIRE_OK);
}

/* Otherwise recordings of more forgeries than are remembered would each be accepted again. */
static void a_will_with_too_many_forgeries_is_refused(void **state)
{
	struct datagram will;

	(void)state;
	challenge_theirs();
	for (unsigned i = 0; i <= TRUST_WILLS_MAX; i++) { /* like a host that crashes slowly */
		will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM + i);
		assert_int_equal(open_it(&will), WIRE_OK);
	}
	now_us++;
	challenge_theirs();
	will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_it(&will), WIRE_REPLAYED);
	assert_true(next_is_proven());
	start_theirs(2, 23, 6);
	challenge_theirs();
	will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_it(&will), WIRE_OK);
}

/* The will proves nothing, and each of its messages counts once. */
static void a_will_is_heard_after_the_next_start_of_its_host(void **state)
{
	struct datagram will, last;
	bool proven = true;

	(void)state;
	prove_theirs();
	last = make(ELECT_AYCOORD, NULL, true);
	will = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	now_us += 1;
	start_theirs(2, 23, 6);
	prove_theirs();
	assert_int_equal(open_it(&last), WIRE_SESSION_OLD);
	assert_int_equal(open_from(&will, &path, &proven), WIRE_OK);
	assert_false(proven);
	assert_int_equal(open_it(&will), WIRE_REPLAYED);
	assert_true(trust_proven(&ours, &theirs.self, 23));
}

/* Other hosts accept an own will, so it is distinguished from other own datagrams, if its tag is
 * right. */
static void an_own_will_has_a_verdict_of_its_own(void **state)
{
	struct datagram d;

	(void)state;
	start_theirs(1, 11, 5);
	d = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM);
	assert_int_equal(open_own(&d), WIRE_OWN_WILL);
	d.bytes[d.size - 1] ^= 1;
	assert_int_equal(open_own(&d), WIRE_OWN);
	d = make_numbered(ELECT_GOODBYE, WIRE_WILL_FROM - 1);
	assert_int_equal(open_own(&d), WIRE_OWN);
	d = make_numbered(ELECT_CHALLENGE, WIRE_WILL_FROM);
	assert_int_equal(open_own(&d), WIRE_OWN);
}

static void sequence_zero_is_refused(void **state)
{
	struct datagram d;

	(void)state;
	theirs.sequences[0] = UINT64_MAX;
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_REPLAYED);
}

/* An answer to this id would be an answer to all hosts. */
static void the_id_that_means_all_hosts_is_refused(void **state)
{
	struct elect_transaction t;
	struct datagram d;

	(void)state;
	theirs.self = (struct elect_id){ { 0 } };
	trust_request(&ours, now_us, &t);
	d = make_answer(&t);
	assert_int_equal(open_it(&d), WIRE_FIELDS_BAD);
	assert_int_equal(ours.peers_count, 0);
}

static void an_echo_proves_and_the_session_stays_proven(void **state)
{
	(void)state;
	assert_false(next_is_proven());
	prove_theirs();
	now_us += 3600 * UINT64_C(1000000);
	assert_true(next_is_proven());
}

static void only_the_answer_types_prove_a_session(void **state)
{
	static const bool answers[ELECT_MSG_TYPES] = {
		[ELECT_AYCOORD_ANSWER] = true,
		[ELECT_AYTHERE_ANSWER] = true,
		[ELECT_ACCEPT] = true,
		[ELECT_ACCEPT_ANSWER] = true,
		[ELECT_READY_ANSWER] = true,
		[ELECT_DECLINE] = true,
		[ELECT_CHALLENGE_ANSWER] = true,
		[ELECT_AYUP_ANSWER] = true,
		[ELECT_AYNORMAL_ANSWER] = true,
		[ELECT_ENTERELECTION_ANSWER] = true,
		[ELECT_SETCOORD_ANSWER] = true,
		[ELECT_NEWSTATE_ANSWER] = true,
	};

	for (unsigned type = 1; type < ELECT_MSG_TYPES; type++) {
		struct elect_transaction t;
		struct datagram d;

		if (!elect_msg_type_known(type))
			continue;
		set_up(state);
		trust_request(&ours, now_us, &t);
		d = make((enum elect_msg_type)type, &t, false);
		assert_int_equal(is_proven(&d), answers[type]);
		memset(&t, 0, sizeof(t));
		d = make((enum elect_msg_type)type, &t, false);
		assert_int_equal(open_it(&d), answers[type] ? WIRE_ANSWER_UNASKED : WIRE_OK);
	}
}

static void an_unasked_answer_of_a_proven_host_is_refused(void **state)
{
	struct elect_transaction t = { .bytes = { 1 } };
	struct datagram d = make_answer(&t);

	(void)state;
	assert_int_equal(open_it(&d), WIRE_ANSWER_UNASKED);
	prove_theirs();
	d = make_answer(&t);
	assert_int_equal(open_it(&d), WIRE_ANSWER_UNASKED);
}

static void a_transaction_is_open_for_five_seconds(void **state)
{
	struct elect_transaction t;
	struct datagram d;

	(void)state;
	trust_request(&ours, now_us, &t);
	now_us += TRUST_OPEN_US;
	d = make_answer(&t);
	assert_int_equal(open_it(&d), WIRE_OK);
	now_us += 1;
	d = make_answer(&t);
	assert_int_equal(open_it(&d), WIRE_ANSWER_UNASKED);
}

static void many_hosts_may_echo_one_request_until_it_is_forgotten(void **state)
{
	struct elect_transaction first, next;
	struct datagram d;

	(void)state;
	trust_request(&ours, now_us, &first);
	for (unsigned i = 1; i < TRUST_OPEN_MAX; i++) {
		trust_request(&ours, now_us, &next);
		assert_memory_not_equal(&next, &first, sizeof(first));
	}
	d = make_answer(&first);
	assert_int_equal(open_it(&d), WIRE_OK);
	start_theirs(3, 33, 1);
	d = make_answer(&first);
	assert_int_equal(open_it(&d), WIRE_OK);
	trust_request(&ours, now_us, &next);
	d = make_answer(&first);
	assert_int_equal(open_it(&d), WIRE_ANSWER_UNASKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_sealed_datagram_is_accepted_but_not_proven, set_up),
		cmocka_unit_test_setup(every_flipped_bit_is_noticed, set_up),
		cmocka_unit_test_setup(a_datagram_on_another_path_is_refused, set_up),
		cmocka_unit_test_setup(another_domain_is_refused_by_hash_and_by_key, set_up),
		cmocka_unit_test_setup(another_key_is_refused, set_up),
		cmocka_unit_test_setup(only_a_datagram_of_this_process_is_own, set_up),
		cmocka_unit_test_setup(an_unverified_session_leaves_no_window_behind, set_up),
		cmocka_unit_test_setup(a_copy_is_refused, set_up),
		cmocka_unit_test_setup(a_copy_by_another_link_is_recognized_once_per_link, set_up),
		cmocka_unit_test_setup(copies_by_eight_links_are_recognized, set_up),
		cmocka_unit_test_setup(
			a_copy_too_old_for_the_window_is_a_recording_on_any_link, set_up),
		cmocka_unit_test_setup(a_copy_shows_whether_its_session_is_proven, set_up),
		cmocka_unit_test_setup(datagrams_may_overtake_each_other_within_the_window, set_up),
		cmocka_unit_test_setup(a_jump_ahead_forgets_what_is_too_old, set_up),
		cmocka_unit_test_setup(the_two_sequence_spaces_do_not_disturb_each_other, set_up),
		cmocka_unit_test_setup(the_sequences_of_a_will_are_for_goodbyes_alone, set_up),
		cmocka_unit_test_setup(
			a_datagram_to_one_host_with_a_will_sequence_is_refused, set_up),
		cmocka_unit_test_setup(a_session_must_prove_itself_again_after_its_will, set_up),
		cmocka_unit_test_setup(a_withdrawn_will_is_not_accepted_again, set_up),
		cmocka_unit_test_setup(a_will_with_too_many_forgeries_is_refused, set_up),
		cmocka_unit_test_setup(a_will_is_heard_after_the_next_start_of_its_host, set_up),
		cmocka_unit_test_setup(an_own_will_has_a_verdict_of_its_own, set_up),
		cmocka_unit_test_setup(sequence_zero_is_refused, set_up),
		cmocka_unit_test_setup(the_id_that_means_all_hosts_is_refused, set_up),
		cmocka_unit_test_setup(an_echo_proves_and_the_session_stays_proven, set_up),
		cmocka_unit_test_setup(only_the_answer_types_prove_a_session, set_up),
		cmocka_unit_test_setup(an_unasked_answer_of_a_proven_host_is_refused, set_up),
		cmocka_unit_test_setup(a_transaction_is_open_for_five_seconds, set_up),
		cmocka_unit_test_setup(
			many_hosts_may_echo_one_request_until_it_is_forgotten, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
