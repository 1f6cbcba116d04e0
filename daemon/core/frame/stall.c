/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stall: see stall.h.
 */
#include "stall.h"
#include "algorithm.h"
#include "backoff.h"
#include "lists.h"
#include "adaptive.h"
#include "role.h"
#include "will.h"

/*
 * `asked`: hosts that an asking under way has asked, this one included; 0: there is none. Some may
 * have been dropped since, and those that have come since do not count.
 */
static void ask_my_group(struct elect *e, unsigned asked, uint64_t again_us)
{
	bool again = asked > 1;

	e->watch.asking_us = e->now_us;
	e->watch.asked_count = again ? asked : e->up.count;
	e->watch.asks = PROBES_MAX;
	timers_set_in(e, TIMER_LEAD, again_us);
	for (unsigned i = 0; i < e->up.count; i++) {
		e->watch.members[i].answered = false;
		e->watch.members[i].former |= !again;
	}
	e->algorithm->recheck(e);
	e->algorithm->announce(e);
}

/* The host leads when more than half of the group answers, or as a group of one would. */
static void ask_before_leading(struct elect *e, unsigned asked, uint64_t lead_from_us)
{
	e->watch.lead_from_us = lead_from_us;
	ask_my_group(e, asked, pace_probe_us(e));
}

static void stop_leading(struct elect *e)
{
	bool knew = !elect_group_is_zero(&e->leader_group);

	role_lose(e);
	e->lead_from_us = e->now_us + e->config.lone_hold_us;
	if (knew)
		because_pause(e, ELECT_REASON_STALLED, &e->config.id);
	view_publish(e);
}

/* When the host may lead apart from the stall, which must not make that earlier. */
static uint64_t lead_from(const struct elect *e)
{
	return role_leads(e)		   ? e->now_us
		: e->watch.asked_count > 0 ? e->watch.lead_from_us
					   : e->lead_from_us;
}

/* The LAN may have gone on without this host, and what waits in the sockets is from before. */
void stall_over(struct elect *e, uint64_t late_us)
{
	uint64_t lead_from_us = lead_from(e);
	unsigned asked = e->watch.asked_count;

	stop_leading(e);
	out_action(e, ELECT_ACTION_DISCARD);
	stall_late(e, late_us);
	if (role_demotes(e))
		role_demoted(e);
	if (role_leaves(e))
		return;
	if (group_at_work(e))
		ask_before_leading(e, asked, lead_from_us);
	else
		e->algorithm->recheck(e);
}

static void stop_and_ask(struct elect *e)
{
	uint64_t lead_from_us = lead_from(e);
	unsigned asked = e->watch.asked_count;

	stop_leading(e);
	ask_before_leading(e, asked, lead_from_us);
}

/* Others may have found this host silent, and its kernel too if that had stalled. */
void stall_short(struct elect *e)
{
	uint64_t soonest = e->due_us + ELECT_GRACE_US + e->config.silence_us;

	if (!group_at_work(e) || role_asks(e) || e->up.count < 2 ||
		!elect_suspects_early(&e->config) || e->now_us < soonest)
		return;
	if (!role_leads(e)) {
		stop_and_ask(e);
		return;
	}
	if (!role_demotes(e))
		role_enter(e, ELECT_PHASE_ASKS);
	ask_my_group(e, 0, pace_repeat_us(e)); /* PROBES_MAX times in all */
}

/*
 * No majority follows: as after a longer stall, but waiting messages are read. A pending demotion
 * ends the role by itself, and in its order. The only other member of a group may have died just as
 * well; if it leads instead, its answer or its beacon says so.
 */
static void unanswered(struct elect *e)
{
	if (role_demotes(e))
		return;
	if (--e->watch.asks > 0) {
		e->algorithm->recheck(e);
		timers_set_in(e, TIMER_LEAD, pace_repeat_us(e));
	} else if (e->watch.asked_count == 2) {
		role_goes_on(e);
	} else {
		stop_and_ask(e);
	}
}

/* A member that is probed has as long to answer as without the lateness. */
static void members_later(struct elect *e, uint64_t late_us)
{
	for (unsigned i = 0; i < e->up.count; i++) {
		pace_later(e, &e->watch.members[i].heard_us, late_us);
		pace_longer(e, &e->watch.members[i].probe_us, late_us);
	}
}

static void differences_later(struct elect *e, uint64_t late_us)
{
	pace_later(e, &e->timings_differ_us, late_us);
	pace_later(e, &e->preempt_differs_us, late_us);
	pace_later(e, &e->quorum_differs_us, late_us);
	pace_later(e, &e->counter_refused_us, late_us);
	pace_later(e, &e->refused_us, late_us);
	pace_later(e, &e->known.heard_us, late_us);
	pace_later(e, &e->advance.low_us, late_us);
	pace_later(e, &e->advance.ahead_us, late_us);
}

/*
 * Own lateness is no fault of others: it is added to the time that they are given (suspicion.md),
 * and each moment at which another host was heard, or did something, moves with it. A host that was
 * suspended for an hour was not alone for an hour. The moments that move are set below, in will.c,
 * backoff.c, adaptive.c, by the algorithm's later(), and in routes.c. These stay:
 *
 *	quorum (asked_us, bound_until_us): other hosts count on it in real time (quorum.md). But
 *	    the answers that wait in the sockets are read first, once a beacon: a host that is
 *	    always late loses its quorum all the same
 *	demotions of others (a crash's most_us, yield_until_us): they run on in real time
 *	answers, proofs, sessions (answered_us, core/trust): an old one proves nothing, and the
 *	    report of a host that was awake counts more than the memory of one that was not
 *	the last datagram of the coordinator (spoke_us): it is compared with a moment of this host
 *	the moment when it came into its group (joined_us): a host that was not missed was there
 *	pauses between own datagrams, windows of own elections, reports of own services (health.md),
 *	    orders of operators; the bucket (credit_us), as the buckets of others fill meanwhile
 */
void stall_late(struct elect *e, uint64_t late_us)
{
	pace_later(e, &e->watch.heard_us, late_us);
	pace_later(e, &e->watch.beacon_sequence_us, late_us);
	members_later(e, late_us);
	pace_later(e, &e->company_us, late_us);
	pace_later(e, &e->met_us, late_us);
	pace_longer(e, &e->unheard_until_us, late_us);
	pace_longer(e, &e->silent_until_us, late_us);
	pace_later(e, &e->rivals_from_us, late_us);
	pace_longer(e, &e->duplicate_until_us, late_us);
	differences_later(e, late_us);
	will_later(e, late_us);
	backoff_later(e, late_us);
	adaptive_later(e, late_us);
	e->algorithm->later(e, late_us);
	if (e->now_us >= e->read_until_us + pace_beacons(e, 1))
		e->read_until_us = e->now_us + pace_late_us(e);
	if (e->timers[TIMER_QUORUM] < e->read_until_us)
		e->timers[TIMER_QUORUM] = e->read_until_us;
}

/* Members that have not answered have gone elsewhere; newcomers without the list are kept. */
static void drop_unanswered(struct elect *e)
{
	lists_edit(e);
	for (unsigned i = 1; i < e->up.count; i++)
		if (!e->watch.members[i].answered && !e->watch.members[i].missing)
			roster_remove(&e->next, &e->up.members[i].id);
	if (e->next.count == e->up.count)
		return;
	because_set(e, ELECT_REASON_STALLED, &e->config.id);
	lists_change(e);
}

/*
 * Returns true while it is too early to know which members still follow. At the end of the asking
 * the others are dropped, so that a host that is left alone may join another group (merge.md).
 */
static bool ask_again(struct elect *e)
{
	if (e->watch.asked_count == 0 || e->watch.asks == 0)
		return false;
	if (--e->watch.asks == 0) {
		drop_unanswered(e);
		if (group_at_work(e) && e->lead_from_us > e->now_us)
			timers_set(e, TIMER_LEAD, e->lead_from_us);
		return e->lead_from_us > e->now_us;
	}
	e->algorithm->recheck(e);
	timers_set_in(e, TIMER_LEAD, pace_probe_us(e));
	return true;
}

void stall_on_timer_lead(struct elect *e)
{
	if (role_asks(e))
		unanswered(e);
	else if (!ask_again(e))
		role_review(e);
}
