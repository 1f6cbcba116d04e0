/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows: see rows.h. If there are few hosts, every arrangement is played, else a sample: in rounds
 * and, if the algorithm promises its cost for them too, with random delays.
 */
#include "rows.h"

#include <string.h>

#include "core/rng.h"

/* The most commanders; every DELAYED-th sample is also played with random delays. */
enum { COMMANDERS = 8, DELAYED = 3 };

struct tally {
	const struct lab_cost *cost;
	struct rows_figures *ret;
	double sum, squares; /* of the measured values */
	double formulas;
};

/* Rows with the same starters and arrangements: they share the runs. */
struct sweep {
	struct exact *x;
	const struct lab_algorithm *a;
	const struct lab_cost *cost; /* the first of them */
	struct tally rows[LAB_COSTS_MAX];
	unsigned count;
	struct exact_order order;
	struct rng rng;
	unsigned sampled;
};

/* ---- who starts ----------------------------------------------------------------------------- */

static uint16_t best_id(const struct sweep *w)
{
	return w->a->lowest_wins ? 0 : (uint16_t)(w->order.count - 1);
}

static unsigned place_of(const struct sweep *w, uint16_t id)
{
	unsigned place = 0;

	while (w->order.ids[place] != id)
		place++;
	return place;
}

static void nobody_starts(struct sweep *w)
{
	for (unsigned i = 0; i < w->order.count; i++)
		w->order.starts[i] = EXACT_NEVER;
}

/* At most COMMANDERS starters, each subset of that size as likely as any other. */
static void commanders(struct sweep *w)
{
	unsigned n = w->order.count;
	unsigned left = 1 + (unsigned)rng_below(&w->rng, n < COMMANDERS ? n : COMMANDERS);

	nobody_starts(w);
	for (unsigned i = 0; i < n && left; i++)
		if (rng_below(&w->rng, n - i) < left) {
			w->order.starts[i] = 0;
			left--;
		}
}

/* Any hosts, within a moment or over a long time; a start that comes too late has no effect. */
static void some(struct sweep *w)
{
	const struct lab_cost *c = w->cost;
	uint64_t spread = UINT64_C(1) << rng_below(&w->rng, 14);
	unsigned n = w->order.count, sure = (unsigned)rng_below(&w->rng, n);

	if (c->any_max && n > c->any_max)
		sure = place_of(w, (uint16_t)rng_below(&w->rng, c->among));
	for (unsigned i = 0; i < n; i++)
		w->order.starts[i] =
			rng_next(&w->rng) & 1 ? rng_below(&w->rng, spread) : EXACT_NEVER;
	w->order.starts[sure] = 0;
}

static void everybody(struct sweep *w)
{
	memset(w->order.starts, 0, sizeof(w->order.starts));
}

/* ---- one run -------------------------------------------------------------------------------- */

static unsigned k_of(const struct sweep *w, const struct lab_cost *c, const struct exact_result *r)
{
	unsigned n = w->order.count, starter = 0, k = 0;

	while (starter < n && w->order.starts[starter] != 0)
		starter++;
	switch (c->k_is) {
	case LAB_K_NONE:
		break;
	case LAB_K_DISTANCE:
		return (place_of(w, best_id(w)) + n - starter) % n;
	case LAB_K_COMMANDERS:
		return r->starters;
	case LAB_K_ABOVE:
		for (unsigned i = 0; i < n; i++)
			k += !w->order.dead[i] && w->order.ids[i] >= w->order.ids[starter];
		break;
	case LAB_K_LOWEST:
		return r->best;
	}
	return k;
}

static double measured(const struct lab_cost *c, const struct exact_result *r)
{
	uint64_t messages = 0;

	switch (c->counts) {
	case LAB_MESSAGES:
		break;
	case LAB_TIME:
		return (double)r->time;
	case LAB_PHASES:
		return r->phases;
	case LAB_IDS:
		return (double)r->ids;
	case LAB_A_TICK:
		return (double)r->messages / (double)r->ticks;
	}
	if (!c->only)
		return (double)r->messages;
	for (unsigned i = 0; i < EXACT_TYPES; i++)
		messages += c->only >> i & 1 ? r->sent[i] : 0;
	return (double)messages;
}

static void span(struct rows_span *s, double value, bool first)
{
	s->least = first || value < s->least ? value : s->least;
	s->most = first || value > s->most ? value : s->most;
}

static bool costs_so(const struct lab_cost *c, double value, double formula)
{
	switch (c->holds) {
	case LAB_EXACTLY:
		return value == formula;
	case LAB_AT_MOST:
		return value <= formula;
	case LAB_MEAN:
		return true; /* a single run has no mean */
	}
	return false;
}

static void count(const struct sweep *w, struct tally *t, const struct exact_result *r)
{
	struct rows_figures *f = t->ret;
	unsigned n = w->order.count;
	double value = measured(t->cost, r);
	double formula = n == 1 ? 0 : t->cost->value(n, k_of(w, t->cost, r));

	span(&f->measured, value, f->runs == 0);
	span(&f->formula, formula, f->runs == 0);
	f->runs++;
	t->sum += value;
	t->squares += value * value;
	t->formulas += formula;
	if (f->held && (r->broken || !costs_so(t->cost, value, formula))) {
		f->held = false;
		f->broken = r->broken;
		f->order = w->order;
	}
}

/* Time is counted in rounds only. */
static void play(struct sweep *w)
{
	struct exact_result r;

	w->order.seed = rng_next(&w->rng);
	exact_play(w->x, &w->order, &r);
	for (unsigned i = 0; i < w->count; i++)
		if (!w->order.random || w->rows[i].cost->counts != LAB_TIME)
			count(w, &w->rows[i], &r);
}

static void play_both(struct sweep *w)
{
	w->order.random = false;
	play(w);
	if (w->a->synchronous)
		return;
	if (w->order.count > ROWS_ALL_UP_TO && ++w->sampled % DELAYED != 0)
		return;
	w->order.random = true;
	play(w);
}

/* ---- all runs of a row ---------------------------------------------------------------------- */

/* On a ring every rotation of an arrangement is played, so it is enough that place 0 starts. */
static void one(struct sweep *w, bool sampled)
{
	unsigned n = w->order.count, first = 0, last = 0;

	if (sampled)
		first = last = (unsigned)rng_below(&w->rng, n);
	else if (w->a->links == LAB_ALL)
		last = n - 1;
	for (unsigned i = first; i <= last; i++) {
		if (w->order.dead[i])
			continue;
		nobody_starts(w);
		w->order.starts[i] = 0;
		play_both(w);
	}
}

/* The starters are random. Few hosts have few arrangements, so each is drawn several times. */
static void drawn(struct sweep *w, bool sampled)
{
	unsigned times = 1;

	for (unsigned i = 2; !sampled && i <= w->order.count; i++)
		times *= i;
	for (times = sampled ? 1 : ROWS_SAMPLES / times + 1; times > 0; times--) {
		if (w->cost->starters == LAB_SOME)
			some(w);
		else
			commanders(w);
		play_both(w);
	}
}

static void starters(struct sweep *w, bool sampled)
{
	switch (w->cost->starters) {
	case LAB_ONE:
		one(w, sampled);
		break;
	case LAB_EVERYBODY:
		everybody(w);
		play_both(w);
		break;
	case LAB_SOME:
	case LAB_COMMANDERS:
		drawn(w, sampled);
		break;
	}
}

static void swap(uint16_t *a, uint16_t *b)
{
	uint16_t c = *a;

	*a = *b;
	*b = c;
}

/* Plays every order of the ids from that place on. */
static void permute(struct sweep *w, unsigned from)
{
	uint16_t *ids = w->order.ids;

	if (from + 1 >= w->order.count) {
		starters(w, false);
		return;
	}
	for (unsigned i = from; i < w->order.count; i++) {
		swap(&ids[from], &ids[i]);
		permute(w, from + 1);
		swap(&ids[from], &ids[i]);
	}
}

static void shuffle(struct sweep *w)
{
	for (unsigned i = w->order.count - 1; i > 0; i--)
		swap(&w->order.ids[i], &w->order.ids[rng_below(&w->rng, i + 1)]);
}

/* Arranges the ids rising or falling, rotated by `by` places. */
static void turn(struct sweep *w, unsigned by)
{
	unsigned n = w->order.count;

	for (unsigned i = 0; i < n; i++) {
		unsigned id = (i + by) % n;

		w->order.ids[i] = (uint16_t)(w->cost->arrangement == LAB_FALLING ? n - 1 - id : id);
	}
}

static void kill_best(struct sweep *w)
{
	if (w->cost->best_is_dead)
		w->order.dead[place_of(w, best_id(w))] = true;
}

static void turns(struct sweep *w)
{
	unsigned n = w->order.count, count = n <= ROWS_ALL_UP_TO ? n : ROWS_SAMPLES;

	for (unsigned i = 0; i < count; i++) {
		turn(w, i % n);
		starters(w, n > ROWS_ALL_UP_TO);
	}
}

/*
 * If every host reaches every other, the order of ids does not matter, and there are few enough
 * starters to try each. An algorithm that never ends has no starters, and one run of it is long.
 */
static void arrangements(struct sweep *w)
{
	if (w->a->eventual) {
		everybody(w);
		play(w);
	} else if (w->cost->arrangement != LAB_ANY)
		turns(w);
	else if (w->a->links == LAB_ALL && w->cost->starters != LAB_SOME)
		starters(w, false);
	else if (w->order.count <= ROWS_ALL_UP_TO)
		permute(w, 0);
	else
		for (unsigned i = 0; i < ROWS_SAMPLES; i++) {
			shuffle(w);
			starters(w, true);
		}
}

/* Within four standard errors, or exact if every arrangement was played. Squares avoid libm. */
static bool mean_held(const struct tally *t, bool all_played)
{
	double runs = t->ret->runs, mean = t->sum / runs;
	double off = mean - t->formulas / runs;
	double variance = (t->squares - t->sum * mean) / (runs > 1 ? runs - 1 : 1);

	return off * off <= 1e-18 * mean * mean ||
		(!all_played && off * off <= 4 * 4 * variance / runs);
}

static void conclude(const struct sweep *w, const struct tally *t)
{
	struct rows_figures *f = t->ret;

	if (!f->runs)
		return;
	f->measured.mean = t->sum / f->runs;
	f->formula.mean = t->formulas / f->runs;
	if (f->held && t->cost->holds == LAB_MEAN &&
		!mean_held(t, w->order.count <= ROWS_ALL_UP_TO)) {
		f->held = false;
		f->order = w->order;
	}
}

static bool alike(const struct lab_cost *a, const struct lab_cost *b)
{
	return a->starters == b->starters && a->arrangement == b->arrangement &&
		a->best_is_dead == b->best_is_dead && a->any_max == b->any_max &&
		a->among == b->among;
}

/* Measures the row at `first` and all later rows that share its runs, and marks them as done. */
static void sweep(struct sweep *w, const struct lab_cost *costs, unsigned rows, unsigned first,
	bool *done, struct rows_figures *ret)
{
	w->cost = &costs[first];
	for (unsigned i = first; i < rows; i++)
		if (!done[i] && alike(&costs[i], w->cost)) {
			w->rows[w->count++] = (struct tally){ .cost = &costs[i], .ret = &ret[i] };
			done[i] = true;
		}
	for (unsigned i = 0; i < w->order.count; i++)
		w->order.ids[i] = (uint16_t)i;
	kill_best(w);
	arrangements(w);
	for (unsigned i = 0; i < w->count; i++)
		conclude(w, &w->rows[i]);
}

void rows_measure(struct exact *x, const struct lab_algorithm *a, unsigned count, uint64_t seed,
	bool literal, struct rows_figures ret[LAB_COSTS_MAX])
{
	struct lab_cost costs[LAB_COSTS_MAX];
	unsigned rows = a->costs(count, costs);
	bool done[LAB_COSTS_MAX] = { false };

	for (unsigned i = 0; i < LAB_COSTS_MAX; i++) {
		ret[i] = (struct rows_figures){ .held = true };
		if (i < rows && costs[i].n_max && count > costs[i].n_max)
			done[i] = true;
	}
	for (unsigned i = 0; i < rows; i++) {
		struct sweep w = { .x = x,
			.a = a,
			.order = { .algorithm = a, .count = count, .literal = literal },
			.rng = { .state = seed } };

		if (!done[i])
			sweep(&w, costs, rows, i, done, ret);
	}
}
