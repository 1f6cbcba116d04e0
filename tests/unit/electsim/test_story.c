/* SPDX-License-Identifier: Apache-2.0 */
/* test_story: the language of stories: wrong lines, wrong expectations, and each verb. */
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

#include "electsim/cli/verbs.h"
#include "electsim/judge/run/run.h"

/* Returns the exit status of `electsim story` for that text. */
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

static void wrong_lines_are_refused(void **state)
{
	static const char *const lines[] = { "nonsense", "crash", "crash 5", "crash 0", "run",
		"run 5", "expect", "expect leader", "expect nonsense 1",
		"expect formed <=", "expect formed ~ 3", "expect formed <= 3 since nobody",
		"set priority 1", "set priority 1 256", "set nonsense 1 2", "split 1 2", "cut 1 2",
		"cut 1 ~ 2", "drop Nonsense", "drop Ready from 9", "crash 1 when it sings Ready",
		"loss 1001", "hold 1 maybe", "condition sunny", "at 1us crash 1", "heal 3",
		"expect leader 1 within", "expect always leader 1", "expect no change", "define 1",
		"run 1s 2s", "lans 5", "algorithm nonsense", "algorithm", "on 1", "on 2 cut 1 - 2",
		"on 1 crash 1", "cut 1 -", "flap 1 > 2 every 1s times 1",
		"algorithm omega literal extra", "algorithm bully literal 3",
		"algorithm bully literal", "algorithm lcr 2" };

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
	assert_int_equal(play("algorithm lcr\nhosts 101\n"), 1);
	assert_int_equal(play("hosts 101\nalgorithm lcr\n"), 1);
}

/* The definition would overflow its buffer. */
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

/* ---- sections ------------------------------------------------------------------------------- */

#define ALONE "hosts 1\nstart 1\nexpect leader 1 within 20 beacons\n"
#define WRONG "hosts 1\nstart 1\nexpect always no leader 1 for 20 beacons\n"

enum { FILES = 2 };

static const char *pattern = "/tmp/test_story_XXXXXX"; /* of the paths of the files */
static char paths[FILES][32]; /* paths of the files written by the last call of play_files() */
static char printed[8192];

/* Returns the exit status of `electsim story ARGUMENT... FILE...`; `printed` has its output. */
static int play_files(const char *const texts[FILES], const char *const arguments[])
{
	char *argv[16] = { (char *)"story" };
	int argc = 1, before[2], r;
	FILE *output = tmpfile();

	assert_non_null(output);
	for (size_t i = 0; arguments[i]; i++)
		argv[argc++] = (char *)arguments[i];
	for (size_t i = 0; i < FILES && texts[i]; i++) {
		int fd;

		strcpy(paths[i], pattern);
		fd = mkstemp(paths[i]);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, texts[i], strlen(texts[i])), (ssize_t)strlen(texts[i]));
		close(fd);
		argv[argc++] = paths[i];
	}
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		before[i] = dup(i + 1);
		dup2(fileno(output), i + 1);
	}
	optind = 1;
	r = story_main(argc, argv);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		dup2(before[i], i + 1);
		close(before[i]);
	}
	rewind(output);
	printed[fread(printed, 1, sizeof(printed) - 1, output)] = '\0';
	fclose(output);
	for (size_t i = 0; i < FILES && texts[i]; i++)
		unlink(paths[i]);
	return r;
}

/* Checks that `text` was printed; %1 and %2 in it are the paths of the files. */
static void assert_printed(const char *text)
{
	char expected[512] = "";

	for (; *text; text++) {
		size_t length = strlen(expected);

		if (*text == '%')
			strcpy(expected + length, paths[*++text - '1']);
		else
			expected[length] = *text;
	}
	if (!strstr(printed, expected))
		fail_msg("not printed: %s\nbut: %s", expected, printed);
}

#define NO_ARGUMENTS ((const char *const[]){ NULL })

static void each_section_of_a_file_is_a_story(void **state)
{
	const char *const texts[] = { "# two stories\n\nstory one-A8\n# alone\n" ALONE
				      "\n  story two # a comment\n" ALONE,
		ALONE };

	(void)state;
	assert_int_equal(play_files(texts, NO_ARGUMENTS), 0);
	assert_printed("ok one-A8\nok two\nok test_story_");
	assert_printed("\n3 stories, 0 failed\n");
}

static void only_the_named_stories_are_played(void **state)
{
	const char *const texts[] = { "story one\n" ALONE "story two\n" ALONE,
		"story three\n" WRONG "story four\n" ALONE };

	(void)state;
	assert_int_equal(
		play_files(texts, (const char *const[]){ "--only", "four", "--only=one", NULL }),
		0);
	assert_string_equal(printed, "ok one\nok four\n2 stories, 0 failed\n");
}

static void an_unknown_name_is_wrong_usage(void **state)
{
	const char *const texts[] = { "story one\n" ALONE, "story two\n" ALONE };

	(void)state;
	assert_int_equal(
		play_files(texts, (const char *const[]){ "--only", "one", "--only", "tw", NULL }),
		2);
	assert_printed("--only tw: no given file has a story of this name");
	assert_null(strstr(printed, "ok one"));
}

static void a_failing_story_is_reported_with_its_line_and_its_replay(void **state)
{
	const char *const texts[] = { "story one\n" ALONE "\nstory two\n" WRONG, NULL };
	const char *last;

	(void)state;
	assert_int_equal(play_files(texts, NO_ARGUMENTS), 1);
	assert_printed("ok one\nFAILED two: test_story_");
	assert_printed(":9, seed 1: expect always no leader 1 for 20 beacons: ");
	assert_printed(" story --seed 1 --trace --only two %1\n2 stories, 1 failed\n");
	last = strstr(printed, "  replay: ");
	assert_non_null(last);
	assert_string_equal(strchr(last, '\n'), "\n2 stories, 1 failed\n");
}

/* The path is quoted for a shell; two such files may have the same name. */
static void a_file_without_sections_is_replayed_by_its_path(void **state)
{
	const char *const texts[] = { WRONG, ALONE };
	const char *usual = pattern;

	(void)state;
	pattern = "/tmp/test 'story.XXXXXX";
	assert_int_equal(play_files(texts, NO_ARGUMENTS), 1);
	pattern = usual;
	assert_printed("FAILED test 'story: test 'story.");
	assert_printed(" story --seed 1 --trace '/tmp/test '\\''story.");
	assert_printed("'\nok test 'story\n2 stories, 1 failed\n");
}

static void a_wrong_line_is_reported_with_its_number(void **state)
{
	(void)state;
	assert_int_equal(play_files((const char *const[]){ "story one\n" ALONE
							   "story two\n# a comment\nhosts 0\n",
					    NULL },
				 NO_ARGUMENTS),
		1);
	assert_printed("ok one\nFAILED %1:7: not understood: hosts 0\n");
}

static void a_section_may_have_as_many_lines_as_a_file(void **state)
{
	static char text[4 * 260 * 8] = "story one\nhosts 1\n";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned line = 1; line < 256; line++)
			strcat(text, "run 1s\n");
		strcat(text, i == 0 ? "story two\nhosts 1\n" : "");
	}
	assert_int_equal(play_files((const char *const[]){ text, NULL }, NO_ARGUMENTS), 0);
	strcat(text, "run 1s\n");
	assert_int_equal(play_files((const char *const[]){ text, NULL }, NO_ARGUMENTS), 1);
	assert_printed("ok one\nFAILED %1:515: story two has more than 256 lines\n");
}

static void files_of_wrong_form_are_refused(void **state)
{
	static const struct {
		const char *texts[FILES];
		const char *report;
	} cases[] = {
		{ { "story one\n" ALONE "story one\n" ALONE },
			"FAILED %1:5: story one: the story at %1:1 has this name" },
		{ { "story one\n" ALONE "story two\n" ALONE, "\nstory two\n" ALONE },
			"FAILED %2:2: story two: the story at %1:5 has this name" },
		{ { "# a comment\nhosts 1\n\nstory one\n" ALONE },
			"FAILED %1:2: this line belongs to no story; only comments may stand "
			"before the first line `story NAME`, which is line 4" },
		{ { "story one\n# empty\n\nstory two\n" ALONE },
			"FAILED %1:1: story one is empty" },
		{ { "story one\n" ALONE "story two\n" }, "FAILED %1:5: story two is empty" },
		{ { "# a comment\n" }, "FAILED %1:1: story test_story_" },
		{ { "story\n" ALONE }, "FAILED %1:1: not understood" },
		{ { "story one two\n" ALONE }, "FAILED %1:1: not understood" },
		{ { "story one\n" ALONE "story two_\n" ALONE },
			"FAILED %1:5: not understood; a section begins with `story NAME`, and "
			"NAME is one word of letters, digits and `-`" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(play_files(cases[i].texts, NO_ARGUMENTS), 1);
		assert_printed(cases[i].report);
		assert_null(strstr(printed, "ok "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_story_that_holds_is_ok),
		cmocka_unit_test(wrong_lines_are_refused),
		cmocka_unit_test(a_definition_that_is_too_long_is_refused),
		cmocka_unit_test(an_expectation_that_does_not_hold_fails),
		cmocka_unit_test(the_opposite_holds),
		cmocka_unit_test(totals_are_summed_over_seeds),
		cmocka_unit_test(a_missing_file_fails),
		cmocka_unit_test(each_section_of_a_file_is_a_story),
		cmocka_unit_test(only_the_named_stories_are_played),
		cmocka_unit_test(an_unknown_name_is_wrong_usage),
		cmocka_unit_test(a_failing_story_is_reported_with_its_line_and_its_replay),
		cmocka_unit_test(a_file_without_sections_is_replayed_by_its_path),
		cmocka_unit_test(a_wrong_line_is_reported_with_its_number),
		cmocka_unit_test(a_section_may_have_as_many_lines_as_a_file),
		cmocka_unit_test(files_of_wrong_form_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
