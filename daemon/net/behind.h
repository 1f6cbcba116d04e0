/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind: what is behind a link, and whether that has a carrier. doc/links.md has the table.
 *
 * The rank of a link follows from how links lie upon each other, never from the present carrier: a
 * pulled cable must not make a bridge of containers the better LAN. The carrier of a bridge, a bond
 * or a VLAN is that of the links below it: a virtual machine on a bridge keeps the bridge running
 * while its cable is pulled.
 */
#ifndef ELECTD_NET_BEHIND_H
#define ELECTD_NET_BEHIND_H

#include <stdbool.h>

struct net_link;
struct net_links;

enum {
	NET_DEPTH_MAX = 8, /* links upon each other; the kernel allows as many (MAX_NEST_DEV) */
};

/* Ranks of links by the thing behind them; the greater one is the likelier LAN. */
enum net_behind {
	NET_BEHIND_NOTHING,   /* no other host: dummy, a bridge without ports */
	NET_BEHIND_GUEST,     /* virtual machines and containers of this host */
	NET_BEHIND_NAMESPACE, /* a veth to another network namespace: the LAN of a container */
	NET_BEHIND_CABLE,     /* hardware, or a kind of link that is not known here */
};

/* Classes of links by the source of their rank and carrier. */
enum net_class {
	NET_CLASS_CABLE, /* these three: on its kind alone */
	NET_CLASS_GUEST,
	NET_CLASS_NOTHING,
	NET_CLASS_VETH,	  /* on where its peer is */
	NET_CLASS_BRIDGE, /* on its ports of the highest rank */
	NET_CLASS_BOND,	  /* on its slaves */
	NET_CLASS_UPPER,  /* on its parent: VLAN */
	NET_CLASS_TUNNEL, /* its own carrier says nothing of a LAN: it is used by name only */
};

/* Why a link has no carrier. */
enum net_dark {
	NET_DARK_NOT,	  /* it has one */
	NET_DARK_CARRIER, /* the lower link has none */
	NET_DARK_BLOCKED, /* the lower link, a port of a bridge, does not forward */
	NET_DARK_LOST,	  /* its bridge has lost the port that led to the LAN */
};

/* Works out the class, the rank and the carrier of each link: part of net_links_sort(). */
void net_behind(struct net_links *links);

/* Never a tunnel, the loopback, or a port of a bridge, bond or team; a member of a VRF may be. */
bool net_behind_may_be_lan(const struct net_link *link);

/*
 * The lowest link that leaves `link` without a carrier, which may be `link` itself. Not for one
 * that has a carrier.
 */
const struct net_link *net_behind_dark(
	const struct net_links *links, const struct net_link *link, enum net_dark *ret_why);

/* Marks what lies below links that matter, if their carrier depends on it. */
void net_behind_spread(struct net_links *links);

/* A notification about `link` may change the carrier of a link that matters. */
bool net_behind_matters(const struct net_links *links, const struct net_link *link);

#endif
