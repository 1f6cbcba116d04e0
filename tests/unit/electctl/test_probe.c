/* SPDX-License-Identifier: Apache-2.0 */
/* The verb probe, in a child process, against an electd that this program plays. */
#include "server.h"

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>

#include "electctl/field.h"
#include "electctl/verbs/leaderunit.h"
#include "lib/requests.h"
#include "program/clock.h"
#include "unit/lib/said.h"
#include "unit/patience.h"

/* NEVER_MS, TIMEOUT_MS: longer than any test takes. */
enum { NEVER_MS = 86400000, EVERY_MS = 100, TIMEOUT_MS = 3600000 };

static char folder[] = "/tmp/electctl-XXXXXX", path[64], flag[80];
static int listener, told;  /* the socket, the pipe of the command */
static int watcher, caller; /* connections: electctl watches electd; has a call; -1: none */
static pid_t electctl;
static json_t *report;

/* ---- time -------------------------------------------------------------------------------- */

/*
 * The boot clock of both processes. It moves only while this program waits, so electctl never finds
 * that electd took too long to reply.
 */
static _Atomic uint64_t *time_us;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	if (clock != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, clock, ret_time);
	ret_time->tv_sec = (time_t)(*time_us / 1000000);
	ret_time->tv_nsec = (long)(*time_us % 1000000 * 1000);
	return 0;
}

/* Every timer of electctl fires soon, so that it looks at the clock again. */
int timerfd_settime(int fd, int flags, const struct itimerspec *time, struct itimerspec *former)
{
	const struct itimerspec soon = { { 0, 0 }, { 0, 2000000 } }, off = { { 0, 0 }, { 0, 0 } };
	bool is_off = !time->it_value.tv_sec && !time->it_value.tv_nsec;

	(void)flags;
	return (int)syscall(SYS_timerfd_settime, fd, 0, is_off ? &off : &soon, former);
}

static void pass_ms(uint64_t ms)
{
	*time_us += ms * 1000;
}

static long long boot_ms(void)
{
	return (long long)(clock_boot_us() / 1000);
}

static struct options common(void)
{
	return (struct options){ .out = stdout,
		.socket = path,
		.quiet = true,
		.timeout_ms = TIMEOUT_MS,
		.every_ms = EVERY_MS,
		.fall = -1,
		.rise = -1 };
}

/* Runs electctl with `args`; descriptor 3 of the command is the pipe. */
static void begin_with(char *const *args, struct options o)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	electctl = fork();
	if (electctl == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(listener);
		dup2(fds[1], 3);
		if (!o.quiet)
			dup2(fds[1], STDERR_FILENO);
		_exit((int)probe_verb(&o, args));
	}
	close(fds[1]);
	told = fds[0];
	watcher = caller = -1;
}

static void begin(const char *script, struct options o)
{
	char name[] = "pg", shell[] = "sh", c[] = "-c", *words = strdup(script);
	char *const args[] = { name, shell, c, words, NULL };

	begin_with(args, o);
	free(words);
}

static void readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (int round = 0; round < PATIENCE_ROUNDS; round++) {
		if (poll(&p, 1, PATIENCE_ROUND_MS) == 1)
			return;
		pass_ms(PATIENCE_ROUND_MS);
	}
	fail_msg("nothing comes");
}

static void hangs_up(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* electd ends. */
static void goes(void)
{
	hangs_up(&caller);
	hangs_up(&watcher);
}

static void say(int fd, const char *text)
{
	assert_true(send(fd, text, strlen(text) + 1, MSG_NOSIGNAL) > 0);
}

static const char *accepts(void)
{
	char text[1024];

	readable(listener);
	hangs_up(&caller);
	caller = accept(listener, NULL, NULL);
	assert_true(caller >= 0);
	assert_true(read(caller, text, sizeof text) > 0);
	json_decref(report);
	report = json_loads(text, 0, NULL);
	assert_non_null(report);
	return field_text(report, "method", NULL);
}

/* The next call; valid until the following one. electctl also subscribes. */
static const json_t *asked(void)
{
	while (!strcmp(accepts(), "io.electd.Subscribe")) {
		assert_null(json_object_get(report, "parameters")); /* no holder */
		hangs_up(&watcher);
		watcher = caller;
		caller = -1;
		say(watcher, SAID("snapshot", "\"status\":" SAID_LEADS));
	}
	return report;
}

static void answer(const char *text)
{
	say(caller, text);
	hangs_up(&caller);
}

/* The next report. GetHealth is answered with no known names. */
static const json_t *reported(void)
{
	while (!strcmp(field_text(asked(), "method", NULL), "io.electd.GetHealth"))
		answer("{\"parameters\":{\"leading\":true,\"reports\":[]}}");
	assert_string_equal(field_text(report, "method", NULL), "io.electd.Report");
	answer("{\"parameters\":{}}");
	return json_object_get(report, "parameters");
}

static void reports(bool well, const char *words)
{
	const json_t *p = reported();

	assert_string_equal(field_text(p, "words", NULL), words);
	assert_int_equal(field_true(p, "well", NULL), well);
}

/* A killed run may still exist when the next one is due, which electctl reports as well. */
static void reports_late(const char *words)
{
	const json_t *p;

	do {
		p = reported();
		assert_false(field_true(p, "well", NULL));
	} while (!strcmp(field_text(p, "words", NULL), "its last run cannot be ended"));
	assert_string_equal(field_text(p, "words", NULL), words);
}

/* The next line of the command; "" after all of its processes have ended. */
static const char *hears(void)
{
	static char line[256];
	size_t used = 0;

	for (;;) {
		readable(told);
		if (read(told, line + used, 1) <= 0 || line[used] == '\n') {
			line[used] = '\0';
			return line;
		}
		used++;
	}
}

/* electctl has ended. */
static void forget_calls(void)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	while (poll(&p, 1, 0) == 1)
		close(accept(listener, NULL, NULL));
}

static int exit_code(void)
{
	int status;

	assert_int_equal(waitpid(electctl, &status, 0), electctl);
	goes();
	forget_calls();
	while (*hears())
		;
	close(told);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void ends(void)
{
	kill(electctl, SIGTERM);
	assert_int_equal(exit_code(), ELECTCTL_OK);
}

/* ---- results ----------------------------------------------------------------------------- */

static void a_run_is_reported_with_its_counts(void **state)
{
	const json_t *p;

	(void)state;
	begin("echo one; echo 'two \x1b[2J'", common());
	p = reported();
	assert_string_equal(field_text(p, "name", NULL), "pg");
	assert_string_equal(field_text(p, "words", NULL), "two ?[2J");
	assert_true(field_true(p, "well", NULL));
	assert_int_equal(field_number(p, "fall", NULL, 0), 3);
	assert_int_equal(field_number(p, "rise", NULL, 0), 2);
	assert_int_equal(field_number(p, "stale_ms", NULL, 0), 3 * EVERY_MS + TIMEOUT_MS);
	assert_null(json_object_get(p, "leading"));
	reports(true, "two ?[2J");
	ends();
}

static void the_words_are_the_last_line_or_the_exit_status(void **state)
{
	static const struct {
		const char *script, *words;
	} rows[] = {
		{ "exit 3", "exit status 3" },
		{ "echo refused >&2; echo; exit 3", "refused" },
		{ "printf 'no newline'; exit 1", "no newline" },
		{ "kill -9 $$", "killed by signal 9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].script, common());
		reports(false, rows[i].words);
		ends();
	}
}

static void a_command_that_cannot_be_run_is_reported(void **state)
{
	char name[] = "pg", nowhere[] = "/nowhere/pg";
	char *const args[] = { name, nowhere, NULL };

	(void)state;
	begin_with(args, common());
	reports(false, "cannot run /nowhere/pg: No such file or directory");
	ends();
}

static void long_words_are_cut(void **state)
{
	(void)state;
	begin("printf '%0500d\\n' 7", common());
	assert_int_equal(strlen(field_text(reported(), "words", NULL)), 200);
	ends();
}

/* ---- faults of the command ------------------------------------------------------------------- */

static void a_hanging_command_is_reported_sick_and_killed(void **state)
{
	struct options o = common();
	long long began = boot_ms();

	(void)state;
	o.timeout_ms = 300;
	begin("trap '' TERM; echo $$ >&3; while :; do sleep 1; done", o);
	reports_late("no answer within 0.3 s");
	assert_true(boot_ms() - began >= 300);
	hears();
	hears(); /* the next run starts after the first has gone */
	reports_late("no answer within 0.3 s");
	ends();
}

static void no_process_of_a_run_is_left_behind(void **state)
{
	(void)state;
	begin("[ -e $FLAG ] && exit; : >$FLAG; sleep 60 & setsid sh -c 'sleep 60 & "
	      "exec sleep 60' & exit 0",
		common());
	reports(true, "");
	reports(true, ""); /* not before all processes of the first run have gone */
	ends();		   /* the pipe has no other writer */
	unlink(flag);
}

static void the_command_dies_with_electctl(void **state)
{
	int status;

	(void)state;
	begin("echo up >&3; exec sleep 100", common());
	assert_string_equal(hears(), "up");
	kill(electctl, SIGKILL);
	waitpid(electctl, &status, 0);
	assert_string_equal(hears(), "");
	close(told);
	forget_calls();
}

static void endless_output_does_not_prevent_the_timeout(void **state)
{
	struct options o = common();

	(void)state;
	o.timeout_ms = 300;
	begin("yes", o);
	reports_late("no answer within 0.3 s");
	ends();
}

/* ---- faults of electd ------------------------------------------------------------------------ */

static void a_restarted_electd_gets_the_result_at_once(void **state)
{
	struct options o = common();

	(void)state;
	o.every_ms = NEVER_MS;
	begin("echo fine", o);
	reports(true, "fine");
	goes();
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
	answer("{\"parameters\":{\"reports\":[{\"name\":\"pg\",\"heard_ms\":null}]}}");
	reports(true, "fine");
	ends();
}

/* A repeated report would count as a second result. */
static void a_reconnected_electd_that_knows_the_result_gets_no_report(void **state)
{
	struct options o = common();
	struct pollfd p;

	(void)state;
	o.every_ms = NEVER_MS;
	begin("echo fine", o);
	reports(true, "fine");
	goes();
	asked();
	answer("{\"parameters\":{\"reports\":[{\"name\":\"pg\",\"heard_ms\":7}]}}");
	p = (struct pollfd){ .fd = listener, .events = POLLIN };
	pass_ms(300);
	assert_int_equal(poll(&p, 1, 300), 0);
	ends();
}

/* electd may know the name from an earlier run. */
static void an_unanswered_report_is_sent_again(void **state)
{
	struct options o = common();

	(void)state;
	o.every_ms = NEVER_MS;
	begin("echo fine", o);
	asked();
	goes();
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.Report");
	answer("{\"error\":\"io.electd.TooManyClients\"}");
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.Report");
	ends();
}

/* The electd that took the report may have ended. */
static void an_unanswered_question_is_asked_again(void **state)
{
	struct options o = common();

	(void)state;
	o.every_ms = NEVER_MS;
	begin("echo fine", o);
	reports(true, "fine");
	goes();
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
	pass_ms(REQUESTS_WITHIN_US / 1000);
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
	answer("{\"parameters\":{\"reports\":[]}}");
	reports(true, "fine");
	ends();
}

static void a_report_waits_for_a_place(void **state)
{
	struct options o = common();

	(void)state;
	o.every_ms = NEVER_MS;
	begin("echo fine", o);
	asked();
	answer("{\"error\":\"io.electd.TooManyClients\"}");
	pass_ms(REQUESTS_WITHIN_US / 1000);
	reports(true, "fine");
	ends();
}

/* The message comes once, however long no place is free. */
static void a_refused_connection_is_reported_once(void **state)
{
	struct options o = common();

	(void)state;
	o.quiet = false;
	o.every_ms = NEVER_MS;
	begin("exit 0", o);
	assert_string_equal(hears(), "electctl: pg: well");
	for (int i = 0; i < 3; i++) {
		asked();
		answer("{\"error\":\"io.electd.TooManyClients\"}");
	}
	assert_string_equal(hears(), "electctl: pg: too many programs use electd; trying again");
	reports(true, "");
	kill(electctl, SIGTERM);
	assert_string_equal(hears(), ""); /* no further message */
	ends();
}

static void the_probe_waits_for_electd(void **state)
{
	(void)state;
	close(listener);
	listener = -1;
	unlink(path);
	begin("echo ran >&3; exit 4", common());
	assert_string_equal(hears(), "ran");
	listener = listen_at(path);
	reports(false, "exit status 4");
	ends();
}

static void a_stalled_electd_does_not_delay_the_runs(void **state)
{
	(void)state;
	begin("echo ran >&3", common());
	asked();
	for (int i = 0; i < 5; i++)
		assert_string_equal(hears(), "ran");
	answer("{\"parameters\":{}}");
	reports(true, "");
	ends();
}

static void a_refused_report_ends_the_probe(void **state)
{
	(void)state;
	begin("exit 0", common());
	asked();
	answer("{\"error\":\"io.electd.NotAllowed\"}");
	assert_int_equal(exit_code(), ELECTCTL_NOT_ALLOWED);
	begin("exit 0", common());
	asked();
	answer("{\"error\":\"io.electd.TooManyClients\"}");
	reports(true, ""); /* a place may be free at the next run */
	ends();
}

/* ---- probes on the leader only --------------------------------------------------------------- */

static void a_leader_probe_runs_only_after_the_promotion(void **state)
{
	struct options o = common();

	(void)state;
	o.leader = true;
	begin("echo ran >&3; sleep 0.35", o);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
		answer("{\"parameters\":{\"leading\":false,\"reports\":[]}}");
	}
	assert_int_equal(poll(&(struct pollfd){ .fd = told, .events = POLLIN }, 1, 0), 0);
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
	answer("{\"parameters\":{\"leading\":true,\"reports\":[]}}");
	assert_string_equal(hears(), "ran");
	/* electctl also asks while the command runs. */
	while (!strcmp(field_text(asked(), "method", NULL), "io.electd.GetHealth"))
		answer("{\"parameters\":{\"leading\":false,\"reports\":[]}}");
	assert_true(field_true(json_object_get(report, "parameters"), "leading", NULL));
	answer("{\"error\":\"io.electd.NotLeader\"}"); /* this host has stopped leading */
	assert_string_equal(field_text(asked(), "method", NULL), "io.electd.GetHealth");
	ends();
}

static void a_unit_of_the_leader_target_is_recognised(void **state)
{
	char target[64];

	(void)state;
	assert_true(leaderunit_in(
		"BindsTo=\n\nBindsTo=a.mount electd-leader.target\n", target, sizeof target));
	assert_string_equal(target, "electd-leader.target");
	assert_true(leaderunit_in(
		"BindsTo=electd-leader@db.target b.service\n", target, sizeof target));
	assert_string_equal(target, "electd-leader@db.target");
	assert_false(leaderunit_in(
		"BindsTo=my-electd-leader.target\nBindsTo=\n", target, sizeof target));
	assert_false(leaderunit_in(
		"BindsTo=electd-leader.service electd-leaders.target\n", target, sizeof target));
}

/* ---- the command line ------------------------------------------------------------------------ */

static void invalid_arguments_are_refused(void **state)
{
	char bad[] = "../pg", name[] = "pg", word[] = "true";
	char *const wrong[] = { bad, word, NULL }, *const right[] = { name, word, NULL };
	struct options o = common();

	(void)state;
	assert_int_equal(probe_verb(&o, wrong), ELECTCTL_USAGE);
	o.every_ms = 10;
	assert_int_equal(probe_verb(&o, right), ELECTCTL_USAGE);
	o = common();
	o.fall = 0;
	assert_int_equal(probe_verb(&o, right), ELECTCTL_USAGE);
}

static int prepare(void **state)
{
	(void)state;
	time_us = mmap(
		NULL, sizeof(*time_us), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (time_us == MAP_FAILED || !mkdtemp(folder))
		return -1;
	pass_ms(1000000);
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(flag, sizeof flag, "%s/flag", folder);
	setenv("FLAG", flag, 1);
	listener = listen_at(path);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	close(listener);
	json_decref(report);
	unlink(flag);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_reported_with_its_counts),
		cmocka_unit_test(the_words_are_the_last_line_or_the_exit_status),
		cmocka_unit_test(a_command_that_cannot_be_run_is_reported),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(a_hanging_command_is_reported_sick_and_killed),
		cmocka_unit_test(no_process_of_a_run_is_left_behind),
		cmocka_unit_test(the_command_dies_with_electctl),
		cmocka_unit_test(endless_output_does_not_prevent_the_timeout),
		cmocka_unit_test(a_restarted_electd_gets_the_result_at_once),
		cmocka_unit_test(a_reconnected_electd_that_knows_the_result_gets_no_report),
		cmocka_unit_test(an_unanswered_report_is_sent_again),
		cmocka_unit_test(an_unanswered_question_is_asked_again),
		cmocka_unit_test(a_report_waits_for_a_place),
		cmocka_unit_test(a_refused_connection_is_reported_once),
		cmocka_unit_test(the_probe_waits_for_electd),
		cmocka_unit_test(a_stalled_electd_does_not_delay_the_runs),
		cmocka_unit_test(a_refused_report_ends_the_probe),
		cmocka_unit_test(a_leader_probe_runs_only_after_the_promotion),
		cmocka_unit_test(a_unit_of_the_leader_target_is_recognised),
		cmocka_unit_test(invalid_arguments_are_refused),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, prepare, clean);
}
