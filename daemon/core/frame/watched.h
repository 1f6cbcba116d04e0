/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched: a coordinator watches its members, for every algorithm (suspicion.md, F14).
 */
#ifndef ELECTD_CORE_FRAME_WATCHED_H
#define ELECTD_CORE_FRAME_WATCHED_H

#include "state.h"

/* This host has just become the coordinator of its members. */
void watched_begin(struct elect *e);
/* Notes whether the message answers a request of this host. Call it before the quorum is judged. */
void watched_answered(struct elect *e, int member, const struct elect_msg *m);
/* The sender lives, whatever it reports. May end in Down. */
void watched_heard(struct elect *e, const struct elect_msg *m);
/* Takes over what a member reports of its priority, fitness and name. May end in Down. */
void watched_standing(struct elect *e, int member, const struct elect_msg *m);
void watched_on_goodbye(struct elect *e, const struct elect_msg *m);
void watched_on_timer(struct elect *e);
/* A beacon is sent: the timer need not fire for a member that was heard since it was set. */
void watched_put_off(struct elect *e);
/* Returns whether all probes of that member were in vain. */
bool watched_is_lost(const struct elect *e, unsigned member);
/* The reason to report when a group goes on without a lost member. */
enum elect_reason watched_lost_because(const struct elect *e);

#endif
