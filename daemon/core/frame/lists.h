/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists: a group's member list and definition, in versions.
 */
#ifndef ELECTD_CORE_FRAME_LISTS_H
#define ELECTD_CORE_FRAME_LISTS_H

#include "state.h"

/* ---- as the coordinator */

/* Of a group formed here, with this host's definition if it has one: `next` holds it. */
void lists_first(struct elect *e);
/* All members have acknowledged it. */
bool lists_all_have(const struct elect *e);
void lists_send(struct elect *e);
void lists_send_to(struct elect *e, int index);
/* A member lacks the list; it has another one; it has said that it has it. */
void lists_wanted(struct elect *e, int index);
void lists_differ(struct elect *e, int index);
void lists_taken(struct elect *e, int index);
/* A message says so: false if not of the present list, or not by one of those on it. */
bool lists_acknowledged(struct elect *e, const struct elect_msg *m);
/* `next` holds the new list: its newcomers are to acknowledge it. */
void lists_admit(struct elect *e);
/* The present list, in `next`, to be changed there and handed to lists_change(). */
void lists_edit(struct elect *e);
/* The list changed without admitting anybody: `next` holds the new one. */
void lists_change(struct elect *e);
/* The list with that line of one who is on it. */
void lists_put(struct elect *e, const struct elect_member *member);
void lists_drop(struct elect *e, const struct elect_id *id, enum elect_reason reason);
/* The algorithm's timer for it is due. */
void lists_on_timer(struct elect *e);
void lists_compose(
	const struct elect *e, const struct elect_send *s, unsigned part, struct elect_msg *m);

/* ---- as a member, or one who will be */

/* A part of a list. True: it was the last one, and a sound list of this version is in `next`. */
bool lists_gather(struct elect *e, const struct elect_msg *m);
/* A beacon of its coordinator, which names the list that there is. */
void lists_compare(struct elect *e, const struct elect_msg *beacon);
/* The version that this host has; 0: none, for its coordinator's beacons contradict it. */
uint32_t lists_version(const struct elect *e);
/* Is it the list that a message is about? */
bool lists_has(const struct elect *e, const struct elect_msg *m);
/* What that list says of this host: not on it; another of the same id is; it is. */
enum lists_place { LISTS_NOT_ON_IT, LISTS_ANOTHERS, LISTS_MINE };
enum lists_place lists_place(const struct elect *e);
/* It is the list now: of a group that this host enters as a member; of the one it is in. */
void lists_admitted(struct elect *e, const struct elect_msg *m);
void lists_kept(struct elect *e, const struct elect_msg *m);

/* ---- as either */

/*
 * Another name than the one that the list has of this host, in a message to its coordinator. It is
 * said until the list has it, so no answer is needed.
 */
void lists_say_name(const struct elect *e, struct elect_msg *m);
/* After each event: a coordinator changes the list if its line has another name or priority. */
void lists_review_own(struct elect *e);
/* Is this host to say that it has it? It says so, in answer to that, when so much is over. */
bool lists_answer(struct elect *e, const struct elect_msg *m, uint64_t us);
/* ... as the algorithm's timer has it. */
void lists_on_timer_listed(struct elect *e);

#endif
