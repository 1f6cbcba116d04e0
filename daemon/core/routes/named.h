/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named: the hosts whose addresses people have named (network.peers), for what is said to all where
 * multicast does not reach them. What they are, and by which way they answer, is known when they
 * are heard: then they are hosts as others are (routes.h). Until then each is sent one datagram of
 * each that goes to all, however many do not answer.
 */
#ifndef ELECTD_CORE_ROUTES_NAMED_H
#define ELECTD_CORE_ROUTES_NAMED_H

#include "routes.h"

enum {
	NAMED_PORTS = 4, /* instances on one host that are looked for by their ports */
};

struct named_peer {
	struct elect_address address; /* port 0: one of the first NAMED_PORTS of the range */
	uint32_t link;		      /* of ours, by which it is reached; 0: by none now */
	unsigned turn;		      /* whose it is of these ports */
};

struct named {
	unsigned count;
	uint16_t port_first, port_last; /* of the range */
	struct named_peer list[ELECT_PEERS_MAX];
};

/* Of that address, whatever its port: when it was heard last, 0: never. */
uint64_t named_heard_us(const struct routes *r, const struct elect_address *address);

/*
 * Ways to those that are not among `count` of ret_ways already, nor were heard lately, behind them.
 * How many there are then.
 */
unsigned named_ways(struct named *n, uint64_t now_us, const struct routes *r,
	struct elect_way *ret_ways, unsigned count, unsigned most);

#endif
