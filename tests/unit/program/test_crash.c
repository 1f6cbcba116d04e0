/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that a crashing child writes, and the signal that ends it. */
#include "program/crash.h"
#include "program/signals.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGSEGV, "SIGSEGV" },
	{ SIGBUS, "SIGBUS" },
	{ SIGABRT, "SIGABRT" },
	{ SIGFPE, "SIGFPE" },
	{ SIGILL, "SIGILL" },
};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static volatile bool hangs;
static int ends[2];	     /* the second one is the child's stderr */
static char text[64 * 1024]; /* the output of the child */

/* Replaces backtrace() of the C library, which may wait for a lock or a disk. */
int backtrace(void **frames, int size)
{
	int (*real)(void **, int) = (int (*)(void **, int))dlsym(RTLD_NEXT, "backtrace");

	while (hangs)
		pause();
	return real(frames, size);
}

static int setup(void **state)
{
	(void)state;
	text[0] = '\0';
	return pipe(ends);
}

/* Removes the handlers of a sanitizer and prevents a core file. */
static void become_child(bool to_journal)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	for (unsigned i = 0; i < SIGNALS; i++)
		signal(signals[i].number, SIG_DFL);
	crash_watch("test 1.0", to_journal);
}

/* Returns the signal that ended the child; 0: none. */
static int end_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The same, after the whole output of the child is read. */
static int signal_of(pid_t child)
{
	size_t size = 0;
	ssize_t n;

	close(ends[1]);
	while ((n = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	text[size] = '\0';
	close(ends[0]);
	return end_of(child);
}

static pid_t child_of(void (*crash)(void), bool to_journal)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	become_child(to_journal);
	crash();
	_exit(0);
}

static bool begins_with(const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void each_signal_is_named_and_ends_the_process(void **state)
{
	char wanted[64];

	for (unsigned i = 0; i < SIGNALS; i++) {
		pid_t child;

		assert_int_equal(i ? setup(state) : 0, 0);
		child = fork();
		if (child == 0) {
			become_child(false);
			raise(signals[i].number);
			_exit(0);
		}
		assert_int_equal(signal_of(child), signals[i].number);
		snprintf(wanted, sizeof(wanted), "test 1.0: crash: %s\n", signals[i].name);
		assert_true(begins_with(wanted));
	}
}

/* Writes one byte when it begins to wait, and one for each signal that has not ended it. */
static void wait_for_signals(void)
{
	sigset_t all, waiting;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &waiting); /* no signal comes before sigsuspend() */
	while (write(STDERR_FILENO, "!", 1) == 1)
		sigsuspend(&waiting);
}

static void the_sender_of_the_signal_is_named(void **state)
{
	pid_t child = child_of(wait_for_signals, false);
	char wanted[64], byte;

	(void)state;
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGSEGV), 0);
	assert_int_equal(signal_of(child), SIGSEGV);
	snprintf(wanted, sizeof(wanted), "test 1.0: crash: SIGSEGV sent by process %d\n",
		(int)getpid());
	assert_true(begins_with(wanted));
}

static void hear_and_abort(void)
{
	crash_heard(CRASH_DATAGRAM, "AYCoord");
	crash_heard(CRASH_REQUEST, "io.electd.Reload");
	crash_heard(CRASH_DATAGRAM, "Accept");
	abort();
}

static void the_last_input_of_each_kind_is_named(void **state)
{
	pid_t child = child_of(hear_and_abort, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGABRT);
	assert_true(begins_with("test 1.0: crash: SIGABRT, last datagram: Accept, last request: "
				"io.electd.Reload\n"));
}

static char *volatile page; /* is never accessible */

__attribute__((noinline)) static void touch_page(void)
{
	page[0x18] = 1;
}

static void a_fault_is_written_with_its_address_and_a_backtrace(void **state)
{
	char wanted[128];
	unsigned lines = 0;
	pid_t child;

	(void)state;
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	child = child_of(touch_page, true);
	assert_int_equal(signal_of(child), SIGSEGV);
	snprintf(wanted, sizeof(wanted), "<2>test 1.0: crash: SIGSEGV at address %p\n",
		(void *)(page + 0x18));
	assert_true(begins_with(wanted));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		lines += strncmp(line, "<2>test 1.0: crash: test_crash+0x", 33) == 0;
	assert_true(lines >= 3); /* the handler, touch_page() and its callers */
	munmap(page, 4096);
}

/* ---- crashes that are hard to trace ---------------------------------------------------------- */

/* Each frame is on the stack, so that the compiler makes no loop of the recursion. */
static int overflow(unsigned depth)
{
	volatile char frame[4096];

	frame[depth % 4096] = 1;
	if (!frame[depth % 4096])
		return 0;
	return overflow(depth + 1) + frame[depth % 4096];
}

static void overflow_the_stack(void)
{
	_exit(overflow(0));
}

static void a_stack_that_overflows_leaves_a_trace(void **state)
{
	pid_t child = child_of(overflow_the_stack, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGSEGV);
	assert_true(begins_with("test 1.0: crash: SIGSEGV at address "));
	assert_non_null(strstr(text, "test_crash+0x"));
}

/* The handler reads the name, whose address is not accessible. */
static void hear_of_a_bad_address(void)
{
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	crash_heard(CRASH_DATAGRAM, page);
	raise(SIGBUS);
}

static void a_crash_in_the_handler_ends_the_process(void **state)
{
	pid_t child = child_of(hear_of_a_bad_address, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGSEGV);
	assert_string_equal(text, "");
}

static void *touch_in_thread(void *user)
{
	touch_page();
	return user;
}

static void crash_in_a_thread(void)
{
	pthread_t thread;

	page = NULL;
	if (signals_thread(&thread, touch_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

static void a_thread_that_blocks_signals_leaves_a_trace(void **state)
{
	pid_t child = child_of(crash_in_a_thread, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGSEGV);
	assert_true(begins_with("test 1.0: crash: SIGSEGV at address 0x18\n"));
}

/* ---- nothing blocks the end ------------------------------------------------------------------ */

static void fill(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	assert_int_equal(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	while (write(fd, text, 512) > 0)
		;
	while (write(fd, text, 1) > 0)
		;
	assert_int_equal(fcntl(fd, F_SETFL, flags), 0);
}

/* Reads nothing before the child has ended. */
static void ends_unread(void)
{
	pid_t child;

	fill(ends[1]);
	child = child_of(abort, false);
	close(ends[1]);
	assert_int_equal(end_of(child), SIGABRT);
	close(ends[0]);
}

static void a_pipe_that_is_full_does_not_delay_the_end(void **state)
{
	(void)state;
	ends_unread();
}

static void a_journal_that_does_not_read_does_not_delay_the_end(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	ends_unread();
}

static void a_journal_that_is_gone_does_not_change_the_end(void **state)
{
	pid_t child;

	(void)state;
	close(ends[0]);
	child = fork();
	if (child == 0) {
		become_child(false);
		abort();
	}
	close(ends[1]);
	assert_int_equal(end_of(child), SIGABRT);
}

static void hang_in_the_handler(void)
{
	hangs = true;
	raise(SIGFPE);
}

static void a_trace_that_hangs_is_cut_off(void **state)
{
	pid_t child = child_of(hang_in_the_handler, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGALRM);
	assert_string_equal(text, "test 1.0: crash: SIGFPE\n");
}

/* ---- other handlers -------------------------------------------------------------------------- */

static void on_own(int number)
{
	_exit(number);
}

static void existing_handlers_stay(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		for (unsigned i = 0; i < SIGNALS; i++)
			signal(signals[i].number, SIG_DFL);
		signal(SIGSEGV, on_own);
		dup2(ends[1], STDERR_FILENO);
		crash_watch("test 1.0", false);
		raise(SIGSEGV);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], text, sizeof(text)), 0);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SIGSEGV);
}

/* ---- the copy of the process ----------------------------------------------------------------- */

/* The copy is made with all signals blocked. */
static void become_copy(void)
{
	sigset_t all;

	crash_heard(CRASH_DATAGRAM, "Accept");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	crash_watch_copy("the copy");
}

/* The process waits for its copy and ends by the same signal. */
static void fork_copy(void)
{
	pid_t copy = fork();
	int number;

	if (copy == 0) {
		become_copy();
		return;
	}
	number = end_of(copy);
	signal(number, SIG_DFL);
	raise(number);
	_exit(0);
}

static void touch_in_copy(void)
{
	fork_copy();
	page = NULL;
	touch_page();
}

static void a_crash_of_the_copy_is_traced_under_its_own_name(void **state)
{
	pid_t child = child_of(touch_in_copy, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGSEGV);
	assert_true(begins_with("the copy: crash: SIGSEGV at address 0x18\n"));
}

static void hang_in_copy(void)
{
	fork_copy();
	hang_in_the_handler();
}

static void a_trace_of_the_copy_that_hangs_is_cut_off(void **state)
{
	pid_t child = child_of(hang_in_copy, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGALRM);
	assert_string_equal(text, "the copy: crash: SIGFPE\n");
}

static void abort_in_copy(void)
{
	fork_copy();
	abort();
}

static void an_assertion_of_the_copy_is_traced(void **state)
{
	pid_t child = child_of(abort_in_copy, false);

	(void)state;
	assert_int_equal(signal_of(child), SIGABRT);
	assert_true(begins_with("the copy: crash: SIGABRT\n"));
}

static void wait_in_copy(void)
{
	become_copy();
	wait_for_signals();
}

/* `systemctl kill` signals all processes of a unit, but the copy must report how electd ended. */
static void a_signal_that_is_sent_does_not_end_the_copy(void **state)
{
	pid_t child = child_of(wait_in_copy, false);
	char byte;

	(void)state;
	assert_int_equal(read(ends[0], &byte, 1), 1);
	for (unsigned i = 0; i < SIGNALS; i++) {
		assert_int_equal(kill(child, signals[i].number), 0);
		assert_int_equal(read(ends[0], &byte, 1), 1);
	}
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(signal_of(child), SIGKILL);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_signal_is_named_and_ends_the_process, setup),
		cmocka_unit_test_setup(the_sender_of_the_signal_is_named, setup),
		cmocka_unit_test_setup(the_last_input_of_each_kind_is_named, setup),
		cmocka_unit_test_setup(a_fault_is_written_with_its_address_and_a_backtrace, setup),
		cmocka_unit_test_setup(a_stack_that_overflows_leaves_a_trace, setup),
		cmocka_unit_test_setup(a_crash_in_the_handler_ends_the_process, setup),
		cmocka_unit_test_setup(a_thread_that_blocks_signals_leaves_a_trace, setup),
		cmocka_unit_test_setup(a_pipe_that_is_full_does_not_delay_the_end, setup),
		cmocka_unit_test_setup(a_journal_that_does_not_read_does_not_delay_the_end, setup),
		cmocka_unit_test_setup(a_journal_that_is_gone_does_not_change_the_end, setup),
		cmocka_unit_test_setup(a_trace_that_hangs_is_cut_off, setup),
		cmocka_unit_test_setup(existing_handlers_stay, setup),
		cmocka_unit_test_setup(a_crash_of_the_copy_is_traced_under_its_own_name, setup),
		cmocka_unit_test_setup(a_trace_of_the_copy_that_hangs_is_cut_off, setup),
		cmocka_unit_test_setup(an_assertion_of_the_copy_is_traced, setup),
		cmocka_unit_test_setup(a_signal_that_is_sent_does_not_end_the_copy, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
