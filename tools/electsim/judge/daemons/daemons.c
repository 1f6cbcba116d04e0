/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemons: hosts with the daemon's core; the counterpart of the daemon's shell (node/). Feeds
 * events to the core and carries out its actions. hosts.c does what is common to all kinds of
 * hosts. Decides nothing about elections.
 */
#include <assert.h>
#include <string.h>

#include "core/messages.h"
#include "electsim/judge/check/check.h"
#include "electsim/draw/draw.h"
#include "electsim/lan/lan.h"
#include "daemons.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "inside.h"

/* Can the host take an event that only daemons have? */
static bool hears(const struct sim *s, const struct sim_host *h)
{
	return s->kind == &daemons_kind && h->on && !sim_stalled(s, h);
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

/* To one host, by each of its paths; to all, on each LAN and to each host that multicast misses. */
static void send_out(struct sim *s, struct sim_host *h)
{
	for (unsigned lan = 0; s->out.to_all && lan < s->lans_count; lan++)
		if (h->multicast & 1u << lan && !host_spares(h->core, &s->out, lan + 1))
			send_on(s, h, lan, NULL);
	if (s->out.to_all)
		send_by(s, h, s->to_all,
			host_to_all(h->core, sim_to_host(h, s->now_us), s->to_all));
	send_by(s, h, s->out.ways.items, s->out.ways.count);
}

/* Is it a coordinator's beacon, or a regular message of a member to its coordinator? */
static bool is_routine(const struct elect_send *send)
{
	bool answers = send->type == ELECT_AYTHERE || send->type == ELECT_AYNORMAL_ANSWER;

	return elect_message_row(send->type)->traits & MESSAGE_BEACON || (answers && !send->probe);
}

/* false: the host crashed and lost its other actions. */
static bool send_action(struct sim *s, struct sim_host *h, const struct elect_send *send)
{
	unsigned count = host_datagrams(send);

	for (unsigned n = 0; n < count; n++) {
		bool dies = false;

		if (!world_may_send(s, h, send->type, &dies))
			return false;
		host_compose(h->core, sim_to_host(h, s->now_us), send, n, &s->out);
		if (is_routine(send))
			s->totals.routine++;
		else if (send->type != ELECT_CHALLENGE && send->type != ELECT_CHALLENGE_ANSWER)
			s->totals.messages += s->out.to_all ? s->hosts_count - 1 : 1;
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

/* Hooks run one at a time: a demotion that is no longer waited for still delays the next one. */
static void release(struct sim *s, struct sim_host *h, uint64_t number)
{
	if (h->release == number)
		return;
	h->release = number;
	if (h->hook_until_us < s->now_us)
		h->hook_until_us = s->now_us;
	h->hook_until_us += h->hook_us;
	if (addresses_held(h))
		addresses_release(s, h, number, h->hook_until_us);
	else
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
	world_off(s, h);
}

/* ---- kernels: they answer as long as their host runs, whatever electd does ------------------- */

static void push_echo(struct sim *s, enum sim_event_type type, const struct sim_host *from,
	const struct sim_host *to, unsigned life)
{
	uint64_t us;
	int lan = lan_arrives(s, from->index, to->index, &us);

	if (lan < 0)
		return;
	queue_push(&s->queue,
		&(struct sim_event){ .at_us = s->now_us + us,
			.type = type,
			.host = to->index,
			.life = life,
			.b = from->index,
			.release = (uint64_t)lan });
}

static void ask_kernel(struct sim *s, const struct sim_host *h, const struct elect_id *id)
{
	const struct sim_host *of = sim_by_id(s, id);

	if (of)
		push_echo(s, SIM_EVENT_ECHO, h, of, h->life);
}

/* The event has the life of the host that asks. */
static void on_echo(struct sim *s, const struct sim_host *h, const struct sim_event *event)
{
	if (sim_kernel_runs(s, h))
		push_echo(s, SIM_EVENT_ECHOED, h, s->hosts[event->b], event->life);
}

/* Once per role: a confirmed leader has been promoted already. */
static void promote(struct sim *s, struct sim_host *h, const struct elect_view *v)
{
	bool begins = v->role == ELECT_ROLE_LEADER && !h->leads;

	h->leads = v->role == ELECT_ROLE_LEADER;
	addresses_view(s, h, v, begins ? v->token : 0);
}

static bool act(struct sim *s, struct sim_host *h, const struct elect_action *a)
{
	switch (a->type) {
	case ELECT_ACTION_SEND:
		return send_action(s, h, &a->send);
	case ELECT_ACTION_VIEW: /* check_stepped() has read it */
		promote(s, h, &a->view);
		return true;
	case ELECT_ACTION_RELEASE:
		release(s, h, a->release.number);
		return true;
	case ELECT_ACTION_PERSIST:
		disk_write(s, h, &a->persist);
		return true;
	case ELECT_ACTION_DISCARD:
		world_discard(s, h);
		return true;
	case ELECT_ACTION_PROVE:
		return true; /* host.c has done it */
	case ELECT_ACTION_ECHO:
		ask_kernel(s, h, &a->echo);
		return true;
	case ELECT_ACTION_TRY_LINK:
		own_link_try(s, h, &a->try_link);
		return true;
	case ELECT_ACTION_EXIT:
		leave(s, h);
		return false;
	case ELECT_ACTION_DEFECT:
		check_fail(s, "role", "h%u: %s; phase %s, next %s", h->index + 1, a->defect.words,
			elect_phase_name(a->defect.phase), elect_phase_name(a->defect.next));
		return true;
	case ELECT_ACTIONS:
		break;
	}
	assert(false);
	return false;
}

static void plan_wake(struct sim *s, struct sim_host *h)
{
	uint64_t at = s->actions.wake_us;

	assert(at != 0);
	world_wake(s, h,
		at == ELECT_NEVER			 ? ELECT_NEVER
			: at > sim_to_host(h, s->now_us) ? sim_from_host(h, at)
							 : s->now_us);
}

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
	addresses_until(s, h);
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
	memset(h->used, 0, sizeof(h->used));
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
			.cable = s->families ? lan / 2 + 1 : lan + 1,
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
	if (s->kind == &daemons_kind && h->on)
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

static void start(struct sim *s, struct sim_host *h)
{
	struct ring ring;

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
		svg_state(s, h); /* the view stays Down, so no change would draw it */
	stepped(s, h);
	if (h->on)
		tell_link(s, h);
}

void world_kill(struct sim *s, struct sim_host *h)
{
	if (s->kind != &daemons_kind) { /* other kinds have neither copy nor hooks */
		world_crash(s, h, false);
		return;
	}
	if (!h->on)
		return;
	s->totals.crashes++;
	if (trace_on(s))
		trace_line(s, h, "is killed");
	will_leave(s, h);
	disk_crash(s, h, false);
	world_off(s, h);
	h->killed = true;
	check_killed(s);
}

void world_command(struct sim *s, struct sim_host *h, const struct elect_command *command)
{
	if (!hears(s, h))
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
	if (!hears(s, h) || ring_equal(&ring, &host_trust(h->core)->ring))
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
	if (!hears(s, h))
		return;
	s->event.report = *report;
	feed(s, h, ELECT_EVENT_REPORT);
}

/* Acts on an unverified datagram: a Challenge, now or at the next wake-up. */
static void challenged(struct sim *s, struct sim_host *h)
{
	for (unsigned i = 0; i < s->actions.count && !s->broken; i++)
		if (!act(s, h, &s->actions.items[i]))
			return;
	plan_wake(s, h);
}

static void not_hostile(struct sim *s, const struct sim_host *h, const struct sim_datagram *d)
{
	if (d->hostile)
		check_fail(s, "S6", "h%u believed a datagram made by the adversary", h->index + 1);
}

/* A Challenge of any sender made the core begin a new session; continues as after a start. */
static void begins_anew(struct sim *s, struct sim_host *h, struct sim_datagram *d)
{
	not_hostile(s, h, d);
	h->session = host_trust(h->core)->session;
	memset(h->used, 0, sizeof(h->used));
	s->totals.anew++;
	s->event.type = ELECT_EVENT_PUT_BACK;
	check_begins_anew(s, h);
	stepped(s, h);
}

/* Actions may follow: the sender may have been put back, or have a new path. */
static void refused(
	struct sim *s, struct sim_host *h, const struct sim_datagram *d, enum wire_verdict verdict)
{
	s->totals.refused++;
	if (verdict == WIRE_KEY_BAD && d->sender < s->hosts_count && !d->hostile)
		s->totals.refused_keys++;
	if (verdict == WIRE_REPLAYED && s->actions.count)
		check_challenges(s, h, d);
	else if (verdict == WIRE_COUNTER_BAD)
		check_counter_refused(s, h, d);
	else
		check_unbelieved(s, h, wire_verdict_name(verdict));
	if (s->actions.count && !s->broken)
		challenged(s, h);
}

static void receive(struct sim *s, struct sim_host *h, struct sim_datagram *d)
{
	const struct elect_way way = { d->source, d->lan + 1 };
	enum wire_verdict verdict;

	check_kept(s, h, d);
	verdict = (d->by_group ? host_receive_by_group : host_receive)(
		h->core, sim_to_host(h, s->now_us), &way, d->bytes, d->size, &s->actions);
	sim_mix(s, verdict);
	if (trace_on(s))
		trace_datagram(s, h, d, verdict);
	check_placed(s, h, d, verdict);
	if ((verdict == WIRE_TYPE_BAD || verdict == WIRE_UNPROVEN) && check_passed_over(h, d))
		not_hostile(s, h, d);
	if (verdict == WIRE_UNPROVEN || verdict == WIRE_DUPLICATE ||
		(verdict == WIRE_TYPE_BAD && s->actions.count)) {
		check_challenges(s, h, d);
		challenged(s, h);
	} else if (verdict != WIRE_OK) {
		refused(s, h, d, verdict);
	} else if (host_trust(h->core)->session != h->session) {
		begins_anew(s, h, d);
	} else {
		not_hostile(s, h, d);
		s->fed = d;
		stepped(s, h);
		s->fed = NULL;
	}
}

static void tick(struct sim *s, struct sim_host *h)
{
	feed(s, h, ELECT_EVENT_TICK);
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

static void on_echoed(struct sim *s, struct sim_host *h, unsigned by, unsigned lan)
{
	sim_frame(h, lan, by);
	s->event.echoed = s->hosts[by]->config.id;
	feed(s, h, ELECT_EVENT_ECHOED);
}

static void on_link_lives(struct sim *s, struct sim_host *h, unsigned lost, enum elect_sign sign)
{
	if (own_link_proves(s, h, sign))
		h->watch.claim.lives_us = sim_to_host(h, s->now_us);
	s->event.link_sign = (struct elect_link_sign){ s->hosts[lost]->config.id, sign };
	feed(s, h, ELECT_EVENT_LINK_LIVES);
}

static void on_event(struct sim *s, struct sim_host *h, const struct sim_event *event)
{
	switch (event->type) {
	case SIM_EVENT_WRITTEN:
		on_written(s, h);
		break;
	case SIM_EVENT_RELEASED:
		on_released(s, h, event->release);
		break;
	case SIM_EVENT_PROMOTED:
		on_promoted(s, h, event->release);
		break;
	case SIM_EVENT_RANK:
		addresses_event(s, h, event);
		break;
	case SIM_EVENT_WILL:
		will_speak(s, h, event->b);
		break;
	case SIM_EVENT_ECHO:
		on_echo(s, h, event);
		break;
	case SIM_EVENT_ECHOED:
		on_echoed(s, h, event->b, (unsigned)event->release);
		break;
	case SIM_EVENT_LINK_LIVES:
		on_link_lives(s, h, event->b, (enum elect_sign)event->release);
		break;
	case SIM_EVENT_DELIVER: /* handled by hosts.c */
	case SIM_EVENT_READ:
	case SIM_EVENT_WAKE:
	case SIM_EVENT_RUN_AGAIN:
	case SIM_EVENT_START:
	case SIM_EVENT_CALL:
		assert(false);
	}
}

static const char *message_name(const struct sim *s, unsigned type)
{
	(void)s;
	return elect_msg_type_known(type) ? elect_msg_type_name((enum elect_msg_type)type) : NULL;
}

static unsigned message_kind(const struct sim *s, unsigned type)
{
	(void)s;
	return elect_message_row(type)->kind;
}

static void gone(struct sim *s, struct sim_host *h)
{
	shown_gone(s, h);
	addresses_alone(s, h);
}

static void dark(struct sim *s, struct sim_host *h)
{
	will_end(s, h);
	addresses_dark(h);
}

const struct sim_kind daemons_kind = {
	.start = start,
	.receive = receive,
	.tick = tick,
	.late = check_stalled,
	.awake = addresses_awake,
	.link = tell_link,
	.event = on_event,
	.gone = gone,
	.dark = dark,
	.led = check_led,
	.ought_to_lead = live_ought_to_lead,
	.message_name = message_name,
	.message_kind = message_kind,
};

void daemons_begin(struct sim *s, const struct election *e, bool literal)
{
	assert(e && e->framed);
	assert(!literal); /* only elections of the laboratory have a literal form */
	s->kind = &daemons_kind;
	s->election = e;
	s->literal = false;
	for (unsigned i = 0; i < s->hosts_count; i++)
		s->hosts[i]->config.algorithm = s->election->framed;
}
