/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member: a member watches its coordinator, and answers it (slide 23, Check_Coordinator).
 *
 * Heard is a beacon of its group, or what its coordinator answers it alone. Silence of 1.5 beacons
 * is doubt: the first two in rank ask. Silence of dead_after is death, and then a host's rank says
 * how long it leaves the election to those above it.
 */
#include "bully.h"
#include "core/frame/keys.h"
#include "core/frame/why_nots.h"

#include <string.h>

static bool is_member(const struct elect *e)
{
	return e->state == ELECT_NORMAL && !elect_coordinates(e);
}

static uint64_t doubt_at(const struct elect *e)
{
	return e->watch.heard_us + elect_beacons(e, 3) / 2;
}

static uint64_t step_us(const struct elect *e)
{
	return elect_at_most(RANK_STEP_US, elect_beacons(e, 1) / 2);
}

/*
 * Those above me, and what I leave to them. From the sixth on they are many, and all of them would
 * ask at once; the one that a Goodbye named goes first.
 */
static unsigned turn_rank(const struct elect *e)
{
	const struct elect_id *named = &own(e)->watch.successor;
	unsigned rank = order_rank(e);

	if (elect_id_is_zero(named))
		return rank;
	return elect_is_self(e, named) ? 0 : rank ? rank : 1;
}

static uint64_t turn_us(const struct elect *e)
{
	unsigned rank = turn_rank(e);
	uint64_t more;

	if (rank <= RANK_STEPS)
		return rank * step_us(e);
	more = (uint64_t)(rank - RANK_STEPS) * RANK_MORE_US;
	return RANK_STEPS * step_us(e) + elect_at_most(more, RANK_MORE_MAX_US);
}

static uint64_t turn_at(const struct elect *e)
{
	return elect_silence_until(e, e->watch.heard_us) + turn_us(e);
}

bool member_doubts(const struct elect *e)
{
	return own(e)->watch.gone || e->now_us >= doubt_at(e) || own(e)->phase != PHASE_NONE;
}

/* It is dead, as far as silence says, or somebody has said so. */
bool member_silent(const struct elect *e)
{
	return own(e)->watch.gone || e->now_us >= elect_silence_until(e, e->watch.heard_us);
}

static bool below_me(const struct elect *e)
{
	return !order_above_me(e, &own(e)->watch.coordinator);
}

/* What was concluded from silence does not outlast it; an election against it does. */
static void heard(struct elect *e)
{
	enum bully_phase phase = own(e)->phase;

	e->watch.heard_us = e->now_us;
	own(e)->watch.gone = false;
	own(e)->watch.probes = 0;
	if ((phase == PHASE_ASK || phase == PHASE_WAIT) && !below_me(e))
		bully_phase(e, PHASE_NONE, 0);
	elect_timer(e, TIMER_WATCH, doubt_at(e));
}

/* What I answer to my coordinator says that I have just heard it: it counts on that. */
void member_heard(struct elect *e)
{
	if (!own(e)->watch.gone)
		heard(e);
}

/*
 * Who turns away from its coordinator without a word of it may still count for the quorum of one
 * that lives: nobody begins to lead with its help before that is over.
 */
void member_bound(struct elect *e)
{
	if (is_member(e) && !own(e)->watch.gone)
		role_bind(e, e->watch.heard_us);
}

/* Normal, as a member: the routine is staggered by rank. */
void member_begin(struct elect *e)
{
	uint64_t period = elect_beacons(e, ROUTINE_BEACONS);
	unsigned rank = order_rank(e) + 1;

	heard(e);
	elect_timer_in(e, TIMER_ROUTINE, period / 2 + period * rank / (e->up.count + 1));
}

/* ---- its coordinator's silence --------------------------------------------------------------- */

/* Why it leaves its group. */
void member_because(struct elect *e)
{
	const struct bully_watch *w = &own(e)->watch;

	if (w->gone)
		elect_group_because(e, w->gone_reason, &e->group.coordinator);
	else if (e->now_us < doubt_at(e))
		elect_group_because(e, ELECT_REASON_MERGED, &e->group.coordinator);
	else if (e->link_down)
		elect_group_because(e, ELECT_REASON_CARRIER_LOST, &e->config.id);
	else
		elect_group_because(e, ELECT_REASON_COORDINATOR_SILENT, &e->group.coordinator);
}

void member_probe(struct elect *e)
{
	elect_send(e, ELECT_AYUP, &e->group.coordinator)->doubt = true;
}

/* The first two ask as soon as they doubt, the others only before their own turn. */
static uint64_t probes_from(const struct elect *e)
{
	return turn_rank(e) < PROBERS ? doubt_at(e) : turn_at(e) - 2 * elect_probe_us(e);
}

void member_on_timer_watch(struct elect *e)
{
	uint64_t turn = turn_at(e), next = e->now_us + elect_probe_us(e);

	if (!is_member(e))
		return;
	if (own(e)->watch.gone || e->now_us >= turn) {
		elect_timer_in(e, TIMER_WATCH, elect_beacons(e, 1));
		bully_ask_begin(e);
	} else if (e->now_us < probes_from(e)) {
		elect_timer(e, TIMER_WATCH, probes_from(e));
	} else {
		own(e)->watch.probes++;
		member_probe(e);
		elect_timer(e, TIMER_WATCH, next < turn ? next : turn);
	}
}

/* It is gone: the first acts at once, the next a step each. */
void member_gone(struct elect *e, enum elect_loss loss, enum elect_reason reason)
{
	if (own(e)->watch.gone)
		return;
	own(e)->watch.gone = true;
	own(e)->watch.gone_reason = reason;
	own(e)->watch.loss = loss;
	elect_because(e, reason, &e->group.coordinator);
	elect_timer_in(e, TIMER_WATCH, turn_us(e));
}

static enum elect_reason goodbye_reason(const struct elect_msg *m)
{
	if (m->loss == ELECT_LOSS_RESIGN)
		return ELECT_REASON_COORDINATOR_RESIGNED;
	return elect_loss_of_will(m->loss) ? ELECT_REASON_COORDINATOR_CRASHED
					   : ELECT_REASON_COORDINATOR_STOPPED;
}

void member_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	if (!is_member(e) || !elect_group_equal(&m->group, &e->group))
		return;
	if (!elect_id_equal(&m->sender, &e->group.coordinator)) {
		e->watch.left = m->sender; /* the next list is without it, and this is why */
		return;
	}
	own(e)->watch.successor = m->other;
	member_gone(
		e, m->loss == ELECT_LOSS_CRASHING ? ELECT_LOSS_CRASH : m->loss, goodbye_reason(m));
}

/* ---- its beacons ----------------------------------------------------------------------------- */

/*
 * It says whether it leads. When that ends or begins again in the life of a group, it alone knows
 * why: whom to ask is told here.
 */
static void note_leading(struct elect *e, const struct elect_msg *m)
{
	bool led = elect_group_equal(&e->leader_group, &e->group);

	if (led && !m->standing.established) {
		own(e)->watch.waits = true;
		elect_because(e, ELECT_REASON_COORDINATOR_WAITS, &m->sender);
	} else if (own(e)->watch.waits && m->standing.established) {
		own(e)->watch.waits = false;
		elect_because(e, ELECT_REASON_COORDINATOR_LEADS, &m->sender);
	} else if (!led && m->standing.established) {
		elect_begin_because(e);
	}
	elect_follow(e, m->standing.established);
}

static void answer_in(struct elect *e, uint64_t us)
{
	elect_timer_earlier(e, TIMER_YES, e->now_us + us);
}

/* At once if it asks all, or has a quorum; soon if its list differs, which may be on its way. */
static void answer(struct elect *e, const struct elect_msg *m)
{
	uint64_t half = elect_window_us(e, WINDOW_US) / 2;

	if (m->probe || m->quorum > 1)
		answer_in(e, rng_below(&e->rng, order_spread_us(e, 0) + 1));
	else if (m->list_version > e->list_version || m->digest != e->digest)
		answer_in(e, half + rng_below(&e->rng, half));
	if (m->quorum > 1)
		elect_timer_in(
			e, TIMER_ROUTINE, rng_jitter(&e->rng, elect_beacons(e, ROUTINE_BEACONS)));
}

/* Its coordinator is below it: asked to yield first, if it leads (C3). */
static void bully_it(struct elect *e, const struct elect_msg *m)
{
	struct bully_heard *h = order_heard(e, m);

	if (order_leads(e, h))
		coordinator_ask_to_yield(e, h);
	else
		bully_ask_begin(e);
}

void member_on_beacon(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);
	struct bully_own *o = own(e);

	if (m->sequence && m->sequence < o->watch.beacon_sequence)
		return; /* a newer one has overtaken it */
	if (m->sequence)
		o->watch.beacon_sequence = m->sequence;
	o->watch.coordinator = m->standing;
	o->watch.beacon = m->transaction;
	heard(e);
	keys_told(e, m);
	why_nots_note(e, m);
	if (at >= 0)
		elect_list_show(e, at, m);
	e->watch.unfit = !m->standing.may_lead;
	note_leading(e, m);
	answer(e, m);
	if (below_me(e))
		bully_it(e, m);
}

/* Before the first beacon there is nothing to answer. */
static void say_yes(struct elect *e)
{
	static const struct elect_transaction none;
	struct elect_send *s;

	if (!is_member(e) || own(e)->watch.gone ||
		memcmp(&own(e)->watch.beacon, &none, sizeof(none)) == 0)
		return;
	s = elect_send(e, ELECT_AYNORMAL_ANSWER, &e->group.coordinator);
	s->echo = own(e)->watch.beacon;
}

void member_on_timer_yes(struct elect *e)
{
	say_yes(e);
}

void member_on_timer_routine(struct elect *e)
{
	say_yes(e);
	elect_timer_in(e, TIMER_ROUTINE, rng_jitter(&e->rng, elect_beacons(e, ROUTINE_BEACONS)));
}

/* What it says of itself has changed: its coordinator hears it now. */
void member_tell(struct elect *e)
{
	if (elect_timer_on(e, TIMER_ROUTINE))
		elect_timer_earlier(e, TIMER_ROUTINE, e->now_us);
}
