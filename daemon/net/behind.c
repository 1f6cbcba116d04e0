/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind: see net/behind.h. It knows no routes, addresses or names of interfaces.
 *
 * Repeated passes over all links pass ranks and carriers on to the links above. A pass only raises
 * values, so the passes end. No pass searches the ports of a bridge, so thousands of ports cost one
 * step each.
 */
#include "behind.h"

#include "links.h"

#include <net/if_arp.h>
#include <string.h>

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Classes by IFLA_INFO_KIND; all other kinds are NET_CLASS_CABLE. */
static const struct {
	const char *kind;
	enum net_class class;
} kinds[] = {
	{ "", NET_CLASS_CABLE }, /* a device with a driver: Ethernet, Wi-Fi, virtio, InfiniBand */
	{ "veth", NET_CLASS_VETH },
	{ "dsa", NET_CLASS_CABLE },

	{ "bridge", NET_CLASS_BRIDGE },
	{ "bond", NET_CLASS_BOND },
	{ "team", NET_CLASS_BOND },
	{ "vlan", NET_CLASS_UPPER },
	{ "macvlan", NET_CLASS_UPPER },
	{ "ipvlan", NET_CLASS_UPPER },
	{ "macsec", NET_CLASS_UPPER },

	{ "tun", NET_CLASS_GUEST }, /* only a tap device: for a tun device see class_of() */
	{ "macvtap", NET_CLASS_GUEST },
	{ "ipvtap", NET_CLASS_GUEST },
	{ "netkit", NET_CLASS_GUEST },

	{ "dummy", NET_CLASS_NOTHING },
	{ "ifb", NET_CLASS_NOTHING },
	{ "nlmon", NET_CLASS_NOTHING },
	{ "vrf", NET_CLASS_NOTHING },

	{ "wireguard", NET_CLASS_TUNNEL },
	{ "gre", NET_CLASS_TUNNEL },
	{ "gretap", NET_CLASS_TUNNEL },
	{ "ip6gre", NET_CLASS_TUNNEL },
	{ "ip6gretap", NET_CLASS_TUNNEL },
	{ "erspan", NET_CLASS_TUNNEL },
	{ "ip6erspan", NET_CLASS_TUNNEL },
	{ "ipip", NET_CLASS_TUNNEL },
	{ "sit", NET_CLASS_TUNNEL },
	{ "ip6tnl", NET_CLASS_TUNNEL },
	{ "vti", NET_CLASS_TUNNEL },
	{ "vti6", NET_CLASS_TUNNEL },
	{ "xfrm", NET_CLASS_TUNNEL },
	{ "vxlan", NET_CLASS_TUNNEL },
	{ "geneve", NET_CLASS_TUNNEL },
	{ "bareudp", NET_CLASS_TUNNEL },
	{ "gtp", NET_CLASS_TUNNEL },
	{ "l2tp", NET_CLASS_TUNNEL },
	{ "ppp", NET_CLASS_TUNNEL },
	{ "ovpn", NET_CLASS_TUNNEL },
};

static enum net_class class_of_kind(const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].kind, kind))
			return kinds[i].class;
	return NET_CLASS_CABLE;
}

static enum net_class class_of(const struct net_link *link)
{
	enum net_class class = class_of_kind(link->kind);

	if (link->flags & IFF_LOOPBACK)
		return NET_CLASS_NOTHING;
	if (link->flags & IFF_POINTOPOINT || link->type == ARPHRD_NONE)
		return NET_CLASS_TUNNEL;
	if (link->guest)
		return NET_CLASS_GUEST;
	/* the parent, and with it the cable, belongs to the host of this container */
	return class == NET_CLASS_UPPER && link->lower_elsewhere ? NET_CLASS_CABLE : class;
}

/*
 * The rank without the links below. A tunnel's rank is used only if the tunnel is a bridge port: it
 * then leads to other hosts by another LAN.
 */
static enum net_behind rank_alone(const struct net_link *link, enum net_class class)
{
	switch (class) {
	case NET_CLASS_CABLE:
		return NET_BEHIND_CABLE;
	case NET_CLASS_VETH:
		return link->lower_elsewhere ? NET_BEHIND_NAMESPACE : NET_BEHIND_NOTHING;
	case NET_CLASS_TUNNEL:
		return NET_BEHIND_NAMESPACE;
	case NET_CLASS_GUEST:
		return NET_BEHIND_GUEST;
	case NET_CLASS_NOTHING:
	case NET_CLASS_BRIDGE:
	case NET_CLASS_BOND:
	case NET_CLASS_UPPER:
	default:
		return NET_BEHIND_NOTHING;
	}
}

bool net_behind_may_be_lan(const struct net_link *link)
{
	return link->flags & IFF_MULTICAST && !(link->flags & IFF_LOOPBACK) &&
		link->class != NET_CLASS_TUNNEL &&
		(!link->master || !strcmp(link->master_kind, "vrf"));
}

/* ---- stacked links --------------------------------------------------------------------------- */

static unsigned place_of(const struct net_links *links, unsigned ifindex)
{
	const struct net_link *link = ifindex ? net_links_find(links, ifindex) : NULL;

	return link ? (unsigned)(link - links->items) + 1 : 0;
}

/* NULL: the link has no parent that its class depends on, or the parent was not read. */
static struct net_link *parent_of(const struct net_links *links, const struct net_link *link)
{
	return link->lower_at ? &links->items[link->lower_at - 1] : NULL;
}

/* The bridge, bond or team whose rank and carrier depend on the link; NULL: none. */
static struct net_link *master_of(const struct net_links *links, const struct net_link *link)
{
	return link->master_at ? &links->items[link->master_at - 1] : NULL;
}

static bool has_ports(const struct net_link *link)
{
	return link->class == NET_CLASS_BRIDGE || link->class == NET_CLASS_BOND;
}

/*
 * Can a frame that the link receives come from this machine? A kind that is not known may be a
 * switch, as Open vSwitch is, and a macvlan receives what the others on its parent send.
 */
static bool mixes(const struct net_link *link)
{
	static const char *const pure[] = { "", "dsa", "bond", "team", "vlan", "macsec" };

	if (link->class == NET_CLASS_CABLE || link->class == NET_CLASS_BOND || link->lower_at)
		for (size_t i = 0; i < sizeof(pure) / sizeof(pure[0]); i++)
			if (!strcmp(link->kind, pure[i]))
				return link->lower_elsewhere;
	return true;
}

static void begin(const struct net_links *links, struct net_link *link)
{
	link->class = class_of(link);
	link->behind = rank_alone(link, link->class);
	link->best = NET_BEHIND_NOTHING;
	link->carrier = false;
	link->dark_at = link->master_at = 0;
	link->lower_at = link->class == NET_CLASS_UPPER ? place_of(links, link->lower) : 0;
	link->has_lower = link->lower_at != 0;
	link->mixed = mixes(link);
}

/* Call it after begin() of all links, because it needs the class of the master. */
static void find_master(const struct net_links *links, struct net_link *link)
{
	unsigned place = place_of(links, link->master);

	if (!place || !has_ports(&links->items[place - 1]))
		return;
	link->master_at = place;
	links->items[place - 1].has_lower = true;
}

/*
 * Repeats passes over all links until nothing changes. A step updates a link from its parent, and
 * its master from the link; it returns true if either has changed.
 */
static void spread(
	struct net_links *links, bool (*step)(struct net_links *links, struct net_link *link))
{
	bool changed = true;

	for (unsigned depth = 0; depth <= NET_DEPTH_MAX && changed; depth++) {
		changed = false;
		for (unsigned i = 0; i < links->count; i++)
			changed = step(links, &links->items[i]) || changed;
	}
}

/* ---- rank ------------------------------------------------------------------------------------ */

static bool raise_rank(enum net_behind *rank, enum net_behind to)
{
	bool rises = *rank < to;

	*rank = rises ? to : *rank;
	return rises;
}

static enum net_behind rank_of_bridge(const struct net_link *bridge)
{
	return bridge->best == NET_BEHIND_CABLE ? NET_BEHIND_CABLE : NET_BEHIND_GUEST;
}

static bool spread_rank(struct net_links *links, struct net_link *link)
{
	const struct net_link *parent = parent_of(links, link);
	struct net_link *master = master_of(links, link);
	bool changed = false;

	if (parent)
		changed = raise_rank(&link->behind, parent->behind) |
			raise_rank(&link->best, parent->best);
	if (!master)
		return changed;
	changed |= raise_rank(&master->best, link->behind);
	return raise_rank(&master->behind,
		       master->class == NET_CLASS_BRIDGE ? rank_of_bridge(master) : master->best) ||
		changed;
}

/* ---- carrier --------------------------------------------------------------------------------- */

/* A running guest does not show that the cable is in. A bond needs any one slave. */
static bool counts(const struct net_link *master, const struct net_link *port)
{
	return master->class == NET_CLASS_BOND || port->behind >= master->best;
}

static bool light(struct net_link *link)
{
	bool lights = !link->carrier && link->flags & IFF_RUNNING;

	link->carrier = link->carrier || lights;
	return lights;
}

static bool spread_carrier(struct net_links *links, struct net_link *link)
{
	const struct net_link *parent = parent_of(links, link);
	struct net_link *master = master_of(links, link);
	bool changed = false;

	if (!link->has_lower || (parent && parent->carrier))
		changed = light(link);
	if (master && link->carrier && !link->blocked && counts(master, link))
		changed = light(master) || changed;
	return changed;
}

/* Finds the first lower link that leaves the link without a carrier. */
static void blame(const struct net_links *links, struct net_link *link)
{
	const struct net_link *parent = parent_of(links, link);
	struct net_link *master = master_of(links, link);

	if (parent && !parent->carrier)
		link->dark_at = link->lower_at;
	if (master && !master->carrier && !master->dark_at && counts(master, link) &&
		(!link->carrier || link->blocked))
		master->dark_at = (unsigned)(link - links->items) + 1;
}

const struct net_link *net_behind_dark(
	const struct net_links *links, const struct net_link *link, enum net_dark *ret_why)
{
	for (unsigned depth = 0; depth < NET_DEPTH_MAX && link->dark_at; depth++)
		link = &links->items[link->dark_at - 1];
	*ret_why = link->carrier ? NET_DARK_BLOCKED : NET_DARK_CARRIER;
	return link;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool mix(struct net_link *link, bool mixed)
{
	bool changes = mixed && !link->mixed;

	link->mixed = link->mixed || mixed;
	return changes;
}

static bool spread_mixed(struct net_links *links, struct net_link *link)
{
	const struct net_link *parent = parent_of(links, link);
	struct net_link *master = master_of(links, link);
	bool changed = parent && mix(link, parent->mixed);

	return (master && mix(master, link->mixed)) || changed;
}

static bool set_frames(struct net_link *link, unsigned at)
{
	bool sets = !link->frames_at && at;

	link->frames_at = sets ? at : link->frames_at;
	return sets;
}

/* A bridge has those of the first card that it forwards from. */
static bool spread_frames(struct net_links *links, struct net_link *link)
{
	const struct net_link *parent = parent_of(links, link);
	struct net_link *master = master_of(links, link);
	bool changed = parent && set_frames(link, parent->frames_at);

	if (master && link->carrier && !link->blocked)
		changed = set_frames(master, link->frames_at) || changed;
	return changed;
}

static void find_frames(struct net_links *links)
{
	spread(links, spread_mixed);
	for (unsigned i = 0; i < links->count; i++)
		links->items[i].frames_at = links->items[i].mixed ? 0 : i + 1;
	spread(links, spread_frames);
}

void net_behind(struct net_links *links)
{
	for (unsigned i = 0; i < links->count; i++)
		begin(links, &links->items[i]);
	for (unsigned i = 0; i < links->count; i++)
		find_master(links, &links->items[i]);
	spread(links, spread_rank);
	spread(links, spread_carrier);
	find_frames(links);
	for (unsigned i = 0; i < links->count; i++)
		blame(links, &links->items[i]);
}

/* ---- links that matter ----------------------------------------------------------------------- */

static bool mark(struct net_link *link)
{
	bool marks = !link->matters;

	link->matters = true;
	return marks;
}

static bool spread_mark(struct net_links *links, struct net_link *link)
{
	struct net_link *parent = parent_of(links, link);
	const struct net_link *master = master_of(links, link);
	bool changed = false;

	if (master && master->matters && counts(master, link))
		changed = mark(link);
	if (parent && link->matters)
		changed = mark(parent) || changed;
	return changed;
}

void net_behind_spread(struct net_links *links)
{
	spread(links, spread_mark);
}

/* The highest rank it may have: a new bond, bridge or VLAN may have any link below it. */
static enum net_behind rank_at_most(const struct net_links *links, const struct net_link *link)
{
	const struct net_link *before = net_links_find(links, link->ifindex);
	enum net_class class = class_of(link);
	const struct net_link *parent =
		class == NET_CLASS_UPPER ? net_links_find(links, link->lower) : NULL;

	if (before)
		return before->behind;
	if (parent)
		return parent->behind;
	return class == NET_CLASS_BRIDGE || class == NET_CLASS_BOND || class == NET_CLASS_UPPER
		? NET_BEHIND_CABLE
		: rank_alone(link, class);
}

bool net_behind_matters(const struct net_links *links, const struct net_link *link)
{
	const struct net_link *before = net_links_find(links, link->ifindex);
	const struct net_link *master = link->master ? net_links_find(links, link->master) : NULL;

	if (before && before->matters)
		return true;
	return master && master->matters &&
		(master->class != NET_CLASS_BRIDGE || rank_at_most(links, link) >= master->best);
}
