/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways: judges addresses and paths before they enter the table of paths (routes.h). Sources of
 * datagrams, and addresses that other hosts report, are checked against this host's links and the
 * hosts that it reaches beyond them (struct host_reach).
 *
 * Most functions are about the datagram under way in struct host.
 */
#ifndef ELECTD_CORE_HOST_WAYS_H
#define ELECTD_CORE_HOST_WAYS_H

#include "own.h"

void ways_clear(struct host *h);

/* Is it an address of this machine, of any instance of electd on it? */
bool ways_ours(const struct host *h, const struct elect_address *a);

/* The source and the link of the datagram, as trust needs them. */
struct trust_arrival ways_arrival(const struct host *h);

/*
 * Clears the inviter's address in `m` if nothing may be sent there. It is the only address in a
 * message that the election itself answers; all others are hints, which are checked when they are
 * stored.
 */
void ways_forget_unusable(const struct host *h, struct elect_msg *m);

/* The session is verified: notes the path, and the addresses that the message reports. */
void ways_learn(struct host *h, uint64_t now_us);

/* The datagram is a copy of a believed one: it shows a path, too. */
void ways_hear(struct host *h, uint64_t now_us);

/* So does a datagram of a session that is vouched for, or whose space is shut. It may also show
   that multicast does not reach its sender. */
void ways_of_known(struct host *h, uint64_t now_us);

/* The datagram was believed. If it forwards an Invitation, it reports the inviter's address. */
void ways_inviter(struct host *h, uint64_t now_us);

/* A membership list was taken: with peers or hops, the addresses in it become hints. */
void ways_listed(struct host *h, uint64_t now_us);

/* Sends a redirect to the sender if it may not know where the coordinator is. */
void ways_redirect(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
