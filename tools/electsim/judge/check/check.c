/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: the promises of algorithm.md, checked after every step of every host and for every
 * datagram that leaves: the table of promises, and those about the view of a host (S1 – S5, L2).
 * Checks use only views, the questions of elect.h, and the datagrams of the simulated network. The
 * first broken promise ends the run.
 */
#include <assert.h>
#include <string.h>

#include "electsim/draw/draw.h"
#include "electsim/hosts/shown.h"
#include "inside.h"
#include "core/elect_view.h"

/*
 * L2: the longest stay in Election or Reorganizing: the accept window after "coordinator alive" (3
 * × 100 ms), the ready window (100), four probes (4 × 60), one succession step (40), and the delay
 * of one datagram.
 */
#define CHECK_STINT_US UINT64_C(700000)
/*
 * The bound for an election of all hosts: a candidate halts a host until the candidate is silent;
 * then come two questions, a wait for a higher host, and three windows, up to four times as long
 * after lost answers.
 */
#define CHECK_STINT_ALL_US UINT64_C(2500000)

/* A new session has no claim and has heard nothing. */
void check_begins_anew(const struct sim *s, struct sim_host *h)
{
	struct sim_watch *w = &h->watch;

	w->started_us = s->now_us;
	w->must_ask = w->must_suspect = false;
	w->due_us = 0;
	w->deaf_since_us = 0;
	w->claim = (struct sim_claim){ 0 };
	w->demotion = (struct sim_demotion){ 0 };
	w->told = (struct sim_told){ 0 };
	memset(&w->regrouped, 0, sizeof(w->regrouped));
}

void check_started(struct sim *s, struct sim_host *h)
{
	const struct elect_start *start = &s->event.start;
	struct sim_watch *w = &h->watch;

	memset(&w->view, 0, sizeof(w->view));
	w->floor = w->token_shown = start->floor;
	if (w->token_last >> 24 > start->reserved)
		w->token_last = 0; /* its disk has lost that token */
	w->counter = 0;
	w->reports = (struct sim_reports){ 0 };
	w->company = (struct sim_company){ 0 };
	check_begins_anew(s, h);
}

void check_led(struct sim *s, unsigned before)
{
	check_two_leaders(s, before);
	check_two_acting(s);
}

static void later(uint64_t *moment_us, uint64_t us)
{
	if (*moment_us)
		*moment_us += us;
}

void check_put_back_later(struct sim_host *h, uint64_t us)
{
	struct sim_watch *w = &h->watch;

	later(&w->stint_us, us);
	later(&w->deaf_since_us, us);
	later(&w->claim.stalled_us, us);
	later(&w->told.beacon_sent_us, us);
	later(&w->until.sent_us, us);
}

/* Other hosts may have replaced it meanwhile, as after a stall. */
void check_put_back(struct sim *s, struct sim_host *h, const struct sim_watch *now)
{
	struct sim_watch *w = &h->watch;

	memcpy(w->formed, now->formed, sizeof(w->formed));
	w->formed_count = now->formed_count;
	w->ever_led = now->ever_led;
	w->token_last = now->token_last;
	s->stalled_us = s->now_us;
	s->changed_us = s->now_us;
	shown_leads(s, false, w->view.role == ELECT_ROLE_LEADER);
	if (s->svg)
		svg_state(s, h);
}

/* If its kernel was stalled, too, others may have suspected it. */
static bool looked_dead(const struct sim *s, const struct sim_host *h)
{
	const struct elect_view *v = &h->watch.view;
	uint64_t silent_us = ELECT_GRACE_US + h->config.silence_us;

	return v->role == ELECT_ROLE_LEADER && v->state == ELECT_NORMAL && v->members_count > 2 &&
		elect_suspects_early(&h->config) && h->watch.due_us &&
		sim_to_host(h, s->now_us) >= h->watch.due_us + silent_us;
}

void check_stalled(struct sim *s, struct sim_host *h, uint64_t us)
{
	s->stalled_us = s->now_us;
	h->watch.claim.stalled_us = s->now_us;
	h->watch.must_ask |= us > h->config.timings.dead_after_us;
	h->watch.must_suspect |= looked_dead(s, h);
	h->watch.stint_us += us;
	check_company_later(h, us);
	check_placed_later(h, us);
	h->watch.until.stood_us += us;
}

/* ---- S1, S2, S4: groups ------------------------------------------------------------------ */

static uint64_t list_hash(const struct elect *e)
{
	struct elect_member_info info;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < elect_members_count(e); i++) {
		elect_member_at(e, i, &info);
		hash = (hash ^ elect_id_hash(&info.member.id)) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static bool same_version(const struct sim_host *h, const struct sim_host *o)
{
	const struct elect_view *v = &h->watch.view, *w = &o->watch.view;

	return o != h && o->on && w->state == ELECT_NORMAL && w->list_version == v->list_version &&
		elect_group_equal(&w->group, &v->group);
}

static void compare_lists(struct sim *s, const struct sim_host *h, const struct sim_host *o)
{
	const struct elect_view *v = &h->watch.view;

	if (o->watch.view.digest != v->digest || o->watch.list_hash != h->watch.list_hash)
		check_fail(s, "S2", "h%u and h%u hold different lists %u of group %s", h->index + 1,
			o->index + 1, v->list_version, check_group_text(s, &v->group));
}

/* The host that was compared last had the list of all others before, so it stands for them. */
static void check_same_lists(struct sim *s, const struct sim_host *h)
{
	const struct sim_host *last = s->hosts[s->listed];

	s->listed = h->index;
	if (same_version(h, last)) {
		compare_lists(s, h, last);
		return;
	}
	for (unsigned i = 0; i < s->hosts_count; i++)
		if (same_version(h, s->hosts[i]))
			compare_lists(s, h, s->hosts[i]);
}

/* Normal: the list begins with the group's coordinator and contains the host itself. */
static void check_list(struct sim *s, const struct sim_host *h)
{
	const struct elect *e = host_elect(h->core);
	const struct elect_view *v = &h->watch.view;
	struct elect_member_info info;

	if (elect_members_count(e) == 0 || elect_members_count(e) != v->members_count) {
		check_fail(s, "S4", "h%u is Normal with a list of %u members and shows %u",
			h->index + 1, elect_members_count(e), v->members_count);
		return;
	}
	elect_member_at(e, 0, &info);
	if (!elect_id_equal(&info.member.id, &v->group.coordinator))
		check_fail(s, check_coordinates(h, &v->group) ? "S4" : "S1",
			"h%u is Normal in group %s, which its list does not begin with",
			h->index + 1, check_group_text(s, &v->group));
	if (!elect_lists(e, &h->config.id))
		check_fail(s, "S4", "h%u is Normal in group %s and not in its own list",
			h->index + 1, check_group_text(s, &v->group));
}

static void check_role(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	static const struct elect_id nobody;
	const struct elect_view *v = step->now;
	bool self = elect_id_equal(&v->leader, &h->config.id);

	if (v->role == ELECT_ROLE_LEADER && (!self || v->token == 0))
		check_fail(s, "S4", "h%u leads and names another leader or no token", h->index + 1);
	if (v->role == ELECT_ROLE_FOLLOWER && (self || elect_id_equal(&v->leader, &nobody)))
		check_fail(s, "S4", "h%u follows itself or nobody", h->index + 1);
	if (v->role == ELECT_ROLE_LEADER && v->state == ELECT_NORMAL &&
		!check_coordinates(h, &v->group))
		check_fail(s, "S4", "h%u leads group %s of another coordinator", h->index + 1,
			check_group_text(s, &v->group));
	if (v->role == ELECT_ROLE_LEADER && h->watch.must_ask)
		check_fail(s, "stall",
			"h%u leads after a stall longer than dead_after, without "
			"having asked",
			h->index + 1);
	if (v->role == ELECT_ROLE_LEADER && h->watch.must_suspect && !v->asking)
		check_fail(s, "stall",
			"h%u shows that it leads after it was silent for so long that it may "
			"have been replaced, without having asked",
			h->index + 1);
}

/* ---- S3, S5: counters and tokens --------------------------------------------------------- */

static void check_formed(struct sim *s, struct sim_host *h)
{
	struct sim_watch *w = &h->watch;
	uint64_t counter = w->view.group.counter;

	for (unsigned i = w->formed_count; i > 0; i--)
		if (w->formed[i - 1] == counter) {
			check_fail(s, "S3", "h%u forms group %s a second time", h->index + 1,
				check_group_text(s, &w->view.group));
			return;
		}
	if (w->formed_count < SIM_FORMED_MAX)
		w->formed[w->formed_count++] = counter;
	if (w->view.state == ELECT_ELECTION)
		s->totals.elections++;
}

/* The minimum token (floor) keeps a host from going back, also after a restart. */
static void check_floor(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *v = step->now;
	bool shared = v->state == ELECT_NORMAL && v->members_count > 1;

	if (v->state == ELECT_NORMAL && elect_token(&v->group) < step->floor)
		check_fail(s, "S5", "h%u goes back to group %s", h->index + 1,
			check_group_text(s, &v->group));
	if ((shared || v->role == ELECT_ROLE_LEADER) && v->state == ELECT_NORMAL &&
		elect_floor(host_elect(h->core)) < elect_token(&v->group))
		check_fail(s, "S5", "h%u is in group %s with a lower floor", h->index + 1,
			check_group_text(s, &v->group));
}

static void check_counters(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect *e = host_elect(h->core);
	struct sim_watch *w = &h->watch;
	uint64_t token = step->now->token;

	if (elect_floor(e) < w->floor)
		check_fail(s, "S5", "the floor of h%u goes down", h->index + 1);
	if (elect_counter(e) < w->counter)
		check_fail(s, "S5", "the counter of h%u goes down", h->index + 1);
	if (token && token < w->token_shown)
		check_fail(s, "S5", "h%u shows token %llu after %llu", h->index + 1,
			(unsigned long long)token, (unsigned long long)w->token_shown);
	w->floor = elect_floor(e);
	w->counter = elect_counter(e);
	if (token > w->token_shown)
		w->token_shown = token;
}

/* The token of a new leadership fences off work that a former one left behind. */
static void check_new_token(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now;
	bool begins = now->role == ELECT_ROLE_LEADER &&
		(step->old->role != ELECT_ROLE_LEADER || check_shown_unled(s, now));

	if (begins && now->token <= h->watch.token_last)
		check_fail(s, "S5", "h%u begins to lead with token %llu, and led with %llu before",
			h->index + 1, (unsigned long long)now->token,
			(unsigned long long)h->watch.token_last);
}

static void check_holder(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	uint64_t token = step->now->token;

	if (step->now->role != ELECT_ROLE_LEADER || token == step->old->token)
		return;
	for (unsigned i = s->tokens_count; i > 0; i--)
		if (s->tokens[i - 1].token == token) {
			if (s->tokens[i - 1].host != h->index)
				check_fail(s, "S5", "h%u and h%u led with token %llu",
					s->tokens[i - 1].host + 1, h->index + 1,
					(unsigned long long)token);
			return;
		}
	if (s->tokens_count < SIM_TOKENS_MAX)
		s->tokens[s->tokens_count++] =
			(struct sim_token){ .token = token, .host = h->index };
	h->watch.token_last = token;
}

/* ---- L2, and the view --------------------------------------------------------------------- */

/* The last view that was reported must be the present one. */
static void check_shown(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *now = step->now, *shown = step->old;

	for (unsigned i = 0; i < s->actions.count; i++)
		if (s->actions.items[i].type == ELECT_ACTION_VIEW)
			shown = &s->actions.items[i].view;
	if (shown_differs(now, shown) || now->token != shown->token ||
		now->asking != shown->asking || !elect_id_equal(&now->leader, &shown->leader) ||
		!elect_id_equal(&now->awaits, &shown->awaits))
		check_fail(s, "view", "h%u changed without showing it", h->index + 1);
}

static void check_stint(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old;
	struct sim_watch *w = &h->watch;
	bool was = old->state == ELECT_ELECTION || old->state == ELECT_REORGANIZING;
	uint64_t most_us = check_reelects(h) ? CHECK_STINT_ALL_US : CHECK_STINT_US;

	if (was && s->now_us > w->stint_us + most_us)
		check_fail(s, "L2", "h%u was in %s for %u ms", h->index + 1,
			elect_state_name(old->state), (unsigned)((s->now_us - w->stint_us) / 1000));
	if (!was || !elect_group_equal(&old->group, &step->now->group))
		w->stint_us = s->now_us;
}

static void check_groups(struct sim *s, struct sim_host *h, const struct check_step *step)
{
	const struct elect_view *old = step->old, *v = step->now;

	if (old->asking != v->asking || old->sick != v->sick || old->may_lead != v->may_lead)
		s->changed_us = s->now_us; /* a story may wait for it */
	if (!shown_differs(old, v) && old->digest == v->digest)
		return;
	if (!elect_group_equal(&old->group, &v->group) && !elect_group_is_zero(&v->group) &&
		check_coordinates(h, &v->group) && v->state != ELECT_DOWN)
		check_formed(s, h);
	shown_changed(s, h, old);
	if (v->state == ELECT_NORMAL) {
		h->watch.list_hash = list_hash(host_elect(h->core));
		check_list(s, h);
		check_same_lists(s, h);
	}
	if (s->svg)
		svg_state(s, h);
}

/* In this order: functions that note what a host heard come first. */
static check_step_fn *const promises[] = {
	check_heard,		 /* notes Goodbyes and roles */
	check_crash_heard,	 /* notes wills */
	check_company,		 /* notes other hosts */
	check_until_heard,	 /* notes the leader that it follows */
	check_stint,		 /* L2 */
	check_counters,		 /* S5 */
	check_floor,		 /* S5 */
	check_groups,		 /* S1 – S4 */
	check_sessions,		 /* S6: which sessions it remembers */
	check_twice,		 /* S6: acts on a datagram once */
	check_leap,		 /* S6: not on one far ahead */
	check_unproven,		 /* S6: unverified datagrams change nothing */
	check_goodbye_heard,	 /* a Goodbye affects its own group only */
	check_declined,		 /* a succession of a living group is declined */
	check_demotion,		 /* a role ends with its demotion */
	check_address_freed,	 /* the address goes before leadership passes on */
	check_entitlement,	 /* leads with a majority, or after lone_hold */
	check_crash_waited,	 /* not during another host's demotion */
	check_health,		 /* not while it is sick */
	check_carrier,		 /* not without a carrier */
	check_until,		 /* not before a silent leader's work ends */
	check_shown, check_role, /* S4 */
	check_new_token,	 /* S5 */
	check_holder,		 /* S5 */
	check_reason,		 /* why a role began or ended */
};

static check_sent_fn *const promises_sent[] = {
	check_formed_how,
	check_goodbye_said, /* no host leaves while it leads */
	check_succession,   /* no host invents a Goodbye */
	check_named,	    /* names hosts at their own addresses */
	check_answer_to,    /* answers go to the host that asked */
	check_yield_asked,  /* leaders are asked to yield before a merge */
	check_until_sent,
};

static bool is_will(const struct elect_msg *m)
{
	return m->type == ELECT_GOODBYE && elect_loss_of_will(m->loss);
}

void check_stepped(struct sim *s, struct sim_host *h)
{
	static struct elect_msg heard;
	struct sim_watch *w = &h->watch;
	const struct elect_view old = w->view;
	struct check_step step = {
		.old = &old,
		.now = &w->view,
		.floor = w->floor,
		.at_us = sim_to_host(h, s->now_us),
		.event = s->fed ? ELECT_EVENT_MESSAGE : s->event.type,
	};

	if (s->fed) {
		elect_msg_copy(&heard, host_heard(h->core));
		if (!is_will(&heard)) /* a will ends the verification itself */
			heard.proven =
				trust_proven(host_trust(h->core), &heard.sender, heard.session);
		step.heard = &heard;
	}
	check_forgery(s, &step);
	elect_view(host_elect(h->core), &w->view);
	shown_leads(s, old.role == ELECT_ROLE_LEADER, w->view.role == ELECT_ROLE_LEADER);
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++)
		promises[i](s, h, &step);
}

/* By these messages a host learns that others went on without it, or it joins a new group. */
static bool asks(enum elect_msg_type type)
{
	return type == ELECT_AYUP || type == ELECT_AYNORMAL || type == ELECT_ENTERELECTION ||
		type == ELECT_ENTERELECTION_ANSWER || type == ELECT_SETCOORD_ANSWER ||
		type == ELECT_NEWSTATE_ANSWER || type == ELECT_AYCOORD || type == ELECT_AYTHERE ||
		type == ELECT_HELLO || type == ELECT_INVITATION || type == ELECT_READY ||
		type == ELECT_ACCEPT || type == ELECT_READY_ANSWER;
}

void check_sent(struct sim *s, struct sim_host *h, const struct host_datagram *d)
{
	static struct elect_msg m;

	if (asks(d->type))
		h->watch.must_ask = h->watch.must_suspect = false;
	if (wire_decode(d->bytes, d->size, &m) < 0)
		return;
	if (m.type == ELECT_AYCOORD || m.type == ELECT_AYNORMAL)
		h->watch.due_us = m.next_us ? sim_to_host(h, s->now_us) + m.next_us : 0;
	for (size_t i = 0; i < sizeof(promises_sent) / sizeof(promises_sent[0]); i++)
		promises_sent[i](s, h, &m, &d->ways);
}
