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
 *	"ear"		[{"interface", "address", "id", "domain_hash"}]: what was heard by those
 *			that electd does not use
 *	"twice"		[{"interface", "address", "mac"}]: who else has an address of this host
 *	"ruleset"	what `nft -j list ruleset` said
 *	"units"		[{"name", "active", "result", "exit"}]
 *	"taken"		{"port", "who"}: why electd could not start
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_H

#include "findings.h"

void judge(const json_t *facts, json_t *findings);

/* Its parts, in this order: a later one says nothing again that an earlier one has found. */

/* judge_host.c: does electd run, is it in time, is what it needs well? */
void judge_host(const json_t *facts, json_t *findings);
/* judge_links.c: interfaces, addresses, firewalls: what stands between electd and the LAN. */
void judge_links(const json_t *facts, json_t *findings);
/* judge_lan.c: who hears whom, and by what; who is not like this host. */
void judge_lan(const json_t *facts, json_t *findings);
/* judge_ways.c: which links work with whom, where there are several. */
void judge_ways(const json_t *facts, json_t *findings);
/* judge_peers.c: those of network.peers. */
void judge_peers(const json_t *facts, json_t *findings);
/* Is that address on a LAN of this host? */
bool judge_on_lan(const json_t *facts, const char *address);
/* judge_host.c: problems that electd tells of. */
void judge_problems(const json_t *facts, json_t *findings);

enum {
	JUDGE_LATELY_MS = 10000, /* what was refused longer ago is over */
	JUDGE_NAMED_MAX = 8,	 /* of one kind; the rest would say the same */
	JUDGE_NUMBER = 24,
};

/* Digits of facts[key][inner]. */
const char *judge_number(
	const json_t *object, const char *key, const char *inner, char ret_text[JUDGE_NUMBER]);
/* Does electd use that interface? */
bool judge_uses(const json_t *facts, const char *interface);
/* Those that it uses: "eth0 10.0.0.1, eth1 10.1.0.1". */
void judge_list_used(const json_t *facts, char *ret_text, size_t size);
/* Is a path, or a way, of IPv6? */
bool judge_is_ipv6(const json_t *row);
/* The group of a path; of those of both families, for NULL, the one of IPv4. */
const char *judge_group(const json_t *path, const json_t *doctor);
/* Does electd send to the group? Else it looks for its peers only. */
bool judge_multicasts(const json_t *doctor);
/* Does electd use that family? */
bool judge_uses_family(const json_t *doctor, bool ipv6);
/* How a host is heard by a path; NULL: it never was. */
const json_t *judge_by(const json_t *host, const json_t *path);
/* Was a host heard since the question began? Who was heard before may be gone. */
bool judge_there(const json_t *doctor, const json_t *host);
/* How long ago object[key] was, a large number: never. */
int64_t judge_ago(const json_t *object, const char *key);

#endif
