/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_clockjoin_np */
#include "worker.h"

#include "signals.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void forget(struct worker *w)
{
	if (w->fd >= 0)
		close(w->fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
}

int worker_start(struct worker *w, void *(*work)(void *user), void *user)
{
	int r;

	w->has_result = w->stopping = false;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->fd < 0 ? -errno : signals_thread(&w->thread, work, user);
	if (r < 0)
		forget(w);
	return r;
}

void worker_lock(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
}

void worker_unlock(struct worker *w)
{
	pthread_mutex_unlock(&w->lock);
}

void worker_wake(struct worker *w)
{
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

bool worker_wait(struct worker *w, const struct timespec *until)
{
	if (!until)
		return pthread_cond_wait(&w->wake, &w->lock) == 0;
	return pthread_cond_clockwait(&w->wake, &w->lock, CLOCK_MONOTONIC, until) != ETIMEDOUT;
}

void worker_tell(struct worker *w)
{
	w->has_result = true;
	eventfd_write(w->fd, 1);
}

bool worker_take(struct worker *w)
{
	eventfd_t count;

	if (!w->has_result)
		return false;
	w->has_result = false;
	eventfd_read(w->fd, &count);
	pthread_cond_signal(&w->wake);
	return true;
}

int worker_end(struct worker *w, unsigned timeout_ms)
{
	struct timespec until = worker_after_ms(timeout_ms);
	int r;

	worker_lock(w);
	w->stopping = true;
	worker_wake(w);
	r = -pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC, &until);
	if (r == 0)
		forget(w);
	return r;
}

struct timespec worker_after_ms(unsigned ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}
