/* SPDX-License-Identifier: Apache-2.0 */
/*
 * until: how long what acts on this host's role may go on if this host sends nothing more
 * (until.md); the result is elect_until() of elect_view.h. Times are microseconds.
 */
#ifndef ELECTD_CORE_FRAME_UNTIL_H
#define ELECTD_CORE_FRAME_UNTIL_H

#include "state.h"

/* A reload has shortened this host's dead_after, which was `former_us`. */
void until_shortened(struct elect *e, uint32_t former_us);
/* The coordinator has answered a question of this host. */
void until_confirmed(struct elect *e, const struct elect_msg *answer);
/* The end of each step: notes the beacon from which members count. */
void until_review(struct elect *e);

#endif
