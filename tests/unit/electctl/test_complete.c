/* SPDX-License-Identifier: Apache-2.0 */
/* The completions that electctl offers to the shells for a partly typed line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "electctl/complete.h"
#include "electctl/options.h"

enum { WORDS_MAX = 8 };

/* The offered lines for a partly typed line, split at blanks; a final blank begins a new word. */
static const char *offered(const char *typed)
{
	static char told[4096];
	char line[128], *words[WORDS_MAX], *rest = line;
	int count = 0;
	FILE *out = fmemopen(told, sizeof told, "w");

	snprintf(line, sizeof line, "%s", typed);
	while (rest)
		words[count++] = strsep(&rest, " ");
	fputc('\n', out);
	complete(count, words, out);
	fclose(out);
	return told;
}

static void assert_offered(const char *typed, const char *lines)
{
	assert_string_equal(offered(typed) + 1, lines);
}

/* Both typed lines get the same offer. offered() has one buffer, so the first offer is copied. */
static void assert_same(const char *typed, const char *other)
{
	char *told = strdup(offered(typed));

	assert_string_equal(told, offered(other));
	free(told);
}

/* Is `word` a line of its own, with or without a description? */
static bool has(const char *told, const char *word)
{
	size_t length = strlen(word);

	for (const char *line = told; (line = strchr(line, '\n'));) {
		line++;
		if (!strncmp(line, word, length) && strchr("\t\n", line[length]))
			return true;
	}
	return false;
}

static void each_verb_is_offered_with_its_description(void **state)
{
	char line[128];

	(void)state;
	for (unsigned n = 0; options_verb(n); n++) {
		snprintf(line, sizeof line, "\n%s\t%s\n", options_verb(n)->name,
			options_verb(n)->help);
		assert_non_null(strstr(offered(""), line));
	}
	assert_same("--json --domain db ", "");
}

/* Every option is offered somewhere, and an option of a verb only behind that verb. */
static void each_option_is_offered_only_where_it_is_allowed(void **state)
{
	char line[128], dashed[64];

	(void)state;
	for (const struct option *o = options_long(); o->name; o++) {
		unsigned verbs = 0, all = 0;

		snprintf(dashed, sizeof dashed, "--%s", o->name);
		for (; options_verb(all); all++) {
			snprintf(line, sizeof line, "%s -", options_verb(all)->name);
			verbs += has(offered(line), dashed);
		}
		if (has(offered("-"), dashed))
			assert_int_equal(verbs, all);
		else
			assert_in_range(verbs, 1, all - 1);
	}
}

static void arguments_of_a_verb_are_offered_in_their_place(void **state)
{
	(void)state;
	assert_offered("hold ", "on\noff\n");
	assert_offered("hold on ", "");
	assert_offered("wait ", "leader\nself\nfollower\nmembers\n");
	assert_offered("wait members ", "");
	assert_offered("hooks ", "list\ntest\n");
	assert_offered("hooks list ", "");
	assert_offered("hooks test ", "leader\nfollower\nnone\nmembers\nstop\n");
	assert_offered("hooks test --run ", "leader\nfollower\nnone\nmembers\nstop\n");
	assert_offered("keys ", "list\nnew\nuse\nremove\nstatus\n");
	assert_offered("keys use ", "");
	assert_offered("keys status --wait ", "accepted\nsent\n");
	assert_offered("priority ", "");
	assert_same("help ", "");
	assert_offered("define ", ":files\n");
	assert_offered("decode --fields ", ":files\n");
}

static void the_value_of_an_option_is_no_argument(void **state)
{
	(void)state;
	assert_offered("metrics --output ", ":files\n");
	assert_offered("metrics --output = ", ":files\n");
	assert_offered("--socket ", ":files\n");
	assert_offered("--timeout ", "");
	assert_offered("watch --count ", "");
	assert_offered("hold --timeout 3 ", "on\noff\n");
}

static void the_command_of_run_is_completed_by_the_shell(void **state)
{
	(void)state;
	assert_offered("run ", ":command 1\n");
	assert_offered("run --kill-after 3 ", ":command 3\n");
	assert_offered("run --kill-after 3 -- ls -", ":command 4\n");
	assert_true(has(offered("run -"), "--kill-after"));
	assert_offered("run --kill-after ", "");
	assert_offered("probe ", "");
	assert_offered("probe pg ", ":command 2\n");
	assert_offered("probe pg --every 3 -- ls -", ":command 5\n");
	assert_offered("probe --fall 2 pg ls -", ":command 4\n");
	assert_true(has(offered("probe pg -"), "--rise"));
}

static void an_unknown_verb_is_completed_like_none(void **state)
{
	(void)state;
	assert_same("nonsense ", "");
	assert_same("- ", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verb_is_offered_with_its_description),
		cmocka_unit_test(each_option_is_offered_only_where_it_is_allowed),
		cmocka_unit_test(arguments_of_a_verb_are_offered_in_their_place),
		cmocka_unit_test(the_value_of_an_option_is_no_argument),
		cmocka_unit_test(the_command_of_run_is_completed_by_the_shell),
		cmocka_unit_test(an_unknown_verb_is_completed_like_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
