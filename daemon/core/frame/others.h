/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others: hosts of this domain that run another algorithm (algorithm.md 4.14).
 *
 * Two algorithms elect two leaders. Of both the stronger goes on, that of the lower number: who
 * remembers a stronger one may not lead. So a wrong host stops nobody whose algorithm is stronger.
 */
#ifndef ELECTD_CORE_FRAME_OTHERS_H
#define ELECTD_CORE_FRAME_OTHERS_H

#include "state.h"

/* One has said something, proven: it is remembered for a minute. */
void others_heard(struct elect *e, const struct elect_other_algorithm *other);
/* A proven message that this host reads: its sender has gone, or runs another one no more. */
void others_said(struct elect *e, const struct elect_msg *m);
/* A silent host bars nobody any more, and is forgotten after a minute. True: that may change who
 * leads. */
bool others_pass(struct elect *e);
/* Own lateness. */
void others_later(struct elect *e, uint64_t late_us);
uint64_t others_due_us(const struct elect *e);
/* The one whose algorithm is the strongest of all, and stronger than this host's; NULL: none. */
const struct elect_id *others_strongest(const struct elect *e);

#endif
