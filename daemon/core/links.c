/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: see links.h.
 */
#include "links.h"

#include "bits.h"

enum { BITS4 = 32, BITS6 = 128 };

static uint32_t ipv4(const struct elect_address *a)
{
	return (uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 |
		(uint32_t)a->bytes[2] << 8 | a->bytes[3];
}

/* IPv6: the last half of the address, because all link-local addresses begin the same. */
uint64_t links_salt(const struct elect_address *a)
{
	uint64_t last = 0;

	for (unsigned i = 8; i < sizeof(a->bytes); i++)
		last = last << 8 | a->bytes[i];
	return a->family == 6 ? last : (uint64_t)ipv4(a) << 32;
}

int links_find(const struct host_link *links, unsigned count, uint32_t number)
{
	for (unsigned i = 0; i < count; i++)
		if (links[i].number == number)
			return (int)i;
	return -1;
}

bool links_own(const struct host_link *links, unsigned count, const struct elect_address *a)
{
	for (unsigned i = 0; i < count; i++)
		if (elect_address_equal(a, &links[i].own))
			return true;
	return false;
}

static bool shares(const struct host_link *link, const struct elect_address *a)
{
	unsigned most = a->family == 6 ? BITS6 : BITS4;
	unsigned bits = link->prefix < most ? link->prefix : most;

	if (a->family != link->own.family)
		return false;
	return elect_address_link_local(a) || same_bits(a->bytes, link->own.bytes, bits);
}

bool links_lead(const struct host_link *links, unsigned count, const struct elect_way *way)
{
	int at = links_find(links, count, way->link);

	if (at < 0 || shares(&links[at], &way->address))
		return at >= 0;
	for (unsigned i = 0; i < count; i++)
		if (shares(&links[i], &way->address))
			return false;
	return way->address.family == 4 && links[at].own.family == 4;
}

static bool same_cable(
	const struct host_link *links, unsigned count, const struct host_link *link, uint32_t by)
{
	int at = links_find(links, count, by);

	return at >= 0 && links[at].cable == link->cable;
}

/*
 * An address belongs to the smallest of overlapping subnets. If two cards are in one subnet, the
 * card with a carrier reaches the address; if both have one, the card by which the address was
 * learned does.
 */
static bool is_nearer(const struct host_link *link, const struct host_link *than, uint32_t by)
{
	if (!than || link->prefix != than->prefix)
		return !than || link->prefix > than->prefix;
	if (link->carrier != than->carrier)
		return link->carrier;
	return link->number == by;
}

uint32_t links_to(
	const struct host_link *links, unsigned count, uint32_t by, const struct elect_address *a)
{
	const struct host_link *nearest = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (!shares(&links[i], a) ||
			(elect_address_link_local(a) && !same_cable(links, count, &links[i], by)))
			continue;
		if (is_nearer(&links[i], nearest, by))
			nearest = &links[i];
	}
	return nearest ? nearest->number : 0;
}

/* The first address of an IPv4 subnet is the subnet's, the last one is for broadcast. */
static bool another_host_of(const struct host_link *link, const struct elect_address *a)
{
	uint32_t all = link->prefix < BITS4 ? UINT32_MAX >> link->prefix : 0;
	uint32_t host = ipv4(a) & all;

	if (elect_address_equal(a, &link->own) || !shares(link, a))
		return false;
	return a->family == 6 || link->prefix > 30 || (host != 0 && host != all);
}

/* RFC 1112, section 4; RFC 6890: 224.0.0.0 and above, and 0.0.0.0/8, are not of hosts. */
static bool of_a_host4(const struct elect_address *a)
{
	return a->bytes[0] < 224 && a->bytes[0] != 0;
}

/* RFC 4291, section 2: ff00::/8 is multicast; ::/8 has the unspecified and the loopback address and
   those that embed IPv4. */
static bool of_a_host6(const struct elect_address *a)
{
	return a->bytes[0] != 0xff && a->bytes[0] != 0;
}

bool links_reach(const struct host_link *links, unsigned count, const struct elect_address *a)
{
	if (a->port == 0 || !(a->family == 6 ? of_a_host6(a) : a->family == 4 && of_a_host4(a)))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (another_host_of(&links[i], a))
			return true;
	return false;
}
