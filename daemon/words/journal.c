/* SPDX-License-Identifier: Apache-2.0 */
/* journal: see journal.h. No value contains a newline, because all of them are escaped. */
#include "journal.h"

#include "why.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct entry_kind kinds[JOURNAL_KINDS] = {
	[JOURNAL_LEADS] = { "3e45171f95f0430bbe059f9f263060f3", LOG_LEVEL_NOTICE },
	[JOURNAL_FOLLOWS] = { "cae476d8e33b490aa70746be9b0ce190", LOG_LEVEL_NOTICE },
	[JOURNAL_NOBODY] = { "bf6d20fcfe3e4c8599bced7fc5c75392", LOG_LEVEL_NOTICE },
	[JOURNAL_MEMBERS] = { "bff6d90714944dee8c5af9d4a6a91d85", LOG_LEVEL_INFO },
	[JOURNAL_PROBLEM] = { "f123c69655f64b4ebfc07aa619f72286", LOG_LEVEL_WARNING },
	[JOURNAL_PROBLEM_GONE] = { "4bf095cac5a643d79db4f4ac028c2a51", LOG_LEVEL_NOTICE },
	[JOURNAL_FAULTS] = { "9552616a1d494953bfdbda3cbad697d7", LOG_LEVEL_NOTICE },
	[JOURNAL_STATE_LOST] = { "1e0aaefd4b9b428cbc67791b0f3446f5", LOG_LEVEL_WARNING },
	[JOURNAL_HELD] = { "16d11086613e44528a961be932312f65", LOG_LEVEL_NOTICE },
	[JOURNAL_OTHER_KEYS] = { "6677d5f0887a467fb3c55b603dfd8c27", LOG_LEVEL_NOTICE },
	[JOURNAL_SICK] = { "7c1f0a9be2d44d0f9a3b64d1f0c5e8a2", LOG_LEVEL_WARNING },
	[JOURNAL_WELL] = { "b05d3e6c81f747a2a9d2c7e4163f9b70", LOG_LEVEL_NOTICE },
};

const char *journal_message_id(enum journal_kind kind)
{
	assert(kind < JOURNAL_KINDS);
	return kinds[kind].id;
}

/* ---- one entry --------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void add(
	struct entry *e, const char *field, const char *format, ...)
{
	char raw[LOG_LINE_MAX], text[LOG_LINE_MAX];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (length <= 0)
		return;
	log_escape(raw, strlen(raw), text, sizeof(text));
	entry_text(e, field, text);
}

static void begin(
	struct entry *e, const struct journal *j, enum journal_kind kind, const char *line)
{
	char text[LOG_LINE_MAX];

	log_escape(line, strlen(line), text, sizeof(text));
	entry_begin(e, &kinds[kind], "electd", text);
	add(e, "ELECTD_DOMAIN", "%s", j->domain);
}

static void add_host(
	struct entry *e, const char *name_field, const char *id_field, const struct history_host *h)
{
	char id[ELECT_ID_TEXT];

	if (elect_id_is_zero(&h->id))
		return;
	add(e, name_field, "%s", h->name);
	add(e, id_field, "%s", elect_id_text(&h->id, id, sizeof(id)));
}

static void add_change(struct entry *e, const struct history_entry *change)
{
	add(e, "ELECTD_EVENT", "%s", history_event_name(change->event));
	add(e, "ELECTD_SEQ", "%" PRIu64, change->seq);
	add(e, "ELECTD_BOOT_MS", "%" PRIu64, change->boot_us / 1000);
	add(e, "ELECTD_ROLE", "%s", elect_role_name(change->role));
	add(e, "ELECTD_OLD_ROLE", "%s", elect_role_name(change->old_role));
	add(e, "ELECTD_TOKEN", "%" PRIu64, change->token);
	if (!elect_group_is_zero(&change->group))
		add(e, "ELECTD_GROUP", "%s.%" PRIu64, change->coordinator.name,
			change->group.counter);
	add_host(e, "ELECTD_LEADER", "ELECTD_LEADER_ID", &change->leader);
	add(e, "ELECTD_REASON", "%s", elect_reason_name(change->reason));
	add_host(e, "ELECTD_CAUSE", "ELECTD_CAUSE_ID", &change->cause);
	add(e, "ELECTD_MEMBER_COUNT", "%u", change->members_count);
}

/* ---- writing ----------------------------------------------------------------------------- */

void journal_open(struct journal *j, const char *path, const char *domain)
{
	*j = (struct journal){ 0 };
	snprintf(j->domain, sizeof(j->domain), "%s", domain);
	entry_open(&j->way, path);
}

void journal_close(struct journal *j)
{
	entry_close(&j->way);
}

static void put(struct journal *j, enum journal_kind kind, const struct entry *e, const char *line)
{
	if (log_wanted(kinds[kind].level) && !entry_sent(&j->way, e))
		log_line(kinds[kind].level, "node", "%s", line);
}

static void put_change(struct journal *j, const struct history_entry *change,
	enum journal_kind kind, const char *line, const char *problem)
{
	struct entry e;

	begin(&e, j, kind, line);
	add_change(&e, change);
	if (problem)
		add(&e, "ELECTD_PROBLEM", "%s", problem);
	put(j, kind, &e, line);
}

static void problem_line(bool over, const char *words, char *ret_line, size_t size)
{
	snprintf(ret_line, size, "%s: %s", over ? "problem over" : "problem", words);
}

void journal_problem(struct journal *j, bool over, const char *name, const char *words)
{
	enum journal_kind kind = over ? JOURNAL_PROBLEM_GONE : JOURNAL_PROBLEM;
	char line[WHY_LINE_MAX];
	struct entry e;

	problem_line(over, words, line, sizeof(line));
	begin(&e, j, kind, line);
	add(&e, "ELECTD_PROBLEM", "%s", name);
	put(j, kind, &e, line);
}

static void put_problems(struct journal *j, const struct history_entry *change)
{
	char line[WHY_LINE_MAX];

	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		const struct elect_problem_row *row = elect_problem_row(i);
		bool now = change->problems & row->bit;
		bool lost = row->bit == ELECT_PROBLEM_STATE_LOST;

		if (now == (bool)(change->old_problems & row->bit))
			continue;
		problem_line(!now, row->words, line, sizeof(line));
		put_change(j, change,
			!now	       ? JOURNAL_PROBLEM_GONE
				: lost ? JOURNAL_STATE_LOST
				       : JOURNAL_PROBLEM,
			line, row->name);
	}
}

static enum journal_kind kind_of(enum history_event event)
{
	static const enum journal_kind of[HISTORY_EVENTS] = {
		[HISTORY_LEADER] = JOURNAL_LEADS,
		[HISTORY_FOLLOWER] = JOURNAL_FOLLOWS,
		[HISTORY_NONE] = JOURNAL_NOBODY,
		[HISTORY_MEMBERS] = JOURNAL_MEMBERS,
		[HISTORY_STATE] = JOURNAL_HELD,
	};

	assert(event < HISTORY_EVENTS);
	return of[event];
}

/* Problems and hold have entries of their own; the line of the change leaves them out. */
void journal_change(struct journal *j, const struct history_entry *entry)
{
	struct history_entry rest = *entry;
	char line[WHY_LINE_MAX];

	rest.old_problems = rest.problems;
	if (entry->event != HISTORY_STATE) {
		rest.old_held = rest.held;
		why_line(&rest, line, sizeof(line));
		put_change(j, entry, kind_of(entry->event), line, NULL);
	}
	if (entry->held != entry->old_held) {
		rest.event = HISTORY_STATE;
		rest.old_held = entry->old_held;
		why_line(&rest, line, sizeof(line));
		put_change(j, entry, JOURNAL_HELD, line, NULL);
	}
	put_problems(j, entry);
}

/* ---- faults ------------------------------------------------------------------------------ */

bool journal_faults(struct journal *j, uint64_t now_us, const uint64_t *counters, unsigned count,
	log_fault_name_fn *name, const char *more)
{
	char line[LOG_LINE_MAX];
	struct entry e;
	size_t size;

	if (!log_faults_text(&j->faults, now_us, counters, count, name, line, sizeof(line)))
		return false;
	size = strlen(line);
	snprintf(line + size, sizeof(line) - size, "%s%s", *more ? "; " : "", more);
	begin(&e, j, JOURNAL_FAULTS, line);
	put(j, JOURNAL_FAULTS, &e, line);
	return true;
}

void journal_last_faults(struct journal *j, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, const char *more)
{
	j->faults.told_us = 0;
	journal_faults(j, now_us, counters, count, name, more);
}

void journal_health(struct journal *j, const struct elect_reported *r)
{
	bool well = r->health == ELECT_HEALTH_WELL;
	enum journal_kind kind = well ? JOURNAL_WELL : JOURNAL_SICK;
	char line[WHY_LINE_MAX];
	struct entry e;

	why_health(r, line, sizeof(line));
	begin(&e, j, kind, line);
	add(&e, "ELECTD_HEALTH", "%s", r->name);
	if (r->words[0])
		add(&e, "ELECTD_HEALTH_WORDS", "%s", r->words);
	put(j, kind, &e, line);
}

void journal_other_keys(struct journal *j, const char *line)
{
	struct entry e;

	begin(&e, j, JOURNAL_OTHER_KEYS, line);
	put(j, JOURNAL_OTHER_KEYS, &e, line);
}
