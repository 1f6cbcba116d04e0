/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: keeps the last result of each script and unit, and reports it to electd (HookReport),
 * which shows it to users. An electd that was connected anew gets all of them again. Nothing waits
 * for a report: it is repeated until electd answers. For each script, the last report of a role
 * event is kept, and the last one of `members` since.
 */
#ifndef ELECTD_HOOKD_RUN_REPORT_H
#define ELECTD_HOOKD_RUN_REPORT_H

#include "hookd/link/call.h"
#include "hookd/script/command.h"
#include "core/hook.h"

enum {
	REPORTS_MAX = 2 * 66,	  /* scripts, the target, the record; the oldest is dropped */
	REPORT_SCRIPT_SIZE = 128, /* a unit's name is the longest */
	REPORT_WITHIN_US = 2000000,
	REPORT_AGAIN_US = 1000000,
};

enum report_kind {
	REPORT_OTHER, /* the target, the record on the disk */
	REPORT_HOOK,  /* a script; gone if it is not in the folders any more */
	REPORT_BOUND, /* a unit that is bound to the target; gone if it has not failed any more */
};

struct report {
	char script[REPORT_SCRIPT_SIZE];
	enum hook_event event;
	enum hook_result result;
	enum report_kind kind;
	int status;
	bool goes_on; /* with TIMED_OUT: it still runs */
	uint64_t runtime_us, seq, token;
	char output[COMMAND_OUTPUT_MAX + 1];
};

struct reports;

/* `path` of electd's socket. 0 or -errno. */
int reports_open(struct reports **ret_reports, sd_event *event, const char *path);
void reports_close(struct reports *r);
void reports_add(struct reports *r, const struct report *report);
/* Reports as gone each entry of that kind for which is_there() is false. */
void reports_gone(struct reports *r, enum report_kind kind,
	bool (*is_there)(const void *user, const char *script), const void *user);
/* Returns whether there is an entry of that kind that was not reported as gone. */
bool reports_any(const struct reports *r, enum report_kind kind);
/* A connection was accepted as `holder`: sends all reports again. NULL: it is gone. */
void reports_connected(struct reports *r, const char *holder);
/* Returns the report that a new one for this script and event would replace, or NULL. */
const struct report *reports_find(
	const struct reports *r, const char *script, enum hook_event event);

#endif
