/* SPDX-License-Identifier: Apache-2.0 */
/*
 * due: see due.h.
 */
#include "due.h"
#include "algorithm.h"

uint64_t due_at(const struct elect *e, const struct elect_watched *w)
{
	uint64_t silent_us = w->heard_us + pace_beacons(e, MEMBER_SILENT_BEACONS);

	if (w->missing)
		return w->probe_us;
	if (w->probes == 0)
		return w->heard_us + pace_beacons(e, MEMBER_QUIET_BEACONS);
	return w->probes == PROBES_QUIET && w->probe_us < silent_us ? silent_us : w->probe_us;
}

/* A member that has taken no list yet is probed too, although it may have been heard just before.
 */
bool due_is_quiet(const struct elect *e, const struct elect_watched *w)
{
	bool in_vain =
		w->probes > PROBES_QUIET || (w->probes == PROBES_QUIET && w->probe_us <= e->now_us);

	return in_vain && e->now_us - w->heard_us >= pace_beacons(e, MEMBER_QUIET_BEACONS);
}

void due_schedule(struct elect *e)
{
	unsigned timer = e->algorithm->watched_timer;
	uint64_t next = ELECT_NEVER;

	for (unsigned i = 1; i < e->up.count; i++) {
		struct elect_watched *w = &e->watch.members[i];
		uint64_t due;

		if (w->missing && w->probe_us == 0)
			w->probe_us = e->now_us + pace_beacons(e, 1);
		due = due_at(e, w);
		if (due < next)
			next = due;
	}
	if (next == ELECT_NEVER)
		timers_stop(e, timer);
	else
		timers_set(e, timer, next > e->now_us ? next : e->now_us + 1);
}
