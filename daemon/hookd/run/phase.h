/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase: what hookd has promised and not yet kept, in one sector on the disk, so that it outlives a
 * crash of hookd and of the host. The file is made whole at the start: a full disk cannot stop a
 * later write. What cannot be read counts as a promotion that was begun: its demotion is played.
 * A folder that cannot be used is no reason to end: phase_save() tries to use it again.
 */
#ifndef ELECTD_HOOKD_RUN_PHASE_H
#define ELECTD_HOOKD_RUN_PHASE_H

#include "core/hookplan.h"

#define PHASE_FILE_NAME "phase"

struct phase;

/*
 * Opens or makes `dir` (0700) and its phase (0600) and takes its lock: two hookd of one instance
 * never run at once. 0 or -errno, -EAGAIN: another hookd has it. ret_trouble is 0, -EBADMSG: the
 * record is damaged and can be replaced, or -errno: no record can be written now. ret_found is IDLE
 * where there is no file, and {STARTED, 0} where the record cannot be read.
 */
int phase_open(const char *dir, struct phase **ret_phase, struct hookplan_phase *ret_found,
	int *ret_trouble);
/*
 * Waits until the record is on the disk. 0 or -errno; after an error the disk has the record before
 * it, or one that cannot be read. -ESTALE, once: the disk has a record that phase_open() did not
 * find, and it owes a demotion.
 */
int phase_save(struct phase *p, const struct hookplan_phase *phase);
void phase_close(struct phase *p);

#endif
