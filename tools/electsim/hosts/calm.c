/* SPDX-License-Identifier: Apache-2.0 */
/* calm: see calm.h. Judges every election alike, by the views of the hosts. */
#include "calm.h"
#include "hosts.h"
#include "shown.h"

/* Most messages that a host can read in a second. */
enum { DROWNED_MESSAGES = 5000 };

bool flood_drowns(struct flood *f, const struct sim *s)
{
	uint64_t messages = s->totals.messages, most = DROWNED_MESSAGES;

	if (s->now_us >= f->second_us + 1000000) {
		f->second_us = s->now_us;
		f->messages = messages;
	}
	f->drowned = f->drowned || messages - f->messages > most * s->hosts_count;
	return f->drowned;
}

bool flood_run_for(struct flood *f, struct sim *s, uint64_t us)
{
	uint64_t until_us = s->now_us + us;
	const struct sim_event *first;

	while (!s->broken && (first = queue_first(&s->queue)) && first->at_us <= until_us) {
		sim_run_until(s, first->at_us);
		if (flood_drowns(f, s))
			return false;
	}
	sim_run_until(s, until_us);
	return !s->broken;
}

/*
 * The views agree on a living coordinator and do not change for 50 beacons. Hosts whose views
 * change again and again have not agreed, even if all views are equal now and then.
 */
bool calm_settles(struct sim *s, struct flood *f)
{
	uint64_t changes = s->totals.changes, since_us = s->now_us;
	const uint64_t last_us = s->now_us + CALM_NEVER_US;

	while (since_us <= last_us && flood_run_for(f, s, CALM_LOOK_US)) {
		if (s->totals.changes != changes || !shown_agree(s)) {
			changes = s->totals.changes;
			since_us = s->now_us;
		} else if (s->now_us - since_us >= CALM_STAY_US) {
			return true;
		}
	}
	return false;
}

void calm_count_never(struct sim *s, const struct flood *f)
{
	s->totals.never++;
	s->totals.drowned += f->drowned;
}
