/* SPDX-License-Identifier: Apache-2.0 */
/*
 * road: the transport between an election of the laboratory and the simulated LAN, the `net` of
 * S001: the registry, reliable sending along the ring, numbers of elections, heartbeats, a
 * watchdog. It decides which host is elected only between two elected coordinators.
 */
#ifndef ELECTSIM_LAB_ROAD_ROAD_H
#define ELECTSIM_LAB_ROAD_ROAD_H

#include "electsim/world/election.h"

/* Makes all hosts run that algorithm; call after sim_reset(), before any host starts. */
void road_begin(struct sim *s, const struct election *e, bool literal);
void road_calm(struct sim *s, struct calm *c);

#endif
