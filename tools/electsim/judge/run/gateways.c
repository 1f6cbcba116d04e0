/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateways: what the links of a random run show: a gateway that comes and goes, some of whose hosts
 * reach it, devices that send frames, kernels behind a firewall. Draws from its own generator, as
 * rollout.c does.
 */
#include "run.h"

#define PAUSE_US_MAX UINT64_C(3000000)
#define NOISE_US_MAX UINT64_C(200000)

static uint64_t below(struct sim *s, uint64_t bound)
{
	return rng_below(&s->gateways, bound);
}

static void next(struct sim *s, unsigned a, unsigned b)
{
	struct sim_host *h = s->hosts[below(s, s->hosts_count)];

	if (s->calm)
		return;
	switch (below(s, 4)) {
	case 0:
		s->gateway = (enum sim_gateway)below(s, 3);
		s->gateway_host = h;
		break;
	case 1:
		h->gateway_near = below(s, 4) > 0;
		break;
	case 2:
		h->noise_us = below(s, 2) ? 1 + below(s, NOISE_US_MAX) : 0;
		break;
	case 3:
		h->kernel_silent = below(s, 4) == 0;
		break;
	}
	sim_at(s, s->now_us + below(s, PAUSE_US_MAX), next, a, b);
}

void gateways_begin(struct sim *s)
{
	s->gateways.state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x67617465;
	s->gateway = (enum sim_gateway)below(s, 3);
	s->gateway_host = s->hosts[below(s, s->hosts_count)];
	next(s, 0, 0);
}
