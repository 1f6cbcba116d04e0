/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: at which of a link's addresses this host is at home, in each family.
 *
 * Hooks add floating addresses, and network managers take a link's own one away while its cable is
 * pulled. A host that took a floating one for its own would share it with the next leader, and the
 * kernel of each drops what comes from its own address: a split that lasts. So the choice is made
 * when a link comes into use, and kept. But what DHCP has leased, or the kernel has made, is
 * followed at once, for hooks add nothing that ends by itself. Values only, no clock and no socket;
 * a struct net_homes may be kept over a restart as it stands in memory.
 */
#ifndef ELECTD_NET_HOMES_H
#define ELECTD_NET_HOMES_H

#include "core/elect_msg.h"

enum {
	NET_HOMES_MAX = 64, /* a link and family; one whose address is gone longest makes room */
	NET_HOMES_WAIT_US = 2000000, /* from the loss of an address to another one */
};

/* An address as the kernel has it. */
struct net_address {
	unsigned ifindex;
	struct elect_address address; /* without a port */
	uint8_t prefix;		      /* bits of its subnet */
	bool secondary;
	bool leased;	  /* it ends unless it is renewed */
	bool tentative;	  /* the kernel still asks whether another host has it */
	bool duplicate;	  /* another host has it */
	bool temporary;	  /* it is another one tomorrow: never used */
	uint32_t created; /* since boot, in 1/100 s, and wraps */
};

struct net_home {
	uint32_t ifindex; /* 0: free */
	struct elect_address address;
	uint64_t
		gone_us; /* since when it is not there, and the link could have another; 0: it is */
	bool dark, was_dark; /* no carrier or no address, at this look and at the one before */
	bool routed;	     /* was chosen for its default route */
	bool guest; /* of a leader without any address of the family, until it knows better */
};

struct net_homes {
	struct net_home items[NET_HOMES_MAX];
	bool leads;		   /* this host does */
	bool seen;		   /* `newest` says something */
	uint32_t newest;	   /* the last address created before this host led */
	uint64_t suspect_until_us; /* later ones may be those of hooks until then */
};

/*
 * This host leads from now on, or does no more and its demotion has ended by `demoted_us`: what
 * appears until two seconds later is not used, unless this host has no address of its family at
 * all, or it is a link-local one of IPv6.
 */
void net_homes_lead(struct net_homes *h, bool leads, uint64_t demoted_us);

/* What there is now: before the links of one look are asked for. */
void net_homes_look(
	struct net_homes *h, uint64_t now_us, const struct net_address *all, unsigned count);

/*
 * The address of a family to use on a link, one of `all`; NULL: none. Of IPv6 the link-local one
 * goes first: it is the kernel's, and is there as long as the link is. It may be tentative; then
 * it is waited for.
 */
const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us, unsigned ifindex,
	uint8_t family, bool carrier, const struct net_address *all, unsigned count);

/* One of IPv6 there that is of use beyond the link, of those that hooks have not added; NULL: none.
 */
const struct net_address *net_homes_wide(const struct net_homes *h, uint64_t now_us,
	unsigned ifindex, const struct net_address *all, unsigned count);

/* When to look again though nothing changes; UINT64_MAX: never. */
uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us);

/* This host is at home at an address of the link, which may be gone for now. */
bool net_homes_known(const struct net_homes *h, unsigned ifindex);

/* Chosen for its default route, now or earlier. */
bool net_homes_routed(const struct net_homes *h, unsigned ifindex);
void net_homes_set_routed(struct net_homes *h, unsigned ifindex);

#endif
