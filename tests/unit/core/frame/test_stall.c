/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stall.c (suspicion.md, Own lateness): own lateness moves every moment of another host, and no
 * other moment.
 */
#include "unit/core/frame/bench.h"

#include "core/frame/stall.h"

#define HOUR_US	  UINT64_C(3600000000)
#define MOMENT_US UINT64_C(1000) /* between a moment and the stall */

struct moment {
	const char *name;
	uint64_t *at;
};

#define M(at)                                                                                      \
	{                                                                                          \
#at, &(at)                                                                         \
	}

static struct elect *leader(void)
{
	bench_leading(2);
	bench.e->losses_count = bench.e->foreign_count = 1;
	own(bench.e)->others_count = 1;
	return bench.e;
}

static void stand_still(
	const struct moment *moments, size_t count, uint64_t us, uint64_t expected_us)
{
	for (size_t i = 0; i < count; i++)
		*moments[i].at = us;
	bench.e->now_us = bench.now_us + HOUR_US;
	stall_late(bench.e, HOUR_US);
	for (size_t i = 0; i < count; i++)
		if (*moments[i].at != expected_us)
			fail_msg("%s", moments[i].name);
}

static void the_moment_at_which_another_host_was_heard_moves(void **state)
{
	struct elect *e = leader();
	const struct moment moments[] = {
		M(e->watch.heard_us),
		M(e->watch.members[1].heard_us),
		M(e->company_us),
		M(e->rivals_from_us),
		M(e->timings_differ_us),
		M(e->preempt_differs_us),
		M(e->quorum_differs_us),
		M(e->counter_refused_us),
		M(e->advance.low_us),
		M(e->advance.ahead_us),
		M(e->forgot_us),
		M(e->losses[0].last_us),
		M(e->losses[0].absent_us),
		M(e->losses[0].untaken_us),
		M(e->losses[0].unlisted_us),
		M(e->foreign_us[0]),
		M(own(e)->watch.heard_us),
		M(own(e)->others[0].since_us),
		M(own(e)->others[0].heard_us),
		M(own(e)->down.best_us),
		M(own(e)->down.awaited_us),
	};
	uint64_t us = bench.now_us - MOMENT_US;

	(void)state;
	stand_still(moments, sizeof(moments) / sizeof(moments[0]), us, us + HOUR_US);
}

static void the_end_of_a_wait_for_another_host_moves(void **state)
{
	struct elect *e = leader();
	const struct moment moments[] = {
		M(e->watch.members[1].probe_us),
		M(e->unheard_until_us),
		M(e->silent_until_us),
		M(e->duplicate_until_us),
		M(own(e)->watch.await_until_us),
	};
	uint64_t us = bench.now_us + MOMENT_US;

	(void)state;
	stand_still(moments, sizeof(moments) / sizeof(moments[0]), us, us + HOUR_US);
}

static void a_wait_that_was_over_before_stays_over(void **state)
{
	struct elect *e = leader();
	const struct moment moments[] = {
		M(e->unheard_until_us),
		M(e->silent_until_us),
		M(e->duplicate_until_us),
	};
	uint64_t us = bench.now_us - MOMENT_US;

	(void)state;
	stand_still(moments, sizeof(moments) / sizeof(moments[0]), us, us);
}

/* Promises, demotions of other hosts, answers, own pauses, user commands, and the bucket. */
static void every_other_moment_stays(void **state)
{
	struct elect *e = leader();
	const struct moment moments[] = {
		M(e->watch.members[1].asked_us),
		M(e->watch.members[1].sent_us),
		M(e->bound_until_us),
		M(e->up.members[1].bound_until_us),
		M(e->crashes[0].most_us),
		M(own(e)->yield_until_us),
		M(own(e)->others[0].answered_us),
		M(own(e)->others[0].told_us),
		M(own(e)->others[0].replied_us),
		M(e->losses[0].not_before_us),
		M(e->losses[0].invite_from_us),
		M(e->barred_until_us),
		M(e->sick_until_us),
		M(e->told_us),
		M(e->why_nots_us),
		M(e->suspected_us),
		M(e->advance.credit_us),
		M(e->joined_us),
	};
	uint64_t us = bench.now_us - MOMENT_US;

	(void)state;
	e->crashes[0] = (struct elect_crash){ .session = 1, .until_us = bench.now_us + MOMENT_US };
	stand_still(moments, sizeof(moments) / sizeof(moments[0]), us, us);
}

static void a_stall_sets_no_moment_that_was_never_set(void **state)
{
	struct elect *e = leader();
	const struct moment moments[] = {
		M(e->company_us),
		M(e->preempt_differs_us),
		M(e->advance.ahead_us),
		M(e->losses[0].absent_us),
	};

	(void)state;
	stand_still(moments, sizeof(moments) / sizeof(moments[0]), 0, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_moment_at_which_another_host_was_heard_moves),
		T(the_end_of_a_wait_for_another_host_moves),
		T(a_wait_that_was_over_before_stays_over),
		T(every_other_moment_stays),
		T(a_stall_sets_no_moment_that_was_never_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
