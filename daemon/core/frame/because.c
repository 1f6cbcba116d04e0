/* SPDX-License-Identifier: Apache-2.0 */
/*
 * because: the reasons that are reported for changes.
 *
 * The reason of a view is that of the last change. But a host may begin to lead, or to follow, long
 * after it came into its group, and other hosts come and go meanwhile. So the reason that brought
 * it into the group, or for which it paused, is kept and reported then.
 */
#include "state.h"

void because_set(struct elect *e, enum elect_reason reason, const struct elect_id *cause)
{
	static const struct elect_id nobody;

	e->reason = reason;
	e->cause = cause ? *cause : nobody;
	e->out->reason = reason;
}

void because_group(struct elect *e, enum elect_reason reason, const struct elect_id *cause)
{
	because_pause(e, reason, cause);
	e->group_why = e->role_why;
}

void because_pause(struct elect *e, enum elect_reason reason, const struct elect_id *cause)
{
	because_set(e, reason, cause);
	e->role_why = (struct elect_grounds){ .reason = e->reason, .cause = e->cause };
}

/* The pause is over, so the next change of role is reported with the reason of the group. */
void because_begin(struct elect *e)
{
	because_set(e, e->role_why.reason, &e->role_why.cause);
	e->role_why = e->group_why;
}
