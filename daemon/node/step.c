/* SPDX-License-Identifier: Apache-2.0 */
/* step: makes a step of the core, carries out its actions, and sets the timer for the next one. */
#include "inside.h"

#include "program/clock.h"

#include <string.h>
#include <sys/timerfd.h>

void node_arm(struct node *n)
{
	/* A time of zero would switch the timer off. */
	uint64_t at_us = n->wake_us ? n->wake_us : 1;
	struct itimerspec at = { 0 };

	if (n->armed_us == n->wake_us)
		return;
	n->armed_us = n->wake_us;
	if (n->wake_us != ELECT_NEVER) {
		at.it_value.tv_sec = (time_t)(at_us / 1000000);
		at.it_value.tv_nsec = (long)(at_us % 1000000 * 1000);
	}
	timerfd_settime(n->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void step_released(struct node *n)
{
	struct elect_event released = {
		.type = ELECT_EVENT_RELEASED,
		.released = n->release_due,
	};

	n->release_due = 0;
	node_step(n, &released);
}

/* An event is large, so it is made only if it happens: this runs for each datagram. */
void node_finish(struct node *n, const struct elect_actions *actions)
{
	node_act(n, clock_boot_us(), actions);
	if (n->release_due) {
		step_released(n);
		return;
	}
	node_arm(n);
	node_will_follow(n);
}

void node_step(struct node *n, struct elect_event *event)
{
	struct elect_actions actions;

	event->now_us = clock_boot_us();
	node_time_event(n, event);
	host_step(n->host, event, &actions);
	node_finish(n, &actions);
}

static void step_tick(struct node *n)
{
	struct elect_event tick = { .type = ELECT_EVENT_TICK };

	node_step(n, &tick);
}

void node_catch_up(struct node *n)
{
	n->discarded = false;
	if (clock_boot_us() >= n->wake_us)
		step_tick(n);
}

void node_define(struct node *n, const uint8_t *bytes, size_t size)
{
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_DEFINE, .definition_size = (uint16_t)size },
	};

	node_catch_up(n);
	memcpy(event.command.definition, bytes, size);
	node_step(n, &event);
}

void node_configure(struct node *n)
{
	struct elect_event event = {
		.type = ELECT_EVENT_COMMAND,
		.command = { .type = ELECT_COMMAND_CONFIGURE, .config = n->conf.elect },
	};

	node_catch_up(n);
	node_learn_name(n, &n->conf.elect.id, n->conf.elect.name);
	node_step(n, &event);
}
