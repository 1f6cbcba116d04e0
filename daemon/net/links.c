/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: see net/links.h. Must not keep sockets open but the monitor's, and must not choose by a
 * notification: it decides only when the links are read again.
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

static const struct net_link *look_up(const struct net_links *links, unsigned ifindex)
{
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].ifindex == ifindex)
			return &links->items[i];
	return NULL;
}

static struct net_link *find(struct net_links *links, unsigned ifindex)
{
	return (struct net_link *)look_up(links, ifindex);
}

static size_t address_size(uint8_t family)
{
	return family == 6 ? 16 : 4;
}

/* What an address is to us: of a tunnel IFA_ADDRESS is the other end. */
static void take_bytes(const struct nlattr *attr, struct net_address *a)
{
	bool own = mnl_attr_get_type(attr) == IFA_LOCAL;
	static const uint8_t none[16];

	if (mnl_attr_get_payload_len(attr) != address_size(a->address.family) ||
		(!own && (a->address.family == 4 || memcmp(a->address.bytes, none, 16))))
		return;
	memcpy(a->address.bytes, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

/* IPv6: those for privacy, which are others each day, have the bit of secondary ones. */
static void take_flags(uint32_t flags, struct net_address *a)
{
	a->secondary = (flags & (IFA_F_SECONDARY | IFA_F_DEPRECATED)) != 0;
	a->leased = !(flags & IFA_F_PERMANENT);
	a->duplicate = (flags & IFA_F_DADFAILED) != 0;
	a->tentative = !a->duplicate && flags & (IFA_F_TENTATIVE | IFA_F_OPTIMISTIC);
	a->temporary = a->address.family == 6 && flags & IFA_F_TEMPORARY;
}

/* mnl_attr_parse() hands over each attribute with the place to write to. */
static int take_about_address(const struct nlattr *attr, void *address)
{
	struct net_address *a = address;
	struct ifa_cacheinfo info;

	switch (mnl_attr_get_type(attr)) {
	case IFA_LOCAL:
	case IFA_ADDRESS:
		take_bytes(attr, a);
		break;
	case IFA_FLAGS: /* those of the header have eight bits only */
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			take_flags(mnl_attr_get_u32(attr), a);
		break;
	case IFA_CACHEINFO:
		if (mnl_attr_get_payload_len(attr) < sizeof(info))
			break;
		memcpy(&info, mnl_attr_get_payload(attr), sizeof(info));
		a->created = info.cstamp;
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static struct net_link *link_of(struct net_links *links, unsigned ifindex)
{
	struct net_link *link = find(links, ifindex);

	if (link || links->count == NET_LINKS_MAX)
		return link;
	link = &links->items[links->count++];
	*link = (struct net_link){ .ifindex = ifindex };
	return link;
}

static bool of_a_host(const struct elect_address *a)
{
	static const uint8_t none[16];

	return memcmp(a->bytes, none, address_size(a->family)) != 0;
}

static int take_address(const struct nlmsghdr *message, struct net_links *links)
{
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(message);
	struct net_address address = { 0 };
	struct net_link *link;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) ||
		(m->ifa_family != AF_INET && m->ifa_family != AF_INET6))
		return MNL_CB_OK;
	address.ifindex = m->ifa_index;
	address.prefix = m->ifa_prefixlen;
	address.address.family = m->ifa_family == AF_INET6 ? 6 : 4;
	take_flags(m->ifa_flags, &address);
	mnl_attr_parse(message, sizeof(*m), take_about_address, &address);
	if (!of_a_host(&address.address) || address.temporary ||
		links->addresses_count == NET_ADDRESSES_MAX)
		return MNL_CB_OK;

	link = link_of(links, m->ifa_index);
	if (!link)
		return MNL_CB_OK;
	if (!elect_address_link_local(&address.address))
		link->routable |= net_family(address.address.family);
	links->addresses[links->addresses_count++] = address;
	return MNL_CB_OK;
}

static int take_about_master(const struct nlattr *attr, void *link)
{
	if (mnl_attr_get_type(attr) == IFLA_INFO_SLAVE_KIND &&
		mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		((struct net_link *)link)->bridged = !strcmp(mnl_attr_get_str(attr), "bridge");
	return MNL_CB_OK;
}

static int take_about_link(const struct nlattr *attr, void *user)
{
	struct net_link *link = user;

	if (mnl_attr_get_type(attr) == IFLA_IFNAME &&
		mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(link->name, sizeof(link->name), "%s", mnl_attr_get_str(attr));
	if (mnl_attr_get_type(attr) == IFLA_LINKINFO)
		mnl_attr_parse_nested(attr, take_about_master, link);
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
	mnl_attr_parse(message, sizeof(*m), take_about_link, link);
	return MNL_CB_OK;
}

/* A default route being read. */
struct route {
	struct net_links *links;
	unsigned family;
};

/* An interface without an address is kept too: its first address may bring it into use. */
static void mark_default(const struct route *route, unsigned ifindex)
{
	struct net_link *link = link_of(route->links, ifindex);

	if (link)
		link->default_routes |= route->family;
}

/* The interface a default route leaves by; a route of several hops names them in a list. */
static int take_hops(const struct nlattr *attr, void *route)
{
	const char *at = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	struct rtnexthop hop;
	size_t step;

	if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		mark_default(route, mnl_attr_get_u32(attr));
	if (mnl_attr_get_type(attr) != RTA_MULTIPATH)
		return MNL_CB_OK;

	while (left >= sizeof(hop)) {
		memcpy(&hop, at, sizeof(hop));
		mark_default(route, (unsigned)hop.rtnh_ifindex);
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
	struct route route = { links, 0 };

	if (++links->routes_seen > NET_ROUTES_MAX)
		return MNL_CB_STOP;
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) ||
		(m->rtm_family != AF_INET && m->rtm_family != AF_INET6) || m->rtm_dst_len != 0 ||
		m->rtm_type != RTN_UNICAST)
		return MNL_CB_OK;
	route.family = m->rtm_family == AF_INET6 ? NET_IPV6 : NET_IPV4;
	mnl_attr_parse(message, sizeof(*m), take_hops, &route);
	return MNL_CB_OK;
}

static const struct {
	uint16_t answer;
	uint16_t request; /* addresses first: the others only complete what has one */
	uint8_t family;
	int (*take)(const struct nlmsghdr *message, struct net_links *links);
} dumps[] = {
	{ RTM_NEWADDR, RTM_GETADDR, AF_UNSPEC, take_address },
	{ RTM_NEWLINK, RTM_GETLINK, AF_UNSPEC, take_link },
	{ RTM_NEWROUTE, RTM_GETROUTE, AF_INET, take_route },
	{ RTM_NEWROUTE, RTM_GETROUTE, AF_INET6, take_route }, /* without IPv6: once more the same */
};

int net_links_on_message(const struct nlmsghdr *message, void *links)
{
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++)
		if (dumps[i].answer == message->nlmsg_type)
			return dumps[i].take(message, links);
	return MNL_CB_OK;
}

static int dump(
	struct mnl_socket *socket, uint16_t request, uint8_t family, struct net_links *links)
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
	any->rtgen_family = family;
	links->routes_seen = 0;
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

	ret_links->count = ret_links->addresses_count = 0; /* pages beyond are not touched */
	ret_links->homes = homes;
	ret_links->routed_there = false;
	ret_links->any_may_be_used = true; /* until net_links_choose() knows better */
	for (size_t i = 0; !r && i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		/* A socket a dump: one that is given up half read leaves nothing behind. Each part
		   is in the queue before it is asked for; a part that is missing ends the read. */
		socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (!socket)
			return -errno;
		r = mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : 0;
		if (!r)
			r = dump(socket, dumps[i].request, dumps[i].family, ret_links);
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
		if (loopback ? !strcmp(patterns[i], link->name)
			     : !fnmatch(patterns[i], link->name, 0))
			return loopback || (link->flags & IFF_MULTICAST);
	}
	return false;
}

/* Which interfaces are used where none is named. */
enum by { BY_NAME, BY_DEFAULT_ROUTE, BY_FORMER_ROUTE, BY_ADDRESS, BY_TYPE };

static bool unnamed(
	const struct net_link *link, const struct net_homes *homes, unsigned families, enum by by)
{
	if (!(link->flags & IFF_MULTICAST) || link->flags & IFF_LOOPBACK)
		return false;
	if (by == BY_DEFAULT_ROUTE)
		return link->default_routes & families;
	if (by == BY_FORMER_ROUTE)
		return net_homes_routed(homes, link->ifindex);
	return link->type == ARPHRD_ETHER && !(link->flags & IFF_POINTOPOINT) &&
		(by == BY_TYPE || link->routable & families);
}

static bool any_unnamed(const struct net_links *links, unsigned families, enum by by)
{
	for (unsigned i = 0; i < links->count; i++)
		if (links->items[i].flags & IFF_UP && unnamed(&links->items[i], NULL, families, by))
			return true;
	return false;
}

static enum by way_to_choose(
	const struct net_links *links, unsigned families, unsigned patterns_count)
{
	if (patterns_count)
		return BY_NAME;
	if (any_unnamed(links, families, BY_DEFAULT_ROUTE))
		return BY_DEFAULT_ROUTE;
	if (links->routed_there)
		return BY_FORMER_ROUTE;
	return any_unnamed(links, families, BY_ADDRESS) ? BY_ADDRESS : BY_TYPE;
}

/* Another host has the only address there is. */
static const struct net_address *duplicate_of(
	const struct net_links *links, unsigned ifindex, uint8_t family)
{
	for (unsigned i = 0; i < links->addresses_count; i++) {
		const struct net_address *a = &links->addresses[i];

		if (a->ifindex == ifindex && a->address.family == family && a->duplicate)
			return a;
	}
	return NULL;
}

/* Nothing gets to a group by the loopback; and the bridge is the LAN, not its ports. */
static bool speaks_ipv6(const struct net_link *link)
{
	return !(link->flags & IFF_LOOPBACK || link->bridged);
}

/* False: it has no address that may be used. */
static bool path_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	const struct net_link *link, uint8_t family, struct net_path *ret_path)
{
	bool carrier = link->flags & IFF_RUNNING;
	const struct net_address *address = net_homes_choose(homes, now_us, link->ifindex, family,
		carrier, links->addresses, links->addresses_count);

	if (!address)
		address = duplicate_of(links, link->ifindex, family);
	if (!address || address->tentative)
		return false;
	*ret_path = (struct net_path){
		.link = net_link_number(link->ifindex, family),
		.ifindex = link->ifindex,
		.address = address->address,
		.prefix = address->prefix,
		.created = address->created,
		.carrier = carrier && !address->duplicate,
		.duplicate = address->duplicate,
	};
	memcpy(ret_path->name, link->name, sizeof(ret_path->name));
	if (family == 6)
		address = net_homes_wide(
			homes, now_us, link->ifindex, links->addresses, links->addresses_count);
	if (family == 6 && address)
		ret_path->wide = address->address;
	return true;
}

/* By how many families. */
static unsigned paths_of(const struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const struct net_link *link, struct net_path *ret_paths)
{
	unsigned count = 0;

	if (families & NET_IPV4)
		count += path_of(links, homes, now_us, link, 4, &ret_paths[count]);
	if (families & NET_IPV6 && speaks_ipv6(link))
		count += path_of(links, homes, now_us, link, 6, &ret_paths[count]);
	return count;
}

unsigned net_links_choose(struct net_links *links, struct net_homes *homes, uint64_t now_us,
	unsigned families, const char *const *patterns, unsigned patterns_count,
	struct net_path ret_paths[NET_PATHS_MAX])
{
	enum by by = way_to_choose(links, families, patterns_count);
	unsigned count = 0, interfaces = 0, more;

	links->any_may_be_used = by == BY_ADDRESS || by == BY_TYPE;
	net_homes_look(homes, now_us, links->addresses, links->addresses_count);
	for (unsigned i = 0; i < links->count && interfaces < NET_INTERFACES_MAX; i++) {
		const struct net_link *link = &links->items[i];

		if (!(link->flags & IFF_UP))
			continue;
		if (by == BY_NAME ? !named(link, patterns, patterns_count)
				  : !unnamed(link, homes, families, by))
			continue;
		more = paths_of(links, homes, now_us, families, link, &ret_paths[count]);
		count += more;
		interfaces += more > 0;
		if (by == BY_DEFAULT_ROUTE)
			net_homes_set_routed(homes, link->ifindex);
	}
	return count;
}

int net_links_monitor(void)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE,
		RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV6_ROUTE };
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

/* Whether a change of `link` may change which interfaces are used. Its name "" is looked up. */
static bool may_be_used(const struct net_links *links, const char *const *patterns,
	unsigned patterns_count, struct net_link *link)
{
	const struct net_link *before = look_up(links, link->ifindex);

	if (links->any_may_be_used || (before && before->default_routes) ||
		(links->homes && net_homes_routed(links->homes, link->ifindex)))
		return true;
	if (!patterns_count)
		return false;
	/* The former name counts too: an interface in use may have got another one. */
	if (before && named(before, patterns, patterns_count))
		return true;
	return (link->name[0] || if_indextoname(link->ifindex, link->name)) &&
		named(link, patterns, patterns_count);
}

/* The interface that a notification is about; false: the notification is of no kind known here. */
static bool take_changed(const struct nlmsghdr *message, struct net_link *ret_link)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(message);
	const struct ifaddrmsg *address = mnl_nlmsg_get_payload(message);
	size_t size = mnl_nlmsg_get_payload_len(message);

	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		if (size < sizeof(*link))
			return false;
		ret_link->ifindex = (unsigned)link->ifi_index;
		ret_link->flags = link->ifi_flags;
		mnl_attr_parse(message, sizeof(*link), take_about_link, ret_link);
		return true;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (size < sizeof(*address))
			return false;
		ret_link->ifindex = address->ifa_index;
		ret_link->flags = IFF_MULTICAST; /* unknown here: the read decides */
		return true;
	default:
		return false;
	}
}

/* Routers change routes all day; only default routes matter here. */
static bool is_default_route(const struct nlmsghdr *message)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);

	return mnl_nlmsg_get_payload_len(message) >= sizeof(*m) && m->rtm_dst_len == 0;
}

static enum net_change change_of(const struct nlmsghdr *message, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count)
{
	struct net_link link = { 0 };

	if (message->nlmsg_type == RTM_NEWROUTE || message->nlmsg_type == RTM_DELROUTE)
		return is_default_route(message) ? NET_CHANGE_IN_USE : NET_CHANGE_NONE;
	if (!take_changed(message, &link) || may_be_used(links, patterns, patterns_count, &link))
		return NET_CHANGE_IN_USE;
	return NET_CHANGE_ELSEWHERE;
}

enum net_change net_links_changed(int monitor, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count)
{
	union {
		struct nlmsghdr first;
		char bytes[BUFFER_SIZE];
	} buffer;
	enum net_change most = NET_CHANGE_NONE, change;

	for (unsigned i = 0; i < CHANGES_MAX; i++) {
		ssize_t size = recv(monitor, &buffer, sizeof(buffer), MSG_DONTWAIT | MSG_TRUNC);
		bool cut = size > (ssize_t)sizeof(buffer); /* a link with many other names */
		int left = cut ? 0 : (int)size;

		if (cut || (size < 0 && errno == ENOBUFS))
			most = NET_CHANGE_IN_USE; /* the kernel has lost some, or this reader has */
		if (size <= 0)
			break;
		for (const struct nlmsghdr *m = &buffer.first; mnl_nlmsg_ok(m, left);
			m = mnl_nlmsg_next(m, &left)) {
			change = change_of(m, links, patterns, patterns_count);
			most = change > most ? change : most;
		}
	}
	return most;
}
