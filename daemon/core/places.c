/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: see places.h. Open addressing with linear probing. A removal closes the gap, so no
 * tombstones are needed.
 */
#include "places.h"

#include <assert.h>
#include <string.h>

enum { MASK = PLACES_SLOTS - 1 };

void places_clear(struct places *p, uint64_t seed)
{
	p->seed = seed;
	memset(p->slots, 0, sizeof(p->slots));
}

/* Multiplicative hash: odd factors made of the seed, upper bits of the sum. */
static unsigned home(const struct places *p, const struct elect_id *id)
{
	uint64_t half[2];

	_Static_assert(sizeof(half) == sizeof(id->bytes), "an id is two numbers");
	memcpy(half, id->bytes, sizeof(half));
	half[0] *= (p->seed ^ UINT64_C(0x9e3779b97f4a7c15)) | 1;
	half[1] *= (p->seed * UINT64_C(0xd6e8feb86659fd93) ^ UINT64_C(0xc2b2ae3d27d4eb4f)) | 1;
	return (unsigned)((half[0] + half[1]) >> (64 - PLACES_SLOTS_BITS));
}

static const struct elect_id *id_at(struct places_ids ids, unsigned at)
{
	return (const void *)((const char *)ids.first + at * ids.stride);
}

static int search(
	const struct places *p, struct places_ids ids, unsigned slot, const struct elect_id *id)
{
	for (; p->slots[slot & MASK]; slot++) {
		unsigned at = p->slots[slot & MASK] - 1u;

		if (elect_id_equal(id_at(ids, at), id))
			return (int)at;
	}
	return -1;
}

int places_find(const struct places *p, struct places_ids ids, const struct elect_id *id)
{
	return search(p, ids, home(p, id), id);
}

static unsigned slot_of(const struct places *p, struct places_ids ids, unsigned at)
{
	unsigned slot = home(p, id_at(ids, at));

	for (; p->slots[slot & MASK] != at + 1; slot++)
		assert(p->slots[slot & MASK]);
	return slot & MASK;
}

int places_next(const struct places *p, struct places_ids ids, unsigned at)
{
	return search(p, ids, slot_of(p, ids, at) + 1, id_at(ids, at));
}

void places_add(struct places *p, struct places_ids ids, unsigned at)
{
	unsigned slot = home(p, id_at(ids, at));

	assert(at < PLACES_MAX);
	while (p->slots[slot & MASK])
		slot++;
	p->slots[slot & MASK] = (uint16_t)(at + 1);
}

/* How far the entry in that slot is from the slot of its hash. */
static unsigned distance(const struct places *p, struct places_ids ids, unsigned slot)
{
	return (slot - home(p, id_at(ids, p->slots[slot & MASK] - 1u))) & MASK;
}

void places_remove(struct places *p, struct places_ids ids, unsigned at)
{
	unsigned gap = slot_of(p, ids, at);

	for (unsigned slot = gap + 1; p->slots[slot & MASK]; slot++) {
		if (distance(p, ids, slot) < ((slot - gap) & MASK))
			continue;
		p->slots[gap & MASK] = p->slots[slot & MASK];
		gap = slot;
	}
	p->slots[gap & MASK] = 0;
}

void places_moved_up(struct places *p, unsigned from)
{
	for (unsigned i = 0; i < PLACES_SLOTS; i++)
		p->slots[i] = (uint16_t)(p->slots[i] + (p->slots[i] > from));
}

void places_moved_down(struct places *p, unsigned from)
{
	for (unsigned i = 0; i < PLACES_SLOTS; i++)
		p->slots[i] = (uint16_t)(p->slots[i] - (p->slots[i] > from));
}
