/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched: a coordinator watches its members.
 */
#ifndef ELECTD_CORE_FRAME_WATCHED_H
#define ELECTD_CORE_FRAME_WATCHED_H

#include "state.h"

/* It has just become their coordinator. */
void watched_begin(struct elect *e);
/* A member of this list has answered a request of ours, if that does: before a quorum is judged. */
void watched_answered(struct elect *e, int member, const struct elect_msg *m);
/* It is there, whatever it says. May end in Down. */
void watched_heard(struct elect *e, const struct elect_msg *m);
/* What its standing tells is for all to know. May end in Down. */
void watched_standing(struct elect *e, int member, const struct elect_msg *m);
void watched_on_goodbye(struct elect *e, const struct elect_msg *m);
/* The algorithm's timer for it is due. */
void watched_on_timer(struct elect *e);
/* That member was probed in vain, and to the end. */
bool watched_is_lost(const struct elect *e, unsigned member);
/* Why: as told to people of a group that goes on without it. */
enum elect_reason watched_lost_because(const struct elect *e);

#endif
