/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcr: the ring of S002, in synchronous rounds: each host sends its own id to the right, then
 * forwards a larger id and discards a smaller one; its own id makes it the coordinator. It is
 * chang_roberts with all hosts starting together, at the same cost.
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
