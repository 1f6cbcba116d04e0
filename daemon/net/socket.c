/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: see net/socket.h. Options and filter are set before a socket is bound, so that
 * nothing arrives without them.
 */
#include "socket.h"

#include "core/wire/wire.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <unistd.h>

enum {
	RECEIVE_BUFFER = 1 << 20, /* asked for; 200 answers to one invitation must fit */
};

static_assert(
	CMSG_SPACE(sizeof(struct in_pktinfo)) + CMSG_SPACE(sizeof(int)) <= NET_SOCKET_CONTROL_SIZE,
	"room for what the kernel says");

/*
 * Drops what is not ours before it costs a wake-up. The filter sees a datagram from its UDP
 * header on. The TTL is looked at later: who is too far away should be counted.
 */
static int filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 8),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WIRE_MAGIC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on)) < 0)
		return -errno;
	return 0;
}

static const struct {
	int level, name, value;
	bool shared_only, may_fail;
} options[] = {
	{ IPPROTO_IP, IP_PKTINFO, 1, false, false },
	{ IPPROTO_IP, IP_RECVTTL, 1, false, false },
	{ IPPROTO_IP, IP_TTL, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IP, IP_MULTICAST_TTL, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IP, IP_MULTICAST_LOOP, 1, false, false }, /* several instances on a host */
	{ IPPROTO_IP, IP_MULTICAST_ALL, 0, false, false },  /* what this socket joined, only */
	{ SOL_SOCKET, SO_REUSEADDR, 1, true, false },
	{ SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, false, true },
};

static int open_socket(bool shared)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = filter(fd);
	for (size_t i = 0; !r && i < sizeof(options) / sizeof(options[0]); i++)
		if ((shared || !options[i].shared_only) &&
			setsockopt(fd, options[i].level, options[i].name, &options[i].value,
				sizeof(options[i].value)) < 0 &&
			!options[i].may_fail)
			r = -errno;
	if (!r)
		return fd;
	close(fd);
	return r;
}

static void to_system(const struct elect_address *a, struct sockaddr_in *ret)
{
	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(a->port) };
	memcpy(&ret->sin_addr, a->bytes, sizeof(ret->sin_addr));
}

int net_socket_open_group(const struct elect_address *group)
{
	struct sockaddr_in address;
	int fd = open_socket(true), r;

	if (fd < 0)
		return fd;
	/* Bound to the group: what is sent to this port of one of our addresses is not for us. */
	to_system(group, &address);
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int net_socket_open_own(uint16_t port_first, uint16_t port_last, uint16_t *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = open_socket(false), r = -EADDRINUSE;

	if (fd < 0)
		return fd;
	for (unsigned port = port_first; r == -EADDRINUSE && port <= port_last; port++) {
		address.sin_port = htons((uint16_t)port);
		*ret_port = (uint16_t)port;
		r = bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	}
	if (!r)
		return fd;
	close(fd);
	return r;
}

/* An address of IPv4, datagrams. */
static bool name_of(int fd, struct sockaddr_in *ret_address)
{
	socklen_t size = sizeof(*ret_address), type_size = sizeof(int);
	int type;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) && type == SOCK_DGRAM &&
		!getsockname(fd, (struct sockaddr *)ret_address, &size) &&
		size == sizeof(*ret_address) && ret_address->sin_family == AF_INET;
}

bool net_socket_is_group(int fd, const struct elect_address *group)
{
	struct sockaddr_in is, wanted;

	to_system(group, &wanted);
	return name_of(fd, &is) && is.sin_port == wanted.sin_port &&
		is.sin_addr.s_addr == wanted.sin_addr.s_addr;
}

bool net_socket_is_own(int fd, uint16_t port_first, uint16_t port_last, uint16_t *ret_port)
{
	struct sockaddr_in is;

	if (!name_of(fd, &is) || is.sin_addr.s_addr != htonl(INADDR_ANY) ||
		ntohs(is.sin_port) < port_first || ntohs(is.sin_port) > port_last)
		return false;
	*ret_port = ntohs(is.sin_port);
	return true;
}

static int membership(int fd, int option, const struct elect_address *group, unsigned ifindex)
{
	struct ip_mreqn request = { .imr_ifindex = (int)ifindex };

	memcpy(&request.imr_multiaddr, group->bytes, sizeof(request.imr_multiaddr));
	return setsockopt(fd, IPPROTO_IP, option, &request, sizeof(request)) < 0 ? -errno : 0;
}

int net_socket_join(int fd, const struct elect_address *group, unsigned ifindex)
{
	int r = membership(fd, IP_ADD_MEMBERSHIP, group, ifindex);

	return r == -EADDRINUSE ? 0 : r;
}

void net_socket_leave(int fd, const struct elect_address *group, unsigned ifindex)
{
	membership(fd, IP_DROP_MEMBERSHIP, group, ifindex);
}

int net_socket_send(int fd, const struct net_path *path, unsigned by,
	const struct elect_address *to, const uint8_t *bytes, size_t size)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in_pktinfo))] = { 0 };
	struct sockaddr_in address;
	struct iovec vector = { (void *)bytes, size };
	struct msghdr message = {
		.msg_name = &address,
		.msg_namelen = sizeof(address),
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct in_pktinfo info = { .ipi_ifindex = (int)by, .ipi_spec_dst = path->address };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	to_system(to, &address);
	c->cmsg_level = IPPROTO_IP;
	c->cmsg_type = IP_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void net_socket_arrival(struct msghdr *message, struct net_arrival *ret_arrival)
{
	const struct sockaddr_in *from = message->msg_name;
	struct in_pktinfo info;

	*ret_arrival = (struct net_arrival){ .from.family = 4, .from.port = ntohs(from->sin_port) };
	memcpy(ret_arrival->from.bytes, &from->sin_addr, sizeof(from->sin_addr));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != IPPROTO_IP)
			continue;
		if (c->cmsg_type == IP_TTL) {
			memcpy(&ret_arrival->ttl, CMSG_DATA(c), sizeof(ret_arrival->ttl));
		} else if (c->cmsg_type == IP_PKTINFO) {
			memcpy(&info, CMSG_DATA(c), sizeof(info));
			ret_arrival->ifindex = (unsigned)info.ipi_ifindex;
		}
	}
}
