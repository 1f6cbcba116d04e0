/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: which procedure answers which message and timer, and in which states a timer may run.
 *
 *	State × message; "c" as coordinator, "m" as member, "i" as inviter, "w" as invited, waiting:
 *
 *			Down		Election	Reorganizing	Normal
 *	Hello		count, rank	–		–		c invite; m is it mine?
 *	AYCoord		await it	–		w late Accept	c answer, m heard
 *	AYCoord_answer	–		–		–		c merge or join
 *	AYThere		not mine	i Invitation	i Ready		c heard, yes, join; m heard?
 *	AYThere_answer	–		–		w alive?	m alive?, heard?; c alive?
 *	Invitation	accept		i better wins	w forwarded one	by its coordinator
 *	Accept		no		i count		i join later	c join
 *	Accept_answer	–		–		w no: give up	–
 *	Ready		–		–		w assemble	m assemble
 *	Ready_answer	–		–		i count		c count
 *	Decline		–		i judge		w refused	c join refused
 *	Goodbye		–		–		–		m succession; c drop
 *
 * A message that is not listed changes nothing.
 */
#include "invitation.h"
#include "core/frame/keys.h"

#define IN(state) (uint8_t)(1u << ELECT_##state)
#define ANY	  (IN(DOWN) | IN(ELECTION) | IN(REORGANIZING) | IN(NORMAL))

static void on_hello(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		start_on_hello(e, m);
	else if (group_at_work(e))
		join_on_hello(e, m);
	else if (e->state == ELECT_NORMAL)
		watch_on_hello(e, m);
}

static void on_aycoord(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		start_on_coordinator(e, m);
	else if (own(e)->watch.awaiting)
		invited_late(e, m);
	else if (e->state == ELECT_NORMAL && !group_coordinates(e) &&
		elect_id_equal(&m->sender, &e->group.coordinator))
		watch_on_beacon(e, m);
	else
		check_on_aycoord(e, m);
}

static void on_accept(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_ELECTION)
		merge_on_accept(e, m);
	else
		join_on_accept(e, m);
}

static void on_goodbye(struct elect *e, const struct elect_msg *m)
{
	check_forget(e, &m->sender);
	if (group_at_work(e))
		watched_on_goodbye(e, m);
	else
		watch_on_goodbye(e, m);
}

static void on_unproven_hello(struct elect *e, const struct elect_msg *m)
{
	if (e->state == ELECT_DOWN)
		start_on_hello(e, m);
}

static void on_recheck(struct elect *e)
{
	if (group_is_member(e))
		suspicion_again(e);
	if (e->state == ELECT_DOWN)
		start_listen(e);
	else if (e->state != ELECT_NORMAL && !own(e)->watch.awaiting)
		merge_again(e);
	else if (!group_at_work(e))
		watch_ask(e);
	else
		members_ask_all(e);
}

static void on_form_anew(struct elect *e)
{
	merge_own(e, 0);
}

static void on_later(struct elect *e, uint64_t late_us)
{
	if (timers_running(e, TIMER_WATCH))
		e->timers[TIMER_WATCH] += late_us;
	pace_longer(e, &own(e)->watch.await_until_us, late_us);
	pace_later(e, &own(e)->watch.heard_us, late_us);
	pace_later(e, &own(e)->down.best_us, late_us);
	pace_later(e, &own(e)->down.awaited_us, late_us);
	suspicion_later(e, late_us);
	check_later(e, late_us);
}

static bool leader_lost(const struct elect *e, const struct elect_rekeyed *r)
{
	const struct elect_inviter *i = &own(e)->watch.inviter;
	const struct elect_member *first = &e->up.members[0];

	if (own(e)->watch.awaiting)
		return keys_lost(r, &i->id, i->session);
	return e->state == ELECT_NORMAL && !group_coordinates(e) &&
		keys_lost(r, &first->id, first->session);
}

/* Forgets messages of lost sessions, and leaves a coordinator or an election with one. */
static void forget_lost(struct elect *e, const struct elect_rekeyed *r)
{
	for (unsigned i = 0; i < r->lost_count; i++)
		check_forget(e, &r->lost[i].id);
	if (leader_lost(e, r)) {
		because_set(e, ELECT_REASON_COORDINATOR_SILENT, &e->group.coordinator);
		start_listen(e);
	} else if (e->state == ELECT_DOWN) {
		start_listen(e);
	} else if (e->state != ELECT_NORMAL && !own(e)->watch.awaiting) {
		merge_again(e);
	}
}

static void on_tell(struct elect *e)
{
	if (group_at_work(e))
		check_beacon(e);
	else
		watch_tell(e);
}

static void on_rekeyed(struct elect *e, const struct elect_rekeyed *r)
{
	if (r->lost_count)
		forget_lost(e, r);
	on_tell(e);
}

const struct elect_algorithm invitation = {
	.name = "invitation",
	.number = 0,
	.watch = sizeof(struct invitation_watch),
	.begin = start_listen,
	.rival = check_rival,
	.announce = check_beacon,
	.form_anew = on_form_anew,
	.ask = check_ask,
	.recheck = on_recheck,
	.later = on_later,
	.carrier = start_on_carrier,
	.withdraw = start_listen,
	.yielded = invited_yielded,
	.echoed = suspicion_on_echo,
	.link_lives = suspicion_on_link_lives,
	.tell = on_tell,
	.rekeyed = on_rekeyed,
	.edit = join_forget,
	.list = ELECT_READY,
	.list_answer = ELECT_READY_ANSWER,
	.list_timer = TIMER_READY,
	.listed_timer = TIMER_LISTED,
	.watched_timer = TIMER_MEMBERS,
	.probe = ELECT_AYTHERE,
	.lost = members_lost,
	.following_timer = TIMER_WATCH,
	.turn_us = succession_wait_us,
	.compose = compose_message,
	.still_true = compose_still_true,
	.worth = worth_of,
	.unproven_hello = on_unproven_hello,
	.messages =
		{
			[ELECT_HELLO] = on_hello,
			[ELECT_AYCOORD] = on_aycoord,
			[ELECT_AYCOORD_ANSWER] = check_on_aycoord_answer,
			[ELECT_AYTHERE] = members_on_aythere,
			[ELECT_AYTHERE_ANSWER] = watch_on_aythere_answer,
			[ELECT_INVITATION] = invited_on_invitation,
			[ELECT_ACCEPT] = on_accept,
			[ELECT_ACCEPT_ANSWER] = invited_on_accept_answer,
			[ELECT_READY] = listed_on_ready,
			[ELECT_READY_ANSWER] = listed_on_ready_answer,
			[ELECT_DECLINE] = merge_on_decline,
			[ELECT_GOODBYE] = on_goodbye,
			[ELECT_CHALLENGE_ANSWER] = watch_on_challenge_answer,
		},
	.timers =
		{
			[TIMER_HELLO] = start_on_timer_hello,
			[TIMER_START] = start_on_timer_start,
			[TIMER_BEACON] = check_on_timer_beacon,
			[TIMER_RANK] = check_on_timer_rank,
			[TIMER_INVITE] = merge_on_timer_invite,
			[TIMER_WINDOW] = merge_on_timer_window,
			[TIMER_JOIN] = join_on_timer,
			[TIMER_READY] = lists_on_timer,
			[TIMER_MEMBERS] = watched_on_timer,
			[TIMER_ANSWER] = invited_on_timer_answer,
			[TIMER_AWAIT] = invited_on_timer_await,
			[TIMER_FORWARD] = invited_on_timer_forward,
			[TIMER_AYTHERE] = watch_on_timer_aythere,
			[TIMER_WATCH] = watch_on_timer_watch,
			[TIMER_YES] = watch_on_timer_yes,
			[TIMER_SUSPICION] = suspicion_on_timer,
			[TIMER_LISTED] = lists_on_timer_listed,
		},
	.timer_states =
		{
			[TIMER_HELLO] = IN(DOWN),
			[TIMER_START] = IN(DOWN),
			[TIMER_BEACON] = IN(NORMAL),
			[TIMER_RANK] = IN(NORMAL),
			[TIMER_INVITE] = IN(ELECTION),
			[TIMER_WINDOW] = IN(ELECTION) | IN(REORGANIZING),
			[TIMER_JOIN] = IN(NORMAL),
			[TIMER_READY] = IN(REORGANIZING) | IN(NORMAL),
			[TIMER_MEMBERS] = IN(NORMAL),
			[TIMER_ANSWER] = IN(REORGANIZING),
			[TIMER_AWAIT] = IN(REORGANIZING),
			[TIMER_FORWARD] = ANY,
			[TIMER_AYTHERE] = IN(NORMAL),
			[TIMER_WATCH] = IN(NORMAL),
			[TIMER_YES] = IN(NORMAL),
			[TIMER_SUSPICION] = IN(NORMAL),
			[TIMER_LISTED] = IN(NORMAL),
		},
	/* Slides 37–39: Normal is entered from Reorganizing only. */
	.enter_from =
		{
			[ELECT_DOWN] = ANY,
			[ELECT_ELECTION] = ANY,
			[ELECT_REORGANIZING] = ANY,
			[ELECT_NORMAL] = IN(REORGANIZING),
		},
};
