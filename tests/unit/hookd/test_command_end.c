/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts that do not end, leave processes behind, or write too much. */
#include "run.h"

#include <sys/ptrace.h>

/* Writes the pid to a file, whole or not at all. */
#define SAY_PID(file) "echo $$ >$D/" file ".new; mv $D/" file ".new $D/" file "\n"
#define SLEEP	      "while :; do sleep 0.05; done\n"
/* A shell that begins a child at the moment of TERM ends by TERM, and the child does not get it. */
#define SLEEP_ITSELF "exec sleep 1000\n"

static void assert_ended_by_us(const struct run *run, enum command_end how, bool killed)
{
	assert_int_equal(run->result.end, how);
	assert_int_equal(run->result.killed, killed);
}

static size_t file_size(const char *name)
{
	struct stat st;

	assert_int_equal(stat(path_of(name), &st), 0);
	return (size_t)st.st_size;
}

/* A shell may write its own messages first. */
static void assert_last_words(const struct run *run, const char *words)
{
	size_t said = strlen(run->result.output), length = strlen(words);

	assert_true(said >= length);
	assert_string_equal(run->result.output + said - length, words);
}

/* ---- the deadline ------------------------------------------------------------------------ */

/* Starts a script that makes the file `ready`, then lets its deadline come. */
static uint64_t start_ready(struct run *run, const char *lines)
{
	uint64_t deadline_us = after_ms(700);

	start_script(run, "hook", lines, deadline_us);
	wait_for("ready");
	pass_to(deadline_us - 1);
	assert_int_equal(run->ended, 0);
	pass_to(deadline_us);
	return deadline_us;
}

/* TERM was sent at `from_us`; lets the time for KILL come. */
static void pass_to_kill(const struct run *run, uint64_t from_us)
{
	pass_to(from_us + COMMAND_KILL_AFTER_US - 1);
	assert_int_equal(run->ended, 0);
	pass_to(from_us + COMMAND_KILL_AFTER_US);
}

static void a_sleeping_script_gets_term_at_its_deadline(void **state)
{
	struct run run = { 0 };
	uint64_t deadline_us;

	(void)state;
	deadline_us = start_ready(&run, "echo begin\n: >$D/ready\nsleep 1000\necho end");
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
	assert_string_equal(run.result.output, "begin");
	/* TERM came neither earlier nor later. */
	assert_in_range(run.result.ended_us, deadline_us, deadline_us + COMMAND_KILL_AFTER_US - 1);
}

static void a_deadline_in_the_past_ends_the_script(void **state)
{
	struct run run = { 0 };

	(void)state;
	start_script(&run, "hook", SLEEP_ITSELF, 1);
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
}

static void output_after_term_is_read(void **state)
{
	struct run run = { 0 };

	(void)state;
	start_ready(&run, "trap 'echo told; exit 0' TERM\n: >$D/ready\n" SLEEP);
	wait_ended(&run);
	/* The script did not end in time, whatever its exit status is. */
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
	assert_last_words(&run, "told");
	assert_int_equal(run.result.status, 0);
}

static void a_stopped_script_gets_term_too(void **state)
{
	struct run run = { 0 };
	uint64_t deadline_us = after_ms(700);

	(void)state;
	start_script(
		&run, "hook", "trap 'echo told; exit 0' TERM\nkill -STOP $$\n" SLEEP, deadline_us);
	wait_stopped(run.pid);
	pass_to(deadline_us);
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
	assert_last_words(&run, "told");
}

static void a_script_that_ignores_term_is_killed(void **state)
{
	struct run ignores = { 0 }, child_ignores = { 0 }, stops = { 0 };
	pid_t script, child;
	uint64_t told_us;

	(void)state;
	/* The script itself ends by TERM at once. */
	start_script(&child_ignores, "parent",
		"sh -c 'trap \"\" TERM; " SAY_PID("child") SLEEP "' &\nwait", 0);
	start_script(&stops, "stops", "trap 'kill -STOP $$' TERM\n: >$D/stops.ready\n" SLEEP, 0);
	child = pid_from("child");
	wait_for("stops.ready");
	told_us = start_ready(&ignores, "trap '' TERM\n" SAY_PID("script") ": >$D/ready\n" SLEEP);
	script = pid_from("script");
	command_cut(child_ignores.command);
	command_cut(stops.command);
	pass_to_kill(&ignores, told_us);
	wait_ended(&ignores);
	wait_ended(&child_ignores);
	wait_ended(&stops);
	assert_ended_by_us(&ignores, COMMAND_TIMED_OUT, true);
	assert_ended_by_us(&child_ignores, COMMAND_CUT, true);
	assert_ended_by_us(&stops, COMMAND_CUT, true);
	assert_true(took_us(&ignores) >= COMMAND_KILL_AFTER_US);
	assert_true(took_us(&child_ignores) >= COMMAND_KILL_AFTER_US);
	assert_true(took_us(&stops) >= COMMAND_KILL_AFTER_US);
	wait_gone(script);
	wait_gone(child);
}

/* Passes every signal on, but holds back the end, as if the process hung in the kernel. */
_Noreturn static void hold_back(pid_t script)
{
	bool held = ptrace(PTRACE_SEIZE, script, NULL, (void *)PTRACE_O_TRACEEXIT) == 0;
	int status;

	file_with("answer", held ? "1" : "0", 0644);
	rename(path_of("answer"), path_of("held"));
	while (waitpid(script, &status, __WALL) == script && status >> 16 != PTRACE_EVENT_EXIT)
		ptrace(PTRACE_CONT, script, NULL, (void *)(intptr_t)WSTOPSIG(status));
	for (;;)
		pause();
}

static void a_script_that_hangs_in_the_kernel_is_given_up(void **state)
{
	struct run run = { 0 };
	pid_t script, holder;
	bool held;

	(void)state;
	start(&run, "trap '' TERM\n" SAY_PID("script") SLEEP);
	script = pid_from("script");
	holder = fork();
	assert_true(holder >= 0);
	if (holder == 0)
		hold_back(script);
	held = pid_from("held");
	command_cut(run.command);
	pass_to_kill(&run, clock_boot_us());
	if (held) {
		for (int i = 0; i < 50; i++)
			turn();
		assert_int_equal(run.ended, 0);
		pass_to(after_ms(1000));
	}
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_CUT, true);
	assert_true(took_us(&run) >= COMMAND_KILL_AFTER_US);
	assert_int_equal(is_running(script), held);
	assert_int_equal(run.result.left, held ? script : 0);
	assert_int_equal(held && command_hangs(script), held);
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	if (!held) {
		print_message("no process may be held back here\n");
		skip();
	}
	for (int rounds = 0; command_hangs(script) && rounds < ROUNDS; rounds++)
		turn();
	assert_false(command_hangs(script));
	assert_int_equal(waitpid(script, NULL, 0), -1); /* it was reaped */
}

static void the_whole_group_must_end(void **state)
{
	struct run run = { 0 };
	pid_t child;

	(void)state;
	start(&run, "sh -c 'trap \"sleep 0.5; exit\" TERM; " SAY_PID("child") SLEEP "' &\nwait");
	child = pid_from("child");
	command_cut(run.command);
	wait_ended(&run);
	assert_false(is_running(child));
	assert_ended_by_us(&run, COMMAND_CUT, false);
}

/* With job control, a child in the foreground gets a group of its own. */
#define JOB_CONTROL "#!/bin/bash\nset -m\n"

static void start_bash(struct run *run, const char *name, const char *text, uint64_t deadline_us)
{
	struct command_order order = { .deadline_us = deadline_us };

	order.fd = opened(file_with(name, text, 0755));
	start_order(run, &order);
	close(order.fd);
}

static void the_groups_of_a_shell_with_job_control_must_end(void **state)
{
	struct run ends = { 0 }, late = { 0 }, deaf = { 0 };
	pid_t child, late_child, deaf_child;
	uint64_t told_us;

	(void)state;
	start_bash(&ends, "ends", JOB_CONTROL "sh -c '" SAY_PID("child") SLEEP "'\n", 0);
	start_bash(&late, "late",
		JOB_CONTROL
		"sh -c 'trap \"\" HUP; trap \"sleep 0.5; : >$D/slept; exit\" TERM\n" SAY_PID(
			"late_child") "kill -STOP $$\n" SLEEP "' &\nsleep 1000\n",
		0);
	start_bash(&deaf, "deaf",
		JOB_CONTROL "sh -c 'trap \"\" TERM\n" SAY_PID("deaf_child") SLEEP "'\n", 0);
	child = pid_from("child");
	late_child = pid_from("late_child");
	deaf_child = pid_from("deaf_child");
	wait_stopped(late_child);
	told_us = clock_boot_us();
	command_cut(ends.command);
	command_cut(late.command);
	command_cut(deaf.command);
	wait_ended(&ends);
	assert_false(is_running(child));
	assert_ended_by_us(&ends, COMMAND_CUT, false);
	wait_ended(&late);
	assert_false(is_running(late_child));
	assert_ended_by_us(&late, COMMAND_CUT, false);
	assert_int_equal(access(path_of("slept"), F_OK), 0);
	pass_to_kill(&deaf, told_us);
	wait_ended(&deaf);
	assert_ended_by_us(&deaf, COMMAND_CUT, true);
	wait_gone(deaf_child);
}

static void a_process_with_a_session_of_its_own_is_left_alone(void **state)
{
	struct run run = { 0 };
	pid_t child;

	(void)state;
	start(&run, "setsid sh -c '" SAY_PID("child") SLEEP "' &\nwait");
	child = pid_from("child");
	command_cut(run.command);
	wait_ended(&run);
	assert_true(is_running(child));
	kill(child, SIGKILL);
	wait_gone(child);
}

static void term_is_sent_once(void **state)
{
	struct run run = { 0 };

	(void)state;
	start_script(&run, "hook",
		"trap 'echo told >>$D/told; sleep 0.3; exit' TERM\ntouch $D/ready\n" SLEEP, 0);
	wait_for("ready");
	command_cut(run.command);
	wait_ended(&run);
	assert_int_equal(access(path_of("told"), F_OK), 0);
	assert_int_equal(file_size("told"), strlen("told\n"));
}

/* ---- cut --------------------------------------------------------------------------------- */

static void an_unwanted_script_is_cut(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, ": >$D/ready\n" SLEEP_ITSELF);
	wait_for("ready");
	command_cut(run.command);
	command_cut(run.command);
	assert_int_equal(run.ended, 0);
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_CUT, false);
}

static void a_script_may_be_cut_before_it_has_begun(void **state)
{
	struct run run = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		start(&run, SLEEP_ITSELF);
		command_cut(run.command);
		wait_ended(&run);
		assert_ended_by_us(&run, COMMAND_CUT, false);
	}
}

static void the_first_reason_for_the_end_is_kept(void **state)
{
	struct run run = { 0 };

	(void)state;
	start_ready(&run,
		"trap ': >$D/told; while [ ! -e $D/go ]; do sleep 0.01; done; exit' TERM\n"
		": >$D/ready\n" SLEEP);
	wait_for("told");
	command_cut(run.command);
	file_with("go", "", 0644);
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
}

/* Without a turn of the loop, so that hookd does not know of the end yet. */
static void let_it_end(void)
{
	siginfo_t info = { 0 };

	for (int rounds = 0; !info.si_pid && rounds < PATIENCE_ROUNDS; rounds++) {
		assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), 0);
		if (!info.si_pid)
			poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	assert_true(info.si_pid > 0);
}

static void a_script_that_ended_in_time_is_not_cut(void **state)
{
	struct run run = { .keep = true };

	(void)state;
	start(&run, "exit 4");
	let_it_end();
	command_cut(run.command);
	wait_ended(&run);
	assert_exited(&run, 4, "");
	command_free(run.command);
}

static void a_script_that_ended_before_the_check_has_not_timed_out(void **state)
{
	struct run run = { 0 };

	(void)state;
	start_script(&run, "hook", "exit 4", after_ms(0));
	let_it_end();
	wait_ended(&run);
	assert_exited(&run, 4, "");
}

/* ---- background processes -------------------------------------------------------------------- */

static void a_child_in_the_background_is_not_waited_for(void **state)
{
	struct run run = { 0 };
	pid_t child;

	(void)state;
	start(&run, "sleep 1000 &\necho $!");
	wait_ended(&run);
	child = atoi(run.result.output);
	assert_int_equal(run.result.end, COMMAND_EXITED);
	assert_true(child > 1 && is_running(child));
	kill(child, SIGKILL);
	wait_gone(child);
}

static void a_child_that_writes_on_gets_sigpipe(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run, "(while :; do echo x; sleep 0.02; done) &\necho $! >$D/child");
	wait_ended(&run);
	assert_int_equal(run.result.end, COMMAND_EXITED);
	wait_gone(pid_from("child"));
}

static void a_script_that_closes_its_output_goes_on(void **state)
{
	struct run run = { 0 };

	(void)state;
	start(&run,
		"echo last words\nexec >&- 2>&-\ntouch $D/ready\n"
		"while [ ! -e $D/go ]; do sleep 0.01; done\nexit 9");
	wait_for("ready");
	for (int i = 0; i < 50; i++)
		turn();
	assert_int_equal(run.ended, 0);
	file_with("go", "", 0644);
	wait_ended(&run);
	assert_exited(&run, 9, "last words");
}

/* ---- the end of hookd ------------------------------------------------------------------------ */

static int start_and_vanish(void)
{
	struct run run = { .keep = true };

	loop_made_in_child();
	start(&run, SAY_PID("script") SLEEP);
	wait_for("script");
	raise(SIGKILL);
	return 0;
}

static void a_script_does_not_outlive_hookd(void **state)
{
	(void)state;
	assert_int_equal(in_child(start_and_vanish), 128 + SIGKILL);
	wait_gone(pid_from("script"));
}

static void a_command_that_is_freed_kills_its_session(void **state)
{
	struct run run = { .keep = true };
	pid_t script, child;

	(void)state;
	start(&run, "trap '' TERM\nsleep 1000 &\necho $! >$D/child\n" SAY_PID("script") SLEEP);
	script = pid_from("script");
	child = pid_from("child");
	command_free(run.command);
	assert_int_equal(waitpid(script, NULL, 0), script);
	wait_gone(child);
	assert_int_equal(run.ended, 0);
}

/* ---- floods ------------------------------------------------------------------------------ */

static long pages_used(void)
{
	long all = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
	fclose(file);
	return resident;
}

static void the_end_of_a_long_output_is_kept(void **state)
{
	struct run run = { 0 };
	long before;

	(void)state;
	start(&run, "echo warm");
	wait_ended(&run);
	before = pages_used();
	start(&run, "yes | head -c 50M\necho the end");
	wait_ended(&run);
	assert_int_equal(run.result.end, COMMAND_EXITED);
	assert_true(run.result.output_cut);
	assert_int_equal(strlen(run.result.output), COMMAND_OUTPUT_MAX - 1);
	assert_string_equal(run.result.output + COMMAND_OUTPUT_MAX - 1 - 10, "\ny\nthe end");
	assert_true(pages_used() - before < 1024);
}

static int count_tick(sd_event_source *source, uint64_t time_us, void *user)
{
	unsigned *ticks = user;

	(void)time_us;
	++*ticks;
	return timer_in(source, 10 * MS);
}

/* Every turn of the loop has output to read; timers and the deadline must still come in time. */
static void endless_output_delays_no_timer(void **state)
{
	struct run run = { 0 };
	unsigned ticks = 0;
	uint64_t deadline_us = after_ms(600);
	sd_event_source *tick = NULL;

	(void)state;
	assert_int_equal(timer_add(loop, &tick, TIMER_SHARP_US, count_tick, &ticks), 0);
	assert_int_equal(timer_in(tick, 10 * MS), 0);
	/* More than the pipe holds, so the kept output was cut by then. */
	start_script(&run, "hook", "yes | head -c 200000\n: >$D/begun\nexec yes", deadline_us);
	wait_for("begun");
	for (unsigned i = 1; i < 60; i++) {
		for (int turns = 0; turns < 3; turns++)
			turn();
		virtual_us = deadline_us - 600 * MS + i * 10 * MS;
		turn();
		assert_int_equal(ticks, i);
	}
	virtual_us = deadline_us;
	sd_event_source_unref(tick);
	wait_ended(&run);
	assert_ended_by_us(&run, COMMAND_TIMED_OUT, false);
	assert_true(run.result.output_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LOOP(a_sleeping_script_gets_term_at_its_deadline),
		IN_LOOP(a_deadline_in_the_past_ends_the_script),
		IN_LOOP(output_after_term_is_read),
		IN_LOOP(a_stopped_script_gets_term_too),
		IN_LOOP(a_script_that_ignores_term_is_killed),
		IN_LOOP(a_script_that_hangs_in_the_kernel_is_given_up),
		IN_LOOP(the_whole_group_must_end),
		IN_LOOP(the_groups_of_a_shell_with_job_control_must_end),
		IN_LOOP(a_process_with_a_session_of_its_own_is_left_alone),
		IN_LOOP(term_is_sent_once),
		IN_LOOP(an_unwanted_script_is_cut),
		IN_LOOP(a_script_may_be_cut_before_it_has_begun),
		IN_LOOP(the_first_reason_for_the_end_is_kept),
		IN_LOOP(a_script_that_ended_in_time_is_not_cut),
		IN_LOOP(a_script_that_ended_before_the_check_has_not_timed_out),
		IN_LOOP(a_child_in_the_background_is_not_waited_for),
		IN_LOOP(a_child_that_writes_on_gets_sigpipe),
		IN_LOOP(a_script_that_closes_its_output_goes_on),
		IN_LOOP(a_script_does_not_outlive_hookd),
		IN_LOOP(a_command_that_is_freed_kills_its_session),
		IN_LOOP(the_end_of_a_long_output_is_kept),
		IN_LOOP(endless_output_delays_no_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
