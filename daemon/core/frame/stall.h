/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stall: what own lateness means.
 */
#ifndef ELECTD_CORE_FRAME_STALL_H
#define ELECTD_CORE_FRAME_STALL_H

#include "state.h"

/* It has run again after more than dead_after, and that late. */
void stall_over(struct elect *e, uint64_t late_us);
/* It was late: may the others have gone on without me by now? */
void stall_short(struct elect *e);
/* Late by so much, and by no more than others bear. */
void stall_late(struct elect *e, uint64_t late_us);
/* TIMER_LEAD: asks once more after a stall, or leads. */
void stall_on_timer_lead(struct elect *e);

#endif
