/* SPDX-License-Identifier: Apache-2.0 */
/*
 * road: what stands between an election of the lectures and the simulated LAN, the `net` of S001:
 * the registry, safe sending along the ring, numbers of elections, a coordinator's heartbeat, a
 * watchdog. Decides nothing about who is elected, but between two who both are.
 */
#ifndef ELECTSIM_ROAD_ROAD_H
#define ELECTSIM_ROAD_ROAD_H

#include "electsim/lab/elections/lab.h"
#include "electsim/world/election.h"

/* Behind those of the algorithm, which are counted from 1 on. */
enum road_type { ROAD_ACK = SIM_TYPES - 3, ROAD_HEARTBEAT, ROAD_START };

enum { ROAD_REPORTS_MAX = 16, ROAD_REPORT_SIZE = 160 };

#define ROAD_TRIES 5

/* All hosts are of the algorithm of that row: after sim_reset(), before any starts. */
void road_begin(struct sim *s, const struct election *e, bool literal);
/* calm.c: what must follow the troubles of a run. */
void road_calm(struct sim *s, struct calm *c);
/* As the algorithm knows it. */
const struct lab_host *road_lab(const struct sim_host *h);
/* How long its watchdog waits at first, if so many are dead. */
uint64_t road_patience_us(const struct sim *s, const struct sim_host *h, unsigned dead);
/* How often an election was begun at a host. */
uint64_t road_elections(const struct sim_host *h);

#endif
