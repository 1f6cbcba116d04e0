/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: which procedure handles which message and timer, and in which states a timer may run.
 *
 * State × message; "c" as coordinator, "m" as member, "k" as candidate, "h" as halted:
 *
 *				Down		Election	Reorganizing	Normal
 *	AYUp			rank		answer		answer		answer; m act, too
 *	AYUp_answer		wait		k wait		k wait		wait; m alive?
 *	AYNormal		answer, bully	foreign		foreign		m heard; foreign
 *	AYNormal_answer		–		–		–		c member, foreign
 *	EnterElection		halt		h higher wins	h higher wins	halt, yield, answer
 *	EnterElection_answer	–		k count		–		–
 *	SetCoord		no		h adopt		h again		no
 *	SetCoord_answer		–		–		k count		–
 *	NewState		–		–		h assemble	m assemble
 *	NewState_answer		–		–		k count		c count
 *	Goodbye			–		–		–		m election; c drop
 *
 * All other messages change nothing.
 */
#include "bully.h"
#include "core/frame/keys.h"

#define IN(state) (uint8_t)(1u << ELECT_##state)
#define ANY	  (IN(DOWN) | IN(ELECTION) | IN(REORGANIZING) | IN(NORMAL))

static void on_aynormal(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		down_on_beacon(e, m);
	else if (group_is_member(e) && elect_group_equal(&m->group, &e->group))
		member_on_beacon(e, m);
	else
		coordinator_on_foreign_beacon(e, m);
}

static void on_goodbye(struct elect *e, const struct elect_msg *m)
{
	order_forget(e, &m->sender);
	if (group_at_work(e))
		watched_on_goodbye(e, m);
	else
		member_on_goodbye(e, m);
}

/* An unverified greeting delays a Down host once, by a step. */
static void on_greeting(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		down_heard(e, &m->standing);
}

/* After a stall: is this still the host's group? A phase begun before is dropped. */
static void on_recheck(struct elect *e)
{
	if (e->state == ELECT_DOWN) {
		down_listen(e);
	} else if (group_at_work(e)) {
		bully_phase(e, PHASE_NONE, 0);
		coordinator_ask_all(e);
	} else if (e->state == ELECT_NORMAL) {
		member_probe(e);
	} else {
		candidate_again(e);
	}
}

static void on_later(struct elect *e, uint64_t late_us)
{
	static const unsigned others_keep[] = { TIMER_WATCH, TIMER_STUCK, TIMER_WINDOW };

	for (unsigned i = 0; i < sizeof(others_keep) / sizeof(others_keep[0]); i++)
		if (timers_running(e, others_keep[i]))
			e->timers[others_keep[i]] += late_us;
	order_later(e, late_us);
}

static void on_tell(struct elect *e)
{
	if (group_at_work(e))
		coordinator_beacon(e);
	else
		member_tell(e);
}

/* The coordinator, or the candidate that the host waits for, has lost its session. */
static bool above_lost(const struct elect *e, const struct elect_rekeyed *r)
{
	const struct elect_member *first = &e->up.members[0];

	return group_is_member(e) && keys_lost(r, &first->id, first->session);
}

/*
 * Forgets what lost sessions sent. A member whose coordinator's session is lost leaves, and an
 * election for which such hosts may have halted begins anew.
 */
static void on_rekeyed(struct elect *e, const struct elect_rekeyed *r)
{
	for (unsigned i = 0; i < r->lost_count; i++)
		order_forget(e, &r->lost[i].id);
	if (r->lost_count && above_lost(e, r)) {
		because_set(e, ELECT_REASON_COORDINATOR_SILENT, &e->group.coordinator);
		down_listen(e);
	} else if (r->lost_count && e->state == ELECT_DOWN) {
		down_listen(e);
	} else if (r->lost_count && e->state != ELECT_NORMAL) {
		candidate_again(e);
	}
	on_tell(e);
}

static void on_echoed(struct elect *e, const struct elect_id *id)
{
	(void)e;
	(void)id; /* bully sends no kernel probes */
}

static void on_link_lives(struct elect *e, const struct elect_link_sign *sign)
{
	(void)e;
	(void)sign; /* ... and tries no links */
}

/* A host that forms `next` is not Normal. */
static void on_edit(struct elect *e)
{
	(void)e;
}

const struct elect_algorithm bully = {
	.name = "bully",
	.number = 1,
	.watch = sizeof(struct bully_watch),
	.begin = down_listen,
	.rival = order_rival,
	.announce = coordinator_beacon,
	.form_anew = coordinator_form_anew,
	.ask = coordinator_ask,
	.recheck = on_recheck,
	.later = on_later,
	.carrier = down_on_carrier,
	.withdraw = down_listen,
	.yielded = coordinator_yielded,
	.echoed = on_echoed,
	.link_lives = on_link_lives,
	.tell = on_tell,
	.rekeyed = on_rekeyed,
	.edit = on_edit,
	.list = ELECT_NEWSTATE,
	.list_answer = ELECT_NEWSTATE_ANSWER,
	.list_timer = TIMER_LIST,
	.listed_timer = TIMER_LISTED,
	.watched_timer = TIMER_MEMBERS,
	.probe = ELECT_AYNORMAL,
	.lost = coordinator_lost,
	.following_timer = TIMER_WATCH,
	.turn_us = member_turn_us,
	.compose = says_message,
	.still_true = says_still_true,
	.worth = proof_worth,
	.unproven_hello = on_greeting,
	.messages =
		{
			[ELECT_AYUP] = bully_ask_on_ayup,
			[ELECT_AYUP_ANSWER] = bully_ask_on_answer,
			[ELECT_AYNORMAL] = on_aynormal,
			[ELECT_AYNORMAL_ANSWER] = coordinator_on_answer,
			[ELECT_ENTERELECTION] = halted_on_call,
			[ELECT_ENTERELECTION_ANSWER] = candidate_on_halted,
			[ELECT_SETCOORD] = halted_on_set,
			[ELECT_SETCOORD_ANSWER] = candidate_on_adopted,
			[ELECT_NEWSTATE] = halted_on_list,
			[ELECT_NEWSTATE_ANSWER] = coordinator_on_list_answer,
			[ELECT_GOODBYE] = on_goodbye,
		},
	.timers =
		{
			[TIMER_GREET] = down_on_timer_greet,
			[TIMER_START] = down_on_timer_start,
			[TIMER_BEACON] = coordinator_on_timer_beacon,
			[TIMER_REPEAT] = phase_on_timer_repeat,
			[TIMER_WINDOW] = phase_on_timer_window,
			[TIMER_GATHER] = coordinator_on_timer_gather,
			[TIMER_STUCK] = halted_on_timer_stuck,
			[TIMER_ASKERS] = bully_ask_on_timer_askers,
			[TIMER_HALTED] = halted_on_timer_halted,
			[TIMER_ADOPTED] = halted_on_timer_adopted,
			[TIMER_YES] = member_on_timer_yes,
			[TIMER_ROUTINE] = member_on_timer_routine,
			[TIMER_WATCH] = member_on_timer_watch,
			[TIMER_MEMBERS] = watched_on_timer,
			[TIMER_LIST] = lists_on_timer,
			[TIMER_LISTED] = lists_on_timer_listed,
		},
	.timer_states =
		{
			[TIMER_GREET] = IN(DOWN),
			[TIMER_START] = IN(DOWN),
			[TIMER_BEACON] = IN(NORMAL),
			[TIMER_REPEAT] = ANY,
			[TIMER_WINDOW] = ANY,
			[TIMER_GATHER] = IN(NORMAL),
			[TIMER_STUCK] = IN(ELECTION) | IN(REORGANIZING),
			[TIMER_ASKERS] = ANY,
			[TIMER_HALTED] = IN(ELECTION),
			[TIMER_ADOPTED] = IN(REORGANIZING),
			[TIMER_YES] = IN(NORMAL),
			[TIMER_ROUTINE] = IN(NORMAL),
			[TIMER_WATCH] = IN(NORMAL),
			[TIMER_MEMBERS] = IN(NORMAL),
			[TIMER_LIST] = IN(REORGANIZING) | IN(NORMAL),
			[TIMER_LISTED] = IN(NORMAL),
		},
	/* Slides 17 and 22; Down is left and reached from all. */
	.enter_from =
		{
			[ELECT_DOWN] = ANY,
			[ELECT_ELECTION] = ANY,
			[ELECT_REORGANIZING] = IN(ELECTION),
			[ELECT_NORMAL] = IN(REORGANIZING),
		},
};
