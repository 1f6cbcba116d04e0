/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts: starts, crashes and stalls hosts, fills and reads their sockets, and wakes them. The kind
 * of host (judge/daemons, lab/road) does the rest. Decides nothing about elections.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/draw/draw.h"
#include "electsim/lan/lan.h"
#include "hosts.h"

static void push(struct sim *s, const struct sim_host *h, enum sim_event_type type, uint64_t at_us)
{
	queue_push(&s->queue,
		&(struct sim_event){
			.at_us = at_us, .type = type, .host = h->index, .life = h->life });
}

void world_discard(struct sim *s, struct sim_host *h)
{
	struct sim_inbox *in = &h->inbox;

	for (; in->count > 0; in->count--) {
		queue_unref(&s->queue, in->ring[in->first]);
		in->first = (in->first + 1) % SIM_INBOX_MAX;
	}
}

/* Interval at which an event for a stalled host is tried again. */
#define PUT_OFF_US UINT64_C(3000000)
/* Delay of a restart after the last message of a will. */
#define SIM_AFTER_WILL_US UINT64_C(50000)

static void stall_by(struct sim *s, struct sim_host *h, const struct sim_trigger *t)
{
	if (t->host)
		world_pause(s, h, t->us);
	else
		world_stall(s, h, t->us);
}

static void run_kernel(struct sim *s, unsigned index, unsigned unused)
{
	struct sim_host *h = s->hosts[index];
	uint64_t since_us = h->paused_since_us;

	(void)unused;
	if (!since_us || s->now_us < h->paused_until_us)
		return;
	h->paused_since_us = 0;
	if (s->kind->awake)
		s->kind->awake(s, h, s->now_us - since_us);
}

static void pause_until(struct sim *s, struct sim_host *h, uint64_t until_us)
{
	if (!h->paused_since_us)
		h->paused_since_us = s->now_us;
	h->paused_until_us = until_us;
	sim_at(s, until_us, run_kernel, h->index, 0);
}

static void end_pause(struct sim *s, struct sim_host *h)
{
	if (h->paused_until_us > s->now_us)
		pause_until(s, h, s->now_us);
}

void world_off(struct sim *s, struct sim_host *h)
{
	s->kind->gone(s, h);
	hostile_on_gone(s, h);
	h->on = false;
	h->life++;
	h->stalled_until_us = 0;
	end_pause(s, h);
	h->reading = false;
	h->wake_queued_us = ELECT_NEVER;
	h->release = h->hook_until_us = 0;
	h->leads = false;
	world_discard(s, h);
	s->changed_us = s->now_us;
	if (s->svg)
		svg_state(s, h);
}

bool world_may_send(struct sim *s, struct sim_host *h, unsigned type, bool *ret_dies)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];
		bool before = t->type == SIM_TRIGGER_CRASH_BEFORE;
		bool stall = t->type == SIM_TRIGGER_STALL_SENDS;

		if (!before && !stall && t->type != SIM_TRIGGER_CRASH_SENDS)
			continue;
		if (t->victim != (int)h->index ||
			!trigger_fires(t, (enum elect_msg_type)type, (int)h->index, -1))
			continue;
		if (before) {
			world_crash(s, h, false);
			return false;
		}
		if (stall)
			stall_by(s, h, t);
		else
			*ret_dies = true;
	}
	return true;
}

void world_wake(struct sim *s, struct sim_host *h, uint64_t at_us)
{
	h->wake_us = at_us;
	if (h->wake_us >= h->wake_queued_us)
		return;
	h->wake_queued_us = h->wake_us;
	push(s, h, SIM_EVENT_WAKE, h->wake_us);
}

/* ---- start, crash, stall ----------------------------------------------------------------- */

void world_start(struct sim *s, struct sim_host *h)
{
	if (!h->on && h->will.on) /* systemd, too, waits for the rest of the former start */
		push(s, h, SIM_EVENT_START, h->will.says_until_us + SIM_AFTER_WILL_US);
	else
		world_start_beside(s, h);
}

void world_start_beside(struct sim *s, struct sim_host *h)
{
	if (h->on)
		return;
	h->on = true;
	h->killed = false;
	h->leaving = false;
	h->link_told = true; /* every start assumes a carrier */
	h->life++;
	h->wake_queued_us = ELECT_NEVER;
	h->busy_until_us = 0;
	h->resigned_until_us = 0;
	h->made.on = false;
	s->kind->start(s, h);
}

void world_crash(struct sim *s, struct sim_host *h, bool lose_last_write)
{
	if (s->kind->dark)
		s->kind->dark(s, h);
	h->killed = false;
	if (!h->on)
		return;
	s->totals.crashes++;
	if (trace_on(s))
		trace_line(s, h, "crashes");
	disk_crash(s, h, lose_last_write);
	world_off(s, h);
}

void world_stall(struct sim *s, struct sim_host *h, uint64_t us)
{
	if (!h->on || us == 0)
		return;
	if (!sim_stalled(s, h))
		h->stalled_since_us = s->now_us;
	if (s->now_us + us <= h->stalled_until_us)
		return;
	s->totals.stalls++;
	h->stalled_until_us = s->now_us + us;
	if (trace_on(s))
		trace_line(s, h, "stalls for %u ms", (unsigned)(us / 1000));
	push(s, h, SIM_EVENT_RUN_AGAIN, h->stalled_until_us);
}

void world_pause(struct sim *s, struct sim_host *h, uint64_t us)
{
	if (h->on && h->paused_until_us < s->now_us + us)
		pause_until(s, h, s->now_us + us);
	world_stall(s, h, us);
}

void world_run_again(struct sim *s, struct sim_host *h)
{
	if (!h->on || !sim_stalled(s, h))
		return;
	h->stalled_until_us = s->now_us;
	end_pause(s, h);
	push(s, h, SIM_EVENT_RUN_AGAIN, s->now_us);
}

void world_link(struct sim *s, struct sim_host *h, unsigned lans, bool up)
{
	h->carriers = up ? h->carriers | lans : h->carriers & ~lans;
	lan_carrier(s, lans, h);
	if (s->kind->link)
		s->kind->link(s, h);
}

/* Triggers at a message that the host reads; false: the host has crashed. */
static bool may_receive(struct sim *s, struct sim_host *h, const struct sim_datagram *d)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];
		bool stall = t->type == SIM_TRIGGER_STALL_RECEIVES;

		if (!stall && t->type != SIM_TRIGGER_CRASH_RECEIVES)
			continue;
		if (t->victim != (int)h->index ||
			!trigger_fires(t, d->type, (int)d->sender, (int)h->index))
			continue;
		if (!stall) {
			world_crash(s, h, false);
			return false;
		}
		stall_by(s, h, t);
	}
	return true;
}

static void read_one(struct sim *s, struct sim_host *h, struct sim_datagram *d)
{
	if (!may_receive(s, h, d)) {
		queue_unref(&s->queue, d);
		return;
	}
	h->busy_until_us = s->now_us + SIM_DATAGRAM_US;
	sim_mix(s, d->number << 8 | h->index);
	sim_mix(s, s->now_us);
	s->kind->receive(s, h, d);
	queue_unref(&s->queue, d);
}

static void plan_read(struct sim *s, struct sim_host *h)
{
	if (h->reading || h->inbox.count == 0 || !h->on)
		return;
	h->reading = true;
	push(s, h, SIM_EVENT_READ, h->busy_until_us > s->now_us ? h->busy_until_us : s->now_us);
}

static void on_deliver(struct sim *s, struct sim_host *h, struct sim_datagram *d)
{
	struct sim_inbox *in = &h->inbox;

	sim_frame(h, d->lan, d->sender);
	if (!h->on || in->count == SIM_INBOX_MAX) {
		s->totals.overflowed += h->on;
		queue_unref(&s->queue, d);
		return;
	}
	if (!sim_stalled(s, h) && in->count == 0 && h->busy_until_us <= s->now_us) {
		read_one(s, h, d);
		return;
	}
	in->ring[(in->first + in->count++) % SIM_INBOX_MAX] = d;
	if (!sim_stalled(s, h))
		plan_read(s, h);
}

static void on_read(struct sim *s, struct sim_host *h)
{
	struct sim_inbox *in = &h->inbox;

	h->reading = false;
	if (sim_stalled(s, h) || in->count == 0)
		return;

	struct sim_datagram *d = in->ring[in->first];

	in->first = (in->first + 1) % SIM_INBOX_MAX;
	in->count--;
	read_one(s, h, d);
	plan_read(s, h);
}

static void on_wake(struct sim *s, struct sim_host *h)
{
	if (h->wake_queued_us != s->now_us)
		return; /* an earlier TICK was asked for since */
	h->wake_queued_us = ELECT_NEVER;
	if (sim_stalled(s, h))
		return;
	if (h->wake_us > s->now_us) {
		if (h->wake_us == ELECT_NEVER)
			return;
		h->wake_queued_us = h->wake_us;
		push(s, h, SIM_EVENT_WAKE, h->wake_us);
		return;
	}
	s->kind->tick(s, h);
}

/* The daemon's rule: after a gap, the TICK comes before all other events. */
static void on_run_again(struct sim *s, struct sim_host *h)
{
	if (h->stalled_until_us == 0 || h->stalled_until_us > s->now_us)
		return;
	h->stalled_until_us = 0;
	s->kind->late(s, h, s->now_us - h->stalled_since_us);
	if (h->wake_us <= s->now_us)
		s->kind->tick(s, h);
	else if (h->wake_queued_us == ELECT_NEVER)
		world_wake(s, h, h->wake_us);
	if (s->kind->link)
		s->kind->link(s, h);
	if (h->on)
		plan_read(s, h);
}

/* Delays an event for a stalled host; it is tried again because a long stall can end early. */
static bool put_off(struct sim *s, const struct sim_host *h, const struct sim_event *event)
{
	struct sim_event later = *event;

	if (!sim_stalled(s, h) || event->type == SIM_EVENT_READ || event->type == SIM_EVENT_WAKE ||
		event->type == SIM_EVENT_RUN_AGAIN || event->type == SIM_EVENT_START)
		return false;
	later.at_us = s->now_us + PUT_OFF_US;
	if (later.at_us > h->stalled_until_us)
		later.at_us = h->stalled_until_us;
	queue_push(&s->queue, &later);
	return true;
}

/* Events of the host's kernel or of a former process, which belong to no life. */
static bool outlives(const struct sim_event *event)
{
	return event->type == SIM_EVENT_ECHO || event->type == SIM_EVENT_WILL;
}

void world_play(struct sim *s, const struct sim_event *event)
{
	struct sim_host *h = event->host < s->hosts_count ? s->hosts[event->host] : NULL;

	if (event->type == SIM_EVENT_CALL) {
		event->call(s, event->host, event->b);
		return;
	}
	assert(h);
	if (event->type == SIM_EVENT_DELIVER) {
		on_deliver(s, h, event->datagram);
		return;
	}
	if (!outlives(event) && (event->life != h->life || put_off(s, h, event)))
		return;
	switch (event->type) {
	case SIM_EVENT_READ:
		on_read(s, h);
		break;
	case SIM_EVENT_WAKE:
		on_wake(s, h);
		break;
	case SIM_EVENT_RUN_AGAIN:
		on_run_again(s, h);
		break;
	case SIM_EVENT_START:
		world_start(s, h);
		break;
	case SIM_EVENT_WRITTEN:
	case SIM_EVENT_RELEASED:
	case SIM_EVENT_PROMOTED:
	case SIM_EVENT_RANK:
	case SIM_EVENT_WILL:
	case SIM_EVENT_ECHO:
	case SIM_EVENT_ECHOED:
	case SIM_EVENT_LINK_LIVES:
		s->kind->event(s, h, event);
		break;
	case SIM_EVENT_DELIVER:
	case SIM_EVENT_CALL:
		break;
	}
}
