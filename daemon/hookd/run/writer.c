/* SPDX-License-Identifier: Apache-2.0 */
/* writer: the thread that writes to hookd's state folder. See writer.h. */
#include "writer.h"

#include "program/worker.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct worker worker;

	/* Protected by the worker's lock. */
	struct hookplan_phase phase;
	struct identity identity;
	struct writer_result result;
	bool has_phase, has_identity;

	/* Only the thread uses these while it runs. */
	struct phase *file;
	char dir[PATH_MAX];
	int last_error; /* of the last phase */
};

/* ---- the thread ---------------------------------------------------------------------------- */

enum turn { TURN_WAIT, TURN_PHASE, TURN_IDENTITY, TURN_END };

/* A result that was not taken delays the next write, so that none is lost; but not the end. */
static enum turn turn_of(const struct writer *w)
{
	if (w->worker.has_result && !w->worker.stopping)
		return TURN_WAIT;
	if (w->has_phase)
		return TURN_PHASE;
	if (w->has_identity)
		return TURN_IDENTITY;
	return w->worker.stopping ? TURN_END : TURN_WAIT;
}

static enum turn next(
	struct writer *w, struct hookplan_phase *ret_phase, struct identity *ret_identity)
{
	enum turn turn;

	worker_lock(&w->worker);
	while ((turn = turn_of(w)) == TURN_WAIT)
		worker_wait(&w->worker, NULL);
	if (turn == TURN_PHASE) {
		*ret_phase = w->phase;
		w->has_phase = false;
	} else if (turn == TURN_IDENTITY) {
		*ret_identity = w->identity;
		w->has_identity = false;
	}
	worker_unlock(&w->worker);
	return turn;
}

static void tell(struct writer *w, const struct writer_result *result)
{
	worker_lock(&w->worker);
	w->result = *result;
	worker_tell(&w->worker);
	worker_unlock(&w->worker);
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

int writer_open(struct writer **ret_writer, struct phase *phase, const char *dir)
{
	struct writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->file = phase;
	snprintf(w->dir, sizeof(w->dir), "%s", dir);
	r = worker_start(&w->worker, work, w);
	if (r < 0)
		free(w);
	else
		*ret_writer = w;
	return r;
}

void writer_phase(struct writer *w, const struct hookplan_phase *phase)
{
	worker_lock(&w->worker);
	w->phase = *phase;
	w->has_phase = true;
	worker_wake(&w->worker);
}

void writer_identity(struct writer *w, const struct identity *identity)
{
	worker_lock(&w->worker);
	w->identity = *identity;
	w->has_identity = true;
	worker_wake(&w->worker);
}

int writer_fd(const struct writer *w)
{
	return w->worker.fd;
}

bool writer_result(struct writer *w, struct writer_result *ret_result)
{
	bool has;

	worker_lock(&w->worker);
	has = worker_take(&w->worker);
	if (has)
		*ret_result = w->result;
	worker_unlock(&w->worker);
	return has;
}

int writer_close(struct writer *w)
{
	int r;

	if (!w)
		return 0;
	r = worker_end(&w->worker, WRITER_CLOSE_MS);
	if (r < 0)
		return r;
	r = w->last_error;
	phase_close(w->file);
	free(w);
	return r;
}
