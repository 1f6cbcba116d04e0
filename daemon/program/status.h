/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status: the exit status of a daemon that ends because something cannot be used (electd(8),
 * electd-hookd(8)). The units do not restart a daemon after EX_NOPERM, because it would end
 * in the same way. The caller reports the error.
 */
#ifndef ELECTD_PROGRAM_STATUS_H
#define ELECTD_PROGRAM_STATUS_H

enum status_subject {
	STATUS_STATE, /* the state folder and its content */
	STATUS_OTHER, /* sockets, the runtime folder, memory */
};

/* `error` is -errno. Returns an exit status of sysexits.h. */
int status_for(enum status_subject subject, int error);

#endif
