/* SPDX-License-Identifier: Apache-2.0 */
/*
 * electctl: the command-line program with which users and scripts query and control the electd of
 * this host.
 *
 * A verb is one row of verbs.h and one function in verbs/; related verbs share a file. electctl
 * uses only the control socket, and changes nothing by itself, with these exceptions: `hooks` reads
 * the folders of scripts; `doctor` listens to the LAN and examines this host; `reload` and `keys`,
 * run by root, query the service manager and read the configuration. No path comes from electd
 * (doc/privilege.md). Data goes to `out`, everything else to stderr.
 */
#ifndef ELECTCTL_ELECTCTL_H
#define ELECTCTL_ELECTCTL_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes, which scripts rely on: they do not change. */
enum electctl_exit {
	ELECTCTL_OK = 0,    /* success, or "true" */
	ELECTCTL_FALSE = 1, /* "false", or failure */
	ELECTCTL_USAGE = 2,
	ELECTCTL_NOT_RUNNING = 3,
	ELECTCTL_NOT_ALLOWED = 4,
	ELECTCTL_TIMED_OUT = 5,
	ELECTCTL_DEGRADED = 6,
	ELECTCTL_BAD_CONFIG = 7,
	ELECTCTL_PROTOCOL = 8,
	ELECTCTL_NO_PLACE = 9, /* too many clients: the question was not answered */
};

struct options {
	FILE *out;
	bool json;	    /* one object, "schema": 1 */
	bool plain;	    /* fields separated by tabs, for cut and awk */
	bool quiet;	    /* nothing on stderr, only the exit code */
	bool terminal;	    /* `out` is a terminal that can move its cursor */
	bool colour;	    /* a terminal, and NO_COLOR is not set */
	unsigned width;	    /* columns */
	const char *domain; /* NULL: the main instance */
	const char *socket; /* NULL: the socket of the domain */
	long timeout_ms;    /* -1: the verb's default */
	long count;	    /* watch, history: number of changes to show; -1: all */
	long for_seconds;   /* resign: -1: electd's default */
	const char *to;	    /* resign: name or id of the next leader; NULL: electd chooses */
	bool links;	    /* members: show on which links each host is heard */
	long members;	    /* check: expected number of members; -1: any */
	bool fields;	    /* decode: the table of fields */
	bool journal;	    /* history: from the journal */
	bool times;	    /* why: the steps of the last change, with their times */
	const char *output; /* metrics: a file; NULL: `out` */
	long kill_after_ms; /* run: time between TERM and KILL */
	bool run;	    /* hooks test: run the scripts */
	bool force;	    /* keys, reload: whatever other hosts send and accept */
	const char *config; /* keys, reload: electd's file; NULL: the file of electd's unit */
	const char *wait;   /* keys status: the state to wait for; NULL: it does not wait */
	long every_ms;	    /* probe: time between two runs; -1: probe's default */
	long fall, rise;    /* probe: results in a row that change the state; -1: probe's default */
	long stale_ms;	    /* probe, sick, well: silence that means sick; 0: never; -1: default */
	bool leader;	    /* probe, sick, well: about the service that runs only on the leader */
};

typedef enum electctl_exit verb_fn(const struct options *o, char *const *args);

/* Declares status_verb() and so on, one for each row. */
#define GROUP(title)
#define VERB(name, synopsis, help, options, args_min, args_max, run) verb_fn run;
#include "verbs.h"

#endif
