/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: what came of each script the last time, told to electd (HookReport), which shows it to
 * people. Told again to an electd that was connected anew. Nothing waits for it: an electd that
 * does not answer is asked again later, and of a script only the last report of a role event is
 * kept for it, and the last one of `members` since.
 */
#ifndef ELECTD_HOOKD_RUN_REPORT_H
#define ELECTD_HOOKD_RUN_REPORT_H

#include "hookd/link/call.h"
#include "hookd/script/command.h"
#include "core/hook.h"

enum {
	REPORTS_MAX = 2 * 66,	  /* scripts, the target, the record; the oldest goes */
	REPORT_SCRIPT_SIZE = 128, /* a unit's name is the longest */
	REPORT_WITHIN_US = 2000000,
	REPORT_AGAIN_US = 1000000,
};

enum report_kind {
	REPORT_OTHER, /* the target, the record on the disk */
	REPORT_HOOK,  /* a script: one that is not in the folders any more is gone */
	REPORT_BOUND, /* a unit that is bound to the target: one that has not failed is gone */
};

struct report {
	char script[REPORT_SCRIPT_SIZE];
	enum hook_event event;
	enum hook_result result;
	enum report_kind kind;
	int status;
	bool goes_on; /* with TIMED_OUT: it was not ended */
	uint64_t runtime_us, seq, token;
	char output[COMMAND_OUTPUT_MAX + 1];
};

struct reports;

/* `path` is of electd's socket. 0 or -errno. */
int reports_open(struct reports **ret_reports, sd_event *event, const char *path);
void reports_close(struct reports *r);
void reports_add(struct reports *r, const struct report *report);
/* Those of that kind that are not there any more are told as gone. */
void reports_gone(struct reports *r, enum report_kind kind,
	bool (*is_there)(const void *user, const char *script), const void *user);
/* Is there one of that kind that was not told as gone? */
bool reports_any(const struct reports *r, enum report_kind kind);
/* electd listens to `holder`, which has just connected: all is told again. NULL: it is gone. */
void reports_connected(struct reports *r, const char *holder);
/* What a report of that script on that event would replace, or NULL. */
const struct report *reports_find(
	const struct reports *r, const char *script, enum hook_event event);

#endif
