/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcr: the ring of S002, in synchronous rounds: in the first each sends its own id right; from then
 * on an id above me goes on, one below is swallowed, and mine makes me the coordinator. That is
 * Chang's and Roberts' where all start together, and costs what it does there.
 */
#include "chang_roberts.h"

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	return chang_roberts_all(costs);
}

const struct lab_algorithm lab_lcr = {
	.name = "lcr",
	.title = "Le Lann, Chang and Roberts, in rounds",
	.source = "S002, algoritmo do anel",
	.links = LAB_RING,
	.synchronous = true,
	.starts_all = true,
	.messages = chang_roberts_messages,
	.states = chang_roberts_states,
	.start = chang_roberts_start,
	.message = chang_roberts_message,
	.timeout_us = chang_roberts_timeout,
	.costs = costs,
};
