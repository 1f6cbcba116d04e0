/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named: see named.h.
 */
#include "named.h"

#include <string.h>

/* Is the host heard from that address, or does it report it as its own? Over IPv6 it sends from a
   link-local address, so only its report matches. */
static bool is_there(const struct routes_host *h, const struct elect_address *from,
	const struct elect_address *address)
{
	return elect_address_same_host(from, address) || elect_address_same_host(&h->said, address);
}

uint64_t named_heard_us(const struct routes *r, const struct elect_address *address)
{
	uint64_t heard_us = 0;

	for (unsigned i = 0; i < r->count; i++) {
		const struct routes_host *h = &r->hosts[i];

		for (unsigned at = 0; at < h->count; at++)
			if (is_there(h, &h->ways[at].way.address, address) &&
				h->heard_us > heard_us)
				heard_us = h->heard_us;
	}
	return heard_us;
}

/* Every other time the first port, which the only instance of a host has; else a further one. */
static uint16_t port_in_turn(const struct named *n, struct named_peer *p)
{
	unsigned others = n->port_last - n->port_first, turn = p->turn++;

	if (p->address.port)
		return p->address.port;
	if (others > NAMED_PORTS - 1)
		others = NAMED_PORTS - 1;
	if (turn % 2 == 0 || others == 0)
		return n->port_first;
	return (uint16_t)(n->port_first + 1 + turn / 2 % others);
}

static bool is_among(const struct elect_way *ways, unsigned count, const struct elect_address *a)
{
	for (unsigned i = 0; i < count; i++)
		if (elect_address_equal(&ways[i].address, a))
			return true;
	return false;
}

static bool heard_lately(const struct routes *r, uint64_t now_us, const struct elect_address *a)
{
	uint64_t heard_us = named_heard_us(r, a);

	return heard_us && now_us - heard_us <= ROUTES_SILENT_BEACONS * r->beacon_us;
}

unsigned named_ways(struct named *n, uint64_t now_us, const struct routes *r,
	struct elect_way *ret_ways, unsigned count, unsigned most)
{
	for (unsigned i = 0; i < n->count && count < most; i++) {
		struct named_peer *p = &n->list[i];
		struct elect_way way = { p->address, p->link };

		if (!p->link || (!p->address.port && heard_lately(r, now_us, &p->address)))
			continue;
		way.address.port = port_in_turn(n, p);
		if (!is_among(ret_ways, count, &way.address))
			ret_ways[count++] = way;
	}
	return count;
}
