/* SPDX-License-Identifier: Apache-2.0 */
/* inside: what lan.c needs from the adversary, the insider and the triggers. */
#ifndef ELECTSIM_LAN_INSIDE_H
#define ELECTSIM_LAN_INSIDE_H

#include "lan.h"

void hostile_on_datagram(struct sim *s, struct sim_datagram *d);
struct sim_datagram *hostile_newest(struct sim *s, enum elect_msg_type type, unsigned from);
void insider_hears(struct sim *s, const struct sim_datagram *d);
void forgeries_clear(struct sim *s);
/* `to`: the host that it was sent to; -1: all. */
void forgeries_record(struct sim *s, struct sim_datagram *d, int to);
/* Sends it to host `to`; -1: to each host but the one that it names. */
void forgeries_throw(struct sim *s, struct sim_datagram *d, int to, uint64_t in_us);
/* false: drop the datagram. */
bool trigger_on_carry(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t *extra_us,
	bool *ret_twice);

#endif
