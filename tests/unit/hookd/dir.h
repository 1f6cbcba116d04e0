/* SPDX-License-Identifier: Apache-2.0 */
/* dir: a folder in which hooks are trusted, and helpers that make files in it. */
#ifndef ELECTD_TEST_HOOKD_DIR_H
#define ELECTD_TEST_HOOKD_DIR_H

#include "unit/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The parents belong to root, because hooks below /tmp are refused. */
static inline int dir_made(void **state)
{
	static const char *const places[] = { "/var/lib", "/run", "/root", "/tmp" };

	(void)state;
	for (size_t i = geteuid() ? 3 : 0; i < 4; i++)
		if (!dir_made_in(places[i], "hookd"))
			return chmod(dir, 0755);
	return -1;
}

/* Skips the test without root, because only root can make files of root and give them to others. */
#define AS_ROOT()                                                                                  \
	do {                                                                                       \
		if (geteuid() != 0) {                                                              \
			print_message("only root can test this\n");                                \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static inline const char *path_of(const char *name)
{
	static char paths[64][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 64];

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

static inline const char *folder_with(const char *name, mode_t mode)
{
	const char *path = path_of(name);

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static inline const char *file_with(const char *name, const char *text, mode_t mode)
{
	const char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static inline const char *script_with(const char *name, const char *lines)
{
	char text[4096];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", lines);
	return file_with(name, text, 0755);
}

static inline const char *link_with(const char *name, const char *target)
{
	const char *path = path_of(name);

	assert_int_equal(symlink(target, path), 0);
	return path;
}

static inline unsigned descriptors_open(void)
{
	DIR *fds = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(fds);
	while (readdir(fds))
		count++;
	closedir(fds);
	return count;
}

#define ASSERT_CHILD(test)                                                                         \
	do {                                                                                       \
		int said = in_child(test);                                                         \
		if (said == CHILD_CANNOT) {                                                        \
			print_message("this machine does not let us make a mount\n");              \
			skip();                                                                    \
		}                                                                                  \
		assert_int_equal(said, CHILD_OK);                                                  \
	} while (0)

#endif
