/* SPDX-License-Identifier: Apache-2.0 */
/*
 * challenge: answers the Challenges of other hosts; sends Challenges to unverified peers, and acts
 * on the kept message of a peer that has answered (trust.md 3).
 */
#ifndef ELECTD_CORE_HOST_CHALLENGE_H
#define ELECTD_CORE_HOST_CHALLENGE_H

#include "own.h"

/* Answers a Challenge, or a host that cannot know the higher incarnation `known` (D1). */
void challenge_answer(
	struct host *h, uint64_t now_us, uint64_t known, struct elect_actions *ret_actions);

/* The same for a Challenge that a window refused: one more with each quarter of a beacon. */
void challenge_answer_refused(struct host *h, uint64_t now_us, struct elect_actions *ret_actions);

/* The longest random delay before a member challenges a host that all members hear. */
uint64_t challenge_spread_us(const struct host *h);

/* The datagram under way is of an unverified session: keeps it if the election wants it, and makes
   a Challenge due. */
void challenge_meet(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size);

/* The datagram under way has verified its session: the kept message of that session may take the
   place of the present one. */
void challenge_proven(struct host *h, uint64_t now_us);

/* Sends the Challenges that are due by now; the last part of every step. */
void challenge_due(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
