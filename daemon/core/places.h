/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: a hash index over a table of hosts, which finds an entry by the id of its host in
 * constant time.
 *
 * The caller owns the table and the ids in it; this index stores only positions in the table, with
 * open addressing. One id may occur several times. The hash has a seed. If unverified hosts can add
 * entries, the seed must be secret: an attacker that knows it could choose ids with equal hashes
 * and make each search slow.
 */
#ifndef ELECTD_CORE_PLACES_H
#define ELECTD_CORE_PLACES_H

#include "elect_msg.h"

enum {
	PLACES_MAX = 2 * ELECT_HOSTS_MAX, /* entries of one table */
	PLACES_SLOTS_BITS = 12,
	PLACES_SLOTS = 1 << PLACES_SLOTS_BITS, /* at least half are free, so a search is short */
};

_Static_assert(PLACES_SLOTS >= 2 * PLACES_MAX, "a search is short");

struct places {
	uint64_t seed;
	uint16_t slots[PLACES_SLOTS]; /* 0: free; else a position in the table + 1 */
};

/* Where the ids of a table are in memory. */
struct places_ids {
	const struct elect_id *first;
	size_t stride;
};

/* The ids of an array of structs that have a field `id`. */
#define PLACES_IDS(array) ((struct places_ids){ &(array)[0].id, sizeof((array)[0]) })

void places_clear(struct places *p, uint64_t seed);

/* The position of the first entry with that id; of the next one after `at`; -1: none. */
int places_find(const struct places *p, struct places_ids ids, const struct elect_id *id);
int places_next(const struct places *p, struct places_ids ids, unsigned at);

/* Adds the table's entry at that position; removes it while the table still has it. */
void places_add(struct places *p, struct places_ids ids, unsigned at);
void places_remove(struct places *p, struct places_ids ids, unsigned at);

/* The table has moved all entries from that position on, up or down by one. */
void places_moved_up(struct places *p, unsigned from);
void places_moved_down(struct places *p, unsigned from);

#endif
