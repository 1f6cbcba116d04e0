/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: those that an instance has on its LANs, of each family one for what is meant for it and
 * one for the group. Opened together and closed together; read and written by net.c.
 *
 * It sends by the families that it is told to, from one port. Both groups are heard wherever the
 * kernel has them, so that it can be told who is heard by the other family only.
 */
#ifndef ELECTD_NET_SOCKETS_H
#define ELECTD_NET_SOCKETS_H

#include "net.h"

/* What is meant for this instance goes first. */
enum net_socket { NET_OWN4, NET_OWN6, NET_GROUP4, NET_GROUP6, NET_SOCKETS };

struct net_sockets {
	int fds[NET_SOCKETS]; /* -1: none */
	uint16_t port;	      /* of the own ones */
	unsigned families;    /* by which it sends */
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
 * `kept`: by kind, each -1 or of a former process; used where it fits, else closed. 0 or -errno as
 * net_open(), and nothing is open.
 */
int net_sockets_open(struct net_sockets *s, const struct net_config *config,
	const int kept[NET_SOCKETS], uint16_t *ret_taken);

/*
 * Those that another configuration needs, -1 where the old one does; the port and the families are
 * filled in in any case. 0 or -errno as net_open(), and nothing new is open.
 */
int net_sockets_anew(const struct net_sockets *old, const struct net_config *before,
	const struct net_config *config, struct net_sockets *ret_new, uint16_t *ret_taken);

#endif
