/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge: derives the findings from the gathered facts. It has no side effects: it asks nothing,
 * reads no file and no clock.
 *
 * The facts are one object; a fact that was not checked is missing in it.
 *
 *	"unit"		"electd.service"
 *	"status", "doctor", "health", "hooks"
 *			electd's answers to GetStatus, to Doctor at its end, GetHealth, GetHooks;
 *			missing: electd does not run
 *	"addresses"	electd's answer to GetAddresses; missing: the leader has none
 *	"interfaces"	[{"name", "address", "up", "empty"}]: interfaces with multicast and an
 *			address; empty: a bridge without ports
 *	"udp_l3mdev_accept"
 *			the sysctl of net.ipv4; missing: this kernel has no VRF
 *	"ear"		[{"interface", "address", "id", "domain_hash"}]: senders heard on
 *			interfaces that electd does not use
 *	"twice"		[{"interface", "address", "mac"}]: other machines with an address of this
 *			host
 *	"routes"	[{"interface", "subnet", "to", "by", "rp_filter", "arp_ignore"}]: "by" is
 *			the interface of the route to a host on the LAN of "interface"; "": no
 *			route; null: several next hops
 *	"peer_routes"	[{"to", "by"}]: the interface of the route to each peer; "": no route
 *	"slow_stops"	[{"name", "stop", "words"}]: see stoptime.h
 *	"ruleset"	the output of `nft -j list ruleset`
 *	"units"		[{"name", "active", "result", "exit"}]
 *	"taken"		{"port", "last", "who"}: why electd could not start; "last" above
 *			"port": all ports of that range are taken
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_JUDGE_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_JUDGE_H

#include "findings.h"

void judge(const json_t *facts, json_t *findings);

/* Also used where facts are gathered. */

bool judge_uses(const json_t *facts, const char *interface);
/* True if electd uses that family. */
bool judge_uses_family(const json_t *doctor, bool ipv6);
/* How long ago object[key] was, in milliseconds; a large number: never. */
int64_t judge_ago(const json_t *object, const char *key);

#endif
