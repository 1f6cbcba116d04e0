/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase: the record of a promotion that owes a demotion, in one sector on the disk, so that it
 * survives a crash of hookd and of the host. The file has its full size from the start, so that a
 * full disk cannot prevent a later write. A record that cannot be read counts as a promotion that
 * was begun, and its demotion is played. If the folder is unusable, phase_save() tries again.
 */
#ifndef ELECTD_HOOKD_RUN_PHASE_H
#define ELECTD_HOOKD_RUN_PHASE_H

#include "core/hookplan.h"

#define PHASE_FILE_NAME "phase"

struct phase;

/*
 * Opens or makes `dir` (0700) and its phase (0600), and takes the lock, so that two hookd of one
 * instance never run at once. 0 or -errno; -EAGAIN: another hookd has the lock. ret_trouble is 0;
 * -EBADMSG: the record is damaged and can be replaced; or -errno: no record can be written now.
 * ret_found is IDLE if there is no file, and {STARTED, 0} if the record cannot be read.
 */
int phase_open(const char *dir, struct phase **ret_phase, struct hookplan_phase *ret_found,
	int *ret_trouble);
/*
 * Waits until the record is on the disk. 0 or -errno; after an error the disk has the earlier
 * record, or one that cannot be read. -ESTALE, once: the disk has a record that phase_open() did
 * not find, and it owes a demotion.
 */
int phase_save(struct phase *p, const struct hookplan_phase *phase);
void phase_close(struct phase *p);

#endif
