/* SPDX-License-Identifier: Apache-2.0 */
/*
 * successors: a member verifies the first two in succession before they are needed (sessions.md,
 * *Successors*).
 *
 * A member has verified its coordinator; of the other members it knows only that the list names
 * them. So it would answer the Invitation of a successor with a Challenge first. Instead it sends
 * these two a Challenge each while the group is quiet, and a few more if they do not answer. If
 * both are verified, nothing is sent.
 */
#ifndef ELECTD_CORE_HOST_SUCCESSORS_H
#define ELECTD_CORE_HOST_SUCCESSORS_H

#include "own.h"

/* This host has taken a membership list, or its keys have changed: looks at them a little later. */
void successors_begin(struct host *h, uint64_t now_us);

/* When to look at them next; ELECT_NEVER: not before the next list. */
static inline uint64_t successors_next_us(const struct host *h)
{
	return h->successors.due_us ? h->successors.due_us : ELECT_NEVER;
}

void successors_due(struct host *h, uint64_t now_us, struct elect_actions *actions);

#endif
