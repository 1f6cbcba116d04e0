/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave: giving the role up, and saying Goodbye.
 */
#ifndef ELECTD_CORE_FRAME_LEAVE_H
#define ELECTD_CORE_FRAME_LEAVE_H

#include "state.h"

/* Has the demotion run, if it leads, and then does what that is for. */
void leave_release(struct elect *e, enum elect_purpose purpose, enum elect_reason reason,
	const struct elect_id *cause);
/* ... for that one, who waits for it (M7). Nothing, if it does not lead. */
void leave_yield(struct elect *e, const struct elect_inviter *to);
void leave_stop(struct elect *e);
/* `resign_to` was set: it counts for the demotion under way, and for no later one. */
void leave_named(struct elect *e);
/* The demotion is over: what it was for, and is done now. For role.c alone, which looks again. */
enum elect_purpose leave_demoted(struct elect *e);
void leave_on_timer_goodbye(struct elect *e);

/* A proven message, perhaps of the one that it has yielded to. */
void leave_heard(struct elect *e, const struct elect_msg *m);

#endif
