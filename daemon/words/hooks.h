/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks: how the last run of each hook script ended, as electd-hookd reports it. A script has at
 * most two entries: one for the last role event (leader, follower, none, stop), one for a `members`
 * event since then. Only the next role event clears a failure on a role event.
 *
 * A bounded table of values. It runs nothing, and has no sockets and no clock. The caller must
 * check a report before it passes it on (control/methods.c does).
 */
#ifndef ELECTD_WORDS_HOOKS_H
#define ELECTD_WORDS_HOOKS_H

#include "core/hook.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HOOKS_MAX = 2 * 66,	/* two for each script; when full, the oldest report is dropped */
	HOOKS_SCRIPT_MAX = 127, /* characters of a file or unit name */
	HOOKS_TOKEN_MAX = 20,	/* digits */
	HOOKS_OUTPUT_MAX = 2048,
	HOOKS_PROBLEMS_MAX = 8, /* listed one by one; the last one counts the rest */
	HOOKS_PROBLEM_SIZE = HOOKS_SCRIPT_MAX + 128,
};

struct hooks_report {
	char script[HOOKS_SCRIPT_MAX + 1];
	enum hook_event event;
	enum hook_result result;
	int64_t status, runtime_ms;
	uint64_t seq;			 /* number of electd's event */
	char token[HOOKS_TOKEN_MAX + 1]; /* of the leadership that the event was about */
	char output[HOOKS_OUTPUT_MAX + 1];
	uint64_t at_us; /* when the report came, on the clock since boot */
};

/* All zero: no reports. Sorted by script name; of one script, the role event comes first. */
struct hooks {
	unsigned count;
	uint64_t told; /* reports so far */
	struct hooks_entry {
		struct hooks_report report;
		uint64_t told; /* number of this report */
		bool former;   /* from an earlier hookd, and not reported again since */
	} entries[HOOKS_MAX];
	unsigned problems_count;
	char problems[HOOKS_PROBLEMS_MAX][HOOKS_PROBLEM_SIZE];
};

/*
 * Adds a report. Returns true if it is about a run that was not reported before; false for a script
 * that is gone, and for a run that hookd reports again after hooks_renew(). ret_changed: the
 * problems differ from before.
 */
bool hooks_take(struct hooks *h, const struct hooks_report *report, bool *ret_changed);
/*
 * Call it when another hookd connects. The new hookd reports again what it knows. Reports that it
 * does not repeat are kept but are no longer problems, because the script may be gone. Returns true
 * if the problems changed.
 */
bool hooks_renew(struct hooks *h);
/* Number of failed scripts, or of failed units, including those beyond HOOKS_PROBLEMS_MAX. */
unsigned hooks_failed(const struct hooks *h, bool units);

#endif
