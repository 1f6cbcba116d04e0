/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unverified: see unverified.h. The table is searched from its front: mostly it is empty.
 */
#include "unverified.h"

#include <string.h>

enum { SECOND_US = 1000000, PRICE_US = SECOND_US / UNVERIFIED_CHALLENGES_PER_S };

void unverified_clear(struct unverified *s, uint64_t seed)
{
	memset(s, 0, offsetof(struct unverified, list));
	unresponsive_clear(&s->unresponsive, seed);
}

int unverified_find(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].who.session == session && s->list[i].who.key_id == key_id &&
			elect_id_equal(&s->list[i].who.id, id))
			return (int)i;
	return -1;
}

int unverified_asked(
	const struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	return unresponsive_find(&s->unresponsive, id, session, key_id);
}

/* ---- unresponsive sessions --------------------------------------------------------------- */

bool unverified_is_unresponsive(const struct unverified *s, uint64_t now_us, int asked)
{
	return unresponsive_is(&s->unresponsive, now_us, asked);
}

bool unverified_may_speak(const struct unverified *s, uint64_t now_us, int asked)
{
	return s->unresponsive.list[asked].looked_us + s->beacon_us <= now_us;
}

void unverified_spoke(struct unverified *s, uint64_t now_us, int asked)
{
	s->unresponsive.list[asked].looked_us = now_us;
}

/* ---- the table --------------------------------------------------------------------------- */

static bool within(uint64_t us, uint64_t now_us, uint64_t span_us)
{
	return us && us + span_us > now_us;
}

static bool is_silent(const struct unverified *s, uint64_t now_us, unsigned at, unsigned beacons)
{
	return s->kept[at].at_us + beacons * s->beacon_us < now_us;
}

/* The readiness of a place to be given to a peer with that turn; 0: it is kept. */
static uint64_t yields(const struct unverified *s, uint64_t now_us, unsigned at, uint64_t turn)
{
	const struct unverified_peer *p = &s->list[at];

	if (p->asked && within(p->last_us, now_us, UNVERIFIED_EXCHANGE_US))
		return 0;
	if (p->due_us == ELECT_NEVER || is_silent(s, now_us, at, 1))
		return UINT64_MAX - p->last_us; /* highest for the one asked longest ago */
	return p->turn > turn ? p->turn : 0;
}

/* A peer that was asked within a beacon is not asked now, and needs no place. */
static bool was_asked(
	const struct unverified *s, uint64_t now_us, const struct unresponsive_who *who)
{
	int asked = unverified_asked(s, &who->id, who->session, who->key_id);
	const struct unresponsive_entry *e = &s->unresponsive.list[asked < 0 ? 0 : asked];

	return asked >= 0 &&
		(within(e->asked_us[0], now_us, s->beacon_us) ||
			within(e->asked_us[1], now_us, s->beacon_us));
}

static int make_room(const struct unverified *s, uint64_t now_us,
	const struct unresponsive_who *who, uint64_t turn)
{
	uint64_t most = 0;
	int best = -1;

	if (s->count < UNVERIFIED_MAX)
		return (int)s->count;
	if (was_asked(s, now_us, who))
		return -1;
	for (unsigned i = 0; i < s->count; i++) {
		uint64_t gladly = yields(s, now_us, i, turn);

		if (gladly > most) {
			most = gladly;
			best = (int)i;
		}
	}
	return best;
}

static int make(struct unverified *s, uint64_t now_us, const struct unresponsive_who *who)
{
	int at = make_room(s, now_us, who, unresponsive_turn(&s->unresponsive, who));

	if (at < 0)
		return at;
	s->count += (unsigned)at == s->count;
	s->kept[at].ways.count = 0;
	s->list[at] =
		(struct unverified_peer){ .who = *who, .last_us = now_us, .due_us = ELECT_NEVER };
	return at;
}

/* Keeps one path a link, so that a peer which pretends to be everywhere is asked at few places. */
static void note_way(struct elect_ways *ways, const struct elect_way *way)
{
	unsigned at = 0;

	while (at < ways->count && ways->items[at].link != way->link)
		at++;
	if (at == ELECT_WAYS_MAX)
		return;
	ways->items[at] = *way;
	if (at == ways->count)
		ways->count++;
}

int unverified_meet(struct unverified *s, uint64_t now_us, uint64_t due_us,
	const struct elect_msg *m, const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	const struct unresponsive_who who = { m->sender, m->session, m->incarnation, m->key_id };
	int at = unverified_find(s, &who.id, who.session, who.key_id);
	struct unverified_peer *p;

	if (at < 0)
		at = make(s, now_us, &who);
	if (at < 0)
		return at;
	p = &s->list[at];
	p->turn = unresponsive_turn(&s->unresponsive, &who);
	note_way(&s->kept[at].ways, way);
	s->kept[at].at_us = now_us;
	s->kept[at].size = size;
	memcpy(s->kept[at].bytes, bytes, size);
	if (due_us < p->due_us && !p->waits)
		p->due_us = due_us;
	return at;
}

static void leave_place(struct unverified *s, int at)
{
	unsigned last = --s->count;

	if ((unsigned)at == last)
		return;
	s->list[at] = s->list[last];
	s->kept[at] = s->kept[last];
}

void unverified_note_asked(
	struct unverified *s, uint64_t now_us, const struct unresponsive_who *who)
{
	unresponsive_asked(&s->unresponsive, now_us, who, UNVERIFIED_ORDINARY, true, s->beacon_us);
}

void unverified_forget(
	struct unverified *s, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	int at = unverified_find(s, id, session, key_id);
	int asked = unverified_asked(s, id, session, key_id);

	if (at >= 0)
		leave_place(s, at);
	if (asked >= 0)
		unresponsive_forget(&s->unresponsive, asked);
}

void unverified_forget_key(struct unverified *s, uint8_t key_id)
{
	for (unsigned i = s->count; i > 0; i--)
		if (s->list[i - 1].who.key_id == key_id)
			leave_place(s, (int)i - 1);
	unresponsive_forget_key(&s->unresponsive, key_id);
}

/* ---- challenges -------------------------------------------------------------------------- */

/*
 * If both may be the newest start of the same host, the higher incarnation goes first; else the
 * peer that waits longest.
 */
static bool goes_before(
	const struct unverified_peer *a, const struct unverified_peer *b, uint64_t turn)
{
	if (unresponsive_turn_is_newest(turn) && elect_id_equal(&a->who.id, &b->who.id))
		return a->who.incarnation > b->who.incarnation;
	return a->last_us < b->last_us;
}

int unverified_due(const struct unverified *s, uint64_t now_us)
{
	uint64_t first = UINT64_MAX;
	int best = -1;

	for (unsigned i = 0; i < s->count; i++) {
		const struct unverified_peer *p = &s->list[i];
		uint64_t turn;

		if (p->due_us > now_us)
			continue;
		turn = unresponsive_turn(&s->unresponsive, &p->who);
		if (turn < first || (turn == first && goes_before(p, &s->list[best], turn))) {
			first = turn;
			best = (int)i;
		}
	}
	return best;
}

uint64_t unverified_next_us(const struct unverified *s)
{
	uint64_t next = ELECT_NEVER;

	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].due_us < next)
			next = s->list[i].due_us;
	return next;
}

/* When that pool can pay for one Challenge. Each costs 1/50 s of the pool's credit. */
static uint64_t pays_us(const struct unverified *s, enum unverified_pool pool)
{
	uint64_t at_once =
		pool == UNVERIFIED_NEW ? UNVERIFIED_NEW_AT_ONCE : UNVERIFIED_CHALLENGES_PER_S;
	uint64_t credit_us = at_once * PRICE_US;

	return s->full_us[pool] + PRICE_US > credit_us ? s->full_us[pool] + PRICE_US - credit_us
						       : 0;
}

static bool pay(struct unverified *s, uint64_t now_us, enum unverified_pool pool)
{
	if (pays_us(s, pool) > now_us)
		return false;
	if (s->full_us[pool] < now_us)
		s->full_us[pool] = now_us;
	s->full_us[pool] += PRICE_US;
	return true;
}

bool unverified_pay(struct unverified *s, uint64_t now_us)
{
	return pay(s, now_us, UNVERIFIED_KNOWN);
}

struct purse {
	uint64_t asked_us[2];
	bool fresh; /* its host was never asked */
};

static struct purse purse_of(const struct unverified *s, const struct unverified_peer *p)
{
	int asked = unverified_asked(s, &p->who.id, p->who.session, p->who.key_id);
	struct purse purse = { .fresh = !unresponsive_turn(&s->unresponsive, &p->who) };

	if (asked >= 0)
		memcpy(purse.asked_us, s->unresponsive.list[asked].asked_us,
			sizeof(purse.asked_us));
	return purse;
}

/* If the pools cannot pay and the peer was not asked within a beacon, it waits. */
static bool ask(struct unverified *s, struct unverified_peer *p, const struct purse *purse,
	uint64_t now_us, unsigned kind)
{
	uint64_t us = pays_us(s, kind);

	if (within(purse->asked_us[kind], now_us, s->beacon_us))
		return false;
	if ((purse->fresh && pay(s, now_us, UNVERIFIED_NEW)) || pay(s, now_us, kind))
		return true;
	if (purse->fresh && pays_us(s, UNVERIFIED_NEW) < us)
		us = pays_us(s, UNVERIFIED_NEW);
	p->waits = true;
	p->due_us = us < p->due_us ? us : p->due_us;
	return false;
}

/*
 * A listed peer repeats a datagram if it gets no answer, and a Challenge or its answer may be lost.
 * So each repeat causes one more Challenge, for a short time.
 */
static bool ask_again(struct unverified *s, uint64_t now_us, int at, const struct purse *purse)
{
	struct unverified_peer *p = &s->list[at];

	if (p->waits || s->kept[at].at_us <= p->last_us ||
		!within(purse->asked_us[UNVERIFIED_FOLLOWED], now_us, UNVERIFIED_REPEATS_US))
		return false;
	if (within(p->last_us, now_us, UNVERIFIED_AGAIN_US)) {
		p->due_us = p->last_us + UNVERIFIED_AGAIN_US;
		return false;
	}
	if (!pay(s, now_us, UNVERIFIED_KNOWN))
		return false;
	p->last_us = now_us;
	return true;
}

bool unverified_ask(struct unverified *s, uint64_t now_us, int at, enum unverified_whose whose)
{
	struct unverified_peer *p = &s->list[at];
	const struct purse purse = purse_of(s, p);
	bool gone = p->waits && is_silent(s, now_us, (unsigned)at, UNVERIFIED_WAIT_BEACONS);
	bool counted = !within(purse.asked_us[0], now_us, s->beacon_us) &&
		!within(purse.asked_us[1], now_us, s->beacon_us);
	unsigned kind = UNVERIFIED_FOLLOWED;

	p->due_us = ELECT_NEVER;
	p->waits = false;
	if (gone)
		return false;
	if (whose == UNVERIFIED_OF_ANY || !ask(s, p, &purse, now_us, kind)) {
		kind = UNVERIFIED_ORDINARY;
		if (!ask(s, p, &purse, now_us, kind))
			return whose == UNVERIFIED_LISTED && ask_again(s, now_us, at, &purse);
	}
	p->waits = false;
	p->asked = true;
	p->last_us = now_us;
	p->due_us = kind == UNVERIFIED_FOLLOWED ? now_us + UNVERIFIED_AGAIN_US : ELECT_NEVER;
	unresponsive_asked(&s->unresponsive, now_us, &p->who, kind, counted, s->beacon_us);
	return true;
}
