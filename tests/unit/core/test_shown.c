/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.c: which characters of a text may be shown.
 */
#include "core/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Visible characters: plain, accented, wide, and the first and last of each size. */
static void visible_characters_are_shown(void **state)
{
	static const char *const seen[] = { " ", "~", "\xc2\xa0", "\xc3\xa4", "\xdf\xbf",
		"\xe0\xa0\x80", "\xe2\x82\xac", "\xe6\x97\xa5", "\xf0\x90\x80\x80",
		"\xf0\x9f\x98\x80" };

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		assert_int_equal(shown_size(seen[i], strlen(seen[i])), strlen(seen[i]));
}

static void control_characters_are_not_shown(void **state)
{
	static const char *const acting[] = { "\x1b", "\n", "\t", "\r", "\x7f", "\xc2\x80",
		"\xc2\x9b", "\xc2\x9f", "\xc2\xad", "\xd8\x9c", "\xe1\xa0\x8e", "\xe2\x80\x8b",
		"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
		"\xe2\x80\xae", "\xe2\x81\xa0", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf",
		"\xef\xbf\xb9", "\xef\xbf\xbf", "\xf0\x9d\x85\xb3", "\xf3\xa0\x80\x81",
		"\xf3\xa0\x81\xbf" };

	(void)state;
	assert_int_equal(shown_size("", 1), 0);
	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++)
		assert_int_equal(shown_size(acting[i], strlen(acting[i])), 0);
}

static void invalid_bytes_are_not_shown(void **state)
{
	static const char *const broken[] = { "\x80", "\xc3", "\xc3(", "\xc0\x9b", "\xe0\x80\x9b",
		"\xf0\x80\x80\x9b", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
		"\xf8\x88\x80\x80\x80" };

	(void)state;
	assert_int_equal(shown_size("a", 0), 0);
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		assert_int_equal(shown_size(broken[i], strlen(broken[i])), 0);
	assert_int_equal(shown_size("\xe2\x82\xac", 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visible_characters_are_shown),
		cmocka_unit_test(control_characters_are_not_shown),
		cmocka_unit_test(invalid_bytes_are_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
