/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omega: S003 algorithms 5.1 and 5.2. Each host asks all others in each interval, suspects those
 * that do not answer within it, and follows the lowest host that it does not suspect. There is no
 * election: the hosts agree when all suspect the same hosts.
 *
 * In the paper a host also asks itself, and adds the asker where it means the host that answered.
 * Here a host is always correct to itself (C1). A host that returns is outside the model: the
 * others count it as a mistake, so their interval grows (C2, C3), up to the limit of interval.c.
 */
#include <assert.h>
#include <string.h>

#include "interval.h"

enum { REQUEST, REPLY };

struct omega {
	struct interval interval;
	bool correct[LAB_HOSTS_MAX], suspects[LAB_HOSTS_MAX];
};
static_assert(sizeof(struct omega) <= LAB_OWN_MAX, "it is kept in a host");

static const char *const messages[] = { "Request", "Reply", NULL };
static const char *const states[] = { "watches", NULL };
static const struct lab_msg request = { .type = REQUEST };

static struct omega *own(struct lab_host *h)
{
	return (struct omega *)h->own;
}

static bool mistaken(const struct lab_host *h, const struct omega *o)
{
	for (unsigned p = 0; p < h->count; p++)
		if (o->correct[p] && o->suspects[p])
			return true;
	return false;
}

static void judge(const struct lab_host *h, struct omega *o)
{
	if (mistaken(h, o))
		interval_grow(&o->interval);
	for (unsigned p = 0; p < h->count; p++)
		o->suspects[p] = !o->correct[p];
}

/* Algorithm 5.2. There is always a host to follow, because no host suspects itself. */
static void follow_the_lowest(struct lab_host *h, const struct omega *o)
{
	uint16_t leader = 0;

	assert(!o->suspects[h->id]);
	while (o->suspects[leader])
		leader++;
	if (leader != h->coordinator)
		lab_elected(h, leader);
}

static void tick(struct lab_host *h)
{
	struct omega *o = own(h);

	judge(h, o);
	follow_the_lowest(h, o);
	memset(o->correct, 0, sizeof(o->correct));
	o->correct[h->id] = true;
	interval_next(h, &o->interval, &request);
}

/* C4: no host was asked yet, so none is suspected. */
static void begin(struct lab_host *h, bool recovered)
{
	struct omega *o = own(h);

	(void)recovered;
	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	interval_begin(&o->interval);
	for (unsigned p = 0; p < h->count; p++)
		o->correct[p] = true;
	tick(h);
}

static void start(struct lab_host *h)
{
	(void)h;
}

static void message(struct lab_host *h, const struct lab_msg *m)
{
	if (m->type == REQUEST)
		lab_send(h, m->from, &(struct lab_msg){ .type = REPLY, .id = h->id });
	else if (m->id < h->count)
		own(h)->correct[m->id] = true;
}

static void timer(struct lab_host *h, unsigned which)
{
	if (which == INTERVAL_OVER)
		tick(h);
	else
		interval_again(h, &own(h)->interval, &request);
}

static double asks_and_answers(unsigned n, unsigned k)
{
	(void)k;
	return 2.0 * (n - 1);
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){ .what = "a tick of a host",
		.formula = "2(n - 1)",
		.counts = LAB_A_TICK,
		.value = asks_and_answers };
	return 1;
}

const struct lab_algorithm lab_omega = {
	.name = "omega",
	.title = "Omega on an eventually perfect detector",
	.source = "S003 algorithms 5.1 and 5.2",
	.links = LAB_ALL,
	.lowest_wins = true,
	.eventual = true,
	.messages = messages,
	.states = states,
	.size = sizeof(struct omega),
	.begin = begin,
	.start = start,
	.message = message,
	.timer = timer,
	.costs = costs,
};
