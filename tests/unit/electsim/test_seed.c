/* SPDX-License-Identifier: Apache-2.0 */
/* test_seed: a seed reproduces a run, whatever ran before, traced or not; and the network. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "electsim/judge/run/run.h"

static struct run_options options(void)
{
	struct run_options o = {
		.election = election_framed(NULL),
		.hosts_min = 3,
		.hosts_max = 16,
		.lans = 1,
		.trouble_us = RUN_TROUBLE_US,
		.clocks_ppm = RUN_CLOCKS_PPM,
	};

	assert_int_equal(faults_parse("all", &o.faults), 0);
	return o;
}

static void the_same_seed_gives_the_same_run(void **state)
{
	struct run_options o = options();
	struct sim *s = sim_new(), *other = sim_new();

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		run_seed(s, &o, seed);
		uint64_t hash = s->hash, datagrams = s->datagrams;

		run_seed(other, &o, 1000 + seed); /* leaves used memory behind */
		run_seed(other, &o, seed);
		assert_int_equal(hash, other->hash);
		assert_int_equal(datagrams, other->datagrams);
		assert_int_equal(s->now_us, other->now_us);
	}
	sim_free(s);
	sim_free(other);
}

static void another_seed_gives_another_run(void **state)
{
	struct run_options o = options();
	struct sim *s = sim_new();
	uint64_t hash;

	(void)state;
	run_seed(s, &o, 1);
	hash = s->hash;
	run_seed(s, &o, 2);
	assert_int_not_equal(hash, s->hash);
	sim_free(s);
}

static void tracing_changes_nothing(void **state)
{
	struct sim *s = sim_new();
	uint64_t hash;

	(void)state;
	sim_reset(s, 5, 4);
	daemons_begin(s, election_framed(NULL), false);
	for (unsigned i = 0; i < 4; i++)
		world_start(s, s->hosts[i]);
	sim_run_for(s, 3000000);
	hash = s->hash;
	sim_reset(s, 5, 4);
	daemons_begin(s, election_framed(NULL), false);
	s->trace = SIM_TRACE_TAIL;
	s->svg = svg_new(SIM_EPOCH_US, SIM_EPOCH_US + 3000000);
	for (unsigned i = 0; i < 4; i++)
		world_start(s, s->hosts[i]);
	sim_run_for(s, 3000000);
	assert_int_equal(hash, s->hash);
	assert_true(s->tail_count > 0);
	svg_free(s->svg);
	s->svg = NULL;
	sim_free(s);
}

/* The command printed after a failure must have every option of the run. */
static void the_replay_command_names_every_option(void **state)
{
	struct run_options o = options();
	char text[512];

	(void)state;
	program_invocation_name = (char *)"./electsim";
	run_command(&o, 42, text, sizeof(text));
	assert_string_equal(text, "./electsim run --seed 42 --hosts 3..16 --faults all");
	assert_int_equal(faults_parse("crash,stall", &o.faults), 0);
	o.election = election_named("bully");
	o.lans = 2;
	o.lasting = true;
	o.best_dead = 2;
	o.trouble_us = 5000;
	o.clocks_ppm = 20;
	o.condition = *conditions_find("medium");
	o.condition_given = true;
	run_command(&o, 42, text, sizeof(text));
	assert_string_equal(text,
		"./electsim run --seed 42 --hosts 3..16 --faults crash,stall --algorithm bully "
		"--lans 2 --lasting --best-dead 2 --duration 5000us --clocks 20 --condition custom "
		"--loss 50 --delay "
		"100..2000 --late 30 "
		"--late-by "
		"20000us "
		"--duplicate 10 --duplicate-by 10000us");
}

/* Congestion delays and does not lose; even its least level is worse than a busy switch. */
static void congestion_delays_and_loses_nothing(void **state)
{
	static const char *const levels[] = { "ncl-light", "ncl-medium", "ncl-severe" };
	static const unsigned percent_of_a_beacon[] = { 10, 50, 150 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct sim_condition *c = conditions_find(levels[i]);

		assert_non_null(c);
		assert_int_equal(c->loss + c->late + c->duplicate, 0);
		assert_int_equal(c->delay_min_us, 0);
		assert_int_equal(c->delay_max_us, SIM_BEACON_US * percent_of_a_beacon[i] / 100);
	}
}

static void unknown_faults_and_ranges_are_refused(void **state)
{
	unsigned min, max;
	uint64_t us;
	uint64_t mask;

	(void)state;
	assert_true(faults_parse("crash,nonsense", &mask) < 0);
	assert_true(options_range("5..3", &min, &max) < 0);
	assert_true(options_range("x", &min, &max) < 0);
	assert_int_equal(options_range("3..5", &min, &max), 0);
	assert_int_equal(max, 5);
	assert_true(options_time("3", &us) < 0);
	assert_true(options_time("3 parsecs", &us) < 0);
	assert_int_equal(options_time("3beacons", &us), 0);
	assert_int_equal(us, 600000);
}

/* ---- the network ---------------------------------------------------------------------------- */

static struct sim *four_hosts(uint64_t seed)
{
	struct sim *s = sim_new();

	sim_reset(s, seed, 4);
	daemons_begin(s, election_framed(NULL), false);
	for (unsigned i = 0; i < 4; i++)
		world_start(s, s->hosts[i]);
	return s;
}

static void loss_takes_its_share(void **state)
{
	struct sim *s = four_hosts(1);

	(void)state;
	s->lans[0].condition.loss = 1000;
	sim_run_for(s, 1000000);
	assert_int_equal(s->totals.lost, totals_datagrams(&s->totals) * 3);
	assert_int_equal(shown_leaders(s), 0);
	sim_free(s);
}

static void a_link_cut_one_way_still_carries_the_other(void **state)
{
	struct sim *s = four_hosts(2);

	(void)state;
	sim_run_for(s, 2000000);
	for (unsigned i = 1; i < 4; i++)
		lan_cut(s, SIM_ALL_LANS, i, 0, true);

	uint64_t heard = host_counters(s->hosts[0]->core)->received[ELECT_AYTHERE];
	uint64_t others = host_counters(s->hosts[1]->core)->received[ELECT_AYCOORD];
	uint64_t others_heard = host_counters(s->hosts[0]->core)->received[ELECT_AYCOORD];

	sim_run_for(s, 2000000);
	assert_int_equal(host_counters(s->hosts[0]->core)->received[ELECT_AYTHERE], heard);
	assert_int_equal(host_counters(s->hosts[0]->core)->received[ELECT_AYCOORD], others_heard);
	assert_true(host_counters(s->hosts[1]->core)->received[ELECT_AYCOORD] > others);
	sim_free(s);
}

static void a_stalled_host_reads_nothing_and_its_sockets_overflow(void **state)
{
	struct sim *s = four_hosts(3);
	uint64_t steps;

	(void)state;
	sim_run_for(s, 2000000);
	world_stall(s, s->hosts[3], 60000000);
	steps = host_counters(s->hosts[3]->core)->received[ELECT_AYCOORD];
	sim_run_for(s, 59000000);
	assert_int_equal(host_counters(s->hosts[3]->core)->received[ELECT_AYCOORD], steps);
	assert_int_equal(s->hosts[3]->inbox.count, SIM_INBOX_MAX);
	assert_true(s->totals.overflowed > 0);
	sim_free(s);
}

static uint64_t dropped_by_all(const struct sim *s, enum wire_verdict why)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->hosts_count; i++)
		sum += host_counters(s->hosts[i]->core)->dropped[why];
	return sum;
}

static void forged_datagrams_are_refused(void **state)
{
	struct sim *s = four_hosts(4);

	(void)state;
	s->hostility = (struct sim_hostility){
		.truncate = 500, .flip = 500, .wrong_key = 500, .wrong_domain = 500, .replay = 500
	};
	sim_run_for(s, 60000000);
	assert_false(s->broken);
	assert_true(dropped_by_all(s, WIRE_TAG_BAD) > 0);
	assert_true(dropped_by_all(s, WIRE_DOMAIN_BAD) > 0);
	assert_true(dropped_by_all(s, WIRE_KEY_BAD) > 0);
	assert_true(dropped_by_all(s, WIRE_REPLAYED) > 0);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(another_seed_gives_another_run),
		cmocka_unit_test(tracing_changes_nothing),
		cmocka_unit_test(the_replay_command_names_every_option),
		cmocka_unit_test(unknown_faults_and_ranges_are_refused),
		cmocka_unit_test(congestion_delays_and_loses_nothing),
		cmocka_unit_test(loss_takes_its_share),
		cmocka_unit_test(a_link_cut_one_way_still_carries_the_other),
		cmocka_unit_test(a_stalled_host_reads_nothing_and_its_sockets_overflow),
		cmocka_unit_test(forged_datagrams_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
