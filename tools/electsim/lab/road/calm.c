/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab: what must follow the troubles of a run of the lab (S002, S004 slides 4, 19, 31), and which
 * troubles its hosts can have. Within its model, which is no fault at all, an algorithm must agree
 * in time; outside of it a run that never agrees is counted, and is no failure.
 */
#include <assert.h>

#include "electsim/judge/run/run.h"

/* An interval of omega is never longer: 8 x dead_after/2, in which it must have agreed 10 times. */
#define EVENTUAL_US (10 * 8 * LAB_DEAD_US / 2)

uint64_t lab_faults(uint64_t mask)
{
	static const char can[] = "crash,lost-write,lost-state,stall,pause,split,one-way,pair,"
				  "carrier,loss,duplicate,delay,blackout,kill";
	uint64_t of_lab = 0;
	int r = faults_parse(can, &of_lab);

	assert(r == 0); /* else a kind has another name, and none would be played */
	(void)r;
	return mask & of_lab;
}

/* Hosts that know of the same election have the same coordinator. */
static void check_same(struct sim *s)
{
	struct sim_shown a, b;

	if (s->lab->eventual)
		return;
	for (unsigned i = 0; i < s->hosts_count; i++)
		for (unsigned k = 0; k < i; k++) {
			live_shown(s, s->hosts[i], &a);
			live_shown(s, s->hosts[k], &b);
			if (a.coordinator >= 0 && b.coordinator >= 0 && a.election == b.election &&
				a.coordinator != b.coordinator)
				check_fail(s, "safety",
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

/* A run of the lab, and whether it is within the model of its algorithm. */
struct lab_run {
	struct sim *s;
	const struct run_options *o;
	struct flood flood;
	bool within;
};

/* Three patiences, and the silence before them. */
static uint64_t limit_us(const struct lab_run *r)
{
	const struct sim *s = r->s;

	if (!r->within)
		return RUN_NEVER_US;
	if (s->lab->eventual)
		return EVENTUAL_US;
	return LAB_DEAD_US + 3 * road_patience_us(s, s->hosts[0], dead(s));
}

static bool agrees(struct lab_run *r)
{
	struct sim *s = r->s;
	uint64_t until_us = s->now_us + limit_us(r);

	while (!s->broken && s->now_us < until_us) {
		if (live_agree(s))
			return true;
		if (!flood_run_for(&r->flood, s, RUN_LOOK_US))
			return false;
		if (r->within)
			check_same(s);
	}
	return false;
}

/* While heartbeats arrive there is no second election; omega does not change its mind. */
static void stays(struct sim *s)
{
	uint64_t elections = s->totals.elections, leaders = s->totals.leaders;

	sim_run_for(s, RUN_STAY_US);
	if (s->broken)
		return;
	check_same(s);
	if (!live_agree(s))
		check_fail(s, "stability", "agreement did not last");
	else if (s->totals.elections != elections || s->totals.leaders != leaders)
		check_fail(s, "stability", "%u elections and %u new leaders without a cause",
			(unsigned)(s->totals.elections - elections),
			(unsigned)(s->totals.leaders - leaders));
}

/* The best of all, for good; but for the last that lives. */
static void kill_the_best(struct sim *s, unsigned count)
{
	unsigned living = s->hosts_count - dead(s);

	for (unsigned rank = 0; rank < count && rank < s->hosts_count; rank++) {
		unsigned best = s->lab->lowest_wins ? rank : s->hosts_count - 1 - rank;

		if (!s->hosts[best]->on || living == 1)
			continue;
		world_crash(s, s->hosts[best], false);
		living--;
	}
}

/* No model has sockets that overflow. */
static void never_agreed(struct lab_run *r)
{
	struct sim *s = r->s;

	if (s->broken)
		return;
	run_count_never(s, &r->flood);
	if (r->within && !(r->flood.drowned && s->totals.overflowed > 0))
		check_fail(s, "liveness", "the hosts %s",
			r->flood.drowned ? "sent more than they can read"
					 : "did not agree in time");
}

/* What must follow where the LAN is well again. */
static void calm(struct lab_run *r)
{
	struct sim *s = r->s;

	if (!agrees(r)) {
		never_agreed(r);
		return;
	}
	sim_run_for(s, 2 * LAB_DEAD_US); /* a second agreement may be on its way */
	if (s->lab->eventual)
		sim_run_for(s, EVENTUAL_US);
	if (!s->broken && agrees(r))
		stays(s);
}

static struct lab_run run_of(struct sim *s, const struct run_options *o)
{
	return (struct lab_run){ .s = s,
		.o = o,
		.within = lab_faults(o->faults) == 0 && !o->lasting && o->best_dead == 0 };
}

void lab_calm(struct sim *s, const struct run_options *o)
{
	struct lab_run r = run_of(s, o);

	sim_run_for(s, 500000); /* those that come back */
	kill_the_best(s, o->best_dead);
	if (!o->lasting)
		calm(&r);
	else if (!run_settles(s, &r.flood))
		never_agreed(&r);
}

void lab_run(struct sim *s, const struct run_options *o)
{
	struct lab_run r = run_of(s, o);

	if (!flood_run_for(&r.flood, s, o->trouble_us)) {
		never_agreed(&r);
		return;
	}
	run_end_troubles(s, o);
	lab_calm(s, o);
}
