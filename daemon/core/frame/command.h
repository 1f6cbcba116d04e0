/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: what people ask of a host.
 */
#ifndef ELECTD_CORE_FRAME_COMMAND_H
#define ELECTD_CORE_FRAME_COMMAND_H

#include "state.h"

void command_on(struct elect *e, const struct elect_command *c);
/* It has other keys, and those sessions are not known to live any more. */
void command_rekey(struct elect *e, const struct elect_rekeyed *r);

#endif
