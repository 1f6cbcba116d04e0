/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bound: parses the output of `systemctl show` about the units that are bound to the leader target.
 * The parser runs no program. Invalid names and values are skipped.
 */
#ifndef ELECTD_HOOKD_RUN_BOUND_H
#define ELECTD_HOOKD_RUN_BOUND_H

#include "report.h"

enum {
	BOUND_UNITS_MAX = 64,  /* units after these are not looked at */
	BOUND_FAILED_MAX = 16, /* failed units after these are not reported */
	BOUND_RESULT_SIZE = 32,
};

struct bound_units {
	unsigned count;
	char names[BOUND_UNITS_MAX][REPORT_SCRIPT_SIZE];
};

struct bound_failed {
	unsigned count;
	bool lately; /* at least one of them failed at since_us or later */
	struct {
		char name[REPORT_SCRIPT_SIZE];
		char result[BOUND_RESULT_SIZE]; /* "exit-code" */
	} units[BOUND_FAILED_MAX];
};

/* Parses the output of -p BoundBy: names with blanks between. `cut`: its beginning is missing. */
void bound_names(const char *text, bool cut, struct bound_units *ret_units);
bool bound_has(const struct bound_units *units, const char *name);
/*
 * Parses the output of -p BOUND_PROPERTIES, in which an empty line separates two units, and adds
 * the failed units to `failed`. since_us is on the service manager's clock.
 */
#define BOUND_PROPERTIES "Id,ActiveState,Result,Job,StateChangeTimestampMonotonic"
void bound_states(const char *text, uint64_t since_us, struct bound_failed *failed);
/*
 * Returns true if the output of -p BOUND_PROPERTIES shows that the unit is not active and has no
 * queued job. A unit that is not in the text is not down.
 */
bool bound_is_down(const char *text, const char *name);
/* Returns the units that are being stopped, from the output of -p BOUND_STOPPING. */
#define BOUND_STOPPING "Id,ActiveState"
void bound_stopping(const char *text, struct bound_units *ret_units);
bool bound_has_failed(const struct bound_failed *failed, const char *name);

#endif
