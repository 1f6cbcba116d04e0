/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of exact runs and of the judgement of costs, with algorithms that are wrong on purpose. */
#include "exact_bench.h"
#include "electsim/lab/exact/rows.h"

static const char *const names[] = { "Word", NULL };
static const char *const states[] = { "rests", "takes part", NULL };

static uint64_t a_while(const struct lab_host *h, unsigned dead, uint64_t delay_max_us)
{
	(void)h;
	(void)dead;
	return delay_max_us;
}

#define SAMPLE                                                                                     \
	.name = "sample", .title = "a sample", .source = "none", .messages = names,                \
	.states = states, .timeout_us = a_while

static void elects_itself(struct lab_host *h)
{
	lab_elected(h, h->id);
}

static void does_nothing(struct lab_host *h)
{
	(void)h;
}

static void elects_host_0(struct lab_host *h)
{
	lab_elected(h, 0);
}

static void takes_part(struct lab_host *h)
{
	lab_state(h, 1);
	lab_elected(h, (uint16_t)(h->count - 1));
}

static void says(struct lab_host *h)
{
	lab_right(h, &(struct lab_msg){ .type = 0 });
}

static void passes_on(struct lab_host *h, const struct lab_msg *m)
{
	lab_right(h, m);
}

static void ignores(struct lab_host *h, const struct lab_msg *m)
{
	(void)h;
	(void)m;
}

/* ---- what is reported ----------------------------------------------------------------------- */

static void assert_broken(const struct exact_order *o, const char *property)
{
	struct exact_result r;

	exact_play(x, o, &r);
	assert_non_null(r.broken);
	assert_string_equal(r.broken, property);
}

static void two_that_elect_themselves_are_seen(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = elects_itself };
	struct exact_order o = order_of(&a, 2);

	(void)state;
	assert_broken(&o, "more than one host elected itself");
}

static void a_host_without_coordinator_is_seen(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = does_nothing };
	struct exact_order o = order_of(&a, 3);

	(void)state;
	assert_broken(&o, "a host has no coordinator");
}

static void the_wrong_coordinator_is_seen(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = elects_host_0 };
	struct exact_order o = order_of(&a, 3);

	(void)state;
	assert_broken(&o, "the coordinator of a host is not the best");
}

static void a_dead_best_host_is_the_wrong_one(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = elects_host_0,
		.lowest_wins = true };
	struct exact_order o = order_of(&a, 3);
	struct exact_result r;

	(void)state;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	o.dead[0] = true;
	assert_broken(&o, "the coordinator of a host is not the best");
}

static void a_host_that_stays_in_the_election_is_seen(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = takes_part };
	struct exact_order o = order_of(&a, 3);

	(void)state;
	assert_broken(&o, "a host is still in the election");
}

static void an_election_without_end_is_seen(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .links = LAB_RING, .start = says,
		.message = passes_on };
	struct exact_order o = order_of(&a, 3);
	struct exact_result r;

	(void)state;
	assert_broken(&o, "it does not end");
	/* the messages left behind do not disturb the next run */
	o = order_of(&lab_chang_roberts, 3);
	exact_play(x, &o, &r);
	assert_null(r.broken);
}

/* ---- what an algorithm may rely on ---------------------------------------------------------- */

enum { MANY = 200 };
static unsigned came;

static void says_many(struct lab_host *h)
{
	for (uint16_t i = 0; i < MANY; i++)
		lab_right(h, &(struct lab_msg){ .id = i });
}

static void in_order(struct lab_host *h, const struct lab_msg *m)
{
	assert_int_equal(m->id, came++);
	assert_int_equal(m->from, 0);
	assert_int_equal(m->side, -1);
	lab_elected(h, 1);
}

static void a_link_delivers_in_the_order_of_sending(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .links = LAB_RING, .start = says_many,
		.message = in_order };
	struct exact_order o = order_of(&a, 2);
	struct exact_result r;

	(void)state;
	only(&o, 0);
	o.random = true;
	came = 0;
	exact_play(x, &o, &r);
	assert_int_equal(came, MANY);
}

static void waits_for_it(struct lab_host *h)
{
	lab_cast(h, &(struct lab_msg){ .type = 0 });
	lab_timer(h, 0, 2 * LAB_ROUND_US);
}

static void answers_once(struct lab_host *h, const struct lab_msg *m)
{
	if (h->place == 1)
		lab_send(h, m->from, m);
	else
		lab_off(h, 0);
	lab_elected(h, 1);
}

static void too_late(struct lab_host *h, unsigned which)
{
	(void)h;
	(void)which;
	fail();
}

static void an_answer_that_takes_as_long_as_it_may_is_in_time(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .links = LAB_ALL, .start = waits_for_it,
		.message = answers_once, .timer = too_late };
	struct exact_order o = order_of(&a, 2);
	struct exact_result r;

	(void)state;
	only(&o, 0);
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.messages, 2);
}

static void a_message_to_the_dead_is_sent_and_not_read(void **state)
{
	struct exact_order o = order_of(&lab_bully_short, 3);
	struct exact_result r;

	(void)state;
	only(&o, 1);
	o.dead[0] = o.dead[2] = true;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_int_equal(r.messages, 2);
	assert_int_equal(r.elected[1], 1);
}

/* No round is simulated one by one: 2^40 rounds at each of 44 hosts. */
static void a_wait_of_any_length_is_one_step(void **state)
{
	struct exact_order o = order_of(&lab_frederickson_lynch, 50);
	struct exact_result r;

	(void)state;
	only(&o, 48);
	o.starts[49] = 0;
	exact_play(x, &o, &r);
	assert_null(r.broken);
	assert_true(r.time > UINT64_C(48) << 40);
}

static void the_same_seed_plays_the_same(void **state)
{
	struct exact_order o = order_of(&lab_hirschberg_sinclair, 20);
	struct exact_result a, b, other;

	(void)state;
	o.random = true;
	o.seed = 5;
	exact_play(x, &o, &a);
	exact_play(x, &o, &b);
	assert_memory_equal(a.sent, b.sent, sizeof(a.sent));
	assert_int_equal(a.time, b.time);
	o.seed = 6;
	exact_play(x, &o, &other);
	assert_int_not_equal(a.time, other.time);
}

static void one_host_elects_itself_without_a_message(void **state)
{
	(void)state;
	for (unsigned i = 0; lab_algorithms[i]; i++) {
		struct exact_order o = order_of(lab_algorithms[i], 1);
		struct exact_result r;

		if (lab_algorithms[i]->eventual)
			continue;
		exact_play(x, &o, &r);
		assert_null(r.broken);
		assert_int_equal(r.messages, 0);
		assert_int_equal(r.elected[0], 0);
	}
}

static void every_algorithm_elects_again_what_it_elected(void **state)
{
	(void)state;
	for (unsigned i = 0; lab_algorithms[i]; i++) {
		struct exact_order o = order_of(lab_algorithms[i], 6);
		struct exact_result once, twice;

		if (lab_algorithms[i]->eventual)
			continue;
		exact_play(x, &o, &once);
		o.again = 1;
		exact_play(x, &o, &twice);
		assert_null(twice.broken);
		assert_int_equal(twice.messages, 2 * once.messages);
		assert_int_equal(exact_host(x, 0)->election, 2);
	}
}

/* The flags of the row have the environment start all hosts together. */
static void in_rounds_all_start_together(void **state)
{
	(void)state;
	assert_true(lab_lcr.starts_all && lab_frederickson_lynch.starts_all);
	assert_true(lab_lcr.synchronous && lab_frederickson_lynch.synchronous);
	assert_false(lab_chang_roberts.starts_all || lab_ring.starts_all);
}

/* ---- formulas ------------------------------------------------------------------------------- */

static double delta; /* error of the formula */

static double ring_of_one(unsigned n, unsigned k)
{
	(void)k;
	return 2.0 * n + delta;
}

static unsigned cost_of_one(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){ .starters = LAB_ONE, .value = ring_of_one };
	costs[1] = (struct lab_cost){
		.starters = LAB_ONE, .holds = LAB_AT_MOST, .value = ring_of_one
	};
	costs[2] = (struct lab_cost){
		.starters = LAB_EVERYBODY, .holds = LAB_MEAN, .value = ring_of_one
	};
	return 3;
}

static void measure(const struct lab_algorithm *a, unsigned n, double off,
	struct rows_figures ret[LAB_COSTS_MAX])
{
	delta = off;
	rows_measure(x, a, n, 1, false, ret);
}

static void a_cost_that_is_one_off_is_broken(void **state)
{
	struct lab_algorithm a = lab_ring;
	struct rows_figures f[LAB_COSTS_MAX];

	(void)state;
	a.costs = cost_of_one;
	for (unsigned n = 5; n <= 20; n += 15) {
		measure(&a, n, 0, f);
		assert_true(f[0].held && f[1].held);
		measure(&a, n, 1, f);
		assert_false(f[0].held);
		assert_true(f[1].held);
		measure(&a, n, -1, f);
		assert_false(f[0].held || f[1].held);
		assert_null(f[1].broken);
		assert_int_equal(f[1].order.count, n);
	}
}

static double mean_of_all(unsigned n, unsigned k)
{
	double harmonic = 0;

	(void)k;
	for (unsigned i = 1; i <= n; i++)
		harmonic += 1.0 / i;
	return (n * harmonic + n) * (1 + delta);
}

static unsigned cost_on_average(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){
		.starters = LAB_EVERYBODY, .holds = LAB_MEAN, .value = mean_of_all
	};
	return 1;
}

/* An error of a thousandth if all arrangements were played; of samples, one beyond chance. */
static void a_mean_off_its_formula_is_broken(void **state)
{
	struct lab_algorithm a = lab_lcr;
	struct rows_figures f[LAB_COSTS_MAX];

	(void)state;
	a.costs = cost_on_average;
	measure(&a, 6, 0, f);
	assert_true(f[0].held);
	assert_int_equal(f[0].runs, 720);
	measure(&a, 6, 0.001, f);
	assert_false(f[0].held);
	measure(&a, 50, 0, f);
	assert_true(f[0].held);
	assert_int_equal(f[0].runs, ROWS_SAMPLES);
	measure(&a, 50, 0.001, f);
	assert_true(f[0].held);
	measure(&a, 50, -0.1, f);
	assert_false(f[0].held);
}

static void a_property_that_broke_breaks_every_row_of_the_run(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .start = does_nothing,
		.costs = cost_of_one };
	struct rows_figures f[LAB_COSTS_MAX];

	(void)state;
	measure(&a, 3, 1000, f);
	assert_false(f[0].held || f[1].held || f[2].held);
	assert_string_equal(f[1].broken, "a host has no coordinator");
}

/* ---- algorithms that never end -------------------------------------------------------------- */

static void beats(struct lab_host *h, unsigned which)
{
	lab_cast(h, &(struct lab_msg){ .type = 0 });
	lab_timer(h, which, LAB_DEAD_US / 2);
}

static void begins_to_beat(struct lab_host *h, bool recovered)
{
	(void)recovered;
	lab_elected(h, (uint16_t)(h->count - 1));
	beats(h, 0);
}

static double others(unsigned n, unsigned k)
{
	(void)k;
	return n - 1 + delta;
}

static unsigned cost_of_a_tick(unsigned n, struct lab_cost costs[LAB_COSTS_MAX])
{
	(void)n;
	costs[0] = (struct lab_cost){ .counts = LAB_A_TICK, .value = others };
	return 1;
}

static void an_algorithm_that_never_ends_is_counted_by_the_tick(void **state)
{
	static const struct lab_algorithm a = { SAMPLE, .eventual = true, .begin = begins_to_beat,
		.start = does_nothing, .message = ignores, .timer = beats,
		.costs = cost_of_a_tick };
	struct rows_figures f[LAB_COSTS_MAX];

	(void)state;
	measure(&a, 5, 0, f);
	assert_true(f[0].held);
	assert_int_equal(f[0].runs, 1);
	measure(&a, 5, 1, f);
	assert_false(f[0].held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_that_elect_themselves_are_seen),
		cmocka_unit_test(a_host_without_coordinator_is_seen),
		cmocka_unit_test(the_wrong_coordinator_is_seen),
		cmocka_unit_test(a_dead_best_host_is_the_wrong_one),
		cmocka_unit_test(a_host_that_stays_in_the_election_is_seen),
		cmocka_unit_test(an_election_without_end_is_seen),
		cmocka_unit_test(a_link_delivers_in_the_order_of_sending),
		cmocka_unit_test(an_answer_that_takes_as_long_as_it_may_is_in_time),
		cmocka_unit_test(a_message_to_the_dead_is_sent_and_not_read),
		cmocka_unit_test(a_wait_of_any_length_is_one_step),
		cmocka_unit_test(the_same_seed_plays_the_same),
		cmocka_unit_test(one_host_elects_itself_without_a_message),
		cmocka_unit_test(every_algorithm_elects_again_what_it_elected),
		cmocka_unit_test(in_rounds_all_start_together),
		cmocka_unit_test(a_cost_that_is_one_off_is_broken),
		cmocka_unit_test(a_mean_off_its_formula_is_broken),
		cmocka_unit_test(a_property_that_broke_breaks_every_row_of_the_run),
		cmocka_unit_test(an_algorithm_that_never_ends_is_counted_by_the_tick),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
