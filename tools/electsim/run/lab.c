/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab: what must follow the troubles of a run of the lab (S002, S004 slides 4, 19, 31), and which
 * troubles its hosts can have. Within its model, which is no fault at all, an algorithm must agree
 * in time; with faults a run that never agrees is counted, and is no failure.
 */
#include <string.h>

#include "run.h"

/* An interval of omega is never longer: 8 x dead_after/2, in which it must have agreed 10 times. */
#define EVENTUAL_US (10 * 8 * LAB_DEAD_US / 2)
enum { LOOK_US = 10000 };

uint64_t lab_faults(uint64_t mask)
{
	static const char can[] = "crash,lost-write,lost-state,stall,pause,split,one-way,pair,"
				  "carrier,loss,duplicate,delay,blackout,kill";
	uint64_t of_lab = 0;
	int r = faults_parse(can, &of_lab);

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

/* Three patiences, and the silence before them. */
static uint64_t limit_us(const struct sim *s, bool within)
{
	if (!within)
		return RUN_NEVER_US;
	if (s->lab->eventual)
		return EVENTUAL_US;
	return LAB_DEAD_US + 3 * road_patience_us(s, s->hosts[0], dead(s));
}

static bool agrees(struct sim *s, bool within)
{
	uint64_t until_us = s->now_us + limit_us(s, within);

	while (!s->broken && s->now_us < until_us) {
		if (live_agree(s))
			return true;
		sim_run_for(s, LOOK_US);
		if (within)
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

void lab_calm(struct sim *s, const struct run_options *o)
{
	bool within = lab_faults(o->faults) == 0 && s->lans[0].condition.loss == 0;

	sim_run_for(s, 500000); /* those that come back */
	if (!agrees(s, within)) {
		s->totals.never++;
		if (within)
			check_fail(s, "liveness", "the hosts did not agree in time");
		return;
	}
	sim_run_for(s, 2 * LAB_DEAD_US); /* a second agreement may be on its way */
	if (s->lab->eventual)
		sim_run_for(s, EVENTUAL_US);
	if (!s->broken && agrees(s, within))
		stays(s);
}
