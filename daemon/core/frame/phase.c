/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase: the only functions that assign the phase of the role and the host that leads (state.h).
 */
#include "algorithm.h"
#include "sick.h"

#include <string.h>

static bool is_legal(enum elect_phase from, enum elect_phase to)
{
	static const struct {
		enum elect_phase from, to;
	} steps[] = {
#define STEP(from, to, words) { ELECT_PHASE_##from, ELECT_PHASE_##to },
#include "core/phase_list.h"
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].from == from && steps[i].to == to)
			return true;
	return false;
}

/* ---- what begins and ends with a phase ------------------------------------------------------- */

/* If the members have not confirmed the role since a stall, its next term waits as after one. */
static void leading_ends(struct elect *e)
{
	sick_role_over(e);
	memset(&e->leader_group, 0, sizeof(e->leader_group));
	if (e->watch.asked_count > 0)
		e->lead_from_us = e->now_us + e->config.lone_hold_us;
	e->watch.asked_count = 0;
}

static void demotion_begins(struct elect *e)
{
	e->release++;
	e->release_us = e->now_us;
	timers_set_in(e, TIMER_YIELD, e->config.yield_timeout_us);
}

static void demotion_ends(struct elect *e)
{
	e->purpose = ELECT_PURPOSE_NONE;
	timers_stop(e, TIMER_YIELD);
}

static void change(struct elect *e, enum elect_phase phase)
{
	bool led = role_leads(e), demoted = role_demotes(e), left = role_leaves(e);

	e->phase = phase;
	if (!led && role_leads(e))
		sick_role_begins(e);
	if (led && !role_leads(e))
		leading_ends(e);
	if (!demoted && role_demotes(e))
		demotion_begins(e);
	if (demoted && !role_demotes(e))
		demotion_ends(e);
	if (left && !role_leaves(e))
		e->purpose = ELECT_PURPOSE_NONE;
}

void role_enter(struct elect *e, enum elect_phase phase)
{
	if (is_legal(e->phase, phase))
		change(e, phase);
	else
		role_defect(e, "a step that is not allowed", phase);
}

/* ---- the role -------------------------------------------------------------------------------- */

void role_lead(struct elect *e)
{
	if (!group_at_work(e))
		role_defect(e, "it would lead outside Normal", ELECT_PHASE_LEADS);
	else if (!role_leads(e))
		role_enter(e, ELECT_PHASE_LEADS);
	if (e->defect.words)
		return;
	e->leader_group = e->group;
	e->watch.led = true;
	e->merge_until_us = 0;
	counter_raise_floor(e);
	view_publish(e);
}

void role_lose(struct elect *e)
{
	if (role_leads(e))
		role_enter(e, role_demotes(e) ? ELECT_PHASE_LOST : role_idle(e));
	memset(&e->leader_group, 0, sizeof(e->leader_group));
}

void role_follow(struct elect *e, bool leads)
{
	role_lose(e);
	if (leads)
		e->leader_group = e->group;
}

void role_grouped(struct elect *e)
{
	bool idle = e->phase == ELECT_PHASE_FOLLOWS || e->phase == ELECT_PHASE_WAITS;

	if (idle && e->phase != role_idle(e))
		role_enter(e, role_idle(e));
}

/* ---- defects --------------------------------------------------------------------------------- */

/* Each row holds when a step is over; the text is reported for a row that does not. */
const char *role_broken(const struct elect *e)
{
	bool coordinates = group_coordinates(e), works = group_at_work(e), leads = role_leads(e);
	bool asks = e->watch.asked_count > 0, ends = role_demotes(e) || role_leaves(e);
	const struct {
		bool holds;
		const char *if_not;
	} all[] = {
		{ !leads || (coordinates && e->state != ELECT_DOWN),
			"it leads without a group of its own" },
		{ leads == self_is(e, &e->leader_group.coordinator),
			"role and known leader disagree" },
		{ !leads || !works || e->watch.led,
			"it leads a group that it never began to lead" },
		{ !e->promoted || leads, "work on its role is known, but it does not lead" },
		{ e->phase != ELECT_PHASE_FOLLOWS || !coordinates, "it follows itself" },
		{ e->phase != ELECT_PHASE_WAITS || coordinates,
			"it waits in another host's group" },
		{ !asks || works, "it asks members that it does not have" },
		{ e->phase != ELECT_PHASE_LEADS || !asks, "it asks members and does not show it" },
		{ e->phase != ELECT_PHASE_ASKS || asks, "it asks no member" },
		{ ends == (e->purpose != ELECT_PURPOSE_NONE), "phase and purpose disagree" },
		{ role_demotes(e) == timers_running(e, TIMER_YIELD),
			"demotion and yield_timeout disagree" },
		{ !role_leaves(e) || role_leaves_for(e->purpose),
			"it leaves for a purpose that does not ask for it" },
		{ (e->phase == ELECT_PHASE_LEAVES) == timers_running(e, TIMER_GOODBYE),
			"phase and next Goodbye disagree" },
		{ e->phase != ELECT_PHASE_GONE || role_stops(e), "it has stopped without a stop" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!all[i].holds)
			return all[i].if_not;
	return NULL;
}

void role_defect(struct elect *e, const char *words, enum elect_phase next)
{
	if (!e->defect.words)
		e->defect = (struct elect_defect){ words, e->phase, next };
}

void role_reset(struct elect *e)
{
	change(e, ELECT_PHASE_FOLLOWS);
	sick_role_over(e);
	e->purpose = ELECT_PURPOSE_NONE;
	timers_stop(e, TIMER_YIELD);
	timers_stop(e, TIMER_GOODBYE);
}
