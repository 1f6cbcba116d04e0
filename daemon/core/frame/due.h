/* SPDX-License-Identifier: Apache-2.0 */
/*
 * due: when a coordinator looks at which of its members next, and which are quiet.
 */
#ifndef ELECTD_CORE_FRAME_DUE_H
#define ELECTD_CORE_FRAME_DUE_H

#include "state.h"

/* The moment at which that member is to be probed; after the last probe: at which it is lost. */
uint64_t due_at(const struct elect *e, const struct elect_watched *w);
/* Is it silent, and were PROBES_QUIET probes in vain? It may be in another part by now (M18). */
bool due_is_quiet(const struct elect *e, const struct elect_watched *w);
/* Sets the algorithm's timer to the first due_at(): after a new list, or a sign of life. */
void due_schedule(struct elect *e);

#endif
