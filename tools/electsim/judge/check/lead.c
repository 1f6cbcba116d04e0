/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lead: what entitles a host to lead (merge.md, succession.md), and how leading ends (role.md,
 * electd-hooks(7)). The datagrams that it received and its hooks decide, not what it reports.
 */
#include <string.h>

#include "inside.h"

/* ---- entitlement ----------------------------------------------------------------------------- */

bool check_shown_unled(const struct sim *s, const struct elect_view *now)
{
	for (unsigned i = 0; i < s->actions.count; i++)
		if (s->actions.items[i].type == ELECT_ACTION_VIEW &&
			s->actions.items[i].view.role != ELECT_ROLE_LEADER)
			return true;
	return now->role != ELECT_ROLE_LEADER;
}

static bool discards(const struct sim *s)
{
	for (unsigned i = 0; i < s->actions.count; i++)
		if (s->actions.items[i].type == ELECT_ACTION_DISCARD)
			return true;
	return false;
}

/*
 * Did the host notice a stall? After a long one, it discards the older datagrams in its sockets;
 * after a short one, it only asked, and got no answer.
 */
static bool found_stalled(
	const struct sim *s, const struct sim_host *h, const struct check_step *step)
{
	if (step->old->asking && step->now->reason == ELECT_REASON_STALLED)
		return true;
	return h->watch.claim.stalled_us == s->now_us && discards(s);
}

static void later(struct sim_claim *c, uint64_t at_us)
{
	if (c->from_us < at_us)
		c->from_us = at_us;
}

static unsigned followers(const struct sim *s, const struct sim_claim *c)
{
	unsigned count = 1;

	for (unsigned i = 0; i < s->hosts_count; i++)
		count += c->follows[i];
	return count;
}

/* Counts the members that were asked, because a dropped one may follow another host meanwhile. */
static bool still_followed(
	const struct sim *s, const struct sim_claim *c, const struct elect_view *now)
{
	unsigned of = c->asked_count == 1 ? now->members_count : c->asked_count;

	return now->members_count > 1 && 2 * followers(s, c) > of;
}

/* Does the message show that its sender is in its group? */
static bool follows(const struct elect_msg *m)
{
	return m->type == ELECT_AYTHERE || m->type == ELECT_AYTHERE_ANSWER ||
		(m->type == ELECT_AYNORMAL_ANSWER && m->state == ELECT_NORMAL);
}

static void forget_followers(struct sim_claim *c)
{
	memset(c->follows, 0, sizeof(c->follows));
	c->company = false;
}

/*
 * Counts a sender in group `v` that acknowledges or has the list, or answers after a stall. A host
 * that has come, or was started anew, does not know whom the former members follow.
 */
static void note_follower(struct sim *s, struct sim_claim *c, const struct check_step *step,
	const struct elect_view *v)
{
	const struct elect_msg *m = step->heard;
	const struct sim_host *from;
	bool has_list, asked = c->asking || step->old->asking;

	if (!m || !m->proven || !elect_group_equal(&m->group, &v->group))
		return;
	has_list = (m->type == ELECT_AYTHERE || m->type == ELECT_AYNORMAL_ANSWER) &&
		m->list_version > 0 && m->list_version == v->list_version;
	if (m->type != ELECT_READY_ANSWER && m->type != ELECT_NEWSTATE_ANSWER && !has_list &&
		!(asked && follows(m)))
		return;
	from = sim_by_id(s, &m->sender);
	if (!from || (!has_list && m->answer != ELECT_ANSWER_YES))
		return;
	c->follows[from->index] = from->watch.started_us <= c->former_us;
	c->company = true;
}

/* The answer that ends the wait after a stall may have the group formed anew in the same step. */
static void note_answered(struct sim *s, struct sim_claim *c, const struct check_step *step)
{
	if (!c->asking)
		return;
	note_follower(s, c, step, step->old);
	if (still_followed(
		    s, c, step->now)) /* the list of then counts: silent members are dropped */
		c->from_us = step->at_us;
}

/* Do more than half of the rest of the former group follow, or of all of it if the host led it? */
static bool followed(const struct sim *s, const struct sim_claim *c)
{
	return 2 * followers(s, c) + !c->anew > c->old_count;
}

/*
 * A merge may confirm a leader that has lost its quorum meanwhile. Then its role ends in the same
 * step, and the token of the new group is never shown.
 */
bool check_has_led(const struct sim_host *h, const struct elect_group *group)
{
	const struct elect_group *kept = &h->watch.claim.kept;

	if (!elect_group_is_zero(kept) && elect_group_equal(kept, group))
		return true;
	return h->watch.token_last && elect_token(group) == h->watch.token_last;
}

/* Notes what a new group succeeds to, unless the host only tries again with another number. */
static void note_formed(struct sim_host *h, struct sim_claim *c, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;
	bool again = check_coordinates(h, &old->group) && old->state != ELECT_NORMAL &&
		old->state != ELECT_DOWN;

	if (elect_group_equal(&old->group, &now->group) || !check_coordinates(h, &now->group))
		return;
	forget_followers(c);
	c->asking = false;
	if (again)
		return;
	c->former_us = c->listed_us;
	c->anew = check_has_led(h, check_reelects(h) ? &c->last : &old->group) &&
		check_coordinates(h, &old->group);
	/* formed anew, perhaps in the step that dropped members */
	c->old_count = c->anew ? now->members_count : old->members_count;
	c->told = elect_group_equal(&old->group, &h->watch.told.goodbye);
	c->merges = false; /* until an Invitation shows it */
	if (!check_reelects(h))
		return;
	c->old_count = c->last_count;
	c->told = elect_group_equal(&c->last, &h->watch.told.goodbye);
	c->merges = elect_group_is_zero(&c->last) || check_coordinates(h, &c->last);
}

/* A host that goes from one election to the next comes from the group in which it was Normal. */
static void note_last(struct sim_claim *c, const struct check_step *step)
{
	if (step->old->state != ELECT_NORMAL && step->old->state != ELECT_DOWN)
		return;
	c->last = step->old->group; /* Down: none */
	c->last_count = step->old->members_count;
}

bool check_link_lived(const struct sim_host *h)
{
	return h->watch.claim.lives_us > 0 && !h->watch.claim.met;
}

/* A sign counts until any host is heard, or this one has stalled; and if the last one heard is the
   coordinator. */
static void note_heard(const struct sim *s, struct sim_claim *c, const struct check_step *step)
{
	bool heard = step->heard && step->heard->proven;

	if (heard)
		c->met = !elect_id_equal(&step->heard->sender, &step->old->group.coordinator);
	if (heard || discards(s))
		c->lives_us = 0;
}

/* A host has come to a host that waits because it was alone. */
static void note_company(struct sim_claim *c, const struct check_step *step)
{
	if (c->alone_us && c->from_us == c->alone_us && step->now->members_count > 1 && c->company)
		c->from_us = step->at_us;
}

/*
 * A host may lead at once after a merge, if it led before, or if more than half of the survivors
 * follow it, up to a beacon later. Otherwise, or alone, it waits for lone_hold, except the one host
 * that a Goodbye leaves, and one whose own link works; a host that comes ends the wait of a host
 * that is alone. A leader that forms its group anew has no new wait if more than half
 * follow.
 */
static void note_group(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;
	struct sim_claim *c = &h->watch.claim;
	bool begins = now->state == ELECT_NORMAL && check_coordinates(h, &now->group) &&
		(old->state != ELECT_NORMAL || !elect_group_equal(&old->group, &now->group));
	bool majority;

	if (now->state == ELECT_DOWN)
		c->from_us = 0;
	if (begins && old->role == ELECT_ROLE_LEADER)
		c->kept = now->group;
	if (begins && now->members_count > 1 && c->from_us == c->alone_us)
		c->from_us = 0;
	if (!begins || (now->members_count > 1 && c->merges && !c->anew))
		return;
	majority = followed(s, c);
	if (c->anew && majority)
		return;
	if (old->role == ELECT_ROLE_LEADER)
		majority = true;
	else if (now->members_count == 1)
		majority = (c->told && c->old_count == 2) || check_link_lived(h);
	c->from_us = step->at_us + (majority ? 0 : h->config.lone_hold_us);
	c->alone_us = majority || now->members_count > 1 ? 0 : c->from_us;
	c->unfollowed_us = majority || now->members_count == 1 ? 0 : c->from_us;
	c->late_us = step->at_us + h->config.timings.beacon_us * 5 / 4; /* clocks drift */
}

/* Counts the acknowledgements that were unread when the window ended. */
static void note_late(const struct sim *s, struct sim_claim *c, const struct check_step *step)
{
	if (c->unfollowed_us && c->from_us == c->unfollowed_us && step->at_us <= c->late_us &&
		followed(s, c))
		c->from_us = step->at_us;
}

/*
 * Each member is asked, and no host that comes later. A host that is alone asks none, and any host
 * that comes ends its wait.
 */
static void ask(struct sim_claim *c, unsigned members_count)
{
	forget_followers(c);
	c->asked_count = members_count;
	c->former_us = members_count > 1 ? c->listed_us : UINT64_MAX;
}

/* A leader that only asks whether it still leads needs a majority, too. */
static void note_asking(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;
	struct sim_claim *c = &h->watch.claim;
	bool goes_on =
		now->role == ELECT_ROLE_LEADER && elect_group_equal(&old->group, &now->group);

	if (now->asking && !old->asking)
		ask(c, old->members_count); /* a host that comes in this step is not asked */
	/* the only other member may be dead */
	if (old->asking && !now->asking && goes_on && c->asked_count != 2 &&
		!still_followed(s, c, now))
		check_fail(s, "stall",
			"h%u asked whether it leads, and shows it when %u of %u follow",
			h->index + 1, followers(s, c), c->asked_count);
}

/* Adds the waits after a stall, and after a role was yielded to a host that did not come. */
static void note_loss(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_claim *c = &h->watch.claim;
	bool lost = step->old->role == ELECT_ROLE_LEADER && check_shown_unled(s, step->now);

	if (lost && found_stalled(s, h, step)) {
		later(c, step->at_us + h->config.lone_hold_us);
		c->asking = true;
		ask(c, step->old->members_count);
	} else if (lost && step->old->yielding && check_coordinates(h, &step->now->group) &&
		h->watch.demotion.purpose == ELECT_PURPOSE_YIELD) {
		later(c, step->at_us + h->config.timings.dead_after_us);
	}
	if (c->asking && still_followed(s, c, step->now))
		c->from_us = step->at_us;
}

/* A host that was started after this moment cannot be on the list in its present session. */
static void note_listed(const struct sim *s, struct sim_claim *c, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;

	bool same = old->state == now->state && elect_group_equal(&old->group, &now->group);

	if (!same || old->list_version != now->list_version)
		c->listed_us = s->now_us;
}

void check_entitlement(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old, *now = step->now;
	struct sim_claim *c = &h->watch.claim;
	bool begins = now->role == ELECT_ROLE_LEADER &&
		(old->role != ELECT_ROLE_LEADER || check_shown_unled(s, now));

	note_heard(s, c, step);
	note_last(c, step);
	note_answered(s, c, step);
	note_formed(h, c, step);
	note_follower(s, c, step, now);
	note_group(s, h, step);
	note_late(s, c, step);
	note_company(c, step);
	note_loss(s, h, step);
	note_asking(s, h, step);
	note_listed(s, c, step);
	if (begins && step->at_us < c->from_us)
		check_fail(s, "lead", "h%u leads %u ms too early: %u of %u follow it in group %s",
			h->index + 1, (unsigned)((c->from_us - step->at_us + 999) / 1000),
			followers(s, c), c->old_count, check_group_text(s, &now->group));
}

static void note_invited(struct sim_claim *c, const struct elect_msg *m)
{
	c->merges = m->invite == ELECT_INVITE_MERGE;
	c->anew = c->anew && c->merges && m->groups_count == 1;
}

/* The Invitation shows how the group came to be. */
void check_formed_how(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	(void)s;
	(void)to;
	if (m->type == ELECT_INVITATION && m->invite != ELECT_INVITE_YIELD &&
		m->invite != ELECT_INVITE_JOIN && check_coordinates(h, &m->group))
		note_invited(&h->watch.claim, m);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* A new demotion has a new number, because hooks ignore a number that they had. */
static bool note_release(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	struct sim_demotion *d = &h->watch.demotion;
	bool asked = false;

	for (unsigned i = 0; i < s->actions.count; i++) {
		const struct elect_action *a = &s->actions.items[i];

		if (a->type != ELECT_ACTION_RELEASE)
			continue;
		asked = true;
		d->purpose = a->release.purpose;
		if (a->release.number == d->number && step->old->yielding)
			continue;
		if (a->release.number <= d->number)
			check_fail(s, "demotion", "h%u has a demotion run under an old number",
				h->index + 1);
		d->number = a->release.number;
		d->until_us = step->at_us + h->config.yield_timeout_us;
	}
	return asked;
}

/* Leading may end without a demotion: by a stall, a lost carrier or quorum, or a put-back. */
static bool excused(const struct sim *s, const struct sim_host *h, const struct check_step *step)
{
	return found_stalled(s, h, step) || !h->link_told ||
		step->now->counted < h->config.quorum || step->event == ELECT_EVENT_PUT_BACK;
}

void check_demotion(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct sim_demotion *d = &h->watch.demotion;
	bool led = step->old->role == ELECT_ROLE_LEADER;
	bool ended = step->event == ELECT_EVENT_RELEASED && s->event.released == d->number;
	bool overdue = step->old->yielding && step->at_us >= d->until_us;
	bool lost = led && check_shown_unled(s, step->now);

	if (lost && !(step->old->yielding && (ended || overdue)) && !excused(s, h, step))
		check_fail(s, "demotion", "h%u stops leading before its demotion has ended",
			h->index + 1);
	if (ended && step->old->yielding && led && !lost)
		check_fail(
			s, "demotion", "h%u leads on after its demotion has ended", h->index + 1);
	if (!note_release(s, h, step) && step->now->yielding && !step->old->yielding)
		check_fail(s, "demotion", "h%u yields and has no demotion run", h->index + 1);
	if (led && step->event == ELECT_EVENT_COMMAND && d->purpose != ELECT_PURPOSE_STOP &&
		s->event.command.type == ELECT_COMMAND_STOP)
		check_fail(s, "demotion", "h%u is stopped and does not inform its hooks",
			h->index + 1);
}

void check_goodbye_said(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to)
{
	(void)to;
	if (m->type == ELECT_GOODBYE && h->watch.view.role == ELECT_ROLE_LEADER)
		check_fail(s, "demotion", "h%u sends Goodbye while it leads", h->index + 1);
}
