/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: see net/socket.h. Options and filter are set before a socket is bound, so that no
 * datagram arrives without them.
 */
#include "socket.h"

#include "core/wire/wire.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/pkt_sched.h>
#include <netinet/ip.h>
#include <string.h>
#include <unistd.h>

enum {
	RECEIVE_BUFFER = 1 << 20, /* bytes; 200 answers to one invitation must fit */
};

static_assert(
	CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(int)) <= NET_SOCKET_CONTROL_SIZE,
	"room for what the kernel says");
static_assert(sizeof(struct in_pktinfo) <= sizeof(struct in6_pktinfo), "... of either family");

/*
 * Drops foreign datagrams before they cost a wake-up. The filter sees a datagram from its UDP
 * header on. The TTL is checked later, so that datagrams from too far away are counted.
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

struct option {
	int level, name, value;
	bool shared_only, may_fail;
};

static const struct option ipv4_options[] = {
	{ IPPROTO_IP, IP_PKTINFO, 1, false, false }, { IPPROTO_IP, IP_RECVTTL, 1, false, false },
	{ IPPROTO_IP, IP_TTL, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IP, IP_MULTICAST_TTL, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IP, IP_MULTICAST_LOOP, 1, false, false }, /* for other instances on this host */
	{ IPPROTO_IP, IP_MULTICAST_ALL, 0, false, false },  /* only groups this socket joined */
};

static const struct option ipv6_options[] = {
	{ IPPROTO_IPV6, IPV6_V6ONLY, 1, false, false },
	{ IPPROTO_IPV6, IPV6_RECVPKTINFO, 1, false, false },
	{ IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1, false, false },
	{ IPPROTO_IPV6, IPV6_UNICAST_HOPS, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IPV6, IPV6_MULTICAST_HOPS, NET_SOCKET_TTL, false, false },
	{ IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1, false, false },
	{ IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0, false, true }, /* needs Linux 4.20 */
};

static const struct option any_options[] = {
	{ SOL_SOCKET, SO_REUSEADDR, 1, true, false },
	{ SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, false, true },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int set_options(int fd, const struct option *options, size_t count, bool shared)
{
	for (size_t i = 0; i < count; i++)
		if ((shared || !options[i].shared_only) &&
			setsockopt(fd, options[i].level, options[i].name, &options[i].value,
				sizeof(options[i].value)) < 0 &&
			!options[i].may_fail)
			return -errno;
	return 0;
}

/*
 * A beacon that waits behind other traffic is late, and a late beacon may cost a leader its role.
 * IPTOS_CLASS_CS6 is the class of network control, which switches and routers send first.
 * TC_PRIO_INTERACTIVE gets the first band of this host's own queue (pfifo_fast), and is the highest
 * priority that needs no capability. IP_TOS also sets a priority, so SO_PRIORITY comes last.
 */
int net_socket_prefer(int fd, uint8_t family)
{
	const int class = IPTOS_CLASS_CS6, priority = TC_PRIO_INTERACTIVE;
	int r = family == 6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &class, sizeof(class))
			    : setsockopt(fd, IPPROTO_IP, IP_TOS, &class, sizeof(class));

	r = r < 0 ? -errno : 0;
	if (setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) < 0 && !r)
		r = -errno;
	return r;
}

static int open_socket(uint8_t family, bool shared)
{
	int fd = socket(
		family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = filter(fd);
	if (!r && family == 6)
		r = set_options(fd, ipv6_options, COUNT(ipv6_options), shared);
	else if (!r)
		r = set_options(fd, ipv4_options, COUNT(ipv4_options), shared);
	if (!r)
		r = set_options(fd, any_options, COUNT(any_options), shared);
	if (!r)
		return fd;
	close(fd);
	return r;
}

unsigned net_socket_families(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno == EAFNOSUPPORT ? NET_IPV4 : NET_BOTH;
	close(fd);
	return NET_BOTH;
}

socklen_t net_socket_address(
	const struct elect_address *a, unsigned ifindex, union net_socket_address *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (a->family != 6) {
		ret->ipv4.sin_family = AF_INET;
		ret->ipv4.sin_port = htons(a->port);
		memcpy(&ret->ipv4.sin_addr, a->bytes, sizeof(ret->ipv4.sin_addr));
		return sizeof(ret->ipv4);
	}
	ret->ipv6.sin6_family = AF_INET6;
	ret->ipv6.sin6_port = htons(a->port);
	memcpy(&ret->ipv6.sin6_addr, a->bytes, sizeof(ret->ipv6.sin6_addr));
	ret->ipv6.sin6_scope_id = ifindex;
	return sizeof(ret->ipv6);
}

static void from_system(const union net_socket_address *a, struct elect_address *ret)
{
	*ret = (struct elect_address){ .family = 4, .port = ntohs(a->ipv4.sin_port) };
	if (a->any.sa_family == AF_INET6) {
		ret->family = 6;
		ret->port = ntohs(a->ipv6.sin6_port);
		memcpy(ret->bytes, &a->ipv6.sin6_addr, sizeof(a->ipv6.sin6_addr));
	} else
		memcpy(ret->bytes, &a->ipv4.sin_addr, sizeof(a->ipv4.sin_addr));
}

/* `a` must have no scope. */
static int open_bound(const struct elect_address *a, bool shared)
{
	union net_socket_address address;
	socklen_t size = net_socket_address(a, 0, &address);
	int fd = open_socket(a->family, shared), r;

	if (fd < 0)
		return fd;
	if (!bind(fd, &address.any, size))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

/*
 * An IPv4 socket is bound to the group address, so it does not receive unicast to its port. In IPv6
 * such a bind would select one interface, so the socket is bound to the port only.
 */
static struct elect_address bound_to(const struct elect_address *group)
{
	return group->family == 6 ? (struct elect_address){ .family = 6, .port = group->port }
				  : *group;
}

int net_socket_open_group(const struct elect_address *group)
{
	const struct elect_address address = bound_to(group);

	return open_bound(&address, true);
}

int net_socket_open_own(uint8_t family, uint16_t port)
{
	const struct elect_address address = { .family = family, .port = port };

	return open_bound(&address, false);
}

/* The bound address of a datagram socket; false: `fd` is none. */
static bool name_of(int fd, struct elect_address *ret_address)
{
	union net_socket_address address;
	socklen_t size = sizeof(address), type_size = sizeof(int);
	int type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) || type != SOCK_DGRAM ||
		getsockname(fd, &address.any, &size) ||
		(address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6))
		return false;
	from_system(&address, ret_address);
	return true;
}

bool net_socket_is_group(int fd, const struct elect_address *group)
{
	const struct elect_address wanted = bound_to(group);
	struct elect_address is;

	return name_of(fd, &is) && elect_address_equal(&is, &wanted);
}

bool net_socket_is_own(
	int fd, uint8_t family, uint16_t port_first, uint16_t port_last, uint16_t *ret_port)
{
	struct elect_address is, wanted = { .family = family };

	if (!name_of(fd, &is))
		return false;
	wanted.port = is.port;
	if (!elect_address_equal(&is, &wanted) || is.port < port_first || is.port > port_last)
		return false;
	*ret_port = is.port;
	return true;
}

static int set_membership(int fd, bool joins, const struct elect_address *group, unsigned ifindex)
{
	struct ipv6_mreq ipv6 = { .ipv6mr_interface = ifindex };
	struct ip_mreqn ipv4 = { .imr_ifindex = (int)ifindex };
	int r;

	memcpy(&ipv6.ipv6mr_multiaddr, group->bytes, sizeof(ipv6.ipv6mr_multiaddr));
	memcpy(&ipv4.imr_multiaddr, group->bytes, sizeof(ipv4.imr_multiaddr));
	if (group->family == 6)
		r = setsockopt(fd, IPPROTO_IPV6, joins ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP, &ipv6,
			sizeof(ipv6));
	else
		r = setsockopt(fd, IPPROTO_IP, joins ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP,
			&ipv4, sizeof(ipv4));
	return r < 0 ? -errno : 0;
}

int net_socket_join(int fd, const struct elect_address *group, unsigned ifindex)
{
	int r = set_membership(fd, true, group, ifindex);

	return r == -EADDRINUSE ? 0 : r;
}

void net_socket_leave(int fd, const struct elect_address *group, unsigned ifindex)
{
	set_membership(fd, false, group, ifindex);
}

static void put_control(
	struct cmsghdr *c, int level, int type, const void *info, size_t size, size_t *ret_size)
{
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), info, size);
	*ret_size = CMSG_SPACE(size);
}

static void put_source(struct msghdr *message, const struct net_path *path)
{
	struct in6_pktinfo ipv6 = { .ipi6_ifindex = path->ifindex };
	struct in_pktinfo ipv4 = { .ipi_ifindex = (int)path->ifindex };
	struct cmsghdr *c = CMSG_FIRSTHDR(message);

	memcpy(&ipv6.ipi6_addr, path->address.bytes, sizeof(ipv6.ipi6_addr));
	memcpy(&ipv4.ipi_spec_dst, path->address.bytes, sizeof(ipv4.ipi_spec_dst));
	if (path->address.family == 6)
		put_control(c, IPPROTO_IPV6, IPV6_PKTINFO, &ipv6, sizeof(ipv6),
			&message->msg_controllen);
	else
		put_control(
			c, IPPROTO_IP, IP_PKTINFO, &ipv4, sizeof(ipv4), &message->msg_controllen);
}

int net_socket_send(int fd, const struct net_path *path, const struct elect_address *to,
	const uint8_t *bytes, size_t size, int flags)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo))] = { 0 };
	union net_socket_address address;
	struct iovec vector = { (void *)bytes, size };
	struct msghdr message = {
		.msg_name = &address,
		.msg_namelen = net_socket_address(to, path->ifindex, &address),
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};

	put_source(&message, path);
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL | flags) < 0 ? -errno : 0;
}

int net_socket_tie(int fd, unsigned ifindex)
{
	const int by = (int)ifindex;

	return setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &by, sizeof(by)) < 0 ? -errno : 0;
}

static void take_ipv4(const struct cmsghdr *c, struct net_arrival *arrival)
{
	struct in_pktinfo info;

	if (c->cmsg_type == IP_TTL)
		memcpy(&arrival->ttl, CMSG_DATA(c), sizeof(arrival->ttl));
	if (c->cmsg_type != IP_PKTINFO)
		return;
	memcpy(&info, CMSG_DATA(c), sizeof(info));
	arrival->ifindex = (unsigned)info.ipi_ifindex;
	memcpy(arrival->to.bytes, &info.ipi_addr, sizeof(info.ipi_addr));
}

static void take_ipv6(const struct cmsghdr *c, struct net_arrival *arrival)
{
	struct in6_pktinfo info;

	if (c->cmsg_type == IPV6_HOPLIMIT)
		memcpy(&arrival->ttl, CMSG_DATA(c), sizeof(arrival->ttl));
	if (c->cmsg_type != IPV6_PKTINFO)
		return;
	memcpy(&info, CMSG_DATA(c), sizeof(info));
	arrival->ifindex = info.ipi6_ifindex;
	memcpy(arrival->to.bytes, &info.ipi6_addr, sizeof(info.ipi6_addr));
}

void net_socket_arrival(struct msghdr *message, struct net_arrival *ret_arrival)
{
	*ret_arrival = (struct net_arrival){ 0 };
	from_system(message->msg_name, &ret_arrival->from);
	ret_arrival->to.family = ret_arrival->from.family;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level == IPPROTO_IP)
			take_ipv4(c, ret_arrival);
		else if (c->cmsg_level == IPPROTO_IPV6)
			take_ipv6(c, ret_arrival);
	}
}
