/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane: reliable sending to one side (S001's SafeRMI). A message is numbered, acknowledged at once,
 * and repeated. A host that acknowledges none of five tries is skipped until the next election, and
 * the host behind it gets the message. One message is in transit; the others wait in order.
 */
#include <string.h>

#include "electsim/draw/draw.h"
#include "inside.h"

static unsigned step(const struct lab_host *h, unsigned place, unsigned lane)
{
	return (place + (lane == ROAD_RIGHT ? 1 : h->count - 1)) % h->count;
}

/* Returns the next host of the present ring; the host itself if all others are skipped. */
static unsigned neighbour(const struct road *r, unsigned lane)
{
	unsigned place = step(&r->lab, r->lab.place, lane);

	while (place != r->lab.place && r->skipped[place])
		place = step(&r->lab, place, lane);
	return place;
}

static void take_off(struct road_lane *l)
{
	l->first = (l->first + 1) % ROAD_QUEUE_MAX;
	l->count--;
	l->under_way = false;
	l->at_us = ROAD_NEVER;
}

static struct road_packet packet(const struct road *r, unsigned lane)
{
	const struct road_lane *l = &r->lanes[lane];

	return (struct road_packet){ .type = l->queue[l->first].type + 1u,
		.session = r->session,
		.number = l->number,
		.election = l->queue[l->first].election,
		.begun_by = l->begun_by[l->first],
		.lane = (uint8_t)lane,
		.m = l->queue[l->first] };
}

static void try(struct sim *s, struct sim_host *h, unsigned lane)
{
	struct road_lane *l = &h->road->lanes[lane];
	struct road_packet p = packet(h->road, lane);

	l->tries++;
	l->at_us = s->now_us + LAB_REPEAT_US;
	if (l->to == h->index)
		return; /* lane_due() hands it back to this host */
	s->totals.messages += l->tries == 1;
	road_say(s, h, &p, (int)l->to, 0, 0);
}

/* To the next host, or to itself with a delay: a message may go round for ever. */
static void set_out(struct sim *s, struct sim_host *h, unsigned lane)
{
	struct road_lane *l = &h->road->lanes[lane];

	l->under_way = true;
	l->to = neighbour(h->road, lane);
	l->tries = 0;
	l->number++;
	try(s, h, lane);
	if (l->to == h->index)
		l->at_us = s->now_us + 1 + s->lans[0].condition.delay_max_us;
}

static void next(struct sim *s, struct sim_host *h, unsigned lane)
{
	struct road_lane *l = &h->road->lanes[lane];

	if (h->on && !l->under_way && l->count > 0)
		set_out(s, h, lane);
}

void lane_send(struct sim *s, struct sim_host *h, unsigned lane, const struct lab_msg *m)
{
	struct road_lane *l = &h->road->lanes[lane];
	unsigned at = (l->first + l->count) % ROAD_QUEUE_MAX;

	if (l->count == ROAD_QUEUE_MAX)
		return;
	l->queue[at] = *m;
	l->begun_by[at] = h->road->begun_by;
	l->count++;
	next(s, h, lane);
}

/* In a ring of one, a message arrives from the other side. */
static void give_back(struct sim *s, struct sim_host *h, unsigned lane)
{
	struct road_packet p = packet(h->road, lane);

	take_off(&h->road->lanes[lane]);
	road_hear(s, h, &p, h->index);
	next(s, h, lane);
}

/*
 * The host does not answer. S001 IV-C, third rule: if it began the election, the watchdogs decide.
 */
static void skip(struct sim *s, struct sim_host *h, unsigned lane)
{
	struct road *r = h->road;
	struct road_lane *l = &r->lanes[lane];

	if (trace_on(s))
		trace_line(s, h, "skips h%u", l->to + 1);
	if (!r->skipped[l->to])
		r->dead++;
	r->skipped[l->to] = true;
	watch_skipped(s, h);
	if (l->to == l->begun_by[l->first]) {
		if (trace_on(s))
			trace_line(
				s, h, "forwards nothing of an election that h%u began", l->to + 1);
		take_off(l);
		next(s, h, lane);
		return;
	}
	set_out(s, h, lane);
}

void lane_due(struct sim *s, struct sim_host *h)
{
	for (unsigned lane = 0; lane < ROAD_LANES; lane++) {
		struct road_lane *l = &h->road->lanes[lane];

		if (!h->on || l->at_us > s->now_us)
			continue;
		if (l->to == h->index)
			give_back(s, h, lane);
		else if (l->tries >= ROAD_TRIES)
			skip(s, h, lane);
		else
			try(s, h, lane);
	}
}

bool lane_hears(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from)
{
	struct road_heard *heard = &h->road->heard[from][p->lane];
	struct road_packet ack = { .type = ROAD_ACK,
		.session = p->session,
		.number = p->number,
		.lane = p->lane,
		.election = h->road->highest };

	if (p->session < heard->session)
		return false;
	if (!road_say(s, h, &ack, (int)from, 0, 0))
		return false;
	if (p->session == heard->session && p->number <= heard->number)
		return false;
	*heard = (struct road_heard){ p->session, p->number };
	return true;
}

void lane_acked(struct sim *s, struct sim_host *h, const struct road_packet *p, unsigned from)
{
	struct road_lane *l;

	if (p->lane >= ROAD_LANES) { /* of no lane: it reports only the number */
		watch_behind(s, h, p->election);
		return;
	}
	if (p->session != h->road->session)
		return;
	l = &h->road->lanes[p->lane];
	if (l->under_way && l->to == from && l->number == p->number) {
		take_off(l);
		next(s, h, p->lane);
	}
	if (h->on)
		watch_behind(s, h, p->election);
}

void lane_whole(struct road *r)
{
	memset(r->skipped, 0, sizeof(r->skipped));
	r->dead = 0;
}

void lane_clear(struct road *r)
{
	for (unsigned lane = 0; lane < ROAD_LANES; lane++) {
		r->lanes[lane].first = r->lanes[lane].count = 0;
		r->lanes[lane].under_way = false;
		r->lanes[lane].at_us = ROAD_NEVER;
	}
}

void lane_late(struct road *r, uint64_t us)
{
	for (unsigned lane = 0; lane < ROAD_LANES; lane++)
		if (r->lanes[lane].at_us != ROAD_NEVER)
			r->lanes[lane].at_us += us;
}

uint64_t lane_next_us(const struct road *r)
{
	uint64_t left = r->lanes[ROAD_LEFT].at_us, right = r->lanes[ROAD_RIGHT].at_us;

	return left < right ? left : right;
}
