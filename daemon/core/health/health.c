/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health: see health.h. A name has a place from its first report on, or while it is required, until
 * a report forgets it or this host starts anew.
 */
#include "health.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct elect_reported *find(const struct health *h, const char *name)
{
	for (unsigned i = 0; i < h->count; i++)
		if (strcmp(h->rows[i].name, name) == 0)
			return (struct elect_reported *)&h->rows[i];
	return NULL;
}

static struct elect_reported *add(struct health *h, const char *name, uint64_t now_us)
{
	struct elect_reported *row = &h->rows[h->count++];

	assert(h->count <= ELECT_REPORTS_MAX);
	*row = (struct elect_reported){ .since_us = now_us };
	memcpy(row->name, name, strnlen(name, ELECT_NAME_MAX));
	h->changes++;
	return row;
}

static void remove_row(struct health *h, struct elect_reported *row)
{
	*row = h->rows[--h->count];
	h->changes++;
}

static void become(
	struct health *h, struct elect_reported *row, enum elect_health health, uint64_t now_us)
{
	if (row->health == health)
		return;
	row->health = health;
	row->since_us = now_us;
	h->changes++;
}

/* ---- which names there are --------------------------------------------------------------- */

static bool requires(const struct elect_config *config, const char *name)
{
	for (unsigned i = 0; i < config->required_count; i++)
		if (strcmp(config->required[i], name) == 0)
			return true;
	return false;
}

static bool goes_before(const struct elect_reported *row, const struct elect_reported *other)
{
	bool well = row->health == ELECT_HEALTH_WELL;

	if (well != (other->health == ELECT_HEALTH_WELL))
		return well;
	return row->heard_us < other->heard_us;
}

/* Removes a name that is not required: if possible a well one, with the oldest last report. */
static void make_room(struct health *h)
{
	struct elect_reported *first = NULL;

	if (h->count < ELECT_REPORTS_MAX)
		return;
	for (unsigned i = 0; i < h->count; i++)
		if (!h->rows[i].required && (!first || goes_before(&h->rows[i], first)))
			first = &h->rows[i];
	assert(first);
	remove_row(h, first);
}

/* A name that is neither required nor reported; or a required one, reported for leaders only. */
static bool is_void(const struct elect_reported *row)
{
	return row->required ? row->leading : row->heard_us == 0;
}

void health_require(struct health *h, const struct elect_config *config, uint64_t now_us)
{
	for (unsigned i = h->count; i-- > 0;) {
		h->rows[i].required = requires(config, h->rows[i].name);
		if (is_void(&h->rows[i]))
			remove_row(h, &h->rows[i]);
	}
	for (unsigned i = 0; i < config->required_count; i++) {
		if (find(h, config->required[i]))
			continue;
		make_room(h);
		add(h, config->required[i], now_us)->required = true;
	}
}

void health_role_over(struct health *h)
{
	for (unsigned i = h->count; i-- > 0;)
		if (h->rows[i].leading)
			remove_row(h, &h->rows[i]);
}

/* ---- counting ---------------------------------------------------------------------------- */

enum elect_report_verdict health_judge(const struct health *h, const struct elect_report *r)
{
	const struct elect_reported *row = find(h, r->name);

	if (r->forget)
		return row && row->heard_us ? ELECT_REPORT_TAKEN : ELECT_REPORT_NONE;
	if (row && row->required && r->leading)
		return ELECT_REPORT_REQUIRED;
	return row || h->count < ELECT_REPORTS_MAX ? ELECT_REPORT_TAKEN : ELECT_REPORT_FULL;
}

/*
 * The first report counts at once; so does the first after a silence, or after a change of
 * `leading`. A bad one of what runs on the leader only does not, because that may not be up yet.
 */
static bool counts_at_once(const struct elect_reported *row, const struct elect_report *r)
{
	bool first =
		row->health == ELECT_HEALTH_UNKNOWN || row->silent || row->leading != r->leading;

	return first && (r->well || !r->leading);
}

static void count(struct elect_reported *row, bool well)
{
	row->good = well ? row->good + 1 : 0;
	row->bad = well ? 0 : row->bad + 1;
}

/* A required name keeps its place. */
static void forget(struct health *h, struct elect_reported *row, uint64_t now_us)
{
	struct elect_reported old = *row;

	remove_row(h, row);
	if (old.required)
		add(h, old.name, now_us)->required = true;
}

static void take(
	struct health *h, struct elect_reported *row, const struct elect_report *r, uint64_t now_us)
{
	bool at_once;

	at_once = counts_at_once(row, r);
	if (at_once)
		row->good = row->bad = 0;
	row->leading = r->leading;
	row->silent = false;
	row->fall = r->fall;
	row->rise = r->rise;
	row->stale_us = r->stale_us;
	row->heard_us = now_us;
	elect_words_copy(row->words, sizeof(row->words), r->words);
	count(row, r->well);
	if (at_once || (r->well ? row->good >= r->rise : row->bad >= r->fall))
		become(h, row, r->well ? ELECT_HEALTH_WELL : ELECT_HEALTH_SICK, now_us);
}

void health_report(struct health *h, const struct elect_report *r, uint64_t now_us)
{
	struct elect_reported *row = find(h, r->name);

	if (r->forget)
		forget(h, row, now_us);
	else
		take(h, row ? row : add(h, r->name, now_us), r, now_us);
}

/* ---- silence ----------------------------------------------------------------------------- */

static uint64_t due_us(const struct elect_reported *row)
{
	return row->stale_us && row->heard_us && !row->silent ? row->heard_us + row->stale_us
							      : ELECT_NEVER;
}

static void say_silent(struct elect_reported *row)
{
	uint64_t ms = row->stale_us / 1000;

	if (ms % 1000)
		snprintf(row->words, sizeof(row->words), "silent for %" PRIu64 " ms", ms);
	else
		snprintf(row->words, sizeof(row->words), "silent for %" PRIu64 " s", ms / 1000);
}

void health_pass(struct health *h, uint64_t now_us)
{
	for (unsigned i = 0; i < h->count; i++) {
		struct elect_reported *row = &h->rows[i];

		if (due_us(row) > now_us)
			continue;
		row->silent = true;
		say_silent(row);
		become(h, row, ELECT_HEALTH_SICK, now_us);
	}
}

uint64_t health_due_us(const struct health *h)
{
	uint64_t first = ELECT_NEVER;

	for (unsigned i = 0; i < h->count; i++)
		if (due_us(&h->rows[i]) < first)
			first = due_us(&h->rows[i]);
	return first;
}

/* ---- results ----------------------------------------------------------------------------- */

bool elect_reported_bars(const struct elect_reported *r)
{
	return r->health == ELECT_HEALTH_SICK || (r->health == ELECT_HEALTH_UNKNOWN && r->required);
}

const struct elect_reported *health_worst(const struct health *h)
{
	const struct elect_reported *unknown = NULL;

	for (unsigned i = 0; i < h->count; i++) {
		if (h->rows[i].health == ELECT_HEALTH_SICK)
			return &h->rows[i];
		if (elect_reported_bars(&h->rows[i]))
			unknown = &h->rows[i];
	}
	return unknown;
}
