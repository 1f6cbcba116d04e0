/* SPDX-License-Identifier: Apache-2.0 */
/* run: one seed, from the first start to the last beacon of calm. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "run.h"

enum { SPREAD_US_MAX = 3000000, WATCH_US = 100000, TOLD_BEACONS = 30 };

static void start_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_start(s, s->hosts[index]);
}

/* Starts the hosts at once, or spread over up to 3 s. */
static void start_hosts(struct sim *s)
{
	static const uint64_t spreads_us[] = { 1, 10000, 1000000, SPREAD_US_MAX };
	uint64_t spread = spreads_us[rng_below(&s->rng, 4)];

	for (unsigned i = 0; i < s->hosts_count; i++)
		sim_at(s, s->now_us + rng_below(&s->rng, spread), start_one, i, 0);
}

static void watch(struct sim *s, unsigned a, unsigned b)
{
	live_watch(s);
	sim_at(s, s->now_us + WATCH_US, watch, a, b);
}

/*
 * L1, measured from when no host has to catch up, is barred, or waits for carrier_hold. Until all
 * hosts have the highest counter, each merge is only one step, and may be just out of reach.
 */
static bool agree(struct sim *s)
{
	uint64_t began_us = s->now_us, from_us = s->now_us;
	bool behind = false;

	while (!sim_run_until_agree(s, WATCH_US, true)) {
		bool waits = live_behind_us(s) > 0;

		behind = behind || waits;
		if ((waits || live_barred_us(s) > 0 || live_unheard_us(s) > 0) &&
			s->now_us - began_us < RUN_BEHIND_US_MAX)
			from_us = s->now_us;
		if (s->broken || s->now_us - from_us > RUN_AGREE_US)
			return false;
		sim_run_until(s, s->now_us + 1);
	}
	if (behind) /* until a difference in preempt is forgotten, or nearly */
		sim_run_for(s, RUN_FORGET_US);
	return true;
}

static void fail_not_agreed(struct sim *s)
{
	struct sim_liveness l;

	shown_look(s, &l);
	check_fail(s, "L1",
		"after %u s without trouble %u hosts are in %u groups with %u leaders%s",
		(unsigned)(RUN_AGREE_US / 1000000), l.living, l.groups, l.leaders,
		l.agree ? ", which is not the right number" : "");
}

/* L4: from here on nothing may change. */
static void stay(struct sim *s)
{
	uint64_t changes = s->totals.changes;
	struct sim_liveness l;

	sim_run_for(s, CALM_STAY_US);
	if (s->broken)
		return;
	shown_look(s, &l);
	if (!l.agree || !l.led)
		check_fail(s, "L1", "agreement did not last: %u groups, %u leaders", l.groups,
			l.leaders);
	else if (s->totals.changes != changes)
		check_fail(s, "L4",
			"%" PRIu64 " changes without a cause, the last at %" PRIu64 " ms",
			s->totals.changes - changes, (s->changed_us - SIM_EPOCH_US) / 1000);
}

/*
 * The last bar after `resign`. When it ends, a list reports that the host may lead; or the host
 * leads, if every arrival causes an election.
 */
static uint64_t resigned_us(const struct sim *s)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];

		if (h->on && h->resigned_until_us > s->now_us + most)
			most = h->resigned_until_us - s->now_us;
	}
	return most ? most + TOLD_BEACONS * SIM_BEACON_US : 0;
}

/* If more members are barred than one list can name, later lists name the others. */
static uint64_t told_us(const struct sim *s)
{
	unsigned barred = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		barred += s->hosts[i]->on && !s->hosts[i]->watch.view.may_lead;
	return barred > ELECT_WHY_NOTS_MAX ? TOLD_BEACONS * SIM_BEACON_US : 0;
}

/*
 * If a better host waits before it takes the role, or a host for the end of a duplicate of its id:
 * how long, or, if that is longer, until the last bar ends that holds next to it, which otherwise
 * ends while nothing is to change.
 */
static uint64_t barred_us(const struct sim *s)
{
	uint64_t most = 0;
	bool waits = false;

	for (unsigned i = 0; i < s->hosts_count; i++) {
		const struct sim_host *h = s->hosts[i];
		uint64_t at_us = sim_to_host(h, s->now_us), until_us;
		enum elect_bar bar;

		if (!h->on)
			continue;
		bar = elect_bar(host_elect(h->core), &until_us);
		waits |= bar == ELECT_BAR_PREEMPT_DELAY || bar == ELECT_BAR_DUPLICATE_ID;
		if (until_us != ELECT_NEVER && until_us > at_us + most)
			most = until_us - at_us;
	}
	return waits ? most + TOLD_BEACONS * SIM_BEACON_US : 0;
}

/* Agrees again after each leader that is still to come. */
static bool agree_at_last(struct sim *s)
{
	uint64_t us;

	if (!agree(s))
		return false;
	while (!s->broken && (us = barred_us(s))) {
		sim_run_for(s, us);
		if (!agree(s))
			return false;
	}
	return true;
}

/* Traces of dead hosts settle first: lists name them until three probes have failed. */
static void settle(struct sim *s)
{
	sim_run_for(s, 20 * SIM_BEACON_US + health_settles_us(s) + resigned_us(s));
	sim_run_for(s, told_us(s));
	if (!agree_at_last(s) && !s->broken)
		fail_not_agreed(s);
	sim_run_for(s, 2 * SIM_BEACON_US); /* until the last hosts hear of a new leader */
}

static void record(struct sim *s, const struct run_options *o)
{
	s->pcap = o->pcap ? pcap_open(o->pcap) : NULL;
	if (o->pcap && !s->pcap)
		perror(o->pcap);
	s->trace = o->trace ? SIM_TRACE_PRINT : SIM_TRACE_OFF;
	s->svg =
		o->svg ? svg_new(SIM_EPOCH_US + o->svg_from_us, SIM_EPOCH_US + o->svg_to_us) : NULL;
}

static void draw_picture(struct sim *s, const struct run_options *o)
{
	if (!s->svg)
		return;
	if (svg_write(s->svg, s, o->svg) < 0)
		perror(o->svg);
	svg_free(s->svg);
	s->svg = NULL;
}

static void end_capture(struct sim *s, const struct run_options *o)
{
	if (s->pcap && pcap_close(s->pcap) < 0)
		perror(o->pcap);
	s->pcap = NULL;
}

/* Turns multicast off; all hosts know the addresses of the first `count`. */
static void name_peers(struct sim *s, unsigned count)
{
	for (unsigned i = 0; i < s->hosts_count; i++) {
		s->hosts[i]->multicast = 0;
		for (unsigned of = 0; of < count && of < s->hosts_count; of++)
			if (of != i)
				sim_name_peer(s->hosts[i], s->hosts[of]);
	}
}

static void calm(struct sim *s)
{
	if (!agree(s) && !s->broken)
		fail_not_agreed(s);
	if (!s->broken)
		settle(s);
	if (!s->broken)
		stay(s);
}

static void end_troubles(struct sim *s, const struct run_options *o)
{
	if (s->broken)
		return;
	faults_end(s);
	if (o->lasting)
		lan_conditions(s, SIM_ALL_LANS, &o->condition);
}

static void frame_run(struct sim *s, const struct run_options *o)
{
	struct flood flood = { 0 };

	sim_run_for(s, o->trouble_us);
	end_troubles(s, o);
	if (s->broken)
		return;
	if (!o->lasting) {
		watch(s, 0, 0);
		calm(s);
	} else if (!calm_settles(s, &flood) && !s->broken) {
		calm_count_never(s, &flood);
	}
}

static void lab_run(struct sim *s, const struct run_options *o, uint64_t faults)
{
	struct calm c = { .within = !faults && !o->lasting && !o->best_dead,
		.lasting = o->lasting,
		.best_dead = o->best_dead };

	if (flood_run_for(&c.flood, s, o->trouble_us))
		end_troubles(s, o);
	s->election->calm(s, &c);
}

/* The requested troubles that hosts of this election can have. */
static uint64_t faults_of(const struct run_options *o)
{
	uint64_t can = 0;
	int r;

	if (!o->election->lab)
		return o->faults;
	r = faults_parse(o->election->faults, &can);
	assert(r == 0); /* else election->faults has an unknown name */
	(void)r;
	return o->faults & can;
}

bool run_seed(struct sim *s, const struct run_options *o, uint64_t seed)
{
	struct rng rng = { .state = seed };
	unsigned range = o->hosts_max - o->hosts_min + 1;
	uint64_t faults = faults_of(o);

	sim_reset(s, seed, o->hosts_min + (unsigned)rng_below(&rng, range));
	o->election->begin(s, o->election, o->literal);
	s->lans_count = o->lans;
	if (o->families)
		sim_families(s);
	if (o->peers)
		name_peers(s, o->peers);
	sim_clocks(s, o->clocks_ppm);
	record(s, o);
	if (o->condition_given)
		lan_conditions(s, SIM_ALL_LANS, &o->condition);
	faults_begin(s, faults);
	start_hosts(s);
	if (o->election->lab)
		lab_run(s, o, faults);
	else
		frame_run(s, o);
	draw_picture(s, o);
	end_capture(s, o);
	return !s->broken;
}

void run_command(const struct run_options *o, uint64_t seed, char *text, size_t size)
{
	const struct sim_condition *c = &o->condition;
	char faults[256];
	size_t n;

	faults_text(o->faults, faults, sizeof(faults));
	n = (size_t)snprintf(text, size, "%s run --seed %" PRIu64 " --hosts %u..%u --faults %s",
		program_invocation_name, seed, o->hosts_min, o->hosts_max, faults);
	if (o->election != election_framed(NULL) && n < size)
		n += (size_t)snprintf(text + n, size - n, " --algorithm %s%s", o->election->name,
			o->literal ? " --literal" : "");
	if (o->lans != 1 && n < size)
		n += (size_t)snprintf(text + n, size - n, " --lans %u", o->lans);
	if (o->families && n < size)
		n += (size_t)snprintf(text + n, size - n, " --families");
	if (o->peers && n < size)
		n += (size_t)snprintf(text + n, size - n, " --peers %u", o->peers);
	if (o->lasting && n < size)
		n += (size_t)snprintf(text + n, size - n, " --lasting");
	if (o->best_dead && n < size)
		n += (size_t)snprintf(text + n, size - n, " --best-dead %u", o->best_dead);
	if (o->trouble_us != RUN_TROUBLE_US && n < size)
		n += (size_t)snprintf(
			text + n, size - n, " --duration %" PRIu64 "us", o->trouble_us);
	if (o->clocks_ppm != RUN_CLOCKS_PPM && n < size)
		n += (size_t)snprintf(text + n, size - n, " --clocks %u", o->clocks_ppm);
	if (o->condition_given && n < size)
		snprintf(text + n, size - n,
			" --condition custom --loss %u --delay %u..%u --late %u --late-by %uus "
			"--duplicate %u --duplicate-by %uus",
			c->loss, c->delay_min_us, c->delay_max_us, c->late, c->late_us,
			c->duplicate, c->duplicate_us);
}
