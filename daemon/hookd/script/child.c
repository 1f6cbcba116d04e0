/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: the child from fork to exec. The script inherits nothing of hookd but what is set here: no
 * descriptor, no signal setting, no folder. Only calls that are allowed between fork and exec.
 */
#include "inside.h"

#include "program/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/*
	 * Open in the script, because an interpreter reads the script by this number. Shells use
	 * numbers below 10 by name and take those from 10 on when they need one, so this is well
	 * above.
	 */
	SCRIPT_FD = 63,
	STATUS_FD = 62,
	FREE_FD = 64, /* numbers from here on are unused */
};

/* Sends errno to the parent, which learns by it that nothing was started. */
_Noreturn static void give_up(int status_fd)
{
	int error = errno;

	if (write(status_fd, &error, sizeof(error)) < 0)
		_exit(126); /* only the exit status is left to report the failure */
	_exit(127);
}

/* Clears ignored and blocked signals, because both would outlive exec. */
static int clean_signals(void)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &by_default, NULL); /* some cannot be changed, nor need it */
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves *fd out of the way of the fixed numbers. If that fails, *fd is unchanged. */
static bool lift(int *fd)
{
	int lifted = *fd < 0 ? -1 : fcntl(*fd, F_DUPFD_CLOEXEC, FREE_FD);

	if (lifted < 0)
		return *fd < 0;
	*fd = lifted;
	return true;
}

static int place_descriptors(struct command_ends *ends, int script)
{
	if (!lift(&ends->status) || !lift(&ends->input) || !lift(&ends->output) || !lift(&script))
		return -1;
	if (dup2(ends->input, 0) < 0 || dup2(ends->output, 1) < 0 || dup2(ends->output, 2) < 0)
		return -1;
	if (dup3(ends->status, STATUS_FD, O_CLOEXEC) < 0)
		return -1;
	ends->status = STATUS_FD;
	if (script >= 0 && dup2(script, SCRIPT_FD) < 0)
		return -1;
	if (script < 0)
		close(SCRIPT_FD);
	kernel_close_range(3, STATUS_FD - 1);
	kernel_close_range(FREE_FD, ~0U);
	return 0;
}

static int prepare(const struct command_order *order, struct command_ends *ends)
{
	if (setsid() < 0 || place_descriptors(ends, order->fd) < 0 || chdir("/") < 0)
		return -1;
	umask(022);
	return clean_signals();
}

_Noreturn void command_child(
	const struct command_order *order, const struct command_ends *ends, pid_t parent)
{
	struct command_ends own = *ends;

	/* Set before the check, so that a parent that ends in between is noticed. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(127);
	if (prepare(order, &own) < 0)
		give_up(own.status);
	if (order->fd >= 0)
		execveat(SCRIPT_FD, "", order->argv, order->envp, AT_EMPTY_PATH);
	else
		execve(order->path, order->argv, order->envp);
	give_up(own.status);
}
