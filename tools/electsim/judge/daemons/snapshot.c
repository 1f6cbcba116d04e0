/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: puts a host back to an earlier state of its own, as a virtual machine to a snapshot
 * with memory: core, state file, hooks and clock. Its surroundings (carriers, other hosts,
 * datagrams) and the checker's record of all its lives stay. Decides nothing about elections.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemons.h"
#include "electsim/judge/check/check.h"
#include "electsim/draw/draw.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "inside.h"

/* Delay of a write that was in flight at the snapshot. */
enum { WRITTEN_US = 1000 };

void world_snapshot(struct sim *s, struct sim_host *h)
{
	if (s->kind != &daemons_kind || !h->on || sim_stalled(s, h) || h->leaving ||
		addresses_held(h))
		return;
	if (!h->snapshot)
		h->snapshot = malloc(sizeof(*h->snapshot) + host_size());
	assert(h->snapshot);
	h->snapshot->taken_us = s->now_us;
	memcpy(&h->snapshot->host, h, sizeof(*h));
	memcpy(h->snapshot->core, h->core, host_size());
	if (trace_on(s))
		trace_line(s, h, "is kept as it is now: a snapshot");
}

static void keep_outside(const struct sim_host *now, struct sim_host *h)
{
	h->core = now->core;
	h->snapshot = now->snapshot;
	h->carriers = now->carriers;
	h->multicast = now->multicast;
	h->kernel_silent = now->kernel_silent;
	h->life = now->life;
	h->will = now->will;
	h->copy = now->copy;
	h->inbox.first = h->inbox.count = 0;
	h->reading = false;
}

static void later(uint64_t *us, uint64_t by_us)
{
	if (*us && *us != ELECT_NEVER)
		*us += by_us;
}

/* Sets its own clock back, and moves its times that are kept in simulator time. */
static void set_clock(const struct sim *s, struct sim_host *h, uint64_t taken_us)
{
	uint64_t by_us = s->now_us - taken_us, shown_us = sim_to_host(h, taken_us);

	h->clock_us += shown_us - sim_to_host(h, s->now_us);
	later(&h->wake_us, by_us);
	later(&h->busy_until_us, by_us);
	later(&h->hook_until_us, by_us);
	later(&h->resigned_until_us, by_us);
	check_put_back_later(h, by_us);
}

/* Events of its present life become void, so it waits for new ones. */
static void wait_anew(struct sim *s, struct sim_host *h)
{
	h->life++;
	h->wake_queued_us = ELECT_NEVER;
	world_wake(s, h, h->wake_us);
	if (h->disk.busy)
		queue_push(&s->queue,
			&(struct sim_event){ .at_us = s->now_us + WRITTEN_US,
				.type = SIM_EVENT_WRITTEN,
				.host = h->index,
				.life = h->life });
	if (h->hook_until_us >= s->now_us)
		queue_push(&s->queue,
			&(struct sim_event){ .at_us = h->hook_until_us,
				.type = SIM_EVENT_RELEASED,
				.host = h->index,
				.life = h->life,
				.release = h->release });
}

bool world_put_back(struct sim *s, struct sim_host *h)
{
	static struct sim_host now;
	struct sim_snapshot *of = h->snapshot;

	if (!of || of->taken_us == 0 || !h->on || sim_stalled(s, h))
		return false;
	if (trace_on(s))
		trace_line(s, h, "is put back by %u ms",
			(unsigned)((s->now_us - of->taken_us) / 1000));
	shown_gone(s, h);
	world_discard(s, h);
	memcpy(&now, h, sizeof(now));
	memcpy(h, &of->host, sizeof(*h));
	memcpy(now.core, of->core, host_size());
	keep_outside(&now, h);
	set_clock(s, h, of->taken_us);
	wait_anew(s, h);
	check_put_back(s, h, &now.watch);
	sim_mix(s, of->taken_us);
	world_link(s, h, SIM_ALL_LANS & ~h->carriers, false); /* its carriers are those of now */
	return true;
}
