/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patience: a host that was taken for dead and was not cut off is given more time.
 */
#ifndef ELECTD_CORE_FRAME_PATIENCE_H
#define ELECTD_CORE_FRAME_PATIENCE_H

#include "state.h"

/* It has run again, late by so much: may others have taken it for dead? */
void patience_late(struct elect *e, uint64_t late_us);
/* Of any proven message: does it say that another group has succeeded to mine, for silence? */
void patience_heard(struct elect *e, const struct elect_msg *m);
/* This host coordinates, lives, and somebody begins to succeed to it for that loss. */
void patience_suspected(struct elect *e, enum elect_loss loss);
/* Own lateness: a host that is suspended runs no time without a false alarm. */
void patience_later(struct elect *e, uint64_t late_us);
/* Time passes: what is long ago is forgotten. */
void patience_pass(struct elect *e);
/* What the group has with its coordinator: as that says, or as this host knows of itself. */
struct elect_patience patience_of(const struct elect *e);
/* What is added to dead_after, and to silence, for the coordinator of this host's group. */
uint64_t patience_dead_us(const struct elect *e);
uint64_t patience_silence_us(const struct elect *e);

#endif
