/* SPDX-License-Identifier: Apache-2.0 */
/* `electctl hooks test`, with played electd and folders: the scripts and their environment. */
#include "folders.h"

static char *const leader_words[] = { "test", "leader", NULL };

/* The code of hookd parses these values, so every one of them must be valid. */
#define NODE_A "{\"id\":\"" HOST_A "\",\"name\":\"web1\"}"
#define MEMBER_A                                                                                   \
	"{\"id\":\"" HOST_A "\",\"name\":\"web1\",\"address\":\"192.0.2.1\",\"rank\":0,"           \
	"\"priority\":100,\"state\":\"alive\",\"last_heard_ms\":null}"
#define LEADS_ALONE                                                                                \
	"{\"schema\":1,\"domain\":\"db\",\"role\":\"leader\",\"state\":\"normal\","                \
	"\"node\":" NODE_A ",\"leader\":{\"id\":\"" HOST_A                                         \
	"\",\"name\":\"web1\",\"address\":\"192.0.2.1\","                                          \
	"\"self\":true},\"group\":{\"coordinator\":\"" HOST_A "\",\"counter\":\"41\","             \
	"\"id\":\"web1.41\"},\"token\":\"687865889\",\"members\":[" MEMBER_A "],"                  \
	"\"reason\":\"joined\",\"definition\":null}"
#define NOW                                                                                        \
	"{\"parameters\":{\"event\":\"snapshot\",\"seq\":7,\"boot_ms\":99,"                        \
	"\"reason\":\"joined\",\"token\":\"687865889\",\"status\":" LEADS_ALONE "}}"

static void test_shows_scripts_and_their_environment(void **state)
{
	(void)state;
	add("10-vip", "");
	add("30-old", "")->masked = true;
	RUN_HOOKS(r, leader_words, NOW, 1, .json = false);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_int_equal(strncmp(r.out,
				 "10-vip  runs     /folder/10-vip\n"
				 "30-old  masked   /folder/30-old\n"
				 "\n",
				 64),
		0);
	assert_non_null(strstr(r.out, "\nELECTD_EVENT=leader\n"));
	assert_non_null(strstr(r.out, "\nELECTD_DOMAIN=db\n"));
	assert_non_null(strstr(r.out, "\nELECTD_TOKEN=687865889\n"));
	free(r.out);
}

#define MEMBER_B                                                                                   \
	"{\"id\":\"" HOST_B "\",\"name\":\"web2\",\"address\":\"192.0.2.2\",\"rank\":1,"           \
	"\"priority\":100,\"state\":\"alive\",\"last_heard_ms\":7}"
#define FOLLOWS_B                                                                                  \
	"{\"parameters\":{\"event\":\"snapshot\",\"seq\":7,\"boot_ms\":99,"                        \
	"\"status\":{\"schema\":1,\"domain\":\"db\",\"role\":\"follower\",\"state\":\"normal\","   \
	"\"node\":" NODE_A ",\"leader\":{\"id\":\"" HOST_B "\",\"name\":\"web2\","                 \
	"\"address\":\"192.0.2.2\",\"self\":false},\"group\":null,\"token\":\"9\","                \
	"\"members\":[" MEMBER_A "," MEMBER_B "],\"reason\":\"joined\"}}}"

static void test_assumes_that_the_event_has_happened(void **state)
{
	char *follower_words[] = { "test", "follower", NULL };

	(void)state;
	RUN_HOOKS(promoted, leader_words, FOLLOWS_B, 1, .json = false);
	RUN_HOOKS(demoted, follower_words, NOW, 1, .json = false);
	RUN_HOOKS(same, follower_words, FOLLOWS_B, 1, .json = false);
	assert_non_null(strstr(promoted.out, "ELECTD_ROLE=leader\nELECTD_OLD_ROLE=follower\n"));
	assert_non_null(strstr(promoted.out, "ELECTD_LEADER_NAME=web1\n"));
	assert_non_null(strstr(promoted.out, "ELECTD_LEADER_ADDRESS=192.0.2.1\n"));
	assert_non_null(strstr(demoted.out, "ELECTD_ROLE=follower\nELECTD_OLD_ROLE=leader\n"));
	assert_non_null(strstr(demoted.out, "ELECTD_LEADER_NAME=\n"));
	assert_non_null(strstr(same.out, "ELECTD_LEADER_NAME=web2\n"));
	free(promoted.out);
	free(demoted.out);
	free(same.out);
}

static void a_status_that_hookd_would_refuse_is_reported(void **state)
{
	(void)state;
	add("10-vip", "");
	RUN_HOOKS(r, leader_words, "{\"parameters\":{\"event\":\"snapshot\"}}", 1, .json = false);
	assert_int_equal(r.code, ELECTCTL_PROTOCOL);
	assert_string_equal(r.out, "10-vip  runs     /folder/10-vip\n");
	free(r.out);
}

static void test_fails_if_a_script_is_refused(void **state)
{
	(void)state;
	add_three();
	RUN_HOOKS(r, leader_words, NOW, 1, .json = false);
	assert_int_equal(r.code, ELECTCTL_FALSE);
	assert_non_null(strstr(r.out, "    /folder/20-mail is writable by everybody\n"));
	free(r.out);
}

static void test_as_json_has_environment_and_input(void **state)
{
	json_t *all;

	(void)state;
	add("10-vip", "");
	RUN_HOOKS(r, leader_words, NOW, 1, .json = true);
	all = json_loads(r.out, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(all, "hooks")), 1);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(all, "environment"), "ELECTD_NODE_NAME")),
		"web1");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(all, "input"), "event")),
		"leader");
	json_decref(all);
	free(r.out);
}

static void test_accepts_five_events(void **state)
{
	static char *const events[] = { "leader", "follower", "none", "members", "stop" };
	char *wrong[] = { "test", "promote", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		char *words[] = { "test", events[i], NULL };
		char line[64];
		RUN_HOOKS(r, words, NOW, 1, .plain = true);

		snprintf(line, sizeof line, "environment\tELECTD_EVENT=%s\n", events[i]);
		assert_int_equal(r.code, ELECTCTL_OK);
		assert_non_null(strstr(r.out, line));
		free(r.out);
	}
	RUN_HOOKS(r, wrong, "", 0, .json = false);
	assert_int_equal(r.code, ELECTCTL_USAGE);
	free(r.out);
}

static void unknown_words_are_refused(void **state)
{
	static char *words[][3] = { { "lists", NULL }, { "list", "leader", NULL },
		{ "test", NULL } };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		RUN_HOOKS(r, words[i], "", 0, .json = false);
		assert_int_equal(r.code, ELECTCTL_USAGE);
		free(r.out);
	}
}

/* ---- test --run -------------------------------------------------------------------------- */

/* Root drops its privileges for this test. */
static void only_root_runs_scripts(void **state)
{
	uid_t user = geteuid();

	(void)state;
	if (user == 0)
		assert_int_equal(seteuid(65534), 0);
	RUN_HOOKS(r, leader_words, "", 0, .run = true);
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(r.code, ELECTCTL_NOT_ALLOWED);
	free(r.out);
}

static void root_or_skip(void)
{
	if (geteuid() != 0) {
		print_message("skipped: only root runs scripts\n");
		skip();
	}
}

static void run_gives_arguments_environment_and_input(void **state)
{
	(void)state;
	root_or_skip();
	add_script("10-all",
		"#!/bin/sh\n"
		"[ \"$1 $2 $#\" = 'leader db 2' ] || exit 11\n"
		"[ \"$PWD $(umask) $ELECTD_TOKEN\" = '/ 0022 687865889' ] || exit 12\n"
		"[ -z \"${HOME:-}\" ] || exit 13\n"
		"grep -q '\"event\"' || exit 14\n");
	RUN_HOOKS(r, leader_words, NOW, 1, .run = true);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_non_null(strstr(r.out, "10-all  runs     /folder/10-all\n    ok after "));
	free(r.out);
}

static void run_continues_after_a_failure_and_reports_it(void **state)
{
	json_t *all, *hooks;

	(void)state;
	root_or_skip();
	add_script("10-fails", "#!/bin/sh\nexit 3\n");
	add("20-mail", "refused");
	add_script("30-dies", "#!/bin/sh\nkill -KILL $$\n");
	add_script("40-fine", "#!/bin/sh\nexit 0\n");
	RUN_HOOKS(r, leader_words, NOW, 1, .run = true, .json = true);
	assert_int_equal(r.code, ELECTCTL_FALSE);
	all = json_loads(r.out, 0, NULL);
	hooks = json_object_get(all, "hooks");
	static const char *const results[] = { "failed", NULL, "signalled", "ok" };
	static const int statuses[] = { 3, 0, 9, 0 };
	for (size_t i = 0; i < 4; i++) {
		json_t *ran = json_object_get(json_array_get(hooks, i), "run");

		assert_int_equal(ran != NULL, results[i] != NULL);
		if (!ran)
			continue;
		assert_string_equal(json_string_value(json_object_get(ran, "result")), results[i]);
		assert_int_equal(json_integer_value(json_object_get(ran, "status")), statuses[i]);
	}
	json_decref(all);
	free(r.out);
}

static void one_failed_script_fails_the_run(void **state)
{
	(void)state;
	root_or_skip();
	add_script("10-fails", "#!/bin/sh\nexit 3\n");
	RUN_HOOKS(r, leader_words, NOW, 1, .run = true);
	assert_int_equal(r.code, ELECTCTL_FALSE);
	free(r.out);
}

static void the_output_of_a_script_is_not_on_stdout(void **state)
{
	int kept, said = memfd_create("stdout", MFD_CLOEXEC);

	(void)state;
	root_or_skip();
	add_script("10-says", "#!/bin/sh\necho this is said by a script\n");
	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	dup2(said, STDOUT_FILENO);
	RUN_HOOKS(r, leader_words, NOW, 1, .run = true, .json = true);
	dup2(kept, STDOUT_FILENO);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_int_equal(lseek(said, 0, SEEK_END), 0);
	close(kept);
	close(said);
	free(r.out);
}

static void nothing_is_run_without_electd(void **state)
{
	char mark[] = "/tmp/electctl-mark-XXXXXX", text[128];
	int fd = mkstemp(mark);

	(void)state;
	close(fd);
	unlink(mark);
	root_or_skip();
	snprintf(text, sizeof text, "#!/bin/sh\ntouch %s\n", mark);
	add_script("10-touch", text);
	RUN_HOOKS(r, leader_words, "", 0, .run = true);
	assert_int_equal(r.code, ELECTCTL_NOT_RUNNING);
	assert_int_equal(access(mark, F_OK), -1);
	free(r.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_shows_scripts_and_their_environment),
		TEST(test_assumes_that_the_event_has_happened),
		TEST(a_status_that_hookd_would_refuse_is_reported),
		TEST(test_fails_if_a_script_is_refused),
		TEST(test_as_json_has_environment_and_input),
		TEST(test_accepts_five_events),
		TEST(unknown_words_are_refused),
		TEST(only_root_runs_scripts),
		TEST(run_gives_arguments_environment_and_input),
		TEST(run_continues_after_a_failure_and_reports_it),
		TEST(one_failed_script_fails_the_run),
		TEST(the_output_of_a_script_is_not_on_stdout),
		TEST(nothing_is_run_without_electd),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
