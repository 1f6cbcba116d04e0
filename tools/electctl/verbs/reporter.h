/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter: sends a probe's results to electd over one connection. electd may end, stall and come
 * back: the reporter then sends again what electd does not know. Does not wait for replies;
 * connecting takes at most CONNECT_MS.
 */
#ifndef ELECTCTL_VERBS_REPORTER_H
#define ELECTCTL_VERBS_REPORTER_H

#include <stdint.h>

#include "core/elect.h"
#include "electctl/client.h"
#include "electctl/electctl.h"

enum reporter_asked { REPORTER_NOTHING, REPORTER_KNOWN, REPORTER_REPORT };

struct reporter {
	const struct options *o;
	const char *name;
	struct client electd;
	bool connected;
	enum reporter_asked asked; /* the call that was sent and not answered yet */
	bool wonders;		   /* to ask: is the name known, does a report count? */
	bool owes;		   /* `well` and `words` must be sent */
	bool any, well;		   /* there was a result; the last one */
	char words[ELECT_WORDS_MAX + 1];
	bool full;   /* electd had no place for this client, which was printed once */
	bool counts; /* with --leader: this host leads, and its promotion is complete */
	int64_t asked_ms, again_ms;
	bool refused; /* permanently; the reason was printed */
	enum electctl_exit code;
};

/* True if `name` can be reported; else prints why not. */
bool reporter_name(const struct options *o, const char *name);

/* The parameters of a report; NULL: no memory. */
json_t *reporter_parameters(
	const struct options *o, const char *name, bool well, const char *words);

void reporter_tell(struct reporter *r, bool well, const char *words);
/* Asks whether a report counts; `wonders` becomes false with the answer. */
void reporter_ask(struct reporter *r);
/* Call it on input from electd and at reporter_due_ms(): connects, reads and sends. */
void reporter_look(struct reporter *r);
/* When reporter_look() must be called without another event. */
int64_t reporter_due_ms(const struct reporter *r);
void reporter_close(struct reporter *r);

#endif
