/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm: what must follow the troubles of a run (S002, S004 slides 4, 19, 31). Within its model an
 * algorithm must agree in time; outside of it, a run that never agrees is only counted.
 */
#include "electsim/hosts/calm.h"
#include "electsim/hosts/hosts.h"
#include "electsim/hosts/shown.h"
#include "inside.h"

/* An interval of omega is at most 8 x dead_after/2; it must agree within ten of these. */
#define EVENTUAL_US (10 * 8 * LAB_DEAD_US / 2)

/* Checks that hosts with the same election number have the same coordinator. */
static void check_same(struct sim *s)
{
	struct sim_shown a, b;

	if (s->election->eventual)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		for (unsigned k = 0; k < i; k++) {
			shown_by(s, s->hosts[i], &a);
			shown_by(s, s->hosts[k], &b);
			if (a.coordinator >= 0 && b.coordinator >= 0 && a.election == b.election &&
				a.coordinator != b.coordinator)
				sim_fail(s, "safety",
					"h%u and h%u have different coordinators of election %u",
					i + 1, k + 1, (unsigned)a.election);
		}
}

static unsigned dead(const struct sim *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		n += !s->hosts[i]->on;
	return n;
}

/* Three timeouts, and the silence before them. */
static uint64_t limit_us(const struct sim *s, const struct calm *c)
{
	if (!c->within)
		return CALM_NEVER_US;
	if (s->election->eventual)
		return EVENTUAL_US;
	return LAB_DEAD_US + 3 * road_timeout_us(s, s->hosts[0], dead(s));
}

static bool agrees(struct sim *s, struct calm *c)
{
	uint64_t until_us = s->now_us + limit_us(s, c);

	while (!s->broken && s->now_us < until_us) {
		if (shown_agree(s))
			return true;
		if (!flood_run_for(&c->flood, s, CALM_LOOK_US))
			return false;
		if (c->within)
			check_same(s);
	}
	return false;
}

/* While heartbeats arrive there is no second election, and omega keeps its leader. */
static void stays(struct sim *s)
{
	uint64_t elections = s->totals.elections, leaders = s->totals.leaders;

	sim_run_for(s, CALM_STAY_US);
	if (s->broken)
		return;
	check_same(s);
	if (!shown_agree(s))
		sim_fail(s, "stability", "agreement did not last");
	else if (s->totals.elections != elections || s->totals.leaders != leaders)
		sim_fail(s, "stability", "%u elections and %u new leaders without a cause",
			(unsigned)(s->totals.elections - elections),
			(unsigned)(s->totals.leaders - leaders));
}

/* Kills the best hosts for good, but not the last living one. */
static void kill_the_best(struct sim *s, unsigned count)
{
	unsigned living = s->hosts_count - dead(s);

	for (unsigned rank = 0; rank < count && rank < s->hosts_count; rank++) {
		unsigned best = s->election->lowest_wins ? rank : s->hosts_count - 1 - rank;

		if (!s->hosts[best]->on || living == 1)
			continue;
		world_crash(s, s->hosts[best], false);
		living--;
	}
}

/* No model has sockets that overflow. */
static void never_agreed(struct sim *s, const struct calm *c)
{
	bool drowned = c->flood.drowned;

	if (s->broken)
		return;
	calm_count_never(s, &c->flood);
	if (c->within && !(drowned && s->totals.overflowed > 0))
		sim_fail(s, "liveness", "the hosts %s",
			drowned ? "sent more than they can read" : "did not agree in time");
}

/* The hosts must agree once the LAN is whole again, and keep their coordinator. */
static void must_agree(struct sim *s, struct calm *c)
{
	if (!agrees(s, c)) {
		never_agreed(s, c);
		return;
	}
	sim_run_for(s, 2 * LAB_DEAD_US); /* a second agreement may be in progress */
	if (s->election->eventual)
		sim_run_for(s, EVENTUAL_US);
	if (!s->broken && agrees(s, c))
		stays(s);
}

void road_calm(struct sim *s, struct calm *c)
{
	if (s->broken || c->flood.drowned) {
		never_agreed(s, c);
		return;
	}
	sim_run_for(s, 500000); /* for the hosts that return */
	kill_the_best(s, c->best_dead);
	if (!c->lasting)
		must_agree(s, c);
	else if (!calm_settles(s, &c->flood))
		never_agreed(s, c);
}
