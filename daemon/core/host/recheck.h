/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recheck: sends Challenges to sessions whose datagrams their window refuses (trust.md 3, *A
 * session*).
 *
 * Most refused datagrams are copies or replays. But a forged sequence may have moved the window of
 * a living session, and a process that was put back to an earlier state sends under used sequences.
 * The answer to a Challenge shows which: the session has gone on above the forged sequences, or is
 * a new one (put_back.h).
 */
#ifndef ELECTD_CORE_HOST_RECHECK_H
#define ELECTD_CORE_HOST_RECHECK_H

#include "own.h"

/*
 * Handles the authentic datagram under way, which was judged `verdict`. A Challenge that names the
 * sequences heard may go to its session, now or within 20 ms. A Challenge that was refused may be
 * answered.
 */
void recheck_meet(struct host *h, uint64_t now_us, enum wire_verdict verdict, const uint8_t *bytes,
	size_t size, struct elect_actions *ret_actions);

/* When the next Challenge is due; ELECT_NEVER: none is. */
static inline uint64_t recheck_next_us(const struct host *h)
{
	return h->recheck.due_us ? h->recheck.due_us : ELECT_NEVER;
}

void recheck_due(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
