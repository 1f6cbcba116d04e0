/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes: a message on the LAN as bytes, in network byte order: a header that the transport reads,
 * then the message of the algorithm. A datagram of another length than its contents is refused.
 */
#include <assert.h>
#include <string.h>

#include "inside.h"

struct writer {
	uint8_t *at, *end;
};

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static void put(struct writer *w, uint64_t v, unsigned size)
{
	assert(w->at + size <= w->end);
	while (size-- > 0)
		*w->at++ = (uint8_t)(v >> (8 * size));
}

static uint64_t get(struct reader *r, unsigned size)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->bad = true;
		return 0;
	}
	while (size-- > 0)
		v = v << 8 | *r->at++;
	return v;
}

static void put_message(struct writer *w, const struct lab_msg *m)
{
	put(w, m->id, 2);
	put(w, m->commander, 2);
	put(w, m->hops, 2);
	put(w, m->hops_max, 2);
	put(w, m->yes, 1);
	put(w, m->incarnation, 8);
	for (unsigned i = 0; i < LAB_PAYLOAD; i++)
		put(w, m->payload[i], 1);
	for (unsigned i = 0; i < LAB_DIGEST; i++)
		put(w, m->digest[i], 1);
	put(w, m->count, 2);
	for (unsigned i = 0; i < m->count; i++)
		put(w, m->ids[i], 2);
}

static void get_message(struct reader *r, struct lab_msg *m)
{
	m->id = (uint16_t)get(r, 2);
	m->commander = (uint16_t)get(r, 2);
	m->hops = (uint16_t)get(r, 2);
	m->hops_max = (uint16_t)get(r, 2);
	m->yes = get(r, 1);
	m->incarnation = get(r, 8);
	for (unsigned i = 0; i < LAB_PAYLOAD; i++)
		m->payload[i] = (uint8_t)get(r, 1);
	for (unsigned i = 0; i < LAB_DIGEST; i++)
		m->digest[i] = (uint8_t)get(r, 1);
	m->count = (uint16_t)get(r, 2);
	r->bad = r->bad || m->count > LAB_HOSTS_MAX;
	for (unsigned i = 0; !r->bad && i < m->count; i++)
		m->ids[i] = (uint16_t)get(r, 2);
}

size_t road_write(const struct road_packet *p, uint8_t *bytes, size_t room)
{
	struct writer w = { bytes, bytes + room };

	put(&w, p->type, 1);
	put(&w, p->session, 8);
	put(&w, p->number, 4);
	put(&w, p->election, 4);
	put(&w, p->begun_by, 2);
	put(&w, p->lane, 1);
	put(&w, p->coordinator, 2);
	if (p->type < ROAD_ACK)
		put_message(&w, &p->m);
	return (size_t)(w.at - bytes);
}

bool road_read(const uint8_t *bytes, size_t size, struct road_packet *ret_packet)
{
	struct reader r = { bytes, bytes + size, false };
	struct road_packet *p = ret_packet;

	memset(p, 0, sizeof(*p));
	p->type = (unsigned)get(&r, 1);
	p->session = get(&r, 8);
	p->number = (uint32_t)get(&r, 4);
	p->election = (uint32_t)get(&r, 4);
	p->begun_by = (uint16_t)get(&r, 2);
	p->lane = (uint8_t)get(&r, 1);
	p->coordinator = (uint16_t)get(&r, 2);
	if (p->type < ROAD_ACK)
		get_message(&r, &p->m);
	return !r.bad && r.at == r.end && p->type > 0 && p->type < SIM_TYPES &&
		p->lane <= ROAD_LANES;
}
