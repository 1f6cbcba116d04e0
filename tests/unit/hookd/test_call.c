/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a call to electd, and the reports of scripts that hookd sends by such calls. */
#include "unit/lib/said.h"

#include "hookd/link/call.h"
#include "lib/call.h"
#include "hookd/run/report.h"
#include "server.h"

static struct {
	bool done;
	int error;
	char name[CALL_ERROR_MAX];
} came;

static struct hookd_call *call;
static struct reports *reports;

static void on_done(void *user, int error, const char *name)
{
	(void)user;
	came.done = true;
	came.error = error;
	snprintf(came.name, sizeof(came.name), "%s", name);
}

static bool is_done(void)
{
	return came.done;
}

static int ask(uint64_t within_us)
{
	came.done = false;
	return hookd_call_start(&call, server.event, server.path, "io.electd.Release",
		json_pack("{s:s, s:i}", "holder", "00ff", "seq", 7), within_us, on_done, NULL);
}

/* ---- one call ---------------------------------------------------------------------------- */

static void a_reply_ends_the_call(void **state)
{
	char asked[256];

	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	assert_true(server_accepted());
	server_read(asked, sizeof(asked));
	assert_string_equal(asked,
		"{\"method\":\"io.electd.Release\",\"parameters\":"
		"{\"holder\":\"00ff\",\"seq\":7}}");
	server_say("{\"parameters\":{}}");
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, 0);
}

static void an_error_ends_the_call_with_its_name(void **state)
{
	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	assert_true(server_accepted());
	server_say("{\"error\":\"io.electd.NotReleasing\",\"parameters\":{}}");
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, -EREMOTE);
	assert_string_equal(came.name, "io.electd.NotReleasing");
}

static void a_missing_electd_is_an_error_at_once(void **state)
{
	(void)state;
	server_unlisten();
	assert_int_equal(ask(PATIENCE_US), -ENOENT);
	assert_false(came.done);
}

static void a_full_queue_is_waited_for(void **state)
{
	int fds[32];
	unsigned count = server_fill(fds);

	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	turn();
	server_empty(fds, count);
	assert_false(came.done);
	assert_true(turn_until(server_accepted));
	server_say("{}");
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, 0);

	count = server_fill(fds);
	assert_int_equal(ask(20000), 0);
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, -EBUSY);
	server_empty(fds, count);
}

static void answer_full_now(void)
{
	server_say("{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
	server_hang_up();
}

static void answer_full(void)
{
	assert_true(turn_until(server_accepted));
	answer_full_now();
}

static void a_call_is_repeated_while_electd_has_no_place(void **state)
{
	char asked[256];

	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	for (int i = 0; i < 5; i++)
		answer_full();
	assert_true(turn_until(server_accepted));
	assert_false(came.done);
	server_read(asked, sizeof(asked));
	assert_non_null(strstr(asked, "io.electd.Release"));
	server_say("{}");
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, 0);
}

static unsigned turned_away;

static bool is_done_while_full(void)
{
	while (server_accepted()) {
		turned_away++;
		answer_full_now();
	}
	return came.done;
}

static void repeated_calls_slow_down_and_end_at_the_time_limit(void **state)
{
	(void)state;
	turned_away = 0;
	assert_int_equal(ask(CALL_FULL_MOST_US), 0);
	assert_true(turn_until(is_done_while_full));
	/* The time may be over before the server has answered. */
	assert_true(came.error == -EBUSY || came.error == -ETIMEDOUT);
	assert_in_range(turned_away, 1, 12);
}

static void a_closed_connection_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	assert_true(server_accepted());
	server_say_bytes("{\"para", 6);
	server_hang_up();
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, -ECONNRESET);
}

static void a_call_without_a_reply_times_out(void **state)
{
	(void)state;
	assert_int_equal(ask(20000), 0);
	assert_true(server_accepted());
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, -ETIMEDOUT);
}

static void a_malformed_reply_is_an_error(void **state)
{
	static const char *const texts[] = { "", "[]", "5", "{", "{\"a\":1,\"a\":2}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(ask(PATIENCE_US), 0);
		assert_true(server_accepted());
		server_say(texts[i]);
		assert_true(turn_until(is_done));
		assert_int_equal(came.error, -EBADMSG);
	}
}

static void a_reply_without_end_is_an_error(void **state)
{
	static char bytes[CALL_ANSWER_MAX];

	(void)state;
	memset(bytes, ' ', sizeof(bytes));
	assert_int_equal(ask(PATIENCE_US), 0);
	assert_true(server_accepted());
	server_say_bytes(bytes, sizeof(bytes));
	assert_true(turn_until(is_done));
	assert_int_equal(came.error, -EMSGSIZE);
}

static void a_cancelled_call_reports_nothing(void **state)
{
	(void)state;
	assert_int_equal(ask(PATIENCE_US), 0);
	assert_true(server_accepted());
	server_say("{}");
	hookd_call_cancel(call);
	turn();
	assert_false(came.done);
	hookd_call_cancel(NULL);
}

/* ---- reports ----------------------------------------------------------------------------- */

static int reports_setup(void **state)
{
	return server_setup(state) || reports_open(&reports, server.event, server.path);
}

static int reports_teardown(void **state)
{
	reports_close(reports);
	return server_teardown(state);
}

static void add_of(enum hook_event event, const char *script, enum hook_result result)
{
	struct report r = { .event = event,
		.kind = strchr(script, '.') ? REPORT_OTHER : REPORT_HOOK,
		.result = result,
		.status = 3,
		.runtime_us = 12999,
		.seq = 4,
		.token = UINT64_MAX };

	snprintf(r.script, sizeof(r.script), "%s", script);
	snprintf(r.output, sizeof(r.output), "first\nlast");
	reports_add(reports, &r);
}

static void add(const char *script, enum hook_result result)
{
	add_of(HOOK_LEADER, script, result);
}

/* Asserts the next report and replies to it. */
static void assert_told_of(
	const char *event, const char *script, const char *result, const char *answer)
{
	char asked[1024], wanted[1024];

	assert_true(turn_until(server_accepted));
	server_read(asked, sizeof(asked));
	snprintf(wanted, sizeof(wanted),
		"{\"method\":\"io.electd.HookReport\",\"parameters\":{\"holder\":\"00ff\","
		"\"script\":\"%s\",\"event\":\"%s\",\"result\":\"%s\",\"status\":3,"
		"\"runtime_ms\":12,\"seq\":4,\"token\":\"18446744073709551615\","
		"\"output\":\"first\\nlast\"}}",
		script, event, result);
	assert_string_equal(asked, wanted);
	if (answer)
		server_say(answer);
	else
		server_hang_up();
}

static void assert_told(const char *script, const char *result, const char *answer)
{
	assert_told_of("leader", script, result, answer);
}

static void assert_nothing_told(void)
{
	turn();
	assert_false(server_accepted());
}

static void reports_are_sent_one_after_another_in_order(void **state)
{
	(void)state;
	reports_connected(reports, "00ff");
	add("b", HOOK_RESULT_OK);
	add("a", HOOK_RESULT_FAILED);
	assert_told("b", "ok", "{}");
	assert_told("a", "failed", "{}");
	assert_nothing_told();
}

static void a_report_that_found_no_place_is_sent_again(void **state)
{
	(void)state;
	reports_connected(reports, "00ff");
	add("a", HOOK_RESULT_OK);
	answer_full();
	assert_told("a", "ok", "{}");
	assert_nothing_told();
}

static void the_last_report_of_each_script_waits_for_electd(void **state)
{
	(void)state;
	add("a", HOOK_RESULT_FAILED);
	add("b", HOOK_RESULT_TIMED_OUT);
	add("a", HOOK_RESULT_OK);
	assert_nothing_told();
	assert_int_equal(reports_find(reports, "a", HOOK_LEADER)->result, HOOK_RESULT_OK);
	assert_null(reports_find(reports, "c", HOOK_LEADER));
	reports_connected(reports, "00ff");
	assert_told("b", "timed-out", "{}");
	assert_told("a", "ok", "{}");
	assert_nothing_told();
}

static void a_members_report_does_not_replace_a_role_event(void **state)
{
	(void)state;
	add("a", HOOK_RESULT_FAILED);
	add_of(HOOK_MEMBERS, "a", HOOK_RESULT_CUT);
	add_of(HOOK_MEMBERS, "a", HOOK_RESULT_OK);
	assert_int_equal(reports_find(reports, "a", HOOK_NONE)->result, HOOK_RESULT_FAILED);
	assert_int_equal(reports_find(reports, "a", HOOK_MEMBERS)->result, HOOK_RESULT_OK);
	reports_connected(reports, "00ff");
	assert_told("a", "failed", "{}");
	assert_told_of("members", "a", "ok", "{}");
	turn();
	add("a", HOOK_RESULT_OK);
	assert_told("a", "ok", "{}");
	turn();
	assert_null(reports_find(reports, "a", HOOK_MEMBERS));
	reports_connected(reports, "00ff");
	assert_told("a", "ok", "{}");
	assert_nothing_told();
}

static void all_reports_are_sent_to_another_electd(void **state)
{
	(void)state;
	reports_connected(reports, "00ff");
	add("a", HOOK_RESULT_OK);
	assert_told("a", "ok", "{}");
	turn();
	reports_connected(reports, NULL);
	add("b", HOOK_RESULT_CUT);
	assert_nothing_told();
	reports_connected(reports, "00ff");
	assert_told("a", "ok", "{}");
	assert_told("b", "cut", "{}");
	assert_nothing_told();
}

static void a_refused_report_is_not_sent_again(void **state)
{
	(void)state;
	reports_connected(reports, "00ff");
	add("a", HOOK_RESULT_OK);
	add("b", HOOK_RESULT_SIGNALLED);
	assert_told("a", "ok", "{\"error\":\"org.varlink.service.MethodNotFound\"}");
	assert_told("b", "signalled", "{}");
	assert_nothing_told();
}

static void an_unanswered_report_is_sent_again(void **state)
{
	(void)state;
	reports_connected(reports, "00ff");
	add("a", HOOK_RESULT_OK);
	assert_told("a", "ok", NULL);
	assert_told("a", "ok", "{}");
	assert_nothing_told();
}

/* A newer report may come while the older one is being sent. */
static void a_newer_report_is_sent_after_the_older_one(void **state)
{
	char asked[1024];

	(void)state;
	reports_connected(reports, "00ff");
	add("a", HOOK_RESULT_FAILED);
	assert_true(turn_until(server_accepted));
	server_read(asked, sizeof(asked));
	add("a", HOOK_RESULT_OK);
	server_say("{}");
	assert_told("a", "ok", "{}");
	assert_nothing_told();
}

static void the_oldest_report_is_dropped_if_there_are_too_many(void **state)
{
	char script[8];

	(void)state;
	for (int i = 0; i <= REPORTS_MAX; i++) {
		snprintf(script, sizeof(script), "s%d", i);
		add(script, HOOK_RESULT_OK);
	}
	assert_null(reports_find(reports, "s0", HOOK_LEADER));
	assert_non_null(reports_find(reports, "s1", HOOK_LEADER));
	assert_non_null(reports_find(reports, script, HOOK_LEADER));
}

static bool is_this(const void *user, const char *script)
{
	return !strcmp(user, script);
}

static void current_reports_are_known_by_kind(void **state)
{
	(void)state;
	assert_false(reports_any(reports, REPORT_HOOK));
	add("10-a", HOOK_RESULT_FAILED);
	assert_true(reports_any(reports, REPORT_HOOK));
	assert_false(reports_any(reports, REPORT_BOUND));
	reports_gone(reports, REPORT_BOUND, is_this, "none");
	assert_true(reports_any(reports, REPORT_HOOK));
	reports_gone(reports, REPORT_HOOK, is_this, "none");
	assert_false(reports_any(reports, REPORT_HOOK));
}

static void a_missing_script_is_reported_as_gone(void **state)
{
	(void)state;
	add("10-a", HOOK_RESULT_FAILED);
	add("20-b", HOOK_RESULT_REFUSED);
	add("30-c", HOOK_RESULT_OK);
	add("a.target", HOOK_RESULT_TIMED_OUT);
	reports_gone(reports, REPORT_HOOK, is_this, "10-a");
	reports_gone(reports, REPORT_HOOK, is_this, "10-a"); /* already reported */
	reports_connected(reports, "00ff");
	assert_told("10-a", "failed", "{}");
	assert_told("a.target", "timed-out", "{}");
	assert_told("20-b", "gone", "{}");
	assert_told("30-c", "gone", "{}");
	assert_nothing_told();
	reports_gone(reports, REPORT_HOOK, is_this, "10-a");
	assert_nothing_told();
	add("20-b", HOOK_RESULT_OK);
	assert_told("20-b", "ok", "{}");
}

#define WITH_SERVER(test)  cmocka_unit_test_setup_teardown(test, server_setup, server_teardown)
#define WITH_REPORTS(test) cmocka_unit_test_setup_teardown(test, reports_setup, reports_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SERVER(a_reply_ends_the_call),
		WITH_SERVER(an_error_ends_the_call_with_its_name),
		WITH_SERVER(a_missing_electd_is_an_error_at_once),
		WITH_SERVER(a_full_queue_is_waited_for),
		WITH_SERVER(a_call_is_repeated_while_electd_has_no_place),
		WITH_SERVER(repeated_calls_slow_down_and_end_at_the_time_limit),
		WITH_SERVER(a_closed_connection_is_an_error),
		WITH_SERVER(a_call_without_a_reply_times_out),
		WITH_SERVER(a_malformed_reply_is_an_error),
		WITH_SERVER(a_reply_without_end_is_an_error),
		WITH_SERVER(a_cancelled_call_reports_nothing),
		WITH_REPORTS(reports_are_sent_one_after_another_in_order),
		WITH_REPORTS(a_report_that_found_no_place_is_sent_again),
		WITH_REPORTS(the_last_report_of_each_script_waits_for_electd),
		WITH_REPORTS(a_members_report_does_not_replace_a_role_event),
		WITH_REPORTS(all_reports_are_sent_to_another_electd),
		WITH_REPORTS(a_refused_report_is_not_sent_again),
		WITH_REPORTS(an_unanswered_report_is_sent_again),
		WITH_REPORTS(a_newer_report_is_sent_after_the_older_one),
		WITH_REPORTS(the_oldest_report_is_dropped_if_there_are_too_many),
		WITH_REPORTS(current_reports_are_known_by_kind),
		WITH_REPORTS(a_missing_script_is_reported_as_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
