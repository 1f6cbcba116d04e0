/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an output that is kept, without control characters and invalid UTF-8. */
#include "run.h"

#include "hookd/script/inside.h"

static struct command_output output;
static char text[COMMAND_OUTPUT_MAX + 1];

static bool said(const char *bytes, size_t size)
{
	output = (struct command_output){ 0 };
	command_output_take(&output, bytes, size);
	return command_output_text(&output, text);
}

#define SAID(bytes) said(bytes, sizeof(bytes) - 1)

static void text_is_kept_unchanged(void **state)
{
	static const char words[] = "first line\n  second: ~!@#$%^&*()\n\n"
				    "\xc3\xa4\xc3\xb6 \xe2\x82\xac \xf0\x9f\x90\xa7 end";

	(void)state;
	assert_false(SAID(words));
	assert_string_equal(text, words);
	assert_false(SAID(""));
	assert_string_equal(text, "");
}

static void line_ends_are_normalised(void **state)
{
	(void)state;
	SAID("a\r\nb\rc\td\n\n \n");
	assert_string_equal(text, "a\nb\nc d");
	SAID("\n\n");
	assert_string_equal(text, "");
	SAID("x\r");
	assert_string_equal(text, "x");
}

static void a_control_character_becomes_a_question_mark(void **state)
{
	(void)state;
	SAID("a\033[2Jb\a\b\v\f\x7f");
	assert_string_equal(text, "a?[2Jb?????");
	SAID("nul\0l");
	assert_string_equal(text, "nul?l");
	/* Two-byte controls, and bidirectional characters. */
	SAID("\xc2\x9b"
	     "31m \xe2\x80\xae \xe2\x81\xa6 \xef\xbb\xbf|");
	assert_string_equal(text, "??31m ??? ??? ???|");
}

static void invalid_utf_8_becomes_question_marks(void **state)
{
	static const struct {
		const char *bytes, *expected;
	} cases[] = {
		{ "\xe4|", "?|" },		  /* Latin-1 */
		{ "\x80\xbf|", "??|" },		  /* continuation bytes alone */
		{ "\xc0\xaf|", "??|" },		  /* an overlong form */
		{ "\xe0\x80\xaf|", "???|" },	  /* overlong */
		{ "\xf0\x80\x80\xaf|", "????|" }, /* overlong */
		{ "\xed\xa0\x80|", "???|" },	  /* a surrogate */
		{ "\xf4\x90\x80\x80|", "????|" }, /* beyond the last code point */
		{ "\xf9\x80\x80\x80|", "????|" },
		{ "\xff\xfe|", "??|" },
		{ "\xe2\x82", "??" }, /* incomplete */
		{ "\xe2\x82x", "??x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		SAID("\xe2\x82\xac"); /* no byte of this may appear in the next text */
		said(cases[i].bytes, strlen(cases[i].bytes));
		assert_string_equal(text, cases[i].expected);
	}
}

static void the_last_bytes_are_kept(void **state)
{
	char bytes[3 * COMMAND_OUTPUT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('a' + i % 26);
	for (size_t size = COMMAND_OUTPUT_MAX - 2; size <= sizeof(bytes); size += 509) {
		size_t kept = size < COMMAND_OUTPUT_MAX ? size : COMMAND_OUTPUT_MAX;

		assert_int_equal(said(bytes, size), size > COMMAND_OUTPUT_MAX);
		assert_int_equal(strlen(text), kept);
		assert_memory_equal(text, bytes + size - kept, kept);
	}
	assert_false(said(bytes, COMMAND_OUTPUT_MAX));
	assert_true(said(bytes, COMMAND_OUTPUT_MAX + 1));
}

/* Pieces of any size give the same text. */
static void the_text_does_not_depend_on_the_pieces(void **state)
{
	char bytes[5000], once[COMMAND_OUTPUT_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(' ' + i * 7 % 90);
	assert_true(said(bytes, sizeof(bytes)));
	strcpy(once, text);
	for (size_t piece = 1; piece < sizeof(bytes); piece += piece < 40 ? 1 : 97) {
		output = (struct command_output){ 0 };
		for (size_t at = 0; at < sizeof(bytes); at += piece)
			command_output_take(&output, bytes + at,
				sizeof(bytes) - at < piece ? sizeof(bytes) - at : piece);
		assert_true(command_output_text(&output, text));
		assert_string_equal(text, once);
	}
}

static void a_character_cut_at_the_beginning_is_left_out(void **state)
{
	char bytes[COMMAND_OUTPUT_MAX + 4] = "\xf0\x9f\x90\xa7";

	(void)state;
	memset(bytes + 4, 'x', COMMAND_OUTPUT_MAX);
	for (size_t cut = 1; cut <= 3; cut++) {
		assert_true(said(bytes, COMMAND_OUTPUT_MAX + cut));
		assert_int_equal(strlen(text), COMMAND_OUTPUT_MAX - (4 - cut));
		assert_int_equal(text[0], 'x');
	}
	/* Without a cut, the bytes are the script's own. */
	SAID("\x9f\x90\xa7|");
	assert_string_equal(text, "???|");
}

static void stdout_and_stderr_are_read_in_order(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "echo one; echo two >&2; printf '\\033[1mthree\\000\\377\\n\\n'");
	wait_ended(&run);
	assert_exited(&run, 0, "one\ntwo\n?[1mthree??");
	assert_false(run.result.output_cut);
}

/* More than a pipe holds; the script ends before it is read. */
static void the_rest_of_the_pipe_is_read_at_the_end(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "head -c 65530 /dev/zero | tr '\\000' x; echo end");
	wait_ended(&run);
	assert_int_equal(run.result.end, COMMAND_EXITED);
	assert_true(run.result.output_cut);
	assert_string_equal(run.result.output + strlen(run.result.output) - 4, "xend");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_kept_unchanged),
		cmocka_unit_test(line_ends_are_normalised),
		cmocka_unit_test(a_control_character_becomes_a_question_mark),
		cmocka_unit_test(invalid_utf_8_becomes_question_marks),
		cmocka_unit_test(the_last_bytes_are_kept),
		cmocka_unit_test(the_text_does_not_depend_on_the_pieces),
		cmocka_unit_test(a_character_cut_at_the_beginning_is_left_out),
		IN_LOOP(stdout_and_stderr_are_read_in_order),
		IN_LOOP(the_rest_of_the_pipe_is_read_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
