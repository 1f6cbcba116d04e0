/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role: when a coordinator leads, for every algorithm.
 *
 * An algorithm says what it has come to, role_begin(), and what it has heard; role_review() alone
 * begins and ends the leading, or has it handed over (leave.h).
 */
#ifndef ELECTD_CORE_FRAME_ROLE_H
#define ELECTD_CORE_FRAME_ROLE_H

#include "state.h"

/* What a coordinator brings along that has just entered Normal. */
struct role_claim {
	unsigned old_count; /* members of the group it was in before */
	bool merged;	   /* several groups, or hosts that were in none; else it succeeds to one */
	bool told_goodbye; /* ... whose coordinator has left it to the others */
	bool anew;	   /* its own former group, which it has led, under another token */
};

/* It has: how soon may it lead? */
void role_begin(struct elect *e, const struct role_claim *claim);
/* A member has its list. */
void role_acknowledged(struct elect *e);
/* Something has changed that decides about leading. */
void role_review(struct elect *e);
void role_on_timer_quorum(struct elect *e);
void role_on_timer_yield(struct elect *e);
void role_on_released(struct elect *e, uint64_t number);
/* The demotion is over. */
void role_demoted(struct elect *e);
/* It is barred from leading, or is so no more. */
void role_barred(struct elect *e);
/* All members were asked just now whether they follow: who counts for the quorum answers. */
void role_asked(struct elect *e);
/* This host may count for another's quorum until silence since that beacon is acted on. */
void role_bind(struct elect *e, uint64_t beacon_us);
/* The inviter of this host leads, and is silent since then: this host leads no sooner. */
void role_silent(struct elect *e, uint64_t heard_us);
/* May a host that leads begin what keeps the role for that window without a look at the quorum? */
bool role_steady(const struct elect *e, uint64_t us);
/* The configuration has another quorum than `before`. */
void role_quorum_set(struct elect *e, uint16_t before);
void role_duplicate(struct elect *e, bool same_host);
void role_on_link(struct elect *e, bool up);
/* Another host was heard, proven. */
void role_heard(struct elect *e);
/* Its member of that standing may want to lead in its place. */
void role_challenged(struct elect *e, const struct elect_standing *theirs);

#endif
