/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish: the view that a step reports, with the reason of the change (state.h).
 */
#include "state.h"

/*
 * A step reports the view that it ends with, once: an earlier view of the same step is replaced.
 * But if a role is lost and won again in one step, both are reported.
 */
static struct elect_action *place_for_view(struct elect *e, enum elect_role role)
{
	for (unsigned i = e->out->count; i > 0; i--) {
		struct elect_action *a = &e->out->items[i - 1];

		if (a->type != ELECT_ACTION_VIEW)
			continue;
		if (role == ELECT_ROLE_LEADER && a->view.role != ELECT_ROLE_LEADER)
			break;
		return a;
	}
	return out_action(e, ELECT_ACTION_VIEW);
}

/* A list that changes in the same step does not replace the reason of a change of role or group. */
static void keep_reason(struct elect *e, struct elect_view *v)
{
	because_set(e, e->shown.reason, &e->shown.cause);
	v->reason = e->reason;
	v->cause = e->cause;
}

void view_publish(struct elect *e)
{
	struct elect_view v, *old = &e->shown;
	bool moved;

	elect_view(e, &v);
	moved = v.role != old->role || v.token != old->token ||
		!elect_group_equal(&v.group, &old->group);
	if (!moved && e->moved)
		keep_reason(e, &v);
	e->moved |= moved;
	if (!elect_view_differs(old, &v))
		return;
	if (moved)
		v.since_us = e->since_us = e->now_us;
	*old = v;
	place_for_view(e, v.role)->view = v;
}

/*
 * Other hosts wait for the datagrams of a new leader, and its own work begins no sooner for them.
 * The view of a host that leads no more stays before them.
 */
void view_after_sends(struct elect_actions *actions)
{
	for (unsigned i = 0; i + 1 < actions->count; i++) {
		struct elect_action *a = &actions->items[i], send = a[1];

		if (a->type != ELECT_ACTION_VIEW || a->view.role != ELECT_ROLE_LEADER ||
			send.type != ELECT_ACTION_SEND)
			continue;
		a[1] = a[0];
		a[0] = send;
	}
}
