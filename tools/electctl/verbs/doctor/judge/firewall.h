/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firewall: what the rules of this host, as `nft -j list ruleset` tells them, do with one datagram
 * of electd. Read, not tried: nothing is put into the rules to find out. What a rule asks that is
 * not known here (marks, limits, iptables' own matches) makes its verdict one that may be.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>

struct firewall_packet {
	bool comes;			/* else it is sent */
	bool to_all;			/* else to one host */
	const char *interface;		/* by which */
	int family;			/* AF_INET, AF_INET6 */
	struct in6_addr source, target; /* of IPv4 in its first four bytes; 0: not known */
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
	enum firewall_kind kind;    /* whose it is */
	char text[FIREWALL_TEXT];   /* "the rule with handle 4 of inet test in", "the policy of inet
				       test in" */
	char hooked[FIREWALL_TEXT]; /* "inet test in": the chain that it was called from */
	char chain[FIREWALL_TEXT];  /* the same without table: "INPUT" */
};

/* The rule or policy that drops it most surely; unchanged if it passes. */
enum firewall_verdict firewall_judge(const json_t *ruleset, const struct firewall_packet *packet,
	struct firewall_rule *ret_rule);

#endif
