/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: `watch` on a terminal: who leads, the members and the last events, drawn anew at each
 * change and each second. The last picture stays on the screen. Asks the terminal nothing and
 * leaves it in no other mode, so it may be ended at any moment.
 */
#ifndef ELECTCTL_VERBS_LIVE_H
#define ELECTCTL_VERBS_LIVE_H

#include "electctl/client.h"
#include "electctl/electctl.h"

/* `events`: a subscription whose snapshot was not read yet. Until electd ends, or --count. */
enum electctl_exit live(const struct options *o, struct client *events);

/* The picture, at most `rows` lines: for tests too. `lines` are the last events, newest last. */
void live_draw(const struct options *o, const json_t *status, const char *const *lines,
	unsigned lines_count, unsigned rows);

#endif
