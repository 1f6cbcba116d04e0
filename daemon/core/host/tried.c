/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tried: see tried.h. The source address alone shows the host that sent a datagram, because nothing
 * in one of an unverified session can be trusted; a false one only delays.
 */
#include "tried.h"
#include "host.h"

void tried_begin(struct host *h, uint64_t now_us, const struct elect_try_link *t)
{
	if (!t->first)
		return;
	h->tried.lost = t->lost;
	h->tried.heard = false;
	host_ways(h, now_us, &t->lost, &h->tried.ways);
}

/* A host that has started again may use another port. */
void tried_hear(struct host *h)
{
	for (unsigned i = 0; i < h->tried.ways.count; i++)
		h->tried.heard |=
			elect_address_same_host(&h->tried.ways.items[i].address, &h->way.address);
}

bool tried_refuses(const struct host *h, const struct elect_link_sign *sign)
{
	return sign->sign == ELECT_SIGN_FRAMES && h->tried.heard &&
		elect_id_equal(&sign->lost, &h->tried.lost);
}
