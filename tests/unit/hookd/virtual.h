/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual: the boot clock and the timers of hookd's loop in virtual time, which passes only when a
 * test lets it pass, so no deadline depends on the machine. Replaces clock_gettime() of the C
 * library and hookd/loop/timer.c. Each test program includes it once.
 */
#ifndef ELECTD_TEST_HOOKD_VIRTUAL_H
#define ELECTD_TEST_HOOKD_VIRTUAL_H

#include "hookd/loop/timer.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { VIRTUAL_TIMERS_MAX = 64 };

struct virtual_timer {
	sd_event_source *source; /* NULL: a free entry */
	sd_event_time_handler_t handler;
	void *user;
	uint64_t at_us; /* UINT64_MAX: off */
};

static uint64_t virtual_us = 1000000000;
static struct virtual_timer virtual_timers[VIRTUAL_TIMERS_MAX];
/* For a loop that this program does not turn itself: called when a timer is added or set. */
static void (*virtual_added)(sd_event *event), (*virtual_set)(void);

/* Every other clock is the machine's. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	if (clock != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, clock, ret_time);
	ret_time->tv_sec = (time_t)(virtual_us / 1000000);
	ret_time->tv_nsec = (long)(virtual_us % 1000000 * 1000);
	return 0;
}

/* ---- the timers of hookd ----------------------------------------------------------------- */

/* The handler may free its timer. */
static int virtual_on_due(sd_event_source *source, void *user)
{
	const struct virtual_timer *t = user;

	return t->handler(source, virtual_us, t->user);
}

static void virtual_on_destroyed(void *user)
{
	*(struct virtual_timer *)user = (struct virtual_timer){ .at_us = UINT64_MAX };
}

int timer_add(sd_event *event, sd_event_source **ret_timer, uint64_t late_us,
	sd_event_time_handler_t handler, void *user)
{
	struct virtual_timer *t = virtual_timers;
	int r;

	(void)late_us;
	while (t->source)
		assert(++t < virtual_timers + VIRTUAL_TIMERS_MAX);
	r = sd_event_add_defer(event, &t->source, virtual_on_due, t);
	assert(r >= 0);
	t->handler = handler;
	t->user = user;
	*ret_timer = t->source;
	timer_off(t->source);
	if (virtual_added)
		virtual_added(event);
	r = sd_event_source_set_destroy_callback(t->source, virtual_on_destroyed);
	return r < 0 ? r : 0;
}

int timer_at(sd_event_source *timer, uint64_t at_us)
{
	timer_off(timer);
	((struct virtual_timer *)sd_event_source_get_userdata(timer))->at_us = at_us;
	if (virtual_set)
		virtual_set();
	return 0;
}

int timer_in(sd_event_source *timer, uint64_t us)
{
	return timer_at(timer, virtual_us + us);
}

void timer_off(sd_event_source *timer)
{
	((struct virtual_timer *)sd_event_source_get_userdata(timer))->at_us = UINT64_MAX;
	sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

/* ---- for tests --------------------------------------------------------------------------- */

/* The first timer to come; NULL: there is none. */
static inline struct virtual_timer *virtual_first(void)
{
	struct virtual_timer *first = NULL;

	for (size_t i = 0; i < VIRTUAL_TIMERS_MAX; i++) {
		struct virtual_timer *t = &virtual_timers[i];

		if (t->source && t->at_us != UINT64_MAX && (!first || t->at_us < first->at_us))
			first = t;
	}
	return first;
}

/* If the first timer is due, the loop runs it next. */
static inline bool virtual_begin_due(void)
{
	struct virtual_timer *first = virtual_first();

	if (!first || first->at_us > virtual_us)
		return false;
	first->at_us = UINT64_MAX;
	sd_event_source_set_enabled(first->source, SD_EVENT_ONESHOT);
	return true;
}

/* Turns the loop once; waits at most `wait_us` of real time. False: nothing was ready. */
static inline bool virtual_turn(sd_event *event, uint64_t wait_us)
{
	int r = sd_event_run(event, virtual_begin_due() ? 0 : wait_us);

	assert(r >= 0);
	return r > 0;
}

/* Lets time pass until the first timer, at most until `end_us`. False: no timer is that early. */
static inline bool virtual_pass_to_timer(uint64_t end_us)
{
	const struct virtual_timer *first = virtual_first();

	if (!first || first->at_us > end_us)
		return false;
	if (virtual_us < first->at_us)
		virtual_us = first->at_us;
	return true;
}

/* Lets time pass until `end_us`; each timer fires at its moment. */
static inline void virtual_pass_to(sd_event *event, uint64_t end_us)
{
	do
		while (virtual_turn(event, 0))
			;
	while (virtual_pass_to_timer(end_us));
	if (virtual_us < end_us)
		virtual_us = end_us;
}

#endif
