/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemons: what a host is made of that is an electd core.
 */
#ifndef ELECTSIM_PLAY_DAEMONS_H
#define ELECTSIM_PLAY_DAEMONS_H

#include "electsim/world/sim.h"

extern const struct sim_kind daemons_kind;

#endif
