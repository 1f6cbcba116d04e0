/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: notifications to the service manager, see sd_notify(3). None of them waits, as
 * libsystemd does while the manager's queue is full: a manager that is slow must delay neither a
 * beacon nor a demotion. A notification that the queue does not take is kept here, the latest of
 * each kind, and sent again. Without a manager nothing is sent and nothing is kept. Runs no timer
 * itself: that is the caller's.
 */
#ifndef ELECTD_PROGRAM_MANAGER_H
#define ELECTD_PROGRAM_MANAGER_H

/*
 * In the order in which those that were kept are sent. systemd's order matters only for the first
 * three: a RELOADING after its READY would leave the unit "reloading" for good, and a service that
 * is stopping is neither.
 */
enum manager_kind {
	MANAGER_RELOADING,
	MANAGER_READY,
	MANAGER_STOPPING,
	MANAGER_EXTEND,
	MANAGER_STATUS,
	MANAGER_WATCHDOG,
	MANAGER_KINDS
};

enum {
	MANAGER_TEXT_MAX = 2048, /* bytes of a notification; what is longer is cut */
	MANAGER_NAMES_MAX = 8,	 /* names of descriptors; electd has five */
	/*
	 * A hundredth of WatchdogSec= of electd's unit, the shortest time that waits for a
	 * notification, and soon enough for who types `systemctl reload`. An attempt is three
	 * system calls.
	 */
	MANAGER_AGAIN_US = 100000,
};

/*
 * `pending` is called after each attempt that leaves something to be sent, and at once if there is
 * something now: manager_send_again() is due MANAGER_AGAIN_US later. NULL: no function is called.
 */
void manager_when_pending(void (*pending)(void *user), void *user);

/*
 * The form of sd_notifyf(3). Replaces what is kept of the same kind. RELOADING withdraws a READY
 * that is kept, because another one follows; STOPPING withdraws both.
 */
void manager_tell(enum manager_kind kind, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Forgets what is kept of that kind: it is no longer true. */
void manager_withdraw(enum manager_kind kind);

/*
 * The manager keeps `fd` over restarts, in place of what it has under that name; -1: it keeps
 * nothing under it. `name` is never freed. Only the number is kept here, so a descriptor that is
 * another file when the queue has room again is not sent.
 */
void manager_keep(const char *name, int fd);

/* Sends what is kept, as far as the queue takes it. */
void manager_send_again(void);

#endif
