/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match: decides whether one expression of a rule matches a datagram; only for firewall.c. A
 * condition that is not known here, or that nft does not show, may match.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_MATCH_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_MATCH_H

#include "firewall.h"

enum match { NO, MAYBE, YES };

/* The datagram, and its place in the rules. */
struct firewall_place {
	const json_t *items; /* items of the ruleset */
	const struct firewall_packet *packet;
	const json_t *base; /* the base chain */
};

/* The "set" or "map" of that name, "@name", in the current table; NULL: nft did not list it. */
const json_t *firewall_named(const struct firewall_place *at, const char *kind, const char *name);

/* { "op": …, "left": …, "right": … } */
enum match firewall_asks(const struct firewall_place *at, const json_t *match);

#endif
