/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: carries out requests of operators, and a change of keys (role.md).
 */
#ifndef ELECTD_CORE_FRAME_COMMAND_H
#define ELECTD_CORE_FRAME_COMMAND_H

#include "state.h"

void command_on(struct elect *e, const struct elect_command *c);
/* This host has other keys. The sessions of `r` were verified by a key that is gone. */
void command_rekey(struct elect *e, const struct elect_rekeyed *r);

#endif
