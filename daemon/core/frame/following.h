/* SPDX-License-Identifier: Apache-2.0 */
/*
 * following: a member watches its coordinator, for every algorithm (suspicion.md, succession.md).
 *
 * Silence counts from the last sign of life. Silence alone is acted on after dead_after and the
 * adaptive timeout (suspicion.md); a Goodbye, a restart or an early suspicion (following_gone()) is
 * acted on without that wait. The algorithm decides what a sign of life is, and holds the election.
 * Times are microseconds.
 */
#ifndef ELECTD_CORE_FRAME_FOLLOWING_H
#define ELECTD_CORE_FRAME_FOLLOWING_H

#include "state.h"

/* ---- the coordinator is heard */

/* A sign of life: drops what was concluded from silence, and waits for the next beacon. */
void following_heard(struct elect *e);
/* Returns whether no newer beacon of the group was heard, and notes this one. */
bool following_is_new(struct elect *e, const struct elect_msg *beacon);
/*
 * This host turns away from a coordinator that may still count it for its quorum: no host begins to
 * lead with this host's help before that is over (quorum.md).
 */
void following_bound(struct elect *e);
/* Takes from a beacon of the group what a member of any algorithm needs. */
void following_beacon(struct elect *e, const struct elect_msg *m);

/* ---- the coordinator is silent */

/* The moment from which the coordinator is suspected. */
uint64_t following_suspect_at(const struct elect *e);
/* The coordinator is known to be gone, or no beacon has come for one and a half intervals. */
bool following_suspects(const struct elect *e);
/*
 * The turn of this host, if `better` hosts have their turn before it. A host that a Goodbye named
 * is the first. following_steps_us() is the wait for a turn.
 */
unsigned following_rank(const struct elect *e, unsigned better);
uint64_t following_steps_us(const struct elect *e, unsigned rank);
/* The algorithm's timer is due. Sets it again, unless it is this host's turn to act. */
enum following_turn {
	FOLLOWING_WAITS,
	FOLLOWING_ASKS, /* the coordinator is to be probed */
	FOLLOWING_ACTS, /* the coordinator is gone, and it is this host's turn */
};
enum following_turn following_look(struct elect *e, unsigned rank);

/* ---- the coordinator is known to be gone */

/* Has this host act at its turn without waiting for silence. */
void following_gone(struct elect *e, enum elect_loss loss, enum elect_reason reason);
/*
 * This message has ended the wait for a will. If its session lives, and it is not part of a will
 * itself, the will was a forgery: this member follows its coordinator again.
 */
void following_withdrawn(struct elect *e, const struct elect_msg *m);
/* The coordinator itself reports that it does not coordinate the group any more. */
void following_disowned(struct elect *e, const struct elect_msg *m);
/* Returns whether this host's coordinator has sent the message in a session that is not listed. */
bool following_restarted(const struct elect *e, const struct elect_msg *m);
/* A Goodbye of any host. `resigned`: the reason to report if the coordinator resigns. */
void following_on_goodbye(struct elect *e, const struct elect_msg *m, enum elect_reason resigned);

#endif
