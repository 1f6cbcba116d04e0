/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the judges share: who they are, and what several of them ask the facts. For this room only.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_INSIDE_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_INSIDE_H

#include "judge.h"

/* The judges, in this order: a later one says nothing again that an earlier one has found. */

/* host.c: does electd run, is it in time, is what it needs well? */
void judge_host(const json_t *facts, json_t *findings);
/* links.c: interfaces, addresses, firewalls: what stands between electd and the LAN. */
void judge_links(const json_t *facts, json_t *findings);
/* routes.c: where the routes lead, and what the kernel drops for it. */
void judge_routes(const json_t *facts, json_t *findings);
/* lan.c: who hears whom, and by what; who is not like this host. */
void judge_lan(const json_t *facts, json_t *findings);
/* ways.c: which links work with whom, where there are several. */
void judge_ways(const json_t *facts, json_t *findings);
/* peers.c: those of network.peers. */
void judge_peers(const json_t *facts, json_t *findings);
/* Is that address on a LAN of this host? */
bool judge_on_lan(const json_t *facts, const char *address);
/* host.c: problems that electd tells of. */
void judge_problems(const json_t *facts, json_t *findings);

enum {
	JUDGE_LATELY_MS = 10000, /* what was refused longer ago is over */
	JUDGE_NAMED_MAX = 8,	 /* of one kind; the rest would say the same */
	JUDGE_NUMBER = 24,
	JUDGE_INTERFACE = 24, /* "by " and a name */
};

/* Digits of facts[key][inner]. */
const char *judge_number(
	const json_t *object, const char *key, const char *inner, char ret_text[JUDGE_NUMBER]);
/* The ports of electd, as nft(8) reads them: others may have any port of the range. */
void judge_list_ports(const json_t *doctor, char *ret_text, size_t size);
/* The words of electd if a rule of this host changes the source of its datagrams; or NULL. */
const char *judge_translated(const json_t *facts);
/* Those that it uses: "eth0 10.0.0.1, eth1 10.1.0.1". */
void judge_list_used(const json_t *facts, char *ret_text, size_t size);
/*
 * For network.interfaces: those by which another host is heard, and one more. "\"eth0\", \"eth1\"".
 * Returns ret_text.
 */
const char *judge_names_with(
	const json_t *facts, const char *interface, char *ret_text, size_t size);
/* Is a path, or a way, of IPv6? */
bool judge_is_ipv6(const json_t *row);
/* The group of a path; of those of both families, for NULL, the one of IPv4. */
const char *judge_group(const json_t *path, const json_t *doctor);
/* Does electd send to the group? Else it looks for its peers only. */
bool judge_multicasts(const json_t *doctor);
/* How a host is heard by a path; NULL: it never was. */
const json_t *judge_by(const json_t *host, const json_t *path);
/* Was a host heard since the question began? Who was heard before may be gone. */
bool judge_there(const json_t *doctor, const json_t *host);

#endif
