/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roster: a bounded list of hosts in succession order (succession.md): the coordinator, then may
 * lead, priority, fewer incarnations, higher id. Members receive it, the digest covers it, and it
 * decides which host succeeds. Errors are negative errno values.
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
 * Puts a member in its place. A member with the same id is replaced, and moved if its standing
 * changed. `coordinator` stays first whatever its standing. Returns 0, or -ENOSPC with
 * ELECT_HOSTS_MAX members.
 */
int roster_put(struct roster *r, const struct elect_member *m, const struct elect_id *coordinator);
/* Returns 0 or -ENOENT. */
int roster_remove(struct roster *r, const struct elect_id *id);
void roster_copy(struct roster *to, const struct roster *from);
/*
 * The caller has written the members, in the order of another host; this makes them findable.
 * Returns false if a host stands there twice.
 */
bool roster_filled(struct roster *r);

/* Puts the members of `more` that the list does not have. Returns 0 or -ENOSPC. */
int roster_merge(struct roster *r, const struct roster *more, const struct elect_id *coordinator);

/* Two members have one token tag (counter.md), or one name. */
bool roster_tags_clash(const struct roster *r);
bool roster_names_clash(const struct roster *r);

/*
 * FNV-1a over the id, session, incarnation, priority, fitness and name of each member in order,
 * then over the definition. Not over addresses, because each host may know other ones.
 */
uint64_t roster_digest(const struct roster *r, const uint8_t *definition, size_t definition_size);

/*
 * A list and a definition travel in parts of at most ELECT_PART_BYTES, packed in order. The cut
 * depends on nothing but the list and the size of the definition. Parts of the list come first; an
 * empty definition has none.
 */
unsigned roster_parts(const struct roster *r, size_t definition_size);
/* Part `index` of roster_parts(): fills index, count, first, total, members_count, piece_size. */
void roster_part(const struct roster *r, size_t definition_size, unsigned index,
	struct elect_part *ret_part);

#endif
