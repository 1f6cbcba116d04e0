/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: see store.h. One writer thread stands between the loop, which must never wait, and a disk
 * that may. An eventfd tells the loop that a write has ended.
 */
#include "file.h"

#include "program/worker.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct store {
	struct worker worker;

	/* Protected by the worker's lock. */
	struct store_image wanted;
	struct store_result result;
	bool has_wanted;

	/* Used only by the writer while it runs. */
	struct store_file file;
	struct store_image current; /* what the file holds, or should hold */
	int last_error;
};

/* ---- the writer ----------------------------------------------------------------------------- */

enum turn { TURN_WAIT, TURN_WRITE, TURN_LOOK, TURN_END };

/* A result that was not taken delays the next write, but not the end, so that none is lost. */
static enum turn writer_turn(const struct store *s, bool look_due)
{
	if (s->worker.stopping)
		return s->has_wanted ? TURN_WRITE : TURN_END;
	if (s->worker.has_result)
		return TURN_WAIT;
	if (s->has_wanted)
		return TURN_WRITE;
	/* After a failed save the caller saves again anyway, so no check is needed. */
	return look_due && s->last_error == 0 ? TURN_LOOK : TURN_WAIT;
}

/* The next task. ret_image: the image to write, or the one that the file should hold. */
static enum turn writer_next(struct store *s, struct store_image *ret_image)
{
	struct timespec look_at = worker_after_ms(STORE_LOOK_MS);
	enum turn turn;
	bool due = false;

	worker_lock(&s->worker);
	while ((turn = writer_turn(s, due)) == TURN_WAIT) {
		if (due)
			look_at = worker_after_ms(STORE_LOOK_MS);
		due = !worker_wait(&s->worker, &look_at);
	}
	if (turn == TURN_WRITE) {
		s->current = s->wanted;
		s->has_wanted = false;
	}
	*ret_image = s->current;
	worker_unlock(&s->worker);
	return turn;
}

static void writer_done(struct store *s, const struct store_result *result)
{
	worker_lock(&s->worker);
	s->result = *result;
	worker_tell(&s->worker);
	worker_unlock(&s->worker);
}

static void writer_write(struct store *s, const struct store_image *image)
{
	struct store_result result = { .image = *image, .asked = true };

	result.error = store_file_write(&s->file, image, &result.anew, &result.doing);
	result.ok = result.error == 0;
	s->last_error = result.error;
	writer_done(s, &result);
}

/* Checks the file; reports only a failure or a new file. */
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
	r = worker_start(&s->worker, store_writer, s);
	if (r == 0)
		return 0;
	snprintf(ret_error->text, sizeof(ret_error->text), "cannot start the state writer: %s",
		strerror(-r));
	store_file_close(&s->file);
	return r;
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
	r = store_start(s, dir, id, ret_found, ret_error);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret_store = s;
	return 0;
}

void store_save(struct store *s, const struct store_image *image)
{
	worker_lock(&s->worker);
	s->wanted = *image;
	s->has_wanted = true;
	worker_wake(&s->worker);
}

int store_fd(const struct store *s)
{
	return s->worker.fd;
}

bool store_result(struct store *s, struct store_result *ret_result)
{
	bool has;

	worker_lock(&s->worker);
	has = worker_take(&s->worker);
	if (has)
		*ret_result = s->result;
	worker_unlock(&s->worker);
	return has;
}

/* If the disk hangs, the process must still end, and the writer's memory is left as it is. */
int store_close(struct store *s)
{
	int r;

	if (!s)
		return 0;
	r = worker_end(&s->worker, STORE_CLOSE_MS);
	if (r < 0)
		return r;
	r = s->last_error;
	store_file_close(&s->file);
	free(s);
	return r;
}
