/* SPDX-License-Identifier: Apache-2.0 */
/* How electctl's output looks: durations, times, folded lists, sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../tools/electctl/explain.h"
#include "../../tools/electctl/text.h"
#include "elect.h"

static void a_duration_is_said_in_two_units(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} rows[] = {
		{ -5, "0 ms" },
		{ 0, "0 ms" },
		{ 999, "999 ms" },
		{ 1000, "1.0 s" },
		{ 9999, "9.9 s" },
		{ 59999, "59 s" },
		{ 60000, "1 min 0 s" },
		{ 185000, "3 min 5 s" },
		{ 7860000, "2 h 11 min" },
		{ 90000000, "1 day 1 h" },
		{ INT64_C(950400000), "11 days 0 h" },
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

/* The text that text_fill or text_list wrote. */
static char *captured(unsigned indent, unsigned lines, const char *const *items, unsigned count)
{
	static char *text; /* static: gcc 12 takes it for what is returned, and warns */
	static size_t size;
	FILE *out = open_memstream(&text, &size);

	if (lines)
		text_list(out, indent, lines, items, count);
	else
		text_fill(out, indent, items[0]);
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

static void every_reason_of_the_core_has_a_sentence(void **state)
{
	char text[EXPLAIN_MAX];

	(void)state;
	for (int r = 0; r < ELECT_REASONS; r++) {
		const char *reason = elect_reason_name((enum elect_reason)r);
		json_t *status = json_pack("{s:s}", "reason", reason);

		explain_reason(status, status, text, sizeof text);
		assert_string_not_equal(text, reason);
		assert_null(strchr(text, '$'));
		json_decref(status);
	}
}

static void the_cause_is_named(void **state)
{
	json_t *status = json_pack("{s:s, s:{s:s, s:s}}", "reason", "coordinator-silent", "cause",
		"id", "00112233445566778899aabbccddeeff", "name", "web3");
	char text[EXPLAIN_MAX];

	(void)state;
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "web3, the coordinator before, fell silent");
	json_object_set_new(
		status, "node", json_pack("{s:s}", "id", "00112233445566778899aabbccddeeff"));
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "this host, the coordinator before, fell silent");
	json_object_del(status, "node");
	json_object_set_new(json_object_get(status, "cause"), "name", json_string(""));
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "00112233, the coordinator before, fell silent");
	json_object_set_new(status, "cause", json_null());
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "a host, the coordinator before, fell silent");
	json_object_set_new(status, "reason", json_string("of-next-year"));
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "of-next-year");
	json_decref(status);
}

static void joining_is_told_apart_from_being_joined(void **state)
{
	json_t *status = json_pack("{s:s, s:{s:s, s:s}, s:{s:s}, s:{s:s}}", "reason", "joined",
		"cause", "id", "aa", "name", "web3", "group", "coordinator", "bb", "node", "id",
		"cc");
	char text[EXPLAIN_MAX];

	(void)state;
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "web3 joined the group");
	json_object_set_new(json_object_get(status, "cause"), "id", json_string("bb"));
	explain_reason(status, status, text, sizeof text);
	assert_string_equal(text, "this host joined the group of web3");
	json_decref(status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duration_is_said_in_two_units),
		cmocka_unit_test(a_time_is_shown_in_the_local_zone),
		cmocka_unit_test(a_long_sentence_is_broken_within_80_columns),
		cmocka_unit_test(a_long_list_is_folded_and_counted),
		cmocka_unit_test(every_reason_of_the_core_has_a_sentence),
		cmocka_unit_test(the_cause_is_named),
		cmocka_unit_test(joining_is_told_apart_from_being_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
