/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put_back: a machine that is put back to an earlier state with its memory, as a virtual machine is
 * to a snapshot (trust.md 3, put back).
 *
 * Its process goes on in its session under sequences that the other hosts have heard, so their
 * windows refuse most of it; and the process cannot know: its clock and disk are those of then. A
 * host that hears no higher sequence of a session names, in a Challenge, those that it has heard of
 * it. A process that has not used them begins a new session. The sequences of a session only rise,
 * so what a recording names a living process has used: it changes nothing. Only a holder of the key
 * can lie.
 */
#ifndef ELECTD_CORE_HOST_PUT_BACK_H
#define ELECTD_CORE_HOST_PUT_BACK_H

#include "own.h"

/* The message under way is a Challenge: is this process to begin a new session because of it? */
bool put_back_shown(const struct host *h, uint64_t now_us);

/*
 * The message under way is a Challenge. True: this process was put back. Its session has begun
 * anew, and the event is there that the election has to be told.
 */
bool put_back_heard(struct host *h, uint64_t now_us);

#endif
