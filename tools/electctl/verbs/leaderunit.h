/* SPDX-License-Identifier: Apache-2.0 */
/* leaderunit: is what is reported a unit that runs on the leader only? systemctl is asked. */
#ifndef ELECTCTL_VERBS_LEADERUNIT_H
#define ELECTCTL_VERBS_LEADERUNIT_H

#include "electctl/electctl.h"

/*
 * A unit bound to the leader target is not well on a follower, and nobody could ever lead: without
 * --leader ELECTCTL_USAGE, and it was said. Looked at: the unit that this process runs in, the one
 * of this name, and those that `command`, NULL: none, asks systemctl about. Where systemctl does
 * not answer nothing is refused.
 */
enum electctl_exit leaderunit_check(
	const struct options *o, const char *name, char *const *command);

/* Is there a leader target among what `systemctl show -p BindsTo` says? Its first one, or false. */
bool leaderunit_in(const char *shown, char *ret_target, size_t size);

#endif
