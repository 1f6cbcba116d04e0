/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir: a temporary folder for one test, and a child process for the parts of a test that must not
 * change the test program itself. A folder of tests adds its own dir.h to this one. Each test
 * program includes it once.
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

/* Creates the temporary folder, with `name` in its path, below `place`. 0 or -1. */
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

/* The including dir.h defines dir_made(). */
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, dir_made, dir_removed)

/* Runs `test` in a child process, which may change its user, limits and mounts. Returns the value
 * that `test` returns, or 128 plus the number of the signal that ended the child. */
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

/* Asserts that `test` succeeds in a child. If the machine lacks what the child needs, the test is
 * skipped. */
static inline void assert_in_child(int (*test)(void))
{
	int r = in_child(test);

	if (r == CHILD_CANNOT)
		skip();
	assert_int_equal(r, CHILD_OK);
}

/* Skips tests that valgrind changes: valgrind has no pidfds, executes a descriptor by the name of
 * its file, keeps descriptors of its own, and exits when execve() fails. */
#define NOT_UNDER_VALGRIND()                                                                       \
	do {                                                                                       \
		if (getenv("TEST_WRAPPER")) {                                                      \
			print_message("not the same under valgrind\n");                            \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

#endif
