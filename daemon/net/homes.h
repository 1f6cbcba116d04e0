/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: at which of a link's addresses this host is at home.
 *
 * Hooks add floating addresses, and network managers take a link's own one away while its cable is
 * pulled. A host that took a floating one for its own would share it with the next leader, and the
 * kernel of each drops what comes from its own address: a split that lasts. So the choice is made
 * when a link comes into use, and kept. Values only, no clock and no socket; a struct net_homes may
 * be kept over a restart as it stands in memory.
 */
#ifndef ELECTD_NET_HOMES_H
#define ELECTD_NET_HOMES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	NET_HOMES_MAX = 32,	     /* links; one whose address is gone longest makes room */
	NET_HOMES_WAIT_US = 2000000, /* from the loss of an address to another one */
};

/* An address as the kernel has it. */
struct net_address {
	unsigned ifindex;
	struct in_addr address;
	uint8_t prefix; /* bits of its subnet */
	bool secondary;
	uint32_t created; /* since boot, in 1/100 s, and wraps */
};

struct net_home {
	uint32_t ifindex; /* 0: free */
	struct in_addr address;
	uint64_t
		gone_us; /* since when it is not there, and the link could have another; 0: it is */
	bool dark, was_dark; /* no carrier or no address, at this look and at the one before */
	bool routed;	     /* was chosen for its default route */
	bool guest;	     /* of a leader without any address, until it knows better */
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
 * appears until two seconds later is not used, unless this host has no address at all.
 */
void net_homes_lead(struct net_homes *h, bool leads, uint64_t demoted_us);

/* What there is now: before the links of one look are asked for. */
void net_homes_look(
	struct net_homes *h, uint64_t now_us, const struct net_address *all, unsigned count);

/* The address to use on a link, one of `all`; NULL: none. */
const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us, unsigned ifindex,
	bool carrier, const struct net_address *all, unsigned count);

/* When to look again though nothing changes; UINT64_MAX: never. */
uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us);

/* Chosen for its default route, now or earlier. */
bool net_homes_routed(const struct net_homes *h, unsigned ifindex);
void net_homes_set_routed(struct net_homes *h, unsigned ifindex);

#endif
