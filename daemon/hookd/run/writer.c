/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: the thread that writes to hookd's state folder. See writer.h.
 *
 * Under the lock there is no system call but the eventfd's.
 */
#define _GNU_SOURCE /* pthread_clockjoin_np */
#include "writer.h"

#include "program/signals.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int event_fd;

	/* Under the lock. */
	struct hookplan_phase phase;
	struct identity identity;
	struct writer_result result;
	bool has_phase, has_identity, has_result, stopping;

	/* The thread's alone while it runs. */
	struct phase *file;
	char dir[PATH_MAX];
	int last_error; /* of the phase */
};

/* ---- the thread ---------------------------------------------------------------------------- */

enum turn { TURN_WAIT, TURN_PHASE, TURN_IDENTITY, TURN_END };

/* An untaken result holds up the next write, so that none is lost; but not the end. */
static enum turn turn_of(const struct writer *w)
{
	if (w->has_result && !w->stopping)
		return TURN_WAIT;
	if (w->has_phase)
		return TURN_PHASE;
	if (w->has_identity)
		return TURN_IDENTITY;
	return w->stopping ? TURN_END : TURN_WAIT;
}

static enum turn next(
	struct writer *w, struct hookplan_phase *ret_phase, struct identity *ret_identity)
{
	enum turn turn;

	pthread_mutex_lock(&w->lock);
	while ((turn = turn_of(w)) == TURN_WAIT)
		pthread_cond_wait(&w->wake, &w->lock);
	if (turn == TURN_PHASE) {
		*ret_phase = w->phase;
		w->has_phase = false;
	} else if (turn == TURN_IDENTITY) {
		*ret_identity = w->identity;
		w->has_identity = false;
	}
	pthread_mutex_unlock(&w->lock);
	return turn;
}

static void tell(struct writer *w, const struct writer_result *result)
{
	pthread_mutex_lock(&w->lock);
	w->result = *result;
	w->has_result = true;
	eventfd_write(w->event_fd, 1);
	pthread_mutex_unlock(&w->lock);
}

static void write_phase(struct writer *w, const struct hookplan_phase *phase)
{
	struct writer_result result = { .is_phase = true, .phase = *phase };

	result.error = phase_save(w->file, phase);
	w->last_error = result.error;
	tell(w, &result);
}

static void write_identity(struct writer *w, const struct identity *identity)
{
	struct writer_result result = { .error = identity_save(w->dir, identity) };

	if (result.error)
		tell(w, &result);
}

static void *work(void *user)
{
	struct writer *w = user;
	struct hookplan_phase phase;
	struct identity identity;
	enum turn turn;

	while ((turn = next(w, &phase, &identity)) != TURN_END) {
		if (turn == TURN_PHASE)
			write_phase(w, &phase);
		else
			write_identity(w, &identity);
	}
	return NULL;
}

/* ---- the loop's side ----------------------------------------------------------------------- */

static void forget(struct writer *w)
{
	if (w->event_fd >= 0)
		close(w->event_fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

int writer_open(struct writer **ret_writer, struct phase *phase, const char *dir)
{
	struct writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->file = phase;
	snprintf(w->dir, sizeof(w->dir), "%s", dir);
	w->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->event_fd < 0 ? -errno : signals_thread(&w->thread, work, w);
	if (r < 0)
		forget(w);
	else
		*ret_writer = w;
	return r;
}

void writer_phase(struct writer *w, const struct hookplan_phase *phase)
{
	pthread_mutex_lock(&w->lock);
	w->phase = *phase;
	w->has_phase = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void writer_identity(struct writer *w, const struct identity *identity)
{
	pthread_mutex_lock(&w->lock);
	w->identity = *identity;
	w->has_identity = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

int writer_fd(const struct writer *w)
{
	return w->event_fd;
}

bool writer_result(struct writer *w, struct writer_result *ret_result)
{
	eventfd_t count;
	bool has;

	pthread_mutex_lock(&w->lock);
	has = w->has_result;
	if (has) {
		*ret_result = w->result;
		w->has_result = false;
		eventfd_read(w->event_fd, &count);
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return has;
}

static int join(struct writer *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WRITER_CLOSE_MS / 1000;
	return -pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC, &until);
}

int writer_close(struct writer *w)
{
	int r;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	r = join(w);
	if (r < 0)
		return r;
	r = w->last_error;
	phase_close(w->file);
	forget(w);
	return r;
}
