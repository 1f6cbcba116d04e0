/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put_back: detects that this machine was put back to an earlier state including its memory, such
 * as a virtual machine to a snapshot (sessions.md, Put back).
 *
 * The process continues its session under sequences that other hosts have already heard, so their
 * windows refuse most of what it sends. The process cannot notice this by its clock or disk,
 * because they were put back as well. A host that hears no higher sequence of a session sends it a
 * Challenge that names those already heard. A process that has not used them begins a new session.
 * The sequences of a session only rise, so a living process has used all that a replayed Challenge
 * names, and ignores it. Only a holder of the key can lie.
 */
#ifndef ELECTD_CORE_HOST_PUT_BACK_H
#define ELECTD_CORE_HOST_PUT_BACK_H

#include "own.h"

/* The message under way is a Challenge. Does it require this process to begin a new session? */
bool put_back_shown(const struct host *h, uint64_t now_us);

/* The message under way is a Challenge. True: this process was put back. Its session has begun
   anew, and h->event is ready to be fed to the election. */
bool put_back_heard(struct host *h, uint64_t now_us);

#endif
