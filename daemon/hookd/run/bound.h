/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound: what `systemctl show` says of units that are bound to the target. Asks nobody; what is no
 * name and no word is passed over.
 */
#ifndef ELECTD_HOOKD_RUN_BOUND_H
#define ELECTD_HOOKD_RUN_BOUND_H

#include "report.h"

enum {
	BOUND_UNITS_MAX = 64,  /* those behind them are not looked at */
	BOUND_FAILED_MAX = 16, /* those behind them are not told */
	BOUND_RESULT_SIZE = 32,
};

struct bound_units {
	unsigned count;
	char names[BOUND_UNITS_MAX][REPORT_SCRIPT_SIZE];
};

struct bound_failed {
	unsigned count;
	bool lately; /* one of them not before it was asked for */
	struct {
		char name[REPORT_SCRIPT_SIZE];
		char result[BOUND_RESULT_SIZE]; /* "exit-code" */
	} units[BOUND_FAILED_MAX];
};

/* Names with blanks between, of -p BoundBy; `cut`: the text's beginning is missing. */
void bound_names(const char *text, bool cut, struct bound_units *ret_units);
bool bound_has(const struct bound_units *units, const char *name);
/*
 * Of -p BOUND_PROPERTIES: an empty line stands between two units. Adds those that failed; since_us
 * is on the manager's clock.
 */
#define BOUND_PROPERTIES "Id,ActiveState,Result,Job,StateChangeTimestampMonotonic"
void bound_states(const char *text, uint64_t since_us, struct bound_failed *failed);
/*
 * The output of -p BOUND_PROPERTIES says that this unit is not active and that no job of it waits.
 * A unit that is not in the text is not down.
 */
bool bound_is_down(const char *text, const char *name);
/* Takes the units that are being stopped from the output of -p BOUND_STOPPING. */
#define BOUND_STOPPING "Id,ActiveState"
void bound_stopping(const char *text, struct bound_units *ret_units);
bool bound_has_failed(const struct bound_failed *failed, const char *name);

#endif
