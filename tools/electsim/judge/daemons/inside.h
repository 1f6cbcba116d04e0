/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the inside of daemons: their kind; and will.c, the copy of a process, which says what
 * happened to that (the twin of node/will.c).
 */
#ifndef ELECTSIM_JUDGE_DAEMONS_INSIDE_H
#define ELECTSIM_JUDGE_DAEMONS_INSIDE_H

#include "electsim/world/sim.h"

extern const struct sim_kind daemons_kind;

/* Its keys are about to change: what its copy was made of, unless that is still the former one. */
void will_keep(const struct sim *s, struct sim_host *h);
/* Its process is about to be gone: what it leaves is sealed, and its demotion begins. */
void will_leave(struct sim *s, struct sim_host *h);
void will_speak(struct sim *s, struct sim_host *h, unsigned number);
/* The host itself is gone, with all that runs on it. */
void will_end(struct sim *s, struct sim_host *h);

#endif
