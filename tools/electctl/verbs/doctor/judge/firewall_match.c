/* SPDX-License-Identifier: Apache-2.0 */
#include "firewall_match.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <string.h>

#include "core/bits.h"
#include "electctl/field.h"

/* ---- values -------------------------------------------------------------------------------- */

/* One value of the packet: a number, an address, or a word. */
struct value {
	bool known;
	int family; /* of an address; else 0 */
	struct in6_addr address;
	uint32_t number;
	const char *text;
};

static struct value number_of(uint32_t number)
{
	return (struct value){ .known = true, .number = number };
}

static struct value text_of(const char *text)
{
	return (struct value){ .known = true, .text = text };
}

static struct value address_of(int family, const struct in6_addr *address)
{
	return (struct value){
		.known = !IN6_IS_ADDR_UNSPECIFIED(address), .family = family, .address = *address
	};
}

static const struct value unknown;

static enum match truth(bool yes)
{
	return yes ? YES : NO;
}

/* Compares the value with the rule's operand: -1, 0, 1. False: they cannot be compared. */
static bool compare(const struct value *v, const json_t *right, int *ret_order)
{
	struct in6_addr address = { 0 };
	json_int_t number = json_integer_value(right);

	if (!v->text && !v->family && json_is_integer(right)) {
		*ret_order = v->number < number ? -1 : v->number > number;
		return true;
	}
	if (!v->family || !json_is_string(right) ||
		inet_pton(v->family, json_string_value(right), &address) != 1)
		return false;
	*ret_order = memcmp(&v->address, &address, sizeof address);
	return true;
}

static enum match in_range(const struct value *v, const json_t *range)
{
	int to_first, to_last;

	if (!compare(v, json_array_get(range, 0), &to_first) ||
		!compare(v, json_array_get(range, 1), &to_last))
		return MAYBE;
	return truth(to_first >= 0 && to_last <= 0);
}

static enum match in_prefix(const struct value *v, const json_t *prefix)
{
	int64_t length = field_number(prefix, "len", NULL, -1);
	struct in6_addr address = { 0 };

	if (length < 0 || length > (v->family == AF_INET6 ? 128 : 32) ||
		inet_pton(v->family, field_text(prefix, "addr", NULL), &address) != 1)
		return MAYBE;
	return truth(same_bits(v->address.s6_addr, address.s6_addr, (unsigned)length));
}

static enum match is(const struct firewall_place *at, const struct value *v, const json_t *right);

static enum match among(const struct firewall_place *at, const struct value *v, const json_t *list)
{
	enum match best = NO;
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
	{
		enum match m = is(at, v, item);

		best = m > best ? m : best;
	}
	return best;
}

const json_t *firewall_named(const struct firewall_place *at, const char *kind, const char *name)
{
	const json_t *item, *named;
	size_t i;

	name += name[0] == '@';
	json_array_foreach((json_t *)at->items, i, item)
	{
		named = json_object_get(item, kind);
		if (named && !strcmp(field_text(named, "name", NULL), name) &&
			!strcmp(field_text(named, "table", NULL),
				field_text(at->base, "table", NULL)) &&
			!strcmp(field_text(named, "family", NULL),
				field_text(at->base, "family", NULL)))
			return named;
	}
	return NULL;
}

static enum match is_text(
	const struct firewall_place *at, const struct value *v, const json_t *right)
{
	const char *text = json_string_value(right);
	const json_t *set;
	int order;

	if (text[0] == '@') {
		set = firewall_named(at, "set", text);
		return set ? among(at, v, json_object_get(set, "elem")) : MAYBE;
	}
	if (v->text)
		return truth(fnmatch(text, v->text, 0) == 0);
	return compare(v, right, &order) ? truth(order == 0) : MAYBE;
}

static enum match is(const struct firewall_place *at, const struct value *v, const json_t *right)
{
	const json_t *part;
	int order;

	if (!v->known)
		return MAYBE;
	if (json_is_string(right))
		return is_text(at, v, right);
	if (json_is_integer(right))
		return compare(v, right, &order) ? truth(order == 0) : MAYBE;
	if (json_is_array(right))
		return among(at, v, right);
	if ((part = json_object_get(right, "set")))
		return among(at, v, part);
	if ((part = json_object_get(right, "elem")))
		return is(at, v, json_object_get(part, "val"));
	if (!v->text && (part = json_object_get(right, "range")))
		return in_range(v, part);
	if (v->family && (part = json_object_get(right, "prefix")))
		return in_prefix(v, part);
	return MAYBE;
}

/* ---- keys of a rule --------------------------------------------------------------------- */

static const char *pkttype(const struct firewall_packet *p)
{
	return p->to_all ? "multicast" : "unicast";
}

static struct value meta(const struct firewall_place *at, const char *key)
{
	const struct firewall_packet *p = at->packet;

	if (!strcmp(key, "l4proto"))
		return text_of("udp");
	if (!strcmp(key, "nfproto"))
		return text_of(p->family == AF_INET6 ? "ipv6" : "ipv4");
	if (!strcmp(key, "protocol"))
		return text_of(p->family == AF_INET6 ? "ip6" : "ip");
	if (!strcmp(key, "iifname") || !strcmp(key, "iif"))
		return p->comes ? text_of(p->interface) : text_of("");
	if (!strcmp(key, "oifname") || !strcmp(key, "oif"))
		return p->comes ? text_of("") : text_of(p->interface);
	if (!strcmp(key, "pkttype") && p->comes)
		return text_of(pkttype(p));
	return unknown;
}

/* True for a field of another protocol, which no datagram of electd has. */
static bool is_foreign(const struct firewall_packet *p, const char *protocol)
{
	static const char *const foreign[] = { "tcp", "icmp", "icmpv6", "sctp", "dccp", "arp",
		"igmp", "esp", "ah" };

	if (!strcmp(protocol, p->family == AF_INET6 ? "ip" : "ip6"))
		return true;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (!strcmp(protocol, foreign[i]))
			return true;
	return false;
}

static struct value payload(
	const struct firewall_place *at, const char *protocol, const char *field)
{
	const struct firewall_packet *p = at->packet;

	if (!strcmp(protocol, "udp") || !strcmp(protocol, "th")) {
		if (!strcmp(field, "dport"))
			return number_of(p->target_port);
		if (!strcmp(field, "sport"))
			return number_of(p->source_port);
	}
	if (!strcmp(protocol, "ip") || !strcmp(protocol, "ip6")) {
		if (!strcmp(field, "saddr"))
			return address_of(p->family, &p->source);
		if (!strcmp(field, "daddr"))
			return address_of(p->family, &p->target);
		if (!strcmp(field, "protocol") || !strcmp(field, "nexthdr"))
			return text_of("udp");
	}
	return unknown;
}

static struct value fib(const struct firewall_place *at, const json_t *asked)
{
	const json_t *flags = json_object_get(asked, "flags");
	const char *flag = json_is_array(flags) ? json_string_value(json_array_get(flags, 0))
						: json_string_value(flags);

	if (strcmp(field_text(asked, "result", NULL), "type") != 0 || !flag ||
		strcmp(flag, "daddr") != 0)
		return unknown;
	if (at->packet->to_all)
		return text_of("multicast");
	return text_of(at->packet->comes ? "local" : "unicast");
}

/* To the group: always "new", because no host replies. Between two hosts: "new", "established". */
static enum match ct_state(const struct firewall_place *at, const json_t *right)
{
	static const char *const words[] = { "new", "established", "related", "invalid",
		"untracked" };
	const struct value fresh = text_of(words[0]), known = text_of(words[1]);
	enum match is_fresh = is(at, &fresh, right), is_known = is(at, &known, right);

	if (at->packet->to_all || is_fresh == is_known)
		return is_fresh;
	return MAYBE;
}

/* A datagram of electd is never translated: those with dnat or snat are for other hosts. */
static enum match ct_status(const json_t *right)
{
	const char *status = json_string_value(right);

	return status && (!strcmp(status, "dnat") || !strcmp(status, "snat")) ? NO : MAYBE;
}

static enum match ct(const struct firewall_place *at, const json_t *asked, const json_t *right)
{
	const char *key = field_text(asked, "key", NULL);

	if (!strcmp(key, "state"))
		return ct_state(at, right);
	return !strcmp(key, "status") ? ct_status(right) : MAYBE;
}

static enum match negate(enum match m)
{
	return m == MAYBE ? MAYBE : m == YES ? NO : YES;
}

/* ---- concatenations: "ip daddr . udp dport" --------------------------------------------- */

static enum match asks_each(
	const struct firewall_place *at, const json_t *lefts, const json_t *rights)
{
	enum match least = YES;
	const json_t *left;
	size_t i;

	if (json_array_size(rights) != json_array_size(lefts))
		return MAYBE;
	json_array_foreach((json_t *)lefts, i, left)
	{
		json_t *one = json_pack("{s:s, s:O, s:O}", "op", "==", "left", left, "right",
			json_array_get(rights, i));
		enum match m = firewall_asks(at, one);

		json_decref(one);
		least = m < least ? m : least;
	}
	return least;
}

/* `right` is one concatenation, or a list or set of them. */
static enum match asks_together(
	const struct firewall_place *at, const json_t *lefts, const json_t *right)
{
	const json_t *part = json_object_get(right, "elem"), *item;
	enum match best = NO;
	size_t i;

	if (part)
		right = json_object_get(part, "val");
	if ((part = json_object_get(right, "concat")))
		return asks_each(at, lefts, part);
	part = json_object_get(right, "set");
	if (json_is_string(right))
		part = firewall_named(at, "set", json_string_value(right));
	if (json_is_string(right) && part)
		part = json_object_get(part, "elem"); /* NULL: the set is empty */
	else if (!part && !json_is_array(right))
		return MAYBE;
	json_array_foreach((json_t *)(part ? part : right), i, item)
	{
		enum match m = asks_together(at, lefts, item);

		best = m > best ? m : best;
	}
	return best;
}

/* ---- one expression -------------------------------------------------------------------------- */

enum match firewall_asks(const struct firewall_place *at, const json_t *match)
{
	const json_t *left = json_object_get(match, "left"), *part;
	const json_t *right = json_object_get(match, "right");
	const char *op = field_text(match, "op", NULL), *protocol;
	struct value v = unknown;
	enum match m;

	if ((part = json_object_get(left, "payload"))) {
		protocol = field_text(part, "protocol", NULL);
		if (is_foreign(at->packet, protocol))
			return NO;
		v = payload(at, protocol, field_text(part, "field", NULL));
	} else if ((part = json_object_get(left, "meta"))) {
		v = meta(at, field_text(part, "key", NULL));
	} else if ((part = json_object_get(left, "fib"))) {
		v = fib(at, part);
	}
	if ((part = json_object_get(left, "concat")))
		m = asks_together(at, part, right);
	else if ((part = json_object_get(left, "ct")))
		m = ct(at, part, right);
	else
		m = is(at, &v, right);
	if (!strcmp(op, "==") || !strcmp(op, "in"))
		return m;
	return !strcmp(op, "!=") ? negate(m) : MAYBE;
}
