/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: one child process of hookd at a time: a hook script or systemctl.
 *
 * It gets a session, a clean environment, clean signals, `input` on stdin, and one pipe for all it
 * says, of which the last lines are kept. It must never wait for the child: a child that floods,
 * sleeps, forks or ignores TERM costs bounded memory and bounded work a wake-up. Decides nothing
 * about order: that is core/hookplan.
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
	COMMAND_SIGNALLED, /* status: the signal; nobody here sent one */
	COMMAND_TIMED_OUT, /* TERM, then perhaps KILL, by us at its deadline; status: 0 */
	COMMAND_CUT,	   /* the same, because command_cut() asked for it; status: 0 */
	COMMAND_UNSTARTED, /* status: the errno of exec or fork */
	COMMAND_ENDS
};

struct command_result {
	enum command_end end;
	int status;
	bool killed;		       /* KILL was needed */
	pid_t left;		       /* not ended by KILL: command_hangs(); 0: it has ended */
	uint64_t started_us, ended_us; /* CLOCK_BOOTTIME */
	char output[COMMAND_OUTPUT_MAX + 1]; /* printable text, lines; cut at its beginning */
	bool output_cut;		     /* there was more */
};

struct command_order {
	int fd;		   /* O_PATH of what is to run, or -1: `path` */
	const char *path;  /* for fd -1: an absolute path */
	char *const *argv; /* NULL at the end */
	char *const *envp;
	const void *input; /* on stdin, as a sealed memory file; NULL: /dev/null */
	size_t input_size;
	uint64_t deadline_us; /* CLOCK_BOOTTIME: TERM then */
};

struct command;

/*
 * Called once, from the loop, when the process has ended and its session is dealt with; or a second
 * after KILL if it hangs in the kernel: what it had begun there may still be done.
 */
typedef void command_ended_fn(void *user, const struct command_result *result);

/*
 * Starts it. 0 or -errno; with an error ended() is not called. What can only fail in the child
 * (exec) is reported by ended() as COMMAND_UNSTARTED. Orders' memory need not outlive the call.
 * SIGCHLD is blocked from then on, and set to its default.
 */
int command_start(struct command **ret_command, sd_event *event, const struct command_order *order,
	command_ended_fn *ended, void *user);
/* It is not wanted any more: TERM to its session now, KILL COMMAND_KILL_AFTER_US later. */
void command_cut(struct command *c);
/* Whether a `left` process, or one of its session, has not ended. Not to be asked after false. */
bool command_hangs(pid_t left);
/* After ended(), in it too; or when the program ends: what still runs is killed. */
void command_free(struct command *c);

#endif
