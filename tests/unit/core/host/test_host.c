/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.c: which datagrams reach the election, which are answered without it, and what a SEND
 * becomes. The election is a fake that records its events and returns what a test sets, so this
 * program must be linked against the core as a library, whose elect.o then stays out.
 */
#include "core/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_fake.h"

static void assert_back(const struct elect_send *s)
{
	assert_memory_equal(&s->to, &peer.self, sizeof(s->to));
	assert_int_equal(s->by.count, 1);
	assert_int_equal(s->by.items[0].link, way.link);
	assert_true(elect_address_equal(&s->by.items[0].address, &way.address));
}

static const struct elect_msg ready_answer = { .type = ELECT_READY_ANSWER, .group.counter = 7 };
static const struct elect_msg challenge = { .type = ELECT_CHALLENGE,
	.transaction.bytes = { 9, 9, 9 } };

static void the_start_reaches_the_election(void **state)
{
	(void)state;
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.event.type, ELECT_EVENT_START);
	assert_int_equal(fake.event.start.session, 11);
	assert_int_equal(actions.wake_us, now_us + 500);
}

static void a_message_reaches_the_election_with_its_path_and_its_proof(void **state)
{
	struct elect_msg hello = make_hello();

	(void)state;
	prove_peer();
	assert_int_equal(fake.event.message->type, ELECT_CHALLENGE_ANSWER);
	assert_true(fake.event.message->proven);
	now_us += 77;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(fake.steps, 3);
	assert_int_equal(fake.event.now_us, now_us);
	assert_int_equal(fake.event.type, ELECT_EVENT_MESSAGE);
	assert_int_equal(fake.event.message->type, ELECT_HELLO);
	assert_string_equal(fake.event.message->name, "two");
	assert_true(elect_address_equal(&fake.event.message->from, &path));
	assert_true(fake.event.message->proven);
	assert_int_equal(host_counters(host)->received[ELECT_HELLO], 1);
}

static void a_refused_datagram_is_only_counted(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	(void)state;
	d.bytes[90] ^= 1;
	memset(&actions, 0xaa, sizeof(actions));
	assert_int_equal(
		host_receive(host, now_us + 50, &way, d.bytes, d.size, &actions), WIRE_TAG_BAD);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(actions.count, 0);
	assert_int_equal(actions.wake_us, now_us + 500);
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, 20, &actions), WIRE_SHORT);
	assert_int_equal(receive(&ready_answer), WIRE_ANSWER_UNASKED);
	assert_int_equal(host_counters(host)->dropped[WIRE_TAG_BAD], 1);
	assert_int_equal(host_counters(host)->dropped[WIRE_SHORT], 1);
	assert_int_equal(host_counters(host)->dropped[WIRE_ANSWER_UNASKED], 1);
	assert_int_equal(fake.steps, 1);
}

static void an_authentic_datagram_with_bad_fields_is_refused(void **state)
{
	struct elect_msg hello = make_hello();
	struct datagram d = make(&hello);

	(void)state;
	d.bytes[WIRE_HEADER_SIZE + 4] = 0xff; /* bits of the standing */
	trust_seal(&peer, d.bytes, d.size, &path);
	assert_int_equal(
		host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_FIELDS_BAD);
	assert_int_equal(fake.steps, 1);
}

static void counters_at_the_limit_are_refused(void **state)
{
	struct elect_msg m = make_hello();

	(void)state;
	prove_peer();
	m.counter = ELECT_COUNTER_LIMIT - 1;
	assert_int_equal(receive(&m), WIRE_OK);
	m.counter++;
	assert_int_equal(receive(&m), WIRE_COUNTER_BAD);
	m.counter = UINT64_MAX;
	assert_int_equal(receive(&m), WIRE_COUNTER_BAD);
	assert_int_equal(fake.refused, 2);
}

static void a_challenge_is_answered_without_the_election(void **state)
{
	const struct elect_send *send = &actions.items[0].send;

	(void)state;
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.wake_us, now_us + 500);
	assert_int_equal(actions.items[0].type, ELECT_ACTION_SEND);
	assert_int_equal(send->type, ELECT_CHALLENGE_ANSWER);
	assert_back(send);
	assert_memory_equal(&send->echo, &challenge.transaction, sizeof(send->echo));
}

/* D1: `peer` has been put back to an older copy of its state. Each of its requests may cause an
 * answer. */
static void an_older_start_of_a_known_host_is_notified(void **state)
{
	const struct elect_send *send = &actions.items[0].send;
	struct elect_msg hello = make_hello();

	(void)state;
	peer_incarnation = 9;
	prove_peer();
	now_us += 2 * TRUST_SILENT_US;
	trust_init(&peer, "lan", NULL, &two, 23, 23);
	peer_incarnation = 1;
	prove_peer(); /* an answer: peer could not verify a reply to it */
	assert_int_equal(actions.count, 0);
	hello.transaction = challenge.transaction;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(send->type, ELECT_CHALLENGE_ANSWER);
	assert_int_equal(send->known, 9);
	assert_back(send);
	assert_memory_equal(&send->echo, &challenge.transaction, sizeof(send->echo));
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 0);
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(send->known, 0);
	now_us += TRUST_TELL_US;
	assert_int_equal(receive(&challenge), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(send->known, 9);
}

static unsigned count_answers(unsigned challenges)
{
	unsigned answers = 0;

	for (unsigned i = 0; i < challenges; i++) {
		assert_int_equal(receive(&challenge), WIRE_OK);
		answers += actions.count;
	}
	return answers;
}

static void at_most_2000_challenges_a_second_are_answered(void **state)
{
	(void)state;
	prove_peer();
	now_us += 10 * 1000000;
	assert_int_equal(count_answers(3000), 2000);
	assert_int_equal(count_answers(100), 0);
	now_us += 5000;
	assert_int_equal(count_answers(100), 10);
}

/* A session that was not verified may replay one recorded Challenge without end. */
static void an_unverified_session_gets_four_answers_per_beacon(void **state)
{
	(void)state;
	now_us += 1000000;
	for (unsigned i = 0; i < 3; i++, now_us += BEACON_US)
		assert_int_equal(count_answers(100), 4);
	now_us -= 1;
	assert_int_equal(count_answers(100), 0);
}

/* Recordings of two sessions of one host displace each other as its candidate. */
static void each_recorded_session_gets_four_answers_per_beacon(void **state)
{
	struct trust former = peer;
	unsigned answers = 0;

	(void)state;
	former.session++;
	now_us += 1000000;
	for (unsigned i = 0; i < 50; i++) {
		struct trust other = peer;

		answers += count_answers(1);
		peer = former;
		former = other;
	}
	assert_int_equal(answers, 2 * 4);
}

static void an_unverified_peer_with_our_id_is_challenged_once_a_second(void **state)
{
	struct elect_id one = { .bytes = { 1 } };
	struct elect_msg hello = make_hello();

	(void)state;
	trust_init(&peer, "lan", NULL, &one, 12, 12);
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	assert_back(&actions.items[0].send);
	now_us += 999999;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 0);
	now_us++;
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(fake.steps, 1); /* the election hears of it once proven */
}

static void a_proven_duplicate_of_our_id_reaches_the_election(void **state)
{
	struct elect_id one = { .bytes = { 1 } };

	(void)state;
	trust_init(&peer, "lan", NULL, &one, 12, 12);
	prove_peer();
	assert_int_equal(fake.steps, 2);
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
	assert_int_equal(
		receive(&challenge), WIRE_OK); /* answered, so the duplicate notices, too */
	assert_int_equal(fake.steps, 3);
	assert_int_equal(actions.items[actions.count - 1].send.type, ELECT_CHALLENGE_ANSWER);
}

/* Two instances on one host: the report must not send the user to another machine. */
static void a_duplicate_on_this_host_has_an_event_of_its_own(void **state)
{
	struct elect_id one = { .bytes = { 1 } };
	struct elect_address here = path;

	(void)state;
	trust_init(&peer, "lan", NULL, &one, 12, 12);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
	here.port++;
	host_set_links(host, (const struct host_link[]){ { here, 24, 1, 1, true } }, 1);
	prove_peer();
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE_HERE);
}

/* I4: two machines resumed from one snapshot differ only in their address. */
static void a_copy_of_this_session_on_another_host_is_a_duplicate(void **state)
{
	struct elect_id one = { .bytes = { 1 } };
	struct elect_msg hello = make_hello();
	struct datagram d;

	(void)state;
	trust_init(&peer, "lan", NULL, &one, 11, 11);
	host_set_links(host, (const struct host_link[]){ { path, 24, 1, 1, true } }, 1);
	assert_int_equal(receive(&hello), WIRE_OWN);
	assert_int_equal(actions.count, 0);
	host_set_links(host, (const struct host_link[]){ { home, 24, 1, 1, true } }, 1);
	d = make(&hello);
	assert_int_equal(host_receive(host, now_us, &way, d.bytes, d.size, &actions), WIRE_OK);
	assert_int_equal(fake.steps, 1); /* it may be an echo of this host, which asks first */
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE);
	prove_peer();
	assert_int_equal(fake.steps, 2);
	assert_int_equal(fake.event.type, ELECT_EVENT_DUPLICATE);
	assert_int_equal(receive(&challenge), WIRE_OK); /* answered, so the copy notices, too */
	assert_int_equal(actions.items[actions.count - 1].send.type, ELECT_CHALLENGE_ANSWER);
}

static void prove_actions_are_carried_out(void **state)
{
	struct elect_id three = { .bytes = { 3 } }, four = { .bytes = { 4 } };
	struct elect_msg hello = make_hello();

	(void)state;
	prove_peer();
	fake.says = (struct elect_action){ .type = ELECT_ACTION_PROVE,
		.prove = { .id = four, .session = 44, .incarnation = 1 } };
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_true(trust_vouched(host_trust(host), &four, 44));
	fake.members[0] = (struct elect_member){ .id = three, .session = 33, .incarnation = 1 };
	fake.members[1] = (struct elect_member){ .id = peer.self, .session = 23, .incarnation = 2 };
	fake.says.prove.id = (struct elect_id){ 0 };
	assert_int_equal(receive(&hello), WIRE_OK);
	assert_true(trust_vouched(host_trust(host), &three, 33));
	assert_true(trust_vouched(host_trust(host), &peer.self, 23));
	assert_true(trust_proven(host_trust(host), &peer.self, 22));
	assert_false(trust_proven(host_trust(host), &three, 33));
}

static struct host_datagram datagram;
static struct wire_header header;
static struct elect_msg message;

/* Composes and seals a datagram, and asserts that the peer, which has the same key, computes the
 * same tag. */
static void compose(const struct elect_send *send, unsigned n)
{
	struct host_datagram same;

	host_compose(host, now_us, send, n, &datagram);
	same = datagram;
	host_seal(host, &home, &datagram);
	trust_seal(&peer, same.bytes, same.size, &home);
	assert_memory_equal(datagram.bytes, same.bytes, same.size);
	assert_int_equal(wire_decode_header(datagram.bytes, datagram.size, &header), WIRE_OK);
	assert_int_equal(wire_decode(datagram.bytes, datagram.size, &message), 0);
}

static bool is_open(const struct elect_transaction *t)
{
	const struct trust *trust = host_trust(host);

	for (unsigned i = 0; i < trust->opened && i < TRUST_OPEN_MAX; i++)
		if (trust->open[i].since_us != ELECT_NEVER &&
			memcmp(&trust->open[i].transaction, t, sizeof(*t)) == 0)
			return true;
	for (unsigned i = 0; i < trust->challenged && i < TRUST_CHALLENGES_MAX; i++)
		if (trust->challenges[i].since_us != ELECT_NEVER &&
			memcmp(&trust->challenges[i].transaction, t, sizeof(*t)) == 0)
			return true;
	return false;
}

enum { NEW, ECHOED, NONE };

static void the_transaction_is_new_echoed_or_none_by_type(void **state)
{
	static const int expected[ELECT_MSG_TYPES] = {
		[ELECT_AYCOORD_ANSWER] = ECHOED,
		[ELECT_AYTHERE_ANSWER] = ECHOED,
		[ELECT_ACCEPT] = ECHOED,
		[ELECT_ACCEPT_ANSWER] = ECHOED,
		[ELECT_READY_ANSWER] = ECHOED,
		[ELECT_DECLINE] = ECHOED,
		[ELECT_GOODBYE] = NONE,
		[ELECT_CHALLENGE_ANSWER] = ECHOED,
	};
	static const struct elect_transaction none; /* for the types of this host's algorithm */

	(void)state;
	for (unsigned type = 1; type <= ELECT_CHALLENGE_ANSWER; type++) {
		struct elect_send send = { .type = type, .to = two, .part_count = 1 };
		bool echoed, zero;

		memset(send.echo.bytes, 0x33, sizeof(send.echo.bytes));
		compose(&send, 0);
		echoed = memcmp(&message.transaction, &send.echo, sizeof(send.echo)) == 0;
		zero = memcmp(&message.transaction, &none, sizeof(none)) == 0;
		assert_int_equal(message.type, type);
		assert_int_equal(is_open(&message.transaction), expected[type] == NEW);
		assert_int_equal(echoed, expected[type] == ECHOED);
		assert_int_equal(zero, expected[type] == NONE);
		assert_int_equal(host_counters(host)->sent[type], 1);
		assert_false(datagram.to_all);
	}
}

/* `electctl doctor` sends one: every host answers, and each answer verifies its session. */
static void a_challenge_to_all_is_answered_by_many(void **state)
{
	struct elect_send send = { .type = ELECT_CHALLENGE };
	struct elect_msg answer = { .type = ELECT_CHALLENGE_ANSWER };

	(void)state;
	compose(&send, 0);
	assert_true(header.to_all);
	answer.transaction = message.transaction;
	for (uint8_t i = 2; i < 5; i++) {
		peer.self.bytes[0] = i;
		peer.session = i;
		assert_int_equal(receive(&answer), WIRE_OK);
		assert_true(fake.event.message->proven);
	}
}

static void answered_at(const struct datagram *asked)
{
	now_us += 1000; /* keeps the rate of answers below its limit */
	assert_int_equal(
		host_receive(host, now_us, &way, asked->bytes, asked->size, &actions), WIRE_OK);
	assert_int_equal(actions.count, 1);
	assert_int_equal(actions.items[0].send.type, ELECT_CHALLENGE_ANSWER);
	compose(&actions.items[0].send, 0);
	assert_true(datagram.size <= asked->size);
}

static void answered(const struct elect_msg *m, bool to_all)
{
	struct datagram d = to_all ? make_to_all(m) : make(m);

	answered_at(&d);
}

/* An answer to a forged source address must not be larger than the request. answered() compares the
 * sizes. */
static void an_answer_is_never_longer_than_its_challenge(void **state)
{
	static const char *const versions[] = { "1.2.3", "1.2.3.4" };

	(void)state;
	challenge_peer();
	for (unsigned i = 0; i < 2; i++) {
		struct elect_msg asked = challenge;

		host_set_version(host, versions[i]);
		answered(&asked, true);
		assert_string_equal(message.version, "");
		asked.room = 5;
		answered(&asked, true);
		assert_string_equal(message.version, i == 0 ? versions[0] : "");
	}
	host_set_version(host, "no name");
	answered(&challenge, true);
	assert_string_equal(message.version, "");
}

/* W1: a Challenge to all has many answers, so its sender must not open windows by it. */
static void a_challenge_to_all_gets_a_version_and_one_to_one_host_gets_tops(void **state)
{
	struct elect_msg asked = challenge;

	(void)state;
	challenge_peer();
	host_set_version(host, "1");
	for (unsigned room = 0; room < ELECT_NAME_MAX; room++) {
		asked.room = (uint8_t)room;
		answered(&asked, false);
		assert_string_equal(message.version, "");
		assert_int_equal(message.tops.to_one, room < 17 ? 0 : header.sequence);
		answered(&asked, true);
		assert_string_equal(message.version, room < 1 ? "" : "1");
		assert_int_equal(message.tops.to_one, 0);
	}
	asked.room = 0;
	asked.heard = (struct elect_heard){ .session = 12, .top_to_one = 3, .top_to_all = 4 };
	answered(&asked, false);
	assert_int_equal(message.tops.to_one, header.sequence);
}

/* Every datagram sent so far counts. The ones that may still be on their way count as recent. */
static void an_answer_reports_the_highest_sequences_used(void **state)
{
	struct elect_send to_all = { .type = ELECT_HELLO };
	struct elect_msg asked = challenge;

	(void)state;
	asked.room = 17;
	challenge_peer();
	answered(&asked, false);
	assert_int_equal(message.tops.to_one, header.sequence);
	assert_int_equal(message.tops.to_all, 0);
	assert_int_equal(message.tops.recent, 0);
	for (unsigned i = 0; i < 3; i++)
		compose(&to_all, 0);
	answered(&asked, false);
	assert_int_equal(message.tops.to_one, header.sequence);
	assert_int_equal(message.tops.to_all, 3);
	assert_int_equal(message.tops.recent, 3);
	now_us += TRUST_RECENT_US;
	answered(&asked, false);
	assert_int_equal(message.tops.to_one, header.sequence);
	assert_int_equal(message.tops.to_all, 3);
	assert_int_equal(message.tops.recent, 0);
}

/* W3: the last beacon of a former leader counted as recent when the next datagram to all came much
 * later. */
static void recent_datagrams_were_sent_just_now(void **state)
{
	static const uint64_t pauses_us[] = { UINT64_C(3600000000), 200000, 49000, 20000, 0 };
	struct elect_send to_all = { .type = ELECT_HELLO };
	struct elect_msg asked = challenge;
	uint64_t sent_us[200];

	(void)state;
	asked.room = 17;
	challenge_peer();
	for (unsigned i = 0; i < 200; i++) {
		uint64_t oldest = i + 1;

		now_us += pauses_us[(i * 7 + i / 5) % 5];
		sent_us[i] = now_us;
		compose(&to_all, 0);
		answered(&asked, false);
		assert_int_equal(message.tops.to_all, i + 1);
		oldest -= message.tops.recent; /* an index of sent_us */
		assert_in_range(now_us - sent_us[oldest], 0, 3 * TRUST_RECENT_US);
		assert_true(oldest == 0 || now_us - sent_us[oldest - 1] >= TRUST_RECENT_US);
	}
}

/* W3: hosts that receive such an answer accept the four sequences below its own. */
static void old_datagrams_are_far_below_the_sequence_of_an_answer(void **state)
{
	static const uint64_t pauses_us[] = { UINT64_C(3600000000), 0, 0, 30000, 0, 60000, 1000 };
	struct elect_send to_one = { .type = ELECT_AYTHERE, .to = two };
	struct elect_msg asked = challenge;
	uint64_t sent_us[2000] = { 0 }, last;

	(void)state;
	asked.room = 17;
	challenge_peer();
	for (unsigned i = 0; i < 200; i++) {
		now_us += pauses_us[(i * 5 + i / 7) % 7];
		compose(&to_one, 0);
		sent_us[header.sequence] = now_us;
		last = header.sequence;
		if (i % 3)
			continue;
		answered(&asked, false);
		assert_in_range(header.sequence - last, 1, 4); /* it may arrive later */
		for (uint64_t n = header.sequence - 4; n < header.sequence; n++)
			assert_true(!sent_us[n] || now_us - sent_us[n] <= 3 * TRUST_RECENT_US);
		sent_us[header.sequence] = now_us;
	}
}

static void a_challenge_leaves_room_for_any_version_or_for_tops(void **state)
{
	struct elect_send send = { .type = ELECT_CHALLENGE };

	(void)state;
	compose(&send, 0);
	assert_int_equal(message.room, ELECT_NAME_MAX);
	send.to = two;
	compose(&send, 0);
	assert_int_equal(message.room, 17);
	send.heard = (struct elect_heard){ .session = 22, .top_to_one = 3, .top_to_all = 4 };
	compose(&send, 0);
	assert_int_equal(message.room, 0); /* `heard` is longer than the tops */
	assert_int_equal(message.heard.top_to_all, 4);
}

/* The datagram comes from an address that this host has just lost. An answer would prove a copy of
 * this host. */
static void our_own_challenge_to_all_is_never_answered(void **state)
{
	struct elect_send send = { .type = ELECT_CHALLENGE };

	(void)state;
	compose(&send, 0);
	assert_int_equal(host_receive(host, now_us, &(struct elect_way){ home, 1 }, datagram.bytes,
				 datagram.size, &actions),
		WIRE_OWN);
	assert_int_equal(actions.count, 0);
}

static void an_accept_carries_a_transaction_of_its_own(void **state)
{
	struct elect_send send = { .type = ELECT_ACCEPT, .to = two };

	(void)state;
	memset(send.echo.bytes, 0x33, sizeof(send.echo.bytes));
	compose(&send, 0);
	assert_true(is_open(&message.nonce));
}

static void a_forwarded_invitation_names_the_transaction_of_the_inviter(void **state)
{
	struct elect_send send = { .type = ELECT_INVITATION };
	struct elect_transaction inviters;

	(void)state;
	compose(&send, 0);
	assert_memory_equal(
		&message.inviter.transaction, &message.transaction, sizeof(message.transaction));
	send.forward = true;
	compose(&send, 0);
	memset(inviters.bytes, 0x44, sizeof(inviters.bytes));
	assert_memory_equal(&message.inviter.transaction, &inviters, sizeof(inviters));
	assert_true(is_open(&message.transaction));
}

static void parts_share_a_transaction_and_nothing_shares_a_sequence(void **state)
{
	struct elect_send send = { .type = ELECT_READY, .part_first = 2, .part_count = 3 };
	struct elect_transaction first;

	(void)state;
	assert_int_equal(host_datagrams(&send), 3);
	for (unsigned n = 0; n < 3; n++) {
		compose(&send, n);
		if (n == 0)
			first = message.transaction;
		assert_memory_equal(&message.transaction, &first, sizeof(first));
		assert_int_equal(message.part.index, 2 + n);
		assert_int_equal(header.sequence, 1 + n);
		assert_true(header.to_all);
	}
	compose(&send, 0);
	assert_memory_not_equal(&message.transaction, &first, sizeof(first));
	send.to = two;
	compose(&send, 0);
	assert_false(header.to_all);
	assert_int_equal(header.sequence, 1);
	send.type = ELECT_HELLO;
	assert_int_equal(host_datagrams(&send), 1);
}

/* M16: the same answer, with a sequence of the space to all. */
static void an_answer_that_must_arrive_goes_to_one_host_and_to_all(void **state)
{
	struct elect_send send = { .type = ELECT_AYCOORD_ANSWER, .also_to_all = true };

	(void)state;
	send.to = two;
	memset(send.echo.bytes, 0x77, sizeof(send.echo.bytes));
	assert_int_equal(host_datagrams(&send), 2);
	for (unsigned n = 0; n < 2; n++) {
		compose(&send, n);
		assert_memory_equal(&message.transaction, &send.echo, sizeof(send.echo));
		assert_int_equal(header.sequence, 1);
		assert_true(header.to_all == (n == 1));
		assert_true(datagram.to_all == (n == 1));
		assert_int_equal(datagram.ways.count * datagram.to_all, 0);
	}
}

static struct host_will leave_will(unsigned paths, uint64_t wait_us, uint32_t dead_us)
{
	struct host_will will = { .crashing = 0 };

	fake.leaves = true;
	fake.config.crash_wait_us = wait_us;
	fake.config.timings.dead_after_us = dead_us;
	assert_true(host_will(host, now_us, paths, &will));
	return will;
}

static void a_will_repeats_crashing_while_hosts_wait_for_it(void **state)
{
	(void)state;
	assert_int_equal(leave_will(1, 16000000, 600000).crashing, 107);
	assert_int_equal(leave_will(1, 16000000, 600000).every_us, 150000);
	assert_int_equal(leave_will(1, 16000000, 600000).most_us, 16000000);
	assert_int_equal(leave_will(1, 0, 600000).crashing, 0);
	assert_int_equal(leave_will(1, 16000000, 20000).crashing, HOST_WILL_MAX);
	assert_int_equal(leave_will(16, 16000000, 20000).crashing, HOST_WILL_MAX / 16);
	fake.leaves = false;
	assert_false(host_will(host, now_us, 1, &(struct host_will){ .crashing = 0 }));
}

static void the_messages_of_a_will_have_reserved_sequences(void **state)
{
	struct host_will will = leave_will(1, 600000, 600000);
	static struct host_datagram d;
	struct wire_header read;
	static struct elect_msg m;

	(void)state;
	for (unsigned n = 0; n < will.crashing + HOST_WILL_REPEATS; n++) {
		host_will_compose(host, &will, n, &d);
		assert_int_equal(wire_decode_header(d.bytes, d.size, &read), WIRE_OK);
		assert_true(read.sequence == WIRE_WILL_FROM + n);
		assert_true(read.to_all);
		assert_int_equal(wire_decode(d.bytes, d.size, &m), 0);
		assert_int_equal(
			m.loss, n < will.crashing ? ELECT_LOSS_CRASHING : ELECT_LOSS_CRASH);
	}
	assert_int_equal(host_counters(host)->sent[ELECT_GOODBYE], 0);
}

static void an_awaited_will_needs_no_proof(void **state)
{
	struct elect_msg m = make_hello();

	(void)state;
	assert_int_equal(receive(&m), WIRE_UNPROVEN);
	fake.awaits = true;
	assert_int_equal(receive(&m), WIRE_OK);
	assert_false(fake.event.message->proven);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_will_repeats_crashing_while_hosts_wait_for_it),
		T(the_messages_of_a_will_have_reserved_sequences),
		T(an_awaited_will_needs_no_proof),
		T(the_start_reaches_the_election),
		T(a_message_reaches_the_election_with_its_path_and_its_proof),
		T(a_refused_datagram_is_only_counted),
		T(an_authentic_datagram_with_bad_fields_is_refused),
		T(an_older_start_of_a_known_host_is_notified),
		T(counters_at_the_limit_are_refused),
		T(a_challenge_is_answered_without_the_election),
		T(at_most_2000_challenges_a_second_are_answered),
		T(an_unverified_session_gets_four_answers_per_beacon),
		T(each_recorded_session_gets_four_answers_per_beacon),
		T(an_unverified_peer_with_our_id_is_challenged_once_a_second),
		T(a_proven_duplicate_of_our_id_reaches_the_election),
		T(a_duplicate_on_this_host_has_an_event_of_its_own),
		T(a_copy_of_this_session_on_another_host_is_a_duplicate),
		T(prove_actions_are_carried_out),
		T(the_transaction_is_new_echoed_or_none_by_type),
		T(a_challenge_to_all_is_answered_by_many),
		T(our_own_challenge_to_all_is_never_answered),
		T(an_answer_is_never_longer_than_its_challenge),
		T(a_challenge_to_all_gets_a_version_and_one_to_one_host_gets_tops),
		T(an_answer_reports_the_highest_sequences_used),
		T(recent_datagrams_were_sent_just_now),
		T(old_datagrams_are_far_below_the_sequence_of_an_answer),
		T(a_challenge_leaves_room_for_any_version_or_for_tops),
		T(an_accept_carries_a_transaction_of_its_own),
		T(a_forwarded_invitation_names_the_transaction_of_the_inviter),
		T(parts_share_a_transaction_and_nothing_shares_a_sequence),
		T(an_answer_that_must_arrive_goes_to_one_host_and_to_all),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
