/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring: gather and announce (S000). A commander sends a list round the ring, to which each host
 * adds its id; the best id of the list is the coordinator, and a second round announces it. A
 * payload travels along, so that the commander sees whether a host altered the message.
 *
 * C1: the best is the highest id. C2: two commanders find the same coordinator, at twice the cost.
 * C3: a failure is reported, and the transport starts again; after two altered elections the ids of
 * a third are not believed. C4: the payload is compared with the digest that the commander kept,
 * because a host could alter the digest in the message too. C5: the scenario decides which host
 * dies and which alters.
 */
#include <sodium.h>
#include <string.h>

#include "lab.h"

enum { GATHER, ANNOUNCE };
enum { RESTS, GATHERS, CONFIRMS, WAITS };
enum { WAIT };
enum { BELIEVED = 2 }; /* elections with altered messages */

/* S000 waits 5 s. */
#define WAIT_US UINT64_C(1000000)

static const char *const messages[] = { "Gather", "Announce", NULL };
static const char *const states[] = { "rests", "gathers", "confirms", "waits", NULL };
static const char payload[] = "Test";

struct own {
	bool commands, told; /* told: "altered" is already counted in this election */
	uint8_t altered;     /* elections in a row with an altered message */
	uint8_t digest[LAB_DIGEST];
};

static struct own *own(struct lab_host *h)
{
	return (struct own *)h->own;
}

static void forget(struct lab_host *h)
{
	own(h)->commands = own(h)->told = false;
}

static void digest(uint8_t ret[LAB_DIGEST], const uint8_t bytes[LAB_PAYLOAD])
{
	crypto_generichash(
		ret, LAB_DIGEST, bytes, strnlen((const char *)bytes, LAB_PAYLOAD), NULL, 0);
}

static void add(struct lab_host *h, struct lab_msg *m)
{
	m->ids[m->count++] = h->id;
}

static void start(struct lab_host *h)
{
	struct lab_msg m = { .type = GATHER, .commander = h->id, .hops = 1 };

	if (h->count == 1) {
		lab_elected(h, h->id);
		return;
	}
	memcpy(m.payload, payload, sizeof(payload));
	digest(m.digest, m.payload);
	memcpy(own(h)->digest, m.digest, LAB_DIGEST);
	own(h)->commands = true;
	own(h)->told = false;
	lab_state(h, GATHERS);
	add(h, &m);
	lab_right(h, &m);
	lab_timer(h, WAIT, WAIT_US);
}

/* Returns false if the ids of this election are not to be believed. */
static bool check(struct lab_host *h, const struct lab_msg *m)
{
	const uint8_t *kept = h->literal ? m->digest : own(h)->digest;
	char expected[2 * LAB_DIGEST + 1], current[2 * LAB_DIGEST + 1];
	uint8_t bytes[LAB_DIGEST];

	digest(bytes, m->payload);
	if (memcmp(bytes, kept, LAB_DIGEST) == 0)
		return true;
	if (!own(h)->told)
		own(h)->altered++;
	own(h)->told = true;
	sodium_bin2hex(expected, sizeof(expected), kept, LAB_DIGEST);
	sodium_bin2hex(current, sizeof(current), bytes, LAB_DIGEST);
	lab_report(h, "altered: expected %s, current %s", expected, current);
	return own(h)->altered <= BELIEVED;
}

static uint16_t best_of(const struct lab_host *h, const struct lab_msg *m)
{
	uint16_t best = m->ids[0];

	for (unsigned i = 1; i < m->count; i++)
		if (lab_better(h, m->ids[i], best))
			best = m->ids[i];
	return best;
}

static void gathered(struct lab_host *h, const struct lab_msg *m)
{
	struct lab_msg next = *m;

	if (!check(h, m)) {
		lab_report(h, "altered for the third time: not believed");
		lab_off(h, WAIT);
		lab_state(h, RESTS);
		return;
	}
	lab_report(h, "gathered");
	next.type = ANNOUNCE;
	next.id = best_of(h, m);
	next.hops = 1;
	lab_state(h, CONFIRMS);
	lab_elected(h, next.id);
	lab_right(h, &next);
	lab_timer(h, WAIT, WAIT_US);
}

static void on_gather(struct lab_host *h, const struct lab_msg *m)
{
	struct lab_msg next = *m;

	if (m->commander == h->id) {
		if (own(h)->commands)
			gathered(h, m);
		return;
	}
	if (m->count == 0 || m->count >= h->count)
		return;
	next.hops++;
	add(h, &next);
	lab_right(h, &next);
	if (own(h)->commands)
		return;
	lab_state(h, WAITS);
	lab_timer(h, WAIT, WAIT_US);
}

static void confirmed(struct lab_host *h, const struct lab_msg *m)
{
	check(h, m);
	if (!own(h)->told)
		own(h)->altered = 0;
	own(h)->commands = false;
	lab_off(h, WAIT);
	lab_state(h, RESTS);
	lab_report(h, "confirmed %u", (unsigned)m->id);
}

static void on_announce(struct lab_host *h, const struct lab_msg *m)
{
	struct lab_msg next = *m;

	if (m->commander == h->id) {
		if (own(h)->commands)
			confirmed(h, m);
		return;
	}
	if (m->hops >= 2 * h->count)
		return;
	next.hops++;
	lab_elected(h, m->id);
	lab_right(h, &next);
	if (own(h)->commands)
		return;
	lab_off(h, WAIT);
	lab_state(h, RESTS);
}

static void message(struct lab_host *h, const struct lab_msg *m)
{
	if (m->type == GATHER)
		on_gather(h, m);
	else
		on_announce(h, m);
}

/* A host that is not a commander returns to rest: its part is done. */
static void timer(struct lab_host *h, unsigned which)
{
	(void)which;
	if (h->state == GATHERS)
		lab_report(h, "failed in gathering");
	else if (h->state == CONFIRMS)
		lab_report(h, "failed in confirmation");
	lab_state(h, RESTS);
}

static uint64_t timeout(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	uint64_t us = 2 * h->count * (delay_max_us + 5000) + dead * LAB_WINDOW_US;

	return us < WAIT_US ? WAIT_US : us;
}

static double two_rounds(unsigned n, unsigned k)
{
	(void)k;
	return 2.0 * n;
}

static double rounds_of(unsigned n, unsigned k)
{
	return 2.0 * n * k;
}

static double ids_carried(unsigned n, unsigned k)
{
	(void)k;
	return n * (n + 1) / 2.0 + (double)n * n;
}

static unsigned costs(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){
		.what = "one commander", .formula = "2n", .starters = LAB_ONE, .value = two_rounds
	};
	costs[1] = (struct lab_cost){ .what = "k commanders",
		.formula = "2kn",
		.starters = LAB_COMMANDERS,
		.k_is = LAB_K_COMMANDERS,
		.value = rounds_of };
	costs[2] = (struct lab_cost){ .what = "one commander",
		.formula = "n(n + 1)/2 + n^2",
		.counts = LAB_IDS,
		.starters = LAB_ONE,
		.value = ids_carried };
	costs[3] = (struct lab_cost){ .what = "one commander",
		.formula = "2n",
		.counts = LAB_TIME,
		.starters = LAB_ONE,
		.value = two_rounds };
	return 4;
}

const struct lab_algorithm lab_ring = {
	.name = "ring",
	.title = "gather and announce",
	.source = "S000",
	.links = LAB_RING,
	.messages = messages,
	.states = states,
	.size = sizeof(struct own),
	.forget = forget,
	.start = start,
	.message = message,
	.timer = timer,
	.timeout_us = timeout,
	.costs = costs,
};
