/* SPDX-License-Identifier: Apache-2.0 */
/* totals: the counts of a run, and their sums over several runs. */
#include <assert.h>

#include "sim.h"

uint64_t totals_datagrams(const struct sim_totals *t)
{
	uint64_t sum = 0;

	static_assert((int)SIM_TYPES >= (int)ELECT_MSG_TYPES, "a place for each type");
	for (unsigned i = 0; i < SIM_TYPES; i++)
		sum += t->sent[i];
	return sum;
}

uint64_t totals_handshake(const struct sim_totals *t)
{
	return t->sent[ELECT_CHALLENGE] + t->sent[ELECT_CHALLENGE_ANSWER];
}

uint64_t totals_election(const struct sim_totals *t)
{
	return totals_datagrams(t) - totals_handshake(t) - t->routine;
}

/* Adds all counts; the struct consists of 64-bit counts only. The longest time is a maximum. */
void totals_add(struct sim_totals *sum, const struct sim_totals *t)
{
	uint64_t *to = (uint64_t *)sum, longest = sum->two_leaders_max_us;
	const uint64_t *from = (const uint64_t *)t;

	static_assert(sizeof(*t) % sizeof(uint64_t) == 0, "counts only");
	for (size_t i = 0; i < sizeof(*t) / sizeof(uint64_t); i++)
		to[i] += from[i];
	if (longest < t->two_leaders_max_us)
		longest = t->two_leaders_max_us;
	sum->two_leaders_max_us = longest;
}
