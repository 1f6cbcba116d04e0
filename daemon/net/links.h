/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the network interfaces of this machine with their addresses and default routes, as
 * rtnetlink dumps them, and the choice of those that an election may use.
 *
 * dump.c reads, links.c stores, choose.c chooses, monitor.c receives notifications about changes.
 * These files open no UDP socket and log nothing. Memory grows with the machine up to the limits
 * below; everything beyond a limit is counted in `cut`.
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
	NET_INTERFACES_MAX = 16, /* in use; the kernel allows 20 groups of IPv4 per socket */
	NET_PATHS_MAX = 2 * NET_INTERFACES_MAX,
	/*
	 * Limits of memory, above the largest known machines: a broadband concentrator has 65000
	 * links, which take 8 MiB. The addresses take at most 9 MiB.
	 */
	NET_LINKS_MAX = 65536,
	NET_ADDRESSES_MAX = 262144,
	NET_LINK_ADDRESSES_MAX = 65536,	     /* per link and family, to leave some to others */
	NET_LOOPBACK_ADDRESSES_MAX = 64,     /* its own one is first; load balancers add more */
	NET_DEFAULTS_MAX = 4096,	     /* different hops of default routes, in all tables */
	NET_ALTNAMES_SIZE_MAX = 1024 * 1024, /* bytes of all alternative names */
};

/* Internet protocols, as bits. */
enum { NET_IPV4 = 1, NET_IPV6 = 2, NET_BOTH = NET_IPV4 | NET_IPV6 };

static inline unsigned net_family(uint8_t family)
{
	return family == 6 ? NET_IPV6 : NET_IPV4;
}

/* The number of a path's link. No other path has it while the interface exists. */
static inline uint32_t net_link_number(unsigned ifindex, uint8_t family)
{
	return 2 * ifindex + (family == 6);
}

/* An interface in use with one family: how to reach a LAN, and this host's address there. */
struct net_path {
	uint32_t link; /* net_link_number(), as in struct elect_way */
	unsigned ifindex;
	char name[IF_NAMESIZE];
	struct elect_address address; /* without a port */
	struct elect_address wide;    /* IPv6 address valid beyond the link; family 0: none */
	uint8_t prefix;		      /* bits of the subnet */
	uint32_t created;	      /* stamp of the address: a new interface may reuse a number */
	bool carrier;	    /* includes lower links, see net/behind.h; false for a duplicate */
	enum net_dark dark; /* why it has no carrier */
	char dark_at[IF_NAMESIZE]; /* the lower link without a carrier; "": the interface itself */
	bool deaf;		   /* the multicast group cannot be joined there */
	bool duplicate;		   /* another host has the same address, so the path is not used */
	unsigned frames_at;	   /* the link whose received frames come in by a cable; 0: none */
};

struct net_link {
	unsigned ifindex;
	unsigned flags;	      /* IFF_ bits */
	unsigned type;	      /* ARPHRD_ value */
	unsigned master;      /* IFLA_MASTER: its bridge, bond, team or VRF; 0: none */
	unsigned lower;	      /* IFLA_LINK: parent of a VLAN, peer of a veth; 0: none */
	bool lower_elsewhere; /* `lower` is in another network namespace */
	bool blocked;	      /* a bridge port that does not forward (spanning tree) */
	bool guest; /* IFLA_PARENT_DEV_BUS_NAME "xen-backend": this end of a guest's network card */
	unsigned altnames; /* offset of its alternative names in net_links.altnames; 0: none */
	char name[IF_NAMESIZE];
	char kind[IF_NAMESIZE];	       /* IFLA_INFO_KIND: "bridge", "veth"; "": a device */
	char master_kind[IF_NAMESIZE]; /* IFLA_INFO_SLAVE_KIND: "bridge", "vrf" */

	/* Set by net_links_sort(). */
	enum net_class class;
	enum net_behind behind;
	enum net_behind best; /* highest rank of the ports of a bridge here or below */
	bool has_lower;	      /* its carrier depends on other links of this namespace */
	bool carrier;	      /* has a carrier; if has_lower, a lower link must have one, too */
	bool mixed;	      /* its received frames may be those of guests of this machine */
	unsigned master_at, lower_at, dark_at, frames_at; /* indexes, each plus 1; 0: none */

	/* Set by net_links_complete(). */
	unsigned default_routes; /* families of its default routes in the main table */
	unsigned other_defaults; /* families of those in other tables */
	unsigned addressed;	 /* families of its addresses */
	unsigned routable;	 /* families of its addresses that are not link-local */
	unsigned addresses_first, addresses_count; /* its part of net_links.addresses */

	/* Set by net_links_choose(). */
	bool chosen;  /* in use, or will be as soon as it has an address */
	bool matters; /* chosen, or the carrier of a chosen link depends on it */
};

/* One hop of a default route. */
struct net_default {
	unsigned ifindex; /* 0: the route names only a nexthop object */
	uint32_t nexthop; /* id of the nexthop object; 0: none */
	unsigned family;  /* NET_IPV4 or NET_IPV6 */
	bool main;	  /* in the main table */
};

/* All zero: nothing read yet. */
struct net_links {
	unsigned count, room;
	struct net_link *items; /* sorted by ifindex after net_links_sort() */
	bool unsorted;		/* a link was added after net_links_sort() */
	unsigned addresses_count, addresses_room;
	struct net_address *addresses;	 /* grouped by link after net_links_complete() */
	unsigned row_ifindex, row_count; /* link of the last added address; number of addresses in a
					    row with that link and family */
	uint8_t row_family;
	unsigned defaults_count, defaults_room;
	struct net_default *defaults;
	unsigned altnames_size, altnames_room;
	char *altnames; /* each name ends with a NUL, the names of one link with another NUL */
	const struct elect_address *not_own; /* of the last net_links_leave_out() */
	unsigned not_own_count;
	unsigned cut;	  /* links, addresses, default routes and names beyond the limits */
	int error;	  /* 0, or -ENOMEM from filling it */
	uint32_t cost_us; /* processor time of the last net_links_read() */

	const struct net_homes *homes; /* of the last net_links_choose(); NULL: not called yet */
	bool any_may_be_used;	       /* the links were chosen by rank, or the last read failed */
	unsigned left_out;	       /* interfaces with an address beyond NET_INTERFACES_MAX */
	char left_out_name[IF_NAMESIZE]; /* the first of them */
};

/* ---- storing (links.c) ----------------------------------------------------------------------- */

/* Removes everything and frees the memory. */
void net_links_clear(struct net_links *links);
/* Removes everything and keeps the memory for the next read. */
void net_links_empty(struct net_links *links);
/* The functions that add make a copy. False: it did not fit, which is counted in `cut`. */
bool net_links_add(struct net_links *links, const struct net_link *link);
/* True also for an address that is not stored because its link can never use it. */
bool net_links_add_address(struct net_links *links, const struct net_address *address);
/* True also for a route that is there already. */
bool net_links_add_default(struct net_links *links, const struct net_default *route);
/* Adds an alternative name of the link that is added next. Set ret_first to 0 before the first. */
bool net_links_add_altname(struct net_links *links, const char *name, unsigned *ret_first);
/*
 * Call it after the last link; links may be added in any order. Sorts, drops links that were added
 * twice, and computes the class, rank and carrier of each (net/behind.h).
 */
void net_links_sort(struct net_links *links);
/* Call it after all was added. Sorts, and gives each link its addresses and default routes. */
void net_links_complete(struct net_links *links);
/*
 * Removes the addresses that the leader has by the configuration. They are not this host's own,
 * also if a script added them. Call it after net_links_complete(); `list` must live as long as the
 * links.
 */
void net_links_leave_out(struct net_links *links, const struct elect_address *list, unsigned count);
/* Is it one of them? */
bool net_links_left_out(const struct net_links *links, const struct elect_address *address);
/* NULL: there is no such link. Slow while `unsorted`. */
const struct net_link *net_links_find(const struct net_links *links, unsigned ifindex);
/* True if a name of the link matches the pattern (fnmatch). Only "lo" matches the loopback. */
bool net_links_named(
	const struct net_links *links, const struct net_link *link, const char *pattern);

/* ---- reading (dump.c) ------------------------------------------------------------------------ */

/* Reads a message about a link, except its alternative names. False: the message is too short. */
bool net_link_from(const struct nlmsghdr *message, struct net_link *ret_link);

/* Reads a message about an address. False: it is too short, or names none of this host. */
bool net_address_from(const struct nlmsghdr *message, struct net_address *ret);
/* True for a kind that this host never uses as its own, so it is not stored. */
static inline bool net_address_unused(const struct net_address *a)
{
	return a->temporary || a->of_leader;
}

/* Handles one message of a dump. Always returns MNL_CB_OK, as mnl_cb_run() needs. */
int net_links_on_message(const struct nlmsghdr *message, void *links);

/*
 * Reads the present links of the system and the default routes of `families`. 0 or -errno of the
 * netlink socket. It blocks only in the kernel. A link that changes meanwhile may be read in its
 * old or its new state; the monitor reports it later.
 */
int net_links_read(struct net_links *ret_links, unsigned families);

/* ---- choosing (choose.c) --------------------------------------------------------------------- */

/*
 * Chooses interfaces by the rules of doc/links.md. If there are patterns (fnmatch), those that
 * match are chosen. Otherwise the first rule that any link satisfies is used: a default route of
 * one of the families in the main table; a former one, because a pulled cable removes the route;
 * one in another table; the highest rank (net/behind.h) of Ethernet links, so that a bridge of
 * containers does not take the place of the LAN, and among these an address that is or was more
 * than link-local. An interface must be up and support multicast; "lo" is used only by name.
 *
 * A path is an interface with its address of one family, which `homes` chooses among the addresses
 * that were read. A tentative address is no path yet, and a bridge port has no IPv6 path. Returns
 * the number of ret_paths that were filled.
 *
 * If more than NET_INTERFACES_MAX interfaces have an address, those in use are kept first, then
 * those with a carrier, each by rising ifindex; `left_out` counts the rest.
 */
unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX]);

/*
 * True if no path of `paths`, which net_links_choose() chose, has a carrier, and one of `before`
 * had, whose interface still has it and whose address is expected back (NET_HOMES_EXPECT_US). Then
 * the caller keeps the paths of before.
 */
bool net_links_wait(const struct net_links *links, uint64_t now_us, const struct net_path *before,
	unsigned before_count, const struct net_path *paths, unsigned count);

#endif
