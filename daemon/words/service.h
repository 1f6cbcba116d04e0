/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service: sends electd's notifications to the service manager, takes the files that the manager
 * kept over a restart, and makes the host id from the machine id. Without systemd the notifications
 * do nothing. No call blocks: a notification that the manager does not take at once is sent again
 * by manager_send_again() (program/manager.h).
 */
#ifndef ELECTD_WORDS_SERVICE_H
#define ELECTD_WORDS_SERVICE_H

#include "core/elect.h"

void service_ready(void);
/* Sets the status line of `systemctl status`. */
void service_status(const char *text);
void service_reloading(void);
/* The manager waits `most_us` for the stop to end, even if its own timeout is shorter. */
void service_stopping(uint64_t most_us);
void service_watchdog(void);
/* Half of the watchdog interval that the manager set; 0: no watchdog. */
uint64_t service_watchdog_us(void);

/*
 * Returns the file descriptors that the manager kept for this process, by name; -1: none of that
 * name. Call it once, early. The caller owns them; other descriptors that the manager passed are
 * closed.
 */
void service_kept(const char *const *names, unsigned count, int *ret_fds);
/* See manager_keep(). */
void service_keep(const char *name, int fd);

/*
 * Makes the host id from the machine id (algorithm.md, State of a host). 0, or -errno without a
 * machine id.
 */
int service_host_id(struct elect_id *ret_id);

#endif
