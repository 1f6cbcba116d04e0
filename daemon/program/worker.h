/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker: a thread between a loop, which must never wait, and a disk that may. The loop hands work
 * over under the lock, and an eventfd reports each result to it. The worker knows neither the work
 * nor the result: both are in the owner's struct, protected by the same lock.
 *
 * The only system call under the lock is that on the eventfd.
 */
#ifndef ELECTD_PROGRAM_WORKER_H
#define ELECTD_PROGRAM_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int fd; /* readable from worker_tell() until worker_take() */

	/* Protected by the lock. */
	bool has_result; /* until it is taken, the thread must begin no work but its end */
	bool stopping;
};

/* Starts a thread that runs work(user), which returns after `stopping` is set. 0 or -errno. */
int worker_start(struct worker *w, void *(*work)(void *user), void *user);

void worker_lock(struct worker *w);
void worker_unlock(struct worker *w);
/* Unlocks, and wakes the thread so that it looks for work. */
void worker_wake(struct worker *w);

/*
 * For the thread, under the lock: waits until the loop wakes it, or until that time. False: the
 * time has come. NULL: no limit.
 */
bool worker_wait(struct worker *w, const struct timespec *until);
/* For the thread, under the lock: reports a result. */
void worker_tell(struct worker *w);
/* For the loop, under the lock: takes the result. False: there is none. */
bool worker_take(struct worker *w);

/*
 * Waits at most timeout_ms for the work handed over, and frees what worker_start() has made.
 * Returns 0; -ETIMEDOUT: the thread hangs, and it and all that it uses are left to the end of the
 * process.
 */
int worker_end(struct worker *w, unsigned timeout_ms);

/* The time of CLOCK_MONOTONIC in `ms`. */
struct timespec worker_after_ms(unsigned ms);

#endif
