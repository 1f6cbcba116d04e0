/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named: the peers whose addresses are configured (network.peers), which get what is sent to all
 * where multicast does not reach them. Once a peer is heard it is a host with paths like any other
 * (routes.h). Until then it is sent one datagram for each message to all.
 */
#ifndef ELECTD_CORE_ROUTES_NAMED_H
#define ELECTD_CORE_ROUTES_NAMED_H

#include "routes.h"

enum {
	NAMED_PORTS = 4, /* instances of electd on one host that are tried by their ports */
};

struct named_peer {
	struct elect_address address; /* port 0: try the first NAMED_PORTS of the range */
	uint32_t link;		      /* the link by which it is reached; 0: none now */
	unsigned turn;		      /* counts attempts, to choose the next port */
};

struct named {
	unsigned count;
	uint16_t port_first, port_last;
	struct named_peer list[ELECT_PEERS_MAX];
};

/* When a host with that address was last heard, whatever its port; 0: never. */
uint64_t named_heard_us(const struct routes *r, const struct elect_address *address);

/* Appends to the `count` paths in ret_ways one path to each peer that is not among them and was not
   heard lately, up to `most` in all. Returns the new count. */
unsigned named_ways(struct named *n, uint64_t now_us, const struct routes *r,
	struct elect_way *ret_ways, unsigned count, unsigned most);

#endif
