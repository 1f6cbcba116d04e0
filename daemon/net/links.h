/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the network interfaces of this machine, with their addresses and default routes, as
 * rtnetlink dumps them; and which of them an election may use.
 *
 * dump.c reads, links.c holds what was read, choose.c chooses, monitor.c hears what changes. They
 * open no UDP socket and log nothing. Memory grows with the machine, up to the limits below; what
 * does not fit is counted in `cut`, never dropped silently.
 */
#ifndef ELECTD_NET_LINKS_H
#define ELECTD_NET_LINKS_H

#include "behind.h"
#include "homes.h"

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nlmsghdr;

enum {
	NET_INTERFACES_MAX = 16, /* used; the kernel joins at most 20 groups of IPv4 a socket */
	NET_PATHS_MAX = 2 * NET_INTERFACES_MAX,
	/*
	 * Limits of memory, for a machine far beyond those known: a concentrator of broadband
	 * lines has 65000 links, which take 8 MiB. The addresses take 9 MiB at most.
	 */
	NET_LINKS_MAX = 65536,
	NET_ADDRESSES_MAX = 262144,
	NET_LINK_ADDRESSES_MAX = 65536,	 /* of a link and family: others have room too */
	NET_LOOPBACK_ADDRESSES_MAX = 64, /* its own one is the first; load balancers add more */
	NET_DEFAULTS_MAX = 4096,	 /* hops of default routes, in all tables, no two equal */
	NET_ALTNAMES_SIZE_MAX = 1024 * 1024, /* bytes of all other names */
};

/* Internet protocols, one or both. */
enum { NET_IPV4 = 1, NET_IPV6 = 2, NET_BOTH = NET_IPV4 | NET_IPV6 };

static inline unsigned net_family(uint8_t family)
{
	return family == 6 ? NET_IPV6 : NET_IPV4;
}

/* What a path is known by, as long as its interface is there. */
static inline uint32_t net_link_number(unsigned ifindex, uint8_t family)
{
	return 2 * ifindex + (family == 6);
}

/* An interface that is used, by one family: how to reach a LAN, and as whom. */
struct net_path {
	uint32_t link; /* the number of its link, in a struct elect_way: no other path has it */
	unsigned ifindex;
	char name[IF_NAMESIZE];
	struct elect_address address; /* without a port */
	struct elect_address wide;    /* of IPv6: one that is of use beyond the link; or none */
	uint8_t prefix;		      /* bits of its subnet */
	uint32_t created;   /* the address: an interface made again may have its number again */
	bool carrier;	    /* also below it, see net/behind.h; never of a duplicate */
	enum net_dark dark; /* why it has no carrier */
	char dark_at[IF_NAMESIZE]; /* the link below it that has none; "": that is itself */
	bool deaf;		   /* the group cannot be joined there */
	bool duplicate;		   /* another host has its address: it is not used */
};

struct net_link {
	unsigned ifindex;
	unsigned flags;	      /* IFF_ */
	unsigned type;	      /* ARPHRD_ */
	unsigned master;      /* IFLA_MASTER: the bridge, bond, team or VRF that has it; 0: none */
	unsigned lower;	      /* IFLA_LINK: the parent of a VLAN, the peer of a veth; 0: none */
	bool lower_elsewhere; /* ... which is in another network namespace */
	bool blocked;	      /* a port of a bridge that does not forward (spanning tree) */
	bool guest; /* IFLA_PARENT_DEV_BUS_NAME "xen-backend": this host's end of a guest's card */
	unsigned altnames; /* where its other names begin in net_links.altnames; 0: it has none */
	char name[IF_NAMESIZE];
	char kind[IF_NAMESIZE];	       /* IFLA_INFO_KIND: "bridge", "veth"; "": a device */
	char master_kind[IF_NAMESIZE]; /* IFLA_INFO_SLAVE_KIND: "bridge", "vrf" */

	/* By net_links_sort(). */
	enum net_class class;
	enum net_behind behind;
	enum net_behind best; /* the highest rank of a port of the bridge, also of one below it */
	bool has_lower;	      /* its carrier depends on other links of this namespace */
	bool carrier;	      /* its own and, if it has_lower, that of a lower link */
	unsigned master_at, lower_at, dark_at; /* indexes, each plus 1; 0: none */

	/* By net_links_complete(). */
	unsigned default_routes; /* the families of its default routes in the main table */
	unsigned other_defaults; /* ... in other tables */
	unsigned addressed;	 /* the families of its addresses */
	unsigned routable;	 /* ... of those that are more than link-local */
	unsigned addresses_first, addresses_count; /* its part of net_links.addresses */

	/* By net_links_choose(). */
	bool chosen;  /* it is one of those used, as soon as it has an address */
	bool matters; /* it is chosen, or the carrier of one that is depends on it */
};

/* A default route, by one of its hops. */
struct net_default {
	unsigned ifindex; /* 0: it names a nexthop object alone */
	uint32_t nexthop; /* that object's id; 0: none */
	unsigned family;  /* NET_IPV4 or NET_IPV6 */
	bool main;	  /* of the main table */
};

/* All zero: nothing was read yet. */
struct net_links {
	unsigned count, room;
	struct net_link *items; /* by rising ifindex, after net_links_sort() */
	bool unsorted;		/* a link was added since net_links_sort() */
	unsigned addresses_count, addresses_room;
	struct net_address *addresses;	 /* link by link, after net_links_complete() */
	unsigned row_ifindex, row_count; /* the link of the address added last, how many in a row */
	uint8_t row_family;
	unsigned defaults_count, defaults_room;
	struct net_default *defaults;
	unsigned altnames_size, altnames_room;
	char *altnames;	  /* each ends with a NUL, those of one link with another one */
	unsigned cut;	  /* links, addresses, default routes and names that did not fit */
	int error;	  /* -ENOMEM while it was filled; or 0 */
	uint32_t cost_us; /* the processor time of the last net_links_read() */

	const struct net_homes *homes; /* of the last net_links_choose(); NULL: there was none */
	bool any_may_be_used; /* no name and no default route chooses, or the last read failed */
	unsigned left_out;    /* interfaces with an address, beyond NET_INTERFACES_MAX */
	char left_out_name[IF_NAMESIZE]; /* ... the first of them */
};

/* ---- what was read (links.c) ----------------------------------------------------------------- */

/* Forgets all and frees it. */
void net_links_clear(struct net_links *links);
/* Forgets all and keeps the memory for the next read. */
void net_links_empty(struct net_links *links);
/* Functions that add make a copy. False: there is no room for it, and that is counted. */
bool net_links_add(struct net_links *links, const struct net_link *link);
/* True also for one that can never be used by what is known of its link: it is not kept. */
bool net_links_add_address(struct net_links *links, const struct net_address *address);
/* True also for one that is there already. */
bool net_links_add_default(struct net_links *links, const struct net_default *route);
/* Another name of the link that is added next. ret_first: as net_link.altnames; 0 before the first.
 */
bool net_links_add_altname(struct net_links *links, const char *name, unsigned *ret_first);
/*
 * After the last link, in any order: sorts, drops links that were added twice, and works out the
 * class, rank and carrier of each (net/behind.h).
 */
void net_links_sort(struct net_links *links);
/* After all that was added: sorts, and gives each link its addresses and default routes. */
void net_links_complete(struct net_links *links);
/* NULL: there is none. Slow while `unsorted`. */
const struct net_link *net_links_find(const struct net_links *links, unsigned ifindex);
/* One of its names matches the pattern (fnmatch); "lo" alone means the loopback. */
bool net_links_named(
	const struct net_links *links, const struct net_link *link, const char *pattern);

/* ---- reading (dump.c) ------------------------------------------------------------------------ */

/* Reads a message about a link, but for its other names. False: the message is too short. */
bool net_link_from(const struct nlmsghdr *message, struct net_link *ret_link);

/* Takes in one message of a dump. Returns MNL_CB_OK, the shape that mnl_cb_run() wants. */
int net_links_on_message(const struct nlmsghdr *message, void *links);

/*
 * What the system has now, but default routes of the families alone. 0 or -errno of the netlink
 * socket; waits for nothing but the kernel. Links that change meanwhile may be there as before or
 * as after; the monitor tells of them later.
 */
int net_links_read(struct net_links *ret_links, unsigned families);

/* ---- choosing (choose.c) --------------------------------------------------------------------- */

/*
 * Chooses interfaces by the rules of doc/links.md. With patterns (fnmatch): those that match. Else
 * by the first rule that any link satisfies: a default route of one of the families in the main
 * table; a former one, because a pulled cable takes the route away; one in another table; the
 * highest rank (net/behind.h) of Ethernet links, so that a bridge of containers does not stand in
 * for the LAN, and of these an address that is or was more than link-local. An interface must be up
 * and able to multicast; "lo" must be named.
 *
 * A path is an interface with its address of one family, which `homes` chooses among those read. A
 * tentative address is no path yet, and a port of a bridge none of IPv6. Returns how many of
 * ret_paths were filled.
 *
 * Of more than NET_INTERFACES_MAX interfaces with an address those in use stay, then those with a
 * carrier go first, then those of the least ifindex; `left_out` counts the rest.
 */
unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX]);

#endif
