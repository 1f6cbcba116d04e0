/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker: a thread between a loop, which must never wait, and a disk that may. The loop hands work
 * over under the lock, and an eventfd tells it of each result. The worker knows neither the work
 * nor the result: both lie beside it, in the struct of whoever owns it, under its lock.
 *
 * Under the lock there is no system call but the eventfd's.
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
	int fd; /* readable when there is a result */

	/* Under the lock. */
	bool has_result; /* it waits to be taken, and the next work, but for the end, waits for that
			  */
	bool stopping;
};

/* Starts a thread that runs work(user), and is to end after `stopping`. 0 or -errno. */
int worker_start(struct worker *w, void *(*work)(void *user), void *user);

void worker_lock(struct worker *w);
void worker_unlock(struct worker *w);
/* The same, and the other side looks again. */
void worker_wake(struct worker *w);

/* For the thread, under the lock: waits until the loop wakes it, or until then. False: it is then.
 */
bool worker_wait(struct worker *w, const struct timespec *until);
/* For the thread, under the lock: there is a result. */
void worker_tell(struct worker *w);
/* For the loop, under the lock: takes the result. False: there is none. */
bool worker_take(struct worker *w);

/*
 * Waits at most so long for the work that was handed over, and frees what worker_start() has made.
 * 0; -ETIMEDOUT: the thread hangs, and it and all that it uses are left to the end of the process.
 */
int worker_end(struct worker *w, unsigned timeout_ms);

/* That moment of CLOCK_MONOTONIC. */
struct timespec worker_after_ms(unsigned ms);

#endif
