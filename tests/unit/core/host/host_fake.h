/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_fake: replaces core/frame/elect.c with an election whose actions a test sets, so that these
 * tests see only the module host; and starts a host on top of it.
 */
#ifndef ELECTD_TEST_CORE_HOST_HOST_FAKE_H
#define ELECTD_TEST_CORE_HOST_HOST_FAKE_H

#include "core/host/host.h"
#include "core/elect_view.h"

#include <string.h>

/* ---- the fake election ------------------------------------------------------------------- */

enum { FAKE_MEMBERS = 4 };

static struct {
	unsigned steps;
	struct elect_event event;
	struct elect_msg message; /* the message of `event`, valid during the step only */
	struct elect_action says; /* returned by every step, unless its type is EXIT */
	uint64_t counter;
	struct elect_member members[FAKE_MEMBERS]; /* further ones are like the last */
	unsigned members_count;
	unsigned refused;
	uint64_t met_us;	/* the last datagram of another host */
	enum elect_worth worth; /* of messages that are not proven */
	uint64_t within_us;
	unsigned hellos;
	bool leaves;	    /* the host has a will to send */
	bool awaits;	    /* every message that is not proven is the awaited will */
	unsigned algorithm; /* of the messages that it knows, by elect_msg_algorithm() */
	struct elect_config config;
	struct elect_view view;
} fake;

size_t elect_size(void)
{
	return 64;
}

void elect_step(struct elect *e, const struct elect_event *event, struct elect_actions *ret_actions)
{
	(void)e;
	fake.steps++;
	fake.event = *event;
	if (event->type == ELECT_EVENT_MESSAGE) {
		fake.message = *event->message;
		fake.event.message = &fake.message;
	}
	ret_actions->count = fake.says.type != ELECT_ACTION_EXIT;
	ret_actions->items[0] = fake.says;
	ret_actions->wake_us = event->now_us + 500;
}

bool elect_speaks(const struct elect *e, enum elect_msg_type type)
{
	(void)e;
	return elect_msg_of_all(type) || elect_msg_algorithm(type) == fake.algorithm;
}

enum elect_worth elect_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	(void)e;
	(void)m;
	*ret_within_us = fake.within_us;
	return fake.worth;
}

void elect_hear_hello(struct elect *e, const struct elect_msg *m)
{
	(void)e;
	fake.hellos += !m->proven;
}

bool elect_will(const struct elect *e, struct elect_send *ret_send)
{
	(void)e;
	*ret_send = (struct elect_send){ .type = ELECT_GOODBYE };
	return fake.leaves;
}

void elect_view(const struct elect *e, struct elect_view *ret_view)
{
	(void)e;
	*ret_view = fake.view;
}

bool elect_awaits_will(const struct elect *e, const struct elect_msg *m)
{
	(void)e;
	(void)m;
	return fake.awaits;
}

uint64_t elect_late(const struct elect *e)
{
	(void)e;
	return 0;
}

const struct elect_config *elect_config(const struct elect *e)
{
	(void)e;
	return &fake.config;
}

void elect_counter_refused(struct elect *e)
{
	(void)e;
	fake.refused++;
}

void elect_met(struct elect *e, uint64_t at_us, const struct elect_msg *m)
{
	(void)e;
	(void)m;
	fake.met_us = at_us;
}

void elect_compose(const struct elect *e, const struct elect_send *send, unsigned part,
	struct elect_msg *ret_msg)
{
	(void)e;
	memset(ret_msg, 0, sizeof(*ret_msg));
	ret_msg->type = send->type;
	ret_msg->sender.bytes[0] = 1;
	ret_msg->session = 11;
	ret_msg->loss = send->loss ? send->loss : ELECT_LOSS_STOP;
	ret_msg->timings = (struct elect_timings){ 1, 1 };
	strcpy(ret_msg->name, "one");
	ret_msg->inviter.id.bytes[0] = 2; /* the peer */
	memset(ret_msg->inviter.transaction.bytes, 0x44,
		sizeof(ret_msg->inviter.transaction.bytes));
	ret_msg->part = (struct elect_part){ .index = (uint16_t)part,
		.count = 9,
		.total = 9,
		.first = (uint16_t)part,
		.piece_size = 1 };
}

uint64_t elect_counter(const struct elect *e)
{
	(void)e;
	return fake.counter;
}

unsigned elect_members_count(const struct elect *e)
{
	(void)e;
	return fake.members_count;
}

bool elect_lists(const struct elect *e, const struct elect_id *id)
{
	(void)e;
	for (unsigned i = 0; i < fake.members_count && i < FAKE_MEMBERS; i++)
		if (elect_id_equal(id, &fake.members[i].id))
			return true;
	return false;
}

void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info)
{
	(void)e;
	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->member = fake.members[rank < FAKE_MEMBERS ? rank : FAKE_MEMBERS - 1];
}

/* ---- this host and its peer ------------------------------------------------------------------ */

static const struct elect_address path = { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 };
static const struct elect_way way = {
	.address = { .bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4 }, .link = 1
};
static const struct elect_id two = { .bytes = { 2 } }; /* the peer */
static const struct elect_address home = { .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 };

/* Two LANs with both families. `path` is on the first link; a test names the addresses on the
 * others. */
static const struct host_link links[] = {
	{ { .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 }, 24, 1, 1, true },
	{ { .bytes = { 192, 0, 2, 9 }, .port = 7544, .family = 4 }, 24, 2, 2, true },
	{ { .bytes = { 0xfe, 0x80, [15] = 1 }, .port = 7544, .family = 6 }, 64, 3, 1, true },
	{ { .bytes = { 0xfe, 0x80, [15] = 9 }, .port = 7544, .family = 6 }, 64, 4, 2, true },
};

enum { BEACON_US = 200000 };

static struct host *host;
static struct trust peer;
static uint64_t peer_incarnation;
static struct elect_actions actions;
static uint64_t now_us;

static int set_up(void **state)
{
	struct elect_start start = { .session = 11, .seed = 5, .incarnation = 3 };

	(void)state;
	now_us = 1000000;
	memset(&fake, 0, sizeof(fake));
	fake.says.type = ELECT_ACTION_EXIT;
	fake.members_count = 2;
	fake.config.timings.beacon_us = BEACON_US;
	start.config.id.bytes[0] = 1;
	host = calloc(1, host_size());
	assert_non_null(host);
	memset(&actions, 0xaa, sizeof(actions));
	host_start(host, now_us, "lan", NULL, &start, &actions);
	host_set_links(host, links, sizeof(links) / sizeof(links[0]));
	memset(&peer, 0, sizeof(peer));
	peer_incarnation = 1;
	trust_init(&peer, "lan", NULL, &two, 22, 22);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(host);
	return 0;
}

struct datagram {
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size;
};

static struct datagram make_for(
	const struct elect_address *source, const struct elect_msg *content, bool to_all)
{
	struct elect_msg m = *content;
	struct wire_header h = { .key_id = trust_key_id(&peer),
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all,
		.domain_hash = peer.domain_hash,
		.sequence = trust_sequence(&peer, to_all) };
	struct datagram d;

	m.sender = peer.self;
	m.session = peer.session;
	m.incarnation = peer_incarnation;
	d.size = wire_encode(&m, &h, d.bytes);
	trust_seal(&peer, d.bytes, d.size, source);
	return d;
}

static inline struct datagram make_at(
	const struct elect_address *source, const struct elect_msg *content)
{
	return make_for(source, content, false);
}

static inline struct datagram make(const struct elect_msg *content)
{
	return make_at(&path, content);
}

static inline struct datagram make_to_all(const struct elect_msg *content)
{
	return make_for(&path, content, true);
}

static enum wire_verdict receive(const struct elect_msg *content)
{
	struct datagram d = make(content);

	return host_receive(host, now_us, &way, d.bytes, d.size, &actions);
}

static inline struct elect_msg make_hello(void)
{
	struct elect_msg m = { .type = ELECT_HELLO, .timings = { 1, 1 }, .name = "two" };

	return m;
}

/* The session of `peer` answers a challenge and is verified afterwards. */
static inline void prove_peer(void)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	trust_request(host_trust(host), now_us, &m.transaction);
	assert_int_equal(receive(&m), WIRE_OK);
}

/* `peer` answers a Challenge that was sent to it alone and reports its tops, so both its windows
 * are open. */
static inline void challenge_peer(void)
{
	struct elect_msg m = { .type = ELECT_CHALLENGE_ANSWER };

	trust_challenge(host_trust(host), now_us, &m.transaction);
	m.tops = (struct elect_tops){ peer.sequences[0] + 1, peer.sequences[1], 0 };
	assert_int_equal(receive(&m), WIRE_OK);
}

#endif
