/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer: a time of hookd's loop that comes once, on the one clock. Off until it is set, and after
 * it has come; its handler may set it again.
 */
#ifndef ELECTD_HOOKD_LOOP_TIMER_H
#define ELECTD_HOOKD_LOOP_TIMER_H

#include <stdint.h>
#include <systemd/sd-event.h>

enum {
	TIMER_SHARP_US = 1,   /* what is late there is a late demotion */
	TIMER_LAZY_US = 1000, /* woken together with others */
};

/* `late_us`: how much later than its time it may come. 0 or -errno. */
int timer_add(sd_event *event, sd_event_source **ret_timer, uint64_t late_us,
	sd_event_time_handler_t handler, void *user);
/* 0 or -errno; what is in the past comes at once. */
int timer_at(sd_event_source *timer, uint64_t at_us);
int timer_in(sd_event_source *timer, uint64_t us);
void timer_off(sd_event_source *timer);

#endif
