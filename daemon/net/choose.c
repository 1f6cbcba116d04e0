/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose: chooses the interfaces that are used, see net/links.h. It does not know netlink, and its
 * only state is struct net_homes.
 */
#include "links.h"

#include <net/if_arp.h>
#include <string.h>

/* The rules: the first one that any link satisfies is used. doc/links.md has the table. */
enum by { BY_NAME, BY_DEFAULT_ROUTE, BY_FORMER_ROUTE, BY_OTHER_TABLE, BY_RANK };

/* The arguments of net_links_choose(), and the rule that is used. */
struct choice {
	const struct net_homes *homes;
	unsigned families;
	const char *const *patterns;
	unsigned patterns_count;
	enum by by;
	enum net_behind rank; /* for BY_RANK: the highest rank of a link */
	bool routable;	      /* for BY_RANK: the address is or was more than link-local */
};

/* ---- the rules ------------------------------------------------------------------------------- */

static bool named(
	const struct net_links *links, const struct net_link *link, const struct choice *c)
{
	if (!(link->flags & (IFF_MULTICAST | IFF_LOOPBACK)))
		return false;
	for (unsigned i = 0; i < c->patterns_count; i++)
		if (net_links_named(links, link, c->patterns[i]))
			return true;
	return false;
}

static bool is_ethernet(const struct net_link *link)
{
	return link->type == ARPHRD_ETHER && net_behind_may_be_lan(link);
}

/* A bridge that has lost its cable still counts as the bridge to the LAN. */
static enum net_behind rank_of(const struct net_link *link, const struct net_homes *homes)
{
	return net_homes_port(homes, link->ifindex) == NET_BEHIND_CABLE ? NET_BEHIND_CABLE
									: link->behind;
}

/* A pulled cable removes the address, which must not make a link-local card the better LAN. */
static bool was_routable(const struct net_link *link, const struct choice *c)
{
	return (c->families & NET_IPV4 && net_homes_wide_one(c->homes, link->ifindex, 4)) ||
		(c->families & NET_IPV6 && net_homes_wide_one(c->homes, link->ifindex, 6));
}

static bool satisfies(
	const struct net_links *links, const struct net_link *link, const struct choice *c)
{
	switch (c->by) {
	case BY_NAME:
		return named(links, link, c);
	case BY_DEFAULT_ROUTE:
		return net_behind_may_be_lan(link) && link->default_routes & c->families;
	case BY_FORMER_ROUTE:
		return net_behind_may_be_lan(link) && net_homes_routed(c->homes, link->ifindex);
	case BY_OTHER_TABLE:
		return net_behind_may_be_lan(link) && link->other_defaults & c->families;
	case BY_RANK:
	default:
		return is_ethernet(link) && rank_of(link, c->homes) == c->rank &&
			(!c->routable || link->routable & c->families || was_routable(link, c));
	}
}

/* A link that had the default route is waited for, even while it is down. */
static bool any_satisfies(const struct net_links *links, const struct choice *c)
{
	for (unsigned i = 0; i < links->count; i++) {
		const struct net_link *link = &links->items[i];

		if ((link->flags & IFF_UP || c->by == BY_FORMER_ROUTE) && satisfies(links, link, c))
			return true;
	}
	return false;
}

/*
 * The highest rank, including links that cannot be used now. An Ethernet card that waits for its
 * address prevents docker0 from being taken for the LAN. So does a card that was used and is now
 * unplugged or down: a host that used docker0 instead would lead alone, with a carrier.
 */
static enum net_behind highest_rank(const struct net_links *links, const struct net_homes *homes)
{
	enum net_behind highest = net_homes_rank(homes);

	for (unsigned i = 0; i < links->count; i++) {
		const struct net_link *link = &links->items[i];

		if (link->flags & IFF_UP && is_ethernet(link) && rank_of(link, homes) > highest)
			highest = rank_of(link, homes);
	}
	return highest;
}

static void find_rule(const struct net_links *links, struct choice *c)
{
	c->by = c->patterns_count ? BY_NAME : BY_DEFAULT_ROUTE;
	while (c->by != BY_NAME && c->by != BY_RANK && !any_satisfies(links, c))
		c->by++;
	if (c->by != BY_RANK)
		return;
	c->rank = highest_rank(links, c->homes);
	c->routable = true;
	c->routable = any_satisfies(links, c);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const struct net_address *duplicate_of(
	const struct net_address *all, unsigned count, uint8_t family)
{
	for (unsigned i = 0; i < count; i++)
		if (all[i].address.family == family && all[i].duplicate)
			return &all[i];
	return NULL;
}

/* The loopback does not deliver IPv6 multicast. The LAN is the bridge, not one of its ports. */
static bool speaks_ipv6(const struct net_link *link)
{
	return !(link->flags & IFF_LOOPBACK || !strcmp(link->master_kind, "bridge"));
}

/*
 * True if a bridge that had a cable has only guests now: its carrier is theirs and no longer shows
 * the LAN. The carrier is back when the cable is back or the bridge is made again. Guests and
 * containers come and go, so the loss of one changes nothing.
 */
static bool lost_port(const struct net_link *link, const struct net_homes *homes)
{
	return link->best != NET_BEHIND_CABLE &&
		net_homes_port(homes, link->ifindex) == NET_BEHIND_CABLE;
}

static bool carrier_of(const struct net_link *link, const struct net_homes *homes)
{
	return link->carrier && !lost_port(link, homes);
}

static void say_dark(const struct net_links *links, const struct net_homes *homes,
	const struct net_link *link, struct net_path *path)
{
	const struct net_link *at;

	if (carrier_of(link, homes))
		return;
	if (lost_port(link, homes)) {
		path->dark = NET_DARK_LOST;
		return;
	}
	at = net_behind_dark(links, link, &path->dark);
	if (at != link)
		memcpy(path->dark_at, at->name, sizeof(path->dark_at));
}

/* Makes the path of a link and family. False: it has no usable address. */
static bool path_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const struct net_link *link, uint8_t family, struct net_path *ret_path)
{
	bool carrier = carrier_of(link, homes);
	const struct net_where where = { link->ifindex, family, carrier,
		link->default_routes & net_family(family) };
	const struct net_address *all = links->addresses + link->addresses_first;
	unsigned count = link->addresses_count;
	const struct net_address *address = net_homes_choose(homes, now_us, &where, all, count);

	if (!address)
		address = duplicate_of(all, count, family);
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
	if (link->frames_at)
		ret_path->frames_at = links->items[link->frames_at - 1].ifindex;
	memcpy(ret_path->name, link->name, sizeof(ret_path->name));
	say_dark(links, homes, link, ret_path);
	if (family == 6)
		address = net_homes_wide(homes, now_us, link->ifindex, all, count);
	if (family == 6 && address)
		ret_path->wide = address->address;
	return true;
}

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

/* ---- limit of NET_INTERFACES_MAX ------------------------------------------------------------- */

static unsigned families_of(const struct net_link *link, unsigned families)
{
	return link->addressed & families & (speaks_ipv6(link) ? NET_BOTH : NET_IPV4);
}

/* The order in which links get a place if there are too many. */
enum turn { TURN_IN_USE, TURN_WITH_CARRIER, TURN_OTHERS, TURNS };

static enum turn turn_of(const struct net_link *link, const struct net_homes *homes)
{
	if (net_homes_known(homes, link->ifindex))
		return TURN_IN_USE;
	return link->carrier ? TURN_WITH_CARRIER : TURN_OTHERS;
}

/* Limits the chosen links to NET_INTERFACES_MAX. A link without an address needs no place. */
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

static void mark(struct net_links *links, const struct choice *c)
{
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];

		link->chosen = link->flags & IFF_UP && satisfies(links, link, c);
	}
	leave_out(links, c->homes, c->families);
	for (unsigned i = 0; i < links->count; i++)
		links->items[i].matters = links->items[i].chosen;
	net_behind_spread(links);
}

unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX])
{
	struct choice choice = {
		.homes = homes,
		.families = families,
		.patterns = patterns,
		.patterns_count = patterns_count,
	};
	unsigned count = 0, more;

	find_rule(links, &choice);
	links->homes = homes;
	links->any_may_be_used = choice.by == BY_RANK;
	net_homes_look(homes, now_us, links->addresses, links->addresses_count);
	mark(links, &choice);
	for (unsigned i = 0; i < links->count; i++) {
		const struct net_link *link = &links->items[i];

		/* A link whose home has lost its address is waited for. */
		if (!link->chosen ||
			!(families_of(link, families) || net_homes_known(homes, link->ifindex)))
			continue;
		more = paths_of(links, homes, now_us, families, link, &ret_paths[count]);
		count += more;
		if (more && choice.by != BY_NAME)
			net_homes_set_rank(homes, (uint8_t)rank_of(link, homes));
		net_homes_set_port(homes, link->ifindex, (uint8_t)link->best);
		if (choice.by == BY_DEFAULT_ROUTE)
			net_homes_set_routed(homes, link->ifindex);
	}
	return count;
}

static bool any_carrier(const struct net_path *paths, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (paths[i].carrier)
			return true;
	return false;
}

bool net_links_wait(const struct net_links *links, uint64_t now_us, const struct net_path *before,
	unsigned before_count, const struct net_path *paths, unsigned count)
{
	if (any_carrier(paths, count))
		return false;
	for (unsigned i = 0; i < before_count; i++) {
		const struct net_link *link = net_links_find(links, before[i].ifindex);

		if (before[i].carrier && link && link->chosen && carrier_of(link, links->homes) &&
			net_homes_expects(
				links->homes, now_us, link->ifindex, before[i].address.family))
			return true;
	}
	return false;
}
