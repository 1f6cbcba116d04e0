/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: notifications to the service manager (sd_notify(3)). None of them waits, as libsystemd
 * does while the manager's queue is full, because a slow manager must delay neither a beacon nor a
 * demotion. A notification that the queue does not take is kept here, the latest of each kind, and
 * sent again. Without a manager nothing is sent or kept. The caller runs the timer.
 */
#ifndef ELECTD_PROGRAM_MANAGER_H
#define ELECTD_PROGRAM_MANAGER_H

/*
 * Kept notifications are sent in this order. It matters to systemd only for the first three: a
 * RELOADING after its READY would leave the unit "reloading" for good, and a service that is
 * stopping is neither.
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
	MANAGER_TEXT_MAX = 2048, /* bytes of a notification; longer ones are cut */
	MANAGER_NAMES_MAX = 8,	 /* names of descriptors; electd has five */
	/*
	 * A hundredth of WatchdogSec= of electd's unit, which is the shortest time that depends on
	 * a notification; also short enough for a user of `systemctl reload`. An attempt is three
	 * system calls.
	 */
	MANAGER_AGAIN_US = 100000,
};

/*
 * Sets the function that is called after each attempt that leaves something kept. The caller then
 * has to call manager_send_again() MANAGER_AGAIN_US later. NULL: no function. This call is an
 * attempt, too, so it may call `pending`.
 */
void manager_when_pending(void (*pending)(void *user), void *user);

/*
 * Sends a notification; the format is that of sd_notifyf(3). Replaces a kept one of the same kind.
 * RELOADING withdraws a kept READY, because another READY follows; STOPPING withdraws both.
 */
void manager_tell(enum manager_kind kind, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Forgets a kept notification of that kind, because it is no longer true. */
void manager_withdraw(enum manager_kind kind);

/*
 * The manager keeps `fd` over restarts, and drops the descriptor that it has under that name; -1:
 * it only drops that. `name` must stay valid. Only the number is kept here, so a descriptor that is
 * another file when the queue takes more again is not sent.
 */
void manager_keep(const char *name, int fd);

/* Sends what is kept, as far as the queue takes it. */
void manager_send_again(void);

#endif
