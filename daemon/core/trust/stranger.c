/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stranger: see stranger.h. A table that is searched from front to back: mostly it is empty.
 */
#include "stranger.h"

#include <string.h>

enum { SECOND_US = 1000000 };

void strangers_clear(struct strangers *s)
{
	memset(s, 0, offsetof(struct strangers, list));
}

int stranger_find(
	const struct strangers *s, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].session == session && s->list[i].key_id == key_id &&
			elect_id_equal(&s->list[i].id, id))
			return (int)i;
	return -1;
}

/* ---- deaf ones --------------------------------------------------------------------------- */

bool stranger_is_deaf(const struct strangers *s, uint64_t now_us, int at)
{
	const struct stranger *p = &s->list[at];

	return p->deaf_from_us <= now_us && now_us < p->deaf_until_us;
}

bool stranger_may_speak(const struct strangers *s, uint64_t now_us, int at)
{
	return s->list[at].looked_us + s->beacon_us <= now_us;
}

void stranger_spoke(struct strangers *s, uint64_t now_us, int at)
{
	s->list[at].looked_us = now_us;
}

/* The last Challenge has a beacon's time to be answered, too. */
static void count_challenge(const struct strangers *s, struct stranger *p, uint64_t now_us)
{
	if (++p->asked < STRANGER_CHALLENGES)
		return;
	p->asked = 0;
	p->deaf_from_us = now_us + s->beacon_us;
	p->deaf_until_us = p->deaf_from_us + p->deaf_us;
	p->deaf_us = 2 * p->deaf_us < STRANGER_DEAF_US_MAX ? 2 * p->deaf_us : STRANGER_DEAF_US_MAX;
}

/* ---- the table --------------------------------------------------------------------------- */

/* An exchange under way, of the last beacon, is not pushed out. */
static int make_room(const struct strangers *s, uint64_t now_us)
{
	unsigned oldest = 0;

	if (s->count < STRANGERS_MAX)
		return (int)s->count;
	for (unsigned i = 1; i < s->count; i++)
		if (s->list[i].last_us < s->list[oldest].last_us)
			oldest = i;
	return s->list[oldest].last_us + s->beacon_us > now_us ? -1 : (int)oldest;
}

static int make(struct strangers *s, uint64_t now_us, const struct elect_msg *m)
{
	int at = make_room(s, now_us);

	if (at < 0)
		return at;
	s->count += (unsigned)at == s->count;
	s->kept[at].ways.count = 0;
	s->list[at] = (struct stranger){ .session = m->session,
		.id = m->sender,
		.key_id = m->key_id,
		.last_us = now_us,
		.due_us = ELECT_NEVER,
		.deaf_us = STRANGER_DEAF_US };
	return at;
}

/* One a link: who says that he is everywhere is asked at few places. */
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

void stranger_again(struct strangers *s, const struct wire_header *h, const struct elect_way *way)
{
	int at = stranger_find(s, &h->sender, h->session, h->key_id);

	if (at >= 0)
		note_way(&s->kept[at].ways, way);
}

int stranger_meet(struct strangers *s, uint64_t now_us, uint64_t due_us, const struct elect_msg *m,
	const struct elect_way *way, const uint8_t *bytes, size_t size)
{
	int at = stranger_find(s, &m->sender, m->session, m->key_id);

	if (at < 0)
		at = make(s, now_us, m);
	if (at < 0)
		return at;
	note_way(&s->kept[at].ways, way);
	s->kept[at].at_us = now_us;
	s->kept[at].size = size;
	memcpy(s->kept[at].bytes, bytes, size);
	if (due_us < s->list[at].due_us)
		s->list[at].due_us = due_us;
	return at;
}

void stranger_forget(struct strangers *s, int at)
{
	unsigned last = --s->count;

	if ((unsigned)at == last)
		return;
	s->list[at] = s->list[last];
	s->kept[at] = s->kept[last];
}

void strangers_forget_key(struct strangers *s, uint8_t key_id)
{
	for (unsigned i = s->count; i > 0; i--)
		if (s->list[i - 1].key_id == key_id)
			stranger_forget(s, (int)i - 1);
}

/* ---- challenges -------------------------------------------------------------------------- */

int stranger_due(const struct strangers *s, uint64_t now_us)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].due_us <= now_us)
			return (int)i;
	return -1;
}

uint64_t stranger_next_us(const struct strangers *s)
{
	uint64_t next = ELECT_NEVER;

	for (unsigned i = 0; i < s->count; i++)
		if (s->list[i].due_us < next)
			next = s->list[i].due_us;
	return next;
}

/* Each costs 1/50 s of a credit of at most one second. */
static bool pay(struct strangers *s, uint64_t now_us, unsigned kind)
{
	if (s->paid_us[kind] + SECOND_US < now_us)
		s->paid_us[kind] = now_us - SECOND_US;
	if (s->paid_us[kind] > now_us)
		return false;
	s->paid_us[kind] += SECOND_US / STRANGER_CHALLENGES_PER_S;
	return true;
}

bool strangers_pay(struct strangers *s, uint64_t now_us)
{
	return pay(s, now_us, 0);
}

static bool ask(struct strangers *s, struct stranger *p, uint64_t now_us, unsigned kind)
{
	bool rested = !p->asked_us[kind] || p->asked_us[kind] + s->beacon_us <= now_us;

	if (!rested || !pay(s, now_us, kind))
		return false;
	p->asked_us[kind] = now_us;
	return true;
}

bool stranger_ask(struct strangers *s, uint64_t now_us, int at, bool follow)
{
	struct stranger *p = &s->list[at];
	bool counted =
		p->asked_us[0] + s->beacon_us > now_us || p->asked_us[1] + s->beacon_us > now_us;

	p->due_us = ELECT_NEVER;
	if (!(follow && ask(s, p, now_us, 1)) && !ask(s, p, now_us, 0))
		return false;
	p->last_us = now_us;
	if (follow && p->asked_us[1] == now_us)
		p->due_us = now_us + STRANGER_AGAIN_US;
	if (!counted)
		count_challenge(s, p, now_us);
	return true;
}
