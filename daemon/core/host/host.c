/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: see host.h. Nothing here takes a decision of the election.
 */
#include "challenge.h"
#include "put_back.h"
#include "recheck.h"
#include "send.h"
#include "successors.h"
#include "tried.h"
#include "ways.h"
#include "core/messages.h"
#include "core/elect_view.h"

#include <assert.h>
#include <string.h>

enum {
	DUPLICATE_CHALLENGE_US = 1000000,
};

/* ---- stepping ---------------------------------------------------------------------------- */

/* A host vouches only under the key that sealed its own message. */
static void vouch(struct host *h, uint64_t now_us, const struct elect_id *id, uint64_t session,
	uint64_t incarnation)
{
	const struct elect_session who = { *id, session };

	assert(h->event.type == ELECT_EVENT_MESSAGE);
	trust_vouch(&h->trust, now_us, &who, incarnation, h->heard.key_id);
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

/* Marks the members, so that other_keys.h can report one that is missing later. */
static void note_list(struct host *h)
{
	const struct elect *e = host_elect(h);

	for (unsigned i = 0; i < elect_members_count(e); i++) {
		struct elect_member_info info;

		elect_member_at(e, i, &info);
		for (int at = trust_first(&h->trust, &info.member.id); at >= 0;
			at = trust_next(&h->trust, at))
			h->trust.peers[at].member = true;
	}
}

static void step(struct host *h, const struct elect_event *event, struct elect_actions *ret_actions)
{
	bool changed = false;

	elect_step(host_election(h), event, ret_actions);
	h->wake_us = ret_actions->wake_us;
	if (elect_late(host_elect(h)))
		routes_later(&h->routes, event->now_us, elect_late(host_elect(h)));
	h->trust.unverified.beacon_us = h->routes.beacon_us =
		elect_config(host_elect(h))->timings.beacon_us;
	for (unsigned i = 0; i < ret_actions->count; i++) {
		const struct elect_action *a = &ret_actions->items[i];

		changed |= a->type == ELECT_ACTION_VIEW;
		if (a->type == ELECT_ACTION_TRY_LINK)
			tried_begin(h, event->now_us, &a->try_link);
		if (a->type != ELECT_ACTION_PROVE)
			continue;
		if (elect_id_is_zero(&a->prove.id)) {
			vouch_for_list(h, event->now_us);
			ways_listed(h, event->now_us);
			successors_begin(h, event->now_us);
		} else {
			vouch(h, event->now_us, &a->prove.id, a->prove.session,
				a->prove.incarnation);
		}
	}
	if (changed)
		note_list(h);
}

void host_keep_keys_at(struct host *h, struct ring *place)
{
	trust_keep_at(&h->trust, place);
}

void host_start(struct host *h, uint64_t now_us, const char *domain, const struct ring *ring,
	const struct elect_start *start, struct elect_actions *ret_actions)
{
	/* Seed the two generators differently, so that their outputs never coincide. */
	uint64_t seed = ~start->seed ^ start->session;

	memset(&h->counters, 0, sizeof(h->counters));
	h->other_keys.count = 0;
	h->transaction = (struct elect_transaction){ 0 };
	memset(&h->tried, 0, sizeof(h->tried));
	h->answers_us = 0;
	ration_clear(&h->answered, seed);
	h->put_back_us = 0;
	h->recheck.due_us = h->successors.due_us = 0;
	h->challenged = h->decoded = h->other = false;
	h->other_challenged_us = h->runs_other.at_us = 0;
	ways_clear(h);
	h->version = NULL;
	trust_init(&h->trust, domain, ring, &start->config.id, start->session, seed);
	h->event.now_us = now_us;
	h->event.type = ELECT_EVENT_START;
	h->event.start = *start;
	ring_told(trust_ring(&h->trust), &h->event.start.keys);
	step(h, &h->event, ret_actions);
}

void host_set_version(struct host *h, const char *version)
{
	h->version = elect_name_valid(version) ? version : NULL;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* The next wake-up does not change: that of the election, or of a Challenge that is due earlier. */
static void no_actions(const struct host *h, struct elect_actions *ret_actions)
{
	uint64_t challenge_us = unverified_next_us(&h->trust.unverified);
	uint64_t recheck_us = recheck_next_us(h), successors_us = successors_next_us(h);
	uint64_t due_us = challenge_us < recheck_us ? challenge_us : recheck_us;

	if (successors_us < due_us)
		due_us = successors_us;
	ret_actions->count = 0;
	ret_actions->wake_us = due_us < h->wake_us ? due_us : h->wake_us;
	ret_actions->reason = ELECT_REASON_NONE;
}

static void send_due(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	recheck_due(h, now_us, actions);
	successors_due(h, now_us, actions);
	challenge_due(h, now_us, actions);
}

/* The highest incarnation known of the sender, if it is an older start of its host (D1); or 0. */
static uint64_t outlived(struct host *h, uint64_t now_us)
{
	const struct elect_msg *m = &h->heard;

	if (elect_message_row(m->type)->transaction != TRANSACTION_NEW)
		return 0; /* it has no open request, so it would not believe the answer */
	return trust_outlived(&h->trust, now_us, &m->sender, m->incarnation, m->key_id, m->proven);
}

/* An unresponsive session is answered one Challenge per beacon, but none is sent to it. */
static bool is_unresponsive(const struct host *h, uint64_t now_us)
{
	const struct unverified *s = &h->trust.unverified;
	int at = unverified_asked(s, &h->header.sender, h->header.session, h->header.key_id);

	return at >= 0 && unverified_is_unresponsive(s, now_us, at);
}

/*
 * Another process has our id. If it is verified, the election must know. It is challenged, because
 * it may be a former start of this host whose datagrams still circulate on the LAN; and again as
 * long as it is heard, because the Challenge shows this host to it even if this host sends nothing
 * to all.
 */
static void meet_duplicate(
	struct host *h, uint64_t now_us, bool proven, struct elect_actions *ret_actions)
{
	if (proven) {
		h->event.type = ways_ours(h, &h->way.address) ? ELECT_EVENT_DUPLICATE_HERE
							      : ELECT_EVENT_DUPLICATE;
		step(h, &h->event, ret_actions);
	} else {
		no_actions(h, ret_actions);
	}
	if ((h->challenged && h->challenged_us + DUPLICATE_CHALLENGE_US > now_us) ||
		is_unresponsive(h, now_us))
		return;
	h->challenged = true;
	h->challenged_us = now_us;
	if (!proven)
		unverified_note_asked(&h->trust.unverified, now_us,
			&(struct unresponsive_who){ h->header.sender, h->header.session,
				h->header.incarnation, h->header.key_id });
	send_back(h, ret_actions, ELECT_CHALLENGE, NULL);
}

const struct host_other *host_runs_other(const struct host *h, uint64_t now_us)
{
	const struct host_other *o = &h->runs_other;

	bool heard = o->at_us && now_us - o->at_us < HOST_OTHER_US;

	return heard && !elect_lists(host_elect(h), &o->id) ? o : NULL;
}

static void note_other(struct host *h, uint64_t now_us, const struct elect_id *id)
{
	const struct host_other *noted = host_runs_other(h, now_us);

	if (!noted || elect_id_equal(&noted->id, id))
		h->runs_other = (struct host_other){ *id, now_us };
}

/* The message of an unverified session may be a replay, so its session is sent a Challenge. So is a
   verified session, because the answer carries its counter and reveals a clone of this host. */
static void meet_other(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	uint64_t since_us = now_us - h->other_challenged_us;

	if (h->proof.proven)
		note_other(h, now_us, &h->header.sender);
	if (h->other_challenged_us && since_us < h->trust.unverified.beacon_us)
		return;
	h->other_challenged_us = now_us;
	send_back(h, actions, ELECT_CHALLENGE, NULL);
}

static void deliver(struct host *h, uint64_t now_us, struct elect_actions *ret_actions)
{
	const struct elect_msg *m = &h->heard;
	bool own = elect_id_equal(&m->sender, &h->trust.self);
	uint64_t known = own ? 0 : outlived(h, now_us);

	if (own)
		meet_duplicate(h, now_us, m->proven, ret_actions);
	else if (m->type == ELECT_CHALLENGE && put_back_heard(h, now_us))
		step(h, &h->event, ret_actions);
	else if (m->type == ELECT_CHALLENGE)
		no_actions(h, ret_actions);
	else
		step(h, &h->event, ret_actions);
	if (m->type == ELECT_CHALLENGE || known)
		challenge_answer(h, now_us, known, ret_actions);
}

/* Is the message kept until its sender is verified? A Challenge is answered anyway, at a bounded
   rate, and one with our own id is handled by meet_duplicate(). */
static bool waits(const struct host *h, const struct elect_msg *m)
{
	return !m->proven && m->type != ELECT_CHALLENGE &&
		!elect_id_equal(&m->sender, &h->trust.self) && !elect_awaits_will(host_elect(h), m);
}

/* An authentic datagram with invalid fields or counter leaves no trace. A message of another
   election cannot answer a request of this host, so it verifies no session. */
static enum wire_verdict decode(
	struct host *h, uint64_t now_us, unsigned link, const uint8_t *bytes, size_t size)
{
	static const struct elect_tops no_tops;
	bool read = elect_speaks(host_elect(h), h->header.type);
	enum wire_verdict verdict;

	if (read && wire_decode(bytes, size, &h->heard) < 0)
		return WIRE_FIELDS_BAD;
	if (read && elect_msg_counter(&h->heard) >= ELECT_COUNTER_LIMIT) {
		if (h->proof.proven)
			elect_counter_refused(host_election(h));
		return WIRE_COUNTER_BAD;
	}
	if (!read && h->proof.asked_us)
		return WIRE_ANSWER_UNASKED;
	verdict = trust_remember(
		&h->trust, now_us, link, &h->header, read ? &h->heard.tops : &no_tops, &h->proof);
	if (verdict != WIRE_OK)
		return verdict;
	h->decoded = read;
	h->other = !read;
	return read ? WIRE_OK : WIRE_TYPE_BAD;
}

/*
 * A window has refused the datagram. A process that was put back to an earlier state refuses the
 * message that would reveal this, because its windows are old as well. Two hosts that an insider
 * has made refuse each other would never learn that they must begin new sessions. A Challenge that
 * shows either needs no verified sender, so it is accepted, and nothing is remembered of its
 * sender.
 */
static bool is_heard_though_refused(
	struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size)
{
	if (h->header.type != ELECT_CHALLENGE ||
		elect_id_equal(&h->header.sender, &h->trust.self) ||
		wire_decode(bytes, size, &h->heard) < 0 || !put_back_shown(h, now_us))
		return false;
	h->decoded = true;
	h->heard.key_id = h->header.key_id;
	h->heard.from = h->way.address;
	return true;
}

static enum wire_verdict judge(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size)
{
	struct elect_msg *m = &h->heard;
	const struct wire_header *header = &h->header;
	struct trust_proof *proof = &h->proof;
	struct trust_arrival arrival = ways_arrival(h);
	enum wire_verdict verdict;

	verdict = trust_open(&h->trust, now_us, &arrival, bytes, size, &h->header, proof);
	if (verdict == WIRE_KEY_BAD && !trust_has_key(&h->trust, header->key_id))
		other_keys_hear(&h->other_keys, now_us, &h->trust, header, &h->way.address);
	if (verdict == WIRE_DUPLICATE) {
		trust_saw(&h->trust, now_us, arrival.link, &h->header);
		if (proof->proven)
			ways_hear(h, now_us);
	}
	if (verdict == WIRE_REPLAYED && is_heard_though_refused(h, now_us, bytes, size))
		return WIRE_OK;
	if (verdict == WIRE_OK)
		verdict = decode(h, now_us, arrival.link, bytes, size);
	if (verdict != WIRE_OK)
		return verdict;
	m->key_id = header->key_id;
	ways_forget_unusable(h, m);
	m->from = h->way.address;
	m->sequence = header->to_all ? header->sequence : 0;
	m->proven = proof->proven;
	m->asked_us = proof->asked_us;
	if (m->proven) {
		ways_learn(h, now_us);
		challenge_proven(h, now_us);
	} else if (trust_proven(&h->trust, &m->sender, m->session) ||
		trust_vouched(&h->trust, &m->sender, m->session)) {
		ways_of_known(h, now_us);
	}
	return waits(h, m) ? WIRE_UNPROVEN : WIRE_OK;
}

/* The tag was checked with one of our keys. A window may have refused the datagram. */
static bool is_authentic(enum wire_verdict verdict)
{
	return verdict == WIRE_OK || verdict == WIRE_UNPROVEN || verdict == WIRE_REPLAYED ||
		verdict == WIRE_DUPLICATE;
}

static enum wire_verdict receive(struct host *h, uint64_t now_us, const struct elect_way *way,
	const uint8_t *bytes, size_t size, struct elect_actions *ret_actions)
{
	enum wire_verdict verdict;

	h->way = *way;
	tried_hear(h);
	h->asks = h->decoded = h->other = false;
	verdict = judge(h, now_us, bytes, size);
	if ((verdict == WIRE_OK || verdict == WIRE_UNPROVEN) &&
		!elect_id_equal(&h->header.sender, &h->trust.self))
		elect_met(host_election(h), now_us, &h->heard);
	if (verdict == WIRE_OK) {
		h->counters.received[h->heard.type]++;
		h->event.now_us = now_us;
		h->event.type = ELECT_EVENT_MESSAGE;
		h->event.message = &h->heard;
		deliver(h, now_us, ret_actions);
		ways_inviter(h, now_us);
	} else {
		h->counters.dropped[verdict]++;
		no_actions(h, ret_actions);
		if (verdict == WIRE_UNPROVEN)
			challenge_meet(h, now_us, bytes, size);
		else if (h->other)
			meet_other(h, now_us, ret_actions);
	}
	if (h->asks && send_has_room(ret_actions))
		send_back(h, ret_actions, ELECT_CHALLENGE, NULL);
	if (is_authentic(verdict) && send_has_room(ret_actions))
		recheck_meet(h, now_us, verdict, bytes, size, ret_actions);
	if ((verdict == WIRE_OK || verdict == WIRE_UNPROVEN) && send_has_room(ret_actions))
		ways_redirect(h, now_us, ret_actions);
	if (is_authentic(verdict))
		send_due(h, now_us, ret_actions);
	return verdict;
}

enum wire_verdict host_receive(struct host *h, uint64_t now_us, const struct elect_way *way,
	const uint8_t *bytes, size_t size, struct elect_actions *ret_actions)
{
	h->alone = true;
	return receive(h, now_us, way, bytes, size, ret_actions);
}

enum wire_verdict host_receive_by_group(struct host *h, uint64_t now_us,
	const struct elect_way *way, const uint8_t *bytes, size_t size,
	struct elect_actions *ret_actions)
{
	h->alone = false;
	return receive(h, now_us, way, bytes, size, ret_actions);
}

const struct elect_msg *host_overhear(struct host *h, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	struct wire_header header;

	if (trust_overhear(&h->trust, now_us, from, bytes, size, &header) != WIRE_OK ||
		wire_decode(bytes, size, &h->kept) < 0)
		return NULL;
	return elect_id_equal(&header.sender, &h->trust.self) ? NULL : &h->kept;
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
	if (event->type == ELECT_EVENT_LINK_LIVES && tried_refuses(h, &event->link_sign))
		no_actions(h, ret_actions);
	else
		step(h, event, ret_actions);
	send_due(h, now_us, ret_actions);
}

/* ---- keys -------------------------------------------------------------------------------- */

void host_set_keys(
	struct host *h, uint64_t now_us, const struct ring *ring, struct elect_actions *ret_actions)
{
	struct elect_rekeyed *k = &h->event.rekeyed;

	k->lost_count = trust_set_ring(&h->trust, ring, h->lost);
	k->lost = h->lost;
	for (unsigned i = 0; i < k->lost_count; i++)
		routes_forget(&h->routes, &k->lost[i]);
	ring_told(trust_ring(&h->trust), &k->keys);
	h->event.now_us = now_us;
	h->event.type = ELECT_EVENT_REKEYED;
	step(h, &h->event, ret_actions);
	successors_begin(h, now_us);
	send_due(h, now_us, ret_actions);
}
