/* SPDX-License-Identifier: Apache-2.0 */
/*
 * challenge: Challenges of others, which are answered; and strangers, who are challenged, and whose
 * word is acted on when they have answered (unverified.h).
 */
#ifndef ELECTD_CORE_HOST_CHALLENGE_H
#define ELECTD_CORE_HOST_CHALLENGE_H

#include "own.h"

/* The datagram under way is one, or of a host that cannot know what is `known` of it (D1). */
void challenge_answer(
	struct host *h, uint64_t now_us, uint64_t known, struct elect_actions *ret_actions);

/* The datagram under way is a Challenge that a window has refused: once a beacon for a session. */
void challenge_answer_refused(struct host *h, uint64_t now_us, struct elect_actions *ret_actions);

/* A member waits at most so long before it challenges a host that all members hear. */
uint64_t challenge_spread_us(const struct host *h);

/* It is of a session that is not proven. */
void challenge_meet(struct host *h, uint64_t now_us, const uint8_t *bytes, size_t size);

/* It has proven its session: the message under way may become what that has said before. */
void challenge_proven(struct host *h, uint64_t now_us);

/* The last part of every step: who is to be challenged by now is. */
void challenge_due(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
