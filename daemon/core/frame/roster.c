/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roster: see roster.h. Members stand in one array, in order.
 */
#include "roster.h"

#include "core/wire/wire.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* Members beyond the count are never read, so they are not cleared. */
void roster_clear(struct roster *r)
{
	r->count = 0;
	places_clear(&r->places, 0);
}

int roster_find(const struct roster *r, const struct elect_id *id)
{
	int at = places_find(&r->places, PLACES_IDS(r->members), id);

	return at >= 0 ? at : -ENOENT;
}

bool roster_filled(struct roster *r)
{
	places_clear(&r->places, 0);
	for (unsigned i = 0; i < r->count; i++) {
		if (roster_find(r, &r->members[i].id) >= 0)
			return false;
		places_add(&r->places, PLACES_IDS(r->members), i);
	}
	return true;
}

/*
 * Returns whether a stands before b (algorithm.md, State of a host, `up`). The caller places the
 * coordinator.
 */
static bool stands_before(const struct elect_member *a, const struct elect_member *b)
{
	if (a->may_lead != b->may_lead)
		return a->may_lead;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->incarnation != b->incarnation)
		return a->incarnation < b->incarnation;
	return elect_id_compare(&a->id, &b->id) > 0;
}

static unsigned place_of(
	const struct roster *r, const struct elect_member *m, const struct elect_id *coordinator)
{
	unsigned i = 0;

	if (elect_id_equal(&m->id, coordinator))
		return 0;
	while (i < r->count &&
		(elect_id_equal(&r->members[i].id, coordinator) ||
			stands_before(&r->members[i], m)))
		i++;
	return i;
}

static void close_gap(struct roster *r, unsigned at)
{
	places_remove(&r->places, PLACES_IDS(r->members), at);
	places_moved_down(&r->places, at);
	r->count--;
	memmove(&r->members[at], &r->members[at + 1], (r->count - at) * sizeof(r->members[0]));
}

static void open_gap(struct roster *r, unsigned at)
{
	memmove(&r->members[at + 1], &r->members[at], (r->count - at) * sizeof(r->members[0]));
	r->count++;
	places_moved_up(&r->places, at);
}

int roster_put(struct roster *r, const struct elect_member *m, const struct elect_id *coordinator)
{
	struct elect_member member = *m; /* m may point into the list that is about to move */
	int at = roster_find(r, &member.id);
	unsigned place;

	if (at < 0 && r->count == ELECT_HOSTS_MAX)
		return -ENOSPC;
	if (at >= 0)
		close_gap(r, (unsigned)at);
	place = place_of(r, &member, coordinator);
	open_gap(r, place);
	r->members[place] = member;
	places_add(&r->places, PLACES_IDS(r->members), place);
	return 0;
}

int roster_remove(struct roster *r, const struct elect_id *id)
{
	int at = roster_find(r, id);

	if (at < 0)
		return at;
	close_gap(r, (unsigned)at);
	return 0;
}

/* Only what is used: a list of five must not cost as much as one of 1024. */
void roster_copy(struct roster *to, const struct roster *from)
{
	if (to == from)
		return;
	to->count = from->count;
	to->places = from->places;
	memcpy(to->members, from->members, from->count * sizeof(from->members[0]));
}

/* ---- digest ------------------------------------------------------------------------------ */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Big endian, so that hosts of every architecture agree. */
static uint64_t hash_number(uint64_t hash, uint64_t value)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		hash = (hash ^ (value >> shift & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_member(uint64_t hash, const struct elect_member *m)
{
	hash = hash_bytes(hash, m->id.bytes, sizeof(m->id.bytes));
	hash = hash_number(hash, m->session);
	hash = hash_number(hash, m->incarnation);
	hash = hash_number(hash, (uint64_t)m->priority << 8 | m->may_lead);
	return hash_bytes(hash, m->name, strnlen(m->name, ELECT_NAME_MAX) + 1);
}

uint64_t roster_digest(const struct roster *r, const uint8_t *definition, size_t definition_size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = hash_number(hash, r->count);
	for (unsigned i = 0; i < r->count; i++)
		hash = hash_member(hash, &r->members[i]);
	return hash_bytes(hash, definition, definition_size);
}

/* ---- parts ------------------------------------------------------------------------------- */

static unsigned part_members(const struct roster *r, unsigned first)
{
	unsigned n = 0;
	size_t size = 0;

	while (first + n < r->count && n < ELECT_PART_MEMBERS_MAX) {
		size += wire_member_size(&r->members[first + n]);
		if (size > ELECT_PART_BYTES)
			break;
		n++;
	}
	assert(n > 0);
	return n;
}

static unsigned list_parts(const struct roster *r)
{
	unsigned parts = 0;

	for (unsigned first = 0; first < r->count; first += part_members(r, first))
		parts++;
	return parts;
}

static unsigned definition_parts(size_t size)
{
	return (unsigned)((size + ELECT_PART_BYTES - 1) / ELECT_PART_BYTES);
}

unsigned roster_parts(const struct roster *r, size_t definition_size)
{
	return list_parts(r) + definition_parts(definition_size);
}

static void part_of_list(const struct roster *r, unsigned index, struct elect_part *ret_part)
{
	unsigned first = 0;

	for (unsigned i = 0; i < index; i++)
		first += part_members(r, first);
	ret_part->first = (uint16_t)first;
	ret_part->total = (uint16_t)r->count;
	ret_part->members_count = (uint16_t)part_members(r, first);
}

static void part_of_definition(size_t size, unsigned index, struct elect_part *ret_part)
{
	size_t first = (size_t)index * ELECT_PART_BYTES;
	size_t left = size - first;

	ret_part->first = (uint16_t)first;
	ret_part->total = (uint16_t)size;
	ret_part->piece_size = (uint16_t)(left < ELECT_PART_BYTES ? left : ELECT_PART_BYTES);
}

void roster_part(
	const struct roster *r, size_t definition_size, unsigned index, struct elect_part *ret_part)
{
	unsigned list = list_parts(r);
	unsigned count = list + definition_parts(definition_size);

	assert(definition_size <= ELECT_DEFINITION_MAX);
	assert(index < count);
	assert(count <= ELECT_PARTS_MAX);
	*ret_part = (struct elect_part){ .index = (uint16_t)index, .count = (uint16_t)count };
	if (index < list)
		part_of_list(r, index, ret_part);
	else
		part_of_definition(definition_size, index - list, ret_part);
}

/* ---- two lists ---------------------------------------------------------------------------- */

int roster_merge(struct roster *r, const struct roster *more, const struct elect_id *coordinator)
{
	for (unsigned i = 0; i < more->count; i++)
		if (roster_find(r, &more->members[i].id) < 0 &&
			roster_put(r, &more->members[i], coordinator) < 0)
			return -ENOSPC;
	return 0;
}

/* ---- clashes ------------------------------------------------------------------------------ */

enum { SEEN_BITS = 11 };

_Static_assert(1 << SEEN_BITS >= 2 * ELECT_HOSTS_MAX, "there is a free place for each");

static bool any_twice(const uint32_t *numbers, unsigned count)
{
	/* index + 1, at a place given by the hash; 0: free */
	uint16_t seen[1 << SEEN_BITS] = { 0 };

	for (unsigned i = 0; i < count; i++) {
		unsigned at = numbers[i] * UINT32_C(0x9e3779b1) >> (32 - SEEN_BITS);

		for (; seen[at]; at = (at + 1) % (1 << SEEN_BITS))
			if (numbers[seen[at] - 1] == numbers[i])
				return true;
		seen[at] = (uint16_t)(i + 1);
	}
	return false;
}

bool roster_tags_clash(const struct roster *r)
{
	uint32_t tags[ELECT_HOSTS_MAX] = { 0 };

	for (unsigned i = 0; i < r->count; i++)
		tags[i] = elect_id_hash(&r->members[i].id) & 0xffffff;
	return any_twice(tags, r->count);
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++)
		hash = hash * 31 + (uint8_t)*name;
	return hash;
}

bool roster_names_clash(const struct roster *r)
{
	uint32_t hashes[ELECT_HOSTS_MAX] = { 0 };

	for (unsigned i = 0; i < r->count; i++)
		hashes[i] = hash_name(r->members[i].name);
	if (!any_twice(hashes, r->count))
		return false;
	for (unsigned i = 0; i < r->count; i++)
		for (unsigned j = 0; j < i; j++)
			if (hashes[i] == hashes[j] &&
				strcmp(r->members[i].name, r->members[j].name) == 0)
				return true;
	return false;
}
