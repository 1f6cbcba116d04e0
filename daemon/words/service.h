/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service: electd's notifications to the service manager, what the manager has kept, and the
 * machine's id. Without systemd everything here does nothing. No call waits for the manager; what
 * it does not take at once is sent again by manager_send_again() (program/manager.h).
 */
#ifndef ELECTD_WORDS_SERVICE_H
#define ELECTD_WORDS_SERVICE_H

#include "core/elect.h"

void service_ready(void);
/* One line a person sees in `systemctl status`. */
void service_status(const char *text);
void service_reloading(void);
/* It takes at most `most_us`: the manager is to wait that long, whatever its own limit. */
void service_stopping(uint64_t most_us);
void service_watchdog(void);
/* How often service_watchdog() is due: half of what was asked for; 0: never. */
uint64_t service_watchdog_us(void);

/*
 * What the manager has kept for this process, by names: -1 for what it has not. Once, early: the
 * caller owns them; others that were handed over are closed.
 */
void service_kept(const char *const *names, unsigned count, int *ret_fds);
/* As manager_keep(). */
void service_keep(const char *name, int fd);

/* The host id made from the machine id (algorithm.md 2). 0, or -errno: there is no machine id. */
int service_host_id(struct elect_id *ret_id);

#endif
