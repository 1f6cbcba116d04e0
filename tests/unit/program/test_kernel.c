/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors, files in memory and signals to processes, with this and with older kernels. */
#include "program/kernel.h"

#include "unit/refused.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define NOEXEC_SEAL 8U /* MFD_NOEXEC_SEAL, which older C libraries do not name */

static const struct refused nothing[] = { { 0 } };

/* ---- descriptors --------------------------------------------------------------------------- */

enum { OPENED = 300, FIRST = 10, LAST = 20, FROM = 30, LOOKED_AT = 700 };

static bool stays(int number)
{
	return number < FIRST || (number > LAST && number < FROM);
}

static int two_ranges_are_closed(void)
{
	for (int number = 3; number < OPENED; number++)
		dup2(STDERR_FILENO, number);
	kernel_close_range(FIRST, LAST);
	kernel_close_range(FROM, ~0U);
	for (int number = 0; number < LOOKED_AT; number++)
		if ((fcntl(number, F_GETFD) >= 0) != stays(number)) {
			dprintf(STDERR_FILENO, "number %d\n", number);
			return 1;
		}
	return 0;
}

static void a_range_is_closed(void **state)
{
	(void)state;
	ASSERT_BEHIND(nothing, two_ranges_are_closed);
}

static void a_range_is_closed_if_close_range_fails(void **state)
{
	static const int errors[] = { ENOSYS, EPERM, EINVAL, EACCES };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const struct refused calls[] = { { SYS_close_range, errors[i], 0, false }, { 0 } };

		ASSERT_BEHIND(calls, two_ranges_are_closed);
	}
}

static void each_number_is_closed_without_proc(void **state)
{
	static const struct refused unlisted[] = { { SYS_close_range, ENOSYS, 0, false },
		{ SYS_getdents64, EPERM, 0, false }, { 0 } };
	static const struct refused unopened[] = { { SYS_close_range, ENOSYS, 0, false },
		{ SYS_openat, ENOENT, 0, false }, { 0 } };

	(void)state;
	ASSERT_BEHIND(unlisted, two_ranges_are_closed);
	ASSERT_BEHIND(unopened, two_ranges_are_closed);
}

/* The limit of a process may be lower than the numbers of the descriptors that it inherits. */
static int all_are_closed_below_a_lowered_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || dup2(STDERR_FILENO, OPENED) < 0)
		return 1;
	limit.rlim_cur = FROM;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	kernel_close_range(FROM, ~0U);
	return fcntl(OPENED, F_GETFD) < 0 ? 0 : 1;
}

static void a_descriptor_above_the_soft_limit_is_closed(void **state)
{
	static const struct refused calls[] = { { SYS_close_range, ENOSYS, 0, false },
		{ SYS_getdents64, EPERM, 0, false }, { 0 } };

	(void)state;
	ASSERT_BEHIND(calls, all_are_closed_below_a_lowered_limit);
}

/* The table of descriptors is full, so /proc/self/fd cannot be opened. */
static int all_are_closed_when_no_more_can_be_opened(void)
{
	struct rlimit limit = { OPENED, OPENED };

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	while (dup(STDERR_FILENO) >= 0)
		;
	kernel_close_range(FIRST, ~0U);
	for (int number = FIRST; number < OPENED; number++)
		if (fcntl(number, F_GETFD) >= 0)
			return 1;
	return 0;
}

static void a_full_table_is_closed(void **state)
{
	static const struct refused calls[] = { { SYS_close_range, ENOSYS, 0, false }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(calls, all_are_closed_when_no_more_can_be_opened);
}

/* ---- files in memory ----------------------------------------------------------------------- */

static int memory_is_made(void)
{
	int fd = kernel_memfd("test");
	char byte = 0;

	if (fd < 0 || fcntl(fd, F_GETFD) != FD_CLOEXEC)
		return 1;
	if (write(fd, "x", 1) != 1 || pread(fd, &byte, 1, 0) != 1 || byte != 'x')
		return 2;
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) < 0 ? 3 : 0;
}

static void memory_is_made_by_this_kernel(void **state)
{
	(void)state;
	ASSERT_BEHIND(nothing, memory_is_made);
}

/* Linux 6.3 to 6.5 return EACCES while vm.memfd_noexec is 2. */
static void memory_is_made_if_it_may_not_be_executable(void **state)
{
	static const struct refused calls[] = { { SYS_memfd_create, EACCES, NOEXEC_SEAL, true },
		{ 0 } };

	(void)state;
	ASSERT_BEHIND(calls, memory_is_made);
}

/* Kernels before 6.3 return EINVAL. */
static void memory_is_made_if_the_seal_is_unknown(void **state)
{
	static const struct refused calls[] = { { SYS_memfd_create, EINVAL, NOEXEC_SEAL, false },
		{ 0 } };

	(void)state;
	ASSERT_BEHIND(calls, memory_is_made);
}

static int the_error_of_memory_is_known(void)
{
	return kernel_memfd("test") == -ENFILE ? 0 : 1;
}

static void the_error_of_refused_memory_is_returned(void **state)
{
	static const struct refused calls[] = { { SYS_memfd_create, ENFILE, 0, false }, { 0 } };

	(void)state;
	ASSERT_BEHIND(calls, the_error_of_memory_is_known);
}

/* ---- processes ----------------------------------------------------------------------------- */

static pid_t sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no process behind */
		for (;;)
			pause();
	}
	return child;
}

static int a_process_gets_a_signal(void)
{
	pid_t child = sleeper();
	int process = kernel_pidfd_open(child), status;

	if (process == -ENOSYS) { /* this kernel has no pidfd_open() */
		kill(child, SIGKILL);
		return CHILD_CANNOT;
	}
	if (process < 0 || kernel_signal(process, child, SIGKILL) < 0 ||
		waitpid(child, &status, 0) != child || WTERMSIG(status) != SIGKILL)
		return 1;
	return kernel_signal(process, child, SIGKILL) == -ESRCH ? 0 : 2;
}

static void a_process_is_signalled_by_its_descriptor(void **state)
{
	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(nothing, a_process_gets_a_signal);
}

static void a_process_is_signalled_if_the_pidfd_call_is_refused(void **state)
{
	static const int errors[] = { ENOSYS, EPERM, EINVAL };

	(void)state;
	NOT_UNDER_VALGRIND();
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const struct refused calls[] = { { SYS_pidfd_send_signal, errors[i], 0, false },
			{ 0 } };

		ASSERT_BEHIND(calls, a_process_gets_a_signal);
	}
}

/* The number of an ended process may belong to another process by now. */
static int a_stranger_gets_no_signal(void)
{
	pid_t stranger = sleeper(), ended = sleeper();
	int process = kernel_pidfd_open(ended), status;

	if (process < 0 || kill(ended, SIGKILL) < 0 || waitpid(ended, &status, 0) != ended)
		return 1;
	if (kernel_signal(process, stranger, SIGKILL) != -ESRCH)
		return 2;
	if (waitpid(stranger, &status, WNOHANG) != 0 || kill(stranger, SIGKILL) < 0)
		return 3;
	return waitpid(stranger, &status, 0) == stranger ? 0 : 4;
}

static void a_process_with_a_reused_number_gets_no_signal(void **state)
{
	static const struct refused calls[] = { { SYS_pidfd_send_signal, EPERM, 0, false }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(nothing, a_stranger_gets_no_signal);
	ASSERT_BEHIND(calls, a_stranger_gets_no_signal);
}

static int the_error_of_a_pidfd_is_known(void)
{
	return kernel_pidfd_open(getpid()) == -EPERM ? 0 : 1;
}

static void the_error_of_a_refused_pidfd_is_returned(void **state)
{
	static const struct refused calls[] = { { SYS_pidfd_open, EPERM, 0, false }, { 0 } };

	(void)state;
	NOT_UNDER_VALGRIND();
	ASSERT_BEHIND(calls, the_error_of_a_pidfd_is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_closed),
		cmocka_unit_test(a_range_is_closed_if_close_range_fails),
		cmocka_unit_test(each_number_is_closed_without_proc),
		cmocka_unit_test(a_descriptor_above_the_soft_limit_is_closed),
		cmocka_unit_test(a_full_table_is_closed),
		cmocka_unit_test(memory_is_made_by_this_kernel),
		cmocka_unit_test(memory_is_made_if_it_may_not_be_executable),
		cmocka_unit_test(memory_is_made_if_the_seal_is_unknown),
		cmocka_unit_test(the_error_of_refused_memory_is_returned),
		cmocka_unit_test(a_process_is_signalled_by_its_descriptor),
		cmocka_unit_test(a_process_is_signalled_if_the_pidfd_call_is_refused),
		cmocka_unit_test(a_process_with_a_reused_number_gets_no_signal),
		cmocka_unit_test(the_error_of_a_refused_pidfd_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
