/* SPDX-License-Identifier: Apache-2.0 */
/* site: see site.h. */
#include "site.h"

#include "net/subnet.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

void sites_want(struct sites *s, const struct site *list, unsigned count)
{
	static struct sites before;

	before = *s;
	s->count = count < PLAN_MAX ? count : PLAN_MAX;
	for (unsigned i = 0; i < s->count; i++) {
		s->list[i] = list[i];
		for (unsigned k = 0; k < before.count; k++)
			if (elect_address_equal(&before.list[k].address, &list[i].address))
				s->list[i].now = before.list[k].now;
	}
}

void sites_read(struct sites *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		s->list[i].next = s->list[i].last = (struct plan_site){ 0 };
		s->list[i].bits = 0;
	}
}

/* ---- subnets --------------------------------------------------------------------------------- */

/* If several interfaces have such a subnet, the present one stays; else the oldest one gets it. */
static bool better(const struct site *w, unsigned bits, unsigned ifindex)
{
	if (bits != w->bits)
		return bits > w->bits;
	if (w->next.ifindex == w->now.ifindex)
		return false;
	return ifindex == w->now.ifindex || ifindex < w->next.ifindex;
}

void sites_own(struct sites *s, const struct message_address *own)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct site *w = &s->list[i];
		unsigned bits = w->interface[0]
			? 0
			: net_subnet_bits(&w->address, w->prefix, &own->address, own->prefix);

		if (!bits || !better(w, bits, own->ifindex))
			continue;
		w->next = (struct plan_site){ .ifindex = own->ifindex };
		w->bits = bits;
	}
}

/* ---- links ----------------------------------------------------------------------------------- */

/* A link, and a name that it may have. */
struct link {
	struct plan_site site;
	const struct nlattr *altnames;
};

static int take_attribute(const struct nlattr *attr, void *user)
{
	struct link *link = user;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			snprintf(link->site.name, sizeof(link->site.name), "%s",
				mnl_attr_get_str(attr));
		break;
	case IFLA_ADDRESS:
		if (mnl_attr_get_payload_len(attr) == sizeof(link->site.mac))
			memcpy(link->site.mac, mnl_attr_get_payload(attr), sizeof(link->site.mac));
		break;
	case IFLA_PROP_LIST:
		link->altnames = attr;
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static bool read_link(const struct nlmsghdr *message, struct link *ret)
{
	const struct ifinfomsg *m = mnl_nlmsg_get_payload(message);

	*ret = (struct link){ 0 };
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) || m->ifi_index <= 0)
		return false;
	ret->site.ifindex = (unsigned)m->ifi_index;
	ret->site.carrier = (m->ifi_flags & IFF_UP) && (m->ifi_flags & IFF_LOWER_UP);
	ret->site.ethernet = m->ifi_type == ARPHRD_ETHER;
	mnl_attr_parse(message, sizeof(*m), take_attribute, ret);
	return true;
}

/* A name that is looked for. */
struct naming {
	const char *name;
	bool found;
};

static int take_altname(const struct nlattr *attr, void *user)
{
	struct naming *n = user;

	n->found = n->found ||
		(mnl_attr_get_type(attr) == IFLA_ALT_IFNAME &&
			mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 &&
			!strcmp(mnl_attr_get_str(attr), n->name));
	return MNL_CB_OK;
}

static bool has_name(const struct link *link, const char *name)
{
	struct naming n = { name, !strcmp(link->site.name, name) };

	if (link->altnames)
		mnl_attr_parse_nested(link->altnames, take_altname, &n);
	return n.found;
}

void sites_link(struct sites *s, const struct nlmsghdr *message)
{
	struct link link;

	if (!read_link(message, &link))
		return;
	for (unsigned i = 0; i < s->count; i++) {
		struct site *w = &s->list[i];

		if (link.site.ifindex == w->next.ifindex ||
			(w->interface[0] && has_name(&link, w->interface)))
			w->next = link.site;
		if (link.site.ifindex == w->now.ifindex && !w->interface[0])
			w->last = link.site;
	}
}

void sites_over(struct sites *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct site *w = &s->list[i];

		w->now = w->next.ifindex ? w->next : w->last;
	}
}

bool site_link_has(const struct nlmsghdr *message, const uint8_t mac[6])
{
	struct link link;

	return read_link(message, &link) && !memcmp(link.site.mac, mac, sizeof(link.site.mac));
}
