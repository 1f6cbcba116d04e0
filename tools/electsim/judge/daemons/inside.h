/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the kind of hosts with a core; will.c, the copy of a process, which reports the death of
 * the process (the counterpart of node/will.c); own_link.c, what a host's own link shows;
 * addresses.c, the ranks of holders (the counterpart of control/holders.c).
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

/* ELECT_ACTION_TRY_LINK: each sign is fed later as SIM_EVENT_LINK_LIVES. */
void own_link_try(struct sim *s, struct sim_host *h, const struct elect_try_link *t);
/* Is that sign, which is fed now, due to another host than the lost one? */
bool own_link_proves(const struct sim *s, const struct sim_host *h, enum elect_sign sign);

/* Has it a holder of rank address, or had it one in this role? */
bool addresses_held(const struct sim_host *h);
/* Call after each view. `begins`: token of the role that begins, or 0. */
void addresses_view(
	struct sim *s, struct sim_host *h, const struct elect_view *view, uint64_t begins);
/* Call after each step, too: the deadline may have changed. */
void addresses_until(struct sim *s, struct sim_host *h);
/* The kernel of that host has stalled for `us`. */
void addresses_awake(struct sim *s, struct sim_host *h, uint64_t us);
/* The core asks for a release, and the hooks end theirs at that time. */
void addresses_release(struct sim *s, struct sim_host *h, uint64_t number, uint64_t hook_until_us);
/* SIM_EVENT_RANK */
void addresses_event(struct sim *s, struct sim_host *h, const struct sim_event *event);
/* The process of electd has ended: the holder removes the address by itself. */
void addresses_alone(struct sim *s, struct sim_host *h);
/* The whole host is off. */
void addresses_dark(struct sim_host *h);

#endif
