/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sick: what comes of the reports of a host: whether it may lead, and when again.
 */
#ifndef ELECTD_CORE_FRAME_SICK_H
#define ELECTD_CORE_FRAME_SICK_H

#include "state.h"

/* The configuration is another one, or the first. */
void sick_configured(struct elect *e);
void sick_report(struct elect *e, const struct elect_report *r);
void sick_promoted(struct elect *e, uint64_t token);
/* Time alone may make it sick: true if it did; and when it may do so next. */
bool sick_pass(struct elect *e);
uint64_t sick_due_us(const struct elect *e);

bool sick_is(const struct elect *e);
/* Sickness has cost it the lead, and that is not long ago. */
bool sick_barred(const struct elect *e);
/* May that member of the list lead, as it or its coordinator says? */
bool sick_member_fit(const struct elect *e, unsigned rank);
/* Why this host may not lead, as others are told. */
void sick_why(const struct elect *e, struct elect_why_not *ret_why);

/* Sickness takes the lead from it; the demotion that comes of it has ended; the role has. */
void sick_costs(struct elect *e);
void sick_demoted(struct elect *e);
void sick_role_over(struct elect *e);
/* It begins to lead: nothing keeps it from that any more. */
void sick_role_begins(struct elect *e);

/* The step ends: others are told what has changed. */
void sick_tell(struct elect *e);

#endif
