/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: the reasons that are reported when a role begins or ends. Hosts that come or go while a host
 * waits to lead, or runs its demotion, are not the reason.
 */
#include "inside.h"

#define IS(reason) (UINT64_C(1) << ELECT_REASON_##reason)

/* Reasons of a group or an interruption, apart from why the group was formed. */
#define BEGINS_TO_LEAD	 (IS(ALONE) | IS(YIELDED) | IS(STALLED) | IS(QUORUM_MET))
#define BEGINS_TO_FOLLOW (IS(STALLED) | IS(COORDINATOR_LEADS))
#define FOLLOWS_NOBODY	 (IS(STALLED) | IS(COORDINATOR_WAITS))
#define STOPS_LEADING                                                                              \
	(IS(STOPPING) | IS(HELD) | IS(STATE_FILE) | IS(DUPLICATE_ID) | IS(COORDINATOR_RESIGNED) |  \
		IS(YIELDED) | IS(STALLED) | IS(QUORUM_LOST) | IS(CARRIER_LOST) | IS(SICK) |        \
		IS(PUT_BACK) | IS(OWN_DEFECT))
/* Reasons of lists and commands, which form no group. */
#define FORMS_NO_GROUP                                                                             \
	(IS(NONE) | IS(DEFINITION) | IS(QUORUM_MET) | IS(QUORUM_LOST) | IS(COORDINATOR_WAITS) |    \
		IS(COORDINATOR_LEADS))
/* Reasons of lists, which hold only for the coordinator. */
#define OF_MEMBERS (IS(JOINED) | IS(DROPPED))

static bool in(enum elect_reason reason, uint64_t set)
{
	return set >> reason & 1;
}

/*
 * Can the reason explain another group? A member that came or went cannot, except in bully, where
 * the coordinator reports it, even when it gives that election up.
 */
static bool forms(const struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now;
	const struct elect_id *by = &now->cause;

	if (in(now->reason, FORMS_NO_GROUP))
		return false;
	if (now->state != ELECT_DOWN &&
		in(now->reason, IS(HELD) | IS(STOPPING) | IS(STATE_FILE) | IS(SICK)))
		return false;
	return !in(now->reason, OF_MEMBERS) ||
		(check_reelects(h) &&
			(check_coordinates(h, &now->group) ||
				check_coordinates(h, &step->old->group))) ||
		(!elect_id_equal(by, &h->config.id) &&
			(elect_id_equal(by, &now->group.coordinator) ||
				elect_id_equal(by, &step->old->group.coordinator)));
}

static bool repeats(const struct sim_host *h, const struct elect_view *now)
{
	const struct elect_view *w = &h->watch.regrouped;

	return now->reason == w->reason && elect_id_equal(&now->cause, &w->cause);
}

/* A coordinator that forms its group anew has the reason for which it formed that group. */
static bool forms_anew(const struct sim_host *h, const struct check_step *step)
{
	return check_coordinates(h, &step->old->group) && check_coordinates(h, &step->now->group) &&
		repeats(h, step->now);
}

/* The coordinator dropped the host, which asks to join again. */
static bool back(const struct elect_view *now)
{
	return now->reason == ELECT_REASON_DROPPED &&
		elect_id_equal(&now->cause, &now->group.coordinator);
}

static bool begins(const struct sim_host *h, const struct elect_view *now, uint64_t set)
{
	return in(now->reason, set) || back(now) || repeats(h, now);
}

static bool entitled(const struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now;

	if (now->role == ELECT_ROLE_LEADER)
		return begins(h, now, BEGINS_TO_LEAD);
	if (now->role == ELECT_ROLE_FOLLOWER)
		return begins(h, now, BEGINS_TO_FOLLOW);
	if (step->old->role == ELECT_ROLE_FOLLOWER)
		return begins(h, now, FOLLOWS_NOBODY);
	return in(now->reason, STOPS_LEADING) &&
		(now->reason == ELECT_REASON_YIELDED || elect_id_equal(&now->cause, &h->config.id));
}

void check_reason(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;
	bool moved = !elect_group_equal(&old->group, &now->group);

	if (moved && !forms(h, step) && !forms_anew(h, step))
		check_fail(s, "why", "h%u comes into group %s with the reason %s", h->index + 1,
			check_group_text(s, &now->group), elect_reason_name(now->reason));
	if (moved)
		h->watch.regrouped = *now;
	if (now->role != old->role && !entitled(h, step))
		check_fail(s, "why", "h%u becomes %s in group %s with the reason %s", h->index + 1,
			elect_role_name(now->role), check_group_text(s, &now->group),
			elect_reason_name(now->reason));
}
