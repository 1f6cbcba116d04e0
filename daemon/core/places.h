/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: where in a table a host stands, by its id: found as soon among a thousand as among ten.
 *
 * The table belongs to the caller, and so do the ids in it; here stand only its indexes, each in
 * the slot that a hash of its id says, or in the next free one behind that. One id may have several
 * places. A table that strangers fill has a seed that they do not know: who knew it could choose
 * ids that stand behind each other.
 */
#ifndef ELECTD_CORE_PLACES_H
#define ELECTD_CORE_PLACES_H

#include "elect_msg.h"

enum {
	PLACES_MAX = 2 * ELECT_HOSTS_MAX, /* in one table */
	PLACES_SLOTS_BITS = 12,
	PLACES_SLOTS = 1 << PLACES_SLOTS_BITS, /* so that there are always free ones, near */
};

_Static_assert(PLACES_SLOTS >= 2 * PLACES_MAX, "a search is short");

struct places {
	uint64_t seed;
	uint16_t slots[PLACES_SLOTS]; /* 0: free; else an index, and one more */
};

/* Where a table keeps its ids. */
struct places_ids {
	const struct elect_id *first;
	size_t stride;
};

/* Of an array of structs with a field `id`. */
#define PLACES_IDS(array) ((struct places_ids){ &(array)[0].id, sizeof((array)[0]) })

/* None has a place. */
void places_clear(struct places *p, uint64_t seed);

/* The index of that id, or -1; and that of its next place behind this one, or -1. */
int places_find(const struct places *p, struct places_ids ids, const struct elect_id *id);
int places_next(const struct places *p, struct places_ids ids, unsigned at);

/* What stands there in the table is found from here on; what is found there is about to go. */
void places_add(struct places *p, struct places_ids ids, unsigned at);
void places_remove(struct places *p, struct places_ids ids, unsigned at);

/* All from that index on have moved in the table, by one: to make room, or to close a gap. */
void places_moved_up(struct places *p, unsigned from);
void places_moved_down(struct places *p, unsigned from);

#endif
