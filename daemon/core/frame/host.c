/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: see host.h. What stands between bytes and elect_step(), once for the daemon and the
 * simulator. Decides nothing about the election.
 */
#include "host.h"
#include "core/messages.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

enum {
	CHALLENGE_ANSWERS_PER_S = 2000, /* above: dropped, the asker asks again */
	DUPLICATE_CHALLENGE_US = 1000000,
	CHALLENGES_A_STEP = 16, /* more are sent in the next */
	SECOND_US = 1000000,
	RENEW_SPREAD_US = 50, /* a member: all challenge a coordinator that has changed its key */
	RENEW_SPREAD_MAX_US = 20000,
};

struct host {
	struct trust trust;
	struct host_counters counters;
	struct other_keys other_keys;
	struct elect_event event;	      /* the one under way; large, so not on the stack */
	struct elect_msg kept;		      /* what a stranger said, looked at once more */
	struct elect_transaction transaction; /* of the SEND being composed, shared by its parts */
	uint64_t wake_us;
	uint64_t answers_us;	/* the token bucket of Challenge_answers: as far as it is paid */
	uint64_t challenged_us; /* when a stranger with our own id was challenged last */
	bool challenged;
	unsigned links_count;
	struct host_link links[HOST_LINKS_MAX];
	struct elect_session lost[TRUST_PEERS_MAX]; /* of a change of keys; untouched else */
	alignas(max_align_t) unsigned char elect[];
};

static struct elect *elect_of(struct host *h)
{
	return (struct elect *)h->elect;
}

size_t host_size(void)
{
	return sizeof(struct host) + elect_size();
}

const struct elect *host_elect(const struct host *h)
{
	return (const struct elect *)h->elect;
}

const struct elect_msg *host_heard(const struct host *h)
{
	return &h->event.message;
}

struct trust *host_trust(struct host *h)
{
	return &h->trust;
}

struct host_counters *host_counters(struct host *h)
{
	return &h->counters;
}

/* ---- stepping ---------------------------------------------------------------------------- */

/* What vouches is believed by one key, and vouches by that one. */
static void vouch(struct host *h, uint64_t now_us, const struct elect_id *id, uint64_t session,
	uint64_t incarnation)
{
	const struct elect_session who = { *id, session };

	assert(h->event.type == ELECT_EVENT_MESSAGE);
	trust_vouch(&h->trust, now_us, &who, incarnation, h->event.message.key_id);
}

static void vouch_for_list(struct host *h, uint64_t now_us)
{
	const struct elect *e = host_elect(h);

	for (unsigned i = 0; i < elect_members_count(e); i++) {
		struct elect_member_info info;

		elect_member_at(e, i, &info);
		vouch(h, now_us, &info.member.id, info.member.session, info.member.incarnation);
	}
}

/* Whoever is of the group, so that it can be missed (other_keys.h). */
static void note_list(struct host *h)
{
	const struct elect *e = host_elect(h);

	for (unsigned i = 0; i < elect_members_count(e); i++) {
		struct elect_member_info info;
		unsigned first, count;

		elect_member_at(e, i, &info);
		count = trust_places(&h->trust, &info.member.id, &first);
		for (unsigned j = 0; j < count; j++)
			h->trust.peers[h->trust.order[first + j]].member = true;
	}
}

static void step(struct host *h, const struct elect_event *event, struct elect_actions *ret_actions)
{
	bool changed = false;

	elect_step(elect_of(h), event, ret_actions);
	h->wake_us = ret_actions->wake_us;
	h->trust.strangers.beacon_us = elect_config(host_elect(h))->timings.beacon_us;
	for (unsigned i = 0; i < ret_actions->count; i++) {
		const struct elect_action *a = &ret_actions->items[i];

		changed |= a->type == ELECT_ACTION_VIEW;
		if (a->type != ELECT_ACTION_PROVE)
			continue;
		if (elect_id_is_zero(&a->prove.id))
			vouch_for_list(h, event->now_us);
		else
			vouch(h, event->now_us, &a->prove.id, a->prove.session,
				a->prove.incarnation);
	}
	if (changed)
		note_list(h);
}

void host_start(struct host *h, uint64_t now_us, const char *domain, const struct ring *ring,
	const struct elect_start *start, struct elect_actions *ret_actions)
{
	/* Neither generator may repeat the other. */
	uint64_t seed = ~start->seed ^ start->session;

	memset(&h->counters, 0, sizeof(h->counters));
	h->other_keys.count = 0;
	h->transaction = (struct elect_transaction){ 0 };
	h->answers_us = now_us;
	h->challenged = false;
	h->links_count = 0;
	trust_init(&h->trust, domain, ring, &start->config.id, start->session, seed);
	h->event.now_us = now_us;
	h->event.type = ELECT_EVENT_START;
	h->event.start = *start;
	ring_told(&h->trust.ring, &h->event.start.keys);
	step(h, &h->event, ret_actions);
}

/* ---- addresses ----------------------------------------------------------------------------- */

void host_set_links(struct host *h, const struct host_link *links, unsigned count)
{
	assert(count <= HOST_LINKS_MAX);
	memcpy(h->links, links, count * sizeof(*links));
	h->links_count = count;
	/* two copies of this process differ in nothing else: their Challenges must not be equal */
	for (unsigned i = 0; i < count; i++)
		h->trust.rng.state ^= (uint64_t)links_ipv4(&links[i].own) << 32 | i;
}

/*
 * Who knows the key, and without a key anybody, could have datagrams sent to anywhere. Only an
 * inviter's address is ever sent to: those in lists are shown to people.
 */
static void forget_unusable(const struct host *h, struct elect_msg *m)
{
	if (!links_reach(h->links, h->links_count, &m->inviter.address))
		m->inviter.address = (struct elect_address){ 0 };
}

/* ---- answers --------------------------------------------------------------------------------- */

static void no_actions(const struct host *h, struct elect_actions *ret_actions)
{
	ret_actions->count = 0;
	ret_actions->wake_us = h->wake_us;
	ret_actions->reason = ELECT_REASON_NONE;
}

static struct elect_send *append_send(struct elect_actions *actions, enum elect_msg_type type,
	const struct elect_address *to, const struct elect_transaction *echo)
{
	struct elect_action *a;

	assert(actions->count < ELECT_ACTIONS_MAX);
	a = &actions->items[actions->count++];
	memset(a, 0, sizeof(*a));
	a->type = ELECT_ACTION_SEND;
	a->send.type = type;
	a->send.to = *to;
	if (echo)
		a->send.echo = *echo;
	return &a->send;
}

/* An older start of a host than is known: its state is an older copy, and it cannot know (D1). */
static uint64_t outlived(struct host *h, uint64_t now_us)
{
	const struct elect_msg *m = &h->event.message;

	if (elect_messages[m->type].transaction != TRANSACTION_NEW)
		return 0; /* it could not believe the answer */
	return trust_outlived(&h->trust, now_us, &m->sender, m->incarnation, m->key_id, m->proven);
}

/* Each answer costs 1/2000 s of a credit of at most one second. */
static void answer_challenge(
	struct host *h, uint64_t now_us, uint64_t known, struct elect_actions *ret_actions)
{
	const struct elect_msg *m = &h->event.message;

	if (h->answers_us + SECOND_US < now_us)
		h->answers_us = now_us - SECOND_US;
	if (h->answers_us > now_us)
		return;
	h->answers_us += SECOND_US / CHALLENGE_ANSWERS_PER_S;
	append_send(ret_actions, ELECT_CHALLENGE_ANSWER, &m->from, &m->transaction)->known = known;
}

/*
 * Another process with our id: proven, the election must know. Else it is asked to prove itself,
 * for it may be a former start of ours that still echoes on the LAN.
 */
static void meet_duplicate(
	struct host *h, uint64_t now_us, bool proven, struct elect_actions *ret_actions)
{
	if (proven) {
		h->event.type = ELECT_EVENT_DUPLICATE;
		step(h, &h->event, ret_actions);
		return;
	}
	no_actions(h, ret_actions);
	if (h->challenged && h->challenged_us + DUPLICATE_CHALLENGE_US > now_us)
		return;
	h->challenged = true;
	h->challenged_us = now_us;
	append_send(ret_actions, ELECT_CHALLENGE, &h->event.message.from, NULL);
}

/* ---- strangers ------------------------------------------------------------------------------- */

static bool load_kept(struct host *h, uint64_t now_us, int at, struct elect_msg *m)
{
	const struct stranger_kept *kept = &h->trust.strangers.kept[at];

	if (now_us - kept->at_us > STRANGER_KEPT_US || wire_decode(kept->bytes, kept->size, m) < 0)
		return false;
	forget_unusable(h, m);
	m->from = kept->from;
	m->key_id = h->trust.strangers.list[at].key_id;
	return true;
}

static uint64_t renew_spread_us(const struct host *h)
{
	uint64_t us = (uint64_t)elect_members_count(host_elect(h)) * RENEW_SPREAD_US;

	return us < RENEW_SPREAD_MAX_US ? us : RENEW_SPREAD_MAX_US;
}

/*
 * What the election has to do with it; and whoever is known already, by another key, is asked to
 * prove this one whatever he says: he is heard by it from here on.
 */
static enum elect_worth worth_of(
	const struct host *h, const struct elect_msg *m, uint64_t *ret_within_us)
{
	enum elect_worth worth = elect_worth(host_elect(h), m, ret_within_us);

	if (!trust_proven(&h->trust, &m->sender, m->session) ||
		trust_proven_by(&h->trust, &m->sender, m->session, m->key_id))
		return worth;
	*ret_within_us = renew_spread_us(h);
	return m->type == ELECT_AYCOORD ? ELECT_WORTH_FOLLOWING : ELECT_WORTH_ASKING;
}

/* Looks again at what was said: the host may be elsewhere by now. */
static void challenge(struct host *h, uint64_t now_us, int at, struct elect_actions *actions)
{
	enum elect_worth worth = ELECT_WORTH_NOTHING;
	uint64_t within_us;

	if (load_kept(h, now_us, at, &h->kept))
		worth = worth_of(h, &h->kept, &within_us);
	if (worth == ELECT_WORTH_NOTHING)
		h->trust.strangers.list[at].due_us = ELECT_NEVER;
	else if (stranger_ask(&h->trust.strangers, now_us, at, worth == ELECT_WORTH_FOLLOWING))
		append_send(actions, ELECT_CHALLENGE, &h->kept.from, NULL);
}

/* The last part of every step. */
static void challenge_strangers(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	const struct strangers *s = &h->trust.strangers;
	uint64_t next;

	for (unsigned i = 0; i < CHALLENGES_A_STEP && actions->count < ELECT_ACTIONS_MAX - 1; i++) {
		int at = stranger_due(s, now_us);

		if (at < 0)
			break;
		challenge(h, now_us, at, actions);
	}
	next = stranger_next_us(s);
	if (next < actions->wake_us)
		actions->wake_us = next;
}

/* Nothing changes: it may be asked to prove itself, and is kept until it does. */
static void meet_stranger(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size)
{
	const struct elect_msg *m = &h->event.message;
	uint64_t within_us;

	if (m->type == ELECT_HELLO)
		elect_hear_hello(elect_of(h), m);
	if (worth_of(h, m, &within_us) == ELECT_WORTH_NOTHING)
		return;
	stranger_meet(&h->trust.strangers, now_us, now_us + rng_below(&h->trust.rng, within_us + 1),
		m, bytes, size);
}

/*
 * It has proven itself: by the answer to a Challenge, then what caused that is acted on instead.
 * Not when that answer has something to say (D1).
 */
static void know_stranger(struct host *h, uint64_t now_us)
{
	struct elect_msg *m = &h->event.message;
	int at = stranger_find(&h->trust.strangers, &m->sender, m->session, m->key_id);

	if (at < 0)
		return;
	if (m->type == ELECT_CHALLENGE_ANSWER && !m->known && load_kept(h, now_us, at, m))
		h->counters.received[ELECT_CHALLENGE_ANSWER]++;
	m->proven = true;
	stranger_forget(&h->trust.strangers, at);
}

/* ---- receiving --------------------------------------------------------------------------- */

static void deliver(struct host *h, uint64_t now_us, struct elect_actions *ret_actions)
{
	const struct elect_msg *m = &h->event.message;
	bool own = elect_id_equal(&m->sender, &h->trust.self);
	uint64_t known = own ? 0 : outlived(h, now_us);

	if (own)
		meet_duplicate(h, now_us, m->proven, ret_actions);
	else if (m->type == ELECT_CHALLENGE)
		no_actions(h, ret_actions);
	else
		step(h, &h->event, ret_actions);
	if (m->type == ELECT_CHALLENGE || known)
		answer_challenge(h, now_us, known, ret_actions);
}

/*
 * Does it wait until its sender has proven itself? A Challenge is answered all the same, and one
 * with our own id is another matter.
 */
static bool waits(const struct host *h, const struct elect_msg *m)
{
	return !m->proven && m->type != ELECT_CHALLENGE &&
		!elect_id_equal(&m->sender, &h->trust.self) && !elect_awaits_will(host_elect(h), m);
}

/* Trust, then the codec, then proof, then the counters. */
static enum wire_verdict judge(struct host *h, uint64_t now_us, const struct elect_address *from,
	const uint8_t *bytes, size_t size)
{
	struct elect_msg *m = &h->event.message;
	struct trust_proof proof = { 0 };
	struct wire_header header;
	enum wire_verdict verdict = trust_open(&h->trust, now_us, from,
		links_own(h->links, h->links_count, from), bytes, size, &header, &proof);

	if (verdict == WIRE_KEY_BAD && !trust_has_key(&h->trust, header.key_id))
		other_keys_hear(&h->other_keys, now_us, &h->trust, &header, from);
	if (verdict != WIRE_OK)
		return verdict;
	if (wire_decode(bytes, size, m) < 0)
		return WIRE_FIELDS_BAD;
	forget_unusable(h, m);
	m->from = *from;
	m->key_id = header.key_id;
	m->sequence = header.to_all ? header.sequence : 0;
	m->proven = proof.proven;
	m->asked_us = proof.asked_us;
	if (m->proven)
		know_stranger(h, now_us);
	if (waits(h, m))
		return WIRE_UNPROVEN;
	if (elect_msg_counter(m) >= ELECT_COUNTER_LIMIT) {
		if (m->proven)
			elect_counter_refused(elect_of(h));
		return WIRE_COUNTER_BAD;
	}
	return WIRE_OK;
}

enum wire_verdict host_receive(struct host *h, uint64_t now_us, const struct elect_address *from,
	const uint8_t *bytes, size_t size, struct elect_actions *ret_actions)
{
	enum wire_verdict verdict = judge(h, now_us, from, bytes, size);

	if (verdict == WIRE_OK) {
		h->counters.received[h->event.message.type]++;
		h->event.now_us = now_us;
		h->event.type = ELECT_EVENT_MESSAGE;
		deliver(h, now_us, ret_actions);
	} else {
		h->counters.dropped[verdict]++;
		no_actions(h, ret_actions);
		if (verdict == WIRE_UNPROVEN)
			meet_stranger(h, now_us, bytes, size);
	}
	if (verdict == WIRE_OK || verdict == WIRE_UNPROVEN)
		challenge_strangers(h, now_us, ret_actions);
	return verdict;
}

unsigned host_other_keys(
	const struct host *h, uint64_t now_us, struct other_key_info ret_list[OTHER_KEYS_MAX])
{
	return other_keys_list(&h->other_keys, now_us, &h->trust, host_elect(h), ret_list);
}

void host_step(struct host *h, const struct elect_event *event, struct elect_actions *ret_actions)
{
	uint64_t now_us = event->now_us;

	assert(event->type != ELECT_EVENT_START);
	assert(event->type != ELECT_EVENT_MESSAGE);
	step(h, event, ret_actions);
	challenge_strangers(h, now_us, ret_actions);
}

/* ---- keys -------------------------------------------------------------------------------- */

void host_set_keys(
	struct host *h, uint64_t now_us, const struct ring *ring, struct elect_actions *ret_actions)
{
	struct elect_rekeyed *k = &h->event.rekeyed;

	k->lost_count = trust_set_ring(&h->trust, ring, h->lost);
	k->lost = h->lost;
	ring_told(&h->trust.ring, &k->keys);
	h->event.now_us = now_us;
	h->event.type = ELECT_EVENT_REKEYED;
	step(h, &h->event, ret_actions);
	challenge_strangers(h, now_us, ret_actions);
}

/* ---- sending ----------------------------------------------------------------------------- */

unsigned host_datagrams(const struct elect_send *send)
{
	return elect_message_carries(send->type, FIELD_PART) ? send->part_count : 1;
}

/* The parts of one list share a transaction: one answer is for all of them. */
static void set_transaction(struct host *h, uint64_t now_us, const struct elect_send *send,
	unsigned n, struct elect_msg *m)
{
	switch (elect_messages[send->type].transaction) {
	case TRANSACTION_NONE:
		m->transaction = (struct elect_transaction){ 0 };
		break;
	case TRANSACTION_NEW:
		if (n == 0 && send->type == ELECT_CHALLENGE)
			trust_challenge(&h->trust, now_us, &h->transaction);
		else if (n == 0)
			trust_request(&h->trust, now_us, &h->transaction);
		m->transaction = h->transaction;
		break;
	case TRANSACTION_ECHO:
		m->transaction = send->echo;
		break;
	}
	if (elect_message_carries(send->type, FIELD_NONCE))
		trust_request(&h->trust, now_us, &m->nonce);
	if (elect_message_carries(send->type, FIELD_INVITER) && !send->forward)
		m->inviter.transaction = m->transaction;
}

static void encode(struct host *h, const struct elect_send *send, uint64_t sequence,
	struct host_datagram *ret_datagram)
{
	const struct wire_header header = {
		.key_id = trust_key_id(&h->trust),
		.algorithm = WIRE_ALGORITHM_BLAKE2B,
		.to_all = send->to.family == 0,
		.domain_hash = h->trust.domain_hash,
		.sequence = sequence,
	};

	ret_datagram->to = send->to;
	ret_datagram->type = send->type;
	ret_datagram->size = wire_encode(&h->event.message, &header, ret_datagram->bytes);
}

void host_compose(struct host *h, uint64_t now_us, const struct elect_send *send, unsigned n,
	struct host_datagram *ret_datagram)
{
	struct elect_msg *m = &h->event.message; /* free between two steps */

	assert(n < host_datagrams(send));
	elect_compose(host_elect(h), send, send->part_first + n, m);
	set_transaction(h, now_us, send, n, m);
	encode(h, send, trust_sequence(&h->trust, send->to.family == 0), ret_datagram);
	h->counters.sent[send->type]++;
}

void host_seal(
	const struct host *h, const struct elect_address *source, struct host_datagram *datagram)
{
	trust_seal(&h->trust, datagram->bytes, datagram->size, source);
}

/* ---- the last will ----------------------------------------------------------------------- */

bool host_will(const struct host *h, unsigned paths, struct host_will *ret_will)
{
	const struct elect_config *c = elect_config(host_elect(h));
	uint64_t most = paths ? HOST_WILL_MAX / paths : 0, wanted;

	if (!elect_will(host_elect(h), &ret_will->send))
		return false;
	ret_will->key = h->trust.ring.keys[0].told;
	ret_will->most_us = c->crash_wait_us;
	ret_will->every_us = c->timings.dead_after_us / HOST_WILL_WORDS;
	wanted = ret_will->most_us ? ret_will->most_us / ret_will->every_us + 1 : 0;
	ret_will->crashing = (unsigned)(wanted < most ? wanted : most);
	return true;
}

bool host_will_same(const struct host_will *a, const struct host_will *b)
{
	return elect_group_equal(&a->send.group, &b->send.group) &&
		elect_id_equal(&a->send.other, &b->send.other) &&
		elect_key_equal(&a->key, &b->key) && a->crashing == b->crashing &&
		a->every_us == b->every_us && a->most_us == b->most_us;
}

void host_will_compose(struct host *h, const struct host_will *will, unsigned n,
	struct host_datagram *ret_datagram)
{
	struct elect_send send = will->send;

	assert(n < will->crashing + HOST_WILL_REPEATS);
	send.loss = n < will->crashing ? ELECT_LOSS_CRASHING : ELECT_LOSS_CRASH;
	elect_compose(host_elect(h), &send, 0, &h->event.message);
	encode(h, &send, WIRE_WILL_FROM + n, ret_datagram);
}
