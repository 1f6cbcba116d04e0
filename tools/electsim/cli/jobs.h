/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs: many pieces of work, one after the other or shared by several processes, and how far it
 * has come. Knows nothing of what is worked.
 */
#ifndef ELECTSIM_CLI_JOBS_H
#define ELECTSIM_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOBS_RESULT_MAX = 4000 }; /* with its number: written to a pipe whole or not at all */

struct jobs {
	unsigned processes; /* 1: here */
	uint64_t count;	    /* pieces, from 0 on */
	size_t size;	    /* of a result; it has no pointers that mean anything elsewhere */
	void *user;
	/* One piece; in a process of its own what it changes is lost. false: it is the last. */
	bool (*work)(void *user, uint64_t piece, void *ret_result);
	/* Here, in any order. */
	void (*done)(void *user, uint64_t piece, const void *result);
};

/* 0, or -errno: a process ended in the middle of its pieces, -ECHILD. */
int jobs_run(const struct jobs *j);

/* ---- progress.c: on stderr, at times */

struct progress {
	uint64_t begun_ms, last_ms;
	bool tty, shown;
};

void progress_begin(struct progress *p);
bool progress_due(struct progress *p); /* then it is shown: */
void progress_show(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);
uint64_t progress_ms(const struct progress *p); /* since it began */

#endif
