/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithms: the elections that run on the frame of electd: electd's own, and bully, which is
 * played for comparison only.
 */
#ifndef ELECTSIM_WORLD_ELECTION_H
#define ELECTSIM_WORLD_ELECTION_H

#include "core/elect.h"

extern const struct elect_algorithm invitation, bully;

/* The first is electd's; NULL ends it. */
extern const struct elect_algorithm *const algorithms[];

/* NULL: none has that name. */
const struct elect_algorithm *algorithm_named(const char *name);

#endif
