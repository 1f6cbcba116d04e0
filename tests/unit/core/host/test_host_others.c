/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of another election: the host drops them undecoded, sends their session a Challenge,
 * and reports a verified one.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host_fake.h"

static int set_up_other(void **state)
{
	set_up(state);
	fake.algorithm = 1;
	return 0;
}

static void hear_other(void)
{
	struct elect_msg m = make_hello();
	unsigned steps = fake.steps;

	m.counter = 77;
	assert_int_equal(receive(&m), WIRE_TYPE_BAD);
	assert_null(host_heard(host));
	assert_int_equal(fake.steps, steps);
	assert_int_equal(fake.hellos, 0);
}

static void assert_reported(const struct elect_id *id)
{
	const struct host_other *o = host_runs_other(host, now_us);

	assert_non_null(o);
	assert_memory_equal(&o->id, id, sizeof(*id));
}

static void speak_as(const struct elect_id *id, uint64_t session)
{
	trust_init(&peer, "lan", NULL, id, session, session);
}

static void a_verified_session_is_reported(void **state)
{
	(void)state;
	prove_peer();
	assert_null(host_runs_other(host, now_us));
	hear_other();
	assert_reported(&two);
	assert_int_equal(host_runs_other(host, now_us)->at_us, now_us);
}

static void the_report_ends_a_minute_after_its_last_message(void **state)
{
	(void)state;
	prove_peer();
	hear_other();
	now_us += 30000000;
	hear_other();
	now_us += HOST_OTHER_US - 1;
	assert_reported(&two);
	now_us++;
	assert_null(host_runs_other(host, now_us));
}

/* Otherwise the report would alternate between two hosts. */
static void the_report_names_the_first_host_as_long_as_it_is_heard(void **state)
{
	static const struct elect_id three = { .bytes = { 3 } };

	(void)state;
	prove_peer();
	hear_other();
	speak_as(&three, 33);
	prove_peer();
	for (unsigned i = 0; i < 59; i++) {
		now_us += 1000000;
		hear_other();
		assert_reported(&two);
	}
	now_us += 1000000;
	assert_null(host_runs_other(host, now_us));
	hear_other();
	assert_reported(&three);
}

static void an_unverified_session_is_challenged_and_not_reported(void **state)
{
	const struct elect_send *send = &actions.items[0].send;

	(void)state;
	hear_other();
	assert_int_equal(actions.count, 1);
	assert_int_equal(send->type, ELECT_CHALLENGE);
	assert_memory_equal(&send->to, &two, sizeof(two));
	assert_int_equal(send->by.count, 1);
	assert_memory_equal(&send->by.items[0].address, &path, sizeof(path));
	assert_null(host_runs_other(host, now_us));
	prove_peer();
	hear_other();
	assert_reported(&two);
}

/* The echo does not matter: a host of that election answers a Challenge as every host does. */
static void an_answer_of_another_election_verifies_no_session(void **state)
{
	struct elect_msg answer = { .type = ELECT_AYTHERE_ANSWER };

	(void)state;
	trust_challenge(host_trust(host), now_us, &answer.transaction);
	assert_int_equal(receive(&answer), WIRE_ANSWER_UNASKED);
	assert_false(trust_proven(host_trust(host), &two, peer.session));
	assert_null(host_runs_other(host, now_us));
	challenge_peer();
	assert_true(trust_proven(host_trust(host), &two, peer.session));
}

static void all_sessions_share_one_challenge_per_beacon(void **state)
{
	unsigned challenges = 0;

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		struct elect_id id = { .bytes = { 2, (uint8_t)n } };

		speak_as(&id, 22 + n);
		hear_other();
		challenges += actions.count;
		now_us += BEACON_US / 2;
	}
	assert_int_equal(challenges, 20);
}

static void a_verified_session_is_challenged_for_its_counter(void **state)
{
	(void)state;
	prove_peer();
	hear_other();
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	hear_other();
	assert_int_equal(actions.count, 0);
	now_us += BEACON_US;
	hear_other();
	assert_int_equal(actions.count, 1);
}

static void a_clone_is_challenged_as_long_as_it_is_heard(void **state)
{
	struct elect_id one = { .bytes = { 1 } };

	(void)state;
	speak_as(&one, 12);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
	hear_other();
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
}

/* The host has changed to this election, or its id was forged. */
static void a_member_is_not_reported(void **state)
{
	(void)state;
	prove_peer();
	hear_other();
	fake.members[1].id = two;
	assert_null(host_runs_other(host, now_us));
}

static void a_start_forgets_what_was_heard_before(void **state)
{
	struct elect_start start = { .session = 12, .seed = 6, .incarnation = 4 };

	(void)state;
	prove_peer();
	hear_other();
	start.config.id.bytes[0] = 1;
	host_start(host, now_us, "lan", NULL, &start, &actions);
	assert_null(host_runs_other(host, now_us));
	hear_other();
	assert_int_equal(actions.count, 1);
}

static void a_refused_counter_does_not_affect_the_next_message(void **state)
{
	struct elect_msg goodbye = { .type = ELECT_GOODBYE, .loss = ELECT_LOSS_STOP };

	(void)state;
	prove_peer();
	goodbye.counter = ELECT_COUNTER_LIMIT;
	assert_int_equal(receive(&goodbye), WIRE_COUNTER_BAD);
	hear_other();
	assert_reported(&two);
}

/* S6: a replay does not become a report, however often it comes. */
static void a_recording_of_a_former_session_is_not_reported(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram recorded = make(&m);

	(void)state;
	speak_as(&two, 23);
	prove_peer();
	fake.steps = 0;
	for (unsigned i = 0; i < 20; i++) {
		now_us += 1500000;
		host_receive(host, now_us, &way, recorded.bytes, recorded.size, &actions);
		for (unsigned a = 0; a < actions.count; a++)
			assert_int_equal(actions.items[a].send.type, ELECT_CHALLENGE);
	}
	assert_int_equal(fake.steps, 0);
	assert_null(host_runs_other(host, now_us));
}

static void a_copy_is_refused_as_a_replay(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	d = make(&m);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_TYPE_BAD);
	now_us += HOST_OTHER_US;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_null(host_runs_other(host, now_us));
}

static void no_field_of_another_election_is_read(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	d = make(&m);
	d.bytes[WIRE_HEADER_SIZE + 4] = 0xff;
	trust_seal(&peer, d.bytes, d.size, &path);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_TYPE_BAD);
	assert_reported(&two);
}

static void a_wrong_tag_is_refused_first(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	d = make(&m);
	d.bytes[d.size - 1] ^= 1;
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_TAG_BAD);
	assert_int_equal(actions.count, 0);
	assert_null(host_runs_other(host, now_us));
}

/* A number that is no message is refused before the tag is checked, with the same verdict. */
static void an_unknown_type_is_not_of_another_election(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	hear_other();
	now_us += HOST_OTHER_US;
	d = make(&m);
	d.bytes[5] = 0xee;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_TYPE_BAD);
	assert_int_equal(actions.count, 0);
	assert_null(host_runs_other(host, now_us));
}

static void a_challenge_is_answered_and_a_goodbye_is_heard(void **state)
{
	struct elect_msg challenge = { .type = ELECT_CHALLENGE },
			 goodbye = { .type = ELECT_GOODBYE, .loss = ELECT_LOSS_STOP };

	(void)state;
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE_ANSWER);
	prove_peer();
	assert_int_equal(receive(&goodbye), WIRE_OK);
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
	assert_int_equal(fake.event.message->type, ELECT_GOODBYE);
}

/* The clone challenges this host, whose messages it cannot decode either, so both notice. */
static void a_duplicate_of_our_id_is_noticed_by_its_challenge(void **state)
{
	struct elect_id one = { .bytes = { 1 } };
	struct elect_msg challenge = { .type = ELECT_CHALLENGE };

	(void)state;
	speak_as(&one, 12);
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
}

static void messages_of_another_election_are_counted_by_verdict(void **state)
{
	(void)state;
	hear_other();
	prove_peer();
	hear_other();
	assert_int_equal(host_counters(host)->dropped[WIRE_TYPE_BAD], 2);
	assert_int_equal(host_counters(host)->received[ELECT_HELLO], 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up_other, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_verified_session_is_reported),
		T(the_report_ends_a_minute_after_its_last_message),
		T(the_report_names_the_first_host_as_long_as_it_is_heard),
		T(an_unverified_session_is_challenged_and_not_reported),
		T(an_answer_of_another_election_verifies_no_session),
		T(all_sessions_share_one_challenge_per_beacon),
		T(a_verified_session_is_challenged_for_its_counter),
		T(a_clone_is_challenged_as_long_as_it_is_heard),
		T(a_member_is_not_reported),
		T(a_start_forgets_what_was_heard_before),
		T(a_refused_counter_does_not_affect_the_next_message),
		T(a_recording_of_a_former_session_is_not_reported),
		T(a_copy_is_refused_as_a_replay),
		T(no_field_of_another_election_is_read),
		T(a_wrong_tag_is_refused_first),
		T(an_unknown_type_is_not_of_another_election),
		T(a_challenge_is_answered_and_a_goodbye_is_heard),
		T(a_duplicate_of_our_id_is_noticed_by_its_challenge),
		T(messages_of_another_election_are_counted_by_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
