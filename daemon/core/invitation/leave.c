/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave: giving the role up, for good or for a while (algorithm.md 4.3 yield, 4.6).
 *
 * Demote before yield: whoever leads first has its demotion run (RELEASE, answered by RELEASED,
 * bounded by yield_timeout), and only then says Goodbye, or lets a better coordinator have it.
 * A host that was stalled stops leading before anything else and asks before it leads again.
 */
#include "invitation.h"

#include <assert.h>
#include <string.h>

/* ---- Goodbye
 * --------------------------------------------------------------------------------------------- */

static void say_goodbye(struct elect *e)
{
	struct elect_send *s = elect_send(e, ELECT_GOODBYE, NULL);

	s->group = e->goodbye_group;
	s->other = e->goodbye_successor;
	s->loss = e->leaving == ELECT_PURPOSE_STOP ? ELECT_LOSS_STOP : ELECT_LOSS_RESIGN;
	e->goodbyes++;
	elect_timer_in(
		e, TIMER_GOODBYE, e->goodbyes < GOODBYE_REPEATS ? REPEAT_US : GOODBYE_LINGER_US);
}

/* The first of the list that may lead, or else simply the first. */
static struct elect_id successor(const struct elect *e)
{
	struct elect_id none = { { 0 } };

	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].may_lead)
			return e->up.members[i].id;
	return e->up.count > 1 ? e->up.members[1].id : none;
}

static void leave(struct elect *e, enum elect_purpose why)
{
	e->leaving = why;
	e->goodbyes = 0;
	e->goodbye_group = e->group;
	memset(&e->goodbye_successor, 0, sizeof(e->goodbye_successor));
	if (elect_at_work(e))
		e->goodbye_successor = successor(e);
	if (why == ELECT_PURPOSE_STOP) {
		elect_because(e, ELECT_REASON_STOPPING, &e->config.id);
		elect_reserve_return(e);
	}
	if (e->state == ELECT_DOWN) {
		leave_on_timer_goodbye(e);
		return;
	}
	start_listen(e);
	say_goodbye(e);
}

void leave_on_timer_goodbye(struct elect *e)
{
	bool stop = e->leaving == ELECT_PURPOSE_STOP;

	if (e->leaving != ELECT_PURPOSE_NONE && e->goodbyes > 0 && e->goodbyes < GOODBYE_REPEATS) {
		say_goodbye(e);
		return;
	}
	if (stop) {
		for (unsigned t = 0; t < TIMERS; t++)
			elect_timer_off(e, t);
		e->exiting = true;
		return;
	}
	e->leaving = ELECT_PURPOSE_NONE;
	start_listen(e);
}

/* ---- the demotion
 * -------------------------------------------------------------------------------------- */

static void after_release(struct elect *e, enum elect_purpose purpose)
{
	switch (purpose) {
	case ELECT_PURPOSE_YIELD: {
		struct elect_send *s;

		if (!elect_at_work(e))
			break;
		s = elect_send(e, ELECT_AYCOORD_ANSWER, &e->yield_to.address);
		s->echo = e->yield_to.transaction;
		s->answer = ELECT_ANSWER_YES;
		s->other = e->config.id;
		e->lead_from_us = e->now_us + e->config.lone_hold_us;
		elect_timer(e, TIMER_LEAD, e->lead_from_us);
		break;
	}
	case ELECT_PURPOSE_RESIGN:
	case ELECT_PURPOSE_STOP:
		leave(e, purpose);
		break;
	case ELECT_PURPOSE_BAR:
		if (elect_at_work(e))
			check_beacon(e);
		lead_review(e); /* what barred it may be over by now */
		break;
	case ELECT_PURPOSE_NONE:
	case ELECT_PURPOSES:
		assert(false);
	}
}

/* Members may have come and gone since it was asked for. */
static void tell_released(struct elect *e, enum elect_purpose purpose)
{
	const struct elect_grounds why = e->release_why;
	bool stays = purpose == ELECT_PURPOSE_YIELD || purpose == ELECT_PURPOSE_BAR;

	if (!e->established && stays)
		return;
	if (purpose == ELECT_PURPOSE_YIELD)
		elect_pause_because(e, why.reason, &e->yield_to.id); /* the last that asked */
	else
		elect_because(e, why.reason, &why.cause);
}

static void end_release(struct elect *e)
{
	enum elect_purpose purpose = e->purpose;

	e->purpose = ELECT_PURPOSE_NONE;
	e->yielding = false;
	elect_timer_off(e, TIMER_YIELD);
	tell_released(e, purpose);
	if (e->established)
		elect_establish(e, false);
	after_release(e, purpose);
}

/* One that was not waited for any more may answer while the next one runs. */
void leave_on_released(struct elect *e, uint64_t number)
{
	if (e->yielding && number == e->release)
		end_release(e);
}

/* The shell took too long: what it runs is its own fault now, the LAN does not wait for ever. */
void leave_on_timer_yield(struct elect *e)
{
	end_release(e);
}

/* Who is to lead then: the one that asked, or the one that a Goodbye would name now. */
static struct elect_id yields_to(const struct elect *e)
{
	struct elect_id nobody = { { 0 } };

	if (e->purpose == ELECT_PURPOSE_YIELD)
		return e->yield_to.id;
	return e->purpose == ELECT_PURPOSE_BAR || !elect_at_work(e) ? nobody : successor(e);
}

static void ask_to_release(struct elect *e)
{
	struct elect_action *a;

	e->yields_to = yields_to(e);
	elect_publish(e);
	a = elect_push(e, ELECT_ACTION_RELEASE);
	a->release.number = e->release;
	a->release.purpose = e->purpose;
}

/* A stronger purpose (stop over resign over yield) replaces a weaker one under way. */
void leave_release(struct elect *e, enum elect_purpose purpose, enum elect_reason reason,
	const struct elect_id *cause)
{
	static const unsigned strength[ELECT_PURPOSES] = { [ELECT_PURPOSE_YIELD] = 1,
		[ELECT_PURPOSE_BAR] = 2,
		[ELECT_PURPOSE_RESIGN] = 3,
		[ELECT_PURPOSE_STOP] = 4 };

	if (e->leaving != ELECT_PURPOSE_NONE || strength[purpose] <= strength[e->purpose])
		return;
	e->purpose = purpose;
	elect_because(e, reason, cause);
	e->release_why = (struct elect_grounds){ .reason = reason, .cause = *cause };
	if (!e->established) {
		end_release(e);
		return;
	}
	if (e->yielding) {
		ask_to_release(e);
		return;
	}
	e->yielding = true;
	e->release++;
	ask_to_release(e);
	elect_timer_in(e, TIMER_YIELD, e->config.yield_timeout_us);
}

/* A better coordinator wants to merge, and tells me to have my demotion run first (M7). */
void leave_yield(struct elect *e, const struct elect_msg *m)
{
	e->yield_to = invited_by(m);
	e->yield_to.transaction = m->transaction;
	if (e->established)
		leave_release(e, ELECT_PURPOSE_YIELD, ELECT_REASON_YIELDED, &e->yield_to.id);
}

/* ---- commands
 * -----------------------------------------------------------------------------------------------
 */

/* Looks again when what bars this host from leading is over. */
void leave_barred(struct elect *e)
{
	const uint64_t ends[] = { e->barred_until_us, e->duplicate_until_us };

	elect_timer_off(e, TIMER_BARRED);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] > e->now_us)
			elect_timer_earlier(e, TIMER_BARRED, ends[i]);
	lead_review(e);
}

static void resign(struct elect *e, uint64_t for_us)
{
	e->barred_until_us = e->now_us + (for_us ? for_us : RESIGN_US);
	leave_barred(e);
}

static void define(struct elect *e, const struct elect_command *c)
{
	e->own_definition_size = c->definition_size;
	memcpy(e->own_definition, c->definition, c->definition_size);
	if (!elect_at_work(e))
		return;
	e->definition_size = c->definition_size;
	memcpy(e->definition, c->definition, c->definition_size);
	lists_edit(e);
	elect_because(e, ELECT_REASON_DEFINITION, &e->config.id);
	lists_change(e);
}

/* A demotion under way is one for the stop now, also where the role was lost meanwhile. */
static void stop(struct elect *e)
{
	if (e->established || e->yielding)
		leave_release(e, ELECT_PURPOSE_STOP, ELECT_REASON_STOPPING, &e->config.id);
	else if (e->leaving != ELECT_PURPOSE_STOP)
		leave(e, ELECT_PURPOSE_STOP);
}

void leave_on_command(struct elect *e, const struct elect_command *c)
{
	uint16_t quorum;

	switch (c->type) {
	case ELECT_COMMAND_STOP:
		stop(e);
		break;
	case ELECT_COMMAND_RESIGN:
		resign(e, c->for_us);
		break;
	case ELECT_COMMAND_HOLD:
		e->held = c->on;
		if (c->on)
			elect_because(e, ELECT_REASON_HELD, &e->config.id);
		elect_persist(e);
		lead_review(e);
		break;
	case ELECT_COMMAND_PRIORITY:
		e->config.priority = c->priority;
		lead_review(e);
		break;
	case ELECT_COMMAND_DEFINE:
		define(e, c);
		break;
	case ELECT_COMMAND_CONFIGURE:
		assert(elect_id_equal(&c->config.id, &e->config.id));
		assert(c->config.algorithm == e->config.algorithm);
		quorum = e->config.quorum;
		e->config = c->config;
		lead_quorum_set(e, quorum);
		lead_review(e);
		break;
	case ELECT_COMMANDS:
		assert(false);
	}
}

/* ---- stalls
 * ------------------------------------------------------------------------------------------------
 */

/*
 * Leads again when more than half of the group answers, or as a group of one would; who had not
 * led yet gains nothing by its stall.
 */
static void ask_my_group(struct elect *e, uint64_t lead_from_us)
{
	e->watch.lead_from_us = lead_from_us;
	members_ask_all(e);
	check_beacon(e);
}

/*
 * More than dead_after has passed since the loop should have run: the LAN may have gone on
 * without me. Not leader before anything else; what waits in the sockets is from before; ask.
 */
void leave_on_stalled(struct elect *e, uint64_t late_us)
{
	bool knew = !elect_group_is_zero(&e->leader_group);
	uint64_t lead_from_us = e->established ? e->now_us
		: e->watch.asking	       ? e->watch.lead_from_us
					       : e->lead_from_us;

	elect_follow(e, false);
	e->lead_from_us = e->now_us + e->config.lone_hold_us;
	if (knew)
		elect_pause_because(e, ELECT_REASON_STALLED, &e->config.id);
	elect_publish(e);
	elect_push(e, ELECT_ACTION_DISCARD);
	leave_on_late(e, late_us);
	if (e->purpose != ELECT_PURPOSE_NONE)
		end_release(e);
	if (e->leaving != ELECT_PURPOSE_NONE)
		return;
	if (e->state == ELECT_DOWN)
		start_listen(e);
	else if (e->state != ELECT_NORMAL && !e->watch.awaiting)
		merge_again(e);
	else if (!elect_at_work(e))
		watch_ask(e);
	else
		ask_my_group(e, lead_from_us);
}

/* Never past now. */
static void later(const struct elect *e, uint64_t *heard_us, uint64_t late_us)
{
	*heard_us = e->now_us - *heard_us > late_us ? *heard_us + late_us : e->now_us;
}

/*
 * Own lateness is nobody's fault: it is added to what others are given (4.4). Not to what counts
 * for the quorum (6); but the answers that wait in the sockets are read first.
 */
void leave_on_late(struct elect *e, uint64_t late_us)
{
	uint64_t soon = e->now_us + LATE_US;

	later(e, &e->watch.heard_us, late_us);
	for (unsigned i = 0; i < e->up.count; i++)
		later(e, &e->watch.members[i].heard_us, late_us);
	if (elect_timer_on(e, TIMER_WATCH))
		e->timers[TIMER_WATCH] += late_us;
	if (e->timers[TIMER_QUORUM] < soon)
		e->timers[TIMER_QUORUM] = soon;
}
