/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: runs one script now, with the input that electd-hookd would give it. The script keeps the
 * terminal and the process group of electctl, so Ctrl-C ends both. There is no time limit.
 */
#include "hooks.h"

#include "program/clock.h"
#include "program/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOT_EXECUTABLE = 126,
	SCRIPT_FD = 63, /* or the next free one; as in hookd, a number that no shell uses itself */
};

/* A descriptor to read `text` from, or -errno. */
static int text_file(const char *text)
{
	int fd = kernel_memfd("event");

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* Runs in the child. Output goes to stderr, because stdout is for data. */
_Noreturn static void become(
	const struct vet_script *script, char *const *argv, char *const *environment, int input)
{
	/* Not close-on-exec, because an interpreter opens it again. */
	int fd = fcntl(script->fd, F_DUPFD, SCRIPT_FD);

	umask(022);
	if (fd >= 0 && chdir("/") == 0 && dup2(input, STDIN_FILENO) >= 0 &&
		dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execveat(fd, "", argv, environment, AT_EMPTY_PATH);
	fprintf(stderr, "electctl: cannot run %s: %s\n", script->path, strerror(errno));
	_exit(NOT_EXECUTABLE);
}

/* The result has hookd's names. */
json_t *hooks_run(const struct vet_script *script, char *const *environment, const char *input,
	const char *event, const char *domain)
{
	char *const argv[] = { (char *)script->path, (char *)event, (char *)domain, NULL };
	int64_t began = clock_boot_ms();
	siginfo_t info = { 0 };
	int fd = text_file(input);
	pid_t child;

	if (fd < 0)
		return NULL;
	fflush(NULL);
	child = fork();
	if (child == 0)
		become(script, argv, environment, fd);
	close(fd);
	if (child < 0)
		return NULL;
	while (waitid(P_PID, (id_t)child, &info, WEXITED) < 0 && errno == EINTR)
		;
	return json_pack("{s:s, s:i, s:I}", "result",
		info.si_code != CLD_EXITED    ? "signalled"
			: info.si_status == 0 ? "ok"
					      : "failed",
		"status", info.si_status, "runtime_ms", (json_int_t)(clock_boot_ms() - began));
}
