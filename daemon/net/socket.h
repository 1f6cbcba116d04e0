/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: UDP sockets as an election needs them, and the little that the kernel says besides
 * the bytes. Keeps no state, chooses nothing: that is net.c's.
 */
#ifndef ELECTD_NET_SOCKET_H
#define ELECTD_NET_SOCKET_H

#include "core/elect.h"
#include "links.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
	NET_SOCKET_TTL = 255, /* sent, as hop limit too; each router on the way takes one off */
	/* What CMSG_SPACE() makes of one in6_pktinfo and one int, at least. */
	NET_SOCKET_CONTROL_SIZE = 64,
};

/* An address of either family, as the system has them. */
union net_socket_address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

/* Where a datagram came from, and how. */
struct net_arrival {
	struct elect_address from, to; /* `to` without a port */
	int ttl;
	unsigned ifindex;
};

/* `ifindex`: where a link-local address is. The size. */
socklen_t net_socket_address(
	const struct elect_address *a, unsigned ifindex, union net_socket_address *ret);

/* Which families this kernel has sockets of. */
unsigned net_socket_families(void);
/* The socket that hears the group, of which every instance on a host has one: fd or -errno. */
int net_socket_open_group(const struct elect_address *group);
/* The socket of a family on that port: fd or -errno. */
int net_socket_open_own(uint8_t family, uint16_t port);

/* Whether a descriptor that came from elsewhere is such a socket, for that group or range. */
bool net_socket_is_group(int fd, const struct elect_address *group);
bool net_socket_is_own(
	int fd, uint8_t family, uint16_t port_first, uint16_t port_last, uint16_t *ret_port);

/*
 * Gives the datagrams of the socket a priority on this host and on their path (socket.c). 0, or the
 * first -errno; the socket sends all the same. A second call does no harm.
 */
int net_socket_prefer(int fd, uint8_t family);

/* 0, also when it was joined before, or -errno. */
int net_socket_join(int fd, const struct elect_address *group, unsigned ifindex);
void net_socket_leave(int fd, const struct elect_address *group, unsigned ifindex);

/*
 * Sends as the path's address, of the family of `to`, by the path's interface. The kernel then
 * takes routes by that interface alone, and a host without one for a neighbour there. Of IPv6 this
 * holds for link-local addresses and groups; for other ones the kernel merely prefers that
 * interface among equal routes. 0 or -errno.
 */
int net_socket_send(int fd, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size);
/* A connection of the socket leaves by that interface alone, from Linux 5.7 on. 0 or -errno. */
int net_socket_tie(int fd, unsigned ifindex);

/* `message` as recvmsg() left it; its msg_name is a union net_socket_address. */
void net_socket_arrival(struct msghdr *message, struct net_arrival *ret_arrival);

#endif
