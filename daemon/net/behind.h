/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind: what is behind a link, and whether that has a carrier. doc/links.md has the table.
 *
 * The rank of a link depends on how links are stacked, never on the present carrier: a pulled cable
 * must not make a bridge of containers the better LAN. The carrier of a bridge, a bond or a VLAN is
 * that of the links below it, because a virtual machine on a bridge keeps the bridge running while
 * its cable is pulled. For the same reason the frames that a bridge receives prove nothing about
 * its cable, but those of the card below it do.
 */
#ifndef ELECTD_NET_BEHIND_H
#define ELECTD_NET_BEHIND_H

#include <stdbool.h>

struct net_link;
struct net_links;

enum {
	NET_DEPTH_MAX = 8, /* stacked links; the kernel has the same limit (MAX_NEST_DEV) */
};

/* Ranks of links by what is behind them; the higher rank is more likely the LAN. */
enum net_behind {
	NET_BEHIND_NOTHING,   /* no other host: dummy, a bridge without ports */
	NET_BEHIND_GUEST,     /* virtual machines and containers of this host */
	NET_BEHIND_NAMESPACE, /* a veth to another network namespace: the LAN of a container */
	NET_BEHIND_CABLE,     /* hardware, or an unknown kind of link */
};

/* Classes of links, by the source of their rank and carrier. */
enum net_class {
	NET_CLASS_CABLE, /* the first three depend on the kind of the link only */
	NET_CLASS_GUEST,
	NET_CLASS_NOTHING,
	NET_CLASS_VETH,	  /* depends on where its peer is */
	NET_CLASS_BRIDGE, /* depends on its ports of the highest rank */
	NET_CLASS_BOND,	  /* depends on its slaves */
	NET_CLASS_UPPER,  /* a VLAN and the like: depends on its parent */
	NET_CLASS_TUNNEL, /* its carrier does not show a LAN, so it is used by name only */
};

/* Why a link has no carrier. */
enum net_dark {
	NET_DARK_NOT,	  /* it has a carrier */
	NET_DARK_CARRIER, /* the lower link has none */
	NET_DARK_BLOCKED, /* the lower link, a port of a bridge, does not forward */
	NET_DARK_LOST,	  /* the bridge has lost the port that led to the LAN */
};

/* Computes class, rank, carrier and `frames_at` of each link. A part of net_links_sort(). */
void net_behind(struct net_links *links);

/* False for a tunnel, the loopback, and a port of a bridge, bond or team (not of a VRF). */
bool net_behind_may_be_lan(const struct net_link *link);

/* The lowest link that leaves `link`, which has no carrier, without one; it may be `link`. */
const struct net_link *net_behind_dark(
	const struct net_links *links, const struct net_link *link, enum net_dark *ret_why);

/* Marks the links below links that matter, if the carrier depends on them. */
void net_behind_spread(struct net_links *links);

/* True if a notification about `link` may change the carrier of a link that matters. */
bool net_behind_matters(const struct net_links *links, const struct net_link *link);

#endif
