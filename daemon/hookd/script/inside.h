/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: what the parts of command share. Only for command*.c and its test.
 */
#ifndef ELECTD_HOOKD_SCRIPT_INSIDE_H
#define ELECTD_HOOKD_SCRIPT_INSIDE_H

#include "command.h"

/* ---- what it says ------------------------------------------------------------------------ */

struct command_output {
	char ring[COMMAND_OUTPUT_MAX]; /* the last bytes; byte number n is at n % its size */
	uint64_t total;		       /* bytes ever */
};

void command_output_take(struct command_output *o, const char *bytes, size_t size);
/*
 * What is kept, as text that does nothing to a terminal and is good UTF-8: every other byte becomes
 * '?'. No line end at its end. True if there was more.
 */
bool command_output_text(const struct command_output *o, char ret_text[COMMAND_OUTPUT_MAX + 1]);

/* ---- its session ------------------------------------------------------------------------- */

/* Of a first process that was reaped: nobody of its session runs any more. */
bool command_session_is_gone(pid_t session);
/* To those who are in other groups than the script's: kill() reaches that one. */
void command_session_tell_others(pid_t session, int number);

/* ---- the child --------------------------------------------------------------------------- */

/* Descriptors, -1: none. */
struct command_ends {
	int input;  /* its stdin */
	int output; /* its stdout and stderr */
	int status; /* errno goes there if it cannot be started; closed by exec */
};

/* In the child, never returns. `parent` is our process: without it the child must not run. */
_Noreturn void command_child(
	const struct command_order *order, const struct command_ends *ends, pid_t parent);

#endif
