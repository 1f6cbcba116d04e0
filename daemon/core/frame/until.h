/* SPDX-License-Identifier: Apache-2.0 */
/*
 * until: how long what acts on this host's role may go on if this host says nothing more.
 */
#ifndef ELECTD_CORE_FRAME_UNTIL_H
#define ELECTD_CORE_FRAME_UNTIL_H

#include "state.h"

/* At the end of each step: from which beacon do the members count? */
void until_review(struct elect *e);

#endif
