/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insider: somebody on the LAN who holds the key, or needs none, and pushes counters. It answers
 * Challenges by the daemon's own codec, so its session is proven; it forms no group and follows
 * nobody. What it says is authentic: the checker treats it as a host's word.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { INSIDER_DELAY_US = 200 };

struct sim_insider {
	struct trust trust;
	struct elect_address address;
	struct elect_id id;
	struct sim_push push;
	struct elect_msg message;
	bool here;
	unsigned turn; /* calls of an earlier push are void */
};

void insider_reset(struct sim *s)
{
	if (!s->insider)
		return;
	s->insider->here = false;
	s->insider->turn++;
}

void insider_free(struct sim *s)
{
	free(s->insider);
	s->insider = NULL;
}

static struct sim_insider *come(struct sim *s)
{
	struct sim_insider *x = s->insider;
	uint64_t session, seed;

	if (!x)
		x = s->insider = calloc(1, sizeof(*x));
	if (!x)
		abort();
	if (x->here)
		return x;
	x->here = true;
	for (unsigned i = 0; i < sizeof(x->id.bytes); i++)
		x->id.bytes[i] = (uint8_t)rng_next(&s->rng);
	session = rng_next(&s->rng) | 1;
	seed = rng_next(&s->rng);
	x->address =
		(struct elect_address){ .bytes = { 10, 0, 0, 250 }, .port = SIM_PORT, .family = 4 };
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
		.algorithm = WIRE_ALGORITHM_BLAKE2B,
		.to_all = to < 0,
		.domain_hash = x->trust.domain_hash,
		.sequence = trust_sequence(&x->trust, to < 0),
	};

	d->lan = 0;
	d->sender = s->hosts_count; /* no host's */
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
	queue_unref(&s->queue, d);
}

static uint64_t counter_of(const struct sim *s, const struct sim_push *p)
{
	uint64_t highest = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		if (s->hosts[i]->on && s->hosts[i]->watch.counter > highest)
			highest = s->hosts[i]->watch.counter;
	return p->by && highest + p->by < ELECT_COUNTER_LIMIT ? highest + p->by
							      : ELECT_COUNTER_LIMIT - 1;
}

/* The best there is invites all groups, or asks them to yield. */
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

/* The same by bully. */
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

/* What is of its own algorithm, or of all. */
static bool may_answer(const struct sim_insider *x, enum elect_msg_type type)
{
	return type == ELECT_CHALLENGE ||
		(type == ELECT_AYCOORD &&
			elect_msg_algorithm(x->push.type) == elect_msg_algorithm(type));
}

/* It proves itself: answers every Challenge, and each beacon with "no", which says nothing else. */
void insider_hears(struct sim *s, const struct sim_datagram *d)
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
