/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send: see send.h.
 */
#include "send.h"
#include "families.h"
#include "core/messages.h"
#include "core/elect_view.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- actions ------------------------------------------------------------------------------- */

struct elect_send *send_append(struct elect_actions *actions, enum elect_msg_type type,
	const struct elect_id *to, const struct elect_transaction *echo)
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

struct elect_send *send_back(struct host *h, struct elect_actions *actions,
	enum elect_msg_type type, const struct elect_transaction *echo)
{
	struct elect_send *s = send_append(actions, type, &h->header.sender, echo);

	s->by = (struct elect_ways){ .count = 1, .items = { h->way } };
	return s;
}

/* ---- datagrams ----------------------------------------------------------------------------- */

unsigned host_datagrams(const struct elect_send *send)
{
	if (send->also_to_all)
		return 2;
	return elect_message_carries(send->type, FIELD_PART) ? send->part_count : 1;
}

static bool is_to_all(const struct elect_send *send)
{
	return elect_id_is_zero(&send->to) && !send->by.count;
}

/* Such a Challenge is answered once and by one host. */
static bool is_challenge_to_one(const struct elect_send *send)
{
	return send->type == ELECT_CHALLENGE && !is_to_all(send);
}

/* The parts of one list share a transaction, because one answer acknowledges them all. */
static void set_transaction(struct host *h, uint64_t now_us, const struct elect_send *send,
	unsigned n, struct elect_msg *m)
{
	switch (elect_message_row(send->type)->transaction) {
	case TRANSACTION_NONE:
		m->transaction = (struct elect_transaction){ 0 };
		break;
	case TRANSACTION_NEW:
		if (n == 0 && is_challenge_to_one(send))
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

/* The neighbour of a host beyond the LANs would be a router, which was not heard. */
static unsigned find_near(const struct host *h, uint64_t now_us, const struct elect_id *id,
	const struct elect_ways *ways)
{
	unsigned near = 0;

	for (unsigned i = 0; i < ways->count; i++)
		if (links_reach(h->links, h->links_count, &ways->items[i].address) &&
			routes_confirms(&h->routes, now_us, id, &ways->items[i]))
			near |= 1u << i;
	return near;
}

/* The second datagram of an answer that also goes to all is for all, with a sequence of its own. */
static void find_ways(struct host *h, uint64_t now_us, const struct elect_send *send, unsigned n,
	struct host_datagram *ret_datagram)
{
	ret_datagram->to_all = is_to_all(send) || (send->also_to_all && n > 0);
	ret_datagram->family = send->family;
	ret_datagram->ways = send->by;
	if (!ret_datagram->to_all && !send->by.count)
		routes_to(&h->routes, now_us, &send->to, send->suspect, &ret_datagram->ways);
	ret_datagram->near = find_near(h, now_us, &send->to, &ret_datagram->ways);
}

/* If the answer comes back by that path, the path is verified. */
static void note_question(struct host *h, const struct elect_send *send)
{
	if (send->type == ELECT_CHALLENGE && send->by.count == 1)
		routes_asked(&h->routes, &send->to, &send->by.items[0], &h->transaction);
}

/* A host that gets the forwarded Invitation answers the inviter at this address. */
static void name_inviter(struct host *h, uint64_t now_us, struct elect_msg *m)
{
	const struct elect_way *way = routes_best(&h->routes, now_us, &m->inviter.id);

	m->inviter_at = way ? way->address : (struct elect_address){ 0 };
}

static void name_coordinator(struct host *h, uint64_t now_us, struct elect_msg *m)
{
	const struct elect_way *way;
	struct elect_view view;

	elect_view(host_elect(h), &view);
	way = routes_best(&h->routes, now_us, &view.group.coordinator);
	if (way)
		m->guide = (struct elect_redirect){ view.group.coordinator,
			routes_session(&h->routes, now_us, &view.group.coordinator), way->address };
}

static void encode(struct host *h, const struct elect_send *send, uint64_t sequence,
	struct host_datagram *ret_datagram)
{
	const struct wire_header header = {
		.key_id = trust_key_id(&h->trust),
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = ret_datagram->to_all,
		.domain_hash = h->trust.domain_hash,
		.sequence = sequence,
	};

	ret_datagram->type = send->type;
	ret_datagram->size = wire_encode(&h->composed, &header, ret_datagram->bytes);
}

void host_compose(struct host *h, uint64_t now_us, const struct elect_send *send, unsigned n,
	struct host_datagram *ret_datagram)
{
	struct elect_msg *m = &h->composed;
	uint64_t sequence;

	assert(n < host_datagrams(send));
	elect_compose(host_elect(h), send, send->part_first + n, m);
	if (send->type == ELECT_CHALLENGE)
		m->room = is_to_all(send) ? ELECT_NAME_MAX : send->heard.session ? 0 : TOPS_ROOM;
	m->heard = send->heard;
	if (send->versioned && h->version)
		snprintf(m->version, sizeof(m->version), "%s", h->version);
	if (elect_message_may_carry(send->type, FIELD_HEARS))
		m->hears = families_hears(h, now_us, &send->to);
	set_transaction(h, now_us, send, n, m);
	note_question(h, send);
	if (send->forward)
		name_inviter(h, now_us, m);
	if (send->redirects)
		name_coordinator(h, now_us, m);
	find_ways(h, now_us, send, n, ret_datagram);
	if (send->reports_tops)
		trust_pass_over(&h->trust, now_us);
	sequence = trust_sequence(&h->trust, ret_datagram->to_all);
	trust_sent(&h->trust, now_us, ret_datagram->to_all);
	if (send->reports_tops)
		trust_tops(&h->trust, now_us, &m->tops);
	encode(h, send, sequence, ret_datagram);
	h->counters.sent[send->type]++;
}

void host_seal(
	const struct host *h, const struct elect_address *source, struct host_datagram *datagram)
{
	trust_seal(&h->trust, datagram->bytes, datagram->size, source);
}

/* ---- the last will ----------------------------------------------------------------------- */

bool host_will(const struct host *h, uint64_t now_us, unsigned paths, struct host_will *ret_will)
{
	const struct elect_config *c = elect_config(host_elect(h));
	uint64_t most = paths ? HOST_WILL_MAX / paths : 0, wanted;

	if (!elect_will(host_elect(h), &ret_will->send))
		return false;
	ret_will->key = trust_ring(&h->trust)->keys[0].told;
	ret_will->most_us = c->crash_wait_us;
	ret_will->ways = routes_changed(&h->routes, now_us, !h->reach.named.count);
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
		a->every_us == b->every_us && a->most_us == b->most_us && a->ways == b->ways;
}

void host_will_compose(struct host *h, const struct host_will *will, unsigned n,
	struct host_datagram *ret_datagram)
{
	struct elect_send send = will->send;

	assert(n < will->crashing + HOST_WILL_REPEATS);
	send.loss = n < will->crashing ? ELECT_LOSS_CRASHING : ELECT_LOSS_CRASH;
	elect_compose(host_elect(h), &send, 0, &h->composed);
	ret_datagram->to_all = true;
	ret_datagram->family = 0;
	ret_datagram->ways.count = ret_datagram->near = 0;
	encode(h, &send, WIRE_WILL_FROM + n, ret_datagram);
}
