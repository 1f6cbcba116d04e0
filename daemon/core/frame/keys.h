/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: which keys the members of a group accept and send, and what a host may change without
 * splitting it (trust.md 4). Only numbers and names of keys; what is sealed is trust's.
 */
#ifndef ELECTD_CORE_FRAME_KEYS_H
#define ELECTD_CORE_FRAME_KEYS_H

#include "state.h"

/* Is that session lost with a key? */
bool keys_lost(const struct elect_rekeyed *r, const struct elect_id *id, uint64_t session);

/* What a message's sender accepts and sends: what it says, or else the one it is sealed with. */
void keys_of(const struct elect *e, const struct elect_msg *m, struct elect_keys *ret_keys);
/* A member has said it, or its coordinator what it knows of all. */
void keys_said(struct elect *e, unsigned member, const struct elect_msg *m);
void keys_told(struct elect *e, const struct elect_msg *m);
/* Writes into a message what this host says of itself, or of its members. */
void keys_say(const struct elect *e, struct elect_msg *m);
void keys_tell(const struct elect *e, struct elect_msg *m);

#endif
