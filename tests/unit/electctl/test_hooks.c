/* SPDX-License-Identifier: Apache-2.0 */
/* `electctl hooks list`, with played electd and folders. Real folders: hookd/test_vet.c. */
#include "folders.h"

#define REPORT(script, event, result, status, ok, output)                                          \
	"{\"script\":\"" script "\",\"event\":\"" event "\",\"result\":\"" result                  \
	"\",\"status\":" #status ",\"runtime_ms\":35,\"seq\":7,\"token\":\"687865889\","           \
	"\"output\":\"" output "\",\"at\":\"2026-11-20T10:40:12.123Z\",\"ok\":" #ok "}"
#define HOOKS(hookd, reports) "{\"parameters\":{\"hookd\":" hookd ",\"reports\":[" reports "]}}"

/* Replaces geteuid() of libc with the uid of the caller. */
static uid_t asks;

uid_t geteuid(void)
{
	return asks;
}

static char *const list_words[] = { "list", NULL };

static void list_shows_each_script_and_the_result_of_its_last_run(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words, HOOKS("true", REPORT("10-vip", "leader", "ok", 0, true, "fine")),
		1, .json = false);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out,
		"NAME      STATE    EVENT     RESULT  WHEN                 TOOK\n"
		"10-vip    runs     leader    ok      2026-11-20 10:40:12  35 ms\n"
		"20-mail   refused  -\n"
		"    /folder/20-mail is writable by everybody\n"
		"30-old    masked   -\n");
	assert_non_null(strstr(r.asked, "io.electd.GetHooks"));
	free(r.out);
}

static void a_failed_run_shows_its_last_lines(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words,
		HOOKS("true",
			REPORT("10-vip", "none", "failed", 3, false,
				"a\\nb\\nc\\nno such device\\n")),
		1, .json = false);
	assert_non_null(strstr(r.out, "none      exit 3  "));
	assert_non_null(strstr(r.out, "    | b\n    | c\n    | no such device\n"));
	assert_null(strstr(r.out, "| a"));
	free(r.out);
}

static void a_failure_on_a_role_event_is_shown_until_the_next_role_event(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words,
		HOOKS("true",
			REPORT("10-vip", "leader", "failed", 3, false, "no") "," REPORT(
				"10-vip", "members", "ok", 0, true, "")),
		1, .json = false);
	assert_non_null(strstr(r.out, "10-vip    runs     leader    exit 3"));
	assert_null(strstr(r.out, "gone"));
	free(r.out);
	RUN_HOOKS(s, list_words,
		HOOKS("true",
			REPORT("10-vip", "leader", "ok", 0, true, "") "," REPORT(
				"10-vip", "members", "failed", 3, false, "no")),
		1, .json = false);
	assert_non_null(strstr(s.out, "10-vip    runs     members   exit 3"));
	free(s.out);
}

static void a_refused_script_shows_its_reason_once(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words,
		HOOKS("true",
			REPORT("20-mail", "leader", "refused", 0, false,
				"is writable by everybody")),
		1, .json = false);
	assert_non_null(strstr(r.out, "20-mail   refused  leader    refused"));
	assert_null(strstr(strstr(r.out, "writable") + 1, "writable"));
	free(r.out);
}

static void a_script_that_could_not_be_started_shows_the_error(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words,
		HOOKS("true", REPORT("10-vip", "leader", "unstarted", 2, false, "")), 1,
		.json = false);
	assert_non_null(strstr(r.out, "not started"));
	assert_non_null(strstr(r.out, "    | No such file or directory\n"));
	free(r.out);
}

static void targets_and_missing_scripts_are_listed_below(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words,
		HOOKS("true",
			REPORT("05-gone", "leader", "signalled", 9, false, "") "," REPORT(
				"electd-leader.target", "leader", "timed-out", 0, false,
				"") "," REPORT("phase", "leader", "unrecorded", 28, false,
				"") "," REPORT("hooks.d", "leader", "unstarted", 7, false,
				"/folder")),
		1, .json = false);
	assert_non_null(strstr(r.out, "\n05-gone               gone     leader    signal 9 "));
	assert_non_null(strstr(r.out, "\nelectd-leader.target  unit     leader    timed out"));
	assert_non_null(strstr(r.out, "\nphase                 record   leader    unrecorded"));
	assert_non_null(strstr(r.out, "\nhooks.d               folders  leader    not started"));
	assert_true(strstr(r.out, "05-gone") > strstr(r.out, "30-old"));
	assert_false(too_wide(r.out));
	free(r.out);
}

static void long_names_leave_space_for_the_other_columns(void **state)
{
	(void)state;
	add("a-name-of-sixty-three-characters-is-the-longest-that-is-allowed", "");
	RUN_HOOKS(r, list_words,
		HOOKS("true",
			REPORT("a-name-of-sixty-three-characters-is-the-longest-that-is-allowed",
				"follower", "unrecorded", 0, false, "")),
		1, .json = false);
	assert_false(too_wide(r.out));
	assert_non_null(strstr(r.out, "unrecorded"));
	free(r.out);
}

static void narrow_terminals_get_no_columns_of_times(void **state)
{
	(void)state;
	add("a-name-of-sixty-three-characters-is-the-longest-that-is-allowed", "");
	add("20-mail", "/folder/20-mail is writable by everybody");
	RUN_HOOKS(r, list_words,
		HOOKS("true", REPORT("20-mail", "follower", "refused", 0, false, "")), 1,
		.width = 40);
	assert_string_equal(r.out,
		"NAME          STATE    EVENT     RESULT\n"
		"a-name-of-s~  runs     -\n"
		"20-mail       refused  follower  refused\n"
		"    /folder/20-mail is writable by\n"
		"    everybody\n");
	free(r.out);
}

static void a_user_who_may_not_see_the_output_of_scripts_gets_a_hint(void **state)
{
	static const char hint[] = "Only root and electd-admin can see the output of scripts.\n";
	static const struct {
		uid_t uid;
		bool hinted;
		const char *replies;
	} rows[] = {
		{ 1000, true, HOOKS("true", REPORT("10-vip", "none", "failed", 3, false, "")) },
		{ 1000, true, HOOKS("true", REPORT("10-vip", "none", "cut", 0, false, "")) },
		{ 0, false, HOOKS("true", REPORT("10-vip", "none", "failed", 3, false, "")) },
		{ 1000, false, HOOKS("true", REPORT("10-vip", "none", "failed", 3, false, "a")) },
		{ 1000, false, HOOKS("true", REPORT("10-vip", "none", "ok", 0, true, "")) },
		{ 1000, false, HOOKS("true", REPORT("10-vip", "none", "unstarted", 2, false, "")) },
		{ 1000, false,
			HOOKS("true", REPORT("x.target", "none", "timed-out", 0, false, "")) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run r = { .replies = rows[i].replies,
			.replies_size = strlen(rows[i].replies) + 1,
			.args = list_words };

		nothing_found(NULL);
		add_three();
		asks = rows[i].uid;
		run(&r, hooks_verb, (struct options){ .json = false }, 1);
		assert_int_equal(strstr(r.out, hint) != NULL, rows[i].hinted);
		free(r.out);
	}
	asks = 0;
}

static void list_as_json_has_every_key_and_arrays_are_arrays(void **state)
{
	json_t *all, *hook;

	(void)state;
	add_three();
	RUN_HOOKS(r, list_words, HOOKS("true", REPORT("10-vip", "leader", "ok", 0, true, "fine")),
		1, .json = true);
	all = json_loads(r.out, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(all, "schema")), 1);
	assert_true(json_is_true(json_object_get(all, "hookd")));
	assert_int_equal(json_array_size(json_object_get(all, "hooks")), 3);
	for (size_t i = 0; i < 3; i++) {
		hook = json_array_get(json_object_get(all, "hooks"), i);
		assert_int_equal(json_object_size(hook), 5);
		assert_int_equal(json_is_object(json_object_get(hook, "last")), i == 0);
		assert_int_equal(json_is_string(json_object_get(hook, "reason")), i == 1);
		assert_null(json_object_get(json_object_get(hook, "last"), "script"));
	}
	json_decref(all);
	free(r.out);
}

static void an_empty_list_is_an_array_and_no_table(void **state)
{
	(void)state;
	RUN_HOOKS(json, list_words, HOOKS("true", ""), 1, .json = true);
	RUN_HOOKS(people, list_words, HOOKS("true", ""), 1, .json = false);
	assert_non_null(strstr(json.out, "\"hooks\": []"));
	assert_string_equal(people.out, "");
	assert_int_equal(people.code, ELECTCTL_OK);
	free(json.out);
	free(people.out);
}

static void list_plain_is_separated_by_tabs(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, list_words, HOOKS("true", REPORT("10-vip", "leader", "ok", 0, true, "fine")),
		1, .plain = true);
	assert_string_equal(r.out,
		"10-vip\truns\tleader\tok\t0\t35\t2026-11-20T10:40:12.123Z\t687865889\t"
		"/folder/10-vip\t-\n"
		"20-mail\trefused\t-\t-\t-\t-\t-\t-\t/folder/20-mail\t"
		"/folder/20-mail is writable by everybody\n"
		"30-old\tmasked\t-\t-\t-\t-\t-\t-\t/folder/30-old\t-\n");
	free(r.out);
}

static void list_shows_the_folders_without_electd(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(people, list_words, "", 0, .json = false);
	RUN_HOOKS(json, list_words, "", 0, .json = true);
	assert_int_equal(people.code, ELECTCTL_NOT_RUNNING);
	assert_non_null(strstr(people.out, "20-mail   refused"));
	assert_int_equal(json.code, ELECTCTL_NOT_RUNNING);
	assert_non_null(strstr(json.out, "\"hookd\": null"));
	free(people.out);
	free(json.out);
}

static void folders_that_cannot_be_read_are_an_error(void **state)
{
	(void)state;
	found_rc = -EACCES;
	RUN_HOOKS(denied, list_words, "", 0, .json = false);
	found_rc = -E2BIG;
	RUN_HOOKS(many, list_words, "", 0, .json = false);
	assert_int_equal(denied.code, ELECTCTL_NOT_ALLOWED);
	assert_int_equal(many.code, ELECTCTL_FALSE);
	assert_string_equal(many.out, "");
	free(denied.out);
	free(many.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_shows_each_script_and_the_result_of_its_last_run),
		TEST(a_failed_run_shows_its_last_lines),
		TEST(a_failure_on_a_role_event_is_shown_until_the_next_role_event),
		TEST(a_refused_script_shows_its_reason_once),
		TEST(a_script_that_could_not_be_started_shows_the_error),
		TEST(targets_and_missing_scripts_are_listed_below),
		TEST(long_names_leave_space_for_the_other_columns),
		TEST(narrow_terminals_get_no_columns_of_times),
		TEST(a_user_who_may_not_see_the_output_of_scripts_gets_a_hint),
		TEST(list_as_json_has_every_key_and_arrays_are_arrays),
		TEST(an_empty_list_is_an_array_and_no_table),
		TEST(list_plain_is_separated_by_tabs),
		TEST(list_shows_the_folders_without_electd),
		TEST(folders_that_cannot_be_read_are_an_error),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
