/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways: what this host takes for true of where it and others are. What is heard, and what others
 * say, is judged here by its links and by what it reaches beyond them (struct host_reach) before it
 * gets into the table (routes.h).
 *
 * Most is about the datagram under way, as host.c has it.
 */
#ifndef ELECTD_CORE_HOST_WAYS_H
#define ELECTD_CORE_HOST_WAYS_H

#include "own.h"

/* It begins: nothing is known. */
void ways_clear(struct host *h);

/* Is it an address of this host, whichever of its instances has it? */
bool ways_ours(const struct host *h, const struct elect_address *a);

/* How trust is to know the way by which the datagram came. */
struct trust_arrival ways_arrival(const struct host *h);

/* Only an inviter's address is answered by the election: by all others, as by hints, it is reached.
 */
void ways_forget_unusable(const struct host *h, struct elect_msg *m);

/* It is of a session that is proven: by which way that is reached, and what it says of others. */
void ways_learn(struct host *h, uint64_t now_us);

/* A copy of a believed datagram shows a path, too. */
void ways_hear(struct host *h, uint64_t now_us);

/*
 * So does a datagram of a session that is vouched for, or whose space is shut; and that the group
 * does not reach it.
 */
void ways_of_known(struct host *h, uint64_t now_us);

/* It was believed. Who forwards an Invitation says where the inviter is. */
void ways_inviter(struct host *h, uint64_t now_us);

/* It has brought a list, which says where its members are. */
void ways_listed(struct host *h, uint64_t now_us);

/* Its sender may not know where the coordinator is: he is told, if so. */
void ways_redirect(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
