/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status: the exit status with which a daemon ends because something cannot be used (electd(8),
 * electd-hookd(8)). The units name the statuses after which another start would end the same way.
 * Must not report anything.
 */
#ifndef ELECTD_PROGRAM_STATUS_H
#define ELECTD_PROGRAM_STATUS_H

enum status_subject {
	STATUS_STATE, /* the state folder, and what is in it */
	STATUS_OTHER, /* sockets, the runtime folder, memory */
};

/* `error` is -errno. An exit status of sysexits.h. */
int status_for(enum status_subject subject, int error);

#endif
