/* SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

enum {
	/* Enough for some hundred hops; a longer route fails with ENOSPC, like no route. */
	BUFFER_SIZE = 16384,
};

/* A route. `gateway` is one by the interface `by`, if only its routes are considered. */
struct route {
	unsigned by; /* 0: any */
	uint8_t type;
	unsigned ifindex;	      /* 0: it has several hops */
	struct elect_address gateway; /* family 0: none */
};

/* ---- the answer ------------------------------------------------------------------------------ */

static size_t size_of(uint8_t family)
{
	return family == 6 ? 16 : 4;
}

static void take_gateway(const struct nlattr *attr, struct route *route)
{
	struct elect_address *gateway = &route->gateway;
	size_t size = mnl_attr_get_payload_len(attr);

	if (size != size_of(4) && size != size_of(6))
		return;
	gateway->family = size == size_of(6) ? 6 : 4;
	memcpy(gateway->bytes, mnl_attr_get_payload(attr), size);
}

static int take_gateway_of_hop(const struct nlattr *attr, void *route)
{
	if (mnl_attr_get_type(attr) == RTA_GATEWAY)
		take_gateway(attr, route);
	return MNL_CB_OK;
}

static void take_hop(void *user, unsigned ifindex, const void *attrs, size_t size)
{
	struct route *route = user;

	if (ifindex == route->by)
		mnl_attr_parse_payload(attrs, size, take_gateway_of_hop, route);
}

void net_route_hops(const struct nlattr *attr, net_hop_fn *take, void *user)
{
	const char *at = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	struct rtnexthop hop;
	size_t step;

	while (left >= sizeof(hop)) {
		memcpy(&hop, at, sizeof(hop));
		step = ((size_t)hop.rtnh_len + RTNH_ALIGNTO - 1) / RTNH_ALIGNTO * RTNH_ALIGNTO;
		if (hop.rtnh_len < sizeof(hop) || step > left)
			break;
		take(user, (unsigned)hop.rtnh_ifindex, at + sizeof(hop),
			hop.rtnh_len - sizeof(hop));
		at += step;
		left -= step;
	}
}

static int take_about_route(const struct nlattr *attr, void *user)
{
	struct route *route = user;

	switch (mnl_attr_get_type(attr)) {
	case RTA_OIF:
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			route->ifindex = mnl_attr_get_u32(attr);
		break;
	case RTA_GATEWAY:
		take_gateway(attr, route);
		break;
	case RTA_MULTIPATH:
		net_route_hops(attr, take_hop, route);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static int take_route(const struct nlmsghdr *message, void *user)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);
	struct route *route = user;

	if (message->nlmsg_type != RTM_NEWROUTE || mnl_nlmsg_get_payload_len(message) < sizeof(*m))
		return MNL_CB_STOP;
	route->type = m->rtm_type;
	mnl_attr_parse(message, sizeof(*m), take_about_route, route);
	return MNL_CB_STOP;
}

/* ---- the question ---------------------------------------------------------------------------- */

/*
 * RTM_F_FIB_MATCH asks for the entry of the routing table. Without it the kernel treats a host
 * without a route as a neighbour on any interface that is asked for (so does a kernel before Linux
 * 4.13).
 */
static void put_question(struct nlmsghdr *message, const struct elect_address *to, unsigned by)
{
	struct rtmsg *route;
	size_t size = size_of(to->family);

	message->nlmsg_type = RTM_GETROUTE;
	message->nlmsg_flags = NLM_F_REQUEST;
	message->nlmsg_seq = RTM_GETROUTE;
	route = mnl_nlmsg_put_extra_header(message, sizeof(*route));
	route->rtm_family = to->family == 6 ? AF_INET6 : AF_INET;
	route->rtm_dst_len = (uint8_t)(8 * size);
	route->rtm_flags = RTM_F_FIB_MATCH;
	mnl_attr_put(message, RTA_DST, size, to->bytes);
	if (by)
		mnl_attr_put_u32(message, RTA_OIF, by);
}

static int ask(struct mnl_socket *socket, const struct elect_address *to, struct route *route)
{
	_Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	ssize_t size;

	put_question(message, to, route->by);
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
		mnl_socket_sendto(socket, message, message->nlmsg_len) < 0)
		return -errno;
	size = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
	if (size < 0 ||
		mnl_cb_run(buffer, (size_t)size, RTM_GETROUTE, mnl_socket_get_portid(socket),
			take_route, route) < 0)
		return -errno;
	return 0;
}

/* 0 or -errno */
static int find(const struct elect_address *to, unsigned by, struct route *ret_route)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int r;

	*ret_route = (struct route){ .by = by };
	if (!socket)
		return -errno;
	r = ask(socket, to, ret_route);
	mnl_socket_close(socket);
	return r;
}

int net_route_toward(const struct elect_address *to, unsigned by, unsigned *ret_ifindex)
{
	struct route route;
	int r = find(to, by, &route);

	*ret_ifindex = route.ifindex;
	return r;
}

/*
 * A question about the default route itself has another meaning: 0.0.0.0 is this host. So it is
 * about an address that no other route matches: a.root-servers.net, because routers may discard
 * addresses that are reserved. Nothing is sent there.
 */
bool net_route_gateway(uint8_t family, unsigned by, struct elect_address *ret_gateway)
{
	static const struct elect_address far4 = { { 198, 41, 0, 4 }, 0, 4 };
	static const struct elect_address far6 = {
		{ 0x20, 0x01, 0x05, 0x03, 0xba, 0x3e, [11] = 2, [15] = 0x30 }, 0, 6
	};
	struct route route;

	if (find(family == 6 ? &far6 : &far4, by, &route) || route.gateway.family != family)
		return false;
	*ret_gateway = route.gateway;
	return true;
}

bool net_route_is_own(const struct elect_address *a, unsigned by)
{
	struct route route;

	return !find(a, elect_address_link_local(a) ? by : 0, &route) && route.type == RTN_LOCAL;
}
