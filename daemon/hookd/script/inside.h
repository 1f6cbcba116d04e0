/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the declarations that the parts of command share. Only they and their test include it. */
#ifndef ELECTD_HOOKD_SCRIPT_INSIDE_H
#define ELECTD_HOOKD_SCRIPT_INSIDE_H

#include "command.h"

/* ---- output ------------------------------------------------------------------------------ */

struct command_output {
	char ring[COMMAND_OUTPUT_MAX]; /* the last bytes; byte number n is at n % its size */
	uint64_t total;		       /* bytes so far */
};

void command_output_take(struct command_output *o, const char *bytes, size_t size);
/*
 * Returns the kept bytes as valid UTF-8 that does nothing to a terminal: every other byte becomes
 * '?'. There is no line end at the end. Returns true if there was more.
 */
bool command_output_text(const struct command_output *o, char ret_text[COMMAND_OUTPUT_MAX + 1]);

/* ---- session ----------------------------------------------------------------------------- */

/* Returns whether no process of the session runs any more. Its first one must have been reaped. */
bool command_session_is_gone(pid_t session);
/* Sends a signal to the processes in groups other than the script's own, which kill() reaches. */
void command_session_tell_others(pid_t session, int number);

/* ---- child ------------------------------------------------------------------------------- */

/* Descriptors; -1: none. */
struct command_ends {
	int input;  /* stdin of the child */
	int output; /* stdout and stderr of the child */
	int status; /* gets errno if the child cannot be started; exec closes it */
};

/* Runs in the child, and never returns. `parent` is hookd: without it the child must not run. */
_Noreturn void command_child(
	const struct command_order *order, const struct command_ends *ends, pid_t parent);

#endif
