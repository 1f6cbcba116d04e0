/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bar: the reasons for which this host does not lead, each a row of core/bar_list.h.
 *
 * The functions read this host's own facts, and change nothing. role_review() alone acts on them.
 */
#ifndef ELECTD_CORE_FRAME_BAR_H
#define ELECTD_CORE_FRAME_BAR_H

#include "state.h"

enum bar_scope { BAR_BEGIN, BAR_HOLD, BAR_STOP, BAR_CLAIM };

/* Until when the bar holds; 0: it does not; ELECT_NEVER: until an event ends it. */
uint64_t bar_until(const struct elect *e, enum elect_bar bar);
/* The strongest bar that holds, of all or of that scope, or ELECT_BAR_NONE. */
enum elect_bar bar_strongest(const struct elect *e);
enum elect_bar bar_first(const struct elect *e, enum bar_scope scope);
/* The strongest bar that concerns other hosts, or ELECT_BAR_NONE: then this host may lead. */
enum elect_bar bar_told(const struct elect *e);
/* Do other hosts learn that bar at once? */
bool bar_is_prompt(enum elect_bar bar);
/* When time ends the next bar of scope HOLD, or lets this host claim; ELECT_NEVER: none. */
uint64_t bar_next_end(const struct elect *e);
/* The reason that is reported when the bar ends the role. */
enum elect_reason bar_reason(enum elect_bar bar);
/* Returns bits of enum elect_problem. */
uint32_t bar_problems(const struct elect *e);

#endif
