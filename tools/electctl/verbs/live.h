/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: `watch` on a terminal: the leader, the members and the last events, redrawn at each change
 * and each second. The last picture stays on the screen. It neither queries the terminal nor leaves
 * it in another mode, so it may be ended at any moment.
 */
#ifndef ELECTCTL_VERBS_LIVE_H
#define ELECTCTL_VERBS_LIVE_H

#include "electctl/client.h"
#include "electctl/electctl.h"

/* `events`: a subscription with an unread snapshot. Runs until electd ends, or --count changes. */
enum electctl_exit live(const struct options *o, struct client *events);

/* Draws at most `rows` lines. `lines`: the last events, newest last. Public for the tests. */
void live_draw(const struct options *o, const json_t *status, const char *const *lines,
	unsigned lines_count, unsigned rows);

#endif
