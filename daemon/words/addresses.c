/* SPDX-License-Identifier: Apache-2.0 */
#include "addresses.h"

#include <assert.h>
#include <string.h>

const char *addresses_state_name(enum addresses_state state)
{
	static const char *const names[ADDRESSES_STATES] = {
		[ADDRESSES_UNKNOWN] = "unknown",
		[ADDRESSES_HELD] = "held",
		[ADDRESSES_WAITING] = "waiting",
		[ADDRESSES_FOREIGN] = "foreign",
		[ADDRESSES_KEPT] = "kept",
		[ADDRESSES_FREE] = "free",
	};

	assert(state < ADDRESSES_STATES);
	return names[state];
}

static const struct addresses_row *find(
	const struct addresses *a, const struct elect_address *address)
{
	for (unsigned i = 0; i < a->count; i++)
		if (elect_address_equal(&a->rows[i].address, address))
			return &a->rows[i];
	return NULL;
}

/* ---- what users see ---------------------------------------------------------------------- */

static bool same_row(const struct addresses_row *a, const struct addresses_row *b)
{
	return elect_address_equal(&a->address, &b->address) && a->state == b->state &&
		a->configured == b->configured && !strcmp(a->interface, b->interface) &&
		!strcmp(a->words, b->words) && !strcmp(a->conflict, b->conflict);
}

static bool same(const struct addresses *a, const struct addresses *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (!same_row(&a->rows[i], &b->rows[i]))
			return false;
	return true;
}

static bool within(uint64_t at_us, uint64_t now_us, uint64_t time_us)
{
	return at_us && (at_us > now_us || now_us - at_us < time_us);
}

bool addresses_claimed(const struct addresses_row *row, uint64_t now_us)
{
	return row->conflict[0] && within(row->conflict_us, now_us, ADDRESSES_CONFLICT_US);
}

bool addresses_removed_often(const struct addresses_row *row, uint64_t now_us)
{
	return within(row->often_us, now_us, ADDRESSES_OFTEN_SHOWN_US);
}

/* ---- the table --------------------------------------------------------------------------- */

static void add(struct addresses *a, const struct addresses_row *row, bool configured)
{
	if (a->count == ADDRESSES_MAX || find(a, &row->address))
		return;
	a->rows[a->count] = *row;
	a->rows[a->count++].configured = configured;
}

bool addresses_configure(struct addresses *a, const struct elect_address *list, unsigned count)
{
	const struct addresses old = *a;

	assert(count <= ADDRESSES_CONFIGURED_MAX);
	a->count = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct addresses_row unknown = { .address = list[i] };
		const struct addresses_row *row = find(&old, &list[i]);

		add(a, row ? row : &unknown, true);
	}
	for (unsigned i = 0; i < old.count; i++)
		if (old.rows[i].state != ADDRESSES_UNKNOWN)
			add(a, &old.rows[i], false);
	return !same(a, &old);
}

/* The first report does not show when the address was restored before. */
static uint64_t often(const struct addresses_row *before, const struct addresses_row *row)
{
	if (!before)
		return 0;
	if (before->state == ADDRESSES_UNKNOWN || row->restored <= before->restored)
		return before->often_us;
	if (row->restored - before->restored > 1 ||
		within(before->restored_us, row->restored_us, ADDRESSES_OFTEN_US))
		return row->restored_us;
	return before->often_us;
}

bool addresses_take(struct addresses *a, const struct addresses *report)
{
	const struct addresses old = *a;

	assert(report->count <= ADDRESSES_REPORTED_MAX);
	a->count = 0;
	for (unsigned i = 0; i < old.count && old.rows[i].configured; i++) {
		const struct addresses_row unknown = { .address = old.rows[i].address };
		const struct addresses_row *row = find(report, &old.rows[i].address);

		add(a, row ? row : &unknown, true);
	}
	for (unsigned i = 0; i < report->count; i++)
		add(a, &report->rows[i], false);
	for (unsigned i = 0; i < a->count; i++)
		a->rows[i].often_us = often(find(&old, &a->rows[i].address), &a->rows[i]);
	return !same(a, &old);
}
