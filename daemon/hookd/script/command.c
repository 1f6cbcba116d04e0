/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: starts a child, reads its output, and ends it when its time is over.
 *
 *	RUNNING ─→ ENDING	at the deadline or command_cut(): TERM to its session
 *	ENDING  ─→ KILLED	COMMAND_KILL_AFTER_US later: KILL to its session
 *	all     ─→ OVER		ended() is called
 *
 * After a normal end, processes that the child left in the background go on. Nothing reads their
 * output any more: a process that writes to the closed pipe gets SIGPIPE. After TERM the session
 * has to be gone as well.
 *
 * The child is reaped after child_ended(), and as long as its session has members the kernel does
 * not reuse its number: no signal of hookd reaches another process.
 */
#include "hookd/loop/timer.h"
#include "program/clock.h"
#include "program/kernel.h"
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	READ_MAX = 32768,     /* bytes of its output in one wake-up */
	DRAIN_MAX = 1048576,  /* the most that a pipe holds: read at the end */
	LOOK_US = 5000,	      /* until the session is looked at again; doubled each time */
	GIVE_UP_US = 1000000, /* after KILL: it hangs in the kernel and runs no more code */
	OUTPUT_PRIORITY = 10, /* behind all sources that decide, so that a flood delays nothing */
};

enum state { RUNNING, ENDING, KILLED, OVER };

struct command {
	enum state state;
	pid_t pid; /* also of its session; 0: not started */
	bool gone; /* it has ended, its session has not */
	uint64_t kill_us, look_us;
	int output_fd, status_fd;
	sd_event_source *child, *output, *time;
	struct command_output said;
	struct command_result result;
	command_ended_fn *ended;
	void *user;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void read_output(struct command *c, size_t size)
{
	char bytes[READ_MAX];

	while (size && c->output_fd >= 0) {
		ssize_t n = read(c->output_fd, bytes, size < READ_MAX ? size : READ_MAX);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			c->output = sd_event_source_unref(c->output);
			close_fd(&c->output_fd);
			return;
		}
		command_output_take(&c->said, bytes, (size_t)n);
		size -= (size_t)n;
	}
}

static void take_exec_error(struct command *c)
{
	int error;

	if (read(c->status_fd, &error, sizeof(error)) != sizeof(error))
		return;
	c->result.end = COMMAND_UNSTARTED;
	c->result.status = error;
}

bool command_hangs(pid_t left)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)left, &info, WEXITED | WNOHANG) == 0 && !info.si_pid)
		return true;
	return !command_session_is_gone(left);
}

/* Must be the last act on `c`, because ended() may free it. */
static void finish(struct command *c)
{
	struct command_result result;

	if (c->state == KILLED && command_hangs(c->pid))
		c->result.left = c->pid;
	read_output(c, DRAIN_MAX);
	take_exec_error(c);
	c->state = OVER;
	c->child = sd_event_source_unref(c->child);
	c->output = sd_event_source_unref(c->output);
	c->time = sd_event_source_unref(c->time);
	close_fd(&c->output_fd);
	close_fd(&c->status_fd);
	c->result.ended_us = clock_boot_us();
	c->result.output_cut = command_output_text(&c->said, c->result.output);
	result = c->result;
	c->ended(c->user, &result);
}

/* ---- signals and time -------------------------------------------------------------------- */

/* A child that has not called setsid() yet has no group of its own. */
static void tell(const struct command *c, int number)
{
	if (kill(-c->pid, number) < 0 && !c->gone)
		kill(c->pid, number);
	command_session_tell_others(c->pid, number);
}

/* Stopped processes get CONT, because they act on TERM only then. */
static void begin_end(struct command *c, enum command_end why)
{
	c->state = ENDING;
	c->result.end = why;
	c->kill_us = clock_boot_us() + COMMAND_KILL_AFTER_US;
	c->look_us = LOOK_US;
	tell(c, SIGTERM);
	tell(c, SIGCONT);
	timer_at(c->time, c->kill_us);
}

static void kill_it(struct command *c)
{
	c->state = KILLED;
	c->result.killed = true;
	tell(c, SIGKILL);
	if (c->gone)
		finish(c);
	else
		timer_in(c->time, GIVE_UP_US);
}

static void look_at_session(struct command *c)
{
	uint64_t now_us = clock_boot_us();

	if (command_session_is_gone(c->pid)) {
		finish(c);
	} else if (now_us >= c->kill_us) {
		kill_it(c);
	} else {
		timer_at(c->time,
			now_us + c->look_us < c->kill_us ? now_us + c->look_us : c->kill_us);
		c->look_us *= 2;
	}
}

/* The child has ended in time, although the loop has not reported its end yet. */
static bool has_ended(const struct command *c)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static int on_time(sd_event_source *source, uint64_t time_us, void *user)
{
	struct command *c = user;

	(void)source;
	(void)time_us;
	switch (c->state) {
	case RUNNING:
		if (!has_ended(c))
			begin_end(c, COMMAND_TIMED_OUT);
		break;
	case ENDING:
		if (c->gone)
			look_at_session(c);
		else
			kill_it(c);
		break;
	case KILLED:
		finish(c);
		break;
	case OVER:
		break;
	}
	return 0;
}

/* ---- the child's output and its end ------------------------------------------------------ */

static int on_output(sd_event_source *source, int fd, uint32_t events, void *user)
{
	(void)source;
	(void)fd;
	(void)events;
	read_output(user, READ_MAX);
	return 0;
}

static void child_ended(struct command *c, const siginfo_t *info)
{
	bool exited = info->si_code == CLD_EXITED;

	switch (c->state) {
	case RUNNING:
		c->result.end = exited ? COMMAND_EXITED : COMMAND_SIGNALLED;
		c->result.status = info->si_status;
		finish(c);
		break;
	case ENDING:
		c->gone = true;
		timer_at(c->time, 0);
		break;
	case KILLED:
		finish(c);
		break;
	case OVER:
		break;
	}
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	(void)source;
	child_ended(user, info);
	return 0;
}

/* ---- the start --------------------------------------------------------------------------- */

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Sealed, so that every reader of it reads the same. */
static int fill_input(int fd, const struct command_order *order)
{
	int r = write_all(fd, order->input, order->input_size);

	if (r < 0)
		return r;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) <
			0)
		return -errno;
	return 0;
}

static int open_input(const struct command_order *order, int *ret_fd)
{
	if (!order->input) {
		*ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return *ret_fd < 0 ? -errno : 0;
	}
	*ret_fd = kernel_memfd("electd-event");
	return *ret_fd < 0 ? *ret_fd : fill_input(*ret_fd, order);
}

/* Only hookd's end does not block: the script must not get EAGAIN. */
static int open_pipe(int *ret_ours, int *ret_its)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*ret_ours = ends[0];
	*ret_its = ends[1];
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int open_ends(
	struct command *c, const struct command_order *order, struct command_ends *ends)
{
	int r = open_input(order, &ends->input);

	if (r == 0)
		r = open_pipe(&c->output_fd, &ends->output);
	if (r == 0)
		r = open_pipe(&c->status_fd, &ends->status);
	return r;
}

/* sd-event requires it. With an inherited setting the kernel might even reap children unseen. */
static int keep_children(void)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (sigaction(SIGCHLD, &by_default, NULL) < 0 || sigprocmask(SIG_BLOCK, &child, NULL) < 0)
		return -errno;
	return 0;
}

static int add_sources(struct command *c, sd_event *event, uint64_t deadline_us)
{
	int r = sd_event_add_io(event, &c->output, c->output_fd, EPOLLIN, on_output, c);

	if (r >= 0)
		r = sd_event_source_set_priority(c->output, OUTPUT_PRIORITY);
	if (r >= 0)
		r = timer_add(event, &c->time, TIMER_SHARP_US, on_time, c);
	if (r >= 0)
		r = timer_at(c->time, deadline_us);
	return r < 0 ? r : 0;
}

static int spawn(struct command *c, sd_event *event, const struct command_order *order,
	const struct command_ends *ends)
{
	pid_t parent = getpid(), pid = fork();
	int r;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		command_child(order, ends, parent);
	c->pid = pid;
	r = sd_event_add_child(event, &c->child, pid, WEXITED, on_child, c);
	if (r >= 0)
		return 0;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	c->pid = 0;
	return r;
}

int command_start(struct command **ret_command, sd_event *event, const struct command_order *order,
	command_ended_fn *ended, void *user)
{
	struct command_ends ends = { -1, -1, -1 };
	struct command *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->output_fd = c->status_fd = -1;
	c->ended = ended;
	c->user = user;
	c->result.started_us = clock_boot_us();
	r = keep_children();
	if (r == 0)
		r = open_ends(c, order, &ends);
	if (r == 0)
		r = add_sources(c, event, order->deadline_us);
	if (r == 0)
		r = spawn(c, event, order, &ends);
	close_fd(&ends.input);
	close_fd(&ends.output);
	close_fd(&ends.status);
	if (r < 0) {
		command_free(c);
		return r;
	}
	*ret_command = c;
	return 0;
}

void command_cut(struct command *c)
{
	if (c->state == RUNNING && !has_ended(c))
		begin_end(c, COMMAND_CUT);
}

void command_free(struct command *c)
{
	if (!c)
		return;
	if (c->state != OVER && c->pid)
		tell(c, SIGKILL);
	sd_event_source_unref(c->child);
	sd_event_source_unref(c->output);
	sd_event_source_unref(c->time);
	close_fd(&c->output_fd);
	close_fd(&c->status_fd);
	free(c);
}
