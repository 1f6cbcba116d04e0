/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exact: see exact.h. The run goes from event to event, so a host that waits 2^id rounds costs no
 * more than one that waits for none. Starts of one moment come first, then messages, then timers:
 * an answer that takes the longest permitted time is still in time.
 */
#include "exact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum kind { START, MESSAGE, TIMER };
enum { SIDES = 2, EVENTUAL_US = 6000000 };

struct event {
	uint64_t at;
	uint64_t order; /* kind, then the order of creation */
	uint32_t what;	/* the message's place in the store, or the number of the timer */
	uint16_t host;
};

struct exact {
	const struct exact_order *order;
	struct exact_result *result;
	struct event *heap;
	size_t events, room;
	struct lab_msg *store; /* messages in transit */
	uint32_t *unused;      /* free places of the store */
	size_t stored, spare;  /* size of the store; how many places are free */
	uint64_t now, made;
	uint64_t first, last; /* start of the best starter; arrival of the last message */
	uint64_t limit;	      /* of messages; a run that needs more does not end */
	uint64_t probed;      /* values of hops_max seen, a bit for each power of two */
	uint64_t words[LAB_HOSTS_MAX];
	uint64_t armed[LAB_HOSTS_MAX][LAB_TIMERS]; /* order of the armed event; 0: off */
	/* By sender and link: arrival of the last message on the link. */
	uint64_t busy[LAB_HOSTS_MAX][LAB_HOSTS_MAX + SIDES];
	struct rng rng;
	struct lab_host hosts[LAB_HOSTS_MAX];
};

/* ---- events --------------------------------------------------------------------------------- */

static void *grown(void *memory, size_t count, size_t size)
{
	void *p = realloc(memory, count * size);

	if (!p)
		abort();
	return p;
}

static bool earlier(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* Returns the event's order among those of one moment, never 0. */
static uint64_t push(struct exact *x, uint64_t at, enum kind kind, unsigned host, uint32_t what)
{
	struct event e = { .at = at,
		.order = (uint64_t)kind << 56 | ++x->made,
		.what = what,
		.host = (uint16_t)host };
	size_t i = x->events++;

	if (x->events > x->room)
		x->heap = grown(x->heap, x->room = x->room * 2 + 64, sizeof(*x->heap));
	for (; i > 0 && earlier(&e, &x->heap[(i - 1) / 2]); i = (i - 1) / 2)
		x->heap[i] = x->heap[(i - 1) / 2];
	x->heap[i] = e;
	return e.order;
}

static struct event pop(struct exact *x)
{
	struct event first = x->heap[0], last = x->heap[--x->events];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < x->events) {
		if (child + 1 < x->events && earlier(&x->heap[child + 1], &x->heap[child]))
			child++;
		if (!earlier(&x->heap[child], &last))
			break;
		x->heap[i] = x->heap[child];
		i = child;
	}
	x->heap[i] = last;
	return first;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Copies only the `ids` in use: the array is most of a message, and most messages have none. */
static void copy(struct lab_msg *to, const struct lab_msg *from)
{
	memcpy(to, from, offsetof(struct lab_msg, ids) + from->count * sizeof(from->ids[0]));
}

static uint32_t keep(struct exact *x, const struct lab_msg *m)
{
	uint32_t place;

	if (!x->spare) {
		size_t room = x->stored * 2 + 64;

		x->store = grown(x->store, room, sizeof(*x->store));
		x->unused = grown(x->unused, room, sizeof(*x->unused));
		while (x->stored < room)
			x->unused[x->spare++] = (uint32_t)x->stored++;
	}
	place = x->unused[--x->spare];
	copy(&x->store[place], m);
	return place;
}

static void count(struct exact *x, const struct lab_msg *m)
{
	struct exact_result *r = x->result;

	assert(m->type < EXACT_TYPES && m->count <= LAB_HOSTS_MAX);
	r->messages++;
	r->sent[m->type]++;
	r->ids += m->count;
	for (unsigned bit = 0; m->hops_max && bit < 16; bit++)
		if (m->hops_max == 1U << bit)
			x->probed |= UINT64_C(1) << bit;
}

/* Returns the time of arrival. A link delivers in the order of sending. */
static uint64_t arrival(struct exact *x, unsigned from, unsigned to, int side)
{
	uint64_t *busy, at;

	if (!x->order->random)
		return x->now + LAB_ROUND_US;
	busy = &x->busy[from][side ? LAB_HOSTS_MAX + (side > 0) : to];
	at = x->now + (1 + rng_below(&x->rng, EXACT_DELAY_MAX)) * LAB_ROUND_US;
	if (at < *busy)
		at = *busy;
	*busy = at;
	return at;
}

static void ground_send(struct lab_host *h, unsigned to, int side, const struct lab_msg *m)
{
	struct exact *x = h->user;
	uint64_t at = arrival(x, h->place, to, side);
	uint32_t place;

	count(x, m);
	if (x->result->messages > x->limit)
		return;
	place = keep(x, m);
	x->store[place].from = (uint16_t)h->place;
	x->store[place].election = h->election;
	x->store[place].side = (int8_t)-side;
	push(x, at, MESSAGE, to, place);
}

static void ground_cast(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m)
{
	for (unsigned to = first; to <= last; to++)
		if (to != h->place)
			ground_send(h, to, 0, m);
}

static void ground_timer(struct lab_host *h, unsigned which, uint64_t us)
{
	struct exact *x = h->user;

	x->armed[h->place][which] = us ? push(x, x->now + us, TIMER, h->place, (uint32_t)which) : 0;
}

static void ground_state(struct lab_host *h)
{
	(void)h;
}

static void ground_elected(struct lab_host *h)
{
	struct exact *x = h->user;

	x->result->elected[h->place] = h->coordinator;
	x->result->wins += h->coordinator == h->id;
}

static void ground_store(struct lab_host *h, uint64_t word)
{
	struct exact *x = h->user;

	x->words[h->place] = word;
	if (h->algorithm->stored)
		h->algorithm->stored(h);
}

static uint64_t ground_retrieve(struct lab_host *h)
{
	const struct exact *x = h->user;

	return x->words[h->place];
}

static void ground_report(struct lab_host *h, const char *text)
{
	const struct exact_order *order = ((struct exact *)h->user)->order;

	if (order->reports)
		order->reports(order->user, h->place, text);
}

static const struct lab_ground ground = {
	.send = ground_send,
	.cast = ground_cast,
	.timer = ground_timer,
	.state = ground_state,
	.elected = ground_elected,
	.store = ground_store,
	.retrieve = ground_retrieve,
	.report = ground_report,
};

/* ---- what happens --------------------------------------------------------------------------- */

/* A host that knows the result has no reason to start an election. */
static void start(struct exact *x, struct lab_host *h)
{
	struct exact_result *r = x->result;
	unsigned before = h->state;

	if (r->elected[h->place] != LAB_NONE)
		return;
	h->algorithm->start(h);
	if (before != 0 || (h->state == 0 && r->elected[h->place] == LAB_NONE))
		return;
	r->starters++;
	if (r->best == LAB_NONE || lab_better(h, h->id, r->best)) {
		r->best = h->id;
		x->first = x->now;
	}
}

static void receive(struct exact *x, struct lab_host *h, uint32_t place)
{
	struct lab_msg m;

	/* An answer may move the store. */
	copy(&m, &x->store[place]);
	x->unused[x->spare++] = place;
	x->last = x->now;
	if (x->order->dead[h->place])
		return;
	if (x->order->comes && !x->order->comes(x->order->user, h->place, &m))
		return;
	h->algorithm->message(h, &m);
}

/* An algorithm that never ends is stopped after EVENTUAL_US; messages in transit still arrive. */
static void tick(struct exact *x, struct lab_host *h, const struct event *e)
{
	if (x->armed[h->place][e->what] != e->order)
		return;
	x->armed[h->place][e->what] = 0;
	if (h->algorithm->eventual && x->now > EVENTUAL_US)
		return;
	x->result->ticks++;
	h->algorithm->timer(h, e->what);
}

static void happen(struct exact *x, const struct event *e)
{
	struct lab_host *h = &x->hosts[e->host];

	x->now = e->at;
	switch ((enum kind)(e->order >> 56)) {
	case START:
		start(x, h);
		break;
	case MESSAGE:
		receive(x, h, e->what);
		break;
	case TIMER:
		tick(x, h, e);
		break;
	}
}

/* ---- one election --------------------------------------------------------------------------- */

static void reset(struct exact *x, const struct exact_order *order, struct exact_result *ret)
{
	unsigned n = order->count;

	assert(n > 0 && n <= LAB_HOSTS_MAX);
	*ret = (struct exact_result){ .best = LAB_NONE };
	x->order = order;
	x->result = ret;
	x->rng.state = order->seed;
	x->now = x->made = x->first = x->last = x->probed = 0;
	x->events = 0;
	/* Only a run that did not end has left messages in the store. */
	if (x->spare != x->stored)
		for (x->spare = 0; x->spare < x->stored; x->spare++)
			x->unused[x->spare] = (uint32_t)x->spare;
	/* More than any algorithm needs; an eventual one may send that in each tick. */
	x->limit = UINT64_C(20) * n * n + 1000;
	if (order->algorithm->eventual)
		x->limit *= 1000;
	memset(x->words, 0, n * sizeof(x->words[0]));
	memset(x->armed, 0, n * sizeof(x->armed[0]));
	if (order->random)
		memset(x->busy, 0, n * sizeof(x->busy[0]));
}

static void place_host(struct exact *x, unsigned place)
{
	struct lab_host *h = &x->hosts[place];

	h->algorithm = x->order->algorithm;
	h->ground = &ground;
	h->user = x;
	h->rng = &x->rng;
	h->place = place;
	h->count = x->order->count;
	h->id = x->order->ids[place];
	h->literal = x->order->literal;
	h->election = 1;
	x->result->elected[place] = LAB_NONE;
}

static void begin(struct exact *x, unsigned place)
{
	if (x->order->dead[place])
		return;
	x->result->ticks++;
	lab_begin(&x->hosts[place], false);
}

/* Returns the id that must win. */
static uint16_t right_one(const struct exact *x)
{
	const struct exact_order *order = x->order;
	uint16_t best = LAB_NONE;

	if (order->algorithm->of_starters)
		return x->result->best;
	for (unsigned i = 0; i < order->count; i++)
		if (!order->dead[i] &&
			(best == LAB_NONE || lab_better(&x->hosts[i], order->ids[i], best)))
			best = order->ids[i];
	return best;
}

static const char *judge(const struct exact *x)
{
	const struct exact_order *order = x->order;
	const struct exact_result *r = x->result;
	bool eventual = order->algorithm->eventual;
	uint16_t right = right_one(x);
	unsigned winners = 0;

	if (r->messages > x->limit)
		return "it does not end";
	for (unsigned i = 0; i < order->count; i++)
		winners += r->elected[i] == order->ids[i];
	if (winners > 1)
		return "more than one host elected itself";
	for (unsigned i = 0; i < order->count; i++) {
		if (order->dead[i])
			continue;
		if (r->elected[i] == LAB_NONE)
			return "a host has no coordinator";
		if (r->elected[i] != right)
			return "the coordinator of a host is not the best";
		if (!eventual && x->hosts[i].state != 0)
			return "a host is still in the election";
	}
	return NULL;
}

static void run(struct exact *x)
{
	while (x->events && x->result->messages <= x->limit) {
		struct event e = pop(x);

		happen(x, &e);
	}
}

static void start_at(struct exact *x, unsigned place, uint64_t us)
{
	if (!x->order->dead[place] && x->order->starts[place] != EXACT_NEVER)
		push(x, us + x->order->starts[place] * LAB_ROUND_US, START, place, 0);
}

/* Like the transport: each host forgets the last election, and then the starters start. */
static void elect_again(struct exact *x)
{
	for (unsigned i = 0; i < x->order->count; i++) {
		struct lab_host *h = &x->hosts[i];

		if (x->order->dead[i])
			continue;
		h->election++;
		lab_forget(h);
		x->result->elected[i] = LAB_NONE;
	}
	for (unsigned i = 0; i < x->order->count; i++)
		start_at(x, i, x->now);
	run(x);
}

void exact_play(struct exact *x, const struct exact_order *order, struct exact_result *ret)
{
	reset(x, order, ret);
	for (unsigned i = 0; i < order->count; i++)
		place_host(x, i);
	for (unsigned i = 0; i < order->count; i++)
		begin(x, i);
	for (unsigned i = 0; i < order->count; i++)
		start_at(x, i, 0);
	run(x);
	for (unsigned i = 0; i < order->again && !x->events; i++)
		elect_again(x);
	ret->time = x->last > x->first ? (x->last - x->first) / LAB_ROUND_US : 0;
	ret->phases = (unsigned)__builtin_popcountll(x->probed);
	ret->broken = judge(x);
}

const struct lab_host *exact_host(const struct exact *x, unsigned place)
{
	return &x->hosts[place];
}

struct exact *exact_new(void)
{
	struct exact *x = aligned_alloc(16, (sizeof(*x) + 15) / 16 * 16);

	if (!x)
		abort();
	memset(x, 0, sizeof(*x));
	return x;
}

void exact_free(struct exact *x)
{
	if (!x)
		return;
	free(x->heap);
	free(x->store);
	free(x->unused);
	free(x);
}
