/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frederickson_lynch: the ring of S001 V-B, after Frederickson and Lynch, 1987: in synchronous
 * rounds, time is cheaper than messages. The token of id waits 2^id - 1 rounds at each host, so the
 * lowest id that took part overtakes all others before they have gone far.
 *
 * C1: an id is the place in the registry, 0 the best; an id of 128 bits would wait 2^128 rounds.
 * C2: a round is LAB_ROUND_US. If messages take longer, the cost has no bound; the result is still
 * right because `least` only falls. C3: all hosts start together: a host that only forwards never
 * wins, and the best host must lead. C4: a token of id 12 or more waits 20 s a hop; no timeout is
 * that long. C5: each host waits as long as its own token may need, because it does not know which
 * others are dead.
 */
#include "lab.h"

enum { TOKEN, ELECTED };
enum { NONE, PARTICIPANT, RELAY };
enum { SLOW };
enum { WAITED_FOR = 12, FOREVER = 40 };

static const char *const messages[] = { "Token", "Elected", NULL };
static const char *const states[] = { "rests", "participant", "relay", NULL };

struct own {
	bool seen, over;
	uint16_t least; /* the lowest id seen */
	uint16_t hops;	/* of the token that waits */
};

static struct own *own(struct lab_host *h)
{
	return (struct own *)h->own;
}

static void pass(struct lab_host *h, uint8_t type, uint16_t id, bool fast, unsigned hops)
{
	lab_right(h,
		&(struct lab_msg){
			.type = type, .id = id, .yes = fast, .hops = (uint16_t)(hops + 1) });
}

static void start(struct lab_host *h)
{
	if (h->state != NONE || own(h)->over)
		return;
	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	lab_state(h, PARTICIPANT);
	own(h)->seen = true;
	own(h)->least = h->id;
	pass(h, TOKEN, h->id, true, 0);
}

static void over(struct lab_host *h, uint16_t id, unsigned hops)
{
	own(h)->over = true;
	lab_off(h, SLOW);
	lab_state(h, NONE);
	lab_elected(h, id);
	pass(h, ELECTED, id, false, hops);
}

static uint64_t wait_us(uint16_t id)
{
	return ((UINT64_C(1) << (id < FOREVER ? id : FOREVER)) - 1) * LAB_ROUND_US;
}

/* A token becomes slow at its first participant, for good. `yes`: it is still fast. */
static void on_least(struct lab_host *h, const struct lab_msg *m)
{
	own(h)->seen = true;
	own(h)->least = m->id;
	lab_off(h, SLOW);
	if (m->yes && h->state != PARTICIPANT)
		pass(h, TOKEN, m->id, true, m->hops);
	else if (m->id == 0)
		pass(h, TOKEN, m->id, false, m->hops);
	else {
		own(h)->hops = m->hops;
		lab_timer(h, SLOW, wait_us(m->id));
	}
}

static void on_token(struct lab_host *h, const struct lab_msg *m)
{
	if (h->state == NONE)
		lab_state(h, RELAY);
	if (m->id == h->id && h->state == PARTICIPANT)
		over(h, h->id, 0);
	else if (!own(h)->seen || m->id <= own(h)->least)
		on_least(h, m);
}

/* The result is final. A message ends after 2n hops, because its sender may have died. */
static void message(struct lab_host *h, const struct lab_msg *m)
{
	if (own(h)->over || m->hops >= 2 * h->count)
		return;
	if (m->type == TOKEN)
		on_token(h, m);
	else
		over(h, m->id, m->hops);
}

/* A lower id that arrived earlier has stopped the timer. */
static void timer(struct lab_host *h, unsigned which)
{
	(void)which;
	pass(h, TOKEN, own(h)->least, false, own(h)->hops);
}

/* C5: twice what the host's own token may need, so the best living host restarts first. */
static uint64_t timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	unsigned lowest = h->id > dead ? h->id : dead;

	(void)delay_max_us;
	return 2 * h->count * LAB_ROUND_US << (lowest < WAITED_FOR ? lowest : WAITED_FOR);
}

static double tokens(unsigned n, unsigned k)
{
	(void)k;
	return 4.0 * n;
}

static double tokens_of_all(unsigned n, unsigned k)
{
	(void)k;
	return 3.0 * n;
}

static double announcement(unsigned n, unsigned k)
{
	(void)k;
	return n;
}

static double rounds_of_all(unsigned n, unsigned k)
{
	(void)k;
	return 2.0 * n;
}

static double rounds(unsigned n, unsigned m)
{
	return n * ((double)(UINT64_C(1) << m) + 2);
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	const struct lab_cost some = { .what = "some start, at any times",
		.starters = LAB_SOME,
		.holds = LAB_AT_MOST,
		.any_max = 12,
		.among = 8 };
	const struct lab_cost all = { .what = "all start", .starters = LAB_EVERYBODY };

	(void)n;
	costs[0] = costs[1] = costs[2] = some;
	costs[0].what = "some start, at any times, Token alone";
	costs[0].formula = "4n";
	costs[0].only = 1 << TOKEN;
	costs[0].value = tokens;
	costs[1].what = "some start, at any times, Elected alone";
	costs[1].formula = "n";
	costs[1].only = 1 << ELECTED;
	costs[1].holds = LAB_EXACTLY;
	costs[1].value = announcement;
	costs[2].formula = "n(2^m + 2)";
	costs[2].counts = LAB_TIME;
	costs[2].k_is = LAB_K_LOWEST;
	costs[2].value = rounds;
	costs[3] = costs[4] = all;
	costs[3].what = "all start, Token alone";
	costs[3].formula = "3n";
	costs[3].only = 1 << TOKEN;
	costs[3].holds = LAB_AT_MOST;
	costs[3].value = tokens_of_all;
	costs[4].formula = "2n";
	costs[4].counts = LAB_TIME;
	costs[4].value = rounds_of_all;
	return 5;
}

const struct lab_algorithm lab_frederickson_lynch = {
	.name = "frederickson-lynch",
	.title = "Frederickson and Lynch, 1987",
	.source = "S001 V-B",
	.links = LAB_RING,
	.lowest_wins = true,
	.of_starters = true,
	.synchronous = true,
	.starts_all = true,
	.messages = messages,
	.states = states,
	.size = sizeof(struct own),
	.start = start,
	.message = message,
	.timer = timer,
	.timeout_us = timeout,
	.costs = costs,
};
