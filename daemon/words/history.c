/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: see history.h. An entry is made from the view, the previous entry, and what is
 * remembered of the previous leader.
 */
#include "history.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- hosts ------------------------------------------------------------------------------- */

struct history_host history_host(const struct narrate *names, const struct elect_id *id)
{
	const char *name = names && names->name_of ? names->name_of(names->user, id) : NULL;
	struct history_host h = { .id = *id };
	char text[ELECT_ID_SHORT];

	if (!elect_id_is_zero(id))
		snprintf(h.name, sizeof(h.name), "%s",
			name ? name : elect_id_text(id, text, sizeof(text)));
	return h;
}

/* ---- which views are entries ------------------------------------------------------------- */

static enum history_event role_event(enum elect_role role)
{
	static const enum history_event events[ELECT_ROLES] = {
		[ELECT_ROLE_NONE] = HISTORY_NONE,
		[ELECT_ROLE_FOLLOWER] = HISTORY_FOLLOWER,
		[ELECT_ROLE_LEADER] = HISTORY_LEADER,
	};

	return events[role];
}

/*
 * Membership changes are reported only while the state is normal. A group that has just formed and
 * has no leader yet is reported when it has one, which usually takes a few milliseconds.
 */
static bool members_differ(const struct history *h, const struct elect_view *v)
{
	if (v->state != ELECT_NORMAL)
		return false;
	if (v->role == ELECT_ROLE_NONE && !elect_group_equal(&v->group, &h->settled))
		return false;
	return v->members_count != h->told.members_count || v->digest != h->told.digest;
}

static enum history_event event_of(const struct history *h, const struct elect_view *v)
{
	const struct elect_view *told = &h->told;

	if (!h->begun || v->role != told->role || v->token != told->token ||
		!elect_id_equal(&v->leader, &told->leader))
		return role_event(v->role);
	if (members_differ(h, v))
		return HISTORY_MEMBERS;
	if (v->problems != told->problems || v->held != told->held)
		return HISTORY_STATE;
	return HISTORY_EVENTS;
}

/* ---- what is remembered ---------------------------------------------------------------------- */

/* Call this before the entry is made, because this view may be the one that loses the leader. */
static void remember_loss(struct history *h, const struct history_facts *f)
{
	const struct elect_view *v = f->view;
	bool led = !elect_id_is_zero(&h->told.leader);

	if (v->reason == ELECT_REASON_MERGED)
		h->met = history_host(f->names, &v->cause);
	if (!h->begun || !led || elect_id_equal(&v->leader, &h->told.leader))
		return;
	h->lost_us = f->now_us;
	h->lost_reason = v->reason;
	h->lost_cause = history_host(f->names, &v->cause);
	h->unwell = (struct history_unwell){ v->cause, f->why_not };
}

/* Call this after the entry is made, and also for views that make no entry. */
static void remember(struct history *h, const struct history_facts *f)
{
	const struct elect_view *v = f->view;

	if (v->state != ELECT_NORMAL)
		return;
	h->settled = v->group;
	h->met = (struct history_host){ 0 };
	if (elect_id_is_zero(&v->leader))
		return;
	h->leader = history_host(f->names, &v->leader);
	h->next = history_host(f->names, &f->next);
}

static void add_loss(const struct history *h, struct history_entry *entry)
{
	bool kept = elect_id_equal(&entry->leader.id, &h->told.leader);

	if (kept && !elect_id_is_zero(&entry->leader.id))
		return; /* the same leader with another token */
	entry->lost_us = h->lost_us;
	entry->lost_reason = h->lost_reason;
	entry->lost_cause = h->lost_cause;
	entry->next =
		!elect_id_is_zero(&h->next.id) && elect_id_equal(&entry->leader.id, &h->next.id);
}

/* The cause may have left since: then use its report from the moment when the leader was lost. */
static struct history_unwell unwell(const struct history *h, const struct history_facts *f)
{
	if (f->why_not.kind == ELECT_BAR_NONE)
		return h->unwell;
	return (struct history_unwell){ f->view->cause, f->why_not };
}

static void fill(const struct history *h, const struct history_facts *f, enum history_event event,
	struct history_entry *ret)
{
	const struct elect_view *v = f->view;

	*ret = (struct history_entry){
		.seq = f->seq,
		.boot_us = f->now_us,
		.event = event,
		.role = v->role,
		.old_role = h->told.role,
		.reason = v->reason,
		.self = history_host(f->names, &f->self),
		.cause = history_host(f->names, &v->cause),
		.leader = history_host(f->names, &v->leader),
		.old_leader = h->leader,
		.group = v->group,
		.coordinator = history_host(f->names, &v->group.coordinator),
		.met = h->met,
		.token = v->token,
		.list_version = v->list_version,
		.members_count = v->members_count,
		.old_members_count = h->told.members_count,
		.problems = v->problems,
		.old_problems = h->told.problems,
		.held = v->held,
		.old_held = h->told.held,
		.unwell = unwell(h, f),
		.link_sign = v->link_sign,
		.dead_after_us = f->dead_after_us,
	};
	add_loss(h, ret);
}

/* A separate copy, because hundreds of membership entries may follow under one leader. */
static void remember_lead(struct history *h, const struct history_entry *entry)
{
	switch (entry->event) {
	case HISTORY_LEADER:
	case HISTORY_FOLLOWER:
	case HISTORY_NONE:
		h->lead = *entry;
		h->has_lead = true;
		return;
	case HISTORY_MEMBERS:
	case HISTORY_STATE:
	case HISTORY_EVENTS:
		return;
	}
}

const struct history_entry *history_add(struct history *h, const struct history_facts *facts)
{
	enum history_event event = event_of(h, facts->view);
	struct history_entry *entry = NULL;

	remember_loss(h, facts);
	if (event != HISTORY_EVENTS) {
		entry = &h->entries[h->at];
		fill(h, facts, event, entry);
		remember_lead(h, entry);
		h->at = (h->at + 1) % HISTORY_MAX;
		h->count += h->count < HISTORY_MAX;
		h->begun = true;
		h->told = *facts->view;
	}
	remember(h, facts);
	return entry;
}

unsigned history_count(const struct history *h)
{
	return h->count;
}

const struct history_entry *history_at(const struct history *h, unsigned index)
{
	assert(index < h->count);
	return &h->entries[(h->at + HISTORY_MAX - h->count + index) % HISTORY_MAX];
}

const struct history_entry *history_last_lead(const struct history *h)
{
	return h->has_lead ? &h->lead : NULL;
}

const char *history_event_name(enum history_event event)
{
	static const char *const names[HISTORY_EVENTS] = {
		[HISTORY_LEADER] = "leader",
		[HISTORY_FOLLOWER] = "follower",
		[HISTORY_NONE] = "none",
		[HISTORY_MEMBERS] = "members",
		[HISTORY_STATE] = "state",
	};

	assert(event < HISTORY_EVENTS);
	return names[event];
}
