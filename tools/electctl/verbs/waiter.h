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

enum { WAITER_FDS = 3 };

struct waiter {
	int signals, timer; /* descriptors */
	sigset_t mask;	    /* before waiter_open() */
};

/* Blocks SIGCHLD and the signals that end a program, and receives them. 0, or -errno. */
int waiter_open(struct waiter *w);
/* The next pending signal; 0: none. */
int waiter_signal(const struct waiter *w);
/* The earlier of two times; -1: never. */
int64_t waiter_earlier(int64_t a_ms, int64_t b_ms);
/* The time of the boot clock at which a timeout is over; -1: never. */
int64_t waiter_after(int timeout_ms);
/* Waits for a signal, `at_ms` of the boot clock, or input on descriptors; -1: not for this. */
void waiter_wait(const struct waiter *w, int64_t at_ms, const int fds[WAITER_FDS]);
void waiter_close(struct waiter *w);

#endif
