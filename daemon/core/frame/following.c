/* SPDX-License-Identifier: Apache-2.0 */
/*
 * following: see following.h. A coordinator that is silent for 1.5 beacons is suspected: the first
 * two members in rank ask it. After dead_after it is dead, and then each host leaves some time to
 * the better ones.
 */
#include "following.h"
#include "algorithm.h"
#include "keys.h"
#include "lists.h"
#include "adaptive.h"
#include "role.h"
#include "why_nots.h"

/* ---- silence --------------------------------------------------------------------------------- */

uint64_t following_suspect_at(const struct elect *e)
{
	return e->watch.heard_us + pace_beacons(e, 3) / 2;
}

bool following_suspects(const struct elect *e)
{
	return e->watch.gone || e->now_us >= following_suspect_at(e);
}

/*
 * The adaptive timeout of a coordinator is no part of what counts for a quorum (quorum.md,
 * suspicion.md).
 */
static uint64_t turn_at(const struct elect *e)
{
	return pace_silence_until(e, e->watch.heard_us) + adaptive_dead_us(e) +
		e->algorithm->turn_us(e);
}

unsigned following_rank(const struct elect *e, unsigned better)
{
	const struct elect_id *named = &e->watch.successor;

	if (elect_id_is_zero(named))
		return better;
	return self_is(e, named) ? 0 : better ? better : 1;
}

static uint64_t step_us(const struct elect *e)
{
	return moment_at_most(SUCCESSION_STEP_US, pace_beacons(e, 1) / 2);
}

uint64_t following_steps_us(const struct elect *e, unsigned rank)
{
	return (uint64_t)(rank < STEPS_MAX ? rank : STEPS_MAX) * step_us(e);
}

/* The first two ask as soon as they suspect, the others only before their own turn. */
static uint64_t asks_from(const struct elect *e, unsigned rank)
{
	return rank < WATCH_PROBERS ? following_suspect_at(e) : turn_at(e) - 2 * pace_probe_us(e);
}

enum following_turn following_look(struct elect *e, unsigned rank)
{
	uint64_t turn = turn_at(e), next = e->now_us + pace_probe_us(e);

	if (e->watch.gone || e->now_us >= turn)
		return FOLLOWING_ACTS;
	if (e->now_us < asks_from(e, rank)) {
		timers_set(e, e->algorithm->following_timer, asks_from(e, rank));
		return FOLLOWING_WAITS;
	}
	timers_set(e, e->algorithm->following_timer, next < turn ? next : turn);
	return FOLLOWING_ASKS;
}

void following_bound(struct elect *e)
{
	bool told = e->watch.gone && e->watch.loss != ELECT_LOSS_UNANSWERED;

	if (group_is_member(e) && !told)
		role_bind(e, e->watch.heard_us);
}

/* ---- the coordinator is heard ---------------------------------------------------------------- */

void following_heard(struct elect *e)
{
	static const struct elect_id nobody;

	e->watch.heard_us = e->now_us;
	e->watch.gone = false;
	e->watch.loss = ELECT_LOSS_SILENCE;
	e->watch.successor = nobody;
	timers_set(e, e->algorithm->following_timer, following_suspect_at(e));
}

/*
 * Beacons overtake each other within 1.5 intervals. A sequence that stays the highest for longer
 * was not the coordinator's own, because that goes on below it.
 */
bool following_is_new(struct elect *e, const struct elect_msg *beacon)
{
	struct elect_watch *w = &e->watch;
	bool lately = e->now_us - w->beacon_sequence_us < pace_beacons(e, 3) / 2;

	if (!beacon->sequence)
		return true;
	if (lately && beacon->sequence < w->beacon_sequence)
		return false;
	w->beacon_sequence = beacon->sequence;
	w->beacon_sequence_us = e->now_us;
	return true;
}

/*
 * The beacon reports whether the coordinator leads. When the role ends, or begins again, in the
 * life of a group, only the coordinator knows why (a stall, the quorum, a hold): the reason names
 * that host.
 */
static void note_leading(struct elect *e, const struct elect_msg *m)
{
	bool led = elect_group_equal(&e->leader_group, &e->group);

	if (led && !m->standing.established) {
		e->watch.waits = true;
		because_set(e, ELECT_REASON_COORDINATOR_WAITS, &m->sender);
	} else if (e->watch.waits && m->standing.established) {
		e->watch.waits = false;
		because_set(e, ELECT_REASON_COORDINATOR_LEADS, &m->sender);
	} else if (!led && m->standing.established) {
		because_begin(e);
	}
	role_follow(e, m->standing.established);
}

/* The list has only the address that the coordinator had when the list was made. */
static void show_coordinator(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	if (at >= 0)
		list_set_address(e, at, m);
}

void following_beacon(struct elect *e, const struct elect_msg *m)
{
	e->watch.beacon = m->transaction;
	e->watch.patience = m->patience;
	lists_compare(e, m);
	keys_told(e, m);
	why_nots_note(e, m);
	show_coordinator(e, m);
	e->watch.fitness = m->standing.may_lead ? ELECT_FITNESS_FIT : ELECT_FITNESS_UNFIT;
	note_leading(e, m);
}

/* ---- the coordinator is known to be gone ----------------------------------------------------- */

void following_gone(struct elect *e, enum elect_loss loss, enum elect_reason reason)
{
	if (e->watch.gone)
		return;
	e->watch.gone = true;
	e->watch.gone_reason = reason;
	e->watch.loss = loss;
	because_set(e, reason, &e->group.coordinator);
	timers_set_in(e, e->algorithm->following_timer, e->algorithm->turn_us(e));
}

/* A host that has succeeded by now is in another group, and merges. */
void following_withdrawn(struct elect *e, const struct elect_msg *m)
{
	bool mine = group_is_member(e) && elect_id_equal(&m->sender, &e->group.coordinator) &&
		!following_restarted(e, m);

	if (mine && m->type != ELECT_GOODBYE && e->watch.gone && e->watch.loss == ELECT_LOSS_CRASH)
		following_heard(e);
}

bool following_restarted(const struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	return group_is_member(e) && at >= 0 && elect_id_equal(&m->sender, &e->group.coordinator) &&
		e->up.members[at].session != m->session;
}

void following_disowned(struct elect *e, const struct elect_msg *m)
{
	if (following_restarted(e, m))
		following_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
	else
		following_gone(e, ELECT_LOSS_LEFT, ELECT_REASON_COORDINATOR_RESIGNED);
}

static enum elect_loss goodbye_loss(const struct elect_msg *m)
{
	return m->loss == ELECT_LOSS_CRASHING ? ELECT_LOSS_CRASH : m->loss;
}

static enum elect_reason goodbye_reason(const struct elect_msg *m, enum elect_reason resigned)
{
	if (m->loss == ELECT_LOSS_RESIGN)
		return resigned;
	return elect_loss_of_will(m->loss) ? ELECT_REASON_COORDINATOR_CRASHED
					   : ELECT_REASON_COORDINATOR_STOPPED;
}

void following_on_goodbye(struct elect *e, const struct elect_msg *m, enum elect_reason resigned)
{
	if (!group_is_member(e) || !elect_group_equal(&m->group, &e->group))
		return;
	if (!elect_id_equal(&m->sender, &e->group.coordinator)) {
		e->watch.left = m->sender; /* the next list is without it, for this reason */
		return;
	}
	e->watch.successor = m->other;
	following_gone(e, goodbye_loss(m), goodbye_reason(m, resigned));
}
