/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker: a command for `electctl run` that works in steps, for tests/lan/process.py.
 *
 * The command makes a step each millisecond until it is killed. FILE.PID has its token and the
 * times of its first and its last step (CLOCK_BOOTTIME in nanoseconds). With `deaf` it ignores
 * TERM.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	static const struct timespec pause = { 0, 1000000 };
	const char *token = getenv("ELECTD_TOKEN");
	long long first = now();
	char path[PATH_MAX], line[128];
	int fd;

	if (argc < 2 || !token)
		return 113;
	if (argc > 2 && !strcmp(argv[2], "deaf"))
		signal(SIGTERM, SIG_IGN);
	snprintf(path, sizeof(path), "%s.%d", argv[1], (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	while (fd >= 0) {
		int size =
			snprintf(line, sizeof(line), "%20s %20lld %20lld\n", token, first, now());

		if (pwrite(fd, line, (size_t)size, 0) != size)
			break;
		nanosleep(&pause, NULL);
	}
	return 111;
}
