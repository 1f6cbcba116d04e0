/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends: two hosts of one LAN for the tests of trust: `theirs` sends, `ours` judges. Challenge and
 * Challenge_answer stand for all requests and answers, because neither of them has fields.
 */
#ifndef ELECTD_TEST_CORE_TRUST_ENDS_H
#define ELECTD_TEST_CORE_TRUST_ENDS_H

#include "core/trust/trust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEACON_US = 200000 };

static struct trust ours, theirs, before;

static const struct elect_address path = { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 };

struct datagram {
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size;
};

static uint64_t now_us;
static unsigned link_index;    /* of the next datagram */
static uint64_t incarnation;   /* of `theirs` */
static struct ring their_ring; /* count 0: the built-in key */
static struct elect_tops tops; /* reported by the next datagram */

static inline struct ring make_ring(uint8_t id, uint8_t secret)
{
	struct ring_file file = { 1, { { id, { secret } } } };
	struct ring ring;

	assert_int_equal(ring_make(&ring, RING_ENFORCE, "lan", &file), 0);
	return ring;
}

static inline struct elect_id make_id(unsigned n)
{
	return (struct elect_id){ .bytes = {
					  [13] = 1, [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

static inline void start_theirs(unsigned id, uint64_t session, uint64_t its_incarnation)
{
	struct elect_id self = make_id(id);

	trust_init(&theirs, "lan", their_ring.count ? &their_ring : NULL, &self, session, session);
	incarnation = its_incarnation;
}

static inline int set_up(void **state)
{
	struct elect_id self = make_id(1);

	(void)state;
	memset(&ours, 0, sizeof(ours));
	memset(&theirs, 0, sizeof(theirs));
	trust_init(&ours, "lan", NULL, &self, 11, 1);
	their_ring.count = 0;
	ours.unverified.beacon_us = BEACON_US;
	start_theirs(2, 22, 5);
	link_index = 0;
	tops = (struct elect_tops){ 0 };
	now_us = 1000000;
	return 0;
}

/* A request if `echo` is NULL. */
static inline struct datagram make(
	enum elect_msg_type type, const struct elect_transaction *echo, bool to_all)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE,
		.sender = theirs.self,
		.session = theirs.session,
		.incarnation = incarnation };
	struct wire_header h = { .key_id = trust_key_id(&theirs),
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all,
		.domain_hash = theirs.domain_hash,
		.sequence = trust_sequence(&theirs, to_all) };
	struct datagram d;

	if (echo)
		m.transaction = *echo;
	d.size = wire_encode(&m, &h, d.bytes);
	d.bytes[5] = (uint8_t)type;
	trust_seal(&theirs, d.bytes, d.size, &path);
	return d;
}

static inline struct datagram make_request(void)
{
	return make(ELECT_CHALLENGE, NULL, false);
}

static inline struct datagram make_answer(const struct elect_transaction *echo)
{
	return make(ELECT_CHALLENGE_ANSWER, echo, false);
}

static inline enum wire_verdict open_from(
	const struct datagram *d, const struct elect_address *from, bool *ret_proven)
{
	struct trust_proof proof = { 0 };
	struct wire_header h;
	struct trust_arrival arrival = { .from = *from, .link = link_index };
	enum wire_verdict verdict =
		trust_open(&ours, now_us, &arrival, d->bytes, d->size, &h, &proof);

	if (verdict == WIRE_OK)
		verdict = trust_remember(&ours, now_us, link_index, &h, &tops, &proof);
	else if (verdict == WIRE_DUPLICATE)
		trust_saw(&ours, now_us, link_index, &h);
	*ret_proven = proof.proven;
	return verdict;
}

/* Opens a datagram and asserts that a refused one changed nothing. */
static inline enum wire_verdict open_it(const struct datagram *d)
{
	enum wire_verdict verdict;
	bool proven;

	before = ours;
	verdict = open_from(d, &path, &proven);
	if (verdict != WIRE_OK && verdict != WIRE_DUPLICATE)
		assert_memory_equal(&ours, &before, sizeof(ours));
	return verdict;
}

/* Opens a datagram whose source is an address of this host. */
static inline enum wire_verdict open_own(const struct datagram *d)
{
	struct wire_header h;
	struct trust_proof proof;

	return trust_open(&ours, now_us, &(struct trust_arrival){ .from = path, .own = true },
		d->bytes, d->size, &h, &proof);
}

static inline bool is_proven(const struct datagram *d)
{
	bool proven = false;

	assert_int_equal(open_from(d, &path, &proven), WIRE_OK);
	assert_int_equal(proven, trust_proven(&ours, &theirs.self, theirs.session));
	return proven;
}

static inline bool next_is_proven(void)
{
	struct datagram d = make_request();

	return is_proven(&d);
}

static inline void prove_theirs(void)
{
	struct elect_transaction t;
	struct datagram d;

	trust_request(&ours, now_us, &t);
	d = make_answer(&t);
	assert_true(is_proven(&d));
}

/* `theirs` answers a Challenge that was sent to it alone and reports its tops, which set both
 * windows. */
static inline void challenge_theirs(void)
{
	struct elect_transaction t;
	struct datagram d;

	trust_challenge(&ours, now_us, &t);
	d = make_answer(&t);
	trust_tops(&theirs, now_us, &tops);
	assert_true(is_proven(&d));
	tops = (struct elect_tops){ 0 };
}

#endif
