/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: one writer thread between the loop, which must never wait, and a disk that may.
 *
 * The loop hands over the newest image and learns from an eventfd that a write is over. What the
 * lock protects is a few words; no system call but the eventfd's happens under it.
 */
#define _GNU_SOURCE /* pthread_clockjoin_np */
#include "file.h"

#include "program/signals.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct store {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int event_fd;

	/* Under the lock. */
	struct store_image wanted;
	struct store_result result;
	bool has_wanted, has_result, stopping;

	/* The writer's alone while it runs. */
	struct store_file file;
	struct store_image current; /* what the file holds, or should */
	int last_error;
};

/* ---- the writer ----------------------------------------------------------------------------- */

enum turn { TURN_WAIT, TURN_WRITE, TURN_LOOK, TURN_END };

/* An untaken result holds up the next write, so that none is lost; but not the end. */
static enum turn writer_turn(const struct store *s, bool look_due)
{
	if (s->stopping)
		return s->has_wanted ? TURN_WRITE : TURN_END;
	if (s->has_result)
		return TURN_WAIT;
	if (s->has_wanted)
		return TURN_WRITE;
	/* Who could not save last time tries again anyway. */
	return look_due && s->last_error == 0 ? TURN_LOOK : TURN_WAIT;
}

static struct timespec after_ms(unsigned ms)
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

/* What to do next; ret_image: to be written, or what the file should hold. */
static enum turn writer_next(struct store *s, struct store_image *ret_image)
{
	struct timespec look_at = after_ms(STORE_LOOK_MS);
	enum turn turn;
	bool due = false;

	pthread_mutex_lock(&s->lock);
	while ((turn = writer_turn(s, due)) == TURN_WAIT) {
		if (due)
			look_at = after_ms(STORE_LOOK_MS);
		due = pthread_cond_clockwait(&s->wake, &s->lock, CLOCK_MONOTONIC, &look_at) ==
			ETIMEDOUT;
	}
	if (turn == TURN_WRITE) {
		s->current = s->wanted;
		s->has_wanted = false;
	}
	*ret_image = s->current;
	pthread_mutex_unlock(&s->lock);
	return turn;
}

static void writer_done(struct store *s, const struct store_result *result)
{
	pthread_mutex_lock(&s->lock);
	s->result = *result;
	s->has_result = true;
	eventfd_write(s->event_fd, 1);
	pthread_mutex_unlock(&s->lock);
}

static void writer_write(struct store *s, const struct store_image *image)
{
	struct store_result result = { .image = *image, .asked = true };

	result.error = store_file_write(&s->file, image, &result.anew, &result.doing);
	result.ok = result.error == 0;
	s->last_error = result.error;
	writer_done(s, &result);
}

/* Only news is told. */
static void writer_look(struct store *s, const struct store_image *image)
{
	struct store_result result = { .image = *image };

	result.error = store_file_keep(&s->file, image, &result.anew, &result.doing);
	result.ok = result.error == 0;
	s->last_error = result.error;
	if (!result.ok || result.anew)
		writer_done(s, &result);
}

static void *store_writer(void *user)
{
	struct store *s = user;
	struct store_image image;
	enum turn turn;

	while ((turn = writer_next(s, &image)) != TURN_END) {
		if (turn == TURN_WRITE)
			writer_write(s, &image);
		else
			writer_look(s, &image);
	}
	return NULL;
}

/* ---- the loop's side ------------------------------------------------------------------------ */

static int store_start(struct store *s, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error)
{
	int r = store_file_open(&s->file, dir, id, ret_found, ret_error);

	if (r < 0)
		return r;
	s->current = ret_found->image;
	s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = s->event_fd < 0 ? -errno : signals_thread(&s->thread, store_writer, s);
	if (r == 0)
		return 0;
	snprintf(ret_error->text, sizeof(ret_error->text), "cannot start the state writer: %s",
		strerror(-r));
	if (s->event_fd >= 0)
		close(s->event_fd);
	store_file_close(&s->file);
	return r;
}

static void store_free(struct store *s)
{
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int store_open(struct store **ret_store, const char *dir, const struct elect_id *id,
	struct store_found *ret_found, struct store_error *ret_error)
{
	struct store *s;
	int r;

	ret_error->text[0] = '\0';
	s = sodium_init() < 0 ? NULL : calloc(1, sizeof(*s));
	if (!s) {
		snprintf(ret_error->text, sizeof(ret_error->text), "out of memory");
		return -ENOMEM;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	r = store_start(s, dir, id, ret_found, ret_error);
	if (r < 0) {
		store_free(s);
		return r;
	}
	*ret_store = s;
	return 0;
}

void store_save(struct store *s, const struct store_image *image)
{
	pthread_mutex_lock(&s->lock);
	s->wanted = *image;
	s->has_wanted = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

int store_fd(const struct store *s)
{
	return s->event_fd;
}

bool store_result(struct store *s, struct store_result *ret_result)
{
	eventfd_t count;
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->has_result;
	if (has) {
		*ret_result = s->result;
		s->has_result = false;
		eventfd_read(s->event_fd, &count);
		pthread_cond_signal(&s->wake);
	}
	pthread_mutex_unlock(&s->lock);
	return has;
}

/* A disk that hangs must not keep the process: what the writer uses is then left alone. */
static int writer_join(struct store *s)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STORE_CLOSE_MS / 1000;
	return -pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC, &until);
}

int store_close(struct store *s)
{
	int r;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	r = writer_join(s);
	if (r < 0)
		return r;
	r = s->last_error;
	close(s->event_fd);
	store_file_close(&s->file);
	store_free(s);
	return r;
}
