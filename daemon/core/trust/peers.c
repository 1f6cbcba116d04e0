/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: see peers.h. Found by halving in an order of indexes; a place never moves.
 */
#include "peers.h"

#include <string.h>

static int peer_compare(const struct trust_peer *p, const struct elect_id *id, uint8_t key_id)
{
	int order = elect_id_compare(&p->id, id);

	return order ? order : p->key_id - key_id;
}

/* Where in the order `id` stands, as that key shows it, or would stand. */
static unsigned peer_place(const struct trust *t, const struct elect_id *id, uint8_t key_id)
{
	unsigned low = 0, high = t->peers_count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (peer_compare(&t->peers[t->order[middle]], id, key_id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int trust_find(const struct trust *t, const struct elect_id *id, uint8_t key_id)
{
	unsigned place = peer_place(t, id, key_id);

	if (place == t->peers_count || peer_compare(&t->peers[t->order[place]], id, key_id) != 0)
		return -1;
	return t->order[place];
}

unsigned trust_places(const struct trust *t, const struct elect_id *id, unsigned *ret_first)
{
	unsigned first = peer_place(t, id, 0), last = first;

	while (last < t->peers_count && elect_id_equal(&t->peers[t->order[last]].id, id))
		last++;
	*ret_first = first;
	return last - first;
}

uint64_t peers_other_us(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	unsigned first, count = trust_places(t, id, &first);
	uint64_t last_us = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct trust_session *s = &t->peers[t->order[first + i]].proven;

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
	return session != 0 && p->proven.session == session && !peer_overtaken(t, p);
}

bool trust_proven_by(
	const struct trust *t, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	int at = trust_find(t, id, key_id);

	return at >= 0 && proves(t, &t->peers[at], session);
}

bool trust_proven(const struct trust *t, const struct elect_id *id, uint64_t session)
{
	unsigned first, count = trust_places(t, id, &first);

	for (unsigned i = 0; i < count; i++)
		if (proves(t, &t->peers[t->order[first + i]], session))
			return true;
	return false;
}

static uint64_t peer_last_us(const struct trust_peer *p)
{
	return p->proven.last_us > p->candidate.last_us ? p->proven.last_us : p->candidate.last_us;
}

/* Who makes room: an unproven one before a proven one, then the silent for longest. */
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

/* A place in `peers`, outside of the order; or NULL when everybody is proven and alive. */
static struct trust_peer *peer_take_place(struct trust *t, uint64_t now_us)
{
	struct trust_peer *p;
	unsigned place;

	if (t->peers_count < TRUST_PEERS_MAX)
		return &t->peers[t->peers_count];
	p = peer_to_displace(t, now_us);
	if (!p)
		return NULL;
	place = peer_place(t, &p->id, p->key_id);
	t->peers_count--;
	memmove(&t->order[place], &t->order[place + 1],
		(t->peers_count - place) * sizeof(t->order[0]));
	return p;
}

struct trust_peer *peers_make(
	struct trust *t, uint64_t now_us, const struct elect_id *id, uint8_t key_id)
{
	struct trust_peer *p = peer_take_place(t, now_us);
	unsigned place;

	if (!p)
		return NULL;
	place = peer_place(t, id, key_id);
	memmove(&t->order[place + 1], &t->order[place],
		(t->peers_count - place) * sizeof(t->order[0]));
	t->order[place] = (uint16_t)(p - t->peers);
	t->peers_count++;
	*p = (struct trust_peer){ .id = *id, .key_id = key_id };
	return p;
}
