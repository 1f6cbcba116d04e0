/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options: where values go, which lines are refused, and the usage text. */
#include "program/options.h"

#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARGS_MAX = 8 };

static struct given {
	const char *folder, *last;
	int wish;
	unsigned count;
} given;
static const char *extra;

static int take_more(void *arguments, const char *value)
{
	struct given *g = arguments;

	g->last = value;
	g->count++;
	return *value == '/' ? 0 : -EINVAL;
}

static const struct option_row rows[] = {
	{ "folder", "DIR", "where it is;\nelse nowhere", 'f',
		.at = offsetof(struct given, folder) },
	{ "more", "DIR", "again and again", .take = take_more },
	{ "check", NULL, "only look", .at = offsetof(struct given, wish), .becomes = 1 },
	{ "help", NULL, "print this", 'h', .at = offsetof(struct given, wish), .becomes = 2 },
	{ 0 },
};

static int read_line(const char *line)
{
	static char words[256];
	char *args[ARGS_MAX + 2] = { "program" };
	int count = 1;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		args[count++] = word;
	given = (struct given){ .folder = "default" };
	opterr = 0;
	optind = 0; /* glibc: starts again */
	return options_read(rows, count, args, &given, &extra);
}

static void an_absent_option_leaves_its_default(void **state)
{
	(void)state;
	assert_int_equal(read_line(""), 0);
	assert_string_equal(given.folder, "default");
	assert_int_equal(given.wish, 0);
}

static void a_value_is_kept_by_its_name_and_by_its_letter(void **state)
{
	static const char *const lines[] = { "--folder /a", "--folder=/a", "-f /a", "-f/a",
		"--fol /a", "--folder /b -f /a" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(read_line(lines[i]), 0);
		assert_string_equal(given.folder, "/a");
		assert_null(extra);
	}
}

static void the_last_of_exclusive_options_wins(void **state)
{
	(void)state;
	assert_int_equal(read_line("--check"), 0);
	assert_int_equal(given.wish, 1);
	assert_int_equal(read_line("--check -h"), 0);
	assert_int_equal(given.wish, 2);
	assert_int_equal(read_line("--help --check"), 0);
	assert_int_equal(given.wish, 1);
}

static void a_function_that_takes_a_value_may_refuse_it(void **state)
{
	(void)state;
	assert_int_equal(read_line("--more /a --more /b"), 0);
	assert_int_equal(given.count, 2);
	assert_string_equal(given.last, "/b");
	assert_int_equal(read_line("--more a --more /b"), -EINVAL);
	assert_int_equal(given.count, 1);
	assert_null(extra);
}

static void an_unknown_option_is_refused(void **state)
{
	static const char *const lines[] = { "--nonsense", "-x", "--folder", "-f", "--check=1",
		"-m /a" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(read_line(lines[i]), -EINVAL);
		assert_null(extra);
	}
}

static void an_argument_is_named(void **state)
{
	(void)state;
	assert_int_equal(read_line("--check one two"), -EINVAL);
	assert_string_equal(extra, "one");
	assert_int_equal(read_line("-- --check"), -EINVAL);
	assert_string_equal(extra, "--check");
	assert_int_equal(given.wish, 0);
}

static void the_usage_text_is_aligned_to_the_longest_option(void **state)
{
	static const char wanted[] = "Usage\n"
				     "  -f, --folder DIR  where it is;\n"
				     "                    else nowhere\n"
				     "      --more DIR    again and again\n"
				     "      --check       only look\n"
				     "  -h, --help        print this\n";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	options_usage(rows, "Usage\n", out);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absent_option_leaves_its_default),
		cmocka_unit_test(a_value_is_kept_by_its_name_and_by_its_letter),
		cmocka_unit_test(the_last_of_exclusive_options_wins),
		cmocka_unit_test(a_function_that_takes_a_value_may_refuse_it),
		cmocka_unit_test(an_unknown_option_is_refused),
		cmocka_unit_test(an_argument_is_named),
		cmocka_unit_test(the_usage_text_is_aligned_to_the_longest_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
