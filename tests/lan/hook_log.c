/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_log: a fast hook that writes down how it was called, for tests/lan/hooks.py.
 *
 * The hook DIR/NAME appends two lines to DIR.log, by one write each: "NS begin PID NAME", its
 * environment and its stdin, separated by tabs; and "NS end PID NAME". NS is CLOCK_BOOTTIME. The
 * file DIR.do/EVENT, if it exists, has "MS STATUS" or "MS STATUS deaf": the duration, the exit
 * status, and whether the hook ignores TERM.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 262144 };

static char line[LINE_MAX_BYTES], dir[PATH_MAX];
static size_t used;

static void add(const char *text, size_t size)
{
	if (size > sizeof(line) - used)
		size = sizeof(line) - used;
	memcpy(line + used, text, size);
	used += size;
}

static void begin_line(const char *what, const char *name)
{
	char text[PATH_MAX + 64];
	struct timespec t;
	int n;

	clock_gettime(CLOCK_BOOTTIME, &t);
	n = snprintf(text, sizeof(text), "%lld %s %d %s",
		(long long)t.tv_sec * 1000000000 + t.tv_nsec, what, (int)getpid(), name);
	used = 0;
	add(text, (size_t)n);
}

static void write_line(void)
{
	char path[PATH_MAX + 8];
	int fd;

	add("\n", 1);
	snprintf(path, sizeof(path), "%s.log", dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, line, used) != (ssize_t)used)
		exit(111);
	close(fd);
}

static void add_stdin(void)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		add(bytes, (size_t)n);
}

/* Does what DIR.do/EVENT says, and returns the exit status. */
static int obey(const char *event)
{
	char path[PATH_MAX + 64], word[8] = "";
	struct timespec t = { 0, 0 };
	int ms = 0, status = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s.do/%s", dir, event);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d %d %7s", &ms, &status, word) < 2)
		status = 112;
	fclose(f);
	if (!strcmp(word, "deaf"))
		signal(SIGTERM, SIG_IGN);
	t.tv_sec = ms / 1000;
	t.tv_nsec = (long)(ms % 1000) * 1000000;
	nanosleep(&t, NULL);
	return status;
}

int main(int argc, char **argv)
{
	extern char **environ;
	const char *slash;
	int status;

	if (argc != 3 || !(slash = strrchr(argv[0], '/')))
		return 113;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - argv[0]), argv[0]);
	begin_line("begin", slash + 1);
	for (char **e = environ; *e; e++) {
		add("\t", 1);
		add(*e, strlen(*e));
	}
	add("\t", 1);
	add_stdin();
	write_line();
	printf("%s on %s\n", argv[1], argv[2]);
	fflush(stdout);
	status = obey(argv[1]);
	begin_line("end", slash + 1);
	write_line();
	return status;
}
