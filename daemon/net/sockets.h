/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: the sockets of an instance, in each family one for unicast and one for the group. They
 * are opened and closed together; net.c reads and writes them.
 *
 * An instance sends in the configured families, from one port. It receives the groups of both
 * families if the kernel has them, so that it can report hosts that are heard only by the other
 * family.
 */
#ifndef ELECTD_NET_SOCKETS_H
#define ELECTD_NET_SOCKETS_H

#include "net.h"

/* In the order in which they are read: unicast first. */
enum net_socket { NET_OWN4, NET_OWN6, NET_GROUP4, NET_GROUP6, NET_SOCKETS };

struct net_sockets {
	int fds[NET_SOCKETS]; /* -1: none */
	uint16_t port;	      /* of the unicast sockets */
	unsigned families;    /* families for sending */
};

static inline enum net_socket net_own_socket(uint8_t family)
{
	return family == 6 ? NET_OWN6 : NET_OWN4;
}

static inline enum net_socket net_group_socket(uint8_t family)
{
	return family == 6 ? NET_GROUP6 : NET_GROUP4;
}

static inline const struct elect_address *net_group(const struct net_config *config, uint8_t family)
{
	return family == 6 ? &config->group6 : &config->group4;
}

void net_sockets_none(struct net_sockets *s);
void net_sockets_close(struct net_sockets *s);

/*
 * Opens the sockets. `kept`: descriptors of a former process, or -1; each is used if it fits, else
 * closed. 0 or -errno as net_open(); on an error all are closed.
 */
int net_sockets_open(struct net_sockets *s, const struct net_config *config,
	const int kept[NET_SOCKETS], uint16_t *ret_taken);

/*
 * Opens the sockets that differ in another configuration; the others are -1 in ret_new.
 * ret_new->port and families are always set. 0 or -errno as net_open(); on an error no new socket
 * is open.
 */
int net_sockets_anew(const struct net_sockets *old, const struct net_config *before,
	const struct net_config *config, struct net_sockets *ret_new, uint16_t *ret_taken);

#endif
