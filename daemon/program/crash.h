/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash: the trace that a program leaves on stderr when SIGSEGV, SIGBUS, SIGABRT, SIGFPE or SIGILL
 * ends it: the signal, the last input of each kind, and a backtrace. The program still ends by that
 * signal.
 *
 * Other hosts wait for that end, so the trace waits for no reader: a line that stderr does not take
 * is lost, and a trace that is not complete after CRASH_MOST_US is cut off by SIGALRM. It must not
 * use log.h, stdio or malloc(): the crash may have happened inside of them.
 */
#ifndef ELECTD_PROGRAM_CRASH_H
#define ELECTD_PROGRAM_CRASH_H

#include <stdbool.h>

enum {
	/*
	 * A twelfth of the default timing.dead_after_ms, so that a leader's crash is announced
	 * before others miss it. On an idle machine a trace delays the end by about 1 ms; it takes
	 * longer if the pages that describe the stack have to be read from a slow disk.
	 */
	CRASH_MOST_US = 50000,
};

/* The kinds of input from other processes. */
enum crash_input { CRASH_DATAGRAM, CRASH_REQUEST, CRASH_EVENT, CRASH_INPUTS };

/*
 * To be called once, at the start. `program` begins each line and must stay valid; with
 * `to_journal` a line also has the journal's level "critical". Does nothing if one of the signals
 * is handled already, because a sanitizer's own report shows more.
 */
void crash_watch(const char *program, bool to_journal);

/*
 * To be called in a forked copy that has to outlive its parent. A crash of the copy is traced under
 * the name `program`, and such a signal from another process is ignored.
 */
void crash_watch_copy(const char *program);

/* Sets the input that is processed now. `what` must stay valid and must not come from outside. */
void crash_heard(enum crash_input input, const char *what);

#endif
