/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omega-recovery: S003 algorithm 5.3, for hosts that crash and return: each tells all others in
 * each interval which of its lives it is in, and follows, of those heard in it, who lived fewest,
 * then the lowest. A host that comes and goes loses by it.
 *
 * The seed's `if` replaces the life of a candidate and lets nobody become one; here who is not yet
 * one is added. A host is always its own candidate, so there is always one to follow (C1). The
 * interval grows with each leader, the first too (C2); who has a short one misses beats of who has
 * a long one, and grows by that (C3).
 */
#include <assert.h>
#include <string.h>

#include "interval.h"

enum { HEARTBEAT };
enum { WATCHES, STORES };

struct recovery {
	struct interval interval;
	uint64_t incarnation;
	uint64_t candidates[LAB_HOSTS_MAX]; /* by id, their incarnations; 0: is none */
};
static_assert(sizeof(struct recovery) <= LAB_OWN_MAX, "it is kept in a host");

static const char *const messages[] = { "Heartbeat", NULL };
static const char *const states[] = { "watches", "stores", NULL };

static struct recovery *own(struct lab_host *h)
{
	return (struct recovery *)h->own;
}

static struct lab_msg heartbeat(const struct lab_host *h, const struct recovery *r)
{
	return (struct lab_msg){ .type = HEARTBEAT, .id = h->id, .incarnation = r->incarnation };
}

static void next_interval(struct lab_host *h, struct recovery *r)
{
	struct lab_msg beat = heartbeat(h, r);

	memset(r->candidates, 0, sizeof(r->candidates));
	r->candidates[h->id] = r->incarnation;
	interval_next(h, &r->interval, &beat);
}

/* Of fewest lives, and of these, since it looks downwards, the lowest. */
static uint16_t best(const struct lab_host *h, const struct recovery *r)
{
	uint16_t id = h->id;

	for (unsigned p = h->count; p-- > 0;)
		if (r->candidates[p] > 0 && r->candidates[p] <= r->candidates[id])
			id = (uint16_t)p;
	return id;
}

static void tick(struct lab_host *h)
{
	struct recovery *r = own(h);
	uint16_t leader = best(h, r);

	if (leader != h->coordinator) {
		interval_grow(&r->interval);
		lab_elected(h, leader);
	}
	next_interval(h, r);
}

/* C4: silent until its number is on disk, or two of its lives would share one. */
static void begin(struct lab_host *h, bool recovered)
{
	struct recovery *r = own(h);

	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	interval_begin(&r->interval);
	r->incarnation = recovered ? lab_retrieve(h) + 1 : 1;
	lab_state(h, STORES);
	lab_store(h, r->incarnation);
}

static void stored(struct lab_host *h)
{
	lab_state(h, WATCHES);
	next_interval(h, own(h));
}

/* It never ends: there is nothing to start. */
static void start(struct lab_host *h)
{
	(void)h;
}

static void message(struct lab_host *h, const struct lab_msg *m)
{
	uint64_t *known = &own(h)->candidates[m->id % LAB_HOSTS_MAX];

	if (h->state == WATCHES && m->id < h->count && m->incarnation > *known)
		*known = m->incarnation;
}

static void timer(struct lab_host *h, unsigned which)
{
	struct lab_msg beat = heartbeat(h, own(h));

	if (which == INTERVAL_OVER)
		tick(h);
	else
		interval_again(h, &own(h)->interval, &beat);
}

static double tells_all(unsigned n, unsigned k)
{
	(void)k;
	return n - 1.0;
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){ .what = "a tick of a host",
		.formula = "n - 1",
		.counts = LAB_A_TICK,
		.value = tells_all };
	return 1;
}

const struct lab_algorithm lab_omega_recovery = {
	.name = "omega-recovery",
	.title = "Omega for hosts that return",
	.source = "S003 algorithm 5.3",
	.links = LAB_ALL,
	.lowest_wins = true,
	.eventual = true,
	.messages = messages,
	.states = states,
	.size = sizeof(struct recovery),
	.begin = begin,
	.start = start,
	.message = message,
	.timer = timer,
	.stored = stored,
	.costs = costs,
};
