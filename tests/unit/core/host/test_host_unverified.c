/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unverified session has no effect and gets nothing but a Challenge: how many, how large, what
 * is kept meanwhile, and what a flood can do. Linked as test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

enum { NEWCOMER_US = 300000 };

static struct elect_msg hello;

static int begin(void **state)
{
	set_up(state);
	fake.worth = ELECT_WORTH_ASKING;
	hello = make_hello();
	return 0;
}

/* Counts and checks the Challenges among the actions of the last call. */
static unsigned challenges_of_any(void)
{
	for (unsigned i = 0; i < actions.count; i++) {
		assert_int_equal(actions.items[i].type, ELECT_ACTION_SEND);
		assert_int_equal(actions.items[i].send.type, ELECT_CHALLENGE);
		assert_int_equal(actions.items[i].send.by.count, 1);
		assert_true(elect_address_equal(&actions.items[i].send.by.items[0].address, &path));
	}
	return actions.count;
}

static unsigned challenges(void)
{
	for (unsigned i = 0; i < actions.count; i++)
		assert_memory_equal(&actions.items[i].send.to, &peer.self, sizeof(peer.self));
	return challenges_of_any();
}

static unsigned hear(void)
{
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	return challenges();
}

static void tick(void)
{
	struct elect_event event = { .now_us = now_us, .type = ELECT_EVENT_TICK };

	host_step(host, &event, &actions);
}

/* Returns the transaction and the size of the only Challenge. */
static struct elect_transaction composed(size_t *ret_size)
{
	struct host_datagram d;
	struct elect_msg m;

	assert_int_equal(actions.count, 1);
	host_compose(host, now_us, &actions.items[0].send, 0, &d);
	assert_int_equal(wire_decode(d.bytes, d.size, &m), 0);
	*ret_size = d.size;
	return m.transaction;
}

static enum wire_verdict answer(const struct elect_transaction *t)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER, .transaction = *t };

	return receive(&m);
}

static void an_unproven_datagram_is_only_counted_and_challenged(void **state)
{
	(void)state;
	assert_int_equal(hear(), 1);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.hellos, 1);
	assert_int_equal(fake.met_us, now_us);
	assert_int_equal(host_counters(host)->dropped[WIRE_UNPROVEN], 1);
	assert_int_equal(host_counters(host)->received[ELECT_HELLO], 0);
}

static void a_datagram_worth_nothing_gets_no_challenge(void **state)
{
	(void)state;
	fake.worth = ELECT_WORTH_NOTHING;
	assert_int_equal(hear(), 0);
}

static void an_unproven_refused_counter_is_not_reported(void **state)
{
	(void)state;
	hello.counter = ELECT_COUNTER_LIMIT;
	assert_int_equal(receive(&hello), WIRE_COUNTER_BAD);
	assert_int_equal(actions.count, 0);
	assert_int_equal(fake.refused, 0);
	assert_int_equal(fake.hellos, 0);
}

/* The datagram that caused the Challenge takes effect with the answer, so no repeat is needed. */
static void the_newest_datagram_is_kept_until_the_answer(void **state)
{
	struct elect_transaction t;
	size_t size;

	(void)state;
	hear();
	t = composed(&size);
	strcpy(hello.name, "newer");
	assert_int_equal(hear(), 0);
	now_us += 1000;
	assert_int_equal(answer(&t), WIRE_OK);
	assert_int_equal(fake.steps, 2);
	assert_int_equal(fake.event.message->type, ELECT_HELLO);
	assert_string_equal(fake.event.message->name, "newer");
	assert_true(fake.event.message->proven);
	assert_true(elect_address_equal(&fake.event.message->from, &path));
	assert_int_equal(fake.event.now_us, now_us);
	assert_int_equal(host_counters(host)->received[ELECT_HELLO], 1);
	assert_int_equal(host_counters(host)->received[ELECT_CHALLENGE_ANSWER], 1);
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(fake.steps, 3);
}

static void an_old_kept_datagram_has_no_effect(void **state)
{
	struct elect_transaction t;
	size_t size;

	(void)state;
	hear();
	t = composed(&size);
	now_us += UNVERIFIED_KEPT_US + 1;
	assert_int_equal(answer(&t), WIRE_OK);
	assert_int_equal(fake.event.message->type, ELECT_CHALLENGE_ANSWER);
}

static void a_delayed_challenge_is_evaluated_again(void **state)
{
	uint64_t due_us;

	(void)state;
	fake.within_us = 400;
	for (unsigned i = 0; i < 2; i++) {
		fake.worth = ELECT_WORTH_ASKING;
		while (hear() > 0) /* a delay of 0 was drawn */
			now_us += BEACON_US;
		due_us = actions.wake_us;
		assert_in_range(due_us, now_us, now_us + 400);
		fake.worth = i ? ELECT_WORTH_ASKING : ELECT_WORTH_NOTHING;
		now_us = due_us;
		tick();
		assert_int_equal(challenges(), i);
		assert_int_equal(actions.wake_us, now_us + 500); /* the election's own wake-up */
	}
}

/* The amplification of a Challenge to any address is at most 1. */
static void a_challenge_is_smaller_than_what_causes_it(void **state)
{
	size_t size;

	(void)state;
	hear();
	composed(&size);
	assert_int_equal(size, WIRE_HEADER_SIZE + 4 + 17 + WIRE_TAG_SIZE);
	trust_vouch(host_trust(host), now_us, &(struct elect_session){ peer.self, 22 }, 1, 0);
	for (unsigned type = 1; type < ELECT_MSG_TYPES; type++) {
		struct elect_msg m = { .type = type,
			.timings = { 1, 1 },
			.loss = ELECT_LOSS_STOP,
			.part = { .count = 9, .total = 9, .piece_size = 1 },
			.name = "n" };
		struct datagram d;

		if (!elect_msg_type_known(type))
			continue;
		m.inviter.id = two;
		now_us += 10 * BEACON_US;
		d = make(&m);
		host_receive(host, now_us, &way, d.bytes, d.size, &actions);
		for (unsigned i = 0; i < actions.count; i++)
			assert_true(
				actions.items[i].send.type != ELECT_CHALLENGE || size <= d.size);
	}
}

/* A Challenge to a known session may be larger than a Challenge of version 0.1. */
static void an_unanswered_challenge_causes_no_challenge(void **state)
{
	static const struct elect_msg challenge = { .type = ELECT_CHALLENGE };

	(void)state;
	now_us += 1000000;
	trust_vouch(host_trust(host), now_us, &(struct elect_session){ peer.self, 22 }, 1, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(actions.count, 0);
}

/* A beacon or an Invitation may cause two Challenges, which exceed the shortest of them by 31
 * bytes. */
static void two_challenges_are_hardly_larger_than_a_beacon_or_an_invitation(void **state)
{
	static const enum elect_msg_type types[] = { ELECT_AYCOORD, ELECT_INVITATION,
		ELECT_AYNORMAL };
	size_t size;

	(void)state;
	hear();
	composed(&size);
	for (unsigned i = 0; i < 3; i++) {
		struct elect_msg m = { .type = types[i], .timings = { 1, 1 }, .name = "one" };

		m.inviter.id = two;
		assert_true(2 * size <= make(&m).size + 31);
	}
}

/* R4: ten recorded Hellos a second used to cause three times their bytes. */
static void a_flood_gets_a_handful_and_then_nothing(void **state)
{
	uint64_t in = 0, out = 0, until_us = now_us + 60 * 1000000;

	(void)state;
	for (; now_us < until_us; now_us += 1000) {
		struct datagram d = make(&hello);
		enum wire_verdict verdict =
			host_receive(host, now_us, &way, d.bytes, d.size, &actions);

		assert_true(verdict == WIRE_UNPROVEN || verdict == WIRE_UNRESPONSIVE);
		in += d.size;
		out += challenges();
	}
	/* four before each pause of 2, 4, 8, 16 and 32 s */
	assert_in_range(out, 2 * UNRESPONSIVE_CHALLENGES, 5 * UNRESPONSIVE_CHALLENGES);
	assert_true(host_counters(host)->dropped[WIRE_UNRESPONSIVE] > 50000);
	assert_int_equal(fake.steps, 1);
	assert_true(out * 96 < in / 1000);
}

/* R2: each of 35 000 replays a second used to take an open transaction, so true answers were
 * unasked. */
static void a_flood_does_not_displace_open_transactions(void **state)
{
	struct elect_transaction asked, challenged;
	struct elect_id three = { .bytes = { 3 } };
	struct trust live = peer;
	size_t size;

	(void)state;
	trust_request(host_trust(host), now_us, &asked);
	fake.worth = ELECT_WORTH_FOLLOWING;
	hear();
	challenged = composed(&size);
	live.sequences[0] = peer.sequences[0];
	for (unsigned i = 0; i < 120000; i++, now_us += 25) {
		struct datagram d;

		trust_init(&peer, "lan", NULL, &three, 100 + i % 1000, 1);
		fake.worth = i % 2 ? ELECT_WORTH_ASKING : ELECT_WORTH_FOLLOWING;
		d = make(&hello);
		host_receive(host, now_us, &way, d.bytes, d.size, &actions);
		for (unsigned n = 0; n < challenges_of_any(); n++) {
			struct host_datagram out;

			host_compose(host, now_us, &actions.items[n].send, 0, &out);
		}
	}
	assert_in_range(host_counters(host)->sent[ELECT_CHALLENGE], TRUST_OPEN_MAX, 410);
	peer = live;
	assert_int_equal(answer(&challenged), WIRE_OK);
	assert_int_equal(answer(&asked), WIRE_OK);
}

/* A Hello in session `n` of the recorded ones of `hosts` hosts. */
static void hear_recorded(unsigned n, unsigned hosts)
{
	struct elect_id id = {
		.bytes = { 9, [14] = (uint8_t)(n % hosts >> 8), [15] = (uint8_t)(n % hosts) }
	};
	struct datagram d;

	trust_init(&peer, "lan", NULL, &id, 1000 + n, 1);
	peer.sequences[0] = now_us; /* no window refuses it */
	d = make(&hello);
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
}

static void hear_newcomer(void)
{
	struct datagram d;

	trust_init(&peer, "lan", NULL, &two, 22, 22);
	peer.sequences[0] = now_us;
	d = make(&hello);
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
}

static bool is_challenged(void)
{
	for (unsigned i = 0; i < challenges_of_any(); i++)
		if (elect_id_equal(&actions.items[i].send.to, &two))
			return true;
	return false;
}

/* W5: a flood of 20 000 datagrams a second from 256 recorded sessions. Returns the newcomer's
 * wait. */
static uint64_t newcomer_is_challenged_after_us(unsigned hosts, uint64_t flood_us)
{
	uint64_t from_us = now_us + flood_us;
	unsigned n = 0;

	for (;; now_us += 50) {
		hear_recorded(n++ * 89 % 256, hosts);
		if (is_challenged())
			return now_us - from_us;
		if (now_us < from_us || (now_us - from_us) % BEACON_US != 0)
			continue;
		hear_newcomer();
		if (is_challenged())
			return now_us - from_us;
		assert_true(now_us < from_us + 10000000);
	}
}

static void many_recorded_sessions_do_not_keep_a_newcomer_waiting(void **state)
{
	static const uint64_t flood_us[] = { 1350, 21350, 1001350 };

	for (unsigned i = 0; i < 3; i++) {
		assert_true(newcomer_is_challenged_after_us(4, flood_us[i]) <= NEWCOMER_US);
		tear_down(state);
		begin(state);
		assert_true(newcomer_is_challenged_after_us(256, flood_us[i]) <= NEWCOMER_US);
		tear_down(state);
		begin(state);
	}
}

static uint64_t used;

static bool is_answered(const struct elect_id *id, const struct elect_msg *m)
{
	struct datagram d;

	trust_init(&peer, "lan", NULL, id, 22, 22);
	peer.sequences[0] = ++used;
	d = make(m);
	host_receive(host, now_us, &way, d.bytes, d.size, &actions);
	return actions.count > 0 && actions.items[0].send.type == ELECT_CHALLENGE_ANSWER;
}

/* W5: 20 000 recorded Challenges a second. A coordinator's Challenge must be answered, or no host
 * joins it. */
static void many_recorded_challenges_do_not_use_up_the_answers(void **state)
{
	static const struct elect_msg challenge = { .type = ELECT_CHALLENGE };
	unsigned asked = 0, proven = 0, unproven = 0, recorded = 0;

	(void)state;
	prove_peer();
	used = 1;
	for (unsigned n = 0; n < 3 * 20000; n++, now_us += 50) {
		struct elect_id id = { .bytes = { 9, [15] = (uint8_t)(n * 89 % 256) } };

		recorded += is_answered(&id, &challenge);
		if (n % 4000 != 1234)
			continue;
		asked++;
		proven += is_answered(&two, &challenge);
		unproven += is_answered(&(struct elect_id){ .bytes = { 3 } }, &challenge);
	}
	assert_in_range(recorded, 1000, 3 * 2000 + 2000);
	assert_int_equal(proven, asked);
	assert_in_range(unproven, asked * 2 / 3, asked);
}

static void a_quarter_of_the_answers_is_for_verified_sessions(void **state)
{
	static const struct elect_msg challenge = { .type = ELECT_CHALLENGE };
	unsigned recorded = 0;

	(void)state;
	prove_peer();
	used = 1;
	now_us += 1000000;
	for (unsigned n = 0; n < 4000; n++) {
		struct elect_id id = { .bytes = {
					       9, [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };

		recorded += is_answered(&id, &challenge);
	}
	assert_int_equal(recorded, 1500);
	for (unsigned n = 0; n < 500; n++)
		assert_true(is_answered(&two, &challenge));
	assert_false(is_answered(&two, &challenge));
}

static void make_deaf(void)
{
	for (unsigned i = 0; i < UNRESPONSIVE_CHALLENGES; i++, now_us += BEACON_US)
		assert_int_equal(hear(), 1);
	assert_int_equal(receive(&hello), WIRE_UNRESPONSIVE);
	assert_int_equal(actions.count, 0);
}

/* The header alone must be enough, because that is cheap: the tag is not checked. */
static void an_unresponsive_session_is_dropped_by_its_header(void **state)
{
	struct datagram d;

	(void)state;
	make_deaf();
	d = make(&hello);
	d.bytes[d.size - 1] ^= 1;
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_UNRESPONSIVE);
}

static void a_late_answer_ends_the_unresponsive_state(void **state)
{
	struct elect_transaction t;
	size_t size;

	(void)state;
	assert_int_equal(hear(), 1);
	t = composed(&size);
	now_us += BEACON_US;
	for (unsigned i = 1; i < UNRESPONSIVE_CHALLENGES; i++, now_us += BEACON_US)
		hear();
	assert_int_equal(receive(&hello), WIRE_UNRESPONSIVE);
	assert_int_equal(answer(&t), WIRE_OK);
	assert_int_equal(receive(&hello), WIRE_OK);
}

static void an_echo_or_a_voucher_ends_the_unresponsive_state(void **state)
{
	struct elect_transaction t;
	size_t size;

	(void)state;
	make_deaf();
	prove_peer();
	assert_int_equal(receive(&hello), WIRE_OK);
	tear_down(state);
	begin(state);
	make_deaf();
	trust_vouch(
		host_trust(host), now_us, &(struct elect_session){ peer.self, peer.session }, 1, 0);
	assert_int_equal(hear(), 1); /* it is challenged again, and accepted when it answers */
	t = composed(&size);
	assert_int_equal(answer(&t), WIRE_OK);
	assert_int_equal(receive(&hello), WIRE_OK);
}

static void an_unresponsive_session_is_answered_once_a_beacon(void **state)
{
	static const struct elect_msg challenge = { .type = ELECT_CHALLENGE };

	(void)state;
	make_deaf();
	for (unsigned i = 0; i < 3; i++, now_us += BEACON_US) {
		assert_int_equal(receive(&challenge), WIRE_OK);
		assert_int_equal(actions.count, 1);
		assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE_ANSWER);
		assert_int_equal(receive(&challenge), WIRE_UNRESPONSIVE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)
		T(an_unproven_datagram_is_only_counted_and_challenged),
		T(a_datagram_worth_nothing_gets_no_challenge),
		T(an_unproven_refused_counter_is_not_reported),
		T(the_newest_datagram_is_kept_until_the_answer),
		T(an_old_kept_datagram_has_no_effect),
		T(a_delayed_challenge_is_evaluated_again),
		T(a_challenge_is_smaller_than_what_causes_it),
		T(an_unanswered_challenge_causes_no_challenge),
		T(two_challenges_are_hardly_larger_than_a_beacon_or_an_invitation),
		T(a_flood_gets_a_handful_and_then_nothing),
		T(a_flood_does_not_displace_open_transactions),
		T(many_recorded_sessions_do_not_keep_a_newcomer_waiting),
		T(many_recorded_challenges_do_not_use_up_the_answers),
		T(a_quarter_of_the_answers_is_for_verified_sessions),
		T(an_unresponsive_session_is_dropped_by_its_header),
		T(a_late_answer_ends_the_unresponsive_state),
		T(an_echo_or_a_voucher_ends_the_unresponsive_state),
		T(an_unresponsive_session_is_answered_once_a_beacon),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
