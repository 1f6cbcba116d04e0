/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: the table by which trust.c judges, with a place for each host and key. Judges nothing; its
 * functions for other modules are declared in trust.h.
 */
#ifndef ELECTD_CORE_TRUST_PEERS_H
#define ELECTD_CORE_TRUST_PEERS_H

#include "trust.h"

static inline bool session_silent(const struct trust_session *s, uint64_t now_us)
{
	return s->last_us + TRUST_SILENT_US < now_us;
}

/* When a key last verified a session of `id` other than this one; 0: no key has. */
uint64_t peers_other_us(const struct trust *t, const struct elect_id *id, uint64_t session);

/*
 * Has another key verified another session of this host since? A host lives once, so what this key
 * has verified is a former start then, until it answers anew, which no recording of it can.
 */
bool peer_overtaken(const struct trust *t, const struct trust_peer *p);

/* Makes a new place; NULL if all places are of hosts that are verified and alive. */
struct trust_peer *peers_make(
	struct trust *t, uint64_t now_us, const struct elect_id *id, uint8_t key_id);

#endif
