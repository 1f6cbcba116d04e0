/* SPDX-License-Identifier: Apache-2.0 */
/* machine: the links of a machine as netlink messages, and the choice among them. */
#ifndef ELECTD_TEST_NET_MACHINE_H
#define ELECTD_TEST_NET_MACHINE_H

#include "net/links.h"
#include "net/mark.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_bridge.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

enum { ORDINARY = IFF_UP | IFF_RUNNING | IFF_MULTICAST | IFF_BROADCAST };

enum { NOW = 1000000 };

static struct net_links links;
static struct net_homes homes;
static struct net_path paths[NET_PATHS_MAX];
static unsigned families;
static _Alignas(struct nlmsghdr) char buffer[4096];

static inline int machine_setup(void **state)
{
	(void)state;
	net_links_clear(&links);
	memset(&homes, 0, sizeof(homes));
	net_homes_set_clock(&homes, 1000); /* later than every stamp in the tests */
	memset(paths, 0, sizeof(paths));
	families = NET_IPV4;
	return 0;
}

static inline int machine_clear(void **state)
{
	(void)state;
	net_links_clear(&links);
	return 0;
}

/* ---- messages in the form of the kernel ------------------------------------------------------ */

static inline struct nlmsghdr *begin(uint16_t type, size_t extra, void **ret_extra)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = type;
	*ret_extra = mnl_nlmsg_put_extra_header(message, extra);
	return message;
}

static inline void add_stamped(
	unsigned ifindex, const char *text, uint8_t prefix, uint8_t flags, uint32_t created)
{
	const struct ifa_cacheinfo info = { .cstamp = created, .tstamp = 77 };
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg), &extra);
	struct ifaddrmsg *m = extra;

	m->ifa_family = AF_INET;
	m->ifa_index = ifindex;
	m->ifa_prefixlen = prefix;
	m->ifa_flags = flags;
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u32(message, IFA_LOCAL, inet_addr(text));
	mnl_attr_put_u32(message, IFA_ADDRESS, inet_addr("203.0.113.1")); /* a peer, not ours */
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

/* An address with a lifetime, as electd-address adds it. 0 or NULL: without that mark. */
static inline void add_labelled(unsigned ifindex, const char *text, uint8_t prefix, uint8_t flags,
	uint8_t proto, const char *label)
{
	const struct ifa_cacheinfo info = { .cstamp = 100, .ifa_valid = 1 };
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg), &extra);
	struct ifaddrmsg *m = extra;

	m->ifa_family = AF_INET;
	m->ifa_index = ifindex;
	m->ifa_prefixlen = prefix;
	m->ifa_flags = flags;
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u32(message, IFA_LOCAL, inet_addr(text));
	if (label)
		mnl_attr_put_strz(message, IFA_LABEL, label);
	if (proto)
		mnl_attr_put_u8(message, NET_MARK_ATTRIBUTE, proto);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

/* As electd-address adds one. */
static inline void add_marked(unsigned ifindex, const char *text, uint8_t proto, const char *label)
{
	add_labelled(ifindex, text, 32, 0, proto, label);
}

/* The form of newer kernels, which have more flags than fit into the header. */
static inline void add_ipv6(unsigned ifindex, const char *text, uint32_t flags)
{
	const struct ifa_cacheinfo info = { .cstamp = 100, .tstamp = 77 };
	struct in6_addr address;
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg), &extra);
	struct ifaddrmsg *m = extra;

	inet_pton(AF_INET6, text, &address);
	m->ifa_family = AF_INET6;
	m->ifa_index = ifindex;
	m->ifa_prefixlen = 64;
	m->ifa_flags = (uint8_t)flags;
	mnl_attr_put(message, IFA_ADDRESS, sizeof(address), &address);
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(info), &info);
	mnl_attr_put_u32(message, IFA_FLAGS, flags);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static inline void add_address(unsigned ifindex, const char *text, uint8_t prefix)
{
	add_stamped(ifindex, text, prefix, IFA_F_PERMANENT, 100);
}

/* A dump names a link once, so a later message of a test replaces the earlier one. */
static inline void take(const struct nlmsghdr *message)
{
	struct net_link link;

	for (unsigned i = 0; net_link_from(message, &link) && i < links.count; i++)
		if (links.items[i].ifindex == link.ifindex)
			links.items[i--] = links.items[--links.count];
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static inline void add_link(unsigned ifindex, const char *name, unsigned flags, uint16_t type)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWLINK, sizeof(struct ifinfomsg), &extra);
	struct ifinfomsg *m = extra;

	m->ifi_index = (int)ifindex;
	m->ifi_flags = flags;
	m->ifi_type = type;
	mnl_attr_put_strz(message, IFLA_IFNAME, name);
	take(message);
}

/* A link of any kind. A field that is 0 has its usual value and is not in the message. */
struct card {
	unsigned ifindex;
	const char *name;
	const char *kind;
	uint16_t type;	/* 0: ARPHRD_ETHER */
	unsigned flags; /* in addition to ORDINARY */
	bool off;	/* no carrier of its own */
	bool down;
	unsigned master;
	const char *master_kind; /* NULL with a master: "bridge" */
	bool blocked;
	unsigned lower;
	bool lower_elsewhere;
	const char *bus;
	const char *altname;
};

/* clang-format off */
#define CARD(number, nick, ...) { .ifindex = number, .name = nick, __VA_ARGS__ }
/* clang-format on */

static inline void add_card_info(struct nlmsghdr *message, const struct card *card)
{
	struct nlattr *info = mnl_attr_nest_start(message, IFLA_LINKINFO), *data;
	const char *master_kind = card->master_kind ? card->master_kind : "bridge";

	if (card->kind)
		mnl_attr_put_strz(message, IFLA_INFO_KIND, card->kind);
	if (card->master || card->master_kind)
		mnl_attr_put_strz(message, IFLA_INFO_SLAVE_KIND, master_kind);
	if (card->master && !strcmp(master_kind, "bridge")) {
		data = mnl_attr_nest_start(message, IFLA_INFO_SLAVE_DATA);
		mnl_attr_put_u8(message, IFLA_BRPORT_STATE,
			card->blocked ? BR_STATE_BLOCKING : BR_STATE_FORWARDING);
		mnl_attr_nest_end(message, data);
	}
	mnl_attr_nest_end(message, info);
}

static inline struct nlmsghdr *card_message(const struct card *card)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWLINK, sizeof(struct ifinfomsg), &extra);
	struct ifinfomsg *m = extra;
	struct nlattr *list;

	m->ifi_index = (int)card->ifindex;
	m->ifi_type = card->type ? card->type : ARPHRD_ETHER;
	m->ifi_flags = (ORDINARY & ~(card->off ? (unsigned)IFF_RUNNING : 0U) &
			       ~(card->down ? (unsigned)IFF_UP : 0U)) |
		card->flags;
	mnl_attr_put_strz(message, IFLA_IFNAME, card->name);
	if (card->master)
		mnl_attr_put_u32(message, IFLA_MASTER, card->master);
	if (card->lower)
		mnl_attr_put_u32(message, IFLA_LINK, card->lower);
	if (card->lower_elsewhere)
		mnl_attr_put_u32(message, IFLA_LINK_NETNSID, 0);
	if (card->bus)
		mnl_attr_put_strz(message, IFLA_PARENT_DEV_BUS_NAME, card->bus);
	add_card_info(message, card);
	if (card->altname) {
		list = mnl_attr_nest_start(message, IFLA_PROP_LIST);
		mnl_attr_put_strz(message, IFLA_ALT_IFNAME, card->altname);
		mnl_attr_nest_end(message, list);
	}
	return message;
}

static inline void add_card(const struct card *card)
{
	take(card_message(card));
}

/* The list ends with a card without a name. */
static inline void add_cards(const struct card *cards)
{
	for (; cards->name; cards++)
		add_card(cards);
}

static inline struct nlmsghdr *begin_route_of(uint8_t family, uint8_t dst_len)
{
	void *extra;
	struct nlmsghdr *message = begin(RTM_NEWROUTE, sizeof(struct rtmsg), &extra);
	struct rtmsg *m = extra;

	m->rtm_family = family;
	m->rtm_dst_len = dst_len;
	m->rtm_table = RT_TABLE_MAIN;
	m->rtm_type = RTN_UNICAST;
	return message;
}

static inline struct nlmsghdr *begin_route(uint8_t dst_len)
{
	return begin_route_of(AF_INET, dst_len);
}

static inline void add_route(unsigned ifindex, uint8_t dst_len)
{
	struct nlmsghdr *message = begin_route(dst_len);

	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static inline void add_route_in(unsigned ifindex, uint32_t table)
{
	struct nlmsghdr *message = begin_route(0);
	struct rtmsg *m = mnl_nlmsg_get_payload(message);

	m->rtm_table = RT_TABLE_UNSPEC;
	mnl_attr_put_u32(message, RTA_TABLE, table);
	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static inline void add_route6(unsigned ifindex)
{
	struct nlmsghdr *message = begin_route_of(AF_INET6, 0);

	mnl_attr_put_u32(message, RTA_OIF, ifindex);
	assert_int_equal(net_links_on_message(message, &links), MNL_CB_OK);
}

static inline void one_interface(void)
{
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
}

/* lo, two Ethernet interfaces and a tunnel; there is no default route. */
static inline void usual_machine(void)
{
	add_address(1, "127.0.0.1", 8);
	add_address(2, "192.0.2.10", 24);
	add_address(3, "198.51.100.10", 24);
	add_address(4, "10.0.0.10", 24);
	add_link(1, "lo", IFF_UP | IFF_RUNNING | IFF_LOOPBACK, ARPHRD_LOOPBACK);
	add_link(2, "eth0", ORDINARY, ARPHRD_ETHER);
	add_link(3, "eth1", ORDINARY, ARPHRD_ETHER);
	add_link(4, "tun0", ORDINARY | IFF_POINTOPOINT, ARPHRD_NONE);
}

static inline bool is_at(unsigned index, const char *text)
{
	const uint8_t family = strchr(text, ':') ? 6 : 4;
	uint8_t bytes[16] = { 0 };

	inet_pton(family == 6 ? AF_INET6 : AF_INET, text, bytes);
	return paths[index].address.family == family &&
		!memcmp(paths[index].address.bytes, bytes, sizeof(bytes));
}

/* The chosen names, separated by spaces. */
static inline const char *chosen(const char *const *patterns, unsigned count)
{
	static char text[NET_PATHS_MAX * IF_NAMESIZE];
	unsigned found;

	net_links_complete(&links);
	found = net_links_choose(&links, &homes, NOW, families, patterns, count, paths);
	*text = '\0';
	for (unsigned i = 0; i < found; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			paths[i].name);
	return text;
}

static inline const char *chosen_by(const char *pattern)
{
	return chosen(&pattern, 1);
}

/* Forgets all links; the following ones belong to another look. */
static inline void anew(void)
{
	net_links_clear(&links);
}

#endif
