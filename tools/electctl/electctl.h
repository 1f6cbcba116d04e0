/* SPDX-License-Identifier: Apache-2.0 */
/*
 * electctl: what a person or a script asks the electd of this host.
 *
 * A verb is one row of verbs.h and one function in verbs/; families of verbs share a file.
 * electctl talks to the control socket and to nothing else: it opens no other socket and changes
 * nothing by itself; but `hooks` reads the folders of scripts, `doctor` listens to the LAN and asks
 * this host, and `reload` and `keys` of root ask the service manager and read the configuration.
 * No path comes from electd (doc/trust.md, 6). Data goes to `out`, every other word to stderr.
 */
#ifndef ELECTCTL_ELECTCTL_H
#define ELECTCTL_ELECTCTL_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes: promises to scripts. */
enum electctl_exit {
	ELECTCTL_OK = 0,    /* success, or "true" */
	ELECTCTL_FALSE = 1, /* "false", or it failed */
	ELECTCTL_USAGE = 2,
	ELECTCTL_NOT_RUNNING = 3,
	ELECTCTL_NOT_ALLOWED = 4,
	ELECTCTL_TIMED_OUT = 5,
	ELECTCTL_DEGRADED = 6,
	ELECTCTL_BAD_CONFIG = 7,
	ELECTCTL_PROTOCOL = 8,
	ELECTCTL_NO_PLACE = 9, /* too many ask already: nothing was learned */
};

struct options {
	FILE *out;
	bool json;	    /* one object, "schema": 1 */
	bool plain;	    /* tabs, for cut and awk */
	bool quiet;	    /* no words on stderr, the exit code says it */
	bool terminal;	    /* `out` is one, and can place its cursor */
	bool colour;	    /* it is, and nobody objects */
	unsigned width;	    /* columns */
	const char *domain; /* NULL: the main instance */
	const char *socket; /* NULL: the one of the domain */
	long timeout_ms;    /* -1: the verb's own */
	long count;	    /* watch, history: changes to show; -1: all */
	long for_seconds;   /* resign: -1: electd's default */
	const char *to;	    /* resign: name or id of who is to lead next; NULL: whose turn it is */
	bool links;	    /* members: by which links they are heard */
	long members;	    /* check: so many there are to be; -1: however many */
	bool fields;	    /* decode: the table of fields */
	bool journal;	    /* history: from the journal */
	const char *output; /* metrics: a file; NULL: `out` */
	long kill_after_ms; /* run: between TERM and KILL */
	bool run;	    /* hooks test: run them */
	bool force;	    /* keys, reload: whatever other hosts send and accept */
	const char *config; /* keys, reload: electd's file; NULL: as systemd started it */
	const char *wait;   /* keys status: for what; NULL: it does not wait */
	long every_ms;	    /* probe: from run to run; -1: its own */
	long fall, rise;    /* probe: so many in a row; -1: its own */
	long stale_ms;	    /* sick, well: silent for so long is sick, 0: never; -1: its own */
	bool leader;	    /* probe, sick, well: of what runs on the leader only */
};

typedef enum electctl_exit verb_fn(const struct options *o, char *const *args);

/* status_verb() and so on, of each row one. */
#define GROUP(title)
#define VERB(name, synopsis, help, options, args_min, args_max, run) verb_fn run;
#include "verbs.h"

#endif
