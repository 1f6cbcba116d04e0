/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stall: the consequences of this host's own lateness (suspicion.md): the time by which the loop
 * runs after its timers were due, in microseconds.
 */
#ifndef ELECTD_CORE_FRAME_STALL_H
#define ELECTD_CORE_FRAME_STALL_H

#include "state.h"

/* This host runs again after more than dead_after: it stops leading, and asks its group. */
void stall_over(struct elect *e, uint64_t late_us);
/* This host was late by less: it asks its group if others may have gone on without it. */
void stall_short(struct elect *e);
/* Adds own lateness to what is counted for other hosts. */
void stall_late(struct elect *e, uint64_t late_us);
/* TIMER_LEAD: reviews the role; after a stall asks once more instead, until the asking is over. */
void stall_on_timer_lead(struct elect *e);

#endif
