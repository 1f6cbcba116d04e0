/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists: a group's member list and definition, in versions (lists.md, Ready).
 *
 * A coordinator installs a version and sends it until its members have it; a member takes a list
 * whole or not at all. `next` (state.h) holds a list that is not in force yet. An index is a place
 * in `up`.
 */
#ifndef ELECTD_CORE_FRAME_LISTS_H
#define ELECTD_CORE_FRAME_LISTS_H

#include "state.h"

/* ---- as the coordinator */

/* Installs version 1 of a group formed here: members of `next`, own definition if any. */
void lists_first(struct elect *e);
/* All members have acknowledged the list. */
bool lists_all_have(const struct elect *e);
/* Sends the list to all, and sets the timer that repeats it. */
void lists_send(struct elect *e);
/* Sends the list to one member that is probed, unless it was sent often lately. */
void lists_send_to(struct elect *e, int index);
/* The member lacks the list: the next repeat names it. */
void lists_wanted(struct elect *e, int index);
/* The member has reported that it has another list. */
void lists_differ(struct elect *e, int index);
/* The member has reported that it has the list. */
void lists_taken(struct elect *e, int index);
/* Notes an acknowledgement. Returns false if it is not of the present list, or not of a member. */
bool lists_acknowledged(struct elect *e, const struct elect_msg *m);
/* The member that an Accept describes. */
void lists_member_from(
	const struct elect *e, const struct elect_msg *m, struct elect_member *ret_member);
/* `next` holds the new list. It is sent until its newcomers have acknowledged it. */
void lists_admit(struct elect *e);
/* Copies the present list to `next`, to be changed there and handed to lists_change(). */
void lists_edit(struct elect *e);
/* `next` holds a new list that admits no host. */
void lists_change(struct elect *e);
/* Sends a new list with that line for that host. */
void lists_put(struct elect *e, const struct elect_member *member);
/* Sends a new list without that host, if it is listed. */
void lists_drop(struct elect *e, const struct elect_id *id, enum elect_reason reason);
void lists_on_timer(struct elect *e);
void lists_compose(
	const struct elect *e, const struct elect_send *s, unsigned part, struct elect_msg *m);

/* ---- as a member, or as a host that will be one */

/* Takes a part of a list. Returns true if it was the last one, and `next` holds a sound list. */
bool lists_gather(struct elect *e, const struct elect_msg *m);
/* Compares the list with the one that a beacon of the coordinator names. */
void lists_compare(struct elect *e, const struct elect_msg *beacon);
/* The version that this host has; 0: none, because beacons of its coordinator contradict it. */
uint32_t lists_version(const struct elect *e);
/* Returns whether the message is about the list that this host has. */
bool lists_has(const struct elect *e, const struct elect_msg *m);
/* The line of the list in `next` that has this host's id: none, of another session, or its own. */
enum lists_place { LISTS_NOT_ON_IT, LISTS_ANOTHERS, LISTS_MINE };
enum lists_place lists_place(const struct elect *e);
/*
 * The list in `next` is in force: of a group that this host enters as a member (lists_admitted()),
 * or of its present group (lists_kept()).
 */
void lists_admitted(struct elect *e, const struct elect_msg *m);
void lists_kept(struct elect *e, const struct elect_msg *m);

/* ---- as either */

/*
 * Writes this host's name into a message to its coordinator, if the list has another name. Each
 * such message carries it until the list does, so no answer is needed.
 */
void lists_say_name(const struct elect *e, struct elect_msg *m);
/* Does this member's line say all that it would report: standing, name, keys, fitness? */
bool lists_say_all(const struct elect *e);
/* The end of each step: a coordinator with a new name or priority sends a new list. */
void lists_review_own(struct elect *e);
/* If the list asks this host for an acknowledgement, sends it after `us` and returns true. */
bool lists_answer(struct elect *e, const struct elect_msg *m, uint64_t us);
void lists_on_timer_listed(struct elect *e);

#endif
