/* SPDX-License-Identifier: Apache-2.0 */
/*
 * story: the paragraph of `electctl why`, see why.h. Times are printed here and nowhere else.
 */
#include "why_inside.h"

#include <inttypes.h>
#include <time.h>

enum { LATER_MAX = 3 }; /* changes since then that are told one by one */

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

/* "14:02:11", with the day when it is not today; tenths of a second on request. */
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
		line_add(t, "; nobody else was left");
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

/* The coordinator before is gone, and the next in succession has taken over. */
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
		line_add(t, "it said goodbye");
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
 * From the last sign of life of the leader before: nobody knows when it really fell silent, so
 * that is the most it can have been.
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

/*
 * A succession makes a leader. For any other reason this host has come to follow one that may
 * have led for long.
 */
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
		line_add(t, " The leader before was ");
		why_add_host(t, e, &e->old_leader);
		line_add(t, ".");
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
		if (e->event == HISTORY_NONE || !why_leads_on(e))
			break;
	}
	return story;
}

/* A problem is told below, for as long as it lasts. */
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
		line_add(t, " This host was told only to follow.");
	for (unsigned i = 0; i < WHY_PROBLEMS; i++)
		if (newest->problems & (uint32_t)why_problem_bit(i))
			line_add(t, " Problem: %s.", why_problem_words(i));
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
