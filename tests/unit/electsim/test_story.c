/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of stories: what is not understood is refused with its line, an expectation that
 * does not hold fails the story, and what a verb says happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <getopt.h>

#include <cmocka.h>

#include "electsim/run/run.h"

/* The exit status of `electsim story` for that text. */
static int play(const char *text)
{
	char path[] = "/tmp/test_sim_story_XXXXXX";
	char *argv[] = { (char *)"story", (char *)"--quiet", path, NULL };
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	optind = 1;
	r = story_main(3, argv);
	unlink(path);
	return r;
}

#define START                                                                                      \
	"hosts 4\nset priority 1 200\nset priority 2 150\nstart all\nexpect leader 1 within 5 "    \
	"beacons\nrun 1s\n"

static void a_story_that_holds_is_ok(void **state)
{
	(void)state;
	assert_int_equal(play(START "# a comment\n\nexpect one group of 4 # and another\n"), 0);
}

static void what_is_not_understood_is_refused(void **state)
{
	static const char *const lines[] = { "nonsense", "crash", "crash 5", "crash 0", "run",
		"run 5", "expect", "expect leader", "expect nonsense 1",
		"expect formed <=", "expect formed ~ 3", "expect formed <= 3 since nobody",
		"set priority 1", "set priority 1 256", "set nonsense 1 2", "split 1 2", "cut 1 2",
		"cut 1 ~ 2", "drop Nonsense", "drop Ready from 9", "crash 1 when it sings Ready",
		"loss 1001", "hold 1 maybe", "condition sunny", "at 1us crash 1", "heal 3",
		"expect leader 1 within", "expect always leader 1", "expect no change", "define 1",
		"run 1s 2s", "lans 5", "algorithm nonsense", "algorithm", "on 1", "on 2 cut 1 - 2",
		"on 1 crash 1", "cut 1 -", "flap 1 > 2 every 1s times 1" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), START "%s\n", lines[i]);
		if (play(text) != 1)
			fail_msg("accepted: %s", lines[i]);
	}
	assert_int_equal(play("start all\n"), 1);
	assert_int_equal(play("hosts 0\n"), 1);
	assert_int_equal(play("hosts 1025\n"), 1);
}

/* It would be written beyond its place. */
static void a_definition_that_is_too_long_is_refused(void **state)
{
	static char text[ELECT_DEFINITION_MAX + 100] = "hosts 3\nstart all\nrun 3s\ndefine 1 ";
	size_t length = strlen(text);

	(void)state;
	memset(text + length, 'x', ELECT_DEFINITION_MAX);
	assert_int_equal(play(text), 0);
	text[length + ELECT_DEFINITION_MAX] = 'x';
	assert_int_equal(play(text), 1);
}

static void an_expectation_that_does_not_hold_fails(void **state)
{
	static const char *const lines[] = { "expect leader 2", "expect no leader 1",
		"expect leaders 2", "expect one group of 3", "expect groups 2",
		"expect role 2 leader", "expect state 1 election", "expect reason 2 dropped",
		"expect cause 2 3", "expect members 1 3", "expect problem 1 broken-links",
		"expect ever led 3", "expect token of 2 > token of 1", "expect foreign 1 2",
		"expect definition 1 blue", "expect formed == 0", "expect made > 1",
		"expect datagrams < 5", "expect sent Hello == 0", "expect in total formed > 1",
		"expect leader 2 within 1s", "expect always leader 2 for 1s",
		"crash 1\nexpect no change for 2s", "mark m\nexpect two leaders since m",
		"crash 3\nexpect same group 1 3" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), START "%s\n", lines[i]);
		if (play(text) != 1)
			fail_msg("held: %s", lines[i]);
	}
}

static void the_opposite_holds(void **state)
{
	static const char *const lines[] = { "expect leader 1", "expect no leader 2",
		"expect leaders 1", "expect one group of 4", "expect groups 1",
		"expect role 2 follower", "expect state 1 normal", "expect members 1 4",
		"expect no problem 1 broken-links", "expect ever led 1",
		"expect token of 1 > token of 2",
		"define 1 blue\nexpect definition 2 blue within 1s", "expect formed == 1",
		"expect made <= 1", "expect datagrams > 5", "expect datagrams < 100 a host",
		"expect sent Hello > 0", "expect in total formed == 1",
		"expect always leader 1 for 1s", "expect no change for 2s",
		"mark m\nexpect no two leaders since m", "crash 3\nexpect state 3 off",
		"stop 1\nexpect leader 2 within 1 beacon",
		"split 1 2 | 3 4\nexpect groups 2 within 15 beacons",
		"crash 2 when it sends AYThere\nexpect state 2 off within 4 beacons",
		"drop any from 1 count 100000\nexpect role 2 leader within 15 beacons",
		"after 1s crash 1\nexpect leader 2 within 5 beacons" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), START "%s\n", lines[i]);
		if (play(text) != 0)
			fail_msg("did not hold: %s", lines[i]);
	}
}

static void totals_are_summed_over_seeds(void **state)
{
	(void)state;
	assert_int_equal(play("hosts 3\nseeds 1..5\nstart all\nexpect led within 10 beacons\n"
			      "expect in total formed == 5\n"),
		0);
	assert_int_equal(play("hosts 3\nseeds 1..5\nstart all\nexpect led within 10 beacons\n"
			      "expect in total formed == 1\n"),
		1);
}

static void a_missing_file_fails(void **state)
{
	char *argv[] = { (char *)"story", (char *)"/nonexistent/x.story", NULL };

	(void)state;
	optind = 1;
	assert_int_equal(story_main(2, argv), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_story_that_holds_is_ok),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(a_definition_that_is_too_long_is_refused),
		cmocka_unit_test(an_expectation_that_does_not_hold_fails),
		cmocka_unit_test(the_opposite_holds),
		cmocka_unit_test(totals_are_summed_over_seeds),
		cmocka_unit_test(a_missing_file_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
