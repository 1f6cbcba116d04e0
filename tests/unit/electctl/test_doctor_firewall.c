/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of nft's rules about a datagram of electd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "electctl/verbs/doctor/judge/firewall.h"
#include "facts.h"

#define TABLE(name) "{'table': {'family': 'inet', 'name': '" name "', 'handle': 1}},"
#define BASE(name, hook, policy)                                                                   \
	"{'chain': {'family': 'inet', 'table': 't', 'name': '" name                                \
	"', 'handle': 1, 'type': 'filter', 'hook': '" hook "', 'prio': 0, 'policy': '" policy      \
	"'}},"
#define CHAIN(name) "{'chain': {'family': 'inet', 'table': 't', 'name': '" name "', 'handle': 2}},"
#define RULE(chain, expr)                                                                          \
	"{'rule': {'family': 'inet', 'table': 't', 'chain': '" chain                               \
	"', 'handle': 5, 'expr': [" expr "]}},"
#define MATCH(op, left, right) "{'match': {'op': '" op "', 'left': " left ", 'right': " right "}},"
#define DPORT		       "{'payload': {'protocol': 'udp', 'field': 'dport'}}"
#define IIFNAME		       "{'meta': {'key': 'iifname'}}"
#define STATE		       "{'ct': {'key': 'state'}}"
#define MARK		       "{'meta': {'key': 'mark'}}"
#define DROP		       "{'drop': null}"
#define ACCEPT		       "{'accept': null}"
#define RETURN		       "{'return': null}"
#define JUMP(name)	       "{'jump': {'target': '" name "'}}"
#define GOTO(name)	       "{'goto': {'target': '" name "'}}"

enum asked { COMES_TO_ALL, COMES_TO_ONE, GOES_TO_ALL, GOES_TO_ONE, SIX = 4 };

/* By IPv4, or with SIX by IPv6. */
static struct firewall_packet packet_of(unsigned asked)
{
	enum asked way = (enum asked)(asked % SIX);
	bool six = asked >= SIX;
	struct firewall_packet p = {
		.comes = way == COMES_TO_ALL || way == COMES_TO_ONE,
		.to_all = way == COMES_TO_ALL || way == GOES_TO_ALL,
		.interface = "eth0",
		.family = six ? AF_INET6 : AF_INET,
		.source_port = 7544,
	};
	struct in6_addr own = { 0 }, peer = { 0 }, group = { 0 };

	inet_pton(p.family, six ? "fe80::1" : "10.0.0.1", &own);
	inet_pton(p.family, six ? "fe80::2" : "10.0.0.2", &peer);
	inet_pton(p.family, six ? "ff02::114" : "224.0.0.254", &group);
	p.source = p.comes ? peer : own;
	p.target = p.to_all ? group : p.comes ? own : peer;
	p.target_port = p.to_all ? 7543 : 7544;
	return p;
}

static struct firewall_rule rule;

static enum firewall_verdict judge_rules(const char *items, unsigned asked)
{
	struct firewall_packet p = packet_of(asked);
	enum firewall_verdict verdict;
	json_t *ruleset;
	char *text;

	assert_true(asprintf(&text, "{'nftables': [%s {'metainfo': {}}]}", items) > 0);
	for (char *c = text; *c; c++) /* JSON allows no comma before an end */
		if (*c == ',' && strspn(c + 1, " ") + 1 < strlen(c) &&
			c[1 + strspn(c + 1, " ")] == ']')
			*c = ' ';
	ruleset = read_json(text);
	verdict = firewall_judge(ruleset, &p, &rule);
	json_decref(ruleset);
	free(text);
	return verdict;
}

#define PASSES(items, asked) assert_int_equal(judge_rules(items, asked), FIREWALL_PASSES)
#define DROPS(items, asked)  assert_int_equal(judge_rules(items, asked), FIREWALL_DROPS)
#define MAY(items, asked)    assert_int_equal(judge_rules(items, asked), FIREWALL_MAY_DROP)

static void every_datagram_passes_without_rules(void **state)
{
	(void)state;
	PASSES("", COMES_TO_ALL);
	PASSES(BASE("in", "input", "accept"), COMES_TO_ALL);
	PASSES(TABLE("t"), GOES_TO_ONE);
}

static void a_policy_drops_datagrams_that_no_rule_accepts(void **state)
{
	(void)state;
	DROPS(BASE("in", "input", "drop"), COMES_TO_ALL);
	assert_string_equal(rule.text, "the policy of chain inet t in");
	assert_string_equal(rule.hooked, "inet t in");
	assert_int_equal(rule.kind, FIREWALL_NFT);
	PASSES(BASE("in", "input", "drop"), GOES_TO_ALL);
	DROPS(BASE("out", "output", "drop"), GOES_TO_ALL);
	PASSES(BASE("forward", "forward", "drop"), COMES_TO_ALL);
	PASSES(BASE("in", "input", "drop")
			RULE("in", MATCH("==", DPORT, "{'range': [7543, 7575]}") ACCEPT),
		COMES_TO_ONE);
}

static void a_port_is_compared_in_every_form(void **state)
{
	(void)state;
#define IN(right) BASE("in", "input", "accept") RULE("in", MATCH("==", DPORT, right) DROP)
	DROPS(IN("7543"), COMES_TO_ALL);
	assert_string_equal(rule.text, "the rule with handle 5 in chain inet t in");
	PASSES(IN("7544"), COMES_TO_ALL);
	DROPS(IN("{'range': [7000, 8000]}"), COMES_TO_ALL);
	PASSES(IN("{'range': [7544, 8000]}"), COMES_TO_ALL);
	DROPS(IN("{'set': [53, {'range': [7543, 7575]}]}"), COMES_TO_ONE);
	PASSES(IN("{'set': [53, 123]}"), COMES_TO_ONE);
	DROPS(IN("{'set': [{'elem': {'val': 7543, 'comment': 'x'}}]}"), COMES_TO_ALL);
	DROPS(BASE("in", "input", "accept") RULE("in", MATCH("!=", DPORT, "53") DROP),
		COMES_TO_ALL);
	DROPS("{'set': {'family': 'inet', 'table': 't', 'name': 's', 'elem': [7543]}}," IN("'@s'"),
		COMES_TO_ALL);
	MAY(IN("'@elsewhere'"), COMES_TO_ALL);
#undef IN
}

static void addresses_interfaces_and_protocols_are_compared(void **state)
{
#define SADDR		"{'payload': {'protocol': 'ip', 'field': 'saddr'}}"
#define DADDR		"{'payload': {'protocol': 'ip', 'field': 'daddr'}}"
#define IN(left, right) BASE("in", "input", "accept") RULE("in", MATCH("==", left, right) DROP)
	(void)state;
	DROPS(IN(SADDR, "'10.0.0.2'"), COMES_TO_ALL);
	DROPS(IN(SADDR, "{'prefix': {'addr': '10.0.0.0', 'len': 8}}"), COMES_TO_ALL);
	PASSES(IN(SADDR, "{'prefix': {'addr': '192.168.0.0', 'len': 16}}"), COMES_TO_ALL);
	DROPS(IN(DADDR, "{'prefix': {'addr': '224.0.0.0', 'len': 4}}"), COMES_TO_ALL);
	PASSES(IN(DADDR, "{'prefix': {'addr': '224.0.0.0', 'len': 4}}"), COMES_TO_ONE);
	DROPS(IN(DADDR, "{'range': ['224.0.0.0', '224.0.0.255']}"), COMES_TO_ALL);
	DROPS(IN(IIFNAME, "'eth0'"), COMES_TO_ALL);
	DROPS(IN(IIFNAME, "'eth*'"), COMES_TO_ALL);
	PASSES(IN(IIFNAME, "'lo'"), COMES_TO_ALL);
	DROPS(IN("{'meta': {'key': 'l4proto'}}", "{'set': ['tcp', 'udp']}"), COMES_TO_ALL);
	PASSES(IN("{'meta': {'key': 'l4proto'}}", "'tcp'"), COMES_TO_ALL);
	PASSES(IN("{'payload': {'protocol': 'tcp', 'field': 'dport'}}", "7543"), COMES_TO_ALL);
	DROPS(IN("{'meta': {'key': 'pkttype'}}", "'multicast'"), COMES_TO_ALL);
	PASSES(IN("{'meta': {'key': 'pkttype'}}", "'multicast'"), COMES_TO_ONE);
	DROPS(IN("{'fib': {'result': 'type', 'flags': ['daddr']}}", "'multicast'"), COMES_TO_ALL);
	MAY(IN("{'payload': {'protocol': 'ip', 'field': 'ttl'}}", "255"), COMES_TO_ALL);
#undef IN
}

/* Most firewalls consist only of such rules. */
static void rules_of_a_family_apply_to_that_family_only(void **state)
{
#define FOR(family, expr)                                                                          \
	"{'chain': {'family': '" family "', 'table': 't', 'name': 'in', 'type': 'filter', "        \
	"'hook': 'input', 'policy': 'accept'}}, {'rule': {'family': '" family                      \
	"', 'table': 't', 'chain': 'in', 'handle': 5, 'expr': [" expr DROP "]}},"
#define SADDR6	"{'payload': {'protocol': 'ip6', 'field': 'saddr'}}"
#define DADDR6	"{'payload': {'protocol': 'ip6', 'field': 'daddr'}}"
#define SADDR4	"{'payload': {'protocol': 'ip', 'field': 'saddr'}}"
#define NFPROTO "{'meta': {'key': 'nfproto'}}"
	(void)state;
	DROPS(FOR("ip6", ""), SIX + COMES_TO_ALL);
	PASSES(FOR("ip6", ""), COMES_TO_ALL);
	PASSES(FOR("ip", ""), SIX + COMES_TO_ALL);
	DROPS(FOR("inet", ""), SIX + COMES_TO_ONE);
	DROPS(FOR("inet", MATCH("==", NFPROTO, "'ipv6'")), SIX + COMES_TO_ALL);
	PASSES(FOR("inet", MATCH("==", NFPROTO, "'ipv6'")), COMES_TO_ALL);
	DROPS(FOR("ip6", MATCH("==", SADDR6, "'fe80::2'")), SIX + COMES_TO_ALL);
	PASSES(FOR("ip6", MATCH("==", SADDR6, "'fe80::3'")), SIX + COMES_TO_ALL);
	DROPS(FOR("ip6", MATCH("==", DADDR6, "{'prefix': {'addr': 'ff00::', 'len': 9}}")),
		SIX + COMES_TO_ALL);
	PASSES(FOR("ip6", MATCH("==", DADDR6, "{'prefix': {'addr': 'ff80::', 'len': 9}}")),
		SIX + COMES_TO_ALL);
	DROPS(FOR("ip6", MATCH("==", SADDR6, "{'range': ['fe80::1', 'fe80::3']}")),
		SIX + COMES_TO_ALL);
	PASSES(FOR("ip6", MATCH("==", SADDR6, "{'range': ['fe80::3', 'fe80::9']}")),
		SIX + COMES_TO_ALL);
	PASSES(FOR("inet", MATCH("==", SADDR4, "'10.0.0.2'")), SIX + COMES_TO_ALL);
	PASSES(FOR("inet", MATCH("==", SADDR6, "'fe80::2'")), COMES_TO_ALL);
	DROPS("{'chain': {'family': 'ip6', 'table': 'filter', 'name': 'INPUT', 'type': 'filter', "
	      "'hook': 'input', 'policy': 'drop'}},",
		SIX + COMES_TO_ALL);
	assert_int_equal(rule.kind, FIREWALL_IP6TABLES);
#undef FOR
}

static void a_datagram_of_an_established_connection_may_pass(void **state)
{
#define STATEFUL                                                                                   \
	BASE("in", "input", "drop")                                                                \
	RULE("in", MATCH("in", STATE, "['established', 'related']") ACCEPT)

	(void)state;
	DROPS(STATEFUL, COMES_TO_ALL);
	MAY(STATEFUL, COMES_TO_ONE);
	PASSES(STATEFUL RULE("in", MATCH("in", STATE, "'new'") ACCEPT), COMES_TO_ALL);
	PASSES(BASE("in", "input", "accept") RULE("in", MATCH("in", STATE, "'invalid'") DROP),
		COMES_TO_ONE);
	DROPS(BASE("in", "input", "drop") RULE("in",
		      "{'vmap': {'key': " STATE ", 'data': {'set': [['established', " ACCEPT "], "
		      "['invalid', " DROP "]]}}}"),
		COMES_TO_ALL);
}

static void jumps_and_returns_of_chains_are_followed(void **state)
{
	(void)state;
	DROPS(BASE("in", "input", "accept") CHAIN("c") RULE("in", JUMP("c")) RULE("c", DROP),
		COMES_TO_ALL);
	assert_string_equal(rule.text, "the rule with handle 5 in chain inet t c");
	assert_string_equal(rule.hooked, "inet t in");
	DROPS(BASE("in", "input", "accept") CHAIN("c") RULE("in", JUMP("c")) RULE("in", DROP)
			RULE("c", "{'return': null}") RULE("c", ACCEPT),
		COMES_TO_ALL);
	PASSES(BASE("in", "input", "accept") CHAIN("c") RULE("in", GOTO("c")) RULE("in", DROP)
			RULE("c", "{'counter': null}"),
		COMES_TO_ALL);
	DROPS(BASE("in", "input", "drop") CHAIN("c") RULE("in", GOTO("c")) RULE("in", ACCEPT)
			RULE("c", "{'counter': null}"),
		COMES_TO_ALL);
	PASSES(BASE("in", "input", "drop") CHAIN("c") RULE("in", JUMP("c")) RULE("c", ACCEPT),
		COMES_TO_ALL);
	/* A loop, which the kernel would refuse. */
	PASSES(BASE("in", "input", "accept") CHAIN("c") RULE("in", JUMP("c")) RULE("c", JUMP("c")),
		COMES_TO_ALL);
}

/* The rules of kube-proxy and others compare an address, a protocol and a port at once. */
static void concatenations_are_compared_part_by_part(void **state)
{
#define KEY                                                                                        \
	"{'concat': [{'payload': {'protocol': 'ip', 'field': 'daddr'}}, {'meta': {'key': "         \
	"'l4proto'}}, {'payload': {'protocol': 'th', 'field': 'dport'}}]}"
#define GROUP	  "{'concat': ['224.0.0.254', 'udp', 7543]}"
#define SERVICE	  "{'concat': ['10.96.0.1', 'tcp', 443]}"
#define SET(elem) "{'set': {'family': 'inet', 'name': 's', 'table': 't', 'elem': [" elem "]}},"
#define MAP(elem)                                                                                  \
	"{'map': {'family': 'inet', 'name': 's', 'table': 't', 'elem': [[" elem ", " DROP "]]}},"
#define IN     BASE("in", "input", "accept")
#define BY_MAP RULE("in", "{'vmap': {'key': " KEY ", 'data': '@s'}}")
	(void)state;
	DROPS(IN RULE("in", MATCH("==", KEY, GROUP) DROP), COMES_TO_ALL);
	PASSES(IN RULE("in", MATCH("==", KEY, SERVICE) DROP), COMES_TO_ALL);
	PASSES(IN RULE("in", MATCH("!=", KEY, GROUP) DROP), COMES_TO_ALL);
	DROPS(IN RULE("in", MATCH("==", KEY, "{'set': [" SERVICE ", " GROUP "]}") DROP),
		COMES_TO_ALL);
	DROPS(IN SET(SERVICE ", {'elem': {'val': " GROUP "}}")
			RULE("in", MATCH("==", KEY, "'@s'") DROP),
		COMES_TO_ALL);
	PASSES(IN SET(SERVICE) RULE("in", MATCH("==", KEY, "'@s'") DROP), COMES_TO_ALL);
	MAY(IN RULE("in", MATCH("==", KEY, "'@other'") DROP), COMES_TO_ALL);
	MAY(IN RULE("in", MATCH("==", KEY, "{'concat': [1]}") DROP), COMES_TO_ALL);
	DROPS(IN MAP(GROUP) BY_MAP, COMES_TO_ALL);
	PASSES(IN MAP(SERVICE) BY_MAP, COMES_TO_ALL);
#undef KEY
#undef GROUP
#undef SERVICE
#undef SET
#undef MAP
#undef IN
#undef BY_MAP
}

/* A verdict of a named map is looked up in the map. */
static void named_maps_are_looked_up(void **state)
{
#define BY_MAP "{'vmap': {'key': " DPORT ", 'data': '@ports'}}"
#define MAP(table, elem)                                                                           \
	"{'map': {'family': 'inet', 'name': 'ports', 'table': '" table                             \
	"', 'type': 'inet_service', 'map': 'verdict', 'elem': [[22, " DROP "], " elem "]}},"
	(void)state;
	PASSES(MAP("t", "[7543, " ACCEPT "]") BASE("in", "input", "drop") RULE("in", BY_MAP),
		COMES_TO_ALL);
	DROPS(MAP("t", "[7543, " ACCEPT "]") BASE("in", "input", "drop") RULE("in", BY_MAP),
		COMES_TO_ONE);
	DROPS(MAP("t", "[7543, " DROP "]") BASE("in", "input", "accept") RULE("in", BY_MAP),
		COMES_TO_ALL);
	PASSES(MAP("t", "[{'range': [7500, 7600]}, " JUMP("c") "]") BASE("in", "input", "drop")
			CHAIN("c") RULE("in", BY_MAP) RULE("c", ACCEPT),
		COMES_TO_ALL);
	MAY(MAP("other", "[7543, " ACCEPT "]") BASE("in", "input", "drop") RULE("in", BY_MAP),
		COMES_TO_ALL);
#undef BY_MAP
#undef MAP
}

/* An unknown expression makes neither a drop nor a pass certain. */
static void an_unknown_expression_is_never_certain(void **state)
{
#define XT "{'xt': {'type': 'match', 'name': 'addrtype'}},"
#define PER_SENDER                                                                                 \
	"{'op': 'add', 'set': '@flood', 'elem': {'payload': {'protocol': 'ip', 'field': "          \
	"'saddr'}}, 'stmt': [{'limit': {'rate': 10, 'burst': 5, 'per': 'second', 'inv': true}}]}"
	(void)state;
	MAY(BASE("in", "input", "accept") RULE("in", MATCH("==", MARK, "1") DROP), COMES_TO_ALL);
	MAY(BASE("in", "input", "drop") RULE("in", MATCH("==", MARK, "1") ACCEPT), COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", XT DROP), COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", "{'xt': null}," DROP), COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", "{'limit': {'rate': 5}}," DROP), COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", "{'quota': {'val': 10, 'inv': true}}," DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "accept")
			RULE("in", "{'ct count': {'val': 20, 'inv': true}}," DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", "{'meter': " PER_SENDER "}," DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") RULE("in", "{'set': " PER_SENDER "}," DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") CHAIN("c") RULE("in", XT JUMP("c")) RULE("c", DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "drop") CHAIN("c") RULE("in", XT JUMP("c")) RULE("c", ACCEPT),
		COMES_TO_ALL);
	/* A chain without a verdict changes nothing. */
	DROPS(BASE("in", "input", "drop") CHAIN("c") RULE("in", XT JUMP("c"))
			RULE("c", "{'counter': null}"),
		COMES_TO_ALL);
	/* A chain that may have returned before decides nothing; its caller continues. */
	MAY(BASE("in", "input", "accept") CHAIN("c") RULE("in", JUMP("c")) RULE("c", XT RETURN)
			RULE("c", DROP),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "drop") CHAIN("c") RULE("in", JUMP("c")) RULE("c", XT RETURN)
			RULE("c", ACCEPT),
		COMES_TO_ALL);
	MAY(BASE("in", "input", "accept") CHAIN("c") CHAIN("d") RULE("in", JUMP("c"))
			RULE("c", XT GOTO("d")) RULE("c", DROP) RULE("d", "{'counter': null}"),
		COMES_TO_ALL);
	DROPS(BASE("in", "input", "drop") CHAIN("c") RULE("in", JUMP("c")) RULE("c", XT RETURN)
			RULE("c", DROP),
		COMES_TO_ALL);
	/* A certain drop wins over a possible one, wherever it is. */
	DROPS(BASE("in", "input", "accept") RULE("in", XT DROP) BASE("raw", "prerouting", "drop"),
		COMES_TO_ALL);
	assert_string_equal(rule.text, "the policy of chain inet t raw");
	DROPS(BASE("in", "input", "accept")
			RULE("in", "{'xt': {'type': 'target', 'name': 'REJECT'}}"),
		COMES_TO_ALL);
	PASSES(BASE("in", "input", "accept")
			RULE("in", "{'xt': {'type': 'target', 'name': 'LOG'}}"),
		COMES_TO_ALL);
}

/* The rules of ufw: established connections, invalid packets and the policy. */
static void the_most_certain_of_the_possible_drops_is_named(void **state)
{
#define CONNTRACK "{'xt': {'type': 'match', 'name': 'conntrack'}},"
	(void)state;
	MAY(BASE("in", "input", "drop") RULE("in", CONNTRACK ACCEPT) RULE("in", CONNTRACK DROP),
		COMES_TO_ALL);
	assert_string_equal(rule.text, "the policy of chain inet t in");
	MAY(BASE("in", "input", "accept") RULE("in", CONNTRACK DROP), COMES_TO_ALL);
	assert_string_equal(rule.text, "the rule with handle 5 in chain inet t in");
	MAY(BASE("in", "input", "drop") CHAIN("c") RULE("in", CONNTRACK JUMP("c"))
			RULE("in", CONNTRACK ACCEPT) RULE("c", DROP),
		COMES_TO_ALL);
	assert_string_equal(rule.text, "the policy of chain inet t in");
#undef CONNTRACK
}

/* A zone "public" as firewalld 1.3 writes it, without and with a service for electd. */
static void the_rules_of_firewalld_are_followed(void **state)
{
#define REJECT	    "{'reject': {'type': 'icmpx', 'expr': 'admin-prohibited'}}"
#define TCP_PORT    "{'payload': {'protocol': 'tcp', 'field': 'dport'}}"
#define STATUS	    "{'ct': {'key': 'status'}}"
#define ESTABLISHED "{'set': ['established', 'related']}"
#define ENTRY                                                                                      \
	BASE("filter_INPUT", "input", "accept")                                                    \
	RULE("filter_INPUT", MATCH("==", STATE, ESTABLISHED) ACCEPT)                               \
	RULE("filter_INPUT", MATCH("in", STATUS, "'dnat'") ACCEPT)                                 \
	RULE("filter_INPUT", MATCH("in", STATE, "'invalid'") DROP)                                 \
	RULE("filter_INPUT", JUMP("filter_INPUT_ZONES"))                                           \
	RULE("filter_INPUT", REJECT)                                                               \
	CHAIN("filter_INPUT_ZONES")                                                                \
	RULE("filter_INPUT_ZONES", MATCH("==", IIFNAME, "'eth0'") GOTO("filter_IN_public"))
#define ZONE(allowed)                                                                              \
	ENTRY CHAIN("filter_IN_public")                                                            \
		RULE("filter_IN_public", MATCH("==", TCP_PORT, "22") ACCEPT)                       \
			RULE("filter_IN_public", allowed) RULE("filter_IN_public", REJECT)
	(void)state;
	DROPS(ZONE("{'counter': null}"), COMES_TO_ALL);
	assert_string_equal(rule.text, "the rule with handle 5 in chain inet t filter_IN_public");
	DROPS(ZONE("{'counter': null}"), SIX + COMES_TO_ALL);
	MAY(ZONE("{'counter': null}"), COMES_TO_ONE);
	PASSES(ZONE(MATCH("==", DPORT, "{'range': [7543, 7575]}") ACCEPT), COMES_TO_ALL);
	PASSES(ZONE("{'counter': null}"), GOES_TO_ALL);
#undef ZONE
}

static void the_owner_of_the_rules_is_known(void **state)
{
	(void)state;
	DROPS("{'chain': {'family': 'ip', 'table': 'filter', 'name': 'INPUT', 'type': 'filter', "
	      "'hook': 'input', 'policy': 'drop'}},",
		COMES_TO_ALL);
	assert_int_equal(rule.kind, FIREWALL_IPTABLES);
	assert_string_equal(rule.chain, "INPUT");
	DROPS("{'chain': {'family': 'ip', 'table': 'filter', 'name': 'INPUT', 'type': 'filter', "
	      "'hook': 'input', 'policy': 'drop'}},"
	      "{'chain': {'family': 'ip', 'table': 'filter', 'name': 'ufw-user-input'}},",
		COMES_TO_ALL);
	assert_int_equal(rule.kind, FIREWALL_UFW);
	DROPS("{'chain': {'family': 'inet', 'table': 'firewalld', 'name': 'filter_INPUT', 'type': "
	      "'filter', 'hook': 'input', 'policy': 'drop'}},",
		COMES_TO_ALL);
	assert_int_equal(rule.kind, FIREWALL_FIREWALLD);
	PASSES("{'chain': {'family': 'ip6', 'table': 'filter', 'name': 'INPUT', 'type': 'filter', "
	       "'hook': 'input', 'policy': 'drop'}},",
		COMES_TO_ALL);
	DROPS("{'chain': {'family': 'netdev', 'table': 't', 'name': 'i', 'dev': 'eth0', 'type': "
	      "'filter', 'hook': 'ingress', 'policy': 'drop'}},",
		COMES_TO_ONE);
	PASSES("{'chain': {'family': 'netdev', 'table': 't', 'name': 'i', 'dev': 'eth1', 'type': "
	       "'filter', 'hook': 'ingress', 'policy': 'drop'}},",
		COMES_TO_ONE);
}

static void a_malformed_ruleset_drops_nothing(void **state)
{
	struct firewall_packet p = packet_of(COMES_TO_ALL);

	(void)state;
	assert_int_equal(firewall_judge(NULL, &p, &rule), FIREWALL_PASSES);
	PASSES("1, null, 'x', [], {'chain': 1}, {'rule': []}, {'chain': {'hook': 'input'}},",
		COMES_TO_ALL);
	PASSES(BASE("in", "input", "accept")
			RULE("in", "1, {'match': 1}, {'jump': 1}, {'vmap': 1}"),
		COMES_TO_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_datagram_passes_without_rules),
		cmocka_unit_test(a_policy_drops_datagrams_that_no_rule_accepts),
		cmocka_unit_test(a_port_is_compared_in_every_form),
		cmocka_unit_test(addresses_interfaces_and_protocols_are_compared),
		cmocka_unit_test(rules_of_a_family_apply_to_that_family_only),
		cmocka_unit_test(a_datagram_of_an_established_connection_may_pass),
		cmocka_unit_test(jumps_and_returns_of_chains_are_followed),
		cmocka_unit_test(concatenations_are_compared_part_by_part),
		cmocka_unit_test(named_maps_are_looked_up),
		cmocka_unit_test(an_unknown_expression_is_never_certain),
		cmocka_unit_test(the_most_certain_of_the_possible_drops_is_named),
		cmocka_unit_test(the_rules_of_firewalld_are_followed),
		cmocka_unit_test(the_owner_of_the_rules_is_known),
		cmocka_unit_test(a_malformed_ruleset_drops_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
