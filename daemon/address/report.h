/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: what users learn about the addresses: a line in the log for each change, and the rows
 * that electd shows (io.electd.ReportAddresses in electd-varlink(7)).
 */
#ifndef ELECTD_ADDRESS_REPORT_H
#define ELECTD_ADDRESS_REPORT_H

#include "plan.h"
#include "settings.h"

#include <jansson.h>

enum { REPORT_WORDS_SIZE = 160, REPORT_PROGRAM_SIZE = 16 };

/* The last report about one address. */
struct report_row {
	struct elect_address address;
	enum plan_state state;
	int error;
	char interface[PLAN_NAME_SIZE];
	uint64_t announced_us, conflict_us, conflict_said_us;
	uint8_t conflict_mac[6];
	unsigned restored;
	char restored_by[REPORT_PROGRAM_SIZE]; /* empty: unknown */
};

struct report {
	unsigned count;
	struct report_row rows[PLAN_MAX];
};

/*
 * Compares the plan with the last report, and logs what has changed. `why`: the reason for which
 * addresses are removed now. Returns whether anything has changed.
 */
bool report_changes(
	struct report *r, const struct plan *p, const struct settings *s, const char *why);

/* Returns why the address is in its state; empty: that needs no words. */
const char *report_words(
	const struct plan *p, const struct settings *s, unsigned row, char text[REPORT_WORDS_SIZE]);

/* The rows for electd; NULL: no memory. */
json_t *report_json(const struct report *r, const struct plan *p, const struct settings *s);

#endif
