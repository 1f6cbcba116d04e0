/* SPDX-License-Identifier: Apache-2.0 */
/*
 * electctl: what a person or a script asks the electd of this host.
 *
 * A verb is one row of a table (options.c) and one function here; families of verbs share a file.
 * electctl talks to the control socket and to nothing else: it opens no other socket and changes
 * nothing by itself; `hooks` reads the folders of scripts. Data goes to `out`, every other word to
 * stderr.
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
	bool fields;	    /* decode: the table of fields */
	bool journal;	    /* history: from the journal */
	const char *output; /* metrics: a file; NULL: `out` */
	long kill_after_ms; /* run: between TERM and KILL */
	bool run;	    /* hooks test: run them */
};

typedef enum electctl_exit verb_fn(const struct options *o, char *const *args);

verb_fn status_verb;	/* status.c */
verb_fn leader_verb;	/* leader.c */
verb_fn is_leader_verb; /* leader.c */
verb_fn members_verb;	/* members.c */
verb_fn watch_verb;	/* watch.c */
verb_fn wait_verb;	/* wait.c */
verb_fn run_verb;	/* run.c */
verb_fn history_verb;	/* history.c */
verb_fn why_verb;	/* history.c */
verb_fn resign_verb;	/* resign.c */
verb_fn hold_verb;	/* change.c */
verb_fn priority_verb;	/* change.c */
verb_fn define_verb;	/* change.c */
verb_fn reload_verb;	/* change.c */
verb_fn check_verb;	/* monitor.c */
verb_fn metrics_verb;	/* monitor.c */
verb_fn decode_verb;	/* decode.c */
verb_fn hooks_verb;	/* hooks.c */

#endif
