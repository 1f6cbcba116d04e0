/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several keys: which keys a mode makes of a key file; and proofs by one key do not count for
 * another key, and end with their key.
 */
#include "ends.h"

#include <errno.h>
#include <sodium.h>

static struct elect_session lost[TRUST_PEERS_MAX];

static struct ring made(enum ring_mode mode, unsigned lines)
{
	const struct ring_file file = { lines, { { 7, { 1 } }, { 3, { 2 } } } };
	struct ring ring;

	assert_int_equal(ring_make(&ring, mode, "lan", &file), 0);
	return ring;
}

static void assert_ids(const struct ring *ring, const uint8_t *ids, unsigned count)
{
	assert_int_equal(ring->count, count);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(ring->keys[i].told.id, ids[i]);
		assert_int_equal(ring->keys[i].told.name != 0, ids[i] != 0);
		assert_ptr_equal(ring_find(ring, ids[i]), &ring->keys[i]);
	}
	assert_null(ring_find(ring, 99));
}

static void a_mode_decides_which_keys_are_sent_and_accepted(void **state)
{
	static const struct {
		enum ring_mode mode;
		unsigned count;
		uint8_t ids[3];
	} rows[] = { { RING_AUTO, 2, { 7, 3 } }, { RING_ENFORCE, 2, { 7, 3 } },
		{ RING_PERMISSIVE, 3, { 7, 3, 0 } }, { RING_RECEIVE_ONLY, 3, { 0, 7, 3 } } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ring ring = made(rows[i].mode, 2);

		assert_ids(&ring, rows[i].ids, rows[i].count);
	}
}

static void without_a_key_file_every_mode_but_enforce_is_auto(void **state)
{
	static const uint8_t builtin[] = { 0 };
	static const struct ring_file none;
	struct ring ring;

	(void)state;
	for (unsigned mode = 0; mode < RING_MODES; mode++) {
		if (mode == RING_ENFORCE) {
			assert_int_equal(ring_make(&ring, mode, "lan", &none), -ENOKEY);
			continue;
		}
		ring = made((enum ring_mode)mode, 0);
		assert_ids(&ring, builtin, 1);
	}
}

static void modes_have_the_words_of_the_configuration(void **state)
{
	enum ring_mode mode;

	(void)state;
	for (unsigned i = 0; i < RING_MODES; i++) {
		assert_true(ring_mode_read(ring_mode_name((enum ring_mode)i), &mode));
		assert_int_equal(mode, i);
	}
	assert_false(ring_mode_read("", &mode));
	assert_false(ring_mode_read("strict", &mode));
}

static void equal_key_numbers_are_not_one_key(void **state)
{
	struct ring a = make_ring(7, 1), b = make_ring(7, 2), same = make_ring(7, 1);

	(void)state;
	assert_true(ring_has(&a, &same.keys[0]));
	assert_true(ring_equal(&a, &same));
	assert_false(ring_has(&a, &b.keys[0]));
	assert_false(ring_equal(&a, &b));
	assert_int_not_equal(a.keys[0].told.name, b.keys[0].told.name);
	a = made(RING_PERMISSIVE, 2);
	b = made(RING_RECEIVE_ONLY, 2);
	assert_false(ring_equal(&a, &b)); /* the first key is the one that is sent */
}

/* Whether any part of our state has these bytes. */
static bool ours_has(const uint8_t key[RING_KEY_SIZE])
{
	return memmem(&ours, sizeof(ours), key, RING_KEY_SIZE);
}

static void keys_are_stored_only_where_the_caller_wants(void **state)
{
	struct ring first = make_ring(7, 1), second = make_ring(7, 2), place = { 0 };
	struct elect_id self = make_id(1);

	(void)state;
	trust_keep_at(&ours, &place);
	trust_init(&ours, "lan", &first, &self, 11, 1);
	assert_true(ring_equal(&place, &first));
	assert_ptr_equal(trust_ring(&ours), &place);
	trust_set_ring(&ours, &second, lost);
	assert_true(ring_equal(&place, &second));
	assert_false(ours_has(first.keys[0].key) || ours_has(second.keys[0].key));
	trust_keep_at(&ours, NULL);
	trust_init(&ours, "lan", &first, &self, 11, 1);
	assert_true(ours_has(first.keys[0].key));
}

enum { STACK_LOOKED_AT = 16 * 1024 };

static uint8_t stack[STACK_LOOKED_AT]; /* the memory below the frame of the caller */

/* Copies byte by byte, because a called function would overwrite the memory. */
__attribute__((noinline, no_sanitize("address"))) static void look_at_the_stack(void)
{
	const volatile uint8_t *below = __builtin_frame_address(0);

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (below - sizeof(stack))[i];
}

/* Whether at least half of the key is there. */
static bool lies_there(const uint8_t key[RING_KEY_SIZE])
{
	return memmem(stack, sizeof(stack), key, RING_KEY_SIZE / 2) ||
		memmem(stack, sizeof(stack), key + RING_KEY_SIZE / 2, RING_KEY_SIZE / 2);
}

/* Without sodium_init(), libsodium uses its portable functions, which leave the most on the
 * stack. */
static void no_key_is_left_on_the_stack(void **state)
{
	static struct ring_file file = { .count = 1, .lines = { { .id = 7 } } };
	static struct ring ring, place;
	static struct datagram d;
	struct elect_id self = make_id(1);

	(void)state;
	for (uint8_t i = 0; i < RING_SECRET_SIZE; i++)
		file.lines[0].secret[i] = (uint8_t)(7 + 11 * i);
	sodium_stackzero(STACK_LOOKED_AT);
	ring_make(&ring, RING_ENFORCE, "lan", &file);
	look_at_the_stack();
	assert_false(lies_there(file.lines[0].secret));
	assert_false(lies_there(ring.keys[0].key));

	trust_keep_at(&ours, &place);
	trust_init(&ours, "lan", &ring, &self, 11, 1);
	their_ring = ring;
	start_theirs(2, 22, 5);
	d = make(ELECT_CHALLENGE, NULL, false);
	sodium_stackzero(STACK_LOOKED_AT);
	trust_seal(&ours, d.bytes, d.size, &path);
	look_at_the_stack();
	assert_false(lies_there(ring.keys[0].key));
}

/* `ours` accepts the built-in key and key 7; `theirs` sends with one of them. */
static int set_up_keys(void **state)
{
	struct ring both = made(RING_RECEIVE_ONLY, 1);

	set_up(state);
	assert_int_equal(trust_set_ring(&ours, &both, lost), 0);
	return 0;
}

static void they_send(uint8_t key_id)
{
	struct ring ring = key_id ? made(RING_ENFORCE, 1) : made(RING_AUTO, 0);

	theirs.ring = ring;
}

static bool proven_by(uint8_t key_id)
{
	return trust_proven_by(&ours, &theirs.self, theirs.session, key_id);
}

/* Sends the highest sequences that are accepted, authentic under the key of `theirs`. */
static void poison(void)
{
	for (unsigned to_all = 0; to_all < 2; to_all++) {
		uint64_t used = theirs.sequences[to_all];
		struct datagram d;

		theirs.sequences[to_all] += SESSION_LEAP - 1;
		d = make(ELECT_CHALLENGE, NULL, to_all);
		assert_int_equal(open_it(&d), WIRE_OK);
		theirs.sequences[to_all] = used;
		d = make(ELECT_CHALLENGE, NULL, to_all);
		assert_int_equal(open_it(&d), WIRE_REPLAYED);
	}
}

static void another_key_of_a_proven_session_must_be_proven(void **state)
{
	struct datagram d;
	bool proven;

	(void)state;
	prove_theirs();
	they_send(7);
	d = make_request();
	assert_int_equal(open_from(&d, &path, &proven), WIRE_OK);
	assert_false(proven);
	assert_true(proven_by(0)); /* the former proof stays valid */
	prove_theirs();
	assert_true(proven_by(7));
	assert_true(proven_by(0));
}

static void each_key_has_windows_of_its_own(void **state)
{
	struct datagram d;

	(void)state;
	challenge_theirs();
	poison();
	they_send(7);
	d = make_request();
	assert_int_equal(open_it(&d), WIRE_OK);
	challenge_theirs();
	d = make(ELECT_CHALLENGE, NULL, true);
	assert_int_equal(open_it(&d), WIRE_OK);
	assert_int_equal(open_it(&d), WIRE_REPLAYED);
}

static void each_key_has_starts_of_its_own(void **state)
{
	struct elect_id id = make_id(2);

	(void)state;
	start_theirs(2, 99, 1000); /* without a key file, any host can send this */
	prove_theirs();
	start_theirs(2, 22, 5);
	they_send(7);
	prove_theirs();
	assert_true(proven_by(7));
	assert_int_equal(trust_outlived(&ours, now_us, &id, 5, 7, true), 0);
}

static void a_voucher_counts_for_its_own_key_only(void **state)
{
	struct elect_session who = { make_id(3), 33 };
	int at;

	(void)state;
	trust_vouch(&ours, now_us, &who, 1, 0);
	at = trust_first(&ours, &who.id);
	assert_int_equal(ours.peers[at].key_id, 0);
	assert_int_equal(ours.peers[at].candidate.windows[0].state, SESSION_VOUCHED);
	assert_int_equal(trust_next(&ours, at), -1);
}

static void a_start_under_another_key_ends_the_proof_of_the_former(void **state)
{
	struct elect_transaction t;
	struct datagram unseen, answer;
	struct trust former;
	bool proven = true;

	(void)state;
	prove_theirs();
	unseen = make_request();
	trust_request(&ours, now_us, &t);
	answer = make_answer(&t);
	former = theirs;
	now_us++;
	start_theirs(2, 23, 1);
	they_send(7);
	prove_theirs();
	assert_true(proven_by(7));
	assert_false(trust_proven(&ours, &theirs.self, 22));
	assert_int_equal(open_from(&unseen, &path, &proven), WIRE_OK);
	assert_false(proven);
	assert_int_equal(open_it(&answer), WIRE_SESSION_OLD); /* an answer that was held back */
	assert_true(next_is_proven());
	now_us++;
	theirs = former;
	prove_theirs();
	assert_true(proven_by(0));
	assert_false(trust_proven(&ours, &theirs.self, 23));
}

static void a_proof_ends_with_its_key(void **state)
{
	struct ring seven = made(RING_ENFORCE, 1);
	struct trust_peer *p;
	int at;

	(void)state;
	challenge_theirs();
	poison();
	assert_int_equal(trust_set_ring(&ours, &seven, lost), 1);
	assert_true(elect_id_equal(&lost[0].id, &theirs.self));
	assert_int_equal(lost[0].session, 22);
	assert_false(trust_proven(&ours, &theirs.self, 22));
	at = trust_first(&ours, &theirs.self);
	assert_in_range(at, 0, TRUST_PEERS_MAX - 1);
	assert_int_equal(trust_next(&ours, at), -1);
	p = &ours.peers[at];
	assert_int_equal(p->incarnation, 0);
	assert_int_equal(p->proven.windows[0].top, 0);
	assert_true(p->seen); /* so it can be reported as missing */
}

static void a_proof_by_a_second_key_survives_the_first(void **state)
{
	struct ring seven = made(RING_ENFORCE, 1);

	(void)state;
	prove_theirs();
	they_send(7);
	prove_theirs();
	assert_int_equal(trust_set_ring(&ours, &seven, lost), 0);
	assert_true(proven_by(7));
	assert_false(proven_by(0));
}

static void another_secret_of_the_same_number_is_another_key(void **state)
{
	struct ring other = make_ring(7, 99);

	(void)state;
	they_send(7);
	prove_theirs();
	assert_int_equal(trust_set_ring(&ours, &other, lost), 1);
	assert_false(proven_by(7));
}

/* A copy of this host that has the former key may send it, and so may a host that has heard it. */
static void an_own_will_is_accepted_with_the_sent_key_only(void **state)
{
	struct ring permissive = made(RING_PERMISSIVE, 1);
	struct elect_id self = make_id(1);
	struct datagram d;

	(void)state;
	trust_set_ring(&ours, &permissive, lost);
	for (unsigned key = 0; key <= 7; key += 7) {
		trust_init(&theirs, "lan", NULL, &self, 11, 1);
		they_send((uint8_t)key);
		theirs.sequences[1] = WIRE_WILL_FROM - 2;
		d = make(ELECT_GOODBYE, NULL, true);
		d.bytes[48] = 0x40; /* a sequence that no process reaches */
		trust_seal(&theirs, d.bytes, d.size, &path);
		assert_int_equal(open_own(&d), key ? WIRE_OWN_WILL : WIRE_OWN);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up_keys)
	const struct CMUnitTest tests[] = {
		TEST(a_mode_decides_which_keys_are_sent_and_accepted),
		TEST(without_a_key_file_every_mode_but_enforce_is_auto),
		TEST(modes_have_the_words_of_the_configuration),
		TEST(equal_key_numbers_are_not_one_key),
		TEST(keys_are_stored_only_where_the_caller_wants),
		TEST(no_key_is_left_on_the_stack),
		TEST(another_key_of_a_proven_session_must_be_proven),
		TEST(each_key_has_windows_of_its_own),
		TEST(each_key_has_starts_of_its_own),
		TEST(a_start_under_another_key_ends_the_proof_of_the_former),
		TEST(a_voucher_counts_for_its_own_key_only),
		TEST(a_proof_ends_with_its_key),
		TEST(a_proof_by_a_second_key_survives_the_first),
		TEST(another_secret_of_the_same_number_is_another_key),
		TEST(an_own_will_is_accepted_with_the_sent_key_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
