/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: opens UDP sockets with the options that an election needs, and converts between system
 * and elect addresses. It keeps no state and chooses nothing; net.c does.
 */
#ifndef ELECTD_NET_SOCKET_H
#define ELECTD_NET_SOCKET_H

#include "core/elect.h"
#include "links.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
	NET_SOCKET_TTL = 255, /* TTL and hop limit of sent datagrams; each router takes one off */
	/* At least CMSG_SPACE() of one in6_pktinfo and one int. */
	NET_SOCKET_CONTROL_SIZE = 64,
};

/* A socket address of either family. */
union net_socket_address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

/* The addresses, TTL and interface of a received datagram. */
struct net_arrival {
	struct elect_address from, to; /* `to` without a port */
	int ttl;
	unsigned ifindex;
};

/* Converts an address; `ifindex` is the scope of a link-local one. Returns the size. */
socklen_t net_socket_address(
	const struct elect_address *a, unsigned ifindex, union net_socket_address *ret);

/* The families of which this kernel has sockets. */
unsigned net_socket_families(void);
/* Opens the socket for the group; every instance on a host has one. Descriptor or -errno. */
int net_socket_open_group(const struct elect_address *group);
/* Opens a unicast socket on that port. Descriptor or -errno. */
int net_socket_open_own(uint8_t family, uint16_t port);

/* True if a descriptor is such a socket for that group, or for a port of that range. */
bool net_socket_is_group(int fd, const struct elect_address *group);
bool net_socket_is_own(
	int fd, uint8_t family, uint16_t port_first, uint16_t port_last, uint16_t *ret_port);

/*
 * Gives the datagrams of the socket a priority on this host and in the network (see socket.c).
 * Returns 0 or the first -errno; the socket sends all the same. Repeated calls do no harm.
 */
int net_socket_prefer(int fd, uint8_t family);

/* 0, also if the group was joined before, or -errno. */
int net_socket_join(int fd, const struct elect_address *group, unsigned ifindex);
void net_socket_leave(int fd, const struct elect_address *group, unsigned ifindex);

/*
 * Sends from the path's address and by the path's interface; `to` must have the same family. The
 * kernel then uses only routes of that interface, and treats a host without a route as a neighbour
 * there. For IPv6 this is true only of link-local addresses and groups; for other addresses the
 * kernel merely prefers that interface among equal routes. `flags`: 0 or MSG_CONFIRM. 0 or -errno.
 */
int net_socket_send(int fd, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size, int flags);
/* Ties the connections of the socket to that interface; needs Linux 5.7. 0 or -errno. */
int net_socket_tie(int fd, unsigned ifindex);

/* Evaluates a `message` of recvmsg(); its msg_name must be a union net_socket_address. */
void net_socket_arrival(struct msghdr *message, struct net_arrival *ret_arrival);

#endif
