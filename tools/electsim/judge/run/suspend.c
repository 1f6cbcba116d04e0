/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspend: suspends hosts of a random run, one or two at a time, for a second to two hours. Each
 * link goes down meanwhile, or soon after the resume, and comes up to 10 s late. Draws from its own
 * generator, as rollout.c does.
 */
#include "run.h"

#define SUSPEND_US_MIN	UINT64_C(1000000)
#define SUSPEND_US_MAX	UINT64_C(7200000000)
#define LATE_US_MAX	UINT64_C(10000000)
#define SOON_US_MAX	UINT64_C(200000)
#define PAUSE_US_MAX	UINT64_C(20000000)
#define FIRST_US_MAX	UINT64_C(3000000)
#define SUSPEND_DOUBLES 13 /* doublings from the shortest to the longest */

static uint64_t below(struct sim *s, uint64_t limit)
{
	return rng_below(&s->suspend, limit);
}

/* All lengths are equally likely: seconds, minutes, hours. */
static uint64_t some_length(struct sim *s)
{
	uint64_t us = SUSPEND_US_MIN << below(s, SUSPEND_DOUBLES);

	us += below(s, us);
	return us < SUSPEND_US_MAX ? us : SUSPEND_US_MAX;
}

static void set_link(struct sim *s, unsigned index, unsigned up)
{
	if (!s->calm)
		world_link(s, s->hosts[index], SIM_ALL_LANS, up);
}

/* Returns the time at which the host runs again. */
static uint64_t suspend(struct sim *s, struct sim_host *h)
{
	uint64_t us = some_length(s), resumes_us = s->now_us + us;
	uint64_t down_us =
		below(s, 4) ? s->now_us + below(s, us) : resumes_us + below(s, SOON_US_MAX);

	world_pause(s, h, us);
	sim_at(s, down_us, set_link, h->index, false);
	sim_at(s, resumes_us + SOON_US_MAX + below(s, LATE_US_MAX - SOON_US_MAX), set_link,
		h->index, true);
	return resumes_us;
}

static void next(struct sim *s, unsigned a, unsigned b)
{
	unsigned count = 1 + (below(s, 4) == 0);
	uint64_t last_us = s->now_us;

	if (s->calm)
		return;
	while (count-- > 0) {
		struct sim_host *h = s->hosts[below(s, s->hosts_count)];
		uint64_t resumes_us = h->on && !sim_stalled(s, h) ? suspend(s, h) : 0;

		if (resumes_us > last_us)
			last_us = resumes_us;
	}
	sim_at(s, last_us + below(s, PAUSE_US_MAX), next, a, b);
}

void suspend_begin(struct sim *s)
{
	s->suspend.state = s->seed * UINT64_C(0x9fb21c651e98df25) ^ 0x73757370;
	sim_at(s, s->now_us + below(s, FIRST_US_MAX), next, 0, 0);
}
