/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: a child process of hookd: a hook script or systemctl.
 *
 * The child gets a session, a clean environment, clean signals, `input` on stdin, and one pipe for
 * its output, of which the last bytes are kept. hookd must never wait for the child: a child that
 * floods, sleeps, forks or ignores TERM costs bounded memory, and bounded work in each wake-up.
 * core/hookplan decides about the order.
 */
#ifndef ELECTD_HOOKD_SCRIPT_COMMAND_H
#define ELECTD_HOOKD_SCRIPT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

enum {
	COMMAND_OUTPUT_MAX = 2048,	 /* bytes of output that are kept: the last ones */
	COMMAND_KILL_AFTER_US = 5000000, /* between TERM and KILL */
};

enum command_end {
	COMMAND_EXITED,	   /* status: its exit status */
	COMMAND_SIGNALLED, /* status: the signal, which hookd did not send */
	COMMAND_TIMED_OUT, /* hookd sent TERM, then perhaps KILL, at the deadline; status: 0 */
	COMMAND_CUT,	   /* the same, because of command_cut(); status: 0 */
	COMMAND_UNSTARTED, /* status: the errno of exec or fork */
	COMMAND_ENDS
};

struct command_result {
	enum command_end end;
	int status;
	bool killed; /* KILL was needed */
	pid_t left;  /* a process that survived KILL, for command_hangs(); 0: none */
	uint64_t started_us, ended_us;	     /* CLOCK_BOOTTIME */
	char output[COMMAND_OUTPUT_MAX + 1]; /* printable text, in lines; the last bytes */
	bool output_cut;		     /* there was more before them */
};

struct command_order {
	int fd;		   /* O_PATH of the file to run; -1: `path` */
	const char *path;  /* absolute; for fd -1 */
	char *const *argv; /* NULL at the end */
	char *const *envp;
	const void *input; /* on stdin, as a sealed memory file; NULL: /dev/null */
	size_t input_size;
	uint64_t deadline_us; /* CLOCK_BOOTTIME: when TERM is sent */
};

struct command;

/*
 * Called once, from the loop, when the process has ended and its session is dealt with; or a second
 * after KILL if the process hangs in the kernel, where a call that it began may still complete.
 */
typedef void command_ended_fn(void *user, const struct command_result *result);

/*
 * Starts the command. 0 or -errno; after an error ended() is not called. An error that occurs in
 * the child (exec) is reported by ended() as COMMAND_UNSTARTED. `order` need not outlive the call.
 * SIGCHLD is blocked from then on, and set to its default.
 */
int command_start(struct command **ret_command, sd_event *event, const struct command_order *order,
	command_ended_fn *ended, void *user);
/* Ends the command early: TERM to its session now, KILL COMMAND_KILL_AFTER_US later. */
void command_cut(struct command *c);
/* Returns whether a `left` process or its session still exists. Not called again after false. */
bool command_hangs(pid_t left);
/* Called after ended(), or in it, or when the program ends: kills what still runs. */
void command_free(struct command *c);

#endif
