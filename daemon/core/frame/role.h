/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role: when a coordinator leads, for every algorithm (role.md).
 *
 * An algorithm reports that its host has become a coordinator, role_begin(), and what it has heard.
 * role_review() alone begins the leading; it also ends it, or has the role handed over (leave.h). A
 * demotion ends before its role does, except for a lost carrier or quorum, a stall (stall.h), a
 * machine that was put back and a defect (both elect.c): these end the role in the same step. No
 * function here reports an error; role_review() and its callers may end in Down.
 */
#ifndef ELECTD_CORE_FRAME_ROLE_H
#define ELECTD_CORE_FRAME_ROLE_H

#include "state.h"

/* The election by which this host has become a coordinator in Normal. */
struct role_claim {
	unsigned old_count;   /* members of its former group */
	bool merged;	      /* several groups, or hosts without one; else it succeeds to one */
	bool told_goodbye;    /* its former coordinator has sent a Goodbye, perhaps as a will */
	enum elect_sign sign; /* of its own link, since its former coordinator was suspected */
	bool anew;	      /* it has led its former group, and forms it under another token */
};

/* Begins to lead, goes on leading, or decides how long to wait before (merge.md, succession.md). */
void role_begin(struct elect *e, const struct role_claim *claim);
/* A member has acknowledged the list, which may end a wait: begins to lead then. */
void role_acknowledged(struct elect *e);
/* To be called when anything that decides about leading has changed. May end in Down. */
void role_review(struct elect *e);
void role_on_timer_quorum(struct elect *e);
void role_on_timer_yield(struct elect *e);
/* Ends the role if that is the number of the demotion under way; else changes nothing. */
void role_on_released(struct elect *e, uint64_t number);
/* Ends the demotion under way, whether its work has ended or not: leave_demoted(). */
void role_demoted(struct elect *e);
/* A bar from leading has begun or ended: sets TIMER_BARRED and reviews the role. */
void role_barred(struct elect *e);
void role_on_timer_barred(struct elect *e);
/* The members still follow, as far as can be known after a stall: ends the asking. */
void role_goes_on(struct elect *e);
/* Notes that a request was sent to all members: answers to it count for the quorum. */
void role_asked(struct elect *e);
/*
 * Binds this host (quorum.md): another host may count it until pace_silence_until() of that beacon.
 * Until QUORUM_MARGIN_US after that no host begins to lead with its help, this host included.
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
/* A reload has changed the quorum from `before`: members that were not asked get time to answer. */
void role_quorum_set(struct elect *e, uint16_t before);
/* Another process with this host's id was verified (same_host: on this host). Bars this host. */
void role_duplicate(struct elect *e, bool same_host);
void role_on_link(struct elect *e, bool up);
/* A verified message of another host was heard: shortens the wait after a lost carrier. */
void role_heard(struct elect *e);
/* This host is in a group of another one: ends what it waited for before it would lead. */
void role_joined(struct elect *e);
/* A member of that standing takes the role over if both agree on preempt (M15). May end in Down. */
void role_challenged(struct elect *e, const struct elect_standing *theirs);

#endif
