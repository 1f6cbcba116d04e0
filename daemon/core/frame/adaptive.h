/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patience: a host that was taken for dead and was not cut off is given more time.
 */
#ifndef ELECTD_CORE_FRAME_ADAPTIVE_H
#define ELECTD_CORE_FRAME_ADAPTIVE_H

#include "state.h"

/* It has run again, late by so much: may others have taken it for dead? */
void adaptive_late(struct elect *e, uint64_t late_us);
/* Of any proven message: does it say that another group has succeeded to mine, for silence? */
void adaptive_heard(struct elect *e, const struct elect_msg *m);
/* This host coordinates, lives, and somebody begins to succeed to it for that loss. */
void adaptive_suspected(struct elect *e, enum elect_loss loss);
/* Own lateness: a host that is suspended runs no time without a false alarm. */
void adaptive_later(struct elect *e, uint64_t late_us);
/* Time passes: what is long ago is forgotten. */
void adaptive_pass(struct elect *e);
/* What the group has with its coordinator: as that says, or as this host knows of itself. */
struct elect_adaptive adaptive_of(const struct elect *e);
/* What is added to dead_after, and to silence, for the coordinator of this host's group. */
uint64_t adaptive_dead_us(const struct elect *e);
uint64_t adaptive_silence_us(const struct elect *e);

#endif
