/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's flags of guarded memory; a copy of the process does not have it. */
#include "program/guarded.h"

#include "unit/refused.h"
#include "unit/smaps.h"

#include <stdint.h>
#include <string.h>

enum { SIZE = 6000 };

static char *memory;

static int set_up(void **state)
{
	(void)state;
	memory = guarded_new(SIZE);
	return !memory;
}

static int tear_down(void **state)
{
	(void)state;
	guarded_free(memory);
	return 0;
}

static bool has(const void *at, const char *flag)
{
	char flags[SMAPS_FLAGS_MAX];

	smaps_flags(at, flags);
	return strstr(flags, flag);
}

/* write(2) reads the byte: if it is not mapped, the result is an error and not a signal. */
static bool is_there(const void *at)
{
	int ends[2];
	ssize_t written;

	if (pipe(ends))
		return false;
	written = write(ends[1], at, 1);
	close(ends[0]);
	close(ends[1]);
	return written == 1;
}

/* Counts the first and the last byte that are mapped in a copy of this process: 0 to 2. */
static int in_a_copy(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(is_there(memory) + is_there(memory + SIZE - 1));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void guarded_memory_is_zero_locked_and_in_no_dump(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIZE; i++)
		assert_int_equal(memory[i], 0);
	assert_true(has(memory, " dd ") && has(memory + SIZE - 1, " dd "));
#ifndef __SANITIZE_ADDRESS__ /* which has an mlock(2) of its own, and locks nothing */
	assert_int_equal(guarded_lock_error(), 0);
	assert_true(has(memory, " lo ") && has(memory + SIZE - 1, " lo "));
#endif
}

static void the_page_behind_guarded_memory_is_not_accessible(void **state)
{
	(void)state;
	assert_true(is_there(memory + SIZE - 1));
	assert_false(is_there(memory + SIZE));
}

static void a_copy_of_the_process_has_no_guarded_memory(void **state)
{
	(void)state;
	assert_int_equal(in_a_copy(), 0);
}

static void a_copy_has_inherited_memory(void **state)
{
	(void)state;
	guarded_inherit(memory, SIZE);
	assert_int_equal(in_a_copy(), 2);
	assert_true(has(memory, " dd "));
}

#ifndef __SANITIZE_ADDRESS__ /* which has an mlock(2) of its own, and locks nothing */
static int lies_unlocked(void)
{
	const char *unlocked = guarded_new(SIZE);

	return !(unlocked && guarded_lock_error() == EPERM && has(unlocked, " dd ") &&
		!has(unlocked, " lo "));
}

static void memory_that_cannot_be_locked_is_still_left_out_of_dumps(void **state)
{
	static const struct refused calls[] = { { SYS_mlock, EPERM, 0, false }, { 0 } };

	(void)state;
	ASSERT_BEHIND(calls, lies_unlocked);
}
#endif

static void freed_memory_is_unmapped(void **state)
{
	char *freed = guarded_new(SIZE);

	(void)state;
	assert_true(is_there(freed));
	guarded_free(freed);
	assert_false(is_there(freed));
	guarded_free(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(guarded_memory_is_zero_locked_and_in_no_dump),
		TEST(the_page_behind_guarded_memory_is_not_accessible),
		TEST(a_copy_of_the_process_has_no_guarded_memory),
		TEST(a_copy_has_inherited_memory),
#ifndef __SANITIZE_ADDRESS__
		TEST(memory_that_cannot_be_locked_is_still_left_out_of_dumps),
#endif
		TEST(freed_memory_is_unmapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
