/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks: how the last run of each hook script ended, as electd-hookd reports it: on a role event
 * (leader, follower, none, stop), and on `members` since. Only the next role event clears what
 * failed on one.
 *
 * A bounded table, values only: it runs nothing, knows no sockets and has no clock. What it is
 * given was checked before (control/methods.c).
 */
#ifndef ELECTD_WORDS_HOOKS_H
#define ELECTD_WORDS_HOOKS_H

#include "core/hook.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HOOKS_MAX = 2 * 66,	/* two of each script; the longest silent makes room */
	HOOKS_SCRIPT_MAX = 127, /* characters of a file or unit name */
	HOOKS_TOKEN_MAX = 20,	/* digits */
	HOOKS_OUTPUT_MAX = 2048,
	HOOKS_PROBLEMS_MAX = 8, /* told one by one; the last one counts the rest */
	HOOKS_PROBLEM_SIZE = HOOKS_SCRIPT_MAX + 128,
};

struct hooks_report {
	char script[HOOKS_SCRIPT_MAX + 1];
	enum hook_event event;
	enum hook_result result;
	int64_t status, runtime_ms;
	uint64_t seq;			 /* of electd's event */
	char token[HOOKS_TOKEN_MAX + 1]; /* of the leadership the event was about */
	char output[HOOKS_OUTPUT_MAX + 1];
	uint64_t at_us; /* when it was told, on the clock that counts since boot */
};

/* All zero: nothing was reported. By script name, and of one the role event first. */
struct hooks {
	unsigned count;
	uint64_t told; /* reports so far */
	struct hooks_entry {
		struct hooks_report report;
		uint64_t told; /* which report that was */
		bool former;   /* by a hookd that is gone, and not said again */
	} entries[HOOKS_MAX];
	unsigned problems_count;
	char problems[HOOKS_PROBLEMS_MAX][HOOKS_PROBLEM_SIZE];
};

/*
 * False: this is no run, or known: hookd has only told it again after hooks_renew(). ret_changed:
 * other problems than before.
 */
bool hooks_take(struct hooks *h, const struct hooks_report *report, bool *ret_changed);
/*
 * Another hookd is there: it tells again what it knows. What it does not tell is kept to be looked
 * at, but is no problem any more: the script may be gone. True: that left other problems.
 */
bool hooks_renew(struct hooks *h);
/* How many scripts, or units, have failed, whether told one by one or not. */
unsigned hooks_failed(const struct hooks *h, bool units);

#endif
