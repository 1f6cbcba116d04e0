/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include <errno.h>
#include <sysexits.h>

/*
 * A disk that is read-only, full or mounted wrongly can become usable at any time, so systemd has
 * to start the daemon again, whatever the error is. For other subjects, a missing permission is an
 * error of the configuration, which another start does not correct.
 */
int status_for(enum status_subject subject, int error)
{
	if (subject == STATUS_STATE)
		return EX_IOERR;
	return error == -EACCES || error == -EPERM || error == -EROFS ? EX_NOPERM : EX_OSERR;
}
