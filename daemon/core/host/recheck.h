/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recheck: Challenges to sessions whose datagrams their window refuses (trust.md 3, *A session*).
 *
 * Most refused datagrams are copies and recordings. But the window of a living session may be the
 * work of a forged sequence, and a process that was put back to an earlier state goes on under
 * sequences that were used. The answer to a Challenge shows which: its session has passed over what
 * was forged, or is a new one (put_back.h).
 */
#ifndef ELECTD_CORE_HOST_RECHECK_H
#define ELECTD_CORE_HOST_RECHECK_H

#include "own.h"

/*
 * The authentic datagram under way was judged so: a Challenge to its session may be sent, now or
 * within 20 ms, which tells what was heard of it; and a refused Challenge may be answered.
 */
void recheck_meet(struct host *h, uint64_t now_us, enum wire_verdict verdict, const uint8_t *bytes,
	size_t size, struct elect_actions *ret_actions);

/* When the next one is due; ELECT_NEVER: none is. */
static inline uint64_t recheck_next_us(const struct host *h)
{
	return h->recheck.due_us ? h->recheck.due_us : ELECT_NEVER;
}

/* Sends the Challenge that is due. */
void recheck_due(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
