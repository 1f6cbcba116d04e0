/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of electctl (options, their places, refused lines) and its help. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "electctl/help.h"
#include "electctl/options.h"
#include "electctl/text.h"

enum { WORDS_MAX = 16, HELP_SIZE = 8192 };

/* Splits `words` at blanks and parses them; ret_said gets the error text. */
static int parse(const char *words, struct command_line *ret_line, char ret_said[256])
{
	static char buffer[256];
	static char *argv[WORDS_MAX];
	char *rest = buffer, said[256] = "";
	int argc = 0, rc;
	FILE *err = fmemopen(said, sizeof said, "w");

	snprintf(buffer, sizeof buffer, "electctl %s", words);
	while (argc < WORDS_MAX - 1 && (argv[argc] = strtok_r(rest, " ", &rest)))
		argc++;
	argv[argc] = NULL;
	rc = options_parse(argc, argv, err, ret_line);
	fclose(err);
	if (ret_said)
		memcpy(ret_said, said, sizeof said);
	return rc;
}

static void the_default_verb_is_status(void **state)
{
	struct command_line line;

	(void)state;
	assert_int_equal(parse("", &line, NULL), 0);
	assert_ptr_equal(line.verb->run, status_verb);
	assert_int_equal(line.options.timeout_ms, -1);
	assert_null(line.options.socket);
}

static void global_options_are_allowed_before_and_after_the_verb(void **state)
{
	static const char *const lines[] = {
		"--json --domain db -q --timeout 1.5 members",
		"members --json --domain db -q --timeout 1.5",
		"--json -q members --timeout=1.5 --domain=db",
	};
	struct command_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(parse(lines[i], &line, NULL), 0);
		assert_ptr_equal(line.verb->run, members_verb);
		assert_true(line.options.json && line.options.quiet);
		assert_string_equal(line.options.domain, "db");
		assert_int_equal(line.options.timeout_ms, 1500);
	}
}

static void verbs_have_options_of_their_own(void **state)
{
	struct command_line line;

	(void)state;
	assert_int_equal(parse("watch --count 3", &line, NULL), 0);
	assert_int_equal(line.options.count, 3);
	assert_int_equal(parse("resign --for 60", &line, NULL), 0);
	assert_int_equal(line.options.for_seconds, 60);
	assert_null(line.options.to);
	assert_int_equal(parse("resign --to web2 --for 5", &line, NULL), 0);
	assert_string_equal(line.options.to, "web2");
	assert_int_equal(parse("check", &line, NULL), 0);
	assert_int_equal(line.options.members, -1);
	assert_int_equal(parse("check --members 3", &line, NULL), 0);
	assert_int_equal(line.options.members, 3);
	assert_int_equal(line.options.kill_after_ms, KILL_AFTER_MS);
	assert_int_equal(parse("history --journal --count 9", &line, NULL), 0);
	assert_true(line.options.journal);
	assert_int_equal(line.options.count, 9);
	assert_int_equal(parse("metrics --output /tmp/m", &line, NULL), 0);
	assert_string_equal(line.options.output, "/tmp/m");
	assert_int_equal(parse("wait members 3", &line, NULL), 0);
	assert_string_equal(line.args[1], "3");
	assert_int_equal(parse("priority", &line, NULL), 0);
	assert_null(line.args[0]);
	assert_int_equal(parse("decode --fields", &line, NULL), 0);
	assert_true(line.options.fields);
	assert_int_equal(parse("decode -", &line, NULL), 0);
	assert_string_equal(line.args[0], "-");
	assert_null(line.args[1]);
	assert_int_equal(parse("hooks list", &line, NULL), 0);
	assert_false(line.options.run);
	assert_int_equal(parse("hooks test leader --run", &line, NULL), 0);
	assert_string_equal(line.args[1], "leader");
	assert_true(line.options.run);
	assert_int_equal(parse("well --stale 90000 backup", &line, NULL), 0);
	assert_int_equal(line.options.stale_ms, 90000000);
	assert_int_equal(parse("reload --config /etc/electd/web.conf", &line, NULL), 0);
	assert_string_equal(line.options.config, "/etc/electd/web.conf");
	assert_int_equal(parse("keys use 2 --config=/a", &line, NULL), 0);
	assert_string_equal(line.options.config, "/a");
}

static void words_behind_a_command_belong_to_it(void **state)
{
	struct command_line line;

	(void)state;
	assert_int_equal(parse("run --kill-after 0.5 backup --json --count x", &line, NULL), 0);
	assert_ptr_equal(line.verb->run, run_verb);
	assert_int_equal(line.options.kill_after_ms, 500);
	assert_false(line.options.json);
	assert_string_equal(line.args[0], "backup");
	assert_string_equal(line.args[1], "--json");
	assert_string_equal(line.args[3], "x");
	assert_int_equal(parse("-q run -- -q --plain", &line, NULL), 0);
	assert_string_equal(line.args[0], "-q");
	assert_string_equal(line.args[1], "--plain");
	assert_null(line.args[2]);
}

/* Options may also follow the name, but those behind the command belong to the command. */
static void a_probe_takes_options_around_its_name(void **state)
{
	static const char *const lines[] = {
		"probe --every 0.2 --fall 2 pg --leader -- ls --every -q",
		"probe pg --every 0.2 --fall 2 --leader ls --every -q",
		"--timeout 3 probe --leader --every=0.2 --fall=2 -- pg ls --every -q",
	};
	struct command_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(parse(lines[i], &line, NULL), 0);
		assert_ptr_equal(line.verb->run, probe_verb);
		assert_int_equal(line.options.every_ms, 200);
		assert_int_equal(line.options.fall, 2);
		assert_int_equal(line.options.rise, -1);
		assert_true(line.options.leader);
		assert_false(line.options.quiet);
		assert_string_equal(line.args[0], "pg");
		assert_string_equal(line.args[1], "ls");
		assert_string_equal(line.args[2], "--every");
		assert_string_equal(line.args[3], "-q");
		assert_null(line.args[4]);
	}
}

static void the_error_of_a_value_names_the_allowed_values(void **state)
{
	static const struct {
		const char *line, *said;
	} rows[] = {
		{ "--timeout x",
			"\"x\" is not allowed for --timeout; allowed: a number of seconds "
			"up to 86400" },
		{ "check --members 1025", "--members; allowed: a number up to 1024" },
		{ "--domain a/b", "--domain; allowed: letters, digits, '.', '_', '-', at most 63" },
		{ "metrics --output=", "\"\" is not allowed for --output; allowed: a path" },
	};
	struct command_line line;
	char said[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(parse(rows[i].line, &line, said), -EINVAL);
		assert_non_null(strstr(said, rows[i].said));
	}
}

static void an_unknown_word_is_refused_with_an_error(void **state)
{
	static const char *const lines[] = {
		"frobnicate",
		"histori",
		"history --journal x",
		"status --journal",
		"metrics --output",
		"metrics --output=",
		"run",
		"run --kill-after x true",
		"run --for 3 true",
		"wait",
		"wait members 3 4",
		"hold",
		"hold on off",
		"priority 1 2",
		"define",
		"reload now",
		"why not",
		"check --count 3",
		"check --members",
		"check --members x",
		"check --members 1025",
		"status --members 3",
		"resign --to",
		"resign --to=",
		"resign --to ../x",
		"resign web2",
		"hold --to web2 on",
		"--frob",
		"status --frob",
		"status now",
		"status --count 3",
		"--for 3 members",
		"watch --count",
		"watch --count x",
		"watch --count -1",
		"watch --count 1.5",
		"resign --for 86401",
		"--timeout -3",
		"--timeout 3s",
		"--domain a/b",
		"--domain ..%",
		"--json --plain",
		"decode",
		"decode a b",
		"hooks",
		"hooks test leader now",
		"status --run",
		"keys",
		"keys use 1 2",
		"keys status --wait",
		"check --force",
		"reload --wait sent",
		"probe",
		"probe pg",
		"probe pg --",
		"probe pg --every",
		"probe pg --fall 1001 true",
		"probe --stale 3 pg true",
		"well --stale 1209601 pg",
		"sick",
		"sick --every 3 pg",
		"well",
		"forget",
		"health pg",
		"config",
		"help hold on",
	};
	struct command_line line;
	char said[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (!parse(lines[i], &line, said))
			fail_msg("taken: %s", lines[i]);
		assert_true(strlen(said) >= 20);
	}
}

static void help_needs_no_other_arguments(void **state)
{
	struct command_line line;

	(void)state;
	assert_int_equal(parse("decode --help", &line, NULL), 0);
	assert_true(line.help);
	assert_ptr_equal(line.verb->run, decode_verb);
	assert_int_equal(parse("--help", &line, NULL), 0);
	assert_true(line.help);
	assert_null(line.verb);
	assert_int_equal(parse("--version", &line, NULL), 0);
	assert_true(line.version);
}

static void help_of(const struct verb *v, char ret_text[HELP_SIZE])
{
	FILE *out = fmemopen(ret_text, HELP_SIZE, "w");

	help_print(v, out);
	assert_int_equal(fclose(out), 0);
}

/* Counts the lines, each of which must fit into 80 columns. */
static unsigned assert_narrow(const char *text)
{
	unsigned lines = 0;

	for (; *text; text += strcspn(text, "\n") + 1, lines++)
		if (strcspn(text, "\n") > TEXT_WIDTH)
			fail_msg("wider than a terminal: %.*s", (int)strcspn(text, "\n"), text);
	return lines;
}

/* The number of lines in groups about a verb. A line with ':' at its end begins a group. */
static unsigned in_groups(const char *text, const char *name)
{
	size_t length;
	bool group = false;
	unsigned found = 0;

	for (; strncmp(text, "\nOptions", 8) != 0; text += length + 1) {
		length = strcspn(text, "\n");
		if (*text != ' ')
			group = length && text[length - 1] == ':';
		else if (group && strcspn(text + 2, " ") == strlen(name))
			found += !strncmp(text + 2, name, strlen(name));
	}
	return found;
}

static void help_has_every_verb_once_in_a_group(void **state)
{
	char text[HELP_SIZE];

	(void)state;
	help_of(NULL, text);
	assert_in_range(assert_narrow(text), 30, 66);
	for (unsigned i = 0; options_verb(i); i++)
		if (in_groups(text, options_verb(i)->name) != 1)
			fail_msg("not once in a group: %s", options_verb(i)->name);
}

static void help_has_three_valid_examples(void **state)
{
	char text[HELP_SIZE], said[256], *typed;
	struct command_line line;
	unsigned examples = 0;

	(void)state;
	help_of(NULL, text);
	typed = strstr(text, "\nExamples:\n");
	assert_non_null(typed);
	strstr(typed, "\nManual")[0] = '\0';
	while ((typed = strstr(typed, "electctl "))) {
		char *end = typed + strcspn(typed, "&\n");

		if (strstr(typed, "   ") < end)
			end = strstr(typed, "   ");
		*end = '\0';
		if (parse(typed + strlen("electctl "), &line, said))
			fail_msg("%s: %s", typed, said);
		examples++;
		typed = end + 1;
	}
	assert_int_equal(examples, 3);
}

static void help_of_a_verb_is_its_usage_and_the_manual_page(void **state)
{
	char begin[64], text[HELP_SIZE];

	(void)state;
	for (unsigned i = 0; options_verb(i); i++) {
		snprintf(begin, sizeof begin, "Usage: electctl %s", options_verb(i)->name);
		help_of(options_verb(i), text);
		assert_narrow(text);
		assert_ptr_equal(strstr(text, begin), text);
		assert_non_null(strstr(text, options_verb(i)->help));
		assert_non_null(strstr(text, "electctl(1)"));
	}
	help_of(options_verb_find("keys"), text);
	assert_non_null(strstr(text, "\n       electctl keys new [N]\n"));
}

/* Runs a typed line with the verb help; ret_text gets the output. */
static enum electctl_exit help_typed(const char *words, char ret_text[HELP_SIZE])
{
	struct command_line line;
	enum electctl_exit code;

	assert_int_equal(parse(words, &line, NULL), 0);
	assert_ptr_equal(line.verb->run, help_verb);
	line.options.out = fmemopen(ret_text, HELP_SIZE, "w");
	code = line.verb->run(&line.options, line.args);
	assert_int_equal(fclose(line.options.out), 0);
	return code;
}

static void help_is_also_a_verb(void **state)
{
	char wanted[HELP_SIZE], text[HELP_SIZE];

	(void)state;
	help_of(NULL, wanted);
	assert_int_equal(help_typed("help", text), ELECTCTL_OK);
	assert_string_equal(text, wanted);
	help_of(options_verb_find("hold"), wanted);
	assert_int_equal(help_typed("help hold", text), ELECTCTL_OK);
	assert_string_equal(text, wanted);
	*text = '\0';
	assert_int_equal(help_typed("help config", text), ELECTCTL_USAGE);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_verb_is_status),
		cmocka_unit_test(global_options_are_allowed_before_and_after_the_verb),
		cmocka_unit_test(verbs_have_options_of_their_own),
		cmocka_unit_test(words_behind_a_command_belong_to_it),
		cmocka_unit_test(a_probe_takes_options_around_its_name),
		cmocka_unit_test(the_error_of_a_value_names_the_allowed_values),
		cmocka_unit_test(an_unknown_word_is_refused_with_an_error),
		cmocka_unit_test(help_needs_no_other_arguments),
		cmocka_unit_test(help_has_every_verb_once_in_a_group),
		cmocka_unit_test(help_has_three_valid_examples),
		cmocka_unit_test(help_of_a_verb_is_its_usage_and_the_manual_page),
		cmocka_unit_test(help_is_also_a_verb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
