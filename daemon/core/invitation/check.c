/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: which other coordinators exist, and whose turn it is to merge (merge.md; slide 35,
 * Check_members).
 *
 * AYCoord asks. Only a coordinator that answered is merged with, so a one-way link causes nothing
 * (M5). The best standing acts; a worse one never invites a better one (M6).
 */
#include "invitation.h"

#include <stdio.h>
#include <string.h>

static struct invitation_other *other_find(struct elect *e, const struct elect_id *id)
{
	for (unsigned i = 0; i < own(e)->others_count; i++)
		if (elect_id_equal(&own(e)->others[i].standing.id, id))
			return &own(e)->others[i];
	return NULL;
}

static bool heard_lately(const struct elect *e, const struct invitation_other *o)
{
	return o->heard_us + pace_beacons(e, OTHERS_FRESH_BEACONS) > e->now_us;
}

/* This coordinator reports that it leads, and was heard lately. */
static bool leads(const struct elect *e, const struct invitation_other *o)
{
	return o->standing.established && heard_lately(e, o);
}

/*
 * A place for a coordinator. In a full table the one that does not lead goes before one that does,
 * because no host may begin to lead next to a leader; then the one that is silent for longest goes.
 */
static struct invitation_other *other_place(struct elect *e)
{
	struct invitation_other *all = own(e)->others, *worst = &all[0];

	if (own(e)->others_count < ELECT_OTHERS_MAX)
		return &all[own(e)->others_count++];
	for (unsigned i = 1; i < own(e)->others_count; i++)
		if (leads(e, &all[i]) != leads(e, worst) ? leads(e, worst)
							 : all[i].heard_us < worst->heard_us)
			worst = &all[i];
	return worst;
}

static struct invitation_other *other_heard(struct elect *e, const struct elect_msg *m)
{
	struct invitation_other *o = other_find(e, &m->sender);
	/* one that is heard only by the family that it spares is heard once in SPARE_BEACONS */
	uint64_t fresh = pace_beacons(e, m->family ? 2 * SPARE_BEACONS : OTHERS_FRESH_BEACONS);

	if (!o) {
		o = other_place(e);
		memset(o, 0, sizeof(*o));
		o->standing.id = m->sender;
	}
	if (o->heard_us + fresh < e->now_us)
		o->since_us = e->now_us;
	o->heard_us = e->now_us;
	o->led = m->standing.established || (o->led && elect_group_equal(&o->group, &m->group));
	o->standing = m->standing;
	o->group = m->group;
	o->floor = m->floor;
	return o;
}

/* `answered_us` does not move, because an old answer proves nothing. */
void check_later(struct elect *e, uint64_t late_us)
{
	for (unsigned i = 0; i < own(e)->others_count; i++) {
		pace_later(e, &own(e)->others[i].since_us, late_us);
		pace_later(e, &own(e)->others[i].heard_us, late_us);
	}
	for (unsigned i = 0; i < e->foreign_count; i++)
		pace_later(e, &e->foreign_us[i], late_us);
	pace_longer(e, &own(e)->missed_until_us, late_us);
}

void check_forget(struct elect *e, const struct elect_id *id)
{
	struct invitation_other *o = other_find(e, id);

	if (o)
		*o = own(e)->others[--own(e)->others_count];
}

/* ---- broken links (F1) ----------------------------------------------------------------------- */

void check_foreign(struct elect *e, const struct elect_id *id, const char *name,
	const struct elect_id *heard_by)
{
	unsigned at = 0;

	while (at < e->foreign_count && !elect_id_equal(&e->foreign[at].id, id))
		at++;
	if (at == ELECT_FOREIGN_MAX)
		return;
	if (at == e->foreign_count)
		e->foreign[e->foreign_count++].name[0] = '\0';
	e->foreign[at].id = *id;
	e->foreign[at].heard_by = *heard_by;
	if (name[0]) /* a brief beacon has none */
		snprintf(e->foreign[at].name, sizeof(e->foreign[at].name), "%s", name);
	e->foreign_us[at] = e->now_us;
}

void check_expire(struct elect *e)
{
	uint64_t fresh = pace_beacons(e, OTHERS_FRESH_BEACONS);

	/* the coordinator that was asked to yield is gone */
	if (own(e)->yield_until_us && e->now_us > own(e)->yield_until_us + fresh)
		own(e)->yield_until_us = 0;
	for (unsigned i = 0; i < e->foreign_count;) {
		if (e->foreign_us[i] + pace_beacons(e, FOREIGN_BEACONS) > e->now_us) {
			i++;
			continue;
		}
		e->foreign_count--;
		e->foreign[i] = e->foreign[e->foreign_count];
		e->foreign_us[i] = e->foreign_us[e->foreign_count];
	}
}

static bool answered_lately(const struct elect *e, const struct invitation_other *o)
{
	return o->answered_us && o->answered_us + pace_beacons(e, OTHERS_FRESH_BEACONS) > e->now_us;
}

static bool long_heard(const struct elect *e, const struct invitation_other *o)
{
	return e->now_us - o->since_us > pace_beacons(e, FOREIGN_BEACONS) &&
		backoff_until(e, &o->standing.id) <= e->now_us && !own(e)->yield_until_us;
}

/*
 * The beacons show that their sender hears `id`, and not by a report of this host; or have no free
 * place. A report by this host must be repeated, because no other host keeps it there.
 */
static bool shows(const struct elect *e, const struct elect_foreign *shown, unsigned count,
	const struct elect_id *id)
{
	for (unsigned i = 0; i < count; i++)
		if (elect_id_equal(&shown[i].id, id))
			return !self_is(e, &shown[i].heard_by);
	return count == ELECT_FOREIGN_MAX;
}

static bool tell_theirs(struct elect *e, const struct elect_msg *m)
{
	struct elect_send *s;

	if (shows(e, m->foreign, m->foreign_count, &e->group.coordinator))
		return false;
	s = out_reply(e, ELECT_AYCOORD_ANSWER, m);
	s->answer = ELECT_ANSWER_NO;
	s->other = e->group.coordinator;
	return true;
}

static bool tell_mine(struct elect *e, const struct elect_id *other)
{
	int mine = roster_find(&e->up, &e->group.coordinator);
	struct elect_send *s;

	if (mine < 0 || shows(e, own(e)->watch.shown, own(e)->watch.shown_count, other))
		return false;
	s = out_send(e, ELECT_AYCOORD_ANSWER, &e->group.coordinator);
	s->echo = e->watch.beacon;
	s->answer = ELECT_ANSWER_NO;
	s->other = *other;
	return true;
}

/* By that time coordinators that hear each other know it. Members report one after the other. */
static bool turn_to_tell(const struct elect *e, const struct invitation_other *o)
{
	unsigned rank = succession_rank(e);
	unsigned wait_us = TELL_BEACONS + (rank < STEPS_MAX ? rank : STEPS_MAX);

	return e->now_us - o->since_us > pace_beacons(e, FOREIGN_BEACONS + wait_us) &&
		(!o->told_us || o->told_us + pace_beacons(e, FOREIGN_BEACONS) / 3 <= e->now_us);
}

/*
 * A member hears two coordinators that do not merge. It reports each to the other, rarely, unless
 * that one knows. So few members report, however many hear both.
 */
static void member_tells(struct elect *e, const struct elect_msg *m, struct invitation_other *o)
{
	bool theirs, mine;

	if (!long_heard(e, o))
		return;
	check_foreign(e, &m->sender, m->name, &e->config.id);
	if (!turn_to_tell(e, o))
		return;
	theirs = tell_theirs(e, m);
	mine = tell_mine(e, &m->sender);
	if (theirs || mine)
		o->told_us = e->now_us;
}

/* ---- AYCoord and its answer ------------------------------------------------------------------ */

/* Hosts fell silent, and may come back: the LAN is split, or they restart. */
void check_miss(struct elect *e, unsigned count)
{
	if (own(e)->missed_until_us <= e->now_us || own(e)->missed_of < count)
		own(e)->missed_of = count;
	own(e)->missed_until_us = e->now_us + MISSED_US;
}

static bool hears_others(const struct elect *e)
{
	for (unsigned i = 0; i < own(e)->others_count; i++)
		if (heard_lately(e, &own(e)->others[i]))
			return true;
	return false;
}

static bool misses(const struct elect *e)
{
	return !hears_others(e) && e->up.count < own(e)->missed_of &&
		e->now_us < own(e)->missed_until_us;
}

/*
 * Whether the announced beacon is still to come, at least that much later. After a reload of a
 * shorter interval it is further away than members of the new interval wait.
 */
static bool is_announced(const struct elect *e, uint64_t least_us)
{
	uint64_t most_us = elect_next_most_us(e->config.timings.beacon_us);

	return e->due_us > e->now_us + least_us && e->due_us <= e->now_us + most_us;
}

/*
 * While hosts are missing and no other coordinator is heard, a beacon comes in the middle between
 * any two, because a split LAN heals no sooner than a beacon is heard. A beacon that comes before
 * its time leaves the announced moment as it is: a member that misses it suspects nothing, and one
 * that hears it suspects no later than without it.
 */
void check_beacon(struct elect *e)
{
	/* with a quorum the members answer first, and then those that did not are asked alone */
	uint64_t least_us = e->config.quorum > 1 ? pace_probe_us(e) + ACCEPT_SPREAD_MAX_US : 0;
	uint64_t in_us = rng_jitter(&e->rng, pace_beacons(e, 1)), at_us;

	spare_beacon(e, out_send(e, ELECT_AYCOORD, NULL), !misses(e) && !hears_others(e));
	if (is_announced(e, least_us)) {
		at_us = e->due_us;
	} else {
		e->due_us = e->now_us + in_us;
		at_us = misses(e) && in_us / 2 > least_us ? e->now_us + in_us / 2 : e->due_us;
	}
	timers_set(e, TIMER_BEACON, at_us);
	watched_put_off(e);
	role_asked(e);
}

static void beacon_soon(struct elect *e)
{
	uint64_t at_us = e->beacon_us + pace_repeat_us(e);

	timers_set_earlier(e, TIMER_BEACON, at_us > e->now_us ? at_us : e->now_us);
}

void check_asked(struct elect *e)
{
	if (spare_asked(e))
		beacon_soon(e);
}

void check_ask(struct elect *e, unsigned member)
{
	out_send(e, ELECT_AYCOORD, &e->up.members[member].id)->suspect = true;
}

void check_on_timer_beacon(struct elect *e)
{
	check_expire(e);
	check_beacon(e);
}

/*
 * If one of two coordinators has often sent the other its list in vain, answers are as rare as the
 * next attempt is far away; but not while a demotion, or its result, is waited for.
 */
static bool answer_waits(const struct elect *e, const struct invitation_other *o)
{
	return !role_demotes(e) && e->now_us >= e->lead_from_us && o->replied_us &&
		e->now_us < o->replied_us + backoff_vain_us(e, &o->standing.id);
}

/*
 * Another coordinator asks. A worse one answers. A better one answers, too, while it has no answer
 * itself: the answer verifies it to the worse one, which may take it for a replay (unverified.h),
 * and which then leaves the merge to it.
 */
void check_on_aycoord(struct elect *e, const struct elect_msg *m)
{
	struct elect_standing mine;
	struct invitation_other *o;

	if (e->state != ELECT_NORMAL)
		return;
	o = other_heard(e, m);
	if (!group_coordinates(e)) {
		member_tells(e, m, o);
		return;
	}
	if (long_heard(e, o))
		check_foreign(e, &m->sender, m->name, &e->config.id);
	self_standing(e, &mine);
	if (answer_waits(e, o))
		return;
	/* a worse one is heard for the first time, and cannot merge: this host asks it now */
	if (elect_standing_compare(&mine, &m->standing) > 0 && o->since_us == e->now_us &&
		own(e)->others_count < ELECT_OTHERS_MAX) /* else it may have been heard before */
		beacon_soon(e);
	if (elect_standing_compare(&mine, &m->standing) < 0 || !answered_lately(e, o)) {
		struct elect_send *s = out_reply(e, ELECT_AYCOORD_ANSWER, m);

		o->replied_us = e->now_us;
		s->answer = ELECT_ANSWER_YES;
		s->other = e->config.id;
		if (e->now_us - o->since_us < pace_beacons(e, MET_BEACONS))
			out_also_to_all(e, s);
	}
}

/* An older host does not send the name of the other coordinator. */
static void answered_no(struct elect *e, const struct elect_msg *m)
{
	const char *known = elect_name(e, &m->other);
	const char *name = m->other_name[0] ? m->other_name : known ? known : "";

	if (!self_is(e, &m->other) && !elect_id_is_zero(&m->other) &&
		!elect_id_equal(&m->other, &m->sender))
		check_foreign(e, &m->other, name, &m->sender);
}

/*
 * Answers a beacon of a former group: perhaps unicast that had to wait, of a host that its copy to
 * all has brought into this group.
 */
static bool is_overtaken(const struct elect *e, const struct elect_msg *m)
{
	return m->asked_us && m->asked_us < own(e)->election.began_us;
}

/* The hosts that were asked have answered, and no other host leads: nothing is left to wait for. */
static bool all_have_yielded(const struct elect *e)
{
	for (unsigned i = 0; i < own(e)->others_count; i++)
		if (leads(e, &own(e)->others[i]))
			return false;
	return own(e)->yield_until_us;
}

void check_on_aycoord_answer(struct elect *e, const struct elect_msg *m)
{
	struct invitation_other *o;

	if (!group_at_work(e) || is_overtaken(e, m))
		return;
	if (m->answer != ELECT_ANSWER_YES) {
		answered_no(e, m);
		return;
	}
	o = other_heard(e, m);
	o->answered_us = e->now_us;
	if (long_heard(e, o))
		check_foreign(e, &m->sender, m->name, &e->config.id);
	if (!timers_running(e, TIMER_RANK))
		timers_set_in(e, TIMER_RANK, all_have_yielded(e) ? 0 : CHECK_GATHER_US);
}

bool check_rival(const struct elect *e)
{
	for (unsigned i = 0; i < own(e)->others_count; i++) {
		const struct invitation_other *o = &own(e)->others[i];

		if (leads(e, o) && e->now_us - o->since_us <= pace_beacons(e, FOREIGN_BEACONS))
			return true;
	}
	return false;
}

/* ---- whose turn it is, and what to do -------------------------------------------------------- */

static unsigned check_rank(const struct elect *e, const struct elect_standing *mine)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < own(e)->others_count; i++)
		if (heard_lately(e, &own(e)->others[i]) &&
			elect_standing_compare(&own(e)->others[i].standing, mine) > 0)
			rank++;
	return rank;
}

struct plan {
	struct elect_invited groups[ELECT_INVITED_MAX];
	unsigned groups_count, expected, merges;
	/* established: one of them leads; unasked: one that leads was not asked to yield yet */
	bool established, unasked;
};

static bool eligible(const struct elect *e, const struct invitation_other *o,
	const struct elect_standing *mine, bool joins)
{
	return answered_lately(e, o) && elect_standing_compare(mine, &o->standing) > 0 &&
		!backoff_waits(e, &o->standing.id) &&
		(joins || backoff_until(e, &o->standing.id) <= e->now_us);
}

/*
 * A host alone that was cut off, and did not lead, comes back into the present group (M4). A host
 * that led, and has yielded to this one, does not: the leader that the merge confirms corrects what
 * that host has changed outside.
 */
static bool joins_alone(const struct elect *e, const struct invitation_other *o)
{
	return o->standing.size == 1 && !o->standing.established && !o->led &&
		join_fits(e, o->floor);
}

static bool asked_to_yield(const struct elect *e, const struct elect_group *g)
{
	for (unsigned i = 0; i < own(e)->election.groups_count; i++)
		if (elect_group_equal(&own(e)->election.groups[i].group, g))
			return own(e)->yield_until_us != 0;
	return false;
}

static void plan_make(struct elect *e, const struct elect_standing *mine, struct plan *ret)
{
	unsigned total = e->up.count;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < own(e)->others_count && ret->groups_count < ELECT_INVITED_MAX - 1;
		i++) {
		const struct invitation_other *o = &own(e)->others[i];
		bool joins = joins_alone(e, o);

		if (!eligible(e, o, mine, joins) || !counter_reached(e, o->group.counter))
			continue;
		if (total + o->standing.size > ELECT_HOSTS_MAX) {
			e->refused_us = e->now_us;
			continue;
		}
		total += o->standing.size;
		ret->groups[ret->groups_count++] =
			(struct elect_invited){ .group = o->group, .size = o->standing.size };
		ret->expected += o->standing.size;
		ret->established |= o->standing.established;
		ret->unasked |= o->standing.established && !asked_to_yield(e, &o->group);
		ret->merges += !joins;
	}
}

/* One merge, however long demotion hooks run (M7). Returns true while others are waited for. */
static bool ask_to_yield(struct elect *e, const struct plan *p)
{
	if (!p->established) {
		own(e)->yield_until_us = 0;
		return false;
	}
	if (p->unasked)
		own(e)->yield_until_us = e->now_us + e->config.yield_timeout_us;
	if (e->now_us >= own(e)->yield_until_us)
		return false;
	own(e)->election.groups_count = p->groups_count;
	memcpy(own(e)->election.groups, p->groups, sizeof(p->groups));
	out_send(e, ELECT_INVITATION, NULL)->invite = ELECT_INVITE_YIELD;
	return true;
}

static void act(struct elect *e, const struct elect_standing *mine, struct plan *p)
{
	if (p->merges == 0) {
		for (unsigned i = 0; i < p->groups_count; i++)
			join_want(e, &p->groups[i].group, 0, &p->groups[i].group.coordinator);
		return;
	}
	if (counter_ahead(e) || ask_to_yield(e, p) || !counter_can_form(e) ||
		!role_steady(e, MERGE_US))
		return;
	own(e)->yield_until_us = 0;
	p->groups[p->groups_count++] =
		(struct elect_invited){ .group = e->group, .size = mine->size };
	because_group(e, ELECT_REASON_MERGED, &p->groups[0].group.coordinator);
	merge_begin(e, ELECT_INVITE_MERGE, ELECT_LOSS_SILENCE, p->groups, p->groups_count,
		p->expected + mine->size - 1);
}

uint64_t check_step_us(const struct elect *e)
{
	return moment_at_most(CHECK_STEP_US, pace_beacons(e, 1) / 2);
}

/*
 * Waits by rank, then looks again: this host must still be a coordinator in Normal, and the others
 * still there (F6). A host that does not know whether it is still followed invites no host.
 */
void check_on_timer_rank(struct elect *e)
{
	struct elect_standing mine;
	struct plan plan;
	unsigned rank;

	if (!group_coordinates(e) || role_asks(e) || e->purpose != ELECT_PURPOSE_NONE)
		return;
	if (e->moved) { /* changes of this step are shown first, with their reason */
		timers_set_in(e, TIMER_RANK, 1);
		return;
	}
	self_standing(e, &mine);
	rank = check_rank(e, &mine);
	if (rank > 0 && !own(e)->check_waited) {
		own(e)->check_waited = true;
		timers_set_in(
			e, TIMER_RANK, (rank < STEPS_MAX ? rank : STEPS_MAX) * check_step_us(e));
		return;
	}
	own(e)->check_waited = false;
	plan_make(e, &mine, &plan);
	if (plan.groups_count > 0)
		act(e, &mine, &plan);
}
