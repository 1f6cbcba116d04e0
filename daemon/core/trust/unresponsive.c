/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unresponsive: see unresponsive.h.
 */
#include "unresponsive.h"

#include <string.h>

_Static_assert(UNRESPONSIVE_MAX < UINT16_MAX, "an index and one more has room in a row");

enum { TURN_BITS = 59 }; /* bits of the time in a turn; the bits above count vain Challenges */

void unresponsive_clear(struct unresponsive *u, uint64_t seed)
{
	memset(u, 0, offsetof(struct unresponsive, list));
	u->seed = seed;
}

/* ---- the table --------------------------------------------------------------------------- */

/* The upper bits of a sum of products with odd numbers that only this host knows. */
static uint16_t *row_of(
	const struct unresponsive *u, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	uint64_t half[2], sum;

	_Static_assert(sizeof(half) == sizeof(id->bytes), "an id is two numbers");
	memcpy(half, id->bytes, sizeof(half));
	sum = half[0] * ((u->seed ^ UINT64_C(0x9e3779b97f4a7c15)) | 1);
	sum += half[1] * ((u->seed * UINT64_C(0xd6e8feb86659fd93)) | 1);
	sum += (session ^ key_id) * ((u->seed * UINT64_C(0xc2b2ae3d27d4eb4f)) | 1);
	sum ^= sum >> 32;
	sum *= UINT64_C(0x94d049bb133111eb);
	return (uint16_t *)u->rows[(sum >> 32) % UNRESPONSIVE_ROWS];
}

static uint16_t *row_at(const struct unresponsive *u, unsigned at)
{
	const struct unresponsive_who *who = &u->list[at].who;

	return row_of(u, &who->id, who->session, who->key_id);
}

static bool is_of(const struct unresponsive_entry *e, const struct elect_id *id, uint64_t session,
	uint8_t key_id)
{
	return e->who.session == session && e->who.key_id == key_id &&
		elect_id_equal(&e->who.id, id);
}

int unresponsive_find(
	const struct unresponsive *u, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	const uint16_t *row = row_of(u, id, session, key_id);

	for (unsigned i = 0; i < UNRESPONSIVE_ROW; i++)
		if (row[i] && is_of(&u->list[row[i] - 1], id, session, key_id))
			return row[i] - 1;
	return -1;
}

static uint64_t matters_until_us(const struct unresponsive_entry *e)
{
	uint64_t asked_us = e->asked_us[e->asked_us[1] > e->asked_us[0]];

	return e->until_us > asked_us ? e->until_us : asked_us;
}

static unsigned take_place(struct unresponsive *u, uint16_t *row)
{
	unsigned least = 0;

	for (unsigned i = 0; i < UNRESPONSIVE_ROW; i++) {
		if (!row[i]) {
			row[i] = (uint16_t)++u->count;
			return u->count - 1;
		}
		if (matters_until_us(&u->list[row[i] - 1]) <
			matters_until_us(&u->list[row[least] - 1]))
			least = i;
	}
	return row[least] - 1u;
}

static struct unresponsive_entry *entry(
	struct unresponsive *u, const struct elect_id *id, uint64_t session, uint8_t key_id)
{
	int at = unresponsive_find(u, id, session, key_id);

	if (at < 0) {
		at = (int)take_place(u, row_of(u, id, session, key_id));
		u->list[at] = (struct unresponsive_entry){
			.who = { .id = *id, .session = session, .key_id = key_id },
			.next_us = UNRESPONSIVE_US
		};
	}
	return &u->list[at];
}

static void rename_in_row(struct unresponsive *u, unsigned at, unsigned to)
{
	uint16_t *row = row_at(u, at);

	while (*row != at + 1)
		row++;
	*row = (uint16_t)to;
}

void unresponsive_forget(struct unresponsive *u, int at)
{
	unsigned last = u->count - 1;

	rename_in_row(u, (unsigned)at, 0);
	if ((unsigned)at != last) {
		rename_in_row(u, last, (unsigned)at + 1);
		u->list[at] = u->list[last];
	}
	u->count = last;
}

void unresponsive_forget_key(struct unresponsive *u, uint8_t key_id)
{
	for (unsigned i = u->count; i > 0; i--)
		if (u->list[i - 1].who.key_id == key_id)
			unresponsive_forget(u, (int)i - 1);
}

/* ---- sessions ---------------------------------------------------------------------------- */

bool unresponsive_is(const struct unresponsive *u, uint64_t now_us, int at)
{
	return u->list[at].from_us <= now_us && now_us < u->list[at].until_us;
}

static void count_vain(struct unresponsive_entry *e, uint64_t now_us, uint64_t beacon_us)
{
	if (e->vain < UNRESPONSIVE_CHALLENGES)
		e->vain++;
	if (++e->row < UNRESPONSIVE_CHALLENGES)
		return;
	e->row = 0;
	e->from_us = now_us + beacon_us;
	e->until_us = e->from_us + e->next_us;
	e->next_us = 2 * e->next_us < UNRESPONSIVE_US_MAX ? 2 * e->next_us : UNRESPONSIVE_US_MAX;
}

void unresponsive_asked(struct unresponsive *u, uint64_t now_us, const struct unresponsive_who *who,
	unsigned kind, bool counted, uint64_t beacon_us)
{
	struct unresponsive_entry *e = entry(u, &who->id, 0, who->key_id);

	e->asked_us[0] = now_us;
	if (who->incarnation > e->who.incarnation || !e->newest) {
		e->who.incarnation = who->incarnation;
		e->newest = who->session;
	}
	e = entry(u, &who->id, who->session, who->key_id);
	e->asked_us[kind] = now_us;
	if (counted)
		count_vain(e, now_us, beacon_us);
}

/* ---- turns ------------------------------------------------------------------------------- */

static bool is_newest(const struct unresponsive_entry *host, const struct unresponsive_who *who)
{
	return who->session == host->newest || who->incarnation > host->who.incarnation;
}

static uint64_t vain(const struct unresponsive *u, const struct unresponsive_who *who)
{
	int at = unresponsive_find(u, &who->id, who->session, who->key_id);

	return at < 0 ? 0 : u->list[at].vain;
}

uint64_t unresponsive_turn(const struct unresponsive *u, const struct unresponsive_who *who)
{
	int at = unresponsive_find(u, &who->id, 0, who->key_id);

	if (at < 0)
		return 0;
	return (vain(u, who) + !is_newest(&u->list[at], who)) << TURN_BITS |
		u->list[at].asked_us[0];
}

bool unresponsive_turn_is_newest(uint64_t turn)
{
	return turn >> TURN_BITS == 0;
}
