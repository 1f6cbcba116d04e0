/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hirschberg_sinclair: the bidirectional ring of S004 slides 8 to 14. A candidate probes both sides
 * at the distances 1, 2, 4, ... and goes on while no better host is there. A host whose probe comes
 * round to itself is the coordinator.
 *
 * C1: in a ring of two the other host is the neighbour by two links; `side` distinguishes them. C2:
 * a host that lost does not start again in that election. C3: an answer names its distance, which
 * the slide omits, so a late answer is not counted for another. C4: the winner is remembered for
 * one election; otherwise its next announcement would end at its first host. C5: a host that knows
 * the result drops late messages of the election, which would make it a candidate again. C6: an
 * answer ends after 2n hops, because the host that asked may have died.
 */
#include "lab.h"

enum { CAND, RESP, ELECTED };
enum { NOT_INVOLVED, CANDIDATE, LOST, WON };

static const char *const messages[] = { "Cand", "Resp", "Elected", NULL };
static const char *const states[] = { "not involved", "candidate", "lost", "elected", NULL };

struct own {
	uint16_t distance; /* dmax */
	uint8_t replies;
	bool remains;
	bool over; /* the result is known here */
	uint16_t winner;
};

static struct own *own(struct lab_host *h)
{
	return (struct own *)h->own;
}

static void probe(struct lab_host *h)
{
	const struct lab_msg m = { .type = CAND, .id = h->id, .hops_max = own(h)->distance };

	own(h)->replies = 0;
	own(h)->remains = true;
	lab_left(h, &m);
	lab_right(h, &m);
}

static void start(struct lab_host *h)
{
	if (h->state != NOT_INVOLVED || own(h)->over)
		return;
	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	lab_state(h, CANDIDATE);
	own(h)->distance = 1;
	probe(h);
}

static void answer(struct lab_host *h, const struct lab_msg *m, bool yes)
{
	lab_back(h, m->side,
		&(struct lab_msg){
			.type = RESP, .id = m->id, .hops_max = m->hops_max, .yes = yes });
}

static void on_resp(struct lab_host *h, const struct lab_msg *m)
{
	if (m->id != h->id) {
		struct lab_msg next = *m;

		if (++next.hops < 2 * h->count) /* C6 */
			lab_on(h, m->side, &next);
		return;
	}
	if (m->hops_max != own(h)->distance && !h->literal)
		return;
	own(h)->replies++;
	own(h)->remains = own(h)->remains && m->yes;
	if (own(h)->replies != 2 || h->state != CANDIDATE)
		return;
	if (!own(h)->remains) {
		lab_state(h, LOST);
		return;
	}
	own(h)->distance = (uint16_t)(own(h)->distance * 2);
	probe(h);
}

static void announce(struct lab_host *h, int8_t side, uint16_t id, unsigned hops)
{
	own(h)->over = true;
	own(h)->winner = id;
	lab_elected(h, id);
	lab_on(h, side,
		&(struct lab_msg){ .type = ELECTED, .id = id, .hops = (uint16_t)(hops + 1) });
}

/* The probe is of a better host: forward it up to its distance, and answer it there. */
static void on_better(struct lab_host *h, const struct lab_msg *m)
{
	struct lab_msg next = *m;

	lab_state(h, LOST);
	if (++next.hops < next.hops_max)
		lab_on(h, m->side, &next);
	else
		answer(h, m, true);
}

static void on_cand(struct lab_host *h, const struct lab_msg *m)
{
	if (m->id < h->id) {
		answer(h, m, false);
		start(h);
	} else if (m->id > h->id) {
		on_better(h, m);
	} else if (h->state != WON) {
		lab_state(h, WON);
		announce(h, m->side, h->id, 0);
	}
}

/* The announcement ends at a host that knows this winner. If the winner died, the hops end it. */
static void on_elected(struct lab_host *h, const struct lab_msg *m)
{
	if (!(own(h)->over && own(h)->winner == m->id) && m->hops < 2 * h->count)
		announce(h, m->side, m->id, m->hops);
	lab_state(h, NOT_INVOLVED);
}

static void message(struct lab_host *h, const struct lab_msg *m)
{
	if (m->type == ELECTED)
		on_elected(h, m);
	else if (own(h)->over && !h->literal)
		return;
	else if (m->type == CAND)
		on_cand(h, m);
	else
		on_resp(h, m);
}

static uint64_t timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	uint64_t us = 4 * h->count * (delay_max_us + 5000) + 2 * dead * LAB_WINDOW_US;

	return us < 1000000 ? 1000000 : us;
}

/* Returns the smallest whole number whose power of two is n or more. */
static unsigned log2_up(unsigned n)
{
	unsigned log = 0;

	while ((1U << log) < n)
		log++;
	return log;
}

static double bound(unsigned n, unsigned k)
{
	(void)k;
	return 8.0 * n * (1 + log2_up(n)) + n;
}

static double phases(unsigned n, unsigned k)
{
	(void)k;
	return log2_up(n) + 1;
}

static double announcement(unsigned n, unsigned k)
{
	(void)k;
	return n;
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	static const struct {
		const char *what;
		enum lab_starters starters;
	} who[] = { { "all start", LAB_EVERYBODY }, { "one starts", LAB_ONE },
		{ "some start, at any times", LAB_SOME } };
	unsigned count = 0;

	(void)n;
	for (unsigned i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		costs[count++] = (struct lab_cost){ .what = who[i].what,
			.formula = "8n(1 + ceil log2 n) + n",
			.starters = who[i].starters,
			.holds = LAB_AT_MOST,
			.value = bound };
		costs[count++] = (struct lab_cost){ .what = who[i].what,
			.formula = "1 + ceil log2 n",
			.counts = LAB_PHASES,
			.starters = who[i].starters,
			.value = phases };
	}
	costs[count++] = (struct lab_cost){ .what = "all start, Elected alone",
		.formula = "n",
		.starters = LAB_EVERYBODY,
		.only = 1 << ELECTED,
		.value = announcement };
	return count;
}

const struct lab_algorithm lab_hirschberg_sinclair = {
	.name = "hirschberg-sinclair",
	.title = "Hirschberg and Sinclair, 1980",
	.source = "S004 slides 8-14",
	.links = LAB_RING_BOTH,
	.messages = messages,
	.states = states,
	.size = sizeof(struct own),
	.start = start,
	.message = message,
	.timeout_us = timeout,
	.costs = costs,
};
