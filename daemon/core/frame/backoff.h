/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: hosts that were lost, did not come, or do not take the list, and how long they are not
 * invited again (merge.md, F16, lists.md, Q3).
 *
 * Algorithms ask before they invite; lists.c reports to whom a list was sent in vain. A new record
 * replaces the oldest of ELECT_HOSTS_MAX. Times are microseconds.
 */
#ifndef ELECTD_CORE_FRAME_BACKOFF_H
#define ELECTD_CORE_FRAME_BACKOFF_H

#include "state.h"

/* The host was invited and did not come, or fell silent as an inviter. */
void backoff_absent(struct elect *e, const struct elect_id *id);
/* The member was sent the list in vain, and is `dropped` for that or stays. */
void backoff_untaken(struct elect *e, const struct elect_member *member, bool dropped);
/* The member has acknowledged a list. */
void backoff_taken(struct elect *e, const struct elect_id *id);
/* A host says Hello in that session. A record of another session of it is forgotten. */
void backoff_greeted(struct elect *e, const struct elect_id *id, uint64_t session);
/* This host accepted an Invitation of that host, and no list came. */
void backoff_unlisted(struct elect *e, const struct elect_id *id);
/* The list came. */
void backoff_listed(struct elect *e, const struct elect_id *id);
/* The least time between answers to that host's beacons after many vain attempts; 0: none. */
uint64_t backoff_vain_us(const struct elect *e, const struct elect_id *id);
/* Returns whether it is too early to invite a host that did not take the list, for a Join too. */
bool backoff_waits(const struct elect *e, const struct elect_id *id);
/* Own lateness does not age the records. */
void backoff_later(struct elect *e, uint64_t late_us);
/* The moment from which that host may be invited to a merge again; 0: at any time. */
uint64_t backoff_until(const struct elect *e, const struct elect_id *id);

#endif
