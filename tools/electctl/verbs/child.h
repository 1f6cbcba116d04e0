/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: runs another program in a process group of its own, for `run` and `probe`. The child has
 * ended only when no process of its group is left. Knows nothing about elections.
 */
#ifndef ELECTCTL_VERBS_CHILD_H
#define ELECTCTL_VERBS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t group;   /* 0: nothing was started */
	bool terminal; /* the group is in the foreground of our terminal while it runs */
	bool ended;    /* the command itself; other processes of its group may be left */
	int status;    /* of the command itself, as in a shell: 128 + signal */
};

/*
 * Starts the command with the signal mask `mask`. A command that cannot be executed ends with 127
 * or 126, as in a shell, and a message on stderr. 0 or -errno. The command is killed when this
 * process dies.
 */
int child_start(struct child *c, char *const *words, const sigset_t *mask);
/* The same in a session of its own, without terminal or input; stdout and stderr go to `output`. */
int child_start_apart(struct child *c, char *const *words, const sigset_t *mask, int output);

/* Signals the whole group. A stopped process is continued, so that it can handle the signal. */
void child_signal(const struct child *c, int signal);

/* Reaps ended processes, after SIGCHLD or periodically. True: none of the group is left. */
bool child_gone(struct child *c);
/* Kills the group and all other children of this process. True: no child is left. */
bool child_sweep(struct child *c);

#endif
