/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forged sequences and recordings of a session (sessions.md, A session): what a host asks, what it
 * answers, and what takes effect once the session has answered. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static const struct elect_msg challenge = {
	.type = ELECT_CHALLENGE, .transaction.bytes = { 9, 9, 9 }, .room = 17
};

static struct elect_msg hello;

static int begin(void **state)
{
	set_up(state);
	hello = make_hello();
	now_us += 1000000;
	challenge_peer();
	return 0;
}

/* A beacon interval ago, an attacker has used up the window of `peer` in one space. */
static void forge(bool to_all)
{
	uint64_t used = peer.sequences[to_all];
	struct datagram d;

	peer.sequences[to_all] += SESSION_LEAP - 1;
	d = make_for(&path, &hello, to_all);
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OK);
	peer.sequences[to_all] = used;
	now_us += BEACON_US;
}

static unsigned sends(enum elect_msg_type type)
{
	unsigned count = 0;

	for (unsigned i = 0; i < actions.count; i++)
		count += actions.items[i].type == ELECT_ACTION_SEND &&
			actions.items[i].send.type == type;
	return count;
}

/* A refused datagram to all is not challenged at once. */
static unsigned asks_within_a_spread(void)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };
	unsigned count = sends(ELECT_CHALLENGE);

	tick.now_us = now_us + 100;
	host_step(host, &tick, &actions);
	return count + sends(ELECT_CHALLENGE);
}

static enum wire_verdict says(bool to_all)
{
	struct datagram d = make_for(&path, &hello, to_all);

	return host_receive(host, now_us, &way, d.bytes, d.size, &actions);
}

/* `peer` receives what was heard of it, and skips it. */
static void passes_over(void)
{
	const struct trust_session *s =
		&host_trust(host)->peers[trust_find(host_trust(host), &two, 0)].proven;
	struct elect_heard heard = { .session = s->session,
		.top_to_one = s->windows[TRUST_TO_ONE].top,
		.top_to_all = s->windows[TRUST_TO_ALL].top };

	trust_pass_over_heard(&peer, &heard);
}

/* W1 (3), (2). */
static void a_session_refused_by_its_window_is_challenged_and_accepted(void **state)
{
	for (unsigned to_all = 0; to_all < 2; to_all++) {
		if (to_all) {
			tear_down(state);
			begin(state);
		}
		fake.view.group.coordinator = two;
		forge(to_all);
		assert_int_equal(says(to_all), WIRE_REPLAYED);
		assert_int_equal(asks_within_a_spread(), 1);
		challenge_peer();
		assert_int_equal(says(to_all), WIRE_REPLAYED);
		passes_over();
		challenge_peer();
		assert_int_equal(says(to_all), WIRE_OK);
	}
}

/* The datagram may come from a host that uses another host's name. */
static void a_refused_session_is_also_challenged_at_its_known_address(void **state)
{
	const struct elect_way forger = { { .bytes = { 10, 0, 0, 66 }, .port = 7544, .family = 4 },
		1 };
	const struct elect_send *s = &actions.items[0].send;
	struct datagram d;

	(void)state;
	forge(false);
	d = make_for(&forger.address, &hello, false);
	assert_int_equal(
		host_receive(host, now_us, &forger, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(sends(ELECT_CHALLENGE), 1);
	assert_int_equal(s->by.count, 2);
	assert_true(elect_address_equal(&s->by.items[0].address, &path));
	assert_true(elect_address_equal(&s->by.items[1].address, &forger.address));
}

static void every_member_challenges_the_coordinator_without_a_budget(void **state)
{
	(void)state;
	fake.members[0].id.bytes[0] = 8;
	fake.members[1].id.bytes[0] = 9;
	forge(true);
	host_trust(host)->unverified.full_us[UNVERIFIED_KNOWN] = UINT64_MAX / 2;
	assert_int_equal(says(true), WIRE_REPLAYED);
	assert_int_equal(asks_within_a_spread(), 0);
	fake.view.group.coordinator = two;
	assert_int_equal(says(true), WIRE_REPLAYED);
	assert_int_equal(asks_within_a_spread(), 1);
}

/* W1 (5): otherwise neither host would ever answer the other again. */
static void hosts_that_refuse_each_other_answer_four_challenges_a_beacon(void **state)
{
	(void)state;
	forge(false);
	for (unsigned i = 0; i < 4; i++, now_us += BEACON_US / 4) {
		assert_int_equal(receive(&challenge), WIRE_REPLAYED);
		assert_int_equal(sends(ELECT_CHALLENGE), 1);
		assert_int_equal(sends(ELECT_CHALLENGE_ANSWER), 1);
		assert_int_equal(receive(&challenge), WIRE_REPLAYED);
		assert_int_equal(actions.count, 0);
	}
}

/* A Challenge of version 0.1 has no space for tops. */
static void a_refused_datagram_causes_no_larger_challenge(void **state)
{
	static const struct elect_msg short_challenge = { .type = ELECT_CHALLENGE };

	(void)state;
	forge(false);
	assert_int_equal(receive(&short_challenge), WIRE_REPLAYED);
	assert_int_equal(sends(ELECT_CHALLENGE), 0);
	assert_int_equal(receive(&challenge), WIRE_REPLAYED);
	assert_int_equal(sends(ELECT_CHALLENGE), 1);
}

static void a_recorded_challenge_is_not_answered_again(void **state)
{
	struct datagram d = make(&challenge);

	(void)state;
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OK);
	assert_int_equal(sends(ELECT_CHALLENGE_ANSWER), 1);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
	challenge_peer();
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_REPLAYED);
	assert_int_equal(actions.count, 0);
}

/* W1 (4): such a datagram used up its sequence. */
static void a_datagram_with_invalid_fields_uses_up_no_sequence(void **state)
{
	struct datagram good = make(&hello), bad = good;

	(void)state;
	bad.bytes[WIRE_HEADER_SIZE + 4] = 0xff;
	trust_seal(&peer, bad.bytes, bad.size, &path);
	assert_int_equal(
		host_receive(host, now_us, &way, bad.bytes, bad.size, &actions), WIRE_FIELDS_BAD);
	assert_int_equal(
		host_receive(host, now_us, &way, good.bytes, good.size, &actions), WIRE_OK);
}

static void a_counter_at_the_limit_uses_up_no_sequence(void **state)
{
	struct elect_msg high = hello;

	(void)state;
	high.counter = ELECT_COUNTER_LIMIT;
	assert_int_equal(receive(&high), WIRE_COUNTER_BAD);
	peer.sequences[0]--;
	assert_int_equal(receive(&hello), WIRE_OK);
}

/* An attacker that sees the question could close it. */
static void an_answer_with_wrong_tops_leaves_its_challenge_open(void **state)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	(void)state;
	trust_challenge(host_trust(host), now_us, &m.transaction);
	m.tops.to_one = peer.sequences[0] + 2;
	assert_int_equal(receive(&m), WIRE_FIELDS_BAD);
	m.tops.to_one = peer.sequences[0] + 1;
	assert_int_equal(receive(&m), WIRE_OK);
	assert_int_equal(receive(&m), WIRE_ANSWER_UNASKED);
}

/* Host three sends a Hello to all, is challenged and answers. Returns the type that reaches the
 * election. */
static enum elect_msg_type acted_on(uint64_t said, const struct elect_tops *tops)
{
	static const struct elect_id three = { .bytes = { 3 } };
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	fake.worth = ELECT_WORTH_ASKING;
	trust_init(&peer, "lan", NULL, &three, 33, 33);
	peer.sequences[1] = said - 1;
	assert_int_equal(says(true), WIRE_UNPROVEN);
	trust_challenge(host_trust(host), now_us, &m.transaction);
	peer.sequences[0] = tops->to_one - 1;
	m.tops = *tops;
	assert_int_equal(receive(&m), WIRE_OK);
	return fake.event.message->type;
}

static void a_recent_datagram_takes_effect_with_the_answer(void **state)
{
	(void)state;
	assert_int_equal(acted_on(50, &(struct elect_tops){ 9, 50, 1 }), ELECT_HELLO);
	assert_int_equal(says(true), WIRE_OK);
	peer.sequences[1]--;
	assert_int_equal(says(true), WIRE_REPLAYED);
}

/* W3: the answer proves that the host is alive, and that the Hello is old. */
static void a_kept_recording_has_no_effect(void **state)
{
	(void)state;
	assert_int_equal(acted_on(50, &(struct elect_tops){ 9, 50, 0 }), ELECT_CHALLENGE_ANSWER);
	tear_down(state);
	begin(state);
	assert_int_equal(acted_on(50, &(struct elect_tops){ 9, 53, 3 }), ELECT_CHALLENGE_ANSWER);
}

/* The sequence is further ahead than the ones its sender has used, so the datagram is forged. */
static void a_kept_forgery_has_no_effect(void **state)
{
	(void)state;
	assert_int_equal(acted_on(50 + SESSION_LEAP, &(struct elect_tops){ 9, 49, 0 }),
		ELECT_CHALLENGE_ANSWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)
		T(a_session_refused_by_its_window_is_challenged_and_accepted),
		T(a_refused_session_is_also_challenged_at_its_known_address),
		T(every_member_challenges_the_coordinator_without_a_budget),
		T(hosts_that_refuse_each_other_answer_four_challenges_a_beacon),
		T(a_refused_datagram_causes_no_larger_challenge),
		T(a_recorded_challenge_is_not_answered_again),
		T(a_datagram_with_invalid_fields_uses_up_no_sequence),
		T(a_counter_at_the_limit_uses_up_no_sequence),
		T(an_answer_with_wrong_tops_leaves_its_challenge_open),
		T(a_recent_datagram_takes_effect_with_the_answer),
		T(a_kept_recording_has_no_effect),
		T(a_kept_forgery_has_no_effect),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
