/* SPDX-License-Identifier: Apache-2.0 */
/* Durations, times, folded lists and sentences of electctl's output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "electctl/explain.h"
#include "electctl/text.h"

static void a_duration_has_two_units(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} rows[] = {
		{ -5, "0 ms" }, { 0, "0 ms" }, { 999, "999 ms" }, { 1000, "1.0 s" },
		{ 9999, "9.9 s" }, { 59999, "59 s" }, { 60000, "1 min 0 s" },
		{ 185000, "3 min 5 s" }, { 7860000, "2 h 11 min" }, { 90000000, "1 day 1 h" },
		{ INT64_C(950400000), "11 days 0 h" },
		{ INT64_C(2160000000), "25 days 0 h" },	  /* beyond 2^31 ms */
		{ INT64_C(51840000000), "600 days 0 h" }, /* beyond 2^32 ms, and 2^32 / 100 s */
	};
	char text[TEXT_TIME_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		text_duration(rows[i].ms, text, sizeof text);
		assert_string_equal(text, rows[i].text);
	}
}

static void a_time_is_shown_in_the_local_zone(void **state)
{
	char text[TEXT_TIME_MAX];

	(void)state;
	setenv("TZ", "CET-1", 1);
	tzset();
	text_local_time("2026-11-20T23:42:03.512345Z", true, false, text, sizeof text);
	assert_string_equal(text, "2026-11-21 00:42:03");
	text_local_time("2026-11-20T10:42:03.512Z", false, true, text, sizeof text);
	assert_string_equal(text, "11:42:03.512");
	text_local_time("2026-11-20T10:42:03-02:30", false, true, text, sizeof text);
	assert_string_equal(text, "14:12:03.000");
	text_local_time("yesterday", true, false, text, sizeof text);
	assert_string_equal(text, "yesterday");
	text_local_time("", true, false, text, sizeof text);
	assert_string_equal(text, "");
}

/* Returns the output of text_fill() or text_list(). */
static char *captured(unsigned indent, unsigned lines, const char *const *items, unsigned count)
{
	static char *text; /* static, because gcc 12 otherwise warns */
	static size_t size;
	FILE *out = open_memstream(&text, &size);

	if (lines)
		text_list(out, TEXT_WIDTH, indent, lines, items, count);
	else
		text_fill(out, TEXT_WIDTH, indent, items[0]);
	fclose(out);
	return text;
}

static size_t longest_line(unsigned indent, const char *text)
{
	size_t longest = 0, column = indent;

	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		longest = column > longest ? column : longest;
	}
	return longest;
}

static void a_long_sentence_is_broken_within_80_columns(void **state)
{
	const char *words = "a host of this domain has other timings than this one, and every host "
			    "should have the same, else one of them takes the others for dead";
	char *text = captured(10, 0, &words, 1);

	(void)state;
	assert_true(longest_line(10, text) <= TEXT_WIDTH);
	assert_true(longest_line(10, text) > TEXT_WIDTH - 12);
	assert_non_null(strstr(text, "\n          "));
	free(text);
}

static void a_long_list_is_folded_and_counted(void **state)
{
	char names[1024][16];
	const char *items[1024];
	char *text;

	(void)state;
	for (unsigned i = 0; i < 1024; i++) {
		snprintf(names[i], sizeof names[i], "host%u", i);
		items[i] = names[i];
	}
	text = captured(10, 2, items, 3);
	assert_string_equal(text, "host0, host1, host2");
	free(text);
	for (unsigned count = 1; count <= 1024; count++) {
		unsigned shown = 1, folded = 0;

		text = captured(10, 3, items, count);
		assert_true(longest_line(10, text) <= TEXT_WIDTH);
		for (const char *p = text; *p; p++)
			shown += *p == ',';
		if (strstr(text, " and ")) {
			assert_int_equal(sscanf(strstr(text, " and "), " and %u more", &folded), 1);
			shown--;
		}
		assert_int_equal(shown + folded, count);
		free(text);
	}
}

static void the_reason_is_in_the_words_of_electd(void **state)
{
	json_t *status = json_pack("{s:s, s:s}", "reason", "coordinator-silent", "why",
		"web3, the previous leader, fell silent");

	(void)state;
	assert_string_equal(explain_reason(status), "web3, the previous leader, fell silent");
	json_object_del(status, "why");
	assert_string_equal(explain_reason(status), "coordinator-silent");
	json_object_del(status, "reason");
	assert_string_equal(explain_reason(status), "electd gives no reason");
	json_decref(status);
}

static void a_host_without_a_name_is_shown_by_its_id(void **state)
{
	json_t *host = json_pack("{s:s, s:s}", "name", "web3", "id", "0123456789abcdef");
	char digits[9];

	(void)state;
	assert_string_equal(explain_name(host, digits), "web3");
	json_object_set_new(host, "name", json_string(""));
	assert_string_equal(explain_name(host, digits), "01234567");
	assert_string_equal(explain_name(NULL, digits), "?");
	json_decref(host);
}

static void a_cut_text_ends_with_a_mark(void **state)
{
	char text[16];

	(void)state;
	text_cut("web1", 4, text, sizeof text);
	assert_string_equal(text, "web1");
	text_cut("web1.example", 8, text, sizeof text);
	assert_string_equal(text, "web1.ex~");
}

static void the_width_is_taken_from_columns_first(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	setenv("COLUMNS", "132", 1);
	assert_int_equal(text_width(fds[1]), 132);
	setenv("COLUMNS", "7", 1);
	assert_int_equal(text_width(fds[1]), TEXT_WIDTH_LEAST);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(text_width(fds[1]), TEXT_WIDTH);
	unsetenv("COLUMNS");
	assert_int_equal(text_width(fds[1]), TEXT_WIDTH);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duration_has_two_units),
		cmocka_unit_test(a_time_is_shown_in_the_local_zone),
		cmocka_unit_test(a_long_sentence_is_broken_within_80_columns),
		cmocka_unit_test(a_long_list_is_folded_and_counted),
		cmocka_unit_test(the_reason_is_in_the_words_of_electd),
		cmocka_unit_test(a_host_without_a_name_is_shown_by_its_id),
		cmocka_unit_test(a_cut_text_ends_with_a_mark),
		cmocka_unit_test(the_width_is_taken_from_columns_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
