/* SPDX-License-Identifier: Apache-2.0 */
/*
 * due: when a coordinator looks at which of its members next.
 */
#ifndef ELECTD_CORE_FRAME_DUE_H
#define ELECTD_CORE_FRAME_DUE_H

#include "state.h"

/* The moment at which that member is to be probed; after the last probe: at which it is lost. */
uint64_t due_at(const struct elect *e, const struct elect_watched *w);
/* Sets the algorithm's timer to the first due_at(): after a new list, or a sign of life. */
void due_schedule(struct elect *e);

#endif
