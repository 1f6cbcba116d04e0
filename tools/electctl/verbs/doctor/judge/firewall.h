/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firewall: finds out from the output of `nft -j list ruleset` what the rules of this host do with
 * one datagram of electd. The rules are only read, never changed for a test. A rule with a
 * condition that cannot be decided here (marks, limits, iptables extensions) may or may not match.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>

struct firewall_packet {
	bool comes;			/* true: received, false: sent */
	bool to_all;			/* true: to the multicast group, false: to one host */
	const char *interface;		/* receives or sends it */
	int family;			/* AF_INET, AF_INET6 */
	struct in6_addr source, target; /* IPv4: the first four bytes; 0: not known */
	unsigned source_port, target_port;
};

enum firewall_verdict { FIREWALL_PASSES, FIREWALL_MAY_DROP, FIREWALL_DROPS };
enum firewall_kind {
	FIREWALL_NFT,
	FIREWALL_IPTABLES,
	FIREWALL_IP6TABLES,
	FIREWALL_UFW,
	FIREWALL_FIREWALLD,
};

enum { FIREWALL_TEXT = 192 };

struct firewall_rule {
	enum firewall_kind kind; /* the program that manages the rule */
	/* "the rule with handle 4 in chain inet test in", "the policy of chain inet test in" */
	char text[FIREWALL_TEXT];
	char hooked[FIREWALL_TEXT]; /* "inet test in": the base chain that reached it */
	char chain[FIREWALL_TEXT];  /* the same without the table: "INPUT" */
};

/* ret_rule: the rule or policy that drops the packet most certainly; unchanged if it passes. */
enum firewall_verdict firewall_judge(const json_t *ruleset, const struct firewall_packet *packet,
	struct firewall_rule *ret_rule);

#endif
