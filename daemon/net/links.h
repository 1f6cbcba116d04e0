/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: which interfaces of this machine an election may use (rtnetlink).
 *
 * Reads links, addresses and default routes of IPv4 and IPv6, and chooses. Keeps no state of its
 * own, opens no UDP socket, logs nothing: net.c reads them again when the monitor reports a change,
 * and net_links_changed() says how urgent that is.
 */
#ifndef ELECTD_NET_LINKS_H
#define ELECTD_NET_LINKS_H

#include "homes.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct nlmsghdr;

enum {
	NET_INTERFACES_MAX = 16, /* used; the kernel joins at most 20 groups of IPv4 a socket */
	NET_PATHS_MAX = 2 * NET_INTERFACES_MAX,
	NET_LINKS_MAX = 256,	  /* interfaces with an address; later ones are not seen */
	NET_ADDRESSES_MAX = 4096, /* on all of them; later ones are not seen */
	NET_ROUTES_MAX = 4096,	  /* routes read of a family; the default ones come first */
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
	uint32_t created; /* the address: an interface made again may have its number again */
	bool carrier;	  /* never of a duplicate */
	bool deaf;	  /* the group cannot be joined there */
	bool duplicate;	  /* another host has its address: it is not used */
};

/* An interface that has an address, or a default route alone: then it has no name and no flags. */
struct net_link {
	unsigned ifindex;
	char name[IF_NAMESIZE];
	unsigned flags;		 /* IFF_ */
	unsigned type;		 /* ARPHRD_ */
	unsigned default_routes; /* of which families */
	unsigned routable;	 /* families of which it has an address that is more than its own */
	bool bridged;		 /* it is the port of a bridge */
};

struct net_links {
	unsigned count;
	struct net_link items[NET_LINKS_MAX];
	unsigned addresses_count;
	struct net_address addresses[NET_ADDRESSES_MAX];
	const struct net_homes *homes;
	bool routed_there; /* an interface that was used for its default route exists */
	unsigned routes_seen;
	bool any_may_be_used; /* no name and no default route chooses, or the last read failed */
};

/*
 * Takes in one message of a dump, those about addresses first. Returns MNL_CB_OK or, when enough
 * was seen, MNL_CB_STOP: the shape mnl_cb_run() wants.
 */
int net_links_on_message(const struct nlmsghdr *message, void *links);

/*
 * What the system has now; `homes` as net_links_choose() left them. 0 or -errno of the netlink
 * socket; waits for nothing but the kernel.
 */
int net_links_read(struct net_links *ret_links, const struct net_homes *homes);

/*
 * Those that match a pattern (fnmatch); without patterns those with a default route of one of the
 * families, else those that had one, else every Ethernet one with an address that is more than
 * link-local, else every Ethernet one: a pulled cable takes the route away, and a bridge of
 * containers does not stand in for the LAN. All must be up and able to multicast; "lo" must be
 * named to be used, and a port of a bridge is none of IPv6. By each family with the address that
 * `homes`, told what there is, say; not yet by one whose address is tentative. Returns how many of
 * ret_paths were filled; more than NET_INTERFACES_MAX interfaces are left out.
 */
unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX]);

/* A socket that becomes readable when links, addresses or routes change: fd or -errno. */
int net_links_monitor(void);

/* How urgent the next read is; the greater one counts. */
enum net_change {
	NET_CHANGE_NONE,      /* no link, no address and no default route changed */
	NET_CHANGE_ELSEWHERE, /* none of those below, as far as is known: it can wait */
	NET_CHANGE_IN_USE,    /* an interface that is used or may come into use; a default route */
};

/*
 * Empties the monitor and returns its most urgent change. `links` and the patterns as
 * net_links_choose() had them last. An interface may come into use if a pattern matches its name,
 * or if it has a default route or was used for one; any interface may if there is neither a pattern
 * nor such a route, or if the last read failed. Changes that the kernel has lost count as one in
 * use.
 */
enum net_change net_links_changed(int monitor, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count);

#endif
