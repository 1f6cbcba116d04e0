/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what lan.c asks of those who disturb it.
 */
#ifndef ELECTSIM_LAN_INSIDE_H
#define ELECTSIM_LAN_INSIDE_H

#include "lan.h"

void hostile_on_datagram(struct sim *s, struct sim_datagram *d);
/* The newest remembered datagram of that type from that host, or NULL. */
struct sim_datagram *hostile_newest(struct sim *s, enum elect_msg_type type, unsigned from);
void insider_hears(struct sim *s, const struct sim_datagram *d);
void forgeries_clear(struct sim *s);
/* It was sent to that host, or to all: -1. */
void forgeries_record(struct sim *s, struct sim_datagram *d, int to);
/* To each host but the one it names, or to that one. */
void forgeries_throw(struct sim *s, struct sim_datagram *d, int to, uint64_t in_us);
/* false when the datagram is to be dropped. */
bool trigger_on_carry(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t *extra_us,
	bool *ret_twice);

#endif
