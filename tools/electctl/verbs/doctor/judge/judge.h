/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge: what is wrong, by what was gathered. Data in, findings out: no question is asked here, no
 * file is read, no time passes.
 *
 * The facts are one object; what was not looked at is missing in it.
 *
 *	"unit"		"electd.service"
 *	"status", "doctor", "health", "hooks"
 *			what electd answered to GetStatus, Doctor when it was over, GetHealth,
 *			GetHooks; missing: it does not run
 *	"interfaces"	[{"name", "address", "up", "empty"}]: those that can multicast and have an
 *			address; empty: a bridge without ports
 *	"udp_l3mdev_accept"
 *			the sysctl of net.ipv4; missing: this kernel has no VRF
 *	"ear"		[{"interface", "address", "id", "domain_hash"}]: what was heard by those
 *			that electd does not use
 *	"twice"		[{"interface", "address", "mac"}]: who else has an address of this host
 *	"routes"	[{"interface", "subnet", "to", "by", "rp_filter", "arp_ignore"}]: the
 *			route to a host of the LAN of that interface, by which it leads; "": by
 *			none; null: by several
 *	"peer_routes"	[{"to", "by"}]: the interface of the route to each peer; "": none
 *	"ruleset"	what `nft -j list ruleset` said
 *	"units"		[{"name", "active", "result", "exit"}]
 *	"taken"		{"port", "last", "who"}: why electd could not start; "last" above
 *			"port": all ports of that range are taken
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_JUDGE_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_JUDGE_H

#include "findings.h"

void judge(const json_t *facts, json_t *findings);

/* Asked where facts are gathered, too. */

/* Does electd use that interface? */
bool judge_uses(const json_t *facts, const char *interface);
/* Does electd use that family? */
bool judge_uses_family(const json_t *doctor, bool ipv6);
/* How long ago object[key] was, a large number: never. */
int64_t judge_ago(const json_t *object, const char *key);

#endif
