/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insider: a holder of the key on the LAN (or any sender, if there is no key). It pushes counters,
 * or sends any datagram (forge.h), in its own name or in that of a host: it hears all datagrams. It
 * answers Challenges, so its session is verified; it forms no group and follows none. Its datagrams
 * are authentic, and the checker treats them as a host's.
 */
#include <stdlib.h>
#include <string.h>

#include "electsim/world/election.h"
#include "forge.h"
#include "inside.h"

enum {
	INSIDER_DELAY_US = 200, /* of its own datagrams */
	ANSWER_DELAY_US = 50,	/* of its answers, which arrive before those of the named host */
	SENDERS = 8,		/* senders whose newest datagrams it remembers, by type */
};

/* The insider's knowledge of a session. */
struct known {
	uint64_t session, incarnation, counter;
	uint64_t sequences[2];		/* highest heard, or sent in its name; [1]: to all */
	struct elect_transaction asked; /* its last request, except a Challenge */
	struct elect_address address;
};

struct sim_insider {
	struct trust trust;
	struct elect_address address;
	struct elect_id id;
	struct sim_push push;
	struct elect_msg message;
	bool here;
	unsigned turn; /* a push with an older turn is void */

	bool listens, speaks;
	unsigned plans; /* a plan with an older number is void */
	struct insider_plan plan;
	unsigned said; /* datagrams sent in the present plan */
	uint64_t left; /* how far its next sequence lies above the session's own */
	uint64_t answered_us;
	struct craft craft;
	struct known itself, twice; /* its own session; its session under a host's id */
	struct known hosts[SIM_HOSTS_MAX];
	struct forge_heard heard[SIM_TYPES][SENDERS];
};

void insider_reset(struct sim *s)
{
	if (!s->insider)
		return;
	insider_hush(s);
	insider_end_push(s);
	s->insider->listens = false;
}

void insider_end_push(struct sim *s)
{
	if (!s->insider)
		return;
	s->insider->here = false;
	s->insider->turn++;
}

void insider_hush(struct sim *s)
{
	if (!s->insider)
		return;
	s->insider->speaks = false;
	s->insider->plans++;
}

void insider_free(struct sim *s)
{
	free(s->insider);
	s->insider = NULL;
}

static struct sim_insider *made(struct sim *s)
{
	if (!s->insider)
		s->insider = calloc(1, sizeof(*s->insider));
	if (!s->insider)
		abort();
	return s->insider;
}

static struct sim_insider *come(struct sim *s)
{
	struct sim_insider *x = made(s);
	uint64_t session, seed;

	if (x->here)
		return x;
	x->here = true;
	for (unsigned i = 0; i < sizeof(x->id.bytes); i++)
		x->id.bytes[i] = (uint8_t)rng_next(&s->rng);
	session = rng_next(&s->rng) | 1;
	seed = rng_next(&s->rng);
	x->address = sim_insider;
	trust_init(&x->trust, "default", NULL, &x->id, session, seed);
	return x;
}

static struct elect_msg *message(const struct sim *s, enum elect_msg_type type)
{
	struct sim_insider *x = s->insider;
	struct elect_msg *m = &x->message;

	memset(m, 0, sizeof(*m));
	m->type = type;
	m->sender = x->id;
	m->session = x->trust.session;
	m->incarnation = 1;
	m->standing = (struct elect_standing){ .id = x->id,
		.size = 1,
		.priority = 1,
		.may_lead = true,
		.preempt = s->hosts[0]->config.preempt };
	m->timings = (struct elect_timings){ SIM_BEACON_US, SIM_DEAD_US };
	strcpy(m->name, "insider");
	return m;
}

static void send(struct sim *s, struct sim_insider *x, int to)
{
	struct sim_datagram *d = queue_datagram(&s->queue);
	struct wire_header header = {
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to < 0,
		.domain_hash = x->trust.domain_hash,
		.sequence = trust_sequence(&x->trust, to < 0),
	};

	d->lan = 0;
	d->sender = s->hosts_count; /* an insider */
	d->session = x->trust.session;
	d->type = x->message.type;
	d->to_all = d->by_group = to < 0;
	d->source = x->address;
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	d->size = wire_encode(&x->message, &header, d->bytes);
	trust_seal(&x->trust, d->bytes, d->size, &x->address);
	for (unsigned i = 0; i < s->hosts_count; i++) {
		if (to >= 0 && i != (unsigned)to)
			continue;
		queue_deliver(s, d, i, INSIDER_DELAY_US);
	}
	forgeries_record(s, d, to);
	queue_unref(&s->queue, d);
}

static uint64_t highest_counter(const struct sim *s)
{
	uint64_t highest = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on && s->hosts[i]->watch.counter > highest)
			highest = s->hosts[i]->watch.counter;
	return highest;
}

static uint64_t counter_of(const struct sim *s, const struct sim_push *p)
{
	uint64_t highest = highest_counter(s);

	return p->by && highest + p->by < ELECT_COUNTER_LIMIT ? highest + p->by
							      : ELECT_COUNTER_LIMIT - 1;
}

/* As the best host, invites all groups or asks them to yield. */
static void fill_invitation(struct sim *s, struct sim_insider *x)
{
	struct elect_msg *m = &x->message;

	m->inviter = (struct elect_inviter){
		.id = x->id, .session = x->trust.session, .incarnation = 1
	};
	if (rng_below(&s->rng, 2)) {
		m->invite = ELECT_INVITE_YIELD;
		m->group = (struct elect_group){ 0 };
	}
	m->standing.established = true;
	m->standing.size = ELECT_HOSTS_MAX;
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on && m->groups_count < ELECT_INVITED_MAX)
			m->groups[m->groups_count++] =
				(struct elect_invited){ s->hosts[i]->watch.view.group, 1 };
}

/* The same for bully. */
static void fill_call(struct sim *s, struct elect_msg *m)
{
	m->standing.established = true;
	m->standing.priority = (uint8_t)(rng_below(&s->rng, 2) ? 1 : 255);
	if (rng_below(&s->rng, 2))
		m->group = (struct elect_group){ 0 };
}

void insider_send(struct sim *s, const struct sim_push *push)
{
	struct sim_insider *x = come(s);
	uint64_t counter = counter_of(s, push);
	struct elect_msg *m = message(s, push->type);

	x->push = *push;
	if (push->in_floor)
		m->floor = counter << 24;
	else
		m->counter = counter;
	m->group = (struct elect_group){ x->id, counter };
	if (push->type == ELECT_INVITATION)
		fill_invitation(s, x);
	if (push->type == ELECT_ENTERELECTION)
		fill_call(s, m);
	send(s, x, push->to);
}

static void again(struct sim *s, unsigned turn, unsigned unused)
{
	struct sim_insider *x = s->insider;

	(void)unused;
	if (!x->here || x->turn != turn)
		return;
	insider_send(s, &x->push);
	sim_at(s, s->now_us + x->push.every_us, again, turn, 0);
}

void insider_begin(struct sim *s, const struct sim_push *push)
{
	struct sim_insider *x = come(s);

	x->push = *push; /* again() sends it */
	again(s, ++x->turn, 0);
}

/* Does the insider answer that type: of all algorithms, or of the algorithm that it pushes? */
static bool may_answer(const struct sim_insider *x, enum elect_msg_type type)
{
	return type == ELECT_CHALLENGE ||
		(type == ELECT_AYCOORD &&
			elect_msg_algorithm(x->push.type) == elect_msg_algorithm(type));
}

/* Answers every Challenge, and each beacon with "no", which only verifies its session. */
static void prove_push(struct sim *s, const struct sim_datagram *d)
{
	struct sim_insider *x = s->insider;
	bool challenge = d->type == ELECT_CHALLENGE;
	struct elect_transaction asked;
	struct elect_msg *m;

	if (!x || !x->here || x->push.silent || !may_answer(x, d->type) ||
		(!d->by_group && memcmp(d->to.bytes, x->address.bytes, 4) != 0) ||
		wire_decode(d->bytes, d->size, &x->message) < 0)
		return;
	asked = x->message.transaction;
	m = message(s, challenge ? ELECT_CHALLENGE_ANSWER : ELECT_AYCOORD_ANSWER);
	m->transaction = asked;
	m->answer = ELECT_ANSWER_NO;
	send(s, x, (int)d->sender);
}

/* ---- any datagram ---------------------------------------------------------------------- */

void insider_listen(struct sim *s)
{
	struct sim_insider *x = made(s);

	memset(x->hosts, 0, sizeof(x->hosts));
	memset(x->heard, 0, sizeof(x->heard));
	x->craft.rng.state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x696e7369;
	x->listens = true;
}

static struct forge_heard *newest(struct sim_insider *x, unsigned type, unsigned sender)
{
	return &x->heard[type][sender % SENDERS];
}

/* Notes the sender's session and the form of this type of datagram. */
static void remember(struct sim *s, struct sim_insider *x, const struct sim_datagram *d)
{
	struct known *k = &x->hosts[d->sender];
	struct forge_heard *h = newest(x, d->type, d->sender);
	struct wire_header header;

	(void)s;
	if (wire_decode_header(d->bytes, d->size, &header) != WIRE_OK || wire_is_will(&header))
		return;
	if (k->session != header.session)
		*k = (struct known){ .session = header.session };
	k->incarnation = header.incarnation;
	k->counter = header.counter;
	k->address = d->source;
	if (k->sequences[header.to_all] < header.sequence)
		k->sequences[header.to_all] = header.sequence;
	if (d->type != ELECT_CHALLENGE &&
		elect_message_row(d->type)->transaction == TRANSACTION_NEW)
		k->asked = header.transaction;
	h->size = d->size;
	memcpy(h->bytes, d->bytes, d->size);
}

/* The session in whose name the insider speaks, and its id. */
static struct known *named(struct sim *s, struct sim_insider *x, struct elect_id *ret_id)
{
	const struct insider_plan *p = &x->plan;

	*ret_id = p->as == INSIDER_ITSELF ? x->id : s->hosts[p->host]->config.id;
	switch (p->as) {
	case INSIDER_ITSELF:
		return &x->itself;
	case INSIDER_TWICE:
		return &x->twice;
	case INSIDER_HOST:
		break;
	}
	return &x->hosts[p->host];
}

static const struct sim_host *another(const struct sim *s, unsigned but)
{
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (i != but && s->hosts[i]->on)
			return s->hosts[i];
	return s->hosts[but];
}

static const struct sim_host *dead(const struct sim *s, unsigned but)
{
	for (unsigned i = s->hosts_count; i > 0; i--)
		if (!s->hosts[i - 1]->on)
			return s->hosts[i - 1];
	return s->hosts[but];
}

static void know_numbers(struct sim *s, struct sim_insider *x, const struct known *k)
{
	unsigned host = x->plan.host;
	uint64_t counter = highest_counter(s), limit = ELECT_COUNTER_LIMIT;
	const uint64_t numbers[CRAFT_NUMBERS] = {
		0,
		1,
		UINT64_MAX,
		UINT64_MAX - 1,
		limit - 1,
		limit,
		counter + 1,
		counter + 1000,
		counter + ELECT_ADVANCE_FULL / 2,
		(counter + 1) << 24,
		(limit << 24) - 1,
		UINT64_C(1) << 61,
		WIRE_WILL_FROM - 1,
		UINT64_C(1) << 33,
		x->itself.session,
		x->twice.session,
		x->hosts[host].session,
		x->hosts[another(s, host)->index].session,
		x->hosts[dead(s, host)->index].session,
		x->hosts[host].incarnation,
		x->hosts[host].incarnation + 1,
		k->sequences[0] + 1,
		k->sequences[1] + 1000,
		k->sequences[1] + 60000,
	};

	memcpy(x->craft.numbers, numbers, sizeof(numbers));
}

static void know_ids(struct sim *s, struct sim_insider *x)
{
	struct craft *c = &x->craft;
	const struct elect_address none = { .family = 0 },
				   everybody = { .bytes = { 255, 255, 255, 255 },
					   .port = SIM_PORT,
					   .family = 4 };
	const struct sim_host *of = s->hosts[x->plan.host], *other = another(s, of->index);

	c->ids[0] = x->id;
	c->ids[1] = of->config.id;
	c->ids[2] = other->config.id;
	c->ids[3] = dead(s, of->index)->config.id;
	c->ids[4] = (struct elect_id){ 0 };
	for (unsigned i = 0; i < sizeof(c->ids[5].bytes); i++)
		c->ids[5].bytes[i] = (uint8_t)rng_next(&c->rng);
	c->addresses[0] = none;
	c->addresses[1] = x->address;
	c->addresses[2] = of->addresses[0];
	c->addresses[3] = other->addresses[0];
	c->addresses[4] = everybody;
	c->addresses[5] = (struct elect_address){ .family = 6, .port = UINT16_MAX };
	c->other = other->config.id;
	memcpy(c->name, of->config.name, sizeof(c->name));
}

static void know(struct sim *s, struct sim_insider *x, const struct known *k,
	const struct elect_id *id, const uint64_t sequences[2])
{
	struct craft *c = &x->craft;

	know_numbers(s, x, k);
	know_ids(s, x);
	c->id = *id;
	c->session = k->session;
	c->incarnation = k->incarnation;
	c->counter = s->hosts[x->plan.host]->watch.view.group.counter;
	c->to_one = sequences[0];
	c->to_all = sequences[1];
	c->address = x->address;
}

/* Lists all datagrams that were heard, those of that host first. */
static unsigned list_heard(struct sim_insider *x, unsigned host,
	const struct forge_heard *ret_list[SIM_TYPES * SENDERS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < SENDERS; i++)
		for (unsigned type = 1; type < ELECT_MSG_TYPES; type++)
			if (newest(x, type, host + i)->size)
				ret_list[count++] = newest(x, type, host + i);
	return count;
}

static const struct forge_heard *like(struct sim_insider *x, unsigned type, unsigned host)
{
	for (unsigned i = 0; i < SENDERS; i++)
		if (newest(x, type, host + i)->size)
			return newest(x, type, host + i);
	return NULL;
}

static void throw(
	struct sim * s, struct sim_insider *x, struct sim_datagram *d, int to, uint64_t in_us)
{
	const struct insider_plan *p = &x->plan;

	d->lan = 0;
	d->sender = s->hosts_count; /* an insider */
	d->source = p->borrows ? s->hosts[p->host]->addresses[0] : x->address;
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	trust_seal(&x->trust, d->bytes, d->size, &d->source);
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (to < 0 ? !p->borrows || i != p->host : i == (unsigned)to)
			queue_deliver(s, d, i, in_us);
	forgeries_record(s, d, to);
	s->insider_us = s->now_us;
	queue_unref(&s->queue, d);
}

/* The sequences of the next datagram, in both spaces. */
static void number(struct sim_insider *x, struct known *k, bool to_all, uint64_t ret_sequences[2])
{
	memcpy(ret_sequences, k->sequences, sizeof(k->sequences));
	if (x->left > 0)
		ret_sequences[to_all] += x->left--;
	else
		ret_sequences[to_all] = ++k->sequences[to_all];
}

static void say(struct sim *s, const struct elect_transaction *transaction,
	enum elect_msg_type type, unsigned part, int value, int to, uint64_t in_us)
{
	static const struct forge_heard *heard[SIM_TYPES * SENDERS];
	struct sim_insider *x = s->insider;
	struct sim_datagram *d = queue_datagram(&s->queue);
	bool to_all = to < 0, will = x->plan.will && type == ELECT_GOODBYE;
	struct forge_order o = { .part = part,
		.value = value,
		.others = heard,
		.others_count = list_heard(x, x->plan.host, heard),
		.like = like(x, type, x->plan.host) };
	struct elect_id id;
	struct known *k = named(s, x, &id);
	uint64_t sequences[2];

	number(x, k, to_all, sequences);
	know(s, x, k, &id, sequences);
	o.header = (struct wire_header){ .type = (uint8_t)type,
		.algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all || will,
		.domain_hash = x->trust.domain_hash,
		.sender = id,
		.session = k->session,
		.incarnation = k->incarnation,
		.sequence = will ? WIRE_WILL_FROM + x->said : sequences[to_all],
		.counter = highest_counter(s),
		.transaction = *transaction };
	d->size = forge(&x->craft, &o, d->bytes);
	d->type = type;
	d->session = k->session;
	d->to_all = o.header.to_all;
	d->by_group = to_all;
	throw(s, x, d, to, in_us);
}

/* A request has a new transaction, an answer that of the receiver's last request. */
static struct elect_transaction transaction_of(
	struct sim_insider *x, enum elect_msg_type type, int to)
{
	struct elect_transaction t = { 0 };

	if (elect_message_row(type)->transaction == TRANSACTION_ECHO)
		return x->hosts[to < 0 ? x->plan.host : (unsigned)to].asked;
	for (unsigned i = 0; i < sizeof(t.bytes); i++)
		t.bytes[i] = (uint8_t)rng_next(&x->craft.rng);
	return t;
}

static int next_value(struct sim_insider *x)
{
	unsigned count = forge_values(x->plan.part);

	x->said++;
	if (x->plan.value >= 0)
		return x->plan.value;
	return count ? (int)((x->said - 1) % count) : 0;
}

static bool echoes(enum elect_msg_type type)
{
	return elect_message_row(type)->transaction == TRANSACTION_ECHO;
}

/* Answers each host that has sent a request, with its own transaction. */
static void say_answers(struct sim *s, struct sim_insider *x)
{
	const struct insider_plan *p = &x->plan;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		struct elect_transaction t = transaction_of(x, p->type, (int)i);

		if (s->hosts[i]->on && (p->to < 0 || (unsigned)p->to == i) &&
			!(p->as == INSIDER_HOST && p->host == i))
			say(s, &t, p->type, p->part, next_value(x), (int)i, INSIDER_DELAY_US);
	}
}

static void speak_again(struct sim *s, unsigned turn, unsigned unused)
{
	struct sim_insider *x = s->insider;
	const struct insider_plan *p = &x->plan;

	(void)unused;
	if (!x->speaks || x->plans != turn)
		return;
	if (echoes(p->type)) {
		say_answers(s, x);
	} else {
		struct elect_transaction t = transaction_of(x, p->type, p->to);

		say(s, &t, p->type, p->part, next_value(x), p->to, INSIDER_DELAY_US);
	}
	sim_at(s, s->now_us + p->every_us, speak_again, turn, 0);
}

static void begin_anew(struct sim_insider *x)
{
	struct rng *rng = &x->craft.rng;

	for (unsigned i = 0; i < sizeof(x->id.bytes); i++)
		x->id.bytes[i] = (uint8_t)rng_next(rng);
	x->itself = (struct known){ .session = rng_next(rng) | 1, .incarnation = 1 };
	x->twice = (struct known){ .session = rng_next(rng) | 1, .incarnation = 1 };
	x->address = sim_insider;
	trust_init(&x->trust, "default", NULL, &x->id, x->itself.session, rng_next(rng));
}

void insider_speak(struct sim *s, const struct insider_plan *plan)
{
	struct sim_insider *x = made(s);

	if (!x->speaks)
		begin_anew(x);
	x->plan = *plan;
	x->twice.incarnation = x->hosts[plan->host].incarnation + 1;
	x->said = 0;
	x->left = plan->above;
	x->answered_us = 0;
	x->speaks = true;
	speak_again(s, ++x->plans, 0);
}

/* Is it addressed to the insider, or to the host in whose name it speaks? */
static bool is_for(const struct sim *s, const struct sim_insider *x, const struct sim_datagram *d)
{
	const struct insider_plan *p = &x->plan;

	return d->by_group || elect_address_equal(&d->to, &x->address) ||
		(p->as != INSIDER_ITSELF &&
			elect_address_equal(&d->to, &s->hosts[p->host]->addresses[0]));
}

/* Answers Challenges in the name it uses, and at times requests, as planned. */
static void answer(struct sim *s, struct sim_insider *x, const struct sim_datagram *d)
{
	const struct insider_plan *p = &x->plan;
	bool challenge = d->type == ELECT_CHALLENGE;
	enum elect_msg_type type = challenge ? ELECT_CHALLENGE_ANSWER : p->type;
	struct wire_header asked;

	if (!is_for(s, x, d) || wire_decode_header(d->bytes, d->size, &asked) != WIRE_OK ||
		(p->as == INSIDER_HOST && p->host == d->sender))
		return;
	if (!challenge && (!echoes(p->type) || s->now_us < x->answered_us + p->every_us))
		return;
	x->answered_us = s->now_us;
	say(s, &asked.transaction, type, type == p->type ? p->part : FORGE_PARTS,
		type == p->type ? next_value(x) : 0, (int)d->sender, ANSWER_DELAY_US);
}

void insider_hears(struct sim *s, const struct sim_datagram *d)
{
	struct sim_insider *x = s->insider;

	if (!x)
		return;
	prove_push(s, d);
	if (x->listens && !s->election->lab)
		remember(s, x, d);
	if (x->speaks &&
		(d->type == ELECT_CHALLENGE ||
			elect_message_row(d->type)->transaction == TRANSACTION_NEW))
		answer(s, x, d);
}
