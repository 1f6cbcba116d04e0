/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: lines for people on stderr, with the journal's levels when the journal reads them.
 *
 * Only those who decide to go on call it: libraries and the core return. Whatever it prints is
 * escaped to printable ASCII, so no peer, file or client can write to a terminal or forge a line.
 * Faults of single packets never come here one by one: see struct log_faults.
 */
#ifndef ELECTD_WORDS_LOG_H
#define ELECTD_WORDS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOG_LINE_MAX = 2048, /* bytes of one line; a longer one is cut and ends in "..." */
	LOG_FAULTS_MAX = 32, /* counters one summary can hold */
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
 * First of all in a program. Opens standard files that are missing, and finds out who reads
 * stderr. Before it, lines are plain and the level is info.
 */
void log_init(void);

/* "error", "warning", "notice", "info" or "debug"; -EINVAL for any other name. */
int log_set_level(const char *name);
const char *log_level_name(enum log_level level);
/* For debug lines that cost something to make. */
bool log_wanted(enum log_level level);
/* Does the journal read stderr? As log_init() found it. */
bool log_to_journal(void);
/* The number of syslog and of the journal's PRIORITY. */
unsigned log_syslog_level(enum log_level level);

/*
 * One line "SUBSYSTEM: text". `subsystem` is the module's name. Never fails, keeps errno; a line
 * that stderr does not take is lost.
 */
void log_line(enum log_level level, const char *subsystem, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(subsystem, ...)   log_line(LOG_LEVEL_ERROR, subsystem, __VA_ARGS__)
#define log_warning(subsystem, ...) log_line(LOG_LEVEL_WARNING, subsystem, __VA_ARGS__)
#define log_notice(subsystem, ...)  log_line(LOG_LEVEL_NOTICE, subsystem, __VA_ARGS__)
#define log_info(subsystem, ...)    log_line(LOG_LEVEL_INFO, subsystem, __VA_ARGS__)
#define log_debug(subsystem, ...)   log_line(LOG_LEVEL_DEBUG, subsystem, __VA_ARGS__)

/*
 * Copies `size` bytes as printable ASCII: control characters, backslash and bytes above 0x7e
 * become \n, \t, \\ or \xNN. Cut with "..." when there is no room; never cuts inside an escape.
 * Always ends with NUL; ret_size is at least 4.
 */
void log_escape(const char *bytes, size_t size, char *ret_text, size_t ret_size);

/*
 * Counted faults, one summary line a minute. The counters only ever grow; zero the struct once.
 */
struct log_faults {
	uint64_t told[LOG_FAULTS_MAX]; /* counters at the last summary */
	uint64_t told_us;	       /* when that was; 0: never */
};

typedef const char *log_fault_name_fn(unsigned index);

/*
 * Call now and then, for example each beacon. Writes "3 datagrams dropped: tag 2, replayed 1"
 * when some counter grew and the last summary is LOG_FAULTS_US ago; true if so. `count` is at
 * most LOG_FAULTS_MAX; a counter whose name is NULL is left out.
 */
bool log_faults_text(struct log_faults *faults, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, char *ret_text, size_t size);
/* The same, printed at level notice. */
bool log_faults_report(struct log_faults *faults, uint64_t now_us, const char *subsystem,
	const uint64_t *counters, unsigned count, log_fault_name_fn *name);

#endif
