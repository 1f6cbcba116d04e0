/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: the signal state that a program inherits from its parent, and that of its threads.
 */
#ifndef ELECTD_PROGRAM_SIGNALS_H
#define ELECTD_PROGRAM_SIGNALS_H

#include <pthread.h>

/*
 * To be called first in main(). Unblocks every signal and gives SIGCHLD its default action. Both
 * survive execve(2): with SIGTERM blocked by the parent a daemon cannot be asked to stop, and with
 * SIGCHLD ignored the kernel reaps children itself, so that waitid(2) finds none. An ignored SIGHUP
 * stays ignored, because nohup(1) means the commands that electctl starts.
 */
void signals_reset(void);

/*
 * Creates a thread that runs work(user). Every signal is blocked in it but those of a fault of its
 * own, so that the loop's thread gets all others and a crash of the new one leaves a trace
 * (crash.h). ret_thread NULL: the thread is detached. 0 or -errno; on success work() may have ended
 * before this returns.
 */
int signals_thread(pthread_t *ret_thread, void *(*work)(void *user), void *user);

#endif
