/* SPDX-License-Identifier: Apache-2.0 */
/*
 * road: a host of the laboratory: the environment of its algorithm on the LAN, and the kind of the
 * host. It shows a view like electd's, so code that looks at hosts need not know their kind.
 * Reliable sending is in lane.c, the reasons for elections are in watch.c.
 */
#include "road.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/messages.h"
#include "electsim/draw/draw.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "electsim/lan/lan.h"
#include "inside.h"

/* ---- the view ------------------------------------------------------------------------------- */

static enum elect_state state_of(const struct road *r)
{
	if (r->watchdog_us != ROAD_NEVER)
		return ELECT_ELECTION;
	return r->lab.coordinator == LAB_NONE ? ELECT_DOWN : ELECT_NORMAL;
}

static bool same(const struct elect_view *a, const struct elect_view *b)
{
	return a->state == b->state && a->role == b->role && a->group.counter == b->group.counter &&
		elect_id_equal(&a->group.coordinator, &b->group.coordinator);
}

void road_show(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;
	uint16_t coordinator = r->lab.coordinator;
	struct elect_view v = { .state = state_of(r),
		.may_lead = true,
		.list_version = 1,
		.members_count = (uint16_t)s->hosts_count };

	if (coordinator != LAB_NONE) {
		v.group.coordinator = v.leader = s->hosts[coordinator]->config.id;
		v.group.counter = r->elected_in + r->lab.algorithm->eventual;
		v.role = coordinator == r->lab.id ? ELECT_ROLE_LEADER : ELECT_ROLE_FOLLOWER;
	}
	if (!h->on || (same(&v, &h->watch.view) && r->shown == r->lab.state))
		return;
	r->shown = r->lab.state;
	shown_set(s, h, &v);
}

/* ---- the LAN -------------------------------------------------------------------------------- */

static void trace_packet(struct sim *s, const struct sim_host *h, const struct road_packet *p,
	const char *where, int other)
{
	const char *name = s->kind->message_name(s, p->type);
	char whom[16] = "all";

	if (other >= 0)
		snprintf(whom, sizeof(whom), "h%d", other + 1);
	if (p->type == ROAD_HEARTBEAT)
		trace_line(s, h, "%s %s %s: h%u, election %u", where, whom, name,
			p->coordinator + 1u, p->election);
	else if (p->type >= ROAD_ACK)
		trace_line(s, h, "%s %s %s: election %u", where, whom, name, p->election);
	else if (p->m.count)
		trace_line(s, h, "%s %s %s: election %u, %u ids, id %u", where, whom, name,
			p->election, p->m.count, p->m.id);
	else
		trace_line(s, h, "%s %s %s: election %u, id %u%s", where, whom, name, p->election,
			p->m.id, p->m.yes ? ", yes" : "");
}

bool road_say(struct sim *s, struct sim_host *h, const struct road_packet *p, int to,
	unsigned first, unsigned last)
{
	bool dies = false;

	if (!h->on || !world_may_send(s, h, p->type, &dies))
		return false;
	s->out.type = (enum elect_msg_type)p->type;
	s->out.to_all = to < 0;
	s->out.size = road_write(p, s->out.bytes, sizeof(s->out.bytes));
	if (trace_on(s))
		trace_packet(s, h, p, "->", to);
	if (to < 0)
		lan_cast(s, h, 0, first, last, &s->out);
	else
		lan_send(s, h, 0, &s->hosts[to]->addresses[0], &s->out);
	if (p->type == ROAD_HEARTBEAT)
		s->totals.routine++;
	if (dies)
		world_crash(s, h, false);
	return !dies;
}

/* ---- the environment of the algorithm ------------------------------------------------------- */

static struct lab_msg stamped(struct road *r, const struct lab_msg *m)
{
	static const char joke[] = "Hahaha!";
	struct lab_msg copy = *m;

	copy.from = (uint16_t)r->lab.place;
	copy.election = r->lab.election;
	if (r->alter == m->type) {
		memset(copy.payload, 0, sizeof(copy.payload));
		memcpy(copy.payload, joke, sizeof(joke));
		r->alter = -1;
	}
	return copy;
}

static struct road_packet loose(struct road *r, const struct lab_msg *m)
{
	return (struct road_packet){ .type = m->type + 1u,
		.session = r->session,
		.election = r->lab.election,
		.begun_by = r->begun_by,
		.lane = ROAD_LANES,
		.m = stamped(r, m) };
}

static void ground_send(struct lab_host *h, unsigned to, int side, const struct lab_msg *m)
{
	struct sim *s = road_sim(h);
	struct sim_host *host = road_host(s, h);
	struct lab_msg copy;
	struct road_packet p;

	if (!host->on)
		return;
	if (side) {
		copy = stamped(host->road, m);
		lane_send(s, host, side > 0 ? ROAD_RIGHT : ROAD_LEFT, &copy);
		return;
	}
	p = loose(host->road, m);
	s->totals.messages++;
	road_say(s, host, &p, (int)to, 0, 0);
}

static void ground_cast(struct lab_host *h, unsigned first, unsigned last, const struct lab_msg *m)
{
	struct sim *s = road_sim(h);
	struct sim_host *host = road_host(s, h);
	struct road_packet p;

	if (!host->on)
		return;
	p = loose(host->road, m);
	s->totals.messages += last - first + 1 - (h->place >= first && h->place <= last);
	road_say(s, host, &p, -1, first, last);
}

static void ground_timer(struct lab_host *h, unsigned which, uint64_t us)
{
	struct sim *s = road_sim(h);

	road_host(s, h)->road->timers_us[which] = us ? s->now_us + us : ROAD_NEVER;
}

/* A host that is not at rest takes part. */
static void ground_state(struct lab_host *h)
{
	struct sim *s = road_sim(h);

	if (h->state != 0)
		watch_takes_part(s, road_host(s, h));
	road_show(s, road_host(s, h));
}

static void ground_elected(struct lab_host *h)
{
	struct sim *s = road_sim(h);

	if (road_host(s, h)->on)
		watch_elected(s, road_host(s, h));
}

static void ground_store(struct lab_host *h, uint64_t word)
{
	struct sim *s = road_sim(h);
	const struct elect_persisted image = { .reserved = word };

	if (road_host(s, h)->on)
		disk_write(s, road_host(s, h), &image);
}

static uint64_t ground_retrieve(struct lab_host *h)
{
	const struct sim_disk *d = &road_host(road_sim(h), h)->disk;

	return d->content.valid ? d->content.saved.reserved : 0;
}

static void ground_report(struct lab_host *h, const char *text)
{
	struct sim *s = road_sim(h);
	struct sim_host *host = road_host(s, h);
	struct road *r = host->road;

	snprintf(r->reports[r->reports_count++ % ROAD_REPORTS_MAX], ROAD_REPORT_SIZE, "%s", text);
	s->changed_us = s->now_us; /* a story may wait for the report */
	if (trace_on(s))
		trace_line(s, host, "reports: %s", text);
}

static const struct lab_ground ground = {
	.loses = true,
	.send = ground_send,
	.cast = ground_cast,
	.timer = ground_timer,
	.state = ground_state,
	.elected = ground_elected,
	.store = ground_store,
	.retrieve = ground_retrieve,
	.report = ground_report,
};

/* ---- the kind of the host ------------------------------------------------------------------- */

static void plan(struct sim *s, struct sim_host *h)
{
	const struct road *r = h->road;
	uint64_t at_us = lane_next_us(r), watch_us = watch_next_us(r);

	if (!h->on)
		return;
	if (watch_us < at_us)
		at_us = watch_us;
	for (unsigned i = 0; i < LAB_TIMERS; i++)
		if (r->timers_us[i] < at_us)
			at_us = r->timers_us[i];
	world_wake(s, h, at_us < s->now_us ? s->now_us : at_us);
}

static void empty(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	memset(r->heard, 0, sizeof(r->heard));
	lane_clear(r);
	lane_whole(r);
	for (unsigned i = 0; i < LAB_TIMERS; i++)
		r->timers_us[i] = ROAD_NEVER;
	r->rng.state = rng_next(&s->rng);
	r->lives++;
	r->session = h->session = s->now_us + r->lives;
	r->highest = r->started_in = r->elected_in = r->lab.election = 0;
	r->begun_by = LAB_NONE;
	r->failures = 0;
	r->heartbeat_us = r->silent_us = r->watchdog_us = ROAD_NEVER;
	r->shown = 0;
}

static void start(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	if (h->lose_state)
		h->disk.content = h->disk.previous = (struct sim_image){ .lost = true };
	h->lose_state = false;
	if (trace_on(s))
		trace_line(s, h, "starts");
	empty(s, h);
	shown_set(s, h, &(struct elect_view){ .state = ELECT_DOWN, .may_lead = true });
	lab_begin(&r->lab, r->lives > 1);
	if (h->on)
		watch_started(s, h);
	road_show(s, h);
	plan(s, h);
}

/* Reports the higher number to a host that lost its own while it was off. */
static void tell_number(struct sim *s, struct sim_host *h, unsigned to)
{
	const struct road_packet p = { .type = ROAD_ACK,
		.session = h->road->session,
		.lane = ROAD_LANES,
		.election = h->road->highest };

	road_say(s, h, &p, (int)to, 0, 0);
}

static int8_t side_of(const struct road_packet *p)
{
	return p->lane == ROAD_RIGHT ? -1 : p->lane == ROAD_LEFT ? 1 : 0;
}

void road_hear(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from)
{
	struct road *r = h->road;
	struct lab_msg m = p->m;

	if (trace_on(s))
		trace_packet(s, h, p, "<-", (int)from);
	if (!watch_hears(s, h, p->election, p->begun_by)) {
		if (p->lane == ROAD_LANES)
			tell_number(s, h, from);
		return;
	}
	m.type = (uint8_t)(p->type - 1);
	m.election = p->election;
	m.from = (uint16_t)from;
	m.side = side_of(p);
	r->lab.algorithm->message(&r->lab, &m);
	road_show(s, h);
}

static void hear_start(struct sim *s, struct sim_host *h, const struct road_packet *p)
{
	if (watch_hears(s, h, p->election, p->begun_by))
		watch_start(s, h);
}

static void receive(struct sim *s, struct sim_host *h, struct sim_datagram *d)
{
	struct road_packet p;

	if (!road_read(d->bytes, d->size, &p) || !s->kind->message_name(s, p.type)) {
		s->totals.refused++;
		return;
	}
	s->totals.steps++;
	if (p.type == ROAD_ACK)
		lane_acked(s, h, &p, d->sender);
	else if (p.type == ROAD_HEARTBEAT)
		watch_heartbeat(s, h, &p);
	else if (p.type == ROAD_START)
		hear_start(s, h, &p);
	else if (p.lane == ROAD_LANES || lane_hears(s, h, &p, d->sender))
		road_hear(s, h, &p, d->sender);
	plan(s, h);
}

static void tick(struct sim *s, struct sim_host *h)
{
	struct road *r = h->road;

	s->totals.steps++;
	sim_mix(s, s->now_us << 10 | h->index);
	lane_due(s, h);
	if (h->on)
		watch_due(s, h);
	for (unsigned i = 0; i < LAB_TIMERS && h->on; i++)
		if (r->timers_us[i] <= s->now_us) {
			r->timers_us[i] = ROAD_NEVER;
			r->lab.algorithm->timer(&r->lab, i);
		}
	road_show(s, h);
	plan(s, h);
}

static void late(struct sim *s, struct sim_host *h, uint64_t us)
{
	struct road *r = h->road;

	lane_late(r, us);
	watch_late(r, us);
	for (unsigned i = 0; i < LAB_TIMERS; i++)
		if (r->timers_us[i] != ROAD_NEVER)
			r->timers_us[i] += us;
	s->stalled_us = s->now_us;
}

static void on_event(struct sim *s, struct sim_host *h, const struct sim_event *event)
{
	struct elect_persisted result;

	if (event->type != SIM_EVENT_WRITTEN)
		return;
	disk_written(s, h, &result);
	if (result.ok && h->road->lab.algorithm->stored)
		h->road->lab.algorithm->stored(&h->road->lab);
	road_show(s, h);
	plan(s, h);
}

/* ---- names ---------------------------------------------------------------------------------- */

static unsigned count(const char *const *names)
{
	unsigned n = 0;

	while (names[n])
		n++;
	return n;
}

static const char *message_name(const struct sim *s, unsigned type)
{
	static const char *const own[] = { "Ack", "Heartbeat", "Start" };

	if (type >= ROAD_ACK)
		return type < SIM_TYPES ? own[type - ROAD_ACK] : NULL;
	return type > 0 && type <= count(s->election->lab->messages)
		? s->election->lab->messages[type - 1]
		: NULL;
}

static unsigned message_kind(const struct sim *s, unsigned type)
{
	return type >= ROAD_ACK || s->election->lab->eventual ? MESSAGE_OF_WATCHING
							      : MESSAGE_OF_FORMING;
}

/* The state of rest needs no name. */
static const char *state_name(const struct sim *s, const struct sim_host *h)
{
	return h->on && h->road->lab.state ? s->election->lab->states[h->road->lab.state] : NULL;
}

/* ---- the verbs of a story ------------------------------------------------------------------- */

static void elect(struct sim *s, struct sim_host *h)
{
	if (!h->on || sim_stalled(s, h))
		return;
	watch_elect(s, h);
	plan(s, h);
}

static bool alter(struct sim *s, struct sim_host *h, unsigned type)
{
	if (type == 0 || type > count(s->election->lab->messages))
		return false;
	h->road->alter = (int)type - 1;
	return true;
}

static const char *reported(const struct sim_host *h, const char *words)
{
	const struct road *r = h->road;
	unsigned first =
		r->reports_count > ROAD_REPORTS_MAX ? r->reports_count - ROAD_REPORTS_MAX : 0;

	for (unsigned i = r->reports_count; i > first; i--) {
		const char *line = r->reports[(i - 1) % ROAD_REPORTS_MAX];

		if (!words || strstr(line, words))
			return line;
	}
	return NULL;
}

static const struct sim_kind road_kind = {
	.start = start,
	.gone = shown_gone,
	.receive = receive,
	.tick = tick,
	.late = late,
	.event = on_event,
	.message_name = message_name,
	.message_kind = message_kind,
	.state_name = state_name,
	.elect = elect,
	.alter = alter,
	.reported = reported,
};

/* ---- the public interface ------------------------------------------------------------------- */

static void reset(struct sim *s, struct sim_host *h)
{
	if (!h->road)
		h->road = malloc(sizeof(*h->road));
	assert(h->road);
	memset(h->road, 0, sizeof(*h->road));
	h->road->alter = -1;
	h->road->lab = (struct lab_host){ .algorithm = s->election->lab,
		.ground = &ground,
		.user = s,
		.rng = &h->road->rng,
		.place = h->index,
		.count = s->hosts_count,
		.id = (uint16_t)h->index,
		.literal = s->literal,
		.coordinator = LAB_NONE };
}

void road_begin(struct sim *s, const struct election *e, bool literal)
{
	assert(s->hosts_count <= LAB_HOSTS_MAX && count(e->lab->messages) < ROAD_ACK);
	s->kind = &road_kind;
	s->election = e;
	s->literal = literal;
	for (unsigned i = 0; i < s->hosts_count; i++)
		reset(s, s->hosts[i]);
}
