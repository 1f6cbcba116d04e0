/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile: an adversary on the LAN without the key: repeats old datagrams, and truncates, flips and
 * re-tags others. Hosts must not believe what it makes, and its repeats must change nothing
 * (check.c asserts both). It does not forge with the right key, against which nothing is promised.
 */
#include <string.h>

#include "inside.h"
#include "core/elect_view.h"
#include "core/messages.h"

void hostile_clear(struct sim *s)
{
	for (unsigned i = 0; i < SIM_REPLAY_MAX; i++) {
		queue_unref(&s->queue, s->old[i]);
		s->old[i] = NULL;
	}
	s->old_next = 0;
	for (unsigned i = 0; i < SIM_FORMER_MAX; i++) {
		queue_unref(&s->queue, s->former[i]);
		s->former[i] = NULL;
	}
	s->former_next = 0;
	forgeries_clear(s);
}

static void remember(struct sim *s, struct sim_datagram *d)
{
	queue_unref(&s->queue, s->old[s->old_next]);
	d->refs++;
	s->old[s->old_next] = d;
	s->old_next = (s->old_next + 1) % SIM_REPLAY_MAX;
}

static struct sim_datagram *forge(struct sim *s, const struct sim_datagram *d)
{
	struct sim_datagram *f = queue_datagram(&s->queue);

	memcpy(f, d, offsetof(struct sim_datagram, bytes) + d->size);
	f->refs = 1;
	f->hostile = true;
	f->number = ++s->datagrams;
	return f;
}

static void set_length(struct sim_datagram *d)
{
	d->bytes[6] = (uint8_t)(d->size >> 8);
	d->bytes[7] = (uint8_t)d->size;
}

static void truncated(struct sim *s, struct sim_datagram *f)
{
	f->size = rng_below(&s->rng, f->size);
	if (f->size > WIRE_HEADER_SIZE && rng_below(&s->rng, 2))
		set_length(f);
}

static void flipped(struct sim *s, struct sim_datagram *f)
{
	uint64_t bit = rng_below(&s->rng, f->size * 8);

	f->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

enum { STRANGER_KEY = 255 };

static void make_strangers(struct sim *s)
{
	static const struct ring_file file = { 1,
		{ { STRANGER_KEY, { 's', 't', 'r', 'a', 'n', 'g', 'e', 'r' } } } };
	static const struct elect_id id = { { 0xff } };
	struct ring ring;

	if (s->stranger_ready)
		return;
	s->stranger_ready = true;
	ring_make(&ring, RING_AUTO, "default", &file);
	trust_init(&s->stranger[0], "default", &ring, &id, 1, 1);
	trust_init(&s->stranger[1], "another", NULL, &id, 1, 1);
}

/* Seals with the peer's own key under the key number that the datagram names. */
static void seal_as(struct trust *stranger, struct sim_datagram *f)
{
	stranger->ring.keys[0].told.id = wire_key_id(f->bytes);
	trust_seal(stranger, f->bytes, f->size, &f->source);
}

static void other_key(struct sim *s, struct sim_datagram *f)
{
	make_strangers(s);
	if (rng_below(&s->rng, 2))
		f->bytes[8] = STRANGER_KEY; /* the true number of the key */
	seal_as(&s->stranger[0], f);
}

static void other_domain(struct sim *s, struct sim_datagram *f)
{
	make_strangers(s);
	if (rng_below(&s->rng, 2))
		for (unsigned i = 0; i < 4; i++)
			f->bytes[12 + i] = (uint8_t)(s->stranger[1].domain_hash >> (24 - 8 * i));
	seal_as(&s->stranger[1], f);
}

/* One draw per statement: C does not define the order in which arguments are evaluated. */
static void throw_somewhere(struct sim *s, struct sim_datagram *d, uint64_t within_us)
{
	unsigned to = (unsigned)rng_below(&s->rng, s->hosts_count);
	uint64_t in_us = rng_below(&s->rng, within_us);

	queue_deliver(s, d, to, in_us);
}

static void spoil(struct sim *s, const struct sim_datagram *d, unsigned permille,
	void (*how)(struct sim *, struct sim_datagram *))
{
	if (!permille || rng_below(&s->rng, 1000) >= permille)
		return;

	struct sim_datagram *f = forge(s, d);

	how(s, f);
	throw_somewhere(s, f, 2000);
	queue_unref(&s->queue, f);
}

static void repeat(struct sim *s)
{
	struct sim_datagram *d = s->old[rng_below(&s->rng, SIM_REPLAY_MAX)];

	if (s->forgeries.count && rng_below(&s->rng, 2))
		d = s->forgeries.list[rng_below(&s->rng, s->forgeries.count)];
	if (d)
		throw_somewhere(s, d, 3000000);
}

void hostile_on_datagram(struct sim *s, struct sim_datagram *d)
{
	const struct sim_hostility *x = &s->hostility;

	remember(s, d);
	if (x->replay && rng_below(&s->rng, 1000) < x->replay)
		repeat(s);
	spoil(s, d, x->truncate, truncated);
	spoil(s, d, x->flip, flipped);
	spoil(s, d, x->wrong_key, other_key);
	spoil(s, d, x->wrong_domain, other_domain);
}

/* ---- former sessions ------------------------------------------------------------------------- */

enum {
	FORMER_OF_A_TYPE = 4, /* newest datagrams of a session, for each type */
	FORMER_BATCH_US = 1000,
};

void hostile_on_gone(struct sim *s, const struct sim_host *h)
{
	unsigned count[SIM_TYPES] = { 0 };

	for (unsigned i = 1; i <= SIM_REPLAY_MAX; i++) {
		struct sim_datagram *d =
			s->old[(s->old_next + SIM_REPLAY_MAX - i) % SIM_REPLAY_MAX];

		if (!d || d->sender != h->index || d->session != h->session ||
			count[d->type]++ >= FORMER_OF_A_TYPE)
			continue;
		queue_unref(&s->queue, s->former[s->former_next]);
		d->refs++;
		s->former[s->former_next] = d;
		s->former_next = (s->former_next + 1) % SIM_FORMER_MAX;
	}
}

static void throw_former(struct sim *s, uint64_t in_us)
{
	struct sim_datagram *d = s->former[rng_below(&s->rng, SIM_FORMER_MAX)];
	int victim = s->hostility.former_victim;

	for (unsigned tries = 0; !d && tries < 100; tries++)
		d = s->former[rng_below(&s->rng, SIM_FORMER_MAX)];
	for (unsigned i = 0; d && i < s->hosts_count; i++)
		if (victim < 0 || i == (unsigned)victim)
			queue_deliver(s, d, i, in_us);
}

/* A call with an older rate is void. */
static void former_again(struct sim *s, unsigned per_s, unsigned batch)
{
	uint64_t every_us = batch * UINT64_C(1000000) / per_s;

	if (s->hostility.former != per_s)
		return;
	for (unsigned i = 0; i < batch; i++)
		throw_former(s, rng_below(&s->rng, every_us));
	sim_at(s, s->now_us + every_us, former_again, per_s, batch);
}

void hostile_former(struct sim *s, unsigned per_s, int victim)
{
	unsigned batch = (unsigned)((uint64_t)per_s * FORMER_BATCH_US / 1000000);

	s->hostility.former = per_s;
	s->hostility.former_victim = victim;
	if (per_s > 0)
		former_again(s, per_s, batch > 0 ? batch : 1);
}

struct sim_datagram *hostile_newest(struct sim *s, enum elect_msg_type type, unsigned from)
{
	for (unsigned i = 1; i <= SIM_REPLAY_MAX; i++) {
		struct sim_datagram *d =
			s->old[(s->old_next + SIM_REPLAY_MAX - i) % SIM_REPLAY_MAX];

		if (d && d->type == type && d->sender == from)
			return d;
	}
	return NULL;
}

bool hostile_replay(struct sim *s, enum elect_msg_type type, unsigned from, int to, uint64_t in_us)
{
	struct sim_datagram *d = hostile_newest(s, type, from);

	for (unsigned h = 0; d && h < s->hosts_count; h++)
		if (to < 0 ? h != from : h == (unsigned)to)
			queue_deliver(s, d, h, in_us);
	return d;
}

/* ---- poison ---------------------------------------------------------------------------------- */

static void poison_one(struct sim *s, const struct trust *forger, const struct sim_host *h,
	enum elect_msg_type type, bool to_all, uint64_t sequence)
{
	static struct elect_msg m;
	struct sim_datagram *d = queue_datagram(&s->queue);
	struct wire_header header = { .algorithm = WIRE_TAG_BLAKE2B,
		.to_all = to_all,
		.domain_hash = forger->domain_hash,
		.sequence = sequence };

	m = (struct elect_msg){ .type = type,
		.sender = h->config.id,
		.session = h->session,
		.group = h->watch.view.group,
		.loss = ELECT_LOSS_CRASH,
		.incarnation = elect_incarnation(host_elect(h->core)) };
	d->lan = 0;
	d->sender = s->hosts_count;
	d->session = h->session;
	d->type = m.type;
	d->to_all = d->by_group = to_all;
	d->source = h->addresses[0];
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	d->size = wire_encode(&m, &header, d->bytes);
	trust_seal(forger, d->bytes, d->size, &d->source);
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (i != h->index || type == ELECT_GOODBYE)
			queue_deliver(s, d, i, 1);
	if (sequence < WIRE_WILL_FROM - 1) { /* hosts may believe it */
		forgeries_record(s, d, -1);
		s->insider_us = s->now_us;
	}
	queue_unref(&s->queue, d);
}

static const struct trust *forger_of(struct sim *s, const struct sim_host *h)
{
	make_strangers(s);
	trust_init(&s->stranger[0], "default", NULL, &h->config.id, 1, 1);
	s->stranger_ready = false;
	return &s->stranger[0];
}

void hostile_poison(struct sim *s, const struct sim_host *h)
{
	const struct trust *forger = forger_of(s, h);

	poison_one(s, forger, h, ELECT_CHALLENGE, false, WIRE_WILL_FROM - 1);
	poison_one(s, forger, h, ELECT_CHALLENGE, true, WIRE_WILL_FROM - 1);
}

static void rain_again(struct sim *s, unsigned host, unsigned left)
{
	static const unsigned above[] = { 1, 1000, 60000 };
	const struct sim_host *h = s->hosts[host];
	const struct trust *forger = forger_of(s, h);

	for (unsigned to_all = 0; to_all < 2 && h->on; to_all++)
		for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++)
			poison_one(
				s, forger, h, ELECT_CHALLENGE, to_all, h->used[to_all] + above[i]);
	if (left > 1)
		sim_at(s, s->now_us + s->hostility.rain_us, rain_again, host, left - 1);
}

void hostile_rain(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count)
{
	s->hostility.rain_us = every_us;
	rain_again(s, h->index, (unsigned)count);
}

static void will_again(struct sim *s, unsigned host, unsigned left)
{
	const struct sim_host *h = s->hosts[host];

	if (h->on)
		poison_one(s, forger_of(s, h), h, ELECT_GOODBYE, true,
			WIRE_WILL_FROM + s->hostility.wills++);
	if (left > 1)
		sim_at(s, s->now_us + s->hostility.wills_us, will_again, host, left - 1);
}

/* The host itself hears it, too: a kernel drops its own IPv4 datagrams, but not IPv6 ones. */
void hostile_will(struct sim *s, const struct sim_host *h, uint64_t every_us, uint64_t count)
{
	s->hostility.wills_us = every_us;
	will_again(s, h->index, (unsigned)count);
}

/* ---- recordings of many sessions ------------------------------------------------------- */

static struct sim_datagram *newest(struct sim *s, enum elect_msg_type type)
{
	for (unsigned i = 1; i <= SIM_REPLAY_MAX; i++) {
		struct sim_datagram *d =
			s->old[(s->old_next + SIM_REPLAY_MAX - i) % SIM_REPLAY_MAX];

		if (d && d->type == type)
			return d;
	}
	return NULL;
}

/* A datagram of such a session: a copy of `like` under another id. */
static struct sim_datagram *recorded(struct sim *s, const struct sim_datagram *like,
	const struct elect_session *who, uint64_t incarnation)
{
	static struct elect_msg m;
	struct sim_datagram *d = forge(s, like);
	struct wire_header header;

	wire_decode_header(d->bytes, d->size, &header);
	if (wire_decode(d->bytes, d->size, &m) < 0)
		return d;
	m.sender = who->id;
	m.session = who->session;
	m.incarnation = incarnation;
	if (elect_message_row(m.type)->traits & MESSAGE_BEACON)
		m.group.coordinator = who->id;
	d->hostile = false; /* authentic, like that of an ended session */
	d->sender = s->hosts_count;
	d->session = who->session;
	d->source.bytes[3] = 254; /* no host has this address, so nothing answers */
	d->size = wire_encode(&m, &header, d->bytes);
	trust_seal(&s->stranger[0], d->bytes, d->size, &d->source);
	return d;
}

bool hostile_record(struct sim *s, unsigned sessions, unsigned ids)
{
	static const enum elect_msg_type types[2][2] = { { ELECT_HELLO, ELECT_AYCOORD },
		{ ELECT_CHALLENGE, ELECT_AYCOORD } };
	static const struct elect_id nobody = { { 0xff } };

	trust_init(&s->stranger[0], "default", NULL, &nobody, 1, 1);
	s->stranger_ready = false;
	for (unsigned i = 0; i < sessions; i++) {
		struct elect_session who = { { { 0xfe } }, rng_next(&s->rng) | 1 };

		who.id.bytes[14] = (uint8_t)(i % ids >> 8);
		who.id.bytes[15] = (uint8_t)(i % ids);
		for (unsigned t = 0; t < 2; t++) {
			const struct sim_datagram *like = newest(s, types[i % 2][t]);

			if (!like)
				return false;
			queue_unref(&s->queue, s->former[s->former_next]);
			s->former[s->former_next] = recorded(s, like, &who, 1 + i / ids);
			s->former_next = (s->former_next + 1) % SIM_FORMER_MAX;
		}
	}
	return true;
}
