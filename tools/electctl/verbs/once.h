/* SPDX-License-Identifier: Apache-2.0 */
/*
 * once: runs a probe's command once. The result is well if the command exits with status 0 in time,
 * else sick; the last line of its output is the explanation. No process of the run is left behind.
 * Knows nothing about electd.
 */
#ifndef ELECTCTL_VERBS_ONCE_H
#define ELECTCTL_VERBS_ONCE_H

#include <stdint.h>

#include "core/elect.h"
#include "child.h"

enum { ONCE_NEVER = -1 };

struct once {
	struct child child;
	bool running; /* a process of the run may be left */
	bool judged;  /* `well` and `words` are valid */
	bool well;
	char words[ELECT_WORDS_MAX + 1];
	long timeout_ms;
	int64_t limit_ms; /* time of TERM; KILL follows GRACE_MS later */
	int output;	  /* read end of the command's output; -1: closed */
	/* The last complete line of the output, and the incomplete one after it. */
	char line[ELECT_WORDS_MAX + 1], next[ELECT_WORDS_MAX + 1];
	unsigned used;
};

/* Starts a run; the previous one must have ended. 0 or -errno. */
int once_start(struct once *r, char *const *words, const sigset_t *mask, long timeout_ms);
/* Call it on output, on SIGCHLD and at once_due_ms(). True: this call judged the run. */
bool once_look(struct once *r);
/* True if a process of the run is still there well after KILL. */
bool once_stuck(const struct once *r);
/* When once_look() must be called without another event; ONCE_NEVER. */
int64_t once_due_ms(const struct once *r);
/* Discards the result and kills the run. `running` becomes false in once_look(). */
void once_kill(struct once *r);

#endif
