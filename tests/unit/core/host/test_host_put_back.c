/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that was put back to an earlier state (sessions.md, Put back): which hosts notify it,
 * how often, and when its process believes them. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static struct elect_msg hello;

static void make_large_hello(void)
{
	hello = make_hello();
	memset(hello.name, 'n', 40);
}

/* The two hosts are one group, and 100 datagrams of the peer were heard. */
static int begin(void **state)
{
	set_up(state);
	fake.members[0].id.bytes[0] = 1;
	fake.members[1].id = two;
	make_large_hello();
	prove_peer();
	for (unsigned i = 0; i < 99; i++)
		assert_int_equal(receive(&hello), WIRE_OK);
	now_us += BEACON_US;
	return 0;
}

/* Puts the peer back to its state 90 datagrams ago. */
static void put_peer_back(void)
{
	peer.sequences[0] = 10;
}

/* Returns the `heard` of the pending Challenge. Session 0: it carries none. */
static struct elect_heard told(void)
{
	struct host_datagram d;
	struct elect_msg m;

	if (actions.count == 0)
		return (struct elect_heard){ 0 };
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	assert_true(elect_address_equal(&actions.items[0].send.by.items[0].address, &path));
	host_compose(host, now_us, &actions.items[0].send, 0, &d);
	assert_int_equal(wire_decode(d.bytes, d.size, &m), 0);
	return m.heard;
}

static bool is_told(void)
{
	assert_int_equal(receive(&hello), WIRE_REPLAYED);
	return told().session != 0;
}

/* Whether the peer skips the sequences that the pending Challenge carries. */
static bool peer_passes_over(void)
{
	struct elect_heard heard = told();

	if (!heard.session || trust_put_back(&peer, &heard) || trust_used_up(&peer, &heard))
		return false;
	trust_pass_over_heard(&peer, &heard);
	return true;
}

static void a_session_that_goes_back_is_sent_what_was_heard_of_it(void **state)
{
	struct elect_heard heard;

	(void)state;
	put_peer_back();
	assert_int_equal(receive(&hello), WIRE_REPLAYED);
	heard = told();
	assert_int_equal(heard.session, 22);
	assert_int_equal(heard.to_one, 98); /* the number that two others exceed */
	assert_int_equal(heard.to_all, 0);
	assert_int_equal(heard.top_to_one, 100);
	assert_true(trust_put_back(&peer, &heard));
}

static void a_copy_of_a_recent_datagram_causes_nothing(void **state)
{
	struct datagram d = make(&hello);

	(void)state;
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OK);
	now_us += BEACON_US - 1;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
}

/* A copy by a second LAN is not refused, but it may show that its sender has lost its state. */
static void a_first_copy_on_this_link_causes_a_challenge(void **state)
{
	struct elect_way other = { { .bytes = { 192, 0, 2, 2 }, .port = 7544, .family = 4 }, 2 };
	struct datagram d;

	(void)state;
	peer.sequences[0] = 90;
	d = make_at(&other.address, &hello);
	assert_int_equal(
		host_receive(host, now_us, &other, d.bytes, d.size, &actions), WIRE_DUPLICATE);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.heard.to_one, 98);
}

/* The window began late and accepts the sequence. */
static void a_sequence_below_one_of_a_beacon_ago_causes_a_challenge(void **state)
{
	(void)state;
	peer.sequences[0] = 107;
	assert_int_equal(receive(&hello), WIRE_OK);
	peer.sequences[0] = 103;
	now_us += BEACON_US - 1;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 0);
	now_us++;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(told().to_one, 104); /* 108, 105 and 104 were seen */
	now_us += BEACON_US - 1;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 0); /* one per beacon interval */
	now_us++;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(told().to_one, 106);
}

/* W1: one forged datagram ended the session of a living host at each host that it reached. */
static void a_sequence_set_by_one_forged_datagram_is_not_reported(void **state)
{
	(void)state;
	tear_down(state);
	set_up(state);
	fake.members[0].id.bytes[0] = 1;
	fake.members[1].id = two;
	make_large_hello();
	challenge_peer();
	peer.sequences[0] += SESSION_LEAP - 1;
	assert_int_equal(receive(&hello), WIRE_OK); /* the forged one */
	peer.sequences[0] = 1;
	now_us += BEACON_US;
	assert_int_equal(receive(&hello), WIRE_REPLAYED);
	assert_int_equal(told().to_one, 0);
	assert_true(peer_passes_over());
	assert_int_equal(receive(&hello), WIRE_OK);
}

/* W1 (2): the sequence of the answer is below the ones heard. */
static void an_answer_that_goes_back_is_sent_what_was_heard(void **state)
{
	(void)state;
	put_peer_back();
	challenge_peer();
	assert_int_equal(told().session, 22);
	assert_int_equal(actions.items[0].send.heard.to_one, 98);
}

/* An insider could cause a longer pause and leave it behind. */
static void recordings_of_a_silent_session_cause_one_challenge_per_beacon(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		put_peer_back();
		assert_true(is_told());
		now_us += BEACON_US - 1;
		assert_false(is_told());
		now_us++;
	}
	peer.sequences[0] = 100;
	assert_int_equal(receive(&hello), WIRE_OK);
	now_us += BEACON_US - 1;
	put_peer_back();
	assert_false(is_told());
}

static void a_datagram_causes_no_larger_challenge(void **state)
{
	struct elect_msg small = { .type = ELECT_CHALLENGE };

	(void)state;
	put_peer_back();
	assert_int_equal(receive(&small), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
	small.room = 17; /* as long as a Challenge without `heard` */
	assert_int_equal(receive(&small), WIRE_REPLAYED);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	assert_int_equal(actions.items[0].send.heard.session, 0);
	now_us += BEACON_US;
	assert_true(is_told());
}

static void only_the_first_members_answer_a_refused_datagram_to_all(void **state)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };
	struct datagram d;

	(void)state;
	challenge_peer();
	d = make_to_all(&hello);
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OK);
	now_us += BEACON_US;
	fake.members[0].id.bytes[0] = 3;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
	tick.now_us = now_us += 2 * 50;
	host_step(host, &tick, &actions);
	assert_int_equal(actions.count, 0);
	fake.members[0].id.bytes[0] = 1;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0); /* not at once, because all hosts that refuse it ask */
	tick.now_us = now_us += 2 * 50;
	host_step(host, &tick, &actions);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	host_step(host, &tick, &actions);
	assert_int_equal(actions.count, 0);
}

/* Recordings of many sessions share the budget of known sessions. */
static void a_challenge_uses_the_budget_of_known_sessions(void **state)
{
	(void)state;
	put_peer_back();
	while (unverified_pay(&host_trust(host)->unverified, now_us))
		;
	assert_false(is_told());
}

static struct elect_msg make_telling(uint64_t session, uint64_t to_one)
{
	return (struct elect_msg){ .type = ELECT_CHALLENGE,
		.transaction = { { 1, 2, 3 } },
		.heard = { .session = session, .to_one = to_one, .top_to_one = to_one } };
}

static bool begins_anew(const struct elect_msg *m)
{
	unsigned steps = fake.steps;

	assert_int_equal(receive(m), WIRE_OK);
	assert_int_equal(actions.items[actions.count - 1].send.type, ELECT_CHALLENGE_ANSWER);
	assert_int_equal(fake.steps > steps, fake.event.type == ELECT_EVENT_PUT_BACK);
	return fake.steps > steps;
}

static void a_host_put_back_begins_a_new_session_and_verifies_nobody(void **state)
{
	struct elect_msg m = make_telling(11, 1);

	(void)state;
	assert_true(trust_proven(host_trust(host), &two, 22));
	assert_true(begins_anew(&m));
	assert_int_not_equal(host_trust(host)->session, 11);
	assert_int_equal(fake.event.put_back.session, host_trust(host)->session);
	assert_int_equal(fake.event.now_us, now_us);
	assert_int_equal(trust_sequence(host_trust(host), false), 1);
	assert_false(trust_proven(host_trust(host), &two, 22));
	fake.event.type = ELECT_EVENT_TICK;
	assert_false(begins_anew(&m));
}

/* A living process has used the sequences that a recording names. */
static void used_sequences_do_not_begin_a_new_session(void **state)
{
	struct elect_msg m;

	(void)state;
	fake.event.type = ELECT_EVENT_TICK;
	trust_sequence(host_trust(host), false);
	m = make_telling(11, 1);
	assert_false(begins_anew(&m));
	m = make_telling(12, 1000);
	assert_false(begins_anew(&m));
	assert_int_equal(host_trust(host)->session, 11);
}

static void one_of_the_two_sequence_spaces_is_enough(void **state)
{
	struct elect_msg m = make_telling(11, 0);

	(void)state;
	trust_sequence(host_trust(host), true);
	m.heard.to_all = m.heard.top_to_all = 1;
	fake.event.type = ELECT_EVENT_TICK;
	assert_false(begins_anew(&m));
	m.heard.to_all = m.heard.top_to_all = 2;
	assert_true(begins_anew(&m));
}

/* Two processes start from one state. The transaction of another host makes their sessions
 * differ. */
static void two_processes_from_one_state_begin_different_sessions(void **state)
{
	struct elect_msg m = make_telling(11, 1);
	uint64_t first;

	(void)state;
	assert_true(begins_anew(&m));
	first = host_trust(host)->session;
	tear_down(state);
	begin(state);
	m.transaction.bytes[7] = 9;
	assert_true(begins_anew(&m));
	assert_int_not_equal(host_trust(host)->session, first);
}

/* A recorded Challenge restores the session of the first process, until a fresh one ends it. */
static void a_recording_repeats_a_session_for_one_pause_at_most(void **state)
{
	struct elect_msg recorded = make_telling(11, 1), fresh = recorded;
	uint64_t first;

	(void)state;
	assert_true(begins_anew(&recorded));
	first = host_trust(host)->session;
	tear_down(state);
	begin(state);
	assert_true(begins_anew(&recorded));
	assert_int_equal(host_trust(host)->session, first);
	fresh.transaction.bytes[0] = 9;
	fresh.heard = (struct elect_heard){ .session = first, .to_all = 1, .top_to_all = 1 };
	now_us += 5000000;
	assert_true(begins_anew(&fresh));
	assert_int_not_equal(host_trust(host)->session, first);
}

static void a_false_report_begins_a_new_session_every_five_seconds_at_most(void **state)
{
	struct elect_msg m = make_telling(11, 1);

	(void)state;
	assert_true(begins_anew(&m));
	now_us += 4999999;
	fake.event.type = ELECT_EVENT_TICK;
	m.heard.session = host_trust(host)->session;
	m.heard.to_one = m.heard.top_to_one = 1000;
	assert_false(begins_anew(&m)); /* but it skips the sequences */
	assert_true(trust_sequence(host_trust(host), false) > 1000);
	now_us++;
	m.heard.to_one = m.heard.top_to_one = 2000;
	assert_true(begins_anew(&m));
}

/* The tops in a Challenge may be forged, and recordings of the skipped sequences would be new
 * later. */
static void sequences_that_were_heard_are_skipped(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE, .heard = { .session = 11 } };
	struct host_datagram d;
	struct elect_msg answer;

	(void)state;
	fake.event.type = ELECT_EVENT_TICK;
	trust_sequence(host_trust(host), true);
	trust_sent(host_trust(host), now_us, true);
	m.heard.top_to_one = 5000;
	m.heard.top_to_all = 7000;
	assert_false(begins_anew(&m));
	host_compose(host, now_us, &actions.items[actions.count - 1].send, 0, &d);
	assert_int_equal(wire_decode(d.bytes, d.size, &answer), 0);
	assert_int_equal(answer.tops.to_one, 5005); /* the last five are new, too */
	assert_int_equal(answer.tops.to_all, 7000);
	assert_int_equal(answer.tops.recent, 0);
	m.heard.top_to_one = 4000;
	m.heard.top_to_all = 6000;
	assert_false(begins_anew(&m));
	assert_int_equal(trust_sequence(host_trust(host), true), 7001);
	m.heard.session = 12;
	m.heard.top_to_all = 9000;
	assert_false(begins_anew(&m));
	assert_int_equal(trust_sequence(host_trust(host), true), 7002);
}

/* Two hosts that refuse each other's Challenges still answer. */
static void sequences_in_a_refused_challenge_are_skipped(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE, .name = "two" };

	(void)state;
	m.heard = (struct elect_heard){ .session = 11, .top_to_one = 5000 };
	put_peer_back();
	assert_true(is_told()); /* so the peer awaits an answer */
	put_peer_back();
	assert_int_equal(receive(&m), WIRE_REPLAYED);
	assert_int_equal(actions.items[actions.count - 1].send.type, ELECT_CHALLENGE_ANSWER);
	assert_true(trust_sequence(host_trust(host), false) > 5000);
}

/*
 * The windows of this host are old, and the other hosts have sent so much since that it refuses
 * their Challenges as leaps. The same holds for two hosts that an attacker made refuse each other.
 */
static void a_refused_challenge_begins_a_new_session(void **state)
{
	struct elect_msg m = make_telling(11, 5000);
	uint64_t used = peer.sequences[0];

	(void)state;
	peer.sequences[0] += SESSION_LEAP_MAX;
	assert_true(begins_anew(&m));
	assert_int_equal(host_heard(host)->type, ELECT_CHALLENGE);
	assert_int_not_equal(host_trust(host)->session, 11);
	tear_down(state);
	begin(state);
	m.heard = (struct elect_heard){ .session = 11, .top_to_all = SESSION_PASSED_MAX + 1 };
	peer.sequences[0] = used - 1;
	assert_true(begins_anew(&m));
}

static void a_refused_datagram_has_no_other_effect(void **state)
{
	struct elect_msg m = make_telling(11, 0);

	(void)state;
	m.heard.top_to_one = 5000;
	peer.sequences[0] += SESSION_LEAP_MAX;
	assert_int_equal(receive(&m), WIRE_REPLAYED);
	assert_null(host_heard(host));
	m.heard.to_one = 5000;
	m.heard.session = 12;
	assert_int_equal(receive(&m), WIRE_REPLAYED);
	m.heard.session = 11;
	m.heard.to_one = m.heard.top_to_one = 6000;
	m.type = ELECT_CHALLENGE_ANSWER;
	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_REPLAYED);
	m = make_telling(11, 6000);
	assert_true(begins_anew(&m));
	challenge_peer();
	m.heard.session = host_trust(host)->session;
	m.heard.to_one = m.heard.top_to_one = 1000;
	peer.sequences[0] -= 10;
	assert_int_equal(receive(&m), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
}

/* The session needs space for the sequences that it has yet to send. */
static void sequences_that_cannot_be_skipped_end_the_session(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE, .heard = { .session = 11 } };

	(void)state;
	m.heard.top_to_all = SESSION_PASSED_MAX;
	fake.event.type = ELECT_EVENT_TICK;
	assert_false(begins_anew(&m));
	assert_int_equal(trust_sequence(host_trust(host), true), SESSION_PASSED_MAX + 1);
	m.heard.top_to_all++;
	assert_false(begins_anew(&m));
	m.heard.top_to_all++;
	assert_true(begins_anew(&m));
	assert_int_equal(trust_sequence(host_trust(host), true), 1);
	m.heard.session = host_trust(host)->session;
	now_us += 2 * BEACON_US - 1;
	fake.event.type = ELECT_EVENT_TICK;
	assert_false(begins_anew(&m)); /* an insider that repeats this stops it less often */
	now_us++;
	assert_true(begins_anew(&m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_HOST(test) cmocka_unit_test_setup_teardown(test, begin, tear_down)
		WITH_HOST(a_session_that_goes_back_is_sent_what_was_heard_of_it),
		WITH_HOST(a_copy_of_a_recent_datagram_causes_nothing),
		WITH_HOST(a_first_copy_on_this_link_causes_a_challenge),
		WITH_HOST(a_sequence_below_one_of_a_beacon_ago_causes_a_challenge),
		WITH_HOST(a_sequence_set_by_one_forged_datagram_is_not_reported),
		WITH_HOST(an_answer_that_goes_back_is_sent_what_was_heard),
		WITH_HOST(recordings_of_a_silent_session_cause_one_challenge_per_beacon),
		WITH_HOST(a_datagram_causes_no_larger_challenge),
		WITH_HOST(only_the_first_members_answer_a_refused_datagram_to_all),
		WITH_HOST(a_challenge_uses_the_budget_of_known_sessions),
		WITH_HOST(one_of_the_two_sequence_spaces_is_enough),
		WITH_HOST(a_host_put_back_begins_a_new_session_and_verifies_nobody),
		WITH_HOST(used_sequences_do_not_begin_a_new_session),
		WITH_HOST(two_processes_from_one_state_begin_different_sessions),
		WITH_HOST(a_recording_repeats_a_session_for_one_pause_at_most),
		WITH_HOST(a_false_report_begins_a_new_session_every_five_seconds_at_most),
		WITH_HOST(sequences_that_were_heard_are_skipped),
		WITH_HOST(sequences_in_a_refused_challenge_are_skipped),
		WITH_HOST(a_refused_challenge_begins_a_new_session),
		WITH_HOST(a_refused_datagram_has_no_other_effect),
		WITH_HOST(sequences_that_cannot_be_skipped_end_the_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
