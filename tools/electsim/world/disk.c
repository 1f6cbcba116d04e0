/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk: a host's state file (counter.md, State on disk): two slots, one write at a time; a newer
 * image replaces a waiting one. A crash loses the write in flight or completes it unreported. At
 * worst it also loses the last confirmed write; then a restart finds the other slot.
 */
#include <string.h>

#include "sim.h"

enum { WRITE_MS_DEFAULT = 20, SLOW_ONE_IN = 64, SLOW_TIMES = 25 };

void disk_clear(struct sim_disk *d)
{
	memset(d, 0, sizeof(*d));
	d->write_ms_max = WRITE_MS_DEFAULT;
}

static void begin(struct sim *s, struct sim_host *h, const struct elect_persisted *image)
{
	struct sim_disk *d = &h->disk;
	uint64_t us = 1000 + rng_below(&s->rng, d->write_ms_max * UINT64_C(1000));

	if (d->write_ms_max == WRITE_MS_DEFAULT && rng_below(&s->rng, SLOW_ONE_IN) == 0)
		us *= SLOW_TIMES;
	s->totals.writes++;
	d->writing = *image;
	d->busy = true;
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + us,
			.type = SIM_EVENT_WRITTEN,
			.host = h->index,
			.life = h->life });
}

void disk_write(struct sim *s, struct sim_host *h, const struct elect_persisted *image)
{
	if (!h->disk.busy) {
		begin(s, h, image);
		return;
	}
	h->disk.waiting = *image;
	h->disk.has_waiting = true;
}

static void land(struct sim_disk *d)
{
	d->previous = d->content;
	d->content.valid = true;
	d->content.saved = d->writing;
}

void disk_written(struct sim *s, struct sim_host *h, struct elect_persisted *ret_result)
{
	struct sim_disk *d = &h->disk;

	*ret_result = d->writing;
	ret_result->ok = !d->failing;
	d->busy = false;
	if (ret_result->ok)
		land(d);
	if (d->has_waiting) {
		d->has_waiting = false;
		begin(s, h, &d->waiting);
	}
}

void disk_crash(struct sim *s, struct sim_host *h, bool lose_last_write)
{
	struct sim_disk *d = &h->disk;

	if (d->busy && !d->failing && rng_below(&s->rng, 2))
		land(d);
	else if (lose_last_write && d->previous.valid)
		d->content = d->previous;
	d->busy = false;
	d->has_waiting = false;
}
