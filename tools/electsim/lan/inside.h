/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what lan.c asks of those who disturb it.
 */
#ifndef ELECTSIM_LAN_INSIDE_H
#define ELECTSIM_LAN_INSIDE_H

#include "lan.h"

void hostile_on_datagram(struct sim *s, struct sim_datagram *d);
void insider_hears(struct sim *s, const struct sim_datagram *d);
/* false when the datagram is to be dropped. */
bool trigger_on_carry(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t *extra_us,
	bool *ret_twice);

#endif
