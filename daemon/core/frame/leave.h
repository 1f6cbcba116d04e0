/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave: a host gives its role up, for good or for a while, and sends Goodbye (merge.md, role.md).
 *
 * A leader first has its demotion run: RELEASE requests it, RELEASED or yield_timeout ends it. Only
 * then it leaves or lets a better coordinator lead. leave_release() and its callers may end in
 * Down.
 */
#ifndef ELECTD_CORE_FRAME_LEAVE_H
#define ELECTD_CORE_FRAME_LEAVE_H

#include "state.h"

/* Has the demotion run, if this host leads; then does what the purpose asks for. */
void leave_release(struct elect *e, enum elect_purpose purpose, enum elect_reason reason,
	const struct elect_id *cause);
/* The same for an inviter that waits for it (M7). If this host does not lead, only notes it. */
void leave_yield(struct elect *e, const struct elect_inviter *to);
/* The same for a stop: the Goodbyes come after the demotion, and EXIT after them. */
void leave_stop(struct elect *e);
/* `resign_to` was set: names the next leader of the demotion under way, or is forgotten. */
void leave_named(struct elect *e);
/* For role_demoted() alone: ends demotion and role, does what it was for, and returns that. */
enum elect_purpose leave_demoted(struct elect *e);
void leave_on_timer_goodbye(struct elect *e);

/* A verified message: if the host that this one has yielded to sent it, waits on for its merge. */
void leave_heard(struct elect *e, const struct elect_msg *m);

#endif
