/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: the signal state that a program inherits from its parent, and that of its threads.
 */
#ifndef ELECTD_PROGRAM_SIGNALS_H
#define ELECTD_PROGRAM_SIGNALS_H

#include <signal.h>

/*
 * To be called first in main(). Unblocks every signal and gives SIGCHLD its default action. Both
 * survive execve(2): with SIGTERM blocked by the parent a daemon cannot be asked to stop, and with
 * SIGCHLD ignored the kernel reaps children itself, so that waitid(2) finds none. An ignored SIGHUP
 * stays ignored, because nohup(1) means the commands that electctl starts.
 */
void signals_reset(void);

/*
 * For a thread that is to be created: blocks every signal but those of a fault of its own, so that
 * the loop's thread gets all others and a crash of the new one leaves a trace (crash.h).
 */
void signals_block(sigset_t *ret_before);
/* As it was before signals_block(). */
void signals_restore(const sigset_t *before);

#endif
