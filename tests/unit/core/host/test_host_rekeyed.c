/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts change their keys while they run: a known host that uses another key is verified again, and
 * a removed key takes the sessions that it alone has verified with it (keys.md). Linked as
 * test_host.c is.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static struct ring ring_of(enum ring_mode mode, unsigned lines)
{
	const struct ring_file file = { lines, { { 7, { 1 } } } };
	struct ring ring;

	assert_int_equal(ring_make(&ring, mode, "lan", &file), 0);
	return ring;
}

static void rekey(enum ring_mode mode, unsigned lines)
{
	struct ring ring = ring_of(mode, lines);

	host_set_keys(host, now_us, &ring, &actions);
}

static void peer_sends(enum ring_mode mode, unsigned lines)
{
	struct ring ring = ring_of(mode, lines);

	peer.ring = ring;
}

/* This host accepts the built-in key and key 7. The built-in key has verified the peer. */
static int begin(void **state)
{
	set_up(state);
	rekey(RING_RECEIVE_ONLY, 1);
	prove_peer();
	fake.steps = 0;
	return 0;
}

static bool proven_by(uint8_t key_id)
{
	return trust_proven_by(host_trust(host), &peer.self, peer.session, key_id);
}

/* Returns the transaction of the Challenge, which is the only action. */
static struct elect_transaction challenged(void)
{
	struct host_datagram d;
	struct elect_msg m;

	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	host_compose(host, now_us, &actions.items[0].send, 0, &d);
	assert_int_equal(wire_decode(d.bytes, d.size, &m), 0);
	return m.transaction;
}

static void another_key_of_a_known_host_is_always_challenged(void **state)
{
	struct elect_msg hello = make_hello(), answer = { .type = ELECT_CHALLENGE_ANSWER };

	(void)state;
	fake.worth = ELECT_WORTH_NOTHING;
	peer_sends(RING_ENFORCE, 1);
	now_us += BEACON_US;
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	if (!actions.count) { /* not at once, because all hosts that hear it ask */
		struct elect_event tick = { .type = ELECT_EVENT_TICK };

		now_us = tick.now_us = unverified_next_us(&host_trust(host)->unverified);
		host_step(host, &tick, &actions);
	}
	answer.transaction = challenged();
	assert_true(proven_by(0)); /* datagrams with the old key are still accepted */
	peer_sends(RING_AUTO, 0);
	fake.steps = 0;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(fake.event.message->key_id, 0);
	peer_sends(RING_ENFORCE, 1);
	assert_int_equal(receive(&answer), WIRE_OK);
	assert_true(proven_by(7));
	assert_int_equal(fake.steps, 2);
	assert_int_equal(fake.event.message->type, ELECT_HELLO);
	assert_int_equal(fake.event.message->key_id, 7);
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 0);
}

static void another_key_of_an_unknown_host_is_challenged_if_worth_it(void **state)
{
	struct elect_msg hello = make_hello();
	struct elect_id nine = { .bytes = { 9 } };

	(void)state;
	fake.worth = ELECT_WORTH_NOTHING;
	trust_init(&peer, "lan", NULL, &nine, 99, 99);
	peer_sends(RING_ENFORCE, 1);
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	assert_int_equal(actions.count, 0);
	assert_int_equal(host_trust(host)->unverified.count, 0);
}

static void the_election_receives_its_keys_and_the_lost_sessions(void **state)
{
	const struct elect_rekeyed *r = &fake.event.rekeyed;

	(void)state;
	rekey(RING_PERMISSIVE, 1);
	assert_int_equal(fake.event.type, ELECT_EVENT_REKEYED);
	assert_int_equal(r->keys.count, 2);
	assert_int_equal(r->keys.list[0].id, 7);
	assert_int_equal(r->lost_count, 0);
	rekey(RING_ENFORCE, 1);
	assert_int_equal(r->keys.count, 1);
	assert_int_equal(r->lost_count, 1);
	assert_true(elect_id_equal(&r->lost[0].id, &peer.self));
	assert_int_equal(r->lost[0].session, peer.session);
	assert_false(proven_by(0));
}

/* Otherwise the datagram would take effect with the answer, under a key that is accepted. */
static void a_kept_datagram_is_dropped_with_its_key(void **state)
{
	struct elect_msg hello = make_hello();
	struct elect_id nine = { .bytes = { 9 } };

	(void)state;
	fake.worth = ELECT_WORTH_ASKING;
	trust_init(&peer, "lan", NULL, &nine, 99, 99);
	assert_int_equal(receive(&hello), WIRE_UNPROVEN);
	assert_int_equal(host_trust(host)->unverified.count, 1);
	rekey(RING_ENFORCE, 1);
	assert_int_equal(host_trust(host)->unverified.count, 0);
}

static bool vouched_by(const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	const struct trust *t = host_trust(host);

	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at))
		if (t->peers[at].key_id == key_id && t->peers[at].candidate.session == session)
			return trust_vouched(t, id, session);
	return false;
}

static void a_vouched_session_has_the_key_of_the_voucher(void **state)
{
	struct elect_msg hello = make_hello();
	struct elect_id three = { .bytes = { 3 } };

	(void)state;
	rekey(RING_PERMISSIVE, 1); /* this host sends with the other key */
	fake.says = (struct elect_action){ .type = ELECT_ACTION_PROVE,
		.prove = { .id = three, .session = 33, .incarnation = 1 } };
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_true(vouched_by(&three, 33, 0));
	assert_false(vouched_by(&three, 33, 7));
}

static void a_will_of_another_key_is_another_will(void **state)
{
	struct host_will before, after;

	(void)state;
	fake.leaves = true;
	fake.config.timings.dead_after_us = 600000;
	assert_true(host_will(host, now_us, 1, &before));
	assert_true(host_will(host, now_us, 1, &after));
	assert_true(host_will_same(&before, &after));
	rekey(RING_PERMISSIVE, 1);
	assert_true(host_will(host, now_us, 1, &after));
	assert_false(host_will_same(&before, &after));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(another_key_of_a_known_host_is_always_challenged),
		TEST(another_key_of_an_unknown_host_is_challenged_if_worth_it),
		TEST(the_election_receives_its_keys_and_the_lost_sessions),
		TEST(a_kept_datagram_is_dropped_with_its_key),
		TEST(a_vouched_session_has_the_key_of_the_voucher),
		TEST(a_will_of_another_key_is_another_will),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
