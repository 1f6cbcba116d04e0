/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookplan_bench: drives one hookplan with events, and compares its steps with a string.
 *
 * Each step is a word: "leader/5" is the script of the event, with token 5. A trailing "*" marks a
 * replay, a "+" a confirmation. "started/5" and "idle" are records of the phase. "up", "again" and
 * "down" act on the target. "ended" is the end of a demotion, which the bench confirms unless
 * `lasts` is set.
 */
#ifndef ELECTD_TEST_CORE_HOOKPLAN_BENCH_H
#define ELECTD_TEST_CORE_HOOKPLAN_BENCH_H

#include "hookplan_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct hookplan plan;
static unsigned scripts;
static bool lasts; /* the target or a script of a demotion has not ended */

static inline void open_with(enum hookplan_mark mark, uint64_t token)
{
	hookplan_open(&plan, &(struct hookplan_phase){ mark, token });
	scripts = 1;
	lasts = false;
}

static inline int set_up(void **state)
{
	(void)state;
	open_with(HOOKPLAN_IDLE, 0);
	return 0;
}

static inline void leads(uint64_t token)
{
	hookplan_view(&plan, &(struct hookplan_view){ .role = ELECT_ROLE_LEADER, .token = token });
}

static inline void follows(uint64_t token)
{
	hookplan_view(
		&plan, &(struct hookplan_view){ .role = ELECT_ROLE_FOLLOWER, .token = token });
}

static inline void leaderless(void)
{
	hookplan_view(&plan, &(struct hookplan_view){ .role = ELECT_ROLE_NONE });
}

/* The old leader has crashed, and a demotion on its host may be pending. */
static inline void leader_crashes(void)
{
	hookplan_view(&plan, &(struct hookplan_view){ .role = ELECT_ROLE_NONE, .awaits = true });
}

/* Repeats the last view, with a change of the members. */
static inline void members_change(void)
{
	struct hookplan_view view = plan.latest;

	view.members = true;
	hookplan_view(&plan, &view);
}

/* Returns the next step. The ends of scripts and of demotions are answered before. */
static inline const char *now(void)
{
	static char word[64];
	struct hookplan_step s;

	for (;;) {
		hookplan_next(&plan, &s);
		if (s.type == HOOKPLAN_SCRIPT && s.index >= scripts)
			hookplan_done(&plan, HOOKPLAN_NO_MORE);
		else if (s.type == HOOKPLAN_ENDED && !lasts)
			hookplan_done(&plan, HOOKPLAN_OK);
		else
			break;
	}
	hookplan_word(&s, word, sizeof(word));
	return word;
}

/* Asserts that the plan gives these steps in this order, and ends each of them with `result`. */
static inline void end(const char *words, enum hookplan_result result)
{
	char copy[256], *rest = copy, *word;

	assert_true(strlen(words) < sizeof(copy));
	strcpy(copy, words);
	while ((word = strsep(&rest, " "))) {
		assert_string_equal(now(), word);
		hookplan_done(&plan, result);
	}
}

static inline void runs(const char *words)
{
	end(words, HOOKPLAN_OK);
}

static inline void fails(const char *words)
{
	end(words, HOOKPLAN_FAILED);
}

static inline void quiet(void)
{
	assert_string_equal(now(), "wait");
}

static inline void runs_only(const char *words)
{
	runs(words);
	quiet();
}

/* Asserts that the plan holds back a follower's `none`, then ends the hold. */
static inline void held(void)
{
	quiet();
	assert_true(hookplan_holds(&plan));
	hookplan_hold_over(&plan);
	assert_false(hookplan_holds(&plan));
}

/* Leads with token 5, with every script run and every unit started. */
static inline void lead(void)
{
	leaderless();
	runs_only("none*");
	leads(5);
	runs_only("started/5 leader/5 up online");
}

/* The same, and electd then asks for release number 1. */
static inline void lead_until_release(void)
{
	lead();
	hookplan_release(&plan, 1, false);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

#endif
