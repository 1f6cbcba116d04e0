/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_nots: see why_nots.h. A list that reports nothing else is made only now and then, because a
 * name that comes and goes would make one each time.
 */
#include "why_nots.h"

#include <string.h>

static struct elect_why_not_row *find(const struct elect *e, const struct elect_id *id)
{
	for (unsigned i = 0; i < e->why_nots_count; i++)
		if (elect_id_equal(&e->why_nots[i].id, id))
			return (struct elect_why_not_row *)&e->why_nots[i];
	return NULL;
}

void why_nots_of(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why)
{
	const struct elect_why_not_row *row = find(e, id);

	*ret_why = row ? row->why : (struct elect_why_not){ 0 };
}

/* The coordinator's line is as old as the list; its beacons report its present fitness. */
bool why_nots_may_lead(const struct elect *e, unsigned rank)
{
	if (rank > 0 || e->watch.fitness == ELECT_FITNESS_UNSAID)
		return e->up.members[rank].may_lead;
	return e->watch.fitness == ELECT_FITNESS_FIT;
}

/* Returns whether that is news, and not in words alone. A full table notes nothing new. */
static bool put(struct elect *e, const struct elect_id *id, const struct elect_why_not *why)
{
	struct elect_why_not_row *row = find(e, id);
	bool news;

	if (why->kind == ELECT_BAR_NONE) {
		if (row)
			*row = e->why_nots[--e->why_nots_count];
		return row;
	}
	if (!row && e->why_nots_count == WHY_NOTS_MAX)
		return false;
	news = !row || row->why.kind != why->kind || strcmp(row->why.name, why->name) != 0;
	if (!row)
		row = &e->why_nots[e->why_nots_count++];
	*row = (struct elect_why_not_row){ *id, *why };
	return news;
}

bool why_nots_said(struct elect *e, const struct elect_msg *m)
{
	e->why_nots_news |= put(e, &m->sender, &m->why_not);
	return e->why_nots_news && e->now_us - e->why_nots_us >= WHY_NOTS_PAUSE_US;
}

void why_nots_note(struct elect *e, const struct elect_msg *m)
{
	put(e, &m->sender, &m->why_not);
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Each part carries as much as fits: parts that are full of members carry none. */
void why_nots_compose(const struct elect *e, struct elect_msg *m)
{
	for (unsigned i = 0; i < e->why_nots_count; i++) {
		int at = roster_find(&e->up, &e->why_nots[i].id);

		if (at > 0 && m->why_nots_count < ELECT_WHY_NOTS_MAX)
			m->why_nots[m->why_nots_count++] =
				(struct elect_why_not_of){ (uint16_t)at, e->why_nots[i].why };
	}
}

void why_nots_gather(struct elect *e, const struct elect_msg *m)
{
	struct elect_assembly *a = &e->assembly;

	if (a->why_nots_count >= m->why_nots_count)
		return; /* another part has brought more */
	a->why_nots_count = m->why_nots_count;
	memcpy(a->why_nots, m->why_nots, m->why_nots_count * sizeof(m->why_nots[0]));
}

/* The coordinator's own reason comes with its beacons. */
void why_nots_take(struct elect *e)
{
	const struct elect_assembly *a = &e->assembly;
	struct elect_why_not_row *row = find(e, &e->group.coordinator), own;

	if (row)
		own = *row;
	e->why_nots_count = 0;
	if (row)
		put(e, &own.id, &own.why);
	for (unsigned i = 0; i < a->why_nots_count; i++)
		if (a->why_nots[i].place < e->next.count)
			put(e, &e->next.members[a->why_nots[i].place].id, &a->why_nots[i].why);
}

void why_nots_listed(struct elect *e)
{
	e->why_nots_news = false;
	e->why_nots_us = e->now_us;
	for (unsigned i = e->why_nots_count; i-- > 0;) {
		int at = roster_find(&e->up, &e->why_nots[i].id);

		if (at < 0 || self_is(e, &e->why_nots[i].id))
			e->why_nots[i] = e->why_nots[--e->why_nots_count];
	}
}
