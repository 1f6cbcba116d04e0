/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter: reports a probe's results to electd, by lib/. electd may end, stall and come back: the
 * reporter then reports again what electd does not know. Never blocks.
 */
#ifndef ELECTCTL_VERBS_REPORTER_H
#define ELECTCTL_VERBS_REPORTER_H

#include <stdint.h>

#include "core/elect.h"
#include "electctl/ask.h"
#include "lib/electd.h"
#include "lib/requests.h"

struct reporter {
	const struct options *o;
	const char *name;
	char path[ASK_PATH_SIZE];
	electd *electd; /* watched, to learn when another one runs */
	bool lost;	/* the connection to it */
	struct requests requests;
	bool wonders;	/* asks: is the name known, does a report count? */
	bool any, well; /* there was a result; the last one */
	char words[ELECT_WORDS_MAX + 1];
	bool full;    /* electd had no place for a request, which was printed once */
	bool counts;  /* with --leader: this host leads, and its promotion is complete */
	bool refused; /* permanently; the reason was printed */
	enum electctl_exit code;
};

/* True if `name` can be reported; else prints why not. */
bool reporter_name(const struct options *o, const char *name);

/* The parameters of a report; NULL: no memory. */
json_t *reporter_parameters(
	const struct options *o, const char *name, bool well, const char *words);

/* `o` and `name` must outlive the reporter. ELECTCTL_OK, or the exit code; the error was printed.
 */
enum electctl_exit reporter_open(struct reporter *r, const struct options *o, const char *name);
void reporter_tell(struct reporter *r, bool well, const char *words);
/* Asks whether a report counts; `wonders` becomes false with the answer. */
void reporter_ask(struct reporter *r);
/* Call it on input of the descriptors and at reporter_due_ms(): connects, reads and sends. */
void reporter_look(struct reporter *r);
/* The descriptor of the request that was sent; -1: none. */
int reporter_fd(const struct reporter *r);
/* When reporter_look() must be called without another event; -1: never. */
int64_t reporter_due_ms(const struct reporter *r);
void reporter_close(struct reporter *r);

#endif
