/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts: hosts and what happens to them: the twin of the daemon's shell (node/). Feeds events to
 * the core, carries out its actions, lets hosts start, crash, stall and leave. Decides nothing
 * about elections.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "electsim/check/check.h"
#include "electsim/draw/draw.h"
#include "electsim/lan/lan.h"
#include "play.h"
#include "will.h"

static void push(struct sim *s, const struct sim_host *h, enum sim_event_type type, uint64_t at_us)
{
	queue_push(&s->queue,
		&(struct sim_event){
			.at_us = at_us, .type = type, .host = h->index, .life = h->life });
}

static void inbox_empty(struct sim *s, struct sim_host *h)
{
	struct sim_inbox *in = &h->inbox;

	for (; in->count > 0; in->count--) {
		queue_unref(&s->queue, in->ring[in->first]);
		in->first = (in->first + 1) % SIM_INBOX_MAX;
	}
}

/* Until the last word of a will is said. */
#define SIM_AFTER_WILL_US UINT64_C(50000)

/* ---- actions ----------------------------------------------------------------------------- */

static void stall_by(struct sim *s, struct sim_host *h, const struct sim_trigger *t)
{
	if (t->host)
		world_pause(s, h, t->us);
	else
		world_stall(s, h, t->us);
}

static void go_off(struct sim *s, struct sim_host *h)
{
	check_gone(s, h);
	hostile_on_gone(s, h);
	h->on = false;
	h->life++;
	h->stalled_until_us = 0;
	h->paused_until_us = 0;
	h->reading = false;
	h->wake_queued_us = ELECT_NEVER;
	h->release = h->hook_until_us = 0;
	h->leads = false;
	inbox_empty(s, h);
	s->changed_us = s->now_us;
	if (s->svg)
		svg_state(s, h);
}

/* Triggers that crash or stall a host. false: it died before this message left; *ret_dies: it dies
   right after. */
static bool may_send(struct sim *s, struct sim_host *h, enum elect_msg_type type, bool *ret_dies)
{
	for (unsigned i = 0; i < s->triggers_count; i++) {
		struct sim_trigger *t = &s->triggers[i];
		bool before = t->type == SIM_TRIGGER_CRASH_BEFORE;
		bool stall = t->type == SIM_TRIGGER_STALL_SENDS;

		if (!before && !stall && t->type != SIM_TRIGGER_CRASH_SENDS)
			continue;
		if (t->victim != (int)h->index || !trigger_fires(t, type, (int)h->index, -1))
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

static void send_on(struct sim *s, struct sim_host *h, unsigned lan, const struct elect_address *to)
{
	host_seal(h->core, &h->addresses[lan], &s->out);
	lan_send(s, h, lan, to, &s->out);
}

static void send_by(struct sim *s, struct sim_host *h, const struct elect_way *ways, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		send_on(s, h, ways[i].link - 1, &ways[i].address);
}

/* To one host, by each of its ways; to all, on each LAN, and to whom the group does not reach. */
static void send_out(struct sim *s, struct sim_host *h)
{
	for (unsigned lan = 0; s->out.to_all && lan < s->lans_count; lan++)
		if (h->multicast & 1u << lan)
			send_on(s, h, lan, NULL);
	if (s->out.to_all)
		send_by(s, h, s->to_all,
			host_to_all(h->core, sim_to_host(h, s->now_us), s->to_all));
	send_by(s, h, s->out.ways.items, s->out.ways.count);
}

/* false: the host is gone, the rest of its actions with it. */
static bool send_action(struct sim *s, struct sim_host *h, const struct elect_send *send)
{
	unsigned count = host_datagrams(send);

	for (unsigned n = 0; n < count; n++) {
		bool dies = false;

		if (!may_send(s, h, send->type, &dies))
			return false;
		host_compose(h->core, sim_to_host(h, s->now_us), send, n, &s->out);
		if (send->type == ELECT_AYCOORD || (send->type == ELECT_AYTHERE && !send->probe))
			s->totals.routine++;
		check_sent(s, h, &s->out);
		send_out(s, h);
		if (dies) {
			world_crash(s, h, false);
			return false;
		}
	}
	return true;
}

static void push_released(struct sim *s, const struct sim_host *h, uint64_t number, uint64_t at_us)
{
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = at_us,
			.type = SIM_EVENT_RELEASED,
			.host = h->index,
			.life = h->life,
			.release = number });
}

/* Hooks run one at a time: one that nobody waits for any more still delays the next. */
static void release(struct sim *s, struct sim_host *h, uint64_t number)
{
	if (h->release == number)
		return;
	h->release = number;
	if (h->hook_until_us < s->now_us)
		h->hook_until_us = s->now_us;
	h->hook_until_us += h->hook_us;
	push_released(s, h, number, h->hook_until_us);
}

static void leave(struct sim *s, struct sim_host *h)
{
	/* A clean end waits for the disk. */
	struct sim_disk *d = &h->disk;

	if (d->has_waiting && !d->failing)
		d->content.saved = d->waiting;
	else if (d->busy && !d->failing)
		d->content.saved = d->writing;
	d->busy = d->has_waiting = false;
	go_off(s, h);
}

/* ---- kernels: they answer whatever electd does, as long as their host runs ------------------- */

static void push_echo(struct sim *s, enum sim_event_type type, const struct sim_host *from,
	const struct sim_host *to, unsigned life)
{
	uint64_t us;

	if (!lan_arrives(s, from->index, to->index, &us))
		return;
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + us,
			.type = type,
			.host = to->index,
			.life = life,
			.b = from->index });
}

static void ask_kernel(struct sim *s, const struct sim_host *h, const struct elect_id *id)
{
	const struct sim_host *of = sim_by_id(s, id);

	if (of)
		push_echo(s, SIM_EVENT_ECHO, h, of, h->life);
}

/* The life is the asker's. */
static void on_echo(struct sim *s, const struct sim_host *h, const struct sim_event *event)
{
	if ((h->on || h->killed) && h->paused_until_us <= s->now_us && !h->kernel_silent)
		push_echo(s, SIM_EVENT_ECHOED, h, s->hosts[event->b], event->life);
}

/* Once a role: a leader that is confirmed has been promoted. */
static void promote(struct sim *s, struct sim_host *h, const struct elect_view *v)
{
	bool begins = v->role == ELECT_ROLE_LEADER && !h->leads;

	h->leads = v->role == ELECT_ROLE_LEADER;
	if (begins && h->promotes)
		queue_push(&s->queue,
			&(struct sim_event){ .at_us = s->now_us + h->promotion_us,
				.type = SIM_EVENT_PROMOTED,
				.host = h->index,
				.life = h->life,
				.release = v->token });
}

static bool act(struct sim *s, struct sim_host *h, const struct elect_action *a)
{
	switch (a->type) {
	case ELECT_ACTION_SEND:
		return send_action(s, h, &a->send);
	case ELECT_ACTION_VIEW: /* the checker has seen it */
		promote(s, h, &a->view);
		return true;
	case ELECT_ACTION_RELEASE:
		release(s, h, a->release.number);
		return true;
	case ELECT_ACTION_PERSIST:
		disk_write(s, h, &a->persist);
		return true;
	case ELECT_ACTION_DISCARD:
		inbox_empty(s, h);
		return true;
	case ELECT_ACTION_PROVE:
		return true; /* host.c has done it */
	case ELECT_ACTION_ECHO:
		ask_kernel(s, h, &a->echo);
		return true;
	case ELECT_ACTION_EXIT:
		leave(s, h);
		return false;
	case ELECT_ACTIONS:
		break;
	}
	assert(false);
	return false;
}

static void queue_wake(struct sim *s, struct sim_host *h)
{
	if (h->wake_us >= h->wake_queued_us)
		return;
	h->wake_queued_us = h->wake_us;
	push(s, h, SIM_EVENT_WAKE, h->wake_us);
}

static void plan_wake(struct sim *s, struct sim_host *h)
{
	uint64_t at = s->actions.wake_us;

	assert(at != 0);
	h->wake_us = at == ELECT_NEVER		 ? ELECT_NEVER
		: at > sim_to_host(h, s->now_us) ? sim_from_host(h, at)
						 : s->now_us;
	queue_wake(s, h);
}

/* What follows every step of the core. */
static void stepped(struct sim *s, struct sim_host *h)
{
	s->totals.steps++;
	hash_actions(s);
	check_stepped(s, h);
	if (trace_on(s))
		trace_actions(s, h);
	for (unsigned i = 0; i < s->actions.count && !s->broken; i++)
		if (!act(s, h, &s->actions.items[i]))
			return;
	plan_wake(s, h);
}

static void feed(struct sim *s, struct sim_host *h, enum elect_event_type type)
{
	s->event.type = type;
	s->event.now_us = sim_to_host(h, s->now_us);
	sim_mix(s, (uint64_t)type << 32 | h->index);
	sim_mix(s, s->now_us);
	if (trace_on(s))
		trace_event(s, h, &s->event);
	host_step(h->core, &s->event, &s->actions);
	stepped(s, h);
}

/* ---- start, crash, stall ----------------------------------------------------------------- */

static void fill_start(struct sim *s, struct sim_host *h, struct elect_start *start)
{
	struct sim_disk *d = &h->disk;

	*start = (struct elect_start){ .config = h->config };
	start->seed = rng_next(&s->rng);
	start->session = rng_next(&s->rng) | 1;
	if (h->lose_state)
		d->content = d->previous = (struct sim_image){ .lost = true };
	h->lose_state = false;
	start->incarnation = d->content.incarnation + 1;
	start->state_lost = d->content.lost;
	*(d->content.valid ? &start->reserved : &start->first) = d->content.saved.reserved;
	start->floor = d->content.saved.floor;
	start->held = d->content.saved.held;
	d->previous = d->content;
	d->content.valid = true;
	d->content.incarnation = start->incarnation;
	h->session = start->session;
}

void world_start(struct sim *s, struct sim_host *h)
{
	if (!h->on && h->will.on) /* as systemd does: not beside what is left of the former start */
		push(s, h, SIM_EVENT_START, h->will.says_until_us + SIM_AFTER_WILL_US);
	else
		world_start_beside(s, h);
}

static bool has_carrier(const struct sim *s, const struct sim_host *h)
{
	return h->carriers & ((1u << s->lans_count) - 1);
}

static void set_links(const struct sim *s, struct sim_host *h)
{
	struct host_link links[SIM_LANS_MAX];

	for (unsigned lan = 0; lan < s->lans_count; lan++)
		links[lan] = (struct host_link){
			.own = h->addresses[lan],
			.prefix = h->prefix,
			.number = lan + 1,
			.cable = lan + 1,
			.carrier = h->carriers >> lan & 1,
		};
	host_set_links(h->core, links, s->lans_count);
	host_set_reach(h->core, &h->reach);
}

void sim_name_peer(struct sim_host *h, const struct sim_host *peer)
{
	struct named *n = &h->reach.named;

	if (n->count == ELECT_PEERS_MAX)
		return;
	n->list[n->count] = (struct named_peer){ .address = peer->addresses[0], .link = 1 };
	n->list[n->count++].address.port = 0;
}

void world_reach(struct sim *s, struct sim_host *h)
{
	if (h->on)
		set_links(s, h);
}

static void tell_link(struct sim *s, struct sim_host *h)
{
	bool up = has_carrier(s, h);

	if (!h->on || sim_stalled(s, h))
		return;
	set_links(s, h);
	if (h->link_told == up)
		return;
	h->link_told = s->event.link_up = up;
	feed(s, h, ELECT_EVENT_LINK);
}

void world_start_beside(struct sim *s, struct sim_host *h)
{
	struct ring ring;

	if (h->on)
		return;
	h->on = true;
	h->killed = false;
	h->leaving = false;
	h->link_told = true; /* a start says nothing else */
	h->life++;
	h->wake_queued_us = ELECT_NEVER;
	h->busy_until_us = 0;
	h->resigned_until_us = 0;
	h->made.on = false;
	fill_start(s, h, &s->event.start);
	s->event.type = ELECT_EVENT_START;
	s->event.now_us = sim_to_host(h, s->now_us);
	sim_mix(s, s->event.start.session);
	if (trace_on(s))
		trace_event(s, h, &s->event);
	check_started(s, h);
	keys_ring(&h->keys, &ring);
	host_start(h->core, s->event.now_us, "default", &ring, &s->event.start, &s->actions);
	set_links(s, h);
	if (s->svg)
		svg_state(s, h); /* Down is what it was before, too */
	stepped(s, h);
	if (h->on)
		tell_link(s, h);
}

void world_crash(struct sim *s, struct sim_host *h, bool lose_last_write)
{
	will_end(h);
	h->killed = false;
	if (!h->on)
		return;
	s->totals.crashes++;
	if (trace_on(s))
		trace_line(s, h, "crashes");
	disk_crash(s, h, lose_last_write);
	go_off(s, h);
}

void world_kill(struct sim *s, struct sim_host *h)
{
	if (!h->on)
		return;
	s->totals.crashes++;
	if (trace_on(s))
		trace_line(s, h, "is killed");
	will_leave(s, h);
	disk_crash(s, h, false);
	go_off(s, h);
	h->killed = true;
	check_killed(s);
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
		h->paused_until_us = s->now_us + us;
	world_stall(s, h, us);
}

void world_run_again(struct sim *s, struct sim_host *h)
{
	if (!h->on || !sim_stalled(s, h))
		return;
	h->stalled_until_us = s->now_us;
	h->paused_until_us = 0;
	push(s, h, SIM_EVENT_RUN_AGAIN, s->now_us);
}

void world_command(struct sim *s, struct sim_host *h, const struct elect_command *command)
{
	if (!h->on || sim_stalled(s, h))
		return;
	if (command != &s->event.command)
		s->event.command = *command;
	if (s->event.command.type == ELECT_COMMAND_STOP)
		h->leaving = true;
	if (s->event.command.type == ELECT_COMMAND_PRIORITY)
		h->config.priority = s->event.command.priority;
	if (s->event.command.type == ELECT_COMMAND_RESIGN)
		h->resigned_until_us =
			s->now_us + (s->event.command.for_us ? s->event.command.for_us : 30000000);
	feed(s, h, ELECT_EVENT_COMMAND);
}

void world_rekey(struct sim *s, struct sim_host *h, const struct sim_keys *keys)
{
	struct ring ring;

	h->keys = *keys;
	keys_ring(keys, &ring);
	if (!h->on || sim_stalled(s, h) || ring_equal(&ring, &host_trust(h->core)->ring))
		return;
	will_keep(s, h);
	s->event.type = ELECT_EVENT_REKEYED;
	s->event.now_us = sim_to_host(h, s->now_us);
	ring_told(&ring, &s->event.rekeyed.keys);
	sim_mix(s, (uint64_t)s->event.type << 32 | h->index);
	sim_mix(s, s->now_us);
	if (trace_on(s))
		trace_event(s, h, &s->event);
	host_set_keys(h->core, s->event.now_us, &ring, &s->actions);
	stepped(s, h);
}

void world_report(struct sim *s, struct sim_host *h, const struct elect_report *report)
{
	if (!h->on || sim_stalled(s, h))
		return;
	s->event.report = *report;
	feed(s, h, ELECT_EVENT_REPORT);
}

void world_link(struct sim *s, struct sim_host *h, unsigned lans, bool up)
{
	h->carriers = up ? h->carriers | lans : h->carriers & ~lans;
	lan_carrier(s, lans, h);
	tell_link(s, h);
}

/* ---- events ------------------------------------------------------------------------------ */

/* Of a datagram that is not proven: a Challenge, now or when the host is woken. */
static void challenged(struct sim *s, struct sim_host *h)
{
	for (unsigned i = 0; i < s->actions.count && !s->broken; i++)
		if (!act(s, h, &s->actions.items[i]))
			return;
	plan_wake(s, h);
}

/* The same of one that reads. false: it is gone. */
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

	const struct elect_way way = { d->source, d->lan + 1 };
	enum wire_verdict verdict = (d->by_group ? host_receive_by_group : host_receive)(
		h->core, sim_to_host(h, s->now_us), &way, d->bytes, d->size, &s->actions);

	sim_mix(s, verdict);
	if (trace_on(s))
		trace_datagram(s, h, d, verdict);
	if (verdict == WIRE_UNPROVEN || verdict == WIRE_DUPLICATE) {
		check_challenges(s, h, d);
		challenged(s, h);
	} else if (verdict != WIRE_OK) {
		s->totals.refused++;
		if (verdict == WIRE_KEY_BAD && d->sender < s->hosts_count && !d->hostile)
			s->totals.refused_keys++;
		check_unbelieved(s, h, wire_verdict_name(verdict));
	} else {
		if (d->hostile)
			check_fail(s, "S6", "h%u believed a datagram made by the adversary",
				h->index + 1);
		s->fed = d;
		stepped(s, h);
		s->fed = NULL;
	}
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
		return; /* an earlier one was asked for since */
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
	feed(s, h, ELECT_EVENT_TICK);
}

/* The shell's rule: after a gap the TICK comes before everything that waits. */
static void on_run_again(struct sim *s, struct sim_host *h)
{
	if (h->stalled_until_us == 0 || h->stalled_until_us > s->now_us)
		return;
	h->stalled_until_us = 0;
	check_stalled(s, h, s->now_us - h->stalled_since_us);
	if (h->wake_us <= s->now_us)
		feed(s, h, ELECT_EVENT_TICK);
	else if (h->wake_queued_us == ELECT_NEVER)
		queue_wake(s, h);
	tell_link(s, h);
	if (h->on)
		plan_read(s, h);
}

static void on_written(struct sim *s, struct sim_host *h)
{
	disk_written(s, h, &s->event.persisted);
	feed(s, h, ELECT_EVENT_PERSISTED);
}

static void on_released(struct sim *s, struct sim_host *h, uint64_t number)
{
	s->event.released = number;
	feed(s, h, ELECT_EVENT_RELEASED);
}

static void on_promoted(struct sim *s, struct sim_host *h, uint64_t token)
{
	s->event.promoted = token;
	feed(s, h, ELECT_EVENT_PROMOTED);
}

static void on_echoed(struct sim *s, struct sim_host *h, unsigned by)
{
	s->event.echoed = s->hosts[by]->config.id;
	feed(s, h, ELECT_EVENT_ECHOED);
}

/* What a stalled host learns when it runs again. */
static bool put_off(struct sim *s, const struct sim_host *h, const struct sim_event *event)
{
	if (!sim_stalled(s, h))
		return false;
	if (event->type == SIM_EVENT_ECHOED)
		queue_push(&s->queue,
			&(struct sim_event){ .at_us = h->stalled_until_us,
				.type = event->type,
				.host = event->host,
				.life = event->life,
				.b = event->b });
	else if (event->type == SIM_EVENT_RELEASED)
		push_released(s, h, event->release, h->stalled_until_us);
	else if (event->type == SIM_EVENT_PROMOTED)
		queue_push(&s->queue,
			&(struct sim_event){ .at_us = h->stalled_until_us,
				.type = event->type,
				.host = event->host,
				.life = event->life,
				.release = event->release });
	else if (event->type == SIM_EVENT_WRITTEN)
		push(s, h, event->type, h->stalled_until_us);
	else
		return false;
	return true;
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
	if (event->type == SIM_EVENT_ECHO) {
		on_echo(s, h, event);
		return;
	}
	if (event->type == SIM_EVENT_WILL) {
		will_speak(s, h, event->b);
		return;
	}
	if (event->life != h->life)
		return;
	if (put_off(s, h, event))
		return;
	switch (event->type) {
	case SIM_EVENT_READ:
		on_read(s, h);
		break;
	case SIM_EVENT_WAKE:
		on_wake(s, h);
		break;
	case SIM_EVENT_WRITTEN:
		on_written(s, h);
		break;
	case SIM_EVENT_RELEASED:
		on_released(s, h, event->release);
		break;
	case SIM_EVENT_PROMOTED:
		on_promoted(s, h, event->release);
		break;
	case SIM_EVENT_RUN_AGAIN:
		on_run_again(s, h);
		break;
	case SIM_EVENT_START:
		world_start(s, h);
		break;
	case SIM_EVENT_ECHOED:
		on_echoed(s, h, event->b);
		break;
	case SIM_EVENT_DELIVER:
	case SIM_EVENT_ECHO:
	case SIM_EVENT_WILL:
	case SIM_EVENT_CALL:
		break;
	}
}
