/* SPDX-License-Identifier: Apache-2.0 */
/* message: see message.h. */
#include "message.h"

#include "net/mark.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static size_t address_size(uint8_t family)
{
	return family == 6 ? 16 : 4;
}

const char *message_text(const struct elect_address *address, char text[INET6_ADDRSTRLEN])
{
	if (!inet_ntop(address->family == 6 ? AF_INET6 : AF_INET, address->bytes, text,
		    INET6_ADDRSTRLEN))
		snprintf(text, INET6_ADDRSTRLEN, "?");
	return text;
}

bool message_parse(const char *text, struct elect_address *ret)
{
	*ret = (struct elect_address){ .family = strchr(text, ':') ? 6 : 4 };
	return inet_pton(ret->family == 6 ? AF_INET6 : AF_INET, text, ret->bytes) == 1;
}

uint8_t message_full(const struct elect_address *address)
{
	return (uint8_t)(8 * address_size(address->family));
}

/* ---- to the kernel --------------------------------------------------------------------------- */

/* Without IFA_ADDRESS, a removal would go to an IPv4 address with any prefix. */
static struct nlmsghdr *begin(
	void *to, uint16_t type, uint16_t flags, uint32_t seq, const struct message_address *a)
{
	struct ifaddrmsg *body;
	struct nlmsghdr *m;

	memset(to, 0, MESSAGE_MAX); /* the padding of attributes, too */
	m = mnl_nlmsg_put_header(to);
	m->nlmsg_type = type;
	m->nlmsg_flags = NLM_F_REQUEST | flags;
	m->nlmsg_seq = seq;
	body = mnl_nlmsg_put_extra_header(m, sizeof(*body));
	body->ifa_family = a->address.family == 6 ? AF_INET6 : AF_INET;
	body->ifa_prefixlen = a->prefix;
	body->ifa_index = a->ifindex;
	mnl_attr_put(m, IFA_LOCAL, address_size(a->address.family), a->address.bytes);
	mnl_attr_put(m, IFA_ADDRESS, address_size(a->address.family), a->address.bytes);
	return m;
}

/*
 * Preferred lifetime 0: no connection of the host comes from it. The duplicate address detection of
 * IPv6 would delay the address by a second.
 */
static size_t put(void *to, uint16_t flags, uint32_t seq, const struct message_address *a,
	uint32_t valid_s, bool labels)
{
	const struct ifa_cacheinfo lease = { .ifa_prefered = 0, .ifa_valid = valid_s };
	struct nlmsghdr *m = begin(to, RTM_NEWADDR, NLM_F_CREATE | flags, seq, a);

	mnl_attr_put(m, IFA_CACHEINFO, sizeof(lease), &lease);
	mnl_attr_put_u8(m, NET_MARK_ATTRIBUTE, NET_MARK_PROTO);
	if (a->address.family == 6)
		mnl_attr_put_u32(m, IFA_FLAGS, IFA_F_NODAD);
	else if (labels)
		mnl_attr_put_strz(m, IFA_LABEL, NET_MARK_LABEL);
	return m->nlmsg_len;
}

size_t message_add(
	void *to, uint32_t seq, const struct message_address *a, uint32_t valid_s, bool labels)
{
	return put(to, NLM_F_EXCL | NLM_F_ACK, seq, a, valid_s, labels);
}

/* If another program has removed the address, this adds it, so it carries the mark, too. */
size_t message_refresh(
	void *to, uint32_t seq, const struct message_address *a, uint32_t valid_s, bool labels)
{
	return put(to, NLM_F_REPLACE, seq, a, valid_s, labels);
}

size_t message_remove(void *to, uint32_t seq, const struct message_address *a)
{
	return begin(to, RTM_DELADDR, NLM_F_ACK, seq, a)->nlmsg_len;
}

/* ---- from the kernel ------------------------------------------------------------------------- */

/* The attributes that message_read() looks for. */
struct found {
	const struct nlattr *local, *address;
	bool proto, label;
};

static int take(const struct nlattr *attr, void *user)
{
	struct found *f = user;

	switch (mnl_attr_get_type(attr)) {
	case IFA_LOCAL:
		f->local = attr;
		break;
	case IFA_ADDRESS:
		f->address = attr;
		break;
	case NET_MARK_ATTRIBUTE:
		f->proto = mnl_attr_validate(attr, MNL_TYPE_U8) >= 0 &&
			mnl_attr_get_u8(attr) == NET_MARK_PROTO;
		break;
	case IFA_LABEL:
		f->label = mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 &&
			!strcmp(mnl_attr_get_str(attr), NET_MARK_LABEL);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

/* The label of an address is the name of its interface by default, and that may be "electd". */
static enum message_mark mark_of(const struct found *f, uint8_t family, uint8_t prefix, bool labels)
{
	if (f->proto || (labels && family == 4 && prefix == 32 && f->label))
		return MESSAGE_MARKED;
	return labels && family == 6 ? MESSAGE_MARK_UNKNOWN : MESSAGE_UNMARKED;
}

bool message_read(const struct nlmsghdr *message, bool labels, struct message_address *ret)
{
	const struct ifaddrmsg *m = mnl_nlmsg_get_payload(message);
	struct found f = { 0 };
	const struct nlattr *own;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*m) ||
		(m->ifa_family != AF_INET && m->ifa_family != AF_INET6))
		return false;
	mnl_attr_parse(message, sizeof(*m), take, &f);
	own = f.local ? f.local : f.address; /* in a tunnel, IFA_ADDRESS is the other end */
	*ret = (struct message_address){
		.address = { .family = m->ifa_family == AF_INET6 ? 6 : 4 },
		.ifindex = m->ifa_index,
		.prefix = m->ifa_prefixlen,
	};
	if (!own || mnl_attr_get_payload_len(own) != address_size(ret->address.family))
		return false;
	memcpy(ret->address.bytes, mnl_attr_get_payload(own), mnl_attr_get_payload_len(own));
	ret->mark = mark_of(&f, ret->address.family, ret->prefix, labels);
	return true;
}
