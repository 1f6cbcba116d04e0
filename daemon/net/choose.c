/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose: which interfaces are used, see net/links.h. Must not know netlink, and keeps no state but
 * in struct net_homes.
 */
#include "links.h"

#include <net/if_arp.h>
#include <string.h>

/* Which interfaces are used where none is named. */
enum by { BY_NAME, BY_DEFAULT_ROUTE, BY_FORMER_ROUTE, BY_ADDRESS, BY_TYPE };

static bool unnamed(
	const struct net_link *link, const struct net_homes *homes, unsigned families, enum by by)
{
	if (!(link->flags & IFF_MULTICAST) || link->flags & IFF_LOOPBACK)
		return false;
	if (by == BY_DEFAULT_ROUTE)
		return link->default_routes & families;
	if (by == BY_FORMER_ROUTE)
		return net_homes_routed(homes, link->ifindex);
	return link->type == ARPHRD_ETHER && !(link->flags & IFF_POINTOPOINT) &&
		(by == BY_TYPE || link->routable & families);
}

static bool named(const struct net_links *links, const struct net_link *link,
	const char *const *patterns, unsigned count)
{
	if (!(link->flags & (IFF_MULTICAST | IFF_LOOPBACK)))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (net_links_named(links, link, patterns[i]))
			return true;
	return false;
}

static bool any_unnamed(const struct net_links *links, unsigned families, enum by by)
{
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].flags & IFF_UP && unnamed(&links->items[i], NULL, families, by))
			return true;
	return false;
}

static bool any_routed(const struct net_links *links, const struct net_homes *homes)
{
	for (unsigned i = 0; i < links->count; i++)
		if (net_homes_routed(homes, links->items[i].ifindex))
			return true;
	return false;
}

static enum by way_to_choose(const struct net_links *links, const struct net_homes *homes,
	unsigned families, unsigned patterns_count)
{
	if (patterns_count)
		return BY_NAME;
	if (any_unnamed(links, families, BY_DEFAULT_ROUTE))
		return BY_DEFAULT_ROUTE;
	if (any_routed(links, homes))
		return BY_FORMER_ROUTE;
	return any_unnamed(links, families, BY_ADDRESS) ? BY_ADDRESS : BY_TYPE;
}

/* Another host has the only address there is. */
static const struct net_address *duplicate_of(
	const struct net_links *links, unsigned ifindex, uint8_t family)
{
	for (unsigned i = 0; i < links->addresses_count; i++) {
		const struct net_address *a = &links->addresses[i];

		if (a->ifindex == ifindex && a->address.family == family && a->duplicate)
			return a;
	}
	return NULL;
}

/* Nothing gets to a group by the loopback; and the bridge is the LAN, not its ports. */
static bool speaks_ipv6(const struct net_link *link)
{
	return !(link->flags & IFF_LOOPBACK || !strcmp(link->master_kind, "bridge"));
}

/* False: it has no address that may be used. */
static bool path_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const struct net_link *link, uint8_t family, struct net_path *ret_path)
{
	bool carrier = link->flags & IFF_RUNNING;
	const struct net_where where = { link->ifindex, family, carrier,
		link->default_routes & net_family(family) };
	const struct net_address *address =
		net_homes_choose(homes, now_us, &where, links->addresses, links->addresses_count);

	if (!address)
		address = duplicate_of(links, link->ifindex, family);
	if (!address || address->tentative)
		return false;
	*ret_path = (struct net_path){
		.link = net_link_number(link->ifindex, family),
		.ifindex = link->ifindex,
		.address = address->address,
		.prefix = address->prefix,
		.created = address->created,
		.carrier = carrier && !address->duplicate,
		.duplicate = address->duplicate,
	};
	memcpy(ret_path->name, link->name, sizeof(ret_path->name));
	if (family == 6)
		address = net_homes_wide(
			homes, now_us, link->ifindex, links->addresses, links->addresses_count);
	if (family == 6 && address)
		ret_path->wide = address->address;
	return true;
}

/* By how many families. */
static unsigned paths_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const struct net_link *link, struct net_path *ret_paths)
{
	unsigned count = 0;

	if (families & NET_IPV4)
		count += path_of(links, homes, now_us, link, 4, &ret_paths[count]);
	if (families & NET_IPV6 && speaks_ipv6(link))
		count += path_of(links, homes, now_us, link, 6, &ret_paths[count]);
	return count;
}

/* ---- no more than NET_INTERFACES_MAX --------------------------------------------------------- */

static unsigned families_of(const struct net_link *link, unsigned families)
{
	return link->addressed & families & (speaks_ipv6(link) ? NET_BOTH : NET_IPV4);
}

/* Which ones go first where there are too many; the least one does. */
enum turn { TURN_IN_USE, TURN_WITH_CARRIER, TURN_OTHERS, TURNS };

static enum turn turn_of(const struct net_link *link, const struct net_homes *homes)
{
	if (net_homes_known(homes, link->ifindex))
		return TURN_IN_USE;
	return link->flags & IFF_RUNNING ? TURN_WITH_CARRIER : TURN_OTHERS;
}

/* A link without an address takes no place. */
static void leave_out(struct net_links *links, const struct net_homes *homes, unsigned families)
{
	unsigned places[TURNS] = { 0 }, left = NET_INTERFACES_MAX;

	links->left_out = 0;
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].chosen && families_of(&links->items[i], families))
			places[turn_of(&links->items[i], homes)]++;
	for (unsigned i = 0; i < TURNS; i++) {
		places[i] = places[i] < left ? places[i] : left;
		left -= places[i];
	}
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];

		if (!link->chosen || !families_of(link, families))
			continue;
		if (places[turn_of(link, homes)]) {
			places[turn_of(link, homes)]--;
			continue;
		}
		link->chosen = false;
		if (links->left_out++ == 0)
			memcpy(links->left_out_name, link->name, sizeof(link->name));
	}
}

unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX])
{
	enum by by = way_to_choose(links, homes, families, patterns_count);
	unsigned count = 0;

	links->homes = homes;
	links->any_may_be_used = by == BY_ADDRESS || by == BY_TYPE;
	net_homes_look(homes, now_us, links->addresses, links->addresses_count);
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];

		link->chosen = link->flags & IFF_UP &&
			(by == BY_NAME ? named(links, link, patterns, patterns_count)
				       : unnamed(link, homes, families, by));
	}
	leave_out(links, homes, families);
	for (unsigned i = 0; i < links->count; i++) {
		const struct net_link *link = &links->items[i];

		/* An address that is gone for now is waited for. */
		if (!link->chosen ||
			!(families_of(link, families) || net_homes_known(homes, link->ifindex)))
			continue;
		count += paths_of(links, homes, now_us, families, link, &ret_paths[count]);
		if (by == BY_DEFAULT_ROUTE)
			net_homes_set_routed(homes, link->ifindex);
	}
	return count;
}
