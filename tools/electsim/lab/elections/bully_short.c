/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bully_short: the textbook bully algorithm (S001 V-A, S002 fig. 6.19), without groups and phases.
 * A host that calls for an election asks all hosts above it; if none answers in time, it is the
 * coordinator and announces itself to all hosts below.
 */
#include "lab.h"

enum { ELECTION, OK, COORDINATOR };
enum { RESTS, PARTICIPANT };
enum { ASKED, IDLE };

#define ASKED_US LAB_WINDOW_US
#define IDLE_US	 (3 * LAB_WINDOW_US)

static const char *const messages[] = { "Election", "Ok", "Coordinator", NULL };
static const char *const states[] = { "rests", "participant", NULL };

static void win(struct lab_host *h)
{
	lab_state(h, RESTS);
	lab_elected(h, h->id);
	if (h->place > 0)
		lab_cast_to(
			h, 0, h->place - 1, &(struct lab_msg){ .type = COORDINATOR, .id = h->id });
}

static void start(struct lab_host *h)
{
	if (h->state == PARTICIPANT)
		return;
	if (h->place == h->count - 1) {
		win(h);
		return;
	}
	lab_state(h, PARTICIPANT);
	lab_cast_to(
		h, h->place + 1, h->count - 1, &(struct lab_msg){ .type = ELECTION, .id = h->id });
	lab_timer(h, ASKED, ASKED_US);
}

static void on_election(struct lab_host *h, const struct lab_msg *m)
{
	if (m->id > h->id)
		return;
	lab_send(h, m->from, &(struct lab_msg){ .type = OK, .id = h->id });
	start(h);
}

static void on_ok(struct lab_host *h)
{
	if (h->state != PARTICIPANT)
		return;
	lab_off(h, ASKED);
	lab_timer(h, IDLE, IDLE_US);
}

static void on_coordinator(struct lab_host *h, const struct lab_msg *m)
{
	if (m->id < h->id) {
		start(h);
		return;
	}
	lab_off(h, ASKED);
	lab_off(h, IDLE);
	lab_state(h, RESTS);
	lab_elected(h, m->id);
}

static void message(struct lab_host *h, const struct lab_msg *m)
{
	switch (m->type) {
	case ELECTION:
		on_election(h, m);
		break;
	case OK:
		on_ok(h);
		break;
	case COORDINATOR:
		on_coordinator(h, m);
		break;
	}
}

/* ASKED: no host above lives. IDLE: a host above answered, but died before it announced itself. */
static void timer(struct lab_host *h, unsigned which)
{
	if (which == ASKED) {
		win(h);
		return;
	}
	lab_state(h, RESTS);
	start(h);
}

/* Longer than IDLE: the transport's watchdog is for a host that asks again and again. */
static uint64_t timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	(void)h;
	(void)dead;
	return 2 * (ASKED_US + IDLE_US) + 4 * delay_max_us;
}

static double best_dead(unsigned n, unsigned m)
{
	return (double)m * m + n - 2;
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){ .what = "the best is dead, one starts",
		.formula = "m^2 + n - 2",
		.starters = LAB_ONE,
		.k_is = LAB_K_ABOVE,
		.best_is_dead = true,
		.value = best_dead };
	return 1;
}

const struct lab_algorithm lab_bully_short = {
	.name = "bully-short",
	.title = "the bully in three messages",
	.source = "S001 V-A, S002 fig. 6.19",
	.links = LAB_ALL,
	.starts_when_back = true,
	.messages = messages,
	.states = states,
	.start = start,
	.message = message,
	.timer = timer,
	.timeout_us = timeout,
	.costs = costs,
};
