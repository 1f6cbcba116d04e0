/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: the table of hosts that trust.c judges by, a place for each host and key. Judges nothing;
 * what it answers to others stands in trust.h.
 */
#ifndef ELECTD_CORE_TRUST_PEERS_H
#define ELECTD_CORE_TRUST_PEERS_H

#include "trust.h"

static inline bool session_silent(const struct trust_session *s, uint64_t now_us)
{
	return s->last_us + TRUST_SILENT_US < now_us;
}

/* When the keys have proven any other session of `id` than this one; 0: they have none. */
uint64_t peers_other_us(const struct trust *t, const struct elect_id *id, uint64_t session);

/*
 * A host lives once: when another key has proven another session of it since, what this one has
 * proven is a former start, until it proves itself anew. A recording of it does not.
 */
bool peer_overtaken(const struct trust *t, const struct trust_peer *p);

/* A new place; NULL when all are of hosts that are proven and alive. */
struct trust_peer *peers_make(
	struct trust *t, uint64_t now_us, const struct elect_id *id, uint8_t key_id);

#endif
