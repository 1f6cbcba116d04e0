/* SPDX-License-Identifier: Apache-2.0 */
#include "timer.h"

#include "program/clock.h"

int timer_add(sd_event *event, sd_event_source **ret_timer, uint64_t late_us,
	sd_event_time_handler_t handler, void *user)
{
	int r = sd_event_add_time(
		event, ret_timer, CLOCK_BOOTTIME, UINT64_MAX, late_us, handler, user);

	if (r >= 0)
		r = sd_event_source_set_enabled(*ret_timer, SD_EVENT_OFF);
	return r < 0 ? r : 0;
}

int timer_at(sd_event_source *timer, uint64_t at_us)
{
	int r = sd_event_source_set_time(timer, at_us);

	if (r >= 0)
		r = sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
	return r < 0 ? r : 0;
}

int timer_in(sd_event_source *timer, uint64_t us)
{
	return timer_at(timer, clock_boot_us() + us);
}

void timer_off(sd_event_source *timer)
{
	sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}
