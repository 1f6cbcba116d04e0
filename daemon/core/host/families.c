/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families: see families.h.
 */
#include "families.h"

static bool has_family(const struct host *h, const struct host_link *beside, uint8_t family)
{
	for (unsigned i = 0; i < h->links_count; i++)
		if (h->links[i].carrier && h->links[i].own.family == family &&
			(!beside || h->links[i].cable == beside->cable))
			return true;
	return false;
}

static bool spares(const struct host *h, const struct host_link *link, uint8_t family)
{
	return family && link->own.family != family && has_family(h, link, family);
}

bool host_spares(const struct host *h, const struct host_datagram *datagram, uint32_t number)
{
	int at = links_find(h->links, h->links_count, number);

	return at >= 0 && spares(h, &h->links[at], datagram->family);
}

/* Is each link of that family heard, and is there a link of the other one to spare? */
static bool is_enough(const struct host *h, uint8_t family, unsigned heard)
{
	bool any = false;

	for (unsigned i = 0; i < h->links_count; i++) {
		const struct host_link *l = &h->links[i];

		if (!l->carrier)
			continue;
		any |= spares(h, l, family);
		if (l->own.family == family && heard-- == 0)
			return false;
	}
	return any;
}

uint8_t families_enough(const struct host *h, const struct elect_hears *hears)
{
	return (uint8_t)((is_enough(h, 4, hears->ipv4) ? ELECT_BY_IPV4 : 0) |
		(is_enough(h, 6, hears->ipv6) ? ELECT_BY_IPV6 : 0));
}

struct elect_hears families_hears(const struct host *h, uint64_t now_us, const struct elect_id *id)
{
	static const struct elect_hears none;

	return has_family(h, NULL, 4) && has_family(h, NULL, 6)
		? routes_hears(&h->routes, now_us, id)
		: none;
}
