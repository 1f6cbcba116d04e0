/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: writes lines for users to stderr, with the journal's levels if the journal reads them.
 *
 * Only code that can decide to continue calls it; libraries and the core return errors instead. All
 * output is escaped to printable ASCII, so no peer, file or client can control a terminal or forge
 * a line. Faults of single packets are never logged one by one: see struct log_faults.
 */
#ifndef ELECTD_WORDS_LOG_H
#define ELECTD_WORDS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOG_LINE_MAX = 2048, /* bytes of one line; a longer one is cut and ends in "..." */
	LOG_FAULTS_MAX = 32, /* counters in one summary */
};

#define LOG_FAULTS_US UINT64_C(60000000) /* at most one summary in this time */

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_NOTICE,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVELS
};

/*
 * Call it first in a program. It opens missing standard files and finds out whether the journal
 * reads stderr. Before this call, lines have no prefix and the level is info.
 */
void log_init(void);

/* `name` is "error", "warning", "notice", "info" or "debug". 0, or -EINVAL for any other name. */
int log_set_level(const char *name);
const char *log_level_name(enum log_level level);
/* Ask before a line that is expensive to make. */
bool log_wanted(enum log_level level);
/* True if the journal reads stderr, as log_init() found. */
bool log_to_journal(void);
/* The number of the level in syslog and in the journal's PRIORITY. */
unsigned log_syslog_level(enum log_level level);

/*
 * Writes one line "SUBSYSTEM: text"; `subsystem` is the name of the module. It never fails and
 * keeps errno. A line that stderr does not take is lost.
 */
void log_line(enum log_level level, const char *subsystem, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(subsystem, ...)   log_line(LOG_LEVEL_ERROR, subsystem, __VA_ARGS__)
#define log_warning(subsystem, ...) log_line(LOG_LEVEL_WARNING, subsystem, __VA_ARGS__)
#define log_notice(subsystem, ...)  log_line(LOG_LEVEL_NOTICE, subsystem, __VA_ARGS__)
#define log_info(subsystem, ...)    log_line(LOG_LEVEL_INFO, subsystem, __VA_ARGS__)
#define log_debug(subsystem, ...)   log_line(LOG_LEVEL_DEBUG, subsystem, __VA_ARGS__)

/*
 * Copies `size` bytes as printable ASCII: control characters, backslash and bytes above 0x7e become
 * \n, \t, \\ or \xNN. Text that does not fit is cut and ends in "...", never inside an escape. The
 * result always ends with NUL; ret_size must be at least 4.
 */
void log_escape(const char *bytes, size_t size, char *ret_text, size_t ret_size);

/* Counted faults, at most one summary line a minute. Counters only grow. Zero the struct once. */
struct log_faults {
	uint64_t told[LOG_FAULTS_MAX]; /* counters at the last summary */
	uint64_t told_us;	       /* when that was, in microseconds; 0: never */
};

typedef const char *log_fault_name_fn(unsigned index);

/*
 * Writes "3 datagrams dropped: tag 2, replayed 1" and returns true if a counter grew and the last
 * summary is at least LOG_FAULTS_US ago. Call it regularly, for example with each beacon. `count`
 * is at most LOG_FAULTS_MAX; a counter whose name is NULL is left out.
 */
bool log_faults_text(struct log_faults *faults, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, char *ret_text, size_t size);
/* The same, logged at level notice. */
bool log_faults_report(struct log_faults *faults, uint64_t now_us, const char *subsystem,
	const uint64_t *counters, unsigned count, log_fault_name_fn *name);

#endif
