/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_elect: feeds any bytes as the life of one host among peers that have the key and behave
 * arbitrarily.
 *
 * The bytes choose the next event: time passes, a command comes, the disk answers, or a message
 * arrives, verified or not. Each message goes through the codec first, so a datagram can carry it;
 * its values are such as meet: the host's own groups, ids of members, numbers at their limits. No
 * assert may fail, all messages sent must be encodable, and the host's own guarantees must hold.
 */
#include "core/frame/state.h"
#include "core/invitation/own.h"
#include "core/messages.h"
#include "core/wire/wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
	PEERS = 6,
	SELF = 3,
	STEPS_MAX_INPUT = 4000,
};

static struct {
	const uint8_t *at;
	size_t left;
	struct elect *e;
	struct elect_actions out;
	struct elect_event event;
	struct elect_msg heard;
	uint64_t now_us, token;
	bool asked_to_persist, over;
	struct elect_persisted asked;
	struct elect_transaction last; /* of the host's last request */
} fuzz;

/* ---- bytes into choices --------------------------------------------------------------------- */

static uint8_t take(void)
{
	if (fuzz.left == 0)
		return 0;
	fuzz.left--;
	return *fuzz.at++;
}

static unsigned choose(unsigned limit)
{
	return take() % limit;
}

static bool flip(void)
{
	return take() & 1;
}

static struct elect_id peer_id(unsigned n)
{
	struct elect_id id = { .bytes = { 0xee } };

	id.bytes[15] = (uint8_t)n;
	return id;
}

/* The id of a peer, of this host, of a host on no list, or zero. */
static struct elect_id any_id(void)
{
	static const struct elect_id zero;
	unsigned n = choose(PEERS + 2);

	if (n == PEERS + 1)
		return zero;
	if (n == PEERS && fuzz.e->up.count > 0)
		return fuzz.e->up.members[choose(fuzz.e->up.count)].id;
	return peer_id(n);
}

static uint64_t any_counter(void)
{
	static const uint64_t near[] = { 0, 1, 2, 3, 100 };
	uint64_t top = fuzz.e->counter;

	switch (choose(5)) {
	case 0:
		return near[choose(5)];
	case 1:
		return top;
	case 2:
		return top + 1 + choose(3);
	case 3:
		return fuzz.e->group.counter;
	default:
		return flip() ? top + ELECT_ADVANCE_FULL : ELECT_COUNTER_LIMIT - 1;
	}
}

/* A group that invitation remembers: the one it comes from, or one that it carries along. */
static struct elect_group former(bool from)
{
	return from ? own(fuzz.e)->election.from : own(fuzz.e)->forward.group;
}

static struct elect_group any_group(void)
{
	struct elect_group g = { .counter = 0 };

	switch (choose(8)) {
	case 0:
	case 1:
		return fuzz.e->group;
	case 2:
		return fuzz.e->list_group;
	case 3:
		return former(true);
	case 4:
		return former(false);
	case 5:
		return g;
	default:
		g.coordinator = any_id();
		g.counter = any_counter();
		return g;
	}
}

static struct elect_address any_address(unsigned n)
{
	struct elect_address a = { .bytes = { 10, 0, 0, (uint8_t)n }, .port = 7544, .family = 4 };

	return a;
}

static uint16_t any_size(unsigned limit)
{
	static const uint16_t sizes[] = { 0, 1, 2, 3, 5, 64, 512, 1023 };
	unsigned n = choose(9);

	return (uint16_t)(n < 8 ? sizes[n] : limit);
}

/* ---- a message, field by field -------------------------------------------------------------- */

static void fill_header(struct elect_msg *m, unsigned peer)
{
	m->sender = peer_id(peer);
	m->session = 100 + peer + (uint64_t)(choose(8) == 0);
	m->incarnation = 1 + choose(2);
	m->counter = any_counter();
	m->transaction.bytes[0] = take();
	m->timings = fuzz.e->config.timings;
	if (choose(16) == 0)
		m->timings.beacon_us = 1;
	m->name[0] = (char)('a' + peer);
}

static void fill_standing(struct elect_msg *m)
{
	uint8_t bits = take();

	m->standing = (struct elect_standing){
		.size = any_size(ELECT_HOSTS_MAX),
		.priority = (uint8_t)(choose(3) * 100),
		.may_lead = bits & 1,
		.established = bits & 2,
		.held = bits & 4,
		.preempt = bits & 8,
		.preempt_agreed = bits & 16,
	};
}

static void fill_numbers(struct elect_msg *m)
{
	static const enum elect_loss goodbyes[] = { ELECT_LOSS_STOP, ELECT_LOSS_RESIGN,
		ELECT_LOSS_CRASH, ELECT_LOSS_CRASHING };

	m->group = any_group();
	m->floor = any_counter() << 24 | take();
	m->list_version = flip() ? fuzz.e->list_version : fuzz.e->list_version + choose(3) - 1;
	m->digest = flip() ? fuzz.e->digest : take();
	m->other = any_id();
	m->answer = choose(ELECT_ANSWERS);
	m->probe = flip();
	m->why = choose(ELECT_WHYS);
	m->loss = choose(ELECT_LOSSES);
	if (m->type == ELECT_GOODBYE)
		m->loss = goodbyes[choose(sizeof(goodbyes) / sizeof(goodbyes[0]))];
	else if (m->loss == ELECT_LOSS_CRASHING)
		m->loss = ELECT_LOSS_CRASH;
	if (m->probe)
		m->crashed = (struct elect_crashed){ .id = m->other,
			.session = 100 + m->why,
			.left_us = 1 + m->list_version % 1000000 };
	if (m->answer != ELECT_ANSWER_YES)
		m->why_not = (struct elect_why_not){ ELECT_BAR_SICK + m->why % 3, "r1", "w" };
}

static void fill_invitation(struct elect_msg *m, unsigned peer)
{
	m->invite = choose(ELECT_INVITES);
	m->from_group = any_group();
	m->expected = any_size(ELECT_HOSTS_MAX * (ELECT_INVITED_MAX + 1));
	m->inviter = (struct elect_inviter){ .id = flip() ? m->sender : any_id(),
		.session = m->session,
		.incarnation = 1,
		.transaction = m->transaction };
	if (flip())
		m->inviter_at = any_address(peer);
	if (flip())
		m->group.coordinator = m->inviter.id;
	m->groups_count = (uint8_t)choose(ELECT_INVITED_MAX + 1);
	for (unsigned i = 0; i < m->groups_count; i++)
		m->groups[i] = (struct elect_invited){ any_group(), any_size(ELECT_HOSTS_MAX) };
	m->accepted_count = (uint8_t)choose(4);
	for (unsigned i = 0; i < m->accepted_count; i++) {
		struct elect_id id = any_id();

		m->accepted[i] = elect_id_hash(&id);
	}
}

static void fill_foreign(struct elect_msg *m)
{
	m->foreign_count = (uint8_t)choose(ELECT_FOREIGN_MAX + 1);
	for (unsigned i = 0; i < m->foreign_count; i++)
		m->foreign[i] = (struct elect_foreign){ any_id(), any_id(), "f" };
}

static void fill_members(struct elect_msg *m)
{
	unsigned count = 1 + choose(5);

	m->part.members_count = (uint16_t)count;
	for (unsigned i = 0; i < count; i++) {
		struct elect_member *x = &m->members[i];

		*x = (struct elect_member){ .id = any_id(),
			.session = 100 + choose(PEERS),
			.incarnation = 1,
			.priority = (uint8_t)choose(2),
			.may_lead = flip(),
			.name = "m" };
		if (flip())
			x->address = any_address(i);
	}
}

/* A whole list with the right digest, so that the host takes it; or arbitrary parts. */
static void fill_ready(struct elect_msg *m)
{
	static struct roster list;
	unsigned kind = choose(4);

	m->part = (struct elect_part){ .count = (uint16_t)(1 + choose(3)) };
	if (kind == 0) {
		m->part.piece_size = (uint16_t)(1 + choose(ELECT_PART_BYTES));
		m->part.total = (uint16_t)(m->part.piece_size + choose(3) * 1000);
		m->part.first = (uint16_t)(choose(3) * 1000);
	} else {
		fill_members(m);
		m->part.total = (uint16_t)(m->part.members_count + choose(3) * 500);
		m->part.first = (uint16_t)(choose(3) * 500);
		m->why_nots_count = m->list_version % 2;
		m->why_nots[0].place = (uint16_t)(m->floor % 5);
		m->why_nots[0].why.kind = ELECT_BAR_RECOVERING;
	}
	m->part.index = (uint16_t)choose(m->part.count);
	for (unsigned i = 0; i < 4; i++)
		m->missing[i] = take();
	if (kind < 2)
		return;
	m->part.count = 1;
	m->part.index = m->part.first = 0;
	if (kind == 2 && flip()) {
		m->members[0].id = m->sender;
		m->members[m->part.members_count - 1].id = peer_id(SELF);
	}
	memset(&list, 0, sizeof(list));
	list.count = m->part.total = kind == 2 ? m->part.members_count : m->part.total;
	memcpy(list.members, m->members, m->part.members_count * sizeof(m->members[0]));
	m->digest = roster_digest(&list, NULL, 0);
	m->list_version = fuzz.e->list_version + 1;
}

/* host.c refuses higher counters before the core sees the message. */
static bool counters_believable(const struct elect_msg *m)
{
	return elect_msg_counter(m) < ELECT_COUNTER_LIMIT;
}

static void echo(struct elect_msg *m)
{
	if (flip())
		m->transaction = fuzz.last;
}

/* Keeps the fields that the type carries. Returns false if no datagram can carry the message. */
static bool build(struct elect_msg *ret_msg, unsigned peer)
{
	struct wire_header header = { .algorithm = WIRE_TAG_BLAKE2B, .to_all = true };
	static uint8_t bytes[WIRE_SIZE_MAX];
	static struct elect_msg m;
	size_t size;

	memset(&m, 0, sizeof(m));
	m.type = 1 + choose(ELECT_CHALLENGE_ANSWER);
	fill_header(&m, peer);
	fill_standing(&m);
	fill_numbers(&m);
	echo(&m);
	if (m.type == ELECT_INVITATION)
		fill_invitation(&m, peer);
	if (m.type == ELECT_AYCOORD)
		fill_foreign(&m);
	if (elect_message_carries(m.type, FIELD_PART)) {
		fill_ready(&m);
		if (m.part.first + m.part.members_count + m.part.piece_size > m.part.total)
			return false;
	}
	if (m.type == ELECT_GOODBYE && elect_loss_of_will(m.loss))
		header.sequence = WIRE_WILL_FROM;
	size = wire_encode(&m, &header, bytes);
	return wire_decode(bytes, size, ret_msg) == 0 && counters_believable(ret_msg);
}

/* ---- the host and its guarantees ------------------------------------------------------------ */

static void compose_all(const struct elect_send *s)
{
	static const struct wire_header header = { .algorithm = WIRE_TAG_BLAKE2B };
	static uint8_t bytes[WIRE_SIZE_MAX];
	static struct elect_msg m, again;
	unsigned parts = elect_message_carries(s->type, FIELD_PART) ? s->part_count : 1;

	for (unsigned part = 0; part < parts; part++) {
		size_t size;
		int r;

		elect_compose(fuzz.e, s, s->part_first + part, &m);
		size = wire_encode(&m, &header, bytes);
		r = wire_decode(bytes, size, &again);
		assert(r == 0);
		fuzz.last = m.transaction;
	}
}

static void check_view(const struct elect_view *v)
{
	bool leads = v->role == ELECT_ROLE_LEADER;

	assert(v->token == 0 || v->token >= fuzz.token); /* S5 */
	if (v->token)
		fuzz.token = v->token;
	assert(!leads || (v->token > 0 && v->state != ELECT_DOWN));
	assert(v->members_count <= ELECT_HOSTS_MAX);
}

static void act(const struct elect_action *a)
{
	assert(!fuzz.over); /* EXIT is the last action of all */
	switch (a->type) {
	case ELECT_ACTION_SEND:
		compose_all(&a->send);
		break;
	case ELECT_ACTION_VIEW:
		check_view(&a->view);
		break;
	case ELECT_ACTION_PERSIST:
		fuzz.asked = a->persist;
		fuzz.asked_to_persist = true;
		break;
	case ELECT_ACTION_EXIT:
		fuzz.over = true;
		break;
	case ELECT_ACTION_DEFECT:
		fprintf(stderr, "%s; phase %s, next %s\n", a->defect.words,
			elect_phase_name(a->defect.phase), elect_phase_name(a->defect.next));
		assert(false);
		break;
	case ELECT_ACTION_RELEASE:
	case ELECT_ACTION_DISCARD:
	case ELECT_ACTION_PROVE:
	case ELECT_ACTION_ECHO:
	case ELECT_ACTION_TRY_LINK:
		break;
	case ELECT_ACTIONS:
		assert(false);
	}
}

static void step(void)
{
	fuzz.event.now_us = fuzz.now_us;
	elect_step(fuzz.e, &fuzz.event, &fuzz.out);
	for (unsigned i = 0; i < fuzz.out.count; i++)
		act(&fuzz.out.items[i]);
	if (fuzz.event.type == ELECT_EVENT_TICK)
		assert(fuzz.over || fuzz.out.wake_us > fuzz.now_us);
}

/* ---- events --------------------------------------------------------------------------------- */

static void start(void)
{
	struct elect_start *s = &fuzz.event.start;

	memset(&fuzz.event, 0, sizeof(fuzz.event));
	fuzz.event.type = ELECT_EVENT_START;
	elect_config_default(&s->config);
	s->config.id = peer_id(SELF);
	memcpy(s->config.name, "self", 5);
	s->config.preempt = flip();
	s->config.quorum = (uint16_t)choose(4);
	s->seed = take();
	s->session = 100 + SELF;
	s->incarnation = 1 + choose(2);
	s->reserved = choose(3) * UINT64_C(100);
	s->state_lost = s->reserved == 0 && flip();
	s->floor = s->reserved << 24;
	s->held = choose(8) == 0;
	step();
}

static void pass_time(void)
{
	static const uint64_t us[] = { 1, 1000, 20000, 100000, 200000, 700000, 3000000 };
	unsigned n = choose(12);

	if (n < 7)
		fuzz.now_us += us[n];
	else if (fuzz.out.wake_us > fuzz.now_us)
		fuzz.now_us = fuzz.out.wake_us;
	fuzz.event.type = ELECT_EVENT_TICK;
	step();
}

static void receive(void)
{
	unsigned peer = choose(PEERS);
	struct elect_msg *m = &fuzz.heard;

	if (peer == SELF || !build(m, peer))
		return;
	m->from = any_address(peer);
	m->proven = choose(8) != 0;
	fuzz.event.type = ELECT_EVENT_MESSAGE;
	fuzz.event.message = m;
	step();
}

static void disk(void)
{
	if (!fuzz.asked_to_persist)
		return;
	fuzz.asked_to_persist = false;
	fuzz.event.type = ELECT_EVENT_PERSISTED;
	fuzz.event.persisted = fuzz.asked;
	fuzz.event.persisted.ok = choose(8) != 0;
	step();
}

static void any_report_name(char name[ELECT_NAME_MAX + 1])
{
	snprintf(name, ELECT_NAME_MAX + 1, "r%u", choose(20));
}

static void command(void)
{
	struct elect_command *c = &fuzz.event.command;

	memset(c, 0, sizeof(*c));
	c->type = 1 + choose(ELECT_COMMANDS - 1);
	if (choose(16) == 0)
		c->type = ELECT_COMMAND_STOP;
	c->on = flip();
	c->priority = (uint8_t)(choose(3) * 100);
	c->for_us = choose(3) * UINT64_C(1000000);
	c->config = fuzz.e->config;
	c->config.quorum = (uint16_t)choose(4);
	c->config.sick_stays = flip();
	c->config.required_count = choose(3);
	for (unsigned i = 0; i < c->config.required_count; i++)
		any_report_name(c->config.required[i]);
	c->definition_size = any_size(ELECT_DEFINITION_MAX);
	fuzz.event.type = ELECT_EVENT_COMMAND;
	step();
}

/* Changes the keys; with an earlier key a member's session may be lost. */
static void rekey(void)
{
	static struct elect_session lost;
	struct elect_rekeyed *r = &fuzz.event.rekeyed;

	memset(r, 0, sizeof(*r));
	fuzz.event.type = ELECT_EVENT_REKEYED;
	r->keys.count = (uint8_t)(1 + choose(3));
	for (unsigned i = 0; i < r->keys.count; i++)
		r->keys.list[i] = (struct elect_key){ (uint8_t)(1 + i), choose(4) };
	r->lost = &lost;
	r->lost_count = fuzz.e->up.count > 0 && flip();
	if (!r->lost_count)
		return;
	lost.id = fuzz.e->up.members[choose(fuzz.e->up.count)].id;
	lost.session = fuzz.e->up.members[roster_find(&fuzz.e->up, &lost.id)].session;
}

static void report(void)
{
	struct elect_report *r = &fuzz.event.report;

	memset(r, 0, sizeof(*r));
	any_report_name(r->name);
	memset(r->words, take() | 1, choose(ELECT_WORDS_MAX + 1));
	r->well = flip();
	r->leading = flip();
	r->fall = 1 + choose(3);
	r->rise = 1 + choose(3);
	r->forget = r->well && r->fall == 3;
	r->stale_us = choose(3) * UINT64_C(300000);
	fuzz.event.type = ELECT_EVENT_REPORT;
}

/* The kernel of the coordinator's host answers, or the own link shows that it works without it. */
static void hear_kernels(void)
{
	if (flip()) {
		fuzz.event.type = ELECT_EVENT_ECHOED;
		fuzz.event.echoed = fuzz.e->group.coordinator;
		return;
	}
	fuzz.event.type = ELECT_EVENT_LINK_LIVES;
	fuzz.event.link_sign.lost = fuzz.e->group.coordinator;
	fuzz.event.link_sign.sign = flip() ? ELECT_SIGN_FRAMES : ELECT_SIGN_GATEWAY;
}

static void rare(void)
{
	switch (choose(7)) {
	case 4:
		report();
		break;
	case 5:
		fuzz.event.type = ELECT_EVENT_PROMOTED;
		fuzz.event.promoted = fuzz.token;
		break;
	case 0:
		fuzz.event.type = ELECT_EVENT_LINK;
		fuzz.event.link_up = flip();
		break;
	case 1:
		fuzz.event.type = flip() ? ELECT_EVENT_DUPLICATE : ELECT_EVENT_DUPLICATE_HERE;
		break;
	case 2:
		hear_kernels();
		break;
	case 3:
		rekey();
		break;
	default:
		fuzz.event.type = ELECT_EVENT_RELEASED;
		fuzz.event.released = fuzz.e->release - choose(2);
		break;
	}
	step();
}

static void happen(void)
{
	unsigned n = choose(16);

	if (n < 9)
		receive();
	else if (n < 12)
		pass_time();
	else if (n < 14)
		disk();
	else if (n == 14)
		rare();
	else if (choose(4) == 0)
		command();
	else
		disk();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	memset(&fuzz, 0, sizeof(fuzz));
	fuzz.at = bytes;
	fuzz.left = size;
	fuzz.now_us = 1000000000;
	fuzz.e = malloc(elect_size());
	if (!fuzz.e)
		return 0;
	start();
	for (unsigned i = 0; i < STEPS_MAX_INPUT && fuzz.left > 0 && !fuzz.over; i++)
		happen();
	free(fuzz.e);
	return 0;
}
