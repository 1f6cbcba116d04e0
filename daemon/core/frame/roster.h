/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roster: a bounded list of hosts in succession order.
 *
 * Succession order (algorithm.md 2): the coordinator, then may lead, priority, fewer
 * incarnations, higher id. A list is what members are sent, what a digest is taken of, and who
 * succeeds whom.
 */
#ifndef ELECTD_CORE_FRAME_ROSTER_H
#define ELECTD_CORE_FRAME_ROSTER_H

#include "core/elect.h"
#include "core/places.h"

struct roster {
	unsigned count;
	struct places places;
	struct elect_member members[ELECT_HOSTS_MAX];
};

void roster_clear(struct roster *r);
/* Position of `id`, or -ENOENT. */
int roster_find(const struct roster *r, const struct elect_id *id);
/*
 * Puts a member in its place; one with the same id is replaced, and moved if its standing changed.
 * `coordinator` stays first whatever its standing. 0, or -ENOSPC with ELECT_HOSTS_MAX members.
 */
int roster_put(struct roster *r, const struct elect_member *m, const struct elect_id *coordinator);
/* 0 or -ENOENT. */
int roster_remove(struct roster *r, const struct elect_id *id);
void roster_copy(struct roster *to, const struct roster *from);
/*
 * The members were written by the caller, in an order that is another's: they are found from here
 * on. False: somebody stands there twice.
 */
bool roster_filled(struct roster *r);

/* Puts those of `more` in whom the list does not have yet. 0 or -ENOSPC. */
int roster_merge(struct roster *r, const struct roster *more, const struct elect_id *coordinator);

/* Two members with one token tag (algorithm.md 4.7); or with one name, which people read. */
bool roster_tags_clash(const struct roster *r);
bool roster_names_clash(const struct roster *r);

/*
 * FNV-1a over every field of every member in order but the address (it is how a member is
 * reached, not who it is: each host may know another one), then over the definition.
 */
uint64_t roster_digest(const struct roster *r, const uint8_t *definition, size_t definition_size);

/*
 * A list and a definition travel in parts of at most ELECT_PART_BYTES, packed in order; the cut
 * depends on nothing but the list. Parts of the list come first; an empty definition has none.
 */
unsigned roster_parts(const struct roster *r, size_t definition_size);
/* Part `index` of roster_parts(): fills index, count, first, total, members_count, piece_size. */
void roster_part(const struct roster *r, size_t definition_size, unsigned index,
	struct elect_part *ret_part);

#endif
