/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others: see others.h. Remembers and forgets; who leads is role.c's to decide.
 */
#include "others.h"

#include <assert.h>

static struct elect_other_algorithm *find(struct elect_others *o, const struct elect_id *id)
{
	for (unsigned i = 0; i < o->count; i++)
		if (elect_id_equal(&o->list[i].id, id))
			return &o->list[i];
	return NULL;
}

static bool is_stronger(const struct elect *e, const struct elect_other_algorithm *a)
{
	return a->number < e->config.algorithm;
}

/* The other host may lead, or follow one that does: a living coordinator is heard each beacon. */
static uint64_t lives_until(const struct elect *e, const struct elect_other_algorithm *a)
{
	return a->heard_us + e->config.timings.dead_after_us;
}

static bool any_stronger_lives(const struct elect *e)
{
	const struct elect_others *o = &e->others;

	for (unsigned i = 0; i < o->count; i++)
		if (is_stronger(e, &o->list[i]) && lives_until(e, &o->list[i]) > e->now_us)
			return true;
	return false;
}

/*
 * When the last of the stronger ones is gone another of its group may be about to succeed: as long
 * as a host that is alone waits, this one does, too.
 */
static void settle(struct elect *e)
{
	bool was = e->others.stronger;

	e->others.stronger = any_stronger_lives(e);
	if (was && !e->others.stronger)
		e->others.barred_until_us = e->now_us + e->config.lone_hold_us;
}

/* ---- hearing ----------------------------------------------------------------------------- */

/* Of those with the weakest algorithm who was heard longest ago; NULL: all are stronger. */
static struct elect_other_algorithm *make_room(struct elect_others *o, uint8_t number)
{
	struct elect_other_algorithm *worst = &o->list[0];

	if (o->count < ELECT_OTHER_ALGORITHMS_MAX)
		return &o->list[o->count++];
	for (unsigned i = 1; i < o->count; i++) {
		struct elect_other_algorithm *a = &o->list[i];

		if (a->number != worst->number ? a->number > worst->number
					       : a->heard_us < worst->heard_us)
			worst = a;
	}
	return worst->number < number ? NULL : worst;
}

/* Whoever leads next does so under a higher number than all before, of whatever algorithm. */
static void note_counter(struct elect *e, const struct elect_other_algorithm *other)
{
	if (other->counter < ELECT_COUNTER_LIMIT)
		elect_counter_lifted(e, other->counter, &other->id);
	else
		elect_counter_refused(e);
}

void others_heard(struct elect *e, const struct elect_other_algorithm *other)
{
	struct elect_other_algorithm *place = find(&e->others, &other->id);

	note_counter(e, other);
	if (!place)
		place = make_room(&e->others, other->number);
	if (!place)
		return;
	*place = *other;
	place->heard_us = e->now_us;
	settle(e);
}

/* ---- forgetting -------------------------------------------------------------------------- */

static void forget(struct elect *e, struct elect_other_algorithm *a)
{
	*a = e->others.list[--e->others.count];
	settle(e);
}

/* Who resigns goes on. */
static bool leaves(const struct elect_msg *m)
{
	return m->type == ELECT_GOODBYE && m->loss != ELECT_LOSS_RESIGN;
}

/* It was started anew, with this host's algorithm. */
static bool is_one_of_us(const struct elect *e, const struct elect_msg *m)
{
	return !elect_msg_of_all(m->type) && elect_msg_algorithm(m->type) == e->config.algorithm;
}

void others_said(struct elect *e, const struct elect_msg *m)
{
	struct elect_other_algorithm *a = find(&e->others, &m->sender);

	if (a && (leaves(m) || is_one_of_us(e, m)))
		forget(e, a);
}

static uint64_t until(const struct elect_other_algorithm *a)
{
	return a->heard_us + DIFFERENCE_FORGET_US;
}

bool others_pass(struct elect *e)
{
	struct elect_others *o = &e->others;
	bool over = o->barred_until_us && o->barred_until_us <= e->now_us;

	if (over)
		o->barred_until_us = 0;
	for (unsigned i = o->count; i-- > 0;)
		if (until(&o->list[i]) <= e->now_us)
			forget(e, &o->list[i]);
	settle(e);
	return over;
}

void others_later(struct elect *e, uint64_t late_us)
{
	for (unsigned i = 0; i < e->others.count; i++)
		elect_later(e, &e->others.list[i].heard_us, late_us);
	elect_longer(e, &e->others.barred_until_us, late_us);
}

uint64_t others_due_us(const struct elect *e)
{
	const struct elect_others *o = &e->others;
	uint64_t due_us = o->barred_until_us ? o->barred_until_us : ELECT_NEVER;

	for (unsigned i = 0; i < o->count; i++) {
		uint64_t lives_us = lives_until(e, &o->list[i]);

		due_us = elect_at_most(until(&o->list[i]), due_us);
		if (lives_us > e->now_us)
			due_us = elect_at_most(lives_us, due_us);
	}
	return due_us;
}

/* ---- telling ----------------------------------------------------------------------------- */

const struct elect_id *others_strongest(const struct elect *e)
{
	const struct elect_others *o = &e->others;
	const struct elect_other_algorithm *best = NULL;

	for (unsigned i = 0; i < o->count; i++)
		if (o->list[i].number < (best ? best->number : e->config.algorithm))
			best = &o->list[i];
	return best ? &best->id : NULL;
}

unsigned elect_other_algorithms_count(const struct elect *e)
{
	return e->others.count;
}

const struct elect_other_algorithm *elect_other_algorithm_at(const struct elect *e, unsigned index)
{
	assert(index < e->others.count);
	return &e->others.list[index];
}
