/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the kind of hosts with a core; and will.c, the copy of a process, which reports the death
 * of the process (the counterpart of node/will.c).
 */
#ifndef ELECTSIM_JUDGE_DAEMONS_INSIDE_H
#define ELECTSIM_JUDGE_DAEMONS_INSIDE_H

#include "electsim/world/sim.h"

extern const struct sim_kind daemons_kind;

/* Call before its keys change: notes what its copy was made of, if that is not noted already. */
void will_keep(const struct sim *s, struct sim_host *h);
/* Call before its process ends: seals the will and begins the demotion. */
void will_leave(struct sim *s, struct sim_host *h);
void will_speak(struct sim *s, struct sim_host *h, unsigned number);
/* Ends the copy, because the whole host is off. */
void will_end(struct sim *s, struct sim_host *h);

#endif
