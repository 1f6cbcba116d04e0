/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match: what one expression of a rule asks of a datagram, for firewall.c alone. What is not known
 * here, or nft does not tell, may match.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_MATCH_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_FIREWALL_MATCH_H

#include "firewall.h"

enum match { NO, MAYBE, YES };

/* Where a datagram is in the rules. */
struct firewall_place {
	const json_t *items; /* of the ruleset */
	const struct firewall_packet *packet;
	const json_t *base; /* the chain that is hooked */
};

/* The "set" or "map" of that name, "@name", in the table that is walked; NULL: it is not told. */
const json_t *firewall_named(const struct firewall_place *at, const char *kind, const char *name);

/* { "op": …, "left": …, "right": … } */
enum match firewall_asks(const struct firewall_place *at, const json_t *match);

#endif
