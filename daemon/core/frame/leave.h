/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave: giving the role up, and saying Goodbye.
 */
#ifndef ELECTD_CORE_FRAME_LEAVE_H
#define ELECTD_CORE_FRAME_LEAVE_H

#include "state.h"

void leave_release(struct elect *e, enum elect_purpose purpose, enum elect_reason reason,
	const struct elect_id *cause);
void leave_yield(struct elect *e, const struct elect_inviter *to);
void leave_stop(struct elect *e);
/* The demotion is over, and what it was for is done. */
enum elect_purpose leave_demoted(struct elect *e);
void leave_on_timer_goodbye(struct elect *e);

#endif
