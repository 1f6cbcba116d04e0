/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: which keys the members of a group accept and send, and which change of its keys a host may
 * make without splitting the group (keys.md). It handles numbers and names of keys only; sealing
 * is the task of core/trust.
 */
#ifndef ELECTD_CORE_FRAME_KEYS_H
#define ELECTD_CORE_FRAME_KEYS_H

#include "state.h"

/* Returns whether that session was verified by a key that is gone. */
bool keys_lost(const struct elect_rekeyed *r, const struct elect_id *id, uint64_t session);

/* The keys that a message's sender reports that it accepts and sends; else the sealing one. */
void keys_of(const struct elect *e, const struct elect_msg *m, struct elect_keys *ret_keys);
/* A member has reported its keys; the coordinator has reported the keys of all members. */
void keys_said(struct elect *e, unsigned member, const struct elect_msg *m);
void keys_told(struct elect *e, const struct elect_msg *m);
/* Writes the keys of this host, or of all its members (keys_tell()), into a message. */
void keys_say(const struct elect *e, struct elect_msg *m);
void keys_tell(const struct elect *e, struct elect_msg *m);

#endif
