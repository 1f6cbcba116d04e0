/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role: see role.h (merge.md, succession.md, quorum.md).
 */
#include "role.h"
#include "algorithm.h"
#include "bar.h"
#include "leave.h"
#include "sick.h"
#include "will.h"

/* ---- the quorum ------------------------------------------------------------------------------ */

/*
 * A member counts until it may follow another host: until silence since the last beacon that it
 * answered may be acted on, counted from when that was sent. Own lateness is not added. Before it
 * has acknowledged the list it has answered nothing (Q2).
 */
static uint64_t counts_until(const struct elect *e, const struct elect_watched *w)
{
	return w->asked_us ? pace_silence_until(e, w->asked_us) : 0;
}

/*
 * To begin to lead, a host counts only those that are bound to no other host. A host that joins a
 * leader counts at once, because it has left no host behind that could lead.
 */
static uint64_t counts_from(const struct elect *e, uint64_t bound_until_us)
{
	return role_leads(e) ? 0 : bound_until_us;
}

struct tally {
	unsigned counted;
	uint64_t next_us; /* when time alone may change the count */
};

static void tally_add(const struct elect *e, struct tally *t, uint64_t from_us, uint64_t until_us)
{
	uint64_t next = e->now_us < from_us ? from_us : until_us;

	t->counted += from_us <= e->now_us && e->now_us < until_us;
	if (next > e->now_us && next < t->next_us)
		t->next_us = next;
}

static void count(struct elect *e)
{
	struct tally t = { .next_us = ELECT_NEVER };

	e->counted = e->up.count;
	if (e->config.quorum <= 1)
		return; /* no member is asked */
	tally_add(e, &t, counts_from(e, e->bound_until_us), ELECT_NEVER);
	for (unsigned i = 1; i < e->up.count; i++)
		tally_add(e, &t, counts_from(e, e->up.members[i].bound_until_us),
			counts_until(e, &e->watch.members[i]));
	e->counted = t.counted;
	if (role_leads(e) && e->counted < e->config.quorum && e->now_us < e->read_until_us)
		t.next_us = moment_at_most(e->read_until_us, t.next_us);
	timers_set_earlier(e, TIMER_QUORUM, t.next_us);
}

void role_asked(struct elect *e)
{
	e->beacon_us = e->now_us;
	if (e->config.quorum > 1)
		timers_set_earlier(e, TIMER_QUORUM, e->now_us + pace_probe_us(e));
}

void role_bind(struct elect *e, uint64_t beacon_us)
{
	uint64_t until = pace_silence_until(e, beacon_us) + QUORUM_MARGIN_US;

	if (until > e->bound_until_us)
		e->bound_until_us = until;
}

void role_silent(struct elect *e, uint64_t heard_us)
{
	uint64_t until_us = pace_silence_until(e, heard_us);

	if (e->silent_until_us < until_us)
		e->silent_until_us = until_us;
	role_bind(e, heard_us);
}

bool role_steady(const struct elect *e, uint64_t us)
{
	uint64_t merge_us = pace_window_us(e, us) - QUORUM_MARGIN_US;
	uint64_t most_us = e->config.timings.dead_after_us / 2;
	uint64_t end_us = e->now_us + (merge_us < most_us ? merge_us : most_us);
	unsigned counted = 1;

	for (unsigned i = 1; i < e->up.count; i++)
		counted += end_us <= counts_until(e, &e->watch.members[i]);
	return !role_leads(e) || e->config.quorum <= 1 || counted >= e->config.quorum;
}

/* The quorum depends on members that did not answer the last beacon: each gets its own. */
static void ask_again(struct elect *e)
{
	for (unsigned i = 1, asked = 0; i < e->up.count && asked < PROBES_A_STEP; i++) {
		const struct elect_watched *w = &e->watch.members[i];

		if (w->asked_us >= e->beacon_us || counts_until(e, w) <= e->now_us)
			continue;
		e->algorithm->ask(e, i);
		asked++;
	}
}

static bool needs_probe(const struct elect *e, const struct elect_watched *w)
{
	return w->older && w->taken && w->asked_us < e->beacon_us;
}

/*
 * A host of 0.1 answers no beacon, but it answers a probe. So it is probed after each beacon,
 * whether the quorum depends on it or not: a message that was sent once in its name must not decide
 * whether it counts. Many are asked by one datagram to all.
 */
static void probe_older(struct elect *e)
{
	unsigned count = 0;

	for (unsigned i = 1; i < e->up.count; i++)
		count += needs_probe(e, &e->watch.members[i]);
	if (count > PROBES_A_STEP)
		out_send(e, e->algorithm->probe, NULL)->probe = true;
	for (unsigned i = 1; i < e->up.count && count <= PROBES_A_STEP; i++)
		if (needs_probe(e, &e->watch.members[i]))
			out_send(e, e->algorithm->probe, &e->up.members[i].id)->probe = true;
}

void role_on_timer_quorum(struct elect *e)
{
	unsigned fresh = 1;

	role_review(e);
	if (group_at_work(e) && e->config.quorum > 1)
		probe_older(e);
	if (!role_leads(e) || e->config.quorum <= 1)
		return;
	for (unsigned i = 1; i < e->up.count; i++) {
		const struct elect_watched *w = &e->watch.members[i];

		fresh += w->asked_us >= e->beacon_us;
	}
	if (fresh >= e->config.quorum)
		return; /* the next beacon asks again */
	ask_again(e);
	timers_set_earlier(e, TIMER_QUORUM, e->now_us + pace_probe_us(e));
}

/* Members that were not asked before count until they have had time to answer. */
void role_quorum_set(struct elect *e, uint16_t before)
{
	if (!group_at_work(e) || before > 1 || e->config.quorum <= 1)
		return;
	for (unsigned i = 1; i < e->up.count; i++)
		if (!e->watch.members[i].missing)
			e->watch.members[i].asked_us = e->now_us;
	e->algorithm->announce(e);
}

/* ---- leading --------------------------------------------------------------------------------- */

/*
 * After a stall the old group is trusted again when more than half of it answers, counted as it was
 * when it was asked. Members that have gone elsewhere since may follow another host. Hosts that
 * have come since, or were started anew, do not know whom the others follow; but a host that was
 * alone has no others.
 */
static bool still_followed(const struct elect *e)
{
	bool alone = e->watch.asked_count == 1;
	unsigned of = alone ? e->up.count : e->watch.asked_count;
	unsigned followers = 1;

	for (unsigned i = 1; i < e->up.count; i++) {
		const struct elect_watched *w = &e->watch.members[i];

		followers += w->answered && (w->former || alone);
	}
	return e->up.count > 1 && 2 * followers > of;
}

static const struct elect_member *somebody_who_may(const struct elect *e)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].may_lead)
			return &e->up.members[i];
	return NULL;
}

static bool is_sickness(enum elect_bar bar)
{
	return bar == ELECT_BAR_SICK || bar == ELECT_BAR_UNKNOWN;
}

/*
 * The bar for which this host hands over. `others`: another member may lead. Without one a host
 * leads although it is sick, if the configuration says so.
 */
static enum elect_bar hands_over(const struct elect *e, bool others)
{
	enum elect_bar bar = bar_first(e, BAR_HOLD);

	return is_sickness(bar) && e->config.sick_stays && !others ? ELECT_BAR_NONE : bar;
}

/* A host that waited for a quorum leads because the quorum is met, by the last host that came. */
static void because_leading(struct elect *e)
{
	bool came = e->reason == ELECT_REASON_JOINED || e->reason == ELECT_REASON_MERGED;
	struct elect_id cause = came ? e->cause : e->config.id;

	because_begin(e);
	if (e->quorum_missed)
		because_set(e, ELECT_REASON_QUORUM_MET, &cause);
	e->quorum_missed = false;
}

/* If no other member may lead, this host goes on as a coordinator that does not lead (M12). */
static void hand_over(struct elect *e, enum elect_bar bar, bool others)
{
	if (role_leads(e) && is_sickness(bar))
		sick_costs(e);
	leave_release(e, others ? ELECT_PURPOSE_RESIGN : ELECT_PURPOSE_BAR, bar_reason(bar),
		&e->config.id);
}

/* A message of a host that is cut off would reach no other. */
static void stop_leading(struct elect *e, enum elect_bar bar)
{
	e->quorum_missed |= bar == ELECT_BAR_QUORUM;
	because_set(e, bar_reason(bar), &e->config.id);
	role_lose(e);
	view_publish(e);
	if (bar != ELECT_BAR_CUT_OFF)
		e->algorithm->announce(e);
}

/*
 * Work that an ended leadership has left behind is fenced off by the token of the next leadership
 * (S5), and a token belongs to a group. So a host that has led its group, and may lead again, forms
 * the group anew first.
 */
static void form_anew(struct elect *e)
{
	/* the end of the former leadership is shown first, with its reason */
	timers_set_in(e, TIMER_LEAD, e->moved ? 1 : pace_beacons(e, 1));
	if (e->moved)
		return;
	if (counter_can_form(e))
		e->algorithm->form_anew(e);
	else
		counter_reserve(e);
}

static void begin(struct elect *e)
{
	if (e->watch.led) {
		form_anew(e);
		return;
	}
	because_leading(e);
	e->watch.asked_count = 0;
	role_lead(e);
	if (e->up.count > 1)
		e->algorithm->announce(e);
}

static void wait_or_begin(struct elect *e)
{
	enum elect_bar bar = bar_first(e, BAR_BEGIN);
	uint64_t until_us = bar_until(e, bar);

	if (e->now_us < e->lead_from_us)
		e->rivals_from_us = 0;
	if (bar == ELECT_BAR_RIVAL && !e->rivals_from_us)
		e->rivals_from_us = e->now_us;
	if (!until_us)
		begin(e);
	else if (until_us == ELECT_NEVER) /* what may end it is looked at again */
		timers_set_in(e, TIMER_LEAD, pace_beacons(e, 1));
	else
		timers_set_earlier(e, TIMER_LEAD, until_us);
}

void role_goes_on(struct elect *e)
{
	e->watch.asked_count = 0;
	if (e->phase == ELECT_PHASE_ASKS)
		role_enter(e, ELECT_PHASE_LEADS);
}

/*
 * The bars of core/bar_list.h decide. Except for a lost carrier, the role is judged only in Normal,
 * so none is lost in a merge (F15).
 */
void role_review(struct elect *e)
{
	bool judged = group_at_work(e) && !role_leaves(e) && !self_cut_off(e);
	enum elect_bar stop, hold;
	bool others;

	if (judged)
		count(e);
	stop = bar_first(e, BAR_STOP);
	if (stop != ELECT_BAR_NONE && role_leads(e)) { /* also while its demotion runs */
		stop_leading(e, stop);
		return;
	}
	if (!judged)
		return;
	e->quorum_missed |= stop == ELECT_BAR_QUORUM;
	if (role_asks(e) && still_followed(e)) {
		role_goes_on(e);
		timers_stop(e, TIMER_LEAD);
	}
	if (e->purpose != ELECT_PURPOSE_NONE)
		return;
	others = somebody_who_may(e);
	hold = hands_over(e, others);
	if (hold != ELECT_BAR_NONE && (role_leads(e) || others)) {
		hand_over(e, hold, others);
		return;
	}
	if (e->watch.asked_count > 0 && still_followed(e)) {
		role_goes_on(e);
		e->lead_from_us = e->watch.lead_from_us;
	}
	if (role_leads(e) || stop != ELECT_BAR_NONE || hold != ELECT_BAR_NONE)
		e->rivals_from_us = 0;
	else
		wait_or_begin(e);
}

/* ---- the demotion is over -------------------------------------------------------------------- */

void role_demoted(struct elect *e)
{
	if (leave_demoted(e) == ELECT_PURPOSE_BAR)
		role_review(e); /* the bar may be over by now */
}

/* An older demotion, which is not waited for any more, may end while the next one runs. */
void role_on_released(struct elect *e, uint64_t number)
{
	if (role_demotes(e) && number == e->release)
		role_demoted(e);
}

/* The demotion took too long. The role ends all the same: the LAN does not wait for ever. */
void role_on_timer_yield(struct elect *e)
{
	role_demoted(e);
}

/* ---- beginning to lead ----------------------------------------------------------------------- */

static void wait_before_leading(struct elect *e, uint64_t us)
{
	if (!group_at_work(e) || role_leads(e))
		return;
	if (e->lead_from_us < e->now_us + us)
		e->lead_from_us = e->now_us + us;
	timers_set_earlier(e, TIMER_LEAD, e->lead_from_us);
}

/* More than half of `survivors` hosts, this one included, have acknowledged the list. */
static bool followed(const struct elect *e, unsigned survivors)
{
	unsigned followers = 0;

	for (unsigned i = 0; i < e->up.count; i++)
		followers += e->watch.members[i].former && !e->watch.members[i].missing;
	return 2 * followers > survivors;
}

static bool others_have_acknowledged(const struct elect *e)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (!e->watch.members[i].missing)
			return true;
	return false;
}

/* A host that waits only because it was alone: any host that comes ends the wait. */
static bool waits_alone(const struct elect *e)
{
	return e->alone_until_us && e->lead_from_us == e->alone_until_us;
}

/*
 * When the new coordinator may lead (merge.md, succession.md): at once if it led before, if it has
 * merged, or if more than half of the survivors have acknowledged the list. A group of one leads
 * only after lone_hold, unless a Goodbye left no other host, or its own link works apart from the
 * coordinator that is gone (suspicion.md, The own link). A coordinator that has formed its
 * group anew has no new wait if more than half of the former group have acknowledged the list. A
 * host that was stalled must ask before: `soonest` is not earlier than that.
 */
static uint64_t lead_from(struct elect *e, const struct role_claim *claim)
{
	uint64_t later = e->now_us + e->config.lone_hold_us;
	uint64_t soonest =
		!waits_alone(e) && e->lead_from_us > e->now_us ? e->lead_from_us : e->now_us;
	unsigned survivors = claim->anew ? claim->old_count : claim->old_count - 1;

	e->survivors = 0;
	e->alone_until_us = 0;
	if (role_leads(e))
		return e->now_us;
	if (claim->anew && followed(e, survivors))
		return soonest;
	if (e->up.count == 1) {
		if ((claim->told_goodbye && claim->old_count == 2) || claim->sign > ELECT_SIGN_NONE)
			return soonest;
		e->alone_until_us = later;
		return later;
	}
	if (claim->merged && !claim->anew)
		return soonest;
	if (followed(e, survivors))
		return e->now_us;
	e->survivors = survivors;
	e->unfollowed_until_us = later;
	return later;
}

void role_begin(struct elect *e, const struct role_claim *claim)
{
	uint64_t from_us = lead_from(e, claim);

	if (!claim->anew)
		e->succeeds = !claim->merged;
	e->lead_from_us = from_us;
	e->link_sign = e->up.count == 1 ? claim->sign : ELECT_SIGN_UNKNOWN;
	if (role_leads(e))
		role_lead(e); /* confirmed: the same leader, a new token */
	else if (e->up.count > 1)
		counter_raise_floor(e);
	if (from_us > e->now_us)
		timers_set(e, TIMER_LEAD, from_us);
	role_review(e);
}

/*
 * Where many answer at once, the last answers are read when the window is over. They count within a
 * beacon, because a host that has acknowledged may have gone elsewhere later.
 */
static bool followed_late(const struct elect *e)
{
	uint64_t since_us = e->unfollowed_until_us - e->config.lone_hold_us;

	return e->survivors && e->lead_from_us == e->unfollowed_until_us &&
		e->now_us - since_us <= pace_beacons(e, 1) && followed(e, e->survivors);
}

void role_acknowledged(struct elect *e)
{
	bool late = followed_late(e) || (waits_alone(e) && others_have_acknowledged(e));

	if (late)
		e->lead_from_us = e->now_us;
	if (late || (!role_leads(e) && e->watch.asked_count > 0))
		role_review(e);
}

/*
 * Behind a dead cable a host cannot know whether the others go on. A host that had company stops
 * leading in this step, by its view alone, because a Goodbye would reach no host; and it does not
 * begin to lead. A host that was alone is not touched. When the carrier is back, the host waits
 * before it leads, and some seconds longer while it hears no host, because a port may have a
 * carrier and forward nothing yet (role.md, Carrier).
 */
void role_on_link(struct elect *e, bool up)
{
	bool came_back = up && self_cut_off(e), again = e->lead_from_us > e->now_us;

	if (up != e->link_down)
		return;
	if (!up)
		e->had_company = e->unheard_until_us > e->now_us ||
			(e->company_us && e->now_us - e->company_us < COMPANY_US);
	e->link_down = !up;
	if (up && e->state == ELECT_DOWN)
		e->algorithm->carrier(e);
	if (came_back) {
		e->unheard_until_us = e->now_us + e->config.carrier_hold_us;
		wait_before_leading(e, e->config.lone_hold_us);
	}
	/* A group must not be without a leader for as long as the link of its coordinator flaps. */
	if (came_back && again && group_at_work(e) && somebody_who_may(e))
		leave_release(e, ELECT_PURPOSE_RESIGN, ELECT_REASON_CARRIER_LOST, &e->config.id);
	role_review(e);
}

/* After a lost carrier the host that is heard may be the first of many. */
void role_heard(struct elect *e)
{
	e->company_us = e->now_us;
	if (e->unheard_until_us == 0)
		return;
	e->unheard_until_us = 0;
	wait_before_leading(e, e->config.start_hold_us);
}

void role_joined(struct elect *e)
{
	e->lead_from_us = e->merge_until_us = 0;
}

static bool names_no_other_group(const struct elect *e, const struct elect_msg *m)
{
	return elect_id_is_zero(&m->group.coordinator) || elect_group_equal(&m->group, &e->group);
}

/* An answer names the group that was asked for, not the one that the coordinator is in now. */
static bool has_left(const struct elect_msg *m)
{
	return m->type == ELECT_AYTHERE_ANSWER && m->answer == ELECT_ANSWER_NOT_MY_GROUP;
}

/* A datagram of the coordinator, which still follows no other one. */
static bool is_of_coordinator(const struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	return group_is_member(e) && elect_id_equal(&m->sender, &e->group.coordinator) && at >= 0 &&
		e->up.members[at].session == m->session && names_no_other_group(e, m) &&
		!has_left(m);
}

void elect_met(struct elect *e, uint64_t now_us, const struct elect_msg *m)
{
	if (is_of_coordinator(e, m))
		e->spoke_us = now_us;
	else
		e->met_us = now_us;
}

void role_barred(struct elect *e)
{
	timers_set(e, TIMER_BARRED, bar_next_end(e));
	role_review(e);
}

/* The leader learns at once that this host claims its role. */
void role_on_timer_barred(struct elect *e)
{
	role_barred(e);
	if (e->config.preempt_delay_us && group_is_member(e))
		e->algorithm->tell(e);
}

/* Neither of the two leads. If the other is on this host, no other host is to be looked for. */
void role_duplicate(struct elect *e, bool same_host)
{
	e->duplicate_here = same_host;
	e->duplicate_until_us = e->now_us + DIFFERENCE_FORGET_US;
	because_set(e, ELECT_REASON_DUPLICATE_ID, &e->config.id);
	role_barred(e);
}

/*
 * Better members may still wait, so the role is for the first of the list that has claimed it. No
 * host waits where the key is not set: there the first that may lead is the next leader anyway.
 */
static struct elect_id claimant(const struct elect *e)
{
	struct elect_id none = { { 0 } };

	for (unsigned i = 1; i < e->up.count; i++)
		if (e->up.members[i].may_lead && e->watch.members[i].claims)
			return e->up.members[i].id;
	return none;
}

void role_challenged(struct elect *e, const struct elect_standing *theirs)
{
	if (!group_at_work(e) || e->purpose != ELECT_PURPOSE_NONE)
		return;
	if (!theirs->may_lead || !theirs->preempt_agreed || !preempt_agreed(e) ||
		theirs->priority <= e->config.priority)
		return;
	if (e->config.preempt_delay_us)
		e->resign_to = claimant(e);
	leave_release(e, ELECT_PURPOSE_RESIGN, ELECT_REASON_YIELDED, &theirs->id);
}
