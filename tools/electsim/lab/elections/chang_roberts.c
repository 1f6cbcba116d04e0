/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chang_roberts: the unidirectional ring of S004 slides 6 and 7. An id goes round and is replaced
 * by each larger one; a host that receives its own id announces itself as the coordinator. The
 * slide discards no message. `participant`, which slide 4 defines and no slide uses, discards
 * messages here (C1): without it n starters elect the same host n times.
 */
#include "chang_roberts.h"

enum { ELECTION, ELECTED };
enum { RESTS, PARTICIPANT };

const char *const chang_roberts_messages[] = { "Election", "Elected", NULL };
const char *const chang_roberts_states[] = { "rests", "participant", NULL };

static void say(struct lab_host *h, uint8_t type, uint16_t id, uint16_t hops)
{
	lab_right(h, &(struct lab_msg){ .type = type, .id = id, .hops = hops });
}

void chang_roberts_start(struct lab_host *h)
{
	if (h->state == PARTICIPANT)
		return;
	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	lab_state(h, PARTICIPANT);
	say(h, ELECTION, h->id, 1);
}

static void won(struct lab_host *h)
{
	lab_state(h, RESTS);
	lab_elected(h, h->id);
	say(h, ELECTED, h->id, 1);
}

static void on_election(struct lab_host *h, const struct lab_msg *m)
{
	bool took_part = h->state == PARTICIPANT;
	uint16_t before = h->literal ? m->hops : 0;

	if (m->id == h->id) {
		won(h);
		return;
	}
	lab_state(h, PARTICIPANT);
	if (m->id > h->id)
		say(h, ELECTION, m->id, m->hops + 1);
	else if (!took_part || h->literal)
		say(h, ELECTION, h->id, before + 1);
}

static void on_elected(struct lab_host *h, const struct lab_msg *m)
{
	if (m->id == h->id)
		return;
	lab_state(h, RESTS);
	lab_elected(h, m->id);
	say(h, ELECTED, m->id, m->hops + 1);
}

/* C2: the id of a host that died would circulate for ever, so a message ends after 2n hops. */
void chang_roberts_message(struct lab_host *h, const struct lab_msg *m)
{
	if (m->hops >= 2 * h->count)
		return;
	if (m->type == ELECTION)
		on_election(h, m);
	else
		on_elected(h, m);
}

uint64_t chang_roberts_timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	uint64_t us = 2 * h->count * (delay_max_us + 5000) + dead * LAB_WINDOW_US;

	return us < 500000 ? 500000 : us;
}

static double one_starts(unsigned n, unsigned d)
{
	return 2.0 * n + d;
}

static double all_rising(unsigned n, unsigned k)
{
	(void)k;
	return 3.0 * n - 1;
}

static double all_falling(unsigned n, unsigned k)
{
	(void)k;
	return n * (n + 1) / 2.0 + n;
}

static double all_mean(unsigned n, unsigned k)
{
	double harmonic = 0;

	(void)k;
	for (unsigned i = 1; i <= n; i++)
		harmonic += 1.0 / i;
	return n * harmonic + n;
}

unsigned chang_roberts_all(struct lab_cost costs[LAB_COSTS_MAX])
{
	costs[0] = (struct lab_cost){ .what = "all start, ids rise",
		.formula = "3n - 1",
		.starters = LAB_EVERYBODY,
		.arrangement = LAB_RISING,
		.value = all_rising };
	costs[1] = (struct lab_cost){ .what = "all start, ids fall",
		.formula = "n(n + 1)/2 + n",
		.starters = LAB_EVERYBODY,
		.arrangement = LAB_FALLING,
		.value = all_falling };
	costs[2] = (struct lab_cost){ .what = "all start",
		.formula = "n H(n) + n",
		.starters = LAB_EVERYBODY,
		.holds = LAB_MEAN,
		.value = all_mean };
	return 3;
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	unsigned count = chang_roberts_all(costs);

	(void)n;
	costs[count++] = (struct lab_cost){ .what = "one starts",
		.formula = "2n + d",
		.starters = LAB_ONE,
		.k_is = LAB_K_DISTANCE,
		.value = one_starts };
	costs[count++] = (struct lab_cost){ .what = "one starts",
		.formula = "2n + d",
		.counts = LAB_TIME,
		.starters = LAB_ONE,
		.k_is = LAB_K_DISTANCE,
		.value = one_starts };
	costs[count++] = (struct lab_cost){ .what = "some start, at any times",
		.formula = "n(n + 1)/2 + n",
		.starters = LAB_SOME,
		.holds = LAB_AT_MOST,
		.value = all_falling };
	return count;
}

const struct lab_algorithm lab_chang_roberts = {
	.name = "chang-roberts",
	.title = "Chang and Roberts, 1979",
	.source = "S004 slides 6-7",
	.links = LAB_RING,
	.messages = chang_roberts_messages,
	.states = chang_roberts_states,
	.start = chang_roberts_start,
	.message = chang_roberts_message,
	.timeout_us = chang_roberts_timeout,
	.costs = costs,
};
