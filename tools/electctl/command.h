/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: another program in a process group of its own, as `run` starts it. It is gone only
 * when nobody of its group is left. Knows nothing of elections.
 */
#ifndef ELECTCTL_COMMAND_H
#define ELECTCTL_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t group;   /* 0: nothing was started */
	bool terminal; /* it has ours while it runs */
	bool ended;    /* the command itself; others of its group may be left */
	int status;    /* of the command itself, as a shell has it: 128 + signal */
};

/*
 * Starts it with the signal mask `mask`. What cannot be executed ends with 127 or 126, as in a
 * shell, and a word on stderr. 0 or -errno. It is killed when this process dies.
 */
int command_start(struct command *c, char *const *words, const sigset_t *mask);

/* To all of its group. A stopped one is continued, so that it can hear what it is told. */
void command_signal(const struct command *c, int signal);

/* After SIGCHLD, or now and then: takes in who has ended. True: nobody is left. */
bool command_gone(struct command *c);

#endif
