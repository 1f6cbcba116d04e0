/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: see peers.h. A place in the table never moves.
 */
#include "peers.h"

int trust_first(const struct trust *t, const struct elect_id *id)
{
	return places_find(&t->places, PLACES_IDS(t->peers), id);
}

int trust_next(const struct trust *t, int at)
{
	return places_next(&t->places, PLACES_IDS(t->peers), (unsigned)at);
}

int trust_find(const struct trust *t, const struct elect_id *id, uint8_t key_id)
{
	int at = trust_first(t, id);

	while (at >= 0 && t->peers[at].key_id != key_id)
		at = trust_next(t, at);
	return at;
}

uint64_t peers_other_us(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	uint64_t last_us = 0;

	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at)) {
		const struct trust_session *s = &t->peers[at].proven;

		if (s->session != session && s->proven_us > last_us)
			last_us = s->proven_us;
	}
	return last_us;
}

bool peer_overtaken(const struct trust *t, const struct trust_peer *p)
{
	return peers_other_us(t, &p->id, p->proven.session) > p->proven.proven_us;
}

static bool proves(const struct trust *t, const struct trust_peer *p, uint64_t session)
{
	return session != 0 && p->proven.session == session && session_verified(&p->proven) &&
		!peer_overtaken(t, p);
}

bool trust_proven_by(
	const struct trust *t, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	int at = trust_find(t, id, key_id);

	return at >= 0 && proves(t, &t->peers[at], session);
}

bool trust_proven(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at))
		if (proves(t, &t->peers[at], session))
			return true;
	return false;
}

bool trust_hears(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	for (int at = trust_first(t, id); at >= 0; at = trust_next(t, at)) {
		const struct session_window *w = t->peers[at].proven.windows;

		if (proves(t, &t->peers[at], session) && w[TRUST_TO_ONE].state == SESSION_OPEN &&
			w[TRUST_TO_ALL].state == SESSION_OPEN)
			return true;
	}
	return false;
}

static uint64_t peer_last_us(const struct trust_peer *p)
{
	return p->proven.last_us > p->candidate.last_us ? p->proven.last_us : p->candidate.last_us;
}

static struct trust_peer *peer_to_displace(struct trust *t, uint64_t now_us)
{
	struct trust_peer *worst = &t->peers[0];

	for (unsigned i = 1; i < t->peers_count; i++) {
		struct trust_peer *p = &t->peers[i];
		bool proven = p->proven.session, worst_proven = worst->proven.session;

		if (proven != worst_proven ? worst_proven : peer_last_us(p) < peer_last_us(worst))
			worst = p;
	}
	if (worst->proven.session && !session_silent(&worst->proven, now_us))
		return NULL;
	return worst;
}

static int peer_take_place(struct trust *t, uint64_t now_us)
{
	struct trust_peer *p;

	if (t->peers_count < TRUST_PEERS_MAX)
		return (int)t->peers_count++;
	p = peer_to_displace(t, now_us);
	if (!p)
		return -1;
	places_remove(&t->places, PLACES_IDS(t->peers), (unsigned)(p - t->peers));
	return (int)(p - t->peers);
}

struct trust_peer *peers_make(
	struct trust *t, uint64_t now_us, const struct elect_id *id, uint8_t key_id)
{
	int at = peer_take_place(t, now_us);

	if (at < 0)
		return NULL;
	t->peers[at] = (struct trust_peer){ .id = *id, .key_id = key_id };
	places_add(&t->places, PLACES_IDS(t->peers), (unsigned)at);
	return &t->peers[at];
}
