/* SPDX-License-Identifier: Apache-2.0 */
/* Ignored and blocked signals survive execve(2), so a program resets them at its start. */
#include "program/signals.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STATUS = 7 };

static void a_child_can_be_waited_for_if_the_parent_ignored_sigchld(void **state)
{
	siginfo_t info = { 0 };
	pid_t child;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	signals_reset();
	child = fork();
	if (child == 0)
		_exit(STATUS);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED), 0);
	assert_int_equal(info.si_code, CLD_EXITED);
	assert_int_equal(info.si_status, STATUS);
}

static void no_signal_stays_blocked(void **state)
{
	sigset_t mask;

	(void)state;
	sigfillset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	signals_reset();
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < NSIG; number++)
		assert_int_not_equal(sigismember(&mask, number), 1);
}

static void an_ignored_sighup_stays_ignored(void **state)
{
	(void)state;
	signal(SIGHUP, SIG_IGN);
	signals_reset();
	assert_true(signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

static void *note_mask(void *mask)
{
	pthread_sigmask(SIG_SETMASK, NULL, mask);
	return NULL;
}

static void a_thread_gets_only_the_signals_of_its_own_faults(void **state)
{
	sigset_t its, own;
	pthread_t thread;

	(void)state;
	signals_reset();
	assert_int_equal(signals_thread(&thread, note_mask, &its), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(sigismember(&its, SIGTERM), 1);
	assert_int_equal(sigismember(&its, SIGHUP), 1);
	assert_int_equal(sigismember(&its, SIGSEGV), 0);
	sigprocmask(SIG_SETMASK, NULL, &own);
	assert_int_equal(sigismember(&own, SIGTERM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_can_be_waited_for_if_the_parent_ignored_sigchld),
		cmocka_unit_test(no_signal_stays_blocked),
		cmocka_unit_test(an_ignored_sighup_stays_ignored),
		cmocka_unit_test(a_thread_gets_only_the_signals_of_its_own_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
