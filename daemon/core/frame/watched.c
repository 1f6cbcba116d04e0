/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched: see watched.h. A member that sends nothing for some beacons is probed. One that has not
 * acknowledged its list is sent it again each beacon.
 */
#include "watched.h"
#include "algorithm.h"
#include "due.h"
#include "lists.h"
#include "role.h"
#include "spare.h"
#include "why_nots.h"
#include "core/messages.h"

#include <string.h>

void watched_begin(struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++)
		e->watch.members[i].probe_us = 0;
	due_schedule(e);
}

/* ---- what members report --------------------------------------------------------------------- */

void watched_answered(struct elect *e, int member, const struct elect_msg *m)
{
	struct elect_watched *w = &e->watch.members[member];

	if (m->asked_us > w->asked_us)
		w->asked_us = m->asked_us;
}

/* The last message decides whether its host runs 0.1, because any other may be an insider's. */
static void learn_version(struct elect_watched *w, const struct elect_msg *m)
{
	if (elect_message_may_say(m, FIELD_QUORUM) || elect_message_may_say(m, FIELD_DEAD_AFTER))
		w->older = !m->quorum_said && !m->dead_after_us;
}

/* A member that has taken no list yet is not kept for its messages alone (Q3). */
void watched_heard(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);
	struct elect_watched *w;

	if (at < 0)
		return;
	w = &e->watch.members[at];
	w->heard_us = e->now_us;
	watched_answered(e, at, m);
	list_set_dead_after(e, at, m);
	learn_version(w, m);
	spare_heard(e, m);
	/* its own question, sent before it heard mine, may be its last before it turns away */
	if (m->asked_us && m->asked_us >= e->watch.asking_us)
		w->answered = true;
	if (w->taken || !w->missing)
		w->probes = 0;
	if (w->probes == 0)
		w->probe_us = 0;
	list_set_address(e, at, m);
	if (e->state == ELECT_NORMAL && !timers_running(e, e->algorithm->watched_timer))
		due_schedule(e);
	if (e->watch.asked_count > 0 || (m->asked_us && e->counted < e->config.quorum))
		role_review(e);
}

/* A list reports to all members another priority, name, or reason not to lead. */
void watched_standing(struct elect *e, int member, const struct elect_msg *m)
{
	const struct elect_standing *s = &m->standing;
	struct elect_member listed = e->up.members[member];
	bool tells = why_nots_said(e, m);
	char *name = e->watch.members[member].name;
	bool renamed;

	e->watch.members[member].claims = s->preempt_agreed;
	memcpy(name, m->name, sizeof(m->name));
	/*
	 * A name waits while a list is under way: many hosts may get other names at once, and the
	 * list after it has them all. A member sends its name until the list has it.
	 */
	renamed = name[0] && strcmp(name, listed.name) != 0 &&
		!timers_running(e, e->algorithm->list_timer);
	if (listed.priority == s->priority && listed.may_lead == s->may_lead && !tells && !renamed)
		return;
	listed.priority = s->priority;
	listed.may_lead = s->may_lead;
	if (name[0])
		memcpy(listed.name, name, sizeof(listed.name));
	if (renamed)
		because_set(e, ELECT_REASON_RENAMED, &m->sender);
	lists_put(e, &listed);
}

void watched_on_goodbye(struct elect *e, const struct elect_msg *m)
{
	if (elect_group_equal(&m->group, &e->group))
		lists_drop(e, &m->sender, ELECT_REASON_STOPPING);
}

/* ---- silent members -------------------------------------------------------------------------- */

static void probe(struct elect *e, unsigned i)
{
	struct elect_watched *w = &e->watch.members[i];
	struct elect_send *s;

	if (w->probes < PROBES_QUIET + PROBES_MAX)
		w->probes++;
	w->probe_us = e->now_us + (w->missing ? pace_beacons(e, 1) : pace_probe_us(e));
	if (w->missing) {
		lists_send_to(e, (int)i);
		return;
	}
	s = out_send(e, e->algorithm->probe, &e->up.members[i].id);
	s->probe = s->suspect = true;
}

static bool spent(const struct elect *e, const struct elect_watched *w)
{
	unsigned most = w->missing ? PROBES_MAX : PROBES_QUIET + PROBES_MAX;

	return w->probes >= most && due_at(e, w) <= e->now_us;
}

bool watched_is_lost(const struct elect *e, unsigned member)
{
	return spent(e, &e->watch.members[member]);
}

enum elect_reason watched_lost_because(const struct elect *e)
{
	return e->link_down ? ELECT_REASON_CARRIER_LOST : ELECT_REASON_DROPPED;
}

void watched_on_timer(struct elect *e)
{
	unsigned sent = 0;

	if (!group_coordinates(e))
		return;
	for (unsigned i = 1; i < e->up.count; i++)
		if (watched_is_lost(e, i) && e->algorithm->lost(e, i))
			return;
	for (unsigned i = 1; i < e->up.count && sent < PROBES_A_STEP; i++) {
		if (due_at(e, &e->watch.members[i]) > e->now_us)
			continue;
		probe(e, i);
		sent++;
	}
	due_schedule(e);
}

void watched_put_off(struct elect *e)
{
	if (e->state == ELECT_NORMAL)
		due_schedule(e);
}
