/* SPDX-License-Identifier: Apache-2.0 */
/*
 * announce: the packet sockets, by which held addresses are announced and claims of other machines
 * are heard. A filter in the kernel lets through only frames that may be claims of these addresses.
 */
#ifndef ELECTD_ADDRESS_ANNOUNCE_H
#define ELECTD_ADDRESS_ANNOUNCE_H

#include "frame.h"
#include "plan.h"

#include <linux/filter.h>

enum {
	ANNOUNCE_FAMILIES = 2,	    /* IPv4, IPv6 */
	ANNOUNCE_FILTER_MAX = 1024, /* instructions */
	ANNOUNCE_HEARD_MAX = 64,    /* frames in one turn */
};

struct announce {
	int fds[ANNOUNCE_FAMILIES]; /* -1: closed */
};

/* Writes the filter for the addresses of one family, and returns its length. */
unsigned announce_filter(uint8_t family, const struct elect_address *list, unsigned count,
	struct sock_filter ret[ANNOUNCE_FILTER_MAX]);

void announce_init(struct announce *a);
/* Opens a socket for each family in the list. 0 or -errno, of the first error. */
int announce_open(struct announce *a, const struct elect_address *list, unsigned count);
void announce_close(struct announce *a);

/* Announces the address once. 0 or -errno. */
int announce_send(
	struct announce *a, const struct elect_address *address, const struct plan_site *site);

typedef void announce_claim_fn(
	void *user, const struct elect_address *address, unsigned ifindex, const uint8_t mac[6]);

/* Reads the frames that wait on that socket. */
void announce_hear(int fd, announce_claim_fn *claimed, void *user);

#endif
