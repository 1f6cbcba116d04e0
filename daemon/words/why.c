/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: see why.h. Lines and the paragraph are composed from the clauses of words/clauses.c. Text
 * that does not fit is cut. Only the paragraph has times.
 */
#include "why.h"

#include "clauses.h"
#include "core/line.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { LATER_MAX = 3 }; /* later changes that are listed one by one */

/* ---- clauses ----------------------------------------------------------------------------- */

struct hosts {
	const struct elect_id *self;
	const struct history_host *cause, *old_leader, *met;
	const struct history_unwell *unwell;
	unsigned more; /* hosts that came or went together with the cause */
};

static bool why_is_host(const struct history_host *host, const struct elect_id *id)
{
	return !elect_id_is_zero(id) && elect_id_equal(&host->id, id);
}

static void add_cause(struct line *t, const struct hosts *h, bool before)
{
	bool led = why_is_host(h->cause, &h->old_leader->id);

	if (elect_id_is_zero(&h->cause->id))
		line_add(t, "%s", before ? "the previous coordinator" : "another host");
	else if (why_is_host(h->cause, h->self))
		line_add(t, "this host");
	else
		line_add(t, "%s%s", h->cause->name,
			!before	      ? ""
				: led ? ", the previous leader,"
				      : ", the previous coordinator,");
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

/* "pg is sick: connection refused". A barred host may be well again, so for it: "was sick". */
static void add_not_well(struct line *t, enum elect_bar kind, const char *name, const char *words)
{
	if (kind == ELECT_BAR_UNKNOWN)
		line_add(t, "%s is required and was never reported", name);
	else
		line_add(t, "%s %s sick%s%s", name, kind == ELECT_BAR_RECOVERING ? "was" : "is",
			words[0] ? ": " : "", words);
}

static void add_unwell(struct line *t, const struct hosts *h)
{
	const struct elect_why_not *why = &h->unwell->why;

	if (!why_is_host(h->cause, &h->unwell->id) || !why->name[0] || why->kind == ELECT_BAR_OTHER)
		return;
	line_add(t, " (");
	add_not_well(t, why->kind, why->name, why->words);
	line_add(t, ")");
}

static void add_clause(
	struct line *t, const struct hosts *h, enum elect_reason reason, enum why_side side)
{
	for (const char *c = why_words(reason, side); *c; c++) {
		if (*c == '$' || *c == '&')
			add_cause(t, h, *c == '&');
		else if (*c == '%')
			add_met(t, h);
		else if (*c == '!')
			add_unwell(t, h);
		else
			line_add(t, "%c", *c);
	}
}

static bool why_same_leader(const struct history_entry *e)
{
	return why_is_host(&e->leader, &e->old_leader.id);
}

/* The leader was never lost: only its token changed. */
static bool why_leads_on(const struct history_entry *e)
{
	return why_same_leader(e) && e->lost_us == 0;
}

static enum why_side why_side_of(enum elect_role role)
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

/* If a follower keeps its leader, only its group has changed: use the clause about members. */
static void why_add_clause(struct line *t, const struct history_entry *e, enum why_side side)
{
	const struct hosts hosts = { &e->self.id, &e->cause, &e->old_leader, &e->met, &e->unwell,
		more_than_the_cause(e) };
	bool stays = side == WHY_FOLLOWS && why_leads_on(e);

	add_clause(t, &hosts, e->reason, stays ? WHY_MEMBERS : side);
	if (e->link_sign != ELECT_SIGN_UNKNOWN && e->reason == ELECT_REASON_COORDINATOR_SILENT)
		line_add(t,
			e->link_sign == ELECT_SIGN_NONE ? "; this host may be cut off: %s"
							: "; the link of this host works: %s",
			elect_sign_words(e->link_sign));
}

static void why_add_lost(struct line *t, const struct history_entry *e)
{
	const struct hosts hosts = { &e->self.id, &e->lost_cause, &e->old_leader, &e->met,
		&e->unwell, 0 };

	add_clause(t, &hosts, e->lost_reason, WHY_FOLLOWS);
}

/* "web3", "web3 (this host)" */
static void why_add_host(
	struct line *t, const struct history_entry *e, const struct history_host *host)
{
	line_add(t, "%s%s", host->name, why_is_host(host, &e->self.id) ? " (this host)" : "");
}

static enum why_side side_of(const struct history_entry *e)
{
	return e->event == HISTORY_MEMBERS ? WHY_MEMBERS : why_side_of(e->role);
}

/* ---- one line ---------------------------------------------------------------------------- */

/* "1 host", "4 hosts" */
static void why_add_count(struct line *t, unsigned count)
{
	line_add(t, "%u host%s", count, count == 1 ? "" : "s");
}

static void line_of_leader(struct line *t, const struct history_entry *e)
{
	why_add_host(t, e, &e->leader);
	line_add(
		t, " %s, token %" PRIu64 ", ", why_leads_on(e) ? "still leads" : "leads", e->token);
	why_add_count(t, e->members_count);
	line_add(t, ": ");
	why_add_clause(t, e, why_side_of(e->role));
}

static void line_of_problems(struct line *t, const struct history_entry *e, const char *before)
{
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		const struct elect_problem_row *row = elect_problem_row(i);

		if (!((e->problems ^ e->old_problems) & row->bit))
			continue;
		line_add(t, "%s%s: %s", before, e->problems & row->bit ? "problem" : "problem over",
			row->words);
		before = "; ";
	}
}

static void line_of_hold(struct line *t, const struct history_entry *e, const char *before)
{
	if (e->held != e->old_held)
		line_add(t, "%s%s", before,
			e->held ? "this host was put on hold: it only follows"
				: "this host is no longer on hold");
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

/* The newest entry about who leads or who is a member. */
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
	const struct hosts hosts = { self, &cause, last ? &last->old_leader : &nobody, &h->met,
		&h->unwell, 0 };
	const struct history_entry *lead = history_last_lead(h);
	struct line t = line_begin(ret_text, size);

	/* hosts that came later, or a hold, do not explain who leads */
	if (lead && lead->role == view->role && elect_id_equal(&lead->leader.id, &view->leader))
		why_add_clause(&t, lead, side_of(lead));
	else if (last && last->reason == view->reason &&
		elect_id_equal(&last->cause.id, &view->cause))
		why_add_clause(&t, last, side_of(last));
	else
		add_clause(&t, &hosts, view->reason, why_side_of(view->role));
}

/* ---- times ------------------------------------------------------------------------------- */

static void add_span(struct line *t, uint64_t us)
{
	uint64_t s = us / 1000000;

	if (us < 1000)
		line_add(t, "less than 1 ms");
	else if (us < 100000)
		line_add(t, "%" PRIu64 " ms", us / 1000);
	else if (s < 10)
		line_add(t, "%" PRIu64 ".%02u s", s, (unsigned)(us / 10000 % 100));
	else if (s < 120)
		line_add(t, "%" PRIu64 " s", s);
	else if (s < 7200)
		line_add(t, "%" PRIu64 " min", s / 60);
	else if (s < 172800)
		line_add(t, "%" PRIu64 " h", s / 3600);
	else
		line_add(t, "%" PRIu64 " days", s / 86400);
}

static uint64_t ago_us(const struct why_now *now, uint64_t boot_us)
{
	return boot_us < now->boot_us ? now->boot_us - boot_us : 0;
}

/* "14:02:11", with the date if it is not today; `tenths` adds tenths of a second. */
static void add_moment(struct line *t, const struct why_now *now, uint64_t boot_us, bool tenths)
{
	uint64_t ago = ago_us(now, boot_us);
	uint64_t real_us = ago < now->realtime_us ? now->realtime_us - ago : 0;
	time_t then = (time_t)(real_us / 1000000), today = (time_t)(now->realtime_us / 1000000);
	struct tm a = { 0 }, b = { 0 };
	char text[64];

	if (!localtime_r(&then, &a) || !localtime_r(&today, &b))
		return;
	strftime(text, sizeof(text),
		a.tm_year == b.tm_year && a.tm_yday == b.tm_yday ? "%H:%M:%S" : "%F %H:%M:%S", &a);
	line_add(t, "%s", text);
	if (tenths)
		line_add(t, ".%u", (unsigned)(real_us / 100000 % 10));
}

static void add_since(struct line *t, const struct why_now *now, uint64_t boot_us)
{
	uint64_t ago = ago_us(now, boot_us);

	line_add(t, " since ");
	add_moment(t, now, boot_us, false);
	if (ago < 1000000) {
		line_add(t, " (just now)");
		return;
	}
	line_add(t, " (");
	if (ago < 10000000)
		line_add(t, "%u s", (unsigned)(ago / 1000000));
	else
		add_span(t, ago);
	line_add(t, " ago)");
}

/* ---- the paragraph ----------------------------------------------------------------------- */

static void tell_followers(struct line *t, const struct history_entry *e)
{
	unsigned others = e->members_count ? e->members_count - 1u : 0;
	unsigned left = e->old_members_count > 2 ? e->old_members_count - 2u : 0;

	if (left == 0 && others == 0)
		line_add(t, "; no other host was left");
	else if (left == others && left == 1)
		line_add(t, "; the other remaining host followed");
	else if (left == others)
		line_add(t, "; all %u remaining hosts followed", left);
	else if (left > others)
		line_add(t, "; %u of %u remaining host%s followed", others, left,
			left == 1 ? "" : "s");
	else
		line_add(t, "; %u host%s followed", others, others == 1 ? "" : "s");
}

/* The previous coordinator is gone, and the next in succession leads. */
static void tell_succession(
	struct line *t, const struct history_entry *e, const struct why_now *now)
{
	bool silent = e->reason == ELECT_REASON_COORDINATOR_SILENT;
	bool said = e->reason == ELECT_REASON_COORDINATOR_STOPPED ||
		e->reason == ELECT_REASON_COORDINATOR_RESIGNED ||
		e->reason == ELECT_REASON_COORDINATOR_PREEMPTED;

	line_add(t, ". It took over because ");
	why_add_clause(t, e, why_side_of(e->role));
	line_add(t, ": ");
	if (said)
		line_add(t, "it announced this");
	else
		line_add(t, "%s noticed", e->leader.name);
	if (e->lost_us) {
		line_add(t, " at ");
		add_moment(t, now, e->lost_us, true);
	}
	if (silent)
		line_add(t, " after %" PRIu64 " ms without a beacon", e->dead_after_us / 1000);
	if (e->next)
		line_add(t,
			said ? ", and %s was first in succession" : " and was first in succession",
			e->leader.name);
	tell_followers(t, e);
	line_add(t, ".");
}

static void tell_other_reason(
	struct line *t, const struct history_entry *e, const struct why_now *now)
{
	bool led = why_is_host(&e->old_leader, &e->self.id);

	if (e->role == ELECT_ROLE_LEADER)
		line_add(t, ". It %s because ", why_same_leader(e) ? "leads again" : "took over");
	else
		line_add(t, " because ");
	why_add_clause(t, e, why_side_of(e->role));
	if (e->members_count > 1)
		line_add(t, "; the group has %u hosts", e->members_count);
	line_add(t, ".");
	if (!e->lost_us || e->lost_us == e->boot_us || e->lost_reason == e->reason)
		return;
	line_add(t, " This host %s at ", led ? "had stopped leading" : "had lost its leader");
	add_moment(t, now, e->lost_us, true);
	line_add(t, " because ");
	why_add_lost(t, e);
	line_add(t, ".");
}

/*
 * The gap is counted from the last sign of life of the previous leader. The real moment of its
 * failure is unknown, so this is an upper bound.
 */
static void tell_gap(struct line *t, const struct history_entry *e)
{
	bool silent = e->lost_reason == ELECT_REASON_COORDINATOR_SILENT;
	uint64_t gap_us = e->boot_us - e->lost_us + (silent ? e->dead_after_us : 0);

	if (!e->lost_us || gap_us == 0)
		return;
	line_add(t, "%s",
		why_is_own_view(e->reason) || why_is_own_view(e->lost_reason)
			? " This host knew of no leader for "
			: " Nobody led for ");
	line_add(t, "%s", silent ? "at most " : "");
	add_span(t, gap_us);
	line_add(t, ".");
}

/* Only a succession makes a new leader. Otherwise the leader may have led for a long time. */
static void tell_leader(struct line *t, const struct history_entry *e, const struct why_now *now)
{
	bool succession = why_is_succession(e->reason);
	bool follows = e->role == ELECT_ROLE_FOLLOWER;

	why_add_host(t, e, &e->leader);
	line_add(t, " leads");
	if (follows && !succession)
		line_add(t, "; %s (this host) follows it", e->self.name);
	add_since(t, now, e->boot_us);
	if (follows && succession)
		line_add(t, "; %s (this host) follows", e->self.name);
	if (succession)
		tell_succession(t, e, now);
	else
		tell_other_reason(t, e, now);
	tell_gap(t, e);
}

static void tell_nobody(struct line *t, const struct history_entry *e, const struct why_now *now)
{
	line_add(t, "Nobody leads");
	add_since(t, now, e->boot_us);
	line_add(t, ", as far as %s (this host) knows, because ", e->self.name);
	why_add_clause(t, e, WHY_NOBODY);
	if (e->reason == ELECT_REASON_COORDINATOR_SILENT)
		line_add(t, ": no beacon for %" PRIu64 " ms", e->dead_after_us / 1000);
	line_add(t, ".");
	if (!elect_id_is_zero(&e->old_leader.id) && !why_is_succession(e->reason)) {
		line_add(t, " The previous leader was ");
		why_add_host(t, e, &e->old_leader);
		line_add(t, ".");
	}
}

/* The entry that began the present leadership, which a new token of its leader does not begin. */
static unsigned story_index(const struct history *h)
{
	unsigned story = h->count;

	for (unsigned i = h->count; i-- > 0;) {
		const struct history_entry *e = history_at(h, i);

		if (e->event == HISTORY_MEMBERS || e->event == HISTORY_STATE)
			continue;
		story = i;
		if (e->event == HISTORY_NONE || !why_leads_on(e))
			break;
	}
	return story;
}

/* Problems are not listed here: tell_state() reports those that last. */
static bool is_later(const struct history_entry *e)
{
	return e->event != HISTORY_STATE;
}

static void tell_change(struct line *t, const struct history_entry *e, const struct why_now *now)
{
	line_add(t, " ");
	add_moment(t, now, e->boot_us, false);
	if (e->event == HISTORY_MEMBERS)
		line_add(t, " ");
	else
		line_add(t, " new token %" PRIu64 ", ", e->token);
	why_add_clause(t, e, e->event == HISTORY_MEMBERS ? WHY_MEMBERS : why_side_of(e->role));
	line_add(t, " (");
	why_add_count(t, e->members_count);
	line_add(t, ")");
}

static void tell_later(
	struct line *t, const struct history *h, unsigned story, const struct why_now *now)
{
	unsigned later = 0, told = 0;

	for (unsigned i = story + 1; i < h->count; i++)
		later += is_later(history_at(h, i));
	if (later == 0)
		return;
	if (later > LATER_MAX)
		line_add(t, " Since then %u changes, the last ones:", later);
	else
		line_add(t, " Since then:");
	for (unsigned i = story + 1; i < h->count; i++) {
		if (!is_later(history_at(h, i)) || told++ + LATER_MAX < later)
			continue;
		tell_change(t, history_at(h, i), now);
		line_add(t, "%s", told == later ? "." : ";");
	}
}

static void tell_state(struct line *t, const struct history_entry *newest)
{
	if (newest->held)
		line_add(t, " This host is on hold: it only follows.");
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++)
		if (newest->problems & elect_problem_row(i)->bit)
			line_add(t, " Problem: %s.", elect_problem_row(i)->words);
}

void why_paragraph(const struct history *h, const struct why_now *now, char *ret_text, size_t size)
{
	unsigned story = story_index(h);
	struct line t = line_begin(ret_text, size);
	const struct history_entry *e;

	if (story == h->count) {
		line_add(&t, "Nothing has changed yet.");
		return;
	}
	e = history_at(h, story);
	if (e->event == HISTORY_NONE)
		tell_nobody(&t, e, now);
	else
		tell_leader(&t, e, now);
	tell_later(&t, h, story, now);
	tell_state(&t, history_at(h, h->count - 1));
}

void why_health(const struct elect_reported *r, char *ret_text, size_t size)
{
	struct line t = line_begin(ret_text, size);

	if (r->health == ELECT_HEALTH_WELL)
		line_add(&t, "%s is well%s%s", r->name, r->words[0] ? ": " : "", r->words);
	else
		add_not_well(&t,
			r->health == ELECT_HEALTH_UNKNOWN ? ELECT_BAR_UNKNOWN : ELECT_BAR_SICK,
			r->name, r->words);
}
