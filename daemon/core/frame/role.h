/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role: when a coordinator leads, for every algorithm (role.md).
 *
 * An algorithm reports that its host has become a coordinator, role_begin(), and what it has heard.
 * role_review() alone begins the leading; it also ends it, or has the role handed over (leave.h). A
 * demotion ends before its role does, except for a lost carrier or quorum, a stall (stall.h) and a
 * machine that was put back (elect.c): these end the role in the same step. No function here
 * reports an error; role_review() and its callers may end in Down.
 */
#ifndef ELECTD_CORE_FRAME_ROLE_H
#define ELECTD_CORE_FRAME_ROLE_H

#include "state.h"

/* A coordinator that has just entered Normal reports this of its election. */
struct role_claim {
	unsigned old_count; /* members of the group it was in before */
	bool merged;	    /* several groups, or hosts without a group; else it succeeds to one */
	bool told_goodbye;  /* the coordinator of that one announced that it leaves */
	bool anew;	    /* its own former group, which it has led, under another token */
};

/*
 * The host has become a coordinator in Normal: decides how soon it may lead (merge.md,
 * succession.md, role.md).
 */
void role_begin(struct elect *e, const struct role_claim *claim);
/* A member has acknowledged the list. */
void role_acknowledged(struct elect *e);
/* Anything that decides about leading has changed. */
void role_review(struct elect *e);
void role_on_timer_quorum(struct elect *e);
void role_on_timer_yield(struct elect *e);
/* The demotion of that number has ended. An older number changes nothing. */
void role_on_released(struct elect *e, uint64_t number);
/* The pending demotion is over. */
void role_demoted(struct elect *e);
/* A bar from leading has begun or ended. */
void role_barred(struct elect *e);
/* A request was just sent to all members: their answers decide who counts for the quorum. */
void role_asked(struct elect *e);
/*
 * This host may count for another host's quorum until silence since that beacon may be acted on.
 * Its own leading, and its Accept, count after that and QUORUM_MARGIN_US.
 */
void role_bind(struct elect *e, uint64_t beacon_us);
/*
 * A leader that this host followed, or whose Invitation it had accepted, is silent since then: this
 * host leads no sooner than pace_silence_until() of that moment, and is bound as long.
 */
void role_silent(struct elect *e, uint64_t heard_us);
/*
 * Returns whether this host may begin a merge that takes as long as that window. A merge keeps the
 * role without a look at the quorum, so a leader needs a quorum that lasts longer.
 */
bool role_steady(const struct elect *e, uint64_t us);
/* The quorum was `before` until this reload. */
void role_quorum_set(struct elect *e, uint16_t before);
/* Another process with this host's id was verified; same_host: it runs on this host. */
void role_duplicate(struct elect *e, bool same_host);
void role_on_link(struct elect *e, bool up);
/* A verified message of another host was heard. */
void role_heard(struct elect *e);
/* A member of that standing takes the role over, if both agree on preempt (5). May end in Down. */
void role_challenged(struct elect *e, const struct elect_standing *theirs);

#endif
