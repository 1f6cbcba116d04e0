/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: one thread that writes the phase and the identity, because the disk may hang and hookd's
 * loop must never wait. A newer phase replaces one that is still queued, and so does a newer
 * identity. An eventfd reports each result to the loop.
 */
#ifndef ELECTD_HOOKD_RUN_WRITER_H
#define ELECTD_HOOKD_RUN_WRITER_H

#include "phase.h"
#include "hookd/link/identity.h"

enum { WRITER_CLOSE_MS = 2000 }; /* how long writer_close() waits for the disk */

struct writer;

/* The result of one write; the write of an identity has a result only if it failed. */
struct writer_result {
	bool is_phase;
	struct hookplan_phase phase;
	int error; /* 0 or -errno */
};

/* Starts the thread, which owns `phase` from then on and closes it. 0 or -errno. */
int writer_open(struct writer **ret_writer, struct phase *phase, const char *dir);
/* Both queue a write and never wait. A phase or identity that is replaced has no result. */
void writer_phase(struct writer *w, const struct hookplan_phase *phase);
void writer_identity(struct writer *w, const struct identity *identity);
/* Readable while writer_result() has a result. Belongs to the writer. */
int writer_fd(const struct writer *w);
/* Returns false if there is no result now. The next write waits until this result is taken. */
bool writer_result(struct writer *w, struct writer_result *ret_result);
/*
 * Writes what is queued, and waits at most WRITER_CLOSE_MS for the disk. 0; -errno: the last phase
 * is not on the disk; -ETIMEDOUT: the disk hangs. After -ETIMEDOUT the thread, the phase and its
 * lock live until the process ends, so that no other hookd opens the phase while it may still be
 * written. NULL is allowed.
 */
int writer_close(struct writer *w);

#endif
