/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: the address of a link, in each family, that this host uses as its own (its home).
 *
 * Hooks add floating addresses, and network managers remove the address of a link while its cable
 * is pulled. If a host used a floating address as its own, it would share the address with the next
 * leader, and the kernel of each drops datagrams that come from its own address: a split that
 * lasts. So a home is chosen when a link comes into use, and kept as long as the address exists.
 * There are two exceptions. If DHCP has leased an address or the kernel has made it, a change of
 * that address is followed at once, because hooks add no address with a lifetime; electd-address
 * does, so the caller leaves its addresses out. And a home in
 * 169.254.0.0/16, which a host assigns itself when no DHCP server answers, is replaced by an
 * address that is valid beyond the link.
 *
 * This module keeps values only: it reads no clock and opens no socket. A struct net_homes may be
 * kept over a restart as it is in memory; a change of its members needs another FORM in memory.c.
 * Moments are microseconds of the boot clock, stamps of addresses 1/100 s.
 */
#ifndef ELECTD_NET_HOMES_H
#define ELECTD_NET_HOMES_H

#include "core/elect_msg.h"

enum {
	NET_HOMES_MAX = 64,	     /* by link and family; the longest gone is replaced */
	NET_HOMES_WAIT_US = 2000000, /* from the loss of an address until another one is chosen */
	/*
	 * A network manager that configures an interface anew removes its addresses, and adds them
	 * again 14 to 27 ms later (NetworkManager 1.42). Until then a host that has no other path
	 * keeps the path. This is about four times as long, and less than silence_ms and dead_after
	 * of the default timings, so that no other host misses the leader before.
	 */
	NET_HOMES_EXPECT_US = 100000,
	/*
	 * A stamp up to this far ahead of the clock is treated as ahead, not as 497 days old. The
	 * kernel counts stamps in ticks; ticks that are 100 ppm too fast gain 72 minutes in 497
	 * days.
	 */
	NET_STAMPS_AHEAD_CS = 2 * 3600 * 100,
};

/* An address as the kernel has it. */
struct net_address {
	unsigned ifindex;
	struct elect_address address; /* without a port */
	uint8_t prefix;		      /* bits of the subnet */
	bool secondary;
	bool leased;	  /* it has a lifetime and ends unless it is renewed */
	bool tentative;	  /* the kernel is still checking whether another host has it */
	bool duplicate;	  /* another host has it */
	bool temporary;	  /* a privacy address, which changes every day: never used */
	bool of_leader;	  /* electd-address added it (net/mark.h): never used */
	uint32_t created; /* stamp: 1/100 s since boot, without suspended time; wraps */
};

/* True for fe80::/10 and 169.254.0.0/16: the address is valid only on its link. */
bool net_address_link_local(const struct elect_address *a);

struct net_home {
	uint32_t ifindex; /* 0: free */
	struct elect_address address;
	uint64_t gone_us;    /* since when the address is gone with the link up; 0: it exists */
	bool dark, was_dark; /* no carrier or no address, at this look and at the previous one */
	bool routed;	     /* was chosen for its default route */
	uint8_t port;	     /* enum net_behind: highest rank of its bridge's ports so far */
	bool guest;	     /* chosen by a leader without an address: may be a hook's */
	struct elect_address former; /* last IPv4 home that was not link-local; family 0: none */
	bool always_routed; /* the default route is older than any wider address, see trust_in() */
};

struct net_homes {
	struct net_home items[NET_HOMES_MAX];
	uint8_t rank;		   /* enum net_behind: net_homes_rank() */
	bool leads;		   /* this host leads */
	bool seen;		   /* `newest` is set */
	uint64_t clock_cs;	   /* net_homes_set_clock() */
	uint64_t newest;	   /* when the newest address before its leadership was made */
	uint64_t suspect_until_us; /* addresses that appear until then may be those of hooks */
};

/* An interface and family that need an address. */
struct net_where {
	unsigned ifindex;
	uint8_t family;
	bool carrier;
	bool routed; /* the interface has a default route of that family */
};

/*
 * Sets the clock of stamps, in 1/100 s, not wrapped. Call it after the addresses were read and
 * before net_homes_look(). Stamps wrap after 2^32 / 100 s (497 days), and a stamp does not tell how
 * often it has wrapped. So no address counts as older than 497 days: an older one looks younger
 * than it is and is more likely to be taken for a hook's. Without this call the age of addresses is
 * unknown, and every address that exists while this host leads may be a hook's.
 */
void net_homes_set_clock(struct net_homes *h, uint64_t now_cs);

/*
 * This host leads from now on, or no longer leads and its demotion ends by `demoted_us`. Addresses
 * that appear until two seconds after that are not used, unless this host has no other address of
 * the family or the address is link-local IPv6.
 */
void net_homes_lead(struct net_homes *h, bool leads, uint64_t demoted_us);

/* Reports the present addresses. Call it once per look, before net_homes_choose(). */
void net_homes_look(
	struct net_homes *h, uint64_t now_us, const struct net_address *all, unsigned count);

/*
 * The address to use, one of `all`; NULL: none. The link-local address of IPv6 is preferred,
 * because the kernel makes it and keeps it as long as the link exists. The result may be tentative;
 * then the caller must wait.
 */
const struct net_address *net_homes_choose(struct net_homes *h, uint64_t now_us,
	const struct net_where *where, const struct net_address *all, unsigned count);

/* An IPv6 address of the link that is valid beyond it and that hooks have not added; NULL: none. */
const struct net_address *net_homes_wide(const struct net_homes *h, uint64_t now_us,
	unsigned ifindex, const struct net_address *all, unsigned count);

/* True if the address of that home is gone so briefly that it is expected back. */
bool net_homes_expects(
	const struct net_homes *h, uint64_t now_us, unsigned ifindex, uint8_t family);

/* When to look again although nothing changes; UINT64_MAX: never. */
uint64_t net_homes_again(const struct net_homes *h, uint64_t now_us);

/* True if this host has a home on the link, even if its address is gone for now. */
bool net_homes_known(const struct net_homes *h, unsigned ifindex);

/* True if the home of that family is valid beyond the link. */
bool net_homes_wide_one(const struct net_homes *h, unsigned ifindex, uint8_t family);

/* True if the link was ever chosen for its default route. */
bool net_homes_routed(const struct net_homes *h, unsigned ifindex);
void net_homes_set_routed(struct net_homes *h, unsigned ifindex);

/* The highest rank (enum net_behind) of a port while the bridge was used; 0: none. */
uint8_t net_homes_port(const struct net_homes *h, unsigned ifindex);
void net_homes_set_port(struct net_homes *h, unsigned ifindex, uint8_t rank);

/* The highest rank (enum net_behind) of a link that was chosen without a name; 0: none. */
uint8_t net_homes_rank(const struct net_homes *h);
void net_homes_set_rank(struct net_homes *h, uint8_t rank);

#endif
