/* SPDX-License-Identifier: Apache-2.0 */
#include "firewall.h"

#include <string.h>

#include "core/line.h"
#include "electctl/field.h"
#include "firewall_match.h"

enum { JUMPS_MAX = 16 };

/*
 * How certainly a datagram is dropped: not at all, by a rule that may match, by one that matches if
 * it is reached, or in any case.
 */
enum certainty { PASSES, PERHAPS, IF_IT_COMES, SURELY };

/* The state of a walk through the chains of one hook. */
struct walk {
	struct firewall_place at;
	bool may_pass; /* an earlier rule may have accepted it */
	bool unsure;   /* the datagram may not reach this rule */
	enum certainty certainty;
	struct firewall_rule rule;
};

enum course { GOES_ON, DECIDED };

/* ---- rules --------------------------------------------------------------------------------- */

static enum course walk_chain(struct walk *w, const char *name, unsigned depth);

static bool of_base(const struct walk *w, const json_t *item)
{
	return !strcmp(field_text(item, "family", NULL), field_text(w->at.base, "family", NULL)) &&
		!strcmp(field_text(item, "table", NULL), field_text(w->at.base, "table", NULL));
}

static bool is_ufw(const char *chain)
{
	return !strncmp(chain, "ufw-", 4) || !strncmp(chain, "ufw6-", 5);
}

/* ufw and iptables use tables of the same names. */
static enum firewall_kind kind_of(const struct walk *w)
{
	const char *table = field_text(w->at.base, "table", NULL);
	const char *family = field_text(w->at.base, "family", NULL);
	const json_t *item, *chain;
	size_t i;

	if (!strcmp(table, "firewalld"))
		return FIREWALL_FIREWALLD;
	json_array_foreach((json_t *)w->at.items, i, item)
	{
		chain = json_object_get(item, "chain");
		if (chain && of_base(w, chain) && is_ufw(field_text(chain, "name", NULL)))
			return FIREWALL_UFW;
	}
	if (strcmp(table, "filter") != 0)
		return FIREWALL_NFT;
	if (!strcmp(family, "ip"))
		return FIREWALL_IPTABLES;
	return !strcmp(family, "ip6") ? FIREWALL_IP6TABLES : FIREWALL_NFT;
}

static void name_rule(const struct walk *w, const json_t *rule, struct firewall_rule *ret)
{
	const char *family = field_text(w->at.base, "family", NULL);
	const char *table = field_text(w->at.base, "table", NULL);
	struct line chain = line_begin(ret->chain, sizeof ret->chain);
	struct line hooked = line_begin(ret->hooked, sizeof ret->hooked);
	struct line text = line_begin(ret->text, sizeof ret->text);

	ret->kind = kind_of(w);
	line_add(&chain, "%s", field_text(w->at.base, "name", NULL));
	line_add(&hooked, "%s %s %s", family, table, ret->chain);
	if (rule)
		line_add(&text, "the rule with handle %lld in chain %s %s %s",
			(long long)field_number(rule, "handle", NULL, 0), family, table,
			field_text(rule, "chain", NULL));
	else
		line_add(&text, "the policy of chain %s", ret->hooked);
}

static enum certainty certainty_of(const struct walk *w, enum match sure)
{
	if (sure != YES || w->unsure)
		return PERHAPS;
	return w->may_pass ? IF_IT_COMES : SURELY;
}

/*
 * Reports the most certain of several rules, and the first of equally certain ones: nft does not
 * show conditions of iptables other than addresses and ports, and most rules with such conditions
 * are for other packets.
 */
static enum course drop(struct walk *w, const json_t *rule, enum match sure)
{
	enum certainty certainty = certainty_of(w, sure);

	if (certainty > w->certainty) {
		w->certainty = certainty;
		name_rule(w, rule, &w->rule);
	}
	return sure == YES ? DECIDED : GOES_ON;
}

static enum course let_pass(struct walk *w, enum match sure)
{
	w->may_pass = w->may_pass || w->unsure || sure != YES;
	return sure == YES ? DECIDED : GOES_ON;
}

/* A decision in a chain that only may be entered is not final. */
static enum course follow(struct walk *w, const char *chain, enum match sure, unsigned depth)
{
	bool unsure = w->unsure;
	enum course course;

	w->unsure = unsure || sure != YES;
	course = walk_chain(w, chain, depth + 1);
	w->unsure = unsure;
	return sure == YES ? course : GOES_ON;
}

/* ret_left: how certainly the rule makes the datagram leave the chain, back to the calling one. */
static enum course decide(struct walk *w, const json_t *rule, const char *verdict,
	const json_t *argument, enum match sure, unsigned depth, enum match *ret_left)
{
	enum course course;

	if (!strcmp(verdict, "accept") || !strcmp(verdict, "queue"))
		return let_pass(w, sure);
	if (!strcmp(verdict, "drop") || !strcmp(verdict, "reject"))
		return drop(w, rule, sure);
	if (!strcmp(verdict, "jump"))
		return follow(w, field_text(argument, "target", NULL), sure, depth);
	if (!strcmp(verdict, "return"))
		course = GOES_ON;
	else if (!strcmp(verdict, "goto"))
		course = follow(w, field_text(argument, "target", NULL), sure, depth);
	else
		return GOES_ON;
	if (course == GOES_ON && sure > *ret_left)
		*ret_left = sure;
	return course;
}

/* [[value, verdict], …], or NULL: the pairs are in the rule, { "set": … }, or in a map, "@name". */
static const json_t *pairs_of(struct walk *w, const json_t *vmap)
{
	const json_t *data = json_object_get(vmap, "data"), *map;

	if (!json_is_string(data))
		return json_object_get(data, "set");
	map = firewall_named(&w->at, "map", json_string_value(data));
	w->may_pass = w->may_pass || !map; /* an unknown map may contain any verdict */
	return json_object_get(map, "elem");
}

/* { "key": …, "data": … } */
static enum course decide_by_map(struct walk *w, const json_t *rule, const json_t *vmap,
	enum match sure, unsigned depth, enum match *ret_left)
{
	const json_t *pairs = pairs_of(w, vmap), *pair;
	json_t *verdict, *question;
	const char *word;
	size_t i;

	json_array_foreach((json_t *)pairs, i, pair)
	{
		enum match m;

		question = json_pack("{s:s, s:O, s:O}", "op", "==", "left",
			json_object_get(vmap, "key"), "right", json_array_get(pair, 0));
		m = firewall_asks(&w->at, question);
		json_decref(question);
		m = m < sure ? m : sure;
		if (m == NO)
			continue;
		json_object_foreach(json_array_get(pair, 1), word, verdict)
		{
			if (decide(w, rule, word, verdict, m, depth, ret_left) == DECIDED)
				return DECIDED;
		}
		if (m == YES || *ret_left == YES)
			return GOES_ON;
	}
	return GOES_ON;
}

/* An iptables extension: older versions of nft show only its name. */
static enum match asks_xt(const json_t *xt)
{
	return !strcmp(field_text(xt, "type", NULL), "target") ? YES : MAYBE;
}

/* Which datagrams a statement matches. One that counts matches some, and it is unknown which. */
static enum match asks(const struct walk *w, const char *word, const json_t *argument)
{
	static const char *const counting[] = { "limit", "quota", "ct count", "meter", "set" };

	if (!strcmp(word, "match"))
		return firewall_asks(&w->at, argument);
	if (!strcmp(word, "xt"))
		return asks_xt(argument);
	for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
		if (!strcmp(word, counting[i]))
			return MAYBE;
	return YES;
}

/* The verdict in nft's words. */
static const char *verdict_of(const char *word, const json_t *argument)
{
	bool rejects = !strcmp(word, "xt") && !strcmp(field_text(argument, "name", NULL), "REJECT");

	return rejects ? "reject" : word;
}

static enum course walk_rule(
	struct walk *w, const json_t *rule, unsigned depth, enum match *ret_left)
{
	enum match sure = YES, m;
	const json_t *expression;
	const char *word;
	json_t *argument;
	size_t i;

	json_array_foreach(json_object_get(rule, "expr"), i, expression)
	{
		json_object_foreach((json_t *)expression, word, argument)
		{
			m = asks(w, word, argument);
			sure = m < sure ? m : sure;
			if (sure == NO)
				return GOES_ON;
			if (!strcmp(word, "vmap")) {
				if (decide_by_map(w, rule, argument, sure, depth, ret_left) ==
					DECIDED)
					return DECIDED;
			} else if (decide(w, rule, verdict_of(word, argument), argument, sure,
					   depth, ret_left) == DECIDED) {
				return DECIDED;
			}
		}
	}
	return GOES_ON;
}

static enum course walk_chain(struct walk *w, const char *name, unsigned depth)
{
	enum course course = GOES_ON;
	const json_t *item, *rule;
	enum match left = NO;
	bool unsure = w->unsure;
	size_t i;

	if (depth > JUMPS_MAX)
		return GOES_ON;
	json_array_foreach((json_t *)w->at.items, i, item)
	{
		rule = json_object_get(item, "rule");
		if (!rule || !of_base(w, rule) ||
			strcmp(field_text(rule, "chain", NULL), name) != 0)
			continue;
		course = walk_rule(w, rule, depth, &left);
		if (course == DECIDED || left == YES)
			break;
		w->unsure = unsure || left == MAYBE;
	}
	w->unsure = unsure;
	return left == NO ? course : GOES_ON;
}

/* ---- chains -------------------------------------------------------------------------------- */

static bool is_passed(const json_t *chain, const struct firewall_packet *p)
{
	const char *own = p->family == AF_INET6 ? "ip6" : "ip";
	const char *hook = field_text(chain, "hook", NULL), *type = field_text(chain, "type", NULL);
	const char *family = field_text(chain, "family", NULL);
	bool seen = !strcmp(family, own) || !strcmp(family, "inet") || !strcmp(family, "netdev");

	if (!seen || !strcmp(type, "nat"))
		return false;
	if (!strcmp(hook, "ingress") || !strcmp(hook, "egress"))
		return p->comes == !strcmp(hook, "ingress") &&
			!strcmp(field_text(chain, "dev", NULL), p->interface);
	if (p->comes)
		return !strcmp(hook, "prerouting") || !strcmp(hook, "input");
	return !strcmp(hook, "output") || !strcmp(hook, "postrouting");
}

static enum certainty walk_base(struct walk *w)
{
	w->may_pass = false;
	w->certainty = PASSES;
	if (walk_chain(w, field_text(w->at.base, "name", NULL), 0) == GOES_ON &&
		!strcmp(field_text(w->at.base, "policy", NULL), "drop"))
		drop(w, NULL, YES);
	return w->certainty;
}

enum firewall_verdict firewall_judge(
	const json_t *ruleset, const struct firewall_packet *packet, struct firewall_rule *ret_rule)
{
	struct walk w = { .at = { json_object_get(ruleset, "nftables"), packet, NULL } };
	enum certainty most = PASSES;
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)w.at.items, i, item)
	{
		w.at.base = json_object_get(item, "chain");
		if (!w.at.base || !is_passed(w.at.base, packet) || walk_base(&w) <= most)
			continue;
		most = w.certainty;
		*ret_rule = w.rule;
	}
	if (most == PASSES)
		return FIREWALL_PASSES;
	return most == SURELY ? FIREWALL_DROPS : FIREWALL_MAY_DROP;
}
