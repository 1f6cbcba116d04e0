/* SPDX-License-Identifier: Apache-2.0 */
/* options: parses the command line with two tables: one of options, one of verbs. Runs nothing. */
#ifndef ELECTCTL_OPTIONS_H
#define ELECTCTL_OPTIONS_H

#include <getopt.h>

#include "electctl.h"

/* Options that only some verbs take: bits of verb.options. */
enum {
	OPTION_COUNT = 1 << 0,
	OPTION_FOR = 1 << 1,
	OPTION_FIELDS = 1 << 2,
	OPTION_JOURNAL = 1 << 3,
	OPTION_OUTPUT = 1 << 4,
	OPTION_KILL_AFTER = 1 << 5,
	OPTION_RUN = 1 << 6,
	OPTION_TO = 1 << 7,
	OPTION_MEMBERS = 1 << 8,
	OPTION_FORCE = 1 << 9,
	OPTION_WAIT = 1 << 10,
	OPTION_EVERY = 1 << 11,
	OPTION_FALL = 1 << 12,
	OPTION_RISE = 1 << 13,
	OPTION_STALE = 1 << 14,
	OPTION_LEADER = 1 << 15,
	OPTION_LINKS = 1 << 16,
	OPTION_CONFIG = 1 << 17,
	OPTION_TIMES = 1 << 18,
};

enum {
	VERB_COMMAND = -1, /* args_max: another command with any number of words */
	VERB_NAMED = -2,   /* a name, options, and another command */
	VERB_WORDS = 100,  /* a report has no space for more */
	COUNTED_MAX = 1000,
	STALE_MAX_S = 14 * 86400, /* electd's own limit */
	KILL_AFTER_MS = 5000,
};

struct verb {
	const char *name;
	const char *synopsis; /* the verb's own options and arguments */
	const char *help;
	unsigned options;
	int args_min, args_max;
	verb_fn *run;
};

/* The parsed command line. */
struct command_line {
	struct options options;
	const struct verb *verb; /* NULL: --help without a verb */
	char *const *args;	 /* ends with NULL */
	bool help, version;
};

/*
 * Global options may stand before or after the verb. 0, or -EINVAL after a sentence on `err`.
 * Reorders argv, as getopt does.
 */
int options_parse(int argc, char **argv, FILE *err, struct command_line *ret_line);

/* Prints "Usage: electctl hold on|off", one line for each form of the verb. */
void options_usage(const struct verb *v, FILE *out);

/*
 * The tables. options_verb() returns the n-th verb, and NULL after the last one.
 * options_verb_find() returns NULL if no verb has that name; options_verb_wanted() then also writes
 * a sentence to `err`. The last option of options_long() has no name. options_takes_value() is true
 * if a value follows --`name`.
 */
const struct verb *options_verb(unsigned n);
const struct verb *options_verb_find(const char *name);
const struct verb *options_verb_wanted(const char *name, FILE *err);
const struct option *options_long(void);
bool options_takes_value(const char *name);

#endif
