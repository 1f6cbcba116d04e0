/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listed: a Ready and its answer (lists.md, Ready; slides 38-40): whether the list admits,
 * keeps or drops this host, and which members have it.
 */
#include "invitation.h"

void listed_on_ready_answer(struct elect *e, const struct elect_msg *m)
{
	bool inviting = e->state == ELECT_REORGANIZING && !own(e)->watch.awaiting;

	if (!(inviting || group_at_work(e)) || !lists_acknowledged(e, m))
		return;
	watched_heard(e, m);
	if (inviting)
		merge_on_ready_answer(e);
	else
		role_acknowledged(e);
}

/* A thousand answers at once overflow buffers on their way, and are asked for again. */
static uint64_t turn_us(const struct elect *e)
{
	unsigned rank = succession_rank(e);

	return rank < READY_AT_ONCE ? 0 : (uint64_t)(rank - READY_AT_ONCE) * READY_TURN_US;
}

static void acknowledge(struct elect *e, const struct elect_msg *m)
{
	if (lists_answer(e, m, turn_us(e)))
		watch_heard(e);
}

static void admitted(struct elect *e, const struct elect_msg *m)
{
	own(e)->watch.awaiting = false;
	e->watch.admitted = m->list_version;
	lists_admitted(e, m);
	watch_begin(e);
}

static void judge(struct elect *e, const struct elect_msg *m, bool member)
{
	enum lists_place place = lists_place(e);
	bool listed = place == LISTS_MINE || (place == LISTS_ANOTHERS && member);

	if (listed && place == LISTS_ANOTHERS && m->list_version > e->watch.admitted)
		/* another process with this id has this host's place */
		role_duplicate(e, e->duplicate_here);
	if (own(e)->watch.awaiting && listed)
		admitted(e, m);
	else if (member && listed)
		lists_kept(e, m);
	else if (member && m->list_version >= e->watch.admitted)
		invited_again(e, &m->transaction);
	if (listed)
		acknowledge(e, m);
}

/* The list is that of this host's group, from its coordinator. */
static bool concerns(const struct elect *e, const struct elect_msg *m)
{
	bool member = e->state == ELECT_NORMAL && !group_coordinates(e);

	return elect_group_equal(&m->group, &e->group) &&
		elect_id_equal(&m->sender, &e->group.coordinator) &&
		(member || own(e)->watch.awaiting);
}

enum elect_worth listed_worth(const struct elect *e, const struct elect_msg *m)
{
	return concerns(e, m) ? ELECT_WORTH_FOLLOWING : ELECT_WORTH_NOTHING;
}

void listed_on_ready(struct elect *e, const struct elect_msg *m)
{
	bool member = e->state == ELECT_NORMAL;

	if (!concerns(e, m))
		return;
	if (own(e)->watch.awaiting)
		invited_heard(e);
	if (member && m->list_version <= lists_version(e)) {
		/* once for each repeat, not for each part */
		if (lists_has(e, m) && m->part.index == 0)
			acknowledge(e, m);
		return;
	}
	if (lists_gather(e, m))
		judge(e, m, member);
}
