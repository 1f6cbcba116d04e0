/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: the short words to the service manager that come again and again: status, watchdog, more
 * time. Never waits, as sd_notify(3) does when nobody reads: a manager that stands still must keep
 * neither a beacon nor a demotion waiting, and what it does not take is lost. What is said once and
 * must arrive (READY=1, what is to be kept) is not for here. Without a manager nothing is said.
 */
#ifndef ELECTD_PROGRAM_MANAGER_H
#define ELECTD_PROGRAM_MANAGER_H

/* The form of sd_notifyf(3). */
void manager_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
