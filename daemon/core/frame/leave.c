/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave: see leave.h.
 */
#include "leave.h"
#include "algorithm.h"
#include "sick.h"

#include <assert.h>
#include <string.h>

/* ---- Goodbye --------------------------------------------------------------------------------- */

static void say_goodbye(struct elect *e)
{
	struct elect_send *s = out_send(e, ELECT_GOODBYE, NULL);

	s->group = e->goodbye_group;
	s->other = e->goodbye_successor;
	s->loss = role_stops(e) ? ELECT_LOSS_STOP : ELECT_LOSS_RESIGN;
	e->goodbyes++;
	timers_set_in(e, TIMER_GOODBYE,
		e->goodbyes < GOODBYE_REPEATS ? pace_repeat_us(e) : GOODBYE_LINGER_US);
}

/* The host that an operator named, if listed and fit; else the first fit one; else the first. */
static struct elect_id successor(const struct elect *e)
{
	struct elect_id none = { { 0 } };
	int named = roster_find(&e->up, &e->resign_to);

	if (named > 0 && e->up.members[named].may_lead)
		return e->resign_to;
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].may_lead)
			return e->up.members[i].id;
	return e->up.count > 1 ? e->up.members[1].id : none;
}

/*
 * The Goodbye that is sent if this process is gone (will.md). A leader keeps its role in a merge,
 * and so its will: members of its former group that have not accepted yet succeed, and all hosts
 * wait.
 */
bool elect_will(const struct elect *e, struct elect_send *ret_send)
{
	bool works = group_at_work(e) || role_leads(e);

	if (!works || e->up.count < 2 || role_leaves(e))
		return false;
	*ret_send = (struct elect_send){ .type = ELECT_GOODBYE,
		.group = e->list_group,
		.other = successor(e),
		.loss = ELECT_LOSS_CRASHING };
	return true;
}

static void leave(struct elect *e, enum elect_purpose why)
{
	e->purpose = why;
	if (!role_leaves(e))
		role_enter(e, ELECT_PHASE_LEAVES);
	e->goodbyes = 0;
	e->goodbye_group = e->group;
	memset(&e->goodbye_successor, 0, sizeof(e->goodbye_successor));
	if (group_at_work(e))
		e->goodbye_successor = successor(e);
	if (why == ELECT_PURPOSE_STOP) {
		because_set(e, ELECT_REASON_STOPPING, &e->config.id);
		counter_return_reserve(e);
	}
	if (e->state == ELECT_DOWN) {
		leave_on_timer_goodbye(e);
		return;
	}
	e->algorithm->withdraw(e);
	say_goodbye(e);
}

void leave_on_timer_goodbye(struct elect *e)
{
	if (e->goodbyes > 0 && e->goodbyes < GOODBYE_REPEATS) {
		say_goodbye(e);
		return;
	}
	if (role_stops(e)) {
		for (unsigned t = 0; t < TIMERS; t++)
			timers_stop(e, t);
		counter_persist_last(e);
		role_enter(e, ELECT_PHASE_GONE);
		return;
	}
	role_enter(e, ELECT_PHASE_FOLLOWS);
	e->algorithm->withdraw(e);
}

/* ---- the demotion ---------------------------------------------------------------------------- */

/* Waits for the inviter as long as its members would: dead_after since it was heard. */
static void wait_for_a_merge(struct elect *e)
{
	uint64_t silent_us = e->now_us + e->config.timings.dead_after_us;
	uint64_t until_us = moment_at_most(silent_us, e->merge_until_us);

	if (e->lead_from_us < until_us)
		e->lead_from_us = until_us;
}

/*
 * The host that asked for the role has lone_hold to merge, as long as it is heard. A stall during
 * the demotion may have set a later moment to lead.
 */
static void yielded(struct elect *e)
{
	e->merge_until_us = e->now_us + e->config.lone_hold_us;
	wait_for_a_merge(e);
}

void leave_heard(struct elect *e, const struct elect_msg *m)
{
	if (e->merge_until_us > e->now_us && elect_id_equal(&m->sender, &e->yield_to.id))
		wait_for_a_merge(e);
}

static void after_release(struct elect *e, enum elect_purpose purpose)
{
	switch (purpose) {
	case ELECT_PURPOSE_YIELD:
		if (!group_coordinates(e))
			break;
		yielded(e);
		/* in an election of its own, the beacon after it reports the end of the role */
		if (!group_at_work(e))
			break;
		e->algorithm->yielded(e);
		timers_set(e, TIMER_LEAD, e->lead_from_us);
		break;
	case ELECT_PURPOSE_RESIGN:
	case ELECT_PURPOSE_STOP:
		leave(e, purpose);
		break;
	case ELECT_PURPOSE_BAR:
		if (group_at_work(e))
			e->algorithm->announce(e);
		break;
	case ELECT_PURPOSE_NONE:
	case ELECT_PURPOSES:
		assert(false);
	}
}

/* Reports the reason once more, because members may have come and gone since the demotion began. */
static void tell_released(struct elect *e, enum elect_purpose purpose)
{
	const struct elect_grounds why = e->release_why;

	if (!role_leads(e) && !role_leaves_for(purpose))
		return;
	if (purpose == ELECT_PURPOSE_YIELD)
		because_pause(e, why.reason, &e->yield_to.id); /* the last host that asked */
	else
		because_set(e, why.reason, &why.cause);
}

static void released(struct elect *e, enum elect_purpose purpose)
{
	bool led = role_leads(e), demoted = role_demotes(e);

	tell_released(e, purpose);
	if (demoted && e->release_why.reason == ELECT_REASON_SICK)
		sick_demoted(e);
	if (demoted)
		role_enter(e, role_idle(e));
	if (led)
		view_publish(e);
	after_release(e, purpose);
	memset(&e->resign_to, 0, sizeof(e->resign_to));
}

enum elect_purpose leave_demoted(struct elect *e)
{
	enum elect_purpose purpose = e->purpose;

	released(e, purpose);
	return purpose;
}

/* The next leader: the host that asked, or the one that a Goodbye would name now. */
static struct elect_id yields_to(const struct elect *e)
{
	struct elect_id nobody = { { 0 } };

	if (e->purpose == ELECT_PURPOSE_YIELD)
		return e->yield_to.id;
	return e->purpose == ELECT_PURPOSE_BAR || !group_at_work(e) ? nobody : successor(e);
}

void leave_named(struct elect *e)
{
	if (role_demotes(e) && role_leaves_for(e->purpose))
		e->yields_to = yields_to(e);
	else
		memset(&e->resign_to, 0, sizeof(e->resign_to));
}

static void ask_to_release(struct elect *e)
{
	struct elect_action *a;

	e->yields_to = yields_to(e);
	view_publish(e);
	a = out_action(e, ELECT_ACTION_RELEASE);
	a->release.number = e->release;
	a->release.purpose = e->purpose;
}

/* A stronger purpose (stop over resign over bar over yield) replaces a weaker one under way. */
void leave_release(struct elect *e, enum elect_purpose purpose, enum elect_reason reason,
	const struct elect_id *cause)
{
	static const unsigned strength[ELECT_PURPOSES] = { [ELECT_PURPOSE_YIELD] = 1,
		[ELECT_PURPOSE_BAR] = 2,
		[ELECT_PURPOSE_RESIGN] = 3,
		[ELECT_PURPOSE_STOP] = 4 };

	if (role_leaves(e) || strength[purpose] <= strength[e->purpose])
		return;
	because_set(e, reason, cause);
	e->release_why = (struct elect_grounds){ .reason = reason, .cause = *cause };
	if (!role_leads(e)) {
		released(e, purpose);
		return;
	}
	e->purpose = purpose;
	if (!role_demotes(e))
		role_enter(e, ELECT_PHASE_DEMOTES);
	ask_to_release(e);
}

void leave_yield(struct elect *e, const struct elect_inviter *to)
{
	e->yield_to = *to;
	if (role_leads(e))
		leave_release(e, ELECT_PURPOSE_YIELD, ELECT_REASON_YIELDED, &e->yield_to.id);
}

/* A pending demotion becomes one for the stop, also where the role was lost meanwhile. */
void leave_stop(struct elect *e)
{
	if (role_leads(e) || role_demotes(e))
		leave_release(e, ELECT_PURPOSE_STOP, ELECT_REASON_STOPPING, &e->config.id);
	else if (!role_stops(e))
		leave(e, ELECT_PURPOSE_STOP);
}
