/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lan: datagrams on their way: delay, loss for each receiver on its own, copies, reordering (by
 * delay), links that are cut in one direction or both, splits. A multicast is one datagram.
 */
#include <string.h>

#include "electsim/draw/draw.h"
#include "inside.h"

static bool happens(struct sim *s, unsigned permille)
{
	return permille && rng_below(&s->rng, 1000) < permille;
}

static uint64_t delay(struct sim *s)
{
	const struct sim_condition *c = &s->condition;
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

void lan_carry(struct sim *s, struct sim_datagram *d, unsigned to, uint64_t extra_us)
{
	bool twice = false;

	if (s->cut[d->sender][to] || !trigger_on_carry(s, d, to, &extra_us, &twice) ||
		happens(s, s->condition.loss)) {
		s->totals.lost++;
		if (s->svg)
			svg_lost(s, d, to);
		return;
	}

	uint64_t us = delay(s) + extra_us;

	deliver(s, d, to, us);
	if (twice || happens(s, s->condition.duplicate))
		deliver(s, d, to, us + rng_below(&s->rng, s->condition.duplicate_us + UINT64_C(1)));
}

bool lan_arrives(struct sim *s, unsigned from, unsigned to, uint64_t *ret_us)
{
	if (s->cut[from][to] || happens(s, s->condition.loss))
		return false;
	*ret_us = delay(s);
	return true;
}

void lan_send(struct sim *s, struct sim_host *from, const struct host_datagram *datagram)
{
	struct sim_datagram *d = queue_datagram(&s->queue);

	d->sender = from->index;
	d->session = from->session;
	d->type = datagram->type;
	d->to_all = datagram->to.family == 0;
	d->source = from->address;
	d->to = datagram->to;
	d->number = ++s->datagrams;
	d->sent_us = s->now_us;
	d->size = datagram->size;
	memcpy(d->bytes, datagram->bytes, datagram->size);
	hash_datagram(s, d);
	s->totals.sent[d->type]++;
	for (unsigned to = 0; to < s->hosts_count; to++) {
		const struct elect_address *a = &s->hosts[to]->address;

		if (to != from->index && (d->to_all || memcmp(a->bytes, d->to.bytes, 4) == 0))
			lan_carry(s, d, to, 0);
	}
	insider_hears(s, d);
	hostile_on_datagram(s, d);
	queue_unref(&s->queue, d);
}

void lan_cut(struct sim *s, unsigned from, unsigned to, bool cut)
{
	uint8_t *c = &s->cut[from][to];

	*c = (uint8_t)(cut ? *c | SIM_CUT_LINK : *c & ~SIM_CUT_LINK);
}

void lan_split(struct sim *s, const uint8_t *side)
{
	s->totals.splits++;
	for (unsigned a = 0; a < s->hosts_count; a++)
		for (unsigned b = 0; b < s->hosts_count; b++) {
			uint8_t *c = &s->cut[a][b];

			*c = (uint8_t)(side[a] != side[b] ? *c | SIM_CUT_SPLIT
							  : *c & ~SIM_CUT_SPLIT);
		}
}

void lan_heal(struct sim *s)
{
	for (unsigned a = 0; a < s->hosts_count; a++)
		for (unsigned b = 0; b < s->hosts_count; b++)
			s->cut[a][b] &= SIM_CUT_CARRIER;
}
