/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump: reads links, addresses and default routes as the kernel dumps them, see net/links.h. It
 * reads each dump to its end and does not judge what it reads.
 */
#include "links.h"
#include "mark.h"
#include "route.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_bridge.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum {
	/*
	 * The size of one part of a dump. A message about a link may have 64 KiB of alternative
	 * names, the most that an attribute holds. All other messages fit into the kernel's parts
	 * of 32 KiB.
	 */
	BUFFER_SIZE = 128 * 1024,
	/* tries until a spoilt dump is used */
	TRIES_MAX = 4,
};

/* ---- addresses ------------------------------------------------------------------------------- */

static size_t address_size(uint8_t family)
{
	return family == 6 ? 16 : 4;
}

/* Takes the address of this host. In a tunnel, IFA_ADDRESS is the other end. */
static void take_bytes(const struct nlattr *attr, struct net_address *a)
{
	bool own = mnl_attr_get_type(attr) == IFA_LOCAL;
	static const uint8_t none[16];

	if (mnl_attr_get_payload_len(attr) != address_size(a->address.family) ||
		(!own && (a->address.family == 4 || memcmp(a->address.bytes, none, 16))))
		return;
	memcpy(a->address.bytes, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

/* In IPv6, privacy addresses have the bit IFA_F_SECONDARY, too. */
static void take_flags(uint32_t flags, struct net_address *a)
{
	a->secondary = (flags & (IFA_F_SECONDARY | IFA_F_DEPRECATED)) != 0;
	a->leased = !(flags & IFA_F_PERMANENT);
	a->duplicate = (flags & IFA_F_DADFAILED) != 0;
	a->tentative = !a->duplicate && flags & (IFA_F_TENTATIVE | IFA_F_OPTIMISTIC);
	a->temporary = a->address.family == 6 && flags & IFA_F_TEMPORARY;
}

/* For mnl_attr_parse(), which calls it for each attribute. */
static int take_about_address(const struct nlattr *attr, void *address)
{
	struct net_address *a = address;
	struct ifa_cacheinfo info;

	switch (mnl_attr_get_type(attr)) {
	case IFA_LOCAL:
	case IFA_ADDRESS:
		take_bytes(attr, a);
		break;
	case IFA_FLAGS: /* the header has only eight of the flags */
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			take_flags(mnl_attr_get_u32(attr), a);
		break;
	case IFA_CACHEINFO:
		if (mnl_attr_get_payload_len(attr) < sizeof(info))
			break;
		memcpy(&info, mnl_attr_get_payload(attr), sizeof(info));
		a->created = info.cstamp;
		break;
	case NET_MARK_ATTRIBUTE:
		if (mnl_attr_validate(attr, MNL_TYPE_U8) >= 0)
			a->of_leader = a->of_leader || mnl_attr_get_u8(attr) == NET_MARK_PROTO;
		break;
	case IFA_LABEL: /* by default the name of the interface, which may be the same */
		if (a->prefix == 32 && a->leased &&
			mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			a->of_leader =
				a->of_leader || !strcmp(mnl_attr_get_str(attr), NET_MARK_LABEL);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static bool of_a_host(const struct elect_address *a)
{
	static const uint8_t none[16];

	return memcmp(a->bytes, none, address_size(a->family)) != 0;
}

bool net_address_from(const struct nlmsghdr *message, struct net_address *ret)
{
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(message);

	*ret = (struct net_address){ 0 };
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) ||
		(m->ifa_family != AF_INET && m->ifa_family != AF_INET6))
		return false;
	ret->ifindex = m->ifa_index;
	ret->prefix = m->ifa_prefixlen;
	ret->address.family = m->ifa_family == AF_INET6 ? 6 : 4;
	take_flags(m->ifa_flags, ret);
	mnl_attr_parse(message, sizeof(*m), take_about_address, ret);
	return of_a_host(&ret->address);
}

static int take_address(const struct nlmsghdr *message, struct net_links *links)
{
	struct net_address address;

	if (net_address_from(message, &address) && !net_address_unused(&address))
		net_links_add_address(links, &address);
	return MNL_CB_OK;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void take_name(const struct nlattr *attr, char ret_name[IF_NAMESIZE])
{
	if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(ret_name, IF_NAMESIZE, "%s", mnl_attr_get_str(attr));
}

static int take_about_port(const struct nlattr *attr, void *link)
{
	if (mnl_attr_get_type(attr) == IFLA_BRPORT_STATE &&
		mnl_attr_validate(attr, MNL_TYPE_U8) >= 0)
		((struct net_link *)link)->blocked = mnl_attr_get_u8(attr) != BR_STATE_FORWARDING;
	return MNL_CB_OK;
}

static int take_kind(const struct nlattr *attr, void *user)
{
	struct net_link *link = user;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_INFO_KIND:
		take_name(attr, link->kind);
		break;
	case IFLA_INFO_SLAVE_KIND:
		take_name(attr, link->master_kind);
		break;
	case IFLA_INFO_SLAVE_DATA: /* the kernel puts it after the kind */
		if (!strcmp(link->master_kind, "bridge"))
			mnl_attr_parse_nested(attr, take_about_port, link);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static void take_number(const struct nlattr *attr, unsigned *ret_number)
{
	if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*ret_number = mnl_attr_get_u32(attr);
}

static int take_about_link(const struct nlattr *attr, void *user)
{
	struct net_link *link = user;
	char bus[IF_NAMESIZE] = "";

	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		take_name(attr, link->name);
		break;
	case IFLA_MASTER:
		take_number(attr, &link->master);
		break;
	case IFLA_LINK:
		take_number(attr, &link->lower);
		break;
	case IFLA_LINK_NETNSID:
		link->lower_elsewhere = true;
		break;
	case IFLA_PARENT_DEV_BUS_NAME:
		take_name(attr, bus);
		link->guest = !strcmp(bus, "xen-backend");
		break;
	case IFLA_LINKINFO:
		mnl_attr_parse_nested(attr, take_kind, link);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

bool net_link_from(const struct nlmsghdr *message, struct net_link *ret_link)
{
	const struct ifinfomsg *m = mnl_nlmsg_get_payload(message);

	*ret_link = (struct net_link){ 0 };
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m))
		return false;
	ret_link->ifindex = (unsigned)m->ifi_index;
	ret_link->flags = m->ifi_flags;
	ret_link->type = m->ifi_type;
	mnl_attr_parse(message, sizeof(*m), take_about_link, ret_link);
	return true;
}

/* The link whose alternative names are being read. */
struct naming {
	struct net_links *links;
	unsigned first;
};

static int take_altname(const struct nlattr *attr, void *naming)
{
	struct naming *n = naming;

	if (mnl_attr_get_type(attr) == IFLA_ALT_IFNAME &&
		mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		net_links_add_altname(n->links, mnl_attr_get_str(attr), &n->first);
	return MNL_CB_OK;
}

static int take_altnames(const struct nlattr *attr, void *naming)
{
	if (mnl_attr_get_type(attr) == IFLA_PROP_LIST)
		mnl_attr_parse_nested(attr, take_altname, naming);
	return MNL_CB_OK;
}

static int take_link(const struct nlmsghdr *message, struct net_links *links)
{
	struct naming naming = { links, 0 };
	struct net_link link;

	if (!net_link_from(message, &link))
		return MNL_CB_OK;
	mnl_attr_parse(message, sizeof(struct ifinfomsg), take_altnames, &naming);
	link.altnames = naming.first;
	net_links_add(links, &link);
	return MNL_CB_OK;
}

/* ---- default routes -------------------------------------------------------------------------- */

/* A default route that is being read. `hop` is added for each of its hops. */
struct route {
	struct net_links *links;
	struct net_default hop;
	bool hops_named; /* its hops name interfaces, so the nexthop object is not needed */
};

/* A hop whose interface is gone has the index 0. */
static void add_hop(struct route *route, unsigned ifindex)
{
	struct net_default hop = route->hop;

	if (!ifindex)
		return;
	hop.ifindex = ifindex;
	net_links_add_default(route->links, &hop);
	route->hops_named = true;
}

static void take_hop(void *route, unsigned ifindex, const void *attrs, size_t size)
{
	(void)attrs;
	(void)size;
	add_hop(route, ifindex);
}

static int take_about_route(const struct nlattr *attr, void *user)
{
	struct route *route = user;

	switch (mnl_attr_get_type(attr)) {
	case RTA_TABLE: /* the header has only eight bits of the table, and comes first */
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			route->hop.main = mnl_attr_get_u32(attr) == RT_TABLE_MAIN;
		break;
	case RTA_NH_ID:
		take_number(attr, &route->hop.nexthop);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static int take_interfaces(const struct nlattr *attr, void *route)
{
	unsigned ifindex = 0;

	if (mnl_attr_get_type(attr) == RTA_OIF)
		take_number(attr, &ifindex);
	add_hop(route, ifindex);
	if (mnl_attr_get_type(attr) == RTA_MULTIPATH)
		net_route_hops(attr, take_hop, route);
	return MNL_CB_OK;
}

static int take_route(const struct nlmsghdr *message, struct net_links *links)
{
	const struct rtmsg *m = mnl_nlmsg_get_payload(message);
	struct route route = { links, { 0 }, false };

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) ||
		(m->rtm_family != AF_INET && m->rtm_family != AF_INET6) || m->rtm_dst_len != 0 ||
		m->rtm_type != RTN_UNICAST)
		return MNL_CB_OK;
	route.hop.family = m->rtm_family == AF_INET6 ? NET_IPV6 : NET_IPV4;
	route.hop.main = m->rtm_table == RT_TABLE_MAIN;
	mnl_attr_parse(message, sizeof(*m), take_about_route, &route);
	mnl_attr_parse(message, sizeof(*m), take_interfaces, &route);
	if (!route.hops_named && route.hop.nexthop)
		net_links_add_default(links, &route.hop);
	return MNL_CB_OK;
}

/* ---- nexthop objects ------------------------------------------------------------------------- */

/* A nexthop object that is being read for the default route at index `at`. */
struct nexthop {
	struct net_links *links;
	unsigned at;
};

/* A group of nexthop objects stands for its members. It contains no other group. */
static void take_members(const struct nlattr *attr, struct nexthop *nexthop)
{
	const char *at = mnl_attr_get_payload(attr);
	struct net_default hop = nexthop->links->defaults[nexthop->at];
	struct nexthop_grp member;

	for (size_t left = mnl_attr_get_payload_len(attr); left >= sizeof(member);
		left -= sizeof(member), at += sizeof(member)) {
		memcpy(&member, at, sizeof(member));
		hop.nexthop = member.id;
		net_links_add_default(nexthop->links, &hop);
	}
}

static int take_about_nexthop(const struct nlattr *attr, void *user)
{
	struct nexthop *nexthop = user;

	if (mnl_attr_get_type(attr) == NHA_OIF)
		take_number(attr, &nexthop->links->defaults[nexthop->at].ifindex);
	if (mnl_attr_get_type(attr) == NHA_GROUP)
		take_members(attr, nexthop);
	return MNL_CB_OK;
}

static int net_on_nexthop(const struct nlmsghdr *message, void *nexthop)
{
	if (message->nlmsg_type == RTM_NEWNEXTHOP &&
		mnl_nlmsg_get_payload_len(message) >= sizeof(struct nhmsg))
		mnl_attr_parse(message, sizeof(struct nhmsg), take_about_nexthop, nexthop);
	return MNL_CB_STOP;
}

/* ---- the dumps ------------------------------------------------------------------------------- */

static const struct {
	uint16_t answer;
	int (*take)(const struct nlmsghdr *message, struct net_links *links);
} takers[] = {
	{ RTM_NEWLINK, take_link },
	{ RTM_NEWADDR, take_address },
	{ RTM_NEWROUTE, take_route },
};

int net_links_on_message(const struct nlmsghdr *message, void *links)
{
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (takers[i].answer == message->nlmsg_type)
			return takers[i].take(message, links);
	return MNL_CB_OK;
}

/* The kernel seldom fills much of it; on the stack each page of it would be used. */
static _Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];

struct question {
	struct nlmsghdr *message;
	mnl_cb_t take;
	void *user;
	bool spoilt; /* links changed during the dump */
};

static void *ask(struct question *q, uint16_t request, uint16_t flags, size_t header_size)
{
	q->message = mnl_nlmsg_put_header(buffer);
	q->message->nlmsg_type = request;
	q->message->nlmsg_flags = NLM_F_REQUEST | flags;
	q->message->nlmsg_seq = request;
	return mnl_nlmsg_put_extra_header(q->message, header_size);
}

/* An error message and the end of a dump have the error in the same place. 0 or -errno. */
static int error_in(const struct nlmsghdr *end)
{
	int error = 0;

	if (mnl_nlmsg_get_payload_len(end) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(end), sizeof(error));
	return error < 0 ? error : 0;
}

/*
 * Handles a part of an answer. mnl_cb_run() is not used, because it ignores an error at the end and
 * gives up a dump that is spoilt. Returns 1 if more must be read, else 0 or -errno.
 */
static int take_part(struct question *q, uint32_t sequence, size_t size)
{
	int left = (int)size;

	for (const struct nlmsghdr *m = (const struct nlmsghdr *)buffer; mnl_nlmsg_ok(m, left);
		m = mnl_nlmsg_next(m, &left)) {
		if (m->nlmsg_seq != sequence)
			continue;
		q->spoilt = q->spoilt || m->nlmsg_flags & NLM_F_DUMP_INTR;
		if (m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR)
			return error_in(m);
		if (m->nlmsg_type >= NLMSG_MIN_TYPE && q->take(m, q->user) == MNL_CB_STOP)
			return 0;
	}
	return 1;
}

static int hear(struct mnl_socket *socket, struct question *q)
{
	uint32_t sequence = q->message->nlmsg_seq;
	ssize_t size;
	int r;

	if (mnl_socket_sendto(socket, q->message, q->message->nlmsg_len) < 0)
		return -errno;
	do {
		size = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (size < 0)
			return -errno;
		r = take_part(q, sequence, (size_t)size);
	} while (r > 0);
	return r;
}

/*
 * Asks a question. Each one has its own socket, so that an abandoned answer leaves nothing behind.
 * The kernel queues the next part of a dump before that part is read, so a read that would block is
 * an error. A kernel before 4.20 has no strict checks and dumps the routes of all tables.
 */
static int put(struct question *q)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int r, on = 1;

	if (!socket)
		return -errno;
	mnl_socket_setsockopt(socket, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	r = mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : hear(socket, q);
	mnl_socket_close(socket);
	return r;
}

/* A dump to ask for. `family` and `table`: for RTM_GETROUTE; RT_TABLE_UNSPEC: all tables. */
struct dump {
	uint16_t request;
	uint8_t family;
	uint32_t table;
};

static void ask_dump(struct question *q, const struct dump *d)
{
	struct rtmsg *m;

	switch (d->request) {
	case RTM_GETLINK: /* without statistics */
		ask(q, d->request, NLM_F_DUMP, sizeof(struct ifinfomsg));
		mnl_attr_put_u32(q->message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
		break;
	case RTM_GETADDR:
		ask(q, d->request, NLM_F_DUMP, sizeof(struct ifaddrmsg));
		break;
	default:
		m = ask(q, d->request, NLM_F_DUMP, sizeof(*m));
		m->rtm_family = d->family;
		if (d->table)
			mnl_attr_put_u32(q->message, RTA_TABLE, d->table);
		break;
	}
}

/* Removes everything that was added since `before` was copied from `links`. */
static void go_back(struct net_links *links, const struct net_links *before)
{
	links->count = before->count;
	links->addresses_count = before->addresses_count;
	links->defaults_count = before->defaults_count;
	links->altnames_size = before->altnames_size;
	links->row_ifindex = links->row_count = 0;
	links->cut = before->cut;
	links->unsorted = before->unsorted;
}

/*
 * A spoilt dump may lack a link and contain another one twice. The last try is used all the same,
 * because a host whose links always change would otherwise have no links. The monitor has the
 * changes, so another read follows.
 */
static int dump(struct net_links *links, const struct dump *d)
{
	const struct net_links before = *links;
	struct question q = { .take = net_links_on_message, .user = links };
	int r;

	for (unsigned tries = 1;; tries++) {
		q.spoilt = false;
		ask_dump(&q, d);
		r = put(&q);
		if (r || !q.spoilt || tries == TRIES_MAX)
			return r;
		go_back(links, &before);
	}
}

/* ENOENT: the table does not exist. EMSGSIZE: a route longer than a part ended the dump. */
static int dump_routes(struct net_links *links, uint8_t family, uint32_t table)
{
	int r = dump(links, &(struct dump){ RTM_GETROUTE, family, table });

	if (r == -EMSGSIZE)
		links->cut++;
	return r == -ENOENT || r == -EAFNOSUPPORT || r == -EOPNOTSUPP || r == -EMSGSIZE ? 0 : r;
}

/* An object that is gone meanwhile (ENOENT) has no routes any more. */
static int read_nexthop(struct net_links *links, unsigned at)
{
	struct nexthop nexthop = { links, at };
	struct question q = { .take = net_on_nexthop, .user = &nexthop };
	int r;

	ask(&q, RTM_GETNEXTHOP, 0, sizeof(struct nhmsg));
	mnl_attr_put_u32(q.message, NHA_ID, links->defaults[at].nexthop);
	r = put(&q);
	return r == -ENOENT || r == -EOPNOTSUPP ? 0 : r;
}

/* A group appends its members to the list, so the loop reads them, too; a group is read once. */
static int read_nexthops(struct net_links *links, unsigned from)
{
	int r = 0;

	for (unsigned i = from; !r && i < links->defaults_count; i++)
		if (!links->defaults[i].ifindex)
			r = read_nexthop(links, i);
	return r;
}

static int read_routes(struct net_links *links, unsigned families, uint32_t table)
{
	unsigned from = links->defaults_count;
	int r = 0;

	if (families & NET_IPV4)
		r = dump_routes(links, AF_INET, table);
	if (!r && families & NET_IPV6)
		r = dump_routes(links, AF_INET6, table);
	return r ? r : read_nexthops(links, from);
}

/* A router may have a million routes in other tables: read them only if they may decide. */
static bool others_matter(const struct net_links *links)
{
	for (unsigned i = 0; i < links->defaults_count; i++) {
		const struct net_link *link = net_links_find(links, links->defaults[i].ifindex);

		if (link && links->defaults[i].main && link->flags & IFF_UP &&
			net_behind_may_be_lan(link))
			return false;
	}
	return true;
}

/* Sorts the links first, because addresses and routes are judged by them. */
static int read_all(struct net_links *links, unsigned families)
{
	int r = dump(links, &(struct dump){ .request = RTM_GETLINK });

	net_links_sort(links);
	if (!r)
		r = dump(links, &(struct dump){ .request = RTM_GETADDR });
	if (!r)
		r = read_routes(links, families, RT_TABLE_MAIN);
	if (!r && others_matter(links))
		r = read_routes(links, families, RT_TABLE_UNSPEC);
	net_links_complete(links);
	return r ? r : links->error;
}

static uint64_t processor_us(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

int net_links_read(struct net_links *ret_links, unsigned families)
{
	uint64_t began_us = processor_us();
	int r;

	ret_links->any_may_be_used = true; /* until net_links_choose() sets it */
	net_links_empty(ret_links);
	r = read_all(ret_links, families);
	ret_links->cost_us = (uint32_t)(processor_us() - began_us);
	return r;
}
