/* SPDX-License-Identifier: Apache-2.0 */
/* leaderunit: asks systemctl whether a report is about a unit that runs only on the leader. */
#ifndef ELECTCTL_VERBS_LEADERUNIT_H
#define ELECTCTL_VERBS_LEADERUNIT_H

#include "electctl/electctl.h"

/*
 * Refuses a report without --leader about a unit bound to the leader target: the unit is never well
 * on a follower, so no host could ever lead. Returns ELECTCTL_USAGE then, after printing the
 * reason. It checks the unit that this process runs in, the unit called `name`, and the units that
 * `command` (NULL: none) asks systemctl about. If systemctl does not answer, nothing is refused.
 */
enum electctl_exit leaderunit_check(
	const struct options *o, const char *name, char *const *command);

/* True if the output of `systemctl show -p BindsTo` has a leader target. ret_target: the first. */
bool leaderunit_in(const char *shown, char *ret_target, size_t size);

#endif
