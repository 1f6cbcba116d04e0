/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omega_recovery: S003 algorithm 5.3, for hosts that crash and return. In each interval a host
 * sends its incarnation to all others, and follows, of the hosts heard in it, the one with the
 * lowest incarnation, then the lowest id. A host that crashes often therefore loses.
 *
 * The paper's `if` never adds a candidate; here it does. A host is always its own candidate, so
 * there is always one to follow (C1). The interval grows with each new leader, including the first
 * (C2). A host with a short interval misses beats of a host with a long one, and its own grows
 * (C3).
 */
#include <assert.h>
#include <string.h>

#include "interval.h"

enum { HEARTBEAT };
enum { WATCHES, STORES };

struct recovery {
	struct interval interval;
	uint64_t incarnation;
	uint64_t candidates[LAB_HOSTS_MAX]; /* incarnation by id; 0: no candidate */
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

/* Lowest incarnation first. The loop goes downwards, so the lowest id of these wins. */
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

/* C4: the host is silent until its incarnation is on disk; otherwise two lives could share one. */
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
