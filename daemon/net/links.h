/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: which interfaces of this machine an election may use (rtnetlink).
 *
 * Reads links, IPv4 addresses and default routes, and chooses. Keeps no state of its own, opens
 * no UDP socket, logs nothing: net.c asks anew whenever the monitor says that something changed.
 */
#ifndef ELECTD_NET_LINKS_H
#define ELECTD_NET_LINKS_H

#include "homes.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct nlmsghdr;

enum {
	NET_PATHS_MAX = 16,	  /* interfaces used; the kernel joins at most 20 groups a socket */
	NET_LINKS_MAX = 256,	  /* interfaces with an IPv4 address; later ones are not seen */
	NET_ADDRESSES_MAX = 4096, /* on all of them; later ones are not seen */
	NET_ROUTES_MAX = 4096,	  /* routes read; the default ones come first */
};

/* An interface that is used: how to reach a LAN, and as whom. */
struct net_path {
	unsigned ifindex;
	char name[IF_NAMESIZE];
	struct in_addr address;
	uint8_t prefix; /* bits of its subnet */
	bool carrier;
	bool deaf; /* the group cannot be joined there */
};

/* An interface that has an IPv4 address: which one is used stands in its path when it is chosen. */
struct net_link {
	struct net_path path;
	unsigned flags; /* IFF_ */
	unsigned type;	/* ARPHRD_ */
	bool default_route;
};

struct net_links {
	unsigned count;
	struct net_link items[NET_LINKS_MAX];
	unsigned addresses_count;
	struct net_address addresses[NET_ADDRESSES_MAX];
	const struct net_homes *homes;
	bool routed_there; /* an interface that was used for its default route exists */
	unsigned routes_seen;
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
 * Those that match a pattern (fnmatch); without patterns those with a default route, else those
 * that had one, else every Ethernet one: a pulled cable takes the route away, and a bridge of
 * containers does not stand in for the LAN. All must be up and able to multicast; "lo" must be
 * named to be used. Each with the address that `homes`, told what there is, say. Returns how many
 * of ret_paths were filled; more than NET_PATHS_MAX are left out.
 */
unsigned net_links_choose(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX]);

/*
 * The path to an IPv4 address: the one with the longest prefix it is in, else the first. NULL
 * without paths.
 */
const struct net_path *net_links_path_to(
	const struct net_path *paths, unsigned count, const uint8_t address[4]);

/* A socket that becomes readable when links, addresses or routes change: fd or -errno. */
int net_links_monitor(void);

/* Empties the monitor; true if anything it said may matter for the choice. */
bool net_links_changed(int monitor);

#endif
