/* SPDX-License-Identifier: Apache-2.0 */
/* told: what a datagram may cause (S6), what it must cause, and where its answers go. */
#include <string.h>

#include "inside.h"
#include "electsim/hosts/shown.h"
#include "core/elect_view.h"

void check_unproven(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;

	if (!m || m->proven || elect_loss_of_will(m->loss))
		return;
	if (shown_differs(step->old, step->now) || step->old->digest != step->now->digest)
		check_fail(s, "S6", "%s from h%u, of an unverified session, changed h%u",
			elect_msg_type_name(m->type), s->fed->sender + 1, h->index + 1);
	if (step->floor != elect_floor(host_elect(h->core)))
		check_fail(s, "S6", "a datagram of an unverified session raised the floor of h%u",
			h->index + 1);
}

static void check_unchanged(
	struct sim *s, struct sim_host *h, const char *why, struct elect_view *ret_view)
{
	const struct elect *e = host_elect(h->core);

	elect_view(e, ret_view);
	if (shown_differs(ret_view, &h->watch.view) || elect_floor(e) != h->watch.floor ||
		elect_counter(e) != h->watch.counter)
		check_fail(s, "S6", "a datagram refused (%s) changed h%u", why, h->index + 1);
}

void check_unbelieved(struct sim *s, struct sim_host *h, const char *why)
{
	struct elect_view v;

	check_unchanged(s, h, why, &v);
	if (s->actions.count)
		check_fail(s, "S6", "h%u acts on a datagram refused (%s)", h->index + 1, why);
}

/* Is it a Challenge, the answer to a refused Challenge, or a redirect to the coordinator? */
static bool may_follow(const struct elect_action *a, const struct sim_datagram *d)
{
	return a->type == ELECT_ACTION_SEND &&
		(a->send.type == ELECT_CHALLENGE || a->send.redirects ||
			(d->type == ELECT_CHALLENGE && a->send.type == ELECT_CHALLENGE_ANSWER));
}

void check_challenges(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	struct elect_view v;

	check_unchanged(s, h, "unproven", &v);
	if (v.problems != h->watch.view.problems)
		check_fail(s, "S6", "h%u reports a %s of an unverified session", h->index + 1,
			elect_msg_type_name(d->type));
	for (unsigned i = 0; i < s->actions.count; i++)
		if (!may_follow(&s->actions.items[i], d))
			check_fail(s, "S6", "h%u acts on a %s of an unverified session",
				h->index + 1, elect_msg_type_name(d->type));
}

void check_counter_refused(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	struct elect_view v;

	elect_view(host_elect(h->core), &v);
	h->watch.view.problems |= v.problems & ELECT_PROBLEM_COUNTER_REFUSED;
	check_challenges(s, h, d);
}

void check_heard(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;
	struct sim_told *t = &h->watch.told;
	const struct sim_host *from;

	if (!m || !m->proven)
		return;
	from = sim_by_id(s, &m->sender);
	if (m->type == ELECT_GOODBYE && elect_id_equal(&m->sender, &m->group.coordinator) &&
		elect_group_equal(&m->group, &step->old->group))
		t->goodbye = m->group;
	if (m->type == ELECT_AYTHERE_ANSWER && m->answer == ELECT_ANSWER_NOT_MY_GROUP &&
		elect_id_equal(&m->sender, &step->old->group.coordinator))
		t->beacon_us = 0;
	if (check_counts_from(step))
		t->beacon_us = step->at_us;
	if (from && step->old->state == ELECT_NORMAL &&
		(m->type == ELECT_AYCOORD ||
			(m->type == ELECT_AYCOORD_ANSWER && m->answer == ELECT_ANSWER_YES)))
		t->leads[from->index] = m->standing.established ? m->group.counter : 0;
}

/*
 * A Goodbye of another group changes nothing, with these exceptions: A host that waits for a
 * pending demotion begins to lead, or forms its group anew, when that has ended. Time alone changes
 * a view in any step: the quorum is no longer met, or a host that has yielded is sick, held, or
 * barred after `resign`, and has no role to lose.
 */
static bool may_change(const struct sim_host *h, const struct check_step *step)
{
	bool barred = !step->old->may_lead && step->old->role != ELECT_ROLE_LEADER;
	struct elect_view was = *step->old;

	was.problems = step->now->problems;
	if (!shown_differs(&was, step->now) || step->now->reason == ELECT_REASON_SICK ||
		(step->old->held && step->now->reason == ELECT_REASON_HELD) ||
		(barred && step->now->reason == ELECT_REASON_COORDINATOR_RESIGNED &&
			check_coordinates(h, &step->old->group)))
		return true;
	if (!elect_loss_of_will(step->heard->loss))
		return false;
	was.role = ELECT_ROLE_LEADER;
	return !shown_differs(&was, step->now) ||
		(check_has_led(h, &was.group) && check_coordinates(h, &step->now->group));
}

void check_goodbye_heard(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;

	if (m && m->type == ELECT_GOODBYE && !elect_group_equal(&m->group, &step->old->group) &&
		!may_change(h, step))
		check_fail(s, "goodbye", "Goodbye of group %s changed h%u in group %s",
			check_group_text(s, &m->group), h->index + 1,
			check_group_text(s, &step->old->group));
}

/* A host succeeds a coordinator that left only after that coordinator's Goodbye of that group. */
void check_succession(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	(void)to;
	if (m->type != ELECT_INVITATION || m->invite != ELECT_INVITE_SUCCESSION ||
		!check_coordinates(h, &m->group))
		return;
	if ((m->loss == ELECT_LOSS_STOP || m->loss == ELECT_LOSS_RESIGN ||
		    m->loss == ELECT_LOSS_CRASH) &&
		!elect_group_equal(&m->from_group, &h->watch.told.goodbye))
		check_fail(s, "goodbye",
			"h%u succeeds after a Goodbye of group %s, which it has not heard",
			h->index + 1, check_group_text(s, &m->from_group));
}

static bool declines(const struct sim *s)
{
	for (unsigned i = 0; i < s->actions.count; i++) {
		const struct elect_action *a = &s->actions.items[i];

		if (a->type == ELECT_ACTION_SEND && a->send.type == ELECT_DECLINE &&
			a->send.why == ELECT_WHY_COORDINATOR_ALIVE)
			return true;
	}
	return false;
}

/*
 * A member declines the succession of another host, once per group, if it heard its coordinator
 * within a beacon, has no Goodbye or "not my group" of it, and stays with it: silence would make
 * the inviter go on too early. An Invitation whose counter is out of reach is exempt: its repeat is
 * judged.
 */
void check_declined(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_msg *m = step->heard;
	const struct elect_view *old = step->old;
	struct sim_told *t = &h->watch.told;

	if (!m || m->type != ELECT_INVITATION || m->invite != ELECT_INVITE_SUCCESSION)
		return;
	if (declines(s) && elect_group_equal(&m->from_group, &old->group))
		t->declined = m->group;
	if (!m->proven || m->loss != ELECT_LOSS_SILENCE ||
		!elect_id_equal(&m->sender, &m->group.coordinator) ||
		t->beacon_us + SIM_BEACON_US < step->at_us || shown_differs(old, step->now) ||
		old->state != ELECT_NORMAL || !elect_group_equal(&m->from_group, &old->group) ||
		elect_group_equal(&t->goodbye, &old->group) || check_coordinates(h, &old->group) ||
		!elect_lists(host_elect(h->core), &m->sender) ||
		elect_counter(host_elect(h->core)) < m->group.counter)
		return;
	if (!elect_group_equal(&t->declined, &m->group))
		check_fail(s, "answer",
			"h%u does not decline %s, which succeeds to living group %s", h->index + 1,
			check_group_text(s, &m->group), check_group_text(s, &m->from_group));
}

/* Accepts the insider's address, too, because the insider may have claimed to be that host. */
static bool has_address(const struct sim_host *h, const struct elect_address *a)
{
	for (unsigned lan = 0; lan < SIM_LANS_MAX; lan++)
		if (elect_address_equal(a, &h->addresses[lan]))
			return true;
	return elect_address_equal(a, &sim_insider);
}

static struct sim_placed *placed(
	struct sim_host *h, const struct sim_host *of, const struct elect_address *at)
{
	struct sim_told *t = &h->watch.told;

	for (unsigned i = 0; i < t->placed_count; i++)
		if (t->placed[i].of == of->index && elect_address_equal(&t->placed[i].at, at))
			return &t->placed[i];
	return NULL;
}

static struct sim_placed *take_place(struct sim_told *t)
{
	struct sim_placed *oldest = &t->placed[0];

	if (t->placed_count < SIM_PLACED_MAX)
		return &t->placed[t->placed_count++];
	for (unsigned i = 1; i < t->placed_count; i++)
		if (t->placed[i].at_us < oldest->at_us)
			oldest = &t->placed[i];
	return oldest;
}

static void place(struct sim *s, struct sim_host *h, const struct elect_session *who,
	const struct elect_address *at)
{
	const struct sim_host *of = sim_by_id(s, &who->id);
	struct sim_placed *p;

	if (!of || !at->family || has_address(of, at))
		return;
	p = placed(h, of, at);
	if (!p)
		p = take_place(&h->watch.told);
	*p = (struct sim_placed){ of->index, who->session, sim_to_host(h, s->now_us), *at };
}

/* The host was heard: forgets its former sessions, and paths that were silent for long. */
static void forget_places(struct sim *s, struct sim_host *h, const struct elect_session *who)
{
	const struct sim_host *of = sim_by_id(s, &who->id);
	struct sim_told *t = &h->watch.told;
	uint64_t now_us = sim_to_host(h, s->now_us);

	for (unsigned i = t->placed_count; of && i > 0; i--) {
		const struct sim_placed *p = &t->placed[i - 1];

		if (p->of == of->index &&
			(p->session != who->session || now_us - p->at_us > ROUTES_PROVEN_US))
			t->placed[i - 1] = t->placed[--t->placed_count];
	}
}

static void note_source(struct sim *s, struct sim_host *h, const struct sim_datagram *d,
	const struct elect_msg *heard)
{
	const struct trust *t = host_trust(h->core);
	struct wire_header header;
	struct elect_session who;

	if (wire_decode_header(d->bytes, d->size, &header) != WIRE_OK)
		return;
	who = (struct elect_session){ header.sender, header.session };
	if (!(heard && heard->proven) && !trust_proven(t, &who.id, who.session) &&
		!trust_vouched(t, &who.id, who.session))
		return;
	forget_places(s, h, &who);
	place(s, h, &who, &d->source);
}

static void note_named(struct sim *s, struct sim_host *h, const struct elect_msg *m)
{
	const struct elect_session inviter = { m->inviter.id, m->inviter.session },
				   guide = { m->guide.id, m->guide.session };

	if (m->type == ELECT_INVITATION)
		place(s, h, &inviter, &m->inviter_at);
	if (m->type == ELECT_CHALLENGE_ANSWER && guide.session)
		place(s, h, &guide, &m->guide.at);
}

/*
 * An insider can speak in the name of a host from another address, or name such an address. A host
 * that believes it sends there, and names the address to others, until it hears another session of
 * that host, or the same one after a minute (outlives.md, paths).
 */
void check_placed(
	struct sim *s, struct sim_host *h, const struct sim_datagram *d, enum wire_verdict verdict)
{
	const struct elect_msg *heard = verdict == WIRE_OK ? host_heard(h->core) : NULL;

	if (verdict == WIRE_OK || verdict == WIRE_UNPROVEN || verdict == WIRE_DUPLICATE)
		note_source(s, h, d, heard);
	if (heard)
		note_named(s, h, heard);
}

void check_placed_later(struct sim_host *h, uint64_t us)
{
	struct sim_told *t = &h->watch.told;

	for (unsigned i = 0; i < t->placed_count; i++)
		t->placed[i].at_us += us;
}

static void check_names(struct sim *s, struct sim_host *h, const struct elect_id *id,
	const struct elect_address *at)
{
	const struct sim_host *of = sim_by_id(s, id);

	if (of && at->family && !has_address(of, at) && !placed(h, of, at))
		check_fail(s, "answer", "h%u names the address of another host as that of h%u",
			h->index + 1, of->index + 1);
}

void check_named(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	(void)to;
	if (m->type == ELECT_INVITATION)
		check_names(s, h, &m->inviter.id, &m->inviter_at);
	if (m->type == ELECT_CHALLENGE_ANSWER)
		check_names(s, h, &m->guide.id, &m->guide.at);
}

static bool is_at(struct sim_host *h, const struct sim_host *of, const struct elect_way *way)
{
	return elect_address_equal(&way->address, &of->addresses[way->link - 1]) ||
		elect_address_equal(&way->address, &sim_insider) || placed(h, of, &way->address);
}

/* An Accept goes to the new group's coordinator, even if another host forwarded the Invitation. */
void check_answer_to(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	const struct sim_host *inviter = sim_by_id(s, &m->group.coordinator);

	if (m->type != ELECT_ACCEPT || !inviter)
		return;
	for (unsigned i = 0; i < to->count; i++)
		if (!is_at(h, inviter, &to->items[i]))
			check_fail(s, "answer", "h%u sends its Accept for group %s to another host",
				h->index + 1, check_group_text(s, &m->group));
}

static void note_asked(struct sim *s, struct sim_told *t, const struct elect_msg *m)
{
	for (unsigned i = 0; i < m->groups_count; i++) {
		const struct elect_group *g = &m->groups[i].group;
		const struct sim_host *o = sim_by_id(s, &g->coordinator);

		if (o)
			t->yields[o->index] = g->counter;
	}
}

/*
 * A merge names no group whose leader still leads, as far as the inviter heard, unless the inviter
 * has asked it to yield. Repeats of a merge stay the same, whatever was heard since.
 */
void check_yield_asked(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	struct sim_told *t = &h->watch.told;

	(void)to;
	if (m->type != ELECT_INVITATION || !elect_id_equal(&m->inviter.id, &h->config.id) ||
		(m->invite == ELECT_INVITE_MERGE && elect_group_equal(&m->group, &t->merge)))
		return;
	if (m->invite == ELECT_INVITE_YIELD)
		note_asked(s, t, m);
	if (m->invite == ELECT_INVITE_MERGE)
		t->merge = m->group;
	for (unsigned i = 0; i < m->groups_count && m->invite == ELECT_INVITE_MERGE; i++) {
		const struct elect_group *g = &m->groups[i].group;
		const struct sim_host *o = sim_by_id(s, &g->coordinator);

		if (o && o != h && g->counter && t->leads[o->index] == g->counter &&
			t->yields[o->index] != g->counter)
			check_fail(s, "yield", "h%u merges with group %s before asking it to yield",
				h->index + 1, check_group_text(s, g));
	}
}
