/* SPDX-License-Identifier: Apache-2.0 */
/*
 * following: a member watches its coordinator.
 */
#ifndef ELECTD_CORE_FRAME_FOLLOWING_H
#define ELECTD_CORE_FRAME_FOLLOWING_H

#include "state.h"

/* ---- it is there */

/* Ends what was concluded from its silence, and begins to wait for its next beacon. */
void following_heard(struct elect *e);
/* No newer beacon of its group has overtaken this one. */
bool following_is_new(struct elect *e, const struct elect_msg *beacon);
/*
 * Who turns away from its coordinator without a word of it may still count for the quorum of one
 * that lives: nobody begins to lead with its help before that is over (6).
 */
void following_bound(struct elect *e);
/* What a beacon of its group tells a member, whatever the algorithm. */
void following_beacon(struct elect *e, const struct elect_msg *m);

/* ---- it is silent */

uint64_t following_suspect_at(const struct elect *e);
/* It is known to be gone, or a beacon and a half have passed without one. */
bool following_suspects(const struct elect *e);
/*
 * So many better hosts are left the time to act before this one: steps, for the first of them. Whom
 * a Goodbye named goes before all.
 */
unsigned following_rank(const struct elect *e, unsigned better);
uint64_t following_steps_us(const struct elect *e, unsigned rank);
/* The algorithm's timer for it is due; looks again in time. */
enum following_turn {
	FOLLOWING_WAITS,
	FOLLOWING_ASKS, /* the coordinator is to be asked whether it lives */
	FOLLOWING_ACTS, /* it is gone, and it is this host's turn */
};
enum following_turn following_look(struct elect *e, unsigned rank);

/* ---- it is known to be gone */

/* Acts when it is its turn, without waiting for silence. */
void following_gone(struct elect *e, enum elect_loss loss, enum elect_reason reason);
/*
 * This message has ended the wait for a will: unless it is part of a will itself, its session
 * lives, and the will was a forgery that is not acted on any more.
 */
void following_withdrawn(struct elect *e, const struct elect_msg *m);
/* It says itself that it does not coordinate the group any more. */
void following_disowned(struct elect *e, const struct elect_msg *m);
/* Was it, the session that is listed, started anew? */
bool following_restarted(const struct elect *e, const struct elect_msg *m);
/* A Goodbye of somebody; of a coordinator that resigns, why is the algorithm's to say. */
void following_on_goodbye(struct elect *e, const struct elect_msg *m, enum elect_reason resigned);

#endif
