/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/kernel.h"
#include "program/whole.h"

enum { NOT_FOUND = 127 };

/* In memory: a write to a full pipe would block, because the program does not run yet. */
static int open_input(const char *input)
{
	size_t size = input ? strlen(input) : 0;
	int fd = kernel_memfd("electctl");

	if (fd >= 0 &&
		(write(fd, input ? input : "", size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -EIO;
	}
	return fd;
}

_Noreturn static void become(char *const *words, int in, int out)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(NOT_FOUND);
	execvp(words[0], words);
	_exit(NOT_FOUND);
}

static int ended(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return -ENOEXEC;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int run(char *const *words, int in, size_t max, char **ret_output)
{
	int ends[2], rc, end;
	char *output = NULL;
	pid_t child;
	size_t size;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	child = fork();
	if (child == 0)
		become(words, in, ends[1]);
	close(ends[1]);
	rc = child < 0 ? -errno : whole_read(ends[0], max, &output, &size);
	close(ends[0]);
	end = child < 0 ? 0 : ended(child);
	if (!rc && !end) {
		*ret_output = output;
		return 0;
	}
	if (rc)
		return rc;
	explicit_bzero(output, size);
	free(output);
	return end;
}

int filter_run(char *const *words, const char *input, size_t max, char **ret_output)
{
	int in = open_input(input), rc;

	if (in < 0)
		return in;
	rc = run(words, in, max, ret_output);
	close(in);
	return rc;
}
