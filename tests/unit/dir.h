/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir: a folder for one test, and a child process for what a test must not do to its own. What else
 * a room does in its folder says its own dir.h. Included once by each test program.
 */
#ifndef ELECTD_TEST_DIR_H
#define ELECTD_TEST_DIR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

/* With `name` in it, below `place`. */
static inline int dir_made_in(const char *place, const char *name)
{
	snprintf(dir, sizeof(dir), "%s/test_%s.XXXXXX", place, name);
	return mkdtemp(dir) ? 0 : -1;
}

static inline int dir_removed(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

/* dir_made() is the room's. */
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, dir_made, dir_removed)

/* Runs `test` in a child, which may change user, limits and mounts; its return value, or
 * 128 and the signal that ended it. */
static inline int in_child(int (*test)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(test());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum { CHILD_OK = 0, CHILD_CANNOT = 77 };

/* `test` succeeds in a child; skipped if that cannot have what it needs. */
static inline void assert_in_child(int (*test)(void))
{
	int r = in_child(test);

	if (r == CHILD_CANNOT)
		skip();
	assert_int_equal(r, CHILD_OK);
}

/*
 * valgrind has no pidfds, looks for the file by its name when it is to be executed by its
 * descriptor, keeps descriptors of its own, and ends when there is nothing to execute.
 */
#define NOT_UNDER_VALGRIND()                                                                       \
	do {                                                                                       \
		if (getenv("TEST_WRAPPER")) {                                                      \
			print_message("not the same under valgrind\n");                            \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

#endif
