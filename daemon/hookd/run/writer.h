/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: one thread between hookd's loop, which must never wait, and a disk that may. It writes
 * the phase and the identity. A phase that still waits is replaced by a newer one, and so is an
 * identity. An eventfd tells the loop of each result. The writer decides nothing.
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

/* `phase` belongs to the writer from then on, and is closed by it. 0 or -errno. */
int writer_open(struct writer **ret_writer, struct phase *phase, const char *dir);
/* They never wait. A phase or identity that is replaced has no result. */
void writer_phase(struct writer *w, const struct hookplan_phase *phase);
void writer_identity(struct writer *w, const struct identity *identity);
/* Readable when writer_result() has a result. Belongs to the writer. */
int writer_fd(const struct writer *w);
/* False: there is no result now. The next write does not begin before this one's result is taken.
 */
bool writer_result(struct writer *w, struct writer_result *ret_result);
/*
 * Writes what waits, and waits at most WRITER_CLOSE_MS for the disk. 0; -errno: the last phase is
 * not on the disk; -ETIMEDOUT: the disk hangs, and the thread, the phase and its lock are left to
 * the end of the process, so that no other hookd opens the phase while it may still be written.
 * NULL is allowed.
 */
int writer_close(struct writer *w);

#endif
