/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sick: what the health of a host decides: whether it may lead, and when again (health.md).
 * Sickness concerns leading only: a sick host votes, counts and coordinates.
 */
#ifndef ELECTD_CORE_FRAME_SICK_H
#define ELECTD_CORE_FRAME_SICK_H

#include "state.h"

/* The configuration is the first or another one. */
void sick_configured(struct elect *e);
void sick_report(struct elect *e, const struct elect_report *r);
/* The work for the role of that token has begun; 0: it has ended. */
void sick_promoted(struct elect *e, uint64_t token);
/* sick_pass() returns true if time alone made a name sick, sick_due_us() when it may next. */
bool sick_pass(struct elect *e);
uint64_t sick_due_us(const struct elect *e);

bool sick_is(const struct elect *e);
/* Why this host may not lead, as it is reported to others. */
void sick_why(const struct elect *e, struct elect_why_not *ret_why);

/* Sickness takes the role: a bar begins. */
void sick_costs(struct elect *e);
/* The demotion that came of sickness has ended: the bar counts from now on. */
void sick_demoted(struct elect *e);
void sick_role_over(struct elect *e);
/* This host begins to lead: the bar is over. */
void sick_role_begins(struct elect *e);

/* The end of a step: reports to others what has changed. */
void sick_tell(struct elect *e);

#endif
