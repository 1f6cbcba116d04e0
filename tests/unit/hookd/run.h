/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: a loop, and scripts that run in it. Scripts run in real time; deadlines and the time between
 * TERM and KILL are virtual, and pass only when a test lets them pass.
 */
#ifndef ELECTD_TEST_HOOKD_RUN_H
#define ELECTD_TEST_HOOKD_RUN_H

#include "dir.h"

#include "program/clock.h"
#include "hookd/script/inside.h"
#include "unit/patience.h"
#include "virtual.h"

#include <dlfcn.h>
#include <signal.h>

enum {
	LIMIT_US = 30000000, /* a deadline that no test reaches */
	MS = 1000,
	ROUNDS = PATIENCE_ROUNDS * PATIENCE_ROUND_MS, /* turns of a millisecond each */
};

struct run {
	struct command *command;
	pid_t pid;
	struct command_result result;
	unsigned ended; /* how often on_ended() was called */
	bool keep;	/* not freed by on_ended() */
};

static sd_event *loop;
static pid_t forked_last;

/* Records the pid of a script, which command.h does not give. */
pid_t fork(void)
{
	union {
		void *found;
		pid_t (*call)(void);
	} next = { .found = dlsym(RTLD_NEXT, "fork") };

	return forked_last = next.call();
}

static inline int loop_made(void **state)
{
	/* valgrind does not know pidfds, and warns each time. */
	if (getenv("TEST_WRAPPER"))
		setenv("SYSTEMD_PIDFD", "0", 1);
	return dir_made(state) < 0 || sd_event_new(&loop) < 0 ? -1 : 0;
}

static inline int loop_removed(void **state)
{
	loop = sd_event_unref(loop);
	return dir_removed(state);
}

/* A loop belongs to the process that made it. */
static inline void loop_made_in_child(void)
{
	sd_event_unref(loop);
	assert_true(sd_event_new(&loop) >= 0);
}

static inline int loop_left(int code)
{
	loop = sd_event_unref(loop);
	return code;
}

#define IN_LOOP(test) cmocka_unit_test_setup_teardown(test, loop_made, loop_removed)

static void on_ended(void *user, const struct command_result *result)
{
	struct run *run = user;

	run->result = *result;
	run->ended++;
	if (!run->keep)
		command_free(run->command);
}

static inline char **environment(void)
{
	static char folder[80];
	static char *all[] = { "PATH=/usr/bin:/bin", folder, NULL };

	snprintf(folder, sizeof(folder), "D=%s", dir);
	return all;
}

static inline void start_order(struct run *run, struct command_order *order)
{
	static char *const argv[] = { "hook", "leader", "default", NULL };
	int r;

	if (!order->argv)
		order->argv = argv;
	if (!order->envp)
		order->envp = environment();
	if (!order->deadline_us)
		order->deadline_us = clock_boot_us() + LIMIT_US;
	*run = (struct run){ .keep = run->keep };
	r = command_start(&run->command, loop, order, on_ended, run);
	if (r < 0)
		fail_msg("command_start: %s", strerror(-r));
	run->pid = forked_last;
}

static inline int opened(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static inline void start_script(
	struct run *run, const char *name, const char *lines, uint64_t deadline_us)
{
	struct command_order order = { .deadline_us = deadline_us };

	order.fd = opened(script_with(name, lines));
	start_order(run, &order);
	close(order.fd);
}

static inline void start(struct run *run, const char *lines)
{
	start_script(run, "hook", lines, 0);
}

static inline void start_program(struct run *run, const char *path, char *const *argv)
{
	struct command_order order = { .fd = -1, .path = path, .argv = argv };

	start_order(run, &order);
}

static inline uint64_t after_ms(uint64_t ms)
{
	return clock_boot_us() + ms * MS;
}

/* Turns the loop once; false: nothing happened for a millisecond. */
static inline bool turn(void)
{
	return virtual_turn(loop, MS);
}

static inline void pass_to(uint64_t at_us)
{
	virtual_pass_to(loop, at_us);
}

/* The first process was reaped, and no process of the session runs any more. */
static inline bool session_is_gone(const struct run *run)
{
	return kill(run->pid, 0) < 0 && errno == ESRCH && command_session_is_gone(run->pid);
}

/* No virtual time passes before the session is gone, so no KILL is due too early. */
static inline void wait_ended(const struct run *run)
{
	for (int rounds = 0; !run->ended && rounds < ROUNDS;) {
		if (turn())
			continue;
		if (!run->ended && session_is_gone(run))
			virtual_pass_to_timer(UINT64_MAX);
		rounds++;
	}
	if (!run->ended)
		fail_msg("it has not ended");
	assert_int_equal(run->ended, 1);
}

static inline void wait_for(const char *name)
{
	for (int rounds = 0; access(path_of(name), F_OK) < 0 && rounds < ROUNDS;)
		rounds += !turn();
	assert_int_equal(access(path_of(name), F_OK), 0);
}

/* The pid in the file, which the script writes whole, by rename. */
static inline pid_t pid_from(const char *name)
{
	char text[32] = "";
	FILE *file;

	wait_for(name);
	file = fopen(path_of(name), "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	return atoi(text);
}

/* A zombie counts as not running. */
static inline bool is_running(pid_t pid)
{
	char path[32], text[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end && end[2] != 'Z' && end[2] != 'X';
}

static inline bool is_stopped(pid_t pid)
{
	char path[32], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'T';
}

static inline void wait_stopped(pid_t pid)
{
	for (int rounds = 0; !is_stopped(pid) && rounds < ROUNDS;)
		rounds += !turn();
	assert_true(is_stopped(pid));
}

static inline void wait_gone(pid_t pid)
{
	for (int rounds = 0; is_running(pid) && rounds < ROUNDS;)
		rounds += !turn();
	assert_false(is_running(pid));
}

static inline void assert_exited(const struct run *run, int status, const char *output)
{
	assert_string_equal(run->result.output, output);
	assert_int_equal(run->result.end, COMMAND_EXITED);
	assert_int_equal(run->result.status, status);
	assert_false(run->result.killed);
	assert_true(run->result.started_us <= run->result.ended_us);
}

static inline void assert_unstarted(const struct run *run, int error)
{
	assert_int_equal(run->result.end, COMMAND_UNSTARTED);
	assert_int_equal(run->result.status, error);
}

static inline uint64_t took_us(const struct run *run)
{
	return run->result.ended_us - run->result.started_us;
}

#endif
