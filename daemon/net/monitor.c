/* SPDX-License-Identifier: Apache-2.0 */
/* monitor: see net/monitor.h. It never chooses by a notification: the links are read again. */
#include "mark.h"
#include "monitor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BUFFER_SIZE = 16384,
	CHANGES_MAX = 64, /* notifications per wake-up */
};

/*
 * Lets the kernel drop notifications about routes that are not default routes, and about addresses
 * with the mark of electd-address. A router changes thousands a second: they would fill the buffer,
 * and each overflow costs a look at all links; a leader refreshes its addresses all the time. A
 * notification has one message. 16-bit numbers are loaded in network order.
 */
static void drop_the_rest(int fd)
{
	enum {
		DESTINATION_BITS = NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_dst_len),
		FIRST_ATTRIBUTE = NLMSG_HDRLEN + sizeof(struct ifaddrmsg),
		FIND_ATTRIBUTE = SKF_AD_OFF + SKF_AD_NLATTR, /* X: its type. A: where to begin */
	};
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_type)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWADDR), 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELADDR), 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 0, 9),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, DESTINATION_BITS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 7, 8),
		BPF_STMT(BPF_LDX | BPF_IMM, NET_MARK_ATTRIBUTE),
		BPF_STMT(BPF_LD | BPF_IMM, FIRST_ATTRIBUTE),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)FIND_ATTRIBUTE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0), /* there is none */
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_IND, sizeof(struct nlattr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NET_MARK_PROTO, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	/* without the filter they are read and ignored, see change_of() */
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int net_links_monitor(void)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE,
		RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP };
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0)
		return -errno;
	drop_the_rest(fd);
	/* a kernel before 5.3 has no nexthop objects, and ignores the bit of their group */
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		address.nl_groups |= 1u << (groups[i] - 1);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

/* True if a change of `link` may change the choice of interfaces. Its name "" is looked up. */
static bool may_be_used(const struct net_links *links, const char *const *patterns,
	unsigned patterns_count, struct net_link *link)
{
	const struct net_link *before = net_links_find(links, link->ifindex);

	if (links->any_may_be_used || (before && (before->chosen || before->default_routes)) ||
		(links->homes && net_homes_routed(links->homes, link->ifindex)))
		return true;
	/* the notification has only the first name; the last look knows the others */
	for (unsigned i = 0; i < patterns_count; i++)
		if (before && net_links_named(links, before, patterns[i]))
			return true;
	if (!patterns_count || !(link->name[0] || if_indextoname(link->ifindex, link->name)))
		return false;
	for (unsigned i = 0; i < patterns_count; i++)
		if (net_links_named(links, link, patterns[i]))
			return true;
	return false;
}

/*
 * A bridge reports each of its ports a second time, without the kind of the port, so a new guest
 * would look like a cable. But such a message is the only one that reports the state of a known
 * port.
 */
static bool is_of_a_bridge(const struct nlmsghdr *message)
{
	return ((const struct ifinfomsg *)mnl_nlmsg_get_payload(message))->ifi_family == AF_BRIDGE;
}

/* The interface of a notification; false: the notification is of an unknown kind. */
static bool take_changed(const struct nlmsghdr *message, struct net_link *ret_link)
{
	const struct ifaddrmsg *address = mnl_nlmsg_get_payload(message);
	size_t size = mnl_nlmsg_get_payload_len(message);

	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		if (!net_link_from(message, ret_link))
			return false;
		if (is_of_a_bridge(message))
			ret_link->master = 0;
		return true;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (size < sizeof(*address))
			return false;
		ret_link->ifindex = address->ifa_index;
		return true;
	default:
		return false;
	}
}

/* Routers change routes all the time; only default routes matter here. */
static bool is_default_route(const struct nlmsghdr *message)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);

	return mnl_nlmsg_get_payload_len(message) >= sizeof(*m) && m->rtm_dst_len == 0;
}

static int take_id(const struct nlattr *attr, void *id)
{
	if (mnl_attr_get_type(attr) == NHA_ID && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*(uint32_t *)id = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

/*
 * Routers change nexthop objects all the time; only objects of default routes matter. `defaults`
 * has the groups and their members. If a route names the hops of its object as well, the kernel
 * reports each route that a change of the object changes.
 */
static bool is_of_a_default_route(const struct nlmsghdr *message, const struct net_links *links)
{
	uint32_t id = 0;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(struct nhmsg))
		return false;
	mnl_attr_parse(message, sizeof(struct nhmsg), take_id, &id);
	for (unsigned i = 0; i < links->defaults_count; i++)
		if (id && links->defaults[i].nexthop == id)
			return true;
	return false;
}

/* Only links: the addresses of a bridge port or bond slave are never used. */
static bool is_of_a_link(const struct nlmsghdr *message)
{
	return message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK;
}

/* Is that address stored, and the same but for its lifetimes? */
static bool is_known(const struct net_links *links, const struct net_address *a)
{
	const struct net_link *link = net_links_find(links, a->ifindex);
	const struct net_address *all = links->addresses;

	for (unsigned i = 0; link && i < link->addresses_count; i++) {
		const struct net_address *b = &all[link->addresses_first + i];

		if (elect_address_equal(&a->address, &b->address))
			return a->prefix == b->prefix && a->secondary == b->secondary &&
				a->leased == b->leased && a->tentative == b->tentative &&
				a->duplicate == b->duplicate && a->created == b->created;
	}
	return false;
}

/*
 * A renewed lease or a router advertisement changes only lifetimes, which nothing here uses. If the
 * address went meanwhile, another notification said so.
 */
static bool changes_nothing(const struct nlmsghdr *message, const struct net_links *links)
{
	struct net_address a;

	if ((message->nlmsg_type != RTM_NEWADDR && message->nlmsg_type != RTM_DELADDR) ||
		!net_address_from(message, &a))
		return false;
	return net_address_unused(&a) || net_links_left_out(links, &a.address) ||
		(message->nlmsg_type == RTM_NEWADDR && is_known(links, &a));
}

static enum net_change change_of(const struct nlmsghdr *message, const struct net_links *links,
	const char *const *patterns, unsigned patterns_count)
{
	struct net_link link = { 0 };

	if (message->nlmsg_type == RTM_NEWROUTE || message->nlmsg_type == RTM_DELROUTE)
		return is_default_route(message) ? NET_CHANGE_IN_USE : NET_CHANGE_NONE;
	if (message->nlmsg_type == RTM_NEWNEXTHOP || message->nlmsg_type == RTM_DELNEXTHOP)
		return is_of_a_default_route(message, links) ? NET_CHANGE_IN_USE : NET_CHANGE_NONE;
	if (changes_nothing(message, links))
		return NET_CHANGE_NONE;
	if (!take_changed(message, &link) || may_be_used(links, patterns, patterns_count, &link))
		return NET_CHANGE_IN_USE;
	if (is_of_a_link(message) && net_behind_matters(links, &link))
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
		bool cut = size > (ssize_t)sizeof(buffer); /* a link with many alternative names */
		int left = cut ? 0 : (int)size;

		if (cut || (size < 0 && errno == ENOBUFS))
			most = NET_CHANGE_IN_USE; /* some changes are lost */
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
