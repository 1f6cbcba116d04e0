/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter: what a verb waits for while it runs a command: signals, a time of the boot clock, and
 * other descriptors. After a suspend the time is reached at once; the timeout of poll(2) would not
 * count the suspended time.
 */
#ifndef ELECTCTL_VERBS_WAITER_H
#define ELECTCTL_VERBS_WAITER_H

#include <signal.h>
#include <stdint.h>

struct waiter {
	int signals, timer; /* descriptors */
	sigset_t mask;	    /* before waiter_open() */
};

/* Blocks SIGCHLD and the signals that end a program, and receives them. 0, or -errno. */
int waiter_open(struct waiter *w);
/* The next pending signal; 0: none. */
int waiter_signal(const struct waiter *w);
/* Waits for a signal, `at_ms` of the boot clock, or input on two descriptors; -1: not for this. */
void waiter_wait(const struct waiter *w, int64_t at_ms, int fd, int other);
void waiter_close(struct waiter *w);

#endif
