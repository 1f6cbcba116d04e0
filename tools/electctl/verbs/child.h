/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: another program in a process group of its own, as `run` and `probe` start it. It is gone
 * only when nobody of its group is left. Knows nothing of elections.
 */
#ifndef ELECTCTL_VERBS_CHILD_H
#define ELECTCTL_VERBS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t group;   /* 0: nothing was started */
	bool terminal; /* it has ours while it runs */
	bool ended;    /* the command itself; others of its group may be left */
	int status;    /* of the command itself, as a shell has it: 128 + signal */
};

/*
 * Starts it with the signal mask `mask`. What cannot be executed ends with 127 or 126, as in a
 * shell, and a word on stderr. 0 or -errno. It is killed when this process dies.
 */
int child_start(struct child *c, char *const *words, const sigset_t *mask);
/* The same in a session of its own, without a terminal or input: all that it says goes there. */
int child_start_apart(struct child *c, char *const *words, const sigset_t *mask, int output);

/* To all of its group. A stopped one is continued, so that it can hear what it is told. */
void child_signal(const struct child *c, int signal);

/* After SIGCHLD, or now and then: takes in who has ended. True: nobody is left. */
bool child_gone(struct child *c);
/* Kills who is left, also who has left its group. True: nobody is, of any child of this process. */
bool child_sweep(struct child *c);

#endif
