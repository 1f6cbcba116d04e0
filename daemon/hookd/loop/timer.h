/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer: a timer of hookd's loop that fires once, on CLOCK_BOOTTIME. It is off until it is set, and
 * after it has fired; its handler may set it again.
 */
#ifndef ELECTD_HOOKD_LOOP_TIMER_H
#define ELECTD_HOOKD_LOOP_TIMER_H

#include <stdint.h>
#include <systemd/sd-event.h>

enum {
	TIMER_SHARP_US = 1,   /* for timers that would delay a demotion */
	TIMER_LAZY_US = 1000, /* may be woken together with others */
};

/* `late_us`: how late the timer may fire. 0 or -errno. */
int timer_add(sd_event *event, sd_event_source **ret_timer, uint64_t late_us,
	sd_event_time_handler_t handler, void *user);
/* A time in the past fires at once. 0 or -errno. */
int timer_at(sd_event_source *timer, uint64_t at_us);
int timer_in(sd_event_source *timer, uint64_t us);
void timer_off(sd_event_source *timer);

#endif
