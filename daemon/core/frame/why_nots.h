/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_nots: why others may not lead, as they say, and as a list tells it.
 */
#ifndef ELECTD_CORE_FRAME_WHY_NOTS_H
#define ELECTD_CORE_FRAME_WHY_NOTS_H

#include "state.h"

void why_nots_of(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why);

/* A coordinator says it in its beacon; who will be on the next list in its Accept. */
void why_nots_note(struct elect *e, const struct elect_msg *m);
/* A member says it. True: a list is to tell it now. */
bool why_nots_said(struct elect *e, const struct elect_msg *m);

/* What the list tells, and what it told. */
void why_nots_compose(const struct elect *e, struct elect_msg *m);
void why_nots_gather(struct elect *e, const struct elect_msg *m);
/* The list that was gathered in `next` is about to hold. */
void why_nots_take(struct elect *e);
/* A list holds: of those who are not on it nothing is known any more. */
void why_nots_listed(struct elect *e);

#endif
