/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists: see lists.h (slide 40, Monitor). A list that admits a host is repeated until the newcomers
 * acknowledge it. One that only drops is sent twice; members that miss it learn so from the digest
 * of the beacon.
 */
#include "lists.h"
#include "algorithm.h"
#include "backoff.h"
#include "due.h"
#include "keys.h"
#include "role.h"
#include "sick.h"
#include "why_nots.h"

#include <assert.h>
#include <string.h>

/* ---- the coordinator's side ------------------------------------------------------------------ */

/* After ten sends in vain: one beacon, then twice as long each time, up to 30 s (I2, Q3). */
static uint64_t pause_us(const struct elect *e, const struct elect_watched *w)
{
	unsigned doubled = w->sends < LIST_SENDS ? 0 : w->sends - LIST_SENDS;
	uint64_t pause = pace_beacons(e, 1) << (doubled < 16 ? doubled : 16);

	return pause < UNTAKEN_US_MAX ? pause : UNTAKEN_US_MAX;
}

static bool due(const struct elect *e, const struct elect_watched *w)
{
	return w->missing && (w->sends < LIST_SENDS || e->now_us >= w->sent_us + pause_us(e, w));
}

static bool any_missing(const struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++)
		if (due(e, &e->watch.members[i]))
			return true;
	return false;
}

void lists_first(struct elect *e)
{
	if (e->own_definition_size) {
		e->definition_size = e->own_definition_size;
		memcpy(e->definition, e->own_definition, e->own_definition_size);
	}
	list_install(e, 1);
}

bool lists_all_have(const struct elect *e)
{
	for (unsigned i = 1; i < e->up.count; i++)
		if (e->watch.members[i].missing)
			return false;
	return true;
}

static void count_send(struct elect *e, unsigned i)
{
	struct elect_watched *w = &e->watch.members[i];

	if (w->sends < UINT8_MAX)
		w->sends++;
	w->sent_us = e->now_us;
	if (w->sends > LIST_VAIN)
		backoff_untaken(e, &e->up.members[i], false);
}

static void send(struct elect *e, const struct elect_id *to)
{
	/* the parts are counted when the step is over */
	out_send(e, e->algorithm->list, to)->suspect = to;
	/* repeats for other members do not make a member's pause longer */
	for (unsigned i = 0; !to && i < e->up.count; i++)
		if (due(e, &e->watch.members[i]))
			count_send(e, i);
}

/* Where datagrams get lost, few hosts get all parts of a long list from one repeat. */
static uint64_t repeat_us(const struct elect *e)
{
	bool is_long = roster_parts(&e->up, e->definition_size) > LIST_PARTS_LONG;

	return pace_repeat_us(e) / (is_long ? 2 : 1);
}

void lists_send(struct elect *e)
{
	send(e, NULL);
	timers_set_in(e, e->algorithm->list_timer, repeat_us(e));
}

/* The member is named, and answers. One that acknowledged no list gets it by multicast (I2). */
void lists_send_to(struct elect *e, int index)
{
	struct elect_watched *w = &e->watch.members[index];

	w->missing = true;
	if (!due(e, w))
		return;
	send(e, w->taken ? &e->up.members[index].id : NULL);
	if (w->taken)
		count_send(e, (unsigned)index);
}

void lists_taken(struct elect *e, int index)
{
	struct elect_watched *w = &e->watch.members[index];

	e->repairs += w->differs;
	w->missing = w->differs = false;
	w->sends = w->sends < LIST_SENDS ? w->sends : LIST_SENDS;
	backoff_taken(e, &e->up.members[index].id);
	w->taken = true;
}

/* Counted as a loss if the member had a list, and the present one is not on its way any more. */
void lists_differ(struct elect *e, int index)
{
	struct elect_watched *w = &e->watch.members[index];

	w->differs |= w->taken && !timers_running(e, e->algorithm->list_timer);
	lists_wanted(e, index);
}

/* Other members may lack the list too: the next repeat names them together. */
void lists_wanted(struct elect *e, int index)
{
	e->watch.members[index].missing = true;
	if (timers_running(e, e->algorithm->list_timer))
		return;
	e->watch.ready_until_us = e->now_us + pace_window_us(e, READY_WINDOW_US);
	timers_set_in(e, e->algorithm->list_timer, pace_repeat_us(e) / 4);
}

/* No host is bound for longer than that. */
static uint64_t bound_us(const struct elect *e, const struct elect_msg *m)
{
	uint64_t most = e->config.timings.dead_after_us + (uint64_t)QUORUM_MARGIN_US;

	return m->bound_us < most ? m->bound_us : most;
}

void lists_member_from(
	const struct elect *e, const struct elect_msg *m, struct elect_member *ret_member)
{
	*ret_member = (struct elect_member){
		.id = m->sender,
		.session = m->session,
		.incarnation = m->incarnation,
		.address = m->address.family ? m->address : m->from,
		.says_where = m->address.family,
		.priority = m->standing.priority,
		.may_lead = m->standing.may_lead,
	};
	ret_member->dead_after_us = m->dead_after_us;
	if (m->bound_us)
		ret_member->bound_until_us = e->now_us + bound_us(e, m);
	keys_of(e, m, &ret_member->keys);
	memcpy(ret_member->name, m->name, sizeof(ret_member->name));
}

void lists_admit(struct elect *e)
{
	list_install(e, e->list_version + 1);
	counter_raise_floor(e); /* a group of one that no host led has others now */
	e->watch.ready_until_us = e->now_us + pace_window_us(e, READY_WINDOW_US);
	lists_send(e);
	due_schedule(e);
	role_review(e);
}

void lists_change(struct elect *e)
{
	list_install(e, e->list_version + 1);
	e->watch.ready_sends = 1;
	lists_send(e);
	due_schedule(e);
	role_review(e);
}

/* Takes over each name reported since the last list. No order depends on names. */
static void edit_names(struct elect *e)
{
	for (unsigned i = 0; i < e->up.count; i++) {
		char *name = e->watch.members[i].name;

		if (name[0])
			memcpy(e->next.members[i].name, name, sizeof(e->next.members[i].name));
		name[0] = '\0';
	}
}

void lists_edit(struct elect *e)
{
	e->algorithm->edit(e);
	roster_copy(&e->next, &e->up);
	if (group_at_work(e))
		edit_names(e);
}

void lists_put(struct elect *e, const struct elect_member *member)
{
	lists_edit(e);
	roster_put(&e->next, member, &e->config.id);
	lists_change(e);
}

void lists_drop(struct elect *e, const struct elect_id *id, enum elect_reason reason)
{
	if (roster_find(&e->up, id) < 0)
		return;
	lists_edit(e);
	roster_remove(&e->next, id);
	because_set(e, reason, id);
	lists_change(e);
}

void lists_on_timer(struct elect *e)
{
	if (any_missing(e) && e->now_us < e->watch.ready_until_us) {
		lists_send(e);
	} else if (e->watch.ready_sends > 0) {
		e->watch.ready_sends--;
		send(e, NULL);
	}
}

bool lists_acknowledged(struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &m->sender);

	if (m->answer != ELECT_ANSWER_YES || at < 0 || !elect_group_equal(&m->group, &e->group) ||
		m->list_version != e->list_version)
		return false;
	lists_taken(e, at);
	list_set_dead_after(e, at, m);
	return true;
}

void lists_compose(
	const struct elect *e, const struct elect_send *s, unsigned part, struct elect_msg *m)
{
	const struct elect_part *p = &m->part;

	m->group = s->group;
	m->list_version = e->list_version;
	m->digest = e->digest;
	roster_part(&e->up, e->definition_size, part, &m->part);
	for (unsigned i = 0; i < e->up.count; i++)
		if (e->watch.members[i].missing)
			m->missing[i / 8] |= (uint8_t)(1 << i % 8);
	why_nots_compose(e, m);
	if (p->members_count > 0)
		memcpy(m->members, e->up.members + p->first,
			p->members_count * sizeof(m->members[0]));
	else
		memcpy(m->piece, e->definition + p->first, p->piece_size);
}

/* ---- the member's side ----------------------------------------------------------------------- */

/* If parts disagree about their list, the last one counts, because the first may be a forgery. */
static void assembly_begin(struct elect *e, const struct elect_msg *m)
{
	struct elect_assembly *a = &e->assembly;

	if (a->count == m->part.count && a->version == m->list_version && a->digest == m->digest &&
		elect_group_equal(&a->group, &m->group))
		return;
	memset(a->got, 0, sizeof(a->got));
	a->group = m->group;
	a->version = m->list_version;
	a->digest = m->digest;
	a->count = m->part.count;
	a->got_count = 0;
	a->definition_size = 0;
	a->why_nots_count = 0;
	roster_clear(&e->next);
}

/* wire_decode() refuses a part beyond its totals, and totals beyond the limits. */
static void assembly_add(struct elect *e, const struct elect_msg *m)
{
	struct elect_assembly *a = &e->assembly;
	const struct elect_part *p = &m->part;

	assert(p->index < a->count && a->count <= ELECT_PARTS_MAX);
	assert(p->total <= (p->members_count > 0 ? ELECT_HOSTS_MAX : ELECT_DEFINITION_MAX));
	assert(p->first + p->members_count + p->piece_size <= p->total);
	if (a->got[p->index].count > 0)
		return;
	why_nots_gather(e, m);
	a->got[p->index] = *p;
	a->got_count++;
	if (p->members_count > 0) {
		e->next.count = p->total;
		memcpy(e->next.members + p->first, m->members,
			p->members_count * sizeof(m->members[0]));
	} else {
		a->definition_size = p->total;
		memcpy(a->definition + p->first, m->piece, p->piece_size);
	}
}

/* Neither list nor definition has a gap between its parts: no place is left unwritten. */
static bool assembly_covers(const struct elect *e)
{
	const struct elect_assembly *a = &e->assembly;
	unsigned members = 0, bytes = 0;

	for (unsigned i = 0; i < a->count; i++) {
		const struct elect_part *p = &a->got[i];
		bool list = p->members_count > 0;

		if (p->first != (list ? members : bytes) ||
			p->total != (list ? e->next.count : a->definition_size))
			return false;
		members += p->members_count;
		bytes += p->piece_size;
	}
	return members == e->next.count && bytes == a->definition_size;
}

/* The coordinator stands first, and no host twice. */
static bool assembly_sound(struct elect *e)
{
	const struct roster *r = &e->next;

	return roster_filled(&e->next) && r->count > 0 &&
		elect_id_equal(&r->members[0].id, &e->group.coordinator);
}

static bool assembly_complete(struct elect *e)
{
	struct elect_assembly *a = &e->assembly;
	bool sound;

	if (a->got_count < a->count)
		return false;
	sound = assembly_covers(e) && assembly_sound(e) &&
		roster_digest(&e->next, a->definition, a->definition_size) == a->digest;
	a->count = 0;
	return sound;
}

bool lists_gather(struct elect *e, const struct elect_msg *m)
{
	assembly_begin(e, m);
	assembly_add(e, m);
	return assembly_complete(e);
}

/* ---- a list that its coordinator did not send ------------------------------------------------ */

enum { CONTRADICTED = 2 /* beacons in a row: the list may have overtaken one */ };

static bool is_void(const struct elect *e)
{
	return e->watch.contradicted >= CONTRADICTED;
}

uint32_t lists_version(const struct elect *e)
{
	return is_void(e) ? 0 : e->list_version;
}

/* Only the coordinator makes lists: it names no older one, and only one in each version. */
void lists_compare(struct elect *e, const struct elect_msg *beacon)
{
	struct elect_watch *w = &e->watch;
	bool another = beacon->list_version == e->list_version && beacon->digest != e->digest;

	if (beacon->list_version >= e->list_version && !another)
		w->contradicted = 0;
	else if (w->contradicted < CONTRADICTED)
		w->contradicted++;
	if (is_void(e))
		w->admitted = 0;
}

bool lists_has(const struct elect *e, const struct elect_msg *m)
{
	return m->list_version == lists_version(e) && m->digest == e->digest;
}

enum lists_place lists_place(const struct elect *e)
{
	int at = roster_find(&e->next, &e->config.id);

	if (at < 0)
		return LISTS_NOT_ON_IT;
	return e->next.members[at].session == e->session ? LISTS_MINE : LISTS_ANOTHERS;
}

static void install(struct elect *e, const struct elect_msg *m)
{
	e->definition_size = e->assembly.definition_size;
	memcpy(e->definition, e->assembly.definition, e->definition_size);
	if (!e->next.members[0].address.family)
		e->next.members[0].address = m->from;
	why_nots_take(e);
	list_install(e, m->list_version);
	e->watch.contradicted = 0;
	memset(&out_action(e, ELECT_ACTION_PROVE)->prove, 0,
		sizeof(((struct elect_action *)0)->prove));
}

/*
 * A member that follows its group into another one, after its leader has died or merged, has not
 * been away. One that was dropped, and is admitted again, has been.
 */
static bool comes_along(const struct elect *e)
{
	return !elect_group_is_zero(&e->list_group) && !self_is(e, &e->list_group.coordinator) &&
		!elect_group_equal(&e->list_group, &e->group);
}

void lists_admitted(struct elect *e, const struct elect_msg *m)
{
	if (!comes_along(e))
		e->joined_us = e->now_us;
	install(e, m);
	e->quorum_missed = false;
	backoff_listed(e, &m->sender);
	role_follow(e, m->standing.established);
	role_joined(e);
	because_begin(e);
	state_enter(e, ELECT_NORMAL);
	counter_raise_floor(e);
	if (e->config.preempt_delay_us)
		timers_set_earlier(e, TIMER_BARRED, preempt_claims_from(e));
}

static const struct elect_member *only_on(const struct roster *r, const struct roster *other)
{
	for (unsigned i = 0; i < r->count; i++)
		if (roster_find(other, &r->members[i].id) < 0)
			return &r->members[i];
	return NULL;
}

static const struct elect_member *renamed(const struct elect *e)
{
	for (unsigned i = 0; i < e->next.count; i++) {
		int at = roster_find(&e->up, &e->next.members[i].id);

		if (at >= 0 && strcmp(e->up.members[at].name, e->next.members[i].name) != 0)
			return &e->next.members[i];
	}
	return NULL;
}

/* The reason of this version: a host joined, or else one left, or else one has another name. */
static void because_changed(struct elect *e)
{
	const struct elect_member *m;

	if ((m = only_on(&e->next, &e->up)))
		because_set(e, ELECT_REASON_JOINED, &m->id);
	else if ((m = only_on(&e->up, &e->next)))
		because_set(e,
			elect_id_equal(&m->id, &e->watch.left) ? ELECT_REASON_STOPPING
							       : ELECT_REASON_DROPPED,
			&m->id);
	else if ((m = renamed(e)))
		because_set(e, ELECT_REASON_RENAMED, &m->id);
}

void lists_kept(struct elect *e, const struct elect_msg *m)
{
	because_changed(e);
	install(e, m);
}

static bool asked(const struct elect *e, const struct elect_msg *m)
{
	int at = roster_find(&e->up, &e->config.id);

	return at >= 0 && m->missing[at / 8] & 1 << at % 8;
}

static void acknowledge(struct elect *e)
{
	struct elect_send *s = out_send(e, e->algorithm->list_answer, &e->group.coordinator);

	s->echo = e->watch.list;
	s->answer = ELECT_ANSWER_YES;
	if (e->watch.acknowledged == e->list_version)
		out_also_to_all(e, s);
	e->watch.acknowledged = e->list_version;
}

bool lists_answer(struct elect *e, const struct elect_msg *m, uint64_t us)
{
	if (!asked(e, m))
		return false;
	e->watch.list = m->transaction;
	if (us == 0)
		acknowledge(e);
	else if (!timers_running(e, e->algorithm->listed_timer))
		timers_set_in(e, e->algorithm->listed_timer, us);
	return true;
}

void lists_on_timer_listed(struct elect *e)
{
	if (!group_coordinates(e) && !e->watch.gone)
		acknowledge(e);
}

/* ---- its own line ---------------------------------------------------------------------------- */

static const struct elect_member *own_line(const struct elect *e)
{
	int at = roster_find(&e->up, &e->config.id);

	return at >= 0 ? &e->up.members[at] : NULL;
}

static bool called_otherwise(const struct elect *e)
{
	const struct elect_member *line = own_line(e);

	return line && strcmp(line->name, e->config.name) != 0;
}

void lists_say_name(const struct elect *e, struct elect_msg *m)
{
	if (called_otherwise(e))
		memcpy(m->name, e->config.name, sizeof(m->name));
}

bool lists_say_all(const struct elect *e)
{
	const struct elect_member *line = own_line(e);
	struct elect_why_not why;

	sick_why(e, &why);
	return line && line->priority == e->config.priority && line->may_lead == self_may_lead(e) &&
		!called_otherwise(e) && why.kind == ELECT_BAR_NONE && e->keys.count <= 1;
}

/* A new address or fitness of its own needs no list, because its beacons carry both. */
void lists_review_own(struct elect *e)
{
	const struct elect_member *former = own_line(e);
	struct elect_member line;

	if (!former || !group_at_work(e))
		return;
	if (former->priority == e->config.priority && !called_otherwise(e))
		return;
	if (called_otherwise(e))
		because_set(e, ELECT_REASON_RENAMED, &e->config.id);
	line = *former;
	line.priority = e->config.priority;
	memcpy(line.name, e->config.name, sizeof(line.name));
	lists_put(e, &line);
}
