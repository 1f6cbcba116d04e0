/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs: shares pieces of work among processes: each process does every n-th piece and writes its
 * results to a common pipe.
 */
#include "jobs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct result {
	uint64_t piece;
	_Alignas(8) uint8_t bytes[JOBS_RESULT_MAX];
};

static size_t bytes_of(const struct jobs *j)
{
	return offsetof(struct result, bytes) + j->size;
}

static void work_here(const struct jobs *j)
{
	struct result r = { 0 };
	bool more = true;

	for (; more && r.piece < j->count; r.piece++) {
		memset(r.bytes, 0, j->size);
		more = j->work(j->user, r.piece, r.bytes);
		j->done(j->user, r.piece, r.bytes);
	}
}

static void work_share(const struct jobs *j, unsigned process, int to)
{
	struct result r = { .piece = process };
	bool more = true;

	for (; more && r.piece < j->count; r.piece += j->processes) {
		memset(r.bytes, 0, j->size);
		more = j->work(j->user, r.piece, r.bytes);
		if (write(to, &r, bytes_of(j)) != (ssize_t)bytes_of(j))
			_exit(1);
	}
	fflush(stdout);
	_exit(0);
}

static bool read_whole(int fd, struct result *ret, size_t size)
{
	uint8_t *bytes = (uint8_t *)ret;
	size_t have = 0;

	while (have < size) {
		ssize_t n = read(fd, bytes + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

int jobs_run(const struct jobs *j)
{
	struct result r;
	int fds[2], status, bad = 0;

	assert(j->size <= JOBS_RESULT_MAX);
	if (j->processes <= 1) {
		work_here(j);
		return 0;
	}
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fflush(stdout);
	setvbuf(stdout, NULL, _IOLBF, 0); /* keeps lines of several processes whole */
	for (unsigned p = 0; p < j->processes; p++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (pid == 0) {
			close(fds[0]);
			work_share(j, p, fds[1]);
		}
	}
	close(fds[1]);
	while (read_whole(fds[0], &r, bytes_of(j)))
		j->done(j->user, r.piece, r.bytes);
	close(fds[0]);
	while (wait(&status) > 0)
		bad |= status;
	return bad ? -ECHILD : 0;
}
