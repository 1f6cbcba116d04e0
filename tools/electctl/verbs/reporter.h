/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter: what a probe tells electd of its name, over one connection. electd may end, stand still
 * and come back: then it is told again what it does not know. Waits for nothing.
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
	enum reporter_asked asked; /* and not answered yet */
	bool wonders;		   /* what is known of the name, and whether it counts here */
	bool owes;		   /* `well` and `words` are to be told */
	bool any, well;		   /* the last result */
	char words[ELECT_WORDS_MAX + 1];
	bool full;   /* it has no place for us, and that was said */
	bool counts; /* with --leader: this host leads, and its promotion is over */
	int64_t asked_ms, again_ms;
	bool refused; /* for good, and that was said */
	enum electctl_exit code;
};

/* Is it one of what can be reported? If not, that is said. */
bool reporter_name(const struct options *o, const char *name);

/* What is asked of electd of a name; NULL: no memory. */
json_t *reporter_parameters(
	const struct options *o, const char *name, bool well, const char *words);

void reporter_tell(struct reporter *r, bool well, const char *words);
/* Asks whether a report counts; `wonders` ends when that is known. */
void reporter_ask(struct reporter *r);
/* When electd has said something, or it is due: connects, reads, tells. */
void reporter_look(struct reporter *r);
/* When it is to be looked at without being told. */
int64_t reporter_due_ms(const struct reporter *r);
void reporter_close(struct reporter *r);

#endif
