/* SPDX-License-Identifier: Apache-2.0 */
/*
 * until: how long what acts on this host's role may go on if this host says nothing more.
 */
#ifndef ELECTD_CORE_FRAME_UNTIL_H
#define ELECTD_CORE_FRAME_UNTIL_H

#include "state.h"

/* A reload has shortened this host's dead_after; `former_us`: what it was. */
void until_shortened(struct elect *e, uint32_t former_us);
/* Its coordinator has answered a question of this host's. */
void until_confirmed(struct elect *e, const struct elect_msg *answer);
/* At the end of each step: from which beacon do the members count? */
void until_review(struct elect *e);

#endif
