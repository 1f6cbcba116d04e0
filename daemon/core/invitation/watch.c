/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: a member watches its coordinator (algorithm.md 4.4; slide 37, Check_Coord).
 *
 * Heard is a beacon of my group (F9). Silence of 1.5 beacons is doubt: the first two in
 * succession probe. Silence of dead_after is death, and then the succession's turn is what
 * counts. Who knows more than silence (a Goodbye, a restart) does not wait for it.
 */
#include "invitation.h"
#include "core/frame/keys.h"
#include "core/frame/patience.h"
#include "core/frame/why_nots.h"

#include <string.h>

static uint64_t doubt_at(const struct elect *e)
{
	return e->watch.heard_us + elect_beacons(e, 3) / 2;
}

/* What is conceded to this coordinator is not part of what counts for a quorum (6, 4.13). */
static uint64_t turn_at(const struct elect *e)
{
	return elect_silence_until(e, e->watch.heard_us) + patience_dead_us(e) +
		succession_wait_us(e);
}

bool watch_in_doubt(const struct elect *e)
{
	return own(e)->watch.gone || e->now_us >= doubt_at(e);
}

/* What was concluded from silence does not outlast it. */
static void heard(struct elect *e)
{
	e->watch.heard_us = e->now_us;
	own(e)->watch.gone = false;
	if (own(e)->watch.loss == ELECT_LOSS_UNANSWERED)
		own(e)->watch.loss = ELECT_LOSS_SILENCE;
	own(e)->watch.probes = 0;
	elect_timer(e, TIMER_WATCH, doubt_at(e));
}

/* What I answer to my coordinator says that I have just heard it: it counts on that (6). */
void watch_heard(struct elect *e)
{
	if (own(e)->watch.gone)
		return;
	heard(e);
	doubt_answered(e, 0);
}

/*
 * Who turns away from its coordinator without a word of it may still count for the quorum of one
 * that lives: nobody begins to lead with its help before that is over (6).
 */
void watch_bound(struct elect *e)
{
	bool told = own(e)->watch.gone && own(e)->watch.loss != ELECT_LOSS_UNANSWERED;

	if (e->state == ELECT_NORMAL && !elect_coordinates(e) && !told)
		role_bind(e, e->watch.heard_us);
}

/* Normal, as a member: the routine is staggered by rank. */
void watch_begin(struct elect *e)
{
	uint64_t period = elect_beacons(e, AYTHERE_BEACONS);
	unsigned rank = succession_rank(e) + 1;

	heard(e);
	doubt_begin(e);
	elect_timer_in(e, TIMER_AYTHERE, period / 2 + period * rank / (e->up.count + 1));
}

static void ask(struct elect *e, bool probe)
{
	struct elect_send *s;

	if (roster_find(&e->up, &e->group.coordinator) < 0)
		return;
	s = elect_send(e, ELECT_AYTHERE, &e->group.coordinator);
	s->probe = s->doubt = probe;
}

void watch_probe(struct elect *e)
{
	ask(e, true);
}

/* After a stall: is my coordinator still mine? */
void watch_ask(struct elect *e)
{
	if (own(e)->watch.awaiting)
		invited_on_timer_await(e);
	else
		ask(e, true);
}

void watch_on_timer_aythere(struct elect *e)
{
	check_expire(e);
	ask(e, false);
	elect_timer_in(e, TIMER_AYTHERE, rng_jitter(&e->rng, elect_beacons(e, AYTHERE_BEACONS)));
}

/*
 * A coordinator is told at once what its members accept and send (trust.md 4), and why one may not
 * lead: others wait for it.
 */
void watch_tell(struct elect *e)
{
	if (elect_timer_on(e, TIMER_AYTHERE))
		elect_timer_earlier(e, TIMER_AYTHERE, e->now_us);
}

/* The first two probe as soon as they doubt, the others only before their own turn. */
static uint64_t probes_from(const struct elect *e)
{
	return succession_rank(e) < WATCH_PROBERS ? doubt_at(e)
						  : turn_at(e) - 2 * elect_probe_us(e);
}

/* Nobody has said that it is gone. */
static void fell_silent(struct elect *e)
{
	watch_bound(e);
	elect_group_because(e,
		e->link_down ? ELECT_REASON_CARRIER_LOST : ELECT_REASON_COORDINATOR_SILENT,
		e->link_down ? &e->config.id : &e->group.coordinator);
}

void watch_on_timer_watch(struct elect *e)
{
	uint64_t turn = turn_at(e), next = e->now_us + elect_probe_us(e);

	if (own(e)->watch.gone || e->now_us >= turn) {
		if (!own(e)->watch.gone || own(e)->watch.loss == ELECT_LOSS_UNANSWERED)
			fell_silent(e);
		succession_act(e);
	} else if (e->now_us < probes_from(e)) {
		elect_timer(e, TIMER_WATCH, probes_from(e));
	} else {
		own(e)->watch.probes++;
		ask(e, true);
		elect_timer(e, TIMER_WATCH, next < turn ? next : turn);
	}
}

/* ---- what the coordinator says --------------------------------------------------------------- */

/* With a quorum each beacon is answered (6); many members spread it as they do an Accept. */
static void answer_beacon(struct elect *e)
{
	uint64_t spread = (uint64_t)(succession_rank(e) + 1) * ACCEPT_SPREAD_US;

	if (elect_timer_on(e, TIMER_YES))
		return;
	spread = spread < ACCEPT_SPREAD_MAX_US ? spread : ACCEPT_SPREAD_MAX_US;
	elect_timer_in(e, TIMER_YES, rng_below(&e->rng, spread + 1));
}

void watch_on_timer_yes(struct elect *e)
{
	int at = roster_find(&e->up, &e->group.coordinator);
	struct elect_send *s;

	if (at < 0 || elect_coordinates(e) || own(e)->watch.gone)
		return;
	s = elect_send(e, ELECT_AYTHERE_ANSWER, &e->group.coordinator);
	s->echo = own(e)->watch.beacon;
	s->answer = ELECT_ANSWER_YES;
}

/*
 * A list that differs may still be on its way; after that it is asked for by the routine, which
 * says which one I have. Whoever answers beacons has no need of the routine else.
 */
static void compare_list(struct elect *e, const struct elect_msg *m)
{
	uint64_t half = elect_window_us(e, READY_WINDOW_US) / 2;
	uint64_t patience = half + rng_below(&e->rng, half);

	if (m->list_version > e->list_version || m->digest != e->digest)
		elect_timer_earlier(e, TIMER_AYTHERE, e->now_us + patience);
	else if (m->quorum > 1)
		elect_timer_in(
			e, TIMER_AYTHERE, rng_jitter(&e->rng, elect_beacons(e, AYTHERE_BEACONS)));
}

/*
 * My coordinator says whether it leads. When that ends or begins again in the life of a group, it
 * alone knows why (a stall, the quorum, a hold): whom to ask is told here.
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

/* The list says where it was when that was made. */
static void show_coordinator(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	if (at >= 0)
		elect_list_show(e, at, m);
}

void watch_on_beacon(struct elect *e, const struct elect_msg *m)
{
	if (!elect_group_equal(&m->group, &e->group)) {
		invited_late(e, m);
		return;
	}
	if (m->sequence && m->sequence < own(e)->watch.beacon_sequence)
		return; /* a newer one has overtaken it */
	if (m->sequence)
		own(e)->watch.beacon_sequence = m->sequence;
	heard(e);
	doubt_beacon(e, m);
	own(e)->watch.beacon = m->transaction;
	own(e)->watch.shown_count = m->foreign_count;
	memcpy(own(e)->watch.shown, m->foreign, sizeof(m->foreign));
	e->watch.patience = m->patience;
	keys_told(e, m);
	why_nots_note(e, m);
	show_coordinator(e, m);
	e->watch.unfit = !m->standing.may_lead;
	note_leading(e, m);
	compare_list(e, m);
	if (m->quorum > 1)
		answer_beacon(e);
}

static bool restarted(const struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	return e->state == ELECT_NORMAL && !elect_coordinates(e) && at >= 0 &&
		elect_id_equal(&m->sender, &e->group.coordinator) &&
		e->up.members[at].session != m->session;
}

/* "I do not coordinate that group": it has started anew, or gone elsewhere. */
static void disowned(struct elect *e, const struct elect_msg *m)
{
	if (restarted(e, m))
		watch_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
	else
		watch_gone(e, ELECT_LOSS_LEFT, ELECT_REASON_COORDINATOR_RESIGNED);
}

void watch_on_aythere_answer(struct elect *e, const struct elect_msg *m)
{
	bool coordinator = elect_id_equal(&m->sender, &e->group.coordinator);

	if (!elect_group_equal(&m->group, &e->group))
		return;
	if (elect_at_work(e)) {
		if (m->answer == ELECT_ANSWER_YES)
			members_on_yes(e, m);
		else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			lists_drop(e, &m->sender, ELECT_REASON_DROPPED);
		return;
	}
	if (!coordinator) {
		if (e->state == ELECT_NORMAL)
			doubt_on_aythere_answer(e, m);
		return;
	}
	if (own(e)->watch.awaiting) {
		if (m->answer == ELECT_ANSWER_YES)
			invited_heard(e);
		else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			invited_give_up(e, true);
	} else if (e->state == ELECT_NORMAL) {
		if (m->answer == ELECT_ANSWER_YES) {
			heard(e);
			doubt_answered(e, m->next_us);
		} else if (m->answer == ELECT_ANSWER_NOT_MY_GROUP)
			disowned(e, m);
		else if (m->answer == ELECT_ANSWER_NOT_IN_IT &&
			m->list_version >= own(e)->watch.admitted)
			invited_again(e, &own(e)->watch.beacon);
	}
}

/* ---- who knows more than silence ------------------------------------------------------------- */

/* The coordinator is gone: the first goes at once, the next a step each. */
void watch_gone(struct elect *e, enum elect_loss loss, enum elect_reason reason)
{
	if (own(e)->watch.gone)
		return;
	own(e)->watch.gone = true;
	own(e)->watch.gone_reason = reason;
	own(e)->watch.loss = loss;
	elect_because(e, reason, &e->group.coordinator);
	elect_timer_in(e, TIMER_WATCH, succession_wait_us(e));
}

/* What it said before it had my group does not mean that it has left it. */
static bool overtaken(const struct elect *e, const struct elect_msg *m)
{
	return !restarted(e, m) && m->counter < e->group.counter;
}

/* My coordinator says Hello: it is Down. */
void watch_on_hello(struct elect *e, const struct elect_msg *m)
{
	if (elect_id_equal(&m->sender, &e->group.coordinator) && !elect_coordinates(e) &&
		!overtaken(e, m))
		watch_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
}

/* The first two ask it whether it lives, so that N members do not; all once they doubt (M1). */
bool watch_asks(const struct elect *e)
{
	return succession_rank(e) < WATCH_PROBERS || watch_in_doubt(e);
}

void watch_on_challenge_answer(struct elect *e, const struct elect_msg *m)
{
	if (restarted(e, m))
		watch_gone(e, ELECT_LOSS_RESTART, ELECT_REASON_COORDINATOR_RESTARTED);
}

/*
 * Why my coordinator gave up: for a host of that priority, as preempt has it, or because it was
 * told to. Its own is the one on the list.
 */
enum elect_reason watch_resigned(const struct elect *e, uint8_t priority)
{
	int old = roster_find(&e->up, &e->group.coordinator);
	bool better = old >= 0 && priority > e->up.members[old].priority;

	return better && elect_preempt_agreed(e) ? ELECT_REASON_COORDINATOR_PREEMPTED
						 : ELECT_REASON_COORDINATOR_RESIGNED;
}

static uint8_t priority_of(const struct elect *e, const struct elect_id *id)
{
	int at = roster_find(&e->up, id);

	if (elect_is_self(e, id))
		return e->config.priority;
	return at >= 0 ? e->up.members[at].priority : 0;
}

/* Why it said Goodbye, as a succession says it. */
static enum elect_loss goodbye_loss(const struct elect_msg *m)
{
	return m->loss == ELECT_LOSS_CRASHING ? ELECT_LOSS_CRASH : m->loss;
}

static enum elect_reason goodbye_reason(const struct elect *e, const struct elect_msg *m)
{
	if (m->loss == ELECT_LOSS_RESIGN)
		return watch_resigned(e, priority_of(e, &m->other));
	return elect_loss_of_will(m->loss) ? ELECT_REASON_COORDINATOR_CRASHED
					   : ELECT_REASON_COORDINATOR_STOPPED;
}

void watch_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	if (e->state != ELECT_NORMAL || elect_coordinates(e) ||
		!elect_group_equal(&m->group, &e->group))
		return;
	if (!elect_id_equal(&m->sender, &e->group.coordinator)) {
		e->watch.left = m->sender; /* the next list is without it, and this is why */
		return;
	}
	own(e)->watch.successor = m->other;
	watch_gone(e, goodbye_loss(m), goodbye_reason(e, m));
}
