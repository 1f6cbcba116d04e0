/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: see net/links.h. Must not keep sockets open but the monitor's, and must not decide
 * anything from a notification: it only rings, the dump tells.
 */
#include "links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fnmatch.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BUFFER_SIZE = 16384,
	TRIES_MAX = 4,
	CHANGES_MAX = 64, /* notifications read at once; the rest at the next wake-up */
};

static struct net_link *find(struct net_links *links, unsigned ifindex)
{
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].path.ifindex == ifindex)
			return &links->items[i];
	return NULL;
}

/* mnl_attr_parse() hands over each attribute with the place to write to. */
static int take_local(const struct nlattr *attr, void *address)
{
	struct net_address *a = address;
	struct ifa_cacheinfo info;

	if (mnl_attr_get_type(attr) == IFA_LOCAL && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		a->address.s_addr = mnl_attr_get_u32(attr);
	if (mnl_attr_get_type(attr) == IFA_CACHEINFO &&
		mnl_attr_get_payload_len(attr) >= sizeof(info)) {
		memcpy(&info, mnl_attr_get_payload(attr), sizeof(info));
		a->created = info.cstamp;
	}
	return MNL_CB_OK;
}

static int take_address(const struct nlmsghdr *message, struct net_links *links)
{
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(message);
	struct net_address address = { 0 };
	struct net_link *link;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) || m->ifa_family != AF_INET)
		return MNL_CB_OK;
	address.ifindex = m->ifa_index;
	address.prefix = m->ifa_prefixlen;
	address.secondary = (m->ifa_flags & IFA_F_SECONDARY) != 0;
	mnl_attr_parse(message, sizeof(*m), take_local, &address);
	if (!address.address.s_addr || links->addresses_count == NET_ADDRESSES_MAX)
		return MNL_CB_OK;

	link = find(links, m->ifa_index);
	if (!link && links->count == NET_LINKS_MAX)
		return MNL_CB_OK;
	if (!link)
		links->items[links->count++] = (struct net_link){ .path.ifindex = m->ifa_index };
	links->addresses[links->addresses_count++] = address;
	return MNL_CB_OK;
}

static int take_name(const struct nlattr *attr, void *name)
{
	if (mnl_attr_get_type(attr) == IFLA_IFNAME &&
		mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(name, IF_NAMESIZE, "%s", mnl_attr_get_str(attr));
	return MNL_CB_OK;
}

static int take_link(const struct nlmsghdr *message, struct net_links *links)
{
	const struct ifinfomsg *m = mnl_nlmsg_get_payload(message);
	struct net_link *link;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m))
		return MNL_CB_OK;
	if (links->homes && net_homes_routed(links->homes, (unsigned)m->ifi_index))
		links->routed_there = true;
	link = find(links, (unsigned)m->ifi_index);
	if (!link)
		return MNL_CB_OK;
	link->flags = m->ifi_flags;
	link->type = m->ifi_type;
	link->path.carrier = (m->ifi_flags & IFF_RUNNING) != 0;
	mnl_attr_parse(message, sizeof(*m), take_name, link->path.name);
	return MNL_CB_OK;
}

static void mark_default(struct net_links *links, unsigned ifindex)
{
	struct net_link *link = find(links, ifindex);

	if (link)
		link->default_route = true;
}

/* The interface a default route leaves by; a route of several hops names them in a list. */
static int take_hops(const struct nlattr *attr, void *links)
{
	const char *at = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	struct rtnexthop hop;
	size_t step;

	if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		mark_default(links, mnl_attr_get_u32(attr));
	if (mnl_attr_get_type(attr) != RTA_MULTIPATH)
		return MNL_CB_OK;

	while (left >= sizeof(hop)) {
		memcpy(&hop, at, sizeof(hop));
		mark_default(links, (unsigned)hop.rtnh_ifindex);
		step = ((size_t)hop.rtnh_len + RTNH_ALIGNTO - 1) / RTNH_ALIGNTO * RTNH_ALIGNTO;
		if (step < sizeof(hop) || step > left)
			break;
		at += step;
		left -= step;
	}
	return MNL_CB_OK;
}

static int take_route(const struct nlmsghdr *message, struct net_links *links)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);

	if (++links->routes_seen > NET_ROUTES_MAX)
		return MNL_CB_STOP;
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) || m->rtm_family != AF_INET ||
		m->rtm_dst_len != 0 || m->rtm_type != RTN_UNICAST)
		return MNL_CB_OK;
	mnl_attr_parse(message, sizeof(*m), take_hops, links);
	return MNL_CB_OK;
}

static const struct {
	uint16_t answer;
	uint16_t request; /* addresses first: the others only complete what has one */
	int (*take)(const struct nlmsghdr *message, struct net_links *links);
} dumps[] = {
	{ RTM_NEWADDR, RTM_GETADDR, take_address },
	{ RTM_NEWLINK, RTM_GETLINK, take_link },
	{ RTM_NEWROUTE, RTM_GETROUTE, take_route },
};

int net_links_on_message(const struct nlmsghdr *message, void *links)
{
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++)
		if (dumps[i].answer == message->nlmsg_type)
			return dumps[i].take(message, links);
	return MNL_CB_OK;
}

static int dump(struct mnl_socket *socket, uint16_t request, struct net_links *links)
{
	_Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct rtgenmsg *any;
	uint32_t sequence = request;
	ssize_t size;
	int r;

	message->nlmsg_type = request;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	message->nlmsg_seq = sequence;
	any = mnl_nlmsg_put_extra_header(message, sizeof(struct ifinfomsg));
	any->rtgen_family = request == RTM_GETLINK ? AF_UNSPEC : AF_INET;
	if (mnl_socket_sendto(socket, message, message->nlmsg_len) < 0)
		return -errno;
	do {
		size = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (size < 0)
			return -errno;
		r = mnl_cb_run(buffer, (size_t)size, sequence, mnl_socket_get_portid(socket),
			net_links_on_message, links);
	} while (r > MNL_CB_STOP);
	return r < 0 ? -errno : 0;
}

static int read_once(struct net_links *ret_links, const struct net_homes *homes)
{
	struct mnl_socket *socket;
	int r = 0;

	*ret_links = (struct net_links){ .homes = homes };
	for (size_t i = 0; !r && i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		/* A socket a dump: one that is given up half read leaves nothing behind. */
		socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
		if (!socket)
			return -errno;
		r = mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : 0;
		if (!r)
			r = dump(socket, dumps[i].request, ret_links);
		mnl_socket_close(socket);
	}
	return r;
}

/* Links that change under a dump spoil it (EINTR): soon they do not. */
int net_links_read(struct net_links *ret_links, const struct net_homes *homes)
{
	int r = -EINTR;

	for (unsigned i = 0; i < TRIES_MAX && r == -EINTR; i++)
		r = read_once(ret_links, homes);
	return r;
}

static bool named(const struct net_link *link, const char *const *patterns, unsigned count)
{
	bool loopback = (link->flags & IFF_LOOPBACK) != 0;

	for (unsigned i = 0; i < count; i++) {
		/* "*" does not mean the loopback. */
		if (loopback ? !strcmp(patterns[i], link->path.name)
			     : !fnmatch(patterns[i], link->path.name, 0))
			return loopback || (link->flags & IFF_MULTICAST);
	}
	return false;
}

/* Which interfaces are used where none is named. */
enum by { BY_NAME, BY_DEFAULT_ROUTE, BY_FORMER_ROUTE, BY_TYPE };

static bool unnamed(const struct net_link *link, const struct net_homes *homes, enum by by)
{
	if (!(link->flags & IFF_MULTICAST) || link->flags & IFF_LOOPBACK)
		return false;
	if (by == BY_DEFAULT_ROUTE)
		return link->default_route;
	if (by == BY_FORMER_ROUTE)
		return net_homes_routed(homes, link->path.ifindex);
	return link->type == ARPHRD_ETHER && !(link->flags & IFF_POINTOPOINT);
}

static enum by way_to_choose(const struct net_links *links, unsigned patterns_count)
{
	if (patterns_count)
		return BY_NAME;
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].flags & IFF_UP &&
			unnamed(&links->items[i], NULL, BY_DEFAULT_ROUTE))
			return BY_DEFAULT_ROUTE;
	return links->routed_there ? BY_FORMER_ROUTE : BY_TYPE;
}

/* False: it has no address that may be used. */
static bool path_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const struct net_link *link, struct net_path *ret_path)
{
	const struct net_address *address = net_homes_choose(homes, now_us, link->path.ifindex,
		link->path.carrier, links->addresses, links->addresses_count);

	if (!address)
		return false;
	*ret_path = link->path;
	ret_path->address = address->address;
	ret_path->prefix = address->prefix;
	return true;
}

unsigned net_links_choose(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX])
{
	enum by by = way_to_choose(links, patterns_count);
	unsigned count = 0;

	net_homes_look(homes, now_us, links->addresses, links->addresses_count);
	for (unsigned i = 0; i < links->count && count < NET_PATHS_MAX; i++) {
		const struct net_link *link = &links->items[i];

		if (!(link->flags & IFF_UP))
			continue;
		if (by == BY_NAME ? !named(link, patterns, patterns_count)
				  : !unnamed(link, homes, by))
			continue;
		count += path_of(links, homes, now_us, link, &ret_paths[count]);
		if (by == BY_DEFAULT_ROUTE)
			net_homes_set_routed(homes, link->path.ifindex);
	}
	return count;
}

const struct net_path *net_links_path_to(
	const struct net_path *paths, unsigned count, const uint8_t address[4])
{
	const struct net_path *best = NULL;
	struct in_addr to;

	memcpy(&to, address, sizeof(to));
	for (unsigned i = 0; i < count; i++) {
		uint32_t differs = ntohl(to.s_addr ^ paths[i].address.s_addr);
		unsigned prefix = paths[i].prefix;

		if (prefix <= 32 && (prefix == 0 || differs >> (32 - prefix) == 0) &&
			(!best || prefix > best->prefix))
			best = &paths[i];
	}
	return best ? best : count ? &paths[0] : NULL;
}

int net_links_monitor(void)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE };
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		address.nl_groups |= 1u << (groups[i] - 1);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

/* Routers change routes all day; only default routes matter here. */
static bool matters(const struct nlmsghdr *message)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type != RTM_NEWROUTE && message->nlmsg_type != RTM_DELROUTE)
		return true;
	return mnl_nlmsg_get_payload_len(message) >= sizeof(*m) && m->rtm_dst_len == 0;
}

bool net_links_changed(int monitor)
{
	union {
		struct nlmsghdr first;
		char bytes[BUFFER_SIZE];
	} buffer;
	bool changed = false;

	for (unsigned i = 0; i < CHANGES_MAX; i++) {
		ssize_t size = recv(monitor, &buffer, sizeof(buffer), MSG_DONTWAIT);
		int left = (int)size;

		if (size < 0 && errno == ENOBUFS)
			changed = true; /* some were lost */
		if (size <= 0)
			break;
		for (const struct nlmsghdr *m = &buffer.first; mnl_nlmsg_ok(m, left);
			m = mnl_nlmsg_next(m, &left))
			changed = changed || matters(m);
	}
	return changed;
}
