/* SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

enum {
	/* Enough for some hundred hops; a longer route fails with ENOSPC, like no route. */
	BUFFER_SIZE = 16384,
};

static int take_interface(const struct nlattr *attr, void *ifindex)
{
	if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*(unsigned *)ifindex = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int take_route(const struct nlmsghdr *message, void *ifindex)
{
	if (message->nlmsg_type == RTM_NEWROUTE &&
		mnl_nlmsg_get_payload_len(message) >= sizeof(struct rtmsg))
		mnl_attr_parse(message, sizeof(struct rtmsg), take_interface, ifindex);
	return MNL_CB_STOP;
}

/*
 * RTM_F_FIB_MATCH asks for the entry of the routing table. Without it the kernel treats a host
 * without a route as a neighbour on any interface that is asked for (so does a kernel before Linux
 * 4.13).
 */
static void put_question(struct nlmsghdr *message, const struct elect_address *to, unsigned by)
{
	struct rtmsg *route;
	size_t size = to->family == 6 ? 16 : 4;

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

static int ask(struct mnl_socket *socket, const struct elect_address *to, unsigned by,
	unsigned *ret_ifindex)
{
	_Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	ssize_t size;

	put_question(message, to, by);
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
		mnl_socket_sendto(socket, message, message->nlmsg_len) < 0)
		return -errno;
	size = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
	*ret_ifindex = 0;
	if (size < 0 ||
		mnl_cb_run(buffer, (size_t)size, RTM_GETROUTE, mnl_socket_get_portid(socket),
			take_route, ret_ifindex) < 0)
		return -errno;
	return 0;
}

int net_route_toward(const struct elect_address *to, unsigned by, unsigned *ret_ifindex)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int r;

	if (!socket)
		return -errno;
	r = ask(socket, to, by, ret_ifindex);
	mnl_socket_close(socket);
	return r;
}
