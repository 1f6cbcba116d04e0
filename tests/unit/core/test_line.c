/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c: text that is composed in a buffer that may be too small.
 */
#include "core/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void pieces_follow_each_other(void **state)
{
	char bytes[32] = "before";
	struct line line = line_begin(bytes, sizeof(bytes));

	(void)state;
	assert_string_equal(bytes, "");
	line_add(&line, "%s %d", "one", 1);
	line_add(&line, "%s", "");
	line_add(&line, ", two");
	assert_string_equal(bytes, "one 1, two");
	assert_int_equal(line.left, sizeof(bytes) - 10);
}

static void text_that_does_not_fit_is_cut(void **state)
{
	char bytes[8] = "xxxxxxx";
	struct line line = line_begin(bytes, 6);

	(void)state;
	line_add(&line, "abc");
	line_add(&line, "defg");
	assert_string_equal(bytes, "abcde");
	line_add(&line, "h");
	assert_string_equal(bytes, "abcde");
	assert_memory_equal(bytes + 5, "\0x", 2);
	assert_int_equal(line.left, 1);
}

static void text_that_fits_exactly_is_not_cut(void **state)
{
	char bytes[4];
	struct line line = line_begin(bytes, sizeof(bytes));

	(void)state;
	line_add(&line, "abc");
	assert_string_equal(bytes, "abc");
}

static void an_empty_buffer_takes_nothing(void **state)
{
	char byte = 'x';
	struct line line = line_begin(&byte, 0);

	(void)state;
	line_add(&line, "abc");
	assert_int_equal(byte, 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_follow_each_other),
		cmocka_unit_test(text_that_does_not_fit_is_cut),
		cmocka_unit_test(text_that_fits_exactly_is_not_cut),
		cmocka_unit_test(an_empty_buffer_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
