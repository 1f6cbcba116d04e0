/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust: see trust.h. Judges in order of cost: first what the header alone shows, then the tag,
 * then the tables. Changes the tables only at the end, when all of this was good.
 */
#include "peers.h"
#include "core/messages.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* ---- tags -------------------------------------------------------------------------------- */

/* The first four bytes of BLAKE2b-256 of the domain's name. */
static uint32_t hash_domain(const char *domain)
{
	uint8_t hash[crypto_generichash_BYTES];

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)domain, strlen(domain), NULL, 0);
	return (uint32_t)hash[0] << 24 | (uint32_t)hash[1] << 16 | (uint32_t)hash[2] << 8 | hash[3];
}

/* The tag covers the path (family, address, port), then the datagram up to its tag. */
static void make_tag(const struct ring_key *key, const struct elect_address *source,
	const uint8_t *bytes, size_t size, uint8_t ret_tag[WIRE_TAG_SIZE])
{
	size_t address_size = source->family == 6 ? 16 : source->family == 4 ? 4 : 0;
	uint8_t port[2] = { (uint8_t)(source->port >> 8), (uint8_t)source->port };
	crypto_generichash_state state;

	crypto_generichash_init(&state, key->key, sizeof(key->key), WIRE_TAG_SIZE);
	crypto_generichash_update(&state, &source->family, 1);
	crypto_generichash_update(&state, source->bytes, address_size);
	crypto_generichash_update(&state, port, sizeof(port));
	crypto_generichash_update(&state, bytes, size - WIRE_TAG_SIZE);
	crypto_generichash_final(&state, ret_tag, WIRE_TAG_SIZE);
	sodium_memzero(&state, sizeof(state));
}

static struct ring *ring_of(struct trust *t)
{
	return t->place ? t->place : &t->ring;
}

/* The peers are not cleared: a daemon among five hosts need not hold the memory for 1024. */
static void forget_all(struct trust *t, uint64_t seed)
{
	t->peers_count = 0;
	places_clear(&t->places, seed);
	t->opened = t->challenged = 0;
	unverified_clear(&t->unverified, seed);
}

void trust_init(struct trust *t, const char *domain, const struct ring *ring,
	const struct elect_id *self, uint64_t session, uint64_t seed)
{
	static const struct ring_file no_file;

	assert(strlen(domain) <= TRUST_DOMAIN_MAX);
	assert(session != 0);
	memset(t, 0, offsetof(struct trust, places));
	if (ring)
		*ring_of(t) = *ring;
	else
		ring_make(ring_of(t), RING_AUTO, domain, &no_file);
	t->domain_hash = hash_domain(domain);
	t->self = *self;
	t->session = session;
	t->rng.state = seed;
	forget_all(t, seed);
}

void trust_begin_anew(struct trust *t, uint64_t session, uint64_t seed)
{
	assert(session != 0);
	t->session = session;
	t->sequences[0] = t->sequences[1] = 0;
	t->sent[0] = t->sent[1] = (struct trust_sent){ 0 };
	t->rng.state ^= seed;
	forget_all(t, seed);
}

void trust_seal(
	const struct trust *t, uint8_t *bytes, size_t size, const struct elect_address *source)
{
	const struct ring_key *key = ring_find(trust_ring(t), wire_key_id(bytes));

	assert(size >= WIRE_HEADER_SIZE + WIRE_TAG_SIZE);
	assert(key);
	make_tag(key, source, bytes, size, bytes + size - WIRE_TAG_SIZE);
}

/* ---- transactions and sequences of this host --------------------------------------------- */

/*
 * A transaction has to be fresh, not secret: only a holder of the key can echo it, and an honest
 * one does so only when asked. The generator is seeded anew at each start.
 */
static void open_transaction(struct trust *t, uint64_t now_us, struct trust_open_transaction *open)
{
	for (unsigned i = 0; i < sizeof(open->transaction.bytes); i += 8) {
		uint64_t random = rng_next(&t->rng);

		memcpy(open->transaction.bytes + i, &random, sizeof(random));
	}
	open->since_us = now_us;
}

void trust_request(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction)
{
	struct trust_open_transaction *open = &t->open[t->opened++ % TRUST_OPEN_MAX];

	open_transaction(t, now_us, open);
	*ret_transaction = open->transaction;
}

void trust_challenge(struct trust *t, uint64_t now_us, struct elect_transaction *ret_transaction)
{
	struct trust_open_transaction *open =
		&t->challenges[t->challenged++ % TRUST_CHALLENGES_MAX];

	open_transaction(t, now_us, open);
	*ret_transaction = open->transaction;
}

uint64_t trust_sequence(struct trust *t, bool to_all)
{
	assert(t->sequences[to_all] + 1 < WIRE_WILL_FROM);
	return ++t->sequences[to_all];
}

void trust_sent(struct trust *t, uint64_t now_us, bool to_all)
{
	struct trust_sent *s = &t->sent[to_all];
	struct trust_mark mark = { now_us, t->sequences[to_all] - 1 };
	bool was_idle = now_us - s->us >= TRUST_RECENT_US;

	s->us = now_us;
	if (!was_idle && now_us - s->marks[1].us < TRUST_RECENT_US)
		return;
	s->marks[0] = was_idle ? mark : s->marks[1];
	s->marks[1] = mark;
}

/* The number of the highest sequences that may be younger than TRUST_RECENT_US. */
static uint64_t recent(const struct trust *t, uint64_t now_us, bool to_all)
{
	const struct trust_sent *s = &t->sent[to_all];

	if (now_us - s->us >= TRUST_RECENT_US)
		return 0;
	return t->sequences[to_all] - s->marks[now_us - s->marks[1].us >= TRUST_RECENT_US].below;
}

void trust_pass_over(struct trust *t, uint64_t now_us)
{
	uint64_t used = recent(t, now_us, false), below = SESSION_RECENT - 1;

	if (used < below)
		t->sequences[0] += below - used;
}

void trust_tops(const struct trust *t, uint64_t now_us, struct elect_tops *ret_tops)
{
	uint64_t young = recent(t, now_us, true);

	*ret_tops = (struct elect_tops){ t->sequences[0], t->sequences[1],
		(uint8_t)(young < ELECT_RECENT_MAX ? young : ELECT_RECENT_MAX) };
}

/* The index of an open transaction, or -1. `count` were ever put into `max` places. */
static int find_among(const struct trust_open_transaction *open, uint64_t count, unsigned max,
	uint64_t now_us, const struct elect_transaction *transaction)
{
	for (unsigned i = 0; i < count && i < max; i++)
		if (memcmp(open[i].transaction.bytes, transaction->bytes,
			    sizeof(transaction->bytes)) == 0 &&
			open[i].since_us != ELECT_NEVER &&
			now_us - open[i].since_us <= TRUST_OPEN_US)
			return (int)i;
	return -1;
}

static int find_challenge(const struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	return find_among(
		t->challenges, t->challenged, TRUST_CHALLENGES_MAX, now_us, &h->transaction);
}

static int find_request(const struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	return find_among(t->open, t->opened, TRUST_OPEN_MAX, now_us, &h->transaction);
}

/* Only answers verify their sender. */
static bool is_answer(const struct wire_header *h)
{
	return elect_message_row(h->type)->transaction == TRANSACTION_ECHO;
}

static const struct trust_open_transaction *asked(
	const struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	int at;

	if (!is_answer(h))
		return NULL;
	at = find_request(t, now_us, h);
	if (at >= 0)
		return &t->open[at];
	at = find_challenge(t, now_us, h);
	return at >= 0 ? &t->challenges[at] : NULL;
}

/*
 * A Challenge to one host is answered once. A copy of the answer then finds nothing open, even if
 * the session's window was forgotten meanwhile. Other requests may have many answers; only the
 * window recognizes their copies.
 */
static void close_challenge(struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	int at = is_answer(h) ? find_challenge(t, now_us, h) : -1;

	if (at >= 0)
		t->challenges[at].since_us = ELECT_NEVER;
}

/* ---- sessions ---------------------------------------------------------------------------- */

static struct trust_session *session_find(const struct trust_peer *p, uint64_t session)
{
	const struct trust_session *known[] = { &p->proven, &p->candidate, &p->former };

	for (unsigned i = 0; i < 3; i++)
		if (known[i]->session == session)
			return (struct trust_session *)known[i];
	return NULL;
}

/*
 * Is the datagram from an older start of a host, while a newer one was heard within a beacon? Then
 * it is late or a recording. After a beacon the older start may be a candidate again, because a
 * host that lost its state file counts its starts anew, and because an insider may have made up the
 * newer start.
 */
static bool outdated(const struct trust_session *known, const struct wire_header *h,
	uint64_t now_us, uint64_t beacon_us)
{
	return known->session && known->session != h->session &&
		h->incarnation < known->incarnation && now_us - known->last_us < beacon_us;
}

/*
 * Does the answer to a request of that time verify its session? After the last will of the session,
 * only an answer to a later request does, because an answer to an earlier one may have been sent
 * before the will. A late answer of the former session must not displace the present one. So
 * another session has to be of a higher incarnation, or to answer a request that was sent after the
 * present session was last heard (a lost state makes the newer start look older). See also
 * outlived().
 */
static bool proves(
	const struct trust_session *proven, const struct wire_header *h, uint64_t asked_us)
{
	if (proven->session == h->session)
		return !proven->will_us || asked_us > proven->will_us;
	return !proven->session || h->incarnation > proven->incarnation ||
		asked_us > proven->last_us;
}

/*
 * Has a key verified another session of the host since the request was sent? Then the answer may be
 * a recording.
 */
static bool outlived(const struct trust *t, const struct wire_header *h, uint64_t asked_us)
{
	return asked_us < peers_other_us(t, &h->sender, h->session);
}

/* The session that is replaced stays known, with its windows. */
static void promote(struct trust_peer *p, struct trust_session *s, uint64_t now_us)
{
	struct trust_session next = *s;
	bool returns = s == &p->former;

	if (s != &p->proven) {
		*s = (struct trust_session){ 0 };
		if (p->proven.session) {
			p->former = p->proven;
			session_apply(&p->former, SESSION_IS_REPLACED);
		}
		p->proven = next;
	}
	p->proven.proven_us = now_us;
	if (p->proven.will_us) {
		/* The forgery has used sequences that the true will still needs. */
		p->proven.windows[TRUST_WILL] = (struct session_window){ 0 };
		p->proven.withdrawn = true;
	}
	p->proven.will_us = 0;
	/* The session lived all the time, so the start in between was made up. */
	if (returns || p->incarnation < p->proven.incarnation)
		p->incarnation = p->proven.incarnation;
	p->told_us[true] = 0;
	p->seen = true;
}

/* NULL: a verified host vouched for the candidate lately, so the candidate stays. */
static struct trust_session *session_make(
	struct trust_peer *p, uint64_t now_us, uint64_t session, uint64_t incarnation, bool answers)
{
	struct trust_session *s = &p->candidate;

	if (!answers && session_vouched(s) && !session_silent(s, now_us))
		return NULL;
	*s = (struct trust_session){ .session = session, .incarnation = incarnation };
	return s;
}

/* ---- judging ----------------------------------------------------------------------------- */

/*
 * Is the datagram dropped by its header alone? Not if it may show that the session lives after all:
 * an answer, any datagram if a host has vouched for the session, or the one Challenge a beacon that
 * is still judged.
 */
static bool unheard(const struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	int at = unverified_asked(&t->unverified, &h->sender, h->session, h->key_id);

	return at >= 0 && unverified_is_unresponsive(&t->unverified, now_us, at) &&
		!trust_proven_by(t, &h->sender, h->session, h->key_id) &&
		!trust_vouched(t, &h->sender, h->session) && !asked(t, now_us, h) &&
		!(h->type == ELECT_CHALLENGE && unverified_may_speak(&t->unverified, now_us, at));
}

/*
 * Does the datagram come from this process? A copy of the process elsewhere has the same id and
 * session (I4). An echo of our own Challenge may come from an address that this host has just lost.
 * The echo is not answered, because an answer would verify a second process that does not exist.
 */
static bool is_own(
	const struct trust *t, uint64_t now_us, const struct wire_header *h, bool from_us)
{
	return h->session == t->session && elect_id_equal(&h->sender, &t->self) &&
		(from_us ||
			(h->type == ELECT_CHALLENGE &&
				(find_challenge(t, now_us, h) >= 0 ||
					find_request(t, now_us, h) >= 0)));
}

static bool has_tag(const struct trust *t, uint8_t key_id, const struct elect_address *from,
	const uint8_t *bytes, size_t size)
{
	uint8_t tag[WIRE_TAG_SIZE];

	make_tag(ring_find(trust_ring(t), key_id), from, bytes, size, tag);
	return sodium_memcmp(tag, bytes + size - WIRE_TAG_SIZE, sizeof(tag)) == 0;
}

/*
 * A last will is sent only after the end of this process, so one that this process hears is forged,
 * and other hosts may believe it (will.md). They do not believe it under a key that this host does
 * not send.
 */
static enum wire_verdict judge_own(const struct trust *t, const struct elect_address *from,
	const struct wire_header *h, const uint8_t *bytes, size_t size)
{
	bool will = wire_is_will(h) && h->type == ELECT_GOODBYE && h->key_id == trust_key_id(t) &&
		h->algorithm == WIRE_TAG_BLAKE2B;

	return will && has_tag(t, h->key_id, from, bytes, size) ? WIRE_OWN_WILL : WIRE_OWN;
}

static enum wire_verdict judge_datagram(const struct trust *t, uint64_t now_us,
	const struct trust_arrival *arrival, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header)
{
	enum wire_verdict verdict = wire_decode_header(bytes, size, ret_header);

	if (verdict != WIRE_OK)
		return verdict;
	if (is_own(t, now_us, ret_header, arrival->own))
		return judge_own(t, &arrival->from, ret_header, bytes, size);
	if (ret_header->domain_hash != t->domain_hash)
		return WIRE_DOMAIN_BAD;
	if (!trust_has_key(t, ret_header->key_id) || ret_header->algorithm != WIRE_TAG_BLAKE2B)
		return WIRE_KEY_BAD;
	if (unheard(t, now_us, ret_header))
		return WIRE_UNRESPONSIVE;
	if (!has_tag(t, ret_header->key_id, &arrival->from, bytes, size))
		return WIRE_TAG_BAD;
	return WIRE_OK;
}

static enum wire_verdict judge_session(const struct trust_peer *p, uint64_t now_us,
	uint64_t beacon_us, unsigned link, const struct wire_header *h,
	const struct trust_proof *proof)
{
	const struct trust_session *s = session_find(p, h->session);
	bool will_of_former =
		s && wire_is_will(h); /* may come after the next start has begun (will.md) */
	enum session_act act = s && !proof->alone ? session_judge(s, now_us, link, h) : SESSION_ASK;

	if (outdated(&p->proven, h, now_us, beacon_us) && !will_of_former)
		return WIRE_SESSION_OLD;
	if (act == SESSION_REFUSE)
		return WIRE_REPLAYED;
	if (act == SESSION_COPY)
		return WIRE_DUPLICATE;
	if (proof->asked_us && !proves(&p->proven, h, proof->asked_us))
		return WIRE_SESSION_OLD;
	return WIRE_OK;
}

static void count_speech(struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	int at = unverified_asked(&t->unverified, &h->sender, h->session, h->key_id);

	if (at >= 0 && unverified_is_unresponsive(&t->unverified, now_us, at))
		unverified_spoke(&t->unverified, now_us, at);
}

/*
 * Is the datagram believed? Each message of a will is, if the session was verified when the first
 * one came.
 */
static bool is_proven(
	const struct trust *t, const struct trust_peer *p, const struct wire_header *h)
{
	const struct trust_session *s = &p->proven;

	return s->session == h->session && !peer_overtaken(t, p) &&
		(wire_is_will(h) || s->windows[session_space(h)].state == SESSION_OPEN);
}

/*
 * The session is over, or the will is a forgery. Either way the session has to be verified anew, by
 * each key: a host dies once, and under another key a recording of the session may be new.
 */
static void note_will(struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	for (int at = trust_first(t, &h->sender); at >= 0; at = trust_next(t, at)) {
		struct trust_session *s = session_find(&t->peers[at], h->session);

		if (!s || s->will_us)
			continue;
		s->will_us = now_us;
		session_apply(s, SESSION_ENDS);
	}
}

static void remember_answer(struct trust *t, struct trust_peer *p, struct trust_session *s,
	uint64_t now_us, unsigned link, const struct wire_header *h,
	const struct session_answer *answer, struct elect_heard *ret_behind)
{
	struct elect_heard heard;

	if (s != &p->proven || s->will_us || peer_overtaken(t, p))
		promote(p, s, now_us);
	p->proven.last_us = now_us;
	if (session_answered(&p->proven, now_us, t->unverified.beacon_us, link, h, answer, &heard))
		*ret_behind = heard;
}

/* Notes any other datagram. A candidate is remembered, but nothing that it sends. */
static void remember_other(struct trust *t, struct trust_peer *p, struct trust_session *s,
	uint64_t now_us, unsigned link, const struct wire_header *h)
{
	bool believed = session_judge(s, now_us, link, h) == SESSION_BELIEVE;

	if (believed || s == &p->candidate)
		s->last_us = now_us;
	if (believed)
		session_saw(s, now_us, link, h);
	if (wire_is_will(h))
		note_will(t, now_us, h);
}

/* ---- wills ------------------------------------------------------------------------------- */

/*
 * The name of a message of a will; 0: no such message. Copies by other links have other tags. The
 * sequence alone is no name, because a forged will has used those of the true one.
 */
static uint64_t name_of_will(const struct wire_header *h, const uint8_t *bytes, size_t size)
{
	uint8_t hash[crypto_generichash_BYTES];
	uint64_t word;

	if (!wire_is_will(h))
		return 0;
	crypto_generichash(hash, sizeof(hash), bytes, size - WIRE_TAG_SIZE, NULL, 0);
	memcpy(&word, hash, sizeof(word));
	return word | 1;
}

/*
 * Was this message of a will heard before? If a session has withdrawn a will, and as many messages
 * of its wills were heard as are remembered, any further one may be a recording. The host is then
 * missed by its silence only.
 */
static bool is_worn(const struct trust *t, const struct trust_peer *p, const struct wire_header *h,
	uint64_t will)
{
	const struct trust_session *s = p ? session_find(p, h->session) : NULL;

	for (unsigned i = 0; will && i < t->wills_count && i < TRUST_WILLS_MAX; i++)
		if (t->wills[i] == will)
			return true;
	return will && s && s->withdrawn && s->will_words >= TRUST_WILLS_MAX;
}

static void find_asked(const struct trust *t, uint64_t now_us, const struct wire_header *h,
	struct trust_proof *ret_proof)
{
	const struct trust_open_transaction *open = asked(t, now_us, h);

	ret_proof->asked_us = open ? open->since_us : 0;
	ret_proof->alone = open >= t->challenges && open < t->challenges + TRUST_CHALLENGES_MAX;
}

enum wire_verdict trust_open(const struct trust *t, uint64_t now_us,
	const struct trust_arrival *arrival, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header, struct trust_proof *ret_proof)
{
	enum wire_verdict verdict = judge_datagram(t, now_us, arrival, bytes, size, ret_header);
	int at;

	*ret_proof = (struct trust_proof){ 0 };
	if (verdict != WIRE_OK)
		return verdict;
	if (ret_header->session == 0 || ret_header->sequence == 0)
		return WIRE_REPLAYED; /* session 0 and sequence 0 are never sent */
	if (elect_id_is_zero(&ret_header->sender))
		return WIRE_FIELDS_BAD; /* an answer to the zero id would go to all hosts */
	if (ret_header->sequence >= WIRE_WILL_FROM &&
		!(ret_header->to_all && ret_header->type == ELECT_GOODBYE))
		return WIRE_REPLAYED; /* these sequences are reserved for a will */
	at = trust_find(t, &ret_header->sender, ret_header->key_id);
	find_asked(t, now_us, ret_header, ret_proof);
	ret_proof->will = name_of_will(ret_header, bytes, size);
	if (at >= 0) {
		verdict = judge_session(&t->peers[at], now_us, t->unverified.beacon_us,
			arrival->link, ret_header, ret_proof);
		ret_proof->proven = is_proven(t, &t->peers[at], ret_header);
	}
	if (verdict != WIRE_OK)
		return verdict;
	if (is_worn(t, at >= 0 ? &t->peers[at] : NULL, ret_header, ret_proof->will))
		return WIRE_REPLAYED;
	if (ret_proof->asked_us && outlived(t, ret_header, ret_proof->asked_us))
		return WIRE_SESSION_OLD;
	if (is_answer(ret_header) && !ret_proof->asked_us)
		return WIRE_ANSWER_UNASKED;
	return WIRE_OK;
}

enum wire_verdict trust_remember(struct trust *t, uint64_t now_us, unsigned link,
	const struct wire_header *h, const struct elect_tops *tops, struct trust_proof *proof)
{
	const struct session_answer answer = { proof->asked_us, proof->alone, tops };
	struct trust_session *s;
	struct trust_peer *p;
	int at;

	if (!session_tops_valid(h, &answer))
		return WIRE_FIELDS_BAD;
	at = trust_find(t, &h->sender, h->key_id);
	p = at >= 0 ? &t->peers[at] : peers_make(t, now_us, &h->sender, h->key_id);
	if (!p)
		return WIRE_TABLE_FULL;
	count_speech(t, now_us, h);
	s = session_find(p, h->session);
	if (!s)
		s = session_make(p, now_us, h->session, h->incarnation, proof->asked_us);
	if (s && proof->asked_us)
		remember_answer(t, p, s, now_us, link, h, &answer, &proof->behind);
	else if (s)
		remember_other(t, p, s, now_us, link, h);
	if (proof->will) {
		t->wills[t->wills_count++ % TRUST_WILLS_MAX] = proof->will;
		if (s)
			s->will_words++;
	}
	proof->proven = proof->asked_us || is_proven(t, p, h);
	close_challenge(t, now_us, h);
	return WIRE_OK;
}

enum wire_verdict trust_overhear(const struct trust *t, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size,
	struct wire_header *ret_header)
{
	const struct trust_arrival arrival = { .from = *from, .own = true };

	return judge_datagram(t, now_us, &arrival, bytes, size, ret_header);
}

/* ---- sessions that are known already ----------------------------------------------------- */

static struct trust_session *session_of(const struct trust *t, const struct wire_header *h)
{
	int at = trust_find(t, &h->sender, h->key_id);

	return at >= 0 && h->session ? session_find(&t->peers[at], h->session) : NULL;
}

void trust_saw(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h)
{
	session_saw(session_of(t, h), now_us, link, h);
}

bool trust_takes(struct trust *t, uint64_t now_us, unsigned link, const struct wire_header *h)
{
	struct trust_session *s = session_of(t, h);

	if (!s || session_judge(s, now_us, link, h) != SESSION_BELIEVE)
		return false;
	session_saw(s, now_us, link, h);
	return true;
}

void trust_refused(struct trust *t, const struct wire_header *h)
{
	struct trust_session *s = session_of(t, h);

	if (s)
		session_refused(s, h);
}

bool trust_suspects(const struct trust *t, uint64_t now_us, const struct wire_header *h,
	struct elect_heard *ret_heard)
{
	const struct trust_session *s = session_of(t, h);

	return s && session_suspects(s, now_us, t->unverified.beacon_us, h, ret_heard);
}

void trust_asked(struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	session_asked(session_of(t, h), now_us, h);
}

bool trust_awaits_answer(const struct trust *t, uint64_t now_us, const struct wire_header *h)
{
	const struct trust_session *s = session_of(t, h);

	return s && session_awaits_answer(s, now_us);
}

bool trust_put_back(const struct trust *t, const struct elect_heard *heard)
{
	return heard->session == t->session &&
		(heard->to_one > t->sequences[0] || heard->to_all > t->sequences[1]);
}

static bool is_out_of_reach(uint64_t used, uint64_t top)
{
	return top > used && top > SESSION_PASSED_MAX;
}

bool trust_used_up(const struct trust *t, const struct elect_heard *heard)
{
	return heard->session == t->session &&
		(is_out_of_reach(t->sequences[0], heard->top_to_one) ||
			is_out_of_reach(t->sequences[1], heard->top_to_all));
}

/* None of these sequences was sent, so none is recent. */
static void pass_over(struct trust *t, bool to_all, uint64_t top)
{
	if (top <= t->sequences[to_all] || top > SESSION_PASSED_MAX)
		return;
	t->sequences[to_all] = top;
	t->sent[to_all] = (struct trust_sent){ 0 };
}

void trust_pass_over_heard(struct trust *t, const struct elect_heard *heard)
{
	if (heard->session != t->session)
		return;
	pass_over(t, false, heard->top_to_one);
	pass_over(t, true, heard->top_to_all);
}

/* ---- later starts of other hosts --------------------------------------------------------- */

uint64_t trust_outlived(struct trust *t, uint64_t now_us, const struct elect_id *id,
	uint64_t incarnation, uint8_t key_id, bool proven)
{
	int at = trust_find(t, id, key_id);
	struct trust_peer *p = at >= 0 ? &t->peers[at] : NULL;

	if (!p || p->incarnation <= incarnation || !(proven || key_id) ||
		p->incarnation - incarnation >= ELECT_STARTS_MAX)
		return 0;
	if (p->told_us[proven] && now_us - p->told_us[proven] < TRUST_TELL_US)
		return 0;
	p->told_us[proven] = now_us;
	if (proven && ++p->told > TRUST_TELLS) {
		p->told = 0;
		p->incarnation = incarnation;
		return 0;
	}
	return p->incarnation;
}

/* ---- vouching ---------------------------------------------------------------------------- */

/*
 * Two sessions may have the same incarnation if a disk lost a write or a machine was put back. The
 * session that is heard stays.
 */
static bool vouched_newer(const struct trust_session *proven, uint64_t incarnation, uint64_t now_us)
{
	if (!proven->session || incarnation > proven->incarnation)
		return true;
	return incarnation == proven->incarnation && session_silent(proven, now_us);
}

/* Was a will of that session heard, under any key, and no answer of the session since? */
static bool has_ended(const struct trust *t, const struct elect_session *who)
{
	for (int at = trust_first(t, &who->id); at >= 0; at = trust_next(t, at)) {
		const struct trust_session *s = session_find(&t->peers[at], who->session);

		if (s && s->will_us)
			return true;
	}
	return false;
}

/*
 * Ignores a vouch for another process with our own id, because that process has to answer. Ignores
 * one for a session that another one has replaced, or whose will was heard: the host that vouches
 * does not know that yet, and after a lost state the dead session is of the higher incarnation.
 */
void trust_vouch(struct trust *t, uint64_t now_us, const struct elect_session *who,
	uint64_t incarnation, uint8_t key_id)
{
	struct trust_peer *p;
	int at;

	if (who->session == 0 || elect_id_equal(&who->id, &t->self) || has_ended(t, who))
		return;
	at = trust_find(t, &who->id, key_id);
	p = at >= 0 ? &t->peers[at] : peers_make(t, now_us, &who->id, key_id);
	if (!p || p->proven.session == who->session || p->former.session == who->session ||
		!vouched_newer(&p->proven, incarnation, now_us))
		return;
	if (p->candidate.session != who->session)
		p->candidate = (struct trust_session){ .session = who->session,
			.incarnation = incarnation };
	p->candidate.last_us = now_us;
	session_apply(&p->candidate, SESSION_IS_VOUCHED);
}

bool trust_vouched(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at)) {
		const struct trust_session *s = &t->peers[at].candidate;

		if (s->session == session && session_vouched(s))
			return true;
	}
	return false;
}

bool trust_knows(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at))
		if (t->peers[at].proven.session == session)
			return true;
	return trust_vouched(t, id, session);
}

/* ---- other keys -------------------------------------------------------------------------- */

/* Keeps that the host was here, for other_keys.h. */
static void forget_peer(struct trust_peer *p)
{
	*p = (struct trust_peer){
		.id = p->id, .key_id = p->key_id, .seen = p->seen, .member = p->member
	};
}

/* Forgets what this key has verified; adds the sessions to ret_lost and returns their number. */
static unsigned forget_key(
	struct trust *t, uint8_t key_id, unsigned lost, struct elect_session *ret_lost)
{
	unverified_forget_key(&t->unverified, key_id);
	for (unsigned i = 0; i < t->peers_count; i++) {
		struct trust_peer *p = &t->peers[i];
		uint64_t session = p->proven.session;

		if (p->key_id != key_id)
			continue;
		forget_peer(p);
		if (session)
			ret_lost[lost++] = (struct elect_session){ p->id, session };
	}
	return lost;
}

unsigned trust_set_ring(struct trust *t, const struct ring *ring, struct elect_session *ret_lost)
{
	struct ring *now = ring_of(t);
	unsigned lost = 0, kept = 0;

	for (unsigned i = 0; i < now->count; i++)
		if (!ring_has(ring, &now->keys[i]))
			lost = forget_key(t, now->keys[i].told.id, lost, ret_lost);
	*now = *ring;
	for (unsigned i = 0; i < lost; i++)
		if (!trust_proven(t, &ret_lost[i].id, ret_lost[i].session))
			ret_lost[kept++] = ret_lost[i];
	return kept;
}
