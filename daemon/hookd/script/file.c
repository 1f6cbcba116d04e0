/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: decides whether a file may run. The interpreter is judged too: a user who can write to the
 * interpreter of a script, or to a folder on the path to it, decides what the script does.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	FIRST_LINE = 256,     /* bytes that the kernel reads */
	INTERPRETERS_MAX = 5, /* an interpreter may be a script too; the kernel goes no deeper */
};

static void judge_file(char *reason, const char *path, const struct stat *st, int fd)
{
	static const struct vet_forbidden forbidden[] = {
		{ S_IWGRP, "is writable by its group" },
		{ S_IWOTH, "is writable by everybody" },
		{ S_ISUID, "is setuid" },
		{ S_ISGID, "is setgid" },
	};
	struct statvfs fs;

	if (S_ISDIR(st->st_mode))
		vet_refuse(reason, path, "is a folder");
	if (!S_ISREG(st->st_mode))
		vet_refuse(reason, path, "is not a regular file");
	vet_judge(reason, path, st, forbidden, sizeof(forbidden) / sizeof(*forbidden));
	if (!(st->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		vet_refuse(reason, path, "is not executable");
	if (fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		vet_refuse(reason, path, "is on a file system that is mounted noexec");
}

/* Reads the beginning of a file that is open with O_PATH. Returns its size, or -errno. */
static ssize_t read_line(int fd, char ret_line[FIRST_LINE + 1])
{
	char again[32];
	ssize_t n;
	int in;

	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	in = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (in < 0)
		return -errno;
	n = read(in, ret_line, FIRST_LINE);
	if (n < 0)
		n = -errno;
	close(in);
	ret_line[n < 0 ? 0 : n] = '\0';
	return n;
}

/*
 * Finds the path after "#!", as the kernel reads it; empty: the file is no script. A file that the
 * user may not read is no fault, because only root runs it.
 */
static void interpreter_of(
	char *reason, const char *path, int fd, char ret_interpreter[FIRST_LINE + 1])
{
	char line[FIRST_LINE + 1];
	ssize_t n = read_line(fd, line);
	const char *begin;

	ret_interpreter[0] = '\0';
	if (n < 0 && n != -EACCES)
		vet_refuse(reason, path, "cannot be read: %s", strerror((int)-n));
	if (n < 0 || strncmp(line, "#!", 2) != 0)
		return;
	begin = line + 2 + strspn(line + 2, " \t");
	snprintf(ret_interpreter, FIRST_LINE + 1, "%.*s", (int)strcspn(begin, " \t\n"), begin);
	if (*ret_interpreter != '/')
		vet_refuse(reason, path, "names no interpreter by its whole path");
}

/* Judges the interpreter at `path`, then that interpreter's own one. Overwrites `path`. */
static void judge_interpreter(char *reason, char path[FIRST_LINE + 1])
{
	struct vet_walk w = { .fd = -1 };
	unsigned depth = 0;

	while (*path && !*reason) {
		int r;

		vet_walk_close(&w);
		r = vet_walk_path(&w, path);
		memcpy(reason, w.reason, VET_REASON_MAX);
		if (r == -ENOENT)
			break; /* the script does not start until root puts it there */
		if (r < 0)
			vet_refuse(reason, path, "cannot be looked at: %s", strerror(-r));
		else
			judge_file(reason, w.at, &w.st, w.fd);
		if (++depth > INTERPRETERS_MAX)
			vet_refuse(reason, path, "has interpreters without an end");
		if (!*reason)
			interpreter_of(reason, w.at, w.fd, path);
	}
	vet_walk_close(&w);
}

void vet_file(char reason[VET_REASON_MAX], const char *path, const struct stat *st, int fd)
{
	char interpreter[FIRST_LINE + 1], why[VET_REASON_MAX] = "";

	judge_file(reason, path, st, fd);
	if (*reason)
		return;
	interpreter_of(reason, path, fd, interpreter);
	if (!*reason)
		judge_interpreter(why, interpreter);
	if (*why)
		snprintf(reason, VET_REASON_MAX, "interpreter: %.*s",
			VET_REASON_MAX - (int)sizeof("interpreter: "), why);
}
