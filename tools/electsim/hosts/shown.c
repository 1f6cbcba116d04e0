/* SPDX-License-Identifier: Apache-2.0 */
/* shown: see shown.h. Reads views only, so it works for every kind of host. */
#include "shown.h"
#include "electsim/draw/draw.h"
#include "electsim/world/election.h"

bool shown_differs(const struct elect_view *a, const struct elect_view *b)
{
	return a->state != b->state || a->role != b->role || a->list_version != b->list_version ||
		!elect_group_equal(&a->group, &b->group);
}

void shown_leads(struct sim *s, bool was, bool is)
{
	unsigned before = s->leaders;

	if (s->leaders > 1) {
		s->totals.two_led_us += s->now_us - s->two_leaders_us;
		s->two_leaders_us = s->now_us;
	}
	s->leaders = s->leaders - was + is;
	if (s->leaders > 1)
		s->two_leaders_us = s->now_us;
	if (s->kind->led)
		s->kind->led(s, before);
}

void shown_gone(struct sim *s, struct sim_host *h)
{
	shown_leads(s, h->watch.view.role == ELECT_ROLE_LEADER, false);
	h->watch.view.role = ELECT_ROLE_NONE;
	h->watch.view.state = ELECT_DOWN;
}

void shown_changed(struct sim *s, struct sim_host *h, const struct elect_view *old)
{
	struct sim_watch *w = &h->watch;
	const struct elect_view *v = &w->view;

	if (v->state >= ELECT_REORGANIZING &&
		elect_id_equal(&v->group.coordinator, &h->config.id) &&
		v->group.counter != w->reorganized) {
		w->reorganized = v->group.counter;
		s->totals.formed++;
	}
	if (v->state == ELECT_NORMAL && !elect_group_equal(&v->group, &w->normal)) {
		w->normal = v->group;
		s->totals.regroupings++;
	}
	if (v->role == ELECT_ROLE_LEADER && old->role != ELECT_ROLE_LEADER) {
		s->totals.leaders++;
		s->totals.successors += s->led_last != h->index;
		s->led_last = h->index;
		w->ever_led = true;
	}
	s->totals.changes++;
	s->changed_us = s->now_us;
}

void shown_set(struct sim *s, struct sim_host *h, const struct elect_view *view)
{
	const struct elect_view old = h->watch.view;

	h->watch.view = *view;
	shown_leads(s, old.role == ELECT_ROLE_LEADER, view->role == ELECT_ROLE_LEADER);
	if (shown_differs(&old, view))
		shown_changed(s, h, &old);
	if (s->svg)
		svg_state(s, h);
}

static bool ought_to_lead(const struct sim *s, const struct sim_host *h, bool coordinates)
{
	if (!shown_lives(h))
		return false;
	return s->kind->ought_to_lead ? s->kind->ought_to_lead(s, h, coordinates)
				      : h->watch.view.may_lead;
}

bool shown_same_group(const struct sim *s, const struct elect_group *a, const struct elect_group *b)
{
	return (s->election->lab || a->counter == b->counter) &&
		elect_id_equal(&a->coordinator, &b->coordinator);
}

static bool is_normal(const struct sim_host *h)
{
	return shown_lives(h) && h->watch.view.state == ELECT_NORMAL;
}

/* Is no host with a lower index in its group? */
static bool first_of_group(const struct sim *s, const struct sim_host *h)
{
	for (unsigned i = 0; is_normal(h) && s->hosts[i] != h; i++)
		if (is_normal(s->hosts[i]) &&
			shown_same_group(s, &s->hosts[i]->watch.view.group, &h->watch.view.group))
			return false;
	return is_normal(h);
}

void shown_look(const struct sim *s, struct sim_liveness *ret)
{
	const struct sim_host *coordinator, *last = NULL;
	bool wanted = false, lists = true;

	*ret = (struct sim_liveness){ .agree = true };
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		if (!shown_lives(h))
			continue;
		ret->living++;
		ret->leaders += h->watch.view.role == ELECT_ROLE_LEADER;
		ret->agree = ret->agree && h->watch.view.state == ELECT_NORMAL;
		ret->groups += first_of_group(s, h);
		wanted = wanted || ought_to_lead(s, h, false);
		last = h;
	}
	coordinator = last ? sim_by_id(s, &last->watch.view.group.coordinator) : NULL;
	wanted = wanted || (coordinator && ought_to_lead(s, coordinator, true));
	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		lists = lists && (!shown_lives(h) || h->watch.view.members_count >= ret->living);
		wanted = wanted && (!shown_lives(h) || h->config.quorum <= ret->living);
	}
	ret->agree =
		ret->agree && ret->groups == 1 && lists && coordinator && shown_lives(coordinator);
	ret->led = ret->leaders == wanted;
}

bool shown_waits(const struct sim *s, unsigned *index)
{
	if (*index < s->hosts_count && shown_lives(s->hosts[*index]) &&
		!is_normal(s->hosts[*index]))
		return true;
	for (*index = 0; *index < s->hosts_count; ++*index)
		if (shown_lives(s->hosts[*index]) && !is_normal(s->hosts[*index]))
			return true;
	return false;
}

void shown_by(const struct sim *s, const struct sim_host *h, struct sim_shown *ret)
{
	const struct elect_view *v = &h->watch.view;
	const struct sim_host *of = sim_by_id(s, &v->group.coordinator);
	bool normal = h->on && v->state == ELECT_NORMAL;

	*ret = (struct sim_shown){ .on = h->on,
		.normal = normal,
		.leads = h->on && v->role == ELECT_ROLE_LEADER,
		.coordinator = normal && of ? (int)of->index : -1,
		.election = v->group.counter };
}

bool shown_agree(const struct sim *s)
{
	struct sim_liveness l;

	shown_look(s, &l);
	return l.agree;
}

unsigned shown_leaders(const struct sim *s)
{
	return s->leaders;
}

int shown_leader(const struct sim *s)
{
	int found = -1;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		if (!s->hosts[i]->on || s->hosts[i]->watch.view.role != ELECT_ROLE_LEADER)
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}
