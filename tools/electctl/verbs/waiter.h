/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter: what a verb waits for while it runs a command: signals, a moment of the boot clock, and
 * descriptors of others. After a suspend the moment has come at once; the time-out of poll(2) would
 * wait on.
 */
#ifndef ELECTCTL_VERBS_WAITER_H
#define ELECTCTL_VERBS_WAITER_H

#include <signal.h>
#include <stdint.h>

struct waiter {
	int signals, timer; /* descriptors */
	sigset_t mask;	    /* as it was before */
};

/* Blocks SIGCHLD and the signals that end a program, and receives them. 0, or -errno. */
int waiter_open(struct waiter *w);
/* The next signal that has come; 0: none. */
int waiter_signal(const struct waiter *w);
/* Until a signal, `at_ms` of the boot clock (-1: never), or until one of two can be read (-1:
 * none). */
void waiter_wait(const struct waiter *w, int64_t at_ms, int fd, int other);
void waiter_close(struct waiter *w);

#endif
