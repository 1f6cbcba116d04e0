/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126, BY_SIGNAL = 128 };

/* A process group in the background is stopped when it reads from the terminal. */
static void terminal_give(pid_t group)
{
	tcsetpgrp(STDIN_FILENO, group);
}

static void leave_terminal(int output)
{
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
		dup2(output, STDERR_FILENO) < 0)
		_exit(NOT_EXECUTABLE);
}

/*
 * Runs in the child, which after vfork() shares the parent's memory and must not change it. If
 * `parent` dies, the command is killed, because no process would be left to end it.
 */
_Noreturn static void become(
	char *const *words, const sigset_t *mask, pid_t parent, bool terminal, int output)
{
	int rc;

	if (output >= 0)
		leave_terminal(output);
	else
		setpgid(0, 0);
	if (terminal)
		terminal_give(getpgrp());
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(NOT_EXECUTABLE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(words[0], words);
	/* If `output` is set, the caller reports this message in its own words. */
	rc = errno;
	dprintf(STDERR_FILENO, "%scannot run %s: %s\n", output < 0 ? "electctl: " : "", words[0],
		strerror(rc));
	_exit(rc == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/*
 * A command that runs apart is started with vfork(), because copying this process costs more than
 * everything else that a probe does. vfork() blocks this process until the command is executed. A
 * foreground command is started with fork(), because this process must be able to end it also while
 * a slow file system delays the execution.
 */
static int start(
	struct child *c, char *const *words, const sigset_t *mask, bool terminal, int output)
{
	pid_t parent = getpid(), child;

	/* Orphans of the group become children of this process, so it is notified when they end. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return -errno;
	fflush(NULL);
	child = output < 0 ? fork() : vfork();
	if (child < 0)
		return -errno;
	if (child == 0)
		become(words, mask, parent, terminal, output);
	if (output < 0)
		setpgid(child, child); /* in both processes, as either may need it first */
	*c = (struct child){ .group = child, .terminal = terminal };
	return 0;
}

int child_start(struct child *c, char *const *words, const sigset_t *mask)
{
	bool terminal = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();

	return start(c, words, mask, terminal, -1);
}

int child_start_apart(struct child *c, char *const *words, const sigset_t *mask, int output)
{
	return start(c, words, mask, false, output);
}

void child_signal(const struct child *c, int signal)
{
	if (c->group) {
		kill(-c->group, signal);
		kill(-c->group, SIGCONT);
	}
}

static void ended(struct child *c, const siginfo_t *info)
{
	c->ended = true;
	c->status = info->si_code == CLD_EXITED ? info->si_status : BY_SIGNAL + info->si_status;
}

static void take_in(struct child *c)
{
	siginfo_t info = { 0 };

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid) {
		if (info.si_pid == c->group)
			ended(c, &info);
		info.si_pid = 0;
	}
}

bool child_gone(struct child *c)
{
	if (!c->group)
		return true;
	take_in(c);
	if (!c->ended || kill(-c->group, 0) == 0 || errno != ESRCH)
		return false;
	c->group = 0;
	if (c->terminal)
		terminal_give(getpgrp());
	return true;
}

/* Kills the children of this process, adopted orphans included; their children in a later call. */
static void kill_children(void)
{
	FILE *list = fopen("/proc/thread-self/children", "re");
	int pid;

	if (!list)
		return;
	while (fscanf(list, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	fclose(list);
}

static bool childless(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0;
}

bool child_sweep(struct child *c)
{
	child_signal(c, SIGKILL);
	if (!childless()) {
		kill_children();
		take_in(c);
	}
	return child_gone(c) && childless();
}
