/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forgeries: recordings of an insider's datagrams. After the insider has gone, an adversary without
 * the key plays them. That works best when the true session reaches the forged sequences while its
 * host is silent, because they then pass as the host's own.
 */
#include <string.h>

#include "inside.h"
#include "core/messages.h"

enum {
	WINDOW = 64, /* width of the window of sequences that a host may still believe */
	SEQUENCE_AT = 48,
	DELAY_US = 200,
	BURST_US = 20, /* between two forgeries of a story */
};

void forgeries_clear(struct sim *s)
{
	struct sim_forgeries *f = &s->forgeries;

	for (unsigned i = 0; i < f->count; i++)
		queue_unref(&s->queue, f->list[i]);
	f->count = 0;
	forgeries_end(s);
}

/* If the table is full, a random recording is replaced, so that some old ones remain. */
void forgeries_record(struct sim *s, struct sim_datagram *d, int to)
{
	struct sim_forgeries *f = &s->forgeries;
	struct rng rng = { .state = d->number };
	unsigned at = f->count;

	if (f->count < SIM_FORGERIES_MAX) {
		f->count++;
	} else {
		at = (unsigned)rng_below(&rng, SIM_FORGERIES_MAX);
		queue_unref(&s->queue, f->list[at]);
	}
	d->refs++;
	f->list[at] = d;
	f->names[at] = hash_name(d->bytes);
	f->sent_to[at] = to;
}

static struct sim_host *named(const struct sim *s, const struct wire_header *h)
{
	return sim_by_id(s, &h->sender);
}

/* Is it in the name of the wanted host, and near the sequences that the host has used? */
static bool suits(const struct sim *s, const struct wire_header *h)
{
	const struct sim_forgeries *f = &s->forgeries;
	const struct sim_host *of = f->of < 0 ? NULL : s->hosts[f->of];

	if (!of)
		return true;
	if (named(s, h) != of)
		return false;
	return !f->near ||
		(h->session == of->session && h->sequence + WINDOW > of->used[h->to_all] &&
			h->sequence <= of->used[h->to_all] + f->near);
}

static bool before(const struct wire_header *h, const struct sim_datagram *d, uint64_t sequence,
	uint64_t number)
{
	return h->sequence < sequence || (h->sequence == sequence && d->number < number);
}

/* Finds the next recording by sequence; < 0: none is left. */
static int next(struct sim *s)
{
	struct sim_forgeries *f = &s->forgeries;
	uint64_t sequence = UINT64_MAX, number = UINT64_MAX;
	int found = -1;

	for (unsigned i = 0; i < f->count; i++) {
		struct wire_header h;

		if (wire_decode_header(f->list[i]->bytes, f->list[i]->size, &h) != WIRE_OK ||
			before(&h, f->list[i], f->sequence, f->number + 1) ||
			!before(&h, f->list[i], sequence, number) || !suits(s, &h))
			continue;
		found = (int)i;
		sequence = h.sequence;
		number = f->list[i]->number;
	}
	f->sequence = sequence;
	f->number = number;
	return found;
}

void forgeries_throw(struct sim *s, struct sim_datagram *d, int to, uint64_t in_us)
{
	struct wire_header h;

	if (wire_decode_header(d->bytes, d->size, &h) != WIRE_OK)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (to < 0 ? s->hosts[i] != named(s, &h) : i == (unsigned)to)
			queue_deliver(s, d, i, in_us);
}

static void play(struct sim *s, unsigned turn, unsigned unused)
{
	struct sim_forgeries *f = &s->forgeries;
	int at;

	(void)unused;
	at = f->turn == turn ? next(s) : -1;
	if (at < 0)
		return;
	forgeries_throw(
		s, f->list[at], f->to == FORGERIES_AS_SENT ? f->sent_to[at] : f->to, DELAY_US);
	sim_at(s, s->now_us + f->every_us, play, turn, 0);
}

void forgeries_play(struct sim *s, int of, int to, uint64_t near, uint64_t every_us)
{
	struct sim_forgeries *f = &s->forgeries;

	f->of = of;
	f->to = to;
	f->near = near;
	f->every_us = every_us;
	f->sequence = f->number = 0;
	play(s, ++f->turn, 0);
}

void forgeries_end(struct sim *s)
{
	s->forgeries.turn++;
}

static void forge(struct sim *s, const struct sim_host *h, const struct sim_datagram *like,
	uint64_t above, uint64_t in_us)
{
	struct sim_datagram *d = queue_datagram(&s->queue);
	uint64_t sequence = h->used[like->to_all] + above;

	memcpy(d, like, offsetof(struct sim_datagram, bytes) + like->size);
	d->refs = 1;
	d->sender = s->hosts_count; /* an insider */
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	for (unsigned i = 0; i < sizeof(sequence); i++)
		d->bytes[SEQUENCE_AT + i] = (uint8_t)(sequence >> (56 - 8 * i));
	trust_init(&s->stranger[0], "default", NULL, &h->config.id, 1, 1);
	s->stranger_ready = false;
	trust_seal(&s->stranger[0], d->bytes, d->size, &d->source);
	forgeries_record(s, d, -1);
	forgeries_throw(s, d, -1, in_us);
	s->insider_us = s->now_us;
	queue_unref(&s->queue, d);
}

bool forgeries_make(struct sim *s, enum elect_msg_type type, const struct sim_host *h,
	unsigned first, unsigned last)
{
	const struct sim_datagram *like = hostile_newest(s, type, h->index);
	unsigned count = 1 + (first < last ? last - first : first - last);

	if (!like || like->session != h->session)
		return false;
	for (unsigned i = 0; i < count; i++)
		forge(s, h, like, first < last ? first + i : first - i, DELAY_US + i * BURST_US);
	return true;
}
