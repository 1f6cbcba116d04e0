/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: see links.h.
 */
#include "links.h"

uint32_t links_ipv4(const struct elect_address *a)
{
	return (uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 |
		(uint32_t)a->bytes[2] << 8 | a->bytes[3];
}

bool links_own(const struct host_link *links, unsigned count, const struct elect_address *a)
{
	for (unsigned i = 0; i < count; i++)
		if (elect_address_equal(a, &links[i].own))
			return true;
	return false;
}

/* Neither the LAN itself, its first address, nor all hosts of it, its last. */
static bool another_host_of(const struct host_link *link, const struct elect_address *a)
{
	uint32_t all = link->prefix < 32 ? UINT32_MAX >> link->prefix : 0;
	uint32_t own = links_ipv4(&link->own), host = links_ipv4(a) & all;

	if (elect_address_equal(a, &link->own) || (links_ipv4(a) & ~all) != (own & ~all))
		return false;
	return link->prefix > 30 || (host != 0 && host != all);
}

/* RFC 1112, section 4; RFC 6890: 224.0.0.0 and above, and 0.0.0.0/8, are no host's. */
bool links_reach(const struct host_link *links, unsigned count, const struct elect_address *a)
{
	if (a->family != 4 || a->port == 0 || a->bytes[0] >= 224 || a->bytes[0] == 0)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (another_host_of(&links[i], a))
			return true;
	return false;
}
