/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect: the frame around an algorithm: every step is entered, checked, mended and left here. The
 * table of the algorithm decides what each message asks for.
 */
#include "algorithm.h"
#include "command.h"
#include "following.h"
#include "leave.h"
#include "lists.h"
#include "adaptive.h"
#include "role.h"
#include "sick.h"
#include "stall.h"
#include "until.h"
#include "will.h"
#include "core/messages.h"

#include <assert.h>
#include <string.h>

static bool does(const struct elect_msg *m, enum elect_message_trait trait)
{
	return elect_message_row(m->type)->traits & trait;
}

/* The standing in an Invitation is that of the inviter, which another host may have forwarded. */
static bool has_own_standing(const struct elect_msg *m)
{
	return elect_message_may_say(m, FIELD_STANDING) &&
		!elect_message_carries(m->type, FIELD_INVITER);
}

/*
 * A difference is forgotten when no message has shown it for DIFFERENCE_FORGET, so each kind of
 * message counts: a member may answer probes for long and send nothing else.
 */
static void note_differences(struct elect *e, const struct elect_msg *m)
{
	if (does(m, MESSAGE_TELLS_TIMINGS) && elect_message_may_say(m, FIELD_TIMINGS) &&
		(m->timings.beacon_us != e->config.timings.beacon_us ||
			m->timings.dead_after_us != e->config.timings.dead_after_us))
		e->timings_differ_us = e->now_us;
	if (has_own_standing(m) && m->standing.preempt != e->config.preempt)
		e->preempt_differs_us = e->now_us;
	if (m->quorum_said && m->proven && m->quorum != e->config.quorum)
		e->quorum_differs_us = e->now_us;
}

/* The last report of a later start counts, whatever was reported before. */
static void note_known(struct elect *e, const struct elect_msg *m)
{
	if (m->known > e->incarnation && m->known - e->incarnation < ELECT_STARTS_MAX)
		e->known = (struct elect_known){ m->known, e->now_us, m->sender };
}

static void note_name(struct elect *e, const struct elect_msg *m)
{
	const char *known = elect_name(e, &m->sender);

	if (!m->name[0] || (known && strcmp(known, m->name) == 0))
		return;
	e->names[e->names_next].id = m->sender;
	memcpy(e->names[e->names_next].name, m->name, sizeof(m->name));
	e->names_next = (e->names_next + 1) % ELECT_NAMES_MAX;
}

/* A group is formed, kept and reported by its own coordinator, and by no other host. */
static bool consistent(const struct elect_msg *m)
{
	if (does(m, MESSAGE_NAMES_ITSELF) && m->answer == ELECT_ANSWER_YES)
		return elect_id_equal(&m->group.coordinator, &m->sender);
	if (elect_message_carries(m->type, FIELD_INVITER) && m->invite != ELECT_INVITE_YIELD)
		return elect_id_equal(&m->group.coordinator, &m->inviter.id);
	return true;
}

static void on_message(struct elect *e, const struct elect_msg *m)
{
	elect_message_fn *handler;

	assert(elect_msg_type_known(m->type));
	handler = e->algorithm->messages[m->type];
	if (self_is(e, &m->sender) || !consistent(m))
		return;
	if (will_heard(e, m)) {
		following_withdrawn(e, m);
		role_review(e);
	}
	if (!m->proven)
		return;
	counter_heard(e, m);
	note_differences(e, m);
	note_known(e, m);
	note_name(e, m);
	leave_heard(e, m);
	adaptive_heard(e, m);
	if (handler)
		handler(e, m);
	if (m->proven)
		role_heard(e);
}

bool elect_speaks(const struct elect *e, enum elect_msg_type type)
{
	return elect_msg_of_all(type) || elect_msg_algorithm(type) == e->algorithm->number;
}

uint64_t elect_late(const struct elect *e)
{
	return e->late_us;
}

enum elect_worth elect_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	*ret_within_us = 0;
	if (self_is(e, &m->sender) || !consistent(m))
		return ELECT_WORTH_NOTHING;
	return e->algorithm->worth(e, m, ret_within_us);
}

void elect_hear_hello(struct elect *e, const struct elect_msg *m)
{
	if (!self_is(e, &m->sender))
		e->algorithm->unproven_hello(e, m);
}

static elect_timer_fn *const frame_timers[TIMERS] = {
	[TIMER_LEAD] = stall_on_timer_lead,
	[TIMER_QUORUM] = role_on_timer_quorum,
	[TIMER_YIELD] = role_on_timer_yield,
	[TIMER_GOODBYE] = leave_on_timer_goodbye,
	[TIMER_BARRED] = role_on_timer_barred,
	[TIMER_PERSIST] = counter_persist,
};

static void on_tick(struct elect *e)
{
	/* Each timer is off before its handler runs. A handler that keeps it due is a bug. */
	for (unsigned rounds = 0;; rounds++) {
		unsigned t = timers_next(e);

		if (e->timers[t] > e->now_us)
			return;
		assert(rounds < 4 * TIMERS);
		timers_stop(e, t);
		if (t < TIMERS_OWN)
			e->algorithm->timers[t](e);
		else
			frame_timers[t](e);
	}
}

static void begin(struct elect *e, const struct elect_start *start)
{
	e->config = start->config;
	e->rng.state = start->seed;
	e->session = start->session;
	e->since_us = e->now_us;
	e->incarnation = start->incarnation;
	e->held = start->held;
	e->keys = start->keys;
	counter_begin(e, start);
	sick_configured(e);
	because_group(e, ELECT_REASON_START, &e->config.id);
	e->algorithm->begin(e);
	role_bind(e, e->now_us); /* earlier answers of this host are unknown */
	counter_persist(e);
}

/*
 * Other hosts have gone on since that state, and may have another leader: the role ends at once, as
 * after a stall, and this host listens as after a start. Orders of operators, and reports, stay.
 */
static void put_back(struct elect *e, const struct elect_put_back *p)
{
	e->session = p->session;
	e->rng.state ^= p->seed;
	counter_put_back(e);
	e->algorithm->begin(e);
	if (role_demotes(e))
		role_demoted(e);
	role_bind(e, e->now_us); /* answers of this host since that state are unknown */
	because_group(e, ELECT_REASON_PUT_BACK, &e->config.id);
}

static void dispatch(struct elect *e, const struct elect_event *ev)
{
	switch (ev->type) {
	case ELECT_EVENT_START:
		begin(e, &ev->start);
		break;
	case ELECT_EVENT_MESSAGE:
		on_message(e, ev->message);
		break;
	case ELECT_EVENT_TICK:
		on_tick(e);
		break;
	case ELECT_EVENT_LINK:
		role_on_link(e, ev->link_up);
		break;
	case ELECT_EVENT_RELEASED:
		role_on_released(e, ev->released);
		break;
	case ELECT_EVENT_PERSISTED:
		counter_persisted(e, &ev->persisted);
		role_review(e);
		break;
	case ELECT_EVENT_COMMAND:
		command_on(e, &ev->command);
		break;
	case ELECT_EVENT_DUPLICATE:
	case ELECT_EVENT_DUPLICATE_HERE:
		role_duplicate(e, ev->type == ELECT_EVENT_DUPLICATE_HERE);
		break;
	case ELECT_EVENT_ECHOED:
		e->algorithm->echoed(e, &ev->echoed);
		break;
	case ELECT_EVENT_LINK_LIVES:
		e->algorithm->link_lives(e, &ev->link_sign);
		break;
	case ELECT_EVENT_REKEYED:
		command_rekey(e, &ev->rekeyed);
		break;
	case ELECT_EVENT_REPORT:
		sick_report(e, &ev->report);
		role_review(e);
		break;
	case ELECT_EVENT_PROMOTED:
		sick_promoted(e, ev->promoted);
		break;
	case ELECT_EVENT_PUT_BACK:
		put_back(e, &ev->put_back);
		break;
	case ELECT_EVENT_TYPES:
		assert(false);
	}
}

/* A later part of the same step has overtaken it, or this host is silent after a defect. */
static bool is_void(const struct elect *e, const struct elect_action *a)
{
	if (a->type == ELECT_ACTION_RELEASE)
		return !role_demotes(e);
	return a->type == ELECT_ACTION_SEND &&
		(e->now_us < e->mute_until_us || !out_still_true(e, &a->send));
}

/* A message is written when the step is over. A list has the parts that it has by then. */
static void settle_sends(const struct elect *e, struct elect_actions *actions)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < actions->count; i++) {
		struct elect_action *a = &actions->items[i];

		if (is_void(e, a))
			continue;
		if (a->type == ELECT_ACTION_SEND && elect_message_carries(a->send.type, FIELD_PART))
			a->send.part_count = (uint16_t)roster_parts(&e->up, e->definition_size);
		if (kept != i)
			actions->items[kept] = *a;
		kept++;
	}
	actions->count = kept;
}

static void check(const struct elect *e)
{
	bool coordinator_listed = e->state != ELECT_NORMAL || e->up.count > 0;

	assert(coordinator_listed);
	assert(!role_broken(e));
	assert(e->counter < ELECT_COUNTER_LIMIT);
	if (e->state == ELECT_NORMAL)
		assert(elect_group_equal(&e->group, &e->list_group));
}

/*
 * A defect of electd must leave neither two leaders nor one that nobody can demote: the role ends
 * in this step, and this host listens as after a start. Its work was not demoted, so its members
 * must not hear that it is in Down: they wait as for a leader that falls silent (until.md). Only
 * the first defect is reported, because it may come back with each beacon.
 */
static void mend_role(struct elect *e)
{
	const char *broken = role_broken(e);
	bool stops = e->purpose == ELECT_PURPOSE_STOP;

	if (broken)
		role_defect(e, broken, e->phase);
	if (!e->defect.words)
		return;
	if (!e->defective)
		out_action(e, ELECT_ACTION_DEFECT)->defect = e->defect;
	e->defective = true;
	e->mute_until_us = pace_silence_until(e, e->now_us);
	role_reset(e);
	e->algorithm->begin(e);
	because_group(e, ELECT_REASON_OWN_DEFECT, &e->config.id);
	if (stops)
		leave_stop(e);
	e->defect.words = NULL;
}

static void first(struct elect *e, const struct elect_config *config)
{
	memset(e, 0, offsetof(struct elect, up));
	list_clear(e);
	e->algorithm = config->algorithm ? config->algorithm : &invitation;
	for (unsigned t = 0; t < TIMERS; t++)
		timers_stop(e, t);
}

/*
 * Judges the loop's own lateness in this step; returns true after a stall. Each stretch of lateness
 * counts once. After a stall, an event that is a message is older than the stall, and is not
 * handled.
 */
static bool stall_or_late(struct elect *e, uint64_t before_us)
{
	uint64_t due = e->wake_us > e->late_until_us ? e->wake_us : e->late_until_us;
	uint64_t late = e->wake_us && e->now_us > due ? e->now_us - due : 0;

	e->late_us = late > pace_late_us(e) ? late : 0;
	if (!e->late_us)
		return false;
	e->late_until_us = e->now_us;
	adaptive_late(e, late);
	/*
	 * No host sleeps longer than 1.5 beacons, so a gap longer than dead_after is a stall.
	 * Members count from the last beacon of a coordinator, so the coordinator does, too.
	 */
	if (group_at_work(e) && e->beacon_us < before_us)
		before_us = e->beacon_us;
	if (e->now_us - before_us > e->config.timings.dead_after_us) {
		stall_over(e, late);
		return true;
	}
	stall_late(e, late);
	stall_short(e);
	return false;
}

/* The next moment at which there is something to do, or a wait ends that the view shows. */
static uint64_t next_wake(const struct elect *e)
{
	uint64_t wake_us = e->timers[timers_next(e)], waits_us = will_waits_until(e);

	if (wake_us == ELECT_NEVER)
		wake_us = e->now_us + SECOND_US;
	wake_us = moment_at_most(sick_due_us(e), wake_us);
	return waits_us ? moment_at_most(waits_us, wake_us) : wake_us;
}

void elect_step(struct elect *e, const struct elect_event *event, struct elect_actions *ret_actions)
{
	uint64_t before_us;
	bool stalled;

	if (event->type == ELECT_EVENT_START)
		first(e, &event->start.config);
	assert(event->now_us >= e->now_us);
	before_us = e->now_us;
	e->now_us = event->now_us;
	e->out = ret_actions;
	ret_actions->count = 0;
	ret_actions->reason = ELECT_REASON_NONE;
	stalled = stall_or_late(e, before_us);
	adaptive_pass(e);
	if (sick_pass(e))
		role_review(e);
	if (!stalled || event->type != ELECT_EVENT_MESSAGE)
		dispatch(e, event);
	lists_review_own(e);
	mend_role(e);
	check(e);
	counter_review(e);
	sick_tell(e);
	until_review(e);
	view_publish(e);
	e->moved = false;
	settle_sends(e, ret_actions);
	view_after_sends(ret_actions);
	if (e->phase == ELECT_PHASE_GONE)
		out_action(e, ELECT_ACTION_EXIT);
	e->wake_us = next_wake(e);
	ret_actions->wake_us = e->wake_us;
	e->out = NULL;
}
