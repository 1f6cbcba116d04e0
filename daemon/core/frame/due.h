/* SPDX-License-Identifier: Apache-2.0 */
/*
 * due: when a coordinator looks at which of its members next.
 */
#ifndef ELECTD_CORE_FRAME_DUE_H
#define ELECTD_CORE_FRAME_DUE_H

#include "state.h"

/* When that member is to be asked, or is taken for lost. */
uint64_t due_at(const struct elect *e, const struct elect_watched *w);
/* The list is another one, or somebody was heard: who on it is looked at next, and when? */
void due_schedule(struct elect *e);

#endif
