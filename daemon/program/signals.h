/* SPDX-License-Identifier: Apache-2.0 */
/* signals: the signal state that a program inherits from its parent, and that of its threads. */
#ifndef ELECTD_PROGRAM_SIGNALS_H
#define ELECTD_PROGRAM_SIGNALS_H

#include <pthread.h>

/*
 * To be called first in main(). Unblocks every signal and gives SIGCHLD its default action. Both
 * states survive execve(2): if the parent has blocked SIGTERM, a daemon cannot be asked to stop,
 * and if SIGCHLD is ignored, the kernel reaps children itself and waitid(2) finds none. An ignored
 * SIGHUP stays ignored, because nohup(1) also means the commands that electctl starts.
 */
void signals_reset(void);

/*
 * Creates a thread that runs work(user). All signals except those of its own faults are blocked in
 * it, so the loop's thread gets the others, and a crash of the new thread leaves a trace (crash.h).
 * ret_thread NULL: the thread is detached. Returns 0 or -errno; on success work() may have ended
 * before this returns.
 */
int signals_thread(pthread_t *ret_thread, void *(*work)(void *user), void *user);

#endif
