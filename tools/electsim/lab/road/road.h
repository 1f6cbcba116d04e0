/* SPDX-License-Identifier: Apache-2.0 */
/*
 * road: what stands between an election of the laboratory and the simulated LAN, the `net` of S001:
 * the registry, safe sending along the ring, numbers of elections, a coordinator's heartbeat, a
 * watchdog. Decides nothing about who is elected, but between two that both are.
 */
#ifndef ELECTSIM_LAB_ROAD_ROAD_H
#define ELECTSIM_LAB_ROAD_ROAD_H

#include "electsim/world/election.h"

/* All hosts are of the algorithm of that row: after sim_reset(), before any starts. */
void road_begin(struct sim *s, const struct election *e, bool literal);
/* calm.c: what must follow the troubles of a run. */
void road_calm(struct sim *s, struct calm *c);

#endif
