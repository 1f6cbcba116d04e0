/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: gives hosts of a random run other names, which two hosts may share. Draws from its own
 * generator, as rollout.c does.
 */
#include "run.h"

#include <stdio.h>

#define FIRST_US_MAX UINT64_C(1000000)
#define PAUSE_US_MAX UINT64_C(1000000)
#define NAMES	     5 /* few, so that names clash and return */

static void next(struct sim *s, unsigned a, unsigned b)
{
	struct sim_host *h = s->hosts[rng_below(&s->names, s->hosts_count)];

	if (s->calm)
		return;
	snprintf(h->config.name, sizeof(h->config.name), "name%u",
		(unsigned)rng_below(&s->names, NAMES));
	s->event.command =
		(struct elect_command){ .type = ELECT_COMMAND_CONFIGURE, .config = h->config };
	world_command(s, h, &s->event.command);
	sim_at(s, s->now_us + rng_below(&s->names, PAUSE_US_MAX), next, a, b);
}

void names_begin(struct sim *s)
{
	s->names.state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x6e616d65;
	sim_at(s, s->now_us + rng_below(&s->names, FIRST_US_MAX), next, 0, 0);
}
