/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace: intervals of a host, as short as its timings ask for.
 */
#include "state.h"

uint64_t pace_repeat_us(const struct elect *e)
{
	return moment_at_most(REPEAT_US, pace_beacons(e, 1) / 2);
}

uint64_t pace_window_us(const struct elect *e, uint64_t us)
{
	return us / REPEAT_US * pace_repeat_us(e);
}

uint64_t pace_probe_us(const struct elect *e)
{
	return moment_at_most(PROBE_US, e->config.timings.dead_after_us / 10);
}

uint64_t pace_late_us(const struct elect *e)
{
	return moment_at_most(LATE_US, pace_beacons(e, 1) / 4);
}
