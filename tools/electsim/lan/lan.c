/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: carries datagrams: delay, loss for each receiver, copies, reordering (by delay), links that
 * are cut in one or both directions, splits. A multicast is one datagram.
 */
#include <assert.h>
#include <string.h>

#include "electsim/draw/draw.h"
#include "electsim/world/election.h"
#include "inside.h"

static bool happens(struct sim *s, unsigned permille)
{
	return permille && rng_below(&s->rng, 1000) < permille;
}

static uint64_t delay(struct sim *s, const struct sim_condition *c)
{
	uint64_t us = c->delay_min_us +
		rng_below(&s->rng, (uint64_t)(c->delay_max_us - c->delay_min_us) + 1);

	if (happens(s, c->late))
		us += rng_below(&s->rng, c->late_us);
	return us;
}

static void deliver(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t in_us)
{
	queue_deliver(s, d, to, in_us);
	if (s->svg)
		svg_sent(s, d, to, s->now_us + in_us);
}

static bool is_cut(const struct sim_lan *lan, const struct sim_datagram *d, unsigned to)
{
	return lan->cut[d->sender][to] & (d->by_group ? ~SIM_CUT_UNICAST : ~0);
}

void lan_carry(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t extra_us)
{
	const struct sim_lan *lan = &s->lans[d->lan];
	bool twice = false;

	if (is_cut(lan, d, to) || !trigger_on_carry(s, d, to, &extra_us, &twice) ||
		happens(s, lan->condition.loss)) {
		s->totals.lost++;
		if (s->svg)
			svg_lost(s, d, to);
		return;
	}

	uint64_t us = delay(s, &lan->condition) + extra_us;

	deliver(s, d, to, us);
	if (twice || happens(s, lan->condition.duplicate))
		deliver(s, d, to,
			us + rng_below(&s->rng, lan->condition.duplicate_us + UINT64_C(1)));
}

int lan_arrives(struct sim *s, unsigned from, unsigned to, uint64_t *ret_us)
{
	for (unsigned i = 0; i < s->lans_count; i++) {
		const struct sim_lan *lan = &s->lans[i];

		if (lan->cut[from][to] || happens(s, lan->condition.loss))
			continue;
		*ret_us = delay(s, &lan->condition);
		return (int)i;
	}
	return -1;
}

bool lan_router_answers(struct sim *s, const struct sim_host *h, uint64_t *ret_us)
{
	for (unsigned i = 0; i < s->lans_count; i++) {
		const struct sim_condition *c = &s->lans[i].condition;

		if (!(h->carriers & 1u << i) || happens(s, c->loss) || happens(s, c->loss))
			continue;
		*ret_us = delay(s, c) + delay(s, c);
		return true;
	}
	return false;
}

/* The host with that address, or hosts_count. An address contains the host's index + 1 (play.c). */
static unsigned index_of(const struct sim *s, const struct elect_address *a, unsigned lan)
{
	const unsigned indexes[] = { ((unsigned)a->bytes[2] << 8 | a->bytes[3]) - 1,
		a->bytes[3] - 1u };

	for (unsigned i = 0; i < 2; i++)
		if (indexes[i] < s->hosts_count &&
			elect_address_equal(&s->hosts[indexes[i]]->addresses[lan], a))
			return indexes[i];
	return s->hosts_count;
}

static void note_used(struct sim_host *from, const struct sim_datagram *d)
{
	struct wire_header h;

	if (wire_decode_header(d->bytes, d->size, &h) == WIRE_OK && !wire_is_will(&h) &&
		h.sequence > from->used[h.to_all])
		from->used[h.to_all] = h.sequence;
}

static struct sim_datagram *compose(struct sim *s, struct sim_host *from, unsigned lan,
	const struct elect_address *to, const struct host_datagram *datagram)
{
	struct sim_datagram *d = queue_datagram(&s->queue);

	d->lan = lan;
	d->sender = from->index;
	d->session = from->session;
	d->type = datagram->type;
	d->to_all = datagram->to_all;
	d->by_group = !to;
	d->source = from->addresses[lan];
	d->to = to ? *to : (struct elect_address){ 0 };
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	d->size = datagram->size;
	memcpy(d->bytes, datagram->bytes, datagram->size);
	hash_datagram(s, d);
	if (s->pcap)
		pcap_sent(s->pcap, d);
	if (!s->election->lab)
		note_used(from, d);
	assert((unsigned)d->type < SIM_TYPES);
	s->totals.sent[d->type]++;
	return d;
}

static void carry_all(struct sim *s, const struct sim_host *from, struct sim_datagram *d,
	unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++)
		if (i != from->index && from->multicast & s->hosts[i]->multicast & 1u << d->lan)
			lan_carry(s, d, i, 0);
}

void lan_send(struct sim *s, struct sim_host *from, unsigned lan, const struct elect_address *to,
	const struct host_datagram *datagram)
{
	struct sim_datagram *d = compose(s, from, lan, to, datagram);

	if (!d->by_group) {
		unsigned i = index_of(s, &d->to, lan);

		if (i < s->hosts_count && i != from->index)
			lan_carry(s, d, i, 0);
	} else {
		carry_all(s, from, d, 0, s->hosts_count - 1);
	}
	insider_hears(s, d);
	hostile_on_datagram(s, d);
	queue_unref(&s->queue, d);
}

void lan_cast(struct sim *s, struct sim_host *from, unsigned lan, unsigned first, unsigned last,
	const struct host_datagram *datagram)
{
	struct sim_datagram *d = compose(s, from, lan, NULL, datagram);

	carry_all(s, from, d, first, last);
	queue_unref(&s->queue, d);
}

void lan_conditions(struct sim *s, unsigned lans, const struct sim_condition *condition)
{
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i)
			s->lans[i].condition = *condition;
}

static void mark(uint8_t *cut, enum sim_cut bit, bool on)
{
	*cut = (uint8_t)(on ? *cut | bit : *cut & ~bit);
}

static void mark_pair(
	struct sim *s, unsigned lans, unsigned from, unsigned to, enum sim_cut bit, bool cut)
{
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i)
			mark(&s->lans[i].cut[from][to], bit, cut);
}

void lan_cut(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut)
{
	mark_pair(s, lans, from, to, SIM_CUT_LINK, cut);
}

void lan_cut_unicast(struct sim *s, unsigned lans, unsigned from, unsigned to, bool cut)
{
	mark_pair(s, lans, from, to, SIM_CUT_UNICAST, cut);
}

static void split(struct sim *s, struct sim_lan *lan, const uint8_t *side)
{
	for (unsigned a = 0; a < s->hosts_count; a++)
		for (unsigned b = 0; b < s->hosts_count; b++)
			mark(&lan->cut[a][b], SIM_CUT_SPLIT, side[a] != side[b]);
}

void lan_split(struct sim *s, unsigned lans, const uint8_t *side)
{
	s->totals.splits++;
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		if (lans & 1u << i)
			split(s, &s->lans[i], side);
}

void lan_heal(struct sim *s)
{
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		for (unsigned a = 0; a < s->hosts_count; a++)
			for (unsigned b = 0; b < s->hosts_count; b++)
				s->lans[i].cut[a][b] &= SIM_CUT_CARRIER;
}

void lan_carrier(struct sim *s, unsigned lans, const struct sim_host *h)
{
	for (unsigned i = 0; i < SIM_LANS_MAX; i++)
		for (unsigned o = 0; o < s->hosts_count && lans & 1u << i; o++) {
			bool down = !(h->carriers & s->hosts[o]->carriers & 1u << i);

			mark(&s->lans[i].cut[h->index][o], SIM_CUT_CARRIER, down);
			mark(&s->lans[i].cut[o][h->index], SIM_CUT_CARRIER, down);
		}
}
