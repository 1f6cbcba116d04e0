/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: see why.h. Lines and the paragraph are put together from the clauses of words/clauses.c;
 * what does not fit is cut, never broken.
 */
#include "why_inside.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- clauses ----------------------------------------------------------------------------- */

/* Whom a clause is about. */
struct hosts {
	const struct elect_id *self;
	const struct history_host *cause, *old_leader, *met;
	unsigned more; /* who came or went together with the cause */
};

bool why_is_host(const struct history_host *host, const struct elect_id *id)
{
	return !elect_id_is_zero(id) && elect_id_equal(&host->id, id);
}

static void add_cause(struct line *t, const struct hosts *h, bool before)
{
	bool led = why_is_host(h->cause, &h->old_leader->id);

	if (elect_id_is_zero(&h->cause->id))
		line_add(t, "%s", before ? "the coordinator before" : "another host");
	else if (why_is_host(h->cause, h->self))
		line_add(t, "this host");
	else
		line_add(t, "%s%s", h->cause->name,
			!before	      ? ""
				: led ? ", the leader before,"
				      : ", the coordinator before,");
	if (h->more)
		line_add(t, " and %u other%s", h->more, h->more == 1 ? "" : "s");
}

static void add_met(struct line *t, const struct hosts *h)
{
	if (elect_id_is_zero(&h->met->id))
		line_add(t, "another group");
	else
		line_add(t, "that of %s", h->met->name);
}

static void add_clause(
	struct line *t, const struct hosts *h, enum elect_reason reason, enum why_side side)
{
	for (const char *c = why_words(reason, side); *c; c++) {
		if (*c == '$' || *c == '&')
			add_cause(t, h, *c == '&');
		else if (*c == '%')
			add_met(t, h);
		else
			line_add(t, "%c", *c);
	}
}

enum why_side why_side_of(enum elect_role role)
{
	static const enum why_side sides[ELECT_ROLES] = {
		[ELECT_ROLE_NONE] = WHY_NOBODY,
		[ELECT_ROLE_FOLLOWER] = WHY_FOLLOWS,
		[ELECT_ROLE_LEADER] = WHY_LEADS,
	};

	return sides[role];
}

static unsigned more_than_the_cause(const struct history_entry *e)
{
	int grown = (int)e->members_count - (int)e->old_members_count;

	if (e->event != HISTORY_MEMBERS)
		return 0;
	return grown > 1 ? (unsigned)grown - 1 : grown < -1 ? (unsigned)-grown - 1 : 0;
}

/* A follower that stays with its leader has seen its group change, not its leader. */
void why_add_clause(struct line *t, const struct history_entry *e, enum why_side side)
{
	const struct hosts hosts = { &e->self.id, &e->cause, &e->old_leader, &e->met,
		more_than_the_cause(e) };
	bool stays = side == WHY_FOLLOWS && why_leads_on(e);

	add_clause(t, &hosts, e->reason, stays ? WHY_MEMBERS : side);
}

void why_add_lost(struct line *t, const struct history_entry *e)
{
	const struct hosts hosts = { &e->self.id, &e->lost_cause, &e->old_leader, &e->met, 0 };

	add_clause(t, &hosts, e->lost_reason, WHY_FOLLOWS);
}

void why_add_host(struct line *t, const struct history_entry *e, const struct history_host *host)
{
	line_add(t, "%s%s", host->name, why_is_host(host, &e->self.id) ? " (this host)" : "");
}

bool why_same_leader(const struct history_entry *e)
{
	return why_is_host(&e->leader, &e->old_leader.id);
}

/* It went on leading: what changed is its token. */
bool why_leads_on(const struct history_entry *e)
{
	return why_same_leader(e) && e->lost_us == 0;
}

static enum why_side side_of(const struct history_entry *e)
{
	return e->event == HISTORY_MEMBERS ? WHY_MEMBERS : why_side_of(e->role);
}

/* ---- one line ---------------------------------------------------------------------------- */

void why_add_count(struct line *t, unsigned count)
{
	line_add(t, "%u host%s", count, count == 1 ? "" : "s");
}

static void line_of_leader(struct line *t, const struct history_entry *e)
{
	why_add_host(t, e, &e->leader);
	line_add(t, " leads%s, token %" PRIu64 ", ", why_leads_on(e) ? " on" : "", e->token);
	why_add_count(t, e->members_count);
	line_add(t, ": ");
	why_add_clause(t, e, why_side_of(e->role));
}

static void line_of_problems(struct line *t, const struct history_entry *e, const char *before)
{
	for (unsigned i = 0; i < WHY_PROBLEMS; i++) {
		uint32_t bit = (uint32_t)why_problem_bit(i);

		if (!((e->problems ^ e->old_problems) & bit))
			continue;
		line_add(t, "%s%s: %s", before, e->problems & bit ? "problem" : "no longer",
			why_problem_words(i));
		before = "; ";
	}
}

static void line_of_hold(struct line *t, const struct history_entry *e, const char *before)
{
	if (e->held != e->old_held)
		line_add(t, "%s%s", before,
			e->held ? "this host was told only to follow" : "this host may lead again");
}

void why_line(const struct history_entry *entry, char *ret_text, size_t size)
{
	struct line t = line_begin(ret_text, size);
	const char *before = "; ";

	switch (entry->event) {
	case HISTORY_LEADER:
	case HISTORY_FOLLOWER:
		line_of_leader(&t, entry);
		break;
	case HISTORY_NONE:
		line_add(&t, "nobody leads: ");
		why_add_clause(&t, entry, WHY_NOBODY);
		break;
	case HISTORY_MEMBERS:
		why_add_clause(&t, entry, WHY_MEMBERS);
		line_add(&t, ", ");
		why_add_count(&t, entry->members_count);
		line_add(&t, " now");
		break;
	case HISTORY_STATE:
		before = "";
		break;
	case HISTORY_EVENTS:
		assert(false);
	}
	line_of_hold(&t, entry, before);
	line_of_problems(&t, entry, entry->held != entry->old_held ? "; " : before);
}

/* The newest entry that is about who leads or who is there. */
static const struct history_entry *newest_about_hosts(const struct history *h)
{
	for (unsigned i = h->count; i-- > 0;)
		if (history_at(h, i)->event != HISTORY_STATE)
			return history_at(h, i);
	return NULL;
}

void why_view(const struct history *h, const struct elect_view *view, const struct elect_id *self,
	const struct narrate *names, char *ret_text, size_t size)
{
	struct history_host cause = history_host(names, &view->cause);
	const struct history_entry *last = newest_about_hosts(h);
	const struct history_host nobody = { 0 };
	const struct hosts hosts = { self, &cause, last ? &last->old_leader : &nobody, &h->met, 0 };
	const struct history_entry *lead = history_last_lead(h);
	struct line t = line_begin(ret_text, size);

	/* Hosts that came since, or a hold, are no reason for who leads. */
	if (lead && lead->role == view->role && elect_id_equal(&lead->leader.id, &view->leader))
		why_add_clause(&t, lead, side_of(lead));
	else if (last && last->reason == view->reason &&
		elect_id_equal(&last->cause.id, &view->cause))
		why_add_clause(&t, last, side_of(last));
	else
		add_clause(&t, &hosts, view->reason, why_side_of(view->role));
}
