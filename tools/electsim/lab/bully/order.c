/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order: which host is above which, and the hosts heard outside of the group. Sends nothing.
 *
 * The order is static (slide 16, "PID"): may_lead, priority, id. A host that returns takes over. No
 * election changes the order, so no two hosts are each above the other.
 */
#include "bully.h"

#include <string.h>

bool order_above(const struct elect_standing *a, const struct elect_standing *b)
{
	if (a->may_lead != b->may_lead)
		return a->may_lead;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return elect_id_compare(&a->id, &b->id) > 0;
}

bool order_above_me(const struct elect *e, const struct elect_standing *s)
{
	struct elect_standing mine;

	self_standing(e, &mine);
	return order_above(s, &mine);
}

static struct elect_standing standing_of(const struct elect_member *m)
{
	return (struct elect_standing){
		.id = m->id, .priority = m->priority, .may_lead = m->may_lead
	};
}

bool order_member_above_me(const struct elect *e, const struct elect_member *m)
{
	struct elect_standing s = standing_of(m);

	return !self_is(e, &m->id) && order_above_me(e, &s);
}

unsigned order_rank(const struct elect *e)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < e->up.count; i++) {
		const struct elect_member *m = &e->up.members[i];

		if (!elect_id_equal(&m->id, &e->group.coordinator))
			rank += order_member_above_me(e, m);
	}
	return rank;
}

uint64_t order_spread_us(const struct elect *e, unsigned hosts)
{
	unsigned known = hosts > e->up.count ? hosts : e->up.count;

	/* while the host is on no list with others */
	if (e->up.count <= 1 && known < own(e)->down.heard)
		known = own(e)->down.heard;
	return moment_at_most((uint64_t)known * SPREAD_US, SPREAD_MAX_US);
}

/* ---- hosts outside of the group ------------------------------------------------------------- */

bool order_fresh(const struct elect *e, uint64_t us)
{
	return us && us + pace_beacons(e, FRESH_BEACONS) > e->now_us;
}

struct bully_heard *order_find(const struct elect *e, const struct elect_id *id)
{
	const struct bully_own *o = own(e);

	for (unsigned i = 0; i < o->heard_count; i++)
		if (elect_id_equal(&o->heard[i].standing.id, id))
			return (struct bully_heard *)&o->heard[i];
	return NULL;
}

/* Returns the host's place. The host that was silent the longest is replaced. */
static struct bully_heard *place(struct elect *e, const struct elect_id *id)
{
	struct bully_heard *h = order_find(e, id);
	struct bully_own *o = own(e);
	unsigned oldest = 0;

	if (h)
		return h;
	if (o->heard_count < HEARD_MAX) {
		oldest = o->heard_count++;
	} else {
		for (unsigned i = 1; i < o->heard_count; i++)
			if (o->heard[i].heard_us < o->heard[oldest].heard_us)
				oldest = i;
	}
	h = &o->heard[oldest];
	memset(h, 0, sizeof(*h));
	h->standing.id = *id;
	return h;
}

struct bully_heard *order_heard(struct elect *e, const struct elect_msg *m)
{
	struct bully_heard *h = place(e, &m->sender);

	h->standing = m->standing;
	h->heard_us = e->now_us;
	if (!m->standing.established)
		h->yield_from_us = h->named_us = 0;
	return h;
}

void order_named(struct elect *e, const struct elect_id *id)
{
	struct bully_heard *h;

	if (elect_id_is_zero(id) || self_is(e, id))
		return;
	h = place(e, id);
	h->named_us = e->now_us;
	if (!h->heard_us)
		h->heard_us = e->now_us;
}

/* Shifts the moments by the host's own lateness, so that a stall ages none of them. */
void order_later(struct elect *e, uint64_t late_us)
{
	for (unsigned i = 0; i < own(e)->heard_count; i++) {
		struct bully_heard *h = &own(e)->heard[i];

		pace_later(e, &h->heard_us, late_us);
		pace_later(e, &h->named_us, late_us);
		pace_later(e, &h->stale_us, late_us);
		pace_later(e, &h->yield_from_us, late_us);
	}
}

void order_forget(struct elect *e, const struct elect_id *id)
{
	struct bully_heard *h = order_find(e, id);

	if (h)
		*h = own(e)->heard[--own(e)->heard_count];
}

static bool leads(const struct elect *e, const struct bully_heard *h)
{
	return (h->standing.established && order_fresh(e, h->heard_us)) ||
		order_fresh(e, h->named_us);
}

/* The host was asked for as long as its demotion may take. */
static bool asked_in_vain(const struct elect *e, const struct bully_heard *h)
{
	return h->yield_from_us && e->now_us - h->yield_from_us >= e->config.yield_timeout_us;
}

bool order_leads(const struct elect *e, const struct bully_heard *h)
{
	return leads(e, h) && !asked_in_vain(e, h);
}

/* Returns whether a leader is heard, or was named, that is not in the group (C8). */
bool order_rival(const struct elect *e)
{
	const struct bully_own *o = own(e);

	for (unsigned i = 0; i < o->heard_count; i++) {
		const struct bully_heard *h = &o->heard[i];

		if (order_leads(e, h) && roster_find(&e->up, &h->standing.id) < 0)
			return true;
	}
	return false;
}
