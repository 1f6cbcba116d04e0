/* SPDX-License-Identifier: Apache-2.0 */
/*
 * because: the reasons people are told.
 *
 * Each change has one: that of the last. But who begins to lead, or to follow, may do so long after
 * it came into its group, and others come and go meanwhile: told then is what brought it there, or
 * else what it has paused for.
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

/* A pause is over then. */
void because_begin(struct elect *e)
{
	because_set(e, e->role_why.reason, &e->role_why.cause);
	e->role_why = e->group_why;
}
