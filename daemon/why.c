/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: see why.h. Lines and the paragraph are put together from the clauses of why_words.c; what
 * does not fit is cut, never broken.
 */
#include "why.h"

#include "why_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LATER_MAX = 3 }; /* changes since, told one by one */

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	if (length < 0 || t->left == 0)
		return;
	if ((size_t)length >= t->left)
		length = (int)t->left - 1;
	t->at += length;
	t->left -= (size_t)length;
}

/* ---- clauses ----------------------------------------------------------------------------- */

/* Whom a clause is about. */
struct hosts {
	const struct elect_id *self;
	const struct history_host *cause, *old_leader, *met;
};

static bool is_host(const struct history_host *host, const struct elect_id *id)
{
	return !elect_id_is_zero(id) && elect_id_equal(&host->id, id);
}

static void add_cause(struct text *t, const struct hosts *h, bool before)
{
	bool led = is_host(h->cause, &h->old_leader->id);

	if (elect_id_is_zero(&h->cause->id))
		add(t, "%s", before ? "the coordinator before" : "another host");
	else if (is_host(h->cause, h->self))
		add(t, "this host%s", before && led ? ", the leader before," : "");
	else
		add(t, "%s%s", h->cause->name,
			!before	      ? ""
				: led ? ", the leader before,"
				      : ", the coordinator before,");
}

static void add_met(struct text *t, const struct hosts *h)
{
	if (elect_id_is_zero(&h->met->id))
		add(t, "another group");
	else
		add(t, "that of %s", h->met->name);
}

static void add_clause(
	struct text *t, const struct hosts *h, enum elect_reason reason, enum why_side side)
{
	for (const char *c = why_words(reason, side); *c; c++) {
		if (*c == '$' || *c == '&')
			add_cause(t, h, *c == '&');
		else if (*c == '%')
			add_met(t, h);
		else
			add(t, "%c", *c);
	}
}

static enum why_side role_side(enum elect_role role)
{
	static const enum why_side sides[ELECT_ROLES] = {
		[ELECT_ROLE_NONE] = WHY_NOBODY,
		[ELECT_ROLE_FOLLOWER] = WHY_FOLLOWS,
		[ELECT_ROLE_LEADER] = WHY_LEADS,
	};

	return sides[role];
}

static void add_entry_clause(struct text *t, const struct history_entry *e, enum why_side side)
{
	const struct hosts hosts = { &e->self.id, &e->cause, &e->old_leader, &e->met };

	add_clause(t, &hosts, e->reason, side);
}

static void add_lost_clause(struct text *t, const struct history_entry *e)
{
	const struct hosts hosts = { &e->self.id, &e->lost_cause, &e->old_leader, &e->met };

	add_clause(t, &hosts, e->lost_reason, WHY_NOBODY);
}

static void add_host(struct text *t, const struct history_entry *e, const struct history_host *host)
{
	add(t, "%s%s", host->name, is_host(host, &e->self.id) ? " (this host)" : "");
}

static bool same_leader(const struct history_entry *e)
{
	return is_host(&e->leader, &e->old_leader.id);
}

/* It went on leading: what changed is its token. */
static bool leads_on(const struct history_entry *e)
{
	return same_leader(e) && e->lost_us == 0;
}

/* ---- one line ---------------------------------------------------------------------------- */

static void add_hosts(struct text *t, unsigned count)
{
	add(t, "%u host%s", count, count == 1 ? "" : "s");
}

static void line_of_leader(struct text *t, const struct history_entry *e)
{
	add_host(t, e, &e->leader);
	add(t, " leads%s, token %" PRIu64 ", ", leads_on(e) ? " on" : "", e->token);
	add_hosts(t, e->members_count);
	add(t, ": ");
	add_entry_clause(t, e, role_side(e->role));
}

static void line_of_problems(struct text *t, const struct history_entry *e, const char *before)
{
	for (unsigned i = 0; i < WHY_PROBLEMS; i++) {
		uint32_t bit = (uint32_t)why_problem_bit(i);

		if (!((e->problems ^ e->old_problems) & bit))
			continue;
		add(t, "%s%s: %s", before, e->problems & bit ? "problem" : "no longer",
			why_problem_words(i));
		before = "; ";
	}
}

static void line_of_hold(struct text *t, const struct history_entry *e, const char *before)
{
	if (e->held != e->old_held)
		add(t, "%s%s", before,
			e->held ? "this host was told only to follow" : "this host may lead again");
}

void why_line(const struct history_entry *entry, char *ret_text, size_t size)
{
	struct text t = { ret_text, size };
	const char *before = "; ";

	ret_text[0] = '\0';
	switch (entry->event) {
	case HISTORY_LEADER:
	case HISTORY_FOLLOWER:
		line_of_leader(&t, entry);
		break;
	case HISTORY_NONE:
		add(&t, "nobody leads: ");
		add_entry_clause(&t, entry, WHY_NOBODY);
		break;
	case HISTORY_MEMBERS:
		add_hosts(&t, entry->members_count);
		add(&t, ": ");
		add_entry_clause(&t, entry, WHY_MEMBERS);
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

void why_view(const struct history *h, const struct elect_view *view, const struct elect_id *self,
	const struct narrate *names, char *ret_text, size_t size)
{
	struct history_host cause = history_host(names, &view->cause);
	const struct history_entry *lead = history_last_lead(h);
	const struct history_host nobody = { 0 };
	const struct hosts hosts = { self, &cause, lead ? &lead->old_leader : &nobody, &h->met };
	enum why_side side = role_side(view->role);
	struct text t = { ret_text, size };

	ret_text[0] = '\0';
	/* Somebody else who came or went is no reason to lead or to follow. */
	if (h->count && history_at(h, h->count - 1)->event == HISTORY_MEMBERS &&
		history_at(h, h->count - 1)->reason == view->reason)
		side = WHY_MEMBERS;
	add_clause(&t, &hosts, view->reason, side);
}

/* ---- times ------------------------------------------------------------------------------- */

static void add_span(struct text *t, uint64_t us)
{
	uint64_t s = us / 1000000;

	if (us < 100000)
		add(t, "%" PRIu64 " ms", us / 1000);
	else if (s < 10)
		add(t, "%" PRIu64 ".%02u s", s, (unsigned)(us / 10000 % 100));
	else if (s < 120)
		add(t, "%" PRIu64 " s", s);
	else if (s < 7200)
		add(t, "%" PRIu64 " min", s / 60);
	else if (s < 172800)
		add(t, "%" PRIu64 " h", s / 3600);
	else
		add(t, "%" PRIu64 " days", s / 86400);
}

static uint64_t ago_us(const struct why_now *now, uint64_t boot_us)
{
	return boot_us < now->boot_us ? now->boot_us - boot_us : 0;
}

/* "14:02:11", with the day when it is not today; tenths of a second on request. */
static void add_moment(struct text *t, const struct why_now *now, uint64_t boot_us, bool tenths)
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
	add(t, "%s", text);
	if (tenths)
		add(t, ".%u", (unsigned)(real_us / 100000 % 10));
}

static void add_since(struct text *t, const struct why_now *now, uint64_t boot_us)
{
	add(t, " since ");
	add_moment(t, now, boot_us, false);
	add(t, " (");
	add_span(t, ago_us(now, boot_us));
	add(t, " ago)");
}

/* ---- the paragraph ----------------------------------------------------------------------- */

static void tell_followers(struct text *t, const struct history_entry *e)
{
	unsigned others = e->members_count ? e->members_count - 1u : 0;
	unsigned left = e->old_members_count > 2 ? e->old_members_count - 2u : 0;

	if (left == 0 && others == 0)
		add(t, "; nobody else was left");
	else if (left >= others && e->old_members_count)
		add(t, "; %u of %u remaining host%s followed", others, left, left == 1 ? "" : "s");
	else
		add(t, "; %u host%s followed", others, others == 1 ? "" : "s");
}

/* The coordinator before is gone, and the next in succession has taken over. */
static void tell_succession(
	struct text *t, const struct history_entry *e, const struct why_now *now)
{
	bool silent = e->reason == ELECT_REASON_COORDINATOR_SILENT;
	bool said = e->reason == ELECT_REASON_COORDINATOR_STOPPED ||
		e->reason == ELECT_REASON_COORDINATOR_RESIGNED;

	add(t, " It took over because ");
	add_entry_clause(t, e, role_side(e->role));
	add(t, ": ");
	if (said)
		add(t, "it said goodbye");
	else
		add(t, "%s noticed", e->leader.name);
	if (e->lost_us) {
		add(t, " at ");
		add_moment(t, now, e->lost_us, true);
	}
	if (silent)
		add(t, " after %" PRIu64 " ms without a beacon", e->dead_after_us / 1000);
	if (e->next)
		add(t, said ? ", and %s was first in succession" : " and was first in succession",
			e->leader.name);
	tell_followers(t, e);
	add(t, ".");
}

static void tell_other_reason(
	struct text *t, const struct history_entry *e, const struct why_now *now)
{
	if (e->role == ELECT_ROLE_LEADER)
		add(t, " It %s because ", same_leader(e) ? "leads again" : "took over");
	else
		add(t, " This host follows it because ");
	add_entry_clause(t, e, role_side(e->role));
	if (e->members_count > 1)
		add(t, "; the group has %u hosts", e->members_count);
	add(t, ".");
	if (!e->lost_us || e->lost_us == e->boot_us || e->lost_reason == e->reason)
		return;
	add(t, " Before, at ");
	add_moment(t, now, e->lost_us, true);
	add(t, ", it was lost because ");
	add_lost_clause(t, e);
	add(t, ".");
}

/*
 * From the last sign of life of the leader before: nobody knows when it really fell silent, so
 * that is the most it can have been.
 */
static void tell_gap(struct text *t, const struct history_entry *e)
{
	bool silent = e->lost_reason == ELECT_REASON_COORDINATOR_SILENT;
	uint64_t gap_us = e->boot_us - e->lost_us + (silent ? e->dead_after_us : 0);

	if (!e->lost_us || gap_us == 0)
		return;
	add(t, "%s",
		why_is_own_absence(e->reason) || why_is_own_absence(e->lost_reason)
			? " This host knew of no leader for "
			: " Nobody led for ");
	add(t, "%s", silent ? "at most " : "");
	add_span(t, gap_us);
	add(t, ".");
}

static void tell_leader(struct text *t, const struct history_entry *e, const struct why_now *now)
{
	add_host(t, e, &e->leader);
	add(t, " leads");
	add_since(t, now, e->boot_us);
	if (e->role == ELECT_ROLE_FOLLOWER)
		add(t, "; %s (this host) follows", e->self.name);
	add(t, ".");
	if (why_is_succession(e->reason))
		tell_succession(t, e, now);
	else
		tell_other_reason(t, e, now);
	tell_gap(t, e);
}

static void tell_nobody(struct text *t, const struct history_entry *e, const struct why_now *now)
{
	add(t, "Nobody leads");
	add_since(t, now, e->boot_us);
	add(t, ", as far as %s (this host) knows, because ", e->self.name);
	add_entry_clause(t, e, WHY_NOBODY);
	if (e->reason == ELECT_REASON_COORDINATOR_SILENT)
		add(t, ": no beacon for %" PRIu64 " ms", e->dead_after_us / 1000);
	add(t, ".");
	if (!elect_id_is_zero(&e->old_leader.id) && !why_is_succession(e->reason)) {
		add(t, " The leader before was ");
		add_host(t, e, &e->old_leader);
		add(t, ".");
	}
}

/* The entry that began what is now: a leader that only got another token led before that. */
static unsigned story_index(const struct history *h)
{
	unsigned story = h->count;

	for (unsigned i = h->count; i-- > 0;) {
		const struct history_entry *e = history_at(h, i);

		if (e->event == HISTORY_MEMBERS || e->event == HISTORY_STATE)
			continue;
		story = i;
		if (e->event == HISTORY_NONE || !leads_on(e))
			break;
	}
	return story;
}

static void tell_later(
	struct text *t, const struct history *h, unsigned story, const struct why_now *now)
{
	unsigned later = h->count - story - 1;
	unsigned first = later > LATER_MAX ? h->count - LATER_MAX : story + 1;
	char line[WHY_LINE_MAX];

	for (unsigned i = first; i < h->count; i++) {
		const struct history_entry *e = history_at(h, i);

		if (i == first && later > LATER_MAX)
			add(t, " Since then %u changes, the last ones: ", later);
		else
			add(t, "%s", i == first ? " Since then: " : "; ");
		add_moment(t, now, e->boot_us, false);
		why_line(e, line, sizeof(line));
		add(t, " %s", line);
	}
	if (later)
		add(t, ".");
}

static void tell_problems(struct text *t, const struct history_entry *newest)
{
	for (unsigned i = 0; i < WHY_PROBLEMS; i++)
		if (newest->problems & (uint32_t)why_problem_bit(i))
			add(t, " Problem: %s.", why_problem_words(i));
}

void why_paragraph(const struct history *h, const struct why_now *now, char *ret_text, size_t size)
{
	unsigned story = story_index(h);
	struct text t = { ret_text, size };
	const struct history_entry *e;

	ret_text[0] = '\0';
	if (story == h->count) {
		add(&t, "Nothing has changed yet.");
		return;
	}
	e = history_at(h, story);
	if (e->event == HISTORY_NONE)
		tell_nobody(&t, e, now);
	else
		tell_leader(&t, e, now);
	tell_later(&t, h, story, now);
	tell_problems(&t, history_at(h, h->count - 1));
}
