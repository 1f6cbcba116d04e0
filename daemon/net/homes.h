/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: the address of a link, in each family, that this host uses as its own (its home).
 *
 * Hooks add floating addresses, and network managers remove the address of a link while its cable
 * is pulled. If a host used a floating address as its own, it would share the address with the next
 * leader, and the kernel of each drops datagrams that come from its own address: a split that
 * lasts. So a home is chosen when a link comes into use, and kept as long as the address exists.
 * There are two exceptions. An address that DHCP has leased or the kernel has made is followed at
 * once, because hooks add no address that ends by itself. And a home of 169.254.0.0/16, which a
 * host gives itself when no DHCP server answers, gives way to an address that is of use beyond the
 * link.
 *
 * This module keeps values only: it reads no clock and opens no socket. A struct net_homes may be
 * kept over a restart as it is in memory; after a change of its members memory.c needs another
 * FORM.
 */
#ifndef ELECTD_NET_HOMES_H
#define ELECTD_NET_HOMES_H

#include "core/elect_msg.h"

enum {
	NET_HOMES_MAX = 64, /* a link and family; one whose address is gone longest makes room */
	NET_HOMES_WAIT_US = 2000000, /* from the loss of an address to another one */
	/*
	 * A stamp that is at most this far ahead of the clock is of the future, not 497 days old:
	 * the kernel counts stamps in ticks, and ticks of 100 ppm too many are 72 minutes in 497
	 * days.
	 */
	NET_STAMPS_AHEAD_CS = 2 * 3600 * 100,
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
	uint32_t created; /* stamp: 1/100 s since boot, without suspended time; wraps */
};

/* True: the address is of no use beyond the link (fe80::/10 or 169.254.0.0/16). */
bool net_address_link_local(const struct elect_address *a);

struct net_home {
	uint32_t ifindex; /* 0: free */
	struct elect_address address;
	uint64_t
		gone_us; /* since when it is not there, and the link could have another; 0: it is */
	bool dark, was_dark; /* no carrier or no address, at this look and at the one before */
	bool routed;	     /* was chosen for its default route */
	uint8_t port;	     /* enum net_behind: the highest that a port of its bridge had */
	bool guest; /* of a leader without any address of the family, until it knows better */
	struct elect_address former; /* the last home of IPv4 that was not link-local, or none */
	bool always_routed; /* its default route is older than a wider address: trust_in() */
};

struct net_homes {
	struct net_home items[NET_HOMES_MAX];
	uint8_t rank;		   /* enum net_behind: net_homes_rank() */
	bool leads;		   /* this host does */
	bool seen;		   /* `newest` is set */
	uint64_t clock_cs;	   /* net_homes_set_clock() */
	uint64_t newest;	   /* when the last address before this host led was created */
	uint64_t suspect_until_us; /* later ones may be those of hooks until then */
};

/* An interface and family for which an address is wanted. */
struct net_where {
	unsigned ifindex;
	uint8_t family;
	bool carrier;
	bool routed; /* the interface has a default route of the family */
};

/*
 * The clock of stamps now, in 1/100 s, not wrapped: after the addresses were read, before they are
 * looked at. Stamps wrap after 2^32 / 100 s (497 days), and a stamp alone does not tell how often
 * it has. So an address is never older than 497 days here: an older one looks younger than it is,
 * and is the more likely taken for one of hooks. Without this call the age of addresses is not
 * known: all that are there while this host leads may be those of hooks.
 */
void net_homes_set_clock(struct net_homes *h, uint64_t now_cs);

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
 * The address to use, one of `all`; NULL: none. The link-local address of IPv6 goes first, because
 * the kernel makes it and keeps it as long as the link exists. The returned address may be
 * tentative; then the caller waits for it.
 */
const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count);

/* One of IPv6 there that is of use beyond the link, of those that hooks have not added; NULL: none.
 */
const struct net_address *net_homes_wide(const struct net_homes *h, uint64_t now_us,
	unsigned ifindex, const struct net_address *all, unsigned count);

/* When to look again though nothing changes; UINT64_MAX: never. */
uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us);

/* This host is at home at an address of the link, which may be gone for now. */
bool net_homes_known(const struct net_homes *h, unsigned ifindex);

/* ... and the address of that family is of use beyond the link. */
bool net_homes_wide_one(const struct net_homes *h, unsigned ifindex, uint8_t family);

/* Chosen for its default route, now or earlier. */
bool net_homes_routed(const struct net_homes *h, unsigned ifindex);
void net_homes_set_routed(struct net_homes *h, unsigned ifindex);

/* The highest rank of a port (enum net_behind) that the bridge had while it was used; 0: none. */
uint8_t net_homes_port(const struct net_homes *h, unsigned ifindex);
void net_homes_set_port(struct net_homes *h, unsigned ifindex, uint8_t rank);

/* The highest rank (enum net_behind) of a link that was chosen without a name; 0: none. */
uint8_t net_homes_rank(const struct net_homes *h);
void net_homes_set_rank(struct net_homes *h, uint8_t rank);

#endif
