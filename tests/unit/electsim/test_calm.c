/* SPDX-License-Identifier: Apache-2.0 */
/* test_calm: a run outside of its model that never agrees is counted, and is no failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "electsim/lab/compare/compare.h"
#include "electsim/lan/lan.h"
#include "electsim/cli/verbs.h"
#include "electsim/judge/run/run.h"
#include "electsim/lab/road/road.h"

enum { SEEDS = 5 };

static struct run_options options(const char *algorithm, unsigned hosts)
{
	struct run_options o = { .election = election_named(algorithm),
		.hosts_min = hosts,
		.hosts_max = hosts,
		.lans = 1,
		.condition = *conditions_find("absent"),
		.trouble_us = RUN_TROUBLE_US };

	assert_non_null(o.election);
	return o;
}

static struct run_options lossy(const char *algorithm, unsigned hosts, unsigned loss)
{
	struct run_options o = options(algorithm, hosts);

	o.condition.loss = loss;
	o.condition_given = true;
	return o;
}

/* Returns how many of SEEDS runs never agreed; none may break. */
static unsigned never_agreed(const struct run_options *o)
{
	struct sim *s = sim_new();
	unsigned never = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		assert_true(run_seed(s, o, seed));
		never += (unsigned)s->totals.never;
	}
	sim_free(s);
	return never;
}

/* ---- loss that lasts ------------------------------------------------------------------------ */

static void loss_that_ends_ends_its_consequences(void **state)
{
	struct run_options o = lossy("omega", 10, 200);

	(void)state;
	o.literal = true;
	assert_int_equal(never_agreed(&o), 0);
}

static void omega_never_settles_while_loss_lasts(void **state)
{
	struct run_options o = lossy("omega", 10, 200);

	(void)state;
	o.lasting = o.literal = true;
	assert_int_equal(never_agreed(&o), SEEDS);
}

/* electd's algorithms and the laboratory's are judged alike. */
static void hosts_that_settle_under_loss_are_not_counted(void **state)
{
	struct run_options few = lossy("omega", 5, 20), daemon = lossy("invitation", 10, 200);

	(void)state;
	few.lasting = daemon.lasting = true;
	assert_int_equal(never_agreed(&few), 0);
	assert_int_equal(never_agreed(&daemon), 0);
}

static void crash_one(struct sim *s, unsigned index, unsigned unused)
{
	(void)unused;
	world_crash(s, s->hosts[index], false);
}

static void agreement_for_less_than_50_beacons_is_none(void **state)
{
	struct sim *s = sim_new();
	struct flood flood = { 0 };
	uint64_t crash_us;

	(void)state;
	sim_reset(s, 1, 3);
	road_begin(s, election_named("omega"), false);
	for (unsigned i = 0; i < 3; i++)
		world_start(s, s->hosts[i]);
	sim_run_for(s, 3000000);
	assert_true(shown_agree(s));
	crash_us = s->now_us + CALM_STAY_US - 1000000;
	sim_at(s, crash_us, crash_one, 0, 0);
	assert_true(calm_settles(s, &flood));
	assert_true(s->now_us > crash_us + CALM_STAY_US);
	sim_free(s);
}

/* ---- the best are dead ---------------------------------------------------------------------- */

static void behind_twelve_dead_hosts_frederickson_lynch_never_agrees(void **state)
{
	struct run_options o = options("frederickson-lynch", 20);

	(void)state;
	o.best_dead = 12;
	assert_int_equal(never_agreed(&o), SEEDS);
	o.best_dead = 5;
	assert_int_equal(never_agreed(&o), 0);
}

static void the_best_of_each_algorithm_stay_off(void **state)
{
	struct run_options low = options("omega", 5), high = options("ring", 5);
	struct sim *s = sim_new();

	(void)state;
	low.best_dead = high.best_dead = 2;
	run_seed(s, &low, 1);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(s->hosts[i]->on, i >= 2);
	run_seed(s, &high, 1);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(s->hosts[i]->on, i < 3);
	sim_free(s);
}

static void one_host_lives_whatever_else_has_died(void **state)
{
	struct run_options o = options("chang-roberts", 3);
	struct sim *s = sim_new();

	(void)state;
	assert_int_equal(faults_parse("all", &o.faults), 0);
	o.best_dead = 2;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		assert_true(run_seed(s, &o, seed));
		assert_true(s->hosts[0]->on || s->hosts[1]->on || s->hosts[2]->on);
		assert_int_equal(s->totals.never, 0);
	}
	sim_free(s);
}

/* ---- a flood -------------------------------------------------------------------------------- */

/* Each of a hundred hosts starts again and asks all above it, more than they can read. */
static void a_flood_ends_a_run_that_never_agreed(void **state)
{
	struct run_options o = lossy("bully-short", 100, 200);
	struct sim *s = sim_new();

	(void)state;
	assert_true(run_seed(s, &o, 1));
	assert_int_equal(s->totals.never, 1);
	assert_int_equal(s->totals.drowned, 1);
	assert_true(s->now_us < SIM_EPOCH_US + RUN_TROUBLE_US);
	o.condition_given = false; /* overflowing sockets are loss, too */
	assert_true(run_seed(s, &o, 8));
	assert_int_equal(s->totals.drowned, 1);
	sim_free(s);
}

static void a_comparison_drowns_in_the_same_flood(void **state)
{
	struct trial t = { .hosts = 100, .loss = 200, .seed = 1 };
	struct sim *s = sim_new();
	struct sample sample;
	uint32_t found;
	unsigned count;

	(void)state;
	t.condition = *conditions_find("absent");
	assert_int_equal(contestants_parse("bully-short", &found), 0);
	t.who = &elections_list(&count)[__builtin_ctz(found)];
	scene_play(s, &t, &sample); /* cold: all start within a second */
	assert_false(sample.agreed || sample.broken);
	assert_true(s->now_us < SIM_EPOCH_US + COMPARE_LIMIT_US);
	sim_free(s);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static int run_with(const char *first, const char *second, const char *third)
{
	char *argv[] = { (char *)"run", (char *)first, (char *)second, (char *)third, NULL };
	int argc = 4;

	while (!argv[argc - 1])
		argc--;
	optind = 0;
	return run_main(argc, argv);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run_with("--best-dead=1", NULL, NULL), 2); /* it has no best */
	assert_int_equal(run_with("--algorithm=ring", "--hosts=3", "--best-dead=3"), 2);
	assert_int_equal(run_with("--lasting", NULL, NULL), 2); /* no loss was given */
	assert_int_equal(run_with("--algorithm=ring", "--hosts=101", NULL), 2);
}

static void a_run_that_never_agreed_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(
		run_with("--algorithm=frederickson-lynch", "--hosts=20", "--best-dead=12"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_that_ends_ends_its_consequences),
		cmocka_unit_test(omega_never_settles_while_loss_lasts),
		cmocka_unit_test(hosts_that_settle_under_loss_are_not_counted),
		cmocka_unit_test(agreement_for_less_than_50_beacons_is_none),
		cmocka_unit_test(behind_twelve_dead_hosts_frederickson_lynch_never_agrees),
		cmocka_unit_test(the_best_of_each_algorithm_stay_off),
		cmocka_unit_test(one_host_lives_whatever_else_has_died),
		cmocka_unit_test(a_flood_ends_a_run_that_never_agreed),
		cmocka_unit_test(a_comparison_drowns_in_the_same_flood),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(a_run_that_never_agreed_is_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
