/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a script, and how its end becomes known. */
#include "run.h"

#include "unit/refused.h"

#include <sys/resource.h>

/* ---- the end of a script --------------------------------------------------------------------- */

static void the_exit_status_is_known(void **state)
{
	static const int statuses[] = { 0, 1, 7, 126, 127, 255 };
	char line[32];
	struct run run = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		snprintf(line, sizeof(line), "exit %d", statuses[i]);
		start(&run, line);
		wait_ended(&run);
		assert_exited(&run, statuses[i], "");
	}
}

static void the_signal_that_ended_a_script_is_known(void **state)
{
	static const int signals[] = { SIGTERM, SIGKILL, SIGHUP, SIGPIPE };
	char line[32];
	struct run run = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		snprintf(line, sizeof(line), "kill -%d $$", signals[i]);
		start(&run, line);
		wait_ended(&run);
		assert_int_equal(run.result.end, COMMAND_SIGNALLED);
		assert_int_equal(run.result.status, signals[i]);
		assert_false(run.result.killed);
	}
}

static void a_file_that_cannot_be_executed_gives_the_error(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		int error;
	} cases[] = {
		{ "#!/nonexistent/interpreter\n", 0755, ENOENT },
		{ "", 0755, ENOEXEC },
		{ "echo no shell reads this\n", 0755, ENOEXEC },
		{ "#!/bin/sh\n", 0644, EACCES },
	};
	struct run run = { 0 };

	(void)state;
	NOT_UNDER_VALGRIND();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command_order order = { 0 };

		order.fd = opened(file_with("hook", cases[i].text, cases[i].mode));
		start_order(&run, &order);
		close(order.fd);
		wait_ended(&run);
		assert_unstarted(&run, cases[i].error);
		assert_string_equal(run.result.output, "");
	}
}

static void a_program_is_run_by_its_path(void **state)
{
	static char *const argv[] = { "sh", "-c", "echo $0 $1; exit 3", "zero", "one", NULL };
	struct run run = { 0 };

	(void)state;
	start_program(&run, "/bin/sh", argv);
	wait_ended(&run);
	assert_exited(&run, 3, "zero one");
	NOT_UNDER_VALGRIND();
	start_program(&run, "/nonexistent/program", argv);
	wait_ended(&run);
	assert_unstarted(&run, ENOENT);
}

/* ---- the environment of a script ------------------------------------------------------------- */

static void the_arguments_are_event_and_domain(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "echo $# $1 $2");
	wait_ended(&run);
	assert_exited(&run, 0, "2 leader default");
}

static void the_name_of_a_script_is_a_descriptor(void **state)
{
	struct run run = { 0 };

	(void)state;
	NOT_UNDER_VALGRIND();
	start(&run, "echo $0");
	wait_ended(&run);
	assert_exited(&run, 0, "/dev/fd/63");
}

static void the_environment_is_what_was_given(void **state)
{
	static char *const envp[] = { "B=2 and = more", "A=", "LANG=C.UTF-8", NULL };
	struct command_order order = { .fd = -1, .path = "/usr/bin/env", .envp = envp };
	static char *const argv[] = { "env", NULL };
	struct run run = { 0 };

	(void)state;
	order.argv = argv;
	setenv("MUST_NOT_BE_SEEN", "1", 1);
	start_order(&run, &order);
	wait_ended(&run);
	assert_exited(&run, 0, "B=2 and = more\nA=\nLANG=C.UTF-8");
}

static void all_input_is_on_stdin(void **state)
{
	static char input[65536];
	struct command_order order = { .input = input, .input_size = sizeof(input) };
	struct run run = { 0 };

	(void)state;
	memset(input, 'x', sizeof(input));
	order.fd = opened(script_with("hook", "wc -c"));
	start_order(&run, &order);
	memset(input, 'y', sizeof(input)); /* hookd must have copied the input */
	wait_ended(&run);
	close(order.fd);
	assert_exited(&run, 0, "65536");
}

static void input_that_is_not_read_does_not_block(void **state)
{
	static const char input[65536] = "{}";
	struct command_order order = { .input = input, .input_size = sizeof(input) };
	struct run run = { 0 };

	(void)state;
	order.fd = opened(script_with("hook", "exec <&-; echo done"));
	start_order(&run, &order);
	wait_ended(&run);
	close(order.fd);
	assert_exited(&run, 0, "done");
}

static void input_cannot_be_changed(void **state)
{
	struct command_order order = { .input = "{}\n", .input_size = 3 };
	struct run run = { 0 };

	(void)state;
	order.fd = opened(script_with(
		"hook", "(echo x 1<>/proc/self/fd/0) 2>/dev/null && echo written; cat"));
	start_order(&run, &order);
	wait_ended(&run);
	close(order.fd);
	assert_exited(&run, 0, "{}");
}

static void stdin_is_empty_without_input(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "cat; readlink /proc/self/fd/0");
	wait_ended(&run);
	assert_exited(&run, 0, "/dev/null");
}

static void no_other_descriptor_is_open(void **state)
{
	static char *const argv[] = { "ls", "/proc/self/fd", NULL };
	struct command_order order = { .argv = argv };
	struct run run = { 0 };
	static const int numbers[] = { 20, 62, 63, 200 };
	int extra[4];

	(void)state;
	NOT_UNDER_VALGRIND();
	/* These have no close-on-exec flag. */
	for (int i = 0; i < 4; i++)
		extra[i] = fcntl(0, F_DUPFD, numbers[i]);
	start_program(&run, "/bin/ls", argv);
	wait_ended(&run);
	assert_exited(&run, 0, "0\n1\n2\n3"); /* 3: the folder itself */
	order.fd = opened("/bin/ls");
	start_order(&run, &order);
	wait_ended(&run);
	close(order.fd);
	assert_exited(&run, 0, "0\n1\n2\n3\n63");
	for (int i = 0; i < 4; i++)
		close(extra[i]);
}

static void signals_are_neither_blocked_nor_ignored(void **state)
{
	static char *const argv[] = { "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL };
	unsigned long blocked, ignored;
	struct run run = { 0 };
	sigset_t set, before;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, &before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	start_program(&run, "/bin/grep", argv);
	wait_ended(&run);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(
		sscanf(run.result.output, "SigBlk: %lx SigIgn: %lx", &blocked, &ignored), 2);
	assert_int_equal(blocked, 0);
	/* Two signals belong to the C library, which lets nobody change them. */
	assert_int_equal(ignored & ~0x180000000UL, 0);
}

static void a_script_has_a_session_and_a_group_of_its_own(void **state)
{
	struct run run = { 0 };
	int pid, pgrp, session;

	(void)state;
	start(&run,
		"read pid comm s ppid pgrp session rest </proc/$$/stat\n"
		"echo $pid $pgrp $session");
	wait_ended(&run);
	assert_int_equal(run.result.status, 0);
	assert_int_equal(sscanf(run.result.output, "%d %d %d", &pid, &pgrp, &session), 3);
	assert_int_equal(pgrp, pid);
	assert_int_equal(session, pid);
}

static void a_script_runs_in_the_root_folder_with_an_ordinary_umask(void **state)
{
	struct run run = { 0 };
	mode_t before = umask(0077);

	(void)state;
	start(&run, "pwd; umask");
	umask(before);
	wait_ended(&run);
	assert_exited(&run, 0, "/\n0022");
}

/* hookd's descriptors then get the numbers that the script is to have. */
static int run_without_standard_descriptors(void)
{
	struct command_order order = { .input = "in\n", .input_size = 3 };
	struct run run = { 0 };

	loop_made_in_child();
	order.fd = fcntl(
		opened(script_with("hook", "echo out; echo err >&2; cat")), F_DUPFD_CLOEXEC, 100);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	start_order(&run, &order);
	wait_ended(&run);
	return loop_left(strcmp(run.result.output, "out\nerr\nin") != 0);
}

static void the_standard_descriptors_of_hookd_may_be_closed(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_without_standard_descriptors), CHILD_OK);
}

/* Each descriptor of hookd has, once, a number that the script is to have. */
static int run_with_descriptors_in_the_way(void)
{
	struct run run = { 0 };

	loop_made_in_child();
	for (int lowest = 55; lowest < 66; lowest++) {
		while (fcntl(0, F_DUPFD_CLOEXEC, 3) < lowest - 1) {
		}
		start(&run, "echo ok");
		wait_ended(&run);
		if (strcmp(run.result.output, "ok") != 0)
			return lowest;
	}
	return loop_left(0);
}

static void the_descriptors_of_hookd_may_have_any_number(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_with_descriptors_in_the_way), CHILD_OK);
}

static int run_with_few_descriptors(void)
{
	const struct rlimit few = { 40, 40 };
	struct run run = { 0 };

	loop_made_in_child();
	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		return 1;
	start(&run, "echo ran");
	wait_ended(&run);
	return loop_left(run.result.end != COMMAND_UNSTARTED || run.result.status != EINVAL);
}

static void an_error_before_exec_is_reported(void **state)
{
	(void)state;
	NOT_UNDER_VALGRIND();
	assert_int_equal(in_child(run_with_few_descriptors), CHILD_OK);
}

/* ---- older kernels, and containers ------------------------------------------------------- */

/* A run that has input and inherits a descriptor without close-on-exec. */
static int run_with_input(void)
{
	struct command_order order = { .input = "in\n", .input_size = 3 };
	struct run run = { 0 };

	loop_made_in_child();
	if (fcntl(0, F_DUPFD, 200) < 0)
		return 1;
	order.fd = opened(script_with("hook", "cat; [ -e /proc/self/fd/200 ] || echo closed"));
	start_order(&run, &order);
	wait_ended(&run);
	if (strcmp(run.result.output, "in\nclosed") == 0)
		return loop_left(0);
	fprintf(stderr, "end %d, status %d: %s\n", run.result.end, run.result.status,
		run.result.output);
	return loop_left(1);
}

static void a_script_runs_without_close_range(void **state)
{
	static const int errors[] = { ENOSYS, EPERM };

	(void)state;
	NOT_UNDER_VALGRIND();
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const struct refused calls[] = { { .call = SYS_close_range, .error = errors[i] },
			{ 0 } };

		ASSERT_BEHIND(calls, run_with_input);
	}
}

static void a_script_runs_if_the_noexec_seal_is_required_or_unknown(void **state)
{
	enum { NOEXEC_SEAL = 8 }; /* MFD_NOEXEC_SEAL */
	static const struct refused hardened[] = {
		{ .call = SYS_memfd_create, .error = EACCES, .flag = NOEXEC_SEAL, .unset = true },
		{ 0 }
	};
	static const struct refused older[] = {
		{ .call = SYS_memfd_create, .error = EINVAL, .flag = NOEXEC_SEAL }, { 0 }
	};

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(hardened, run_with_input);
	ASSERT_BEHIND(older, run_with_input);
}

static void a_script_runs_without_pidfds(void **state)
{
	static const struct refused older[] = { { .call = SYS_pidfd_open, .error = ENOSYS },
		{ .call = SYS_pidfd_send_signal, .error = ENOSYS }, { 0 } };
	static const struct refused filtered[] = { { .call = SYS_pidfd_open, .error = EPERM },
		{ .call = SYS_pidfd_send_signal, .error = EPERM }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(older, run_with_input);
	ASSERT_BEHIND(filtered, run_with_input);
}

/* ---- the file that was opened ------------------------------------------------------------ */

static void the_opened_file_runs_after_its_name_was_replaced(void **state)
{
	struct command_order order = { 0 };
	struct run run = { 0 };

	(void)state;
	NOT_UNDER_VALGRIND();
	order.fd = opened(script_with("hook", "echo old"));
	script_with("new", "echo new");
	assert_int_equal(rename(path_of("new"), path_of("hook")), 0);
	start_order(&run, &order);
	wait_ended(&run);
	assert_exited(&run, 0, "old");
	close(order.fd);
	order.fd = opened(path_of("hook"));
	order.deadline_us = 0;
	assert_int_equal(unlink(path_of("hook")), 0);
	start_order(&run, &order);
	wait_ended(&run);
	close(order.fd);
	assert_exited(&run, 0, "new");
}

static void a_script_replaced_while_it_runs_runs_on(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "touch $D/ready\nwhile [ ! -e $D/go ]; do sleep 0.01; done\necho old");
	wait_for("ready");
	script_with("new", "echo new");
	assert_int_equal(rename(path_of("new"), path_of("hook")), 0);
	file_with("go", "", 0644);
	wait_ended(&run);
	assert_exited(&run, 0, "old");
}

/* ---- no leftovers ---------------------------------------------------------------------------- */

static void nothing_stays_open_and_no_child_is_left(void **state)
{
	struct command_order bad = { .fd = -1, .path = "/nonexistent" };
	struct run run = { 0 };
	unsigned before;

	(void)state;
	NOT_UNDER_VALGRIND();
	/* The first run creates what sd-event keeps. */
	start(&run, "");
	wait_ended(&run);
	before = descriptors_open();
	for (int i = 0; i < 5; i++) {
		start(&run, "echo x");
		wait_ended(&run);
		bad.deadline_us = 0;
		start_order(&run, &bad);
		wait_ended(&run);
	}
	assert_int_equal(descriptors_open(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int run_with_ignored_children(void)
{
	struct run run = { 0 };
	sigset_t none;

	loop_made_in_child();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_IGN);
	start(&run, "exit 5");
	wait_ended(&run);
	return loop_left(run.result.end != COMMAND_EXITED || run.result.status != 5);
}

static void the_end_is_known_if_sigchld_was_ignored_at_the_start(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_with_ignored_children), CHILD_OK);
}

static void a_command_may_be_kept_after_its_end(void **state)
{
	struct run run = { .keep = true };

	(void)state;
	start(&run, "echo kept");
	wait_ended(&run);
	assert_exited(&run, 0, "kept");
	command_cut(run.command); /* the script has ended, so nothing happens */
	for (int i = 0; i < 20; i++)
		turn();
	assert_int_equal(run.ended, 1);
	command_free(run.command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LOOP(the_exit_status_is_known),
		IN_LOOP(the_signal_that_ended_a_script_is_known),
		IN_LOOP(a_file_that_cannot_be_executed_gives_the_error),
		IN_LOOP(a_program_is_run_by_its_path),
		IN_LOOP(the_arguments_are_event_and_domain),
		IN_LOOP(the_name_of_a_script_is_a_descriptor),
		IN_LOOP(the_environment_is_what_was_given),
		IN_LOOP(all_input_is_on_stdin),
		IN_LOOP(input_that_is_not_read_does_not_block),
		IN_LOOP(input_cannot_be_changed),
		IN_LOOP(stdin_is_empty_without_input),
		IN_LOOP(no_other_descriptor_is_open),
		IN_LOOP(signals_are_neither_blocked_nor_ignored),
		IN_LOOP(a_script_has_a_session_and_a_group_of_its_own),
		IN_LOOP(a_script_runs_in_the_root_folder_with_an_ordinary_umask),
		IN_LOOP(the_standard_descriptors_of_hookd_may_be_closed),
		IN_LOOP(the_descriptors_of_hookd_may_have_any_number),
		IN_LOOP(an_error_before_exec_is_reported),
		IN_LOOP(a_script_runs_without_close_range),
		IN_LOOP(a_script_runs_if_the_noexec_seal_is_required_or_unknown),
		IN_LOOP(a_script_runs_without_pidfds),
		IN_LOOP(the_opened_file_runs_after_its_name_was_replaced),
		IN_LOOP(a_script_replaced_while_it_runs_runs_on),
		IN_LOOP(nothing_stays_open_and_no_child_is_left),
		IN_LOOP(the_end_is_known_if_sigchld_was_ignored_at_the_start),
		IN_LOOP(a_command_may_be_kept_after_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
