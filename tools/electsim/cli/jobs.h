/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs: many pieces of work, done here or by several processes, and the progress of long work. The
 * caller gives the functions that work.
 */
#ifndef ELECTSIM_CLI_JOBS_H
#define ELECTSIM_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOBS_RESULT_MAX = 4000 }; /* with its number it fits PIPE_BUF, so pipes write it at once */

struct jobs {
	unsigned processes; /* 1: no other process */
	uint64_t count;	    /* number of pieces; they begin at 0 */
	size_t size;	    /* bytes of a result, which must not contain pointers */
	void *user;
	/* Does one piece, perhaps in a process of its own. false: it is the last. */
	bool (*work)(void *user, uint64_t piece, void *ret_result);
	/* Takes a result in the calling process, in any order. */
	void (*done)(void *user, uint64_t piece, const void *result);
};

/* 0 or -errno; -ECHILD: a process failed. */
int jobs_run(const struct jobs *j);

/* ---- progress.c: on stderr */

struct progress {
	uint64_t begun_ms, last_ms;
	bool tty, shown;
};

void progress_begin(struct progress *p);
bool progress_due(struct progress *p); /* true: call progress_show() now */
void progress_show(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);
uint64_t progress_ms(const struct progress *p);

#endif
