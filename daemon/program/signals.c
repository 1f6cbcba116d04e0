/* SPDX-License-Identifier: Apache-2.0 */
/* signals: see signals.h. No call for signals can fail with these arguments. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

void signals_reset(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void block_all_but_faults(sigset_t *ret_before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	sigset_t blocked;

	sigfillset(&blocked);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, ret_before);
}

/* A new thread inherits what its creator blocks at that moment. */
int signals_thread(pthread_t *ret_thread, void *(*work)(void *user), void *user)
{
	sigset_t before;
	pthread_t thread;
	int error;

	block_all_but_faults(&before);
	error = pthread_create(&thread, NULL, work, user);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return -error;
	if (ret_thread)
		*ret_thread = thread;
	else
		pthread_detach(thread);
	return 0;
}
