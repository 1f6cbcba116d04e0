/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datagrams of another algorithm: who runs that is told to the election when he is proven, and
 * nothing else is read.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host_fake.h"

/* This host runs another one than the Hellos of its peer. */
static int set_up_other(void **state)
{
	set_up(state);
	fake.config.algorithm = 1;
	return 0;
}

static enum wire_verdict hello(void)
{
	struct elect_msg m = make_hello();

	m.counter = 77;
	return receive(&m);
}

static void one_that_is_proven_is_told_to_the_election(void **state)
{
	(void)state;
	prove_peer();
	fake.steps = 0;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
	assert_memory_equal(&fake.event.other.id, &two, sizeof(two));
	assert_int_equal(fake.event.other.number, 0);
	assert_int_equal(fake.event.other.counter, 77);
	assert_int_equal(fake.event.now_us, now_us);
	assert_int_equal(actions.count, 0);
}

static void what_the_election_does_then_is_done(void **state)
{
	(void)state;
	prove_peer();
	fake.says = (struct elect_action){ .type = ELECT_ACTION_RELEASE };
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].type, ELECT_ACTION_RELEASE);
}

static void one_that_is_not_proven_is_challenged_and_nothing_else(void **state)
{
	const struct elect_send *send = &actions.items[0].send;

	(void)state;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	assert_int_equal(fake.steps, 1); /* its start */
	assert_int_equal(fake.hellos, 0);
	assert_int_equal(actions.count, 1);
	assert_int_equal(send->type, ELECT_CHALLENGE);
	assert_memory_equal(&send->to, &two, sizeof(two));
	assert_int_equal(send->by.count, 1);
	assert_memory_equal(&send->by.items[0].address, &path, sizeof(path));
}

static void all_of_them_together_once_a_beacon(void **state)
{
	unsigned challenges = 0;

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		struct elect_id id = { .bytes = { 2, (uint8_t)n } };

		trust_init(&peer, "lan", NULL, &id, 22 + n, 22 + n);
		assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
		challenges += actions.count;
		now_us += 100000;
	}
	assert_int_equal(challenges, 20);
}

/* Nothing more need come of it, and one answer is one word. */
static void what_it_said_counts_when_it_has_answered(void **state)
{
	(void)state;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
	assert_memory_equal(&fake.event.other.id, &two, sizeof(two));
	assert_int_equal(fake.event.other.number, 0);
	assert_int_equal(fake.event.other.counter, 77);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
}

/* W3: the answer shows that its sender lives, and that it has said that long ago, if it has. */
static void a_recording_of_it_is_not_acted_on(void **state)
{
	(void)state;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	peer.sequences[0] = 100;
	challenge_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM); /* it says so now */
	assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
}

/* The datagram that was acted on with the answer has been seen. */
static void a_copy_of_what_it_said_is_none_either(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d = make(&m);

	(void)state;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OTHER_ALGORITHM);
	challenge_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
}

/* Host ids are random: the first bytes of these ids are no known message type. */
static void the_received_message_is_kept_when_the_election_gets_another_event(void **state)
{
	static const struct elect_id ids[] = {
		{ { 0x9c, 0x41, 0xe7, 0xb2, 0x5d, 0x08, 0x33, 0xfa, 0x6e } },
		{ { 0x7f, 0xff, 0xff, 0xff, 0x01 } },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct elect_msg *heard;

		now_us += BEACON_US;
		trust_init(&peer, "lan", NULL, &ids[i], 22 + i, 22 + i);
		assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
		assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
		prove_peer();
		assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
		assert_memory_equal(&fake.event.other.id, &ids[i], sizeof(ids[i]));
		heard = host_heard(host);
		assert_int_equal(heard->type, ELECT_CHALLENGE_ANSWER);
		assert_memory_equal(&heard->sender, &ids[i], sizeof(ids[i]));
		assert_int_equal(heard->session, 22 + i);
		assert_int_equal(actions.count, 0); /* the message is not read as a Challenge */
	}
}

/* The message of an earlier datagram is not returned in its place. */
static void a_datagram_that_is_not_decoded_has_no_message(void **state)
{
	(void)state;
	assert_null(host_heard(host));
	prove_peer();
	assert_int_equal(host_heard(host)->type, ELECT_CHALLENGE_ANSWER);
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	assert_null(host_heard(host));
}

static void who_answers_in_another_session_has_not_said_it(void **state)
{
	(void)state;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
}

/* That our state is old goes first (D1). */
static void an_answer_with_something_to_say_is_heard_itself(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER, .known = 9 };

	(void)state;
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_OK);
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
}

/* It is decoded by nobody, so it may say what it likes, and ask what it likes. */
static void no_field_of_it_is_read(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d;

	(void)state;
	prove_peer();
	d = make(&m);
	d.bytes[WIRE_HEADER_SIZE + 4] = 0xff; /* bits of the standing */
	trust_seal(&peer, d.bytes, d.size, &path);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OTHER_ALGORITHM);
	assert_int_equal(fake.event.type, ELECT_EVENT_OTHER_ALGORITHM);
}

static void a_copy_of_it_is_none(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram d = make(&m);

	(void)state;
	prove_peer();
	d = make(&m);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OTHER_ALGORITHM);
	fake.steps = 0;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(fake.steps, 0);
	assert_int_equal(actions.count, 0);
}

/* A recording of a former life proves nothing, however often it is sent. */
static void a_session_that_is_over_changes_nothing(void **state)
{
	struct elect_msg m = make_hello();
	struct datagram recorded = make(&m);

	(void)state;
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	prove_peer();
	fake.steps = 0;
	for (unsigned i = 0; i < 20; i++) {
		now_us += 1500000;
		host_receive(host, now_us, &way, recorded.bytes, recorded.size, &actions);
		for (unsigned a = 0; a < actions.count; a++)
			assert_int_equal(actions.items[a].send.type, ELECT_CHALLENGE);
	}
	assert_int_equal(fake.steps, 0);
}

static void what_belongs_to_all_algorithms_is_read(void **state)
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

static void a_duplicate_of_our_id_is_one_whatever_it_runs(void **state)
{
	struct elect_id one = { .bytes = { 1 } };

	(void)state;
	trust_init(&peer, "lan", NULL, &one, 12, 12);
	prove_peer();
	assert_int_equal(hello(), WIRE_OTHER_ALGORITHM);
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
}

static void they_are_counted(void **state)
{
	(void)state;
	hello();
	prove_peer();
	hello();
	assert_int_equal(host_counters(host)->dropped[WIRE_OTHER_ALGORITHM], 2);
	assert_int_equal(host_counters(host)->received[ELECT_HELLO], 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up_other, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_that_is_proven_is_told_to_the_election),
		T(what_the_election_does_then_is_done),
		T(one_that_is_not_proven_is_challenged_and_nothing_else),
		T(all_of_them_together_once_a_beacon),
		T(what_it_said_counts_when_it_has_answered),
		T(a_recording_of_it_is_not_acted_on),
		T(a_copy_of_what_it_said_is_none_either),
		T(the_received_message_is_kept_when_the_election_gets_another_event),
		T(a_datagram_that_is_not_decoded_has_no_message),
		T(who_answers_in_another_session_has_not_said_it),
		T(an_answer_with_something_to_say_is_heard_itself),
		T(no_field_of_it_is_read),
		T(a_copy_of_it_is_none),
		T(a_session_that_is_over_changes_nothing),
		T(what_belongs_to_all_algorithms_is_read),
		T(a_duplicate_of_our_id_is_one_whatever_it_runs),
		T(they_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
