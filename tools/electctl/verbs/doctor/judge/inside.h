/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the judges: their functions, and questions about the facts that several of
 * them need. Only for this folder.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_JUDGE_INSIDE_H
#define ELECTCTL_VERBS_DOCTOR_JUDGE_INSIDE_H

#include "judge.h"

/* The judges, in the order of their calls: none repeats what an earlier one has found. */

/* host.c: does electd run in time, and is everything that it needs well? */
void judge_host(const json_t *facts, json_t *findings);
/* links.c: interfaces, addresses and firewalls between electd and the LAN. */
void judge_links(const json_t *facts, json_t *findings);
/* routes.c: where the routes lead, and what the kernel drops because of them. */
void judge_routes(const json_t *facts, json_t *findings);
/* lan.c: which hosts hear each other, on which paths; how hosts differ from this one. */
void judge_lan(const json_t *facts, json_t *findings);
/* ways.c: if there are several links, which of them work with which hosts. */
void judge_ways(const json_t *facts, json_t *findings);
/* peers.c: the hosts of network.peers. */
void judge_peers(const json_t *facts, json_t *findings);
bool judge_on_lan(const json_t *facts, const char *address);
/* host.c: problems that electd reports. */
void judge_problems(const json_t *facts, json_t *findings);

enum {
	JUDGE_LATELY_MS = 10000, /* a datagram refused before that is no longer a finding */
	JUDGE_NAMED_MAX = 8,	 /* findings of one kind; more would add nothing */
	JUDGE_NUMBER = 24,
	JUDGE_INTERFACE = 24, /* "to " and a name */
};

/* Digits of facts[key][inner]. */
const char *judge_number(
	const json_t *object, const char *key, const char *inner, char ret_text[JUDGE_NUMBER]);
/* The ports of electd in nft(8)'s notation; other hosts may use any port of the range. */
void judge_list_ports(const json_t *doctor, char *ret_text, size_t size);
/* electd's text if a rule of this host changes the source of its datagrams; else NULL. */
const char *judge_translated(const json_t *facts);
/* The interfaces that electd uses: "eth0 10.0.0.1, eth1 10.1.0.1". */
void judge_list_used(const json_t *facts, char *ret_text, size_t size);
/*
 * A value for network.interfaces: the interfaces on which another host is heard, and `interface`.
 * "\"eth0\", \"eth1\"". Returns ret_text.
 */
const char *judge_names_with(
	const json_t *facts, const char *interface, char *ret_text, size_t size);
/* True if a path, or a row of a host's "by", is IPv6. */
bool judge_is_ipv6(const json_t *row);
/* The multicast group of a path; NULL: electd's group, the IPv4 one if it uses both families. */
const char *judge_group(const json_t *path, const json_t *doctor);
/* True if electd sends to the group; if not, it only looks for its peers. */
bool judge_multicasts(const json_t *doctor);
/* How a host is heard on a path; NULL: never heard. */
const json_t *judge_by(const json_t *host, const json_t *path);
/* True if a host was heard since the question began. A host heard before that may have left. */
bool judge_there(const json_t *doctor, const json_t *host);

#endif
