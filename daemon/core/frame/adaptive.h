/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adaptive: the adaptive timeout: more time for a host that was suspected falsely, and was not
 * cut off (suspicion.md, Adaptive timeout). It never lets that host itself lead for longer. Times
 * are microseconds.
 */
#ifndef ELECTD_CORE_FRAME_ADAPTIVE_H
#define ELECTD_CORE_FRAME_ADAPTIVE_H

#include "state.h"

/* This host runs again, that late: notes it if others may have suspected it meanwhile. */
void adaptive_late(struct elect *e, uint64_t late_us);
/* Notes a suspicion if a verified message reports a succession to this group for silence. */
void adaptive_heard(struct elect *e, const struct elect_msg *m);
/* This host coordinates and lives, and another host begins to succeed to it for that loss. */
void adaptive_suspected(struct elect *e, enum elect_loss loss);
/* Own lateness: time in which this host did not run makes it forget no false suspicion. */
void adaptive_later(struct elect *e, uint64_t late_us);
/* Time passes: notes whether members are heard, and forgets what is long ago. */
void adaptive_pass(struct elect *e);
/* The extra time that the group grants its coordinator: as the coordinator reports it. */
struct elect_adaptive adaptive_of(const struct elect *e);
/* Added to dead_after, and to `silence`, for the coordinator of this host's group. */
uint64_t adaptive_dead_us(const struct elect *e);
uint64_t adaptive_silence_us(const struct elect *e);

#endif
