/* SPDX-License-Identifier: Apache-2.0 */
/*
 * once: one run of a probe's command: exit status 0 in time is well, anything else sick; the last
 * line that it says are its words. Nobody is left behind. Knows nothing of electd.
 */
#ifndef ELECTCTL_VERBS_ONCE_H
#define ELECTCTL_VERBS_ONCE_H

#include <stdint.h>

#include "core/elect.h"
#include "child.h"

enum { ONCE_NEVER = -1 };

struct once {
	struct child child;
	bool running; /* somebody may be left */
	bool judged;  /* `well` and `words` say how it went */
	bool well;
	char words[ELECT_WORDS_MAX + 1];
	long timeout_ms;
	int64_t limit_ms; /* TERM then; and KILL a moment later */
	int output;	  /* -1: it is closed */
	/* Its last line, and the one that is not whole yet. */
	char line[ELECT_WORDS_MAX + 1], next[ELECT_WORDS_MAX + 1];
	unsigned used;
};

/* Nobody may be running. 0 or -errno. */
int once_start(struct once *r, char *const *words, const sigset_t *mask, long timeout_ms);
/* When its output can be read, a child has ended, or it is due. True: it was judged just now. */
bool once_look(struct once *r);
/* It was killed long ago, and somebody is there yet. */
bool once_stuck(const struct once *r);
/* When it is to be looked at without being told; ONCE_NEVER. */
int64_t once_due_ms(const struct once *r);
/* Nobody wants to know any more: it is killed. once_look() says when it is not running. */
void once_kill(struct once *r);

#endif
